//! From a path to a trace on the board: concrete, replayed, and of a length to be shown.

use super::model::Model;
use super::{CheckError, Phase, TraceFinding};
use crate::interpreter::replay::{Location, Trace, replay};
use crate::property::Temporal;
use crate::witness::AbstractTrace;
use crate::witness::concrete::{concretize, unfold, unfolded_length};

/// What a trace is to show.
pub enum Claim<'a> {
    /// A finite execution to a place.
    Reaches,
    /// An infinite execution.
    RunsForEver,
    /// An infinite execution that violates a property.
    Violates(&'a Temporal),
}

/// Makes a trace concrete, replays it, and keeps it.
pub fn explain(
    model: &Model<'_>,
    property: usize,
    path: &AbstractTrace,
    claim: Claim<'_>,
) -> Result<(), CheckError> {
    let mut folded = concretize(&model.concretizer(), path)
        .map_err(|_| CheckError::Internal("the interpreter could not follow a trace".into()))?;
    if !matches!(claim, Claim::Reaches) {
        stay_stopped(&mut folded);
    }
    let length = unfolded_length(&folded);
    let limit = model.options.trace_limit;
    model.board.enter(Phase::Replay);
    let finding = if length <= limit {
        let trace = unfold(&folded);
        confirm(model, &trace, &claim)?;
        TraceFinding::Found(trace)
    } else {
        confirm(model, &folded, &claim)?;
        let shown = folded.stem.len() + folded.cycle.len();
        match shown as u64 <= limit {
            true => TraceFinding::Found(folded),
            false => TraceFinding::TooLong(length),
        }
    };
    let observed = match claim {
        Claim::Violates(temporal) => temporal.observed(),
        Claim::Reaches | Claim::RunsForEver => Vec::new(),
    };
    model.board.explain(property, finding, observed);
    Ok(())
}

/// A program that has stopped goes on for ever by staying where it is.
fn stay_stopped(trace: &mut Trace) {
    if let Some(last) = trace.stem.last()
        && last.view().is_none()
        && trace.cycle.is_empty()
    {
        trace.cycle = vec![last.clone()];
    }
}

/// Nothing is shown that was not replayed and does not show what it should.
fn confirm(model: &Model<'_>, trace: &Trace, claim: &Claim<'_>) -> Result<(), CheckError> {
    replay(model.program, trace)?;
    let stopped = |location| matches!(location, Location::Error | Location::Terminated);
    let shows = match claim {
        Claim::Reaches => trace.cycle.is_empty(),
        Claim::RunsForEver => {
            !trace.cycle.is_empty() && !trace.cycle.iter().any(|step| stopped(step.location))
        }
        Claim::Violates(temporal) => {
            !trace.cycle.is_empty() && temporal.is_violated_by(model.program, trace)
        }
    };
    match shows {
        true => Ok(()),
        false => Err(CheckError::Internal(
            "a trace does not show what it should".into(),
        )),
    }
}
