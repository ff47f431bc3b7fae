//! The concrete meaning of programs, step by step, with the real stack.
//!
//! Shares no code with the symbolic engine: it says which steps exist ([`step`]), whether a
//! [trace](crate::trace) is an execution ([`replay`]), and is what the explicit engine walks over.
//! What several threads do together is in [`threads`].

pub mod assignment;
mod call;
pub mod evaluation;
pub mod replay;
pub mod step;
#[cfg(test)]
mod tests;
pub mod threads;
pub mod values;

use crate::program::{Domain, Expression, PointId, ProcedureId, Program};
use crate::trace::Step;
pub use crate::trace::Valuation;
use evaluation::evaluate;
use values::{Possible, Values};

/// What can be seen of a configuration without looking below the top frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Where control is.
    pub at: PointId,
    /// The values of the globals and of the top frame's locals.
    pub valuation: Valuation,
    /// The values fixed by a `return`; only at an exit point.
    pub returns: Option<Box<[u64]>>,
}

impl View {
    /// The view of a step that is at a point.
    pub fn of(step: &Step) -> Option<View> {
        Some(View {
            at: PointId(step.at()?),
            valuation: step.valuation.clone(),
            returns: step.returns.clone(),
        })
    }
}

/// A frame that waits at its call for the one above it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
    /// The call.
    pub at: PointId,
    /// As the assignments that came with the call have left them.
    pub locals: Box<[u64]>,
}

/// The value of a cell, for an expression.
pub fn value_of(domain: Domain, value: u64) -> Possible {
    match domain {
        Domain::Boolean => Possible::Truth(Values::only(value != 0)),
        Domain::Integer { .. } | Domain::Enumeration { .. } => Possible::Number(value.into()),
    }
}

/// What an expression of `procedure` may come out as in a valuation.
pub fn values_of(
    program: &Program,
    procedure: ProcedureId,
    expression: Expression,
    valuation: &Valuation,
) -> Possible {
    let operations = program.expressions.operations(expression);
    evaluate(operations, |variable, _| {
        let domain = program.cell(procedure, variable).domain;
        value_of(domain, valuation.get(variable))
    })
}

/// Whether a step may be taken from (or a return made into) this state of a procedure.
pub fn enforce_allows(program: &Program, procedure: ProcedureId, valuation: &Valuation) -> bool {
    match program.procedure(procedure).enforce {
        Some(enforce) => values_of(program, procedure, enforce, valuation).may_be(true),
        None => true,
    }
}
