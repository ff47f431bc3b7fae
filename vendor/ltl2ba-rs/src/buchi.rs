//! State-based Büchi automata inside the translator, and their reduction.
//!
//! The graph of a generalised automaton without its marks, and a flag for each state.
//! For a forward simulation the flags count as marks of outgoing edges, for a backward
//! one as marks of incoming edges: one step earlier or later makes no difference to what
//! is accepted, and either way states of one class agree in their flag.
//!
//! The flag of a state on no cycle means nothing. Setting all such flags, or clearing
//! them, lets different states be joined, so both are tried in turn.

use crate::bdd::Manager;
use crate::components::Components;
use crate::graph::{Graph, Marks};
use crate::options::Options;
use crate::reduce::simulation::{Direction, simulate};

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Buchi {
    /// Marks are unused and zero.
    pub(crate) graph: Graph,
    pub(crate) accepting: Vec<bool>,
}

impl Buchi {
    /// What is to be made small: states first, then edges.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.graph.states(), self.graph.edge_count())
    }

    /// Only useful states, numbered from the initial ones; flags only on useful cycles.
    pub(crate) fn prune(&self, bdd: &mut Manager) -> Buchi {
        let mut marked = self.marked(Direction::Forward);
        marked.sets = 1;
        let components = Components::of(&marked, |_, _| true);
        let mut live = components.accepting(&marked);
        let accepting_component = live.clone();
        for (number, members) in components.members.iter().enumerate() {
            live[number] |= members.iter().any(|&state| {
                marked.edges[state as usize].iter().any(|edge| {
                    let target = components.of[edge.target as usize] as usize;
                    target < number && live[target]
                })
            });
        }
        let component = |state: usize| components.of[state] as usize;
        let keep: Vec<bool> = (0..marked.states()).map(|s| live[component(s)]).collect();
        let (mut graph, number) = self.graph.restrict(&keep);
        if graph.states() == 0 {
            graph = Graph {
                sets: 1,
                initial: vec![0],
                edges: vec![Vec::new()],
            };
            return Buchi {
                graph,
                accepting: vec![false],
            };
        }
        graph.merge_edges(bdd);
        let mut accepting = vec![false; graph.states()];
        for (state, number) in number.iter().enumerate() {
            if let Some(number) = number {
                accepting[*number as usize] =
                    self.accepting[state] && accepting_component[component(state)];
            }
        }
        Buchi { graph, accepting }
    }

    /// The graph with the flags as marks of outgoing or of incoming edges.
    pub(crate) fn marked(&self, direction: Direction) -> Graph {
        let mut graph = self.graph.clone();
        graph.sets = 1;
        for (source, edges) in graph.edges.iter_mut().enumerate() {
            for edge in edges {
                edge.marks = match direction {
                    Direction::Forward => self.accepting[source] as Marks,
                    Direction::Backward => self.accepting[edge.target as usize] as Marks,
                };
            }
        }
        graph
    }

    /// The automaton with the flags of states on no cycle set as told, and whether there
    /// are any such states.
    fn with_transient_flags(&self, flag: bool) -> (Buchi, bool) {
        let components = Components::of(&self.graph, |_, _| true);
        let cyclic = components.inner_marks(&self.graph, |_, _| true);
        let mut changed = self.clone();
        let mut any = false;
        for state in 0..self.graph.states() {
            if cyclic[components.of[state] as usize].is_none() {
                changed.accepting[state] = flag;
                any = true;
            }
        }
        (changed, any)
    }

    /// One simulation and pruning; `None` where a limit was hit.
    fn simulated(
        &self,
        direction: Direction,
        propositions: u32,
        bdd: &mut Manager,
        options: &Options,
    ) -> Option<Buchi> {
        let marked = self.marked(direction);
        let initial: Vec<Marks> = self.accepting.iter().map(|&flag| flag as Marks).collect();
        let quotient = simulate(&marked, direction, &initial, propositions, bdd, options)?;
        let mut accepting = vec![false; quotient.graph.states()];
        for (state, &class) in quotient.class.iter().enumerate() {
            accepting[class as usize] |= self.accepting[state];
        }
        let mut graph = quotient.graph;
        for edge in graph.edges.iter_mut().flatten() {
            edge.marks = 0;
        }
        Some(Buchi { graph, accepting }.prune(bdd))
    }

    /// Simulations in both directions until nothing gets smaller.
    pub(crate) fn reduce(&self, propositions: u32, bdd: &mut Manager, options: &Options) -> Buchi {
        let (mut best, _) = self.prune(bdd).with_transient_flags(false);
        // How many attempts in a row have gained nothing: forwards and backwards, with
        // flags cleared and set.
        let mut idle = 0;
        let mut attempt = 0;
        while idle < 4 {
            let flag = attempt / 2 % 2 == 1;
            let direction = if attempt % 2 == 0 {
                Direction::Forward
            } else {
                Direction::Backward
            };
            attempt += 1;
            idle += 1;
            let (current, transient) = best.with_transient_flags(flag);
            if flag && !transient {
                continue;
            }
            match current.simulated(direction, propositions, bdd, options) {
                Some(smaller) if smaller.size() < best.size() => {
                    best = smaller;
                    // The same direction finds nothing more in its own result.
                    idle = 1;
                }
                Some(_) => {}
                None => break,
            }
        }
        best.with_transient_flags(false).0.prune(bdd)
    }
}
