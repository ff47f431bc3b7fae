//! Expressions of programs as terms.

use super::{Sort, Term, Terms};
use crate::program::{Moment, Operation, OperationKind, SHIFT_LIMIT, VariableId};

/// The value of an expression, and where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Valued {
    pub term: Term,
    pub defined: Term,
}

impl Valued {
    fn always(term: Term) -> Self {
        Valued {
            term,
            defined: Term::TRUE,
        }
    }
}

/// Runs postfix operations. `read` gives the value of a cell; each choice is a new variable.
pub fn translate(
    terms: &mut Terms,
    operations: &[Operation],
    read: &mut dyn FnMut(&mut Terms, VariableId, Moment) -> Term,
) -> Valued {
    let mut stack: Vec<Valued> = Vec::with_capacity(8);
    for operation in operations {
        let value = match *operation {
            Operation::Constant(value) => Valued::always(Term::constant(value)),
            Operation::Number(number) => Valued::always(terms.number(number.into())),
            Operation::Choose => Valued::always(terms.unknown(Sort::Truth)),
            Operation::Read(variable) => Valued::always(read(terms, variable, Moment::Before)),
            Operation::ReadNext(variable) => Valued::always(read(terms, variable, Moment::After)),
            Operation::ReadBelow(variable) => Valued::always(read(terms, variable, Moment::Below)),
            Operation::ReadElement { first, count, when } => {
                let index = pop(&mut stack);
                let cells: Vec<Term> = (0..count)
                    .map(|k| read(terms, first.plus(k), when))
                    .collect();
                terms.element(index, &cells)
            }
            Operation::Index { count } => {
                let index = pop(&mut stack);
                let inside = terms.is_below(index.term, count);
                Valued {
                    term: index.term,
                    defined: terms.and(index.defined, inside),
                }
            }
            Operation::Not => {
                let a = pop(&mut stack);
                let truth = terms.as_truth(a.term);
                Valued {
                    term: terms.not(truth),
                    ..a
                }
            }
            Operation::ToNumber => {
                let a = pop(&mut stack);
                Valued {
                    term: terms.as_number(a.term),
                    ..a
                }
            }
            Operation::ToTruth => {
                let a = pop(&mut stack);
                Valued {
                    term: terms.as_truth(a.term),
                    ..a
                }
            }
            Operation::Wrap { bits, signed } => {
                let a = pop(&mut stack);
                Valued {
                    term: terms.wrap(a.term, bits, signed),
                    ..a
                }
            }
            Operation::FalseIfUndefined => {
                let a = pop(&mut stack);
                let truth = terms.as_truth(a.term);
                Valued::always(terms.and(truth, a.defined))
            }
            Operation::IfThenElse => {
                let (no, yes, condition) = (pop(&mut stack), pop(&mut stack), pop(&mut stack));
                let truth = terms.as_truth(condition.term);
                let defined = terms.choose(truth, yes.defined, no.defined);
                Valued {
                    term: terms.choose(truth, yes.term, no.term),
                    defined: terms.and(condition.defined, defined),
                }
            }
            _ if operation.kind() == OperationKind::Connective => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                terms.connect(*operation, a, b)
            }
            _ => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                let both = terms.and(a.defined, b.defined);
                let (a, b) = (terms.as_number(a.term), terms.as_number(b.term));
                let (term, has_value) = match operation {
                    Operation::Less => (terms.less(a, b), Term::TRUE),
                    Operation::LessEqual => (terms.less_equal(a, b), Term::TRUE),
                    Operation::NumbersEqual => (terms.same(a, b), Term::TRUE),
                    _ => {
                        let has_value = terms.has_value(*operation, a, b);
                        (terms.calculate(*operation, a, b), has_value)
                    }
                };
                Valued {
                    term,
                    defined: terms.and(both, has_value),
                }
            }
        };
        stack.push(value);
    }
    pop(&mut stack)
}

fn pop(stack: &mut Vec<Valued>) -> Valued {
    stack.pop().expect("expressions are well-formed postfix")
}

impl Terms {
    /// Whether `0 <= index < count`.
    pub fn is_below(&mut self, index: Term, count: u32) -> Term {
        let (zero, count) = (self.number(0), self.number(count.into()));
        let from = self.less_equal(zero, index);
        let to = self.less(index, count);
        self.and(from, to)
    }

    /// The cell that an index names.
    fn element(&mut self, index: Valued, cells: &[Term]) -> Valued {
        let at = self.as_number(index.term);
        let inside = self.is_below(at, cells.len() as u32);
        let mut value = match cells.last() {
            Some(last) => *last,
            None => self.number(0),
        };
        for (k, cell) in cells.iter().enumerate().rev().skip(1) {
            let number = self.number(k as i128);
            let here = self.same(at, number);
            value = self.choose(here, *cell, value);
        }
        Valued {
            term: value,
            defined: self.and(index.defined, inside),
        }
    }

    /// The second operand needs a value only where the first one does not decide.
    fn connect(&mut self, operation: Operation, a: Valued, b: Valued) -> Valued {
        let (x, y) = (self.as_truth(a.term), self.as_truth(b.term));
        let decided = match operation {
            Operation::And | Operation::Implies => self.not(x),
            Operation::Or => x,
            _ => Term::FALSE,
        };
        let term = match operation {
            Operation::And => self.and(x, y),
            Operation::Or => self.or(x, y),
            Operation::Implies => {
                let not = self.not(x);
                self.or(not, y)
            }
            Operation::Xor => self.different(x, y),
            Operation::Equal => {
                let different = self.different(x, y);
                self.not(different)
            }
            _ => {
                let any = self.unknown(Sort::Truth);
                let not = self.not(y);
                let otherwise = self.and(not, any);
                self.or(x, otherwise)
            }
        };
        let needed = self.or(decided, b.defined);
        Valued {
            term,
            defined: self.and(a.defined, needed),
        }
    }

    /// Where an operation of arithmetic has a value.
    fn has_value(&mut self, operation: Operation, a: Term, b: Term) -> Term {
        let zero = self.number(0);
        match operation {
            Operation::Divide | Operation::Remainder => {
                let same = self.same(b, zero);
                self.not(same)
            }
            Operation::ShiftLeftModulo { .. } | Operation::ArithmeticShiftRight => {
                self.less_equal(zero, b)
            }
            Operation::BitAnd
            | Operation::BitOr
            | Operation::BitXor
            | Operation::ShiftRight
            | Operation::ShiftLeftOrFar => {
                let (first, second) = (self.less_equal(zero, a), self.less_equal(zero, b));
                self.and(first, second)
            }
            Operation::ShiftLeft => {
                let (first, second) = (self.less_equal(zero, a), self.less_equal(zero, b));
                let natural = self.and(first, second);
                let far = self.calculate(Operation::ShiftLeftOrFar, a, b);
                let limit = self.number(SHIFT_LIMIT);
                let near = self.less_equal(far, limit);
                self.and(natural, near)
            }
            _ => Term::TRUE,
        }
    }
}
