//! Reduction by direct simulation, forwards and backwards.
//!
//! State `r` simulates `q` if whatever `q` can do in one step, `r` can do with the same
//! letter, at least the same marks, and a successor that simulates `q`'s successor.
//! States that simulate each other are joined, and of two edges for the same letter
//! from one state the one that leads to less is dropped. Backwards the same with
//! incoming edges, where an initial state is only simulated by initial ones.
//!
//! The relation is found by signatures (Babiak, Badie, Duret-Lutz, Křetínský, Strejček,
//! *Compositional Approach to Suspension …*, SPIN 2013, Section 5): with the relation of
//! the round before, a state's signature is the function
//!
//! ```text
//! OR over its edges of  label & AND(missing marks) & AND(classes above the successor's)
//! ```
//!
//! and `r` simulates `q` iff the signature of `q` implies that of `r`: all variables but
//! the propositions occur positively only, so a product implies a sum iff it implies
//! one of its products. The reduced automaton is read off the final signatures: their
//! prime products are the undominated edges.
//!
//! Each round costs one signature a state and one implication a pair of classes; the
//! whole works in a BDD manager of its own and is given up at a node limit.

use crate::bdd::{self, Bdd, Manager};
use crate::graph::{Edge, Graph, Marks, all_marks, merged};
use crate::options::Options;
use rustc_hash::FxHashMap;

/// Which edges of a state are looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// A quotient and the class (state of the quotient) of each state.
pub(crate) struct Quotient {
    pub(crate) graph: Graph,
    pub(crate) class: Vec<u32>,
}

/// Implications tested and edges looked at, all rounds together, before a simulation is given up.
const WORK: usize = 600_000;

struct Simulation<'a> {
    graph: &'a Graph,
    direction: Direction,
    propositions: u32,
    /// For each state the edges that matter: outgoing, or incoming with their sources in
    /// place of the targets.
    steps: Vec<Vec<Edge>>,
    is_initial: Vec<bool>,
    scratch: Manager,
    class: Vec<u32>,
    /// For each class the classes that simulate it, itself included, ascending.
    above: Vec<Vec<u32>>,
    work: usize,
}

/// The quotient by simulation, or `None` where a limit was hit.
///
/// `initial_marks` are the marks that being initial counts with, backwards; one entry
/// a state.
pub(crate) fn simulate(
    graph: &Graph,
    direction: Direction,
    initial_marks: &[Marks],
    propositions: u32,
    bdd: &mut Manager,
    options: &Options,
) -> Option<Quotient> {
    let states = graph.states();
    if states > options.simulation_state_limit || graph.edge_count() > options.simulation_edge_limit
    {
        return None;
    }
    let mut scratch = Manager::new(options.simulation_node_limit);
    let mut copied = FxHashMap::default();
    let mut steps: Vec<Vec<Edge>> = vec![Vec::new(); states];
    for (source, edges) in graph.edges.iter().enumerate() {
        for edge in edges {
            let label = bdd.copy_to(edge.label, &mut scratch, &mut copied);
            let (owner, target) = match direction {
                Direction::Forward => (source, edge.target),
                Direction::Backward => (edge.target as usize, source as u32),
            };
            steps[owner].push(Edge {
                label,
                target,
                ..*edge
            });
        }
    }
    let mut is_initial = vec![false; states];
    for &state in &graph.initial {
        is_initial[state as usize] = true;
    }
    let mut simulation = Simulation {
        graph,
        direction,
        propositions,
        steps,
        is_initial,
        scratch,
        class: vec![0; states],
        above: vec![vec![0]],
        work: 0,
    };
    let signatures = simulation.refine(initial_marks)?;
    simulation.quotient(&signatures, bdd)
}

