//! Properties from options and property files.

use super::arguments::CheckArguments;
use super::console::Console;
use anyhow::bail;
use derny::{Error, Language, Model, Property, PropertyKind};

/// Everything that is asked, in the order of the results.
pub fn properties(
    arguments: &CheckArguments,
    language: Language,
    console: &Console,
) -> anyhow::Result<Vec<Property>> {
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
    Ok(properties)
}

/// Puts the properties of single assertions where their results belong: behind that of all
/// together, before termination.
pub fn add_each_assertion(
    arguments: &CheckArguments,
    model: &Model,
    properties: &mut Vec<Property>,
    console: &Console,
) -> Result<(), Error> {
    if !arguments.each_assertion {
        return Ok(());
    }
    let each = model.assertions()?;
    if each.is_empty() {
        console.warn("the program has no assertions");
    }
    let comes_later = |property: &Property| {
        matches!(
            property.kind(),
            PropertyKind::Terminates
                | PropertyKind::NoOverflow
                | PropertyKind::Defined
                | PropertyKind::Slic
        )
    };
    let place = properties.iter().position(comes_later);
    let place = place.unwrap_or(properties.len());
    properties.splice(place..place, each);
    Ok(())
}
