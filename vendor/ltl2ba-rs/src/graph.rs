//! The automaton inside the translator: a transition-based generalised Büchi automaton
//! whose labels are BDDs over the propositions.
//!
//! Every pass takes a graph and gives a graph. A run is accepting if it takes, for each
//! of the `sets` acceptance sets, edges of that set infinitely often.

use crate::bdd::{self, Bdd, Manager};
use rustc_hash::FxHashMap;

/// A set of acceptance sets, one bit each.
pub(crate) type Marks = u128;

/// How many acceptance sets a graph may have.
pub(crate) const MARKS: u32 = Marks::BITS;

/// All of the first `sets` acceptance sets.
pub(crate) fn all_marks(sets: u32) -> Marks {
    if sets >= MARKS {
        Marks::MAX
    } else {
        (1 << sets) - 1
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Edge {
    pub(crate) label: Bdd,
    pub(crate) marks: Marks,
    pub(crate) target: u32,
}

#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    /// Number of acceptance sets.
    pub(crate) sets: u32,
    pub(crate) initial: Vec<u32>,
    /// Outgoing edges of each state.
    pub(crate) edges: Vec<Vec<Edge>>,
}

impl Graph {
    pub(crate) fn states(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Keeps the states that `keep` says and their edges among each other, numbered
    /// anew by a breadth-first walk from the initial states, which makes the numbers a
    /// function of the graph's shape alone.
    pub(crate) fn restrict(&self, keep: &[bool]) -> (Graph, Vec<Option<u32>>) {
        let mut number: Vec<Option<u32>> = vec![None; self.states()];
        let mut order = Vec::new();
        for &state in &self.initial {
            if keep[state as usize] && number[state as usize].is_none() {
                number[state as usize] = Some(order.len() as u32);
                order.push(state);
            }
        }
        let mut at = 0;
        while at < order.len() {
            for edge in &self.edges[order[at] as usize] {
                let target = edge.target as usize;
                if keep[target] && number[target].is_none() {
                    number[target] = Some(order.len() as u32);
                    order.push(edge.target);
                }
            }
            at += 1;
        }
        let edges = order
            .iter()
            .map(|&state| {
                let kept = self.edges[state as usize].iter().filter_map(|edge| {
                    let target = number[edge.target as usize]?;
                    Some(Edge { target, ..*edge })
                });
                kept.collect()
            })
            .collect();
        let mut initial: Vec<u32> = self
            .initial
            .iter()
            .filter_map(|&state| number[state as usize])
            .collect();
        initial.dedup();
        let graph = Graph {
            sets: self.sets,
            initial,
            edges,
        };
        (graph, number)
    }

    /// Joins edges with the same ends and marks into one with the union of the labels,
    /// and sorts them.
    pub(crate) fn merge_edges(&mut self, bdd: &mut Manager) {
        for edges in &mut self.edges {
            *edges = merged(edges.iter().copied(), bdd);
        }
    }

    /// Whether no state has two edges for one letter.
    pub(crate) fn is_deterministic(&self, bdd: &mut Manager) -> bool {
        self.initial.len() <= 1
            && self.edges.iter().all(|edges| {
                let mut seen = bdd::FALSE;
                edges.iter().all(|edge| {
                    let fresh = bdd.and(seen, edge.label) == bdd::FALSE;
                    seen = bdd.or(seen, edge.label);
                    fresh
                })
            })
    }
}

/// The edges with equal target and marks joined, ordered by target and marks.
pub(crate) fn merged(edges: impl Iterator<Item = Edge>, bdd: &mut Manager) -> Vec<Edge> {
    let mut place: FxHashMap<(u32, Marks), usize> = FxHashMap::default();
    let mut joined: Vec<Edge> = Vec::new();
    for edge in edges {
        match place.get(&(edge.target, edge.marks)) {
            Some(&at) => joined[at].label = bdd.or(joined[at].label, edge.label),
            None => {
                place.insert((edge.target, edge.marks), joined.len());
                joined.push(edge);
            }
        }
    }
    joined.retain(|edge| edge.label != bdd::FALSE);
    joined.sort_by_key(|edge| (edge.target, edge.marks));
    joined
}
