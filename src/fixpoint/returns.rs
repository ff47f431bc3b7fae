//! Returns: what is after a call, from the state at the call and that at the callee's exit. Linear
//! in the calls.

use super::levels::{Pool, Track};
use super::program::{Key, Leaf, ProgramRelations};
use super::supplied::Supplied;
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::program::ProcedureId;
use crate::rules::{DataVariable, Head, Right, Rule};
use crate::spds::copies::Copy;
use rustc_hash::FxHashMap;

impl ProgramRelations<'_> {
    /// One half of the returns: the tracks are those of the caller, the exit point and what is
    /// returned to; the data those of the first state and of the last.
    pub(super) fn returns(&self, half: Supplied) -> Result<Vec<Leaf>, OutOfNodes> {
        let mut leaves = Vec::new();
        for rule in &self.rules.rules {
            let Right::Push { first, saved, .. } = rule.right else {
                continue;
            };
            let (Some(next), Some(callee)) =
                (self.return_point(rule.from.0), self.rules.frame_of(first))
            else {
                continue;
            };
            let exit = self.program.procedure(callee).exit();
            let internal = self.internal_rule(saved);
            let data = match half {
                Supplied::ReturnA => self.caller_half(rule, callee, internal, next)?,
                _ => self.callee_half(callee, internal, next)?,
            };
            leaves.push((vec![rule.from.0, exit.0, next], data));
        }
        Ok(leaves)
    }

    /// The rule that sets the targets of a call, if it has one.
    fn internal_rule(&self, saved: Head) -> Option<&Rule> {
        if saved.0 < self.rules.symbols {
            return None;
        }
        let mut rules = self.rules.rules_from(saved).iter();
        rules.find(|rule| !rule.is_failure)
    }

    /// Whether a variable is a global whose value after a call is the one that the callee leaves.
    fn is_handed(&self, callee: ProcedureId, bit: DataVariable) -> bool {
        let is_global = self.rules.layout.global_range().contains(&bit);
        is_global && self.live.is_none_or(|live| live.changes(callee, bit))
    }

    /// Between the call and what is after it: what is no target, and the callee does not hand
    /// over, keeps its value.
    fn caller_half(
        &self,
        call: &Rule,
        callee: ProcedureId,
        internal: Option<&Rule>,
        next: u32,
    ) -> BddResult {
        let key = Key {
            relation: Supplied::ReturnA,
            effect: internal.map(|rule| rule.effect),
            is_failure: false,
            callee: self.live.map(|_| callee),
            scopes: [self.scope(call.from.0), self.scope(next)],
        };
        self.known_data(key, || {
            let bdds = self.copies.bdds;
            let changes = internal.map(|rule| &self.rules.footprint(rule).after);
            let after = self.in_scope(key.scopes[1]);
            let kept = self.in_scope(key.scopes[0]).into_iter();
            let is_kept = |bit: &DataVariable| {
                let is_changed = changes.is_some_and(|changes| changes.touches(*bit));
                after.contains(bit) && !is_changed && !self.is_handed(callee, *bit)
            };
            let mut data = self.unchanged(kept.filter(is_kept))?;
            data = bdds.and(&data, &self.nothing_else(key.scopes[0], [0; 2])?)?;
            bdds.and(&data, &self.nothing_else(key.scopes[1], [1; 2])?)
        })
    }

    /// Between the exit point and what is after it: what is handed over and no target keeps its
    /// value, targets get what is returned, and both procedures' `enforce` hold.
    fn callee_half(&self, callee: ProcedureId, internal: Option<&Rule>, next: u32) -> BddResult {
        let exit = self.program.procedure(callee).exit();
        let key = Key {
            relation: Supplied::ReturnB,
            effect: internal.map(|rule| rule.effect),
            is_failure: false,
            callee: None,
            scopes: [self.scope(exit.0), self.scope(next)],
        };
        self.known_data(key, || {
            let bdds = self.copies.bdds;
            let layout = &self.rules.layout;
            let changes = internal.map(|rule| &self.rules.footprint(rule).after);
            let is_kept = |bit: &DataVariable| changes.is_none_or(|changes| !changes.touches(*bit));
            let after = self.in_scope(key.scopes[1]);
            let (handed, others): (Vec<_>, Vec<_>) = (0..layout.locals)
                .chain(layout.global_range())
                .filter(is_kept)
                .partition(|bit| self.is_handed(callee, *bit));
            let handed = handed.into_iter().filter(|bit| after.contains(bit));
            let mut data = self.unchanged(handed)?;
            if let Some(rule) = internal {
                // What the caller keeps has the value that it has afterwards.
                let effect = self.effect(rule.effect, false)?;
                let moved = others.into_iter().map(|bit| {
                    let level = |copy| self.copies.level(bit, copy);
                    (level(Copy::Current), level(Copy::Next))
                });
                let effect = self.without_dead(&effect, key.scopes[1])?;
                let effect = self.copies.renaming(moved)?.apply(bdds, &effect)?;
                data = bdds.and(&data, &effect)?;
            }
            let mut pops = self.rules.rules_from(Head(exit.0)).iter();
            if let Some(pop) = pops.find(|rule| rule.right == Right::Pop) {
                data = bdds.and(&data, &self.effect(pop.effect, false)?)?;
            }
            data = bdds.and(&data, &self.nothing_else(key.scopes[0], [0; 2])?)?;
            bdds.and(&data, &self.nothing_else(key.scopes[1], [1; 2])?)
        })
    }

    /// Both halves, with three copies of data: the caller's, the callee's, and afterwards.
    // A BDD is hashed by the number of its node, which stays as long as the BDD does.
    #[expect(clippy::mutable_key_type)]
    pub(super) fn whole_return(&self) -> Result<Vec<Leaf>, OutOfNodes> {
        let bdds = self.copies.bdds;
        let renaming = |from: u32, to: u32| {
            let levels = [Pool::Locals, Pool::Globals].map(|pool| {
                let [from, to] = [from, to].map(|index| self.levels.of(Track { pool, index }));
                from.iter().copied().zip(to.iter().copied())
            });
            self.copies.renaming(levels.into_iter().flatten())
        };
        let (afterwards, callee) = (renaming(1, 2)?, renaming(0, 1)?);
        let mut known: FxHashMap<(Bdd, Bdd), Bdd> = FxHashMap::default();
        let [callers, callees] = [Supplied::ReturnA, Supplied::ReturnB].map(|h| self.returns(h));
        let mut leaves = Vec::new();
        // Both have one leaf for each call, in the same order.
        for ((points, mine), (_, others)) in callers?.into_iter().zip(callees?) {
            let key = (mine, others);
            let data = match known.get(&key) {
                Some(data) => data.clone(),
                None => {
                    let mine = afterwards.apply(bdds, &key.0)?;
                    let others = callee.apply(bdds, &afterwards.apply(bdds, &key.1)?)?;
                    let data = bdds.and(&mine, &others)?;
                    known.insert(key, data.clone());
                    data
                }
            };
            leaves.push((points, data));
        }
        Ok(leaves)
    }
}
