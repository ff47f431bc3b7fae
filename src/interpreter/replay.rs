//! The check that a list of steps is an execution.
//!
//! Nothing is believed: each step must follow from the one before by the meaning of the
//! program, with the real stack. The segment of a folded call is replayed once however often
//! it is used. Where rounds are folded, or frames nested, the *samples* among them are
//! replayed; the others are not.

use super::step::{Outcome, Wish, choose, choose_resumption, failure, failure_to_return};
use super::threads::when_ended;
use super::{View, Waiting};
use crate::program::{Program, VariableId};
use crate::trace::failure::Failure;
use crate::trace::{Fold, Location, NestedId, RoundsId, SegmentId, Step, Trace, waiting_after};
use std::cmp::Ordering;
use std::fmt;

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

/// Whether folded rounds lead from a step to another, as far as that can be said by looking
/// at the samples, which must be among the first `replayed` segments: they are rounds, the
/// first begins where the fold does, the last ends where it ends, and where nothing lies
/// between two of them, one goes on where the other has ended.
pub fn rounds_follow(
    trace: &Trace,
    rounds: RoundsId,
    replayed: usize,
    before: &Step,
    after: &Step,
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
    deeper.and_then(|deeper| before.depth.checked_add(deeper)) == Some(after.depth)
        && at.is_some_and(|at| at.is_like(after))
}

/// Whether nested frames may lie between an entry and an exit, as far as that can be said by
/// looking at the frame in their place deep inside, which must be among the first `replayed`
/// segments: it is of the same procedure.
pub fn nested_follow(trace: &Trace, nested: NestedId, replayed: usize, entry: &Step) -> bool {
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

/// Why a trace leads to *error*, if it does and the reason is wanted. The calls before its last
/// step are folded.
pub fn why_it_fails(
    program: &Program,
    trace: &Trace,
    wanted: &dyn Fn(&Failure) -> bool,
) -> Option<Failure> {
    let [.., before, last] = &trace.stem[..] else {
        return None;
    };
    if last.location != Location::Error {
        return None;
    }
    let view = View::of(before)?;
    let Some(Fold::Call(segment)) = before.folded else {
        return failure(program, &view, wanted);
    };
    let exit = trace.segments.get(segment.0 as usize)?.last()?;
    let waiting = Waiting {
        at: view.at,
        locals: before.below.clone(),
    };
    let globals = exit.valuation.globals();
    failure_to_return(program, &waiting, globals, exit.returns.as_deref())
}

/// Checks that the stem begins at the start and that every step follows.
pub fn replay(program: &Program, trace: &Trace) -> Result<(), Mismatch> {
    let starts = |first: &Step| first.location == Location::At(program.entry_point().0);
    replay_parts(trace, starts, |segments, failure, steps| {
        let replay = Replay {
            program,
            trace,
            segments,
            created: &[],
            failure,
        };
        // Threads have a replay of their own.
        match replay.run(steps)?.is_empty() {
            true => Ok(()),
            false => Err(0),
        }
    })
}

/// Checks segment by segment, and then the stem with the cycle, by `run`: it is told how many
/// segments have been replayed, and may be used; why the part leads to *error*, if it does; and
/// its steps. It fails with the index of the step that does not follow.
pub fn replay_parts(
    trace: &Trace,
    starts: impl Fn(&Step) -> bool,
    run: impl Fn(usize, Option<&Failure>, &[&Step]) -> Result<(), usize>,
) -> Result<(), Mismatch> {
    for (i, steps) in trace.segments.iter().enumerate() {
        let segment = Some(SegmentId(i as u32));
        let fail = |index| Mismatch { segment, index };
        let steps: Vec<&Step> = steps.iter().collect();
        run(i, None, &steps).map_err(fail)?;
    }
    let fail = |index| Mismatch {
        segment: None,
        index,
    };
    if !trace.stem.first().is_some_and(starts) {
        return Err(fail(0));
    }
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let segments = trace.segments.len();
    run(segments, trace.failure.as_ref(), &steps).map_err(fail)?;
    match closes(trace) {
        true => Ok(()),
        false => Err(fail(steps.len() - 1)),
    }
}

/// Whether the cycle, if there is one, ends where it begins, on a stack that has not become
/// lower, and never looks below: then it can be repeated for ever.
fn closes(trace: &Trace) -> bool {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return true;
    };
    first.is_like(last) && trace.cycle.iter().all(|step| step.depth >= first.depth)
}

/// A frame that waits, the step of its call, and the one after that.
struct CallFrame<'s> {
    waiting: Waiting,
    call: &'s Step,
    entered: &'s Step,
}

/// What is below the top frame, and what was done besides.
#[derive(Default)]
pub(super) struct Stack<'s> {
    frames: Vec<Option<CallFrame<'s>>>,
    /// For each thread that was created, its creator as it was before.
    pub created: Vec<View>,
}

/// Of more threads than these no execution is followed.
const MOST_THREADS: usize = 1 << 20;

pub(super) struct Replay<'a> {
    pub program: &'a Program,
    pub trace: &'a Trace,
    /// How many segments have been replayed, and may be used.
    pub segments: usize,
    /// For each of these, the creators of threads; empty if there are none in any.
    pub created: &'a [Vec<View>],
    pub failure: Option<&'a Failure>,
}

