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
use super::relation::Relation;
use super::{Untranslatable, VARIABLE_BITS};
use crate::program::{
    Domain, Expression, Interval, Moment, Operation, ProcedureId, SHIFT_LIMIT, VariableId,
};
use crate::rules::DataVariable;
use crate::syntax::pds::tree::BinaryOperator as Operator;
use std::ops::Range;

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

type Outcome<T> = Result<T, Untranslatable>;

impl Relation<'_> {
    /// Runs postfix operations, as the interpreter does.
    pub fn value(&mut self, expression: Expression) -> Outcome<Value> {
        let mut stack: Vec<Value> = Vec::with_capacity(8);
        let take = |stack: &mut Vec<Value>| stack.pop().ok_or(Untranslatable::MixedKinds);
        for operation in self.rules.expressions.operations(expression) {
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
                Operation::Read(cell) => self.read(cell, Moment::Before),
                Operation::ReadNext(cell) => self.read(cell, Moment::After),
                Operation::ReadBelow(cell) => self.read(cell, Moment::Below),
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
                    let yes = (self.formulas).binary(Operator::NotEqual, operand.term, zero);
                    Value::Truth(self.where_defined(operand.defined, yes))
                }
                Operation::ToNumber | Operation::ShiftLeftOrFar => {
                    return Err(Untranslatable::MixedKinds);
                }
                Operation::Wrap { .. }
                | Operation::MultiplyModulo { .. }
                | Operation::Remainder
                | Operation::ShiftLeftModulo { .. }
                | Operation::ArithmeticShiftRight => return Err(Untranslatable::TwosComplement),
                Operation::IfThenElse => {
                    let no = truth(take(&mut stack)?)?;
                    let yes = truth(take(&mut stack)?)?;
                    let condition = truth(take(&mut stack)?)?;
                    Value::Truth(self.if_then_else(condition, yes, no))
                }
                binary => match (take(&mut stack)?, take(&mut stack)?) {
                    (Value::Truth(b), Value::Truth(a)) => Value::Truth(self.connect(binary, a, b)),
                    (Value::Number(b), Value::Number(a)) => match binary {
                        Operation::Less => self.compare(Operator::Less, a, b),
                        Operation::LessEqual => self.compare(Operator::LessEqual, a, b),
                        Operation::NumbersEqual => self.compare(Operator::Equal, a, b),
                        _ => Value::Number(self.calculate(binary, a, b)?),
                    },
                    _ => return Err(Untranslatable::MixedKinds),
                },
            };
            stack.push(value);
        }
        take(&mut stack)
    }

    pub fn condition(&mut self, expression: Expression) -> Outcome<Truth> {
        truth(self.value(expression)?)
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

    fn at(&self, when: Moment) -> Moment {
        match when {
            Moment::Before => self.now,
            other => other,
        }
    }

    fn read(&mut self, cell: VariableId, when: Moment) -> Value {
        let when = self.at(when);
        let bits = self.effect.bits(&self.rules.layout, cell, when);
        let domain = self.rules.domain(self.effect.frames[when as usize], cell);
        self.cell_value(self.frames[when as usize], &bits, domain, when)
    }

    /// What a cell of this domain holds, as seen from inside a procedure.
    pub fn cell_value(
        &mut self,
        procedure: ProcedureId,
        bits: &Range<DataVariable>,
        domain: Domain,
        when: Moment,
    ) -> Value {
        let term = match self.variables.at(procedure, bits) {
            Some((variable, place)) => {
                let index = self.constant_index(variable, place);
                self.formulas.cell(variable, when, index)
            }
            None => self.formulas.number(0),
        };
        match domain {
            Domain::Boolean => Value::Truth(self.determined(term)),
            number => Value::Number(self.total(term, Interval::of(number))),
        }
    }

    /// The index of a place in a variable; `None` if it is no array.
    pub fn constant_index(&mut self, variable: u32, place: u32) -> Option<Node> {
        let (low, _) = self.variables.get(variable).array?;
        Some(self.formulas.constant(i128::from(low) + i128::from(place)))
    }

    fn element(&mut self, first: VariableId, count: u32, when: Moment, index: Number) -> Value {
        let when = self.at(when);
        let bits = self.effect.bits(&self.rules.layout, first, when);
        let domain = self.rules.domain(self.effect.frames[when as usize], first);
        let (variable, index) = self.index(self.frames[when as usize], &bits, count, index);
        let term = match variable {
            Some(variable) => self.formulas.cell(variable, when, Some(index.term)),
            None => self.formulas.number(0),
        };
        match domain {
            Domain::Boolean => Value::Truth(self.where_defined(index.defined, term)),
            number => Value::Number(Number {
                term,
                defined: index.defined,
                interval: Interval::of(number),
            }),
        }
    }

    /// The variable in which the cell `place` places after the first one lies, and its index
    /// there.
    pub fn index(
        &mut self,
        procedure: ProcedureId,
        first: &Range<DataVariable>,
        count: u32,
        place: Number,
    ) -> (Option<u32>, Number) {
        let found = self.variables.at(procedure, first);
        let begin = found.map_or(0, |(variable, begin)| {
            let array = self.variables.get(variable).array;
            array.map_or(0, |(low, _)| i128::from(low)) + i128::from(begin)
        });
        let shifted = self.shifted(place, begin);
        let index = self.within(shifted, begin, begin + i128::from(count) - 1);
        (found.map(|(variable, _)| variable), index)
    }

    fn shifted(&mut self, number: Number, by: i128) -> Number {
        let (operator, size) = match by < 0 {
            true => (Operator::Subtract, self.formulas.constant(-by)),
            false => (Operator::Add, self.formulas.constant(by)),
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

    /// This number, without value outside these bounds.
    pub fn within(&mut self, number: Number, low: i128, high: i128) -> Number {
        let (f, mut defined) = (&mut self.formulas, number.defined);
        if number.interval.low < low {
            let limit = f.constant(low);
            let inside = f.binary(Operator::LessEqual, limit, number.term);
            defined = f.and(defined, inside);
        }
        if number.interval.high > high {
            let limit = f.constant(high);
            let inside = f.binary(Operator::LessEqual, number.term, limit);
            defined = f.and(defined, inside);
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

    fn compare(&mut self, operator: Operator, a: Number, b: Number) -> Value {
        let defined = self.formulas.and(a.defined, b.defined);
        let yes = self.formulas.binary(operator, a.term, b.term);
        Value::Truth(self.where_defined(defined, yes))
    }

    fn connect(&mut self, operation: Operation, a: Truth, b: Truth) -> Truth {
        let partial = a.partial || b.partial;
        let f = &mut self.formulas;
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
        let f = &mut self.formulas;
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
        let outcome = a.interval.apply(operation, b.interval);
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
        let f = &mut self.formulas;
        let (x, y) = (a.term, b.term);
        let term = match operation {
            Operation::Add => f.binary(Operator::Add, x, y),
            Operation::Subtract => f.binary(Operator::Subtract, x, y),
            Operation::Multiply => f.binary(Operator::Multiply, x, y),
            Operation::Divide => {
                if outcome.may_fail {
                    let zero = f.number(0);
                    let nonzero = f.binary(Operator::NotEqual, y, zero);
                    defined = f.and(defined, nonzero);
                }
                f.binary(Operator::Divide, x, y)
            }
            Operation::ShiftLeft => {
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
            let f = &mut self.formulas;
            let both = f.binary(Operator::Multiply, x, y);
            let weight = f.constant(1 << place);
            let part = f.binary(Operator::Multiply, both, weight);
            sum = f.binary(Operator::Add, sum, part);
        }
        let f = &mut self.formulas;
        let total = f.binary(Operator::Add, a.term, b.term);
        match operation {
            Operation::BitAnd => sum,
            Operation::BitOr => f.binary(Operator::Subtract, total, sum),
            _ => {
                let two = f.number(2);
                let twice = f.binary(Operator::Multiply, two, sum);
                f.binary(Operator::Subtract, total, twice)
            }
        }
    }

    /// A bit of a natural number.
    fn bit(&mut self, term: Node, place: u32) -> Node {
        let f = &mut self.formulas;
        let mut rest = |place: u32| {
            let weight = f.constant(1 << place);
            f.binary(Operator::Divide, term, weight)
        };
        let (this, next) = (rest(place), rest(place + 1));
        let two = f.number(2);
        let even = f.binary(Operator::Multiply, two, next);
        f.binary(Operator::Subtract, this, even)
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
