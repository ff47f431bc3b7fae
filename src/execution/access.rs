//! Reads and writes through pointers: scalars, bit-fields, records, bytes.

use super::machine::Machine;
use super::object::{Cell, Role};
use super::shape::{BitField, Leaf, LeafKind};
use super::stop::{Beyond, Step, Undefined};
use super::value::{Class, Handle, Scalar, Source, Value};
use crate::source::Span;
use crate::typing::c::tree::TypeId;

/// Where a pointer to an object leads; what is wrong with any other.
fn target(place: Value) -> Step<(Handle, u32)> {
    Err(match place {
        Value::Address(handle, offset) => return Ok((handle, offset)),
        Value::Null => Undefined::Null.into(),
        Value::Stranger {
            uninitialised: true,
            ..
        } => Undefined::Uninitialised.into(),
        Value::Stranger { .. } => Beyond::Stranger.into(),
        Value::Wild | Value::Function(_) => Undefined::OutOfBounds.into(),
        Value::Integer(_) | Value::Coming(..) | Value::Undetermined(_) | Value::Lost => {
            Beyond::OtherType.into()
        }
    })
}

/// The scalar that a slot of a class holds, unsigned.
fn scalar_of(class: Class) -> Option<Scalar> {
    Some(match class {
        Class::Bool => Scalar::Bool,
        Class::One => Scalar::U8,
        Class::Two => Scalar::U16,
        Class::Four => Scalar::U32,
        Class::Eight => Scalar::U64,
        Class::Pointer => Scalar::Pointer,
        Class::Free | Class::Dead | Class::Bits | Class::Inside | Class::Opaque => return None,
    })
}

