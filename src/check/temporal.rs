//! Symbolic checks of temporal properties, in the order of the paper's outline.
//!
//! The product of the program and the automaton of the forbidden executions; its reachable
//! heads; and among them the repeating ones, from which an execution accepts for ever.

use super::model::Model;
use super::reachability::no_trace;
use super::trace::{Claim, Traces, explain, too_deep};
use super::vacuity::unseen_atoms;
use super::{Direction, Phase};
use crate::cycles::{Candidates, HeadGraph};
use crate::error::Error;
use crate::property::Temporal;
use crate::saturation::{PostStar, PreStar};
use crate::spds::Head;
use crate::witness::find_lasso;
use ltl2ba_rs::Class;

/// Decides one temporal property; `model` is that of the product. False if some of its
/// propositions were never seen to be true, or no infinite execution was.
pub fn check(model: &Model<'_>, index: usize, temporal: &Temporal) -> Result<bool, Error> {
    let (options, board) = (model.options, model.board);
    board.enter(Phase::Saturation);
    if options.direction == Direction::Backward {
        let violated = backward(model)?;
        board.decide(index, super::verdict(violated));
        if !violated || !options.trace {
            return Ok(false);
        }
    }
    let mut post_star = model.post_star()?;
    if let Some(accepting) = &model.spds.accepting
        && !options.trace
        && temporal.forbidden.class() == Class::Terminal
        && !model.rules.can_be_cut_off
    {
        // Once a terminal automaton accepts, every way to go on is accepted, and there is one.
        let violated = post_star.run_until(accepting.clone())?;
        board.decide(index, super::verdict(violated));
        return sees_all_propositions(model, &post_star, temporal);
    }
    post_star.run(|_| false)?;
    board.measure(|statistics| {
        statistics.edges = statistics.edges.max(post_star.edge_count());
        let reached = model.reached_points(&post_star);
        statistics.reached_points = statistics.reached_points.max(reached);
    });
    let repeating = model.repeating(&post_star)?;
    board.decide(index, super::verdict(repeating.is_some()));
    if repeating.is_none() && options.direction == Direction::Backward {
        // The search backwards has found a violation, and this one has not.
        return Err(no_trace());
    }
    let Some(repeating) = repeating.filter(|_| options.trace) else {
        return sees_all_propositions(model, &post_star, temporal);
    };
    board.enter(Phase::Trace);
    let traces = Traces::new(model, &post_star);
    match traces.find(|search| find_lasso(&search, &repeating))? {
        None if post_star.is_deep() => too_deep(model, index),
        None => return Err(no_trace()),
        Some(lasso) => explain(model, index, &lasso, Claim::Violates(temporal))?,
    }
    Ok(true)
}

/// Whether the start is in `pre*` of the repeating heads, which are here all there are, not
/// only the reachable ones.
pub fn backward(model: &Model<'_>) -> Result<bool, Error> {
    let (spds, bdds) = (model.spds, model.bdds);
    let summaries = PreStar::new(spds, bdds, model.watch, [])?.summaries()?;
    model.board.enter(Phase::Cycles);
    let graph = HeadGraph::new(spds, model.copies, model.watch, summaries)?;
    let truth = bdds.constant(true);
    let universe = |_| Ok(truth.clone());
    let heads: Vec<_> = (0..spds.heads() as u32).map(Head).collect();
    let candidates = Candidates {
        graph: &graph,
        universe: &universe,
        heads: &heads,
    };
    let repeating = candidates.repeating(model.options.cycles, true)?;
    model.board.enter(Phase::Saturation);
    match repeating {
        None => Ok(false),
        Some(repeating) => {
            let goals = repeating.sets.into_iter();
            Ok(PreStar::new(spds, bdds, model.watch, goals)?.run()?)
        }
    }
}

/// Whether every proposition is true somewhere the product comes to, and the program cannot
/// be cut off: then there is nothing vacuous about a verdict.
fn sees_all_propositions(
    model: &Model<'_>,
    post_star: &PostStar<'_>,
    temporal: &Temporal,
) -> Result<bool, Error> {
    Ok(!model.rules.can_be_cut_off && unseen_atoms(model, post_star, temporal)?.is_empty())
}
