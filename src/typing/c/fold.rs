//! The values of constant expressions.
//!
//! What can be computed is computed where an operator is met, with the widths of its type. A
//! step that is undefined (a division by 0, a signed overflow) is left as it is, because it may
//! be reached; where C wants a constant, an overflow wraps.

use super::Typing;
use super::tree::{Binary, Conversion, ExpressionId, ExpressionKind, Integer, TypeId, Unary};
use crate::syntax::c::DataModel;

/// The value of an operator, and whether it is one without overflow. None if there is none.
pub fn binary(
    operator: Binary,
    left: i128,
    right: i128,
    integer: Integer,
    model: DataModel,
) -> Option<(i128, bool)> {
    let is_shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
    if is_shift && !(0..i128::from(integer.bits(model))).contains(&right) {
        return None;
    }
    let exact = match operator {
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => left.checked_div(right)?,
        Binary::Remainder => left.checked_rem(right)?,
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::ShiftLeft => left << right,
        Binary::ShiftRight => left >> right,
        Binary::BitAnd => left & right,
        Binary::BitXor => left ^ right,
        Binary::BitOr => left | right,
        Binary::Less => return Some((i128::from(left < right), true)),
        Binary::LessEqual => return Some((i128::from(left <= right), true)),
        Binary::Greater => return Some((i128::from(left > right), true)),
        Binary::GreaterEqual => return Some((i128::from(left >= right), true)),
        Binary::Equal => return Some((i128::from(left == right), true)),
        Binary::NotEqual => return Some((i128::from(left != right), true)),
    };
    let value = integer.wrap(exact, model);
    // The smallest number has no remainder by -1: its quotient overflows.
    let quotient = match operator {
        Binary::Remainder => left.checked_div(right)?,
        _ => exact,
    };
    let fits = !integer.is_signed() || integer.holds(quotient, model);
    Some((value, fits))
}

/// The value of an operator with one operand, and whether it is one without overflow.
pub fn unary(operator: Unary, value: i128, integer: Integer, model: DataModel) -> (i128, bool) {
    let exact = match operator {
        Unary::Minus => -value,
        Unary::Complement => !value,
        Unary::Not => return (i128::from(value == 0), true),
    };
    let wrapped = integer.wrap(exact, model);
    (wrapped, !integer.is_signed() || wrapped == exact)
}

impl Typing<'_> {
    /// The value of an expression that is an integer constant already.
    pub(super) fn folded(&self, id: ExpressionId) -> Option<i128> {
        match self.program.expressions[id.0 as usize].kind {
            ExpressionKind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an integer constant expression, in which overflows wrap. Operands stand
    /// before what they are part of, so that the values of all nodes that matter are found by
    /// going through them on a stack.
    pub(super) fn constant(&self, id: ExpressionId) -> Option<i128> {
        if let Some(value) = self.folded(id) {
            return Some(value);
        }
        enum Task {
            Visit(ExpressionId),
            Compute(ExpressionId),
        }
        let mut tasks = vec![Task::Visit(id)];
        let mut values: Vec<i128> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(id) => match self.program.expressions[id.0 as usize].kind {
                    ExpressionKind::Constant(value) => values.push(value),
                    ExpressionKind::Unary(_, operand)
                    | ExpressionKind::Convert(Conversion::Integer | Conversion::Truth, operand) => {
                        tasks.push(Task::Compute(id));
                        tasks.push(Task::Visit(operand));
                    }
                    ExpressionKind::Binary(operator, left, right)
                        if self.program.types.target(self.type_of(left)).is_some() =>
                    {
                        values.push(self.compare_known(operator, left, right)?);
                    }
                    ExpressionKind::PointerDifference(left, right) => {
                        values.push(self.known_difference(left, right)?);
                    }
                    ExpressionKind::Binary(_, left, right) => {
                        tasks.push(Task::Compute(id));
                        tasks.push(Task::Visit(right));
                        tasks.push(Task::Visit(left));
                    }
                    _ => return None,
                },
                Task::Compute(id) => {
                    let value = self.computed(id, &mut values)?;
                    values.push(value);
                }
            }
        }
        values.pop()
    }

    /// The value of a node whose operands' values are the last ones.
    fn computed(&self, id: ExpressionId, values: &mut Vec<i128>) -> Option<i128> {
        let model = self.program.types.model;
        let expression = self.program.expressions[id.0 as usize];
        let last = values.pop()?;
        match expression.kind {
            ExpressionKind::Unary(operator, operand) => {
                let integer = self.integer_of(operand)?;
                Some(unary(operator, last, integer, model).0)
            }
            ExpressionKind::Binary(operator, left, _) => {
                let integer = self.integer_of(left)?;
                let first = values.pop()?;
                Some(binary(operator, first, last, integer, model)?.0)
            }
            _ => {
                let integer = self.program.types.integer(expression.type_id)?;
                Some(integer.wrap(last, model))
            }
        }
    }

    pub(super) fn integer_of(&self, id: ExpressionId) -> Option<Integer> {
        self.program.types.integer(self.type_of(id))
    }

    pub(super) fn type_of(&self, id: ExpressionId) -> TypeId {
        self.program.expressions[id.0 as usize].type_id
    }
}
