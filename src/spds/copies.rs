//! The copies of each data variable, and renaming between them.
//!
//! A relation of a rule speaks of values before and after a step, an edge of a P-automaton
//! of values now and values when the procedure was entered. So each data variable has three
//! BDD variables, side by side in the order because they are most often related:
//!
//! * *current*: in the head that an edge or a rule begins with (`P₀`, `Y₀` of the paper);
//! * *next*: after a step (`P₁`, `Y₁`), and the entry values of a call in what waits for it;
//! * *entry*: when the frame on top was pushed, that is, in the edge's target (`P₂`, `Y₃`).
//!
//! Where a push changes what the frame below keeps, there is a fourth, for the time of that
//! step only (`Y₂`):
//!
//! * *below*: in the frame below the pushed one.
//!
//! And where deep recursion is to be closed, two more for what a frame above this one was
//! pushed with and has handed over:
//!
//! * *called* and *returned*.
//!
//! Cubes and equalities are made once for each set of variables and then shared.

use super::expression::{DualRail, Term};
use super::number::Number;
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds, Level, OutOfNodes};
use crate::limits::relations::HARMLESS_NODES;
use crate::program::Domain;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copy {
    Current = 0,
    Next = 1,
    Entry = 2,
    Below = 3,
    Called = 4,
    Returned = 5,
}

/// How many copies there are: those that every system needs, ...
pub const COPIES: u32 = 3;
/// ... and all of them.
pub const ALL_COPIES: u32 = 6;

/// The variable order: for each data variable, its place from the top.
#[derive(Clone, Debug)]
pub struct Order(Vec<u32>);

impl Order {
    /// The variables in the order of this list.
    pub fn new(variables: &[DataVariable]) -> Self {
        let mut places = vec![0; variables.len()];
        for (place, variable) in variables.iter().enumerate() {
            places[*variable as usize] = place as u32;
        }
        Order(places)
    }
}

/// Renames variables from one copy to others: a conjunction with an equality, then the old
/// names are quantified away. Valid if the new names do not occur in what is renamed.
#[derive(Clone, Debug)]
pub struct Renaming {
    equality: Bdd,
    old: Bdd,
}

impl Renaming {
    /// Renames, then conjoins with `condition` over new names.
    pub fn constrained(&self, bdds: &Bdds, condition: &Bdd) -> Result<Self, OutOfNodes> {
        Ok(Renaming {
            equality: bdds.and(&self.equality, condition)?,
            old: self.old.clone(),
        })
    }

    /// Renames, and quantifies further variables away.
    pub fn forgetting(
        self,
        copies: &Copies<'_>,
        levels: impl Iterator<Item = Level>,
    ) -> Result<Self, OutOfNodes> {
        Ok(Renaming {
            old: copies.bdds.and(&self.old, &copies.cube(levels)?)?,
            equality: self.equality,
        })
    }

    pub fn apply(&self, bdds: &Bdds, f: &Bdd) -> BddResult {
        bdds.and_exists(f, &self.equality, &self.old)
    }
}

/// From old levels to new ones, sorted.
type Pairs = Box<[(Level, Level)]>;

/// The variables, and the cubes and renamings made so far.
pub struct Copies<'a> {
    pub bdds: &'a Bdds,
    /// The levels of the copies of each variable, side by side.
    levels: Vec<Level>,
    /// How many copies of each variable there are.
    count: u32,
    /// In which order variables are to be 0 where a small member of a set is wanted.
    heaviest_first: Vec<DataVariable>,
    is_weighed: bool,
    cubes: RefCell<FxHashMap<Box<[Level]>, Bdd>>,
    renamings: RefCell<FxHashMap<Pairs, Renaming>>,
    /// The nodes of relations whose product took few steps for its size: those of no more nodes are
    /// made without counting.
    pub harmless: Cell<usize>,
}

impl<'a> Copies<'a> {
    /// `count` is [`COPIES`], or one more if some push changes the frame below, or
    /// [`ALL_COPIES`].
    pub fn new(bdds: &'a Bdds, order: Order, count: u32) -> Self {
        let places = order.0.iter();
        let levels = places.flat_map(|place| place * count..(place + 1) * count);
        Self::placed(bdds, levels.collect(), count)
    }

    /// Copies anywhere: the levels of the `count` copies of each variable, side by side.
    pub fn placed(bdds: &'a Bdds, levels: Vec<Level>, count: u32) -> Self {
        Copies {
            bdds,
            heaviest_first: (0..levels.len() as u32 / count).collect(),
            is_weighed: false,
            levels,
            count,
            cubes: RefCell::default(),
            renamings: RefCell::default(),
            harmless: Cell::new(HARMLESS_NODES),
        }
    }

