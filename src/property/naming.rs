//! What names mean is asked of a program or pushdown system, and, if that was made from C, of what it
//! is there.

use super::subject::divide_call;
use super::{Atom, PropertyError};
use crate::lower::c::Origin;
use crate::program::{PointId, Program};
use crate::pushdown::System;
use crate::rules::Subject;
use crate::typing::c::tree;
use ltl2ba_rs::{Kind, Proposition};

/// Where names have their meaning.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    pub subject: Subject<'a>,
    pub c: Option<InC<'a>>,
}

/// A C program, and what its program form is in it.
#[derive(Clone, Copy, Debug)]
pub struct InC<'a> {
    pub typed: &'a tree::Program,
    pub program: &'a Program,
    pub origin: &'a Origin,
    /// What the C expressions are that a property or a user speaks of, by their texts.
    pub observed: &'a [(String, Result<Atom, PropertyError>)],
}

impl<'a> From<Subject<'a>> for Naming<'a> {
    fn from(subject: Subject<'a>) -> Self {
        Naming { subject, c: None }
    }
}

impl<'a> From<&'a Program> for Naming<'a> {
    fn from(program: &'a Program) -> Self {
        Subject::Program(program).into()
    }
}

impl<'a> From<&'a System> for Naming<'a> {
    fn from(system: &'a System) -> Self {
        Subject::System(system).into()
    }
}

impl<'a> Naming<'a> {
    /// The C program, for a property that no other language has.
    pub fn in_c(self) -> Result<InC<'a>, PropertyError> {
        let message = "only C programs can be asked for overflow, undefined steps and rules";
        self.c.ok_or_else(|| PropertyError::new(message, None))
    }
}

impl Naming<'_> {
    /// What a proposition of a formula means.
    pub fn proposition(self, proposition: &Proposition) -> Result<Atom, PropertyError> {
        let Some(c) = self.c else {
            return self.subject.proposition(proposition);
        };
        let text = proposition.text.trim();
        match proposition.kind {
            Kind::Word => c.word(text),
            Kind::Call => {
                let (operator, argument) = divide_call(text);
                c.call(operator, argument)
            }
            Kind::Braces | Kind::Quoted => self.text(text),
        }
    }

    /// What quoted text means, or the name of a proposition in a HOA file.
    pub fn text(self, text: &str) -> Result<Atom, PropertyError> {
        let Some(c) = self.c else {
            return self.subject.text(text);
        };
        let inner = expression_in(text);
        if inner != text.trim() {
            return c.expression(inner);
        }
        match divide_call(inner) {
            (operator @ ("at" | "in" | "call"), argument) if inner.ends_with(')') => {
                c.call(operator, argument)
            }
            // What is no expression may be a label or a function.
            _ => c
                .expression(inner)
                .or_else(|wrong| c.word(inner).or(Err(wrong))),
        }
    }

    /// The points that are only parts of a step.
    pub fn silent(self) -> Vec<PointId> {
        self.c.map_or(Vec::new(), InC::silent)
    }

    /// What an expression means whose values are to be shown.
    pub fn term(self, text: &str) -> Result<Atom, PropertyError> {
        match self.c {
            Some(c) => c.expression(text),
            None => self.subject.term(text),
        }
    }
}

/// The text of an expression, without its braces.
pub fn expression_in(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    inner.map_or(text, str::trim)
}
