//! Properties from options and property files, and what is wrong with them.

use super::arguments::{CheckArguments, Language};
use crate::property::{
    Kind, Property, PropertyError, Request, Subject, Temporal, TemporalError, resolve,
};
use anyhow::{Context, bail};
use ltl2ba_rs::ParseError;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

fn request(kind: Kind, text: impl Into<String>) -> Request {
    Request {
        kind,
        text: text.into(),
        name: None,
    }
}

/// Everything that is asked, in the order of the results.
pub fn requests(arguments: &CheckArguments, language: Language) -> anyhow::Result<Vec<Request>> {
    let mut requests: Vec<_> = arguments
        .ltl
        .iter()
        .map(|formula| request(Kind::Ltl, formula))
        .collect();
    for file in &arguments.spec {
        requests.extend(read_spec(file)?);
    }
    let never = arguments.never.iter().map(|file| file.to_string_lossy());
    requests.extend(never.map(|file| request(Kind::Never, file)));
    let reach = arguments.reach.iter();
    requests.extend(reach.map(|label| request(Kind::Reach, label)));
    let nothing = requests.is_empty() && !arguments.terminates && arguments.spec.is_empty();
    if language == Language::Pds && (arguments.assertions || nothing) {
        bail!(
            "a pushdown system has no assertions: ask --reach SYMBOL, --reach STATE:SYMBOL, --ltl \
             FORMULA, --spec FILE, --never FILE or --terminates"
        );
    }
    if arguments.assertions || nothing {
        requests.push(request(Kind::Assertions, Kind::Assertions.name()));
    }
    if arguments.terminates {
        requests.push(request(Kind::Terminates, Kind::Terminates.name()));
    }
    Ok(requests)
}

/// The named formulas of a property file.
fn read_spec(file: &Path) -> anyhow::Result<Vec<Request>> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    let mut requests: Vec<Request> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, formula)) = line.split_once(':') else {
            bail!("{shown}:{number}: expected `name: FORMULA`, found `{line}`");
        };
        let name = name.trim();
        let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            bail!("{shown}:{number}: `{name}` is no name: expected `name: FORMULA`");
        }
        let formula = strip_comment(formula).trim();
        if formula.is_empty() {
            bail!("{shown}:{number}: `{name}` has no formula");
        }
        if requests.iter().any(|r| r.name.as_deref() == Some(name)) {
            bail!("{shown}:{number}: there are two properties `{name}`");
        }
        requests.push(Request {
            kind: Kind::Ltl,
            text: formula.to_owned(),
            name: Some(name.to_owned()),
        });
    }
    if requests.is_empty() {
        let _ = writeln!(std::io::stderr(), "warning: {shown} has no properties");
    }
    Ok(requests)
}

/// What stands before a `#` that is not part of quoted text or of braces.
fn strip_comment(formula: &str) -> &str {
    let mut quoted = false;
    let mut braces = 0_u32;
    for (at, c) in formula.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '{' if !quoted => braces += 1,
            '}' if !quoted => braces = braces.saturating_sub(1),
            '#' if !quoted && braces == 0 => return &formula[..at],
            _ => {}
        }
    }
    formula
}

/// The properties, or everything that is wrong with them. Warnings go to standard error,
/// and so does what `explain` asks for.
pub fn resolve_all(
    subject: &impl Subject,
    requests: &[Request],
    explain: bool,
) -> Result<Vec<Property>, String> {
    let mut properties = Vec::new();
    let mut wrong = String::new();
    for request in requests {
        let automaton = match request.kind {
            Kind::Never => match std::fs::read(&request.text) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) => {
                    let _ = writeln!(wrong, "error: cannot read {}: {error}", request.text);
                    continue;
                }
            },
            _ => None,
        };
        match resolve(subject, request, automaton.as_deref()) {
            Ok(property) => {
                match &property {
                    Property::Temporal(temporal) => tell(request, temporal, explain),
                    plain if explain => tell_plain(request, plain),
                    _ => {}
                }
                properties.push(property);
            }
            Err(error) => wrong.push_str(&draw(request, &error)),
        }
    }
    match wrong.is_empty() {
        true => Ok(properties),
        false => Err(wrong),
    }
}

fn draw(request: &Request, error: &TemporalError) -> String {
    let name = request
        .name
        .as_ref()
        .map_or(String::new(), |name| format!("in `{name}`: "));
    match error {
        TemporalError::Syntax(error) => format!("{name}{}", error.render(&request.text)),
        TemporalError::Proposition(span, PropertyError { message, hint }) => {
            let error = ParseError {
                span: span.clone(),
                message: message.clone(),
                expected: None,
                hint: hint.clone(),
            };
            match request.kind {
                Kind::Ltl => format!("{name}{}", error.render(&request.text)),
                _ => {
                    let hint = hint
                        .as_ref()
                        .map_or(String::new(), |h| format!("  hint: {h}\n"));
                    format!("error: {message}\n{hint}")
                }
            }
        }
        TemporalError::Other(message) => format!("error: {name}{}: {message}\n", request.text),
    }
}

fn tell_plain(request: &Request, property: &Property) {
    let steps = match property {
        Property::Terminates => "reachable heads, then a cycle among them",
        _ => "reachable heads, until one of the goals is among them if no trace is wanted",
    };
    let text = format!("property {}\n  search       {steps}\n", request.text);
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn tell(request: &Request, temporal: &Temporal, explain: bool) {
    let mut text = String::new();
    for warning in &temporal.warnings {
        text.push_str(&warning.render(&request.text));
    }
    if explain {
        let automaton = &temporal.forbidden;
        let _ = writeln!(text, "property {}", request.text);
        if let Some(formula) = &temporal.formula {
            let _ = writeln!(text, "  read as      {}", formula.parenthesized());
        }
        let _ = writeln!(
            text,
            "  automaton    of the forbidden executions: {} states, {} edges, {}",
            automaton.states,
            automaton.edges.len(),
            automaton.class()
        );
        let steps = match automaton.class() {
            ltl2ba_rs::Class::Terminal => {
                "reachability of an accepting state from which an infinite execution goes on"
            }
            ltl2ba_rs::Class::Weak => "a reachable cycle among accepting states",
            ltl2ba_rs::Class::General => {
                "a reachable cycle through an accepting state; frames remember acceptance"
            }
        };
        let _ = writeln!(text, "  search       {steps}");
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}
