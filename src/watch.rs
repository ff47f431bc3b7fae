//! The cancellation token of a check, with its progress: one side computes and asks
//! [`Watch::check`] in every loop that may run long, the other reads counters and cancels.
//! All of it is atomics, so that asking costs a load.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why a computation stopped without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There is no memory for more BDD nodes.
    OutOfNodes,
    /// Somebody else asked for it: a time limit, a memory limit, or Ctrl-C.
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::OutOfNodes => "out of memory",
            Stop::Cancelled => "interrupted",
        })
    }
}

impl Error for Stop {}

/// Why an attempt with a budget has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abort {
    /// The budget is spent: too many rounds, or too large a BDD. Another method may do better.
    OverBudget,
    Stop(Stop),
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Abort::OverBudget => f.write_str("over budget"),
            Abort::Stop(stop) => stop.fmt(f),
        }
    }
}

impl Error for Abort {}

impl From<Stop> for Abort {
    fn from(stop: Stop) -> Self {
        Abort::Stop(stop)
    }
}

/// For a method to which there is no alternative.
impl From<Abort> for Stop {
    fn from(abort: Abort) -> Self {
        match abort {
            Abort::OverBudget => Stop::OutOfNodes,
            Abort::Stop(stop) => stop,
        }
    }
}

/// `None` if the budget of an attempt was spent.
pub fn within_budget<T>(result: Result<T, Abort>) -> Result<Option<T>, Stop> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Abort::OverBudget) => Ok(None),
        Err(Abort::Stop(stop)) => Err(stop),
    }
}

/// Raised once, by whoever wants a computation to stop; a clone is the same flag.
#[derive(Clone, Debug, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    /// True if it was raised before.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a running computation shares with whoever watches it.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: Flag,
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

    /// Asks the computation to stop.
    pub fn cancel(&self) {
        self.cancelled.raise();
    }

    /// Raised when the computation is to stop.
    pub fn flag(&self) -> &Flag {
        &self.cancelled
    }

    /// To be asked in every loop that may run long.
    pub fn check(&self) -> Result<(), Stop> {
        match self.cancelled.is_raised() {
            true => Err(Stop::Cancelled),
            false => Ok(()),
        }
    }
}
