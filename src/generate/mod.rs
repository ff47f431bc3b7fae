//! Benchmark programs, for any size.

pub mod bluetooth;
pub mod level;
pub mod quicksort;
pub mod random;
