//! Operands, and how they become values: arrays and functions decay, places are loaded.

use super::Typing;
use super::tree::{
    Expression, ExpressionId, ExpressionKind, FunctionId, Integer, ObjectId, Outside, Place,
    PlaceId, PlaceKind, Qualifiers, Type, TypeId, Types,
};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;

/// What an expression is before it is used.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub kind: OperandKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum OperandKind {
    Value(ExpressionId),
    Place {
        id: PlaceId,
        qualifiers: Qualifiers,
        /// The width of a bit-field.
        bits: Option<u32>,
    },
    Function(FunctionId),
    /// A function of gcc's own, before its call.
    Builtin(Name),
    /// What a rule watches, before it is compared.
    Watch(ObjectId),
    /// A mistake in it has been reported.
    Unknown,
}

impl Operand {
    pub fn unknown(span: Span) -> Self {
        Operand {
            kind: OperandKind::Unknown,
            span,
        }
    }
}

impl Typing<'_> {
    pub(super) fn push(&mut self, kind: OperandKind, span: Span) {
        self.operands.push(Operand { kind, span });
    }

    pub(super) fn push_value(&mut self, id: ExpressionId, span: Span) {
        self.push(OperandKind::Value(id), span);
    }

    /// The operand that was read last. The tree has one wherever one is taken.
    pub(super) fn pop(&mut self) -> Operand {
        let operand = self.operands.pop();
        operand.unwrap_or_else(|| Operand::unknown(Span::default()))
    }

    pub(super) fn operand_type(&self, operand: Operand) -> TypeId {
        match operand.kind {
            OperandKind::Value(id) => self.type_of(id),
            OperandKind::Place { id, .. } => self.program.places[id.0 as usize].type_id,
            OperandKind::Function(id) => self.program.functions[id.0 as usize].type_id,
            OperandKind::Builtin(_) | OperandKind::Watch(_) | OperandKind::Unknown => {
                Types::UNKNOWN
            }
        }
    }

    /// A new expression as it is.
    pub(super) fn add(
        &mut self,
        kind: ExpressionKind,
        type_id: TypeId,
        span: Span,
    ) -> ExpressionId {
        self.program.expressions.push(Expression {
            kind,
            type_id,
            span,
        });
        ExpressionId(self.program.expressions.len() as u32 - 1)
    }

    /// A new expression, which is outside if its values are.
    pub(super) fn compute(
        &mut self,
        kind: ExpressionKind,
        type_id: TypeId,
        span: Span,
    ) -> ExpressionId {
        let kind = self.outside(type_id).map_or(kind, ExpressionKind::Outside);
        self.add(kind, type_id, span)
    }

    pub(super) fn add_place(&mut self, kind: PlaceKind, type_id: TypeId, span: Span) -> PlaceId {
        self.program.places.push(Place {
            kind,
            type_id,
            span,
        });
        PlaceId(self.program.places.len() as u32 - 1)
    }

    pub(super) fn number(&mut self, value: i128, integer: Integer, span: Span) -> ExpressionId {
        let type_id = self.program.types.of(integer);
        self.add(ExpressionKind::Constant(value), type_id, span)
    }

    /// Stands for a value in which a mistake was reported.
    pub(super) fn unknown(&mut self, span: Span) -> ExpressionId {
        self.add(ExpressionKind::Constant(0), Types::UNKNOWN, span)
    }

    /// Why values of this type are outside, if they are.
    pub(super) fn outside(&self, type_id: TypeId) -> Option<Outside> {
        match self.program.types.get(type_id) {
            Type::Floating(_) | Type::Complex(_) => Some(Outside::FloatingPoint),
            Type::Integer(Integer::Int128 | Integer::UnsignedInt128) => Some(Outside::WideInteger),
            _ => None,
        }
    }

    /// The operand as a value.
    pub(super) fn value(&mut self, operand: Operand) -> ExpressionId {
        let span = operand.span;
        match operand.kind {
            OperandKind::Value(id) => id,
            OperandKind::Place { id, bits, .. } => self.load(id, bits, span),
            OperandKind::Function(id) => {
                let type_id = self.program.functions[id.0 as usize].type_id;
                let type_id = self.program.types.pointer_to(type_id);
                self.add(ExpressionKind::Function(id), type_id, span)
            }
            OperandKind::Builtin(name) => {
                let text = self.program.names.text(name);
                let message = format!("`{text}` can only be called");
                self.collector.report(Diagnostic::error(span, message));
                self.unknown(span)
            }
            OperandKind::Watch(_) => {
                self.error(
                    span,
                    "what is watched can only be compared, by `==` and `!=`",
                );
                self.unknown(span)
            }
            OperandKind::Unknown => self.unknown(span),
        }
    }

    pub(super) fn pop_value(&mut self) -> ExpressionId {
        let operand = self.pop();
        self.value(operand)
    }

    fn load(&mut self, place: PlaceId, bits: Option<u32>, span: Span) -> ExpressionId {
        let type_id = self.program.places[place.0 as usize].type_id;
        match self.program.types.get(type_id) {
            Type::Array(element, _) => {
                let element = *element;
                self.take_address(place);
                let type_id = self.program.types.pointer_to(element);
                self.add(ExpressionKind::Decay(place), type_id, span)
            }
            Type::Function(_) => {
                // What a pointer to a function points to is that pointer again.
                let pointer = self.program.types.pointer_to(type_id);
                self.add(ExpressionKind::Address(place), pointer, span)
            }
            Type::Unknown => self.unknown(span),
            _ => {
                if self.program.types.is_incomplete(type_id) && type_id != Types::VOID {
                    let shown = self.show(type_id);
                    let message = format!("the type `{shown}` is not complete here");
                    self.collector.report(Diagnostic::error(span, message));
                    return self.unknown(span);
                }
                let loaded = self.compute(ExpressionKind::Load(place), type_id, span);
                match (bits, self.program.types.integer(type_id)) {
                    (Some(bits), Some(integer)) => self.promote_bits(loaded, bits, integer),
                    _ => loaded,
                }
            }
        }
    }

    /// A bit-field whose values an `int` can hold is one.
    pub(super) fn promote_bits(
        &mut self,
        loaded: ExpressionId,
        bits: u32,
        integer: Integer,
    ) -> ExpressionId {
        let fits = bits < 32 || (bits == 32 && integer.is_signed());
        match fits && integer != Integer::Int {
            true => self.convert(loaded, self.program.types.of(Integer::Int)),
            false => loaded,
        }
    }

    /// The object in which a place lies without a pointer in between is pointed to.
    pub(super) fn take_address(&mut self, place: PlaceId) {
        let mut place = place;
        loop {
            match self.program.places[place.0 as usize].kind {
                PlaceKind::Object(object) | PlaceKind::Compound(object, _) => {
                    self.program.objects[object.0 as usize].address_taken = true;
                    return;
                }
                PlaceKind::Field(base, _) | PlaceKind::Element(base, _) => place = base,
                PlaceKind::Target(_) | PlaceKind::Temporary(_) => return,
            }
        }
    }

    /// A scalar that is tested.
    pub(super) fn condition(&mut self, operand: Operand) -> ExpressionId {
        let value = self.value(operand);
        let type_id = self.type_of(value);
        if type_id == Types::UNKNOWN {
            return value;
        }
        if !self.program.types.is_scalar(type_id) {
            let shown = self.show(type_id);
            let message = format!("a number or pointer is tested, and this is `{shown}`");
            self.collector
                .report(Diagnostic::error(operand.span, message));
            return self.unknown(operand.span);
        }
        match self.outside(type_id) {
            Some(outside) => {
                let int = self.program.types.of(Integer::Int);
                self.add(ExpressionKind::Outside(outside), int, operand.span)
            }
            None => value,
        }
    }

    pub(super) fn pop_condition(&mut self) -> ExpressionId {
        let operand = self.pop();
        self.condition(operand)
    }

    /// The type for a message.
    pub(super) fn show(&self, type_id: TypeId) -> String {
        self.program.types.show(type_id, &self.program.names)
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.collector.report(Diagnostic::error(span, message));
    }

    pub(super) fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.collector.report(Diagnostic::warning(span, message));
    }
}
