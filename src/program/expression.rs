//! Expressions in postfix form.
//!
//! An expression is a range of operations in one array, operands before their operator.
//! Whoever evaluates one, over values or over BDDs, runs a small stack machine: no
//! recursion, so that nothing a user nests can overflow our own stack.

use super::VariableId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Constant(bool),
    /// The value of a variable before the step.
    Read(VariableId),
    /// The value of a variable after the step; only in a `constrain`.
    ReadNext(VariableId),
    /// Either value, chosen anew at each evaluation.
    Choose,
    Not,
    And,
    Or,
    Xor,
    Equal,
    Implies,
    /// `c a b`: `a` if `c`, otherwise `b`.
    IfThenElse,
    /// `a b`: 1 if `a`; otherwise 0 if `b`; otherwise either value.
    Schoose,
}

/// A range of operations in [`Expressions`]. Invariant: running them leaves exactly one
/// value on an empty stack and never takes a value that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    start: u32,
    end: u32,
}

#[derive(Debug, Default)]
pub struct Expressions(Vec<Operation>);

impl Expressions {
    pub fn with_capacity(operations: usize) -> Self {
        Expressions(Vec::with_capacity(operations))
    }

    pub fn operations(&self, expression: Expression) -> &[Operation] {
        &self.0[expression.start as usize..expression.end as usize]
    }

    /// Adds an expression given in postfix form.
    pub fn add(&mut self, operations: impl IntoIterator<Item = Operation>) -> Expression {
        let start = self.0.len() as u32;
        self.0.extend(operations);
        Expression {
            start,
            end: self.0.len() as u32,
        }
    }

    /// The variables read before the step, with repetitions.
    pub fn reads(&self, expression: Expression) -> impl Iterator<Item = VariableId> {
        self.operations(expression)
            .iter()
            .filter_map(|operation| match operation {
                Operation::Read(variable) => Some(*variable),
                _ => None,
            })
    }

    /// The variables whose values after the step are read, with repetitions.
    pub fn reads_next(&self, expression: Expression) -> impl Iterator<Item = VariableId> {
        self.operations(expression)
            .iter()
            .filter_map(|operation| match operation {
                Operation::ReadNext(variable) => Some(*variable),
                _ => None,
            })
    }
}
