//! The text of a boolean program as a syntax tree, with all that is wrong in it.

mod block;
mod dialect;
mod lexicon;
mod parser;
mod print;
mod procedure;
pub mod property;
mod recovery;
mod statement;
pub mod threads;
pub mod tree;

pub use tree::Tree;

use super::Collector;
use crate::source::Source;
use parser::Parser;

/// The syntax tree of a boolean program, with all diagnostics so far.
pub fn parse(source: &Source) -> (Tree, Collector) {
    let mut parser = Parser::of_source(source);
    parser.program();
    parser.finish()
}
