//! How a type lies in memory: its scalars, and the slots of the objects that have it.
//!
//! Memory is divided into slots, each as many bytes as all offsets and sizes of scalars in the
//! object are multiples of; so an array of `int` has one slot for each element. A shape is
//! computed once for each type that is no array, in time linear in its scalars; an array repeats
//! the shape of its elements.

use super::value::{Class, Scalar};
use crate::typing::c::tree::{Length, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a type without array around it is made of.
#[derive(Debug)]
pub struct Shape {
    /// In bytes.
    pub size: u32,
    /// A slot has 2 to this bytes.
    pub shift: u32,
    /// What each slot holds, [`Class::Free`] inside unions.
    pub pattern: Box<[Class]>,
    /// By ascending offsets.
    pub leaves: Box<[Leaf]>,
}

/// A scalar, or a union as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// In bytes.
    pub offset: u32,
    pub kind: LeafKind,
}

#[derive(Clone, Copy, Debug)]
pub enum LeafKind {
    Scalar(Scalar),
    Bits(BitField),
    /// Of so many bytes.
    Union(u32),
}

/// A bit-field in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Its lowest bit, counted from the beginning of the record.
    pub start: u32,
    pub width: u8,
    pub scalar: Scalar,
}

impl BitField {
    /// The value of the field after a number is written to it.
    pub fn wrap(self, value: i64) -> i64 {
        let unused = 64 - u32::from(self.width);
        match self.scalar {
            Scalar::Bool => i64::from(value != 0),
            scalar if scalar.is_signed() => value << unused >> unused,
            _ => ((value as u64) << unused >> unused) as i64,
        }
    }
}

/// The shapes of a program's types.
#[derive(Debug, Default)]
pub struct Shapes {
    known: FxHashMap<TypeId, Rc<Shape>>,
}

/// Nothing larger is made, so that bits can be counted in 32 bits.
pub const MAX_SIZE: u64 = 1 << 29;

/// The type of the elements of an array, of an array's elements and so on.
pub fn base(types: &Types, mut id: TypeId) -> TypeId {
    while let Type::Array(element, _) = types.get(id) {
        id = element.id;
    }
    id
}

impl Shapes {
    /// That of the type's elements, or of itself if it is no array.
    pub fn of(&mut self, types: &Types, id: TypeId) -> Rc<Shape> {
        let id = base(types, id);
        let shape = self.known.entry(id);
        shape
            .or_insert_with(|| Rc::new(shape_of(types, id)))
            .clone()
    }
}

fn shape_of(types: &Types, id: TypeId) -> Shape {
    let Some(size) = types.size(id).filter(|size| *size < MAX_SIZE) else {
        return Shape {
            size: 0,
            shift: 0,
            pattern: [Class::Opaque].into(),
            leaves: [].into(),
        };
    };
    let size = size as u32;
    // 0 has as many zeros as are asked for.
    let mut shift = 3.min(size.trailing_zeros());
    let mut leaves = Vec::new();
    // What is still to be looked at: a type, where it begins, whether it is in a union.
    let mut pending = vec![(id, 0_u32, false)];
    while let Some((type_id, offset, in_union)) = pending.pop() {
        let scalar = Scalar::of(types, type_id);
        let extent = types.size(type_id).unwrap_or(0) as u32;
        match types.get(type_id) {
            _ if scalar.is_some() => {
                shift = shift.min((offset | extent).trailing_zeros());
                if let (Some(scalar), false) = (scalar, in_union) {
                    leaves.push(Leaf {
                        offset,
                        kind: LeafKind::Scalar(scalar),
                    });
                }
            }
            Type::Array(element, length) => {
                let step = types.size(element.id).unwrap_or(0) as u32;
                let count = match length {
                    Length::Constant(count) if !in_union => *count as u32,
                    _ => 1,
                };
                // A flexible array has no elements, but those that follow in memory need slots.
                let element = |index: u32| (element.id, offset + index * step, in_union);
                pending.extend((0..count.max(1)).rev().map(element));
                if extent == 0 {
                    pending.pop();
                    pending.push((element(0).0, offset, true));
                }
            }
            Type::Record(record) => {
                let record = &types.records[record.0 as usize];
                let inside = in_union || record.is_union;
                if record.is_union && !in_union {
                    leaves.push(Leaf {
                        offset,
                        kind: LeafKind::Union(extent),
                    });
                }
                for field in record.layout.iter().flat_map(|layout| layout.fields.iter()) {
                    let Some(bits) = field.bits else {
                        pending.push((field.qualified.id, offset + field.offset as u32, inside));
                        continue;
                    };
                    shift = 0;
                    let scalar = Scalar::of(types, field.qualified.id);
                    if let (Some(scalar), false) = (scalar, inside) {
                        let start = offset * 8 + bits.start as u32;
                        leaves.push(Leaf {
                            offset: start / 8,
                            kind: LeafKind::Bits(BitField {
                                start,
                                width: bits.width as u8,
                                scalar,
                            }),
                        });
                    }
                }
            }
            _ => {
                shift = shift.min((offset | extent).trailing_zeros());
            }
        }
    }
    leaves.sort_by_key(|leaf| match leaf.kind {
        LeafKind::Bits(field) => (leaf.offset, field.start),
        _ => (leaf.offset, 0),
    });
    let pattern = pattern(types, size, shift, &leaves);
    Shape {
        size,
        shift,
        pattern,
        leaves: leaves.into(),
    }
}

fn pattern(types: &Types, size: u32, shift: u32, leaves: &[Leaf]) -> Box<[Class]> {
    let mut pattern = vec![Class::Opaque; (size >> shift).max(1) as usize];
    let mut set = |from: u32, to: u32, first: Class, rest: Class| {
        for slot in from >> shift..to.div_ceil(1 << shift) {
            if let Some(class) = pattern.get_mut(slot as usize) {
                *class = if slot == from >> shift { first } else { rest };
            }
        }
    };
    for leaf in leaves {
        let offset = leaf.offset;
        match leaf.kind {
            LeafKind::Scalar(scalar) => {
                let class = scalar.class();
                let end = offset + class.size(types.pointer_size() as u32);
                set(offset, end, class, Class::Inside);
            }
            LeafKind::Bits(field) => {
                let end = (field.start + u32::from(field.width)).div_ceil(8);
                set(offset, end, Class::Bits, Class::Bits);
            }
            LeafKind::Union(size) => set(offset, offset + size, Class::Free, Class::Free),
        }
    }
    pattern.into()
}
