//! Pruning by strongly connected components.
//!
//! * States from which no accepting component can be reached go.
//! * Marks outside accepting components mean nothing and are made uniform, so that they
//!   do not tell states apart.
//! * In each accepting component, acceptance sets that the others imply are dropped
//!   and the remaining ones numbered anew from 0, so that the graph needs only as many
//!   sets as its neediest component. Set `j` is implied if without the edges of `j` no
//!   accepting component is left: a greedy exact test, quadratic in the sets and
//!   skipped beyond a bound.

use crate::components::Components;
use crate::graph::{Edge, Graph, Marks, all_marks};

/// Edge visits that the search for implied sets may take.
const VISITS: usize = 20_000_000;

/// The graph without useless states, marks and acceptance sets, numbered anew.
///
/// Edges between components get all marks or none, as `between` says: their marks mean
/// nothing, and either choice may let a simulation join more.
pub(crate) fn prune(graph: &Graph, between: bool) -> Graph {
    let mut graph = useful(graph);
    let components = Components::of(&graph, |_, _| true);
    let accepting = components.accepting(&graph);
    let mut sets_of: Vec<Vec<u32>> = Vec::with_capacity(accepting.len());
    let mut visits = 0;
    // Place of each state within its component.
    let mut local = vec![0; graph.states()];
    for members in &components.members {
        for (place, &state) in members.iter().enumerate() {
            local[state as usize] = place as u32;
        }
    }
    for (number, members) in components.members.iter().enumerate() {
        let needed = if accepting[number] {
            necessary(&graph, &components, members, &local, &mut visits)
        } else {
            Vec::new()
        };
        sets_of.push(needed);
    }
    let sets = sets_of.iter().map(Vec::len).max().unwrap_or(0) as u32;
    for source in 0..graph.states() {
        let component = components.of[source] as usize;
        let needed = &sets_of[component];
        for edge in &mut graph.edges[source] {
            let inside = components.of[edge.target as usize] as usize == component;
            edge.marks = if !inside {
                if between { all_marks(sets) } else { 0 }
            } else if !accepting[component] {
                0
            } else {
                // Sets a component does not need are on all its edges.
                let spare = all_marks(sets) & !all_marks(needed.len() as u32);
                needed
                    .iter()
                    .enumerate()
                    .filter(|&(_, &set)| edge.marks >> set & 1 == 1)
                    .fold(spare, |marks, (place, _)| marks | 1 << place)
            };
        }
    }
    graph.sets = sets;
    // Without sets every cycle accepts: a rejecting component then needs one to fail.
    let rejecting = components.inner_marks(&graph, |_, _| true);
    if sets == 0
        && rejecting
            .iter()
            .zip(&accepting)
            .any(|(inner, &ok)| inner.is_some() && !ok)
    {
        graph.sets = 1;
        for source in 0..graph.states() {
            let component = components.of[source] as usize;
            for edge in &mut graph.edges[source] {
                let inside = components.of[edge.target as usize] as usize == component;
                edge.marks = (if inside {
                    accepting[component]
                } else {
                    between
                }) as Marks;
            }
        }
    }
    graph
}

/// Only states that are reachable and reach an accepting component. Of the empty
/// language one initial state without edges is left.
fn useful(graph: &Graph) -> Graph {
    let components = Components::of(graph, |_, _| true);
    let mut live = components.accepting(graph);
    for (number, members) in components.members.iter().enumerate() {
        // Successor components have smaller numbers and are settled.
        live[number] |= members.iter().any(|&state| {
            let edges = &graph.edges[state as usize];
            edges.iter().any(|edge| {
                let target = components.of[edge.target as usize] as usize;
                target < number && live[target]
            })
        });
    }
    let keep: Vec<bool> = components.of.iter().map(|&c| live[c as usize]).collect();
    let (graph, _) = graph.restrict(&keep);
    if graph.states() == 0 {
        return Graph {
            sets: 1,
            initial: vec![0],
            edges: vec![Vec::new()],
        };
    }
    graph
}

/// The acceptance sets that an accepting component needs.
fn necessary(
    graph: &Graph,
    components: &Components,
    members: &[u32],
    local: &[u32],
    visits: &mut usize,
) -> Vec<u32> {
    let here = components.of[members[0] as usize];
    let mut needed: Vec<u32> = (0..graph.sets).collect();
    let edges: usize = members.iter().map(|&s| graph.edges[s as usize].len()).sum();
    // A local copy, so that the cost is that of the component.
    let part = Graph {
        sets: graph.sets,
        initial: vec![0],
        edges: members
            .iter()
            .map(|&state| {
                let inner = graph.edges[state as usize]
                    .iter()
                    .filter(|edge| components.of[edge.target as usize] == here);
                let moved = inner.map(|edge| Edge {
                    target: local[edge.target as usize],
                    ..*edge
                });
                moved.collect()
            })
            .collect(),
    };
    for set in (0..graph.sets).rev() {
        *visits += edges;
        if *visits > VISITS {
            break;
        }
        let others: Marks = needed
            .iter()
            .filter(|&&other| other != set)
            .fold(0, |marks, &s| marks | 1 << s);
        let without = |_: u32, edge: &Edge| edge.marks >> set & 1 == 0;
        let rest = Components::of(&part, without);
        let implied = rest
            .inner_marks(&part, without)
            .iter()
            .all(|inner| inner.is_none_or(|inner| inner & others != others));
        if implied {
            needed.retain(|&other| other != set);
        }
    }
    needed
}
