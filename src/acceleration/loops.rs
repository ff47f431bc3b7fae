//! Loops in `post*`: a set of valuations at a loop's head, closed under all ways round.

use super::Budget;
use super::frame::{FrameComponents, ways_around};
use super::relation::{Failure, Relation, Relations};
use crate::bdd::Bdd;
use crate::saturation::{Stop, Summary, Watch};
use crate::spds::copies::Copies;
use crate::spds::{EntryId, Head, Right, Spds};
use rustc_hash::FxHashMap;

pub struct Accelerator<'a> {
    spds: &'a Spds,
    copies: &'a Copies<'a>,
    watch: &'a Watch,
    budget: Budget,
    /// Made when first asked for.
    components: Option<FrameComponents>,
    loops: FxHashMap<Head, Closures>,
}

/// The closures of the paths round a loop.
struct Closures {
    relations: Vec<Relation>,
    /// The newest summary they may have used; `None` if a loop makes no calls.
    stamp: Option<u64>,
    /// After how many rounds newer summaries are worth looking at.
    again: u32,
}

/// How often all closures are applied in turn before plain rounds go on.
const TURNS: u32 = 64;

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

    /// What the ways round a loop lead to from `new`, as far as it is not in `total`; `None`
    /// if nothing is known to do. `rounds` is how often the head was looked at.
    pub fn close(
        &mut self,
        head: Head,
        rounds: u32,
        summaries: &[Summary],
        stamp: u64,
        total: &Bdd,
        new: &Bdd,
    ) -> Result<Option<Bdd>, Stop> {
        if rounds < self.budget.patience {
            return Ok(None);
        }
        let spds = self.spds;
        let components = self.components.take();
        let components = components.unwrap_or_else(|| FrameComponents::of(spds));
        let is_loop_head = components.is_loop_head(head);
        let known = self.loops.get(&head);
        let is_stale = known.is_none_or(|known| {
            known.stamp.is_some_and(|used| used < stamp) && rounds >= known.again
        });
        if is_loop_head && is_stale {
            let closures = self.closures(&components, head, rounds, summaries, stamp)?;
            self.loops.insert(head, closures);
        }
        self.components = Some(components);
        match self.loops.get(&head) {
            Some(closures) if !closures.relations.is_empty() => {
                self.apply(&closures.relations, total, new).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn apply(&self, closures: &[Relation], total: &Bdd, new: &Bdd) -> Result<Bdd, Stop> {
        let bdds = self.copies.bdds;
        let relations = self.relations();
        let (mut total, mut from) = (total.clone(), new.clone());
        let mut added = bdds.constant(false);
        for _ in 0..TURNS {
            let before = added.clone();
            for closure in closures {
                self.watch.check()?;
                let image = relations.image(closure, &from)?;
                let fresh = bdds.difference(&image, &total)?;
                total = bdds.or(&total, &fresh)?;
                from = bdds.or(&from, &fresh)?;
                added = bdds.or(&added, &fresh)?;
            }
            if added == before {
                break;
            }
        }
        Ok(added)
    }

    fn relations(&self) -> Relations<'a> {
        Relations {
            copies: self.copies,
            node_limit: self.budget.nodes(self.copies.data_variables()),
        }
    }

    fn closures(
        &self,
        components: &FrameComponents,
        head: Head,
        rounds: u32,
        summaries: &[Summary],
        stamp: u64,
    ) -> Result<Closures, Stop> {
        let component = components.with(head);
        let relations = self.relations();
        let summary = |entry: EntryId| summaries[entry.0 as usize].total().cloned();
        let limit = self.budget.paths;
        let place = (head, component);
        let ways = ways_around(self.spds, relations, self.watch, limit, place, &summary);
        let mut closures = Vec::new();
        for way in give_up(ways)?.unwrap_or_default() {
            let check = || self.watch.check();
            let closure = relations.closure(&way, self.spds.variables(head), check);
            closures.extend(give_up(closure)?);
        }
        Ok(Closures {
            relations: closures,
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

/// Nothing where there would have been too much.
pub fn give_up<T>(result: Result<T, Failure>) -> Result<Option<T>, Stop> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Failure::TooLarge) => Ok(None),
        Err(Failure::Stop(stop)) => Err(stop),
    }
}
