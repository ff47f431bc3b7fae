//! What a rule says of the values after it: what is set, what is kept, what may be anything.
//!
//! Nothing is kept in `.pds` unless the rule says so, and arithmetic is exact. A number that
//! does not fit is therefore left to a rule of its own, to *error*; under wrapping, a value is
//! related to the number it is congruent to.

use super::expression::{Number, Truth, Value};
use super::formula::{Formulas, Kind, Node};
use super::variables::Variables;
use crate::program::Interval;
use crate::program::{Domain, Overflow, When};
use crate::syntax::pds::tree::BinaryOperator as Operator;
use std::collections::BTreeMap;
use std::ops::Range;

/// The values after a step of some variables that are in one place.
pub struct Frame {
    pub variables: Range<u32>,
    pub when: When,
    /// Whether what is not set stays as it was; otherwise it may become anything.
    pub kept: bool,
}

/// A cell that is set.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    pub variable: u32,
    pub when: When,
    /// Which one, in an array.
    pub index: Option<Node>,
    /// `None` for any value.
    pub value: Option<Value>,
}

pub struct Relation<'r> {
    pub formulas: &'r mut Formulas,
    pub variables: &'r Variables,
    pub overflow: Overflow,
}

/// Multiples beyond this many are not tried one by one.
const MOST_MULTIPLES: i128 = 16;

