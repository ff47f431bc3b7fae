//! The threads of a program.
//!
//! A thread is *exclusive* while no other one may run. As only the running thread can be, one
//! hidden global says so; what it was before each atomic block that is open is kept in hidden
//! locals, the last ones of a procedure.

use super::{Expression, PointId, ProcedureId, VariableId};
use crate::names::Name;

/// What a program with threads has besides what every program has.
#[derive(Clone, Debug)]
pub struct Threads {
    /// Runs first, alone, to its end: as thread 0.
    pub init: Option<ProcedureId>,
    /// The threads that are there from the start: 1, 2, … in this order.
    pub declared: Vec<ThreadStart>,
    /// The hidden global that is 1 while the running thread is exclusive.
    pub exclusive: u32,
    /// The globals of which each thread has its own, in rising order.
    pub own: Box<[u32]>,
}

impl Threads {
    /// What says whether the running thread is exclusive.
    pub fn exclusive(&self) -> VariableId {
        VariableId::Global(self.exclusive)
    }

    /// Whether each thread has its own copy of a global.
    pub fn is_own(&self, global: u32) -> bool {
        self.own.binary_search(&global).is_ok()
    }
}

/// How a declared thread begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStart {
    pub procedure: ProcedureId,
    /// The parameters; `None` for any value. The other locals have any values.
    pub arguments: Box<[Option<u64>]>,
}

/// A thread that a step creates.
#[derive(Clone, Debug)]
pub enum NewThread {
    /// It begins in a procedure, whose other locals have any values.
    Call {
        callee: ProcedureId,
        arguments: Box<[Expression]>,
    },
    /// It has one frame, at a point of the same procedure, with a copy of the locals.
    Copy {
        at: PointId,
        /// The label that was written, after which the thread is named: a point may have several.
        label: Name,
    },
}
