//! Executions as lists of steps, and the check that a list is one.
//!
//! Nothing is believed: each step must follow from the one before by the meaning of the
//! program, with the real stack. A call that is folded stands on a *segment*, the execution
//! of the called frame from its entry to its exit, which is replayed once however often it
//! is used.

use super::step::{Outcome, Wish, choose, resume};
use super::values::Values;
use super::{Valuation, View};
use crate::program::{Action, PointId, Program, VariableId};
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
    pub returns: Option<Box<[bool]>>,
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

struct Replay<'a> {
    program: &'a Program,
    segments: &'a [Vec<Step>],
}

impl Replay<'_> {
    fn run(&self, steps: &[Step]) -> Result<(), usize> {
        self.run_all(&steps.iter().collect::<Vec<_>>())
    }

    /// Fails with the index of the step that does not follow.
    fn run_all(&self, steps: &[&Step]) -> Result<(), usize> {
        // The frames below the top one: where they wait, and with which locals.
        let mut stack: Vec<(PointId, Box<[bool]>)> = Vec::new();
        if steps.first().is_some_and(|first| first.depth != 0) {
            return Err(0);
        }
        for (i, pair) in steps.windows(2).enumerate() {
            if !self.follows(pair[0], pair[1], &mut stack) {
                return Err(i + 1);
            }
        }
        Ok(())
    }

    fn follows(
        &self,
        before: &Step,
        after: &Step,
        stack: &mut Vec<(PointId, Box<[bool]>)>,
    ) -> bool {
        let program = self.program;
        let Some(view) = before.view() else {
            // *Error* and *terminated* stay as they are for ever.
            return before == after;
        };
        if before.folded.is_some() {
            return self.follows_folded(before, &view, after);
        }
        let exactly = Exactly(after);
        let outcome = match after.location {
            Location::Error => choose(program, &view, &exactly, |o| *o == Outcome::Error),
            Location::Terminated => choose(program, &view, &exactly, is_leave),
            Location::At(_) => {
                let wanted = after.view();
                choose(program, &view, &exactly, |outcome| match outcome {
                    Outcome::Next(view) | Outcome::Enter(view) => Some(view) == wanted.as_ref(),
                    Outcome::Leave { .. } => true,
                    Outcome::Error => false,
                })
            }
        };
        match outcome {
            None => false,
            Some(Outcome::Error) => {
                after.depth == 0 && only_globals(after, before.valuation.globals())
            }
            Some(Outcome::Next(_)) => after.depth == before.depth,
            Some(Outcome::Enter(_)) => {
                stack.push((view.at, view.valuation.locals().into()));
                after.depth == before.depth + 1
            }
            Some(Outcome::Leave { globals, returns }) => match stack.pop() {
                None => {
                    after.location == Location::Terminated
                        && after.depth == 0
                        && only_globals(after, &globals)
                }
                Some((call, locals)) => {
                    after.depth + 1 == before.depth
                        && self.resumes(call, &locals, &globals, returns.as_deref(), after)
                }
            },
        }
    }

    fn resumes(
        &self,
        call: PointId,
        locals: &[bool],
        globals: &[bool],
        returns: Option<&[bool]>,
        after: &Step,
    ) -> bool {
        let wanted = after.view();
        let mut found = false;
        let wish = Exactly(after);
        resume(
            self.program,
            call,
            locals,
            globals,
            returns,
            &wish,
            &mut |view| {
                found = Some(view) == wanted;
                !found
            },
        );
        found
    }

    fn follows_folded(&self, before: &Step, view: &View, after: &Step) -> bool {
        let program = self.program;
        if !matches!(program.point(view.at).action, Action::Call(_)) || after.depth != before.depth
        {
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
        let enters = choose(program, view, &Exactly(entry), |outcome| {
            *outcome == Outcome::Enter(entry_view.clone())
        });
        let leaves = choose(program, &exit_view, &Exactly(exit), is_leave);
        match (enters, leaves) {
            (Some(_), Some(Outcome::Leave { globals, returns })) => self.resumes(
                view.at,
                view.valuation.locals(),
                &globals,
                returns.as_deref(),
                after,
            ),
            _ => false,
        }
    }
}

fn is_leave(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Leave { .. })
}

fn only_globals(step: &Step, globals: &[bool]) -> bool {
    step.valuation.globals() == globals && step.valuation.locals().is_empty()
}

/// Wants exactly the values of a step.
struct Exactly<'a>(&'a Step);

impl Wish for Exactly<'_> {
    fn variable(&self, variable: VariableId) -> Values {
        let valuation = &self.0.valuation;
        let value = match variable {
            VariableId::Global(i) => valuation.globals().get(i as usize),
            VariableId::Local(i) => valuation.locals().get(i as usize),
        };
        value.map_or(Values::ANY, |value| Values::only(*value))
    }

    fn returned(&self, index: u32) -> Values {
        let returns = self.0.returns.as_ref();
        let value = returns.and_then(|returns| returns.get(index as usize));
        value.map_or(Values::ANY, |value| Values::only(*value))
    }
}
