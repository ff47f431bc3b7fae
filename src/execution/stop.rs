//! How an execution ends, and in which words that is said.

use crate::names::{Name, Names};
use crate::source::Span;
use crate::typing::c::tree::{self, FunctionId, Program};
use std::fmt;

/// How an execution ended, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// What happened.
    pub kind: EndKind,
    /// Where.
    pub span: Span,
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// The entry returned, or the program was ended by a call.
    Ended,
    /// Something failed that must not.
    Failed(Failure),
    /// An undefined step was to be taken.
    Undefined(Undefined),
    /// A place was reached that no execution gets past.
    Outside(Beyond),
    /// An assumption was false, or an overflow blocks.
    CutOff,
    /// The limit of frames or memory was reached.
    Exhausted,
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A condition that was asserted.
    Assertion,
    /// A call of this function, which means failure.
    Call(FunctionId),
    /// A signed computation has overflowed.
    Overflow,
    /// A rule is violated, for this reason.
    Rule(Option<Name>),
}

/// Why a step is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// By 0.
    DivisionByZero,
    /// Of the smallest number by -1.
    DivisionOverflow,
    /// By a negative or too large amount.
    Shift,
    /// Behind the end of an object or array.
    OutOfBounds,
    /// Through a null pointer.
    Null,
    /// Through a pointer to an object that is no more.
    Dangling,
    /// Through an uninitialised pointer.
    Uninitialised,
    /// To a place outside the array.
    Arithmetic,
    /// Of pointers to different objects.
    Difference,
    /// Twice, or of what was not allocated.
    Free,
    /// Of what is no function of that type.
    Call,
    /// `__builtin_unreachable`
    Unreachable,
    /// From a function that is declared not to.
    Return,
    /// Of 0: how many zeros it begins or ends with.
    ZeroBits,
    /// An array of no or too many elements.
    Length,
    /// Of objects that overlap.
    Overlap,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undefined::DivisionByZero => "division by zero",
            Undefined::DivisionOverflow => "division that overflows",
            Undefined::Shift => "shift by a negative or too large amount",
            Undefined::OutOfBounds => "access outside an object",
            Undefined::Null => "access through a null pointer",
            Undefined::Dangling => "access to an object that is no more",
            Undefined::Uninitialised => "access through an uninitialised pointer",
            Undefined::Arithmetic => "pointer arithmetic outside an array",
            Undefined::Difference => "difference of pointers to different objects",
            Undefined::Free => "`free` of what is not allocated",
            Undefined::Call => "call of what is no function of that type",
            Undefined::Unreachable => "`__builtin_unreachable`",
            Undefined::Return => "return from a function that is declared not to return",
            Undefined::ZeroBits => "leading or trailing zeros of 0",
            Undefined::Length => "array of a length that is not positive",
            Undefined::Overlap => "copy between objects that overlap",
        })
    }
}

/// Why a place is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The typed tree says so.
    Tree(tree::Outside),
    /// Memory is accessed as another type than it has.
    OtherType,
    /// An integer other than 0 is made a pointer.
    ToPointer,
    /// The address of an object or function is made an integer.
    FromPointer,
    /// Access or arithmetic through a pointer of any value.
    Stranger,
    /// A function of C's library that writes through its arguments or calls them.
    Library(FunctionId),
    /// A function without body, where these are refused.
    Refused(FunctionId),
    /// An object whose size nobody says.
    Incomplete,
}

impl Beyond {
    /// What it is, in words.
    pub fn describe(self, program: &Program) -> String {
        let name = |id: FunctionId| name(program, id);
        match self {
            Beyond::Tree(outside) => outside.describe(&program.names),
            Beyond::OtherType => "memory accessed as another type".into(),
            Beyond::ToPointer => "an integer made a pointer".into(),
            Beyond::FromPointer => "an address made an integer".into(),
            Beyond::Stranger => "access through a pointer of any value".into(),
            Beyond::Library(id) => format!("the library function `{}`", name(id)),
            Beyond::Refused(id) => format!("`{}`, which has no body", name(id)),
            Beyond::Incomplete => "an object of unknown size".into(),
        }
    }
}

impl Failure {
    /// What it is, in words.
    pub fn describe(self, program: &Program) -> String {
        match self {
            Failure::Assertion => "assertion".into(),
            Failure::Call(id) => format!("call of `{}`", name(program, id)),
            Failure::Overflow => "signed overflow".into(),
            Failure::Rule(Some(text)) => program.names.text(text).to_owned(),
            Failure::Rule(None) => "the rule is violated".into(),
        }
    }
}

fn name(program: &Program, id: FunctionId) -> &str {
    let names: &Names = &program.names;
    names.text(program.functions[id.0 as usize].name)
}

/// What an instruction cannot do; where, the machine knows.
pub type Step<T> = Result<T, EndKind>;

impl From<Undefined> for EndKind {
    fn from(undefined: Undefined) -> Self {
        EndKind::Undefined(undefined)
    }
}

impl From<Beyond> for EndKind {
    fn from(beyond: Beyond) -> Self {
        EndKind::Outside(beyond)
    }
}
