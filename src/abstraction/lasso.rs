//! An infinite execution of the boolean program, tried on the program.
//!
//! Its loop is unrolled, round by round. If some number of rounds cannot be made, that path is
//! excluded like any other. Otherwise it is asked whether the program can be in the same configuration
//! after one of the rounds as after an earlier one: then it goes round for ever. A loop that neither
//! ends nor repeats within some rounds, like one that counts far, stays open.

use super::build::Workshop;
use super::path::{Path, Walk};
use crate::limits::abstraction::{LASSO_ROUNDS, PATH_CONFLICTS, REPEATED_ROUNDS};
use crate::sat::{Answer, Prover};
use crate::terms::{Assignment, Sort, Term};
use crate::trace::{Step, Trace};
use crate::watch::Abort;

/// What is found out about a lasso.
pub enum LassoTrial {
    /// It is an execution.
    Execution(Box<Trace>),
    /// This path, of the stem and some rounds, is none: these events of it exclude each other.
    Excluded(Path, Vec<usize>),
    /// It goes on for some rounds at least, and does not repeat in these.
    Open,
}

/// Tries a stem and a loop; a loop without events stays where the stem ends.
pub fn try_lasso(
    workshop: &mut Workshop<'_>,
    stem: &Path,
    round: &Path,
) -> Result<LassoTrial, Abort> {
    let watch = workshop.watch.clone();
    let mut walk = Walk::new(workshop);
    let mut prover = Prover::new(&watch, PATH_CONFLICTS);
    let mut path = stem.clone();
    stem.events.iter().for_each(|event| walk.follow(*event));
    // Where each round ends.
    let mut ends = vec![walk.moments.len() - 1];
    let found = loop {
        watch.check()?;
        match prover.solve(&walk.workshop.terms, &walk.conditions)? {
            Answer::Unsatisfiable(core) => {
                let chosen: Vec<Term> = core.iter().map(|place| walk.conditions[*place]).collect();
                let minimal = prover.minimal_core(&walk.workshop.terms, &chosen)?;
                let minimal = minimal.unwrap_or_default();
                let core = minimal.iter().map(|place| core[*place]).collect();
                break LassoTrial::Excluded(path, core);
            }
            Answer::Satisfiable(model) if round.events.is_empty() => {
                let mut trace = walk.trace(&model, walk.moments.len());
                trace.failure = walk.failure(&trace, stem, &model, &|_| true);
                trace.cycle = trace.stem.last().cloned().into_iter().collect();
                break LassoTrial::Execution(Box::new(trace));
            }
            Answer::Satisfiable(_) => {}
        }
        if let Some(trace) = repeating(&mut walk, &mut prover, &ends)? {
            break LassoTrial::Execution(Box::new(trace));
        }
        if ends.len() > LASSO_ROUNDS {
            break LassoTrial::Open;
        }
        round.events.iter().for_each(|event| walk.follow(*event));
        path.events.extend(&round.events);
        ends.push(walk.moments.len() - 1);
    };
    (0..prover.calls()).for_each(|_| walk.workshop.calls.count());
    Ok(found)
}

/// An execution in which the last round ends as an earlier one did, in the place where the
/// stack is lowest: what is below is never looked at then.
fn repeating(
    walk: &mut Walk<'_, '_>,
    prover: &mut Prover,
    ends: &[usize],
) -> Result<Option<Trace>, Abort> {
    let [.., begin, end] = *ends else {
        return Ok(None);
    };
    let depths = walk.moments[begin..end].iter().zip(0..);
    let lowest = depths.min_by_key(|(moment, at)| (moment.depth, *at));
    let Some((_, shift)) = lowest else {
        return Ok(None);
    };
    // The round that ends there begins so much after an end.
    let rounds = match shift {
        0 => ends,
        _ => &ends[..ends.len() - 1],
    };
    let Some((last, earlier)) = rounds.split_last() else {
        return Ok(None);
    };
    for first in earlier.iter().rev().take(REPEATED_ROUNDS) {
        let places = [first + shift, last + shift];
        let alike = alike(walk, places);
        if alike == Term::FALSE {
            continue;
        }
        let mut assumed = walk.conditions.clone();
        assumed.push(alike);
        match prover.solve(&walk.workshop.terms, &assumed) {
            Ok(Answer::Satisfiable(model)) => return Ok(Some(lasso(walk, &model, places))),
            Ok(Answer::Unsatisfiable(_)) | Err(Abort::OverBudget) => {}
            Err(stopped) => return Err(stopped),
        }
    }
    Ok(None)
}

/// Whether two configurations are alike.
fn alike(walk: &mut Walk<'_, '_>, places: [usize; 2]) -> Term {
    let [a, b] = places.map(|place| &walk.moments[place]);
    if a.location != b.location || a.returns.is_some() != b.returns.is_some() {
        return Term::FALSE;
    }
    let returned = a.returns.iter().flatten().zip(b.returns.iter().flatten());
    let cells = a.globals.iter().zip(&b.globals);
    let cells = cells.chain(a.locals.iter().zip(&b.locals)).chain(returned);
    let terms = &mut walk.workshop.terms;
    let mut alike = Term::TRUE;
    for (a, b) in cells {
        let same = match terms.sort(*a) {
            Sort::Truth => {
                let different = terms.different(*a, *b);
                terms.not(different)
            }
            Sort::Number(_) => terms.same(*a, *b),
        };
        alike = terms.and(alike, same);
    }
    alike
}

fn lasso(walk: &Walk<'_, '_>, model: &Assignment, [first, last]: [usize; 2]) -> Trace {
    let mut trace = walk.trace(model, last + 1);
    trace.cycle = trace.stem.split_off(first + 1);
    // It goes on as it did the first time.
    if let (Some(begin), Some(end)) = (trace.stem.last().map(next), trace.cycle.last_mut()) {
        (end.rule, end.below) = begin;
    }
    trace
}

fn next(step: &Step) -> (Option<u32>, Box<[u64]>) {
    (step.rule, step.below.clone())
}
