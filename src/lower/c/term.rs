//! Terms over the cells of a program, in postfix form, with the interval that their values are in.
//!
//! A term is a number or a truth value. Where its interval has one number only, it is that
//! constant: reading cells has no effect, and what can be undefined is guarded elsewhere. Each
//! constructor takes time linear in its smaller operands; no term is longer than its users allow.

use crate::program::{Interval, Moment, Operation, VariableId};

/// An integer type: how many bits its values have, and whether they are of two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Width {
    /// How many bits.
    pub bits: u8,
    /// Whether there are negative values.
    pub signed: bool,
}

impl Width {
    /// The values of the type.
    pub fn interval(self) -> Interval {
        Interval::of_bits(self.bits, self.signed)
    }
}

/// What a scalar cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `_Bool`
    Truth,
    /// A number of that width.
    Integer(Width),
    /// A pointer: a code, a natural number.
    Pointer(Codes),
}

/// The codes that a pointer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Codes {
    /// What they stand for: a numbering of targets.
    pub class: u32,
    /// How many bits they need.
    pub bits: u8,
    /// The smallest.
    pub low: u64,
    /// The largest.
    pub high: u64,
}

impl Codes {
    /// Of layouts, which are those of types: which numbering it is depends on the object.
    pub const OPEN: Codes = Codes {
        class: u32::MAX,
        bits: 1,
        low: 0,
        high: u64::MAX,
    };
}

impl Scalar {
    /// What holds the values of both; pointers are of one class.
    pub fn join(self, other: Scalar) -> Scalar {
        match (self, other) {
            (Scalar::Pointer(a), Scalar::Pointer(b)) => Scalar::Pointer(Codes {
                low: a.low.min(b.low),
                high: a.high.max(b.high),
                ..a
            }),
            (one, _) => one,
        }
    }

    /// Its values.
    pub fn interval(self) -> Interval {
        match self {
            Scalar::Truth => Interval { low: 0, high: 1 },
            Scalar::Integer(width) => width.interval(),
            Scalar::Pointer(codes) => Interval {
                low: codes.low.into(),
                high: codes.high.into(),
            },
        }
    }
}

/// A number or a truth value.
#[derive(Clone, Debug)]
pub struct Term {
    operations: Vec<Operation>,
    interval: Interval,
    is_truth: bool,
}

impl Term {
    fn new(operations: Vec<Operation>, interval: Interval, is_truth: bool) -> Self {
        let term = Term {
            operations,
            interval,
            is_truth,
        };
        match (term.constant(), term.operations.len() > 3) {
            (Some(number), true) if is_truth => Term::truth(number != 0),
            (Some(number), true) => Term::number(number),
            _ => term,
        }
    }

    pub fn number(number: i128) -> Self {
        let magnitude = Operation::Number(number.unsigned_abs() as u64);
        let operations = match number < 0 {
            true => vec![Operation::Number(0), magnitude, Operation::Subtract],
            false => vec![magnitude],
        };
        Term {
            operations,
            interval: Interval::only(number),
            is_truth: false,
        }
    }

    pub fn truth(value: bool) -> Self {
        Term {
            operations: vec![Operation::Constant(value)],
            interval: Interval::only(value.into()),
            is_truth: true,
        }
    }

    /// What a cell holds.
    pub fn read(variable: VariableId, scalar: Scalar) -> Self {
        Term::held(vec![Operation::Read(variable)], scalar)
    }

    /// What the cell holds that an index chooses out of a row.
    pub fn element(first: VariableId, count: u32, index: Term, scalar: Scalar) -> Self {
        let mut operations = index.into_number().operations;
        operations.push(Operation::ReadElement {
            first,
            count,
            when: Moment::Before,
        });
        Term::held(operations, scalar)
    }

