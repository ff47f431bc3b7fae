//! What the front ends of all languages are made of: words and lexer, the parser's state and
//! smallest steps, operators, pieces of trees, and the collector of what is wrong.

mod collector;
mod language;
pub mod lexer;
mod lexicon;
pub mod operators;
mod parser;
mod recent;
mod recovery;
mod scoped;
pub mod tree;

pub use collector::Collector;
pub use language::{Language, Parsed, Reported};
pub use lexer::{Lexer, Token};
pub(in crate::syntax) use lexicon::lexicon;
pub use lexicon::{Lexicon, Meaning, Tables};
pub use parser::Parser;
pub use scoped::Scoped;
