//! Saturation of P-automata: all configurations reachable from, or leading to, a set.
//!
//! Knows rules and BDDs, and nothing of programs. Both directions work with differences:
//! only what is new on an edge is looked at again.

mod edges;
mod post_star;
mod pre_star;
mod shortcuts;
mod stacks;

pub use edges::Edges;
pub use post_star::{EntrySummaries, Increment, PostStar, Target as PostTarget};
pub use pre_star::{PreStar, Target as PreTarget};
pub use shortcuts::{EdgeView, Link, LoopShortcuts, RecursionShortcuts};
pub use stacks::{StackEdge, StackState, Stacks};
