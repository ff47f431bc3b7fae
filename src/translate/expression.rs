//! Expressions of programs as conditions and terms of `.pds`.
//!
//! `.pds` has no nondeterministic choice, and a comparison there is false where a term has no
//! value. So a truth value becomes two conditions: when it may come out true, and when false.
//! Where both are true there is a choice, where neither is the expression has no value. A
//! number becomes a term and the condition under which it has a value; numbers are never
//! chosen by chance.
//!
//! Bitwise operations are written as arithmetic: the product of two bits is their conjunction.

use super::formula::{Formulas, Node};
use super::variables::Variables;
use super::{Untranslatable, VARIABLE_BITS};
use crate::program::Interval;
use crate::program::{Domain, Operation, ProcedureId, SHIFT_LIMIT, VariableId, When};
use crate::syntax::pds::tree::BinaryOperator as Operator;

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Truth(Truth),
    Number(Number),
}

#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// It may come out true.
    pub yes: Node,
    /// It may come out false.
    pub no: Node,
    /// There may be neither.
    pub partial: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub term: Node,
    /// Where it has a value.
    pub defined: Node,
    /// Where it has one, it is in here.
    pub interval: Interval,
}

impl Truth {
    /// Where it has no value.
    pub fn missing(self, formulas: &mut Formulas) -> Node {
        if !self.partial {
            return formulas.truth(false);
        }
        let either = formulas.or(self.yes, self.no);
        formulas.not(either)
    }

    /// Where it comes out as `decided`, or the other way round and `second` is true.
    fn or_second(self, formulas: &mut Formulas, decided: bool, second: Node) -> Node {
        let (decided, open) = match decided {
            true => (self.yes, self.no),
            false => (self.no, self.yes),
        };
        // Otherwise it is decided or open anyway.
        let second = match self.partial {
            true => formulas.and(open, second),
            false => second,
        };
        formulas.or(decided, second)
    }

    /// Whether nothing is left to chance.
    pub fn is_determined(self, formulas: &mut Formulas) -> bool {
        self.partial || formulas.not(self.yes) == self.no
    }
}

/// Translates the expressions of one procedure.
pub struct Expressions<'e> {
    pub formulas: &'e mut Formulas,
    pub variables: &'e Variables,
    pub procedure: ProcedureId,
    /// The values that are read where the expression asks for those before the step.
    pub now: When,
}

type Outcome<T> = Result<T, Untranslatable>;

