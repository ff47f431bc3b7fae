//! Executions of programs: the configurations that a trace ([`crate::trace`]) consists of.

use super::failure::Failure;
use super::{Valuation, View};
use crate::program::PointId;
use crate::trace::{self, Fold, TraceStep};

/// An execution of a program.
pub type Trace = trace::Trace<Step>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    At(PointId),
    Error,
    Terminated,
}

/// A configuration, without what is below the top frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub location: Location,
    /// How many frames are below.
    pub depth: u64,
    /// In *error* and *terminated*: the globals only.
    pub valuation: Valuation,
    /// At an exit, the values that a `return` has fixed.
    pub returns: Option<Box<[u64]>>,
    /// What lies folded between this step and the next.
    pub folded: Option<Fold>,
}

impl TraceStep for Step {
    type Failure = Failure;

    fn depth(&self) -> u64 {
        self.depth
    }

    fn folded(&self) -> Option<Fold> {
        self.folded
    }

    fn fold(&mut self, folded: Option<Fold>) {
        self.folded = folded;
    }

    fn lift(&mut self, below: u64) {
        // There is nothing below *error* and *terminated*.
        if matches!(self.location, Location::At(_)) {
            self.depth += below;
        }
    }

    fn is_where(&self, other: &Step) -> bool {
        self.location == other.location
    }

    fn is_like(&self, other: &Step) -> bool {
        self.is_where(other) && self.valuation == other.valuation && self.returns == other.returns
    }
}

impl Step {
    /// The view of a step that is at a point.
    pub fn view(&self) -> Option<View> {
        match self.location {
            Location::At(at) => Some(View {
                at,
                valuation: self.valuation.clone(),
                returns: self.returns.clone(),
            }),
            _ => None,
        }
    }
}
