//! Which BDD variables the leaves of variables have.
//!
//! A leaf lies on a *track*; leaves that are never in sight together may share one. From the top
//! of the order down: numbers (counters, threads), the most significant bits first and all
//! tracks interleaved, but for those that a definition wants to be above others; control points
//! in the same way; data, where all copies of one program
//! variable lie together. Tracks of a kind are adjacent, so that renaming between them is one
//! pass that keeps the order.

use super::domain::{Leaf, length};
use crate::bdd::Level;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a track has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pool {
    /// A number of so many bits.
    Number(u32),
    Point,
    Locals,
    Globals,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Track {
    pub pool: Pool,
    pub index: u32,
}

/// How many bits each kind of leaf has.
#[derive(Clone, Debug, Default)]
pub struct Dimensions {
    pub points: u32,
    /// Data variables of the globals.
    pub globals: Range<u32>,
    /// Those of locals, and of returned values.
    pub locals: Vec<u32>,
    /// All data variables from the top of the order down.
    pub order: Vec<u32>,
}

pub fn pool(leaf: Leaf) -> Pool {
    match leaf {
        Leaf::Number { low, high } => {
            let last = length(low, high).saturating_sub(1);
            Pool::Number(u64::BITS - last.leading_zeros())
        }
        Leaf::Point => Pool::Point,
        Leaf::Locals => Pool::Locals,
        Leaf::Globals => Pool::Globals,
    }
}

impl Dimensions {
    /// How many bits a control point has.
    pub fn point_bits(&self) -> u32 {
        u32::BITS - self.points.saturating_sub(1).leading_zeros()
    }

    pub fn bits(&self, pool: Pool) -> u32 {
        match pool {
            Pool::Number(bits) => bits,
            Pool::Point => self.point_bits(),
            Pool::Locals => self.locals.len() as u32,
            Pool::Globals => self.globals.len() as u32,
        }
    }
}

/// How many tracks of each kind there are.
pub type Tracks = FxHashMap<Pool, u32>;

/// The levels of all tracks.
#[derive(Debug)]
pub struct Levels {
    /// Of each number and point, the most significant bit first; of data, as the variables are
    /// numbered.
    bits: FxHashMap<Track, Box<[Level]>>,
    /// How many data variables would have room above the data.
    pub padding: u32,
    /// How many copies each data variable has.
    pub copies: u32,
    /// How many levels there are in all.
    pub count: u32,
}

/// Tracks that are interleaved, from the top down: each is below those that are to be above it.
/// Wishes that contradict each other are not all fulfilled.
fn layers(tracks: Vec<Track>, above: &[(Track, Track)]) -> Vec<Vec<Track>> {
    let mut layer: FxHashMap<Track, usize> = tracks.iter().map(|track| (*track, 0)).collect();
    for _ in &tracks {
        for (upper, lower) in above {
            let Some(bound) = layer.get(upper).map(|upper| upper + 1) else {
                continue;
            };
            if let Some(layer) = layer.get_mut(lower) {
                *layer = bound.max(*layer);
            }
        }
    }
    let mut ordered = tracks;
    ordered.sort_by_key(|track| (layer[track], *track));
    let layers = ordered.chunk_by(|one, other| layer[one] == layer[other]);
    layers.map(<[Track]>::to_vec).collect()
}

impl Levels {
    /// Of the pairs `above`, the first is to be above the second, if both are numbers or both
    /// control points.
    pub fn new(dimensions: &Dimensions, tracks: &Tracks, above: &[(Track, Track)]) -> Self {
        let count = |pool| tracks.get(&pool).copied().unwrap_or(0);
        let all = tracks.iter();
        let all = all.flat_map(|(pool, n)| (0..*n).map(|index| Track { pool: *pool, index }));
        let mut all: Vec<Track> = all.collect();
        all.sort_unstable();
        let is_number = |track: &Track| matches!(track.pool, Pool::Number(_));
        let is_point = |track: &Track| track.pool == Pool::Point;
        let numbers = layers(all.iter().copied().filter(is_number).collect(), above);
        let points = layers(all.iter().copied().filter(is_point).collect(), above);
        let mut bits: FxHashMap<Track, Vec<Level>> = FxHashMap::default();
        let mut next = 0;
        for layer in numbers.iter().chain(&points) {
            let widths = layer.iter().map(|track| dimensions.bits(track.pool));
            for weight in (0..widths.max().unwrap_or(0)).rev() {
                for track in layer {
                    if dimensions.bits(track.pool) > weight {
                        bits.entry(*track).or_default().push(next);
                        next += 1;
                    }
                }
            }
        }
        // The supplied relations are made with two copies of every data variable.
        let copies = count(Pool::Locals).max(count(Pool::Globals)).max(2);
        let padding = next.div_ceil(copies);
        let mut places = vec![0; dimensions.order.len()];
        for (place, variable) in dimensions.order.iter().enumerate() {
            places[*variable as usize] = padding + place as u32;
        }
        for index in 0..copies {
            let level = |variable: u32| places[variable as usize] * copies + index;
            let globals = dimensions.globals.clone().map(level).collect();
            let locals = dimensions.locals.iter().map(|local| level(*local));
            let locals = locals.collect();
            let track = |pool| Track { pool, index };
            bits.insert(track(Pool::Globals), globals);
            bits.insert(track(Pool::Locals), locals);
        }
        Levels {
            bits: bits
                .into_iter()
                .map(|(track, bits)| (track, bits.into()))
                .collect(),
            padding,
            copies,
            count: (padding + dimensions.order.len() as u32) * copies,
        }
    }

    pub fn of(&self, track: Track) -> &[Level] {
        self.bits.get(&track).map_or(&[], |bits| bits)
    }

    pub fn of_all<'t>(&self, tracks: impl IntoIterator<Item = &'t Track>) -> Vec<Level> {
        let mut levels = Vec::new();
        for track in tracks {
            levels.extend(self.of(*track));
        }
        levels.sort_unstable();
        levels.dedup();
        levels
    }
}
