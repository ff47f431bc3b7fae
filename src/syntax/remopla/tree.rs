//! The syntax tree of a Remopla program, flat.
//!
//! As for boolean programs nothing points to anything: a few arrays, in the order of the
//! source. A compound statement is a bracket around its branches (`If` `Branch` …
//! `Branch` … `EndIf`), and expressions are in postfix form, so that nothing here is walked or
//! dropped by recursion.
//!
//! Invariants: brackets match; an `If` or `Do` is followed by a `Branch`, and each branch, and
//! each body, has at least one point (an [`StatementKind::ImplicitSkip`] or
//! [`StatementKind::Unreadable`] if the user wrote none); every expression leaves exactly one
//! value; the expression of a target ends in the [`NodeKind::Read`] of its place.

pub use crate::syntax::kit::tree::{
    BinaryOperator, ExpressionId, Identifier, Label, List, Lost, shorten,
};

use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit;

pub type Tree = kit::tree::Tree<Node, Parts>;

/// A variable is a place in [`Parts::places`]. The bounds of a quantifier stand before it.
pub type Node = kit::tree::Node<u32, Quantifier>;
pub type NodeKind = kit::tree::NodeKind<u32, Quantifier>;

/// `A i` or `E i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantifier {
    pub all: bool,
    pub variable: Name,
}

/// A variable, an entry of an array, or a field: `a[i][j].f[k]`. In a property its procedure
/// may stand before it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// In [`Parts::parts`]: what stands between the dots, at least one.
    pub parts: List,
    pub span: Span,
}

/// A name of a place and the number of its indices.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub identifier: Identifier,
    pub indices: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Define {
    pub identifier: Identifier,
    pub value: ExpressionId,
}

#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    pub identifier: Option<Identifier>,
    /// In [`Tree::identifiers`].
    pub names: List,
}

#[derive(Clone, Copy, Debug)]
pub struct Struct {
    pub identifier: Option<Identifier>,
    /// In [`Parts::fields`].
    pub fields: List,
}

/// An enumeration or a struct, by its name or by where it is declared in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    Named(Identifier),
    Declared(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    Void,
    Bool,
    Int,
    Enum(TypeName),
    Struct(TypeName),
    /// It could not be read, and that has been reported.
    Unreadable,
}

/// `[n]` or `[lo, hi]`.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// The smallest index, if it is given.
    pub low: Option<ExpressionId>,
    /// The largest index if the smallest is given, otherwise how many there are.
    pub high: ExpressionId,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Type {
    pub base: BaseType,
    /// In [`Parts::dimensions`], at most two.
    pub dimensions: List,
    pub bits: Option<ExpressionId>,
    pub span: Span,
}

/// A global, a field, a parameter or a local variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub identifier: Identifier,
    pub of: Type,
}

/// `A NAME (low, high)` before an assignment.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub variable: Name,
    pub low: ExpressionId,
    pub high: ExpressionId,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    /// In [`Parts::ranges`], the outermost first.
    pub ranges: List,
    pub target: ExpressionId,
    /// Nothing for `undef`.
    pub value: Option<ExpressionId>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    /// As [`crate::program::Point::span`] wants it; of a branch: its guard.
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum StatementKind {
    /// The assignments, here and below, are in [`Parts::assignments`].
    Assign {
        assignments: List,
    },
    Call {
        target: Option<ExpressionId>,
        callee: Identifier,
        /// In [`Tree::expressions`].
        arguments: List,
        assignments: List,
    },
    Skip {
        condition: Option<ExpressionId>,
    },
    Goto {
        label: Identifier,
        assignments: List,
    },
    Break,
    Return {
        value: Option<ExpressionId>,
    },
    Assert(ExpressionId),
    Assume(ExpressionId),
    /// Stands for an empty body; its span is the brace that closes it.
    ImplicitSkip,
    /// What was written here could not be read, and that has been reported.
    Unreadable,

    If,
    Do,
    /// Closes the branch before it, opens another. Without a condition: `else`.
    Branch {
        condition: Option<ExpressionId>,
    },
    EndIf,
    /// The point of its `do`, counted from 0 in the module.
    EndDo {
        head: u32,
    },
}

/// The header of a module: its type, name and parameters.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub identifier: Identifier,
    pub returns: Type,
    /// In [`Parts::locals`].
    pub parameters: List,
    /// A part of it could not be read.
    pub lost: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Module {
    pub header: Header,
    /// In [`Parts::locals`]: the parameters first, then the other variables.
    pub locals: List,
    /// In [`Parts::statements`].
    pub statements: List,
    /// In [`Parts::labels`].
    pub labels: List,
    /// How many of the statements are control points.
    pub points: u32,
    /// The `}` of the body.
    pub close: Span,
    pub lost: Lost,
}

/// Besides the names of enumerations in [`Tree::identifiers`].
#[derive(Debug, Default)]
pub struct Parts {
    pub defines: Vec<Define>,
    pub enumerations: Vec<Enumeration>,
    pub structs: Vec<Struct>,
    pub globals: Vec<Variable>,
    pub forwards: Vec<Header>,
    /// After `init`.
    pub init: Option<Identifier>,
    pub modules: Vec<Module>,

    pub fields: Vec<Variable>,
    pub locals: Vec<Variable>,
    pub dimensions: Vec<Dimension>,
    pub statements: Vec<Statement>,
    pub labels: Vec<Label>,
    pub assignments: Vec<Assignment>,
    pub ranges: Vec<Range>,
    pub places: Vec<Place>,
    pub parts: Vec<Part>,
    /// Where each expression stands.
    pub expression_spans: Vec<Span>,
    /// A declaration outside of modules could not be read, or what may have been one.
    pub lost_globals: bool,
}

impl Parts {
    pub fn expression_span(&self, expression: ExpressionId) -> Span {
        self.expression_spans[expression.0 as usize]
    }

    pub fn parts(&self, place: Place) -> &[Part] {
        &self.parts[place.parts.indices()]
    }
}