    /// Cells are bits: what they mean is said by the type.
    fn held(mut operations: Vec<Operation>, scalar: Scalar) -> Self {
        if let Scalar::Integer(Width { bits, signed: true }) = scalar {
            operations.push(Operation::Wrap { bits, signed: true });
        }
        let interval = scalar.interval();
        if let (Scalar::Pointer(_), Some(code)) = (scalar, interval.constant()) {
            return Term::number(code);
        }
        Term {
            operations,
            interval,
            is_truth: scalar == Scalar::Truth,
        }
    }

    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operations of a value for a cell of so many bits, which takes it modulo its size.
    pub fn for_cell(self, scalar: Scalar) -> Vec<Operation> {
        let Scalar::Integer(width) = scalar else {
            return match scalar {
                Scalar::Truth => self.into_truth().operations,
                _ => self.into_number().operations,
            };
        };
        let mut operations = self.into_number().operations;
        while let Some(Operation::Wrap { bits, .. }) = operations.last()
            && *bits >= width.bits
        {
            operations.pop();
        }
        operations
    }

    pub fn is_truth(&self) -> bool {
        self.is_truth
    }

    pub fn len(&self) -> usize {
        self.operations.len()
    }

    pub fn interval(&self) -> Interval {
        self.interval
    }

    pub fn constant(&self) -> Option<i128> {
        self.interval.constant()
    }

    /// Whether it is a certain truth value, or a number that is always or never 0.
    pub fn known_truth(&self) -> Option<bool> {
        match self.interval.misses(Interval::only(0)) {
            true => Some(true),
            false => self.constant().map(|number| number != 0),
        }
    }

