//! Compound literals: objects without a name, written where they are met.

use super::Typing;
use super::operand::{Operand, OperandKind};
use super::tree::{
    ExpressionId, ExpressionKind, Initial, Length, List, Object, Origin, PlaceId, PlaceKind,
    Storage, Type, TypeId, Write, Written,
};
use crate::source::Span;

impl Typing<'_> {
    /// An array that begins as a literal is, as gcc has it, written as that is.
    pub(super) fn copy_literal(
        &mut self,
        operand: Operand,
        place: PlaceId,
        type_id: TypeId,
    ) -> bool {
        let OperandKind::Place { id, .. } = operand.kind else {
            return false;
        };
        let literal = self.program.places[id.0 as usize];
        let (object, writes) = match literal.kind {
            PlaceKind::Compound(object, writes) => (object, writes),
            PlaceKind::Object(object) => match self.program.objects[object.0 as usize].initial {
                Initial::Writes(writes) => (object, writes),
                _ => return false,
            },
            _ => return false,
        };
        let is_literal = self.program.objects[object.0 as usize].origin == Origin::Compound;
        if !is_literal || !self.program.types.compatible(literal.type_id, type_id) {
            return false;
        }
        for index in writes.indices() {
            let write = self.program.writes[index];
            let place = self.moved(write.place, None, place);
            self.write(place, write.value);
        }
        if let Type::Array(_, Length::Constant(length)) = self.program.types.get(literal.type_id) {
            let length = *length;
            if let Some(filling) = self.filling()
                && filling.place == place
            {
                filling.length = length;
            }
        }
        true
    }

    pub(super) fn begin_compound_literal(&mut self, span: Span) {
        let target = self.pop_type();
        let type_id = target.qualified.id;
        let types = &self.program.types;
        let is_open = matches!(types.get(type_id), Type::Array(_, Length::Incomplete));
        let message = match types.get(type_id) {
            Type::Function(_) => Some("a function has no values"),
            _ if types.has_variable_size(type_id) => Some("a literal has no variable size"),
            _ if types.is_incomplete(type_id) && !is_open => Some("this type is not complete"),
            _ => None,
        };
        if let Some(message) = message {
            self.error(span, message);
            return self.begin_initialiser(None, span);
        }
        let in_function = self.function.as_ref().map(|function| function.id);
        let object = self.add_object(Object {
            name: None,
            span,
            qualified: target.qualified,
            storage: match in_function {
                Some(_) => Storage::Automatic,
                None => Storage::Static { defined: true },
            },
            origin: Origin::Compound,
            function: in_function,
            initial: Initial::None,
            address_taken: false,
        });
        self.begin_initialiser(Some(object), span);
    }

    pub(super) fn end_compound_literal(&mut self, span: Span) {
        let Some((object, writes)) = self.finish_initialiser() else {
            return self.push(OperandKind::Unknown, span);
        };
        let qualified = self.program.objects[object.0 as usize].qualified;
        let kind = match self.program.objects[object.0 as usize].storage {
            Storage::Automatic => PlaceKind::Compound(object, writes),
            _ => PlaceKind::Object(object),
        };
        let kind = OperandKind::Place {
            id: self.add_place(kind, qualified.id, span),
            qualifiers: qualified.qualifiers,
            bits: None,
        };
        self.push(kind, span);
    }

    /// The value as a member of a union: `(union u) x`.
    pub(super) fn union_of(
        &mut self,
        type_id: TypeId,
        field: usize,
        value: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        let function = self.function.as_ref().map(|function| function.id);
        let object = self.add_object(Object {
            name: None,
            span,
            qualified: type_id.into(),
            storage: Storage::Automatic,
            origin: Origin::Compound,
            function,
            initial: Initial::None,
            address_taken: false,
        });
        let base = self.add_place(PlaceKind::Object(object), type_id, span);
        let member_type = self.type_of(value);
        let member = self.add_place(PlaceKind::Field(base, field as u32), member_type, span);
        let start = self.program.writes.len();
        self.program.writes.push(Write {
            place: base,
            value: Written::Zero,
        });
        self.program.writes.push(Write {
            place: member,
            value: Written::Value(value),
        });
        let writes = List::since(start, &self.program.writes);
        let place = self.add_place(PlaceKind::Compound(object, writes), type_id, span);
        self.add(ExpressionKind::Load(place), type_id, span)
    }
}
