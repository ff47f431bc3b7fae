//! Relations in pieces: one BDD of data for each row of control points.
//!
//! A piece is found by its points, or by some of them: which pieces have given points in given
//! places is indexed when it is first asked, and kept up to date. A lookup costs what it finds.

use super::levels::{Levels, Pool, Track};
use crate::bdd::{Bdd, Bdds, OutOfNodes};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Control points, one for each place.
pub type Points = Rc<[u32]>;

#[derive(Default)]
pub struct Pieces {
    data: FxHashMap<Points, Bdd>,
    /// For sets of places, by bits: the pieces that have some points there.
    indexes: FxHashMap<u64, FxHashMap<Points, Vec<Points>>>,
    /// In the order in which they came.
    all: Vec<Points>,
}

impl Pieces {
    pub fn get(&self, points: &[u32]) -> Option<&Bdd> {
        self.data.get(points)
    }

    /// Adds to a piece. Returns what is new of it, if anything is.
    pub fn add(
        &mut self,
        bdds: &Bdds,
        points: &Points,
        more: &Bdd,
    ) -> Result<Option<Bdd>, OutOfNodes> {
        if let Some(known) = self.data.get_mut(points) {
            return bdds.grow(known, more);
        }
        if bdds.is_false(more) {
            return Ok(None);
        }
        self.add_new(bdds, points, more)?;
        Ok(Some(more.clone()))
    }

    /// Adds to a piece what is known to be new.
    pub fn add_new(&mut self, bdds: &Bdds, points: &Points, new: &Bdd) -> Result<(), OutOfNodes> {
        if let Some(known) = self.data.get_mut(points) {
            *known = bdds.or(known, new)?;
            return Ok(());
        }
        for (places, index) in &mut self.indexes {
            let part = at(points, *places);
            index.entry(part).or_default().push(points.clone());
        }
        self.all.push(points.clone());
        self.data.insert(points.clone(), new.clone());
        Ok(())
    }

    /// Whether some piece has given points in some places.
    pub fn has(&mut self, places: u64, given: &[u32]) -> bool {
        match places == 0 {
            true => !self.all.is_empty(),
            false => self.index(places).contains_key(given),
        }
    }

    /// The pieces that have given points in some places.
    pub fn matching(&mut self, places: u64, given: &[u32]) -> Vec<Points> {
        if places == 0 {
            return self.all.clone();
        }
        let found = self.index(places).get(given);
        found.cloned().unwrap_or_default()
    }

    fn index(&mut self, places: u64) -> &FxHashMap<Points, Vec<Points>> {
        let all = &self.all;
        self.indexes.entry(places).or_insert_with(|| {
            let mut index: FxHashMap<Points, Vec<Points>> = FxHashMap::default();
            for points in all {
                let part = at(points, places);
                index.entry(part).or_default().push(points.clone());
            }
            index
        })
    }

    /// All pieces, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&Points, &Bdd)> {
        self.all.iter().map(|points| (points, &self.data[points]))
    }

    /// The pieces of a BDD over the first tracks of points; `None` if there are more than `most`.
    pub fn of(
        bdds: &Bdds,
        levels: &Levels,
        places: u32,
        value: &Bdd,
        most: usize,
    ) -> Result<Option<Self>, OutOfNodes> {
        let tracks = (0..places).map(|index| {
            let pool = Pool::Point;
            (index as usize, levels.of(Track { pool, index }))
        });
        let bits = tracks.flat_map(|(place, levels)| {
            let weights = (0..levels.len() as u32).rev();
            levels.iter().zip(weights).map(move |(l, w)| (*l, place, w))
        });
        let mut bits: Vec<(u32, usize, u32)> = bits.collect();
        bits.sort_unstable();
        let start = vec![0; places as usize];
        let mut pieces = Pieces::default();
        let Some(found) = divided(bdds, &bits, &start, value, most)? else {
            return Ok(None);
        };
        for (points, data) in found {
            pieces.add(bdds, &points.into(), &data)?;
        }
        Ok(Some(pieces))
    }
}

/// The points in some places.
fn at(points: &[u32], places: u64) -> Points {
    let chosen = points.iter().enumerate();
    let chosen = chosen.filter(|(place, _)| places >> place & 1 == 1);
    chosen.map(|(_, point)| *point).collect()
}

type Divided = BTreeMap<Vec<u32>, Bdd>;

/// What is left of a value for each choice of some bits, which belong to places. (As deep as
/// there are bits.)
fn divided(
    bdds: &Bdds,
    bits: &[(u32, usize, u32)],
    points: &[u32],
    value: &Bdd,
    most: usize,
) -> Result<Option<Divided>, OutOfNodes> {
    if bdds.is_false(value) {
        return Ok(Some(Divided::new()));
    }
    let Some(((level, place, weight), below)) = bits.split_first() else {
        return Ok(Some([(points.to_vec(), value.clone())].into()));
    };
    let top = bdds.branch(value);
    if let Some((above, low, high)) = &top
        && above < level
    {
        // A number, which is no matter of control.
        let [low, high] = [low, high].map(|side| divided(bdds, bits, points, side, most));
        let (Some(low), Some(high)) = (low?, high?) else {
            return Ok(None);
        };
        let mut all = Divided::new();
        let (yes, none) = (bdds.variable(*above), bdds.constant(false));
        for points in low.keys().chain(high.keys()) {
            let [low, high] = [&low, &high].map(|side| side.get(points).unwrap_or(&none));
            let data = bdds.if_then_else(&yes, high, low)?;
            all.insert(points.clone(), data);
        }
        return Ok(Some(all));
    }
    let sides = match &top {
        Some((top, low, high)) if top == level => [low, high],
        _ => [value, value],
    };
    let mut all = Divided::new();
    for (bit, side) in (0..).zip(sides) {
        let mut points = points.to_vec();
        points[*place] |= bit << weight;
        let Some(found) = divided(bdds, below, &points, side, most)? else {
            return Ok(None);
        };
        all.extend(found);
        if all.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(all))
}
