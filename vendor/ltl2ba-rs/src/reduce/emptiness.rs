//! Two emptiness questions that the search for weak automata asks: does the automaton
//! accept a cycle of letters from some of its states, and does a part of a deterministic
//! automaton share a word with another automaton.
//!
//! Both build the product and look for an accepting component: linear in the product,
//! which is bounded.

use crate::bdd::{self, Manager};
use crate::components::Components;
use crate::graph::{Edge, Graph};
use rustc_hash::FxHashMap;

/// Products of more edges than this are given up.
const EDGES: usize = 400_000;

/// Whether `word` repeated for ever is accepted from one of `starts`. Letters are given
/// as the propositions that are true. `None` beyond the bound.
pub(crate) fn accepts_cycle(
    graph: &Graph,
    starts: &[u32],
    word: &[Vec<u32>],
    bdd: &Manager,
) -> Option<bool> {
    let starts: Vec<(u32, u32)> = starts.iter().map(|&state| (state, 0)).collect();
    let product = product(graph.sets, &starts, |(state, place), out| {
        let letter = &word[place as usize];
        let after = (place + 1) % word.len() as u32;
        for edge in &graph.edges[state as usize] {
            if bdd.holds(edge.label, letter) {
                out.push(((edge.target, after), *edge));
            }
        }
    })?;
    let components = Components::of(&product, |_, _| true);
    Some(components.accepting(&product).contains(&true))
}

/// Whether some word is accepted by `graph` and stays, in the deterministic automaton
/// `subsets`, in a component that `chosen` admits. `None` beyond the bound.
pub(crate) fn meets(
    subsets: &Graph,
    components: &Components,
    chosen: impl Fn(u32) -> bool,
    graph: &Graph,
    bdd: &mut Manager,
) -> Option<bool> {
    let starts: Vec<(u32, u32)> = graph
        .initial
        .iter()
        .map(|&s| (subsets.initial[0], s))
        .collect();
    let mut homes = Vec::new();
    let product = product(graph.sets, &starts, |(subset, state), out| {
        homes.push(components.of[subset as usize]);
        for left in &subsets.edges[subset as usize] {
            for right in &graph.edges[state as usize] {
                if bdd.and(left.label, right.label) != bdd::FALSE {
                    out.push(((left.target, right.target), *right));
                }
            }
        }
    })?;
    let parts = Components::of(&product, |_, _| true);
    let accepting = parts.accepting(&product);
    let met = parts
        .members
        .iter()
        .zip(accepting)
        .any(|(members, accepting)| accepting && chosen(homes[members[0] as usize]));
    Some(met)
}

/// The reachable product; `step` is called once a pair, in the order of their numbers.
fn product(
    sets: u32,
    starts: &[(u32, u32)],
    mut step: impl FnMut((u32, u32), &mut Vec<((u32, u32), Edge)>),
) -> Option<Graph> {
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut pairs = Vec::new();
    for &pair in starts {
        numbers.insert(pair, pairs.len() as u32);
        pairs.push(pair);
    }
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let mut count = 0;
    let mut found = Vec::new();
    while edges.len() < pairs.len() {
        step(pairs[edges.len()], &mut found);
        let mut out = Vec::with_capacity(found.len());
        for (pair, edge) in found.drain(..) {
            let target = *numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            });
            out.push(Edge { target, ..edge });
        }
        count += out.len();
        if count > EDGES {
            return None;
        }
        edges.push(out);
    }
    Some(Graph {
        sets,
        initial: (0..starts.len() as u32).collect(),
        edges,
    })
}
