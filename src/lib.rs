//! derny
pub mod diagnostic;
pub mod names;
pub mod program;
pub mod source;
