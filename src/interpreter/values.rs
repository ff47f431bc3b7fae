//! The values an expression may take.
//!
//! Each nondeterministic choice is made on its own, so the set of possible values of a
//! condition follows from those of its operands. Unknown truth values may be given as "any
//! value"; the result is then an over-approximation, exact if each occurs at most once.
//! Numbers are always determined. An expression may have no value, and then it is known
//! which operation is to blame.

use super::evaluation::Algebra;
use crate::program::{FAR, Operation, arithmetic_shift_right, shift_left, shift_left_modulo, wrap};
pub use crate::trace::failure::{Cause, Missing};

/// A set of truth values, never empty where an expression has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values(u8);

impl Values {
    pub const NONE: Values = Values(0);
    pub const ANY: Values = Values(3);
    /// Every set, the empty one first.
    pub const ALL_SETS: [Values; 4] = [Values(0), Values(1), Values(2), Values(3)];

    pub fn only(value: bool) -> Self {
        Values(1 << u8::from(value))
    }

    pub fn contains(self, value: bool) -> bool {
        self.0 & Values::only(value).0 != 0
    }

    /// Its place in [`Values::ALL_SETS`].
    pub fn number(self) -> u8 {
        self.0
    }

    /// The members, 0 first.
    pub fn iter(self) -> impl Iterator<Item = bool> {
        [false, true].into_iter().filter(move |v| self.contains(*v))
    }

    pub fn negated(self) -> Self {
        self.map(|a| !a)
    }

    pub fn union(self, other: Self) -> Self {
        Values(self.0 | other.0)
    }

    fn map(self, f: impl Fn(bool) -> bool) -> Self {
        self.iter()
            .fold(Values(0), |set, a| Values(set.0 | Values::only(f(a)).0))
    }

    fn combine(self, other: Self, f: impl Fn(bool, bool) -> bool) -> Self {
        self.iter()
            .fold(Values(0), |set, a| Values(set.0 | other.map(|b| f(a, b)).0))
    }

    /// The operation on two sets, of which an empty one is an operand without value. It is
    /// not looked at where the first operand decides.
    pub fn connect(self, operation: Operation, other: Self) -> Self {
        match operation {
            Operation::And if self == Values::only(false) => self,
            Operation::Or if self == Values::only(true) => self,
            Operation::Implies if self == Values::only(false) => Values::only(true),
            Operation::And => self.combine(other, |a, b| a && b),
            Operation::Or => self.combine(other, |a, b| a || b),
            Operation::Implies => self.combine(other, |a, b| !a || b),
            Operation::Xor => self.combine(other, |a, b| a != b),
            Operation::Equal => self.combine(other, |a, b| a == b),
            Operation::Schoose => self.schoose(other),
            other => unreachable!("{other:?} takes no two truth values"),
        }
    }

    fn schoose(self, b: Self) -> Self {
        let outcome = |a, b| match (a, b) {
            (true, _) => Values::only(true),
            (false, true) => Values::only(false),
            (false, false) => Values::ANY,
        };
        let outcomes = self
            .iter()
            .flat_map(|a| b.iter().map(move |b| outcome(a, b)));
        outcomes.fold(Values::NONE, Values::union)
    }
}

/// What an expression may come out as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Possible {
    /// One of these truth values.
    Truth(Values),
    Number(i128),
    /// It has no value.
    Nothing(Missing),
}

impl Possible {
    /// What a number of a procedure that is not on top is.
    pub fn not_there() -> Self {
        Possible::Nothing(Missing {
            at: 0,
            cause: Cause::NotThere,
        })
    }

    /// Whether it is a condition that may come out so.
    pub fn may_be(self, value: bool) -> bool {
        matches!(self.truth(), Ok(values) if values.contains(value))
    }

    /// As truth values: only the number 0 is false.
    fn truth(self) -> Result<Values, Missing> {
        match self {
            Possible::Truth(values) => Ok(values),
            Possible::Number(number) => Ok(Values::only(number != 0)),
            Possible::Nothing(missing) => Err(missing),
        }
    }

    /// As a number: truth values are 0 and 1.
    fn whole(self) -> Result<i128, Missing> {
        match self {
            Possible::Truth(values) => Ok(i128::from(values.contains(true))),
            Possible::Number(number) => Ok(number),
            Possible::Nothing(missing) => Err(missing),
        }
    }

    fn or_nothing(result: Result<Possible, Missing>) -> Self {
        result.unwrap_or_else(Possible::Nothing)
    }
}

impl Algebra for Possible {
    fn truth(values: Values) -> Self {
        Possible::Truth(values)
    }

    fn number(number: u64) -> Self {
        Possible::Number(number.into())
    }

