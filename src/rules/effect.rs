//! What one rule does to data: conditions, and what each cell gets.
//!
//! An effect speaks of the cells that its rule reads or sets, and of no others: these keep
//! their values. Only the locals of a frame that is pushed begin with any value unless they
//! are given one. Places and copied values are told by their bits, since frames share them;
//! expressions speak of the variables of a frame.

use super::{DataVariable, Layout};
use crate::program::{
    Domain, Expression, Expressions, Moment, Operation, Overflow, ProcedureId, VariableId,
};
use smallvec::SmallVec;
use std::ops::Range;

/// Conditions of one effect; most have at most two, which take no allocation.
pub type Conditions = SmallVec<[(Expression, Outcome); 2]>;
/// Assignments of one effect; most have one, which takes no allocation.
pub type Assignments = SmallVec<[Assignment; 1]>;

#[derive(Clone, Debug)]
pub struct Effect {
    /// The kinds of frames whose locals are read before the step, after it, and below.
    pub frames: [ProcedureId; 3],
    /// Each must be able to come out as given, independently. They read old values only.
    pub conditions: Conditions,
    /// All set at once, from values before the step; where two meet, the later one wins.
    pub assignments: Assignments,
    /// Must be able to be true, and may read new values.
    pub constrain: Box<[Expression]>,
    /// Must be able to be true where every variable is read after the step.
    pub afterwards: Option<Expression>,
}

/// How a condition comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    True,
    False,
    /// False, or without value.
    NotTrue,
}

#[derive(Clone, Debug)]
pub struct Assignment {
    pub place: Place,
    /// Of the place.
    pub domain: Domain,
    pub source: Source,
    /// Whether it is the frame below a pushed one that is set.
    pub below: bool,
}

#[derive(Clone, Debug)]
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

#[derive(Clone, Debug)]
pub enum Source {
    Of(Expression),
    /// The current value of another cell.
    Bits(Range<DataVariable>, Domain),
    /// Any value of the domain.
    Any,
}

impl Effect {
    /// Nothing is asked and nothing changes, in a frame of this kind.
    pub fn of(frame: ProcedureId) -> Self {
        Effect {
            frames: [frame; 3],
            conditions: Conditions::new(),
            assignments: Assignments::new(),
            constrain: Box::default(),
            afterwards: None,
        }
    }

    /// Whether some expression might have no value, or some value not fit its place: false
    /// only if that is certain, at a glance.
    pub fn may_fail(&self, expressions: &Expressions) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|(condition, _)| is_partial(expressions, *condition))
            || self.assignments.iter().any(|a| a.may_fail(expressions))
    }

    /// All expressions that read values before the step, indices of places included, but
    /// without `constrain` and `afterwards`.
    pub fn early_reads(&self) -> impl Iterator<Item = Expression> {
        let conditions = self.conditions.iter().map(|(condition, _)| *condition);
        let assignments = self.assignments.iter();
        conditions.chain(assignments.flat_map(|assignment| {
            let value = match assignment.source {
                Source::Of(expression) => Some(expression),
                Source::Bits(..) | Source::Any => None,
            };
            assignment.place.index().into_iter().chain(value)
        }))
    }

    /// The bits of every cell that an expression of this effect may read, and when.
    pub fn bits_read<'e>(
        &'e self,
        expressions: &'e Expressions,
        layout: &'e Layout,
        expression: Expression,
    ) -> impl Iterator<Item = (Range<DataVariable>, Moment)> + 'e {
        let operations = expressions.operations(expression).iter();
        let reads = operations.filter_map(Operation::cells_read);
        reads.flat_map(move |(first, count, when)| {
            let cell = move |k| (self.bits(layout, first.plus(k), when), when);
            (0..count).map(cell)
        })
    }

    /// The bits of a variable that an expression of this effect reads.
    pub fn bits(&self, layout: &Layout, variable: VariableId, when: Moment) -> Range<DataVariable> {
        layout.cell(self.frames[when as usize], variable)
    }
}

fn is_partial(expressions: &Expressions, expression: Expression) -> bool {
    let operations = expressions.operations(expression);
    operations.iter().any(Operation::may_have_no_value)
}

impl Assignment {
    /// Whether the value might be missing or not fit, or the place not exist.
    pub fn may_fail(&self, expressions: &Expressions) -> bool {
        let misfits = match &self.source {
            Source::Of(expression) => {
                is_partial(expressions, *expression) || self.domain != Domain::Boolean
            }
            Source::Bits(_, domain) => domain.size() > self.domain.size(),
            Source::Any => false,
        };
        misfits || matches!(self.place, Place::Element { .. })
    }

    /// Whether a copied value might be too large for its place, which is then an event of
    /// its own.
    pub fn may_not_fit(&self, overflow: Overflow) -> bool {
        match &self.source {
            Source::Bits(_, domain) => {
                overflow != Overflow::Wrap && domain.size() > self.domain.size()
            }
            Source::Of(_) | Source::Any => false,
        }
    }

    /// Whether the value is the one that the same cell had, in the frame on top.
    pub fn is_identity(&self) -> bool {
        match (&self.place, &self.source) {
            (Place::Cell(place), Source::Bits(bits, domain)) => {
                place == bits && *domain == self.domain
            }
            _ => false,
        }
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

    pub fn index(&self) -> Option<Expression> {
        match self {
            Place::Cell(_) => None,
            Place::Element { index, .. } => Some(*index),
        }
    }
}

/// The bits of an element of an array with this first one.
pub fn element(first: &Range<DataVariable>, k: u32) -> Range<DataVariable> {
    let width = first.end - first.start;
    first.start + k * width..first.end + k * width
}
