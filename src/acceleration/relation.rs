//! Relations between the valuations of two heads, and their closures.
//!
//! A relation is over the current variables before, and the next copies of those variables
//! that it *changes*; all others keep their values and have no second copy. So a parameter
//! that a loop never touches costs nothing in the loop's closure. Entry copies stand for the
//! state in between when two relations are composed.

use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds, OutOfNodes};
use crate::bits;
use crate::spds::copies::{Copies, Copy};

/// From one head to another.
#[derive(Clone)]
pub struct Relation {
    pub bdd: Bdd,
    /// The variables of the second head that do not keep their values, in rising order.
    pub changed: Box<[DataVariable]>,
}

/// What relations are made in.
#[derive(Clone, Copy)]
pub struct Relations<'a> {
    pub copies: &'a Copies<'a>,
    /// A relation with more nodes than this is not worth it.
    pub node_limit: usize,
}

/// Why there is no relation.
pub enum Failure {
    TooLarge,
    Stop(crate::saturation::Stop),
}

impl From<OutOfNodes> for Failure {
    fn from(error: OutOfNodes) -> Self {
        Failure::Stop(error.into())
    }
}

impl From<crate::saturation::Stop> for Failure {
    fn from(stop: crate::saturation::Stop) -> Self {
        Failure::Stop(stop)
    }
}

pub type RelationResult = Result<Relation, Failure>;

impl<'a> Relations<'a> {
    fn bdds(&self) -> &'a Bdds {
        self.copies.bdds
    }

    fn checked(&self, relation: Relation) -> RelationResult {
        match self.bdds().node_count(&relation.bdd) > self.node_limit {
            true => Err(Failure::TooLarge),
            false => Ok(relation),
        }
    }

    pub fn is_empty(&self, relation: &Relation) -> bool {
        self.bdds().is_false(&relation.bdd)
    }

    /// First `a`, then `b`, which leads to a head with these variables.
    pub fn compose(&self, a: &Relation, b: &Relation, variables: &[u64]) -> RelationResult {
        let (bdds, copies) = (self.bdds(), self.copies);
        let first = self.rename(&a.bdd, &a.changed, Copy::Next, Copy::Entry)?;
        let mut second = self.rename(&b.bdd, &a.changed, Copy::Current, Copy::Entry)?;
        let stays = |v: &DataVariable| bits::contains(variables, *v);
        for variable in a.changed.iter().rev().filter(|v| stays(v)) {
            if b.changed.binary_search(variable).is_err() {
                let entry = copies.variable(*variable, Copy::Entry);
                let next = copies.variable(*variable, Copy::Next);
                second = bdds.and(&second, &bdds.equivalent(&entry, &next)?)?;
            }
        }
        let between = copies.cube(a.changed.iter().map(|v| copies.level(*v, Copy::Entry)))?;
        let kept = a.changed.iter().copied().filter(stays);
        self.checked(Relation {
            bdd: bdds.and_exists(&first, &second, &between)?,
            changed: merged(kept.chain(b.changed.iter().copied())),
        })
    }

    fn rename(&self, f: &Bdd, variables: &[DataVariable], from: Copy, to: Copy) -> BddResult {
        let levels = variables
            .iter()
            .map(|v| (self.copies.level(*v, from), self.copies.level(*v, to)));
        self.copies.renaming(levels)?.apply(self.bdds(), f)
    }

    /// The cube of next copies.
    pub fn cube_next(&self, variables: &[DataVariable]) -> BddResult {
        let levels = variables.iter().map(|v| self.copies.level(*v, Copy::Next));
        self.copies.cube(levels)
    }

    /// Both relations lead from the same head to the same head.
    pub fn union(&self, a: &Relation, b: &Relation) -> RelationResult {
        let changed = merged(a.changed.iter().chain(&b.changed).copied());
        let bdd = self
            .bdds()
            .or(&self.widened(a, &changed)?, &self.widened(b, &changed)?)?;
        self.checked(Relation { bdd, changed })
    }

    /// The relation with next copies of more variables than it changes.
    fn widened(&self, relation: &Relation, changed: &[DataVariable]) -> BddResult {
        let mut bdd = relation.bdd.clone();
        for variable in changed.iter().rev() {
            if relation.changed.binary_search(variable).is_err() {
                bdd = self.bdds().and(&bdd, &self.same(*variable)?)?;
            }
        }
        Ok(bdd)
    }

    fn same(&self, variable: DataVariable) -> BddResult {
        let current = self.copies.variable(variable, Copy::Current);
        let next = self.copies.variable(variable, Copy::Next);
        self.bdds().equivalent(&current, &next)
    }

    /// The relation without sight of some variables that it does not change.
    pub fn hide(
        &self,
        relation: &Relation,
        variables: impl Iterator<Item = DataVariable>,
    ) -> RelationResult {
        let levels = variables.map(|v| self.copies.level(v, Copy::Current));
        Ok(Relation {
            bdd: self
                .bdds()
                .exists(&relation.bdd, &self.copies.cube(levels)?)?,
            changed: relation.changed.clone(),
        })
    }

    /// One or more times the relation, from a head with these variables to itself.
    pub fn closure(
        &self,
        relation: &Relation,
        variables: &[u64],
        mut check: impl FnMut() -> Result<(), crate::saturation::Stop>,
    ) -> RelationResult {
        let mut closed = relation.clone();
        loop {
            check()?;
            let twice = self.compose(&closed, &closed, variables)?;
            let more = self.union(&closed, &twice)?;
            if more.bdd == closed.bdd {
                return Ok(closed);
            }
            closed = more;
        }
    }

    /// The valuations that lead back to themselves.
    pub fn loops(&self, relation: &Relation) -> BddResult {
        let bdds = self.bdds();
        let mut same = bdds.constant(true);
        for variable in relation.changed.iter().rev() {
            same = bdds.and(&self.same(*variable)?, &same)?;
        }
        bdds.and_exists(&relation.bdd, &same, &self.cube_next(&relation.changed)?)
    }

    /// What the relation leads to from `set`, whose other copies pass through.
    pub fn image(&self, relation: &Relation, set: &Bdd) -> BddResult {
        let (bdds, copies) = (self.bdds(), self.copies);
        let changed = relation.changed.iter();
        let current = copies.cube(changed.map(|v| copies.level(*v, Copy::Current)))?;
        let after = bdds.and_exists(set, &relation.bdd, &current)?;
        self.rename(&after, &relation.changed, Copy::Next, Copy::Current)
    }

    /// The valuations from which the relation leads into `set`.
    pub fn preimage(&self, relation: &Relation, set: &Bdd) -> BddResult {
        let after = self.rename(set, &relation.changed, Copy::Current, Copy::Next)?;
        let next = self.cube_next(&relation.changed)?;
        self.bdds().and_exists(&after, &relation.bdd, &next)
    }
}

/// In rising order and without repetitions.
fn merged(variables: impl Iterator<Item = DataVariable>) -> Box<[DataVariable]> {
    let mut all: Vec<_> = variables.collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}