    fn unary(self, operation: Operation, at: u32) -> Self {
        let result = match operation {
            Operation::Not => self.truth().map(|values| Possible::Truth(values.negated())),
            Operation::ToNumber => self.whole().map(Possible::Number),
            Operation::ToTruth => self.truth().map(Possible::Truth),
            Operation::Wrap { bits, signed } => {
                let wrapped = |number| Possible::Number(wrap(number, bits, signed));
                self.whole().map(wrapped)
            }
            Operation::FalseIfUndefined => {
                Ok(Possible::Truth(self.truth().unwrap_or(Values::only(false))))
            }
            Operation::Index { count } => self.whole().and_then(|index| {
                let cause = Cause::Outside { index, count };
                match (0..i128::from(count)).contains(&index) {
                    true => Ok(self),
                    false => Err(Missing { at, cause }),
                }
            }),
            other => unreachable!("{other:?} takes no single value"),
        };
        Possible::or_nothing(result)
    }

    fn connect(self, operation: Operation, other: Self) -> Self {
        Possible::or_nothing(self.truth().and_then(|first| {
            let second = other.truth();
            let values = first.connect(operation, second.unwrap_or(Values::NONE));
            match (values, second) {
                // It was looked at.
                (Values::NONE, Err(missing)) => Err(missing),
                _ => Ok(Possible::Truth(values)),
            }
        }))
    }

    fn calculate(self, operation: Operation, other: Self, at: u32) -> Self {
        let operands = self.whole().and_then(|a| Ok((a, other.whole()?)));
        Possible::or_nothing(
            operands.and_then(|(a, b)| {
                calculate(operation, a, b).map_err(|cause| Missing { at, cause })
            }),
        )
    }

    fn if_then_else(self, yes: Self, no: Self) -> Self {
        let values = match self.truth() {
            Ok(values) => values,
            Err(missing) => return Possible::Nothing(missing),
        };
        let branch = |condition| if condition { yes } else { no };
        let branches = values.iter().map(branch);
        branches
            .reduce(|a, b| match (a, b) {
                (Possible::Truth(a), Possible::Truth(b)) => Possible::Truth(a.union(b)),
                (Possible::Nothing(_), _) => a,
                (_, Possible::Nothing(_)) => b,
                // Numbers are never chosen between by chance.
                _ => b,
            })
            .unwrap_or(self)
    }

    fn element(self, count: u32, at: u32, element: impl Fn(u32) -> Self) -> Self {
        match self.unary(Operation::Index { count }, at) {
            Possible::Nothing(missing) => Possible::Nothing(missing),
            index => element(index.whole().unwrap_or(0) as u32),
        }
    }
}

/// An operation on numbers. They have less than 127 bits, and so has the result
/// ([`crate::program::NUMBER_BITS`]).
pub fn calculate(operation: Operation, a: i128, b: i128) -> Result<Possible, Cause> {
    let compared = |holds| Ok(Possible::Truth(Values::only(holds)));
    let negative = [a, b].into_iter().find(|operand| *operand < 0);
    let number = match operation {
        Operation::Less => return compared(a < b),
        Operation::LessEqual => return compared(a <= b),
        Operation::NumbersEqual => return compared(a == b),
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply => a * b,
        Operation::Divide if b == 0 => return Err(Cause::DivisionByZero),
        Operation::Divide => a / b,
        Operation::Remainder if b == 0 => return Err(Cause::DivisionByZero),
        Operation::Remainder => a % b,
        // What an overflow of 128 bits loses is a multiple of the modulus.
        Operation::MultiplyModulo { bits } => wrap(a.wrapping_mul(b), bits, false),
        Operation::ShiftLeftModulo { .. } | Operation::ArithmeticShiftRight if b < 0 => {
            return Err(Cause::Negative(b));
        }
        Operation::ShiftLeftModulo { bits } => shift_left_modulo(a, b, bits),
        Operation::ArithmeticShiftRight => arithmetic_shift_right(a, b),
        bitwise => match (bitwise, negative) {
            (_, Some(operand)) => return Err(Cause::Negative(operand)),
            (Operation::BitAnd, None) => a & b,
            (Operation::BitOr, None) => a | b,
            (Operation::BitXor, None) => a ^ b,
            (Operation::ShiftLeft, None) => shift_left(a, b).ok_or(Cause::TooLarge)?,
            (Operation::ShiftLeftOrFar, None) => shift_left(a, b).unwrap_or(FAR),
            (Operation::ShiftRight, None) => match u32::try_from(b) {
                Ok(by) => a.checked_shr(by).unwrap_or(0),
                Err(_) => 0,
            },
            (other, None) => unreachable!("{other:?} takes no two numbers"),
        },
    };
    Ok(Possible::Number(number))
}

#[cfg(test)]
mod tests {
    use super::super::evaluation::evaluate;
    use super::*;

