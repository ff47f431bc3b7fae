//! Assignments, and what may be assigned to.

use super::Typing;
use super::conversion::Purpose;
use super::operand::{Operand, OperandKind};
use super::operators::binary_of;
use super::tree::{
    Binary, ExpressionId, ExpressionKind, Integer, Moment, PlaceId, PlaceKind, Type, TypeId, Types,
};
use crate::source::Span;
use crate::syntax::c::tree::{BinaryOperator, UnaryOperator};

impl Typing<'_> {
    /// The place that an operand must be to be changed.
    pub(super) fn modifiable(&mut self, operand: Operand) -> Option<PlaceId> {
        let span = operand.span;
        match operand.kind {
            OperandKind::Place { id, qualifiers, .. } => {
                let type_id = self.program.places[id.0 as usize].type_id;
                let types = &self.program.types;
                let is_temporary = self.is_temporary(id);
                if type_id == Types::UNKNOWN {
                    return None;
                }
                if matches!(types.get(type_id), Type::Array(..) | Type::Function(_)) || is_temporary
                {
                    self.error(span, "this cannot be assigned to");
                } else if types.is_incomplete(type_id) {
                    let shown = self.show(type_id);
                    self.error(
                        span,
                        format!("`{shown}` is not complete, and cannot be assigned"),
                    );
                } else if qualifiers.constant || self.has_constant_member(type_id) {
                    self.error(span, "this is `const` and cannot be changed");
                } else {
                    return Some(id);
                }
                None
            }
            OperandKind::Unknown => None,
            OperandKind::Value(id) if self.type_of(id) == Types::UNKNOWN => None,
            _ => {
                self.error(
                    span,
                    "this cannot be assigned to: it is no variable or part of one",
                );
                None
            }
        }
    }

    fn is_temporary(&self, place: PlaceId) -> bool {
        let mut place = place;
        loop {
            match self.program.places[place.0 as usize].kind {
                // An element is what the array's address points to.
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Temporary(_) => return true,
                _ => return false,
            }
        }
    }

    /// `a = b`
    pub(super) fn assign(&mut self) {
        let right = self.pop();
        let left = self.pop();
        let whole = left.span.to(right.span);
        let Some(place) = self.modifiable(left) else {
            self.value(right);
            let id = self.unknown(whole);
            return self.push_value(id, whole);
        };
        let type_id = self.program.places[place.0 as usize].type_id;
        let value = self.assignable(right, type_id, Purpose::ASSIGNMENT);
        let id = self.compute(ExpressionKind::Assign(place, value), type_id, whole);
        self.push_value(id, whole);
    }

    /// `a op= b`
    pub(super) fn compound_assign(&mut self, operator: BinaryOperator) {
        let right = self.pop();
        let left = self.pop();
        let whole = left.span.to(right.span);
        let id = match (self.modifiable(left), binary_of(operator)) {
            (Some(place), Some(operator)) => {
                self.update(place, left, operator, right, Moment::After, whole)
            }
            _ => {
                self.value(right);
                self.unknown(whole)
            }
        };
        self.push_value(id, whole);
    }

    /// `a++` and the like.
    pub(super) fn step(&mut self, operator: UnaryOperator, operand: Operand, whole: Span) {
        let (operator, gives) = match operator {
            UnaryOperator::PreIncrement => (Binary::Add, Moment::After),
            UnaryOperator::PreDecrement => (Binary::Subtract, Moment::After),
            UnaryOperator::PostIncrement => (Binary::Add, Moment::Before),
            _ => (Binary::Subtract, Moment::Before),
        };
        let id = match self.modifiable(operand) {
            Some(place) => {
                let one = self.number(1, Integer::Int, operand.span);
                let one = Operand {
                    kind: OperandKind::Value(one),
                    span: operand.span,
                };
                self.update(place, operand, operator, one, gives, whole)
            }
            None => self.unknown(whole),
        };
        self.push_value(id, whole);
    }

    fn update(
        &mut self,
        place: PlaceId,
        left: Operand,
        operator: Binary,
        right: Operand,
        gives: Moment,
        whole: Span,
    ) -> ExpressionId {
        let type_id = self.program.places[place.0 as usize].type_id;
        let bits = match left.kind {
            OperandKind::Place { bits, .. } => bits,
            _ => None,
        };
        let mut old = self.compute(ExpressionKind::Old(place), type_id, left.span);
        if let (Some(bits), Some(integer)) = (bits, self.program.types.integer(type_id)) {
            old = self.promote_bits(old, bits, integer);
        }
        let value = self.value(right);
        let result = self.operation(operator, old, value, whole);
        let computed = Operand {
            kind: OperandKind::Value(result),
            span: whole,
        };
        let value = self.assignable(computed, type_id, Purpose::ASSIGNMENT);
        let kind = ExpressionKind::Update {
            place,
            value,
            gives,
        };
        self.compute(kind, type_id, whole)
    }

    /// Whether a struct or union has a member that cannot be changed, at any depth.
    fn has_constant_member(&self, type_id: TypeId) -> bool {
        let mut work = vec![type_id];
        while let Some(id) = work.pop() {
            match self.program.types.get(id) {
                Type::Array(element, _) => work.push(element.id),
                Type::Record(record) => {
                    let layout = &self.program.types.records[record.0 as usize].layout;
                    let fields = layout.iter().flat_map(|layout| layout.fields.iter());
                    for field in fields {
                        if field.qualified.qualifiers.constant {
                            return true;
                        }
                        work.push(field.qualified.id);
                    }
                }
                _ => {}
            }
        }
        false
    }

    pub(super) fn is_register(&self, place: PlaceId) -> bool {
        let mut place = place;
        loop {
            match self.program.places[place.0 as usize].kind {
                PlaceKind::Object(object) => return self.registers.contains(&object),
                PlaceKind::Field(base, _) | PlaceKind::Element(base, _) => place = base,
                _ => return false,
            }
        }
    }
}
