//! The text of a program as a syntax tree, with all that is wrong in it.
//!
//! One module for each language, with its words, its grammar and its tree, over one [`kit`].
//! A parser never fails: it returns the tree of what could be read, and a diagnostic for each
//! mistake. It takes linear time and no stack, whatever the input. The trees know nothing of
//! what names mean: that is `lower`'s.

pub mod boolean;
pub mod c;
pub mod kit;
pub mod pds;
pub mod remopla;
pub mod slic;

pub use kit::Collector;
