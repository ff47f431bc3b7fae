//! Operators on integers: exact where they can be, modulo the width where C says so, and guarded
//! where they are undefined.

use super::body::{Body, as_scalar};
use super::origin::PointKind;
use super::term::{Scalar, Term, Width};
use crate::program::{Operation, Overflow};
use crate::source::Span;
use crate::typing::c::tree::{Binary, Builtin, TypeId, Unary};

impl Body<'_, '_> {
    /// The width of an integer type other than `_Bool`.
    pub fn width(&self, id: TypeId) -> Option<Width> {
        match self.unit.scalar(id)? {
            Scalar::Integer(width) => Some(width),
            _ => None,
        }
    }

    pub fn unary(&mut self, operator: Unary, term: Term, operand: TypeId, span: Span) -> Term {
        match (operator, self.width(operand)) {
            (Unary::Not, _) => term.not(),
            (Unary::Minus, Some(width)) => {
                let exact = Term::number(0).subtract(term);
                self.in_width(exact, width, span)
            }
            (Unary::Complement, Some(width)) => {
                let ones = match width.signed {
                    true => Term::number(-1),
                    false => Term::number(width.interval().high),
                };
                ones.subtract(term)
            }
            (_, None) => {
                self.outside(span, "an operator on values of this type");
                term
            }
        }
    }

    /// The exact result of a computation, as the type has it: signed ones may overflow.
    fn in_width(&mut self, exact: Term, width: Width, span: Span) -> Term {
        if width.signed && self.checks_overflow() {
            let range = width.interval();
            let fits = exact.clone().within(range.low, range.high);
            self.guard(fits, span, PointKind::Overflow);
        }
        exact.wrap(width)
    }

    fn checks_overflow(&self) -> bool {
        let options = self.unit.options;
        options.checks.overflow || options.overflow != Overflow::Wrap
    }

    pub fn binary(
        &mut self,
        operator: Binary,
        a: Term,
        b: Term,
        operand: TypeId,
        span: Span,
    ) -> Term {
        match operator {
            Binary::Less => return a.less(b),
            Binary::LessEqual => return a.less_equal(b),
            Binary::Greater => return b.less(a),
            Binary::GreaterEqual => return b.less_equal(a),
            Binary::Equal => return a.equal(b),
            Binary::NotEqual => return a.equal(b).not(),
            _ => {}
        }
        let Some(width) = self.width(operand) else {
            self.outside(span, "an operator on values of this type");
            return a;
        };
        match operator {
            Binary::Add => self.in_width(a.add(b), width, span),
            Binary::Subtract => self.in_width(a.subtract(b), width, span),
            Binary::Multiply => self.multiply(a, b, width, span),
            Binary::Divide | Binary::Remainder => self.divide(operator, a, b, width, span),
            Binary::ShiftLeft | Binary::ShiftRight => self.shift(operator, a, b, width, span),
            Binary::BitAnd => bitwise(Operation::BitAnd, a, b, width),
            Binary::BitOr => bitwise(Operation::BitOr, a, b, width),
            _ => bitwise(Operation::BitXor, a, b, width),
        }
    }

    fn multiply(&mut self, a: Term, b: Term, width: Width, span: Span) -> Term {
        if width.signed && self.checks_overflow() {
            let exact = a.clone().calculate(Operation::Multiply, b.clone());
            let range = width.interval();
            self.guard(
                exact.within(range.low, range.high),
                span,
                PointKind::Overflow,
            );
        }
        let bits = width.bits;
        let exact = a.interval().apply(Operation::Multiply, b.interval());
        let range = width.interval();
        let fits = exact.is_some_and(|exact| exact.interval.within(range.low, range.high));
        match fits {
            true => a.calculate(Operation::Multiply, b),
            false => a
                .calculate(Operation::MultiplyModulo { bits }, b)
                .wrap(width),
        }
    }

    fn divide(&mut self, operator: Binary, a: Term, b: Term, width: Width, span: Span) -> Term {
        let nonzero = b.clone().into_truth();
        self.undefined(nonzero, span, "division by 0");
        let range = width.interval();
        if width.signed {
            // The only quotient that does not fit.
            let smallest = a.clone().equal(Term::number(range.low));
            let overflows = smallest.and(b.clone().equal(Term::number(-1)));
            let options = self.unit.options;
            let is_overflow = match options.overflow {
                _ if options.checks.overflow => true,
                Overflow::Error => !options.checks.undefined,
                Overflow::Wrap | Overflow::Block => false,
            };
            let kind = match is_overflow {
                true => PointKind::Overflow,
                false => PointKind::Undefined {
                    what: "the smallest number is divided by -1".to_owned(),
                },
            };
            self.guard(overflows.not(), span, kind);
        }
        let operation = match operator {
            Binary::Divide => Operation::Divide,
            _ => Operation::Remainder,
        };
        let exact = a.calculate(operation, b);
        exact.wrap(width)
    }

    fn shift(&mut self, operator: Binary, a: Term, by: Term, width: Width, span: Span) -> Term {
        let inside = by.clone().within(0, i128::from(width.bits) - 1);
        self.undefined(inside, span, "shift by a negative or too large amount");
        if operator == Binary::ShiftRight {
            return a.calculate(Operation::ArithmeticShiftRight, by);
        }
        let bits = width.bits;
        let shifted = a
            .clone()
            .calculate(Operation::ShiftLeftModulo { bits }, by.clone())
            .wrap(width);
        if width.signed && self.checks_overflow() {
            let back = shifted
                .clone()
                .calculate(Operation::ArithmeticShiftRight, by);
            self.guard(back.equal(a), span, PointKind::Overflow);
        }
        shifted
    }

    /// What gcc's functions count, of a short term.
    pub fn count_bits(&mut self, builtin: Builtin, term: Term, width: Width, span: Span) -> Term {
        let natural = Width {
            signed: false,
            ..width
        };
        let term = term.wrap(natural);
        let bit = |place: u8| {
            let shifted = term
                .clone()
                .calculate(Operation::ArithmeticShiftRight, Term::number(place.into()));
            shifted.wrap(Width {
                bits: 1,
                signed: false,
            })
        };
        match builtin {
            Builtin::Population | Builtin::Parity => {
                let bits = (1..width.bits).map(bit);
                let sum = bits.fold(bit(0), Term::add);
                match builtin {
                    Builtin::Parity => sum.wrap(Width {
                        bits: 1,
                        signed: false,
                    }),
                    _ => sum,
                }
            }
            _ => {
                let is_first = builtin == Builtin::FindFirstSet;
                if !is_first {
                    self.undefined(term.clone().into_truth(), span, "a bit is counted to in 0");
                }
                // The place that is looked for is that of the first 1, from one end.
                let mut result = Term::number(0);
                for place in (0..width.bits).rev() {
                    let (place, found) = match builtin {
                        Builtin::LeadingZeros => (width.bits - 1 - place, place),
                        Builtin::FindFirstSet => (place, place + 1),
                        _ => (place, place),
                    };
                    let found = Term::number(found.into());
                    result = Term::if_then_else(bit(place), found, result);
                }
                result
            }
        }
    }
}

/// On the bits of both.
fn bitwise(operation: Operation, a: Term, b: Term, width: Width) -> Term {
    let natural = Width {
        signed: false,
        ..width
    };
    let bits = a.wrap(natural).calculate(operation, b.wrap(natural));
    as_scalar(bits, Scalar::Integer(width))
}
