//! Conversions, and what gcc computes without a function.

use super::body::{Body, as_scalar};
use super::origin::PointKind;
use super::step::Value;
use super::term::Term;
use super::unit::UNINITIALISED;
use crate::source::Span;
use crate::typing::c::tree::{Builtin, Conversion, List, Type, TypeId};

impl Body<'_, '_> {
    /// A value in another type.
    pub fn convert(
        &mut self,
        conversion: Conversion,
        value: Value,
        from: TypeId,
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
            Conversion::Truth => {
                let term = value.term();
                if matches!(self.unit.typed.types.get(from), Type::Pointer(_)) {
                    self.known_pointer(&term, span);
                }
                term.into_truth()
            }
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
                let term = value.term();
                self.guard(
                    term.equal(Term::number(0)),
                    span,
                    PointKind::Outside {
                        what: "an address made an integer".to_owned(),
                    },
                );
                Term::number(0)
            }
        };
        Value::Scalar(term)
    }

    /// A pointer is looked at whose value must be known.
    pub fn known_pointer(&mut self, term: &Term, span: Span) {
        self.guard(
            term.clone().equal(Term::number(UNINITIALISED)).not(),
            span,
            PointKind::Outside {
                what: "the value of an uninitialised pointer".to_owned(),
            },
        );
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
            Builtin::AddOverflow | Builtin::SubtractOverflow | Builtin::MultiplyOverflow => {
                self.outside(span, "arithmetic that tells of overflow");
                self.nothing(type_id)
            }
        };
        self.values.push(value);
    }
}
