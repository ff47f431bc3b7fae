//! From properties as they were given to what they mean in a model; and files of properties.

use crate::abstraction::predicate::Predicate;
use crate::abstraction::reading::{Wrong, read_predicates, scope};
use crate::error::{Error, PropertyError, PropertyWarning};
use crate::model::Form;
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

/// What predicates mean that are given as lines, in each of some programs. One that means something in
/// none of them is a mistake, unless it is about what the entry never comes to.
pub fn resolve_predicates(
    forms: &[&Form],
    given: &[Request],
) -> Result<Vec<Vec<Predicate>>, Error> {
    let lines: Vec<String> = given.iter().map(|one| one.text().to_owned()).collect();
    if lines.is_empty() {
        return Ok(vec![Vec::new(); forms.len()]);
    }
    let mut found = Vec::new();
    let mut wrong: Vec<Option<Wrong>> = Vec::new();
    let mut is_known = vec![false; lines.len()];
    for form in forms {
        let Subject::Program(program) = form.subject() else {
            return Ok(vec![Vec::new(); forms.len()]);
        };
        let mut own = Vec::new();
        let read = read_predicates(program, &lines).into_iter();
        for ((line, read), place) in lines.iter().zip(read).zip(0..) {
            match read {
                Ok(predicate) => {
                    own.push(predicate);
                    is_known[place] = true;
                }
                Err(error) => {
                    let name = line[error.span.clone()].trim();
                    let function = scope(line).map(str::trim);
                    is_known[place] |= error.is_missing && form.declares(function, name);
                    wrong.resize_with(lines.len(), || None);
                    wrong[place].get_or_insert(error);
                }
            }
        }
        found.push(own);
    }
    let wrong = wrong.into_iter().zip(given.iter().zip(is_known));
    let errors = wrong.filter_map(|(error, (line, is_known))| {
        let error = error.filter(|_| !is_known)?;
        let message = crate::property::PropertyError::new(error.message, None);
        Some(PropertyError {
            property: line.clone(),
            error: TemporalError::Proposition(error.span, message),
        })
    });
    let errors: Vec<PropertyError> = errors.collect();
    match errors.is_empty() {
        true => Ok(found),
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