    /// The cells it may read: the first of each row, and how many.
    pub fn reads(&self) -> impl Iterator<Item = (VariableId, u32)> + '_ {
        let reads = self.operations.iter().filter_map(Operation::cells_read);
        reads.map(|(first, count, _)| (first, count))
    }

    pub fn into_number(mut self) -> Self {
        if self.is_truth {
            self.operations.push(Operation::ToNumber);
            self.is_truth = false;
            if let Some(number) = self.constant() {
                return Term::number(number);
            }
        }
        self
    }

    /// Whether it is not 0.
    pub fn into_truth(mut self) -> Self {
        if self.is_truth {
            return self;
        }
        if let Some(value) = self.known_truth() {
            return Term::truth(value);
        }
        match self.operations.last() {
            // It was one before.
            Some(Operation::ToNumber) => {
                self.operations.pop();
            }
            // The sign does not matter.
            Some(Operation::Wrap { signed: true, .. }) if self.is_one_read() => {
                self.operations.pop();
                self.operations.push(Operation::ToTruth);
            }
            _ => self.operations.push(Operation::ToTruth),
        }
        Term {
            interval: Scalar::Truth.interval(),
            is_truth: true,
            ..self
        }
    }

    /// Whether it is what one cell holds.
    pub fn is_one_read(&self) -> bool {
        matches!(
            self.operations[..],
            [Operation::Read(_)] | [Operation::Read(_), Operation::Wrap { .. }]
        )
    }

    pub fn not(self) -> Self {
        let mut term = self.into_truth();
        if let Some(value) = term.constant() {
            return Term::truth(value == 0);
        }
        match term.operations.last() {
            Some(Operation::Not) => {
                term.operations.pop();
            }
            _ => term.operations.push(Operation::Not),
        }
        term
    }

    /// The number modulo a power of 2.
    pub fn wrap(self, width: Width) -> Self {
        let mut term = self.into_number();
        let range = width.interval();
        if term.interval.within(range.low, range.high) {
            return term;
        }
        let interval = term.interval.wrapped(width.bits, width.signed);
        // Only the last of several counts if it keeps fewer bits.
        while let Some(Operation::Wrap { bits, .. }) = term.operations.last()
            && *bits >= width.bits
        {
            term.operations.pop();
        }
        term.operations.push(Operation::Wrap {
            bits: width.bits,
            signed: width.signed,
        });
        Term::new(term.operations, interval, false)
    }

    /// An arithmetic operation on two numbers. The caller guards what has no value.
    pub fn calculate(self, operation: Operation, other: Term) -> Self {
        let (mut a, b) = (self.into_number(), other.into_number());
        let outcome = a.interval.apply(operation, b.interval);
        let interval = outcome.map_or(Interval::ALL, |outcome| outcome.interval);
        // The neutral element on the right.
        let neutral = match operation {
            Operation::Add | Operation::Subtract | Operation::ArithmeticShiftRight => Some(0),
            Operation::Divide | Operation::Multiply => Some(1),
            _ => None,
        };
        if neutral.is_some() && b.constant() == neutral {
            return a;
        }
        a.operations.extend(b.operations);
        a.operations.push(operation);
        Term::new(a.operations, interval, false)
    }

    pub fn add(self, other: Term) -> Self {
        self.calculate(Operation::Add, other)
    }

    pub fn subtract(self, other: Term) -> Self {
        self.calculate(Operation::Subtract, other)
    }

    pub fn multiply(self, by: i128) -> Self {
        self.calculate(Operation::Multiply, Term::number(by))
    }

    pub fn less(self, other: Term) -> Self {
        let (always, never) = (
            self.interval.high < other.interval.low,
            self.interval.low >= other.interval.high,
        );
        self.compare(Operation::Less, other, always, never)
    }

    pub fn less_equal(self, other: Term) -> Self {
        let (always, never) = (
            self.interval.high <= other.interval.low,
            self.interval.low > other.interval.high,
        );
        self.compare(Operation::LessEqual, other, always, never)
    }

    pub fn equal(self, other: Term) -> Self {
        let always = self.constant().is_some() && self.interval == other.interval;
        let never = self.interval.misses(other.interval);
        if self.is_truth && other.is_truth && !always && !never {
            return self.connect(Operation::Equal, other);
        }
        let (mut a, mut b) = (self, other);
        if let ([.., first], [.., second]) = (&a.operations[..], &b.operations[..])
            && let Operation::Wrap { signed: true, .. } = first
            && first == second
            && a.is_one_read()
            && b.is_one_read()
        {
            // Equal bits are equal numbers.
            a.operations.pop();
            b.operations.pop();
        }
        a.compare(Operation::NumbersEqual, b, always, never)
    }

    fn compare(self, operation: Operation, other: Term, always: bool, never: bool) -> Self {
        if always || never {
            return Term::truth(always);
        }
        let mut operations = self.into_number().operations;
        operations.extend(other.into_number().operations);
        operations.push(operation);
        Term {
            operations,
            interval: Scalar::Truth.interval(),
            is_truth: true,
        }
    }

    /// Whether the number is between two others, both included.
    pub fn within(self, low: i128, high: i128) -> Self {
        if low == high {
            return self.equal(Term::number(low));
        }
        let above = Term::number(low).less_equal(self.clone());
        above.and(self.less_equal(Term::number(high)))
    }

    fn connect(self, operation: Operation, other: Term) -> Self {
        let mut operations = self.operations;
        operations.extend(other.operations);
        operations.push(operation);
        Term {
            operations,
            interval: Scalar::Truth.interval(),
            is_truth: true,
        }
    }

    /// The second is not looked at where the first is false.
    pub fn and(self, other: Term) -> Self {
        let (a, b) = (self.into_truth(), other.into_truth());
        match (a.constant(), b.constant()) {
            (Some(0), _) | (_, Some(1)) => a,
            (Some(_), _) | (_, Some(0)) => b,
            _ => a.connect(Operation::And, b),
        }
    }

    /// The second is not looked at where the first is true.
    pub fn or(self, other: Term) -> Self {
        let (a, b) = (self.into_truth(), other.into_truth());
        match (a.constant(), b.constant()) {
            (Some(1), _) | (_, Some(0)) => a,
            (Some(_), _) | (_, Some(1)) => b,
            _ => a.connect(Operation::Or, b),
        }
    }

    /// `yes` if the condition is true, otherwise `no`.
    pub fn if_then_else(condition: Term, yes: Term, no: Term) -> Self {
        let condition = condition.into_truth();
        match condition.constant() {
            Some(0) => return no,
            Some(_) => return yes,
            None => {}
        }
        let is_truth = yes.is_truth && no.is_truth;
        let (yes, no) = match is_truth {
            true => (yes, no),
            false => (yes.into_number(), no.into_number()),
        };
        let interval = yes.interval.join(no.interval);
        let mut operations = condition.operations;
        operations.extend(yes.operations);
        operations.extend(no.operations);
        operations.push(Operation::IfThenElse);
        Term::new(operations, interval, is_truth)
    }
}
