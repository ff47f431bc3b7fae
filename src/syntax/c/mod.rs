//! C11 with GNU's common extensions.
//!
//! [`preprocessor`] turns files into the tokens of translation units; nothing after it knows
//! of macros, comments or files.

pub mod preprocessor;
pub mod token;

pub use preprocessor::{Options, Preprocessed, Unit};
pub use token::{Constant, Kind, Token, Vocabulary};

/// The widths of integers and pointers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    /// `int`, `long` and pointers of 32 bits.
    Ilp32,
    /// `int` of 32 bits, `long` and pointers of 64.
    #[default]
    Lp64,
}
