//! What the cells of a lowered program are in C: parts of objects, with their names there.
//!
//! The name of a cell says which part it is: `main::s.b[1]` is a bit of the object's type further
//! on for each member and element.

use super::Original;
use crate::execution::Choice;
use crate::lower::c::{CellOrigin, Pointed, Scalar};
use crate::program::{PointId, ProcedureId, VariableId};
use crate::trace::Step;
use crate::typing::c::tree::{FunctionId, Length, ObjectId, Program, Storage, Type, TypeId};
use rustc_hash::FxHashMap;

/// The address of a stranger whose number does not count.
const ANYONE: u64 = 4096;

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub object: ObjectId,
    /// Its first bit, counted from that of the object.
    pub bit: u64,
}

/// The parts that the cells of a program are.
pub struct Parts<'a> {
    original: Original<'a>,
    globals: Vec<Option<Part>>,
    locals: FxHashMap<(ProcedureId, u32), Part>,
}

impl<'a> Parts<'a> {
    pub fn new(original: Original<'a>) -> Self {
        let Original {
            typed,
            program,
            origin,
            ..
        } = original;
        let mut parts = Parts {
            original,
            globals: Vec::new(),
            locals: FxHashMap::default(),
        };
        // Which part the one cell of a large array is, its key says.
        let part = |origin: &CellOrigin, name: &str| {
            let object = origin.object.filter(|_| origin.key.is_none())?;
            let path = &name[name.find(['.', '[']).unwrap_or(name.len())..];
            let type_id = typed.objects[object.0 as usize].qualified.id;
            let bit = bit_of(typed, type_id, path)?;
            Some(Part { object, bit })
        };
        for (cell, origin) in program.globals.iter().zip(&origin.globals) {
            let part = part(origin, program.names.text(cell.name));
            parts.globals.push(part);
        }
        for (id, origins) in program.procedure_ids().zip(&origin.locals) {
            let cells = program.procedure(id).locals.iter().zip(origins).zip(0..);
            for ((cell, origin), index) in cells {
                if let Some(part) = part(origin, program.names.text(cell.name)) {
                    parts.locals.insert((id, index), part);
                }
            }
        }
        parts
    }

    pub fn global(&self, index: u32) -> Option<Part> {
        self.globals.get(index as usize).copied().flatten()
    }

    pub fn part(&self, procedure: ProcedureId, cell: VariableId) -> Option<Part> {
        match cell {
            VariableId::Global(index) => self.global(index),
            VariableId::Local(index) => self.locals.get(&(procedure, index)).copied(),
        }
    }

    /// An element of an array of integers, or of such arrays.
    pub fn element(&self, object: ObjectId, index: u64) -> Option<Part> {
        let types = &self.original.typed.types;
        let mut id = self.original.typed.objects[object.0 as usize].qualified.id;
        while let Type::Array(element, _) = types.get(id) {
            id = element.id;
        }
        let bit = index.checked_mul(types.size(id)? * 8)?;
        Some(Part { object, bit })
    }

    /// The first bit of the scalar of an object with this number, in the order of the source; one more
    /// is its end.
    pub fn unit(&self, object: ObjectId, unit: u32) -> Option<u64> {
        let types = &self.original.typed.types;
        let type_id = self.original.typed.objects[object.0 as usize].qualified.id;
        let mut open = vec![(type_id, 0)];
        let mut left = unit;
        while let Some((id, bit)) = open.pop() {
            match types.get(id) {
                Type::Array(element, Length::Constant(length)) => {
                    let size = types.size(element.id)? * 8;
                    let elements = (0..*length).rev();
                    open.extend(elements.map(|index| (element.id, bit + index * size)));
                }
                Type::Record(_) => {
                    // The members of a union share their numbers.
                    let record = types.record(id).filter(|record| !record.is_union)?;
                    let fields = &record.layout.as_ref()?.fields;
                    let starts = fields.iter().rev().map(|field| match field.bits {
                        Some(bits) => (field.qualified.id, bit + bits.start),
                        None => (field.qualified.id, bit + field.offset * 8),
                    });
                    open.extend(starts);
                }
                _ if left == 0 => return Some(bit),
                _ => left -= 1,
            }
        }
        (left == 0).then_some(types.size(type_id)? * 8)
    }

