//! The value of a condition where all variables are known, by a plain stack machine.

use crate::program::{Domain, FAR, Operation, SHIFT_LIMIT, VariableId, When};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Truth(bool),
    Number(i128),
}

impl Value {
    /// What a cell of this domain holds.
    pub fn of(domain: Domain, bits: u64) -> Self {
        match domain {
            Domain::Boolean => Value::Truth(bits != 0),
            _ => Value::Number(bits.into()),
        }
    }

    fn truth(self) -> bool {
        match self {
            Value::Truth(value) => value,
            Value::Number(value) => value != 0,
        }
    }

    fn number(self) -> i128 {
        match self {
            Value::Truth(value) => value.into(),
            Value::Number(value) => value,
        }
    }
}

/// Whether a condition has a value and is true.
pub fn holds(operations: &[Operation], read: impl Fn(VariableId, When) -> Option<Value>) -> bool {
    evaluate(operations, read).is_some_and(Value::truth)
}

/// Runs the postfix operations; `None` where there is no value.
pub fn evaluate(
    operations: &[Operation],
    read: impl Fn(VariableId, When) -> Option<Value>,
) -> Option<Value> {
    let mut stack: Vec<Option<Value>> = Vec::with_capacity(8);
    for operation in operations {
        let value = match operation {
            Operation::Constant(value) => Some(Value::Truth(*value)),
            Operation::Number(number) => Some(Value::Number((*number).into())),
            Operation::Read(variable) => read(*variable, When::Before),
            Operation::ReadNext(variable) => read(*variable, When::After),
            Operation::ReadBelow(variable) => read(*variable, When::Below),
            Operation::ReadElement { first, count, when } => {
                let index = pop(&mut stack).and_then(|index| within(index, *count));
                index.and_then(|index| read(first.plus(index), *when))
            }
            Operation::Index { count } => {
                let index = pop(&mut stack).and_then(|index| within(index, *count));
                index.map(|index| Value::Number(index.into()))
            }
            Operation::Not => pop(&mut stack).map(|a| Value::Truth(!a.truth())),
            Operation::ToTruth => pop(&mut stack).map(|a| Value::Truth(a.truth())),
            Operation::ToNumber => pop(&mut stack).map(|a| Value::Number(a.number())),
            Operation::FalseIfUndefined => Some(pop(&mut stack).unwrap_or(Value::Truth(false))),
            Operation::IfThenElse => {
                let (no, yes, condition) = (pop(&mut stack), pop(&mut stack), pop(&mut stack));
                condition.and_then(|condition| if condition.truth() { yes } else { no })
            }
            Operation::Choose | Operation::Schoose => {
                unreachable!("relations do not choose")
            }
            binary => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                a.and_then(|a| apply(*binary, a, b))
            }
        };
        stack.push(value);
    }
    pop(&mut stack)
}

/// An expression never takes a value that is not there ([`crate::program::Expression`]).
fn pop(stack: &mut Vec<Option<Value>>) -> Option<Value> {
    stack.pop().expect("expressions are well-formed postfix")
}

fn within(index: Value, count: u32) -> Option<u32> {
    let index = u32::try_from(index.number()).ok()?;
    (index < count).then_some(index)
}

/// A binary operation whose first operand has a value.
fn apply(operation: Operation, a: Value, b: Option<Value>) -> Option<Value> {
    // The second operand is not looked at where the first decides.
    match operation {
        Operation::And if !a.truth() => return Some(Value::Truth(false)),
        Operation::Or if a.truth() => return Some(Value::Truth(true)),
        Operation::Implies if !a.truth() => return Some(Value::Truth(true)),
        _ => {}
    }
    let b = b?;
    let truth = |value| Some(Value::Truth(value));
    match operation {
        Operation::And | Operation::Or | Operation::Implies => return truth(b.truth()),
        Operation::Xor => return truth(a.truth() != b.truth()),
        Operation::Equal => return truth(a.truth() == b.truth()),
        _ => {}
    }
    let (a, b) = (a.number(), b.number());
    let natural = a >= 0 && b >= 0;
    let number = match operation {
        Operation::Less => return truth(a < b),
        Operation::LessEqual => return truth(a <= b),
        Operation::NumbersEqual => return truth(a == b),
        Operation::Add => a.checked_add(b),
        Operation::Subtract => a.checked_sub(b),
        Operation::Multiply => a.checked_mul(b),
        Operation::Divide => a.checked_div(b),
        Operation::BitAnd => natural.then(|| a & b),
        Operation::BitOr => natural.then(|| a | b),
        Operation::BitXor => natural.then(|| a ^ b),
        Operation::ShiftLeft => natural.then(|| shift_left(a, b)).flatten(),
        Operation::ShiftLeftOrFar => natural.then(|| shift_left(a, b).unwrap_or(FAR)),
        Operation::ShiftRight => natural.then(|| u32::try_from(b).map_or(0, |b| shift_right(a, b))),
        other => unreachable!("{other:?} is no binary operation"),
    };
    number.map(Value::Number)
}

/// Of natural numbers; `None` if the result is above the limit.
pub fn shift_left(a: i128, b: i128) -> Option<i128> {
    if a == 0 {
        return Some(0);
    }
    let limit = SHIFT_LIMIT.ilog2();
    let b = u32::try_from(b).ok().filter(|b| *b <= limit)?;
    let result = a.checked_mul(1 << b)?;
    (result <= SHIFT_LIMIT).then_some(result)
}

fn shift_right(a: i128, b: u32) -> i128 {
    a.checked_shr(b).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::*;

    fn value(operations: &[Operation]) -> Option<Value> {
        evaluate(operations, |_, _| None)
    }

    #[test]
    fn numbers_are_exact() {
        let number = |n| Some(Value::Number(n));
        assert_eq!(value(&[Number(3), Number(5), Subtract]), number(-2));
        let large = [Number(u64::MAX), Number(1 << 60), Multiply];
        assert_eq!(value(&large), number(i128::from(u64::MAX) << 60));
        let rounded = [Number(0), Number(7), Subtract, Number(2), Divide];
        assert_eq!(value(&rounded), number(-3));
    }

    #[test]
    fn what_has_no_value_makes_a_condition_false() {
        let zero = [Number(1), Number(0), Divide];
        assert_eq!(value(&zero), None);
        assert_eq!(value(&[&zero[..], &[Number(1), LessEqual]].concat()), None);
        let comparison = [&zero[..], &[Number(1), LessEqual, FalseIfUndefined, Not]].concat();
        assert_eq!(value(&comparison), Some(Value::Truth(true)));
        assert_eq!(value(&[Number(0), Index { count: 0 }]), None);
    }

    #[test]
    fn a_far_shift_is_larger_than_everything() {
        let shift = |a, b| value(&[Number(a), Number(b), ShiftLeftOrFar]);
        assert_eq!(shift(1, 64), Some(Value::Number(1 << 64)));
        assert_eq!(shift(3, 63), Some(Value::Number(FAR)));
        assert_eq!(shift(1, u64::MAX), Some(Value::Number(FAR)));
        assert_eq!(shift(0, u64::MAX), Some(Value::Number(0)));
        assert_eq!(value(&[Number(1), Number(65), ShiftLeft]), None);
    }
}
