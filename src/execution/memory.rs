//! All objects of an execution, dead ones told from living ones by their generation.

use super::object::{Object, Role};
use super::shape::{MAX_SIZE, Shape, Shapes};
use super::stop::{Beyond, EndKind, Step, Undefined};
use super::value::{Class, Handle, Scalar, Source, Value};
use crate::typing::c::tree::{Length, ObjectId, Type, TypeId, Types};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The objects.
#[derive(Debug)]
pub struct Memory {
    entries: Vec<Entry>,
    vacant: Vec<u32>,
    pub shapes: Shapes,
    /// That of memory without type.
    untyped: Rc<Shape>,
    pub pointer_size: u32,
    /// The objects of static storage, by [`ObjectId`].
    pub statics: Vec<Option<Handle>>,
    allocated: u32,
    /// How many bytes may still be taken.
    room: u64,
}

#[derive(Debug)]
struct Entry {
    generation: u32,
    object: Option<Object>,
}

impl Memory {
    pub fn new(types: &Types, objects: usize, room: u64) -> Self {
        let untyped = Shape {
            size: 1,
            shift: 0,
            pattern: [Class::Free].into(),
            leaves: [].into(),
        };
        Memory {
            entries: Vec::new(),
            vacant: Vec::new(),
            shapes: Shapes::default(),
            untyped: Rc::new(untyped),
            pointer_size: types.pointer_size() as u32,
            statics: vec![None; objects],
            allocated: 0,
            room,
        }
    }

    fn add(&mut self, object: Object) -> Step<Handle> {
        let size = u64::from(object.size);
        self.room = self.room.checked_sub(size).ok_or(EndKind::Exhausted)?;
        Ok(match self.vacant.pop() {
            Some(index) => {
                let entry = &mut self.entries[index as usize];
                entry.object = Some(object);
                Handle {
                    index,
                    generation: entry.generation,
                }
            }
            None => {
                let entry = Entry {
                    generation: 0,
                    object: Some(object),
                };
                self.entries.push(entry);
                Handle {
                    index: self.entries.len() as u32 - 1,
                    generation: 0,
                }
            }
        })
    }

    /// A new object of a type, with so many bytes.
    pub fn declare(
        &mut self,
        types: &Types,
        role: Role,
        type_id: TypeId,
        size: u64,
        source: Option<Source>,
    ) -> Step<Handle> {
        if size >= MAX_SIZE {
            return Err(EndKind::Exhausted);
        }
        let shape = self.shapes.of(types, type_id);
        let mut object = Object::new(role, Some(type_id), size as u32, shape);
        object.reset(source);
        self.add(object)
    }

    /// New memory without type; on the heap unless the role is known.
    pub fn allocate(
        &mut self,
        size: u64,
        role: Option<Role>,
        source: Option<Source>,
    ) -> Step<Handle> {
        if size >= MAX_SIZE {
            return Err(EndKind::Exhausted);
        }
        let role = role.unwrap_or_else(|| {
            self.allocated += 1;
            Role::Heap(self.allocated)
        });
        let mut object = Object::new(role, None, size as u32, self.untyped.clone());
        object.reset(source);
        self.add(object)
    }

    /// Ends an object; nothing happens if it has ended.
    pub fn release(&mut self, handle: Handle) {
        let Some(entry) = self.entries.get_mut(handle.index as usize) else {
            return;
        };
        if entry.generation != handle.generation {
            return;
        }
        let Some(object) = entry.object.take() else {
            return;
        };
        self.room += u64::from(object.size);
        entry.generation = entry.generation.wrapping_add(1);
        self.vacant.push(handle.index);
    }

    /// The object, if it lives.
    #[inline]
    pub fn find(&self, handle: Handle) -> Option<&Object> {
        let entry = self.entries.get(handle.index as usize)?;
        match entry.generation == handle.generation {
            true => entry.object.as_ref(),
            false => None,
        }
    }

    #[inline]
    pub fn object(&mut self, handle: Handle) -> Step<&mut Object> {
        let entry = &mut self.entries[handle.index as usize];
        match &mut entry.object {
            Some(object) if entry.generation == handle.generation => Ok(object),
            _ => Err(Undefined::Dangling.into()),
        }
    }

