//! Trips from an entry back to itself along frames that wait for each other, each with its
//! powers.

use super::Budget;
use super::powers::{Powers, Rounds};
use super::summaries::{Step, Steps, round_trips};
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::relations::{Relations, Summaries, two_of};
use crate::saturation::Link;
use crate::spds::copies::Copies;
use crate::spds::{EntryId, RuleId, Spds};
use crate::watch::{Abort, Stop, Watch, within_budget};

/// A way to nest frames of one entry, any number of times. Its rounds lead outwards, from
/// summaries of the innermost frame to those of the outermost.
pub struct Nesting {
    /// The frames of one round, the lowest first: each waits at a push for the one above.
    pub frames: Vec<(RuleId, Step)>,
    powers: Powers<Step>,
}

impl Nesting {
    pub fn closure(&self) -> &Step {
        self.powers.closure()
    }
}

/// What nestings are made in.
#[derive(Clone, Copy)]
pub struct Nestings<'a> {
    steps: Steps<'a>,
    watch: &'a Watch,
    paths: usize,
}

impl Rounds for Nestings<'_> {
    type Relation = Step;

    fn bdds(&self) -> &Bdds {
        self.steps.relations.copies.bdds
    }

    fn bdd<'r>(&self, step: &'r Step) -> &'r Bdd {
        &step.bdd
    }

    fn union(&self, a: &Step, b: &Step) -> Result<Step, Abort> {
        let bdd = self.bdds().or(&a.bdd, &b.bdd)?;
        Ok(Step {
            bdd: self.steps.relations.small(bdd)?,
            ..a.clone()
        })
    }

    fn square(&self, a: &Step) -> Result<Step, Abort> {
        self.steps.compose(a, a)
    }

    fn image(&self, step: &Step, summary: &Bdd) -> BddResult {
        self.steps.image(step, summary)
    }

    fn preimage(&self, step: &Step, summary: &Bdd) -> BddResult {
        self.steps.preimage(step, summary)
    }

    fn check(&self) -> Result<(), Stop> {
        self.watch.check()
    }
}

impl<'a> Nestings<'a> {
    pub fn new(steps: Steps<'a>, watch: &'a Watch, paths: usize) -> Self {
        Nestings {
            steps,
            watch,
            paths,
        }
    }

    /// With all that a budget allows.
    pub fn within(
        budget: Budget,
        spds: &'a Spds,
        copies: &'a Copies<'a>,
        watch: &'a Watch,
    ) -> Self {
        let node_limit = Some(budget.nodes(copies.data_variables()));
        let relations = Relations { copies, node_limit };
        Nestings::new(Steps { spds, relations }, watch, budget.paths)
    }

    /// Those of an entry along links, but for what is too large; `with_pairs`: also each two
    /// of them as one.
    pub fn all(
        &self,
        entry: EntryId,
        links: &[Link],
        summaries: &Summaries<'_>,
        with_pairs: bool,
    ) -> Result<Vec<Nesting>, Stop> {
        let mut found = Vec::new();
        let trips = round_trips(entry, links, self.paths);
        for trip in &trips {
            found.extend(within_budget(self.along(trip, summaries))?);
        }
        let mut small = *self;
        small.steps.relations = self.steps.relations.for_pairs();
        for (lower, upper) in two_of(&trips).filter(|_| with_pairs) {
            let both = [&lower[..], upper].concat();
            found.extend(within_budget(small.along(&both, summaries))?);
        }
        Ok(found)
    }

    fn along(&self, trip: &[&Link], summaries: &Summaries<'_>) -> Result<Nesting, Abort> {
        let mut frames = Vec::with_capacity(trip.len());
        let mut whole: Option<Step> = None;
        for link in trip {
            let step = self.steps.along(link, summaries, || self.watch.check())?;
            whole = Some(match whole {
                None => step.clone(),
                Some(lower) => self.steps.compose(&lower, &step)?,
            });
            frames.push((link.push, step));
        }
        let powers = Powers::new(self, whole.ok_or(Abort::OverBudget)?)?;
        Ok(Nesting { frames, powers })
    }

    /// The least number of rounds, one at least, that leads from a set into another; `None`
    /// if none does.
    pub fn least_rounds(
        &self,
        nesting: &Nesting,
        innermost: &Bdd,
        outermost: &Bdd,
    ) -> Result<Option<u64>, Abort> {
        nesting.powers.least_rounds(self, innermost, outermost)
    }

    /// What lies between two sets, so many rounds from either.
    pub fn between(
        &self,
        nesting: &Nesting,
        inner: (&Bdd, u64),
        outer: (&Bdd, u64),
    ) -> Result<Bdd, Abort> {
        nesting.powers.between(self, inner, outer)
    }
}
