//! Expressions over ranges: between which numbers each operation lies, and what a condition tells.
//!
//! An expression in postfix form is a tree; every node gets an interval, from the leaves up. A
//! condition that is known to be true or false narrows the cells it reads, from the root down.
//! Linear in the expression.

use super::range::Range;
use crate::program::{Domain, Interval, Operation, VariableId};

/// What an expression, or a part of it, may come out as. Truth values are 0 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub interval: Interval,
    /// The same bits read in two's complement, if it is what a cell holds.
    held: Option<Range>,
    /// It may have no value.
    pub may_fail: bool,
}

const TRUTH: Interval = Interval { low: 0, high: 1 };

impl Estimate {
    fn new(interval: Interval, may_fail: bool) -> Self {
        Estimate {
            interval,
            held: None,
            may_fail,
        }
    }

    fn truth(always: bool, never: bool, may_fail: bool) -> Self {
        let interval = match (always, never) {
            (true, _) => Interval::only(1),
            (_, true) => Interval::only(0),
            _ => TRUTH,
        };
        Estimate::new(interval, may_fail)
    }

    fn held(range: Range, may_fail: bool) -> Self {
        Estimate {
            interval: range.natural(),
            held: Some(range),
            may_fail,
        }
    }

    fn is(&self, value: i128) -> bool {
        self.interval == Interval::only(value)
    }

    /// Its only number, if it has one and always does.
    pub fn constant(&self) -> Option<i128> {
        self.interval.constant().filter(|_| !self.may_fail)
    }
}

/// An expression as a tree with an estimate for each node. Nodes are operations, by their index.
pub struct Tree<'e> {
    pub operations: &'e [Operation],
    /// The operands of each; those there are.
    operands: Vec<[u32; 3]>,
    pub estimates: Vec<Estimate>,
}

impl<'e> Tree<'e> {
    /// `read` tells what a cell holds before the step.
    pub fn new(operations: &'e [Operation], read: impl Fn(VariableId) -> Range) -> Self {
        let mut tree = Tree {
            operations,
            operands: Vec::with_capacity(operations.len()),
            estimates: Vec::with_capacity(operations.len()),
        };
        let mut stack: Vec<u32> = Vec::new();
        for (operation, index) in operations.iter().zip(0..) {
            let mut operands = [0; 3];
            let below = stack.len() - operation.operands();
            operands[..operation.operands()].copy_from_slice(&stack[below..]);
            stack.truncate(below);
            stack.push(index);
            let estimate = tree.estimate(*operation, operands, &read);
            tree.operands.push(operands);
            tree.estimates.push(estimate);
        }
        tree
    }

    pub fn root(&self) -> usize {
        self.operations.len() - 1
    }

    pub fn result(&self) -> Estimate {
        self.estimates[self.root()]
    }

    /// What a cell of a domain holds once it was given the value.
    pub fn fitted(&self, domain: Domain) -> Range {
        let result = self.result();
        match result.held {
            Some(range) => range.moved(domain),
            None => Range::fitted(result.interval, domain),
        }
    }

    pub fn operand(&self, node: usize, which: usize) -> usize {
        self.operands[node][which] as usize
    }

