//! `c ? a : b` and `a ?: b`, and the type of a value that is one of two.

use super::Typing;
use super::tree::{ExpressionId, ExpressionKind, Qualified, TypeId, Types};
use crate::source::Span;

impl Typing<'_> {
    /// `c ? a : b`
    pub(super) fn conditional(&mut self) {
        let no = self.pop();
        let yes = self.pop();
        let condition = self.pop();
        let whole = condition.span.to(no.span);
        let condition = self.condition(condition);
        let [yes, no] = [yes, no].map(|operand| self.value(operand));
        let type_id = self.branches(yes, no, whole);
        let [yes, no] = [yes, no].map(|id| self.convert(id, type_id));
        let id = match self.truth(condition) {
            Some(true) if type_id != Types::UNKNOWN => yes,
            Some(false) if type_id != Types::UNKNOWN => no,
            _ => {
                let kind = ExpressionKind::Conditional { condition, yes, no };
                self.compute(kind, type_id, whole)
            }
        };
        self.push_value(id, whole);
    }

    /// `a ?: b`
    pub(super) fn elvis(&mut self) {
        let no = self.pop();
        let operand = self.pop();
        let whole = operand.span.to(no.span);
        let value = self.condition(operand);
        let no = self.value(no);
        let type_id = self.branches(value, no, whole);
        let no = self.convert(no, type_id);
        let id = match self.truth(value) {
            Some(true) => self.convert(value, type_id),
            Some(false) => no,
            None => {
                let conversion = self.conversion(self.type_of(value), type_id);
                let kind = ExpressionKind::Elvis {
                    value,
                    conversion,
                    no,
                };
                self.compute(kind, type_id, whole)
            }
        };
        self.push_value(id, whole);
    }

    /// The type of a value that is one of two.
    fn branches(&mut self, yes: ExpressionId, no: ExpressionId, whole: Span) -> TypeId {
        let [one, other] = [yes, no].map(|id| self.type_of(id));
        let is_null = [yes, no].map(|id| {
            let kind = self.program.expressions[id.0 as usize].kind;
            let type_id = self.type_of(id);
            let target = self.program.types.target(type_id);
            match kind {
                ExpressionKind::Constant(0) => true,
                ExpressionKind::Null => target == Some(Types::VOID.into()),
                _ => false,
            }
        });
        let types = &self.program.types;
        if one == other {
            return one;
        }
        if one == Types::UNKNOWN || other == Types::UNKNOWN {
            return Types::UNKNOWN;
        }
        if types.is_arithmetic(one) && types.is_arithmetic(other) {
            return self.common(one, other);
        }
        if one == Types::VOID || other == Types::VOID {
            return Types::VOID;
        }
        match (types.target(one), types.target(other)) {
            (Some(_), None) if types.integer(other).is_some() => {
                if !is_null[1] {
                    self.warn(whole, "one branch is a pointer and the other a number");
                }
                one
            }
            (None, Some(_)) if types.integer(one).is_some() => {
                if !is_null[0] {
                    self.warn(whole, "one branch is a pointer and the other a number");
                }
                other
            }
            (Some(first), Some(second)) => {
                let qualifiers = first.qualifiers.union(second.qualifiers);
                let id = if is_null[0] {
                    second.id
                } else if is_null[1] || types.compatible(first.id, second.id) {
                    types.composite(first.id, second.id)
                } else {
                    if first.id != Types::VOID && second.id != Types::VOID {
                        let [one, other] = [one, other].map(|id| self.show(id));
                        let message =
                            format!("the branches are different pointers: `{one}` and `{other}`");
                        self.warn(whole, message);
                    }
                    Types::VOID
                };
                let id = if is_null[1] && !is_null[0] {
                    first.id
                } else {
                    id
                };
                self.program.types.pointer_to(Qualified { id, qualifiers })
            }
            _ if types.compatible(one, other) => one,
            _ => {
                let [one, other] = [one, other].map(|id| self.show(id));
                self.error(whole, format!("the branches are `{one}` and `{other}`"));
                Types::UNKNOWN
            }
        }
    }
}
