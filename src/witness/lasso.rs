//! Infinite executions: a path to a repeating head, and a cycle from there.
//!
//! The heads given are those from which some path accepts for ever, so a path need not be
//! on a cycle yet when it comes to one of them. A cycle through the place
//! where it ends is searched; if there is none, the path goes on, inside the set, to a
//! place behind an accepting step, from which there is no way back. That cannot happen more
//! often than the graph has components; where the search is limited, it is not done often.

use super::path::{Move, Path, Transition};
use super::query::Query;
use super::search::Search;
use super::segments::AbstractTrace;
use crate::bdd::Bdd;
use crate::bits;
use crate::cycles::{Repeating, Sets};
use crate::limits::witness::LASSO_TRIES;
use crate::spds::{Head, Right};
use crate::watch::Stop;

/// An execution that ends up in `repeating` for ever and accepts; `None` if none of these
/// heads can be reached.
pub fn find_lasso(
    search: &Search<'_>,
    repeating: &Repeating,
) -> Result<Option<AbstractTrace>, Stop> {
    let Some(mut stem) = stem_to(search, &repeating.sets)? else {
        return Ok(None);
    };
    let within = repeating.closed.then_some(&repeating.sets);
    let tries = match search.is_limited() {
        true => LASSO_TRIES,
        false => usize::MAX,
    };
    for _ in 0..tries {
        let (head, values) = stem.end();
        if search.graph.spds.stopped.contains(&head) {
            // It stays as it is for ever, whatever the automaton does meanwhile.
            return AbstractTrace::new(search, stem, None);
        }
        let here = point(search, head, values)?;
        let back = |at: Head| Ok((at == head).then(|| here.clone()));
        let query = Query {
            head,
            set: here.clone(),
            before_stamp: u64::MAX,
            may_enter: true,
            within,
            accepting: true,
            moves_on: true,
            through: None,
            jumps: None,
            goal: &back,
        };
        if let Some(cycle) = search.shortest(&query)? {
            return AbstractTrace::new(search, stem, Some(cycle));
        }
        let truth = search.graph.bdds.constant(true);
        let anywhere = |at: Head| Ok((!search.graph.spds.is_internal(at)).then(|| truth.clone()));
        let further = search.shortest(&Query {
            goal: &anywhere,
            ..query
        })?;
        match further {
            Some(path) => stem.moves.extend(path.moves),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The valuations that agree with these values, the memory of acceptance aside.
fn point(search: &Search<'_>, head: Head, values: &[bool]) -> Result<Bdd, Stop> {
    let memory = search.graph.spds.memory;
    let is_memory = |v: u32| memory.is_some_and(|(a, b)| v == a || v == b);
    let variables = bits::members(search.graph.spds.variables(head)).filter(|v| !is_memory(*v));
    Ok(search.graph.minterm(values, variables)?)
}

/// A shortest path to one of these heads; to the one below the lowest frame, if that is
/// among them and nearer.
fn stem_to(search: &Search<'_>, repeating: &Sets) -> Result<Option<Path>, Stop> {
    let goal = |head: Head| {
        let set = repeating
            .get(&head)
            .filter(|_| !search.graph.spds.is_internal(head));
        Ok(set.cloned())
    };
    let running = search.shortest(&search.query_to(&goal))?;
    let spds = search.graph.spds;
    let Some((bottom, set)) = spds.bottom.and_then(|b| Some((b, repeating.get(&b)?))) else {
        return Ok(running);
    };
    // Inside the lowest frame, to where it can be popped into the set, or to where the
    // automaton gets into it while nothing else happens.
    let set = &spds.before_bottom(search.graph.bdds, set)?;
    let popped = |head: Head| {
        let mut pops = spds.rules_from(head).map(|id| (id, spds.rule(id)));
        match pops.find(|(_, rule)| matches!(rule.right, Right::Pop { .. })) {
            Some((_, rule)) => Ok(Some(spds.transfer(rule).preimage(search.graph.bdds, set)?)),
            None => Ok(None),
        }
    };
    let query = Query {
        may_enter: false,
        ..search.query_to(&popped)
    };
    let Some(mut terminating) = search.shortest(&query)? else {
        return Ok(running);
    };
    if running
        .as_ref()
        .is_some_and(|r| r.moves.len() <= terminating.moves.len())
    {
        return Ok(running);
    }
    let (head, values) = terminating.end();
    let values = values.into();
    if let Some(rule) = spds.rules_from(head).next() {
        terminating.moves.push(Move {
            by: Transition::Rule(rule),
            head: bottom,
            values,
        });
    }
    Ok(Some(terminating))
}
