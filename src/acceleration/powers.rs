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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relations::tests::pairs::{
        NUMBERS, Pairs, drawn, join, numbers, relation, set, variables, with_relations,
    };
    use crate::relations::{Relation, Relations};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Rounds from a head with all variables back to it.
    struct Plain<'a>(Relations<'a>);

    impl Rounds for Plain<'_> {
        type Relation = Relation;

        fn bdds(&self) -> &Bdds {
            self.0.copies.bdds
        }

        fn bdd<'r>(&self, relation: &'r Relation) -> &'r Bdd {
            &relation.bdd
        }

        fn union(&self, a: &Relation, b: &Relation) -> Result<Relation, Abort> {
            self.0.union(a, b)
        }

        fn square(&self, a: &Relation) -> Result<Relation, Abort> {
            self.0.compose(a, a, &variables(NUMBERS - 1))
        }

        fn image(&self, relation: &Relation, set: &Bdd) -> BddResult {
            self.0.image(relation, set)
        }

        fn preimage(&self, relation: &Relation, set: &Bdd) -> BddResult {
            self.0.preimage(relation, set)
        }

        fn check(&self) -> Result<(), Stop> {
            Ok(())
        }
    }

    /// What exactly so many rounds relate.
    fn power(round: &Pairs, rounds: u64) -> Pairs {
        let nothing = (0..NUMBERS).map(|number| (number, number)).collect();
        (0..rounds).fold(nothing, |so_far, _| join(&so_far, round))
    }

    proptest! {
        #[test]
        fn rounds_are_counted_as_they_are_made_one_by_one(
            drawn in drawn(NUMBERS - 1),
            from in 0..NUMBERS,
            to in 0..NUMBERS,
        ) {
            let round = drawn.pairs();
            // With so few numbers a path without repetition is no longer than this.
            let mut counts = 1..=u64::from(NUMBERS);
            let expected = counts.find(|count| power(&round, *count).contains(&(from, to)));
            with_relations(|relations| {
                let rounds = Plain(relations);
                let powers = Powers::new(&rounds, relation(&relations, &drawn)).expect("small");
                let [first, last] = [from, to].map(|one| set(&relations, &BTreeSet::from([one])));
                let least = powers.least_rounds(&rounds, &first, &last).expect("small");
                assert_eq!(least, expected);
                let Some(least) = least else { return };
                for after in 0..=least {
                    let between = powers
                        .between(&rounds, (&first, after), (&last, least - after))
                        .expect("small");
                    let there = power(&round, after);
                    let back = power(&round, least - after);
                    let middle = (0..NUMBERS)
                        .filter(|m| there.contains(&(from, *m)) && back.contains(&(*m, to)));
                    assert_eq!(numbers(&relations, &between), middle.collect());
                }
            });
        }
    }
}
