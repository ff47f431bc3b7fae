//! The static meaning of C: names, scopes, types, conversions, constants, initialisers.
//!
//! [`tree`] is what comes out, [`types`] has the types and their layout in memory.

pub mod tree;
pub mod types;