    fn run(operations: &[Operation]) -> Possible {
        evaluate(operations, |_, _| Possible::Truth(Values::ANY))
    }

    fn truths(operations: &[Operation]) -> Vec<bool> {
        match run(operations) {
            Possible::Truth(values) => values.iter().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn choices_are_independent() {
        use Operation::*;
        assert_eq!(truths(&[Choose, Choose, Equal]), [false, true]);
        assert_eq!(truths(&[Choose, Constant(false), And]), [false]);
        assert_eq!(truths(&[Choose, Constant(true), Or]), [true]);
        let branch = [Choose, Constant(true), Constant(true), IfThenElse];
        assert_eq!(truths(&branch), [true]);
    }

    #[test]
    fn schoose_is_one_if_the_first_and_zero_if_the_second() {
        use Operation::*;
        let schoose = |a, b| truths(&[Constant(a), Constant(b), Schoose]);
        assert_eq!(schoose(true, true), [true]);
        assert_eq!(schoose(true, false), [true]);
        assert_eq!(schoose(false, true), [false]);
        assert_eq!(schoose(false, false), [false, true]);
        assert_eq!(truths(&[Choose, Constant(true), Schoose]), [false, true]);
    }

    #[test]
    fn numbers_are_exact() {
        use Operation::*;
        let of = |a, b, operation| match run(&[Number(a), Number(b), operation]) {
            Possible::Number(number) => Ok(number),
            Possible::Nothing(missing) => Err(missing.cause),
            other => panic!("{other:?}"),
        };
        let largest = u64::MAX;
        assert_eq!(of(3, 5, Subtract), Ok(-2));
        assert_eq!(of(largest, largest, Add), Ok(2 * i128::from(largest)));
        assert_eq!(of(7, 2, Divide), Ok(3));
        assert_eq!(of(7, 0, Divide), Err(Cause::DivisionByZero));
        assert_eq!(of(1, 64, ShiftLeft), Ok(1 << 64));
        assert_eq!(of(2, 64, ShiftLeft), Err(Cause::TooLarge));
        assert_eq!(of(3, 63, ShiftLeft), Err(Cause::TooLarge));
        assert_eq!(of(1, 200, ShiftLeft), Err(Cause::TooLarge));
        assert_eq!(of(0, 200, ShiftLeft), Ok(0));
        assert_eq!(of(1, 64, ShiftLeftOrFar), Ok(1 << 64));
        assert_eq!(of(3, 63, ShiftLeftOrFar), Ok(FAR));
        assert_eq!(of(1, largest, ShiftLeftOrFar), Ok(FAR));
        assert_eq!(of(largest, 200, ShiftRight), Ok(0));
        assert_eq!(of(12, 10, BitXor), Ok(6));
        let rounded = [Number(0), Number(7), Subtract, Number(2), Divide];
        assert_eq!(run(&rounded), Possible::Number(-3));
        assert_eq!(of(largest, largest, MultiplyModulo { bits: 64 }), Ok(1));
        assert_eq!(of(3, 63, ShiftLeftModulo { bits: 64 }), Ok(1 << 63));
        assert_eq!(of(3, largest, ShiftLeftModulo { bits: 64 }), Ok(0));
        assert_eq!(of(7, 0, Remainder), Err(Cause::DivisionByZero));
        let negative = [Number(0), Number(7), Subtract, Number(2), BitAnd];
        let missing = Missing {
            at: 4,
            cause: Cause::Negative(-7),
        };
        assert_eq!(run(&negative), Possible::Nothing(missing));
    }

    #[test]
    fn what_is_not_looked_at_may_have_no_value() {
        use Operation::*;
        let undefined = [Number(1), Number(0), Divide, Number(1), NumbersEqual];
        let with = |first: bool, operation| {
            let mut operations = vec![Constant(first)];
            operations.extend(undefined);
            operations.push(operation);
            run(&operations)
        };
        let (yes, no) = (Values::only(true), Values::only(false));
        assert_eq!(with(false, And), Possible::Truth(no));
        assert_eq!(with(true, Or), Possible::Truth(yes));
        assert_eq!(with(false, Implies), Possible::Truth(yes));
        for (first, operation) in [(true, And), (false, Or), (true, Implies), (true, Xor)] {
            assert!(matches!(with(first, operation), Possible::Nothing(_)));
        }
        let mut guarded = undefined.to_vec();
        guarded.push(FalseIfUndefined);
        assert_eq!(run(&guarded), Possible::Truth(no));
    }

    #[test]
    fn an_index_outside_has_no_value() {
        use Operation::*;
        let index = |k| run(&[Number(k), Index { count: 3 }]);
        assert_eq!(index(2), Possible::Number(2));
        let cause = Cause::Outside { index: 3, count: 3 };
        assert_eq!(index(3), Possible::Nothing(Missing { at: 1, cause }));
    }
}
