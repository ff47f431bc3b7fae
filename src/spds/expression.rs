//! Expressions as BDDs.
//!
//! Because each nondeterministic choice in an expression is made on its own, the values a
//! condition may take follow from the values its parts may take: a pair of BDDs, where it
//! may be 1 and where it may be 0. A deterministic one needs only the first. Numbers are
//! always determined. Beside a value stands the set of valuations in which there is none.

use super::number::Number;
use crate::bdd::{Bdd, BddResult, Bdds, OutOfNodes};
use crate::program::{Domain, Moment, Operation, OperationKind, VariableId};

/// A condition in dual-rail form: where it may be 1 and where it may be 0; without meaning
/// where the expression has no value.
#[derive(Clone)]
pub struct DualRail {
    one: Bdd,
    /// `None` if the condition is deterministic: where it is not 1.
    zero: Option<Bdd>,
}

#[derive(Clone)]
pub enum Term {
    Truth(DualRail),
    Number(Number),
}

/// What an expression may come out as.
#[derive(Clone)]
pub struct Evaluated {
    pub term: Term,
    /// Where it has no value.
    pub undefined: Bdd,
}

impl DualRail {
    pub fn certain(one: Bdd) -> Self {
        DualRail { one, zero: None }
    }

    fn be_zero(&self, bdds: &Bdds) -> BddResult {
        match &self.zero {
            Some(zero) => Ok(zero.clone()),
            None => bdds.not(&self.one),
        }
    }

    /// The relation "`target` has one of the values".
    pub fn equals(&self, bdds: &Bdds, target: &Bdd) -> BddResult {
        match &self.zero {
            Some(zero) => bdds.if_then_else(target, &self.one, zero),
            None => bdds.equivalent(target, &self.one),
        }
    }
}

impl Term {
    /// What a cell of this domain holds.
    pub fn constant(bdds: &Bdds, domain: Domain, value: u64) -> Self {
        match domain {
            Domain::Boolean => Term::Truth(DualRail::certain(bdds.constant(value != 0))),
            _ => Term::Number(Number::constant(bdds, value)),
        }
    }

    /// As a number: truth values are 0 and 1.
    pub fn number(&self, bdds: &Bdds) -> Number {
        match self {
            Term::Truth(may) => Number::natural(bdds, vec![may.one.clone()]),
            Term::Number(number) => number.clone(),
        }
    }

    fn truth(self, bdds: &Bdds) -> Result<DualRail, OutOfNodes> {
        match self {
            Term::Truth(may) => Ok(may),
            Term::Number(number) => number.truth(bdds).map(DualRail::certain),
        }
    }
}

impl Evaluated {
    /// Where a condition has a value and may be 1.
    pub fn be_one(self, bdds: &Bdds) -> BddResult {
        bdds.difference(&self.term.truth(bdds)?.one, &self.undefined)
    }

    /// Where a condition has a value and may be 0.
    pub fn be_zero(self, bdds: &Bdds) -> BddResult {
        bdds.difference(&self.term.truth(bdds)?.be_zero(bdds)?, &self.undefined)
    }
}

/// Runs the postfix operations. `read` gives the value of a cell, or `None` for a number
/// that does not exist.
pub fn evaluate(
    bdds: &Bdds,
    operations: &[Operation],
    read: impl Fn(VariableId, Moment) -> Option<Term>,
) -> Result<Evaluated, OutOfNodes> {
    let mut machine = Machine {
        bdds,
        stack: Vec::new(),
    };
    for operation in operations {
        let value = match operation {
            Operation::Constant(value) => machine.certain(bdds.constant(*value)),
            Operation::Number(number) => {
                machine.defined(Term::Number(Number::constant(bdds, *number)))
            }
            Operation::Read(variable) => machine.read(read(*variable, Moment::Before)),
            Operation::ReadNext(variable) => machine.read(read(*variable, Moment::After)),
            Operation::ReadBelow(variable) => machine.read(read(*variable, Moment::Below)),
            Operation::Choose => machine.defined(Term::Truth(DualRail {
                one: bdds.constant(true),
                zero: Some(bdds.constant(true)),
            })),
            Operation::ReadElement { first, count, when } => {
                let element = |k| read(first.plus(k), *when);
                machine.element(*count, element)?
            }
            operator => machine.apply(*operator)?,
        };
        machine.stack.push(value);
    }
    Ok(machine.pop())
}

struct Machine<'a> {
    bdds: &'a Bdds,
    stack: Vec<Evaluated>,
}

