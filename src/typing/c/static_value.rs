//! Initial values of what lives as long as the program: integers and addresses.

use super::Typing;
use super::tree::{
    ExpressionId, ExpressionKind, Integer, PlaceId, PlaceKind, Storage, Types, Write, Written,
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

enum Root {
    Static,
    Pointer(ExpressionId),
    Other,
}
