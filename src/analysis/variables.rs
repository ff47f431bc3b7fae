//! The numbering of data variables that all procedures share.
//!
//! Locals come first: local `i` of every procedure is the same data variable, since at any
//! time only one frame is looked at. So the number of BDD variables depends on the largest
//! procedure and not on the program (Moped, section 6). Globals come next, and last the
//! *returned* values that a `return` fixes and the caller takes over.

use crate::program::{Program, VariableId};

/// A variable of the symbolic pushdown system: an index into the shared numbering.
pub type DataVariable = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub locals: u32,
    pub globals: u32,
    pub returned: u32,
}

impl Layout {
    pub fn of(program: &Program) -> Self {
        let procedures = &program.procedures;
        Layout {
            locals: procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0) as u32,
            globals: program.globals.len() as u32,
            returned: procedures.iter().map(|p| p.returns).max().unwrap_or(0),
        }
    }

    pub fn len(&self) -> u32 {
        self.locals + self.globals + self.returned
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

    pub fn global_range(&self) -> std::ops::Range<DataVariable> {
        self.locals..self.locals + self.globals
    }
}