    fn estimate(
        &self,
        operation: Operation,
        operands: [u32; 3],
        read: &impl Fn(VariableId) -> Range,
    ) -> Estimate {
        let operand = |which: usize| self.estimates[operands[which] as usize];
        let count = operation.operands();
        let may_fail = (0..count).any(|which| operand(which).may_fail);
        match operation {
            Operation::Constant(value) => Estimate::new(Interval::only(value.into()), false),
            Operation::Number(number) => Estimate::new(Interval::only(number.into()), false),
            Operation::Choose => Estimate::new(TRUTH, false),
            Operation::Read(variable) => Estimate::held(read(variable), false),
            // Values after a step are not known here.
            Operation::ReadNext(_) | Operation::ReadBelow(_) => Estimate::new(Interval::ALL, false),
            Operation::ReadElement { first, count, .. } => {
                let within = operand(0).interval.within(0, i128::from(count) - 1);
                Estimate::held(read(first), may_fail || !within)
            }
            Operation::Index { count } => {
                let all = Interval {
                    low: 0,
                    high: i128::from(count) - 1,
                };
                let number = operand(0).interval;
                let within = number.within(all.low, all.high);
                Estimate::new(number.meet(all).unwrap_or(all), may_fail || !within)
            }
            Operation::Not => Estimate::truth(operand(0).is(0), operand(0).is(1), may_fail),
            Operation::And | Operation::Or => {
                let decides = i128::from(operation == Operation::Or);
                let (a, b) = (operand(0), operand(1));
                let may_fail = a.may_fail || b.may_fail && !a.is(decides);
                let some = a.is(decides) || b.is(decides);
                let none = a.is(1 - decides) && b.is(1 - decides);
                match operation {
                    Operation::Or => Estimate::truth(some, none, may_fail),
                    _ => Estimate::truth(none, some, may_fail),
                }
            }
            Operation::Implies => {
                let (a, b) = (operand(0), operand(1));
                Estimate::truth(a.is(0) || b.is(1), a.is(1) && b.is(0), may_fail)
            }
            Operation::Xor | Operation::Equal | Operation::NumbersEqual => {
                let (a, b) = (operand(0).interval, operand(1).interval);
                let same = a.constant().is_some() && a == b;
                let different = a.misses(b);
                match operation {
                    Operation::Xor => Estimate::truth(different, same, may_fail),
                    _ => Estimate::truth(same, different, may_fail),
                }
            }
            Operation::Less => {
                let (a, b) = (operand(0).interval, operand(1).interval);
                Estimate::truth(a.high < b.low, a.low >= b.high, may_fail)
            }
            Operation::LessEqual => {
                let (a, b) = (operand(0).interval, operand(1).interval);
                Estimate::truth(a.high <= b.low, a.low > b.high, may_fail)
            }
            Operation::IfThenElse => {
                let (yes, no) = (operand(1), operand(2));
                let interval = match operand(0).interval.constant() {
                    Some(0) => no.interval,
                    Some(_) => yes.interval,
                    None => yes.interval.join(no.interval),
                };
                Estimate::new(interval, may_fail)
            }
            Operation::Schoose => {
                let (a, b) = (operand(0), operand(1));
                Estimate::truth(a.is(1), a.is(0) && b.is(1), may_fail)
            }
            Operation::ToNumber => Estimate::new(operand(0).interval, may_fail),
            Operation::ToTruth => {
                let number = operand(0).interval;
                let never = number == Interval::only(0);
                Estimate::truth(number.misses(Interval::only(0)), never, may_fail)
            }
            Operation::FalseIfUndefined => {
                let a = operand(0);
                let low = if a.may_fail { 0 } else { a.interval.low };
                Estimate::new(Interval { low, ..a.interval }, false)
            }
            Operation::Wrap { bits, signed } => {
                let a = operand(0);
                let plain = a.interval.wrapped(bits, signed);
                let held = a.held.filter(|range| signed && range.bits() == bits);
                let both = held.and_then(|range| plain.meet(range.signed()));
                Estimate::new(both.unwrap_or(plain), may_fail)
            }
            _ => match operand(0).interval.apply(operation, operand(1).interval) {
                Some(outcome) => Estimate::new(outcome.interval, may_fail || outcome.may_fail),
                None => {
                    let may_fail = may_fail || operation.may_have_no_value();
                    Estimate::new(Interval::ALL, may_fail)
                }
            },
        }
    }

