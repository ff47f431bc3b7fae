//! Summaries of deep recursion.
//!
//! Where a frame waits for another one of the same entry, a summary of the upper one gives a
//! summary of the lower one: that is a *step*, a relation between summaries. It is made by
//! letting the lower frame go on with anything that the upper one may hand over, which is
//! remembered, until it is popped. Its closure by squaring takes summaries through any
//! number of frames.
//!
//! A step is over the copies of a summary (the key in next, what is handed over in current
//! ones) for the lower frame, and over *called* and *returned* copies for the upper one.
//! Everything a step says is true, even if it does not say all: so it may be made under any
//! limit, and results do not depend on it.

use super::frame::Summaries;
use super::relation::{Failure, Relations};
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult};
use crate::bits;
use crate::saturation::Stop;
use crate::spds::copies::Copy;
use crate::spds::{EntryId, Head, Interface, Right, RuleId, Spds};
use std::collections::VecDeque;

/// How often heads are looked at behind one call.
const MOST_ROUNDS: u32 = 1000;
/// How often closures are applied in turn before plain rounds go on.
const TURNS: u32 = 64;

pub struct SummarySteps<'a> {
    pub spds: &'a Spds,
    pub relations: Relations<'a>,
    pub entry: EntryId,
}

impl SummarySteps<'_> {
    fn interface(&self) -> &Interface {
        self.spds.interface(self.entry)
    }

    /// The step through one push of a frame of the entry, with what `waiting` says of the
    /// frame below.
    pub fn step(
        &self,
        push: RuleId,
        waiting: &Bdd,
        summaries: &Summaries<'_>,
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> Result<Bdd, Failure> {
        let (spds, copies) = (self.spds, self.relations.copies);
        let bdds = copies.bdds;
        let mut step = bdds.constant(false);
        let Right::Push { saved, .. } = spds.rule(push).right else {
            return Ok(step);
        };
        let called = self.rename(&self.interface().key, Copy::Next, Copy::Called, waiting)?;
        let needed = spds.variables(saved);
        let mut begin = called;
        for variable in self.interface().handed.iter().rev() {
            if bits::contains(needed, *variable) {
                let current = copies.variable(*variable, Copy::Current);
                let returned = copies.variable(*variable, Copy::Returned);
                begin = bdds.and(&begin, &bdds.equivalent(&current, &returned)?)?;
            }
        }
        let mut behind = Behind::default();
        behind.add(&self.relations, saved, &begin)?;
        for _ in 0..MOST_ROUNDS {
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
                            let resumed = spds.resumed(bdds, resume, &summary, &after)?;
                            behind.add(&self.relations, saved, &resumed)?;
                        }
                    }
                    Right::Pop { .. } => {
                        let popped = self.interface().leave.apply(bdds, &after)?;
                        step = self.relations.small(bdds.or(&step, &popped)?)?;
                    }
                }
            }
        }
        Ok(step)
    }

    /// One or more times a step.
    pub fn closure(
        &self,
        step: &Bdd,
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> Result<Bdd, Failure> {
        let bdds = self.relations.copies.bdds;
        let mut closed = step.clone();
        loop {
            check()?;
            let more = bdds.or(&closed, &self.compose(&closed, &closed)?)?;
            let more = self.relations.small(more)?;
            if more == closed {
                return Ok(closed);
            }
            closed = more;
        }
    }

    /// The step through the frames of `lower`, and above them those of `upper`.
    fn compose(&self, lower: &Bdd, upper: &Bdd) -> BddResult {
        let Interface { key, handed, .. } = self.interface();
        let lower = self.rename(key, Copy::Called, Copy::Entry, lower)?;
        let lower = self.rename(handed, Copy::Returned, Copy::Below, &lower)?;
        let upper = self.rename(key, Copy::Next, Copy::Entry, upper)?;
        let upper = self.rename(handed, Copy::Current, Copy::Below, &upper)?;
        self.join(&lower, &upper, (Copy::Entry, Copy::Below))
    }

    /// The summaries that the closures of steps lead to from `new`, one after the other and
    /// again, as far as they are not in `total`.
    pub fn saturate(
        &self,
        closures: &[Bdd],
        total: &Bdd,
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> Result<Bdd, Stop> {
        let bdds = self.relations.copies.bdds;
        let mut all = total.clone();
        for _ in 0..TURNS {
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

    fn image(&self, closure: &Bdd, summary: &Bdd) -> BddResult {
        let Interface { key, handed, .. } = self.interface();
        let upper = self.rename(key, Copy::Next, Copy::Called, summary)?;
        let upper = self.rename(handed, Copy::Current, Copy::Returned, &upper)?;
        self.join(closure, &upper, (Copy::Called, Copy::Returned))
    }

    fn rename(&self, variables: &[DataVariable], from: Copy, to: Copy, f: &Bdd) -> BddResult {
        let copies = self.relations.copies;
        let pairs = variables
            .iter()
            .map(|v| (copies.level(*v, from), copies.level(*v, to)));
        copies.renaming(pairs)?.apply(copies.bdds, f)
    }

    /// The conjunction, without the key and what is handed over in these copies.
    fn join(&self, a: &Bdd, b: &Bdd, (key_copy, handed_copy): (Copy, Copy)) -> BddResult {
        let copies = self.relations.copies;
        let Interface { key, handed, .. } = self.interface();
        let keys = key.iter().map(|v| copies.level(*v, key_copy));
        let handed = handed.iter().map(|v| copies.level(*v, handed_copy));
        copies
            .bdds
            .and_exists(a, b, &copies.cube(keys.chain(handed))?)
    }
}

/// What a frame may come to behind a call, and what of that was not looked at.
#[derive(Default)]
struct Behind {
    heads: Vec<Reached>,
    queue: VecDeque<usize>,
}

struct Reached {
    head: Head,
    total: Bdd,
    pending: Bdd,
}

impl Behind {
    fn add(&mut self, relations: &Relations<'_>, head: Head, set: &Bdd) -> Result<(), Failure> {
        let bdds = relations.copies.bdds;
        let known = self.heads.iter().position(|reached| reached.head == head);
        let at = known.unwrap_or_else(|| {
            self.heads.push(Reached {
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
