//! The values of terms.

use super::{Node, Term, Terms, Unknown};
use crate::program::{FAR, Operation, arithmetic_shift_right, shift_left, shift_left_modulo, wrap};
use rustc_hash::FxHashMap;

/// Values of variables; truth values are 0 and 1. What is not there is 0, or the nearest
/// number that the variable can have.
#[derive(Clone, Debug, Default)]
pub struct Assignment(pub FxHashMap<Unknown, i128>);

impl Terms {
    /// The value of each term, truth values as 0 and 1.
    pub fn evaluate(&self, roots: &[Term], assignment: &Assignment) -> Vec<i128> {
        let mut values: FxHashMap<Term, i128> = FxHashMap::default();
        for term in self.cone(roots.iter().copied()) {
            let of = |operand: Term| values[&operand];
            let value = match self.get(term) {
                Node::Truth(value) => value.into(),
                Node::Number(number) => number,
                Node::Unknown(unknown) => {
                    let interval = self.interval(term);
                    let nearest = 0.clamp(interval.low, interval.high);
                    assignment.0.get(&unknown).copied().unwrap_or(nearest)
                }
                Node::Not(a) => 1 - of(a),
                Node::And(a, b) => of(a) & of(b),
                Node::Different(a, b) => of(a) ^ of(b),
                Node::If(c, a, b) => match of(c) {
                    0 => of(b),
                    _ => of(a),
                },
                Node::Less(a, b) => (of(a) < of(b)).into(),
                Node::Same(a, b) => (of(a) == of(b)).into(),
                Node::ToNumber(a) => of(a),
                Node::Wrap {
                    bits,
                    signed,
                    of: number,
                } => wrap(of(number), bits, signed),
                Node::Calculate(operation, a, b) => calculate(operation, of(a), of(b)).unwrap_or(0),
            };
            values.insert(term, value);
        }
        roots.iter().map(|root| values[root]).collect()
    }

    /// Whether a truth value is true.
    pub fn holds(&self, term: Term, assignment: &Assignment) -> bool {
        self.evaluate(&[term], assignment)[0] != 0
    }
}

/// An operation of arithmetic on two numbers; nothing where it has no value.
pub fn calculate(operation: Operation, a: i128, b: i128) -> Option<i128> {
    let natural = a >= 0 && b >= 0;
    match operation {
        Operation::Add => Some(a + b),
        Operation::Subtract => Some(a - b),
        Operation::Multiply => a.checked_mul(b),
        Operation::MultiplyModulo { bits } => Some(wrap(a.wrapping_mul(b), bits, false)),
        Operation::Divide => a.checked_div(b),
        Operation::Remainder => a.checked_rem(b),
        Operation::ShiftLeftModulo { bits } => (b >= 0).then(|| shift_left_modulo(a, b, bits)),
        Operation::ArithmeticShiftRight => (b >= 0).then(|| arithmetic_shift_right(a, b)),
        _ if !natural => None,
        Operation::BitAnd => Some(a & b),
        Operation::BitOr => Some(a | b),
        Operation::BitXor => Some(a ^ b),
        Operation::ShiftLeft => shift_left(a, b),
        Operation::ShiftLeftOrFar => Some(shift_left(a, b).unwrap_or(FAR)),
        Operation::ShiftRight => {
            Some(u32::try_from(b).map_or(0, |by| a.checked_shr(by).unwrap_or(0)))
        }
        _ => None,
    }
}
