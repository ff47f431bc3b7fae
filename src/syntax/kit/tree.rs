//! What the syntax trees of all languages are made of.
//!
//! Trees are flat: a few arrays in the order of the source, in which nothing points to anything.
//! Expressions stand in postfix form in one array, so that nothing is walked or dropped by
//! recursion.

use crate::names::{Name, Names};
use crate::source::Span;
use std::ops::{Deref, DerefMut};

/// The tree of a text: what every language has, and what is its own in `parts`.
#[derive(Debug)]
pub struct Tree<N, P> {
    pub names: Names,
    pub expressions: Expressions<N>,
    /// The names of lists of names.
    pub identifiers: Vec<Identifier>,
    /// Something outside could not be read, so that what is missing may have been there.
    pub incomplete: bool,
    parts: P,
}

impl<N, P: Default> Default for Tree<N, P> {
    fn default() -> Self {
        Tree {
            names: Names::default(),
            expressions: Expressions::default(),
            identifiers: Vec::new(),
            incomplete: false,
            parts: P::default(),
        }
    }
}

impl<N, P> Deref for Tree<N, P> {
    type Target = P;

    #[inline]
    fn deref(&self) -> &P {
        &self.parts
    }
}

impl<N, P> DerefMut for Tree<N, P> {
    #[inline]
    fn deref_mut(&mut self) -> &mut P {
        &mut self.parts
    }
}

impl<N: Copy, P> Tree<N, P> {
    pub fn span(&self, identifier: Identifier) -> Span {
        identifier.span(&self.names)
    }

    pub fn text(&self, identifier: Identifier) -> &str {
        self.names.text(identifier.name)
    }

    /// The name for a message, shortened if it is very long.
    pub fn shown(&self, name: Name) -> String {
        shorten(self.names.text(name))
    }

    pub fn nodes(&self, expression: ExpressionId) -> &[N] {
        self.expressions.nodes(expression)
    }
}

/// A name at a place. Its text is as long as its span, so the span's end is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identifier {
    pub name: Name,
    pub start: u32,
}

impl Identifier {
    pub fn span(self, names: &Names) -> Span {
        let length = names.text(self.name).len() as u32;
        Span::new(self.start, self.start + length)
    }
}

/// A range of one of the tree's arrays: which one, the field says that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The first index.
    pub start: u32,
    /// The index after the last.
    pub end: u32,
}

impl List {
    /// The part of an array from `start` on.
    pub fn since<T>(start: usize, array: &[T]) -> Self {
        List {
            start: start as u32,
            end: array.len() as u32,
        }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The indices, as the array takes them.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A label of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    pub identifier: Identifier,
    /// Which control point of its procedure it stands at, counted from 0.
    pub point: u32,
}

/// What could not be read: the names it may have declared are not missed as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// A part of the header.
    pub header: bool,
    /// The header, or a declaration.
    pub variables: bool,
    /// Something that had a label in it.
    pub labels: bool,
}

/// One step of an expression with numbers, in postfix form, and the word it comes from. `V` is
/// how a variable is named, `Q` how a quantifier is.
#[derive(Clone, Copy, Debug)]
pub struct Node<V, Q> {
    pub kind: NodeKind<V, Q>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind<V, Q> {
    /// One that does not fit is reported and 0.
    Number(u64),
    Truth(bool),
    /// The values of its indices stand before it.
    Read(V),
    Not,
    Binary(BinaryOperator),
    /// The condition stands after it, up to the end of the quantifier.
    Quantify(Q),
    EndQuantify {
        /// The condition is a `==` or `!=` without parentheses around it.
        bare_comparison: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// Between truth values only.
    Equivalent,
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// An index into [`Expressions::ends`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpressionId(pub u32);

/// Expressions in postfix form.
#[derive(Debug)]
pub struct Expressions<N> {
    pub nodes: Vec<N>,
    /// Where the nodes of each end; they begin where those of the one before end.
    pub ends: Vec<u32>,
}

impl<N> Default for Expressions<N> {
    fn default() -> Self {
        Expressions {
            nodes: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<N: Copy> Expressions<N> {
    #[inline]
    pub fn push(&mut self, nodes: &[N]) -> ExpressionId {
        self.nodes.extend_from_slice(nodes);
        self.ends.push(self.nodes.len() as u32);
        ExpressionId(self.ends.len() as u32 - 1)
    }

    #[inline]
    pub fn nodes(&self, expression: ExpressionId) -> &[N] {
        let index = expression.0 as usize;
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1] as usize,
        };
        &self.nodes[start..self.ends[index] as usize]
    }
}

/// The text, or as many characters of it as are shown in a message.
pub fn shorten(text: &str) -> String {
    shorten_to(text, 60)
}

pub fn shorten_to(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
