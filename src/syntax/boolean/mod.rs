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
use super::kit::Lexicon;
use crate::source::Source;
use lexicon::TokenKind;
use parser::Parser;
use std::borrow::Cow;

/// The syntax tree of a boolean program, with all diagnostics so far.
pub fn parse(source: &Source) -> (Tree, Collector) {
    let mut parser = Parser::of_source(source);
    parser.program();
    parser.finish()
}

/// A name of another language as an identifier: in braces, unless it can stand for itself.
pub fn identifier(name: &str) -> Cow<'_, str> {
    let begins = |c: char| c.is_ascii_alphabetic() || TokenKind::NAME_BEGIN.contains(c);
    let goes_on = |c: char| begins(c) || c.is_ascii_digit();
    let is_word = name.starts_with(begins) && name.chars().all(goes_on);
    let is_keyword = TokenKind::KEYWORDS.iter().any(|(_, word)| *word == name);
    let is_name = is_word && !is_keyword && TokenKind::of_word(name.as_bytes()) == TokenKind::NAME;
    match is_name && !threads::has_meaning(name) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("{{{name}}}")),
    }
}
