//! What an execution leaves open: which value, and how it is asked for.
//!
//! A value that nobody has written is known by why it is not determined and how often that was so
//! before, and by its place in the object that it then was a part of, wherever it was copied to since. So who
//! chooses can tell which value is meant, whenever it is asked for.

use super::choices::{Choice, Kind, Request, What};
use super::code::Home;
use super::machine::Machine;
use super::object::Role;
use super::shape::BitField;
use super::value::{Cause, Handle, Scalar, Source, Value};
use crate::source::Span;
use crate::typing::c::tree::{self, ObjectId};

impl Machine<'_> {
    /// Asks for a value that may be any of its type.
    pub(super) fn choose(&mut self, what: What, scalar: Scalar, span: Span) -> Value {
        let kind = match scalar {
            Scalar::Pointer => Kind::Pointer,
            scalar => Kind::integer(scalar.is_signed(), scalar.bits()),
        };
        self.choose_of(what, scalar, kind, span)
    }

    pub(super) fn choose_of(
        &mut self,
        what: What,
        scalar: Scalar,
        kind: Kind,
        span: Span,
    ) -> Value {
        let answer = self.choices.choose(&Request { what, span, kind });
        match (kind, answer) {
            (Kind::Integer { low, high }, Choice::Number(number)) => {
                Value::Integer(scalar.wrap(number as i64)).clamp(scalar, low, high)
            }
            (Kind::Integer { .. }, _) => Value::Integer(0),
            (Kind::Pointer, Choice::Number(number)) => {
                let bits = self.memory.pointer_size * 8;
                let number = number as u64 & (u64::MAX >> (64 - bits));
                let uninitialised = matches!(
                    what,
                    What::Initial { cause, .. } if cause.is_uninitialised()
                );
                match number {
                    0 => Value::Null,
                    number => Value::Stranger {
                        number,
                        uninitialised,
                    },
                }
            }
            (Kind::Pointer, Choice::Function(function)) => Value::Function(function),
            (Kind::Pointer, Choice::Object(object, offset)) => {
                let handle = self.living(object);
                let size = handle.and_then(|handle| Some(self.memory.find(handle)?.size));
                match (handle, size) {
                    (Some(handle), Some(size)) => Value::Address(handle, offset.min(size)),
                    _ if self.is_watched(what) => Value::Coming(object, offset),
                    _ => Value::Null,
                }
            }
        }
    }

    /// Whether a choice is of what a rule watches.
    fn is_watched(&self, what: What) -> bool {
        let What::Input(function) = what else {
            return false;
        };
        self.program.functions[function.0 as usize].role == tree::Role::Start
    }

    /// The youngest object of a declaration.
    pub(super) fn living(&self, id: ObjectId) -> Option<Handle> {
        if let Some(handle) = self.memory.statics.get(id.0 as usize).copied().flatten() {
            return Some(handle);
        }
        self.frames.iter().rev().find_map(|frame| {
            let Some(Home::Slot(slot)) = frame.code.homes.get(&id) else {
                return None;
            };
            self.slots[frame.slots + *slot as usize]
        })
    }

    /// Chooses a value that memory has from before, at this byte of its object.
    pub(super) fn determine(
        &mut self,
        source: Source,
        offset: u32,
        scalar: Scalar,
        span: Span,
    ) -> Value {
        self.choose(source.what(offset, 0), scalar, span)
    }

    /// Chooses the value of a bit-field, which begins at this bit of its object.
    pub(super) fn determine_bits(&mut self, source: Source, field: BitField, span: Span) -> Value {
        let what = source.what(field.start / 8, field.start % 8);
        let kind = Kind::integer(field.scalar.is_signed(), field.width.into());
        self.choose_of(what, field.scalar, kind, span)
    }

    /// Something begins to have no value.
    pub(super) fn source(&mut self, cause: Cause) -> Source {
        let before = self.causes.entry(cause).or_default();
        let number = *before;
        *before += 1;
        Source {
            cause,
            number,
            shift: 0,
        }
    }

    /// Which declaration an object comes from.
    pub(super) fn declaration_of(&self, handle: Handle) -> Option<ObjectId> {
        match self.memory.find(handle)?.role {
            Role::Declared(id) => Some(id),
            _ => None,
        }
    }
}

impl Source {
    fn what(self, offset: u32, bit: u32) -> What {
        let byte = i64::from(offset) + i64::from(self.shift);
        What::Initial {
            cause: self.cause,
            number: self.number,
            bit: byte.max(0) as u64 * 8 + u64::from(bit),
        }
    }
}

impl Value {
    /// An integer inside bounds.
    fn clamp(self, scalar: Scalar, low: i128, high: i128) -> Value {
        match self {
            Value::Integer(bits) => Value::Integer(scalar.number(bits).clamp(low, high) as i64),
            other => other,
        }
    }
}
