//! Minimal weak deterministic automata for obligation properties.
//!
//! An obligation property (a Boolean combination of safety and guarantee ones) has a
//! deterministic Büchi automaton whose components accept altogether or not at all, and
//! a unique smallest one. After Dax, Eisinger, Klaedtke, *Mechanizing the Powerset
//! Construction for Restricted Classes of ω-Automata*, ATVA 2007:
//!
//! 1. the subset construction, which forgets acceptance;
//! 2. each component of the subsets accepts iff the word of some cycle in it is accepted
//!    from the subset it starts in: if the property is an obligation, all cycles agree;
//! 3. unless the formula's shape shows that it is an obligation, the result is compared
//!    with the automaton and with the automaton of the negated formula; if they differ,
//!    the property is none and there is no result;
//! 4. minimisation as of a finite automaton, after Löding, *Efficient Minimization of
//!    Deterministic Weak ω-Automata*, IPL 2001, has chosen the flags of states on no cycle.
//!
//! Subsets may be exponentially many; past the limits there is no result.

use crate::bdd::{self, Bdd, Manager};
use crate::buchi::Buchi;
use crate::components::Components;
use crate::graph::{Edge, Graph, all_marks, merged};
use crate::reduce::emptiness::{accepts_cycle, meets};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How the result is known to be right.
pub(crate) enum Proof<'a> {
    /// The formula is an obligation by its shape.
    Shape,
    /// By comparison with this automaton of the negated formula.
    Negation(&'a Graph),
}

/// A deterministic complete automaton of subsets.
pub(crate) struct Subsets {
    pub(crate) members: Vec<Vec<u32>>,
    pub(crate) graph: Graph,
}

/// The minimal weak deterministic automaton, if the property has one and it is found
/// within `limit` subsets.
pub(crate) fn minimal_weak(
    graph: &Graph,
    proof: Proof,
    limit: usize,
    bdd: &mut Manager,
) -> Option<Buchi> {
    let subsets = determinize(graph, limit, bdd)?;
    let components = Components::of(&subsets.graph, |_, _| true);
    let mut flags: Vec<Option<bool>> = Vec::with_capacity(components.members.len());
    for members in &components.members {
        let start = members[0];
        let flag = match cycle(&subsets.graph, &components, start, bdd) {
            Some(word) => Some(accepts_cycle(
                graph,
                &subsets.members[start as usize],
                &word,
                bdd,
            )?),
            None => None,
        };
        flags.push(flag);
    }
    if let Proof::Negation(negation) = proof {
        let accepting = |c: u32| flags[c as usize] == Some(true);
        let rejecting = |c: u32| flags[c as usize] == Some(false);
        if meets(&subsets.graph, &components, rejecting, graph, bdd)?
            || meets(&subsets.graph, &components, accepting, negation, bdd)?
        {
            return None;
        }
    }
    let flags = spread(&subsets.graph, &components, &flags);
    Some(minimize(&subsets.graph, &flags, bdd).prune(bdd))
}

/// The subset construction. The empty subset rejects for ever.
fn determinize(graph: &Graph, limit: usize, bdd: &mut Manager) -> Option<Subsets> {
    let mut start = graph.initial.clone();
    start.sort_unstable();
    let mut members = vec![start.clone()];
    let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    numbers.insert(start, 0);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    // The work is the number of label intersections.
    let mut work = 0usize;
    while edges.len() < members.len() {
        // Letters are split by where each edge leads; parts with equal targets join.
        let mut parts: Vec<(Vec<u32>, Bdd)> = vec![(Vec::new(), bdd::TRUE)];
        let states = members[edges.len()].clone();
        for step in states.iter().flat_map(|&s| &graph.edges[s as usize]) {
            let mut split: Vec<(Vec<u32>, Bdd)> = Vec::with_capacity(parts.len() + 1);
            let mut place: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
            let mut put = |targets: Vec<u32>, label: Bdd, bdd: &mut Manager| {
                if label == bdd::FALSE {
                    return;
                }
                match place.get(&targets) {
                    Some(&at) => {
                        let entry: &mut (Vec<u32>, Bdd) = &mut split[at];
                        entry.1 = bdd.or(entry.1, label);
                    }
                    None => {
                        place.insert(targets.clone(), split.len());
                        split.push((targets, label));
                    }
                }
            };
            for (targets, label) in parts {
                work += 1 + targets.len() / 8;
                let taken = bdd.and(label, step.label);
                if taken != bdd::FALSE {
                    let rest = bdd.minus(label, step.label);
                    let mut more = targets.clone();
                    if let Err(at) = more.binary_search(&step.target) {
                        more.insert(at, step.target);
                    }
                    put(more, taken, bdd);
                    put(targets, rest, bdd);
                } else {
                    put(targets, label, bdd);
                }
            }
            parts = split;
            if work > 300 * limit {
                return None;
            }
        }
        let mut out = Vec::new();
        for (targets, label) in parts {
            let target = *numbers.entry(targets.clone()).or_insert_with(|| {
                members.push(targets);
                members.len() as u32 - 1
            });
            out.push(Edge {
                label,
                marks: 0,
                target,
            });
        }
        edges.push(merged(out.into_iter(), bdd));
        if members.len() > limit || bdd.exhausted() {
            return None;
        }
    }
    let graph = Graph {
        sets: 1,
        initial: vec![0],
        edges,
    };
    Some(Subsets { members, graph })
}

