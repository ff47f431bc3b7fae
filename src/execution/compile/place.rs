//! Places: each leaves its address on the stack; registers leave nothing.

use super::{Compiler, Task};
use crate::execution::code::{Home, Instruction, Register};
use crate::execution::shape::BitField;
use crate::execution::value::Scalar;
use crate::source::Span;
use crate::typing::c::tree::{Length, List, ObjectId, Place, PlaceId, PlaceKind, Type, Written};

impl Compiler<'_> {
    /// The register that a place is, if it is one.
    pub(super) fn register_of(&mut self, place: PlaceId) -> Option<Register> {
        match self.program.places[place.0 as usize].kind {
            PlaceKind::Object(object) => match self.home(object) {
                Home::Register(register) => Some(register),
                Home::Slot(_) | Home::Static => None,
            },
            _ => None,
        }
    }

    /// The bit-field that a place is, an index; then the place is that of the record.
    pub(super) fn bit_field(&mut self, place: PlaceId) -> Option<u32> {
        let Place { kind, type_id, .. } = self.program.places[place.0 as usize];
        let PlaceKind::Field(record, index) = kind else {
            return None;
        };
        let record = self.program.places[record.0 as usize].type_id;
        let layout = self.program.types.record(record)?.layout.as_ref()?;
        let bits = layout.fields.get(index as usize)?.bits?;
        self.code.fields.push(BitField {
            start: bits.start as u32,
            width: bits.width as u8,
            scalar: self.scalar(type_id),
        });
        Some(self.code.fields.len() as u32 - 1)
    }

    /// The address of an object.
    fn object(&mut self, id: ObjectId, span: Span) {
        let instruction = match self.home(id) {
            Home::Register(_) => return,
            Home::Slot(slot) => Instruction::Local(slot),
            Home::Static => Instruction::Static(id),
        };
        self.emit(instruction, span);
    }

    pub(super) fn place(&mut self, id: PlaceId, is_end_allowed: bool) {
        let Place {
            kind,
            type_id,
            span,
        } = self.program.places[id.0 as usize];
        let emit = |instruction| Task::Emit(instruction, span);
        match kind {
            PlaceKind::Object(object) => self.object(object, span),
            PlaceKind::Target(pointer) => self.plan([Task::Value(pointer)]),
            PlaceKind::Temporary(value) => {
                self.has_records = true;
                self.plan([Task::Value(value)]);
            }
            PlaceKind::Field(record, index) => {
                let type_id = self.program.places[record.0 as usize].type_id;
                let layout = self.program.types.record(type_id);
                let layout = layout.and_then(|record| record.layout.as_ref());
                let field = layout.and_then(|layout| layout.fields.get(index as usize));
                let offset = field.filter(|field| field.bits.is_none());
                let offset = offset.map(|field| field.offset as u32);
                self.tasks
                    .extend(offset.map(|offset| emit(Instruction::Field(offset))));
                self.plan([Task::Place(record)]);
            }
            PlaceKind::Element(array, index) => {
                let array_type = self.program.places[array.0 as usize].type_id;
                let length = match self.program.types.get(array_type) {
                    Type::Array(_, length) => *length,
                    _ => Length::Incomplete,
                };
                let instruction = match (self.size(type_id), length) {
                    (Some(size), Length::Constant(length)) if length > 0 => Instruction::Element {
                        size,
                        length: u32::try_from(length).unwrap_or(u32::MAX),
                        is_end_allowed,
                    },
                    (Some(size), Length::Constant(_) | Length::Incomplete) => {
                        Instruction::OpenElement(size)
                    }
                    _ => Instruction::VariableElement {
                        extent: self.extent(type_id, length),
                        is_end_allowed,
                    },
                };
                let sign = self.sign_index(index);
                self.plan([emit(instruction)]);
                self.tasks.extend(sign.map(emit));
                self.plan([Task::Place(array), Task::Value(index)]);
            }
            PlaceKind::Compound(object, writes) => {
                self.declare(object);
                let address = match self.home(object) {
                    Home::Slot(slot) => Instruction::Local(slot),
                    Home::Register(_) | Home::Static => Instruction::Static(object),
                };
                self.plan([
                    emit(Instruction::Declare(object)),
                    Task::Writes(writes, span),
                    emit(address),
                ]);
            }
        }
    }

    /// What an initialiser writes, one after the other.
    pub(super) fn writes(&mut self, list: List, span: Span) {
        let writes = &self.program.writes[list.start as usize..list.end as usize];
        let mut tasks = Vec::new();
        // What was written last stays in a register while something needs it.
        let repeats = writes
            .iter()
            .any(|write| matches!(write.value, Written::Again));
        let last = repeats.then(|| self.hidden());
        for write in writes {
            let type_id = self.program.places[write.place.0 as usize].type_id;
            // Static objects of types that are outside have values that nobody reads.
            let types = &self.program.types;
            if self.is_static
                && types.is_arithmetic(type_id)
                && Scalar::of(types, type_id).is_none()
            {
                continue;
            }
            tasks.push(Task::Place(write.place));
            match write.value {
                Written::Value(value) => {
                    tasks.push(Task::Value(value));
                    tasks.extend(last.map(|last| Task::Emit(Instruction::Keep(last), span)));
                }
                Written::Again => {
                    let last = last.unwrap_or_default();
                    tasks.push(Task::Emit(Instruction::Load(last), span));
                }
                Written::Zero => {
                    tasks.push(Task::Emit(Instruction::Zero(type_id), span));
                    continue;
                }
            }
            tasks.push(self.write(write.place, span));
            tasks.push(Task::Emit(Instruction::Pop, span));
        }
        self.tasks.extend(tasks.into_iter().rev());
    }
}
