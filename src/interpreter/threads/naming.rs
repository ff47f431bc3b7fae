//! The numbers and names of threads.
//!
//! Threads are numbered in the order in which they come to be, declared ones first, from 1 on; 0 is
//! the one that runs before the others. The first thread of a procedure has its name, the n-th
//! one `name#n`; thread 0 does not count. Linear.

use crate::names::Name;
use crate::program::{NewThread, ProcedureId, Program};
use crate::trace::Thread;
use rustc_hash::FxHashMap;

/// What a thread began as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub procedure: ProcedureId,
    /// Of the procedure, or of the label that it began at.
    pub name: Name,
}

impl Origin {
    pub fn of_procedure(program: &Program, procedure: ProcedureId) -> Self {
        Origin {
            procedure,
            name: program.procedure(procedure).name,
        }
    }

    /// Of a thread that is created.
    pub fn of_creation(program: &Program, thread: &NewThread) -> Self {
        match thread {
            NewThread::Call { callee, .. } => Origin::of_procedure(program, *callee),
            NewThread::Copy { at, label } => Origin {
                procedure: program.point(*at).procedure,
                name: *label,
            },
        }
    }
}

/// All threads, given by number from 0 on. There is no thread 0 unless one runs before the others.
pub fn name_threads(program: &Program, origins: impl Iterator<Item = Origin>) -> Vec<Thread> {
    let threads = program.threads.as_ref();
    let has_first = threads.is_some_and(|threads| threads.init.is_some());
    let mut counts: FxHashMap<Name, u64> = FxHashMap::default();
    let numbered = (0..).zip(origins).skip(usize::from(!has_first));
    let name = |(id, origin): (u32, Origin)| {
        let text = program.names.text(origin.name);
        let count = counts.entry(origin.name).or_default();
        *count += u64::from(id > 0);
        Thread {
            id,
            name: match *count {
                0 | 1 => text.to_owned(),
                n => format!("{text}#{n}"),
            },
            procedure: origin.procedure,
        }
    };
    numbered.map(name).collect()
}
