//! The transfers of statements: one small relation each, shared between equal statements.
//!
//! Two statements have the same transfer if they do the same to the same data variables
//! and the same variables are live around them. Programs made by tools repeat themselves a
//! great deal, and procedures share their locals' variables, so transfers are looked up by
//! what they depend on before any BDD is made.

use super::copies::Copies;
use super::effect::{Assignment, Effect, Outcome, Place, Source};
use super::relation::Relations;
use super::transfer::Making;
use super::{Transfer, TransferId};
use crate::analysis::Layout;
use crate::bdd::{Bdd, OutOfNodes};
use crate::program::{Domain, Expression, Operation, Program, VariableId, When};
use rustc_hash::FxHashMap;

pub struct Transfers<'a, 'b> {
    program: &'a Program,
    layout: &'a Layout,
    copies: &'a Copies<'b>,
    known: FxHashMap<Box<[u64]>, Option<TransferId>>,
    key: Vec<u64>,
    pub list: Vec<Transfer>,
}

/// What a transfer is for.
#[derive(Clone, Copy)]
enum Kind<'k> {
    Step,
    /// Of a frame with this key.
    Push(&'k [u64]),
    Failure,
}

/// Where a key's parts are told apart; no operation is encoded as this.
const SEPARATOR: u64 = u64::MAX;

impl<'a, 'b> Transfers<'a, 'b> {
    pub fn new(program: &'a Program, layout: &'a Layout, copies: &'a Copies<'b>) -> Self {
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
        let made = self.find_or_make(before, after, effect, Kind::Step)?;
        Ok(made.expect("only a failure may have no transfer"))
    }

    /// The transfer of a push: the assignments to next copies give the callee's key, and
    /// the current values of `kept` stay with the frame below.
    pub fn push(
        &mut self,
        before: &[u64],
        key: &[u64],
        kept: &[u64],
        effect: &Effect<'_>,
    ) -> Result<TransferId, OutOfNodes> {
        let made = self.find_or_make(before, kept, effect, Kind::Push(key))?;
        Ok(made.expect("only a failure may have no transfer"))
    }

    /// The transfer of the step that is taken instead where an expression has no value, or
    /// a value does not fit; `None` if that cannot be.
    pub fn failure(
        &mut self,
        before: &[u64],
        after: &[u64],
        effect: &Effect<'_>,
    ) -> Result<Option<TransferId>, OutOfNodes> {
        self.find_or_make(before, after, effect, Kind::Failure)
    }

    fn find_or_make(
        &mut self,
        before: &[u64],
        after: &[u64],
        effect: &Effect<'_>,
        kind: Kind<'_>,
    ) -> Result<Option<TransferId>, OutOfNodes> {
        self.make_key(before, after, effect, kind);
        if let Some(known) = self.known.get(self.key.as_slice()) {
            return Ok(*known);
        }
        let relations = Relations {
            program: self.program,
            layout: self.layout,
            copies: self.copies,
            effect,
        };
        let transfer = match kind {
            Kind::Push(key) => {
                let relation = relations.relation()?;
                Some(self.finish_push(before, key, after, effect, relation)?)
            }
            Kind::Step => {
                let relation = relations.relation()?;
                Some(self.finish_step(before, after, effect, relation)?)
            }
            Kind::Failure => {
                let failure = relations.failure()?;
                let watched = Effect {
                    assignments: &[],
                    conditions: &[],
                    ..*effect
                };
                match self.copies.bdds.is_false(&failure) {
                    true => None,
                    false => Some(self.finish_step(before, after, &watched, failure)?),
                }
            }
        };
        let id = transfer.map(|transfer| {
            self.list.push(transfer);
            TransferId(self.list.len() as u32 - 1)
        });
        self.known.insert(self.key.as_slice().into(), id);
        Ok(id)
    }

