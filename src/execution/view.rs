//! What can be seen of an execution between two steps.

use super::code::{Home, StepPoint};
use super::machine::{Frame, Machine};
use super::object::Object;
use super::shape::BitField;
use super::value::{Scalar, Value};
use crate::typing::c::tree::{
    Field, FunctionId, ObjectId, Origin, Record, Role, Storage, Type, TypeId,
};
use serde::{Serialize, Serializer};

/// Structs and arrays are shown as deep as this.
const DEPTH: usize = 64;

/// Of longer arrays only those elements are shown that were touched.
const ELEMENTS: u64 = 256;

/// A configuration: the next step, and the values of what is in scope there.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The function on top.
    pub function: FunctionId,
    /// What comes next.
    pub step: StepPoint,
    /// How many frames are below.
    pub depth: usize,
    /// The globals, with their names.
    pub globals: Vec<(String, Shown)>,
    /// Parameters and locals of the function on top that are in scope, with their names; of
    /// those with the same name, the innermost.
    pub locals: Vec<(String, Shown)>,
    /// The state of the rule that is woven into the program, with the names.
    pub rule: Vec<(String, Shown)>,
    /// How many of the frames below are not the program's own.
    pub hidden: usize,
}

/// A value, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// It may be any: nobody has looked at it yet.
    Undetermined,
    /// An integer.
    Integer(i128),
    /// The name of an enumeration's constant, or a pointer.
    Text(String),
    /// An array.
    List(Vec<Shown>),
    /// A struct or union, or the elements of an array that were touched.
    Object(Vec<(String, Shown)>),
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Shown::Undetermined => serializer.serialize_none(),
            Shown::Integer(number) => match i64::try_from(*number) {
                Ok(number) => serializer.serialize_i64(number),
                Err(_) => serializer.serialize_u64(*number as u64),
            },
            Shown::Text(text) => serializer.serialize_str(text),
            Shown::List(values) => serializer.collect_seq(values),
            Shown::Object(entries) => {
                serializer.collect_map(entries.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl Machine<'_> {
    /// The configuration, if the execution has not ended.
    pub fn state(&self) -> Option<State> {
        let step = self.next_step()?;
        let frame = self.frames.last()?;
        Some(State {
            function: frame.function,
            step,
            depth: self.frames.len() - 1,
            globals: self.statics(Origin::Variable),
            locals: self.locals(frame, step),
            rule: self.statics(Origin::State),
            hidden: self.hidden(),
        })
    }

    fn hidden(&self) -> usize {
        // All that a rule adds comes behind the program itself.
        let is_own = |function: FunctionId| {
            self.program.functions[function.0 as usize].role == Role::Program
        };
        let last = self.program.functions.last();
        match last.is_none_or(|last| last.role == Role::Program) {
            true => 0,
            false => {
                let below = self.frames.iter().rev().skip(1);
                below.filter(|frame| !is_own(frame.function)).count()
            }
        }
    }

    /// The variables outside functions, of the program or of a rule.
    fn statics(&self, origin: Origin) -> Vec<(String, Shown)> {
        let objects = self.program.objects.iter().enumerate();
        let globals = objects.filter(|(_, object)| {
            object.origin == origin
                && object.function.is_none()
                && matches!(object.storage, Storage::Static { .. })
        });
        let shown = globals.filter_map(|(index, object)| {
            let name = self.program.names.text(object.name?);
            Some((name.to_owned(), self.static_value(ObjectId(index as u32))))
        });
        shown.collect()
    }

    fn locals(&self, frame: &Frame, step: StepPoint) -> Vec<(String, Shown)> {
        let mut locals: Vec<(String, Shown)> = Vec::new();
        let mut block = Some(step.block);
        let code = &frame.code;
        while let Some(index) = block {
            let entry = &code.blocks[index as usize];
            let is_declared =
                |id: &&ObjectId| code.order.get(id).is_some_and(|k| *k < step.declared);
            for id in entry.objects.iter().filter(is_declared).rev() {
                let Some(name) = self.program.objects[id.0 as usize].name else {
                    continue;
                };
                let name = self.program.names.text(name);
                if locals.iter().all(|(other, _)| other != name) {
                    locals.push((name.to_owned(), self.local_value(frame, *id)));
                }
            }
            block = entry.parent;
        }
        locals.reverse();
        locals
    }

    fn static_value(&self, id: ObjectId) -> Shown {
        let handle = self.memory.statics[id.0 as usize];
        let object = handle.and_then(|handle| self.memory.find(handle));
        object.map_or(Shown::Undetermined, |object| self.object_value(object))
    }

    fn local_value(&self, frame: &Frame, id: ObjectId) -> Shown {
        match frame.code.homes.get(&id) {
            Some(Home::Register(register)) => {
                let value = self.registers[frame.registers + *register as usize];
                let type_id = self.program.objects[id.0 as usize].qualified.id;
                self.scalar_value(Some(value), type_id)
            }
            Some(Home::Slot(slot)) => {
                let handle = self.slots[frame.slots + *slot as usize];
                let object = handle.and_then(|handle| self.memory.find(handle));
                object.map_or(Shown::Undetermined, |object| self.object_value(object))
            }
            Some(Home::Static) => self.static_value(id),
            None => Shown::Undetermined,
        }
    }

    fn object_value(&self, object: &Object) -> Shown {
        match object.type_id {
            Some(type_id) => self.value_at(object, type_id, 0, 0),
            None => Shown::Undetermined,
        }
    }

    fn scalar_value(&self, value: Option<Value>, type_id: TypeId) -> Shown {
        let types = &self.program.types;
        match value {
            None | Some(Value::Undetermined(_) | Value::Lost) => Shown::Undetermined,
            Some(Value::Integer(bits)) => {
                let scalar = Scalar::of(types, type_id).unwrap_or(Scalar::I64);
                let number = scalar.number(scalar.wrap(bits));
                match types.constant(type_id, number) {
                    Some(name) => Shown::Text(self.program.names.text(name).to_owned()),
                    None => Shown::Integer(number),
                }
            }
            Some(pointer) => {
                let target = types.target(type_id).map(|target| target.id);
                Shown::Text(self.pointer_text(pointer, target))
            }
        }
    }

    fn value_at(&self, object: &Object, type_id: TypeId, offset: u32, depth: usize) -> Shown {
        let types = &self.program.types;
        if depth > DEPTH {
            return Shown::Undetermined;
        }
        if let Some(scalar) = Scalar::of(types, type_id) {
            let class = scalar.class();
            let value = object.peek(offset, class, class.size(self.memory.pointer_size));
            return self.scalar_value(value, type_id);
        }
        match types.get(type_id) {
            Type::Array(element, _) => self.array_at(object, type_id, element.id, offset, depth),
            Type::Record(record) => {
                let record = &types.records[record.0 as usize];
                let mut entries = Vec::new();
                self.members_at(&mut entries, object, record, offset, depth);
                Shown::Object(entries)
            }
            _ => Shown::Undetermined,
        }
    }

    fn array_at(
        &self,
        object: &Object,
        type_id: TypeId,
        element: TypeId,
        offset: u32,
        depth: usize,
    ) -> Shown {
        let types = &self.program.types;
        let Some(step) = types.size(element).filter(|step| *step > 0) else {
            return Shown::List(Vec::new());
        };
        // Of an array of variable size the object knows how long it is.
        let size = types
            .size(type_id)
            .unwrap_or(u64::from(object.size - offset));
        let count = size / step;
        let at = |index: u64| {
            let offset = offset + (index * step) as u32;
            self.value_at(object, element, offset, depth + 1)
        };
        if count <= ELEMENTS {
            return Shown::List((0..count).map(at).collect());
        }
        let bytes = object.touched().into_iter();
        let bytes = bytes.map(|slot| u64::from(slot << object.shape.shift));
        let range = u64::from(offset)..u64::from(offset) + size;
        let inside = bytes.filter(|byte| range.contains(byte));
        let mut indices: Vec<u64> = inside.map(|byte| (byte - range.start) / step).collect();
        indices.dedup();
        let entries = indices
            .into_iter()
            .map(|index| (index.to_string(), at(index)));
        Shown::Object(entries.collect())
    }

    /// The members of a struct, or the one of a union that is live.
    fn members_at(
        &self,
        entries: &mut Vec<(String, Shown)>,
        object: &Object,
        record: &Record,
        offset: u32,
        depth: usize,
    ) {
        let types = &self.program.types;
        let fields = record.layout.iter().flat_map(|layout| layout.fields.iter());
        let mut members: Vec<&Field> = fields.collect();
        if record.is_union {
            let live = members.iter().find(|field| {
                let shown = self.member_at(object, field, offset, depth);
                is_determined(&shown)
            });
            members = live.or(members.first()).copied().into_iter().collect();
        }
        for field in members {
            let shown = self.member_at(object, field, offset, depth);
            match (field.name, shown) {
                (Some(name), shown) => {
                    entries.push((self.program.names.text(name).to_owned(), shown));
                }
                // Members of a member without name are seen as members of the whole.
                (None, Shown::Object(inner)) if types.record(field.qualified.id).is_some() => {
                    entries.extend(inner);
                }
                (None, _) => {}
            }
        }
    }

    fn member_at(&self, object: &Object, field: &Field, offset: u32, depth: usize) -> Shown {
        let type_id = field.qualified.id;
        let Some(bits) = field.bits else {
            return self.value_at(object, type_id, offset + field.offset as u32, depth + 1);
        };
        let scalar = Scalar::of(&self.program.types, type_id).unwrap_or(Scalar::U32);
        let value = object.peek_bits(BitField {
            start: offset * 8 + bits.start as u32,
            width: bits.width as u8,
            scalar,
        });
        self.scalar_value(value.map(Value::Integer), type_id)
    }
}

/// Whether some part of it is known.
fn is_determined(shown: &Shown) -> bool {
    match shown {
        Shown::Undetermined => false,
        Shown::Integer(_) | Shown::Text(_) => true,
        Shown::List(values) => values.iter().any(is_determined),
        Shown::Object(entries) => entries.iter().any(|(_, value)| is_determined(value)),
    }
}