impl Simulation<'_> {
    /// The variable that stands for being initial.
    fn initial_variable(&self) -> u32 {
        self.propositions
    }

    fn mark_variable(&self, set: u32) -> u32 {
        self.propositions + 1 + set
    }

    fn class_variable(&self, class: u32) -> u32 {
        self.mark_variable(self.graph.sets) + class
    }

    fn missing(&self, marks: Marks) -> impl Iterator<Item = (u32, bool)> + use<'_> {
        let missing = all_marks(self.graph.sets) & !marks;
        let sets = (0..self.graph.sets).filter(move |&set| missing >> set & 1 == 1);
        sets.map(|set| (self.mark_variable(set), true))
    }

    fn signature(&mut self, state: usize, initial_marks: &[Marks], above: &[Bdd]) -> Bdd {
        let mut signature = bdd::FALSE;
        if self.direction == Direction::Backward && self.is_initial[state] {
            let mut literals = vec![(self.initial_variable(), true)];
            literals.extend(self.missing(initial_marks[state]));
            signature = self.scratch.product(&literals);
        }
        for at in 0..self.steps[state].len() {
            let edge = self.steps[state][at];
            let literals: Vec<_> = self.missing(edge.marks).collect();
            let marks = self.scratch.product(&literals);
            let target = above[self.class[edge.target as usize] as usize];
            let step = self.scratch.and(marks, target);
            let step = self.scratch.and(edge.label, step);
            signature = self.scratch.or(signature, step);
        }
        signature
    }

    /// Refines to the greatest simulation; the result is a signature for each class.
    fn refine(&mut self, initial_marks: &[Marks]) -> Option<Vec<Bdd>> {
        loop {
            let above: Vec<Bdd> = (0..self.above.len())
                .map(|class| {
                    let literals: Vec<_> = self.above[class]
                        .iter()
                        .map(|&other| (self.class_variable(other), true))
                        .collect();
                    self.scratch.product(&literals)
                })
                .collect();
            let mut numbers: FxHashMap<Bdd, u32> = FxHashMap::default();
            let mut signatures = Vec::new();
            let mut old = Vec::new();
            let mut class = Vec::with_capacity(self.class.len());
            for state in 0..self.class.len() {
                self.work += self.steps[state].len();
                let signature = self.signature(state, initial_marks, &above);
                if self.scratch.exhausted() {
                    return None;
                }
                let number = *numbers.entry(signature).or_insert_with(|| {
                    signatures.push(signature);
                    old.push(self.class[state]);
                    signatures.len() as u32 - 1
                });
                class.push(number);
            }
            let mut relation = Vec::with_capacity(signatures.len());
            for (number, &signature) in signatures.iter().enumerate() {
                let before = &self.above[old[number] as usize];
                let mut here = Vec::new();
                for (other, &larger) in signatures.iter().enumerate() {
                    // Rounds only ever remove pairs.
                    if before.binary_search(&old[other]).is_err() {
                        continue;
                    }
                    self.work += 1;
                    if self.scratch.implies(signature, larger) {
                        here.push(other as u32);
                    }
                }
                if self.scratch.exhausted() || self.work > WORK {
                    return None;
                }
                relation.push(here);
            }
            let stable = class == self.class && relation == self.above;
            self.class = class;
            self.above = relation;
            if stable {
                return Some(signatures);
            }
        }
    }

    fn quotient(&mut self, signatures: &[Bdd], bdd: &mut Manager) -> Option<Quotient> {
        let mut owner: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for (class, above) in self.above.iter().enumerate() {
            owner.insert(above.clone(), class as u32);
        }
        let mut graph = Graph {
            sets: self.graph.sets,
            initial: Vec::new(),
            edges: vec![Vec::new(); signatures.len()],
        };
        for &state in &self.graph.initial {
            let class = self.class[state as usize];
            if !graph.initial.contains(&class) {
                graph.initial.push(class);
            }
        }
        let mut copied = FxHashMap::default();
        for (class, &signature) in signatures.iter().enumerate() {
            for (label, rest) in self.scratch.split(signature, self.propositions) {
                let products = self.scratch.products(rest);
                if self.scratch.exhausted() {
                    return None;
                }
                let label = self.scratch.copy_to(label, bdd, &mut copied);
                for product in products {
                    let Some((marks, above)) = self.read(&product) else {
                        continue;
                    };
                    let target = *owner.get(&above)?;
                    let (source, target) = match self.direction {
                        Direction::Forward => (class, target),
                        Direction::Backward => (target as usize, class as u32),
                    };
                    graph.edges[source].push(Edge {
                        label,
                        marks,
                        target,
                    });
                }
            }
        }
        for edges in &mut graph.edges {
            *edges = merged(std::mem::take(edges).into_iter(), bdd);
        }
        Some(Quotient {
            graph,
            class: self.class.clone(),
        })
    }

    /// Marks and classes of a product; `None` for the one that says "initial".
    fn read(&self, product: &[(u32, bool)]) -> Option<(Marks, Vec<u32>)> {
        let mut marks = all_marks(self.graph.sets);
        let mut classes = Vec::new();
        let first_class = self.class_variable(0);
        for &(variable, _) in product {
            if variable == self.initial_variable() {
                return None;
            }
            if variable >= first_class {
                classes.push(variable - first_class);
            } else {
                marks &= !(1 << (variable - self.mark_variable(0)));
            }
        }
        Some((marks, classes))
    }
}
