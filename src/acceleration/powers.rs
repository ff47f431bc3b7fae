//! How many rounds along one way round a loop lead from a valuation to another.
//!
//! The closure of a way forgets how often it was taken. By squaring there are, for each `j`,
//! also the relation of *at most* 2ʲ rounds and that of *exactly* 2ʲ rounds. Going down from
//! the largest `j`, they tell the least number of rounds between two sets (binary lifting):
//! if not even 2ʲ rounds are enough, 2ʲ are taken. Exact powers also lead to the valuations
//! after any given number of rounds, and before it. All in about log n images for n rounds.

use super::Budget;
use super::frame::{Around, Components, Summaries};
use super::relation::{Failure, Growth, Relation, Relations, give_up};
use crate::bdd::{Bdd, BddResult};
use crate::saturation::{Stop, Watch};
use crate::spds::copies::Copies;
use crate::spds::{EntryId, Head, Spds};
use std::cell::OnceCell;

/// One way from a head back to itself, and any number of rounds along it.
pub struct Way {
    /// Whether each round leaves frames waiting below it.
    pub leaves_frames: bool,
    /// By `j`: one round, or any more up to 2ʲ. The last one is the closure.
    up_to: Vec<Relation>,
    /// By `j`: exactly 2ʲ rounds. Made when rounds are first counted.
    powers: OnceCell<Vec<Relation>>,
}

impl Way {
    fn closure(&self) -> &Relation {
        &self.up_to[self.up_to.len() - 1]
    }
}

/// A way whose rounds are counted.
pub struct CountedWay<'w> {
    way: &'w Way,
    powers: &'w [Relation],
}

/// What ways and their powers are made in.
#[derive(Clone, Copy)]
pub struct Powers<'a> {
    spds: &'a Spds,
    watch: &'a Watch,
    relations: Relations<'a>,
    paths: usize,
}

impl<'a> Powers<'a> {
    pub fn new(spds: &'a Spds, copies: &'a Copies<'a>, watch: &'a Watch, budget: Budget) -> Self {
        Powers {
            spds,
            watch,
            relations: Relations {
                copies,
                node_limit: budget.nodes(copies.data_variables()),
            },
            paths: budget.paths,
        }
    }

    /// The ways from a loop's head back to itself inside its frame, but for those that are
    /// too large.
    pub fn ways(
        &self,
        components: &Components,
        head: Head,
        summaries: &Summaries<'_>,
    ) -> Result<Vec<Way>, Stop> {
        let around = self.around(components, summaries);
        let found = around.within(head, &components.loop_of(self.spds, head));
        self.close_all(found, head, false)
    }

    /// The ways from a frame's entry to that of a frame above it, but for those that are too
    /// large. The components must be those with pushes.
    pub fn ways_above(
        &self,
        components: &Components,
        entry: EntryId,
        summaries: &Summaries<'_>,
    ) -> Result<Vec<Way>, Stop> {
        let found = self.around(components, summaries).above(entry);
        self.close_all(found, self.spds.entry(entry).head, true)
    }

    fn around<'s>(&self, components: &'s Components, summaries: &'s Summaries<'s>) -> Around<'s>
    where
        'a: 's,
    {
        Around {
            spds: self.spds,
            relations: self.relations,
            watch: self.watch,
            path_limit: self.paths,
            components,
            summaries,
        }
    }

    fn close_all(
        &self,
        found: Result<Vec<Relation>, Failure>,
        head: Head,
        leaves_frames: bool,
    ) -> Result<Vec<Way>, Stop> {
        let mut ways = Vec::new();
        for relation in give_up(found)?.unwrap_or_default() {
            let way = Way {
                leaves_frames,
                up_to: vec![relation],
                powers: OnceCell::new(),
            };
            ways.extend(give_up(self.close(way, head))?);
        }
        Ok(ways)
    }

    /// Makes the closure, from one round.
    fn close(&self, mut way: Way, head: Head) -> Result<Way, Failure> {
        let variables = self.spds.variables(head);
        let mut growth = Growth::default();
        loop {
            self.watch.check()?;
            let closed = way.closure();
            let twice = self.relations.compose(closed, closed, variables)?;
            let more = self.relations.union(closed, &twice)?;
            if more.bdd == closed.bdd {
                return Ok(way);
            }
            // More than 2⁶³ rounds are not counted.
            if way.up_to.len() == u64::BITS as usize {
                return Err(Failure::TooLarge);
            }
            growth.check(self.relations.copies.bdds.node_count(&more.bdd))?;
            way.up_to.push(more);
        }
    }

    /// What one or more rounds lead to.
    pub fn image(&self, way: &Way, set: &Bdd) -> BddResult {
        self.relations.image(way.closure(), set)
    }

    /// From where one or more rounds lead into `set`.
    pub fn preimage(&self, way: &Way, set: &Bdd) -> BddResult {
        self.relations.preimage(way.closure(), set)
    }

    /// The exact powers of a way round a loop with this head.
    pub fn count<'w>(&self, way: &'w Way, head: Head) -> Result<CountedWay<'w>, Failure> {
        let powers = match way.powers.get() {
            Some(powers) => powers,
            None => {
                let powers = self.powers(way, head)?;
                way.powers.get_or_init(|| powers)
            }
        };
        Ok(CountedWay { way, powers })
    }

    fn powers(&self, way: &Way, head: Head) -> Result<Vec<Relation>, Failure> {
        let variables = self.spds.variables(head);
        let mut powers = vec![way.up_to[0].clone()];
        while powers.len() < way.up_to.len() {
            self.watch.check()?;
            let last = &powers[powers.len() - 1];
            let twice = self.relations.compose(last, last, variables)?;
            powers.push(twice);
        }
        Ok(powers)
    }

    /// The least number of rounds, one at least, that leads from a set into another; `None`
    /// if none does.
    pub fn least_rounds(
        &self,
        counted: &CountedWay<'_>,
        from: &Bdd,
        to: &Bdd,
    ) -> Result<Option<u64>, Stop> {
        let bdds = self.relations.copies.bdds;
        let meets = |set: &Bdd| -> Result<bool, Stop> { Ok(!bdds.is_false(&bdds.and(set, to)?)) };
        if !meets(&self.image(counted.way, from)?)? {
            return Ok(None);
        }
        // Invariant: `from`, after `rounds` rounds, and `to` are at most 2ʲ⁺¹ rounds apart.
        let mut from = from.clone();
        let mut rounds: u64 = 0;
        let powers = counted.way.up_to.iter().zip(counted.powers).enumerate();
        for (j, (up_to, power)) in powers.rev() {
            self.watch.check()?;
            if !meets(&self.relations.image(up_to, &from)?)? {
                from = self.relations.image(power, &from)?;
                rounds += 1 << j;
            }
        }
        Ok(Some(rounds + 1))
    }

    /// The valuations between two sets, `after` rounds after the first and `before` rounds
    /// before the second.
    pub fn between(
        &self,
        counted: &CountedWay<'_>,
        (first, after): (&Bdd, u64),
        (second, before): (&Bdd, u64),
    ) -> BddResult {
        let relations = &self.relations;
        let (mut forwards, mut backwards) = (first.clone(), second.clone());
        for (j, power) in counted.powers.iter().enumerate() {
            if after >> j & 1 == 1 {
                forwards = relations.image(power, &forwards)?;
            }
            if before >> j & 1 == 1 {
                backwards = relations.preimage(power, &backwards)?;
            }
        }
        relations.copies.bdds.and(&forwards, &backwards)
    }
}
