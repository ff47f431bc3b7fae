//! Conditions in postfix form, about what has happened and about values.

use crate::program::{Action, Expression, Operation, PointId, VariableId};

pub fn assume(condition: Expression, next: PointId) -> Action {
    Action::Assume { condition, next }
}

/// "So many events have happened": before a step, or after it.
pub fn counts(progress: VariableId, number: usize, after: bool) -> Vec<Operation> {
    let read = match after {
        true => Operation::ReadNext(progress),
        false => Operation::Read(progress),
    };
    vec![
        read,
        Operation::Number(number as u64),
        Operation::NumbersEqual,
    ]
}

/// "And these variables have these values", to be put behind a condition.
pub fn conditions<'v>(
    values: impl Iterator<Item = (&'v Option<bool>, u32)>,
    variable: fn(u32) -> VariableId,
    read: fn(VariableId) -> Operation,
) -> Vec<Operation> {
    let known = values.filter_map(|(value, i)| Some(((*value)?, i)));
    let operations = known.flat_map(|(value, i)| {
        let not = (!value).then_some(Operation::Not);
        let read = std::iter::once(read(variable(i)));
        read.chain(not).chain([Operation::And])
    });
    operations.collect()
}
