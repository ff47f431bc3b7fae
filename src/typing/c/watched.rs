//! What rules watch: any one value, of the type that it is compared with.
//!
//! That type is known when all comparisons are: the common type of the numbers, or the type of the first
//! pointer. A null pointer constant says nothing of it. Until then each comparison is a node whose
//! meaning is still to come.

use super::Typing;
use super::operand::{Operand, OperandKind};
use super::tree::{
    Binary, ExpressionId, ExpressionKind, Integer, ObjectId, Outside, PlaceKind, TypeId, Types,
};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A comparison with what is watched.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The node that it becomes.
    node: ExpressionId,
    operator: Binary,
    sides: [Side; 2],
    span: Span,
}

#[derive(Clone, Copy, Debug)]
enum Side {
    Watch(ObjectId, Span),
    Value(ExpressionId),
}

impl Typing<'_> {
    /// `==` or `!=` of operands of which one is watched, if that is so.
    pub(super) fn watched(
        &mut self,
        operator: Binary,
        operands: [Operand; 2],
        span: Span,
    ) -> Option<ExpressionId> {
        let is_watch = |operand: &Operand| matches!(operand.kind, OperandKind::Watch(_));
        if self.rule.is_none() || !operands.iter().any(is_watch) {
            return None;
        }
        let sides = operands.map(|operand| match operand.kind {
            OperandKind::Watch(id) => Side::Watch(id, operand.span),
            _ => {
                let value = self.value(operand);
                Side::Value(match self.program.types.integer(self.type_of(value)) {
                    Some(_) => self.promote(value),
                    None => value,
                })
            }
        });
        let int = self.program.types.of(Integer::Int);
        let open = ExpressionKind::Outside(Outside::OtherArguments);
        let node = self.add(open, int, span);
        let comparison = Comparison {
            node,
            operator,
            sides,
            span,
        };
        let rule = self.rule.as_mut()?;
        rule.comparisons.push(comparison);
        Some(node)
    }

    /// Gives what is watched its types, and the comparisons with it their meaning.
    pub(super) fn settle(&mut self, watches: &[ObjectId]) {
        let rule = self.rule.as_mut();
        let comparisons = rule.map_or(Vec::new(), |rule| std::mem::take(&mut rule.comparisons));
        let mut known: FxHashMap<ObjectId, TypeId> = FxHashMap::default();
        let mut is_new = true;
        while is_new {
            is_new = false;
            for comparison in &comparisons {
                let [left, right] = comparison.sides;
                for (side, other) in [(left, right), (right, left)] {
                    let Side::Watch(watch, _) = side else {
                        continue;
                    };
                    let before = known.get(&watch).copied();
                    let after = match (before, self.told(other, &known)) {
                        (Some(before), Some(other)) => Some(self.joined(before, other)),
                        (before, other) => before.or(other),
                    };
                    is_new |= before != after;
                    known.extend(after.map(|type_id| (watch, type_id)));
                }
            }
        }
        let int = self.program.types.of(Integer::Int);
        for watch in watches {
            let type_id = known.get(watch).copied().unwrap_or(int);
            self.program.objects[watch.0 as usize].qualified = type_id.into();
        }
        for comparison in comparisons {
            self.compare(comparison);
        }
    }

    /// What a side of a comparison tells of the type of the other one.
    fn told(&self, side: Side, known: &FxHashMap<ObjectId, TypeId>) -> Option<TypeId> {
        match side {
            Side::Watch(watch, _) => known.get(&watch).copied(),
            Side::Value(value) if self.is_zero(value) => None,
            Side::Value(value) => Some(self.type_of(value)).filter(|id| *id != Types::UNKNOWN),
        }
    }

    /// Whether a value is a null pointer constant.
    fn is_zero(&self, value: ExpressionId) -> bool {
        let kind = self.program.expressions[value.0 as usize].kind;
        matches!(kind, ExpressionKind::Constant(0))
    }

    fn joined(&mut self, one: TypeId, other: TypeId) -> TypeId {
        let types = &self.program.types;
        let [first, second] = [one, other].map(|id| types.is_arithmetic(id));
        match (first, second) {
            (true, true) => self.common(one, other),
            (true, false) => other,
            (false, _) => one,
        }
    }

    fn compare(&mut self, comparison: Comparison) {
        let Comparison {
            node,
            operator,
            sides,
            span,
        } = comparison;
        let mut watched = None;
        let operands = sides.map(|side| match side {
            Side::Value(value) => value,
            Side::Watch(watch, span) => {
                let type_id = self.program.objects[watch.0 as usize].qualified.id;
                watched = Some(type_id);
                let id = self.add_place(PlaceKind::Object(watch), type_id, span);
                let kind = OperandKind::Place {
                    id,
                    qualifiers: Default::default(),
                    bits: None,
                };
                self.value(Operand { kind, span })
            }
        });
        let operands = operands.map(|value| {
            let types = &self.program.types;
            let is_pointer = |id| types.target(id).is_some();
            let (from, to) = (self.type_of(value), watched.unwrap_or(Types::UNKNOWN));
            match (is_pointer(from), is_pointer(to)) {
                (true, true) => self.convert(value, to),
                (false, true) if types.integer(from).is_some() && !self.is_zero(value) => {
                    let span = self.program.expressions[value.0 as usize].span;
                    let message = "this is a number, and elsewhere pointers are compared with what is watched";
                    self.error(span, message);
                    self.unknown(span)
                }
                _ => value,
            }
        });
        let [left, right] = operands;
        let compared = self.operation(operator, left, right, span);
        self.program.expressions[node.0 as usize] = self.program.expressions[compared.0 as usize];
    }
}
