//! C11 with GNU's common extensions.
//!
//! [`preprocessor`] turns files into the tokens of translation units; nothing after it knows
//! of macros, comments or files. [`parse`] makes a [`tree`] of a unit.

mod constants;
mod lexer;
mod parser;
mod preprocessor;
pub mod token;
pub mod tree;

pub use parser::{parse, parse_declarations, parse_rule_body};
pub use preprocessor::{Options, Preprocessed, Unit, output_of, preprocess, preprocess_following};
pub use token::{Constant, Kind, Token, Vocabulary};

/// How wide the integers and pointers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    #[default]
    Lp64,
}

impl DataModel {
    /// As witnesses call it.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}
