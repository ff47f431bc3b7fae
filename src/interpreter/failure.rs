//! Why a step leads to *error*.

use super::values::Missing;
use crate::program::{Expression, ProcedureId, VariableId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whose variables are spoken of; for a result that does not fit, the caller.
    pub procedure: ProcedureId,
    pub reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Assertion,
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
