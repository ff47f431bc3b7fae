//! Initial values of what lives as long as the program: integers and addresses.

use super::Typing;
use super::tree::{
    Binary, Conversion, ExpressionId, ExpressionKind, FunctionId, Integer, ObjectId, PlaceId,
    PlaceKind, Storage, Type, TypeId, Types, Write, Written,
};

impl Typing<'_> {
    /// Whether a write to static storage stays; one of a floating number does not, because
    /// nobody can read it. What is not constant is reported.
    pub(super) fn check_constant(&mut self, write: Write) -> bool {
        let Written::Value(value) = write.value else {
            return true;
        };
        let expression = self.program.expressions[value.0 as usize];
        if let ExpressionKind::Outside(_) = expression.kind {
            return false;
        }
        if let Some(number) = self.constant(value) {
            self.program.expressions[value.0 as usize].kind = ExpressionKind::Constant(number);
        } else if expression.type_id != Types::UNKNOWN && !self.is_address(value) {
            self.error(expression.span, "this initial value must be a constant");
        }
        true
    }

    /// Whether it is an address that is known before the program runs.
    fn is_address(&self, value: ExpressionId) -> bool {
        let mut value = value;
        loop {
            value = match self.program.expressions[value.0 as usize].kind {
                ExpressionKind::Null | ExpressionKind::Function(_) => return true,
                ExpressionKind::Constant(_) => return true,
                ExpressionKind::Convert(_, operand) => {
                    let type_id = self.type_of(value);
                    let size = self.program.types.size(type_id);
                    let is_narrow = size < Some(self.program.types.pointer_size());
                    let integer = self.program.types.integer(type_id);
                    if is_narrow && integer != Some(Integer::Bool) {
                        return false;
                    }
                    operand
                }
                ExpressionKind::PointerAdd { pointer, index, .. } => {
                    if self.constant(index).is_none() {
                        return false;
                    }
                    pointer
                }
                ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                    match self.static_root(place) {
                        Root::Static => return true,
                        Root::Pointer(pointer) => pointer,
                        Root::Other => return false,
                    }
                }
                _ => return false,
            }
        }
    }

    /// What a place with constant indices lies in.
    fn static_root(&self, place: PlaceId) -> Root {
        let mut place = place;
        loop {
            place = match self.program.places[place.0 as usize].kind {
                PlaceKind::Field(base, _) => base,
                PlaceKind::Element(base, index) if self.constant(index).is_some() => base,
                PlaceKind::Object(object) => {
                    let storage = self.program.objects[object.0 as usize].storage;
                    return match storage {
                        Storage::Static { .. } => Root::Static,
                        _ => Root::Other,
                    };
                }
                PlaceKind::Target(pointer) => return Root::Pointer(pointer),
                _ => return Root::Other,
            }
        }
    }
}

/// What a known address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Null,
    Object(ObjectId),
    Function(FunctionId),
}

impl Typing<'_> {
    /// What an address lies in that is known before the program runs, and how many bytes behind
    /// its beginning; none if that is not in the object.
    pub(super) fn known_address(&self, value: ExpressionId) -> Option<(Base, i128)> {
        let types = &self.program.types;
        let (mut value, mut offset) = (value, 0_i128);
        let base = loop {
            value = match self.program.expressions[value.0 as usize].kind {
                ExpressionKind::Null => break Base::Null,
                ExpressionKind::Function(id) => break Base::Function(id),
                ExpressionKind::Convert(Conversion::Pointer, operand) => operand,
                ExpressionKind::PointerAdd {
                    pointer,
                    index,
                    subtract,
                } => {
                    let target = types.target(self.type_of(pointer))?;
                    let size = i128::from(types.size(target.id)?);
                    let distance = self.constant(index)?.checked_mul(size)?;
                    offset += if subtract { -distance } else { distance };
                    pointer
                }
                ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                    let (root, distance) = self.known_place(place)?;
                    offset += distance;
                    match root {
                        Ok(object) => break Base::Object(object),
                        Err(pointer) => pointer,
                    }
                }
                _ => return None,
            };
        };
        let size = match base {
            Base::Object(object) => {
                let object = &self.program.objects[object.0 as usize];
                types.size(object.qualified.id)?
            }
            Base::Null => u64::from(u32::MAX),
            Base::Function(_) => 0,
        };
        (0..=i128::from(size))
            .contains(&offset)
            .then_some((base, offset))
    }

    /// The object that a place is in, or the pointer that leads there, and how many bytes behind.
    fn known_place(&self, place: PlaceId) -> Option<(Result<ObjectId, ExpressionId>, i128)> {
        let (mut place, mut offset) = (place, 0_i128);
        loop {
            let part = self.program.places[place.0 as usize];
            place = match part.kind {
                PlaceKind::Field(base, index) => {
                    let record = self.program.places[base.0 as usize].type_id;
                    let Type::Record(record) = self.program.types.get(record) else {
                        return None;
                    };
                    offset += i128::from(self.field(*record, index)?.offset);
                    base
                }
                PlaceKind::Element(base, index) => {
                    let size = i128::from(self.program.types.size(part.type_id)?);
                    offset += self.constant(index)?.checked_mul(size)?;
                    base
                }
                PlaceKind::Object(object) => {
                    let storage = self.program.objects[object.0 as usize].storage;
                    let is_static = matches!(storage, Storage::Static { .. });
                    return is_static.then_some((Ok(object), offset));
                }
                PlaceKind::Target(pointer) => return Some((Err(pointer), offset)),
                _ => return None,
            }
        }
    }

    /// The number that the offset of a member is, as old programs write it: `(long)&((struct s *)0)->f`.
    pub(super) fn known_offset(&self, pointer: ExpressionId, to: TypeId) -> Option<i128> {
        let (base, offset) = self.known_address(pointer)?;
        let integer = self.program.types.integer(to)?;
        (base == Base::Null).then(|| integer.wrap(offset, self.program.types.model))
    }

    /// Whether a pointer is known to be null or not.
    pub(super) fn known_truth(&self, pointer: ExpressionId) -> Option<bool> {
        let (base, offset) = self.known_address(pointer)?;
        Some(base != Base::Null || offset != 0)
    }

    /// The value of an operator on two addresses, if that is known.
    pub(super) fn compare_known(
        &self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Option<i128> {
        let (one, from) = self.known_address(left)?;
        let (other, to) = self.known_address(right)?;
        let value = match operator {
            Binary::Equal => one == other && from == to,
            Binary::NotEqual => one != other || from != to,
            _ if one != other => return None,
            Binary::Less => from < to,
            Binary::LessEqual => from <= to,
            Binary::Greater => from > to,
            Binary::GreaterEqual => from >= to,
            _ => return None,
        };
        Some(value.into())
    }

    /// How many elements lie between two addresses in one thing, if that is known.
    pub(super) fn known_difference(&self, left: ExpressionId, right: ExpressionId) -> Option<i128> {
        let (one, to) = self.known_address(left)?;
        let (other, from) = self.known_address(right)?;
        let target = self.program.types.target(self.type_of(left))?;
        let size = i128::from(self.program.types.size(target.id)?);
        let is_whole = one == other && (to - from).checked_rem(size) == Some(0);
        is_whole.then(|| (to - from) / size)
    }
}

enum Root {
    Static,
    Pointer(ExpressionId),
    Other,
}
