//! What asks for a size: `sizeof`, `_Alignof`, `offsetof`.

use super::Typing;
use super::operand::OperandKind;
use super::tree::{
    Binary, ExpressionId, ExpressionKind, Length, PlaceId, PlaceKind, Qualifiers, Type, TypeId,
    Types,
};
use crate::source::Span;

impl Typing<'_> {
    /// `sizeof expression`
    pub(super) fn sizeof_expression(&mut self, span: Span) {
        let operand = self.pop();
        let whole = span.to(operand.span);
        if let OperandKind::Place { bits: Some(_), .. } = operand.kind {
            self.error(whole, "a bit-field has no size");
            return self.push(OperandKind::Unknown, whole);
        }
        if let OperandKind::Watch(_) = operand.kind {
            let mistake = self.value(operand);
            return self.push_value(mistake, whole);
        }
        let type_id = self.operand_type(operand);
        let id = self.size_of(type_id, whole);
        self.push_value(id, whole);
    }

    /// `sizeof (type)`
    pub(super) fn sizeof_type(&mut self, span: Span) {
        let operand = self.pop_type();
        let id = self.size_of(operand.qualified.id, span);
        let id = self.wrap_lengths(operand.lengths, id);
        self.push_value(id, span);
    }

    pub(super) fn size_of(&mut self, type_id: TypeId, span: Span) -> ExpressionId {
        let size_integer = self.program.types.size_integer();
        if type_id == Types::UNKNOWN {
            return self.unknown(span);
        }
        if self.program.types.has_variable_size(type_id) {
            return self.variable_size(type_id, span);
        }
        match self.program.types.size(type_id) {
            Some(size) => self.number(i128::from(size), size_integer, span),
            None => {
                let shown = self.show(type_id);
                self.error(span, format!("`{shown}` has no size: it is not complete"));
                self.unknown(span)
            }
        }
    }

    /// The product of lengths and the size of what is no array.
    fn variable_size(&mut self, type_id: TypeId, span: Span) -> ExpressionId {
        let integer = self.program.types.size_integer();
        let size_type = self.program.types.of(integer);
        let mut type_id = type_id;
        let mut product = self.number(1, integer, span);
        while let Type::Array(element, length) = self.program.types.get(type_id) {
            let (element, length) = (element.id, *length);
            let factor = match length {
                Length::Constant(length) => self.number(i128::from(length), integer, span),
                Length::Variable(object) => {
                    let place = self.add_place(PlaceKind::Object(object), size_type, span);
                    self.add(ExpressionKind::Load(place), size_type, span)
                }
                Length::Unspecified | Length::Incomplete => self.number(1, integer, span),
            };
            product = self.operation(Binary::Multiply, product, factor, span);
            type_id = element;
        }
        let size = self.size_of(type_id, span);
        self.operation(Binary::Multiply, product, size, span)
    }

    pub(super) fn alignof(&mut self, type_id: TypeId, span: Span) {
        let integer = self.program.types.size_integer();
        let id = match self.program.types.alignment(type_id) {
            Some(alignment) => self.number(i128::from(alignment), integer, span),
            None if type_id == Types::UNKNOWN => self.unknown(span),
            None => {
                let shown = self.show(type_id);
                self.error(
                    span,
                    format!("`{shown}` has no alignment: it is not complete"),
                );
                self.unknown(span)
            }
        };
        self.push_value(id, span);
    }

    /// The members and elements that follow are taken of an object that nobody sees.
    pub(super) fn offsetof(&mut self, span: Span) {
        let target = self.pop_type().qualified;
        let pointer = self.program.types.pointer_to(target);
        let null = self.add(ExpressionKind::Null, pointer, span);
        let kind = OperandKind::Place {
            id: self.add_place(PlaceKind::Target(null), target.id, span),
            qualifiers: Qualifiers::default(),
            bits: None,
        };
        self.push(kind, span);
    }

    pub(super) fn end_offsetof(&mut self, span: Span) {
        let operand = self.pop();
        let whole = span.to(operand.span);
        let id = match operand.kind {
            OperandKind::Place { id, bits: None, .. } => self.offset(id, whole),
            OperandKind::Place { .. } => {
                self.error(whole, "a bit-field has no offset");
                self.unknown(whole)
            }
            _ => self.unknown(whole),
        };
        self.push_value(id, whole);
    }

    /// How far a place lies behind the one that it is a part of.
    fn offset(&mut self, place: PlaceId, span: Span) -> ExpressionId {
        let integer = self.program.types.size_integer();
        let size_type = self.program.types.of(integer);
        let mut sum = self.number(0, integer, span);
        let mut place = place;
        loop {
            let part = self.program.places[place.0 as usize];
            let (base, offset) = match part.kind {
                PlaceKind::Field(base, index) => {
                    let record = self.program.places[base.0 as usize].type_id;
                    let offset = match self.program.types.get(record) {
                        Type::Record(id) => self.field(*id, index).map_or(0, |field| field.offset),
                        _ => 0,
                    };
                    (base, self.number(i128::from(offset), integer, span))
                }
                PlaceKind::Element(base, index) => {
                    let size = self.size_of(part.type_id, span);
                    let index = self.convert(index, size_type);
                    let offset = self.operation(Binary::Multiply, index, size, span);
                    (base, offset)
                }
                _ => return sum,
            };
            sum = self.operation(Binary::Add, offset, sum, span);
            place = base;
        }
    }
}
