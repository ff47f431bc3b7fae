//! Executions as lists of steps, and the check that a list is one.
//!
//! Nothing is believed: each step must follow from the one before by the meaning of the
//! program, with the real stack. A call that is folded stands on a *segment*, the execution
//! of the called frame from its entry to its exit, which is replayed once however often it
//! is used. Where the rounds of a loop are folded, the *samples* among them are replayed; the
//! others are not.

use super::failure::Failure;
use super::step::{Outcome, Wish, choose, choose_resumption};
use super::{Valuation, View, Waiting};
use crate::program::{PointId, Program, VariableId};
use std::cmp::Ordering;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    At(PointId),
    Error,
    Terminated,
}

/// A configuration, without what is below the top frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub location: Location,
    /// How many frames are below.
    pub depth: u64,
    /// In *error* and *terminated*: the globals only.
    pub valuation: Valuation,
    /// At an exit, the values that a `return` has fixed.
    pub returns: Option<Box<[u64]>>,
    /// What lies folded between this step and the next.
    pub folded: Option<Fold>,
}

/// A part of an execution that is not shown step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The whole execution of a call: the next step is the one after its return.
    Call(SegmentId),
    /// Rounds of a loop: the next step is in the same place.
    Rounds(RoundsId),
    /// Frames above each other, from the entry of the lowest: the next step is its exit, or,
    /// where the frames inside are shown, the entry of the next one that is.
    Nested(NestedId),
    /// The same frames, from the exit of the highest one: the next step is the one after the
    /// exit of the lowest. Only where they are shown.
    Returned(NestedId),
}

/// An index into [`Trace::nested`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NestedId(pub u32);

/// An index into [`Trace::rounds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoundsId(pub u32);

/// An index into [`Trace::segments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId(pub u32);

/// A finite execution, or an infinite one as a stem and a loop.
#[derive(Clone, Debug)]
pub struct Trace<S = Step> {
    pub stem: Vec<S>,
    /// Empty for a finite execution.
    pub cycle: Vec<S>,
    /// What folded calls and rounds stand on. A segment uses only segments before it, and
    /// depths count from its own frame. That of a call leads from a procedure's entry to its
    /// exit, a round from a place back to itself.
    pub segments: Vec<Vec<S>>,
    /// The samples of folded rounds, in order.
    pub rounds: Vec<Vec<Sample>>,
    /// Frames nested too deep to be segments of their own.
    pub nested: Vec<Nested>,
    /// If the execution comes to *error*: why.
    pub failure: Option<Failure>,
}

/// A round of a loop that was made step by step, and stands for some more after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub segment: SegmentId,
    /// How many rounds these are, itself counted.
    pub rounds: u64,
    /// The states of the property's automaton, if there is one, with which it begins and
    /// ends. Nothing here looks at them.
    pub states: [u32; 2],
}

/// Frames above each other that were not made step by step. What stands for the lowest is a
/// segment of two steps, its entry and its exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// How many rounds of frames these are.
    pub rounds: u64,
    /// The frames of the round after them, the lowest first. Like the first frame that was not
    /// made, its lowest is one of the same procedure.
    pub round: Vec<SegmentId>,
    /// What the last of these calls.
    pub inner: SegmentId,
    /// The states of the property's automaton, if there is one, with which the lowest frame is
    /// entered and left, and the same of the lowest in `round`.
    pub states: [[u32; 2]; 2],
}

/// How many steps folded rounds have, if the samples have these lengths: each pair is how
/// many rounds a sample stands for, and how many steps it has. Between two samples lengths are taken to
/// change evenly. So the number is exact where all rounds are alike, or each has as many steps
/// more than the one before; otherwise it is an estimate.
pub fn folded_length(samples: impl DoubleEndedIterator<Item = (u64, u64)>) -> u64 {
    let mut next = None;
    let mut sum: u128 = 0;
    for (rounds, steps) in samples.rev() {
        let (rounds, steps) = (u128::from(rounds), u128::from(steps));
        let first = next.unwrap_or(steps).min(steps);
        let growth = next.unwrap_or(steps).abs_diff(steps);
        // Growing, the first round has no part of the growth; shrinking, it has all of it.
        let weight = match first == steps {
            true => rounds.saturating_sub(1),
            false => rounds + 1,
        };
        let even = rounds.saturating_mul(first);
        let more = growth.saturating_mul(weight) / 2;
        sum = sum.saturating_add(even).saturating_add(more);
        next = Some(steps);
    }
    u64::try_from(sum).unwrap_or(u64::MAX)
}

impl<S> Default for Trace<S> {
    fn default() -> Self {
        Trace {
            stem: Vec::new(),
            cycle: Vec::new(),
            segments: Vec::new(),
            rounds: Vec::new(),
            nested: Vec::new(),
            failure: None,
        }
    }
}

