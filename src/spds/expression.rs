//! Expressions as BDDs.
//!
//! Because each nondeterministic choice in an expression is made on its own, the values an
//! expression may take follow from the values its parts may take: a pair of BDDs, where it
//! may be 1 and where it may be 0. A deterministic expression needs only the first.

use crate::bdd::{Bdd, Bdds, OutOfNodes};
use crate::program::{Operation, VariableId};

/// Where an expression may be 1 and where it may be 0.
#[derive(Clone)]
pub struct May {
    one: Bdd,
    /// `None` if the expression is deterministic: where it is not 1.
    zero: Option<Bdd>,
}

impl May {
    pub fn be_one(&self) -> &Bdd {
        &self.one
    }

    pub fn be_zero(&self, bdds: &Bdds) -> Result<Bdd, OutOfNodes> {
        match &self.zero {
            Some(zero) => Ok(zero.clone()),
            None => bdds.not(&self.one),
        }
    }

    /// The relation "`target` has one of the values".
    pub fn equals(&self, bdds: &Bdds, target: &Bdd) -> Result<Bdd, OutOfNodes> {
        match &self.zero {
            Some(zero) => bdds.if_then_else(target, &self.one, zero),
            None => bdds.equivalent(target, &self.one),
        }
    }
}

/// Runs the postfix operations. `read` and `read_next` give the BDD of a variable before
/// and after the step.
pub fn evaluate(
    bdds: &Bdds,
    operations: &[Operation],
    read: impl Fn(VariableId) -> Bdd,
    read_next: impl Fn(VariableId) -> Bdd,
) -> Result<May, OutOfNodes> {
    let mut stack: Vec<May> = Vec::new();
    let deterministic = |one| May { one, zero: None };
    for operation in operations {
        let value = match operation {
            Operation::Constant(value) => deterministic(bdds.constant(*value)),
            Operation::Read(variable) => deterministic(read(*variable)),
            Operation::ReadNext(variable) => deterministic(read_next(*variable)),
            Operation::Choose => May {
                one: bdds.constant(true),
                zero: Some(bdds.constant(true)),
            },
            Operation::Not => negate(bdds, pop(&mut stack))?,
            Operation::IfThenElse => {
                let (no, yes, condition) = (pop(&mut stack), pop(&mut stack), pop(&mut stack));
                if_then_else(bdds, &condition, &yes, &no)?
            }
            binary => {
                let (right, left) = (pop(&mut stack), pop(&mut stack));
                apply(bdds, *binary, &left, &right)?
            }
        };
        stack.push(value);
    }
    Ok(pop(&mut stack))
}

/// An expression never takes a value that is not there ([`crate::program::Expression`]).
fn pop(stack: &mut Vec<May>) -> May {
    stack.pop().expect("expressions are well-formed postfix")
}

fn negate(bdds: &Bdds, value: May) -> Result<May, OutOfNodes> {
    Ok(match value.zero {
        Some(zero) => May {
            one: zero,
            zero: Some(value.one),
        },
        None => May {
            one: bdds.not(&value.one)?,
            zero: None,
        },
    })
}

fn if_then_else(bdds: &Bdds, condition: &May, yes: &May, no: &May) -> Result<May, OutOfNodes> {
    let (c1, c0) = (condition.be_one(), condition.be_zero(bdds)?);
    if condition.zero.is_none() && yes.zero.is_none() && no.zero.is_none() {
        let one = bdds.if_then_else(c1, &yes.one, &no.one)?;
        return Ok(May { one, zero: None });
    }
    let choose = |a: &Bdd, b: &Bdd| bdds.or(&bdds.and(c1, a)?, &bdds.and(&c0, b)?);
    Ok(May {
        one: choose(&yes.one, &no.one)?,
        zero: Some(choose(&yes.be_zero(bdds)?, &no.be_zero(bdds)?)?),
    })
}

fn apply(bdds: &Bdds, operation: Operation, a: &May, b: &May) -> Result<May, OutOfNodes> {
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
        return Ok(May { one, zero: None });
    }
    let (a1, a0) = (a.be_one(), a.be_zero(bdds)?);
    let (b1, b0) = (b.be_one(), b.be_zero(bdds)?);
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
    Ok(May {
        one,
        zero: Some(zero),
    })
}
