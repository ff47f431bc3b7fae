//! Scalar values, and the scalar types that decide what a cell holds.
//!
//! An integer is kept as the 64 bits that it has in its type, extended by its sign or by zeros, so
//! that conversions that change nothing cost nothing. A record on the operand stack is the address
//! of a temporary object.

use crate::source::Span;
use crate::typing::c::tree::{DataModel, FunctionId, Integer, ObjectId, Type, TypeId, Types};

/// An object in memory, or one that was there: its slot is used again by others, which have
/// another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    pub index: u32,
    pub generation: u32,
}

/// What a scalar holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Integer(i64),
    Null,
    /// A byte of an object, or the one behind its last.
    Address(Handle, u32),
    Function(FunctionId),
    /// A number that is no object's address.
    Stranger {
        number: u64,
        uninitialised: bool,
    },
    /// A byte of the object of a declaration, which may live or not: what a rule watches.
    Coming(ObjectId, u32),
    /// A place outside the array that it should be in: no value, and what access finds out.
    Wild,
    /// It is chosen when it is read.
    Undetermined(Source),
    /// Nobody knows which one: steps were left out that may have changed it.
    Lost,
}

/// Why a value is not determined, and which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub cause: Cause,
    /// How often it was the cause before.
    pub number: u32,
    /// How many bytes further on it began, if it was copied.
    pub shift: i32,
}

impl Source {
    /// That of a value that is copied so many bytes further on.
    pub fn moved(self, from: u32, to: u32) -> Self {
        Source {
            shift: self.shift + (i64::from(from) - i64::from(to)) as i32,
            ..self
        }
    }
}

/// Why a value is not determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A local: its block was entered,
    Block(ObjectId),
    /// by a jump,
    Jump(ObjectId),
    /// or control has come to its declaration.
    Local(ObjectId),
    /// A parameter of the entry.
    Parameter(ObjectId),
    /// A global that no file defines.
    Extern(ObjectId),
    /// An object that a function without body may have changed.
    Havoc(ObjectId),
    /// Memory that this call has allocated, or changed.
    Heap(Span),
    /// A part of what a function without body has returned.
    Result(FunctionId),
    /// A part of what a function gives that ended without `return`.
    Missing(FunctionId),
}

impl Cause {
    /// The object whose value it is, if that is declared.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Cause::Block(object)
            | Cause::Jump(object)
            | Cause::Local(object)
            | Cause::Parameter(object)
            | Cause::Extern(object)
            | Cause::Havoc(object) => Some(object),
            Cause::Heap(_) | Cause::Result(_) | Cause::Missing(_) => None,
        }
    }

    /// Whether nobody has written it.
    pub fn is_uninitialised(self) -> bool {
        matches!(
            self,
            Cause::Block(_) | Cause::Jump(_) | Cause::Local(_) | Cause::Heap(_)
        )
    }
}

/// A scalar type: what arithmetic and memory must know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Pointer,
}

impl Scalar {
    /// That of a type; none if it is no scalar, or its values are outside.
    pub fn of(types: &Types, id: TypeId) -> Option<Self> {
        match types.get(id) {
            Type::Pointer(_) => Some(Scalar::Pointer),
            _ => Scalar::of_integer(types.integer(id)?, types.model),
        }
    }

    pub fn of_integer(integer: Integer, model: DataModel) -> Option<Self> {
        Some(match (integer.bits(model), integer.is_signed()) {
            _ if integer == Integer::Bool => Scalar::Bool,
            (8, true) => Scalar::I8,
            (8, false) => Scalar::U8,
            (16, true) => Scalar::I16,
            (16, false) => Scalar::U16,
            (32, true) => Scalar::I32,
            (32, false) => Scalar::U32,
            (64, true) => Scalar::I64,
            (64, false) => Scalar::U64,
            _ => return None,
        })
    }

    /// The bits that values use; a pointer's depend on the data model and are not asked for.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 => 16,
            Scalar::I32 | Scalar::U32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::Pointer => 64,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The value that a number becomes in this type.
    #[inline]
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Scalar::Bool => i64::from(value != 0),
            Scalar::I8 => i64::from(value as i8),
            Scalar::U8 => i64::from(value as u8),
            Scalar::I16 => i64::from(value as i16),
            Scalar::U16 => i64::from(value as u16),
            Scalar::I32 => i64::from(value as i32),
            Scalar::U32 => i64::from(value as u32),
            Scalar::I64 | Scalar::U64 | Scalar::Pointer => value,
        }
    }

    /// The number that the bits are.
    pub fn number(self, bits: i64) -> i128 {
        match self {
            Scalar::U64 | Scalar::Pointer => i128::from(bits as u64),
            _ => i128::from(bits),
        }
    }

    /// How it lies in memory, where signs do not count.
    #[inline]
    pub fn class(self) -> Class {
        match self {
            Scalar::Bool => Class::Bool,
            Scalar::I8 | Scalar::U8 => Class::One,
            Scalar::I16 | Scalar::U16 => Class::Two,
            Scalar::I32 | Scalar::U32 => Class::Four,
            Scalar::I64 | Scalar::U64 => Class::Eight,
            Scalar::Pointer => Class::Pointer,
        }
    }
}

/// What a slot of memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Of no type yet: a byte's value, repeated, or undetermined ones.
    Free,
    /// What was there has been overwritten in part.
    Dead,
    Bool,
    /// An integer of so many bytes.
    One,
    Two,
    Four,
    Eight,
    Pointer,
    /// Bit-fields; the slot has what those hold that were not written.
    Bits,
    /// It belongs to a value that begins further up.
    Inside,
    /// Nothing that is ever read: padding, and types that are outside.
    Opaque,
}

impl Class {
    /// The bytes of a scalar of this class.
    #[inline]
    pub fn size(self, pointer_size: u32) -> u32 {
        match self {
            Class::Two => 2,
            Class::Four => 4,
            Class::Eight => 8,
            Class::Pointer => pointer_size,
            _ => 1,
        }
    }
}
