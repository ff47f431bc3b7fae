//! What the future of an execution depends on, as one number: to see whether it comes back to where it
//! was.
//!
//! That is the place, the frame on top, the objects that live as long as the program, and
//! all that pointers in these lead to; frames below do not count as long as nothing returns to them.
//! Objects are numbered in the order in which they are found, so that a local that began anew is the same
//! as before. Linear in the memory that is found.

use super::machine::Machine;
use super::object::Role;
use super::value::{Handle, Value};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Two hashes of different kinds: that both agree by chance does not happen.
struct Hashes {
    one: DefaultHasher,
    other: FxHasher,
}

impl Hashes {
    fn add(&mut self, word: impl Hash) {
        word.hash(&mut self.one);
        word.hash(&mut self.other);
    }
}

/// The objects that were found.
struct Walk<'a, 'm> {
    machine: &'a Machine<'m>,
    hashes: Hashes,
    numbers: FxHashMap<Handle, u32>,
    open: Vec<Handle>,
}

impl Machine<'_> {
    /// Two executions of one program with the same fingerprint at the beginning of a step go on alike,
    /// as far as choices are the same and no frame below is returned to.
    pub fn fingerprint(&self) -> Option<u128> {
        let frame = self.frames.last()?;
        let mut walk = Walk {
            machine: self,
            hashes: Hashes {
                one: DefaultHasher::new(),
                other: FxHasher::default(),
            },
            numbers: FxHashMap::default(),
            open: Vec::new(),
        };
        walk.hashes.add((frame.function.0, frame.next));
        for handle in self.memory.statics.iter().flatten() {
            walk.meet(*handle);
        }
        let is_outermost = self.next_step().is_some_and(|step| step.is_outermost);
        let registers = self.registers[frame.registers..].iter();
        let used = registers
            .zip(&frame.code.registers)
            .filter(|(_, register)| !is_outermost || register.object.is_some());
        used.map(|(value, _)| value)
            .chain(&self.stack[frame.stack..])
            .for_each(|value| walk.value(*value));
        for slot in &self.slots[frame.slots..] {
            match slot {
                Some(handle) => walk.value(Value::Address(*handle, 0)),
                None => walk.value(Value::Wild),
            }
        }
        let mut next = 0;
        while let Some(handle) = walk.open.get(next).copied() {
            walk.object(handle);
            next += 1;
        }
        let Hashes { one, other } = walk.hashes;
        Some(u128::from(one.finish()) << 64 | u128::from(other.finish()))
    }
}

impl Walk<'_, '_> {
    fn meet(&mut self, handle: Handle) -> u32 {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(handle).or_insert(next);
        if number == next {
            self.open.push(handle);
        }
        number
    }

    fn value(&mut self, value: Value) {
        match value {
            Value::Integer(number) => self.hashes.add((0_u8, number)),
            Value::Null => self.hashes.add(1_u8),
            Value::Address(handle, offset) => match self.machine.memory.find(handle) {
                Some(_) => {
                    let number = self.meet(handle);
                    self.hashes.add((2_u8, number, offset));
                }
                None => self.hashes.add(3_u8),
            },
            Value::Function(function) => self.hashes.add((4_u8, function.0)),
            Value::Stranger {
                number,
                uninitialised,
            } => self.hashes.add((5_u8, number, uninitialised)),
            Value::Wild => self.hashes.add(6_u8),
            Value::Coming(object, offset) => self.hashes.add((8_u8, object.0, offset)),
            // Whenever it was left open: it can be chosen as before.
            Value::Undetermined(_) => self.hashes.add(7_u8),
            Value::Lost => self.hashes.add(9_u8),
        }
    }

    fn object(&mut self, handle: Handle) {
        let Some(object) = self.machine.memory.find(handle) else {
            return;
        };
        let (kind, id) = match object.role {
            Role::Declared(id) => (0_u8, id.0),
            Role::Heap(_) => (1, 0),
            Role::Stack => (2, 0),
            Role::Temporary => (3, 0),
        };
        self.hashes.add((
            kind,
            id,
            object.size,
            object.is_arbitrary(),
            object.is_lost(),
        ));
        for slot in object.touched() {
            let cell = object.get(slot);
            self.hashes.add((slot, cell.class as u8));
            self.value(cell.value);
            for (bit, value) in object.bits_in(slot) {
                self.hashes.add((bit, value));
            }
        }
    }
}
