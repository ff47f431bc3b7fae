//! The automata that the crate gives and takes.
//!
//! One type for all: edges with symbolic labels and acceptance marks. A run is accepting
//! if for each of the acceptance sets it takes edges with that mark infinitely often; with
//! no sets every infinite run is accepting. In a *state-based* Büchi automaton there is
//! one set and all edges that leave a state agree in their mark, so that "the source is
//! accepting" and "the edge is marked" are the same.

use crate::bdd::{Bdd, Manager};
use crate::components::Components;
use crate::graph::{self, Graph, all_marks};
use crate::label::{Cube, Label, Literal};
use std::fmt;

/// A set of acceptance sets.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Marks(pub u128);

impl Marks {
    /// No acceptance set.
    pub const NONE: Marks = Marks(0);

    /// How many acceptance sets an automaton may have.
    pub const CAPACITY: u32 = graph::MARKS;

    /// The first `count` acceptance sets.
    pub fn first(count: u32) -> Self {
        Marks(all_marks(count))
    }

    /// Whether the set is among them.
    pub fn contains(self, set: u32) -> bool {
        set < Self::CAPACITY && self.0 >> set & 1 == 1
    }

    /// The sets, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::CAPACITY).filter(move |&set| self.contains(set))
    }
}

/// An edge of an [`Automaton`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The state it leaves.
    pub source: u32,
    /// The letters it takes.
    pub label: Label,
    /// The state it leads to.
    pub target: u32,
    /// The acceptance sets it belongs to.
    pub marks: Marks,
}

/// How simple the acceptance of an automaton is; the earlier, the simpler to check.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Every accepting component is one accepting state that takes every letter and
    /// stays: a word is accepted once a prefix has led there.
    Terminal,
    /// Every component accepts altogether or not at all: a run is accepting iff it ends
    /// up in an accepting component.
    Weak,
    /// Anything else.
    General,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Terminal => "terminal",
            Class::Weak => "weak",
            Class::General => "general",
        })
    }
}

/// An automaton on infinite words; see the module's essay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The propositions that labels speak of by index.
    pub propositions: Vec<String>,
    /// Number of states, which are numbered from 0.
    pub states: u32,
    /// The states in which runs start.
    pub initial: Vec<u32>,
    /// All edges, by ascending source.
    pub edges: Vec<Edge>,
    /// Number of acceptance sets.
    pub acceptance_sets: u32,
    /// Whether this is a state-based Büchi automaton.
    pub state_based: bool,
}

impl Automaton {
    /// The edges that leave a state.
    pub fn edges_from(&self, state: u32) -> &[Edge] {
        let start = self.edges.partition_point(|edge| edge.source < state);
        let end = self.edges.partition_point(|edge| edge.source <= state);
        &self.edges[start..end]
    }

    /// Whether a state of a state-based automaton is accepting. A state without edges
    /// is not, which makes no difference.
    pub fn is_accepting(&self, state: u32) -> bool {
        let edges = self.edges_from(state);
        self.state_based && !edges.is_empty() && edges.iter().all(|edge| edge.marks.contains(0))
    }

    /// How simple the acceptance is.
    pub fn class(&self) -> Class {
        let (graph, mut bdd) = self.to_graph();
        classify(&graph, &mut bdd)
    }

    /// Whether no state has two edges for one letter, and there is one initial state.
    pub fn is_deterministic(&self) -> bool {
        let (graph, mut bdd) = self.to_graph();
        graph.is_deterministic(&mut bdd)
    }

    /// Whether the automaton accepts no word at all.
    pub fn is_empty(&self) -> bool {
        let (graph, _) = self.to_graph();
        let (graph, _) = graph.restrict(&vec![true; graph.states()]);
        let components = Components::of(&graph, |_, _| true);
        !components.accepting(&graph).contains(&true)
    }

    /// The automaton as the reductions want it. Labels are rebuilt as BDDs; cubes as
    /// this crate makes them are few, and a hostile label is bounded by its own size
    /// only, so readers of files bound it.
    pub(crate) fn to_graph(&self) -> (Graph, Manager) {
        let mut bdd = Manager::new(usize::MAX);
        let mut edges = vec![Vec::new(); self.states as usize];
        for edge in &self.edges {
            let mut label = crate::bdd::FALSE;
            for cube in &edge.label.cubes {
                let literals: Vec<_> = cube
                    .literals
                    .iter()
                    .map(|l| (l.proposition, l.positive))
                    .collect();
                let product = bdd.product(&literals);
                label = bdd.or(label, product);
            }
            if label != crate::bdd::FALSE {
                edges[edge.source as usize].push(graph::Edge {
                    label,
                    marks: edge.marks.0,
                    target: edge.target,
                });
            }
        }
        let graph = Graph {
            sets: self.acceptance_sets,
            initial: self.initial.clone(),
            edges,
        };
        (graph, bdd)
    }

    /// The public automaton of a graph, its edges ordered by source, target and marks.
    pub(crate) fn from_graph(
        graph: &Graph,
        propositions: Vec<String>,
        state_based: bool,
        bdd: &mut Manager,
    ) -> Automaton {
        let mut edges = Vec::with_capacity(graph.edge_count());
        for (source, out) in graph.edges.iter().enumerate() {
            let mut out = out.clone();
            out.sort_by_key(|edge| (edge.target, edge.marks));
            for edge in out {
                edges.push(Edge {
                    source: source as u32,
                    label: label_of(edge.label, bdd),
                    target: edge.target,
                    marks: Marks(edge.marks),
                });
            }
        }
        Automaton {
            propositions,
            states: graph.states() as u32,
            initial: graph.initial.clone(),
            edges,
            acceptance_sets: graph.sets,
            state_based,
        }
    }
}

/// A function as an irredundant sum of cubes.
pub(crate) fn label_of(f: Bdd, bdd: &mut Manager) -> Label {
    let cube = |product: Vec<(u32, bool)>| Cube {
        literals: product
            .into_iter()
            .map(|(proposition, positive)| Literal {
                proposition,
                positive,
            })
            .collect(),
    };
    let mut cubes: Vec<Cube> = bdd.products(f).into_iter().map(cube).collect();
    cubes.sort();
    Label { cubes }
}

fn classify(graph: &Graph, bdd: &mut Manager) -> Class {
    if !crate::reduce::weak::is_weak(graph) {
        return Class::General;
    }
    let components = Components::of(graph, |_, _| true);
    let accepting = components.accepting(graph);
    let terminal = components
        .members
        .iter()
        .zip(accepting)
        .all(|(members, accepting)| {
            if !accepting {
                return true;
            }
            let mut taken = crate::bdd::FALSE;
            for edge in &graph.edges[members[0] as usize] {
                if edge.target == members[0] {
                    taken = bdd.or(taken, edge.label);
                }
            }
            members.len() == 1 && taken == crate::bdd::TRUE
        });
    if terminal {
        Class::Terminal
    } else {
        Class::Weak
    }
}
