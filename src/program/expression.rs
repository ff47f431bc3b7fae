//! Expressions in postfix form.
//!
//! An expression is a range of operations in one array, operands before their operator.
//! Whoever evaluates one, over values or over BDDs, runs a small stack machine: no
//! recursion, so that nothing a user nests can overflow our own stack.
//!
//! A value is a truth value or a whole number; numbers are exact and of either sign. Front
//! ends see to it that no operation gets an operand of the other kind, and that no number
//! can need more than [`NUMBER_BITS`] bits. An operation may have *no value*: an index out
//! of bounds, a division by 0. What has an operand without value has none either, except
//! that `And` and `Or` do not look at their second operand where the first one decides.

use super::VariableId;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The absolute value of every number is below 2 to this power.
pub const NUMBER_BITS: u32 = 126;

/// A shift to the left whose result is above this has no value.
pub const SHIFT_LIMIT: i128 = 1 << 64;

/// Stands for all results above that limit where a shift always has a value: larger than
/// every value of a variable.
pub const FAR: i128 = 1 << (NUMBER_BITS - 1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Constant(bool),
    /// The value of a variable before the step.
    Read(VariableId),
    /// The value of a variable after the step; only in a `constrain`, or the relation of a
    /// pushdown rule (of its first symbol on the right).
    ReadNext(VariableId),
    /// The value of a variable after the step in the frame below the top; only in the
    /// relation of a pushdown rule.
    ReadBelow(VariableId),
    /// Either value, chosen anew at each evaluation.
    Choose,
    Not,
    And,
    Or,
    Xor,
    Equal,
    Implies,
    /// `c a b`: `a` if `c`, otherwise `b`.
    IfThenElse,
    /// `a b`: 1 if `a`; otherwise 0 if `b`; otherwise either value.
    Schoose,
    Number(u64),
    /// `k`: the value of the cell `k` places after `first`. No value unless `0 <= k < count`.
    ReadElement {
        first: VariableId,
        count: u32,
        when: Moment,
    },
    /// `k`: the same number. No value unless `0 <= k < count`.
    Index {
        count: u32,
    },
    Add,
    Subtract,
    Multiply,
    /// `a b`: the product modulo 2 to the power `bits`, a natural number, however large the exact
    /// product is.
    MultiplyModulo {
        bits: u8,
    },
    /// Rounds towards 0. No value if the divisor is 0.
    Divide,
    /// What a division that rounds towards 0 leaves: it has the sign of the dividend. No value if
    /// the divisor is 0.
    Remainder,
    /// These have no value on negative numbers.
    BitAnd,
    BitOr,
    BitXor,
    /// `a b`: `a` times 2 to the power `b`. No value if one is negative, or the result is
    /// above [`SHIFT_LIMIT`].
    ShiftLeft,
    /// Shifts left; [`FAR`] where the result is above the limit.
    ShiftLeftOrFar,
    /// `a b`: `a` times 2 to the power `b` modulo 2 to the power `bits`, a natural number. No
    /// value if `b` is negative.
    ShiftLeftModulo {
        bits: u8,
    },
    /// No value if one operand is negative.
    ShiftRight,
    /// `a b`: `a` divided by 2 to the power `b`, rounded down. No value if `b` is negative.
    ArithmeticShiftRight,
    /// The number that is the same modulo 2 to the power `bits`, from 1 to 64: a natural one, or
    /// one of two's complement.
    Wrap {
        bits: u8,
        signed: bool,
    },
    Less,
    LessEqual,
    NumbersEqual,
    /// From a truth value to 0 or 1.
    ToNumber,
    /// From a number to a truth value: only 0 is false.
    ToTruth,
    /// A truth value where there is one, otherwise false.
    FalseIfUndefined,
}

/// At which time, and in which frame, an element is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    Before,
    After,
    Below,
}

/// A range of operations in [`Expressions`]. Invariant: running them leaves exactly one
/// value on an empty stack and never takes a value that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    start: u32,
    end: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Expressions {
    operations: Vec<Operation>,
    /// Where some expressions stand in the source, so that one without a value can be
    /// pointed at.
    spans: FxHashMap<Expression, Span>,
}

impl Expressions {
    pub fn with_capacity(operations: usize) -> Self {
        Expressions {
            operations: Vec::with_capacity(operations),
            spans: FxHashMap::default(),
        }
    }

