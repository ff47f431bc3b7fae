//! Properties from options and property files.

use super::arguments::CheckArguments;
use super::console::Console;
use anyhow::bail;
use derny::{Error, Language, Model, Property};
use std::path::Path;

/// Everything that is asked, in the order of the results.
pub struct Asked {
    pub properties: Vec<Property>,
    /// Where the properties of single assertions belong: behind that of all together.
    place: usize,
}

/// What options and files ask for.
pub fn properties(
    arguments: &CheckArguments,
    language: Language,
    console: &Console,
) -> anyhow::Result<Asked> {
    let mut properties: Vec<_> = arguments.ltl.iter().map(Property::ltl).collect();
    for file in &arguments.spec {
        let named = Property::read_specification(file)?;
        if named.is_empty() {
            console.warn(format_args!("{} has no properties", file.display()));
        }
        properties.extend(named);
    }
    properties.extend(arguments.never.iter().map(Property::never));
    properties.extend(arguments.reach.iter().map(Property::reach));
    let nothing = properties.is_empty()
        && !arguments.terminates
        && !arguments.no_overflow
        && !arguments.defined
        && arguments.slic.is_empty()
        && arguments.prp.is_empty()
        && !arguments.each_assertion
        && arguments.spec.is_empty();
    let about_assertions = arguments.assertions || arguments.each_assertion || nothing;
    if language == Language::PushdownSystem && about_assertions {
        bail!(
            "a pushdown system has no assertions: ask --reach SYMBOL, --reach STATE:SYMBOL, --ltl \
             FORMULA, --spec FILE, --never FILE or --terminates"
        );
    }
    if arguments.assertions || nothing {
        properties.push(Property::assertions());
    }
    let place = properties.len();
    if arguments.terminates {
        properties.push(Property::terminates());
    }
    let of_c = [
        (
            "--no-overflow",
            arguments.no_overflow,
            Property::no_overflow(),
        ),
        ("--defined", arguments.defined, Property::defined()),
    ];
    for (option, _, property) in of_c.into_iter().filter(|(_, is_given, _)| *is_given) {
        if language != Language::C {
            bail!("{option} is for C programs");
        }
        properties.push(property);
    }
    properties.extend(arguments.slic.iter().map(Property::slic));
    for file in &arguments.prp {
        if language != Language::C {
            bail!("--prp is for C programs");
        }
        properties.extend(checks(file, arguments, console)?);
    }
    Ok(Asked { properties, place })
}

/// What a property file of the verification competition asks.
fn checks(
    file: &Path,
    arguments: &CheckArguments,
    console: &Console,
) -> anyhow::Result<Vec<Property>> {
    let (properties, entry) = Property::read_checks(file)?;
    if properties.is_empty() {
        console.warn(format_args!("{} has no properties", file.display()));
    }
    let ours = arguments.input.entry.as_deref().unwrap_or("main");
    match entry {
        Some(entry) if entry != ours => bail!(
            "{} is about executions that begin in `{entry}`: say --entry {entry}",
            file.display()
        ),
        _ => Ok(properties),
    }
}

/// Adds the properties of single assertions.
pub fn add_each_assertion(
    arguments: &CheckArguments,
    model: &Model,
    asked: &mut Asked,
    console: &Console,
) -> Result<(), Error> {
    if !arguments.each_assertion {
        return Ok(());
    }
    let each = model.assertions()?;
    if each.is_empty() {
        console.warn("the program has no assertions");
    }
    asked.properties.splice(asked.place..asked.place, each);
    Ok(())
}
