//! Terms mean what the interpreter says expressions mean.

use super::translate::translate;
use super::*;
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::value_of;
use crate::interpreter::values::{Possible, Values};
use crate::program::{Overflow, VariableId};

/// Operations on two numbers.
pub const BINARY: [Operation; 19] = [
    Operation::Add,
    Operation::Subtract,
    Operation::Multiply,
    Operation::MultiplyModulo { bits: 3 },
    Operation::Divide,
    Operation::Remainder,
    Operation::BitAnd,
    Operation::BitOr,
    Operation::BitXor,
    Operation::ShiftLeft,
    Operation::ShiftLeftOrFar,
    Operation::ShiftLeftModulo { bits: 4 },
    Operation::ShiftRight,
    Operation::ArithmeticShiftRight,
    Operation::Less,
    Operation::LessEqual,
    Operation::NumbersEqual,
    Operation::Wrap {
        bits: 2,
        signed: true,
    },
    Operation::Wrap {
        bits: 2,
        signed: false,
    },
];

/// `a` or `-a`, then `b` or `-b`, then the operation.
pub fn expression(operation: Operation, negated: [bool; 2]) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (index, negated) in (0..).zip(negated) {
        let read = Operation::Read(VariableId::Global(index));
        match negated {
            true => operations.extend([Operation::Number(0), read, Operation::Subtract]),
            false => operations.push(read),
        }
    }
    match operation {
        Operation::Wrap { .. } => operations.extend([Operation::Subtract, operation]),
        _ => operations.push(operation),
    }
    operations
}

pub fn all_expressions() -> impl Iterator<Item = Vec<Operation>> {
    let signs = [[false, false], [true, false], [false, true], [true, true]];
    BINARY
        .into_iter()
        .flat_map(move |operation| signs.map(|negated| expression(operation, negated)))
}

/// What the interpreter says.
pub fn meaning(operations: &[Operation], values: [u64; 2]) -> Option<i128> {
    let domain = Domain::Integer { bits: 3 };
    let read = |variable, _| match variable {
        VariableId::Global(index) => value_of(domain, values[index as usize]),
        VariableId::Local(_) => Possible::Truth(Values::ANY),
    };
    match evaluate(operations, read) {
        Possible::Number(number) => Some(number),
        Possible::Truth(values) => Some(values.contains(true).into()),
        Possible::Nothing(_) => None,
    }
}

#[test]
fn operators_are_those_of_the_interpreter() {
    for operations in all_expressions() {
        let mut terms = Terms::default();
        let sort = Sort::of(Domain::Integer { bits: 3 });
        let variables = [terms.unknown(sort), terms.unknown(sort)];
        let value = translate(
            &mut terms,
            &operations,
            &mut |_, variable, _| match variable {
                VariableId::Global(index) => variables[index as usize],
                VariableId::Local(_) => Term::FALSE,
            },
        );
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let assignment = [(Unknown(0), i128::from(a)), (Unknown(1), i128::from(b))];
            let assignment = Assignment(assignment.into_iter().collect());
            let found = terms.evaluate(&[value.term, value.defined], &assignment);
            let found_value = (found[1] == 1).then_some(found[0]);
            assert_eq!(
                found_value,
                meaning(&operations, [a, b]),
                "{operations:?} {a} {b}"
            );
            let interval = terms.interval(value.term);
            assert!(interval.low <= found[0] && found[0] <= interval.high);
        }
    }
}

#[test]
fn values_are_made_to_fit_as_the_interpreter_does() {
    use crate::interpreter::assignment::fit;
    let domains = [
        Domain::Boolean,
        Domain::Integer { bits: 2 },
        Domain::Enumeration { id: 0, size: 3 },
    ];
    for overflow in [Overflow::Error, Overflow::Wrap, Overflow::Block] {
        for domain in domains {
            let mut terms = Terms::default();
            let interval = Interval { low: -9, high: 9 };
            let value = terms.unknown(Sort::Number(interval));
            let (fitted, fits) = terms.fit(overflow, value, domain);
            for number in -9..=9 {
                let assignment = Assignment([(Unknown(0), number)].into_iter().collect());
                let found = terms.evaluate(&[fitted, fits], &assignment);
                let expected = fit(overflow, number, domain).map(i128::from);
                assert_eq!((found[1] == 1).then_some(found[0]), expected, "{number}");
            }
        }
    }
}

#[test]
fn replacing_a_variable_is_evaluating_with_its_value() {
    for operations in all_expressions() {
        let mut terms = Terms::default();
        let sort = Sort::of(Domain::Integer { bits: 3 });
        let variables = [terms.unknown(sort), terms.unknown(sort)];
        let read = &mut |_: &mut Terms, variable, _| match variable {
            VariableId::Global(index) => variables[index as usize],
            VariableId::Local(_) => Term::FALSE,
        };
        let value = translate(&mut terms, &operations, read);
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let (x, y) = (terms.number(a), terms.number(b));
            let replacement = [(Unknown(0), x), (Unknown(1), y)].into_iter().collect();
            let new = terms.substitute(&[value.term, value.defined], &replacement);
            let assignment = Assignment([(Unknown(0), a), (Unknown(1), b)].into_iter().collect());
            let expected = terms.evaluate(&[value.term, value.defined], &assignment);
            let found: Vec<_> = new
                .iter()
                .filter_map(|term| terms.constant(*term))
                .collect();
            assert_eq!(found, expected, "{operations:?} {a} {b}");
        }
    }
}
