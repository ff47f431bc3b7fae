//! Pointers in words: `&a[3]`, `&main.s.f`, `heap#2+1`.

use super::machine::Machine;
use super::object::{Object, Role};
use super::value::{Scalar, Value};
use crate::typing::c::tree::{Field, ObjectId, Origin, Type, TypeId};
use std::fmt::Write;

/// So many members and elements are named.
const DEPTH: usize = 64;

impl Machine<'_> {
    /// A pointer to something of type `target`.
    pub(super) fn pointer_text(&self, pointer: Value, target: Option<TypeId>) -> String {
        match pointer {
            Value::Function(function) => {
                let name = self.program.functions[function.0 as usize].name;
                format!("&{}", self.program.names.text(name))
            }
            Value::Stranger { number, .. } => format!("stranger {number}"),
            Value::Address(handle, offset) => match self.memory.find(handle) {
                Some(object) => self.address_text(object, offset, target),
                None => "dangling".into(),
            },
            _ => "null".into(),
        }
    }

    fn address_text(&self, object: &Object, offset: u32, target: Option<TypeId>) -> String {
        let size = target.and_then(|target| self.program.types.size(target));
        let size = size.filter(|size| *size > 0).unwrap_or(1) as u32;
        let (start, type_id) = match (object.role, object.type_id) {
            (Role::Declared(id), Some(type_id)) => (self.object_text(id), type_id),
            (role, _) => {
                let name = match role {
                    Role::Heap(number) => format!("heap#{number}"),
                    Role::Stack => "alloca".into(),
                    Role::Declared(_) | Role::Temporary => "temporary".into(),
                };
                return match offset {
                    0 => name,
                    _ if offset.is_multiple_of(size) => format!("{name}+{}", offset / size),
                    _ => format!("{name}+{offset} bytes"),
                };
            }
        };
        let mut text = format!("&{start}");
        self.write_path(&mut text, type_id, offset, target);
        text
    }

    fn object_text(&self, id: ObjectId) -> String {
        let object = &self.program.objects[id.0 as usize];
        let name = object.name.map(|name| self.program.names.text(name));
        let function = object.function.filter(|_| object.origin != Origin::Text);
        let function = function.map(|id| {
            let name = self.program.functions[id.0 as usize].name;
            self.program.names.text(name)
        });
        let name = name.unwrap_or(match object.origin {
            Origin::Text => "string",
            _ => "literal",
        });
        match function {
            Some(function) => format!("{function}.{name}"),
            None => name.into(),
        }
    }

    /// The members and elements that lead to an offset, down to something of type `target`.
    fn write_path(&self, text: &mut String, type_id: TypeId, offset: u32, target: Option<TypeId>) {
        let types = &self.program.types;
        let (mut id, mut rest) = (type_id, offset);
        for _ in 0..DEPTH {
            // What points to bytes, or to a type that is not in there, needs no more than a place.
            let is_there = Some(id) == target;
            let has_target = target.is_some_and(|target| {
                Scalar::of(types, target).is_some() || types.record(target).is_some()
            });
            if rest == 0 && (is_there || !has_target) {
                return;
            }
            match types.get(id) {
                Type::Array(element, _) => {
                    let Some(step) = types.size(element.id).filter(|step| *step > 0) else {
                        break;
                    };
                    let _ = write!(text, "[{}]", rest / step as u32);
                    rest %= step as u32;
                    id = element.id;
                }
                Type::Record(record) => {
                    let record = &types.records[record.0 as usize];
                    let all = || record.layout.iter().flat_map(|layout| layout.fields.iter());
                    let mut fields = all().filter(|field| {
                        let size = types.size(field.qualified.id).unwrap_or(0) as u32;
                        let start = field.offset as u32;
                        field.bits.is_none() && (start..start + size.max(1)).contains(&rest)
                    });
                    let first = fields.clone().next();
                    let fits = |field: &&_| {
                        let field: &Field = field;
                        Some(field.qualified.id) == target && field.offset as u32 == rest
                    };
                    // The element behind the last one of an array at the end.
                    let ends = |field: &&_| {
                        let field: &Field = field;
                        let size = types.size(field.qualified.id).unwrap_or(0) as u32;
                        let is_array = matches!(types.get(field.qualified.id), Type::Array(..));
                        is_array && field.offset as u32 + size == rest
                    };
                    let found = fields.find(fits).or(first);
                    let Some(field) = found.or_else(|| all().find(ends)) else {
                        break;
                    };
                    if let Some(name) = field.name {
                        let _ = write!(text, ".{}", self.program.names.text(name));
                    }
                    rest -= field.offset as u32;
                    id = field.qualified.id;
                }
                _ => break,
            }
        }
        if rest > 0 {
            let size = types.size(id).filter(|size| *size > 0).unwrap_or(1) as u32;
            let _ = match rest % size {
                0 => write!(text, "+{}", rest / size),
                _ => write!(text, "+{rest} bytes"),
            };
        }
    }
}
