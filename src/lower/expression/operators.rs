//! Operators: what they make of their operands.
//!
//! An operand that is known is used to leave operations out, where that changes neither the
//! value nor where there is none.

use super::{Comparands, Evaluator, GivenUp, Kind, Language, Mistake, Value};
use crate::program::{Interval, Operation};
use crate::source::Span;
use crate::syntax::kit::tree::BinaryOperator;

/// Moving more operations than this costs more than leaving one out saves.
const LONG: usize = 1000;

impl<L: Language> Evaluator<L> {
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        sign: Span,
        left: Value,
        right: Value,
        index: usize,
    ) {
        use BinaryOperator::*;
        let mut equal = |negated, of| self.equal(negated, of, sign, left, right, index);
        let (operation, negated) = match operator {
            Equivalent => return equal(false, Comparands::Truths),
            Equal => return equal(false, L::EQUALITY),
            NotEqual => return equal(true, L::EQUALITY),
            Or => return self.connect(Operation::Or, left, right),
            Xor => return self.connect(Operation::Xor, left, right),
            And => return self.connect(Operation::And, left, right),
            Less => (Operation::Less, false),
            LessEqual => (Operation::LessEqual, false),
            Greater => (Operation::LessEqual, true),
            GreaterEqual => (Operation::Less, true),
            BitOr => return self.calculate(Operation::BitOr, left, right),
            BitXor => return self.calculate(Operation::BitXor, left, right),
            BitAnd => return self.calculate(Operation::BitAnd, left, right),
            ShiftLeft => return self.calculate(L::SHIFT_LEFT, left, right),
            ShiftRight => return self.calculate(Operation::ShiftRight, left, right),
            Add => return self.calculate(Operation::Add, left, right),
            Subtract => return self.calculate(Operation::Subtract, left, right),
            Multiply => return self.calculate(Operation::Multiply, left, right),
            Divide => return self.calculate(Operation::Divide, left, right),
        };
        self.compare(operation, negated, left, right);
    }

    /// The kind of an operand that must be a truth value: of `user`, or of a quantifier.
    pub(super) fn truth(&mut self, value: Value, user: Option<Operation>) -> Kind {
        match value.kind {
            Kind::Truth(_) | Kind::Unknown => value.kind,
            Kind::Number(_) | Kind::Whole => {
                self.mistake(Mistake::NoCondition { value, user });
                Kind::Unknown
            }
        }
    }

    /// The interval of an operand that must be a number.
    fn number(&mut self, value: Value, operation: Operation, negated: bool) -> Option<Interval> {
        match value.kind {
            Kind::Number(interval) => Some(interval),
            Kind::Unknown => None,
            Kind::Truth(_) | Kind::Whole => {
                self.mistake(Mistake::NoNumber {
                    value,
                    operation,
                    negated,
                });
                None
            }
        }
    }

    pub(super) fn not(&mut self, word: Span) -> Result<(), GivenUp> {
        let operand = self.pop()?;
        let kind = match self.truth(operand, Some(Operation::Not)) {
            Kind::Truth(Some(value)) if !operand.may_fail => {
                self.operations.truncate(operand.operations);
                self.operations.push(Operation::Constant(!value));
                Kind::Truth(Some(!value))
            }
            other => {
                self.operations.push(Operation::Not);
                match other {
                    Kind::Truth(_) => Kind::Truth(None),
                    _ => Kind::Unknown,
                }
            }
        };
        let span = word.to(operand.span);
        self.stack.push(Value {
            kind,
            span,
            ..operand
        });
        Ok(())
    }

    /// `and`, `or` and exclusive `or`. The second operand of the first two does not count, not
    /// even if it has no value, where the first one decides.
    pub(super) fn connect(&mut self, operation: Operation, left: Value, right: Value) {
        let decides = match operation {
            Operation::And => Some(false),
            Operation::Or => Some(true),
            _ => None,
        };
        let user = Some(operation);
        let kinds = (self.truth(left, user), self.truth(right, user));
        let both = left.and(right);
        let (Kind::Truth(first), Kind::Truth(second)) = kinds else {
            self.operations.push(operation);
            return self.stack.push(both);
        };
        if decides.is_none() {
            self.operations.push(operation);
            let known = first.zip(second).map(|(a, b)| a != b);
            return self.push_truth(known, both);
        }
        // A known operand decides, or makes no difference.
        if let Some(first) = first.filter(|_| !left.may_fail) {
            if Some(first) == decides {
                self.operations.truncate(right.operations);
                return self.stack.push(both.with(Kind::Truth(Some(first)), false));
            }
            // Moving what is very long would cost more than it saves.
            match self.operations.len() - right.operations > LONG {
                true => self.operations.push(operation),
                false => drop(self.operations.drain(left.operations..right.operations)),
            }
            return self
                .stack
                .push(both.with(Kind::Truth(second), right.may_fail));
        }
        if let Some(second) = second.filter(|_| !right.may_fail) {
            if Some(second) != decides {
                self.operations.truncate(right.operations);
                return self
                    .stack
                    .push(both.with(Kind::Truth(first), left.may_fail));
            }
            if !left.may_fail {
                self.operations.drain(left.operations..right.operations);
                return self.stack.push(both.with(Kind::Truth(Some(second)), false));
            }
        }
        self.operations.push(operation);
        self.stack.push(both.with(Kind::Truth(None), both.may_fail));
    }

    /// Whether two truth values, or two numbers, are the same.
    fn equal(
        &mut self,
        negated: bool,
        of: Comparands,
        sign: Span,
        left: Value,
        right: Value,
        index: usize,
    ) {
        let both = left.and(right);
        let known = match (left.kind, right.kind) {
            (Kind::Truth(first), Kind::Truth(second)) if of != Comparands::Numbers => {
                self.truth_comparison = Some((index, right.term));
                self.operations.push(match negated {
                    true => Operation::Xor,
                    false => Operation::Equal,
                });
                first.zip(second).map(|(a, b)| (a == b) != negated)
            }
            (Kind::Number(a), Kind::Number(b)) if of != Comparands::Truths => {
                self.operations.push(Operation::NumbersEqual);
                if negated {
                    self.operations.push(Operation::Not);
                }
                let both = a.constant().zip(b.constant());
                both.map(|(a, b)| (a == b) != negated)
            }
            _ => {
                for (value, other) in [(left, right), (right, left)] {
                    self.mistake(Mistake::Incomparable {
                        value,
                        other,
                        sign,
                        negated,
                        of,
                    });
                }
                self.operations.push(Operation::Equal);
                return self.stack.push(both.with(Kind::Unknown, false));
            }
        };
        self.push_truth(known, both);
    }

    fn compare(&mut self, operation: Operation, negated: bool, left: Value, right: Value) {
        let both = left.and(right);
        let numbers = (
            self.number(left, operation, negated),
            self.number(right, operation, negated),
        );
        self.operations.push(operation);
        if negated {
            self.operations.push(Operation::Not);
        }
        let (Some(a), Some(b)) = numbers else {
            return self.stack.push(both);
        };
        let numbers = a.constant().zip(b.constant());
        let known = numbers.map(|(a, b)| match operation {
            Operation::Less => (a < b) != negated,
            _ => (a <= b) != negated,
        });
        self.push_truth(known, both);
    }

    /// A truth value, whose operations become a constant if it is known.
    fn push_truth(&mut self, known: Option<bool>, value: Value) {
        let known = known.filter(|_| !value.may_fail);
        if let Some(known) = known {
            self.operations.truncate(value.operations);
            self.operations.push(Operation::Constant(known));
        }
        let may_fail = self.settle(value.may_fail);
        self.stack.push(value.with(Kind::Truth(known), may_fail));
    }

    /// Makes the atom whose operations are the last ones false where it has no value, if that
    /// is wanted; whether it may still fail.
    pub fn settle(&mut self, may_fail: bool) -> bool {
        if may_fail && self.total {
            self.operations.push(Operation::FalseIfUndefined);
        }
        may_fail && !self.total
    }

    fn calculate(&mut self, operation: Operation, left: Value, right: Value) {
        let both = left.and(right);
        let unknown = both.with(Kind::Unknown, false);
        let numbers = (
            self.number(left, operation, false),
            self.number(right, operation, false),
        );
        self.operations.push(operation);
        let (Some(a), Some(b)) = numbers else {
            return self.stack.push(unknown);
        };
        let Some(outcome) = a.apply(operation, b) else {
            self.mistake(Mistake::TooWide(both.span));
            return self.stack.push(unknown);
        };
        let partial = Mistake::Partial {
            operation,
            right: b,
            span: both.span,
        };
        if outcome.may_fail && self.mistake(partial) {
            return self.stack.push(unknown);
        }
        let may_fail = both.may_fail || outcome.may_fail;
        if let Some(number) = outcome.interval.constant()
            && !may_fail
        {
            self.operations.truncate(both.operations);
            return self.push_number(number, both.span, both.term);
        }
        self.stack
            .push(both.with(Kind::Number(outcome.interval), may_fail));
    }
}
