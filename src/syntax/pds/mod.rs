//! The text of a symbolic pushdown system as a syntax tree, with all that is wrong in it.
//!
//! [`parse`] never fails: it returns the tree of what could be read, and a diagnostic for
//! each mistake. It takes linear time and no stack, whatever the input.

mod expression;
mod lexicon;
mod parser;
mod recovery;
pub mod tree;

pub use expression::{NOT_PRECEDENCE, Pds, precedence};
pub use tree::Tree;

use super::Collector;
use crate::names::Names;
use crate::source::Source;
use crate::syntax::kit::Lexer;
use parser::Parser;
use tree::ExpressionId;

/// The syntax tree of a pushdown system, and what was wrong in the text.
pub fn parse(source: &Source) -> (Tree, Collector) {
    let mut parser = Parser::of_source(source);
    parser.system();
    parser.finish()
}

/// A text that is one expression, as in a property, with names that are known already;
/// `None` if it is none.
pub fn parse_expression(source: &Source, names: Names) -> (Tree, Option<ExpressionId>, Collector) {
    let mut parser = Parser::new(Lexer::new(source.bytes()));
    parser.tree.names = names;
    let expression = parser.only_expression();
    let (tree, collector) = parser.finish();
    (tree, expression, collector)
}

#[cfg(test)]
mod tests;
