//! What a front end has to say of its language: its tokens, its tree, and what is its own in
//! expressions and messages. All else that the parsers share is written over [`Language`].

use super::lexicon::Lexicon;
use super::operators::{Infix, Open, Step};
use super::parser::Parser;
use super::tree::ExpressionId;
use crate::source::Span;
use std::fmt;

/// Something could not be read, and the user has been told.
#[derive(Debug)]
pub struct Reported;

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text cannot be read, as its diagnostics say")
    }
}

impl std::error::Error for Reported {}

pub type Parsed<T> = Result<T, Reported>;

/// What is a language's own.
pub trait Language: Sized + 'static {
    type Kind: Lexicon;
    /// What its tree has besides what all have.
    type Parts: Default;
    /// What its parser remembers besides.
    type State: Default;
    /// An operation of an expression in postfix form.
    type Node: Copy;
    type Operator: Copy + Eq;
    /// What an expression may open besides a parenthesis.
    type Bracket: Copy;

    /// The binary operators.
    const OPERATORS: &'static [Infix<Self>];
    /// The `?` and the `:` of conditionals, and their node.
    const CONDITIONAL: Option<(Self::Kind, Self::Kind, Self::Node)> = None;
    /// How many characters of a token messages show.
    const LONGEST_SHOWN: usize = 60;

    /// The node of an operator at a place.
    fn binary(operator: Self::Operator, span: Span) -> Self::Node;

    /// Reads an operand, or what may stand before one. False if an operand must still follow.
    fn operand(parser: &mut Parser<'_, Self>) -> Parsed<bool>;

    /// Whether the operator is allowed at the end of the operand that has been read.
    #[inline]
    fn allows(_parser: &Parser<'_, Self>, _operator: Self::Operator) -> bool {
        true
    }

    /// The token after an operand is no operator, and does not close what is `open`.
    fn close(parser: &mut Parser<'_, Self>, open: Open<Self::Bracket>) -> Parsed<Step>;

    /// Looks at the token after an operand that is no operator.
    #[inline]
    fn end_operand(_parser: &mut Parser<'_, Self>) -> Parsed<()> {
        Ok(())
    }

    /// Looks at an expression that has been read.
    #[inline]
    fn end_expression(_parser: &mut Parser<'_, Self>, _expression: ExpressionId, _span: Span) {}

    /// A last change to an operator's node before it is put out.
    #[inline]
    fn finish(_parser: &Parser<'_, Self>, node: Self::Node) -> Self::Node {
        node
    }

    /// Makes the token a name, if it opens one.
    #[inline]
    fn open_name(_parser: &mut Parser<'_, Self>) -> Parsed<()> {
        Ok(())
    }

    /// Reports that there is no name here.
    fn no_name(parser: &mut Parser<'_, Self>, expected: &str) -> Reported {
        parser.unexpected(expected)
    }

    /// What a user may have to know who wrote this where it cannot stand.
    fn hint(_kind: Self::Kind) -> Option<&'static str> {
        None
    }
}
