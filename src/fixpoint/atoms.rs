//! The BDDs of what equations say without relations: comparisons, ranges of variables, and the
//! renaming that an application stands for.
//!
//! An application is one pass, or two where parameters change places: a conjunction with
//! equalities between adjacent tracks and the quantification of the old ones.

use super::domain::Leaf;
use super::levels::{Levels, Track};
use super::plan::{Application, Given, Operand, Range};
use super::program::ProgramRelations;
use super::tree::Comparison;
use crate::bdd::{Bdd, BddResult, Bdds, Level, OutOfNodes};
use crate::spds::number::Number;

/// What makes BDDs of tracks.
#[derive(Clone, Copy)]
pub struct Atoms<'a> {
    pub bdds: &'a Bdds,
    pub levels: &'a Levels,
    /// `None` for equations about numbers alone.
    pub program: Option<&'a ProgramRelations<'a>>,
}

/// Conjunctions with quantification, one after the other.
pub struct Renaming {
    /// `None` if the result is empty whatever is renamed.
    passes: Option<Vec<(Bdd, Bdd)>>,
}

impl Renaming {
    pub fn apply(&self, bdds: &Bdds, f: &Bdd) -> BddResult {
        let Some(passes) = &self.passes else {
            return Ok(bdds.constant(false));
        };
        let mut f = f.clone();
        for (equality, old) in passes {
            f = bdds.and_exists(&f, equality, old)?;
        }
        Ok(f)
    }
}

impl Atoms<'_> {
    fn code(&self, track: Track) -> Number {
        let bits = self.levels.of(track).iter().rev();
        let bits = bits.map(|level| self.bdds.variable(*level)).collect();
        Number::natural(self.bdds, bits)
    }

    fn constant(&self, value: u128) -> Number {
        let bits = (0..u128::BITS - value.leading_zeros())
            .map(|bit| self.bdds.constant(value >> bit & 1 == 1));
        Number::natural(self.bdds, bits.collect())
    }

    /// A comparison of two numbers: all that is constant is brought to the side where it is
    /// positive.
    pub fn compare(&self, comparison: Comparison, left: &Operand, right: &Operand) -> BddResult {
        let zero = || self.constant(0);
        let mut sides = [left, right].map(|side| side.track.map_or_else(zero, |t| self.code(t)));
        let difference = left.offset - right.offset;
        let side = &mut sides[usize::from(difference < 0)];
        *side = side.add(self.bdds, &self.constant(difference.unsigned_abs()))?;
        let [left, right] = &sides;
        match comparison {
            Comparison::Equal => left.equal(self.bdds, right),
            Comparison::Unequal => self.bdds.not(&left.equal(self.bdds, right)?),
            Comparison::Less => left.less(self.bdds, right),
            Comparison::LessEqual => left.less_equal(self.bdds, right),
        }
    }

    /// "These have the same value", bit by bit.
    pub fn same(&self, pairs: impl IntoIterator<Item = (Track, Track)>) -> BddResult {
        let levels = pairs.into_iter().flat_map(|(one, other)| {
            let other = self.levels.of(other).iter().copied();
            self.levels.of(one).iter().copied().zip(other)
        });
        let mut levels: Vec<(Level, Level)> = levels.collect();
        levels.sort_unstable_by_key(|(one, other)| std::cmp::Reverse((*one).min(*other)));
        let bdds = self.bdds;
        let mut equal = bdds.constant(true);
        for (one, other) in levels {
            let same = bdds.equivalent(&bdds.variable(one), &bdds.variable(other))?;
            equal = bdds.and(&same, &equal)?;
        }
        Ok(equal)
    }

    /// The values of a variable.
    pub fn valid(&self, range: &Range) -> BddResult {
        let mut valid = self.bdds.constant(true);
        let mut leaves = range.leaves.iter();
        for (index, (track, leaf)) in (0..).zip(leaves.by_ref()) {
            let inside = match leaf {
                // (A range has 2^64 values at most.)
                Leaf::Number { low, high } => match high - low {
                    last if last < 0 => self.bdds.constant(false),
                    last if (last + 1).count_ones() == 1 => continue,
                    offset => {
                        let last = Operand {
                            track: None,
                            offset,
                        };
                        let code = Operand {
                            track: Some(*track),
                            offset: 0,
                        };
                        self.compare(Comparison::LessEqual, &code, &last)?
                    }
                },
                Leaf::Point => match (self.program, range.states.contains(&index)) {
                    (Some(program), true) => {
                        let leaf = |place: usize| range.leaves[index as usize + place].0;
                        program.states([0, 1, 2].map(leaf))?
                    }
                    (Some(program), false) => program.points(*track)?,
                    (None, _) => continue,
                },
                Leaf::Locals | Leaf::Globals => continue,
            };
            valid = self.bdds.and(&valid, &inside)?;
        }
        Ok(valid)
    }

    pub fn cube<'t>(&self, tracks: impl IntoIterator<Item = &'t Track>) -> BddResult {
        self.bdds.cube(self.levels.of_all(tracks))
    }

    /// What an application does to the value of its relation.
    pub fn renaming(&self, application: &Application) -> Result<Renaming, OutOfNodes> {
        let bdds = self.bdds;
        let mut passes = Vec::new();
        let detours = application.links.iter().zip(&application.detours);
        let detours: Vec<_> = detours
            .filter_map(|(link, detour)| Some((link.parameter.0, (*detour)?)))
            .collect();
        if !detours.is_empty() {
            let old = self.cube(detours.iter().map(|(from, _)| from))?;
            passes.push((self.same(detours.iter().copied())?, old));
        }
        let mut old = Vec::new();
        let mut pairs = Vec::new();
        let mut others = bdds.constant(true);
        for (link, detour) in application.links.iter().zip(&application.detours) {
            let (parameter, kind) = link.parameter;
            let from = detour.unwrap_or(parameter);
            match (link.given, kind) {
                (Given::Leaf(track, leaf), _) if leaf == kind && track == from => {}
                (Given::Leaf(track, leaf), _) if leaf == kind => {
                    pairs.push((from, track));
                    old.push(from);
                }
                (given, Leaf::Number { low, high }) => {
                    let value = match given {
                        Given::Number(number) if number < low || number > high => {
                            return Ok(Renaming { passes: None });
                        }
                        Given::Number(offset) => Operand {
                            track: None,
                            offset,
                        },
                        Given::Leaf(track, Leaf::Number { low, .. }) => Operand {
                            track: Some(track),
                            offset: low,
                        },
                        // Such arguments are refused.
                        Given::Leaf(..) => continue,
                    };
                    let parameter = Operand {
                        track: Some(from),
                        offset: low,
                    };
                    let link = self.compare(Comparison::Equal, &parameter, &value)?;
                    others = bdds.and(&others, &link)?;
                    old.push(from);
                }
                _ => {}
            }
        }
        if !old.is_empty() {
            let equal = bdds.and(&self.same(pairs)?, &others)?;
            passes.push((equal, self.cube(&old)?));
        }
        Ok(Renaming {
            passes: Some(passes),
        })
    }
}
