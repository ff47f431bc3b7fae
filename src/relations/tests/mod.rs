//! Relations and their elimination against sets of pairs of small numbers.

mod elimination;
pub mod pairs;
mod relation;
