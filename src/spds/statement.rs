//! The transfers of statements: one small relation each, shared between equal statements.
//!
//! Two statements have the same transfer if they do the same to the same data variables
//! and the same variables are live around them. Programs made by tools repeat themselves a
//! great deal, and procedures share their locals' variables, so transfers are looked up by
//! what they depend on before any BDD is made.

use super::copies::{Copies, Copy};
use super::expression::{May, evaluate};
use super::{Transfer, TransferId};
use crate::analysis::{DataVariable, Layout};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::program::{Expression, Operation, Program, VariableId};
use rustc_hash::FxHashMap;

/// What one rule does to data, in terms of the program.
#[derive(Default)]
pub struct Effect<'e> {
    /// Each must be able to come out as given, independently.
    pub conditions: &'e [(Expression, bool)],
    /// All set at once, from values before the step.
    pub assignments: &'e [(DataVariable, Value)],
    /// Get any value.
    pub arbitrary: &'e [DataVariable],
    /// Must be able to be true; may read new values.
    pub constrain: Option<Expression>,
    /// Must be able to be true of the new values only.
    pub afterwards: Option<Expression>,
    /// What an automaton that watches does at the same time.
    pub watched: Option<Watched<'e>>,
}

/// A further relation, and the variables it sets.
#[derive(Clone, Copy)]
pub struct Watched<'e> {
    /// Different relations have different numbers.
    pub number: u64,
    pub relation: &'e Bdd,
    pub set: &'e [DataVariable],
}

#[derive(Clone, Copy)]
pub enum Value {
    Of(Expression),
    Variable(DataVariable),
}

pub struct Transfers<'a, 'b> {
    program: &'a Program,
    layout: Layout,
    copies: &'a Copies<'b>,
    known: FxHashMap<Box<[u64]>, TransferId>,
    key: Vec<u64>,
    pub list: Vec<Transfer>,
}

/// Where a key's parts are told apart; no operation is encoded as this.
const SEPARATOR: u64 = u64::MAX;

impl<'a, 'b> Transfers<'a, 'b> {
    pub fn new(program: &'a Program, layout: Layout, copies: &'a Copies<'b>) -> Self {
        Transfers {
            program,
            layout,
            copies,
            known: FxHashMap::default(),
            key: Vec::new(),
            list: Vec::new(),
        }
    }

    /// The transfer from a head with the variables `before` to one with those in `after`.
    pub fn step(
        &mut self,
        before: &[u64],
        after: &[u64],
        effect: &Effect<'_>,
    ) -> Result<TransferId, OutOfNodes> {
        self.find_or_make(before, after, effect, false)
    }

    /// The transfer of a push: the assignments give the callee's key, and the current
    /// values of `kept` stay with the frame below.
    pub fn push(
        &mut self,
        before: &[u64],
        kept: &[u64],
        effect: &Effect<'_>,
    ) -> Result<TransferId, OutOfNodes> {
        self.find_or_make(before, kept, effect, true)
    }

    fn find_or_make(
        &mut self,
        before: &[u64],
        after: &[u64],
        effect: &Effect<'_>,
        is_push: bool,
    ) -> Result<TransferId, OutOfNodes> {
        self.make_key(before, after, effect, is_push);
        if let Some(known) = self.known.get(self.key.as_slice()) {
            return Ok(*known);
        }
        let relation = self.relation(effect)?;
        let transfer = match is_push {
            true => self.finish_push(before, after, effect, relation)?,
            false => self.finish_step(before, after, effect, relation)?,
        };
        let id = TransferId(self.list.len() as u32);
        self.list.push(transfer);
        self.known.insert(self.key.as_slice().into(), id);
        Ok(id)
    }

    /// Everything a transfer depends on.
    fn make_key(&mut self, before: &[u64], after: &[u64], effect: &Effect<'_>, is_push: bool) {
        let key = &mut self.key;
        key.clear();
        key.push(u64::from(is_push));
        key.extend(before);
        key.extend(after);
        let expressions = &self.program.expressions;
        let add = |key: &mut Vec<u64>, tag: u64, expression: Expression| {
            key.extend([SEPARATOR, tag]);
            key.extend(expressions.operations(expression).iter().map(code));
        };
        for (condition, outcome) in effect.conditions {
            add(key, u64::from(*outcome), *condition);
        }
        for (variable, value) in effect.assignments {
            match value {
                Value::Of(expression) => add(key, u64::from(*variable) << 3 | 2, *expression),
                Value::Variable(other) => {
                    key.extend([SEPARATOR, u64::from(*variable) << 3 | 3, u64::from(*other)]);
                }
            }
        }
        key.extend([SEPARATOR, 4]);
        key.extend(effect.arbitrary.iter().map(|v| u64::from(*v)));
        effect.constrain.into_iter().for_each(|e| add(key, 5, e));
        effect.afterwards.into_iter().for_each(|e| add(key, 6, e));
        if let Some(watched) = effect.watched {
            key.extend([SEPARATOR, 7, watched.number]);
        }
    }

