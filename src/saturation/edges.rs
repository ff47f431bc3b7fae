//! The edges of a P-automaton that is being saturated, with the worklist of those that have
//! something new.
//!
//! Edges of one head are a linked list: there are few, so that looking for one costs less than
//! hashing. The worklist is a heap by the rank of the head, and an edge is in it at most once,
//! however often it grows before its turn.

use crate::bdd::{Bdd, Bdds};
use crate::index::IndexVec;
use crate::spds::Head;
use crate::watch::{Stop, Watch};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub struct Edge<T> {
    pub head: Head,
    pub target: T,
    /// All of it, what is pending included.
    pub total: Bdd,
    /// What has not been looked at; false if the edge is not in the worklist.
    pending: Bdd,
    /// How often it was looked at.
    pub rounds: u32,
    /// The next edge of the same head.
    sibling: u32,
}

pub struct Edges<'a, T> {
    edges: Vec<Edge<T>>,
    /// For each head its edge that was made last.
    first: IndexVec<Head, u32>,
    worklist: BinaryHeap<Reverse<(u32, u32)>>,
    /// For each head; edges of low ranks are looked at first.
    ranks: &'a IndexVec<Head, u32>,
    rounds: u64,
    /// How many heads have an edge.
    reached: usize,
}

/// The end of a list of siblings.
const NONE: u32 = u32::MAX;

impl<'a, T: Copy + Eq> Edges<'a, T> {
    pub fn new(ranks: &'a IndexVec<Head, u32>) -> Self {
        Edges {
            edges: Vec::with_capacity(ranks.len()),
            first: IndexVec::filled(NONE, ranks.len()),
            worklist: BinaryHeap::new(),
            ranks,
            rounds: 0,
            reached: 0,
        }
    }

    /// All edges, in the order in which they were made.
    pub fn as_slice(&self) -> &[Edge<T>] {
        &self.edges
    }

    pub fn get(&self, at: u32) -> &Edge<T> {
        &self.edges[at as usize]
    }

