//! Relations between the valuations of two heads, and their closures.
//!
//! A relation is over the current variables before, and the next copies of those variables
//! that it *changes*; all others keep their values and have no second copy. So a parameter
//! that a loop never touches costs nothing in the loop's closure. Entry copies stand for the
//! state in between when two relations are composed.

use super::join::join;
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::bits;
use crate::limits::relations::{
    GROWTH_NODES, GROWTH_SQUARES, IMAGE_TURNS, PAIR_NODES, PAIRED_PATHS, STEEP_SQUARES,
};
use crate::spds::copies::{Copies, Copy};
use crate::watch::{Abort, Stop, within_budget};

/// From one head to another. Two are the same only if they change the same variables: what
/// sets a variable to anything has the BDD of what keeps all.
#[derive(Clone, PartialEq, Eq)]
pub struct Relation {
    pub bdd: Bdd,
    /// The variables of the second head that do not keep their values, in rising order.
    pub changed: Box<[DataVariable]>,
}

/// What relations are made in.
#[derive(Clone, Copy)]
pub struct Relations<'a> {
    pub copies: &'a Copies<'a>,
    /// A relation with more nodes than this, or that grows too fast, is not worth it; `None`
    /// if there is no other way.
    pub node_limit: Option<usize>,
}

/// Watches a relation that is squared again and again. A closure that is worth it grows by
/// about as much each time; one that grows by a factor has to tell apart every number of
/// rounds, and a single operation on it may soon take for ever.
#[derive(Default)]
pub struct Growth {
    nodes: usize,
    squares: u32,
    /// How often in a row it has grown by half or more.
    steep: u32,
}

impl Growth {
    pub fn check(&mut self, nodes: usize) -> Result<(), Abort> {
        self.squares += 1;
        let is_steep = nodes > GROWTH_NODES && 2 * nodes >= 3 * self.nodes;
        let counts = is_steep && self.squares > GROWTH_SQUARES;
        self.steep = if counts { self.steep + 1 } else { 0 };
        self.nodes = nodes;
        match self.steep >= STEEP_SQUARES {
            true => Err(Abort::OverBudget),
            false => Ok(()),
        }
    }
}

/// Each two of a few, in the order they have.
pub fn two_of<T>(few: &[T]) -> impl Iterator<Item = (&T, &T)> {
    let few = if few.len() <= PAIRED_PATHS { few } else { &[] };
    let firsts = few.iter().enumerate();
    firsts.flat_map(move |(i, first)| few[i + 1..].iter().map(move |second| (first, second)))
}

pub type RelationResult = Result<Relation, Abort>;

impl<'a> Relations<'a> {
    fn bdds(&self) -> &'a Bdds {
        self.copies.bdds
    }

    /// Nothing that has too many nodes.
    pub fn small(&self, bdd: Bdd) -> Result<Bdd, Abort> {
        match self.node_limit {
            Some(limit) if self.bdds().node_count(&bdd) > limit => Err(Abort::OverBudget),
            _ => Ok(bdd),
        }
    }

    /// There are values of the variables of `cube` for which both hold. Where relations are limited,
    /// so is what may be spent on it.
    pub fn join(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> Result<Bdd, Abort> {
        match self.node_limit {
            Some(_) => join(self.copies, f, g, cube),
            None => Ok(self.bdds().and_exists(f, g, cube)?),
        }
    }

    /// To be asked after each square.
    pub fn check_growth(&self, growth: &mut Growth, relation: &Relation) -> Result<(), Abort> {
        match self.node_limit {
            Some(_) => growth.check(self.bdds().node_count(&relation.bdd)),
            None => Ok(()),
        }
    }

    fn checked(&self, relation: Relation) -> RelationResult {
        Ok(Relation {
            bdd: self.small(relation.bdd)?,
            ..relation
        })
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

    /// The part of a relation that leads from one set of valuations to another.
    pub fn between(&self, relation: &Relation, before: &Bdd, after: &Bdd) -> RelationResult {
        let after = self.rename(after, &relation.changed, Copy::Current, Copy::Next)?;
        let bdd = self.bdds().and(&relation.bdd, before)?;
        self.checked(Relation {
            bdd: self.bdds().and(&bdd, &after)?,
            changed: relation.changed.clone(),
        })
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

    /// For relations of two paths, one after the other: these may have fewer nodes.
    pub fn for_pairs(&self) -> Self {
        Relations {
            node_limit: Some(self.node_limit.unwrap_or(PAIR_NODES).min(PAIR_NODES)),
            ..*self
        }
    }

    /// Each two of these ways from a head with these variables back to it, one after the
    /// other; none if there are many.
    pub fn pairs(&self, ways: &[Relation], variables: &[u64]) -> Result<Vec<Relation>, Stop> {
        let mut pairs = Vec::new();
        for (first, second) in two_of(ways) {
            let pair = within_budget(self.compose(first, second, variables))?;
            pairs.extend(pair.filter(|pair| !self.is_empty(pair)));
        }
        Ok(pairs)
    }

    /// The closures of all pairs, but for those that are too large.
    pub fn closed_pairs(
        &self,
        ways: &[Relation],
        variables: &[u64],
        check: impl Fn() -> Result<(), Stop>,
    ) -> Result<Vec<Relation>, Stop> {
        let mut closures = Vec::new();
        for pair in self.pairs(ways, variables)? {
            closures.extend(within_budget(self.closure(&pair, variables, &check))?);
        }
        Ok(closures)
    }

    /// One or more times the relation, from a head with these variables to itself.
    pub fn closure(
        &self,
        relation: &Relation,
        variables: &[u64],
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> RelationResult {
        let mut closed = relation.clone();
        let mut growth = Growth::default();
        loop {
            check()?;
            let twice = self.compose(&closed, &closed, variables)?;
            let more = self.union(&closed, &twice)?;
            if more == closed {
                return Ok(closed);
            }
            closed = more;
            self.check_growth(&mut growth, &closed)?;
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

    /// What these relations lead to from `new`, one after the other and again, as far as it
    /// is not in `total`. Complete, unless very many turns would be needed.
    pub fn saturate(
        &self,
        closures: &[Relation],
        total: &Bdd,
        new: &Bdd,
        mut check: impl FnMut() -> Result<(), Stop>,
    ) -> Result<Bdd, Stop> {
        let bdds = self.bdds();
        let (mut total, mut from) = (total.clone(), new.clone());
        let mut added = bdds.constant(false);
        for _ in 0..IMAGE_TURNS {
            let before = added.clone();
            for closure in closures {
                check()?;
                let fresh = bdds.difference(&self.image(closure, &from)?, &total)?;
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
