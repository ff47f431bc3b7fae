//! What the syntax trees of all languages are made of.
//!
//! Trees are flat: a few arrays in the order of the source, in which nothing points to anything.
//! Expressions stand in postfix form in one array, so that nothing is walked or dropped by
//! recursion.

use crate::names::{Name, Names};
use crate::source::Span;

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
    pub start: u32,
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

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

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
