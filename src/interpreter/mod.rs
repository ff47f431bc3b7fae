//! The concrete meaning of programs, step by step, with the real stack.
//!
//! Shares no code with the symbolic engine: it says which steps exist ([`step`]), whether a
//! trace is an execution ([`replay`]), and is what the explicit engine walks over.

pub mod replay;
pub mod step;
pub mod values;

use crate::program::{Expression, PointId, ProcedureId, Program, VariableId};
use values::{Values, evaluate};

/// The values of the globals and of the top frame's parameters and locals.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Valuation {
    /// Globals first, then locals.
    values: Box<[bool]>,
    globals: u32,
}

impl Valuation {
    pub fn new(globals: &[bool], locals: &[bool]) -> Self {
        Valuation {
            values: globals.iter().chain(locals).copied().collect(),
            globals: globals.len() as u32,
        }
    }

    pub fn globals(&self) -> &[bool] {
        &self.values[..self.globals as usize]
    }

    pub fn locals(&self) -> &[bool] {
        &self.values[self.globals as usize..]
    }

    pub fn get(&self, variable: VariableId) -> bool {
        self.values[self.index(variable)]
    }

    pub fn set(&mut self, variable: VariableId, value: bool) {
        let index = self.index(variable);
        self.values[index] = value;
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
    pub returns: Option<Box<[bool]>>,
}

/// The values an expression may take in a valuation.
pub fn values_of(program: &Program, expression: Expression, valuation: &Valuation) -> Values {
    let read = |variable| Values::only(valuation.get(variable));
    let operations = program.expressions.operations(expression);
    evaluate(operations, read, |_| Values::ANY)
}

/// Whether a step may be taken from (or a return made into) this state of a procedure.
pub fn enforce_allows(program: &Program, procedure: ProcedureId, valuation: &Valuation) -> bool {
    match program.procedure(procedure).enforce {
        Some(enforce) => values_of(program, enforce, valuation).contains(true),
        None => true,
    }
}
