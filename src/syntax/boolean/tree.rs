//! The syntax tree of a boolean program, flat.
//!
//! Nothing here points to anything: the tree is a few arrays, in the order of the source.
//! Statements stand in one array, a compound statement as a bracket around its parts (`If`
//! … `Elsif` … `Else` … `EndIf`, `While` … `EndWhile`), so that a program nested ten million
//! deep is read, walked and dropped without recursion. Expressions are in postfix form, as
//! in [`crate::program`], but with names instead of variables.
//!
//! Invariants: brackets match; each sequence of statements has at least one point (an
//! [`StatementKind::ImplicitSkip`] if the user wrote none); every expression leaves exactly
//! one value.

pub use crate::syntax::kit::tree::{ExpressionId, Identifier, Label, List, Lost, shorten};

use crate::source::Span;
use crate::syntax::kit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Equivalent,
    Implies,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
}

/// One operation of an expression in postfix form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Constant(bool),
    Choose,
    Read(Identifier),
    /// `'x`; the place is that of the name.
    ReadNext(Identifier),
    Not,
    Binary(BinaryOperator),
    IfThenElse,
    Schoose,
}

#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    /// As [`crate::program::Point::span`] wants it; of a closing bracket: nothing.
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum StatementKind {
    Skip,
    Print {
        values: List,
    },
    /// The labels are in [`Tree::identifiers`].
    Goto {
        labels: List,
    },
    Return {
        values: List,
    },
    /// The targets are in [`Tree::identifiers`], `_` among them. With `constrained`, the
    /// expression after the last value is the constraint.
    Assign {
        targets: List,
        values: List,
        constrained: bool,
    },
    Call {
        callee: Identifier,
        targets: List,
        arguments: List,
    },
    Assert(ExpressionId),
    Assume(ExpressionId),
    /// The variables whose new values the expression reads get new values.
    Constrain(ExpressionId),
    Abortif(ExpressionId),
    Dead {
        variables: List,
    },
    StartThread {
        callee: Identifier,
        arguments: List,
    },
    /// `start_thread goto`.
    StartAt(Identifier),
    EndThread,
    AtomicBegin,
    AtomicEnd,
    /// Stands for an empty sequence; its span is the token that closes it.
    ImplicitSkip,
    /// What was written here could not be read, and that has been reported.
    Unreadable,

    If(ExpressionId),
    While(ExpressionId),
    /// Closes the sequence before it, opens another. Its span is that of the condition.
    Elsif(ExpressionId),
    Else,
    EndIf,
    /// The point of its `while`, counted from 0 in the procedure.
    EndWhile {
        head: u32,
    },
    /// Opens an atomic block: a control point, as its end is.
    Atomic,
    EndAtomic,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub identifier: Identifier,
    /// The number of return values that the header fixes, and where it does.
    pub returns: Option<(u32, Span)>,
    /// In [`Parts::locals`]: the parameters first, then the other variables.
    pub locals: List,
    pub parameters: u32,
    pub enforce: Option<ExpressionId>,
    /// In [`Parts::statements`].
    pub statements: List,
    /// In [`Parts::labels`].
    pub labels: List,
    /// How many of the statements are control points.
    pub points: u32,
    /// Whether there is an atomic block among them.
    pub atomic: bool,
    /// The `end` or `}` of the body.
    pub close: Span,
    pub lost: Lost,
}

pub type Tree = kit::tree::Tree<Node, Parts>;

/// Threads that are declared.
#[derive(Clone, Copy, Debug)]
pub struct ThreadStart {
    pub procedure: Identifier,
    pub arguments: List,
    pub count: u64,
    /// All of it.
    pub span: Span,
}

/// Besides targets of assignments, labels of gotos and variables of `dead` in
/// [`Tree::identifiers`].
#[derive(Debug, Default)]
pub struct Parts {
    pub globals: Vec<Identifier>,
    /// Which of the globals are `thread_local`, in rising order.
    pub own: Vec<u32>,
    pub threads: Vec<ThreadStart>,
    pub procedures: Vec<Procedure>,
    pub locals: Vec<Identifier>,
    pub statements: Vec<Statement>,
    pub labels: Vec<Label>,
    /// A declaration of globals could not be read, or what may have been one.
    pub lost_globals: bool,
    /// The word `thread` declares some, even if they could not all be read.
    pub declares_threads: bool,
    /// A declaration of threads could not be read.
    pub lost_threads: bool,
    /// There is a `start_thread`.
    pub starts_threads: bool,
    /// There is an `atomic_end`.
    pub ends_atomic: bool,
}
