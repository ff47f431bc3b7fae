//! Leaving out a part of an execution: what it has changed is put where it was, or lost if nobody knows it.
//!
//! Only scalars of declared objects are put; a part is named by the bit of its object at which it begins.
//! What is lost goes through assignments, calls and arithmetic as it is; a step that would go on otherwise
//! for another value is noted, and whoever leaves something out must ask for that. Constant time, but for records
//! with many members, and for objects that are lost as a whole.

use super::Overflow;
use super::arithmetic;
use super::choices::Choice;
use super::code::Home;
use super::machine::Machine;
use super::object::Role;
use super::shape::{BitField, LeafKind};
use super::stop::Step;
use super::value::{Handle, Scalar, Value};
use crate::typing::c::tree::{Binary, ObjectId};

/// Where a scalar is.
enum Spot {
    Register(usize, Scalar),
    Memory(Handle, u32, Scalar),
    Bits(Handle, BitField),
}

/// What is found of a part.
enum Found {
    Spot(Spot),
    /// The object is there, but no scalar that begins so.
    Whole(Handle),
    /// There is no such object now.
    Nothing,
    /// Which object it is, if there is one.
    Unknown,
}

impl Machine<'_> {
    /// Whether a part of an object holds what it should. What has another type, or was not determined, does
    /// as well.
    pub fn agrees(&self, object: ObjectId, bit: u64, choice: Choice) -> bool {
        let Found::Spot(spot) = self.part_of(object, bit) else {
            return true;
        };
        let (found, scalar) = match spot {
            Spot::Register(register, scalar) => (Some(self.registers[register]), scalar),
            Spot::Memory(handle, offset, scalar) => {
                let class = scalar.class();
                let size = class.size(self.memory.pointer_size);
                let object = self.memory.find(handle);
                let found = object.and_then(|object| object.peek(offset, class, size));
                (found, scalar)
            }
            Spot::Bits(handle, field) => {
                let object = self.memory.find(handle);
                let bits = object.and_then(|object| object.peek_bits(field));
                let found = bits.map(|bits| Value::Integer(field.wrap(bits)));
                (found, field.scalar)
            }
        };
        match (found, choice) {
            (None | Some(Value::Undetermined(_)), _) => true,
            (Some(Value::Lost), _) => false,
            (Some(Value::Integer(bits)), Choice::Number(number)) => {
                scalar.number(scalar.wrap(bits)) == number
            }
            // Of strangers it is only known that they are some.
            (Some(Value::Stranger { .. }), Choice::Number(number)) => number != 0,
            (found, choice) => found == self.value_of(scalar, choice),
        }
    }

    /// Puts a number or an address into a part of an object, if that is there. False if it does not fit.
    pub fn put(&mut self, object: ObjectId, bit: u64, choice: Choice) -> bool {
        match self.part_of(object, bit) {
            Found::Spot(spot) => self.put_at(spot, choice) == Ok(true),
            Found::Nothing => true,
            Found::Whole(_) | Found::Unknown => false,
        }
    }

    /// Nobody knows any more what a part of an object holds. False if it is not known which object.
    pub fn lose(&mut self, object: ObjectId, bit: u64) -> bool {
        let lost = match self.part_of(object, bit) {
            Found::Spot(Spot::Register(register, _)) => {
                self.registers[register] = Value::Lost;
                Ok(())
            }
            Found::Spot(Spot::Memory(handle, offset, scalar)) => {
                let class = scalar.class();
                let size = class.size(self.memory.pointer_size);
                let object = self.memory.object(handle);
                object.and_then(|object| object.write(offset, class, size, Value::Lost))
            }
            Found::Spot(Spot::Bits(handle, field)) => {
                let object = self.memory.object(handle);
                object.and_then(|object| object.lose_bits(field))
            }
            Found::Whole(handle) => self.memory.object(handle).map(|object| object.lose()),
            Found::Nothing => Ok(()),
            Found::Unknown => return false,
        };
        lost.is_ok()
    }

    /// The same of all that an object holds.
    pub fn lose_all(&mut self, object: ObjectId) -> bool {
        match self.whole(object) {
            Found::Whole(handle) => {
                self.memory.object(handle).map(|object| object.lose()) == Ok(())
            }
            Found::Spot(Spot::Register(register, _)) => {
                self.registers[register] = Value::Lost;
                true
            }
            Found::Spot(_) | Found::Unknown => false,
            Found::Nothing => true,
        }
    }

    /// The same of all objects that have no name.
    pub fn lose_nameless(&mut self) {
        let objects = &self.program.objects;
        let is_nameless = |role| match role {
            Role::Declared(id) => objects[id.0 as usize].name.is_none(),
            Role::Heap(_) | Role::Stack => true,
            Role::Temporary => false,
        };
        let all = self.memory.objects_mut();
        all.filter(|object| is_nameless(object.role))
            .for_each(|object| object.lose());
    }

    /// Whether a step was made since this was asked last that depends on what is lost.
    pub fn take_used_lost(&mut self) -> bool {
        self.has_used_lost.take()
    }

    /// Whether one of so many values on the stack is lost.
    #[inline]
    pub(super) fn lost_above(&self, values: usize) -> bool {
        let above = self.stack.len().saturating_sub(values);
        self.stack[above..].contains(&Value::Lost)
    }

    /// What comes of the two values on the stack, of which one is lost: nobody knows.
    pub(super) fn binary_of_lost(&mut self, operator: Binary, scalar: Scalar) -> Value {
        let right = self.pop();
        self.pop();
        let is_total = match operator {
            Binary::Divide | Binary::Remainder | Binary::ShiftLeft | Binary::ShiftRight => {
                let has_result = |right| arithmetic::binary(operator, scalar, 0, right).is_ok();
                // The smallest number divided by -1 has none.
                matches!(right, Value::Integer(right) if right != scalar.wrap(-1) && has_result(right))
            }
            _ => true,
        };
        let may_overflow = scalar.is_signed() && self.options.overflow != Overflow::Wrap;
        if !is_total || may_overflow {
            self.has_used_lost.set(true);
        }
        Value::Lost
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

    fn part_of(&self, object: ObjectId, bit: u64) -> Found {
        let handle = match self.whole(object) {
            Found::Whole(handle) => handle,
            Found::Spot(spot) if bit == 0 => return Found::Spot(spot),
            Found::Spot(_) => return Found::Unknown,
            other => return other,
        };
        let found = self.scalar_at(handle, bit).map(Found::Spot);
        found.unwrap_or(Found::Whole(handle))
    }

    /// The object of a declaration: of a static one, of one of the function on top, or of the only call of a
    /// function.
    fn whole(&self, object: ObjectId) -> Found {
        let statics = &self.memory.statics;
        if let Some(handle) = statics.get(object.0 as usize).copied().flatten() {
            return Found::Whole(handle);
        }
        let Some((top, below)) = self.frames.split_last() else {
            return Found::Nothing;
        };
        let mut callers = below
            .iter()
            .filter(|frame| frame.code.homes.contains_key(&object));
        let (frame, home) = match (top.code.homes.get(&object), callers.next()) {
            (Some(home), _) => (top, home),
            (None, None) => return Found::Nothing,
            (None, Some(frame)) => match (frame.code.homes.get(&object), callers.next()) {
                (Some(home), None) => (frame, home),
                _ => return Found::Unknown,
            },
        };
        match home {
            Home::Register(register) => {
                let type_id = self.program.objects[object.0 as usize].qualified.id;
                let register = frame.registers + *register as usize;
                let scalar = Scalar::of(&self.program.types, type_id);
                let spot = scalar.map(|scalar| Found::Spot(Spot::Register(register, scalar)));
                spot.unwrap_or(Found::Unknown)
            }
            Home::Slot(slot) => match self.slots[frame.slots + *slot as usize] {
                Some(handle) => Found::Whole(handle),
                None => Found::Nothing,
            },
            Home::Static => Found::Nothing,
        }
    }

    fn scalar_at(&self, handle: Handle, bit: u64) -> Option<Spot> {
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
