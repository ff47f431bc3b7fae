//! The text of a Remopla program as a syntax tree, with all that is wrong in it.
//!
//! As for boolean programs: [`parse`] never fails, takes linear time and no stack, and the
//! tree knows nothing of what names mean.

mod block;
mod declaration;
mod lexicon;
mod module;
mod parser;
mod recovery;
mod statement;
pub mod tree;

pub use tree::Tree;

use super::Collector;
use crate::source::Source;
use crate::syntax::kit::Lexer;
use lexicon::TokenKind;
use parser::Parser;
use tree::ExpressionId;

/// The syntax tree of a Remopla program, with all diagnostics so far.
pub fn parse(source: &Source) -> (Tree, Collector) {
    let mut parser = Parser::of_source(source);
    parser.program();
    parser.finish()
}

/// The condition of a property, which is all there is in `source`; none if it has a mistake.
pub fn parse_condition(source: &Source) -> (Tree, Option<ExpressionId>, Collector) {
    let mut parser = Parser::new(Lexer::new(source.bytes()));
    let condition = parser.expression();
    if condition.is_ok() && !parser.at_end() {
        match parser.token.kind {
            TokenKind::Assign => {
                parser.unexpected_with_hint("an operator", "`==` compares, here too")
            }
            _ => parser.unexpected("an operator, or the end of the condition"),
        };
    }
    let (tree, collector) = parser.finish();
    let condition = condition.ok().filter(|_| !collector.has_errors());
    (tree, condition, collector)
}
