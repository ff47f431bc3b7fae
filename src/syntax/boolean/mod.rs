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
pub mod tree;

pub use tree::Tree;

use super::Collector;
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::syntax::kit::Lexer;
use parser::Parser;

/// The syntax tree of a boolean program, and all diagnostics in the order of the source.
pub fn parse(source: &Source) -> (Tree, Vec<Diagnostic>) {
    let (tree, collector) = parse_collecting(source);
    (tree, collector.finish())
}

/// As [`parse`], for who has more to report.
pub fn parse_collecting(source: &Source) -> (Tree, Collector) {
    let mut parser = Parser::new(Lexer::new(source.bytes()));
    parser.program();
    parser.finish()
}