    /// Everything a transfer depends on.
    fn make_key(&mut self, before: &[u64], after: &[u64], effect: &Effect<'_>, kind: Kind<'_>) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        match kind {
            Kind::Step => key.push(0),
            Kind::Failure => key.push(1),
            Kind::Push(entered) => {
                key.push(2);
                key.extend(entered);
            }
        }
        key.extend(before);
        key.extend(after);
        for (condition, outcome) in effect.conditions {
            let tag = match outcome {
                Outcome::True => 0,
                Outcome::False => 1,
                Outcome::NotTrue => 2,
            };
            self.add_expression(&mut key, effect, tag, *condition);
        }
        for assignment in effect.assignments {
            self.add_assignment(&mut key, effect, assignment);
        }
        effect
            .constrain
            .into_iter()
            .for_each(|e| self.add_expression(&mut key, effect, 5, e));
        effect
            .afterwards
            .into_iter()
            .for_each(|e| self.add_expression(&mut key, effect, 6, e));
        if let Some(watched) = effect.watched {
            key.extend([SEPARATOR, 7, watched.number]);
        }
        self.key = key;
    }

    fn add_expression(
        &self,
        key: &mut Vec<u64>,
        effect: &Effect<'_>,
        tag: u64,
        expression: Expression,
    ) {
        key.extend([SEPARATOR, tag]);
        for operation in self.program.expressions.operations(expression) {
            self.add_operation(key, effect, operation);
        }
    }

    fn add_assignment(&self, key: &mut Vec<u64>, effect: &Effect<'_>, assignment: &Assignment) {
        let copy = match assignment.below {
            true => 1,
            false => 0,
        };
        key.extend([SEPARATOR, 8 | copy << 8]);
        match &assignment.place {
            Place::Cell(range) => key.push(u64::from(range.start)),
            Place::Element {
                first,
                count,
                index,
                only,
            } => {
                key.extend([u64::from(first.start) << 32 | u64::from(*count)]);
                key.push(only.map_or(0, |k| u64::from(k) + 1));
                self.add_expression(key, effect, 9, *index);
            }
        }
        key.push(domain_code(assignment.domain));
        match &assignment.source {
            Source::Of(expression) => self.add_expression(key, effect, 10, *expression),
            Source::Bits(range, domain) => {
                key.extend([SEPARATOR, 11, u64::from(range.start), domain_code(*domain)]);
            }
            Source::Any => key.extend([SEPARATOR, 12]),
        }
    }

    /// An operation as numbers, different for different operations.
    fn add_operation(&self, key: &mut Vec<u64>, effect: &Effect<'_>, operation: &Operation) {
        // What is read is told by its bits, since procedures share them, and its domain.
        let cell = |tag: u64, variable: VariableId| {
            let first = self.layout.cell(effect.procedure, variable).start;
            let domain = self.program.cell(effect.procedure, variable).domain;
            [tag | u64::from(first) << 8, domain_code(domain)]
        };
        match operation {
            Operation::Constant(value) => key.push(u64::from(*value)),
            Operation::Choose => key.push(2),
            Operation::Not => key.push(3),
            Operation::And => key.push(4),
            Operation::Or => key.push(5),
            Operation::Xor => key.push(6),
            Operation::Equal => key.push(7),
            Operation::Implies => key.push(8),
            Operation::IfThenElse => key.push(9),
            Operation::Schoose => key.push(10),
            Operation::Add => key.push(11),
            Operation::Subtract => key.push(12),
            Operation::Multiply => key.push(13),
            Operation::Divide => key.push(14),
            Operation::BitAnd => key.push(15),
            Operation::BitOr => key.push(16),
            Operation::BitXor => key.push(17),
            Operation::ShiftLeft => key.push(18),
            Operation::ShiftLeftOrFar => key.push(34),
            Operation::ShiftRight => key.push(19),
            Operation::Less => key.push(20),
            Operation::LessEqual => key.push(21),
            Operation::NumbersEqual => key.push(22),
            Operation::ToNumber => key.push(23),
            Operation::ToTruth => key.push(24),
            Operation::FalseIfUndefined => key.push(25),
            Operation::Number(number) => key.extend([26, *number]),
            Operation::Index { count } => key.push(27 | u64::from(*count) << 8),
            Operation::Read(v) => key.extend(cell(28, *v)),
            Operation::ReadNext(v) => key.extend(cell(29, *v)),
            Operation::ReadBelow(v) => key.extend(cell(30, *v)),
            Operation::ReadElement { first, count, when } => {
                let when = match when {
                    When::Before => 31,
                    When::After => 32,
                    When::Below => 33,
                };
                key.extend(cell(when, *first));
                key.push(u64::from(*count));
            }
        }
    }

    fn finish_step(
        &self,
        before: &[u64],
        after: &[u64],
        effect: &Effect<'_>,
        relation: Bdd,
    ) -> Result<Transfer, OutOfNodes> {
        let set: Vec<_> = effect.assigned(false).collect();
        let arbitrary: Vec<_> = effect.arbitrary(false).collect();
        self.making(before, relation).step(after, &set, &arbitrary)
    }

    fn finish_push(
        &self,
        before: &[u64],
        key: &[u64],
        kept: &[u64],
        effect: &Effect<'_>,
        relation: Bdd,
    ) -> Result<Transfer, OutOfNodes> {
        // Of an array that is set in one place, some cells may not matter.
        let passed: Vec<_> = effect.assigned(false).collect();
        let set: Vec<_> = effect.assigned(true).collect();
        let arbitrary: Vec<_> = effect.arbitrary(true).collect();
        let making = self.making(before, relation);
        making.push(key, &passed, kept, &set, &arbitrary)
    }

    fn making<'m>(&'m self, before: &'m [u64], relation: Bdd) -> Making<'m, 'b> {
        Making {
            copies: self.copies,
            before,
            relation,
        }
    }
}

fn domain_code(domain: Domain) -> u64 {
    match domain {
        Domain::Boolean => 0,
        Domain::Integer { bits } => 1 | u64::from(bits) << 2,
        Domain::Enumeration { size, .. } => 2 | u64::from(size) << 2,
    }
}
