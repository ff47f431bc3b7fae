//! Conversions: promotions, the usual arithmetic conversions, assignments, casts.

use super::Typing;
use super::operand::Operand;
use super::tree::{
    Conversion, ExpressionId, ExpressionKind, Floating, Integer, Qualified, Type, TypeId, Types,
};
use crate::source::Span;

/// What a value is converted for, in words: "the initial value".
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    pub what: &'static str,
    /// Of an argument, which one.
    pub number: Option<usize>,
}

impl Purpose {
    pub const ASSIGNMENT: Purpose = Purpose::new("the assigned value");
    pub const INITIALISER: Purpose = Purpose::new("the initial value");
    pub const RETURN: Purpose = Purpose::new("the returned value");

    const fn new(what: &'static str) -> Self {
        Purpose { what, number: None }
    }

    pub const fn argument(number: usize) -> Self {
        Purpose {
            what: "argument",
            number: Some(number),
        }
    }

    fn describe(self) -> String {
        match self.number {
            Some(number) => format!("{} {number}", self.what),
            None => self.what.into(),
        }
    }
}

impl Typing<'_> {
    /// How a value of one scalar type becomes one of another, if it changes at all and neither
    /// type is outside.
    pub(super) fn conversion(&self, from: TypeId, to: TypeId) -> Option<Conversion> {
        let types = &self.program.types;
        if from == to {
            return None;
        }
        match (types.get(from), types.get(to)) {
            (_, Type::Void) => Some(Conversion::Void),
            (_, Type::Integer(Integer::Bool)) => Some(Conversion::Truth),
            (Type::Pointer(_), Type::Pointer(_)) => Some(Conversion::Pointer),
            (Type::Pointer(_), _) => Some(Conversion::FromPointer),
            (_, Type::Pointer(_)) => Some(Conversion::ToPointer),
            (Type::Record(_), _) | (_, Type::Record(_)) => None,
            _ => Some(Conversion::Integer),
        }
    }

    /// The value in another type to which it can be converted; constants stay constants.
    pub(super) fn convert(&mut self, id: ExpressionId, to: TypeId) -> ExpressionId {
        let expression = self.program.expressions[id.0 as usize];
        let (from, span) = (expression.type_id, expression.span);
        if from == to || to == Types::UNKNOWN {
            return id;
        }
        if from == Types::UNKNOWN {
            return self.unknown(span);
        }
        if to != Types::VOID
            && let Some(outside) = self.outside(from).or(self.outside(to))
        {
            let literal = self.floats.get(&id).copied();
            return match (literal, self.program.types.integer(to)) {
                (Some(number), Some(integer)) if self.outside(to).is_none() => {
                    let value = match integer {
                        Integer::Bool => i128::from(number != 0.0),
                        _ => integer.wrap(number as i128, self.program.types.model),
                    };
                    self.add(ExpressionKind::Constant(value), to, span)
                }
                (literal, _) => {
                    let id = self.add(ExpressionKind::Outside(outside), to, span);
                    if let Some(number) = literal {
                        self.floats.insert(id, number);
                    }
                    id
                }
            };
        }
        let Some(conversion) = self.conversion(from, to) else {
            return id;
        };
        let model = self.program.types.model;
        let kind = match (conversion, expression.kind) {
            (Conversion::Integer | Conversion::Truth, ExpressionKind::Constant(value)) => {
                let integer = self.program.types.integer(to).unwrap_or(Integer::Int);
                ExpressionKind::Constant(integer.wrap(value, model))
            }
            (Conversion::ToPointer, ExpressionKind::Constant(0))
            | (Conversion::Pointer, ExpressionKind::Null) => ExpressionKind::Null,
            (Conversion::FromPointer | Conversion::Truth, ExpressionKind::Null) => {
                ExpressionKind::Constant(0)
            }
            (Conversion::FromPointer | Conversion::Truth, _) => {
                let known = match conversion {
                    Conversion::Truth => self.known_truth(id).map(i128::from),
                    _ => self.known_offset(id, to),
                };
                known.map_or(
                    ExpressionKind::Convert(conversion, id),
                    ExpressionKind::Constant,
                )
            }
            _ => ExpressionKind::Convert(conversion, id),
        };
        self.add(kind, to, span)
    }

    /// The integer promotions.
    pub(super) fn promote(&mut self, id: ExpressionId) -> ExpressionId {
        match self.integer_of(id) {
            Some(integer) => {
                let promoted = self.promoted(integer);
                self.convert(id, self.program.types.of(promoted))
            }
            None => id,
        }
    }

    fn promoted(&self, integer: Integer) -> Integer {
        match integer.rank() < Integer::Int.rank() {
            true => Integer::Int,
            false => integer,
        }
    }

    /// As arguments are promoted that no parameter stands for.
    pub(super) fn promote_argument(&mut self, id: ExpressionId) -> ExpressionId {
        match self.program.types.get(self.type_of(id)) {
            Type::Floating(Floating::Float) => {
                let double = self.program.types.intern(Type::Floating(Floating::Double));
                self.convert(id, double)
            }
            _ => self.promote(id),
        }
    }

    /// The type in which two arithmetic operands are computed.
    pub(super) fn common(&mut self, left: TypeId, right: TypeId) -> TypeId {
        let types = &self.program.types;
        let size = |floating: Floating| match floating {
            Floating::Float => 0,
            Floating::Double => 1,
            Floating::LongDouble => 2,
            Floating::Float128 => 3,
        };
        let parts = |id| match types.get(id) {
            Type::Floating(floating) => Some((*floating, false)),
            Type::Complex(floating) => Some((*floating, true)),
            _ => None,
        };
        let floating = match (parts(left), parts(right)) {
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(one),
            (Some((one, complex)), Some((other, others))) => {
                let larger = if size(one) >= size(other) { one } else { other };
                Some((larger, complex | others))
            }
        };
        if let Some((floating, is_complex)) = floating {
            return self.program.types.intern(match is_complex {
                true => Type::Complex(floating),
                false => Type::Floating(floating),
            });
        }
        let [left, right] = [left, right].map(|id| types.integer(id).unwrap_or(Integer::Int));
        let [left, right] = [left, right].map(|integer| self.promoted(integer));
        types.of(self.common_integer(left, right))
    }

    /// Of two promoted integers.
    fn common_integer(&self, left: Integer, right: Integer) -> Integer {
        let model = self.program.types.model;
        if left.is_signed() == right.is_signed() {
            return if left.rank() >= right.rank() {
                left
            } else {
                right
            };
        }
        let (signed, unsigned) = if left.is_signed() {
            (left, right)
        } else {
            (right, left)
        };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.unsigned()
        }
    }

    /// The value as it is assigned to something of type `to`, with what is said of doubtful
    /// conversions.
    pub(super) fn assignable(
        &mut self,
        operand: Operand,
        to: TypeId,
        purpose: Purpose,
    ) -> ExpressionId {
        let value = self.value(operand);
        let from = self.type_of(value);
        let span = operand.span;
        if from == to || from == Types::UNKNOWN || to == Types::UNKNOWN {
            return self.convert(value, to);
        }
        let types = &self.program.types;
        let is_null = matches!(
            self.program.expressions[value.0 as usize].kind,
            ExpressionKind::Constant(0) | ExpressionKind::Null
        );
        let arithmetic = |id| types.is_arithmetic(id);
        match (types.get(from), types.get(to)) {
            (Type::Record(_), Type::Record(_)) if types.compatible(from, to) => {}
            (_, Type::Integer(Integer::Bool)) if types.is_scalar(from) => {}
            (Type::Pointer(source), Type::Pointer(target)) => {
                let (source, target) = (*source, *target);
                self.check_pointers(source, target, is_null, span, purpose);
            }
            (_, Type::Pointer(_)) if types.integer(from).is_some() => {
                if !is_null {
                    let message = format!("{} is a number, made a pointer", purpose.describe());
                    self.warn(span, message);
                }
            }
            (Type::Pointer(_), _) if types.integer(to).is_some() => {
                let message = format!("{} is a pointer, made a number", purpose.describe());
                self.warn(span, message);
            }
            _ if arithmetic(from) && arithmetic(to) => {}
            _ => {
                let [from, to] = [from, to].map(|id| self.show(id));
                let what = purpose.describe();
                self.error(span, format!("{what} is `{from}` and must be `{to}`"));
                return self.unknown(span);
            }
        }
        self.convert(value, to)
    }

    fn check_pointers(
        &mut self,
        source: Qualified,
        target: Qualified,
        is_null: bool,
        span: Span,
        purpose: Purpose,
    ) {
        let types = &self.program.types;
        let has_void = source.id == Types::VOID || target.id == Types::VOID;
        let fits = has_void || is_null || self.same_but_sign(source.id, target.id);
        if !fits && !types.compatible(source.id, target.id) {
            let [from, to] = [source, target].map(|target| {
                let pointer = self.program.types.intern(Type::Pointer(target));
                self.show(pointer)
            });
            let what = purpose.describe();
            self.warn(span, format!("{what} is `{from}` and should be `{to}`"));
            return;
        }
        let lost = |has: bool, keeps: bool| has && !keeps;
        let (from, to) = (source.qualifiers, target.qualifiers);
        let word = match () {
            () if lost(from.constant, to.constant) => "const",
            () if lost(from.volatile, to.volatile) => "volatile",
            () => return,
        };
        if !is_null {
            let what = purpose.describe();
            self.warn(
                span,
                format!("{what} loses the `{word}` of what it points to"),
            );
        }
    }

    /// Whether two integers differ in their sign only: pointers to them are mixed without harm.
    fn same_but_sign(&self, one: TypeId, other: TypeId) -> bool {
        let types = &self.program.types;
        match (types.integer(one), types.integer(other)) {
            (Some(one), Some(other)) => one.unsigned() == other.unsigned(),
            _ => false,
        }
    }

    /// `(type) operand`
    pub(super) fn cast(&mut self, span: Span) {
        let operand = self.pop();
        let target = self.pop_type();
        let whole = span.to(operand.span);
        let value = self.value(operand);
        let from = self.type_of(value);
        let to = target.qualified.id;
        let types = &self.program.types;
        let scalars = types.is_scalar(from) && types.is_scalar(to);
        let is_floating = |id| matches!(types.get(id), Type::Floating(_) | Type::Complex(_));
        let is_pointer = |id| matches!(types.get(id), Type::Pointer(_));
        let mixes = (is_floating(from) && is_pointer(to)) || (is_pointer(from) && is_floating(to));
        let union_member = match types.record(to) {
            Some(record) if record.is_union => {
                let fields = record.layout.as_ref().map(|layout| &layout.fields);
                let is_member = |field: &super::tree::Field| field.qualified.id == from;
                fields.and_then(|fields| fields.iter().position(is_member))
            }
            _ => None,
        };
        let is_known = from != Types::UNKNOWN && to != Types::UNKNOWN;
        let id = if !is_known {
            self.unknown(whole)
        } else if let Some(field) = union_member {
            self.union_of(to, field, value, whole)
        } else if to == Types::VOID || from == to || (scalars && !mixes) {
            let converted = self.convert(value, to);
            self.widen(converted, whole);
            converted
        } else {
            let [from, to] = [from, to].map(|id| self.show(id));
            self.error(whole, format!("`{from}` cannot be converted to `{to}`"));
            self.unknown(whole)
        };
        let id = self.wrap_lengths(target.lengths, id);
        self.push_value(id, whole);
    }

    /// The place of an expression is the whole, with its parentheses.
    pub(super) fn widen(&mut self, id: ExpressionId, span: Span) {
        self.program.expressions[id.0 as usize].span = span;
    }
}
