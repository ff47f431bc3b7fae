//! The syntax tree of a symbolic pushdown system, flat, in the order of the source.
//!
//! Expressions are in postfix form, with one exception: a quantifier stands before its body
//! and a [`NodeKind::Close`] behind it, because the body is walked once for each value.
//!
//! Invariants: every expression leaves exactly one value, and so does every body; each
//! [`NodeKind::Open`] has its [`NodeKind::Close`].

pub use crate::syntax::kit::tree::{ExpressionId, Identifier, List};

use crate::names::{Name, Names};
use crate::source::Span;
use crate::syntax::kit::tree::Expressions;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Equivalent,
    Xor,
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    ShiftLeft,
}

/// Which value of a variable is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primes {
    /// `x`: before the step.
    None,
    /// `x'`: after it.
    One,
    /// `x''`: in the frame below.
    Two,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A number; one that does not fit is reported and 0.
    Number(u64),
    /// A variable, a defined name, or a quantifier's.
    Name(Name, Primes),
    /// Takes the index.
    Element(Name, Primes),
    Not,
    Binary(BinaryOperator),
    /// `A i (low, high)`, or with `E`; an index into [`Tree::quantifiers`].
    Open(u32),
    /// The end of the body of the innermost open quantifier.
    Close,
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub kind: NodeKind,
    /// The operand, or the operator alone.
    pub span: Span,
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
    /// In [`Tree::declarations`].
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

#[derive(Debug, Default)]
pub struct Tree {
    pub names: Names,
    pub defines: Vec<Define>,
    pub declarations: Vec<Declaration>,
    /// Those of the globals.
    pub globals: List,
    pub groups: Vec<Group>,
    pub start: Option<Start>,
    pub atoms: Vec<Atoms>,
    pub rules: Vec<Rule>,
    pub identifiers: Vec<Identifier>,
    pub expressions: Expressions<Node>,
    pub quantifiers: Vec<Quantifier>,
    /// Something could not be read, so that what is missing may have been there.
    pub incomplete: bool,
}

impl Tree {
    pub fn span(&self, identifier: Identifier) -> Span {
        identifier.span(&self.names)
    }

    pub fn text(&self, identifier: Identifier) -> &str {
        self.names.text(identifier.name)
    }

    pub fn nodes_of(&self, expression: ExpressionId) -> &[Node] {
        self.expressions.nodes(expression)
    }

    /// The smallest span that covers an expression's nodes.
    pub fn span_of(&self, expression: ExpressionId) -> Span {
        let spans = self.nodes_of(expression).iter().map(|node| node.span);
        spans.reduce(Span::to).unwrap_or_default()
    }
}
