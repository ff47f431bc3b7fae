//! The syntax tree of a symbolic pushdown system, flat, in the order of the source.
//!
//! Expressions are in postfix form, with one exception: a quantifier stands before its body
//! and its end behind it, because the body is walked once for each value.
//!
//! Invariants: every expression leaves exactly one value, and so does every body; each
//! [`NodeKind::Quantify`] has its [`NodeKind::EndQuantify`].

pub use crate::syntax::kit::tree::{BinaryOperator, ExpressionId, Identifier, List};

use crate::names::Name;
use crate::program::Moment;
use crate::source::Span;
use crate::syntax::kit;

pub type Tree = kit::tree::Tree<Node, Parts>;

/// A quantifier is an index into [`Parts::quantifiers`].
pub type Node = kit::tree::Node<Reference, u32>;
pub type NodeKind = kit::tree::NodeKind<Reference, u32>;

/// A variable, a defined name, or a quantifier's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    pub name: Name,
    /// Which value is meant: `x`, `x'` or `x''`.
    pub when: Moment,
    /// Whether an index stands behind it.
    pub is_element: bool,
}

impl Moment {
    /// As it is written behind a name.
    pub fn primes(self) -> &'static str {
        ["", "'", "''"][self as usize]
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Quantifier {
    pub for_all: bool,
    pub variable: Identifier,
    pub low: ExpressionId,
    pub high: ExpressionId,
}

#[derive(Clone, Copy, Debug)]
pub struct Define {
    pub identifier: Identifier,
    pub value: ExpressionId,
}

#[derive(Clone, Copy, Debug)]
pub enum Dimension {
    None,
    /// `[n]`.
    Length(ExpressionId),
    /// `[low, high]`.
    Range(ExpressionId, ExpressionId),
}

/// One declared variable.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    pub identifier: Identifier,
    pub dimension: Dimension,
    /// How many bits an integer has; `None` for a boolean.
    pub bits: Option<ExpressionId>,
}

/// Local variables, and the symbols that carry them.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// In [`Tree::identifiers`].
    pub symbols: List,
    /// In [`Parts::declarations`].
    pub declarations: List,
}

#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub state: Identifier,
    pub state_condition: Option<ExpressionId>,
    pub symbol: Identifier,
    pub symbol_condition: Option<ExpressionId>,
    /// Where the two conditions stand, parentheses included; empty if they do not.
    pub conditions: [Span; 2],
}

#[derive(Clone, Copy, Debug)]
pub struct Atoms {
    pub symbol: Identifier,
    /// In [`Tree::identifiers`].
    pub names: List,
}

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// From the first state to the last token.
    pub span: Span,
    pub state: Identifier,
    pub symbol: Identifier,
    pub to: Identifier,
    /// The symbols on the right; the second only if there is a first.
    pub right: [Option<Identifier>; 2],
    /// What stands between the quotes.
    pub text: Option<Span>,
    pub relation: Option<ExpressionId>,
}

/// Besides the symbols of groups and the names after `atoms` in [`Tree::identifiers`].
#[derive(Debug, Default)]
pub struct Parts {
    pub defines: Vec<Define>,
    pub declarations: Vec<Declaration>,
    /// Those of the globals.
    pub globals: List,
    pub groups: Vec<Group>,
    pub start: Option<Start>,
    pub atoms: Vec<Atoms>,
    pub rules: Vec<Rule>,
    pub quantifiers: Vec<Quantifier>,
}

impl Tree {
    /// The smallest span that covers an expression's nodes.
    pub fn span_of(&self, expression: ExpressionId) -> Span {
        let spans = self.nodes(expression).iter().map(|node| node.span);
        spans.reduce(Span::to).unwrap_or_default()
    }
}
