//! Shortest paths: by rings, and where that takes too many, with the rounds of loops folded
//! ([`super::fold`]).

use super::fold::{self, Folding, Folds};
use super::graph::SummaryGraph;
use super::path::Path;
use super::query::{Found, Goal, Query, Reach};
use crate::bits::BitSet;
use crate::spds::{Head, RuleId};
use crate::watch::{Abort, Stop};

pub struct Search<'a> {
    pub graph: SummaryGraph<'a>,
    /// Paths with more steps than this are not looked for.
    most_steps: usize,
    /// Whether and when rounds are folded, and what is known of them.
    pub(super) folds: Folds,
}

impl<'a> Search<'a> {
    pub fn new(graph: SummaryGraph<'a>, folding: Option<Folding>, flags: BitSet) -> Self {
        Search {
            graph,
            most_steps: usize::MAX,
            folds: Folds::new(folding, flags),
        }
    }

    /// Lets longer paths not be looked for.
    pub fn up_to(self, most_steps: usize) -> Self {
        Search { most_steps, ..self }
    }

    /// Lets paths come to a head by these rules alone.
    pub fn entering(self, head: Head, rules: &'a [RuleId]) -> Self {
        Search {
            graph: self.graph.entering(head, rules),
            ..self
        }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.most_steps < usize::MAX
    }

    /// The query for any path from the start.
    pub fn query_to<'q>(&self, goal: &'q Goal<'q>) -> Query<'q> {
        Query {
            head: self.graph.spds.start,
            set: self.graph.spds.start_set.clone(),
            before_stamp: u64::MAX,
            may_enter: true,
            within: None,
            accepting: false,
            moves_on: false,
            through: None,
            jumps: None,
            goal,
        }
    }

    /// A shortest path from the query's set to its goal, and the goal's head last; `None`
    /// if there is none. A path on which rounds are folded need not be a shortest.
    pub fn shortest(&self, query: &Query<'_>) -> Result<Option<Path>, Stop> {
        if let Some(folding) = self.folds.folding {
            match self.within(query, folding.rings)? {
                Found::Path(path) => return Ok(Some(path)),
                Found::Nothing => return Ok(None),
                Found::TooFar => {}
            }
            match fold::with_folded_rounds(self, query, &[]) {
                // Real steps are better, as long as they can be shown.
                Ok(Some(path))
                    if path.is_folded() && fold::steps(self.graph.spds, &path) < folding.steps => {}
                Ok(found) => return Ok(found),
                Err(Abort::OverBudget) => {}
                Err(Abort::Stop(stop)) => return Err(stop),
            }
        }
        match self.within(query, usize::MAX)? {
            Found::Path(path) => Ok(Some(path)),
            Found::Nothing | Found::TooFar => Ok(None),
        }
    }

    /// The answer to a query by so many rings at most, without anything folded.
    pub(super) fn within(&self, query: &Query<'_>, rings: usize) -> Result<Found, Stop> {
        let steps = self.most_steps;
        self.graph.search(query, Reach { rings, steps })
    }
}