    /// What is known of cells once the expression has come out as `value`: `narrow` is told
    /// intervals that the cells are in, of natural numbers or of two's complement (`true`), and
    /// answers whether any value is left. False if the expression cannot come out so.
    pub fn tell(
        &self,
        value: bool,
        mut narrow: impl FnMut(VariableId, bool, Interval) -> bool,
    ) -> bool {
        let mut open = vec![(self.root(), Interval::only(value.into()))];
        let mut is_possible = true;
        while let Some((node, wanted)) = open.pop() {
            let Some(wanted) = wanted.meet(self.estimates[node].interval) else {
                return false;
            };
            let operands = self.operands[node].map(|operand| operand as usize);
            let [a, b, _] = operands;
            let interval = |node: usize| self.estimates[node].interval;
            match self.operations[node] {
                Operation::Read(variable) => is_possible &= narrow(variable, false, wanted),
                Operation::Wrap { bits, signed } => match self.operations[a] {
                    Operation::Read(variable) if signed && self.is_held(a, bits) => {
                        is_possible &= narrow(variable, true, wanted);
                    }
                    _ => {
                        let all = Interval::of_bits(bits, signed);
                        if interval(a).within(all.low, all.high) {
                            open.push((a, wanted));
                        }
                    }
                },
                Operation::ToNumber => open.push((a, wanted)),
                Operation::Not => {
                    if let Some(value) = wanted.constant() {
                        open.push((a, Interval::only(1 - value)));
                    }
                }
                Operation::And | Operation::Or => {
                    let decides = i128::from(self.operations[node] == Operation::Or);
                    if wanted == Interval::only(1 - decides) {
                        open.extend([(a, wanted), (b, wanted)]);
                    } else if wanted == Interval::only(decides) {
                        // One of them decides; if one cannot, the other does.
                        let cannot = |node: usize| interval(node) == Interval::only(1 - decides);
                        if cannot(a) {
                            open.push((b, wanted));
                        } else if cannot(b) {
                            open.push((a, wanted));
                        }
                    }
                }
                Operation::ToTruth => match wanted.constant() {
                    Some(0) => open.push((a, Interval::only(0))),
                    Some(_) => open.push((a, other_than(interval(a), 0))),
                    None => {}
                },
                Operation::NumbersEqual | Operation::Equal => match wanted.constant() {
                    Some(0) => {
                        if let Some(number) = interval(b).constant() {
                            open.push((a, other_than(interval(a), number)));
                        }
                        if let Some(number) = interval(a).constant() {
                            open.push((b, other_than(interval(b), number)));
                        }
                    }
                    Some(_) => open.extend([(a, interval(b)), (b, interval(a))]),
                    None => {}
                },
                Operation::Less | Operation::LessEqual => {
                    let strict = i128::from(self.operations[node] == Operation::Less);
                    let (less, more, gap) = match wanted.constant() {
                        Some(0) => (b, a, 1 - strict),
                        Some(_) => (a, b, strict),
                        None => continue,
                    };
                    let below = Interval {
                        low: Interval::ALL.low,
                        high: interval(more).high - gap,
                    };
                    let above = Interval {
                        low: interval(less).low + gap,
                        high: Interval::ALL.high,
                    };
                    open.extend([(less, below), (more, above)]);
                }
                Operation::Add => {
                    let less = |by: Interval| wanted.apply(Operation::Subtract, by);
                    open.extend(less(interval(b)).map(|outcome| (a, outcome.interval)));
                    open.extend(less(interval(a)).map(|outcome| (b, outcome.interval)));
                }
                Operation::Subtract => {
                    let whole = wanted.apply(Operation::Add, interval(b));
                    open.extend(whole.map(|outcome| (a, outcome.interval)));
                    let part = interval(a).apply(Operation::Subtract, wanted);
                    open.extend(part.map(|outcome| (b, outcome.interval)));
                }
                _ => {}
            }
        }
        is_possible
    }

    fn is_held(&self, node: usize, bits: u8) -> bool {
        let held = self.estimates[node].held;
        held.is_some_and(|range| range.bits() == bits)
    }
}

/// An interval without one number, if that is one of its ends.
fn other_than(interval: Interval, number: i128) -> Interval {
    Interval {
        low: interval.low + i128::from(interval.low == number),
        high: interval.high - i128::from(interval.high == number),
    }
}
