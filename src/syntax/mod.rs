//! The text of a boolean program as a syntax tree, with all that is wrong in it.
//!
//! [`parse`] never fails: it returns the tree of what could be read, and a diagnostic for
//! each mistake. It takes linear time and no stack, whatever the input. The tree knows
//! nothing of what names mean: that is `lower`'s.

mod block;
mod collector;
mod dialect;
mod expression;
mod lexer;
mod parser;
pub mod pds;
mod print;
mod procedure;
pub mod property;
mod recent;
mod recovery;
pub mod remopla;
mod statement;
pub mod token;
pub mod tree;

pub use collector::Collector;
pub use tree::Tree;

use crate::diagnostic::Diagnostic;
use crate::source::Source;
use lexer::Lexer;
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
    (parser.tree, parser.collector)
}
