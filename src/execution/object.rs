//! The slots of one object: what each holds, and whether it may be accessed as it is.
//!
//! A slot has a class, which says of which type its value is. In declared memory it never
//! changes; in unions and in allocated memory each write sets it anew. Access costs a
//! few comparisons where the class is the one expected. Objects of more than [`DENSE`] slots keep
//! only those that were touched.

use super::shape::{BitField, Shape};
use super::stop::{Beyond, EndKind, Step, Undefined};
use super::value::{Class, Source, Value};
use crate::typing::c::tree::{ObjectId, TypeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Up to so many slots are kept in an array.
const DENSE: u32 = 1 << 14;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Declared(ObjectId),
    /// Allocated, and the how-manieth.
    Heap(u32),
    /// Allocated until the function returns.
    Stack,
    /// A record on its way.
    Temporary,
}

/// A slot.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub value: Value,
    pub class: Class,
    pub touched: bool,
}

#[derive(Debug)]
pub struct Object {
    pub role: Role,
    /// None for allocated memory.
    pub type_id: Option<TypeId>,
    /// In bytes.
    pub size: u32,
    pub shape: Rc<Shape>,
    /// What slots hold that were never touched.
    background: Value,
    dense: Vec<Cell>,
    sparse: FxHashMap<u32, Cell>,
    /// Bit-fields that were written, by their first bit.
    bits: FxHashMap<u32, i64>,
}

impl Object {
    pub fn new(role: Role, type_id: Option<TypeId>, size: u32, shape: Rc<Shape>) -> Self {
        Object {
            role,
            type_id,
            size,
            shape,
            background: Value::Integer(0),
            dense: Vec::new(),
            sparse: FxHashMap::default(),
            bits: FxHashMap::default(),
        }
    }

    /// Whether slots that were never touched may hold any value.
    pub fn is_arbitrary(&self) -> bool {
        matches!(self.background, Value::Undetermined(_))
    }

    /// Whether nobody knows what slots hold that were not touched since.
    pub fn is_lost(&self) -> bool {
        self.background == Value::Lost
    }

    /// Nobody knows any more what it holds.
    pub fn lose(&mut self) {
        self.background = Value::Lost;
        self.bits.clear();
        for cell in self.dense.iter_mut().chain(self.sparse.values_mut()) {
            if !matches!(cell.class, Class::Inside | Class::Opaque) {
                cell.value = Value::Lost;
                cell.touched = true;
            }
        }
    }

    /// The slots of the object.
    pub fn slots(&self) -> u32 {
        self.size.div_ceil(1 << self.shape.shift)
    }

    /// Every slot is as if nothing had been done to it: zeros, or undetermined.
    pub fn reset(&mut self, source: Option<Source>) {
        self.background = source.map_or(Value::Integer(0), Value::Undetermined);
        self.bits.clear();
        self.sparse.clear();
        self.dense.clear();
        let slots = self.slots();
        if slots <= DENSE {
            let fresh = (0..slots).map(|slot| self.fresh(slot)).collect();
            self.dense = fresh;
        }
    }

    /// The class of a slot before anything is done to it: [`Class::Free`] where any type may be.
    pub fn declared(&self, slot: u32) -> Class {
        let pattern = &self.shape.pattern;
        pattern[slot as usize % pattern.len()]
    }

    fn fresh(&self, slot: u32) -> Cell {
        let class = self.declared(slot);
        let value = match (class, self.background) {
            (Class::Pointer, Value::Integer(_)) => Value::Null,
            (_, background) => background,
        };
        Cell {
            value,
            class,
            touched: false,
        }
    }

    #[inline]
    pub fn get(&self, slot: u32) -> Cell {
        match self.dense.get(slot as usize) {
            Some(cell) => *cell,
            None => match self.sparse.get(&slot) {
                Some(cell) => *cell,
                None => self.fresh(slot),
            },
        }
    }

