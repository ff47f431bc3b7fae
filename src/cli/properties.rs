//! Properties from options and property files.

use super::arguments::CheckArguments;
use super::console::Console;
use anyhow::bail;
use derny::{Language, Property};

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
    let nothing = properties.is_empty() && !arguments.terminates && arguments.spec.is_empty();
    if language == Language::PushdownSystem && (arguments.assertions || nothing) {
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
    Ok(properties)
}
