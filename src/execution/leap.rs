//! Leaving out a part of an execution: what it has changed is put where it was.
//!
//! Only scalars of declared objects are put, those of the function on top and static ones; a part is
//! named by the bit of its object at which it begins. Constant time, but for records with many
//! members.

use super::choices::Choice;
use super::code::Home;
use super::machine::Machine;
use super::shape::{BitField, LeafKind};
use super::stop::Step;
use super::value::{Handle, Scalar, Value};
use crate::typing::c::tree::ObjectId;

/// Where a scalar is.
enum Spot {
    Register(usize, Scalar),
    Memory(Handle, u32, Scalar),
    Bits(Handle, BitField),
}

impl Machine<'_> {
    /// The number that a part of an object holds, if it is an integer that somebody has determined.
    pub fn number(&self, object: ObjectId, bit: u64) -> Option<i128> {
        let (value, scalar) = match self.spot(object, bit)? {
            Spot::Register(register, scalar) => (self.registers[register], scalar),
            Spot::Memory(handle, offset, scalar) => {
                let class = scalar.class();
                let size = class.size(self.memory.pointer_size);
                let object = self.memory.find(handle)?;
                (object.peek(offset, class, size)?, scalar)
            }
            Spot::Bits(handle, field) => {
                let bits = self.memory.find(handle)?.peek_bits(field)?;
                return Some(field.scalar.number(field.wrap(bits)));
            }
        };
        match value {
            Value::Integer(bits) if scalar != Scalar::Pointer => {
                Some(scalar.number(scalar.wrap(bits)))
            }
            _ => None,
        }
    }

    /// Puts a number or an address into a part of an object. Whether there is such a part, and what
    /// was put there fits.
    pub fn put(&mut self, object: ObjectId, bit: u64, choice: Choice) -> bool {
        let put = self.spot(object, bit).map(|spot| self.put_at(spot, choice));
        matches!(put, Some(Ok(true)))
    }

    fn put_at(&mut self, spot: Spot, choice: Choice) -> Step<bool> {
        let scalar = match spot {
            Spot::Register(_, scalar) | Spot::Memory(_, _, scalar) => scalar,
            Spot::Bits(_, field) => field.scalar,
        };
        let Some(value) = self.value_of(scalar, choice) else {
            return Ok(false);
        };
        match (spot, value) {
            (Spot::Register(register, _), value) => self.registers[register] = value,
            (Spot::Memory(handle, offset, _), value) => {
                let class = scalar.class();
                let size = class.size(self.memory.pointer_size);
                let object = self.memory.object(handle)?;
                object.write(offset, class, size, value)?;
            }
            (Spot::Bits(handle, field), Value::Integer(bits)) => {
                let object = self.memory.object(handle)?;
                object.write_bits(field, field.wrap(bits))?;
            }
            (Spot::Bits(..), _) => return Ok(false),
        }
        Ok(true)
    }

    fn value_of(&self, scalar: Scalar, choice: Choice) -> Option<Value> {
        Some(match choice {
            Choice::Number(number) if scalar != Scalar::Pointer => {
                Value::Integer(scalar.wrap(number as i64))
            }
            Choice::Number(0) => Value::Null,
            Choice::Number(number) => Value::Stranger {
                number: number as u64,
                uninitialised: false,
            },
            _ if scalar != Scalar::Pointer => return None,
            Choice::Function(function) => Value::Function(function),
            Choice::Object(object, offset) => {
                let handle = self.living(object)?;
                let size = self.memory.find(handle)?.size;
                Value::Address(handle, offset.min(size))
            }
        })
    }

    fn spot(&self, object: ObjectId, bit: u64) -> Option<Spot> {
        let frame = self.frames.last()?;
        let handle = match frame.code.homes.get(&object) {
            Some(Home::Register(register)) => {
                let type_id = self.program.objects[object.0 as usize].qualified.id;
                let scalar = Scalar::of(&self.program.types, type_id)?;
                let register = frame.registers + *register as usize;
                return (bit == 0).then_some(Spot::Register(register, scalar));
            }
            Some(Home::Slot(slot)) => self.slots[frame.slots + *slot as usize]?,
            Some(Home::Static) | None => self
                .memory
                .statics
                .get(object.0 as usize)
                .copied()
                .flatten()?,
        };
        let shape = &self.memory.find(handle)?.shape;
        let bit = u32::try_from(bit).ok()?;
        // Arrays repeat the shape of their elements.
        let base = (bit / 8).checked_div(shape.size)? * shape.size;
        let inside = bit - base * 8;
        shape.leaves.iter().find_map(|leaf| match leaf.kind {
            LeafKind::Scalar(scalar) if leaf.offset * 8 == inside => {
                Some(Spot::Memory(handle, base + leaf.offset, scalar))
            }
            LeafKind::Bits(field) if field.start == inside => {
                let start = field.start + base * 8;
                Some(Spot::Bits(handle, BitField { start, ..field }))
            }
            _ => None,
        })
    }
}
