//! Cycles by sets of heads: what cannot be on an accepting path is taken away.
//!
//! *Trimming* takes away heads without a successor in the set. [`emerson_lei`] is the nested
//! fixed point νZ. μY. (accepting step into Z, or any step into Y); [`owcty`] alternates one
//! backward reachability from accepting steps with trimming. What is left is, in each case,
//! exactly the heads from which some path accepts for ever inside the set. Each round costs
//! one pre-image for each edge into what has changed.

use super::Sets;
use super::graph::{HeadGraph, RoughEdge};
use crate::bdd::Bdd;
use crate::spds::Head;
use crate::watch::Abort;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Takes away what has no successor in the set, until nothing changes or `rounds` heads
/// have been looked at.
fn trim(graph: &HeadGraph<'_>, sets: &mut Sets, rounds: &mut u64) -> Result<(), Abort> {
    let into = graph.edges_into(sets);
    let mut queue: VecDeque<Head> = sorted_heads(sets).into();
    let mut queued: FxHashSet<Head> = sets.keys().copied().collect();
    while let Some(head) = queue.pop_front() {
        queued.remove(&head);
        let Some(set) = sets.get(&head).cloned() else {
            continue;
        };
        graph.watch.check()?;
        graph.bdds.safe_point();
        *rounds = rounds.checked_sub(1).ok_or(Abort::OverBudget)?;
        let mut before = graph.bdds.constant(false);
        for edge in graph.edges_from(head) {
            if let Some(after) = sets.get(&edge.to) {
                before = graph.bdds.or(&before, &graph.before(&edge, after)?)?;
            }
        }
        let kept = graph.bdds.and(&set, &before)?;
        if kept == set {
            continue;
        }
        match graph.bdds.is_false(&kept) {
            true => sets.remove(&head),
            false => sets.insert(head, kept),
        };
        for edge in into.get(&head).into_iter().flatten() {
            if sets.contains_key(&edge.from) && queued.insert(edge.from) {
                queue.push_back(edge.from);
            }
        }
    }
    Ok(())
}

fn sorted_heads(sets: &Sets) -> Vec<Head> {
    let mut heads: Vec<_> = sets.keys().copied().collect();
    heads.sort_unstable();
    heads
}

/// The part of `sets` from which a path inside them comes to an accepting step into them.
fn reach_acceptance(graph: &HeadGraph<'_>, sets: &Sets, rounds: &mut u64) -> Result<Sets, Abort> {
    let into = graph.edges_into(sets);
    let mut reached = Sets::default();
    let mut pending: FxHashMap<Head, Bdd> = FxHashMap::default();
    let mut queue: VecDeque<Head> = VecDeque::new();
    let heads = sorted_heads(sets);
    for head in &heads {
        let mut accepting = graph.bdds.constant(false);
        for edge in graph.edges_from(*head) {
            if let Some(after) = sets.get(&edge.to) {
                let before = graph.before_accepting(&edge, after)?;
                accepting = graph.bdds.or(&accepting, &before)?;
            }
        }
        let here = graph.bdds.and(&accepting, &sets[head])?;
        if !graph.bdds.is_false(&here) {
            reached.insert(*head, here.clone());
            pending.insert(*head, here);
            queue.push_back(*head);
        }
    }
    while let Some(head) = queue.pop_front() {
        let Some(new) = pending.remove(&head) else {
            continue;
        };
        graph.watch.check()?;
        graph.bdds.safe_point();
        *rounds = rounds.checked_sub(1).ok_or(Abort::OverBudget)?;
        for edge in into.get(&head).into_iter().flatten() {
            add_before(
                graph,
                sets,
                edge,
                &new,
                &mut reached,
                &mut pending,
                &mut queue,
            )?;
        }
    }
    Ok(reached)
}

fn add_before(
    graph: &HeadGraph<'_>,
    sets: &Sets,
    edge: &RoughEdge,
    new: &Bdd,
    reached: &mut Sets,
    pending: &mut FxHashMap<Head, Bdd>,
    queue: &mut VecDeque<Head>,
) -> Result<(), Abort> {
    let bdds = graph.bdds;
    let before = bdds.and(&graph.before(edge, new)?, &sets[&edge.from])?;
    let known = reached
        .entry(edge.from)
        .or_insert_with(|| bdds.constant(false));
    let Some(fresh) = bdds.grow(known, &before)? else {
        return Ok(());
    };
    match pending.get_mut(&edge.from) {
        Some(waiting) => *waiting = bdds.or(waiting, &fresh)?,
        None => {
            pending.insert(edge.from, fresh);
            queue.push_back(edge.from);
        }
    }
    Ok(())
}

/// Backward reachability from accepting steps and trimming, in turn. Fails after `rounds`
/// heads have been looked at.
pub fn owcty(graph: &HeadGraph<'_>, mut sets: Sets, mut rounds: u64) -> Result<Sets, Abort> {
    trim(graph, &mut sets, &mut rounds)?;
    if graph.every_cycle_counts {
        return Ok(sets);
    }
    loop {
        let mut smaller = reach_acceptance(graph, &sets, &mut rounds)?;
        drop_empty(graph, &mut smaller);
        if smaller == sets {
            return Ok(sets);
        }
        sets = smaller;
        trim(graph, &mut sets, &mut rounds)?;
    }
}

/// The nested fixed point, without trimming. Fails after `rounds` heads have been looked at.
pub fn emerson_lei(graph: &HeadGraph<'_>, mut sets: Sets, mut rounds: u64) -> Result<Sets, Abort> {
    loop {
        let mut smaller = reach_acceptance(graph, &sets, &mut rounds)?;
        drop_empty(graph, &mut smaller);
        if smaller == sets {
            return Ok(sets);
        }
        sets = smaller;
    }
}

fn drop_empty(graph: &HeadGraph<'_>, sets: &mut Sets) {
    sets.retain(|_, set| !graph.bdds.is_false(set));
}
