//! The configurations that a trace consists of, without what is below the top frame.

use super::Fold;
use crate::program::VariableId;
use std::sync::Arc;

/// The values of the globals and of the top frame's parameters and locals, cell by cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Valuation {
    /// Globals first, then locals. Most steps change nothing, so that many share them.
    values: Arc<[u64]>,
    globals: u32,
}

impl Valuation {
    /// Puts globals and locals together.
    pub fn new(globals: &[u64], locals: &[u64]) -> Self {
        Valuation {
            values: globals.iter().chain(locals).copied().collect(),
            globals: globals.len() as u32,
        }
    }

    /// The values of the globals.
    pub fn globals(&self) -> &[u64] {
        &self.values[..self.globals as usize]
    }

    /// The values of the locals.
    pub fn locals(&self) -> &[u64] {
        &self.values[self.globals as usize..]
    }

    /// The value of a cell, which must be there.
    pub fn get(&self, variable: VariableId) -> u64 {
        self.values[self.index(variable)]
    }

    /// `None` for a local where there is no frame.
    pub fn find(&self, variable: VariableId) -> Option<u64> {
        self.values.get(self.index(variable)).copied()
    }

    /// Changes the value of a cell, which must be there.
    pub fn set(&mut self, variable: VariableId, value: u64) {
        let index = self.index(variable);
        Arc::make_mut(&mut self.values)[index] = value;
    }

    fn index(&self, variable: VariableId) -> usize {
        match variable {
            VariableId::Global(index) => index as usize,
            VariableId::Local(index) => (self.globals + index) as usize,
        }
    }
}

/// Where an execution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// At a control point, or with a symbol on top of the stack: by its number.
    At(u32),
    /// The program has failed.
    Error,
    /// The lowest frame was popped: the stack is empty.
    Terminated,
    /// A frame of a pushdown system was popped, of which nothing but its entry and what it
    /// left is known.
    Left,
}

/// A configuration, without what is below the top frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The running thread; 0 where there are none.
    pub thread: u32,
    /// Where control is.
    pub location: Location,
    /// How many frames are below.
    pub depth: u64,
    /// In *error* and *terminated*: the globals only. Of a pushdown system, the control state
    /// is the last global.
    pub valuation: Valuation,
    /// At the exit of a procedure, the values that a `return` has fixed.
    pub returns: Option<Box<[u64]>>,
    /// What the rule that is taken next comes from, unless at the end: the number of the
    /// point, or of the rule in a `.pds` file, ...
    pub rule: Option<u32>,
    /// ... and if that rule pushes, the locals of the frame below.
    pub below: Box<[u64]>,
    /// What lies folded between this step and the next.
    pub folded: Option<Fold>,
}

impl Step {
    /// A configuration with nothing returned or folded.
    pub fn new(location: Location, depth: u64, valuation: Valuation) -> Self {
        Step {
            thread: 0,
            location,
            depth,
            valuation,
            returns: None,
            rule: None,
            below: Box::default(),
            folded: None,
        }
    }

    /// The number of the control point, or of the symbol on top; none where nothing happens
    /// any more.
    pub fn at(&self) -> Option<u32> {
        match self.location {
            Location::At(number) => Some(number),
            Location::Error | Location::Terminated | Location::Left => None,
        }
    }

    /// Whether nothing happens any more.
    pub fn is_stopped(&self) -> bool {
        matches!(self.location, Location::Error | Location::Terminated)
    }

    /// Puts further frames below.
    pub fn lift(&mut self, below: u64) {
        // There is nothing below *error* and *terminated*.
        if !self.is_stopped() {
            self.depth += below;
        }
    }

    /// Whether the two are in the same place.
    pub fn is_where(&self, other: &Step) -> bool {
        self.location == other.location
    }

    /// Whether the two are alike, whatever is below them or folded there.
    pub fn is_like(&self, other: &Step) -> bool {
        self.is_where(other) && self.valuation == other.valuation && self.returns == other.returns
    }
}
