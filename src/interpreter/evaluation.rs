//! The stack machine that runs an expression over whatever is known of the variables.

use super::values::Values;
use crate::program::{Moment, Operation, OperationKind, VariableId};

/// Something that expressions can be evaluated over. `at` is the place of the operation in
/// its expression.
pub trait Algebra: Copy {
    fn truth(values: Values) -> Self;
    fn number(number: u64) -> Self;
    fn unary(self, operation: Operation, at: u32) -> Self;
    /// An operation on two truth values.
    fn connect(self, operation: Operation, other: Self) -> Self;
    /// An operation on two numbers, a comparison perhaps.
    fn calculate(self, operation: Operation, other: Self, at: u32) -> Self;
    fn if_then_else(self, yes: Self, no: Self) -> Self;
    /// The element that this index names.
    fn element(self, count: u32, at: u32, element: impl Fn(u32) -> Self) -> Self;
}

/// Runs postfix operations. `read` gives what is known of a cell.
pub fn evaluate<A: Algebra>(operations: &[Operation], read: impl Fn(VariableId, Moment) -> A) -> A {
    let mut stack: Vec<A> = Vec::with_capacity(8);
    for (operation, at) in operations.iter().zip(0..) {
        let value = match *operation {
            Operation::Constant(value) => A::truth(Values::only(value)),
            Operation::Number(number) => A::number(number),
            Operation::Choose => A::truth(Values::ANY),
            Operation::Read(variable) => read(variable, Moment::Before),
            Operation::ReadNext(variable) => read(variable, Moment::After),
            Operation::ReadBelow(variable) => read(variable, Moment::Below),
            Operation::ReadElement { first, count, when } => {
                pop(&mut stack).element(count, at, |k| read(first.plus(k), when))
            }
            Operation::IfThenElse => {
                let (no, yes, condition) = (pop(&mut stack), pop(&mut stack), pop(&mut stack));
                condition.if_then_else(yes, no)
            }
            other if other.operands() == 1 => pop(&mut stack).unary(other, at),
            other => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                match other.kind() {
                    OperationKind::Connective => a.connect(other, b),
                    _ => a.calculate(other, b, at),
                }
            }
        };
        stack.push(value);
    }
    pop(&mut stack)
}

/// An expression never takes a value that is not there ([`crate::program::Expression`]).
fn pop<A>(stack: &mut Vec<A>) -> A {
    stack.pop().expect("expressions are well-formed postfix")
}