    /// How many edges were looked at, each as often as it was.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    pub fn has_edge(&self, head: Head) -> bool {
        self.first[head] != NONE
    }

    /// The edges of a head, the last made first.
    pub fn of(&self, head: Head) -> impl Iterator<Item = &Edge<T>> {
        self.indices(head).map(|at| self.get(at))
    }

    pub fn find(&self, head: Head, target: T) -> Option<&Edge<T>> {
        self.of(head).find(|edge| edge.target == target)
    }

    fn indices(&self, head: Head) -> impl Iterator<Item = u32> {
        let known = |at: u32| (at != NONE).then_some(at);
        let first = known(self.first[head]);
        std::iter::successors(first, move |at| known(self.get(*at).sibling))
    }

    /// The next edge to be looked at, and what is new on it; `None` if there is nothing left.
    pub fn take_next(&mut self, bdds: &Bdds, watch: &Watch) -> Result<Option<(u32, Bdd)>, Stop> {
        let next = self.worklist.pop();
        if next.is_none() || watch.wants_reached() {
            watch.see([self.reached, self.first.len()], self.worklist.len());
        }
        let Some(Reverse((_, at))) = next else {
            return Ok(None);
        };
        watch.check()?;
        self.rounds += 1;
        bdds.safe_point();
        let edge = &mut self.edges[at as usize];
        edge.rounds += 1;
        let new = std::mem::replace(&mut edge.pending, bdds.constant(false));
        Ok(Some((at, new)))
    }

    /// Adds to the edge from `head` to `target`.
    pub fn add(&mut self, bdds: &Bdds, head: Head, target: T, set: &Bdd) -> Result<(), Stop> {
        if bdds.is_false(set) {
            return Ok(());
        }
        let found = self.indices(head).find(|at| self.get(*at).target == target);
        let at = match found {
            None => {
                let at = self.edges.len() as u32;
                let first = &mut self.first[head];
                self.reached += usize::from(*first == NONE);
                self.edges.push(Edge {
                    head,
                    target,
                    total: set.clone(),
                    pending: set.clone(),
                    rounds: 0,
                    sibling: std::mem::replace(first, at),
                });
                at
            }
            Some(at) => {
                let edge = &mut self.edges[at as usize];
                let Some(new) = bdds.grow(&mut edge.total, set)? else {
                    return Ok(());
                };
                let is_queued = !bdds.is_false(&edge.pending);
                edge.pending = bdds.or(&edge.pending, &new)?;
                if is_queued {
                    return Ok(());
                }
                at
            }
        };
        self.worklist.push(Reverse((self.ranks[head], at)));
        Ok(())
    }

    /// Adds to an edge that is being looked at what will be looked at with the rest of it.
    pub fn widen(&mut self, bdds: &Bdds, at: u32, set: &Bdd) -> Result<(), Stop> {
        let edge = &mut self.edges[at as usize];
        edge.total = bdds.or(&edge.total, set)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Collection;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    const HEADS: u32 = 4;
    const BITS: u32 = 3;

    fn number(bdds: &Bdds, number: u32) -> Bdd {
        let literals = (0..BITS).map(|bit| (bit, number >> bit & 1 == 1));
        bdds.minterm(literals).expect("few nodes")
    }

    fn numbers(bdds: &Bdds, set: &Bdd) -> BTreeSet<u32> {
        let bits = |number: u32| [0, 1, 2].map(|bit| number >> bit & 1 == 1);
        let has = |number: &u32| bdds.contains(set, &bits(*number));
        (0..1 << BITS).filter(has).collect()
    }

    proptest! {
        /// Adds numbers to edges and takes edges in between, and compares with plain sets.
        #[test]
        fn every_addition_is_looked_at_once_in_the_order_of_ranks(
            additions in prop::collection::vec((0..HEADS, 0..2_u32, 0..8_u32, any::<bool>()), 0..40),
            ranks in Just((0..HEADS).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let bdds = Bdds::new(BITS, 1 << 20, Collection::Rare).expect("few nodes");
            let watch = Watch::default();
            let ranks = ranks.into();
            let mut edges = Edges::new(&ranks);
            let mut totals: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
            let mut pending = totals.clone();
            let mut rounds = 0;
            let take = |edges: &mut Edges<'_, u32>, pending: &mut BTreeMap<_, BTreeSet<u32>>| {
                let taken = edges.take_next(&bdds, &watch).expect("few nodes");
                let Some((at, new)) = taken else {
                    assert!(pending.is_empty());
                    return false;
                };
                let edge = edges.get(at);
                let lowest = pending.keys().map(|(head, _)| ranks[Head(*head)]).min();
                assert_eq!(Some(ranks[edge.head]), lowest);
                let expected = pending.remove(&(edge.head.0, edge.target));
                assert_eq!(Some(numbers(&bdds, &new)), expected);
                true
            };
            for (head, target, member, takes) in additions {
                let set = number(&bdds, member);
                edges.add(&bdds, Head(head), target, &set).expect("few nodes");
                if totals.entry((head, target)).or_default().insert(member) {
                    pending.entry((head, target)).or_default().insert(member);
                }
                if takes {
                    rounds += u64::from(take(&mut edges, &mut pending));
                }
            }
            while take(&mut edges, &mut pending) {
                rounds += 1;
            }
            prop_assert_eq!(edges.rounds(), rounds);
            let found = edges.as_slice().iter();
            let found = found.map(|edge| ((edge.head.0, edge.target), numbers(&bdds, &edge.total)));
            prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), totals);
            for head in 0..HEADS {
                let count = edges.of(Head(head)).count();
                prop_assert_eq!(edges.has_edge(Head(head)), count > 0);
                let by_target = (0..2).filter(|target| edges.find(Head(head), *target).is_some());
                prop_assert_eq!(by_target.count(), count);
            }
        }
    }
}
