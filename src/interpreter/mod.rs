//! The concrete meaning of programs, step by step, with the real stack.
//!
//! Shares no code with the symbolic engine: it says which steps exist ([`step`]), whether a
//! [trace](crate::trace) is an execution ([`replay`]), and is what the explicit engine walks over.

mod assignment;
mod call;
pub mod evaluation;
pub mod failure;
pub mod replay;
pub mod step;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod values;

use crate::program::{Domain, Expression, PointId, ProcedureId, Program, VariableId};
use evaluation::evaluate;
use std::sync::Arc;
use values::{Possible, Values};

/// The values of the globals and of the top frame's parameters and locals, cell by cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Valuation {
    /// Globals first, then locals. Most steps change nothing, so that many share them.
    values: Arc<[u64]>,
    globals: u32,
}

impl Valuation {
    pub fn new(globals: &[u64], locals: &[u64]) -> Self {
        Valuation {
            values: globals.iter().chain(locals).copied().collect(),
            globals: globals.len() as u32,
        }
    }

    pub fn globals(&self) -> &[u64] {
        &self.values[..self.globals as usize]
    }

    pub fn locals(&self) -> &[u64] {
        &self.values[self.globals as usize..]
    }

    pub fn get(&self, variable: VariableId) -> u64 {
        self.values[self.index(variable)]
    }

    /// `None` for a local where there is no frame.
    pub fn find(&self, variable: VariableId) -> Option<u64> {
        self.values.get(self.index(variable)).copied()
    }

    pub fn set(&mut self, variable: VariableId, value: u64) {
        let index = self.index(variable);
        Arc::make_mut(&mut self.values)[index] = value;
    }

    fn index(&self, variable: VariableId) -> usize {
        match variable {
            VariableId::Global(index) => index as usize,
            VariableId::Local(index) => (self.globals + index) as usize,
        }
    }
}

/// What can be seen of a configuration without looking below the top frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    pub at: PointId,
    pub valuation: Valuation,
    /// The values fixed by a `return`; only at an exit point.
    pub returns: Option<Box<[u64]>>,
}

/// A frame that waits at its call for the one above it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
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
