//! What names mean: tables indexed by name, so that a look-up is one array access.
//!
//! Variables, procedures and labels are three spaces of names. The tables for what is local
//! to a procedure are never cleared: an entry counts only if it bears the stamp of the
//! procedure that is looked at.

use crate::names::{Name, Names};
use crate::program::VariableId;

/// An entry that has been made in no procedure so far.
const NEVER: u32 = 0;

#[derive(Clone, Copy)]
struct Stamped {
    stamp: u32,
    value: u32,
}

const UNSTAMPED: Stamped = Stamped {
    stamp: NEVER,
    value: 0,
};

/// A table from names to numbers that is emptied in no time.
pub struct Table {
    entries: Vec<Stamped>,
    stamp: u32,
}

impl Table {
    pub fn new(names: &Names) -> Self {
        Table {
            entries: vec![UNSTAMPED; names.len()],
            stamp: NEVER + 1,
        }
    }

    /// Forgets all entries. A source of 4 GiB has fewer statements than there are stamps.
    #[inline]
    pub fn clear(&mut self) {
        self.stamp += 1;
    }

    #[inline]
    pub fn get(&self, name: Name) -> Option<u32> {
        let entry = self.entries[name.index()];
        (entry.stamp == self.stamp).then_some(entry.value)
    }

    /// Enters `value` unless the name has one already, which is returned.
    #[inline]
    pub fn insert(&mut self, name: Name, value: u32) -> Result<(), u32> {
        let entry = &mut self.entries[name.index()];
        if entry.stamp == self.stamp {
            return Err(entry.value);
        }
        *entry = Stamped {
            stamp: self.stamp,
            value,
        };
        Ok(())
    }
}

pub struct Scope {
    pub globals: Table,
    pub procedures: Table,
    /// Of the procedure that is looked at.
    pub locals: Table,
    pub labels: Table,
    /// The targets of the assignment that is looked at.
    pub targets: Table,
}

impl Scope {
    pub fn new(names: &Names) -> Self {
        Scope {
            globals: Table::new(names),
            procedures: Table::new(names),
            locals: Table::new(names),
            labels: Table::new(names),
            targets: Table::new(names),
        }
    }

    /// A local hides a global of the same name.
    #[inline]
    pub fn variable(&self, name: Name) -> Option<VariableId> {
        match self.locals.get(name) {
            Some(index) => Some(VariableId::Local(index)),
            None => self.globals.get(name).map(VariableId::Global),
        }
    }
}
