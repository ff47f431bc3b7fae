//! Joins: conjunctions under a quantifier, and the order in which their parts are taken.
//!
//! Greedy: next comes the part that adds the fewest bits, less those that can be quantified
//! behind it, since no later part speaks of them. There is one order for each part that may
//! come first, because what is new of a relation is where a round begins. Quadratic in the
//! number of parts, for each beginning.

use super::levels::{Dimensions, Track};
use super::plan::{Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug)]
pub struct Join {
    pub parts: Vec<NodeId>,
    pub quantified: Box<[Track]>,
    /// For each part the order that begins with it; only for those that may.
    orders: FxHashMap<usize, Box<[JoinStep]>>,
    /// The part that it is best to begin with.
    best: usize,
}

/// A part to be taken, and what can then be quantified.
#[derive(Clone, Debug)]
pub struct JoinStep {
    pub part: usize,
    pub quantified: Box<[Track]>,
}

/// What has nothing to do with all that was taken comes last.
const UNRELATED: i64 = 1 << 40;

impl Join {
    pub fn new(
        parts: Vec<NodeId>,
        quantified: Vec<Track>,
        nodes: &[Node],
        dimensions: &Dimensions,
    ) -> Self {
        let node = |part: usize| &nodes[parts[part].0 as usize];
        let bits = |part: usize| -> u32 {
            let support = node(part).support.iter();
            support.map(|track| dimensions.bits(track.pool)).sum()
        };
        let best = (0..parts.len()).min_by_key(|part| bits(*part)).unwrap_or(0);
        let changing = (0..parts.len()).filter(|part| !node(*part).uses.is_empty());
        let beginnings: FxHashSet<usize> = changing.chain([best]).collect();
        let orders = beginnings.into_iter().map(|first| {
            let supports: Vec<&[Track]> = (0..parts.len()).map(|i| &*node(i).support).collect();
            (first, order(first, &supports, &quantified, dimensions))
        });
        Join {
            orders: orders.collect(),
            quantified: quantified.into(),
            best,
            parts,
        }
    }

    /// The order that begins with a part; without one, the best.
    pub fn order(&self, first: Option<usize>) -> &[JoinStep] {
        let found = first.and_then(|first| self.orders.get(&first));
        let found = found.or_else(|| self.orders.get(&self.best));
        found.map_or(&[], |order| order)
    }
}

fn order(
    first: usize,
    supports: &[&[Track]],
    quantified: &[Track],
    dimensions: &Dimensions,
) -> Box<[JoinStep]> {
    // How many parts that are still to come speak of each track.
    let mut waiting: FxHashMap<Track, usize> = FxHashMap::default();
    for track in supports.iter().copied().flatten() {
        *waiting.entry(*track).or_default() += 1;
    }
    let is_quantified: FxHashSet<Track> = quantified.iter().copied().collect();
    let mut present: FxHashSet<Track> = FxHashSet::default();
    let mut left: Vec<usize> = (0..supports.len()).collect();
    let mut steps = Vec::new();
    while !left.is_empty() {
        let cost = |part: usize| -> i64 {
            let mut cost = 0;
            let mut is_related = supports[part].is_empty();
            for track in supports[part] {
                let bits = i64::from(dimensions.bits(track.pool));
                match present.contains(track) {
                    true => is_related = true,
                    false => cost += bits,
                }
                if is_quantified.contains(track) && waiting.get(track) == Some(&1) {
                    cost -= bits;
                }
            }
            cost + if is_related { 0 } else { UNRELATED }
        };
        let next = match steps.is_empty() {
            true => first,
            false => {
                let next = left.iter().copied().min_by_key(|part| (cost(*part), *part));
                next.unwrap_or(first)
            }
        };
        left.retain(|part| *part != next);
        let mut gone = Vec::new();
        for track in supports[next] {
            present.insert(*track);
            let count = waiting.entry(*track).or_default();
            *count = count.saturating_sub(1);
            if *count == 0 && is_quantified.contains(track) {
                gone.push(*track);
                present.remove(track);
            }
        }
        steps.push(JoinStep {
            part: next,
            quantified: gone.into(),
        });
    }
    steps.into()
}
