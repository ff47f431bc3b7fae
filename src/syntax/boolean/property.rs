//! The expressions in properties: `{ g & p.x }`.
//!
//! They are the expressions of programs, without choice, over globals and over locals that
//! name their procedure.

use super::lexicon::TokenKind;
use super::parser::Parser;
use super::tree::{Identifier, Tree};
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use crate::syntax::kit::tree::Expressions;
use crate::syntax::kit::{Lexer, Parsed};

/// A name in a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyName<'a> {
    /// The procedure before the dot.
    pub procedure: Option<&'a str>,
    pub name: &'a str,
}

impl<'a> PropertyName<'a> {
    /// Splits a name of a property's expression at its dot. A plain name has none, and what
    /// stands in braces is left whole.
    pub fn of(text: &'a str) -> Self {
        let mut in_braces = false;
        let dot = text.bytes().position(|byte| {
            in_braces = (in_braces || byte == b'{') && byte != b'}';
            byte == b'.' && !in_braces
        });
        match dot {
            Some(dot) => PropertyName {
                procedure: Some(&text[..dot]),
                name: &text[dot + 1..],
            },
            None => PropertyName {
                procedure: None,
                name: text,
            },
        }
    }
}

/// The expression at `span` in postfix form, and what is wrong with it. The names of its
/// [`super::tree::Node::Read`]s, in the tree's names, are to be split by [`PropertyName::of`]. If there is
/// an error, there are no nodes.
pub fn parse_property(source: &Source, span: Span) -> (Tree, Vec<Diagnostic>) {
    let mut parser = Parser::new(Lexer::within(source.bytes(), span));
    parser.state.in_property = true;
    if parser.expression().is_ok() && !parser.at_end() {
        parser.unexpected("an operator, or the end of the expression");
    }
    if parser.collector.has_errors() {
        parser.tree.expressions = Expressions::default();
    }
    let (tree, collector) = parser.finish();
    (tree, collector.finish())
}

impl Parser<'_> {
    /// A variable in an expression; in a property it may name its procedure.
    #[inline]
    pub fn variable(&mut self) -> Parsed<Identifier> {
        let identifier = self.take_name();
        if self.state.in_property && self.take(TokenKind::Dot) {
            let local = self.identifier("a variable after the `.`")?;
            let names = &mut self.tree.names;
            let qualified = format!("{}.{}", names.text(identifier.name), names.text(local.name));
            return Ok(Identifier {
                name: names.intern(&qualified),
                start: identifier.start,
            });
        }
        Ok(identifier)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Node;
    use super::*;

    fn parse(text: &str) -> (Tree, Vec<Diagnostic>) {
        let source = Source::new("--ltl", text.into());
        let span = Span::new(0, text.len() as u32);
        parse_property(&source, span)
    }

    fn reads(tree: &Tree) -> Vec<(Option<&str>, &str)> {
        let names = tree.expressions.nodes.iter().filter_map(|node| match node {
            Node::Read(identifier) => Some(PropertyName::of(tree.names.text(identifier.name))),
            _ => None,
        });
        names.map(|name| (name.procedure, name.name)).collect()
    }

    #[test]
    fn names_may_name_their_procedure() {
        let (tree, diagnostics) = parse("g & !p.x | {a.b} = p.{x.y}");
        assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
        assert_eq!(
            reads(&tree),
            [
                (None, "g"),
                (Some("p"), "x"),
                (None, "{a.b}"),
                (Some("p"), "{x.y}")
            ]
        );
    }

    #[test]
    fn no_choice_and_nothing_behind() {
        for text in ["*", "a & ?", "a b", "a; b", "", "'a", "a &", "p.", "f(a)"] {
            let (tree, diagnostics) = parse(text);
            let errors = diagnostics.iter().filter(|d| d.is_error()).count();
            assert_eq!(errors, 1, "{text}: {diagnostics:?}");
            assert!(tree.expressions.nodes.is_empty());
        }
    }
}
