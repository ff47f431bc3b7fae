//! The numbering of data variables that all procedures share.
//!
//! Locals come first: local `i` of every procedure is the same data variable, since at any
//! time only one frame is looked at. So the number of BDD variables depends on the largest
//! procedure and not on the program (Moped, section 6). Globals come next, and last the
//! *returned* values that a `return` fixes and the caller takes over.

use crate::program::{ProcedureId, Program, VariableId};

/// A variable that a property speaks of, and whose value therefore always matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observed {
    Global(u32),
    Local(ProcedureId, u32),
}

/// A variable of the symbolic pushdown system: an index into the shared numbering.
pub type DataVariable = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub locals: u32,
    pub globals: u32,
    pub returned: u32,
    /// Bits for the state of a Büchi automaton in a product.
    pub state_bits: u32,
    /// Whether frames remember that an accepting state was seen.
    pub remembers: bool,
}

impl Layout {
    pub fn of(program: &Program) -> Self {
        let procedures = &program.procedures;
        Layout {
            locals: procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0) as u32,
            globals: program.globals.len() as u32,
            returned: procedures.iter().map(|p| p.returns).max().unwrap_or(0),
            state_bits: 0,
            remembers: false,
        }
    }

    pub fn len(&self) -> u32 {
        let memory = if self.remembers { 2 } else { 0 };
        self.locals + self.globals + self.returned + self.state_bits + memory
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn variable(&self, variable: VariableId) -> DataVariable {
        match variable {
            VariableId::Local(index) => index,
            VariableId::Global(index) => self.locals + index,
        }
    }

    pub fn returned(&self, index: u32) -> DataVariable {
        self.locals + self.globals + index
    }

    /// A bit of the automaton's state.
    pub fn state_bit(&self, index: u32) -> DataVariable {
        self.locals + self.globals + self.returned + index
    }

    pub fn state_range(&self) -> std::ops::Range<DataVariable> {
        self.state_bit(0)..self.state_bit(self.state_bits)
    }

    /// "An accepting state was seen since this frame was pushed."
    pub fn seen(&self) -> Option<DataVariable> {
        self.remembers.then(|| self.state_bit(self.state_bits))
    }

    /// The same of the frame that was popped last.
    pub fn seen_returned(&self) -> Option<DataVariable> {
        self.seen().map(|seen| seen + 1)
    }

    /// All variables from the top of the order down: the automaton's first, since it
    /// splits everything else, then locals above globals (Moped, section 5).
    pub fn default_order(&self) -> Vec<DataVariable> {
        let program = self.locals + self.globals + self.returned;
        (program..self.len()).chain(0..program).collect()
    }

    pub fn global_range(&self) -> std::ops::Range<DataVariable> {
        self.locals..self.locals + self.globals
    }
}
