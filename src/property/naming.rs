//! What names mean is asked of a program or pushdown system, and, if that was made from C, of what it
//! is there.

use super::{Property, PropertyError};
use crate::lower::c::Origin;
use crate::program::{PointId, Program};
use crate::pushdown::System;
use crate::rules::Subject;
use crate::typing::c::tree;

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
    pub origin: &'a Origin,
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

impl InC<'_> {
    /// That no signed computation overflows.
    pub fn overflow(self) -> Property {
        let points = self.origin.overflow_points();
        Property::Assertion(points.map(|(point, _)| point).collect())
    }

    /// That the rule that is woven into it is never violated.
    pub fn rule(self) -> Property {
        let points = self.origin.rule_points();
        Property::Assertion(points.map(|(point, _)| point).collect())
    }

    /// That no undefined step is taken.
    pub fn undefined(self) -> Property {
        let points = self.origin.undefined_points();
        let points: Vec<PointId> = points.map(|(point, _)| point).collect();
        Property::Reach(points)
    }
}
