//! Operators on pointers: addresses, what they point to, moving and comparing them.

use super::Typing;
use super::operand::{Operand, OperandKind};
use super::static_value::Base;
use super::tree::{
    Binary, ExpressionId, ExpressionKind, Integer, PlaceKind, Qualified, TypeId, Types,
};
use crate::source::Span;

impl Typing<'_> {
    pub(super) fn address(&mut self, operand: Operand, whole: Span) {
        let id = match operand.kind {
            OperandKind::Function(_) => self.value(operand),
            OperandKind::Place {
                id,
                qualifiers,
                bits,
            } => {
                if bits.is_some() {
                    self.error(whole, "a bit-field has no address");
                } else if self.is_register(id) {
                    self.error(whole, "what is declared `register` has no address");
                } else if let PlaceKind::Temporary(_) = self.program.places[id.0 as usize].kind {
                    self.error(whole, "a value has no address");
                }
                self.take_address(id);
                let target = Qualified {
                    id: self.program.places[id.0 as usize].type_id,
                    qualifiers,
                };
                let type_id = self.program.types.pointer_to(target);
                // `&*p` is `p`, without a look at what it points to.
                match self.program.places[id.0 as usize].kind {
                    PlaceKind::Target(pointer) => self.convert(pointer, type_id),
                    _ => self.add(ExpressionKind::Address(id), type_id, whole),
                }
            }
            OperandKind::Value(_) | OperandKind::Builtin(_) | OperandKind::Watch(_) => {
                self.error(whole, "`&` needs something that has an address");
                self.unknown(whole)
            }
            OperandKind::Unknown => self.unknown(whole),
        };
        self.push_value(id, whole);
    }

    pub(super) fn dereference(&mut self, pointer: ExpressionId, whole: Span) {
        let type_id = self.type_of(pointer);
        let kind = match self.program.types.target(type_id) {
            Some(target) => match self.program.expressions[pointer.0 as usize].kind {
                ExpressionKind::Function(id) => OperandKind::Function(id),
                // `*&x` is `x`.
                ExpressionKind::Address(id)
                    if self.program.places[id.0 as usize].type_id == target.id =>
                {
                    OperandKind::Place {
                        id,
                        qualifiers: target.qualifiers,
                        bits: None,
                    }
                }
                _ => OperandKind::Place {
                    id: self.add_place(PlaceKind::Target(pointer), target.id, whole),
                    qualifiers: target.qualifiers,
                    bits: None,
                },
            },
            None if type_id == Types::UNKNOWN => OperandKind::Unknown,
            None => {
                let shown = self.show(type_id);
                self.error(whole, format!("`*` needs a pointer, and this is `{shown}`"));
                OperandKind::Unknown
            }
        };
        self.push(kind, whole);
    }

    /// Whether pointers to this can be moved: gcc counts `void` and functions as bytes.
    fn check_target(&mut self, pointer: TypeId, whole: Span) -> bool {
        let target = self.program.types.target(pointer).map(|target| target.id);
        let target = target.unwrap_or(Types::UNKNOWN);
        let is_wrong = self.program.types.is_incomplete(target) && target != Types::VOID;
        if is_wrong {
            let shown = self.show(target);
            self.error(
                whole,
                format!("a pointer to the incomplete type `{shown}` cannot be moved"),
            );
        }
        !is_wrong
    }

    pub(super) fn pointer_add(
        &mut self,
        pointer: ExpressionId,
        index: ExpressionId,
        subtract: bool,
        whole: Span,
    ) -> ExpressionId {
        let type_id = self.type_of(pointer);
        if !self.check_target(type_id, whole) {
            return self.unknown(whole);
        }
        let index_type = self.type_of(index);
        if let Some(outside) = self.outside(index_type) {
            return self.add(ExpressionKind::Outside(outside), type_id, whole);
        }
        let kind = ExpressionKind::PointerAdd {
            pointer,
            index,
            subtract,
        };
        self.add(kind, type_id, whole)
    }

    pub(super) fn difference(
        &mut self,
        left: ExpressionId,
        right: ExpressionId,
        whole: Span,
    ) -> ExpressionId {
        let [left_type, right_type] = [left, right].map(|id| self.type_of(id));
        let targets = [left_type, right_type].map(|id| self.program.types.target(id));
        if let [Some(one), Some(other)] = targets
            && !self.program.types.compatible(one.id, other.id)
        {
            return self.no_operation(left_type, right_type, whole);
        }
        if !self.check_target(left_type, whole) {
            return self.unknown(whole);
        }
        let right = self.convert(right, left_type);
        let integer = self.program.types.difference_integer();
        let type_id = self.program.types.of(integer);
        let is_offset = matches!(self.known_address(right), Some((Base::Null, _)));
        let kind = match self.known_difference(left, right).filter(|_| is_offset) {
            Some(distance) => ExpressionKind::Constant(distance),
            None => ExpressionKind::PointerDifference(left, right),
        };
        self.add(kind, type_id, whole)
    }

    pub(super) fn compare_pointers(
        &mut self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
        whole: Span,
    ) -> ExpressionId {
        let [left_type, right_type] = [left, right].map(|id| self.type_of(id));
        let types = &self.program.types;
        let common = match (types.target(left_type), types.target(right_type)) {
            (Some(one), Some(other)) => {
                let has_void = one.id == Types::VOID || other.id == Types::VOID;
                if !has_void && !types.compatible(one.id, other.id) {
                    let [one, other] = [left_type, right_type].map(|id| self.show(id));
                    let message =
                        format!("pointers of different types are compared: `{one}` and `{other}`");
                    self.warn(whole, message);
                }
                if one.id == Types::VOID {
                    right_type
                } else {
                    left_type
                }
            }
            (one, other) => {
                let (pointer, number, of_number) = match (one, other) {
                    (Some(_), _) => (left_type, right, right_type),
                    _ => (right_type, left, left_type),
                };
                if self.program.types.integer(of_number).is_none() {
                    return self.no_operation(left_type, right_type, whole);
                }
                if self.folded(number) != Some(0) {
                    self.warn(whole, "a pointer is compared with a number");
                }
                pointer
            }
        };
        let left = self.convert(left, common);
        let right = self.convert(right, common);
        let int = self.program.types.of(Integer::Int);
        let is_null = |id: ExpressionId| {
            let kind = self.program.expressions[id.0 as usize].kind;
            matches!(kind, ExpressionKind::Null)
        };
        let kind = match (is_null(left) && is_null(right), operator) {
            (true, _) => {
                let equal = matches!(
                    operator,
                    Binary::Equal | Binary::LessEqual | Binary::GreaterEqual
                );
                ExpressionKind::Constant(i128::from(equal))
            }
            _ => ExpressionKind::Binary(operator, left, right),
        };
        self.add(kind, int, whole)
    }
}