    /// The relation of all variables that change, dead ones included.
    fn relation(&self, effect: &Effect<'_>) -> BddResult {
        let (bdds, copies, layout) = (self.copies.bdds, self.copies, self.layout);
        let changed = |variable: DataVariable| {
            effect.assignments.iter().any(|(v, _)| *v == variable)
                || effect.arbitrary.contains(&variable)
        };
        let current =
            |variable: VariableId| copies.variable(layout.variable(variable), Copy::Current);
        let next = |variable: VariableId| {
            let variable = layout.variable(variable);
            let copy = if changed(variable) {
                Copy::Next
            } else {
                Copy::Current
            };
            copies.variable(variable, copy)
        };
        let may = |expression: Expression| -> Result<May, OutOfNodes> {
            let operations = self.program.expressions.operations(expression);
            evaluate(bdds, operations, current, next)
        };
        let mut relation = bdds.constant(true);
        for (condition, outcome) in effect.conditions {
            let condition = may(*condition)?;
            let holds = match outcome {
                true => condition.be_one().clone(),
                false => condition.be_zero(bdds)?,
            };
            relation = bdds.and(&relation, &holds)?;
        }
        for (variable, value) in effect.assignments {
            let target = copies.variable(*variable, Copy::Next);
            let equals = match value {
                Value::Of(expression) => may(*expression)?.equals(bdds, &target)?,
                Value::Variable(other) => {
                    bdds.equivalent(&target, &copies.variable(*other, Copy::Current))?
                }
            };
            relation = bdds.and(&relation, &equals)?;
        }
        if let Some(constrain) = effect.constrain {
            relation = bdds.and(&relation, may(constrain)?.be_one())?;
        }
        if let Some(afterwards) = effect.afterwards {
            let operations = self.program.expressions.operations(afterwards);
            let holds = evaluate(bdds, operations, next, next)?;
            relation = bdds.and(&relation, holds.be_one())?;
        }
        if let Some(watched) = effect.watched {
            relation = bdds.and(&relation, watched.relation)?;
        }
        Ok(relation)
    }

    fn finish_step(
        &self,
        before: &[u64],
        after: &[u64],
        effect: &Effect<'_>,
        relation: Bdd,
    ) -> Result<Transfer, OutOfNodes> {
        let (bdds, copies) = (self.copies.bdds, self.copies);
        let assigned: Vec<_> = effect.assigned().collect();
        let is_live = |variable: &DataVariable| bits::contains(after, *variable);
        // A value that is dead after the step is not worth a variable.
        let (set, dead): (Vec<_>, Vec<_>) = assigned.into_iter().partition(is_live);
        let arbitrary = || effect.arbitrary.iter().copied();
        let unneeded = dead.into_iter().chain(arbitrary());
        let unneeded = copies.cube(unneeded.map(|v| copies.level(v, Copy::Next)))?;
        let mut kept = after.to_vec();
        let lost = effect.assigned().chain(arbitrary());
        lost.for_each(|variable| bits::remove(&mut kept, variable));
        let renaming = |from, to| {
            let pairs = set
                .iter()
                .map(|v| (copies.level(*v, from), copies.level(*v, to)));
            copies.renaming(pairs)
        };
        let (there, back) = match set.is_empty() {
            true => (None, None),
            false => (
                Some(renaming(Copy::Next, Copy::Current)?),
                Some(renaming(Copy::Current, Copy::Next)?),
            ),
        };
        let arbitrary = arbitrary().filter(is_live);
        Ok(Transfer {
            relation: bdds.exists(&relation, &unneeded)?,
            forget: self.forget(before, &kept)?,
            set: there,
            unset: back,
            arbitrary: copies.cube(arbitrary.map(|v| copies.level(v, Copy::Current)))?,
            set_next: copies.cube(set.iter().map(|v| copies.level(*v, Copy::Next)))?,
        })
    }

    fn finish_push(
        &self,
        before: &[u64],
        kept: &[u64],
        effect: &Effect<'_>,
        relation: Bdd,
    ) -> Result<Transfer, OutOfNodes> {
        let copies = self.copies;
        let key = effect.assigned().map(|v| copies.level(v, Copy::Next));
        Ok(Transfer {
            relation,
            forget: self.forget(before, kept)?,
            set: None,
            unset: None,
            arbitrary: copies.bdds.constant(true),
            set_next: copies.cube(key)?,
        })
    }

    /// The current variables of `before` that are not `kept`.
    fn forget(&self, before: &[u64], kept: &[u64]) -> BddResult {
        let lost = bits::members(before).filter(|v| !bits::contains(kept, *v));
        self.copies
            .cube(lost.map(|v| self.copies.level(v, Copy::Current)))
    }
}

impl Effect<'_> {
    /// The variables that get values: all but the arbitrary ones.
    fn assigned(&self) -> impl Iterator<Item = DataVariable> {
        let watched = self.watched.map_or(&[][..], |watched| watched.set);
        let assigned = self.assignments.iter().map(|(variable, _)| *variable);
        assigned.chain(watched.iter().copied())
    }
}

/// An operation as a number, different for different operations.
fn code(operation: &Operation) -> u64 {
    let variable = |tag: u64, variable: &VariableId| match variable {
        VariableId::Local(index) => tag | u64::from(*index) << 8,
        VariableId::Global(index) => tag | 1 << 7 | u64::from(*index) << 8,
    };
    match operation {
        Operation::Constant(value) => u64::from(*value),
        Operation::Choose => 2,
        Operation::Not => 3,
        Operation::And => 4,
        Operation::Or => 5,
        Operation::Xor => 6,
        Operation::Equal => 7,
        Operation::Implies => 8,
        Operation::IfThenElse => 9,
        Operation::Schoose => 10,
        Operation::Read(v) => variable(16, v),
        Operation::ReadNext(v) => variable(32, v),
    }
}
