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
        let span = word.to(operand.span);
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
        let (operations, term) = (operand.operations, operand.term);
        self.push(kind, operand.may_fail, span, operations, term);
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
        let span = left.span.to(right.span);
        let (start, term) = (left.operations, left.term);
        let may_fail = left.may_fail || right.may_fail;
        let (Kind::Truth(first), Kind::Truth(second)) = kinds else {
            self.operations.push(operation);
            return self.push(Kind::Unknown, may_fail, span, start, term);
        };
        if decides.is_none() {
            self.operations.push(operation);
            let known = first.zip(second).map(|(a, b)| a != b);
            return self.push_truth(known, may_fail, span, start, term);
        }
        // A known operand decides, or makes no difference.
        if let Some(first) = first.filter(|_| !left.may_fail) {
            if Some(first) == decides {
                self.operations.truncate(right.operations);
                return self.push(Kind::Truth(Some(first)), false, span, start, term);
            }
            // Moving what is very long would cost more than it saves.
            match self.operations.len() - right.operations > LONG {
                true => self.operations.push(operation),
                false => drop(self.operations.drain(start..right.operations)),
            }
            return self.push(Kind::Truth(second), right.may_fail, span, start, term);
        }
        if let Some(second) = second.filter(|_| !right.may_fail) {
            if Some(second) != decides {
                self.operations.truncate(right.operations);
                return self.push(Kind::Truth(first), left.may_fail, span, start, term);
            }
            if !left.may_fail {
                self.operations.drain(start..right.operations);
                return self.push(Kind::Truth(Some(second)), false, span, start, term);
            }
        }
        self.operations.push(operation);
        self.push(Kind::Truth(None), may_fail, span, start, term);
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
        let span = left.span.to(right.span);
        let may_fail = left.may_fail || right.may_fail;
        let (start, term) = (left.operations, left.term);
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
                return self.push(Kind::Unknown, false, span, start, term);
            }
        };
        self.push_truth(known, may_fail, span, start, term);
    }

    fn compare(&mut self, operation: Operation, negated: bool, left: Value, right: Value) {
        let span = left.span.to(right.span);
        let may_fail = left.may_fail || right.may_fail;
        let (start, term) = (left.operations, left.term);
        let numbers = (
            self.number(left, operation, negated),
            self.number(right, operation, negated),
        );
        self.operations.push(operation);
        if negated {
            self.operations.push(Operation::Not);
        }
        let (Some(a), Some(b)) = numbers else {
            return self.push(Kind::Unknown, may_fail, span, start, term);
        };
        let both = a.constant().zip(b.constant());
        let known = both.map(|(a, b)| match operation {
            Operation::Less => (a < b) != negated,
            _ => (a <= b) != negated,
        });
        self.push_truth(known, may_fail, span, start, term);
    }

    /// A truth value whose operations begin at `start`, and become a constant if it is known.
    fn push_truth(
        &mut self,
        known: Option<bool>,
        may_fail: bool,
        span: Span,
        start: usize,
        term: usize,
    ) {
        let known = known.filter(|_| !may_fail);
        if let Some(value) = known {
            self.operations.truncate(start);
            self.operations.push(Operation::Constant(value));
        }
        let may_fail = self.settle(may_fail);
        self.push(Kind::Truth(known), may_fail, span, start, term);
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
        let span = left.span.to(right.span);
        let (start, term) = (left.operations, left.term);
        let numbers = (
            self.number(left, operation, false),
            self.number(right, operation, false),
        );
        self.operations.push(operation);
        let (Some(a), Some(b)) = numbers else {
            return self.push(Kind::Unknown, false, span, start, term);
        };
        let Some(outcome) = a.apply(operation, b) else {
            self.mistake(Mistake::TooWide(span));
            return self.push(Kind::Unknown, false, span, start, term);
        };
        let partial = Mistake::Partial {
            operation,
            right: b,
            span,
        };
        if outcome.may_fail && self.mistake(partial) {
            return self.push(Kind::Unknown, false, span, start, term);
        }
        let may_fail = left.may_fail || right.may_fail || outcome.may_fail;
        if let Some(number) = outcome.interval.constant()
            && !may_fail
        {
            self.operations.truncate(start);
            return self.push_number(number, span, term);
        }
        self.push(Kind::Number(outcome.interval), may_fail, span, start, term);
    }
}
