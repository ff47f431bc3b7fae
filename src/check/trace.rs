//! From a path to a trace on the board: concrete, replayed, and of a length to be shown.

use super::model::Model;
use super::{Board, Options, Phase, TraceFinding};
use crate::error::Error;
use crate::limits::retrace::{FOLDED_STEPS, LOWERED_STEPS};
use crate::limits::witness::CALLS_A_RING;
use crate::property::{Property, Temporal};
use crate::retrace::{Original, Rounds, Shows, retrace, retrace_folded};
use crate::rules::Subject;
use crate::saturation::PostStar;
use crate::trace::failure::Failure;
use crate::trace::{Fold, Step, Trace};
use crate::watch::Stop;
use crate::witness::fold::unfold::{show_nested, unfold, unfolded_length};
use crate::witness::{AbstractTrace, Search, concretize};
use std::borrow::Cow;
use std::cell::OnceCell;

/// What a trace is to show.
pub enum Claim<'a> {
    /// A finite execution to what a property asks for.
    Reaches(&'a Property),
    /// An infinite execution.
    RunsForEver,
    /// An infinite execution that violates a property.
    Violates(&'a Temporal),
}

/// The searches for traces after a `post*`.
pub struct Traces<'m> {
    model: &'m Model<'m>,
    post_star: &'m PostStar<'m>,
    /// A `post*` without shortcuts through deep recursion, once it is needed.
    plain: OnceCell<PostStar<'m>>,
}

impl<'m> Traces<'m> {
    pub fn new(model: &'m Model<'m>, post_star: &'m PostStar<'m>) -> Self {
        model.turn_to_traces();
        Traces {
            model,
            post_star,
            plain: OnceCell::new(),
        }
    }

    /// A trace by a search. Where a deep recursion was closed and it would not be too long,
    /// there may be one without anything folded: by following the recursion call by call.
    pub fn find(
        &self,
        find: impl Fn(Search<'_>) -> Result<Option<AbstractTrace>, Stop>,
    ) -> Result<Option<AbstractTrace>, Error> {
        let (model, post_star) = (self.model, self.post_star);
        if !post_star.is_deep() {
            return Ok(find(model.search(post_star.summaries(), false))?);
        }
        let folded = find(model.search(post_star.summaries(), true))?;
        let repeated = folded.as_ref().map(AbstractTrace::most_repeated);
        let few = CALLS_A_RING.saturating_mul(model.options.trace_patience as u64);
        if repeated.is_some_and(|rounds| rounds == 0 || rounds > few) {
            return Ok(folded);
        }
        let plain = match self.plain.get() {
            Some(plain) => plain,
            None => {
                let plain = model.without_shortcuts(post_star)?;
                self.plain.get_or_init(|| plain)
            }
        };
        let unfolded = find(model.search(plain.summaries(), true))?;
        Ok(unfolded.or(folded))
    }
}

/// Makes a trace concrete, replays it, and keeps it.
pub fn explain(
    model: &Model<'_>,
    property: usize,
    path: &AbstractTrace,
    claim: Claim<'_>,
) -> Result<(), Error> {
    let mut folded = concretize(&model.walker(), path)?;
    let wanted = |failure: &Failure| match claim {
        Claim::Reaches(property) => property.names(Some(failure)),
        Claim::RunsForEver | Claim::Violates(_) => true,
    };
    folded.failure = model.subject.failure(&folded, &wanted);
    if model.stays() && !matches!(claim, Claim::Reaches(_)) {
        stay_stopped(&mut folded);
    }
    let length = unfolded_length(&folded);
    let limit = model.options.trace_limit;
    model.board.enter(Phase::Replay);
    let finding = if length <= limit && folded.rounds.is_empty() && folded.nested.is_empty() {
        let mut trace = unfold(&folded);
        confirm(model, &mut trace, &claim)?;
        let temporal = match &claim {
            Claim::Violates(temporal) => Some(*temporal),
            Claim::Reaches(_) | Claim::RunsForEver => None,
        };
        let shows = |steps: &[usize], stem: usize| {
            still_violates(model.subject, temporal, &trace, steps, stem)
        };
        match enact(model.options, model.board, property, &trace, &shows)? {
            true => TraceFinding::Found(trace),
            false => TraceFinding::TooLong(length),
        }
    } else if !confirm(model, &mut folded, &claim)? {
        TraceFinding::TooDeep
    } else if let Some(provenance) = &model.options.provenance {
        let original = provenance.original();
        enact_folded(model, property, original, folded, &claim)?
    } else {
        let is_short = |trace: &Cow<'_, Trace>| {
            let shown = trace.stem.len() + trace.cycle.len();
            shown as u64 <= limit
        };
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let shown_repeats = show_nested(&folded, most)
            .filter(is_short)
            .map(|shown| repeats(&shown));
        match shown_repeats {
            Some(true) => TraceFinding::Repeating(length, folded),
            Some(false) => TraceFinding::Found(folded),
            // With all calls folded that return, there may be less to show.
            None if is_short(&Cow::Borrowed(&folded)) && !repeats(&folded) => {
                TraceFinding::Found(folded)
            }
            None => TraceFinding::TooLong(length),
        }
    };
    model.board.explain(property, finding);
    Ok(())
}

