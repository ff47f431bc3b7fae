//! Repeating heads: is there a reachable cycle, accepting if there is an automaton?
//!
//! The *head graph* (Moped, section 4.2) has an edge from a head to what a step leads to,
//! to the entry of what it pushes, and over a call that returns to where it goes on. An
//! infinite execution that violates a property is an infinite path through this graph that
//! accepts again and again; as the graph is finite, a cycle that accepts, with a path to it.
//!
//! First the graph without data is divided into its components ([`rough`]); only inside
//! these are sets of valuations looked at ([`hull`]), or relations ([`closure`]). Where deep
//! loops and recursion would take many rounds, relations between frames come first
//! ([`frames`]). [`repeating_after`] says what is tried in which order.

mod closure;
mod frames;
mod graph;
mod hull;
mod rough;

pub use graph::HeadGraph;

use crate::acceleration::Budget;
use crate::bdd::Bdd;
use crate::limits::cycles::TRIMMED_HEADS;
use crate::saturation::PostStar;
use crate::spds::Head;
use crate::spds::copies::Copies;
use crate::watch::{Abort, Stop, within_budget};
use rustc_hash::FxHashMap;

/// Valuations of heads.
pub type Sets = FxHashMap<Head, Bdd>;

/// How cycles are searched inside a rough component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Sets of heads; relations where trimming does not end in a bounded number of rounds.
    Auto,
    /// "One way catch them young": reach acceptance, then trim, until nothing changes.
    Owcty,
    /// The nested fixed point of Emerson and Lei.
    EmersonLei,
    /// The transitive closure of the step relation, as Moped does it.
    Closure,
}

/// How cycles are searched.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The method inside a component.
    pub method: Method,
    /// Whether the graph is first divided into rough components.
    pub rough_components: bool,
}

/// Heads that repeat.
#[derive(Debug, Default)]
pub struct Repeating {
    pub sets: Sets,
    /// Whether from every member an infinite path accepts for ever *inside* the sets; if
    /// not, each member is on a cycle that may leave them.
    pub closed: bool,
}

/// What a search after `post*` may try besides [`Options::method`].
#[derive(Clone, Copy, Debug)]
pub struct Attempts {
    pub budget: Budget,
    /// Whether there are integers of several bits.
    pub is_wide: bool,
}

/// Some repeating heads among those that a finished `post*` has reached; `None` if there are
/// none.
pub fn repeating_after(
    post_star: &PostStar<'_>,
    copies: &Copies<'_>,
    options: Options,
    attempts: Option<Attempts>,
) -> Result<Option<Repeating>, Stop> {
    let spds = post_star.spds();
    let summaries = post_star.summaries().iter().map(|s| s.total().cloned());
    let graph = HeadGraph::new(spds, copies, post_star.watch(), summaries.collect())?;
    let universe = |head| post_star.reached_set(head, &spds.all_entry);
    let candidates = Candidates {
        graph: &graph,
        universe: &universe,
        heads: &post_star.reached_heads(),
    };
    if let Some(Attempts { budget, is_wide }) = attempts {
        let frames = frames::Search::new(post_star, copies, budget);
        // Does anything repeat if globals are left out of sight?
        if is_wide && within_budget(frames.may_repeat())? == Some(false) {
            return Ok(None);
        }
        // Sets of valuations, for a few rounds.
        if budget.patience > 0
            && let Some(found) = within_budget(candidates.soon(options, budget.patience.into()))?
        {
            return Ok(found);
        }
        // Relations between the entries of frames, and round the loops of each frame.
        if let Some(found) = within_budget(frames.repeating())? {
            return Ok(found);
        }
    }
    // Whatever it takes.
    candidates.repeating(options, false)
}

/// Where repeating heads are looked for.
pub struct Candidates<'a> {
    pub graph: &'a HeadGraph<'a>,
    /// The valuations of a head.
    pub universe: &'a dyn Fn(Head) -> Result<Bdd, Stop>,
    pub heads: &'a [Head],
}

impl Candidates<'_> {
    /// Some repeating heads, or with `all` at least one on every accepting cycle; `None` if
    /// there are none.
    pub fn repeating(&self, options: Options, all: bool) -> Result<Option<Repeating>, Stop> {
        let graph = self.graph;
        let found = self.search(options, all, |sets| {
            let hull = match options.method {
                Method::Auto => hull::owcty(graph, sets.clone(), TRIMMED_HEADS),
                Method::Owcty => hull::owcty(graph, sets.clone(), u64::MAX),
                Method::EmersonLei => hull::emerson_lei(graph, sets.clone(), u64::MAX),
                Method::Closure => Err(Abort::OverBudget),
            };
            Ok(match within_budget(hull)? {
                Some(sets) => Repeating { sets, closed: true },
                None => Repeating {
                    sets: closure::repeating(graph, &sets, all)?,
                    closed: false,
                },
            })
        });
        Ok(found?)
    }

    /// Some repeating heads, if sets of heads tell within `patience` rounds for each head.
    fn soon(&self, options: Options, patience: u64) -> Result<Option<Repeating>, Abort> {
        self.search(options, false, |sets| {
            let rounds = patience.saturating_mul(sets.len() as u64 + 1);
            let sets = hull::owcty(self.graph, sets, rounds)?;
            Ok(Repeating { sets, closed: true })
        })
    }

    /// What a method finds in rough components: in the first that has something, or in all.
    fn search(
        &self,
        options: Options,
        all: bool,
        method: impl Fn(Sets) -> Result<Repeating, Abort>,
    ) -> Result<Option<Repeating>, Abort> {
        let graph = self.graph;
        let components = match options.rough_components {
            true => rough::components(graph, self.heads),
            false => vec![self.heads.to_vec()],
        };
        let mut found = Repeating {
            sets: Sets::default(),
            closed: true,
        };
        for component in components {
            let mut sets = Sets::default();
            for head in component {
                let set = graph.restrict(&(self.universe)(head)?)?;
                if !graph.bdds.is_false(&set) {
                    sets.insert(head, set);
                }
            }
            let repeating = method(sets)?;
            found.closed &= repeating.closed;
            found.sets.extend(repeating.sets);
            if !found.sets.is_empty() && !all {
                break;
            }
        }
        Ok((!found.sets.is_empty()).then_some(found))
    }
}