impl Relation<'_> {
    /// The conditions that describe a frame after these updates. Where two meet, the later
    /// one wins.
    pub fn frame(&mut self, frame: &Frame, updates: &[Update]) -> Vec<Node> {
        let mut conditions = Vec::new();
        for variable in frame.variables.clone() {
            let is_here = |u: &&Update| u.variable == variable && u.when == frame.when;
            let here: Vec<Update> = updates.iter().filter(is_here).copied().collect();
            match self.variables.get(variable).array {
                None => match here.last() {
                    Some(update) => {
                        let cell = self.formulas.read(variable, frame.when);
                        let domain = self.variables.get(variable).domain;
                        conditions.push(self.set(domain, cell, update.value));
                    }
                    None => conditions.push(self.untouched(frame, variable, None)),
                },
                Some((low, length)) => {
                    let last = i128::from(low) + i128::from(length) - 1;
                    let indices = (i128::from(low), last);
                    self.array(frame, variable, indices, &here, &mut conditions);
                }
            }
        }
        conditions.retain(|condition| !self.formulas.is_truth(*condition, true));
        conditions
    }

    fn array(
        &mut self,
        frame: &Frame,
        variable: u32,
        (low, high): (i128, i128),
        updates: &[Update],
        conditions: &mut Vec<Node>,
    ) {
        let indexed = updates.iter().filter_map(|u| Some((u.index?, u.value)));
        let indexed: Vec<(Node, Option<Value>)> = indexed.collect();
        let constant = |(index, value): &(Node, _)| match self.formulas.kind(*index) {
            Kind::Number(number) => Some((i128::from(number), (*index, *value))),
            _ => None,
        };
        let known: Option<BTreeMap<_, _>> = indexed.iter().map(constant).collect();
        let domain = self.variables.get(variable).domain;
        if let Some(known) = known {
            for (index, value) in known.values() {
                let cell = self.formulas.element(variable, frame.when, *index);
                conditions.push(self.set(domain, cell, *value));
            }
            // What lies between those that are set.
            let mut from = low;
            for next in known.keys().copied().chain([high + 1]) {
                self.untouched_row(frame, variable, (from, next - 1), conditions);
                from = next + 1;
            }
            return;
        }
        for (k, (index, value)) in indexed.iter().enumerate() {
            let cell = self.formulas.element(variable, frame.when, *index);
            let mut condition = self.set(domain, cell, *value);
            for (later, _) in &indexed[k + 1..] {
                let same = self.formulas.binary(Operator::Equal, *index, *later);
                condition = self.formulas.or(same, condition);
            }
            conditions.push(condition);
        }
        let mut rest = self.untouched(frame, variable, Some(None));
        for (index, _) in &indexed {
            let bound = self.formulas.bound();
            let same = self.formulas.binary(Operator::Equal, bound, *index);
            rest = self.formulas.or(same, rest);
        }
        self.for_all(low, high, rest, conditions);
    }

    /// The same of all elements from one to another, if there are any.
    fn untouched_row(
        &mut self,
        frame: &Frame,
        variable: u32,
        (low, high): (i128, i128),
        conditions: &mut Vec<Node>,
    ) {
        if low == high {
            conditions.push(self.untouched(frame, variable, Some(Some(low))));
        } else if low < high {
            let rest = self.untouched(frame, variable, Some(None));
            self.for_all(low, high, rest, conditions);
        }
    }

    fn for_all(&mut self, low: i128, high: i128, body: Node, conditions: &mut Vec<Node>) {
        if !self.formulas.is_truth(body, true) {
            conditions.push(self.formulas.quantified(true, low, high, body));
        }
    }

    /// What is said of a variable, or an element, that is not set: of the element with this
    /// index, or the one that a quantifier stands for.
    fn untouched(&mut self, frame: &Frame, variable: u32, index: Option<Option<i128>>) -> Node {
        let f = &mut *self.formulas;
        let mut cell = |when| match index {
            None => f.read(variable, when),
            Some(index) => {
                let index = match index {
                    Some(index) => f.constant(index),
                    None => f.bound(),
                };
                f.element(variable, when, index)
            }
        };
        let (before, after) = (cell(When::Before), cell(frame.when));
        let domain = self.variables.get(variable).domain;
        match (frame.kept, domain) {
            (false, _) => self.in_domain(domain, after),
            (true, Domain::Boolean) => self.formulas.equivalent(after, before),
            (true, _) => self.formulas.binary(Operator::Equal, after, before),
        }
    }

    /// That a cell holds a value of its domain; all bits together may hold more.
    pub fn in_domain(&mut self, domain: Domain, cell: Node) -> Node {
        match domain {
            Domain::Enumeration { size, .. } if !domain.is_full() || size == 1 => {
                let last = self.formulas.number(u64::from(size) - 1);
                self.formulas.binary(Operator::LessEqual, cell, last)
            }
            _ => self.formulas.truth(true),
        }
    }

    /// That a cell holds this value, made to fit.
    pub fn set(&mut self, domain: Domain, cell: Node, value: Option<Value>) -> Node {
        match value {
            None => self.in_domain(domain, cell),
            Some(Value::Truth(truth)) => self.set_truth(cell, truth),
            Some(Value::Number(number)) => self.set_number(domain, cell, number),
        }
    }

    fn set_truth(&mut self, cell: Node, value: Truth) -> Node {
        if value.is_determined(self.formulas) {
            return self.formulas.equivalent(cell, value.yes);
        }
        let f = &mut *self.formulas;
        let unset = f.not(cell);
        let (one, zero) = (f.and(cell, value.yes), f.and(unset, value.no));
        f.or(one, zero)
    }

    fn set_number(&mut self, domain: Domain, cell: Node, number: Number) -> Node {
        let size = domain.size() as i128;
        if self.overflow != Overflow::Wrap || number.interval.within(0, size - 1) {
            return self.formulas.binary(Operator::Equal, cell, number.term);
        }
        let congruent = self.congruent(cell, number.term, number.interval, size);
        let fits = self.in_domain(domain, cell);
        self.formulas.and(fits, congruent)
    }

    /// That a natural number below `size` is congruent to a term.
    fn congruent(&mut self, cell: Node, term: Node, interval: Interval, size: i128) -> Node {
        let first = interval.low.div_euclid(size);
        let last = interval.high.div_euclid(size);
        let f = &mut *self.formulas;
        let modulus = f.constant(size);
        if last - first < MOST_MULTIPLES {
            let multiple = f.bound();
            let multiple = f.binary(Operator::Times, multiple, modulus);
            let sum = f.binary(Operator::Plus, cell, multiple);
            let equal = f.binary(Operator::Equal, sum, term);
            return f.quantified(false, first, last, equal);
        }
        // Division rounds towards 0, so that the remainder has the sign of the term.
        let quotient = f.binary(Operator::Divide, term, modulus);
        let multiple = f.binary(Operator::Times, quotient, modulus);
        let remainder = f.binary(Operator::Minus, term, multiple);
        let equal = f.binary(Operator::Equal, cell, remainder);
        if interval.low >= 0 {
            return equal;
        }
        let zero = f.number(0);
        let natural = f.binary(Operator::GreaterEqual, remainder, zero);
        let negative = f.not(natural);
        let above = f.binary(Operator::Plus, remainder, modulus);
        let shifted = f.binary(Operator::Equal, cell, above);
        let (a, b) = (f.and(natural, equal), f.and(negative, shifted));
        f.or(a, b)
    }
}
