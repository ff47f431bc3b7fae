//! Operators on numbers, and which operator it is by the types of its operands.

use super::Typing;
use super::fold;
use super::operand::Operand;
use super::tree::{Binary, ExpressionId, ExpressionKind, Integer, Type, TypeId, Types, Unary};
use crate::source::Span;
use crate::syntax::c::tree::{BinaryOperator, UnaryOperator};

pub fn binary_of(operator: BinaryOperator) -> Option<Binary> {
    Some(match operator {
        BinaryOperator::Multiply => Binary::Multiply,
        BinaryOperator::Divide => Binary::Divide,
        BinaryOperator::Remainder => Binary::Remainder,
        BinaryOperator::Add => Binary::Add,
        BinaryOperator::Subtract => Binary::Subtract,
        BinaryOperator::ShiftLeft => Binary::ShiftLeft,
        BinaryOperator::ShiftRight => Binary::ShiftRight,
        BinaryOperator::Less => Binary::Less,
        BinaryOperator::LessEqual => Binary::LessEqual,
        BinaryOperator::Greater => Binary::Greater,
        BinaryOperator::GreaterEqual => Binary::GreaterEqual,
        BinaryOperator::Equal => Binary::Equal,
        BinaryOperator::NotEqual => Binary::NotEqual,
        BinaryOperator::BitAnd => Binary::BitAnd,
        BinaryOperator::BitXor => Binary::BitXor,
        BinaryOperator::BitOr => Binary::BitOr,
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Comma => return None,
    })
}

fn is_comparison(operator: Binary) -> bool {
    use Binary::*;
    matches!(
        operator,
        Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual
    )
}

