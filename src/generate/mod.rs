//! Benchmark programs, for any size.

pub mod level;
pub mod quicksort;
pub mod random;
