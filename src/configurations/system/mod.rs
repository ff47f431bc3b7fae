//! Pushdown systems that are given as such, as far as sets of their configurations are
//! concerned.

mod model;
mod names;

pub use model::{SystemModel, with_system_model};
pub use names::{SystemCondition, SystemNames};
