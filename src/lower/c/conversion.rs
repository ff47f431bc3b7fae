//! Conversions, and what gcc computes without a function.

use super::body::{Body, as_scalar};
use super::origin::PointKind;
use super::step::Value;
use super::term::Term;
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{Builtin, Conversion, ExpressionId, List, TypeId};

impl Body<'_, '_> {
    /// A value in another type.
    pub fn convert(
        &mut self,
        conversion: Conversion,
        value: Value,
        from: ExpressionId,
        to: TypeId,
        span: Span,
    ) -> Value {
        let term = match conversion {
            Conversion::Void => return Value::Void,
            Conversion::Integer => {
                let term = value.term().into_number();
                match self.unit.scalar(to) {
                    Some(scalar) => as_scalar(term, scalar),
                    None => {
                        self.outside(span, "`__int128`");
                        term
                    }
                }
            }
            Conversion::Truth => value.term().into_truth(),
            Conversion::Pointer => value.term(),
            Conversion::ToPointer => {
                let term = value.term().into_number();
                self.guard(
                    term.equal(Term::number(0)),
                    span,
                    PointKind::Outside {
                        what: "an integer made a pointer".to_owned(),
                    },
                );
                Term::number(0)
            }
            Conversion::FromPointer => {
                let term = self.short(value.term().into_number());
                let class = self.unit.addresses.class(from);
                let has_number = class.has_number(&term);
                let known = has_number.or(term.clone().equal(Term::number(0)));
                let what = "an address made an integer".to_owned();
                self.guard(known, span, PointKind::Outside { what });
                let number = match self.unit.addresses.class(from).has_numbers() {
                    true => term,
                    false => Term::number(0),
                };
                match self.unit.scalar(to) {
                    Some(scalar) => as_scalar(number, scalar),
                    None => number,
                }
            }
        };
        Value::Scalar(term)
    }

    pub fn builtin(&mut self, builtin: Builtin, list: List, type_id: TypeId, span: Span) {
        let typed = self.unit.typed;
        let arguments = &typed.arguments[list.indices()];
        let mut values: Vec<Term> = arguments.iter().map(|_| self.pop_term()).collect();
        values.reverse();
        let value = match builtin {
            Builtin::Unreachable => {
                self.undefined(Term::truth(false), span, "`__builtin_unreachable`");
                Value::Void
            }
            Builtin::Trap => {
                self.end_program(span);
                Value::Void
            }
            Builtin::Population
            | Builtin::Parity
            | Builtin::FindFirstSet
            | Builtin::LeadingZeros
            | Builtin::TrailingZeros => {
                let width = arguments
                    .first()
                    .and_then(|id| self.width(self.type_of(*id)));
                match (width, values.into_iter().next()) {
                    (Some(width), Some(term)) => {
                        let term = self.short(term);
                        Value::Scalar(self.count_bits(builtin, term, width, span))
                    }
                    _ => Value::Void,
                }
            }
            Builtin::AddOverflow | Builtin::SubtractOverflow | Builtin::MultiplyOverflow => self
                .telling_overflow(builtin, &typed.arguments[list.indices()], values, span)
                .unwrap_or_else(|| self.nothing(type_id)),
        };
        self.values.push(value);
    }

    /// Arithmetic that writes its result behind a pointer, and tells whether it is another than
    /// the exact one.
    fn telling_overflow(
        &mut self,
        builtin: Builtin,
        arguments: &[ExpressionId],
        values: Vec<Term>,
        span: Span,
    ) -> Option<Value> {
        let ([_, _, by], [a, b, pointer]) = (arguments, &values[..]) else {
            return None;
        };
        let target = self.unit.typed.types.target(self.type_of(*by))?.id;
        let operation = match builtin {
            Builtin::AddOverflow => Operation::Add,
            Builtin::SubtractOverflow => Operation::Subtract,
            _ => Operation::Multiply,
        };
        let exact = a.clone().calculate(operation, b.clone());
        let written = as_scalar(exact.clone(), self.unit.scalar(target)?);
        let differs = written.clone().equal(exact).not();
        self.values.push(Value::Scalar(differs));
        self.values.push(Value::Scalar(written));
        let spot = self.target(pointer.clone(), *by, target, span);
        let written = self.pop();
        self.store(spot, written, target);
        Some(self.pop())
    }
}
