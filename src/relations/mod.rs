//! Relations between the valuations of heads, as a means to do many steps at once.
//!
//! [`relation`] composes and closes them without frame conditions, [`head_graph`] has the
//! relation of each rule and the cycles of control, [`join`] makes products within a budget, [`elimination`] takes the nodes of a graph
//! of relations out one by one.

mod elimination;
mod head_graph;
mod join;
mod relation;
#[cfg(test)]
pub mod tests;

pub use elimination::{Elimination, Paths};
pub use head_graph::{
    Components, Summaries, enter, entering_paths, stay, staying_paths, steps_within,
};
pub use relation::{Growth, Relation, Relations, two_of};
