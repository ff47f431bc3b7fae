//! From transition-based generalised acceptance to state-based Büchi acceptance.
//!
//! The classical construction runs through levels: at level `i` a run waits for an edge
//! of the `i`-th acceptance set, and the last level accepts. What makes it small:
//!
//! * levels are counted in each accepting component for itself, with the sets that
//!   component needs; other components have one copy;
//! * one edge may pass several levels (level skipping), and a level is passed on arrival
//!   where all edges on from the target have the set;
//! * the level on entering a component is free ([`Entry`]);
//! * where the copies of a component fall apart into several, only one bottom part is
//!   kept: copies of one state accept the same words, whatever their level.
//!
//! Following Babiak, Badie, Duret-Lutz, Křetínský, Strejček, *Compositional Approach to
//! Suspension and Other Improvements to LTL Translation*, SPIN 2013, Section 4. The order of
//! the sets and the entry level matter unpredictably, so callers try several [`Plan`]s.

use crate::bdd::Manager;
use crate::buchi::Buchi;
use crate::components::Components;
use crate::graph::{Edge, Graph, Marks, all_marks};
use rustc_hash::FxHashMap;

/// The level at which a component is entered.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// Waiting for the first set.
    First,
    /// At the accepting level.
    Last,
    /// At the level of a copy that exists already, else waiting for the first set.
    Existing,
}

/// One way to degeneralise.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The order in which sets are waited for.
    pub(crate) order: Vec<u32>,
    pub(crate) entry: Entry,
    /// Whether levels may be passed on arrival.
    pub(crate) early: bool,
}

struct Degeneralization<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    components: Components,
    /// The sets each component waits for, in order; `None` where it rejects.
    sequence: Vec<Option<Vec<u32>>>,
    /// Sets on all inner edges that leave a state.
    common: Vec<Marks>,
    /// The states made, as state and level, and their numbers.
    states: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// Lowest level made for each state, for [`Entry::Existing`].
    existing: Vec<Option<u32>>,
}

/// The state-based automaton of a pruned graph; `None` beyond `limit` edges.
pub(crate) fn degeneralize(
    graph: &Graph,
    plan: &Plan,
    limit: usize,
    bdd: &mut Manager,
) -> Option<Buchi> {
    let components = Components::of(graph, |_, _| true);
    let accepting = components.accepting(graph);
    let all = all_marks(graph.sets);
    let mut always = vec![all; components.members.len()];
    let mut common = vec![all; graph.states()];
    for (source, edges) in graph.edges.iter().enumerate() {
        for edge in edges {
            if components.inside(source as u32, edge.target) {
                always[components.of[source] as usize] &= edge.marks;
                common[source] &= edge.marks;
            }
        }
    }
    let sequence = (0..components.members.len())
        .map(|number| {
            let needed = |set: &&u32| always[number] >> **set & 1 == 0;
            accepting[number].then(|| plan.order.iter().filter(needed).copied().collect())
        })
        .collect();
    let mut work = Degeneralization {
        graph,
        plan,
        components,
        sequence,
        common,
        states: Vec::new(),
        numbers: FxHashMap::default(),
        existing: vec![None; graph.states()],
    };
    let buchi = work.run(limit)?;
    Some(work.single_parts(buchi).prune(bdd))
}

