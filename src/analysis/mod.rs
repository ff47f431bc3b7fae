//! What is known about a program before any of its states is looked at.
//!
//! The results decide which variables the symbolic engine carries along, and in which
//! order it works. Leaving a variable out is sound because nothing that is asked later
//! can depend on it; each file says why.

mod call_graph;
mod control_flow;
mod liveness;
pub mod meetings;
mod mod_ref;
pub mod order;
pub mod pushdown;
mod variables;

pub use call_graph::CallGraph;
pub use control_flow::{mark_loop_heads, reachable_points, reverse_postorder};
pub use liveness::Liveness;
pub use mod_ref::ModRef;
pub use mod_ref::{for_each_read, for_each_write};
pub use variables::{DataVariable, Layout, Observed};