    /// Lets small members of sets be those with small numbers.
    pub fn weigh(&mut self, heaviest_first: Vec<DataVariable>) {
        self.heaviest_first = heaviest_first;
        self.is_weighed = true;
    }

    /// Whether small members of sets are to be those with small numbers.
    pub fn is_weighed(&self) -> bool {
        self.is_weighed
    }

    /// The values of the data variables, in one copy, of the member of a set with the
    /// smallest numbers; what does not matter is 0.
    pub fn smallest(&self, set: &Bdd, copy: Copy) -> Result<Box<[bool]>, OutOfNodes> {
        let mut values = vec![false; self.data_variables() as usize];
        let mut set = set.clone();
        for variable in &self.heaviest_first {
            if self.bdds.is_true(&set) {
                break;
            }
            let literal = self.variable(*variable, copy);
            let smaller = self.bdds.difference(&set, &literal)?;
            if self.bdds.is_false(&smaller) {
                values[*variable as usize] = true;
            } else {
                set = smaller;
            }
        }
        Ok(values.into())
    }

    pub fn has(&self, copy: Copy) -> bool {
        (copy as u32) < self.count
    }

    /// How many data variables there are.
    pub fn data_variables(&self) -> u32 {
        self.levels.len() as u32 / self.count
    }

    pub fn level(&self, variable: DataVariable, copy: Copy) -> Level {
        self.levels[(variable * self.count + copy as u32) as usize]
    }

    /// A copy that comes after the usual ones, if there are so many.
    pub fn further(&self, variable: DataVariable, index: u32) -> Level {
        self.levels[(variable * self.count + COPIES + index) as usize]
    }

    /// The value of a cell with these bits.
    pub fn term(&self, bits: Range<DataVariable>, domain: Domain, copy: Copy) -> Term {
        match domain {
            Domain::Boolean => Term::Truth(DualRail::certain(self.variable(bits.start, copy))),
            _ => {
                let bits = bits.map(|bit| self.variable(bit, copy)).collect();
                Term::Number(Number::natural(self.bdds, bits))
            }
        }
    }

    /// Where the bits of a cell are a value of its domain.
    pub fn valid(&self, bits: Range<DataVariable>, domain: Domain, copy: Copy) -> BddResult {
        match domain.is_full() {
            true => Ok(self.bdds.constant(true)),
            false => self
                .term(bits, domain, copy)
                .number(self.bdds)
                .fits(self.bdds, domain),
        }
    }

    pub fn variable(&self, variable: DataVariable, copy: Copy) -> Bdd {
        self.bdds.variable(self.level(variable, copy))
    }

    /// "These have the same value now and after the step."
    pub fn unchanged(&self, variables: &[DataVariable]) -> BddResult {
        let mut equal = self.bdds.constant(true);
        for variable in variables {
            let now = self.variable(*variable, Copy::Current);
            let same = self
                .bdds
                .equivalent(&now, &self.variable(*variable, Copy::Next))?;
            equal = self.bdds.and(&equal, &same)?;
        }
        Ok(equal)
    }

    /// The conjunction of these BDD variables, for quantification.
    pub fn cube(&self, levels: impl IntoIterator<Item = Level>) -> BddResult {
        let mut key: Vec<_> = levels.into_iter().collect();
        key.sort_unstable();
        if let Some(cube) = self.cubes.borrow().get(key.as_slice()) {
            return Ok(cube.clone());
        }
        let cube = self.bdds.cube(key.iter().copied())?;
        self.cubes
            .borrow_mut()
            .insert(key.into_boxed_slice(), cube.clone());
        Ok(cube)
    }

    /// The renaming that takes each first level to the second one. A level may occur first
    /// several times: its value then goes to several places.
    pub fn renaming(
        &self,
        pairs: impl IntoIterator<Item = (Level, Level)>,
    ) -> Result<Renaming, OutOfNodes> {
        let mut key: Vec<_> = pairs.into_iter().collect();
        key.sort_unstable();
        if let Some(renaming) = self.renamings.borrow().get(key.as_slice()) {
            return Ok(renaming.clone());
        }
        let bdds = self.bdds;
        let mut equality = bdds.constant(true);
        for (old, new) in key.iter().rev() {
            let same = bdds.equivalent(&bdds.variable(*old), &bdds.variable(*new))?;
            equality = bdds.and(&same, &equality)?;
        }
        let mut olds: Vec<_> = key.iter().map(|(old, _)| *old).collect();
        olds.dedup();
        let renaming = Renaming {
            equality,
            old: self.cube(olds)?,
        };
        self.renamings
            .borrow_mut()
            .insert(key.into_boxed_slice(), renaming.clone());
        Ok(renaming)
    }
}
