//! Repeating heads: is there a reachable cycle, accepting if there is an automaton?
//!
//! The *head graph* (Moped, section 4.2) has an edge from a head to what a step leads to,
//! to the entry of what it pushes, and over a call that returns to where it goes on. An
//! infinite execution that violates a property is an infinite path through this graph that
//! accepts again and again; as the graph is finite, a cycle that accepts, with a path to it.
//!
//! First the graph without data is divided into its components ([`rough`]); only inside
//! these are sets of valuations looked at ([`hull`]), or relations ([`closure`]).

pub mod closure;
pub mod graph;
pub mod hull;
pub mod rough;

pub use graph::HeadGraph;

use crate::bdd::Bdd;
use crate::spds::Head;
use crate::watch::Stop;
use hull::Ended;
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

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub method: Method,
    /// Whether the graph is first divided into rough components.
    pub rough_components: bool,
}

/// What trimming may take, for [`Method::Auto`], before relations are tried.
const AUTO_ROUNDS: u64 = 200_000;

/// Heads that repeat.
#[derive(Debug, Default)]
pub struct Repeating {
    pub sets: Sets,
    /// Whether from every member an infinite path accepts for ever *inside* the sets; if
    /// not, each member is on a cycle that may leave them.
    pub closed: bool,
}

/// Some repeating heads, or with `all` at least one on every accepting cycle; `None` if
/// there are none. `heads` are those to look at, `universe` their valuations. With
/// `patience`, [`Method::Auto`] gives up after so many rounds for each head instead of
/// trying relations.
pub fn repeating_heads(
    graph: &HeadGraph<'_>,
    universe: &dyn Fn(Head) -> Result<Bdd, Stop>,
    heads: &[Head],
    options: Options,
    all: bool,
    patience: Option<u64>,
) -> Result<Option<Repeating>, Ended> {
    let components = match options.rough_components {
        true => rough::components(graph, heads),
        false => vec![heads.to_vec()],
    };
    let mut found = Repeating {
        sets: Sets::default(),
        closed: options.method != Method::Closure,
    };
    for component in components {
        let mut sets = Sets::default();
        for head in component {
            let set = graph.restrict(&universe(head)?)?;
            if !graph.bdds.is_false(&set) {
                sets.insert(head, set);
            }
        }
        let repeating = match options.method {
            Method::Owcty => hull::owcty(graph, sets, u64::MAX)?,
            Method::EmersonLei => hull::emerson_lei(graph, sets)?,
            Method::Closure => closure::repeating(graph, &sets, all)?,
            Method::Auto => {
                let rounds = match patience {
                    Some(patience) => patience.saturating_mul(sets.len() as u64 + 1),
                    None => AUTO_ROUNDS,
                };
                match hull::owcty(graph, sets.clone(), rounds) {
                    Err(Ended::TooManyRounds) if patience.is_none() => {
                        found.closed = false;
                        closure::repeating(graph, &sets, all)?
                    }
                    other => other?,
                }
            }
        };
        found.sets.extend(repeating);
        if !found.sets.is_empty() && !all {
            break;
        }
    }
    Ok((!found.sets.is_empty()).then_some(found))
}
