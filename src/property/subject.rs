//! What is asked of a program or a pushdown system by name.

use super::assertion::failure_at;
use super::label::labelled_points;
use super::remopla;
use super::{Atom, Property, PropertyError};
use crate::program::{Language, Program};
use crate::rules::Subject;
use crate::trace::Step;
use ltl2ba_rs::{Kind, Proposition};
use std::ops::Range;

impl Subject<'_> {
    /// What a name means.
    fn word(self, text: &str) -> Result<Atom, PropertyError> {
        match self {
            Subject::Program(program) => program.word(text),
            Subject::System(system) => system.word(text),
        }
    }

    /// What an expression means, its braces included.
    fn braces(self, text: &str) -> Result<Atom, PropertyError> {
        match self {
            Subject::Program(program) => program.braces(text),
            Subject::System(system) => system.braces(text),
        }
    }

    /// What `operator(argument)` means.
    fn call(self, operator: &str, argument: &str) -> Result<Atom, PropertyError> {
        match self {
            Subject::Program(program) => program.call(operator, argument),
            Subject::System(system) => system.call(operator, argument),
        }
    }

    /// The property that a place, named by the user, is not reached.
    pub fn reach(self, text: &str) -> Result<Property, PropertyError> {
        match self {
            Subject::Program(program) => labelled_points(program, text).map(Property::Reach),
            Subject::System(system) => system.reach(text),
        }
    }

    /// The property that no assertion fails.
    pub fn assertions(self) -> Result<Property, PropertyError> {
        self.with_assertions().map(|_| Property::Assertions)
    }

    /// The property that one assertion does not fail.
    pub fn assertion(self, text: &str) -> Result<Property, PropertyError> {
        failure_at(self.with_assertions()?, text)
    }

    fn with_assertions(&self) -> Result<&Program, PropertyError> {
        match self {
            Subject::Program(program) => Ok(program),
            Subject::System(_) => Err(PropertyError::new(
                "a pushdown system has no assertions",
                Some("ask for a symbol, for a formula or for termination".into()),
            )),
        }
    }

    /// What an expression means whose values are to be shown: a condition as in the braces of
    /// a formula, or a number.
    pub fn term(self, text: &str) -> Result<Atom, PropertyError> {
        match self {
            Subject::Program(program) if program.language == Language::Remopla => {
                let term = remopla::term(program, text);
                term.map_err(|(_, error)| error)
            }
            _ => self.text(&format!("{{{text}}}")),
        }
    }

    /// The value of an expression in a configuration, if it has one.
    pub fn value(self, term: &Atom, step: &Step) -> Option<i128> {
        match (self, term) {
            (Subject::Program(program), Atom::Expression { .. } | Atom::Observed { .. }) => {
                term.value(program, step)
            }
            _ => Some(self.holds(term, step).into()),
        }
    }

    /// Whether a proposition is true of a configuration.
    pub fn holds(self, atom: &Atom, step: &Step) -> bool {
        match self {
            Subject::Program(program) => atom.holds(program, step),
            Subject::System(system) => system.holds(atom, step),
        }
    }

    /// What a proposition of a formula means.
    pub fn proposition(self, proposition: &Proposition) -> Result<Atom, PropertyError> {
        let text = proposition.text.trim();
        match proposition.kind {
            Kind::Word => self.word(text),
            Kind::Braces => self.braces(text),
            Kind::Call => {
                let (operator, argument) = divide_call(text);
                self.call(operator, argument)
            }
            Kind::Quoted => self.text(text),
        }
    }

    /// What is doubtful about a proposition of a formula, and where in the formula's text.
    pub fn warnings(self, proposition: &Proposition) -> Vec<(Range<usize>, String)> {
        let Subject::Program(program) = self else {
            return Vec::new();
        };
        let inner = proposition.text.strip_prefix('{');
        let inner = inner.and_then(|rest| rest.strip_suffix('}'));
        let Some(inner) = inner.filter(|_| program.language == Language::Remopla) else {
            return Vec::new();
        };
        let begin = proposition.span.start + 1;
        let warnings = remopla::warnings(program, inner).into_iter();
        warnings
            .map(|one| {
                let [start, end] = [one.span.start, one.span.end].map(|at| begin + at as usize);
                (start..end, one.message)
            })
            .collect()
    }

    /// What quoted text means, or the name of a proposition in a HOA file: any of these.
    pub fn text(self, text: &str) -> Result<Atom, PropertyError> {
        let text = text.trim();
        if text.starts_with('{') && text.ends_with('}') {
            return self.braces(text);
        }
        match divide_call(text) {
            (operator @ ("at" | "in" | "state"), argument) if text.ends_with(')') => {
                self.call(operator, argument)
            }
            _ => self.word(text),
        }
    }
}

pub fn divide_call(text: &str) -> (&str, &str) {
    let (operator, rest) = text.split_once('(').unwrap_or((text, ""));
    let argument = rest.trim_end().trim_end_matches(')');
    (operator.trim(), argument.trim())
}

/// The one thing that a name means, of all that it could mean, each with another way to write
/// it; `None` if it means nothing.
pub fn only_meaning(
    text: &str,
    mut meanings: Vec<(Atom, String)>,
) -> Result<Option<Atom>, PropertyError> {
    if meanings.len() > 1 {
        let ways: Vec<_> = meanings.into_iter().map(|(_, way)| way).collect();
        return Err(PropertyError::new(
            format!("`{text}` could mean several things"),
            Some(format!("write {}", ways.join(", or "))),
        ));
    }
    Ok(meanings.pop().map(|(atom, _)| atom))
}
