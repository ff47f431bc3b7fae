//! Programs, as far as sets of their configurations are concerned.

mod model;
mod names;

pub use model::{ProgramModel, with_program_model};
pub use names::ProgramNames;