    /// The part that a cell is at a step: of a large array an element that is followed.
    pub fn at(&self, step: &Step, cell: VariableId) -> Option<Part> {
        let procedure = self.original.program.point(PointId(step.at()?)).procedure;
        let origin = self.original.origin.cell(procedure, cell);
        match (origin.object, origin.key) {
            (Some(object), Some(key)) => self.element(object, step.valuation.find(key)?),
            _ => self.part(procedure, cell),
        }
    }

    /// What a cell holds at a step.
    pub fn value(&self, step: &Step, cell: VariableId) -> Option<Choice> {
        let procedure = self.original.program.point(PointId(step.at()?)).procedure;
        let origin = self.original.origin.cell(procedure, cell);
        let bits = step.valuation.find(cell)?;
        let Scalar::Pointer(codes) = origin.scalar else {
            return Some(Choice::Number(origin.value(bits)));
        };
        Some(match self.original.origin.pointed(codes, bits)? {
            Pointed::Null => Choice::Number(0),
            // One that is compared with no other.
            Pointed::Stranger(number) => Choice::Number(number.unwrap_or(ANYONE).into()),
            Pointed::Function(function) => Choice::Function(function),
            Pointed::Object(object, unit) => {
                let bit = self.unit(object, unit)?;
                Choice::Object(object, u32::try_from(bit / 8).ok()?)
            }
        })
    }

    /// Whether an object is a global that no file defines.
    pub fn is_undefined(&self, object: ObjectId) -> bool {
        let storage = self.original.typed.objects[object.0 as usize].storage;
        storage == Storage::Static { defined: false }
    }

    pub fn returns_record(&self, function: FunctionId) -> bool {
        let type_id = self.original.typed.functions[function.0 as usize].type_id;
        let signature = self.original.typed.types.signature(type_id);
        signature
            .is_some_and(|signature| self.original.typed.types.record(signature.result).is_some())
    }

    /// How a cell is called in C, and in which function if it is a variable of one. `None` if it is
    /// hidden.
    pub fn name(
        &self,
        procedure: ProcedureId,
        cell: VariableId,
    ) -> Option<(Option<FunctionId>, String)> {
        let Part { object, .. } = self.part(procedure, cell)?;
        let object = &self.original.typed.objects[object.0 as usize];
        let cell = self.original.program.cell(procedure, cell);
        let name = self.original.program.names.text(cell.name);
        let path = &name[name.find(['.', '[']).unwrap_or(name.len())..];
        let own = self.original.typed.names.text(object.name?);
        Some((object.function, format!("{own}{path}")))
    }
}

/// The first bit of the part that a path such as `.b[1]` leads to.
fn bit_of(typed: &Program, type_id: TypeId, path: &str) -> Option<u64> {
    let types = &typed.types;
    let (mut id, mut bit, mut rest) = (type_id, 0, path);
    while let Some(kind) = rest.chars().next() {
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |end| end + 1);
        let (step, after) = rest.split_at(end);
        rest = after;
        match (kind, types.get(id)) {
            ('[', Type::Array(element, _)) => {
                let index: u64 = step[1..].strip_suffix(']')?.parse().ok()?;
                id = match types.row_element(id) {
                    row_element if row_element != id => row_element,
                    _ => element.id,
                };
                bit += index * types.size(id)? * 8;
            }
            ('.', _) => {
                let (offset, inner) = member(typed, id, &step[1..])?;
                bit += offset;
                id = inner;
            }
            _ => return None,
        }
    }
    Some(bit)
}

/// Where a member begins, in bits, and its type. Members of members without name are members of the
/// whole.
fn member(typed: &Program, record: TypeId, name: &str) -> Option<(u64, TypeId)> {
    let types = &typed.types;
    let mut open = vec![(record, 0)];
    while let Some((id, start)) = open.pop() {
        for field in &types.record(id)?.layout.as_ref()?.fields {
            let inner = field.qualified.id;
            let bit = match field.bits {
                Some(bits) => start + bits.start,
                None => start + field.offset * 8,
            };
            match field.name {
                Some(own) if typed.names.text(own) == name => {
                    return Some((bit, inner));
                }
                None if types.record(inner).is_some() => open.push((inner, bit)),
                _ => {}
            }
        }
    }
    None
}