/// The letters of a shortest cycle through `start`, each as the true propositions.
fn cycle(
    graph: &Graph,
    components: &Components,
    start: u32,
    bdd: &Manager,
) -> Option<Vec<Vec<u32>>> {
    let mut parent: FxHashMap<u32, (u32, Bdd)> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for edge in &graph.edges[state as usize] {
            if !components.inside(start, edge.target) || parent.contains_key(&edge.target) {
                continue;
            }
            parent.insert(edge.target, (state, edge.label));
            if edge.target == start {
                let mut word = Vec::new();
                let mut at = start;
                loop {
                    let (before, label) = parent[&at];
                    word.push(bdd.some_letter(label)?);
                    at = before;
                    if at == start {
                        break;
                    }
                }
                word.reverse();
                return Some(word);
            }
            queue.push_back(edge.target);
        }
    }
    None
}

/// Flags for all states: Löding's colours, which give a component on no cycle the
/// colour of what follows. Even colours accept.
fn spread(graph: &Graph, components: &Components, flags: &[Option<bool>]) -> Vec<bool> {
    // Even and above any possible colour count.
    let top = 2 * components.members.len() as u32 + 2;
    let mut colour = vec![top; components.members.len()];
    for (number, members) in components.members.iter().enumerate() {
        let successors = members.iter().flat_map(|&s| &graph.edges[s as usize]);
        let below = successors
            .map(|edge| components.of[edge.target as usize] as usize)
            .filter(|&target| target != number)
            .map(|target| colour[target])
            .min()
            .unwrap_or(top);
        colour[number] = match flags[number] {
            Some(accepting) if below.is_multiple_of(2) != accepting => below - 1,
            _ => below,
        };
    }
    components
        .of
        .iter()
        .map(|&c| colour[c as usize].is_multiple_of(2))
        .collect()
}

/// Moore's partition refinement with symbolic labels.
fn minimize(graph: &Graph, flags: &[bool], bdd: &mut Manager) -> Buchi {
    let mut class: Vec<u32> = flags.iter().map(|&flag| flag as u32).collect();
    let mut count = 0;
    loop {
        let mut numbers: FxHashMap<(u32, Vec<Edge>), u32> = FxHashMap::default();
        let mut rows: Vec<Vec<Edge>> = Vec::new();
        let mut next = Vec::with_capacity(class.len());
        let mut accepting = Vec::new();
        for state in 0..graph.states() {
            let moved = graph.edges[state].iter().map(|edge| Edge {
                target: class[edge.target as usize],
                marks: 0,
                ..*edge
            });
            let row = merged(moved, bdd);
            let number = *numbers
                .entry((class[state], row.clone()))
                .or_insert_with(|| {
                    rows.push(row);
                    accepting.push(flags[state]);
                    rows.len() as u32 - 1
                });
            next.push(number);
        }
        if rows.len() == count {
            // The rows speak of the previous classes, which are the same partition.
            let renumber: FxHashMap<u32, u32> =
                class.iter().copied().zip(next.iter().copied()).collect();
            for edge in rows.iter_mut().flatten() {
                edge.target = renumber[&edge.target];
            }
            let graph = Graph {
                sets: 1,
                initial: vec![next[0]],
                edges: rows,
            };
            return Buchi { graph, accepting };
        }
        count = rows.len();
        class = next;
    }
}

/// Whether every accepting component of the automaton accepts altogether: the sets are on
/// all its inner edges. Such automata need no degeneralisation.
pub(crate) fn is_weak(graph: &Graph) -> bool {
    let components = Components::of(graph, |_, _| true);
    let accepting = components.accepting(graph);
    let all = all_marks(graph.sets);
    graph.edges.iter().enumerate().all(|(source, edges)| {
        edges.iter().all(|edge| {
            let number = components.of[source] as usize;
            !accepting[number]
                || !components.inside(source as u32, edge.target)
                || edge.marks & all == all
        })
    })
}