    /// The objects that there are, in the order of their places.
    pub fn objects_mut(&mut self) -> impl Iterator<Item = &mut Object> {
        self.entries
            .iter_mut()
            .filter_map(|entry| entry.object.as_mut())
    }

    pub fn static_object(&self, id: ObjectId) -> Step<Handle> {
        let handle = self.statics.get(id.0 as usize).copied().flatten();
        handle.ok_or(Beyond::Incomplete.into())
    }

    /// A pointer that is so many bytes further on.
    pub fn advance(
        &self,
        types: &Types,
        (handle, offset): (Handle, u32),
        distance: i128,
        target: Option<TypeId>,
    ) -> Step<Value> {
        let object = self.find(handle).ok_or(Undefined::Dangling)?;
        let to = i128::from(offset) + distance;
        if to < 0 || to > i128::from(object.size) {
            return Err(Undefined::Arithmetic.into());
        }
        let to = to as u32;
        if to != offset
            && let (Some(type_id), Some(target)) = (object.type_id, target)
            && !same_array(types, type_id, target, object.size, offset, to)
        {
            return Err(Undefined::Arithmetic.into());
        }
        Ok(Value::Address(handle, to))
    }
}

/// Whether two offsets are in one array of elements of the type `target`, or behind its last; what
/// is no element is an array of one. An offset where one array ends and the next one begins is in
/// both. Where there is nothing of that type, all of the object is one array: that is how bytes of it
/// are seen.
fn same_array(
    types: &Types,
    type_id: TypeId,
    target: TypeId,
    size: u32,
    from: u32,
    to: u32,
) -> bool {
    if let Type::Array(element, _) = types.get(type_id)
        && (element.id == target || Scalar::of(types, element.id).is_some())
    {
        return true;
    }
    let mut around = Around::default();
    for byte in [Some(from), from.checked_sub(1)].into_iter().flatten() {
        around.add(types, type_id, target, size, byte);
    }
    // A byte that is no element may stand for all bytes of the object.
    if around.has_lone_byte {
        return true;
    }
    let mut arrays = around.arrays.iter().filter(|array| array.contains(&from));
    arrays.clone().next().is_none() || arrays.any(|array| array.contains(&to))
}

/// What lies around some bytes of an object.
#[derive(Default)]
struct Around {
    /// The arrays of a type, their ends included. Of bytes only those that are declared as arrays: others
    /// may be seen of anything.
    arrays: Vec<RangeInclusive<u32>>,
    /// Whether there is a scalar of one byte that is no element, and one byte was asked for.
    has_lone_byte: bool,
}

impl Around {
    /// Adds what lies around a byte of an object.
    fn add(&mut self, types: &Types, type_id: TypeId, target: TypeId, size: u32, byte: u32) {
        let class = |id: TypeId| Scalar::of(types, id).map(Scalar::class);
        let is_target =
            |id: TypeId| id == target || class(id).is_some_and(|is| class(target) == Some(is));
        let is_byte = types.is_byte(target);
        // Types that lie around the byte: where they begin and end, and whether they are elements.
        let mut open = vec![(type_id, 0, size, false)];
        while let Some((id, start, extent, is_element)) = open.pop() {
            if is_target(id) && !is_element {
                match is_byte {
                    true => self.has_lone_byte = true,
                    false => self.arrays.push(start..=start + extent),
                }
            }
            match types.get(id) {
                Type::Array(element, length) => {
                    if is_target(element.id) && *length != Length::Constant(0) {
                        self.arrays.push(start..=start + extent);
                    }
                    if let Some(step) = types.size(element.id).filter(|step| *step > 0)
                        && (start..start + extent).contains(&byte)
                    {
                        let step = step as u32;
                        let inside = start + (byte - start) / step * step;
                        open.push((element.id, inside, step, true));
                    }
                }
                Type::Record(record) => {
                    let layout = types.records[record.0 as usize].layout.as_ref();
                    for field in layout.iter().flat_map(|layout| layout.fields.iter()) {
                        let offset = start + field.offset as u32;
                        let size = types.size(field.qualified.id).unwrap_or(0) as u32;
                        if field.bits.is_none() && (offset..offset + size).contains(&byte) {
                            open.push((field.qualified.id, offset, size, false));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
