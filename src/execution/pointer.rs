//! Pointers as values: parts of objects, arithmetic, comparisons, conversions.

use super::choices::{Kind, What};
use super::code::{Code, Instruction};
use super::machine::Machine;
use super::stop::{Beyond, Step, Undefined};
use super::value::{Handle, Scalar, Value};
use crate::source::Span;
use crate::typing::c::tree::{Binary, TypeId};

impl Machine<'_> {
    /// Instructions that make or compare pointers.
    pub(super) fn pointer_instruction(
        &mut self,
        code: &Code,
        instruction: Instruction,
        registers: usize,
        span: Span,
    ) -> Step<Value> {
        Ok(match instruction {
            Instruction::Field(offset) => {
                let place = self.pop();
                match self.is_end(place) {
                    true => Value::Wild,
                    false => self.part(place, i128::from(offset), None),
                }
            }
            Instruction::Element {
                size,
                length,
                is_end_allowed,
            } => {
                let index = i128::from(self.integer());
                let place = self.pop();
                let length = i128::from(length) + i128::from(is_end_allowed);
                self.part(place, index * i128::from(size), Some((index, length)))
            }
            Instruction::VariableElement {
                extent,
                is_end_allowed,
            } => {
                let extent = &code.extents[extent as usize];
                let size = self.extent(extent, registers);
                let length = extent.length.map_or(i128::MAX - 1, |length| match length {
                    Ok(length) => i128::from(length),
                    Err(register) => self.length(register, registers),
                });
                let index = i128::from(self.integer());
                let place = self.pop();
                let bound = length + i128::from(is_end_allowed);
                self.part(place, index.saturating_mul(size), Some((index, bound)))
            }
            Instruction::OpenElement(size) => {
                let index = i128::from(self.integer());
                let place = self.pop();
                let bound = Some((index, i128::MAX));
                self.part(place, index * i128::from(size), bound)
            }
            Instruction::SignIndex => match self.integer() {
                index if index < 0 => Value::Integer(i64::MAX),
                index => Value::Integer(index),
            },
            Instruction::Settle => match self.pop() {
                Value::Null | Value::Wild => return Err(Undefined::Arithmetic.into()),
                Value::Stranger {
                    uninitialised: false,
                    ..
                } => return Err(Beyond::Stranger.into()),
                Value::Stranger { .. } => return Err(Undefined::Uninitialised.into()),
                other => other,
            },
            Instruction::ToPointer => match self.integer() {
                0 => Value::Null,
                _ => return Err(Beyond::ToPointer.into()),
            },
            Instruction::FromPointer(scalar) => match self.pop() {
                Value::Null => Value::Integer(0),
                Value::Stranger { number, .. } => Value::Integer(scalar.wrap(number as i64)),
                _ => return Err(Beyond::FromPointer.into()),
            },
            Instruction::Compare(operator) => {
                let right = self.pop();
                let left = self.pop();
                Value::Integer(i64::from(self.compare(operator, left, right, span)))
            }
            Instruction::Advance {
                size,
                is_back,
                target,
            } => self.advance(i128::from(size), is_back, Some(target))?,
            Instruction::VariableAdvance { extent, is_back } => {
                let size = self.extent(&code.extents[extent as usize], registers);
                self.advance(size, is_back, None)?
            }
            Instruction::Difference(size) => self.difference(i128::from(size))?,
            Instruction::VariableDifference(extent) => {
                let size = self.extent(&code.extents[extent as usize], registers);
                self.difference(size)?
            }
            _ => self.pop(),
        })
    }

    /// Whether a place is behind its object: there is no struct that has members.
    fn is_end(&self, place: Value) -> bool {
        let Value::Address(handle, offset) = place else {
            return false;
        };
        let object = self.memory.find(handle);
        object.is_some_and(|object| 0 < offset && offset == object.size)
    }

    /// A part of what is at a place; if it is an element, its index and their number. What is
    /// wrong with the place is found out when it is accessed.
    fn part(&self, place: Value, distance: i128, index: Option<(i128, i128)>) -> Value {
        let Value::Address(handle, offset) = place else {
            return place;
        };
        if index.is_some_and(|(index, length)| !(0..length).contains(&index)) {
            return Value::Wild;
        }
        let to = i128::from(offset) + distance;
        match self.memory.find(handle) {
            Some(object) if to < 0 || to > i128::from(object.size) => Value::Wild,
            Some(_) => Value::Address(handle, to as u32),
            None => place,
        }
    }

    fn advance(&mut self, size: i128, is_back: bool, target: Option<TypeId>) -> Step<Value> {
        let index = i128::from(self.integer());
        let distance = index.saturating_mul(if is_back { -size } else { size });
        match self.pop() {
            Value::Address(handle, offset) => {
                let from = (handle, offset);
                self.memory
                    .advance(&self.program.types, from, distance, target)
            }
            pointer if distance == 0 => Ok(pointer),
            Value::Stranger {
                uninitialised: false,
                ..
            } => Err(Beyond::Stranger.into()),
            Value::Stranger { .. } => Err(Undefined::Uninitialised.into()),
            _ => Err(Undefined::Arithmetic.into()),
        }
    }

    fn difference(&mut self, size: i128) -> Step<Value> {
        let right = self.pop();
        let left = self.pop();
        let bytes = match (left, right) {
            (Value::Address(one, left), Value::Address(other, right)) if one == other => {
                i128::from(left) - i128::from(right)
            }
            (left, right) if left == right => 0,
            (Value::Stranger { .. }, Value::Stranger { .. }) => {
                return Err(Beyond::Stranger.into());
            }
            _ => return Err(Undefined::Difference.into()),
        };
        if size == 0 || bytes % size != 0 {
            return Err(Undefined::Difference.into());
        }
        Ok(Value::Integer((bytes / size) as i64))
    }

    fn compare(&mut self, operator: Binary, left: Value, right: Value, span: Span) -> bool {
        let is_equal = match (left, right) {
            (Value::Stranger { number, .. }, Value::Stranger { number: other, .. }) => {
                number == other
            }
            (Value::Coming(object, offset), Value::Address(handle, other))
            | (Value::Address(handle, other), Value::Coming(object, offset)) => {
                offset == other && self.declaration_of(handle) == Some(object)
            }
            (left, right) => left == right,
        };
        let is_less = match operator {
            Binary::Equal => return is_equal,
            Binary::NotEqual => return !is_equal,
            _ if is_equal => return matches!(operator, Binary::LessEqual | Binary::GreaterEqual),
            _ => self.is_less(left, right),
        };
        match is_less {
            Some(is_less) => matches!(operator, Binary::Less | Binary::LessEqual) == is_less,
            None => {
                let kind = Kind::Integer { low: 0, high: 1 };
                self.choose_of(What::Order, Scalar::Bool, kind, span) == Value::Integer(1)
            }
        }
    }

    /// Which of two different pointers is the smaller one, if that is known: addresses of
    /// different objects have no order.
    fn is_less(&self, left: Value, right: Value) -> Option<bool> {
        let number = |value: Value| match value {
            Value::Null => Some(0),
            Value::Stranger { number, .. } => Some(number),
            _ => None,
        };
        match (left, right) {
            (Value::Address(one, from), Value::Address(other, to)) => {
                let (one, other): (Handle, Handle) = (one, other);
                (one == other).then_some(from < to)
            }
            (Value::Null, _) => Some(true),
            (_, Value::Null) => Some(false),
            (left, right) => Some(number(left)? < number(right)?),
        }
    }
}
