//! The ways from a head back to itself, each with its powers.

use super::Budget;
use super::loop_paths::LoopPaths;
use super::powers::{Powers, Rounds};
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::relations::{Components, Relation, Relations, Summaries};
use crate::spds::copies::Copies;
use crate::spds::{EntryId, Head, Spds};
use crate::watch::{Abort, Stop, Watch, within_budget};

/// One way from a head back to itself.
pub struct Way {
    head: Head,
    /// Whether each round leaves frames waiting below it.
    pub leaves_frames: bool,
    powers: Powers<Relation>,
}

/// What ways are made in.
#[derive(Clone, Copy)]
pub struct Ways<'a> {
    spds: &'a Spds,
    watch: &'a Watch,
    relations: Relations<'a>,
    paths: usize,
}

/// Rounds from a head with these variables back to it.
struct AtHead<'a> {
    relations: Relations<'a>,
    watch: &'a Watch,
    variables: &'a [u64],
}

impl Rounds for AtHead<'_> {
    type Relation = Relation;

    fn bdds(&self) -> &Bdds {
        self.relations.copies.bdds
    }

    fn bdd<'r>(&self, relation: &'r Relation) -> &'r Bdd {
        &relation.bdd
    }

    fn union(&self, a: &Relation, b: &Relation) -> Result<Relation, Abort> {
        self.relations.union(a, b)
    }

    fn square(&self, a: &Relation) -> Result<Relation, Abort> {
        self.relations.compose(a, a, self.variables)
    }

    fn image(&self, relation: &Relation, set: &Bdd) -> BddResult {
        self.relations.image(relation, set)
    }

    fn preimage(&self, relation: &Relation, set: &Bdd) -> BddResult {
        self.relations.preimage(relation, set)
    }

    fn check(&self) -> Result<(), Stop> {
        self.watch.check()
    }
}

impl<'a> Ways<'a> {
    pub fn new(spds: &'a Spds, copies: &'a Copies<'a>, watch: &'a Watch, budget: Budget) -> Self {
        Ways {
            spds,
            watch,
            relations: Relations {
                copies,
                node_limit: Some(budget.nodes(copies.data_variables())),
            },
            paths: budget.paths,
        }
    }

    /// The ways from a loop's head back to itself inside its frame, but for those that are
    /// too large.
    pub fn within(
        &self,
        components: &Components,
        head: Head,
        summaries: &Summaries<'_>,
    ) -> Result<Vec<Way>, Stop> {
        let around = self.around(components, summaries);
        let found = around.within(head, &components.loop_of(self.spds, head));
        self.close(found, head, false)
    }

    /// The ways from a frame's entry to that of a frame above it, but for those that are too
    /// large. The components must be those with pushes.
    pub fn above(
        &self,
        components: &Components,
        entry: EntryId,
        summaries: &Summaries<'_>,
    ) -> Result<Vec<Way>, Stop> {
        let found = self.around(components, summaries).above(entry);
        self.close(found, self.spds.entry(entry).head, true)
    }

    fn around<'s>(&self, components: &'s Components, summaries: &'s Summaries<'s>) -> LoopPaths<'s>
    where
        'a: 's,
    {
        LoopPaths {
            spds: self.spds,
            relations: self.relations,
            watch: self.watch,
            path_limit: self.paths,
            components,
            summaries,
        }
    }

    fn close(
        &self,
        found: Result<Vec<Relation>, Abort>,
        head: Head,
        leaves_frames: bool,
    ) -> Result<Vec<Way>, Stop> {
        let mut ways = Vec::new();
        let found = within_budget(found)?.unwrap_or_default();
        let small = self.relations.for_pairs();
        let pairs = small.pairs(&found, self.spds.variables(head))?;
        let rounds = found.into_iter().map(|round| (round, self.relations));
        for (round, relations) in rounds.chain(pairs.into_iter().map(|pair| (pair, small))) {
            let powers = within_budget(Powers::new(&self.at(head, relations), round))?;
            ways.extend(powers.map(|powers| Way {
                head,
                leaves_frames,
                powers,
            }));
        }
        Ok(ways)
    }

    fn at(&self, head: Head, relations: Relations<'a>) -> AtHead<'a> {
        AtHead {
            relations,
            watch: self.watch,
            variables: self.spds.variables(head),
        }
    }

    /// What one or more rounds lead to.
    pub fn image(&self, way: &Way, set: &Bdd) -> BddResult {
        self.relations.image(way.powers.closure(), set)
    }

    /// From where one or more rounds lead into `set`.
    pub fn preimage(&self, way: &Way, set: &Bdd) -> BddResult {
        self.relations.preimage(way.powers.closure(), set)
    }

    /// The least number of rounds, one at least, that leads from a set into another; `None`
    /// if none does.
    pub fn least_rounds(&self, way: &Way, from: &Bdd, to: &Bdd) -> Result<Option<u64>, Abort> {
        way.powers
            .least_rounds(&self.at(way.head, self.relations), from, to)
    }

    /// What lies between two sets, so many rounds from either.
    pub fn between(
        &self,
        way: &Way,
        first: (&Bdd, u64),
        second: (&Bdd, u64),
    ) -> Result<Bdd, Abort> {
        way.powers
            .between(&self.at(way.head, self.relations), first, second)
    }
}
