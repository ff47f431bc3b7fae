//! Formulas as people write them: text, tokens, trees, and back to text.

pub(crate) mod error;
pub(crate) mod formula;
pub(crate) mod lexer;
pub(crate) mod parser;
pub(crate) mod precedence;
pub(crate) mod print;
pub(crate) mod proposition;
