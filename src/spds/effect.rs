//! What one rule does to data, in terms of the program and of data variables.

use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::program::{Domain, Expression, Operation, ProcedureId, Program};
use std::ops::Range;

#[derive(Clone, Copy)]
pub struct Effect<'e> {
    /// Whose locals the expressions speak of.
    pub procedure: ProcedureId,
    /// Each must be able to come out as given, independently.
    pub conditions: &'e [(Expression, Outcome)],
    /// All set at once, from values before the step; where two meet, the later one wins.
    pub assignments: &'e [Assignment],
    /// Must be able to be true; may read new values.
    pub constrain: Option<Expression>,
    /// Must be able to be true of the new values only.
    pub afterwards: Option<Expression>,
    /// What an automaton that watches does at the same time.
    pub watched: Option<Watched<'e>>,
}

/// How a condition comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    True,
    False,
    /// False, or without value.
    NotTrue,
}

/// A further relation, and the variables it sets.
#[derive(Clone, Copy)]
pub struct Watched<'e> {
    /// Different relations have different numbers.
    pub number: u64,
    pub relation: &'e Bdd,
    pub set: &'e [DataVariable],
}

#[derive(Clone)]
pub struct Assignment {
    pub place: Place,
    /// Of the place.
    pub domain: Domain,
    pub source: Source,
    /// Whether it is the frame below a pushed one that is set.
    pub below: bool,
}

#[derive(Clone)]
pub enum Place {
    /// The bits of one cell.
    Cell(Range<DataVariable>),
    /// One of `count` cells that stand side by side and have the same domain.
    Element {
        /// The bits of the first cell.
        first: Range<DataVariable>,
        count: u32,
        index: Expression,
        /// If the rule is only for one value of the index: which. Then it says nothing of the
        /// other cells, and so they keep their values without being mentioned.
        only: Option<u32>,
    },
}

#[derive(Clone)]
pub enum Source {
    Of(Expression),
    /// The current value of another cell.
    Bits(Range<DataVariable>, Domain),
    /// Any value of the domain.
    Any,
}

impl<'e> Effect<'e> {
    pub fn of(procedure: ProcedureId) -> Self {
        Effect {
            procedure,
            conditions: &[],
            assignments: &[],
            constrain: None,
            afterwards: None,
            watched: None,
        }
    }

    /// Whether some expression might have no value, or some value not fit its place: false
    /// only if that is certain, at a glance.
    pub fn may_fail(&self, program: &Program) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|(condition, _)| is_partial(program, *condition))
            || self.assignments.iter().any(|a| a.may_fail(program))
    }

    /// The variables that get values, perhaps with repetitions: all but the arbitrary ones;
    /// those of the frame on top after the step, or of the one below.
    pub fn assigned(&self, below: bool) -> impl Iterator<Item = DataVariable> {
        let watched = self.watched.filter(|_| !below);
        let watched = watched.map_or(&[][..], |watched| watched.set);
        let assignments = self.assignments.iter();
        let bits = assignments
            .filter(move |assignment| assignment.below == below && !self.is_arbitrary(assignment))
            .flat_map(|assignment| assignment.place.bits());
        bits.chain(watched.iter().copied())
    }

    /// The variables that get any value whatever.
    pub fn arbitrary(&self, below: bool) -> impl Iterator<Item = DataVariable> {
        let assignments = self.assignments.iter();
        assignments
            .filter(move |assignment| assignment.below == below && self.is_arbitrary(assignment))
            .flat_map(|assignment| assignment.place.bits())
    }

    /// Whether one cell gets any pattern of bits, and nothing else is said about it.
    pub fn is_arbitrary(&self, assignment: &Assignment) -> bool {
        let is_any = matches!(assignment.source, Source::Any) && assignment.domain.is_full();
        let Place::Cell(bits) = &assignment.place else {
            return false;
        };
        let meets = |other: &Assignment| {
            let others = other.place.bits();
            !std::ptr::eq(other, assignment) && others.start < bits.end && bits.start < others.end
        };
        is_any && !self.assignments.iter().any(meets)
    }
}

fn is_partial(program: &Program, expression: Expression) -> bool {
    let operations = program.expressions.operations(expression);
    operations.iter().any(Operation::may_have_no_value)
}

impl Assignment {
    /// Whether the value might be missing or not fit, or the place not exist.
    pub fn may_fail(&self, program: &Program) -> bool {
        let misfits = match &self.source {
            Source::Of(expression) => {
                is_partial(program, *expression) || self.domain != Domain::Boolean
            }
            Source::Bits(_, domain) => domain.size() > self.domain.size(),
            Source::Any => false,
        };
        misfits || matches!(self.place, Place::Element { .. })
    }
}

impl Place {
    /// The bits that might be set.
    pub fn bits(&self) -> Range<DataVariable> {
        match self {
            Place::Cell(bits) => bits.clone(),
            Place::Element {
                first,
                only: Some(k),
                ..
            } => element(first, *k),
            Place::Element { first, count, .. } => {
                first.start..first.start + count * (first.end - first.start)
            }
        }
    }
}

/// The bits of an element of an array with this first one.
pub fn element(first: &Range<DataVariable>, k: u32) -> Range<DataVariable> {
    let width = first.end - first.start;
    first.start + k * width..first.end + k * width
}