impl Machine<'_> {
    #[inline]
    pub(super) fn read(&mut self, place: Value, scalar: Scalar, span: Span) -> Step<Value> {
        let (handle, offset) = target(place)?;
        let class = scalar.class();
        let size = class.size(self.memory.pointer_size);
        Ok(
            match self.memory.object(handle)?.read(offset, class, size)? {
                Value::Integer(bits) => Value::Integer(scalar.wrap(bits)),
                Value::Undetermined(source) => {
                    let value = self.determine(source, offset, scalar, span);
                    self.memory
                        .object(handle)?
                        .write(offset, class, size, value)?;
                    value
                }
                other => other,
            },
        )
    }

    #[inline]
    pub(super) fn write(&mut self, place: Value, scalar: Scalar, value: Value) -> Step<()> {
        let (handle, offset) = target(place)?;
        let class = scalar.class();
        let size = class.size(self.memory.pointer_size);
        self.memory
            .object(handle)?
            .write(offset, class, size, value)
    }

    pub(super) fn read_bits(&mut self, place: Value, field: BitField, span: Span) -> Step<Value> {
        let (handle, offset) = target(place)?;
        let in_object = BitField {
            start: field.start + offset * 8,
            ..field
        };
        match self.memory.object(handle)?.read_bits(in_object)? {
            Value::Undetermined(source) => {
                let Value::Integer(value) = self.determine_bits(source, in_object, span) else {
                    return Err(Beyond::OtherType.into());
                };
                self.write_bits(place, field, value)
            }
            value => Ok(value),
        }
    }

    /// What the field then holds.
    pub(super) fn write_bits(&mut self, place: Value, field: BitField, value: i64) -> Step<Value> {
        let (handle, offset) = target(place)?;
        let in_object = BitField {
            start: field.start + offset * 8,
            ..field
        };
        let value = field.wrap(value);
        self.memory.object(handle)?.write_bits(in_object, value)?;
        Ok(Value::Integer(value))
    }

    /// A record of its own, which lives as long as the expression.
    pub(super) fn temporary(&mut self, type_id: TypeId, source: Option<Source>) -> Step<Value> {
        let types = &self.program.types;
        let size = types.size(type_id).ok_or(Beyond::Incomplete)?;
        let handle = self
            .memory
            .declare(types, Role::Temporary, type_id, size, source)?;
        self.temporaries.push(handle);
        Ok(Value::Address(handle, 0))
    }

    pub(super) fn read_record(&mut self, place: Value, type_id: TypeId, span: Span) -> Step<Value> {
        let record = self.temporary(type_id, None)?;
        self.copy_record(record, place, type_id, span)?;
        Ok(record)
    }

    pub(super) fn copy_record(
        &mut self,
        to: Value,
        from: Value,
        type_id: TypeId,
        span: Span,
    ) -> Step<()> {
        let shape = self.memory.shapes.of(&self.program.types, type_id);
        for place in [from, to] {
            self.check(place, shape.size)?;
        }
        for leaf in &shape.leaves {
            match leaf.kind {
                LeafKind::Scalar(scalar) => {
                    let value = self.read(part(from, leaf.offset), scalar, span)?;
                    self.write(part(to, leaf.offset), scalar, value)?;
                }
                LeafKind::Bits(field) => {
                    if let Value::Integer(value) = self.read_bits(from, field, span)? {
                        self.write_bits(to, field, value)?;
                    }
                }
                LeafKind::Union(size) => {
                    self.copy(part(to, leaf.offset), part(from, leaf.offset), size, span)?;
                }
            }
        }
        Ok(())
    }

    /// Chooses what is undetermined of the scalars from a place on.
    pub(super) fn read_leaves(&mut self, place: Value, leaves: &[Leaf], span: Span) -> Step<()> {
        for leaf in leaves {
            match leaf.kind {
                LeafKind::Scalar(scalar) => {
                    self.read(part(place, leaf.offset), scalar, span)?;
                }
                LeafKind::Bits(field) => {
                    self.read_bits(place, field, span)?;
                }
                LeafKind::Union(_) => {}
            }
        }
        Ok(())
    }

    /// Whether so many bytes are there.
    fn check(&mut self, place: Value, size: u32) -> Step<()> {
        let (handle, offset) = target(place)?;
        let available = self.memory.object(handle)?.size;
        match u64::from(offset) + u64::from(size) <= u64::from(available) {
            true => Ok(()),
            false => Err(Undefined::OutOfBounds.into()),
        }
    }

    /// How many bytes of the object are from here on.
    pub(super) fn size_at(&mut self, place: Value) -> Step<u32> {
        let (handle, offset) = target(place)?;
        Ok(self.memory.object(handle)?.size - offset)
    }

    /// Sets bytes to the same value.
    pub(super) fn fill(&mut self, place: Value, size: u32, byte: i64) -> Step<()> {
        let (handle, offset) = target(place)?;
        self.memory.object(handle)?.fill(offset, size, byte)
    }

    /// Copies bytes with the types that they have.
    pub(super) fn copy(&mut self, to: Value, from: Value, size: u32, span: Span) -> Step<()> {
        self.check(from, size)?;
        self.check(to, size)?;
        let [(source, start), (goal, begin)] = [target(from)?, target(to)?];
        // Backwards where bytes would be overwritten before they are read.
        let is_backwards = source == goal && begin > start;
        let mut parts = self.parts(source, start, size)?;
        if is_backwards {
            parts.reverse();
        }
        for (offset, length) in parts {
            self.copy_part(
                (goal, begin + offset),
                (source, start + offset),
                length,
                span,
            )?;
        }
        Ok(())
    }

    /// The values between two bytes: where each begins, and how long it is.
    fn parts(&mut self, handle: Handle, start: u32, size: u32) -> Step<Vec<(u32, u32)>> {
        let pointer_size = self.memory.pointer_size;
        let object = self.memory.object(handle)?;
        let granule = 1 << object.shape.shift;
        let mut parts = Vec::new();
        let mut offset = 0;
        while offset < size {
            if !(start + offset).is_multiple_of(granule) {
                return Err(Beyond::OtherType.into());
            }
            let length = match object.get((start + offset) / granule).class {
                Class::Inside => return Err(Beyond::OtherType.into()),
                class if scalar_of(class).is_some() => class.size(pointer_size),
                _ => granule,
            };
            if offset + length > size {
                return Err(Beyond::OtherType.into());
            }
            parts.push((offset, length));
            offset += length;
        }
        Ok(parts)
    }

    fn copy_part(
        &mut self,
        (goal, to): (Handle, u32),
        (source, from): (Handle, u32),
        length: u32,
        span: Span,
    ) -> Step<()> {
        let object = self.memory.object(source)?;
        let cell = object.get(from >> object.shape.shift);
        let shift = object.shape.shift;
        let slot_bits = (from >> shift << shift) * 8;
        let mut bits = object.bits_in(from >> shift);
        for (bit, _) in &mut bits {
            *bit -= slot_bits;
        }
        // A value that is longer than the part was read with the part before.
        if cell.class == Class::Inside {
            return Ok(());
        }
        let object = self.memory.object(goal)?;
        let slot = to >> object.shape.shift;
        let declared = object.declared(slot);
        let is_typed = cell.class == Class::Free && declared != Class::Free;
        let own = scalar_of(object.get(slot).class).filter(|_| is_typed);
        if let Some(scalar) = scalar_of(cell.class).or(own) {
            let value = self.read(Value::Address(source, from), scalar, span)?;
            return self.write(Value::Address(goal, to), scalar, value);
        }
        let value = match cell.value {
            Value::Undetermined(open) => Value::Undetermined(open.moved(from, to)),
            value => value,
        };
        let cell = Cell { value, ..cell };
        match (cell.class, declared) {
            (Class::Opaque, _) | (_, Class::Inside | Class::Opaque) => Ok(()),
            _ if object.shape.shift == shift => object.put_raw(slot, cell, &bits),
            (Class::Free | Class::Dead, Class::Free) => object.put_bytes(to, length, cell),
            (Class::Free, _) => match cell.value {
                Value::Integer(byte) => object.fill(to, length, byte),
                _ => Ok(()),
            },
            _ => Err(Beyond::OtherType.into()),
        }
    }
}

/// A part of a record: so many bytes behind its beginning.
fn part(place: Value, offset: u32) -> Value {
    match place {
        Value::Address(handle, start) => Value::Address(handle, start + offset),
        other => other,
    }
}
