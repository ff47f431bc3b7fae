//! From properties as they were given to what they mean in a model; and files of properties.

use crate::abstraction::predicate::Predicate;
use crate::abstraction::reading::read_predicate;
use crate::error::{Error, PropertyError, PropertyWarning};
use crate::property::{
    Kind, Naming, Property, Request, Temporal, TemporalError, parse_checks, parse_specification,
};
use crate::report::annotation::Watch;
use crate::rules::Subject;
use ltl2ba_rs::Class;
use std::fmt::Write as _;
use std::path::Path;
use std::str::FromStr;

/// A formula. What its propositions mean is known when it is checked.
impl FromStr for Request {
    type Err = Error;

    fn from_str(formula: &str) -> Result<Self, Error> {
        let property = Request::ltl(formula);
        match ltl2ba_rs::parse(formula) {
            Ok(_) => Ok(property),
            Err(error) => Err(Error::Properties(vec![PropertyError {
                property,
                error: TemporalError::Syntax(error),
            }])),
        }
    }
}

impl Request {
    /// What is doubtful about the text of a formula, in whatever model: operators that other
    /// tools group differently.
    pub fn warnings(&self) -> Vec<PropertyWarning> {
        let parsed = (self.kind == Kind::Ltl).then(|| ltl2ba_rs::parse(&self.text));
        let warnings = parsed.and_then(Result::ok).map(|parsed| parsed.warnings);
        let warnings = warnings.into_iter().flatten();
        warnings
            .map(|warning| PropertyWarning {
                property: self.clone(),
                message: warning.to_string(),
                span: warning.span,
            })
            .collect()
    }

    /// The named formulas of a file: one a line, `name: FORMULA`; `#` begins a comment.
    pub fn read_specification(file: impl AsRef<Path>) -> Result<Vec<Self>, Error> {
        let file = file.as_ref();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| Error::Read(file.to_owned(), error))?;
        parse_specification(file, &text)
            .map_err(|error| Error::Specification(file.to_owned(), error))
    }

    /// The properties of a file of the verification competition, `CHECK(init(main()), LTL(…))`, and
    /// the function in which executions begin by it.
    pub fn read_checks(file: impl AsRef<Path>) -> Result<(Vec<Self>, Option<String>), Error> {
        let file = file.as_ref();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| Error::Read(file.to_owned(), error))?;
        let checks = parse_checks(file, &text);
        let checks = checks.map_err(|error| Error::Specification(file.to_owned(), error))?;
        Ok((checks.requests, checks.entry))
    }
}

/// What the expressions mean whose values are shown along traces, or everything that is wrong
/// with them.
pub fn resolve_watches(naming: Naming<'_>, texts: &[String]) -> Result<Vec<Watch>, Error> {
    let mut watches = Vec::new();
    let mut errors = Vec::new();
    for text in texts {
        match naming.term(text) {
            Ok(term) => watches.push(Watch {
                text: text.clone(),
                term,
            }),
            Err(error) => errors.push(PropertyError {
                property: Request::ltl(text.clone()),
                error: TemporalError::Proposition(0..text.len(), error),
            }),
        }
    }
    match errors.is_empty() {
        true => Ok(watches),
        false => Err(Error::Properties(errors)),
    }
}

/// What predicates mean that are given as lines.
pub fn resolve_predicates(subject: Subject<'_>, lines: &[String]) -> Result<Vec<Predicate>, Error> {
    let Subject::Program(program) = subject else {
        return Ok(Vec::new());
    };
    let mut predicates = Vec::new();
    let mut errors = Vec::new();
    for line in lines {
        match read_predicate(program, line) {
            Ok(predicate) => predicates.push(predicate),
            Err((span, message)) => errors.push(PropertyError {
                property: Request::ltl(line.clone()),
                error: TemporalError::Proposition(
                    span,
                    crate::property::PropertyError::new(message, None),
                ),
            }),
        }
    }
    match errors.is_empty() {
        true => Ok(predicates),
        false => Err(Error::Properties(errors)),
    }
}

/// How a property is read, and what is searched for.
pub fn explanation(request: &Request, property: &Property) -> String {
    let mut text = format!("property {}\n", request.text());
    let search = match property {
        Property::Temporal(temporal) => {
            describe_automaton(temporal, &mut text);
            match temporal.forbidden.class() {
                Class::Terminal => {
                    "reachability of an accepting state from which an infinite execution goes on"
                }
                Class::Weak => "a reachable cycle among accepting states",
                Class::General => {
                    "a reachable cycle through an accepting state; frames remember acceptance"
                }
            }
        }
        Property::Terminates => "reachable heads, then a cycle among them",
        _ => "reachable heads, until one of the goals is among them if no trace is wanted",
    };
    let _ = writeln!(text, "  search       {search}");
    text
}

fn describe_automaton(temporal: &Temporal, text: &mut String) {
    let automaton = &temporal.forbidden;
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
}
