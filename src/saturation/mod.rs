//! Saturation of P-automata: all configurations reachable from, or leading to, a set.
//!
//! Knows rules and BDDs, and nothing of programs. Both directions work with differences:
//! only what is new on an edge is looked at again.

mod post_star;
mod pre_star;
mod shortcuts;
mod stacks;

pub use post_star::{Increment, PostStar, Summary, Target as PostTarget};
pub use pre_star::{PreStar, Target as PreTarget};
pub use shortcuts::{Link, Looked, LoopShortcuts, RecursionShortcuts};
pub use stacks::{StackEdge, StackState, Stacks};

use crate::bdd::{Bdds, OutOfNodes};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why a computation stopped without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    OutOfNodes,
    /// Somebody else asked for it: a time limit, a memory limit, or Ctrl-C.
    Cancelled,
}

impl From<OutOfNodes> for Stop {
    fn from(_: OutOfNodes) -> Self {
        Stop::OutOfNodes
    }
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
    fn see(&self, waiting: usize, bdds: &Bdds) {
        self.worklist.store(waiting as u64, Ordering::Relaxed);
        let nodes = bdds.total_nodes() as u64;
        self.nodes.store(nodes, Ordering::Relaxed);
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
