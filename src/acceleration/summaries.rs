//! Summaries of deep recursion.
//!
//! Where a frame waits for another one, a summary of the upper one gives a summary of the
//! lower one: that is a *step*, a relation between summaries. It is made by letting the lower
//! frame go on with anything that the upper one may hand over, which is remembered, until it
//! is popped. Where steps lead from an entry back to itself, their closure by squaring takes
//! summaries through any number of frames.
//!
//! A step is over the copies of a summary (the key in next, what is handed over in current
//! ones) for the lower frame, and over *called* and *returned* copies for the upper one.
//! Everything a step says is true, even if it does not say all: so it may be made under any
//! limit, and results do not depend on it.

use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::bits;
use crate::limits::acceleration::{SUMMARY_FRAMES, SUMMARY_ROUNDS, SUMMARY_TURNS};
use crate::relations::{Relations, Summaries};
use crate::saturation::Link;
use crate::spds::copies::Copy;
use crate::spds::{EntryId, Head, Interface, Right, Spds};
use crate::watch::{Abort, Stop};
use std::collections::VecDeque;

/// From summaries of one entry to summaries of another.
#[derive(Clone)]
pub struct Step {
    pub lower: EntryId,
    pub upper: EntryId,
    pub bdd: Bdd,
}

/// What steps are made in.
#[derive(Clone, Copy)]
pub struct Steps<'a> {
    pub spds: &'a Spds,
    pub relations: Relations<'a>,
}

