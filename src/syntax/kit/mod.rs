//! What the front ends of all languages are made of.

mod collector;
pub mod recent;

pub use collector::Collector;
