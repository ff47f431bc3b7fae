//! derny
pub mod analysis;
pub mod bdd;
pub mod bits;
pub mod diagnostic;
pub mod lower;
pub mod names;
pub mod program;
pub mod report;
pub mod source;
pub mod syntax;