    #[inline]
    fn set(&mut self, slot: u32, value: Value, class: Class) {
        let cell = Cell {
            value,
            class,
            touched: true,
        };
        match self.dense.get_mut(slot as usize) {
            Some(old) => *old = cell,
            None => {
                self.sparse.insert(slot, cell);
            }
        }
    }

    /// The slots that were touched, in their order.
    pub fn touched(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = match self.dense.is_empty() {
            true => self.sparse.keys().copied().collect(),
            false => {
                let slots = self.dense.iter().enumerate();
                let touched = slots.filter(|(_, cell)| cell.touched);
                touched.map(|(slot, _)| slot as u32).collect()
            }
        };
        slots.sort_unstable();
        slots
    }

    /// The slot at an offset, which must be one where a slot begins.
    #[inline]
    fn slot(&self, offset: u32, size: u32) -> Step<u32> {
        if u64::from(offset) + u64::from(size) > u64::from(self.size) {
            return Err(Undefined::OutOfBounds.into());
        }
        let shift = self.shape.shift;
        if offset & ((1 << shift) - 1) != 0 {
            return Err(Beyond::OtherType.into());
        }
        Ok(offset >> shift)
    }

    /// The value at an offset. One that is undetermined is returned as such, and its slot is of
    /// the class from now on.
    #[inline]
    pub fn read(&mut self, offset: u32, class: Class, size: u32) -> Step<Value> {
        let slot = self.slot(offset, size)?;
        let cell = self.get(slot);
        if cell.class == class {
            if !cell.touched {
                self.set(slot, cell.value, class);
            }
            return Ok(cell.value);
        }
        self.read_free(slot, class, size)
    }

    /// Memory of no type yet gets the type that it is read as.
    fn read_free(&mut self, slot: u32, class: Class, size: u32) -> Step<Value> {
        let end = slot + size.div_ceil(1 << self.shape.shift);
        let first = self.get(slot).value;
        let mut number = 0;
        for (index, slot) in (slot..end).enumerate() {
            let cell = self.get(slot);
            if cell.class != Class::Free {
                return Err(Beyond::OtherType.into());
            }
            match (cell.value, first) {
                (Value::Undetermined(_), Value::Undetermined(_)) => {}
                (Value::Integer(byte), Value::Integer(_)) => {
                    let width = 8 << self.shape.shift;
                    number |= repeated(byte, width) << (index as u32 * width);
                }
                _ => return Err(Beyond::OtherType.into()),
            }
        }
        let value = match (first, class) {
            (Value::Undetermined(_), _) => first,
            (_, Class::Pointer) if number == 0 => Value::Null,
            (_, Class::Pointer) => return Err(Beyond::ToPointer.into()),
            (_, Class::Bool) => Value::Integer(i64::from(number != 0)),
            // The machine gives it the sign of its type.
            _ => Value::Integer(number),
        };
        self.place(slot, end, value, class);
        Ok(value)
    }

    #[inline]
    pub fn write(&mut self, offset: u32, class: Class, size: u32, value: Value) -> Step<()> {
        let slot = self.slot(offset, size)?;
        if self.get(slot).class != class {
            return self.write_free(slot, class, size, value);
        }
        self.set(slot, value, class);
        Ok(())
    }

    fn write_free(&mut self, slot: u32, class: Class, size: u32, value: Value) -> Step<()> {
        let end = slot + size.div_ceil(1 << self.shape.shift);
        self.claim(slot, end)?;
        self.place(slot, end, value, class);
        Ok(())
    }

    fn place(&mut self, slot: u32, end: u32, value: Value, class: Class) {
        self.set(slot, value, class);
        for inside in slot + 1..end {
            self.set(inside, Value::Integer(0), Class::Inside);
        }
    }