    pub fn operations(&self, expression: Expression) -> &[Operation] {
        &self.operations[expression.start as usize..expression.end as usize]
    }

    /// Adds an expression given in postfix form.
    pub fn add(&mut self, operations: impl IntoIterator<Item = Operation>) -> Expression {
        let start = self.operations.len() as u32;
        self.operations.extend(operations);
        Expression {
            start,
            end: self.operations.len() as u32,
        }
    }

    /// Adds an expression that may have no value, with its place in the source.
    pub fn add_at(
        &mut self,
        span: Span,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Expression {
        let expression = self.add(operations);
        self.spans.insert(expression, span);
        expression
    }

    /// Where an expression stands in the source, if that is known.
    pub fn span_of(&self, expression: Expression) -> Option<Span> {
        self.spans.get(&expression).copied()
    }

    /// Whether there may be values of variables for which the expression has none.
    pub fn may_have_no_value(&self, expression: Expression) -> bool {
        let mut operations = self.operations(expression).iter();
        operations.any(Operation::may_have_no_value)
    }

    /// The variables read before the step, with repetitions; of an array every cell that
    /// might be.
    pub fn reads(&self, expression: Expression) -> impl Iterator<Item = VariableId> {
        self.reads_at(expression, Moment::Before)
    }

    /// The variables whose values after the step are read, with repetitions.
    pub fn reads_next(&self, expression: Expression) -> impl Iterator<Item = VariableId> {
        self.reads_at(expression, Moment::After)
    }

    fn reads_at(&self, expression: Expression, at: Moment) -> impl Iterator<Item = VariableId> {
        let operations = self.operations(expression).iter();
        operations.flat_map(move |operation| {
            let (first, count, when) = operation.cells_read().unwrap_or(NOTHING_READ);
            let count = if when == at { count } else { 0 };
            (0..count).map(move |k| first.plus(k))
        })
    }
}

const NOTHING_READ: (VariableId, u32, Moment) = (VariableId::Global(0), 0, Moment::Before);

/// Whether operations, run from an empty stack, leave one value and need none.
pub fn is_one_value(operations: &[Operation]) -> bool {
    let mut height = 0_usize;
    for operation in operations {
        match height.checked_sub(operation.operands()) {
            Some(below) => height = below + 1,
            None => return false,
        }
    }
    height == 1
}

/// The shift of a natural number to the left; `None` above the limit.
pub fn shift_left(a: i128, by: i128) -> Option<i128> {
    if a == 0 {
        return Some(0);
    }
    let by = u32::try_from(by).ok()?;
    let largest = SHIFT_LIMIT.checked_shr(by)?;
    (a <= largest).then(|| a << by)
}

/// The number that is the same modulo 2 to the power `bits`, which is from 1 to 64.
pub fn wrap(number: i128, bits: u8, signed: bool) -> i128 {
    let shift = i128::BITS - u32::from(bits);
    match signed {
        true => number << shift >> shift,
        false => ((number as u128) << shift >> shift) as i128,
    }
}

/// A number divided by a power of 2, rounded down.
pub fn arithmetic_shift_right(number: i128, by: i128) -> i128 {
    // A shift by more bits than there are gives what one by all of them does.
    number >> by.clamp(0, i128::from(i128::BITS - 1))
}

/// A number times a power of 2, modulo another.
pub fn shift_left_modulo(number: i128, by: i128, bits: u8) -> i128 {
    match by < i128::from(bits) {
        true => wrap(number << by, bits, false),
        false => 0,
    }
}

/// What an operation takes and makes. What is done alike for all operations of a kind need not know
/// them one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Takes nothing.
    Leaf,
    /// Takes one value.
    Unary,
    /// From two truth values to one.
    Connective,
    /// From two numbers to one.
    Arithmetic,
    /// From two numbers to one, the first shifted by as many bits as the second says.
    Shift,
    /// From two numbers to a truth value.
    Comparison,
    /// Takes a truth value, and two others, one of which it makes.
    Conditional,
}