impl<S> Trace<S> {
    /// The samples of folded rounds, and for each its steps.
    pub fn samples(&self, id: RoundsId) -> impl DoubleEndedIterator<Item = (Sample, &[S])> {
        let samples = self
            .rounds
            .get(id.0 as usize)
            .map_or(&[][..], |rounds| rounds);
        samples.iter().map(|sample| {
            let steps = self.segments.get(sample.segment.0 as usize);
            (*sample, steps.map_or(&[][..], |steps| steps))
        })
    }
}

/// What the steps of all traces have: a depth, and perhaps something that is folded there.
pub trait TraceStep: Clone {
    fn depth(&self) -> u64;
    fn folded(&self) -> Option<Fold>;
    fn fold(&mut self, folded: Option<Fold>);
    /// Puts further frames below.
    fn lift(&mut self, below: u64);
    /// Whether the two are in the same place.
    fn is_where(&self, other: &Self) -> bool;
    /// Whether the two are alike, whatever is below them or folded there.
    fn is_like(&self, other: &Self) -> bool;
}

impl TraceStep for Step {
    fn depth(&self) -> u64 {
        self.depth
    }

    fn folded(&self) -> Option<Fold> {
        self.folded
    }

    fn fold(&mut self, folded: Option<Fold>) {
        self.folded = folded;
    }

    fn lift(&mut self, below: u64) {
        // There is nothing below *error* and *terminated*.
        if matches!(self.location, Location::At(_)) {
            self.depth += below;
        }
    }

    fn is_where(&self, other: &Step) -> bool {
        self.location == other.location
    }

    fn is_like(&self, other: &Step) -> bool {
        self.is_where(other) && self.valuation == other.valuation && self.returns == other.returns
    }
}

/// The first place where a list is no execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub segment: Option<SegmentId>,
    /// The step that does not follow from the one before it.
    pub index: usize,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} does not follow", self.index + 1)?;
        match self.segment {
            Some(segment) => write!(f, " in segment {}", segment.0),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Mismatch {}

impl Step {
    /// The view of a step that is at a point.
    pub fn view(&self) -> Option<View> {
        match self.location {
            Location::At(at) => Some(View {
                at,
                valuation: self.valuation.clone(),
                returns: self.returns.clone(),
            }),
            _ => None,
        }
    }
}

/// How many frames rounds leave waiting, if each does as the samples do; `None` if these are
/// not alike.
pub fn waiting_after<S: TraceStep>(trace: &Trace<S>, samples: &[Sample]) -> Option<u64> {
    let steps = |sample: &Sample| trace.segments.get(sample.segment.0 as usize);
    let left = |sample: &Sample| Some(steps(sample)?.last()?.depth());
    let each = left(samples.first()?)?;
    if samples.iter().any(|sample| left(sample) != Some(each)) {
        return None;
    }
    let rounds = samples
        .iter()
        .try_fold(0_u64, |sum, sample| sum.checked_add(sample.rounds))?;
    rounds.checked_mul(each)
}

/// Whether folded rounds lead from a step to another, as far as that can be said by looking
/// at the samples, which must be among the first `replayed` segments: they are rounds, the
/// first begins where the fold does, the last ends where it ends, and where nothing lies
/// between two of them, one goes on where the other has ended.
pub fn rounds_follow<S: TraceStep>(
    trace: &Trace<S>,
    rounds: RoundsId,
    replayed: usize,
    before: &S,
    after: &S,
) -> bool {
    let mut at = Some(before);
    for (sample, steps) in trace.samples(rounds) {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
            return false;
        };
        let is_round = steps.len() > 1 && last.is_where(first);
        let goes_on = first.is_where(before) && at.is_none_or(|at| at.is_like(first));
        if !is_round || !goes_on || sample.segment.0 as usize >= replayed {
            return false;
        }
        at = (sample.rounds == 1).then_some(last);
    }
    let samples = trace.rounds.get(rounds.0 as usize);
    let deeper = samples.and_then(|samples| waiting_after(trace, samples));
    // The last sample is the last round.
    deeper.and_then(|deeper| before.depth().checked_add(deeper)) == Some(after.depth())
        && at.is_some_and(|at| at.is_like(after))
}

/// Whether nested frames may lie between an entry and an exit, as far as that can be said by
/// looking at the frame in their place deep inside, which must be among the first `replayed`
/// segments: it is of the same procedure.
pub fn nested_follow<S: TraceStep>(
    trace: &Trace<S>,
    nested: NestedId,
    replayed: usize,
    entry: &S,
) -> bool {
    let Some(nested) = trace.nested.get(nested.0 as usize) else {
        return false;
    };
    let is_known = |segment: &SegmentId| (segment.0 as usize) < replayed;
    let lowest = nested.round.first().filter(|_| nested.rounds > 0);
    let lowest = lowest.and_then(|lowest| trace.segments.get(lowest.0 as usize)?.first());
    nested.round.iter().all(is_known)
        && is_known(&nested.inner)
        && lowest.is_some_and(|lowest| lowest.is_where(entry))
}

