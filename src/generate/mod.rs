//! Benchmark programs, for any size.

pub mod level;
pub mod random;
