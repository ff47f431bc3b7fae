//! Executions as lists of steps, and the check that a list is one.
//!
//! Nothing is believed: each step must follow from the one before by the meaning of the
//! program, with the real stack. A call that is folded stands on a *segment*, the execution
//! of the called frame from its entry to its exit, which is replayed once however often it
//! is used.

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
    pub depth: u32,
    /// In *error* and *terminated*: the globals only.
    pub valuation: Valuation,
    /// At an exit, the values that a `return` has fixed.
    pub returns: Option<Box<[u64]>>,
    /// A call whose whole execution is folded: the next step is the one after its return.
    pub folded: Option<SegmentId>,
}

/// An index into [`Trace::segments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId(pub u32);

/// A finite execution, or an infinite one as a stem and a loop.
#[derive(Clone, Debug, Default)]
pub struct Trace<S = Step> {
    pub stem: Vec<S>,
    /// Empty for a finite execution.
    pub cycle: Vec<S>,
    /// What folded calls stand on. A segment uses only segments before it. Its first step
    /// is at a procedure's entry, its last at the exit; depths count from its own frame.
    pub segments: Vec<Vec<S>>,
    /// If the execution comes to *error*: why.
    pub failure: Option<Failure>,
}

/// What the steps of all traces have: a depth, and perhaps a segment that is folded there.
pub trait TraceStep: Clone {
    fn depth(&self) -> u32;
    fn folded(&self) -> Option<SegmentId>;
    fn fold(&mut self, segment: Option<SegmentId>);
    /// Puts further frames below.
    fn lift(&mut self, below: u32);
}

impl TraceStep for Step {
    fn depth(&self) -> u32 {
        self.depth
    }

    fn folded(&self) -> Option<SegmentId> {
        self.folded
    }

    fn fold(&mut self, segment: Option<SegmentId>) {
        self.folded = segment;
    }

    fn lift(&mut self, below: u32) {
        // There is nothing below *error* and *terminated*.
        if matches!(self.location, Location::At(_)) {
            self.depth += below;
        }
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

/// Checks that the stem begins at the start and that every step follows.
pub fn replay(program: &Program, trace: &Trace) -> Result<(), Mismatch> {
    for (i, steps) in trace.segments.iter().enumerate() {
        let segment = Some(SegmentId(i as u32));
        let fail = |index| Mismatch { segment, index };
        let replay = Replay {
            program,
            segments: &trace.segments[..i],
            failure: None,
        };
        let first = steps.first().ok_or_else(|| fail(0))?;
        let Location::At(entry) = first.location else {
            return Err(fail(0));
        };
        if entry != program.procedure_of(entry).entry() {
            return Err(fail(0));
        }
        replay.run(steps).map_err(fail)?;
        let exit = Location::At(program.procedure_of(entry).exit());
        match steps.last() {
            Some(last) if last.location == exit && last.depth == 0 => {}
            _ => return Err(fail(steps.len() - 1)),
        }
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
        segments: &trace.segments,
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
fn closes(trace: &Trace) -> bool {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return true;
    };
    first.location == last.location
        && first.valuation == last.valuation
        && first.returns == last.returns
        && trace.cycle.iter().all(|step| step.depth >= first.depth)
}

/// A frame that waits, the step of its call, and the one after that.
struct Below<'s> {
    waiting: Waiting,
    call: &'s Step,
    entered: &'s Step,
}

struct Replay<'a> {
    program: &'a Program,
    segments: &'a [Vec<Step>],
    failure: Option<&'a Failure>,
}

impl Replay<'_> {
    fn run(&self, steps: &[Step]) -> Result<(), usize> {
        self.run_all(&steps.iter().collect::<Vec<_>>())
    }

    /// Fails with the index of the step that does not follow.
    fn run_all(&self, steps: &[&Step]) -> Result<(), usize> {
        // The frames below the top one.
        let mut stack: Vec<Below<'_>> = Vec::new();
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
        stack: &mut Vec<Below<'s>>,
    ) -> bool {
        let program = self.program;
        let Some(view) = before.view() else {
            // *Error* and *terminated* stay as they are for ever.
            return before == after;
        };
        if before.folded.is_some() {
            return self.follows_folded(before, &view, after);
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
                stack.push(Below {
                    waiting,
                    call: before,
                    entered: after,
                });
                after.depth == before.depth + 1
            }
            Some(Outcome::Leave { globals, returns }) => match stack.pop() {
                None => after.location == Location::Terminated && only_globals(after, &globals),
                Some(below) => {
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

    fn follows_folded(&self, before: &Step, view: &View, after: &Step) -> bool {
        let program = self.program;
        if after.view().is_some() && after.depth != before.depth {
            return false;
        }
        let segment = before
            .folded
            .and_then(|id| self.segments.get(id.0 as usize));
        let Some((Some(entry), Some(exit))) = segment.map(|s| (s.first(), s.last())) else {
            return false;
        };
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