impl Replay<'_> {
    /// The creators of threads. Fails with the index of the step that does not follow.
    pub fn run(&self, steps: &[&Step]) -> Result<Vec<View>, usize> {
        let mut stack = Stack::default();
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
        Ok(stack.created)
    }

    /// `returned` is, for a call, the step at which its frame goes on.
    pub fn follows<'s>(
        &self,
        before: &'s Step,
        after: &'s Step,
        returned: Option<&Step>,
        stack: &mut Stack<'s>,
    ) -> bool {
        self.trace.replayed.count();
        let program = self.program;
        let Some(view) = View::of(before) else {
            // *Error* and *terminated* stay as they are for ever.
            return before == after;
        };
        match before.folded {
            Some(Fold::Call(segment)) => {
                let created = self.created_in(segment);
                stack.created.extend_from_slice(created);
                return stack.created.len() <= MOST_THREADS
                    && self.follows_call(before, &view, segment, after);
            }
            Some(Fold::Rounds(rounds)) => {
                // Nothing is known of the frames that they leave waiting.
                let deeper = after.depth > before.depth;
                stack.frames.extend(deeper.then_some(None));
                let samples = self.trace.rounds.get(rounds.0 as usize);
                let mut samples = samples.into_iter().flatten();
                // How many threads there are afterwards would not be known.
                return samples.all(|sample| self.created_in(sample.segment).is_empty())
                    && rounds_follow(self.trace, rounds, self.segments, before, after);
            }
            Some(Fold::Nested(nested)) => {
                let exit = program.procedure_of(view.at).exit();
                let frames = self.trace.nested.get(nested.0 as usize);
                let mut frames = frames
                    .into_iter()
                    .flat_map(|n| n.round.iter().chain([&n.inner]));
                return frames.all(|frame| self.created_in(*frame).is_empty())
                    && after.location == Location::At(exit.0)
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
        let wanted = View::of(after);
        let outcome = choose(program, &view, &exactly, |outcome| match outcome {
            Outcome::Next(view) | Outcome::Enter(view, _) | Outcome::Create(view, _) => {
                Some(view) == wanted.as_ref()
            }
            Outcome::Leave { .. } | Outcome::End(_) => true,
            Outcome::Error(failure) => self.fails(after, failure),
        });
        match outcome {
            None => false,
            Some(Outcome::Create(..)) => {
                stack.created.push(view);
                after.depth == before.depth && stack.created.len() <= MOST_THREADS
            }
            Some(Outcome::End(globals)) => {
                after.location == Location::Terminated && only_globals(after, &globals)
            }
            Some(Outcome::Error(_)) => only_globals(after, before.valuation.globals()),
            Some(Outcome::Next(_)) => after.depth == before.depth,
            Some(Outcome::Enter(_, waiting)) => {
                stack.frames.push(Some(CallFrame {
                    waiting,
                    call: before,
                    entered: after,
                }));
                after.depth == before.depth + 1
            }
            Some(Outcome::Leave { globals, returns }) => match stack.frames.pop() {
                None => {
                    after.location == Location::Terminated
                        && only_globals(after, &when_ended(program, globals))
                }
                Some(None) => false,
                Some(Some(below)) => {
                    self.resumes_somehow(&below, &globals, returns.as_deref(), after)
                        && (View::of(after).is_none() || after.depth + 1 == before.depth)
                }
            },
        }
    }

    /// The creators of threads in a segment.
    fn created_in(&self, segment: SegmentId) -> &[View] {
        let created = self.created.get(segment.0 as usize);
        created.map_or(&[][..], |created| created)
    }

    /// Whether a step is in *error* for this reason.
    fn fails(&self, step: &Step, failure: &Failure) -> bool {
        step.location == Location::Error && self.failure == Some(failure)
    }

    fn resumes_somehow(
        &self,
        below: &CallFrame<'_>,
        globals: &[u64],
        returns: Option<&[u64]>,
        after: &Step,
    ) -> bool {
        if self.resumes(&below.waiting, globals, returns, after) {
            return true;
        }
        // What waits may have been chosen, seen by an index, and then overwritten.
        let (call, entered) = (View::of(below.call), View::of(below.entered));
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
        let wanted = View::of(after);
        let wish = Exactly {
            step: after,
            returned: None,
        };
        let accept = |outcome: &Outcome| match outcome {
            Outcome::Next(view) => Some(view) == wanted.as_ref(),
            Outcome::Error(failure) => self.fails(after, failure) && only_globals(after, globals),
            _ => false,
        };
        choose_resumption(self.program, waiting, globals, returns, &wish, accept).is_some()
    }

    fn follows_call(&self, before: &Step, view: &View, segment: SegmentId, after: &Step) -> bool {
        let program = self.program;
        if View::of(after).is_some() && after.depth != before.depth {
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
        let (Some(entry_view), Some(exit_view)) = (View::of(entry), View::of(exit)) else {
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
                let below = CallFrame {
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
        if View::of(pair[1]).is_none() {
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
