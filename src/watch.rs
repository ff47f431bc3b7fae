//! The cancellation token of a check, with its progress: one side computes and asks
//! [`Watch::check`] in every loop that may run long, the other reads counters and cancels.
//! All of it is atomics, so that asking costs a load.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why a computation stopped without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    OutOfNodes,
    /// Somebody else asked for it: a time limit, a memory limit, or Ctrl-C.
    Cancelled,
}

/// What a running computation shares with whoever watches it.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: AtomicBool,
    /// How many edges wait to be looked at.
    pub worklist: AtomicU64,
    /// BDD nodes in the table, now and then.
    pub nodes: AtomicU64,
}

impl Watch {
    /// Notes how far a saturation has come.
    pub fn see(&self, waiting: usize, nodes: usize) {
        self.worklist.store(waiting as u64, Ordering::Relaxed);
        self.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// To be asked in every loop that may run long.
    pub fn check(&self) -> Result<(), Stop> {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(Stop::Cancelled),
            false => Ok(()),
        }
    }
}
