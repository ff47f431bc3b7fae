//! Loops in `post*`: a set of valuations at a loop's head, closed under all ways round.

use super::Budget;
use super::loop_paths::LoopPaths;
use crate::bdd::Bdd;
use crate::limits::acceleration::PAIRS_AFTER;
use crate::relations::{Components, Relation, Relations};
use crate::saturation::{EdgeView, EntrySummaries, LoopShortcuts};
use crate::spds::copies::Copies;
use crate::spds::{EntryId, Head, Right, Spds};
use crate::watch::{Stop, Watch, within_budget};
use rustc_hash::FxHashMap;

pub struct Accelerator<'a> {
    spds: &'a Spds,
    copies: &'a Copies<'a>,
    watch: &'a Watch,
    budget: Budget,
    /// Made when first asked for.
    components: Option<Components>,
    loops: FxHashMap<Head, Closures>,
}

/// The closures of the paths round a loop.
struct Closures {
    relations: Vec<Relation>,
    /// The newest summary they may have used; `None` if a loop makes no calls.
    stamp: Option<u64>,
    /// Whether some path was given up.
    gave_up: bool,
    /// Whether each two of the paths were closed together.
    is_paired: bool,
    /// After how many rounds newer summaries, or another try, are worth it.
    again: u32,
}

impl<'a> Accelerator<'a> {
    pub fn new(spds: &'a Spds, copies: &'a Copies<'a>, watch: &'a Watch, budget: Budget) -> Self {
        Accelerator {
            spds,
            copies,
            watch,
            budget,
            components: None,
            loops: FxHashMap::default(),
        }
    }

    fn relations(&self, rounds: u32) -> Relations<'a> {
        let variables = self.copies.data_variables();
        Relations {
            copies: self.copies,
            node_limit: Some(self.budget.nodes_after(rounds, variables)),
        }
    }

    fn closures(
        &self,
        components: &Components,
        head: Head,
        rounds: u32,
        summaries: &EntrySummaries,
        stamp: u64,
    ) -> Result<Closures, Stop> {
        let component = &*components.loop_of(self.spds, head);
        let relations = self.relations(rounds);
        let summary = |entry: EntryId| summaries[entry].total().cloned();
        let around = LoopPaths {
            spds: self.spds,
            relations,
            watch: self.watch,
            path_limit: self.budget.paths,
            components,
            summaries: &summary,
        };
        let ways = within_budget(around.within(head, component))?;
        let mut gave_up = ways.is_none();
        let mut closures = Vec::new();
        let ways = ways.unwrap_or_default();
        let variables = self.spds.variables(head);
        let check = || self.watch.check();
        for way in &ways {
            match within_budget(relations.closure(way, variables, check))? {
                Some(closure) => closures.push(closure),
                None => gave_up = true,
            }
        }
        let is_paired = rounds >= PAIRS_AFTER;
        if is_paired {
            closures.extend(
                relations
                    .for_pairs()
                    .closed_pairs(&ways, variables, check)?,
            );
        }
        Ok(Closures {
            relations: closures,
            gave_up,
            is_paired,
            stamp: self.makes_calls(component).then_some(stamp),
            again: rounds.saturating_mul(2).max(self.budget.patience),
        })
    }

    fn makes_calls(&self, component: &[Head]) -> bool {
        let rules = component
            .iter()
            .flat_map(|head| self.spds.rules_from(*head));
        let mut rules = rules.map(|id| self.spds.rule(id).right);
        rules.any(|right| match right {
            Right::Push { saved, .. } => component.binary_search(&saved).is_ok(),
            _ => false,
        })
    }
}

impl LoopShortcuts for Accelerator<'_> {
    fn around(
        &mut self,
        edge: EdgeView<'_>,
        summaries: &EntrySummaries,
        stamp: u64,
    ) -> Result<Option<Bdd>, Stop> {
        let EdgeView { head, rounds, .. } = edge;
        if rounds < self.budget.patience {
            return Ok(None);
        }
        let spds = self.spds;
        let components = self.components.take();
        let components = components.unwrap_or_else(|| Components::within_frames(spds));
        let is_loop_head = components.is_loop_head(head);
        let known = self.loops.get(&head);
        let is_stale = known.is_none_or(|known| {
            let is_old = known.stamp.is_some_and(|used| used < stamp);
            let is_slow = !known.is_paired && rounds >= PAIRS_AFTER;
            is_slow || (known.gave_up || is_old) && rounds >= known.again
        });
        if is_loop_head && is_stale {
            let closures = self.closures(&components, head, rounds, summaries, stamp)?;
            self.loops.insert(head, closures);
        }
        self.components = Some(components);
        match self.loops.get(&head) {
            Some(closures) if !closures.relations.is_empty() => {
                let relations = self.relations(rounds);
                let check = || self.watch.check();
                let added = relations.saturate(&closures.relations, edge.total, edge.new, check)?;
                Ok(Some(added))
            }
            _ => Ok(None),
        }
    }
}
