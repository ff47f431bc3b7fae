//! The edges of a P-automaton that is being saturated, with the worklist of those that have
//! something new.
//!
//! Edges of one head are a linked list: there are few, so that looking for one costs less than
//! hashing. The worklist is a heap by the rank of the head, and an edge is in it at most once,
//! however often it grows before its turn.

use crate::bdd::{Bdd, Bdds};
use crate::limits::saturation::REPORT_ROUNDS;
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
    first: Vec<u32>,
    worklist: BinaryHeap<Reverse<(u32, u32)>>,
    /// For each head; edges of low ranks are looked at first.
    ranks: &'a [u32],
    rounds: u64,
}

/// The end of a list of siblings.
const NONE: u32 = u32::MAX;

impl<'a, T: Copy + Eq> Edges<'a, T> {
    pub fn new(ranks: &'a [u32]) -> Self {
        Edges {
            edges: Vec::with_capacity(ranks.len()),
            first: vec![NONE; ranks.len()],
            worklist: BinaryHeap::new(),
            ranks,
            rounds: 0,
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
        self.first[head.0 as usize] != NONE
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
        let first = known(self.first[head.0 as usize]);
        std::iter::successors(first, move |at| known(self.get(*at).sibling))
    }

    /// The next edge to be looked at, and what is new on it; `None` if there is nothing left.
    pub fn take_next(&mut self, bdds: &Bdds, watch: &Watch) -> Result<Option<(u32, Bdd)>, Stop> {
        let Some(Reverse((_, at))) = self.worklist.pop() else {
            return Ok(None);
        };
        watch.check()?;
        self.rounds += 1;
        if self.rounds.is_multiple_of(REPORT_ROUNDS) {
            watch.see(self.worklist.len(), bdds.total_nodes());
        }
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
                let first = &mut self.first[head.0 as usize];
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
                let new = bdds.difference(set, &edge.total)?;
                if bdds.is_false(&new) {
                    return Ok(());
                }
                edge.total = bdds.or(&edge.total, &new)?;
                let is_queued = !bdds.is_false(&edge.pending);
                edge.pending = bdds.or(&edge.pending, &new)?;
                if is_queued {
                    return Ok(());
                }
                at
            }
        };
        self.worklist
            .push(Reverse((self.ranks[head.0 as usize], at)));
        Ok(())
    }

    /// Adds to an edge that is being looked at what will be looked at with the rest of it.
    pub fn widen(&mut self, bdds: &Bdds, at: u32, set: &Bdd) -> Result<(), Stop> {
        let edge = &mut self.edges[at as usize];
        edge.total = bdds.or(&edge.total, set)?;
        Ok(())
    }
}