impl Machine<'_> {
    /// An expression never takes a value that is not there ([`crate::program::Expression`]).
    fn pop(&mut self) -> Evaluated {
        self.stack
            .pop()
            .expect("expressions are well-formed postfix")
    }

    fn defined(&self, term: Term) -> Evaluated {
        Evaluated {
            term,
            undefined: self.bdds.constant(false),
        }
    }

    fn certain(&self, one: Bdd) -> Evaluated {
        self.defined(Term::Truth(DualRail::certain(one)))
    }

    fn read(&self, term: Option<Term>) -> Evaluated {
        match term {
            Some(term) => self.defined(term),
            None => Evaluated {
                term: Term::Number(Number::constant(self.bdds, 0)),
                undefined: self.bdds.constant(true),
            },
        }
    }

    fn element(
        &mut self,
        count: u32,
        element: impl Fn(u32) -> Option<Term>,
    ) -> Result<Evaluated, OutOfNodes> {
        let bdds = self.bdds;
        let index = self.pop();
        let Some(first) = element(0) else {
            return Ok(self.read(None));
        };
        let is_truth = matches!(first, Term::Truth(_));
        let at = index.term.number(bdds);
        let number = |k| self.read(element(k)).term.number(bdds);
        let (number, outside) = at.select(bdds, count, number)?;
        let term = match is_truth {
            true => Term::Truth(DualRail::certain(number.bit(0).clone())),
            false => Term::Number(number),
        };
        Ok(Evaluated {
            term,
            undefined: bdds.or(&index.undefined, &outside)?,
        })
    }

    fn apply(&mut self, operator: Operation) -> Result<Evaluated, OutOfNodes> {
        let bdds = self.bdds;
        match operator {
            Operation::Not => {
                let operand = self.pop();
                let may = negate(bdds, operand.term.truth(bdds)?)?;
                Ok(Evaluated {
                    term: Term::Truth(may),
                    undefined: operand.undefined,
                })
            }
            Operation::ToNumber => {
                let operand = self.pop();
                Ok(Evaluated {
                    term: Term::Number(operand.term.number(bdds)),
                    undefined: operand.undefined,
                })
            }
            Operation::Wrap { bits, signed } => {
                let operand = self.pop();
                let number = operand.term.number(bdds).wrap(bdds, bits, signed);
                Ok(Evaluated {
                    term: Term::Number(number),
                    undefined: operand.undefined,
                })
            }
            Operation::ToTruth => {
                let operand = self.pop();
                Ok(Evaluated {
                    term: Term::Truth(operand.term.truth(bdds)?),
                    undefined: operand.undefined,
                })
            }
            Operation::FalseIfUndefined => {
                let operand = self.pop();
                let may = operand.term.truth(bdds)?;
                let zero = match &may.zero {
                    Some(zero) => Some(bdds.or(zero, &operand.undefined)?),
                    None => None,
                };
                let one = bdds.difference(&may.one, &operand.undefined)?;
                Ok(self.defined(Term::Truth(DualRail { one, zero })))
            }
            Operation::Index { count } => {
                let index = self.pop();
                let outside = index.term.number(bdds).outside(bdds, count)?;
                Ok(Evaluated {
                    undefined: bdds.or(&index.undefined, &outside)?,
                    ..index
                })
            }
            Operation::IfThenElse => {
                let (no, yes, condition) = (self.pop(), self.pop(), self.pop());
                self.if_then_else(condition, yes, no)
            }
            operator => {
                let (b, a) = (self.pop(), self.pop());
                match operator.kind() {
                    OperationKind::Connective => self.connect(operator, a, b),
                    _ => self.calculate(operator, a, b),
                }
            }
        }
    }

    fn if_then_else(
        &self,
        condition: Evaluated,
        yes: Evaluated,
        no: Evaluated,
    ) -> Result<Evaluated, OutOfNodes> {
        let bdds = self.bdds;
        let chosen = condition.term.truth(bdds)?;
        let (c1, c0) = (&chosen.one, chosen.be_zero(bdds)?);
        let branches = bdds.or(
            &bdds.and(c1, &yes.undefined)?,
            &bdds.and(&c0, &no.undefined)?,
        )?;
        let term = match (yes.term, no.term) {
            (Term::Number(yes), Term::Number(no)) => Term::Number(yes.or_else(bdds, c1, &no)?),
            (yes, no) => {
                let (yes, no) = (yes.truth(bdds)?, no.truth(bdds)?);
                Term::Truth(if_then_else(bdds, &chosen, &yes, &no)?)
            }
        };
        Ok(Evaluated {
            term,
            undefined: bdds.or(&condition.undefined, &branches)?,
        })
    }

    /// An operation on truth values.
    fn connect(
        &self,
        operator: Operation,
        a: Evaluated,
        b: Evaluated,
    ) -> Result<Evaluated, OutOfNodes> {
        let bdds = self.bdds;
        let (first, second) = (a.term.truth(bdds)?, b.term.truth(bdds)?);
        // The second operand is looked at only where the first does not decide.
        let late = match operator {
            _ if bdds.is_false(&b.undefined) => bdds.constant(false),
            Operation::And | Operation::Implies => bdds.and(&first.one, &b.undefined)?,
            Operation::Or => bdds.and(&first.be_zero(bdds)?, &b.undefined)?,
            _ => b.undefined,
        };
        Ok(Evaluated {
            term: Term::Truth(connect(bdds, operator, &first, &second)?),
            undefined: bdds.or(&a.undefined, &late)?,
        })
    }

    /// An operation on numbers.
    fn calculate(
        &self,
        operator: Operation,
        a: Evaluated,
        b: Evaluated,
    ) -> Result<Evaluated, OutOfNodes> {
        let bdds = self.bdds;
        let either = bdds.or(&a.undefined, &b.undefined)?;
        let (a, b) = (a.term.number(bdds), b.term.number(bdds));
        let comparison = match operator {
            Operation::Less => Some(a.less(bdds, &b)?),
            Operation::LessEqual => Some(a.less_equal(bdds, &b)?),
            Operation::NumbersEqual => Some(a.equal(bdds, &b)?),
            _ => None,
        };
        if let Some(one) = comparison {
            return Ok(Evaluated {
                term: Term::Truth(DualRail::certain(one)),
                undefined: either,
            });
        }
        let (number, undefined) = a.calculate(bdds, operator, &b)?;
        Ok(Evaluated {
            term: Term::Number(number),
            undefined: bdds.or(&either, &undefined)?,
        })
    }
}

