//! Deep recursion in `post*`: the keys that frames are entered with, and their summaries.
//!
//! A procedure that calls itself with `n - 1` is entered with one more key a round, and once
//! the innermost call has returned, has one more summary a round. Both are loops: from the
//! key of a frame to the key of a frame pushed on it, and from the summary of a pushed frame
//! to the one of the frame that waits for it ([`super::summaries`]). They are closed by
//! squaring like any other.

use super::Budget;
use super::loop_paths::LoopPaths;
use super::nesting::Nestings;
use super::summaries::{Step, Steps};
use crate::bdd::Bdd;
use crate::limits::acceleration::{COMPONENT_HEADS, PAIRS_AFTER};
use crate::relations::{Components, Relation, Relations, Summaries};
use crate::saturation::{EdgeView, EntrySummaries, Link, RecursionShortcuts};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Spds};
use crate::watch::{Stop, Watch, within_budget};
use rustc_hash::FxHashMap;

pub struct Recursion<'a> {
    spds: &'a Spds,
    copies: &'a Copies<'a>,
    watch: &'a Watch,
    budget: Budget,
    /// Made when first asked for.
    components: Option<Components>,
    keys: FxHashMap<EntryId, KeyClosures>,
    summaries: FxHashMap<EntryId, SummaryClosures>,
}

/// The closures of steps from summaries of an entry to summaries of the same.
struct SummaryClosures {
    closures: Vec<Step>,
    /// After how many increments it is worth making them anew.
    again: usize,
}

/// The closures of the ways from a frame to one of the same entry above it.
struct KeyClosures {
    relations: Vec<Relation>,
    /// After how many rounds newer summaries are worth looking at.
    again: u32,
}

impl<'a> Recursion<'a> {
    pub fn new(spds: &'a Spds, copies: &'a Copies<'a>, watch: &'a Watch, budget: Budget) -> Self {
        Recursion {
            spds,
            copies,
            watch,
            budget,
            components: None,
            keys: FxHashMap::default(),
            summaries: FxHashMap::default(),
        }
    }

    fn relations(&self, rounds: u32) -> Relations<'a> {
        let variables = self.copies.data_variables();
        Relations {
            copies: self.copies,
            node_limit: Some(self.budget.nodes_after(rounds, variables)),
        }
    }

    fn key_closures(
        &mut self,
        entry: EntryId,
        rounds: u32,
        summaries: &Summaries<'_>,
    ) -> Result<Vec<Relation>, Stop> {
        let spds = self.spds;
        let components = self.components.take();
        let components = components.unwrap_or_else(|| Components::through_pushes(spds));
        let head = spds.entry(entry).head;
        let component = components.with(head);
        let mut closures = Vec::new();
        if !component.is_empty() && component.len() <= COMPONENT_HEADS {
            let around = LoopPaths {
                spds,
                relations: self.relations(rounds),
                watch: self.watch,
                path_limit: self.budget.paths,
                components: &components,
                summaries,
            };
            let ways = within_budget(around.above(entry))?.unwrap_or_default();
            let (relations, variables) = (self.relations(rounds), spds.variables(head));
            let check = || self.watch.check();
            for way in &ways {
                closures.extend(within_budget(relations.closure(way, variables, check))?);
            }
            if rounds >= PAIRS_AFTER {
                closures.extend(
                    relations
                        .for_pairs()
                        .closed_pairs(&ways, variables, check)?,
                );
            }
        }
        self.components = Some(components);
        Ok(closures)
    }
}

impl RecursionShortcuts for Recursion<'_> {
    fn enter(
        &mut self,
        entry: EntryId,
        edge: EdgeView<'_>,
        summaries: &EntrySummaries,
    ) -> Result<Option<Bdd>, Stop> {
        let rounds = edge.rounds;
        let totals = |entry: EntryId| summaries[entry].total().cloned();
        if rounds < self.budget.patience {
            return Ok(None);
        }
        let is_stale = |known: &KeyClosures| rounds >= known.again;
        if self.keys.get(&entry).is_none_or(is_stale) {
            let closures = KeyClosures {
                relations: self.key_closures(entry, rounds, &totals)?,
                again: rounds.saturating_mul(2).max(self.budget.patience),
            };
            self.keys.insert(entry, closures);
        }
        let closures = &self.keys[&entry].relations;
        if closures.is_empty() {
            return Ok(None);
        }
        let (spds, bdds) = (self.spds, self.copies.bdds);
        let now = |edge| bdds.exists(edge, &spds.all_entry);
        let check = || self.watch.check();
        let relations = self.relations(rounds);
        let added = relations.saturate(closures, &now(edge.total)?, &now(edge.new)?, check)?;
        if bdds.is_false(&added) {
            return Ok(None);
        }
        let interface = spds.interface(entry);
        let keys = bdds.exists(&added, &interface.not_key)?;
        let keys = interface.key_to_next.apply(bdds, &keys)?;
        Ok(Some(interface.enter.apply(bdds, &keys)?))
    }

    fn leave(
        &mut self,
        entry: EntryId,
        summaries: &EntrySummaries,
        links: &dyn Fn() -> Vec<Link>,
    ) -> Result<Option<Bdd>, Stop> {
        let summary = &summaries[entry];
        let increments = summary.increments.len();
        let totals = |entry: EntryId| summaries[entry].total().cloned();
        let Some(total) = summary.total() else {
            return Ok(None);
        };
        if increments < self.budget.patience as usize || !self.copies.has(Copy::Returned) {
            return Ok(None);
        }
        let steps = Steps {
            spds: self.spds,
            relations: self.relations(increments.try_into().unwrap_or(u32::MAX)),
        };
        let is_stale = |known: &SummaryClosures| increments >= known.again;
        if self.summaries.get(&entry).is_none_or(is_stale) {
            let nestings = Nestings::new(steps, self.watch, self.budget.paths);
            let is_slow = increments >= PAIRS_AFTER as usize;
            let found = nestings.all(entry, &links(), &totals, is_slow)?;
            let closures = found.iter().map(|found| found.closure().clone()).collect();
            let again = increments.saturating_mul(2).max(1);
            let closures = SummaryClosures { closures, again };
            self.summaries.insert(entry, closures);
        }
        let closures = &self.summaries[&entry].closures;
        if closures.is_empty() {
            return Ok(None);
        }
        let further = steps.saturate(closures, total, || self.watch.check())?;
        Ok(Some(further).filter(|further| !self.copies.bdds.is_false(further)))
    }
}