    /// Makes room for a value of another type, in a union or in allocated memory: what was there is dead
    /// from now on.
    fn claim(&mut self, slot: u32, end: u32) -> Step<()> {
        if (slot..end).any(|slot| self.declared(slot) != Class::Free) {
            return Err(Beyond::OtherType.into());
        }
        let (mut from, mut to) = (slot, end);
        while from > 0 && self.get(from).class == Class::Inside {
            from -= 1;
        }
        while to < self.slots() && self.get(to).class == Class::Inside {
            to += 1;
        }
        for slot in from..to {
            if self.get(slot).class == Class::Bits {
                self.forget_bits(slot);
            }
            self.set(slot, Value::Wild, Class::Dead);
        }
        Ok(())
    }

    fn forget_bits(&mut self, slot: u32) {
        let first = (slot << self.shape.shift) * 8;
        let range = first..first + (8 << self.shape.shift);
        self.bits.retain(|start, _| !range.contains(start));
    }

    /// The value at an offset, if it is determined and of this class, for those who only look.
    pub fn peek(&self, offset: u32, class: Class, size: u32) -> Option<Value> {
        let cell = self.get(self.slot(offset, size).ok()?);
        match (cell.class, cell.value) {
            (_, Value::Undetermined(_)) => None,
            (Class::Free, Value::Integer(0)) if class == Class::Pointer => Some(Value::Null),
            (Class::Free, Value::Integer(0)) => Some(Value::Integer(0)),
            (own, value) => (own == class).then_some(value),
        }
    }

    /// The value of a bit-field, for those who only look.
    pub fn peek_bits(&self, field: BitField) -> Option<i64> {
        let (slot, _) = self.bit_slots(field).ok()?;
        if let Some(value) = self.bits.get(&field.start) {
            return Some(*value);
        }
        match self.get(slot).value {
            Value::Integer(0) => Some(0),
            _ => None,
        }
    }

    /// The value of a bit-field, which begins at this bit of the object.
    pub fn read_bits(&mut self, field: BitField) -> Step<Value> {
        let (slot, end) = self.bit_slots(field)?;
        for slot in slot..end {
            let cell = self.get(slot);
            match cell.class {
                Class::Bits => {}
                Class::Free => self.set(slot, cell.value, Class::Bits),
                _ => return Err(Beyond::OtherType.into()),
            }
        }
        if let Some(value) = self.bits.get(&field.start) {
            return Ok(Value::Integer(*value));
        }
        match self.get(slot).value {
            Value::Integer(byte) => {
                let pattern = repeated(byte, 64).rotate_right(field.start % 8);
                Ok(Value::Integer(field.wrap(pattern)))
            }
            Value::Wild => Err(Beyond::OtherType.into()),
            other => Ok(other),
        }
    }

    pub fn write_bits(&mut self, field: BitField, value: i64) -> Step<()> {
        let (slot, end) = self.bit_slots(field)?;
        for slot in slot..end {
            let cell = self.get(slot);
            match cell.class {
                Class::Bits => self.set(slot, cell.value, Class::Bits),
                Class::Free => self.set(slot, cell.value, Class::Bits),
                _ => {
                    self.claim(slot, slot + 1)?;
                    self.set(slot, Value::Wild, Class::Bits);
                }
            }
        }
        self.bits.insert(field.start, value);
        Ok(())
    }

    /// Nobody knows any more what a bit-field holds, nor those beside it that were not written.
    pub fn lose_bits(&mut self, field: BitField) -> Step<()> {
        let (slot, end) = self.bit_slots(field)?;
        for slot in slot..end {
            if matches!(self.get(slot).class, Class::Bits | Class::Free) {
                self.set(slot, Value::Lost, Class::Bits);
            }
        }
        self.bits.remove(&field.start);
        Ok(())
    }

    fn bit_slots(&self, field: BitField) -> Step<(u32, u32)> {
        let first = field.start / 8;
        let end = (field.start + u32::from(field.width)).div_ceil(8);
        let slot = self.slot(first, end - first)?;
        Ok((slot, end.div_ceil(1 << self.shape.shift)))
    }