impl Expressions<'_> {
    /// Runs postfix operations, as the interpreter does.
    pub fn value(&mut self, operations: &[Operation]) -> Outcome<Value> {
        let mut stack: Vec<Value> = Vec::with_capacity(8);
        let take = |stack: &mut Vec<Value>| stack.pop().ok_or(Untranslatable::MixedKinds);
        for operation in operations {
            let value = match *operation {
                Operation::Constant(value) => {
                    let yes = self.formulas.truth(value);
                    Value::Truth(self.determined(yes))
                }
                Operation::Choose => {
                    let any = self.formulas.truth(true);
                    let (yes, no, partial) = (any, any, false);
                    Value::Truth(Truth { yes, no, partial })
                }
                Operation::Number(number) => {
                    let term = self.formulas.number(number);
                    Value::Number(self.total(term, Interval::only(number.into())))
                }
                Operation::Read(cell) => self.read(cell, When::Before),
                Operation::ReadNext(cell) => self.read(cell, When::After),
                Operation::ReadBelow(cell) => self.read(cell, When::Below),
                Operation::ReadElement { first, count, when } => {
                    let index = number(take(&mut stack)?)?;
                    self.element(first, count, when, index)
                }
                Operation::Index { count } => {
                    let index = number(take(&mut stack)?)?;
                    Value::Number(self.within(index, 0, i128::from(count) - 1))
                }
                Operation::Not => {
                    let Truth { yes, no, partial } = truth(take(&mut stack)?)?;
                    let (yes, no) = (no, yes);
                    Value::Truth(Truth { yes, no, partial })
                }
                Operation::FalseIfUndefined => {
                    let yes = truth(take(&mut stack)?)?.yes;
                    Value::Truth(self.determined(yes))
                }
                Operation::ToTruth => {
                    let operand = number(take(&mut stack)?)?;
                    let zero = self.formulas.number(0);
                    let zero = self.total(zero, Interval::only(0));
                    Value::Truth(self.compare(Operator::NotEqual, operand, zero))
                }
                Operation::ToNumber => return Err(Untranslatable::MixedKinds),
                Operation::IfThenElse => {
                    let no = truth(take(&mut stack)?)?;
                    let yes = truth(take(&mut stack)?)?;
                    let condition = truth(take(&mut stack)?)?;
                    Value::Truth(self.if_then_else(condition, yes, no))
                }
                Operation::And
                | Operation::Or
                | Operation::Xor
                | Operation::Equal
                | Operation::Implies
                | Operation::Schoose => {
                    let b = truth(take(&mut stack)?)?;
                    let a = truth(take(&mut stack)?)?;
                    Value::Truth(self.connect(*operation, a, b))
                }
                Operation::Less | Operation::LessEqual | Operation::NumbersEqual => {
                    let b = number(take(&mut stack)?)?;
                    let a = number(take(&mut stack)?)?;
                    let operator = match operation {
                        Operation::Less => Operator::Less,
                        Operation::LessEqual => Operator::LessEqual,
                        _ => Operator::Equal,
                    };
                    Value::Truth(self.compare(operator, a, b))
                }
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::BitAnd
                | Operation::BitOr
                | Operation::BitXor
                | Operation::ShiftLeft
                | Operation::ShiftLeftOrFar
                | Operation::ShiftRight => {
                    let b = number(take(&mut stack)?)?;
                    let a = number(take(&mut stack)?)?;
                    Value::Number(self.calculate(*operation, a, b)?)
                }
            };
            stack.push(value);
        }
        take(&mut stack)
    }

    /// A condition.
    pub fn condition(&mut self, operations: &[Operation]) -> Outcome<Truth> {
        truth(self.value(operations)?)
    }

    fn determined(&mut self, yes: Node) -> Truth {
        Truth {
            yes,
            no: self.formulas.not(yes),
            partial: false,
        }
    }

    fn total(&mut self, term: Node, interval: Interval) -> Number {
        Number {
            term,
            defined: self.formulas.truth(true),
            interval,
        }
    }

    fn at(&self, when: When) -> When {
        match when {
            When::Before => self.now,
            When::After => When::After,
            When::Below => When::Below,
        }
    }

    fn read(&mut self, cell: VariableId, when: When) -> Value {
        let (variable, place) = self.variables.cell(self.procedure, cell);
        let node = self.place(variable, place, self.at(when));
        self.as_value(variable, node)
    }

    /// The cell at a place of a variable.
    fn place(&mut self, variable: u32, place: u32, when: When) -> Node {
        match self.variables.get(variable).array {
            None => self.formulas.read(variable, when),
            Some((low, _)) => {
                let index = self.formulas.constant(i128::from(low) + i128::from(place));
                self.formulas.element(variable, when, index)
            }
        }
    }

    /// What is read from a variable.
    pub fn as_value(&mut self, variable: u32, node: Node) -> Value {
        match self.variables.get(variable).domain {
            Domain::Boolean => Value::Truth(self.determined(node)),
            number => Value::Number(self.total(node, stored(number))),
        }
    }

    fn element(&mut self, first: VariableId, count: u32, when: When, index: Number) -> Value {
        let (variable, index) = self.index(first, count, index);
        let node = match self.variables.get(variable).array {
            Some(_) => {
                let when = self.at(when);
                self.formulas.element(variable, when, index.term)
            }
            None => self.formulas.read(variable, self.at(when)),
        };
        match self.as_value(variable, node) {
            Value::Number(number) => Value::Number(Number {
                defined: index.defined,
                ..number
            }),
            Value::Truth(_) => Value::Truth(self.where_defined(index.defined, node)),
        }
    }

    /// The variable in which the cell `place` places after `first` lies, and its index there.
    pub fn index(&mut self, first: VariableId, count: u32, place: Number) -> (u32, Number) {
        let (variable, begin) = self.variables.cell(self.procedure, first);
        let low = self.variables.get(variable).array.map_or(0, |(low, _)| low);
        let by = i128::from(low) + i128::from(begin);
        let shifted = self.shifted(place, by);
        let last = by + i128::from(count) - 1;
        (variable, self.within(shifted, by, last))
    }

    fn shifted(&mut self, number: Number, by: i128) -> Number {
        let (operator, size) = match by < 0 {
            true => (Operator::Minus, self.formulas.constant(-by)),
            false => (Operator::Plus, self.formulas.constant(by)),
        };
        Number {
            term: self.formulas.binary(operator, number.term, size),
            interval: Interval {
                low: number.interval.low + by,
                high: number.interval.high + by,
            },
            ..number
        }
    }

    /// The same number, without value outside these bounds.
    pub fn within(&mut self, number: Number, low: i128, high: i128) -> Number {
        let mut defined = number.defined;
        if number.interval.low < low {
            let limit = self.formulas.constant(low);
            let inside = self
                .formulas
                .binary(Operator::LessEqual, limit, number.term);
            defined = self.formulas.and(defined, inside);
        }
        if number.interval.high > high {
            let limit = self.formulas.constant(high);
            let inside = self
                .formulas
                .binary(Operator::LessEqual, number.term, limit);
            defined = self.formulas.and(defined, inside);
        }
        Number { defined, ..number }
    }

    /// A truth value that there is only under a condition.
    fn where_defined(&mut self, defined: Node, yes: Node) -> Truth {
        let no = self.formulas.not(yes);
        Truth {
            yes: self.formulas.and(defined, yes),
            no: self.formulas.and(defined, no),
            partial: !self.formulas.is_truth(defined, true),
        }
    }

    fn compare(&mut self, operator: Operator, a: Number, b: Number) -> Truth {
        let defined = self.formulas.and(a.defined, b.defined);
        let yes = self.formulas.binary(operator, a.term, b.term);
        self.where_defined(defined, yes)
    }

    fn connect(&mut self, operation: Operation, a: Truth, b: Truth) -> Truth {
        let partial = a.partial || b.partial;
        let f = &mut *self.formulas;
        if !partial && a.is_determined(f) && b.is_determined(f) {
            let (x, y) = (a.yes, b.yes);
            let yes = match operation {
                Operation::And => Some(f.and(x, y)),
                Operation::Or => Some(f.or(x, y)),
                Operation::Xor => Some(f.xor(x, y)),
                Operation::Equal => Some(f.equivalent(x, y)),
                Operation::Implies => Some(f.or(a.no, y)),
                _ => None,
            };
            if let Some(yes) = yes {
                return self.determined(yes);
            }
        }
        let (yes, no) = match operation {
            Operation::And => (f.and(a.yes, b.yes), a.or_second(f, false, b.no)),
            Operation::Or => (a.or_second(f, true, b.yes), f.and(a.no, b.no)),
            Operation::Implies => (a.or_second(f, false, b.yes), f.and(a.yes, b.no)),
            Operation::Schoose => (a.or_second(f, true, b.no), a.no),
            _ => {
                let (both, neither) = (f.and(a.yes, b.yes), f.and(a.no, b.no));
                let (first, second) = (f.and(a.yes, b.no), f.and(a.no, b.yes));
                let (same, differ) = (f.or(both, neither), f.or(first, second));
                match operation {
                    Operation::Equal => (same, differ),
                    _ => (differ, same),
                }
            }
        };
        Truth { yes, no, partial }
    }

    fn if_then_else(&mut self, condition: Truth, yes: Truth, no: Truth) -> Truth {
        let f = &mut *self.formulas;
        let mut either = |yes, no| {
            let (first, second) = (f.and(condition.yes, yes), f.and(condition.no, no));
            f.or(first, second)
        };
        Truth {
            yes: either(yes.yes, no.yes),
            no: either(yes.no, no.no),
            partial: condition.partial || yes.partial || no.partial,
        }
    }

    fn calculate(&mut self, operation: Operation, a: Number, b: Number) -> Outcome<Number> {
        let known = match operation {
            Operation::ShiftLeftOrFar => Operation::ShiftLeft,
            other => other,
        };
        let outcome = a.interval.apply(known, b.interval);
        let outcome = outcome.ok_or(Untranslatable::TooWide)?;
        let mut defined = self.formulas.and(a.defined, b.defined);
        let (mut a, mut b) = (a, b);
        if !matches!(
            operation,
            Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide
        ) {
            a = self.natural(a);
            b = self.natural(b);
            defined = self.formulas.and(a.defined, b.defined);
        }
        let f = &mut *self.formulas;
        let (x, y) = (a.term, b.term);
        let term = match operation {
            Operation::Add => f.binary(Operator::Plus, x, y),
            Operation::Subtract => f.binary(Operator::Minus, x, y),
            Operation::Multiply => f.binary(Operator::Times, x, y),
            Operation::Divide => {
                if outcome.may_fail {
                    let zero = f.number(0);
                    let nonzero = f.binary(Operator::NotEqual, y, zero);
                    defined = f.and(defined, nonzero);
                }
                f.binary(Operator::Divide, x, y)
            }
            Operation::ShiftLeft | Operation::ShiftLeftOrFar => {
                let shifted = f.binary(Operator::ShiftLeft, x, y);
                if outcome.may_fail {
                    // Beyond the limit a shift in `.pds` is larger than everything.
                    let limit = f.constant(SHIFT_LIMIT);
                    let small = f.binary(Operator::LessEqual, shifted, limit);
                    defined = f.and(defined, small);
                }
                shifted
            }
            // Far too large a divisor leaves 0, but only of what a variable can hold.
            Operation::ShiftRight if a.interval.high >> VARIABLE_BITS == 0 => {
                let one = f.number(1);
                let divisor = f.binary(Operator::ShiftLeft, one, y);
                f.binary(Operator::Divide, x, divisor)
            }
            Operation::ShiftRight => return Err(Untranslatable::TooWide),
            _ => self.bitwise(operation, a, b),
        };
        Ok(Number {
            term,
            defined,
            interval: outcome.interval,
        })
    }

    fn natural(&mut self, number: Number) -> Number {
        let high = number.interval.high.max(0);
        let mut natural = self.within(number, 0, high);
        natural.interval = Interval {
            low: number.interval.low.max(0),
            high,
        };
        natural
    }

    /// `x & y` as a sum over bits; the other two follow from it.
    fn bitwise(&mut self, operation: Operation, a: Number, b: Number) -> Node {
        let common = a.interval.high.min(b.interval.high);
        let bits = i128::BITS - common.leading_zeros();
        let mut sum = self.formulas.number(0);
        for place in 0..bits {
            let x = self.bit(a.term, place);
            let y = self.bit(b.term, place);
            let f = &mut *self.formulas;
            let both = f.binary(Operator::Times, x, y);
            let weight = f.constant(1 << place);
            let part = f.binary(Operator::Times, both, weight);
            sum = f.binary(Operator::Plus, sum, part);
        }
        let f = &mut *self.formulas;
        let total = f.binary(Operator::Plus, a.term, b.term);
        match operation {
            Operation::BitAnd => sum,
            Operation::BitOr => f.binary(Operator::Minus, total, sum),
            _ => {
                let two = f.number(2);
                let twice = f.binary(Operator::Times, two, sum);
                f.binary(Operator::Minus, total, twice)
            }
        }
    }

    /// A bit of a natural number.
    fn bit(&mut self, term: Node, place: u32) -> Node {
        let f = &mut *self.formulas;
        let mut rest = |place: u32| {
            let weight = f.constant(1 << place);
            f.binary(Operator::Divide, term, weight)
        };
        let (this, next) = (rest(place), rest(place + 1));
        let two = f.number(2);
        let even = f.binary(Operator::Times, two, next);
        f.binary(Operator::Minus, this, even)
    }
}

/// What a variable of this domain may hold in `.pds`, where every pattern of bits counts.
fn stored(domain: Domain) -> Interval {
    Interval {
        low: 0,
        high: (1 << domain.bits().max(1)) - 1,
    }
}

fn truth(value: Value) -> Outcome<Truth> {
    match value {
        Value::Truth(truth) => Ok(truth),
        Value::Number(_) => Err(Untranslatable::MixedKinds),
    }
}

pub fn number(value: Value) -> Outcome<Number> {
    match value {
        Value::Number(number) => Ok(number),
        Value::Truth(_) => Err(Untranslatable::MixedKinds),
    }
}
