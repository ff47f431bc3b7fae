//! What an operator may be applied to, and how mistakes are put into words.

use super::evaluator::{Environment, Evaluator, Kind, MOST_OPERATIONS, Value};
use super::interval::Interval;
use crate::diagnostic::Diagnostic;
use crate::program::NUMBER_BITS;
use crate::source::Span;
use crate::syntax::remopla::tree::BinaryOperator;

impl<E: Environment> Evaluator<'_, E> {
    /// The kind of an operand that must be a truth value; `joins` says of what: "`&&` joins".
    pub fn truth(&mut self, value: Value, joins: &str) -> Kind {
        match value.kind {
            Kind::Truth(_) | Kind::Unknown => value.kind,
            Kind::Number(_) => {
                let message = format!("{joins} conditions, but this is a number");
                let hint = "compare it, as in `x != 0`";
                self.complain(Diagnostic::error(value.span, message).with_hint(hint));
                Kind::Unknown
            }
            Kind::Whole => {
                self.check_not_whole(value, "used as a condition");
                Kind::Unknown
            }
        }
    }

    /// Reports what stands where a condition must.
    pub fn check_condition(&mut self, value: Value) {
        match value.kind {
            Kind::Truth(_) | Kind::Unknown => {}
            Kind::Number(_) => {
                let diagnostic =
                    Diagnostic::error(value.span, "expected a condition, found a number");
                self.complain(diagnostic.with_hint("compare it, as in `x != 0`"));
            }
            Kind::Whole => self.check_not_whole(value, "used as a condition"),
        }
    }

    /// The interval of an operand that must be a number.
    pub fn number(&mut self, value: Value, operator: BinaryOperator) -> Option<Interval> {
        match value.kind {
            Kind::Number(interval) => Some(interval),
            Kind::Unknown => None,
            Kind::Whole => {
                self.check_not_whole(value, "used as a number");
                None
            }
            Kind::Truth(_) => {
                let (spelling, instead) = match operator {
                    BinaryOperator::BitAnd => ("&", Some("&&")),
                    BinaryOperator::BitOr => ("|", Some("||")),
                    BinaryOperator::BitXor => ("^", Some("^^")),
                    BinaryOperator::ShiftLeft => ("<<", None),
                    BinaryOperator::ShiftRight => (">>", None),
                    BinaryOperator::Add => ("+", None),
                    BinaryOperator::Subtract => ("-", None),
                    BinaryOperator::Multiply => ("*", None),
                    BinaryOperator::Divide => ("/", None),
                    BinaryOperator::Less => ("<", None),
                    BinaryOperator::LessEqual => ("<=", None),
                    BinaryOperator::Greater => (">", None),
                    _ => (">=", None),
                };
                let message = format!("`{spelling}` takes numbers, but this is a truth value");
                let mut diagnostic = Diagnostic::error(value.span, message);
                if let Some(instead) = instead {
                    diagnostic = diagnostic.with_hint(format!("`{instead}` joins conditions"));
                }
                self.complain(diagnostic);
                None
            }
        }
    }

    /// Reports a whole array or struct where one value is needed.
    pub fn check_not_whole(&mut self, value: Value, used: &str) {
        if value.kind == Kind::Whole {
            let message = format!("a whole array or struct cannot be {used}");
            let hint = "give an index or a field";
            self.complain(Diagnostic::error(value.span, message).with_hint(hint));
        }
    }

    #[cold]
    pub fn report_too_wide(&mut self, span: Span) {
        let message = format!("the value of this term may need more than {NUMBER_BITS} bits");
        let hint = "terms are computed exactly: give its variables fewer bits, or divide it up";
        self.complain(Diagnostic::error(span, message).with_hint(hint));
    }

    #[cold]
    pub fn report_too_much(&mut self, span: Span) {
        let message = format!(
            "this statement is too large: with its quantifiers written out it has more than \
             {MOST_OPERATIONS} operations"
        );
        self.complain(Diagnostic::error(span, message));
    }

    #[cold]
    pub fn report_two_readings(&mut self, span: Span, all: bool) {
        let quantifier = if all { "A" } else { "E" };
        self.complain(
            Diagnostic::error(span, "this could mean two things without parentheses").with_hint(
                format!(
                    "write `({quantifier} i (…) …) == …` to compare what the quantifier says, \
                     or `{quantifier} i (…) (… == …)` to compare each"
                ),
            ),
        );
    }
}
