//! Which step of a lowered trace each step of C stands for.
//!
//! Both go through the same places of the source, in the same functions and depths; but a step of
//! C may be several of the lowered program, or none. So the lists are walked side by side: a
//! step of C is the next lowered one in its place, unless one of the steps after it comes first.
//! Linear, times how far is looked ahead.

use super::Original;
use super::walk::Moment;
use crate::program::PointId;
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

/// For each moment, a number of a lowered step.
pub fn align(original: Original<'_>, steps: &[&Step], moments: &[Moment]) -> Vec<usize> {
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
    let mut at = 0;
    let mut aligned = Vec::with_capacity(moments.len());
    for (k, own) in wanted.iter().enumerate() {
        let far = &sites[at.min(sites.len())..sites.len().min(at + FAR)];
        let first = far
            .iter()
            .position(|site| site.is_some_and(|site| ahead.contains_key(&site)));
        let found = first.and_then(|first| {
            let near = far[first..].iter().take(NEAR);
            let found = near.into_iter().position(|site| *site == Some(*own))?;
            Some(first + found)
        });
        match found {
            Some(found) => {
                aligned.push(at + found);
                at += found + 1;
            }
            // What is left of a step whose lowered one has been taken.
            None => {
                let before = at.checked_sub(1).filter(|before| {
                    let site = sites.get(*before).copied().flatten();
                    site.is_some_and(|(function, depth, _)| (function, depth) == (own.0, own.1))
                });
                aligned.push(before.unwrap_or(at).min(last));
            }
        }
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