fn negate(bdds: &Bdds, value: DualRail) -> Result<DualRail, OutOfNodes> {
    Ok(match value.zero {
        Some(zero) => DualRail {
            one: zero,
            zero: Some(value.one),
        },
        None => DualRail {
            one: bdds.not(&value.one)?,
            zero: None,
        },
    })
}

fn if_then_else(
    bdds: &Bdds,
    condition: &DualRail,
    yes: &DualRail,
    no: &DualRail,
) -> Result<DualRail, OutOfNodes> {
    let (c1, c0) = (&condition.one, condition.be_zero(bdds)?);
    if condition.zero.is_none() && yes.zero.is_none() && no.zero.is_none() {
        let one = bdds.if_then_else(c1, &yes.one, &no.one)?;
        return Ok(DualRail { one, zero: None });
    }
    let choose = |a: &Bdd, b: &Bdd| bdds.or(&bdds.and(c1, a)?, &bdds.and(&c0, b)?);
    Ok(DualRail {
        one: choose(&yes.one, &no.one)?,
        zero: Some(choose(&yes.be_zero(bdds)?, &no.be_zero(bdds)?)?),
    })
}

fn connect(
    bdds: &Bdds,
    operation: Operation,
    a: &DualRail,
    b: &DualRail,
) -> Result<DualRail, OutOfNodes> {
    if a.zero.is_none() && b.zero.is_none() && operation != Operation::Schoose {
        let (a, b) = (&a.one, &b.one);
        let one = match operation {
            Operation::And => bdds.and(a, b)?,
            Operation::Or => bdds.or(a, b)?,
            Operation::Xor => bdds.xor(a, b)?,
            Operation::Equal => bdds.equivalent(a, b)?,
            Operation::Implies => bdds.implies(a, b)?,
            other => unreachable!("{other:?} is no deterministic binary operation"),
        };
        return Ok(DualRail { one, zero: None });
    }
    let (a1, a0) = (&a.one, a.be_zero(bdds)?);
    let (b1, b0) = (&b.one, b.be_zero(bdds)?);
    // Where the operands may differ, and where they may agree.
    let differ = || bdds.or(&bdds.and(a1, &b0)?, &bdds.and(&a0, b1)?);
    let agree = || bdds.or(&bdds.and(a1, b1)?, &bdds.and(&a0, &b0)?);
    let (one, zero) = match operation {
        Operation::And => (bdds.and(a1, b1)?, bdds.or(&a0, &b0)?),
        Operation::Or => (bdds.or(a1, b1)?, bdds.and(&a0, &b0)?),
        Operation::Xor => (differ()?, agree()?),
        Operation::Equal => (agree()?, differ()?),
        Operation::Implies => (bdds.or(&a0, b1)?, bdds.and(a1, &b0)?),
        Operation::Schoose => (bdds.or(a1, &bdds.and(&a0, &b0)?)?, a0),
        other => unreachable!("{other:?} is no binary operation"),
    };
    Ok(DualRail {
        one,
        zero: Some(zero),
    })
}