    /// Sets so many bytes to the same value.
    pub fn fill(&mut self, offset: u32, length: u32, byte: i64) -> Step<()> {
        if length == 0 {
            return Ok(());
        }
        let slot = self.slot(offset, length)?;
        if offset == 0 && length == self.size && byte == 0 {
            self.reset(None);
            return Ok(());
        }
        let width = 8 << self.shape.shift;
        let end = (offset + length) >> self.shape.shift;
        let is_cut = (end << self.shape.shift) != offset + length
            || self.get(slot).class == Class::Inside
            || (end < self.slots() && self.get(end).class == Class::Inside);
        if is_cut {
            return Err(Beyond::OtherType.into());
        }
        for slot in slot..end {
            let is_free = self.declared(slot) == Class::Free;
            match self.get(slot).class {
                Class::Inside if !is_free => {}
                Class::Opaque => {}
                Class::Pointer if !is_free => match byte {
                    0 => self.set(slot, Value::Null, Class::Pointer),
                    _ => return Err(Beyond::ToPointer.into()),
                },
                Class::Bits => {
                    self.forget_bits(slot);
                    self.set(slot, Value::Integer(byte), Class::Bits);
                }
                class => {
                    let class = if is_free { Class::Free } else { class };
                    let bits = match class {
                        Class::Two => 16,
                        Class::Four => 32,
                        Class::Eight => 64,
                        Class::Bool => 1,
                        Class::Free | Class::Dead => 8,
                        _ => width.min(8),
                    };
                    let value = match class {
                        Class::Bool => i64::from(byte != 0),
                        _ => repeated(byte, bits),
                    };
                    let class = if class == Class::Dead {
                        Class::Free
                    } else {
                        class
                    };
                    self.set(slot, Value::Integer(value), class);
                }
            }
        }
        Ok(())
    }

    /// What a copy of one slot must know: its class and value, and the bit-fields in it.
    pub fn bits_in(&self, slot: u32) -> Vec<(u32, i64)> {
        let first = (slot << self.shape.shift) * 8;
        let range = first..first + (8 << self.shape.shift);
        let entries = self.bits.iter().filter(|(start, _)| range.contains(start));
        let mut entries: Vec<(u32, i64)> = entries.map(|(start, value)| (*start, *value)).collect();
        entries.sort_unstable();
        entries
    }

    /// A slot without type becomes a copy of another.
    pub fn put_raw(&mut self, slot: u32, cell: Cell, bits: &[(u32, i64)]) -> Step<()> {
        if self.declared(slot) != Class::Free && self.get(slot).class != cell.class {
            return Err(EndKind::Outside(Beyond::OtherType));
        }
        if cell.class == Class::Bits || self.get(slot).class == Class::Bits {
            self.forget_bits(slot);
        }
        let first = (slot << self.shape.shift) * 8;
        self.bits
            .extend(bits.iter().map(|(bit, value)| (first + bit, *value)));
        self.set(slot, cell.value, cell.class);
        Ok(())
    }

    /// Bytes without type become copies of a slot of another size.
    pub fn put_bytes(&mut self, offset: u32, length: u32, cell: Cell) -> Step<()> {
        let shift = self.shape.shift;
        let first = offset >> shift;
        if first << shift != offset {
            // A part of a slot: all of it is the same.
            let before = self.get(first);
            return match before.class == cell.class && before.value == cell.value {
                true => Ok(()),
                false => Err(Beyond::OtherType.into()),
            };
        }
        for slot in first..(offset + length).div_ceil(1 << shift) {
            if self.get(slot).class == Class::Bits {
                self.forget_bits(slot);
            }
            self.set(slot, cell.value, cell.class);
        }
        Ok(())
    }
}

/// A number of so many bits whose bytes are all the same.
fn repeated(byte: i64, width: u32) -> i64 {
    let pattern = (byte as u8 as u64).wrapping_mul(0x0101_0101_0101_0101);
    (pattern & (u64::MAX >> (64 - width.clamp(1, 64)))) as i64
}