impl Steps<'_> {
    /// The step along a link.
    pub fn along(
        &self,
        link: &Link,
        summaries: &Summaries<'_>,
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> Result<Step, Abort> {
        let (spds, copies) = (self.spds, self.relations.copies);
        let bdds = copies.bdds;
        let Link { lower, upper, .. } = *link;
        let mut step = bdds.constant(false);
        let Right::Push { saved, .. } = spds.rule(link.push).right else {
            return Err(Abort::OverBudget);
        };
        let Interface { key, handed, .. } = spds.interface(upper);
        let needed = spds.variables(saved);
        let waiting = self.relations.small(link.waiting.clone())?;
        let mut begin = self.rename(key, Copy::Next, Copy::Called, &waiting)?;
        for variable in handed.iter().rev() {
            if bits::contains(needed, *variable) {
                let current = copies.variable(*variable, Copy::Current);
                let returned = copies.variable(*variable, Copy::Returned);
                begin = bdds.and(&begin, &bdds.equivalent(&current, &returned)?)?;
            }
        }
        let mut behind = Exploration::default();
        behind.add(&self.relations, saved, &begin)?;
        for _ in 0..SUMMARY_ROUNDS {
            let Some((head, new)) = behind.next(&self.relations) else {
                break;
            };
            check()?;
            for id in spds.rules_from(head) {
                let rule = spds.rule(id);
                let after = spds.transfer(rule).image(bdds, &new)?;
                match rule.right {
                    Right::Step(to) => behind.add(&self.relations, to, &after)?,
                    Right::Push {
                        entry,
                        saved,
                        resume,
                        ..
                    } => {
                        if let Some(summary) = summaries(entry) {
                            let summary = self.relations.small(summary)?;
                            let resumed = spds.resumed(bdds, resume, &summary, &after)?;
                            behind.add(&self.relations, saved, &resumed)?;
                        }
                    }
                    Right::Pop { .. } => {
                        let popped = spds.interface(lower).leave.apply(bdds, &after)?;
                        step = self.relations.small(bdds.or(&step, &popped)?)?;
                    }
                }
            }
        }
        let bdd = step;
        Ok(Step { lower, upper, bdd })
    }

    /// The step through the frames of `a`, and above them those of `b`.
    pub fn compose(&self, a: &Step, b: &Step) -> Result<Step, Abort> {
        let between = self.spds.interface(a.upper);
        let Interface { key, handed, .. } = between;
        let lower = self.rename(key, Copy::Called, Copy::Entry, &a.bdd)?;
        let lower = self.rename(handed, Copy::Returned, Copy::Below, &lower)?;
        let upper = self.rename(key, Copy::Next, Copy::Entry, &b.bdd)?;
        let upper = self.rename(handed, Copy::Current, Copy::Below, &upper)?;
        let cube = self.between(between, (Copy::Entry, Copy::Below))?;
        let bdd = self.relations.join(&lower, &upper, &cube)?;
        Ok(Step {
            lower: a.lower,
            upper: b.upper,
            bdd: self.relations.small(bdd)?,
        })
    }

    /// The summaries that the closures of steps lead to from `total`, one after the other and
    /// again, as far as they are not in it.
    pub fn saturate(
        &self,
        closures: &[Step],
        total: &Bdd,
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> Result<Bdd, Stop> {
        let bdds = self.relations.copies.bdds;
        let mut all = total.clone();
        for _ in 0..SUMMARY_TURNS {
            let before = all.clone();
            for closure in closures {
                check()?;
                all = bdds.or(&all, &self.image(closure, &all)?)?;
            }
            if all == before {
                break;
            }
        }
        Ok(bdds.difference(&all, total)?)
    }

    /// The summaries of the lower frame that follow from those of the upper one.
    pub fn image(&self, step: &Step, summary: &Bdd) -> BddResult {
        let interface = self.spds.interface(step.upper);
        let Interface { key, handed, .. } = interface;
        let upper = self.rename(key, Copy::Next, Copy::Called, summary)?;
        let upper = self.rename(handed, Copy::Current, Copy::Returned, &upper)?;
        let cube = self.between(interface, (Copy::Called, Copy::Returned))?;
        self.bdds().and_exists(&step.bdd, &upper, &cube)
    }

    /// The summaries of the upper frame from which one of the lower one follows.
    pub fn preimage(&self, step: &Step, summary: &Bdd) -> BddResult {
        let lower = self.spds.interface(step.lower);
        let cube = self.between(lower, (Copy::Next, Copy::Current))?;
        let upper = self.bdds().and_exists(&step.bdd, summary, &cube)?;
        let Interface { key, handed, .. } = self.spds.interface(step.upper);
        let upper = self.rename(key, Copy::Called, Copy::Next, &upper)?;
        self.rename(handed, Copy::Returned, Copy::Current, &upper)
    }

    fn rename(&self, variables: &[DataVariable], from: Copy, to: Copy, f: &Bdd) -> BddResult {
        let copies = self.relations.copies;
        let pairs = variables
            .iter()
            .map(|v| (copies.level(*v, from), copies.level(*v, to)));
        copies.renaming(pairs)?.apply(copies.bdds, f)
    }

    fn bdds(&self) -> &Bdds {
        self.relations.copies.bdds
    }

    /// The variables of the key and of what is handed over, in these copies.
    fn between(&self, interface: &Interface, (key_copy, handed_copy): (Copy, Copy)) -> BddResult {
        let copies = self.relations.copies;
        let Interface { key, handed, .. } = interface;
        let keys = key.iter().map(|v| copies.level(*v, key_copy));
        let handed = handed.iter().map(|v| copies.level(*v, handed_copy));
        copies.cube(keys.chain(handed))
    }
}

/// The ways from an entry back to itself along links, each through different entries: the
/// lowest frame first.
pub fn round_trips(entry: EntryId, links: &[Link], most: usize) -> Vec<Vec<&Link>> {
    let mut found = Vec::new();
    let mut ways: Vec<Vec<&Link>> = vec![Vec::new()];
    while let Some(way) = ways.pop() {
        let at = way.last().map_or(entry, |link| link.upper);
        for link in links.iter().filter(|link| link.lower == at) {
            let longer = || way.iter().copied().chain([link]).collect();
            let is_passed = way.iter().any(|passed| passed.upper == link.upper);
            if link.upper == entry {
                found.push(longer());
            } else if !is_passed && way.len() + 1 < SUMMARY_FRAMES && ways.len() < most {
                ways.push(longer());
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found
}

/// What a frame may come to behind a call, and the worklist of heads with something new.
#[derive(Default)]
struct Exploration {
    heads: Vec<HeadState>,
    queue: VecDeque<usize>,
}

struct HeadState {
    head: Head,
    total: Bdd,
    pending: Bdd,
}

impl Exploration {
    fn add(&mut self, relations: &Relations<'_>, head: Head, set: &Bdd) -> Result<(), Abort> {
        let bdds = relations.copies.bdds;
        let known = self.heads.iter().position(|reached| reached.head == head);
        let at = known.unwrap_or_else(|| {
            self.heads.push(HeadState {
                head,
                total: bdds.constant(false),
                pending: bdds.constant(false),
            });
            self.heads.len() - 1
        });
        let reached = &mut self.heads[at];
        let new = bdds.difference(set, &reached.total)?;
        if bdds.is_false(&new) {
            return Ok(());
        }
        reached.total = relations.small(bdds.or(&reached.total, &new)?)?;
        if bdds.is_false(&reached.pending) {
            self.queue.push_back(at);
        }
        reached.pending = bdds.or(&reached.pending, &new)?;
        Ok(())
    }

    fn next(&mut self, relations: &Relations<'_>) -> Option<(Head, Bdd)> {
        let reached = &mut self.heads[self.queue.pop_front()?];
        let falsity = relations.copies.bdds.constant(false);
        let new = std::mem::replace(&mut reached.pending, falsity);
        Some((reached.head, new))
    }
}
