//! How many rounds lead from one set to another.
//!
//! The closure of a way round a loop forgets how often it was taken. By squaring there are,
//! for each `j`, also the relation of *at most* 2ʲ rounds and that of *exactly* 2ʲ rounds.
//! Going down from the largest `j`, they tell the least number of rounds between two sets
//! (binary lifting): if not even 2ʲ rounds are enough, 2ʲ are taken. Exact powers also lead
//! to what is there after any given number of rounds, and before it. All in about log n
//! images for n rounds.

use crate::bdd::{Bdd, BddResult, Bdds};
use crate::relations::Growth;
use crate::watch::{Abort, Stop};
use std::cell::OnceCell;

/// What rounds are relations of.
pub trait Rounds {
    type Relation: Clone;

    fn bdds(&self) -> &Bdds;
    fn bdd<'r>(&self, relation: &'r Self::Relation) -> &'r Bdd;
    fn union(&self, a: &Self::Relation, b: &Self::Relation) -> Result<Self::Relation, Abort>;
    /// A relation to itself. It may be put together in either order.
    fn square(&self, a: &Self::Relation) -> Result<Self::Relation, Abort>;
    fn image(&self, relation: &Self::Relation, set: &Bdd) -> BddResult;
    fn preimage(&self, relation: &Self::Relation, set: &Bdd) -> BddResult;
    /// Whether there is time to go on.
    fn check(&self) -> Result<(), Stop>;
}

/// One round, and any number of them.
pub struct Powers<R> {
    /// By `j`: one round, or any more up to 2ʲ. The last one is the closure.
    up_to: Vec<R>,
    /// By `j`: exactly 2ʲ rounds. Made when rounds are first counted.
    exactly: OnceCell<Vec<R>>,
}

impl<R: Clone> Powers<R> {
    pub fn new(rounds: &impl Rounds<Relation = R>, round: R) -> Result<Self, Abort> {
        let mut up_to = vec![round];
        let mut growth = Growth::default();
        loop {
            rounds.check()?;
            let closed = &up_to[up_to.len() - 1];
            let more = rounds.union(closed, &rounds.square(closed)?)?;
            if rounds.bdd(&more) == rounds.bdd(closed) {
                let exactly = OnceCell::new();
                return Ok(Powers { up_to, exactly });
            }
            growth.check(rounds.bdds().node_count(rounds.bdd(&more)))?;
            up_to.push(more);
        }
    }

    /// One or more rounds.
    pub fn closure(&self) -> &R {
        &self.up_to[self.up_to.len() - 1]
    }

    fn exactly(&self, rounds: &impl Rounds<Relation = R>) -> Result<&[R], Abort> {
        if let Some(known) = self.exactly.get() {
            return Ok(known);
        }
        // More than 2⁶³ rounds are not counted.
        if self.up_to.len() > u64::BITS as usize {
            return Err(Abort::OverBudget);
        }
        let mut exactly = vec![self.up_to[0].clone()];
        while exactly.len() < self.up_to.len() {
            rounds.check()?;
            exactly.push(rounds.square(&exactly[exactly.len() - 1])?);
        }
        Ok(self.exactly.get_or_init(|| exactly))
    }

    /// The least number of rounds, one at least, that leads from a set into another; `None`
    /// if none does.
    pub fn least_rounds(
        &self,
        rounds: &impl Rounds<Relation = R>,
        from: &Bdd,
        to: &Bdd,
    ) -> Result<Option<u64>, Abort> {
        let bdds = rounds.bdds();
        let meets = |set: &Bdd| -> Result<bool, Stop> { Ok(!bdds.is_false(&bdds.and(set, to)?)) };
        if !meets(&rounds.image(self.closure(), from)?)? {
            return Ok(None);
        }
        // Invariant: `from`, after `made` rounds, and `to` are at most 2ʲ⁺¹ rounds apart.
        let mut from = from.clone();
        let mut made: u64 = 0;
        let powers = self.up_to.iter().zip(self.exactly(rounds)?).enumerate();
        for (j, (up_to, exactly)) in powers.rev() {
            rounds.check()?;
            if !meets(&rounds.image(up_to, &from)?)? {
                from = rounds.image(exactly, &from)?;
                made += 1 << j;
            }
        }
        Ok(Some(made + 1))
    }

    /// What lies between two sets, `after` rounds after the first and `before` rounds before
    /// the second.
    pub fn between(
        &self,
        rounds: &impl Rounds<Relation = R>,
        (first, after): (&Bdd, u64),
        (second, before): (&Bdd, u64),
    ) -> Result<Bdd, Abort> {
        let (mut forwards, mut backwards) = (first.clone(), second.clone());
        for (j, exactly) in self.exactly(rounds)?.iter().enumerate() {
            if after >> j & 1 == 1 {
                forwards = rounds.image(exactly, &forwards)?;
            }
            if before >> j & 1 == 1 {
                backwards = rounds.preimage(exactly, &backwards)?;
            }
        }
        Ok(rounds.bdds().and(&forwards, &backwards)?)
    }
}
