//! What sets of configurations need to know of the language of a system: names on the one
//! side, symbolic meaning on the other.
//!
//! A stack symbol is known by its [`Head`], the one it has on top. A frame that waits may be
//! of another head once it is uncovered: a call goes on behind itself.

use crate::program::{self, Domain};
use crate::property::{Atom, PropertyError};
use crate::rules::{DataVariable, Head, Subject};
use crate::source::Span;
use std::ops::Range;

/// Frames with the same variables: in a program, those of one procedure; in a pushdown
/// system, those whose symbols carry the same locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameKind(pub u32);

/// Frames that hand over the same values, and that the same symbols may wait for: in a
/// program, those of one procedure; in a pushdown system, all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Family(pub u32);

/// The symbols that one place of an expression stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolSet {
    All,
    /// All symbols of a frame.
    Of(FrameKind),
    /// In rising order.
    These(Vec<Head>),
}

/// A symbol that may wait below others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub symbol: Head,
    /// Whose frame it is.
    pub kind: FrameKind,
    /// For which frames it waits.
    pub above: Family,
}

/// What a name before the stack means.
#[derive(Clone, Debug)]
pub enum Control {
    /// The system has failed, and whatever was on the stack is gone.
    Error,
    /// The lowest frame was popped.
    Terminated,
    /// A condition on the values that belong to no frame; the stack may be empty.
    State(Atom),
}

/// The names of a system, and what is wrong with those that it does not have.
pub trait Language {
    /// Whose names these are.
    fn subject(&self) -> Subject<'_>;

    /// The configurations in which executions begin, as a set is written.
    fn start(&self) -> String;

    /// The symbols of this name.
    fn symbols(&self, name: &str) -> Result<SymbolSet, PropertyError>;

    /// What a name before the stack means.
    fn control(&self, name: &str) -> Result<Control, PropertyError>;

    /// A condition, in braces, on frames with these symbols (`None`: there is no frame).
    /// `on_top`: they are nowhere but on top. What is wrong is told with its place.
    fn condition(
        &self,
        symbols: Option<&SymbolSet>,
        on_top: bool,
        text: &str,
    ) -> Result<Atom, (Span, PropertyError)>;

    /// Whether a set may hold configurations with an empty stack, written as a stack that
    /// can be empty.
    fn may_be_empty(&self) -> Result<(), PropertyError>;

    /// Whether some of these symbols may wait, or why none may.
    fn may_wait(&self, symbols: &SymbolSet) -> Result<(), PropertyError>;

    /// Why none of `above` can be right above any of `below`.
    fn never_above(&self, above: &SymbolSet, below: &SymbolSet) -> String;

    /// A symbol as it is reported.
    fn show_symbol(&self, symbol: Head) -> SymbolText;
}

/// A symbol as people and scripts see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolText {
    /// As it is written in a set of configurations.
    pub name: String,
    /// The procedure; empty where there are none.
    pub procedure: String,
    pub line: u32,
    pub column: u32,
    pub labels: Vec<String>,
}

/// A variable, or one scalar part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// The least significant bit first.
    pub bits: Range<DataVariable>,
    pub domain: Domain,
    /// For an enumeration, its names.
    pub values: Vec<String>,
}

/// How conditions are put together in a language, blanks included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    pub and: &'static str,
    pub or: &'static str,
    /// Between numbers, and between truth values.
    pub equal: &'static str,
    pub truth_equal: &'static str,
    /// Whether the latter binds less tightly than the others.
    pub is_truth_equal_loose: bool,
}

impl Notation {
    pub fn of(subject: Subject<'_>) -> Self {
        match subject {
            Subject::System(_) => Notation::PUSHDOWN,
            Subject::Program(program) => match program.language {
                program::Language::BooleanProgram => Notation::PLAIN,
                program::Language::Remopla | program::Language::C => Notation::DOUBLED,
            },
        }
    }

    pub const PLAIN: Notation = Notation {
        and: " & ",
        or: " | ",
        equal: " = ",
        truth_equal: " = ",
        is_truth_equal_loose: false,
    };
    pub const DOUBLED: Notation = Notation {
        and: " && ",
        or: " || ",
        equal: " == ",
        truth_equal: " == ",
        is_truth_equal_loose: false,
    };
    pub const PUSHDOWN: Notation = Notation {
        truth_equal: " == ",
        is_truth_equal_loose: true,
        ..Notation::PLAIN
    };
}

impl SymbolSet {
    pub fn contains(&self, symbol: Head, kind: FrameKind) -> bool {
        match self {
            SymbolSet::All => true,
            SymbolSet::Of(wanted) => *wanted == kind,
            SymbolSet::These(symbols) => symbols.binary_search(&symbol).is_ok(),
        }
    }
}