/// Checks that the stem begins at the start and that every step follows.
pub fn replay(program: &Program, trace: &Trace) -> Result<(), Mismatch> {
    for (i, steps) in trace.segments.iter().enumerate() {
        let segment = Some(SegmentId(i as u32));
        let fail = |index| Mismatch { segment, index };
        let replay = Replay {
            program,
            trace,
            segments: i,
            failure: None,
        };
        replay.run(steps).map_err(fail)?;
    }
    let fail = |index| Mismatch {
        segment: None,
        index,
    };
    let first = trace.stem.first().ok_or_else(|| fail(0))?;
    if first.location != Location::At(program.entry_point()) {
        return Err(fail(0));
    }
    let replay = Replay {
        program,
        trace,
        segments: trace.segments.len(),
        failure: trace.failure.as_ref(),
    };
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    replay.run_all(&steps).map_err(fail)?;
    match closes(trace) {
        true => Ok(()),
        false => Err(fail(steps.len() - 1)),
    }
}

/// Whether the cycle, if there is one, ends where it begins, on a stack that has not become
/// lower, and never looks below: then it can be repeated for ever.
pub fn closes<S: TraceStep>(trace: &Trace<S>) -> bool {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return true;
    };
    first.is_like(last) && trace.cycle.iter().all(|step| step.depth() >= first.depth())
}

/// A frame that waits, the step of its call, and the one after that.
struct Below<'s> {
    waiting: Waiting,
    call: &'s Step,
    entered: &'s Step,
}

struct Replay<'a> {
    program: &'a Program,
    trace: &'a Trace,
    /// How many segments have been replayed, and may be used.
    segments: usize,
    failure: Option<&'a Failure>,
}

