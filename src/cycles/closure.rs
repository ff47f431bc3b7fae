//! Cycles by relations: the transitive closure, one head at a time.
//!
//! Moped saturates the head graph with the relations of all paths (section 4.2). Here the
//! heads of a component are eliminated in turn ([`Elimination`]), with one relation for all
//! paths from a head to another and without a limit to its size.
//!
//! Few rounds even where a cycle of sets takes 2ⁿ, but relations can be large.

use super::Sets;
use super::graph::{HeadGraph, RoughEdge, Route};
use crate::bdd::Bdd;
use crate::relations::{Elimination, Paths, Relations, entering_paths, staying_paths};
use crate::spds::{EntryId, Head};
use crate::watch::Abort;

/// A head on an accepting cycle with the valuations on it, or with `all` one on every such
/// cycle; empty if there is none.
pub fn repeating(graph: &HeadGraph<'_>, sets: &Sets, all: bool) -> Result<Sets, Abort> {
    let relations = Relations {
        copies: graph.copies,
        node_limit: None,
    };
    let mut heads: Vec<_> = sets.keys().copied().collect();
    heads.sort_unstable();
    let variables = heads.iter().map(|head| graph.spds.variables(*head));
    let mut elimination = Elimination::new(relations, graph.watch, 1, variables.collect());
    for (from, head) in heads.iter().enumerate() {
        for edge in graph.edges_from(*head) {
            if let Ok(to) = heads.binary_search(&edge.to)
                && let Some(paths) =
                    paths(graph, &relations, &edge, [&sets[head], &sets[&edge.to]])?
            {
                elimination.add(from, to, paths)?;
            }
        }
    }
    // Heads that are no configurations first, so that what is found is one.
    let is_internal = |node: &usize| graph.spds.is_internal(heads[*node]);
    elimination.take_first((0..heads.len()).filter(is_internal).collect());
    let found = elimination.cycles(all, |node| Ok(sets[&heads[node]].clone()))?;
    let named = |(node, set): (usize, Bdd)| -> (Head, Bdd) { (heads[node], set) };
    Ok(found.into_iter().map(named).collect())
}

/// The paths along an edge from one set of valuations to another.
fn paths(
    graph: &HeadGraph<'_>,
    relations: &Relations<'_>,
    edge: &RoughEdge,
    [before, after]: [&Bdd; 2],
) -> Result<Option<Paths>, Abort> {
    let spds = graph.spds;
    let memory = spds.memory.map_or(Vec::new(), |(a, b)| vec![a, b]);
    let paths = match edge.route {
        Route::Enter => Some(entering_paths(spds, relations, edge.rule, &memory)?),
        Route::Step | Route::Return => {
            let summaries = |entry: EntryId| graph.summary(entry).cloned();
            staying_paths(spds, relations, edge.rule, &summaries, &memory)?
        }
    };
    let Some(Paths { all, accepting }) = paths else {
        return Ok(None);
    };
    let between = |relation| relations.between(relation, before, after);
    Ok(Some(Paths {
        all: between(&all)?,
        accepting: accepting.as_ref().map(between).transpose()?,
    }))
}
