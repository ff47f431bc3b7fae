//! Why a step leads to *error*.

use crate::program::{Expression, ProcedureId, VariableId};
use std::error::Error;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whose variables are spoken of; for a result that does not fit, the caller.
    pub procedure: ProcedureId,
    pub reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Assertion,
    /// In words: of a C program, which has reasons of its own.
    Stated(String),
    /// An expression has no value.
    NoValue {
        expression: Expression,
        /// The first cell and the number of cells of the array, if it is an index into one
        /// that is assigned to.
        target: Option<(VariableId, u32)>,
        missing: Missing,
    },
    /// A number does not fit where it goes.
    Misfit {
        number: i128,
        /// `None` for what a call returned.
        expression: Option<Expression>,
        place: Place,
    },
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Variable(VariableId),
    Parameter(ProcedureId, u32),
    /// What the procedure itself returns.
    Returned(u32),
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The place of the operation to blame, among those of the expression.
    pub at: u32,
    pub cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An index, counted from 0, with no element.
    Outside {
        index: i128,
        count: u32,
    },
    DivisionByZero,
    /// An operand of a bitwise operation or a shift.
    Negative(i128),
    /// A shift beyond [`SHIFT_LIMIT`](crate::program::SHIFT_LIMIT).
    TooLarge,
    /// A number of a procedure that is not on top.
    NotThere,
}

/// Without the names of the program, which `report::failure` adds.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Assertion => f.write_str("the assertion fails"),
            Reason::Stated(what) => f.write_str(what),
            Reason::NoValue { missing, .. } => missing.fmt(f),
            Reason::Misfit { number, .. } => write!(f, "the value {number} does not fit"),
        }
    }
}

impl Error for Failure {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl Error for Missing {}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Outside { index, count } => {
                write!(f, "place {index} of an array of {count}, counted from 0,")
            }
            Cause::DivisionByZero => f.write_str("division by 0"),
            Cause::Negative(number) => write!(f, "bits of a negative number, {number},"),
            Cause::TooLarge => f.write_str("a shift beyond 2^64"),
            Cause::NotThere => f.write_str("a variable of another procedure"),
        }
    }
}

impl Error for Cause {}