impl Replay<'_> {
    fn run(&self, steps: &[Step]) -> Result<(), usize> {
        self.run_all(&steps.iter().collect::<Vec<_>>())
    }

    /// Fails with the index of the step that does not follow.
    fn run_all(&self, steps: &[&Step]) -> Result<(), usize> {
        // The frames below the top one.
        let mut stack: Vec<Option<Below<'_>>> = Vec::new();
        if steps.first().is_some_and(|first| first.depth != 0) {
            return Err(0);
        }
        let returns = returns_of(steps);
        for (i, pair) in steps.windows(2).enumerate() {
            let returned = returns[i].map(|at| steps[at]);
            if !self.follows(pair[0], pair[1], returned, &mut stack) {
                return Err(i + 1);
            }
        }
        Ok(())
    }

    /// `returned` is, for a call, the step at which its frame goes on.
    fn follows<'s>(
        &self,
        before: &'s Step,
        after: &'s Step,
        returned: Option<&Step>,
        stack: &mut Vec<Option<Below<'s>>>,
    ) -> bool {
        let program = self.program;
        let Some(view) = before.view() else {
            // *Error* and *terminated* stay as they are for ever.
            return before == after;
        };
        match before.folded {
            Some(Fold::Call(segment)) => {
                return self.follows_call(before, &view, segment, after);
            }
            Some(Fold::Rounds(rounds)) => {
                // Nothing is known of the frames that they leave waiting.
                stack.extend((after.depth > before.depth).then_some(None));
                return rounds_follow(self.trace, rounds, self.segments, before, after);
            }
            Some(Fold::Nested(nested)) => {
                let exit = program.procedure_of(view.at).exit();
                return after.location == Location::At(exit)
                    && after.depth == before.depth
                    && nested_follow(self.trace, nested, self.segments, before);
            }
            Some(Fold::Returned(_)) => return false,
            None => {}
        }
        let exactly = Exactly {
            step: after,
            returned,
        };
        let wanted = after.view();
        let outcome = choose(program, &view, &exactly, |outcome| match outcome {
            Outcome::Next(view) | Outcome::Enter(view, _) => Some(view) == wanted.as_ref(),
            Outcome::Leave { .. } => true,
            Outcome::Error(failure) => self.fails(after, failure),
        });
        match outcome {
            None => false,
            Some(Outcome::Error(_)) => only_globals(after, before.valuation.globals()),
            Some(Outcome::Next(_)) => after.depth == before.depth,
            Some(Outcome::Enter(_, waiting)) => {
                stack.push(Some(Below {
                    waiting,
                    call: before,
                    entered: after,
                }));
                after.depth == before.depth + 1
            }
            Some(Outcome::Leave { globals, returns }) => match stack.pop() {
                None => after.location == Location::Terminated && only_globals(after, &globals),
                Some(None) => false,
                Some(Some(below)) => {
                    self.resumes_somehow(&below, &globals, returns.as_deref(), after)
                        && (after.view().is_none() || after.depth + 1 == before.depth)
                }
            },
        }
    }

    /// Whether a step is in *error* for this reason.
    fn fails(&self, step: &Step, failure: &Failure) -> bool {
        step.location == Location::Error && self.failure == Some(failure)
    }

    fn resumes_somehow(
        &self,
        below: &Below<'_>,
        globals: &[u64],
        returns: Option<&[u64]>,
        after: &Step,
    ) -> bool {
        if self.resumes(&below.waiting, globals, returns, after) {
            return true;
        }
        // What waits may have been chosen, seen by an index, and then overwritten.
        let (call, entered) = (below.call.view(), below.entered.view());
        let wish = Exactly {
            step: below.entered,
            returned: None,
        };
        let accept = |outcome: &Outcome| match outcome {
            Outcome::Enter(view, waiting) => {
                Some(view) == entered.as_ref() && self.resumes(waiting, globals, returns, after)
            }
            _ => false,
        };
        call.is_some_and(|call| choose(self.program, &call, &wish, accept).is_some())
    }

    fn resumes(
        &self,
        waiting: &Waiting,
        globals: &[u64],
        returns: Option<&[u64]>,
        after: &Step,
    ) -> bool {
        let wanted = after.view();
        let wish = Exactly {
            step: after,
            returned: None,
        };
        let accept = |outcome: &Outcome| match outcome {
            Outcome::Next(view) => Some(view) == wanted.as_ref(),
            Outcome::Error(failure) => self.fails(after, failure) && only_globals(after, globals),
            Outcome::Enter(..) | Outcome::Leave { .. } => false,
        };
        choose_resumption(self.program, waiting, globals, returns, &wish, accept).is_some()
    }

    fn follows_call(&self, before: &Step, view: &View, segment: SegmentId, after: &Step) -> bool {
        let program = self.program;
        if after.view().is_some() && after.depth != before.depth {
            return false;
        }
        let segments = &self.trace.segments[..self.segments];
        let segment = segments.get(segment.0 as usize);
        let Some((Some(entry), Some(exit))) = segment.map(|s| (s.first(), s.last())) else {
            return false;
        };
        if exit.depth != 0 || exit.folded.is_some() {
            return false;
        }
        let (Some(entry_view), Some(exit_view)) = (entry.view(), exit.view()) else {
            return false;
        };
        let entered = Exactly {
            step: entry,
            returned: Some(after),
        };
        let enters = choose(
            program,
            view,
            &entered,
            |outcome| matches!(outcome, Outcome::Enter(view, _) if *view == entry_view),
        );
        let left = Exactly {
            step: exit,
            returned: None,
        };
        let leaves = choose(program, &exit_view, &left, |outcome| {
            matches!(outcome, Outcome::Leave { .. })
        });
        match (enters, leaves) {
            (Some(Outcome::Enter(_, waiting)), Some(Outcome::Leave { globals, returns })) => {
                let below = Below {
                    waiting,
                    call: before,
                    entered: entry,
                };
                self.resumes_somehow(&below, &globals, returns.as_deref(), after)
            }
            _ => false,
        }
    }
}

/// For each call whose frame is popped again, the index of the step after that.
fn returns_of(steps: &[&Step]) -> Vec<Option<usize>> {
    let mut returns = vec![None; steps.len()];
    let mut open = Vec::new();
    for (i, pair) in steps.windows(2).enumerate() {
        if pair[1].view().is_none() {
            break;
        }
        match pair[1].depth.cmp(&pair[0].depth) {
            Ordering::Greater => open.push(i),
            Ordering::Less => {
                if let Some(call) = open.pop() {
                    returns[call] = Some(i + 1);
                }
            }
            Ordering::Equal => {}
        }
    }
    returns
}

fn only_globals(step: &Step, globals: &[u64]) -> bool {
    step.depth == 0
        && step.valuation.globals() == globals
        && step.valuation.locals().is_empty()
        && step.returns.is_none()
}

/// Wants exactly the values of a step.
struct Exactly<'a> {
    step: &'a Step,
    /// Where the frame goes on that a call leaves below.
    returned: Option<&'a Step>,
}

impl Wish for Exactly<'_> {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        self.step.valuation.find(variable)
    }

    fn returned(&self, index: u32) -> Option<u64> {
        self.step.returns.as_ref()?.get(index as usize).copied()
    }

    fn waiting(&self, variable: VariableId) -> Option<u64> {
        self.returned?.valuation.find(variable)
    }
}
