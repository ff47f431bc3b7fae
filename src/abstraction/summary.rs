//! What predicates had to do with a verdict.

use crate::program::{PointId, VariableId};
use std::time::Duration;

/// What predicates had to do with a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many boolean programs were made.
    pub rounds: u64,
    /// The predicates at the end, by procedure, sorted; on globals, under the empty name.
    pub predicates: Vec<(String, Vec<String>)>,
    /// How often the solver was asked.
    pub solver_calls: u64,
    /// How long the parts of the loop took.
    pub seconds: Seconds,
    /// Of a property that holds, what is true at the heads of loops, if that was asked for.
    pub(crate) invariants: Option<Vec<Invariant>>,
}

/// What is always true at a point: all clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invariant {
    pub point: PointId,
    pub clauses: Vec<Vec<Literal>>,
}

/// A predicate, or its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub text: String,
    pub is_true: bool,
    /// What it reads.
    pub cells: Vec<VariableId>,
}

/// How long the parts of the loop took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seconds {
    /// Making boolean programs,
    pub abstraction: Duration,
    /// deciding them,
    pub check: Duration,
    /// trying their traces,
    pub path: Duration,
    /// and finding predicates.
    pub discovery: Duration,
}

impl Summary {
    /// A line for each predicate, as a file of them has it.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.predicates.iter().flat_map(|(scope, texts)| {
            texts.iter().map(move |text| match scope.as_str() {
                "" => text.clone(),
                scope => format!("{scope}: {text}"),
            })
        })
    }
}
