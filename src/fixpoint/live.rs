//! Locals that matter: where nobody asks for tuples, a local that is dead is 0.
//!
//! The answer of an algorithm that only follows executions does not depend on the values of dead
//! locals, and without them there is far less to tell apart. That holds for the algorithms that
//! come with the library, not for whatever equations may say. With threads all locals matter: a
//! thread's frames are not among those that the analysis looks at.

use crate::analysis::Analyses;
use crate::bits;
use crate::program::Program;
use crate::rules::{DataVariable, Head, Rules};
use rustc_hash::FxHashMap;

/// A set of locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiveSet(u32);

impl LiveSet {
    pub const ALL: LiveSet = LiveSet(0);
}

/// For each control point, the locals that are live there.
pub struct LiveLocals {
    points: Vec<LiveSet>,
    sets: Vec<Vec<u64>>,
}

impl LiveLocals {
    /// Those of a program, if that is one where the others may be left out.
    pub fn of(program: &Program, rules: &Rules<'_>) -> Option<Self> {
        if program.threads.is_some() {
            return None;
        }
        let liveness = Analyses::of(rules, &[]).liveness;
        let width = bits::words(rules.layout.len() as usize);
        let mut sets = vec![vec![u64::MAX; width]];
        let mut known: FxHashMap<Vec<u64>, LiveSet> = FxHashMap::default();
        let points = (0..program.points.len() as u32).map(|point| {
            let row = liveness.at(Head(point)).to_vec();
            *known.entry(row).or_insert_with_key(|row| {
                sets.push(row.clone());
                LiveSet(sets.len() as u32 - 1)
            })
        });
        Some(LiveLocals {
            points: points.collect(),
            sets,
        })
    }

    pub fn at(&self, point: u32) -> LiveSet {
        self.points[point as usize]
    }

    pub fn contains(&self, set: LiveSet, bit: DataVariable) -> bool {
        bits::contains(&self.sets[set.0 as usize], bit)
    }
}
