//! Generalised Büchi automata, as plain as they come.
//!
//! An edge asks for the truth of some propositions and carries *marks*. A run is accepting
//! if it sees every mark infinitely often; with no marks at all every infinite run is.

use ltl2ba_rs::Automaton;

/// A set of acceptance marks, a bit each.
pub type Marks = u128;

/// That a proposition, given by its index, is true or is false.
pub type Literal = (u32, bool);

/// The number of a state.
pub type State = usize;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// All of them must be as they say in the letter that is read.
    pub literals: Vec<Literal>,
    pub target: State,
    pub marks: Marks,
}

#[derive(Clone, Debug)]
pub struct Buchi {
    pub initial: Vec<State>,
    /// The edges that leave each state.
    pub edges: Vec<Vec<Edge>>,
    /// The marks that an accepting run sees infinitely often.
    pub all: Marks,
}

impl Buchi {
    /// Where it may go from a state by reading a letter (the truth of each proposition),
    /// and the marks it sees on the way.
    pub fn read(&self, state: State, letter: &[bool]) -> impl Iterator<Item = (State, Marks)> {
        let taken = self.edges[state].iter().filter(|edge| {
            let mut literals = edge.literals.iter();
            literals.all(|(proposition, value)| letter[*proposition as usize] == *value)
        });
        taken.map(|edge| (edge.target, edge.marks))
    }

    /// Accepts the words in which none of the first `count` propositions is ever true.
    pub fn never(count: u32) -> Self {
        let edge = Edge {
            literals: (0..count).map(|proposition| (proposition, false)).collect(),
            target: 0,
            marks: 0,
        };
        Buchi {
            initial: vec![0],
            edges: vec![vec![edge]],
            all: 0,
        }
    }

    /// An automaton that somebody gave; each cube of a label becomes an edge of its own.
    pub fn given(automaton: &Automaton) -> Self {
        let mut edges = vec![Vec::new(); automaton.states as usize];
        for edge in &automaton.edges {
            for cube in &edge.label.cubes {
                let literals = cube.literals.iter();
                edges[edge.source as usize].push(Edge {
                    literals: literals.map(|l| (l.proposition, l.positive)).collect(),
                    target: edge.target as State,
                    marks: edge.marks.0,
                });
            }
        }
        let sets = 0..automaton.acceptance_sets;
        Buchi {
            initial: automaton.initial.iter().map(|s| *s as State).collect(),
            edges,
            all: sets.fold(0, |all, set| all | 1 << set),
        }
    }
}