/// Executes a trace of a lowered C program there, of which parts are folded. Only samples of those were replayed: what is
/// no execution in C is not shown.
fn enact_folded(
    model: &Model<'_>,
    property: usize,
    original: Original<'_>,
    trace: Trace,
    claim: &Claim<'_>,
) -> Result<TraceFinding, Error> {
    let most = model.options.trace_limit;
    let length = unfolded_length(&trace);
    // Of a loop with folds it is not known whether it violates a formula in C.
    if matches!(claim, Claim::Violates(_)) && !trace.has_stopped() {
        return Ok(TraceFinding::TooLong(length));
    }
    let enact = |rounds: Rounds| retrace_folded(original, &trace, (rounds, most), model.watch);
    let whole = match length <= FOLDED_STEPS * LOWERED_STEPS {
        true => enact(Rounds::All)?,
        false => None,
    };
    let found = match whole {
        None => enact(Rounds::Samples)?,
        whole => whole,
    };
    let Some((execution, length)) = found else {
        return Ok(TraceFinding::TooLong(length));
    };
    let is_folded = !execution.trace.rounds.is_empty();
    model.board.enact(property, execution);
    Ok(match is_folded {
        true => TraceFinding::Repeating(length, trace),
        false => TraceFinding::Found(trace),
    })
}

/// Whether the infinite execution that goes through these steps of a trace, so many before its
/// loop, violates a temporal property, if there is one.
pub fn still_violates(
    subject: Subject<'_>,
    temporal: Option<&Temporal>,
    trace: &Trace,
    steps: &[usize],
    stem: usize,
) -> bool {
    temporal.is_none_or(|temporal| {
        let picked = picked(trace, steps, stem, temporal);
        temporal.is_violated_by(subject, &picked)
    })
}

/// The infinite execution that goes through these steps of a trace, so many before its loop. For one that is
/// only a part of a step the beginning of that step is taken.
fn picked(trace: &Trace, steps: &[usize], stem: usize, temporal: &Temporal) -> Trace {
    let all: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let begin = |at: usize| {
        let mut before = (0..=at).rev();
        before
            .find(|at| !temporal.is_silent(all[*at]))
            .unwrap_or(at)
    };
    let pick = |steps: &[usize]| steps.iter().map(|at| all[begin(*at)].clone()).collect();
    let (stem, cycle) = steps.split_at(stem);
    Trace {
        stem: pick(stem),
        cycle: pick(cycle),
        ..Trace::default()
    }
}

/// Executes a trace of a lowered C program there. Whether it can be shown.
pub fn enact(
    options: &Options,
    board: &Board,
    property: usize,
    trace: &Trace,
    shows: &Shows<'_>,
) -> Result<bool, Error> {
    let Some(provenance) = &options.provenance else {
        return Ok(true);
    };
    let limit = options.trace_limit;
    let execution = retrace(provenance.original(), trace, limit, shows)?;
    let is_shown = execution.is_some();
    if let Some(execution) = execution {
        board.enact(property, execution);
    }
    Ok(is_shown)
}

/// Whether something is shown that happens many times.
fn repeats(trace: &Trace) -> bool {
    let mut shown = trace.stem.iter().chain(&trace.cycle);
    shown.any(|step| matches!(step.folded, Some(Fold::Rounds(_) | Fold::Nested(_))))
}

/// There is a trace, but its recursion is deeper than anything that could be replayed.
pub fn too_deep(model: &Model<'_>, property: usize) {
    model.board.explain(property, TraceFinding::TooDeep);
}

/// A program that has stopped goes on for ever by staying where it is.
fn stay_stopped(trace: &mut Trace) {
    if let Some(last) = trace.stem.last()
        && last.is_stopped()
        && trace.cycle.is_empty()
    {
        trace.cycle = vec![last.clone()];
    }
}

/// Nothing is shown that was not replayed and does not show what it should. False if all that
/// is wrong is that the automaton may accept in nested frames only, where nobody has looked.
fn confirm(model: &Model<'_>, trace: &mut Trace, claim: &Claim<'_>) -> Result<bool, Error> {
    let subject = model.subject;
    let parts = trace.segments.iter().chain([&trace.stem, &trace.cycle]);
    let steps = parts.map(Vec::len).sum();
    trace.replayed = model.watch.begin_replay(steps);
    subject.replay(trace)?;
    let shows = match claim {
        Claim::Reaches(property) => trace.cycle.is_empty() && property.asks_for(trace),
        Claim::RunsForEver => !trace.cycle.is_empty() && !trace.cycle.iter().any(Step::is_stopped),
        Claim::Violates(temporal) => {
            !trace.cycle.is_empty() && temporal.is_violated_by(subject, trace)
        }
    };
    let may_be_hidden = matches!(claim, Claim::Violates(_)) && !trace.nested.is_empty();
    match shows || may_be_hidden {
        true => Ok(shows),
        false => Err(Error::Internal(
            "a trace does not show what it should".into(),
        )),
    }
}