impl Operation {
    /// What it takes and makes.
    pub fn kind(&self) -> OperationKind {
        match self {
            Operation::Constant(_)
            | Operation::Number(_)
            | Operation::Read(_)
            | Operation::ReadNext(_)
            | Operation::ReadBelow(_)
            | Operation::Choose => OperationKind::Leaf,
            Operation::Not
            | Operation::ReadElement { .. }
            | Operation::Index { .. }
            | Operation::Wrap { .. }
            | Operation::ToNumber
            | Operation::ToTruth
            | Operation::FalseIfUndefined => OperationKind::Unary,
            Operation::And
            | Operation::Or
            | Operation::Xor
            | Operation::Equal
            | Operation::Implies
            | Operation::Schoose => OperationKind::Connective,
            Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::MultiplyModulo { .. }
            | Operation::Divide
            | Operation::Remainder
            | Operation::BitAnd
            | Operation::BitOr
            | Operation::BitXor => OperationKind::Arithmetic,
            Operation::ShiftLeft
            | Operation::ShiftLeftOrFar
            | Operation::ShiftLeftModulo { .. }
            | Operation::ShiftRight
            | Operation::ArithmeticShiftRight => OperationKind::Shift,
            Operation::Less | Operation::LessEqual | Operation::NumbersEqual => {
                OperationKind::Comparison
            }
            Operation::IfThenElse => OperationKind::Conditional,
        }
    }

    /// How many operands it takes.
    pub fn operands(&self) -> usize {
        match self.kind() {
            OperationKind::Leaf => 0,
            OperationKind::Unary => 1,
            OperationKind::Connective
            | OperationKind::Arithmetic
            | OperationKind::Shift
            | OperationKind::Comparison => 2,
            OperationKind::Conditional => 3,
        }
    }

    /// Whether the operation itself might have no value.
    pub fn may_have_no_value(&self) -> bool {
        matches!(
            self,
            Operation::ReadElement { .. }
                | Operation::Index { .. }
                | Operation::Divide
                | Operation::Remainder
                | Operation::BitAnd
                | Operation::BitOr
                | Operation::BitXor
                | Operation::ShiftLeft
                | Operation::ShiftLeftOrFar
                | Operation::ShiftLeftModulo { .. }
                | Operation::ShiftRight
                | Operation::ArithmeticShiftRight
        )
    }

    /// A tag below 64, and a number if all operations with that tag have one: together different
    /// for different operations that read no cell.
    pub fn code(&self) -> (u64, Option<u64>) {
        match self {
            Operation::Constant(value) => (0, Some(u64::from(*value))),
            Operation::Number(number) => (1, Some(*number)),
            Operation::Index { count } => (2, Some(u64::from(*count))),
            Operation::Choose => (3, None),
            Operation::Not => (4, None),
            Operation::And => (5, None),
            Operation::Or => (6, None),
            Operation::Xor => (7, None),
            Operation::Equal => (8, None),
            Operation::Implies => (9, None),
            Operation::IfThenElse => (10, None),
            Operation::Schoose => (11, None),
            Operation::Add => (12, None),
            Operation::Subtract => (13, None),
            Operation::Multiply => (14, None),
            Operation::Divide => (15, None),
            Operation::BitAnd => (16, None),
            Operation::BitOr => (17, None),
            Operation::BitXor => (18, None),
            Operation::ShiftLeft => (19, None),
            Operation::ShiftLeftOrFar => (20, None),
            Operation::ShiftRight => (21, None),
            Operation::Less => (22, None),
            Operation::LessEqual => (23, None),
            Operation::NumbersEqual => (24, None),
            Operation::ToNumber => (25, None),
            Operation::ToTruth => (26, None),
            Operation::FalseIfUndefined => (27, None),
            Operation::Read(_)
            | Operation::ReadNext(_)
            | Operation::ReadBelow(_)
            | Operation::ReadElement { .. } => (28, None),
            Operation::MultiplyModulo { bits } => (29, Some(u64::from(*bits))),
            Operation::Remainder => (30, None),
            Operation::ShiftLeftModulo { bits } => (31, Some(u64::from(*bits))),
            Operation::ArithmeticShiftRight => (32, None),
            Operation::Wrap { bits, signed } => {
                (33, Some(u64::from(*bits) << 1 | u64::from(*signed)))
            }
        }
    }

    /// The cells an operation may read: the first one, how many, and when.
    pub fn cells_read(&self) -> Option<(VariableId, u32, Moment)> {
        match self {
            Operation::Read(variable) => Some((*variable, 1, Moment::Before)),
            Operation::ReadNext(variable) => Some((*variable, 1, Moment::After)),
            Operation::ReadBelow(variable) => Some((*variable, 1, Moment::Below)),
            Operation::ReadElement { first, count, when } => Some((*first, *count, *when)),
            _ => None,
        }
    }
}
