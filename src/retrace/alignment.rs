//! Which step of a lowered trace each step of C stands for.
//!
//! Both go through the same places of the source, in the same functions and depths; but a step of
//! C may be several of the lowered program, or none. So the lists are walked side by side: a
//! step of C is the next lowered one in its place, unless one of the steps after it comes first.
//! Linear, times how far is looked ahead.

use super::Original;
use super::walk::Moment;
use crate::program::{Action, PointId, Program};
use crate::source::Span;
use crate::trace::Step;
use crate::typing::c::tree::FunctionId;
use rustc_hash::FxHashMap;

/// So many steps of C are looked at to see whether one comes first.
const AHEAD: usize = 16;
/// So many lowered steps are looked at.
const FAR: usize = 256;
/// A step of C has a few lowered ones before that of its place.
const NEAR: usize = 3;

/// Where a step is: its function, its depth, its place.
type Site = (FunctionId, u64, Span);

/// For each moment, a number of a lowered step. From the last on, it goes on with the first of the
/// cycle, which has this number if there is one.
pub fn align(
    original: Original<'_>,
    steps: &[&Step],
    cycle: usize,
    moments: &[Moment],
) -> Vec<usize> {
    let Original {
        program, origin, ..
    } = original;
    let starts_apart = origin.functions[program.entry.0 as usize].is_none();
    let site = |step: &&Step| -> Option<Site> {
        let point = PointId(step.at()?);
        let procedure = program.point(point).procedure;
        let function = origin.functions[procedure.0 as usize]?;
        let depth = step.depth - u64::from(starts_apart);
        Some((function, depth, origin.point(point).span))
    };
    let sites: Vec<Option<Site>> = steps.iter().map(site).collect();
    let wanted: Vec<Site> = moments
        .iter()
        .map(|moment| {
            let state = &moment.state;
            (state.function, state.depth as u64, state.step.span)
        })
        .collect();
    // What is looked for just now, and how often.
    let mut ahead: FxHashMap<Site, usize> = FxHashMap::default();
    wanted
        .iter()
        .take(AHEAD)
        .for_each(|site| *ahead.entry(*site).or_default() += 1);
    let last = steps.len().saturating_sub(1);
    let number = |at: usize| match at.checked_sub(steps.len()) {
        None => Some(at),
        Some(_) if cycle >= steps.len() => None,
        Some(over) => Some(cycle + over % (steps.len() - cycle)),
    };
    let growth = growth(program, steps, cycle);
    // Each round of a cycle may be deeper than the one before.
    let site_at = |at: usize| {
        let (function, depth, span) = sites[number(at)?]?;
        let over = (at + 1).saturating_sub(steps.len());
        let round = over.div_ceil(steps.len().saturating_sub(cycle).max(1));
        Some((function, depth + growth * round as u64, span))
    };
    let mut at = 0;
    let mut aligned = Vec::with_capacity(moments.len());
    for (k, own) in wanted.iter().enumerate() {
        let is_ahead = |at: &usize| site_at(*at).is_some_and(|site| ahead.contains_key(&site));
        let first = (at..at + FAR).find(is_ahead);
        let found = first.and_then(|first| {
            let mut near = first..first + NEAR;
            near.find(|at| site_at(*at) == Some(*own))
        });
        let taken = match found {
            Some(found) => {
                at = found + 1;
                found
            }
            // What is left of a step whose lowered one has been taken.
            None => {
                let before = at.checked_sub(1).filter(|before| {
                    let site = site_at(*before);
                    site.is_some_and(|(function, depth, _)| (function, depth) == (own.0, own.1))
                });
                before.unwrap_or(at)
            }
        };
        aligned.push(number(taken).unwrap_or(last));
        if let Some(count) = ahead.get_mut(own) {
            *count -= 1;
            if *count == 0 {
                ahead.remove(own);
            }
        }
        if let Some(next) = wanted.get(k + AHEAD) {
            *ahead.entry(*next).or_default() += 1;
        }
    }
    aligned
}

/// By how many frames the stack grows in each round of a cycle.
fn growth(program: &Program, steps: &[&Step], cycle: usize) -> u64 {
    let (Some(first), Some(last)) = (steps.get(cycle), steps.last()) else {
        return 0;
    };
    let action = last.at().map(|at| &program.point(PointId(at)).action);
    let after = match action {
        Some(Action::Call(_)) => last.depth + 1,
        Some(Action::Exit) => last.depth.saturating_sub(1),
        _ => last.depth,
    };
    after.saturating_sub(first.depth)
}
