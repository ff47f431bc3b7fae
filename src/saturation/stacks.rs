//! Sets of stacks: what may stand below the top of a configuration.
//!
//! A finite automaton that reads the waiting frames from the top down. With the heads that
//! lead into it, it is the P-automaton of a regular set of configurations, to begin a
//! saturation with: its states are never entered by a rule, only by what was given.

use crate::bdd::Bdd;
use crate::index::{IndexVec, indices};
use crate::spds::Head;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackState(pub u32);

indices!(StackState);

/// A frame that waits, and what may stand below it.
#[derive(Clone, Debug)]
pub struct StackEdge {
    /// The symbol on the stack (see [`crate::spds::Right::Push`]).
    pub below: Head,
    /// Where the frame goes on once it is on top.
    pub saved: Head,
    /// Its values, over current variables.
    pub frame: Bdd,
    /// The current variables that have no meaning at `saved`.
    pub forget: Bdd,
    pub to: StackState,
}

#[derive(Clone, Debug, Default)]
pub struct Stacks {
    states: IndexVec<StackState, StateRow>,
}

#[derive(Clone, Debug, Default)]
struct StateRow {
    /// Ordered by symbol.
    edges: Vec<StackEdge>,
    accepting: bool,
    universal: bool,
}

impl Stacks {
    /// One state: nothing is below.
    pub fn lowest() -> Self {
        let mut stacks = Stacks::default();
        stacks.add_state(true, false);
        stacks
    }

    /// One state: anything may be below.
    pub fn anything() -> Self {
        let mut stacks = Stacks::default();
        stacks.add_state(true, true);
        stacks
    }

    /// A state; `universal` if every stack is accepted from it. Then `pre*` does without
    /// its edges, but `post*` needs them, since frames are popped into them.
    pub fn add_state(&mut self, accepting: bool, universal: bool) -> StackState {
        self.states.push(StateRow {
            edges: Vec::new(),
            accepting,
            universal,
        })
    }

    /// Sets the edges of a state.
    pub fn set_edges(&mut self, from: StackState, mut edges: Vec<StackEdge>) {
        edges.sort_by_key(|edge| (edge.below, edge.to));
        self.states[from].edges = edges;
    }

    pub fn states(&self) -> impl Iterator<Item = StackState> + use<> {
        self.states.indices()
    }

    pub fn edges(&self, state: StackState) -> &[StackEdge] {
        &self.states[state].edges
    }

    /// Its edges by this symbol.
    pub fn edges_by(&self, state: StackState, below: Head) -> &[StackEdge] {
        let edges = self.edges(state);
        let first = edges.partition_point(|edge| edge.below < below);
        let count = edges[first..].partition_point(|edge| edge.below == below);
        &edges[first..first + count]
    }

    /// Whether nothing need be below.
    pub fn is_accepting(&self, state: StackState) -> bool {
        self.states[state].accepting
    }

    pub fn is_universal(&self, state: StackState) -> bool {
        self.states[state].universal
    }
}