impl Degeneralization<'_> {
    fn number(&mut self, state: u32, level: u32) -> u32 {
        let states = &mut self.states;
        let existing = &mut self.existing[state as usize];
        *self.numbers.entry((state, level)).or_insert_with(|| {
            existing.get_or_insert(level);
            states.push((state, level));
            states.len() as u32 - 1
        })
    }

    fn sequence_of(&self, state: u32) -> Option<&[u32]> {
        self.sequence[self.components.of[state as usize] as usize].as_deref()
    }

    /// Passes levels from `level` on as long as `marks` has the set waited for.
    fn advance(sequence: &[u32], mut level: usize, marks: Marks) -> usize {
        while level < sequence.len() && marks >> sequence[level] & 1 == 1 {
            level += 1;
        }
        level
    }

    fn enter(&self, state: u32) -> u32 {
        let Some(sequence) = self.sequence_of(state) else {
            return 0;
        };
        let first = if self.plan.early {
            Self::advance(sequence, 0, self.common[state as usize])
        } else {
            0
        };
        match self.plan.entry {
            Entry::First => first as u32,
            Entry::Last => sequence.len() as u32,
            Entry::Existing => self.existing[state as usize].unwrap_or(first as u32),
        }
    }

    fn step(&self, source: u32, level: u32, edge: &Edge) -> u32 {
        if !self.components.inside(source, edge.target) {
            return self.enter(edge.target);
        }
        let Some(sequence) = self.sequence_of(source) else {
            return 0;
        };
        // The accepting level is at the same time the start of the next round.
        let start = if level as usize == sequence.len() {
            0
        } else {
            level as usize
        };
        let mut next = Self::advance(sequence, start, edge.marks);
        if self.plan.early {
            next = Self::advance(sequence, next, self.common[edge.target as usize]);
        }
        next as u32
    }

    fn run(&mut self, limit: usize) -> Option<Buchi> {
        let mut initial = Vec::new();
        for &state in &self.graph.initial {
            let level = self.enter(state);
            let number = self.number(state, level);
            initial.push(number);
        }
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        let mut accepting = Vec::new();
        let mut count = 0;
        while edges.len() < self.states.len() {
            let (state, level) = self.states[edges.len()];
            let full = self.sequence_of(state).map(<[u32]>::len);
            accepting.push(full == Some(level as usize));
            let graph = self.graph;
            let mut out = Vec::new();
            for edge in &graph.edges[state as usize] {
                let next = self.step(state, level, edge);
                let target = self.number(edge.target, next);
                out.push(Edge {
                    label: edge.label,
                    marks: 0,
                    target,
                });
            }
            count += out.len();
            if count > limit {
                return None;
            }
            edges.push(out);
        }
        let graph = Graph {
            sets: 1,
            initial,
            edges,
        };
        Some(Buchi { graph, accepting })
    }

    /// Redirects edges so that of each component of the original only one bottom part of
    /// its copies is used.
    fn single_parts(&self, mut buchi: Buchi) -> Buchi {
        let parts = Components::of(&buchi.graph, |_, _| true);
        // The smallest bottom part of each original component; parts with successors
        // in the same original component are no bottom.
        let mut chosen: Vec<Option<u32>> = vec![None; self.components.members.len()];
        let original =
            |number: u32| self.components.of[self.states[number as usize].0 as usize] as usize;
        for (part, members) in parts.members.iter().enumerate() {
            let home = original(members[0]);
            let bottom = members.iter().all(|&member| {
                buchi.graph.edges[member as usize].iter().all(|edge| {
                    parts.of[edge.target as usize] as usize == part || original(edge.target) != home
                })
            });
            let size = |part: u32| parts.members[part as usize].len();
            if bottom && chosen[home].is_none_or(|best| members.len() < size(best)) {
                chosen[home] = Some(part as u32);
            }
        }
        let mut copy: Vec<Option<u32>> = vec![None; self.graph.states()];
        for &part in chosen.iter().flatten() {
            for &member in &parts.members[part as usize] {
                copy[self.states[member as usize].0 as usize].get_or_insert(member);
            }
        }
        let redirect = |target: u32| {
            if chosen[original(target)] == Some(parts.of[target as usize]) {
                return target;
            }
            copy[self.states[target as usize].0 as usize].unwrap_or(target)
        };
        for edge in buchi.graph.edges.iter_mut().flatten() {
            edge.target = redirect(edge.target);
        }
        for state in &mut buchi.graph.initial {
            *state = redirect(*state);
        }
        buchi
    }
}
