//! The transfers of rules: one small relation each, shared between equal rules.
//!
//! Two rules have the same transfer if they have the same effect and the same variables
//! matter around them, so transfers are looked up by that before any BDD is made.

use super::copies::Copies;
use super::relation::Relations;
use super::transfer::TransferBuilder;
use super::{Transfer, TransferId};
use crate::bdd::{Bdd, OutOfNodes};
use crate::bits::{self, BitSet};
use crate::index::IndexVec;
use crate::program::ProcedureId;
use crate::rules::effect::Effect;
use crate::rules::{DataVariable, EffectId, Footprint, Rules};
use rustc_hash::FxHashMap;

pub struct Transfers<'a, 'b> {
    rules: &'a Rules<'a>,
    copies: &'a Copies<'b>,
    known: FxHashMap<Box<[u64]>, Option<TransferId>>,
    key: Vec<u64>,
    list: IndexVec<TransferId, Transfer>,
    /// The empty set of variables.
    nothing: BitSet,
}

/// What an automaton does along a rule: a further relation, and the variables it sets.
pub struct AutomatonStep {
    /// Different relations have different numbers.
    pub number: u64,
    pub relation: Bdd,
    pub set: Vec<DataVariable>,
}

/// What a transfer is for. The sets are the variables that matter before, and
#[derive(Clone, Copy)]
enum Kind<'k> {
    /// after the step, first all and then those that are not only carried along;
    Step([&'k [u64]; 3]),
    /// in the key of the pushed frame, in the frame below, and there not only carried along;
    Push([&'k [u64]; 4]),
    /// after the failure.
    Failure([&'k [u64]; 2]),
}

impl<'a, 'b> Transfers<'a, 'b> {
    pub fn new(rules: &'a Rules<'a>, copies: &'a Copies<'b>) -> Self {
        Transfers {
            rules,
            copies,
            known: FxHashMap::default(),
            key: Vec::new(),
            list: IndexVec::new(),
            nothing: BitSet::new(rules.layout.len() as usize),
        }
    }

    pub fn finish(self) -> IndexVec<TransferId, Transfer> {
        self.list
    }

    /// The transfer of a step, or a pop, from where the first variables matter to where the
    /// second ones do; the third are those that are not only carried along.
    pub fn step(
        &mut self,
        effect: EffectId,
        variables: [&[u64]; 3],
        watched: Option<AutomatonStep>,
    ) -> Result<TransferId, OutOfNodes> {
        let made = self.find_or_make(Some(effect), Kind::Step(variables), watched)?;
        Ok(made.expect("only a failure may have no transfer"))
    }

    /// The transfer of a step that changes nothing by itself.
    pub fn stay(
        &mut self,
        variables: [&[u64]; 3],
        watched: Option<AutomatonStep>,
    ) -> Result<TransferId, OutOfNodes> {
        let made = self.find_or_make(None, Kind::Step(variables), watched)?;
        Ok(made.expect("only a failure may have no transfer"))
    }

    /// The transfer of a push from where the first variables matter: the second ones are the
    /// key of the pushed frame, the third stay with the frame below, and the fourth matter
    /// where that goes on.
    pub fn push(
        &mut self,
        effect: EffectId,
        variables: [&[u64]; 4],
        watched: Option<AutomatonStep>,
    ) -> Result<TransferId, OutOfNodes> {
        let made = self.find_or_make(Some(effect), Kind::Push(variables), watched)?;
        Ok(made.expect("only a failure may have no transfer"))
    }

    /// The transfer of the step that is taken instead where an expression has no value, or
    /// a value does not fit; `None` if that cannot be.
    pub fn failure(
        &mut self,
        effect: EffectId,
        variables: [&[u64]; 2],
        watched: Option<AutomatonStep>,
    ) -> Result<Option<TransferId>, OutOfNodes> {
        self.find_or_make(Some(effect), Kind::Failure(variables), watched)
    }

    fn find_or_make(
        &mut self,
        effect: Option<EffectId>,
        kind: Kind<'_>,
        watched: Option<AutomatonStep>,
    ) -> Result<Option<TransferId>, OutOfNodes> {
        let number = watched.as_ref().map_or(u64::MAX, |watched| watched.number);
        self.key.clear();
        let effect_number = effect.map_or(u64::MAX, |effect| u64::from(effect.0));
        let (tag, sets): (u64, &[&[u64]]) = match &kind {
            Kind::Step(sets) => (0, sets),
            Kind::Failure(sets) => (1, sets),
            Kind::Push(sets) => (2, sets),
        };
        self.key.extend([tag, effect_number, number]);
        sets.iter().for_each(|set| self.key.extend(*set));
        if let Some(known) = self.known.get(self.key.as_slice()) {
            return Ok(*known);
        }
        let made = match effect {
            Some(effect) => {
                let effects = &self.rules.effects;
                self.make(
                    effects.get(effect),
                    effects.footprint(effect),
                    kind,
                    watched,
                )?
            }
            None => {
                let bits = self.rules.layout.len() as usize;
                let (effect, footprint) = (Effect::of(ProcedureId(0)), Footprint::none(bits));
                self.make(&effect, &footprint, kind, watched)?
            }
        };
        let id = made.map(|transfer| self.list.push(transfer));
        self.known.insert(self.key.as_slice().into(), id);
        Ok(id)
    }

    fn make(
        &self,
        effect: &Effect,
        footprint: &Footprint,
        kind: Kind<'_>,
        watched: Option<AutomatonStep>,
    ) -> Result<Option<Transfer>, OutOfNodes> {
        let bdds = self.copies.bdds;
        let nothing = &self.nothing[..];
        let relations = |after, below| Relations {
            rules: self.rules,
            copies: self.copies,
            effect,
            footprint,
            needed: [after, below],
        };
        let (moves, watched) = match watched {
            Some(watched) => (watched.relation, watched.set),
            None => (bdds.constant(true), Vec::new()),
        };
        let builder = |before, relation| TransferBuilder {
            copies: self.copies,
            before,
            relation,
        };
        match kind {
            Kind::Failure([before, after]) => {
                let failure = relations(nothing, nothing).failure()?;
                if bdds.is_false(&failure) {
                    return Ok(None);
                }
                let relation = bdds.and(&failure, &moves)?;
                builder(before, relation)
                    .step(after, &watched, &[])
                    .map(Some)
            }
            Kind::Step([before, after, live]) => {
                let relation = relations(after, nothing).relation()?;
                let relation = bdds.and(&relation, &moves)?;
                let mut set: Vec<_> = bits::members(&footprint.after.set).collect();
                set.extend(watched);
                // What is only carried along may as well keep its value.
                let arbitrary = arbitrary(&footprint.after.arbitrary, live);
                builder(before, relation)
                    .step(after, &set, &arbitrary)
                    .map(Some)
            }
            Kind::Push([before, key, kept, live]) => {
                let relation = relations(key, kept).relation()?;
                let mut relation = bdds.and(&relation, &moves)?;
                let mut passed: Vec<_> = bits::members(&footprint.after.set).collect();
                let globals = self.rules.layout.global_range();
                let is_passed =
                    |bit: &DataVariable| globals.contains(bit) && !footprint.after.touches(*bit);
                let unchanged: Vec<_> = bits::members(key).filter(is_passed).collect();
                relation = bdds.and(&relation, &self.copies.unchanged(&unchanged)?)?;
                passed.extend(unchanged);
                passed.extend(watched);
                let set: Vec<_> = bits::members(&footprint.below.set).collect();
                let arbitrary = arbitrary(&footprint.below.arbitrary, live);
                builder(before, relation)
                    .push(key, &passed, kept, &set, &arbitrary)
                    .map(Some)
            }
        }
    }
}

/// What gets any value and matters.
fn arbitrary(arbitrary: &[u64], live: &[u64]) -> Vec<DataVariable> {
    let mut members = BitSet::from(arbitrary);
    bits::meet(&mut members, live);
    bits::members(&members).collect()
}
