//! What predicates had to do with a verdict.

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
