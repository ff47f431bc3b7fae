//! The parts of a conjunction, each to be a condition of its own. Linear, without recursion.

use crate::program::Operation;

/// The parts of a conjunction, each to be an expression of its own.
pub fn conjuncts(operations: &[Operation]) -> Vec<&[Operation]> {
    // Where the expression that ends with each operation begins.
    let mut begins: Vec<usize> = Vec::with_capacity(operations.len());
    let mut stack: Vec<usize> = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let mut begin = at;
        for _ in 0..operation.operands() {
            begin = stack.pop().unwrap_or(begin);
        }
        stack.push(begin);
        begins.push(begin);
    }
    let mut parts = Vec::new();
    let mut todo = vec![operations.len()];
    while let Some(end) = todo.pop() {
        match operations[..end].last() {
            None => {}
            Some(Operation::And) => {
                // The second operand ends before the `And`, the first one before that.
                todo.push(begins[end - 2]);
                todo.push(end - 1);
            }
            Some(Operation::Constant(true)) => {}
            Some(_) => parts.push(&operations[begins[end - 1]..end]),
        }
    }
    parts.reverse();
    parts
}
