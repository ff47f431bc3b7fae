//! What a caller may set, and how a translation can fail.

use std::fmt;

/// Limits and switches of a translation. No limit is a time: the same formula gives
/// the same automaton on every machine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether to reduce the automaton at all. Without reductions the tableau is only
    /// pruned and degeneralised.
    pub reduce: bool,
    /// A tableau of more states than this is given up with an error.
    pub state_limit: usize,
    /// A tableau or degeneralised automaton of more edges than this is given up.
    pub edge_limit: usize,
    /// BDD nodes the tableau may use before it is given up.
    pub node_limit: usize,
    /// BDD nodes that one simulation may use. Past it the automaton stays as it is.
    pub simulation_node_limit: usize,
    /// Automata with more states than this are not reduced by simulation.
    pub simulation_state_limit: usize,
    /// Automata with more edges than this are not reduced by simulation.
    pub simulation_edge_limit: usize,
    /// The subset construction for obligation properties stops beyond so many states;
    /// the automaton found otherwise is then used.
    pub subset_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            reduce: true,
            state_limit: 100_000,
            edge_limit: 2_000_000,
            node_limit: 6_000_000,
            simulation_node_limit: 1_500_000,
            simulation_state_limit: 1_500,
            simulation_edge_limit: 10_000,
            subset_limit: 4_000,
        }
    }
}

/// Why there is no automaton. Each names the limit that was hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// More distinct obligations than the translator's BDDs are made for.
    TooManyObligations {
        /// How many there may be.
        limit: usize,
    },
    /// More eventualities than there are acceptance sets.
    TooManyAcceptanceSets {
        /// How many there may be.
        limit: usize,
    },
    /// The automaton has more states than [`Options::state_limit`].
    TooManyStates {
        /// The option's value.
        limit: usize,
    },
    /// The automaton has more edges than [`Options::edge_limit`].
    TooManyEdges {
        /// The option's value.
        limit: usize,
    },
    /// The labels need more BDD nodes than [`Options::node_limit`].
    TooManyNodes {
        /// The option's value.
        limit: usize,
    },
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, limit, option) = match self {
            TranslateError::TooManyObligations { limit } => (
                "distinct temporal subformulas and propositions",
                limit,
                None,
            ),
            TranslateError::TooManyAcceptanceSets { limit } => {
                ("distinct eventualities", limit, None)
            }
            TranslateError::TooManyStates { limit } => ("states", limit, Some("state_limit")),
            TranslateError::TooManyEdges { limit } => ("edges", limit, Some("edge_limit")),
            TranslateError::TooManyNodes { limit } => ("BDD nodes", limit, Some("node_limit")),
        };
        write!(
            f,
            "the formula is too large: its automaton needs more than {limit} {what}"
        )?;
        match option {
            Some(option) => write!(f, " (the option `{option}` raises the limit)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TranslateError {}
