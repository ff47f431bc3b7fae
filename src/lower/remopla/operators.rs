//! Operators: what they make of their operands.
//!
//! An operand that is known is used to leave operations out, where that changes neither the
//! value nor where there is none.

use super::evaluator::{Environment, Evaluator, GivenUp, Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::program::Operation;
use crate::source::Span;
use crate::syntax::remopla::tree::BinaryOperator;

/// Moving more operations than this costs more than leaving one out saves.
const LONG: usize = 1000;

impl<E: Environment> Evaluator<'_, E> {
    pub(super) fn not(&mut self, word: Span) -> Result<(), GivenUp> {
        let operand = self.pop()?;
        let span = word.to(operand.span);
        let kind = self.truth(operand, "`!` negates");
        let kind = match kind {
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
        let (operations, node) = (operand.operations, operand.node);
        self.push(kind, operand.may_fail, span, operations, node);
        Ok(())
    }

    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        word: Span,
        left: Value,
        right: Value,
        index: usize,
    ) {
        use BinaryOperator::*;
        match operator {
            Or | And | Xor => self.connect(operator, left, right),
            Equal | NotEqual => self.equal(operator == NotEqual, word, left, right, index),
            Less | LessEqual | Greater | GreaterEqual => self.compare(operator, left, right),
            _ => self.arithmetic(operator, left, right),
        }
    }

    /// `&&`, `||` and `^^`. The second operand of the first two does not count, not even if it
    /// has no value, where the first one decides.
    pub(super) fn connect(&mut self, operator: BinaryOperator, left: Value, right: Value) {
        let (joins, operation, decides) = match operator {
            BinaryOperator::And => ("`&&` joins", Operation::And, Some(false)),
            BinaryOperator::Or => ("`||` joins", Operation::Or, Some(true)),
            _ => ("`^^` joins", Operation::Xor, None),
        };
        let kinds = (self.truth(left, joins), self.truth(right, joins));
        let span = left.span.to(right.span);
        let (start, node) = (left.operations, left.node);
        let may_fail = left.may_fail || right.may_fail;
        let (Kind::Truth(first), Kind::Truth(second)) = kinds else {
            self.operations.push(operation);
            return self.push(Kind::Unknown, may_fail, span, start, node);
        };
        // A known operand decides, or makes no difference, or (of `^^`) stays.
        let known_left = first.filter(|_| decides.is_some() && !left.may_fail);
        let known_right = second.filter(|_| decides.is_some() && !right.may_fail);
        if let Some(first) = known_left {
            if Some(first) == decides {
                self.operations.truncate(right.operations);
                return self.push(Kind::Truth(Some(first)), false, span, start, node);
            }
            // Moving what is very long would cost more than it saves.
            match self.operations.len() - right.operations > LONG {
                true => self.operations.push(operation),
                false => drop(self.operations.drain(start..right.operations)),
            }
            return self.push(Kind::Truth(second), right.may_fail, span, start, node);
        }
        if let Some(second) = known_right {
            if Some(second) != decides {
                self.operations.truncate(right.operations);
                return self.push(Kind::Truth(first), left.may_fail, span, start, node);
            }
            if !left.may_fail {
                self.operations.drain(start..right.operations);
                return self.push(Kind::Truth(Some(second)), false, span, start, node);
            }
        }
        self.operations.push(operation);
        self.push(Kind::Truth(None), may_fail, span, start, node);
    }

    /// `==` and `!=`, of truth values or of numbers.
    fn equal(&mut self, negated: bool, word: Span, left: Value, right: Value, index: usize) {
        let span = left.span.to(right.span);
        let may_fail = left.may_fail || right.may_fail;
        let (start, node) = (left.operations, left.node);
        let known = match (left.kind, right.kind) {
            (Kind::Truth(first), Kind::Truth(second)) => {
                self.truth_comparison = Some((index, right.node));
                self.operations.push(match negated {
                    true => Operation::Xor,
                    false => Operation::Equal,
                });
                first.zip(second).map(|(a, b)| (a == b) != negated)
            }
            (Kind::Number(a), Kind::Number(b)) => {
                self.operations.push(Operation::NumbersEqual);
                if negated {
                    self.operations.push(Operation::Not);
                }
                let both = a.constant().zip(b.constant());
                both.map(|(a, b)| (a == b) != negated)
            }
            (Kind::Truth(_), Kind::Number(_)) | (Kind::Number(_), Kind::Truth(_)) => {
                let diagnostic = Diagnostic::error(span, "a truth value is compared with a number")
                    .with_hint("truth values are `true` and `false`, and never numbers");
                self.complain(diagnostic);
                self.operations.push(Operation::Equal);
                return self.push(Kind::Unknown, false, span, start, node);
            }
            _ => {
                for whole in [left, right] {
                    self.check_not_whole(whole, "compared");
                }
                self.operations.push(Operation::Equal);
                return self.push(Kind::Unknown, false, span.to(word), start, node);
            }
        };
        self.push_truth(known, may_fail, span, start, node);
    }

    fn compare(&mut self, operator: BinaryOperator, left: Value, right: Value) {
        let span = left.span.to(right.span);
        let may_fail = left.may_fail || right.may_fail;
        let (start, node) = (left.operations, left.node);
        let numbers = (self.number(left, operator), self.number(right, operator));
        let (operation, negated) = match operator {
            BinaryOperator::Less => (Operation::Less, false),
            BinaryOperator::LessEqual => (Operation::LessEqual, false),
            BinaryOperator::Greater => (Operation::LessEqual, true),
            _ => (Operation::Less, true),
        };
        self.operations.push(operation);
        if negated {
            self.operations.push(Operation::Not);
        }
        let (Some(a), Some(b)) = numbers else {
            return self.push(Kind::Unknown, may_fail, span, start, node);
        };
        let both = a.constant().zip(b.constant());
        let known = both.map(|(a, b)| match operation {
            Operation::Less => (a < b) != negated,
            _ => (a <= b) != negated,
        });
        self.push_truth(known, may_fail, span, start, node);
    }

    /// A truth value whose operations begin at `start`, and become a constant if it is known.
    fn push_truth(
        &mut self,
        known: Option<bool>,
        may_fail: bool,
        span: Span,
        start: usize,
        node: usize,
    ) {
        let known = known.filter(|_| !may_fail);
        if let Some(value) = known {
            self.operations.truncate(start);
            self.operations.push(Operation::Constant(value));
        }
        let may_fail = self.settle(may_fail);
        self.push(Kind::Truth(known), may_fail, span, start, node);
    }

    /// Makes the atom whose operations are the last ones false where it has no value, if that
    /// is wanted; whether it may still fail.
    pub(super) fn settle(&mut self, may_fail: bool) -> bool {
        if may_fail && self.total {
            self.operations.push(Operation::FalseIfUndefined);
        }
        may_fail && !self.total
    }

    fn arithmetic(&mut self, operator: BinaryOperator, left: Value, right: Value) {
        let span = left.span.to(right.span);
        let (start, node) = (left.operations, left.node);
        let operation = match operator {
            BinaryOperator::BitOr => Operation::BitOr,
            BinaryOperator::BitXor => Operation::BitXor,
            BinaryOperator::BitAnd => Operation::BitAnd,
            BinaryOperator::ShiftLeft => Operation::ShiftLeft,
            BinaryOperator::ShiftRight => Operation::ShiftRight,
            BinaryOperator::Add => Operation::Add,
            BinaryOperator::Subtract => Operation::Subtract,
            BinaryOperator::Multiply => Operation::Multiply,
            _ => Operation::Divide,
        };
        let numbers = (self.number(left, operator), self.number(right, operator));
        self.operations.push(operation);
        let (Some(a), Some(b)) = numbers else {
            return self.push(Kind::Unknown, false, span, start, node);
        };
        let Some(outcome) = a.apply(operation, b) else {
            self.report_too_wide(span);
            return self.push(Kind::Unknown, false, span, start, node);
        };
        let by_zero = operation == Operation::Divide && b.constant() == Some(0);
        if by_zero && !self.environment.is_constant() {
            self.complain(Diagnostic::warning(span, "this divides by 0"));
        }
        let may_fail = left.may_fail || right.may_fail || outcome.may_fail;
        if let Some(number) = outcome.interval.constant()
            && !may_fail
        {
            self.operations.truncate(start);
            self.emit_number(number);
        }
        self.push(Kind::Number(outcome.interval), may_fail, span, start, node);
    }
}