impl Typing<'_> {
    pub(super) fn unary(&mut self, operator: UnaryOperator, span: Span) {
        let operand = self.pop();
        let whole = span.to(operand.span);
        match operator {
            UnaryOperator::Address => return self.address(operand, whole),
            UnaryOperator::Dereference => {
                let value = self.value(operand);
                return self.dereference(value, whole);
            }
            UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement
            | UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement => return self.step(operator, operand, whole),
            _ => {}
        }
        let id = match operator {
            UnaryOperator::Not => {
                let condition = self.condition(operand);
                self.not(condition, whole)
            }
            _ => self.arithmetic_unary(operator, operand, whole),
        };
        self.push_value(id, whole);
    }

    fn arithmetic_unary(
        &mut self,
        operator: UnaryOperator,
        operand: Operand,
        whole: Span,
    ) -> ExpressionId {
        let value = self.value(operand);
        let type_id = self.type_of(value);
        let types = &self.program.types;
        let fits = match operator {
            UnaryOperator::Complement => {
                types.integer(type_id).is_some() || matches!(types.get(type_id), Type::Complex(_))
            }
            _ => types.is_arithmetic(type_id),
        };
        if type_id == Types::UNKNOWN {
            return value;
        }
        if !fits {
            let shown = self.show(type_id);
            self.error(
                whole,
                format!("this operator cannot be applied to `{shown}`"),
            );
            return self.unknown(whole);
        }
        let value = self.promote(value);
        let type_id = self.type_of(value);
        let operator = match operator {
            UnaryOperator::Minus => Unary::Minus,
            UnaryOperator::Complement => Unary::Complement,
            _ => {
                self.widen(value, whole);
                return value;
            }
        };
        if let Some(outside) = self.outside(type_id) {
            let literal = self.floats.get(&value).copied();
            let id = self.add(ExpressionKind::Outside(outside), type_id, whole);
            if let (Some(number), Unary::Minus) = (literal, operator) {
                self.floats.insert(id, -number);
            }
            return id;
        }
        let folded = self.folded(value).zip(self.integer_of(value));
        if let Some((number, integer)) = folded
            && let (number, true) = fold::unary(operator, number, integer, self.model())
        {
            return self.add(ExpressionKind::Constant(number), type_id, whole);
        }
        self.add(ExpressionKind::Unary(operator, value), type_id, whole)
    }

    fn not(&mut self, condition: ExpressionId, whole: Span) -> ExpressionId {
        let kind = match self.truth(condition) {
            Some(truth) => ExpressionKind::Constant(i128::from(!truth)),
            None => ExpressionKind::Unary(Unary::Not, condition),
        };
        let int = self.program.types.of(Integer::Int);
        self.add(kind, int, whole)
    }

    /// Whether a condition is constant, and which.
    pub(super) fn truth(&self, condition: ExpressionId) -> Option<bool> {
        match self.program.expressions[condition.0 as usize].kind {
            ExpressionKind::Constant(value) => Some(value != 0),
            ExpressionKind::Null => Some(false),
            _ => self.known_truth(condition),
        }
    }

    pub(super) fn binary(&mut self, operator: BinaryOperator) {
        let right = self.pop();
        let left = self.pop();
        let whole = left.span.to(right.span);
        if let Some(kind @ (Binary::Equal | Binary::NotEqual)) = binary_of(operator)
            && let Some(id) = self.watched(kind, [left, right], whole)
        {
            return self.push_value(id, whole);
        }
        let id = match (operator, binary_of(operator)) {
            (BinaryOperator::Comma, _) => {
                let left = self.value(left);
                let right = self.value(right);
                let type_id = self.type_of(right);
                self.compute(ExpressionKind::Comma(left, right), type_id, whole)
            }
            (_, Some(operator)) => {
                let left = self.value(left);
                let right = self.value(right);
                self.operation(operator, left, right, whole)
            }
            (operator, None) => {
                let left = self.condition(left);
                let right = self.condition(right);
                self.logical(operator == BinaryOperator::And, left, right, whole)
            }
        };
        self.push_value(id, whole);
    }

    fn logical(
        &mut self,
        is_and: bool,
        left: ExpressionId,
        right: ExpressionId,
        whole: Span,
    ) -> ExpressionId {
        let kind = match (self.truth(left), self.truth(right)) {
            (Some(left), _) if left != is_and => ExpressionKind::Constant(i128::from(left)),
            (Some(_), Some(right)) => ExpressionKind::Constant(i128::from(right)),
            _ if is_and => ExpressionKind::And(left, right),
            _ => ExpressionKind::Or(left, right),
        };
        let int = self.program.types.of(Integer::Int);
        self.add(kind, int, whole)
    }

    /// An operator on two values.
    pub(super) fn operation(
        &mut self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
        whole: Span,
    ) -> ExpressionId {
        let [left_type, right_type] = [left, right].map(|id| self.type_of(id));
        let types = &self.program.types;
        if left_type == Types::UNKNOWN || right_type == Types::UNKNOWN {
            return self.unknown(whole);
        }
        let is_pointer = |id| matches!(types.get(id), Type::Pointer(_));
        let arithmetic = types.is_arithmetic(left_type) && types.is_arithmetic(right_type);
        let integers = types.integer(left_type).is_some() && types.integer(right_type).is_some();
        let pointers = [left_type, right_type].map(is_pointer);
        match (operator, pointers) {
            (Binary::Add | Binary::Subtract, [true, false])
                if types.integer(right_type).is_some() =>
            {
                return self.pointer_add(left, right, operator == Binary::Subtract, whole);
            }
            (Binary::Add, [false, true]) if types.integer(left_type).is_some() => {
                return self.pointer_add(right, left, false, whole);
            }
            (Binary::Subtract, [true, true]) => return self.difference(left, right, whole),
            (operator, [true, _] | [_, true]) if is_comparison(operator) => {
                return self.compare_pointers(operator, left, right, whole);
            }
            (
                Binary::Remainder
                | Binary::BitAnd
                | Binary::BitOr
                | Binary::BitXor
                | Binary::ShiftLeft
                | Binary::ShiftRight,
                _,
            ) if integers => {}
            (
                Binary::Remainder
                | Binary::BitAnd
                | Binary::BitOr
                | Binary::BitXor
                | Binary::ShiftLeft
                | Binary::ShiftRight,
                _,
            ) => return self.no_operation(left_type, right_type, whole),
            _ if arithmetic => {}
            _ => return self.no_operation(left_type, right_type, whole),
        }
        self.arithmetic(operator, left, right, whole)
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
        whole: Span,
    ) -> ExpressionId {
        let is_shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
        let (left, right) = match is_shift {
            true => (self.promote(left), self.promote(right)),
            false => {
                let common = self.common(self.type_of(left), self.type_of(right));
                (self.convert(left, common), self.convert(right, common))
            }
        };
        let operands = self.type_of(left);
        let type_id = match is_comparison(operator) {
            true => self.program.types.of(Integer::Int),
            false => operands,
        };
        let outside = self.outside(operands).or(self.outside(self.type_of(right)));
        if let Some(outside) = outside {
            return self.add(ExpressionKind::Outside(outside), type_id, whole);
        }
        let constants = self.folded(left).zip(self.folded(right));
        if let Some((a, b)) = constants
            && let Some(integer) = self.integer_of(left)
            && let Some((value, true)) = fold::binary(operator, a, b, integer, self.model())
        {
            return self.add(ExpressionKind::Constant(value), type_id, whole);
        }
        self.add(
            ExpressionKind::Binary(operator, left, right),
            type_id,
            whole,
        )
    }

    pub(super) fn no_operation(
        &mut self,
        left: TypeId,
        right: TypeId,
        whole: Span,
    ) -> ExpressionId {
        let [left, right] = [left, right].map(|id| self.show(id));
        let message = format!("this operator cannot be applied to `{left}` and `{right}`");
        self.error(whole, message);
        self.unknown(whole)
    }
}
