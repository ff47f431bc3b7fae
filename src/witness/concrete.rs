//! From paths over live variables to executions with every value.
//!
//! The interpreter walks along each path; where the path leaves a value open it takes the
//! smallest that is possible. A segment is walked once for each state it is entered with,
//! and then used again. Everything is made with calls folded; [`unfold`] puts a segment in
//! the place of each folded call.

use super::search::{CallUse, Move, Path};
use super::segments::AbstractTrace;
use crate::analysis::Layout;
use crate::bits;
use crate::interpreter::failure::Failure;
use crate::interpreter::replay::{Location, SegmentId, Step, Trace};
use crate::interpreter::step::{Outcome, Wish, choose, choose_resumption};
use crate::interpreter::{Valuation, View, Waiting};
use crate::program::{PointId, ProcedureId, Program, VariableId};
use crate::spds::{Head, HeadMeaning, ProgramHeads, Spds};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The interpreter could not follow a path: one of the two is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diverged;

pub struct Concretizer<'a> {
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub spds: &'a Spds,
    pub heads: &'a ProgramHeads,
}

/// An execution along a path, and how long it is once unfolded.
struct Walk<'t> {
    path: &'t Path,
    /// How many moves of the path have been made.
    made: usize,
    steps: Vec<Step>,
    /// Where the walk is; `None` once the program has stopped.
    view: Option<View>,
    /// If it is in *error*: why.
    failure: Option<Failure>,
    depth: u32,
    /// Which segment this is, and the state it was entered with; `None` for the path itself.
    name: Option<(CallUse, View)>,
}

/// Segments walked so far: by which member they are and the state they were entered with.
type Walked = FxHashMap<(CallUse, View), SegmentId>;

/// The execution along a trace, all returned calls folded.
pub fn concretize(c: &Concretizer<'_>, trace: &AbstractTrace) -> Result<Trace, Diverged> {
    let mut walked = Walked::default();
    let mut segments: Vec<Vec<Step>> = Vec::new();
    let start = c.start(&trace.path);
    let mut walks = vec![Walk::new(&trace.path, start, None)];
    let mut rounds = Rounds::default();
    loop {
        let Some(walk) = walks.last_mut() else {
            return Err(Diverged);
        };
        if let Some(step) = walk.path.moves.get(walk.made) {
            if let Some(call) = &step.call {
                let (enter, waiting) = c.entered(walk, call, trace)?;
                let name = (call.clone(), enter.clone());
                match walked.get(&name) {
                    Some(segment) => {
                        let exit = segments[segment.0 as usize].last();
                        let exit = exit.and_then(Step::view).ok_or(Diverged)?;
                        c.returned(walk, *segment, &waiting, &exit)?;
                    }
                    None => {
                        let path = trace.segments.get(call).and_then(Option::as_ref);
                        let path = path.ok_or(Diverged)?;
                        walks.push(Walk::new(path, enter, Some(name)));
                    }
                }
            } else {
                c.make_move(walk, step)?;
            }
            continue;
        }
        let Some(walk) = walks.pop() else {
            return Err(Diverged);
        };
        match walk.name {
            None => {
                if let Some(walk) = rounds.again(walk, trace)? {
                    walks.push(walk);
                    continue;
                }
                let failure = rounds.failure.take();
                let (stem, cycle) = rounds.split();
                return Ok(Trace {
                    stem,
                    cycle,
                    segments,
                    failure,
                });
            }
            Some(name) => {
                walked.insert(name, SegmentId(segments.len() as u32));
                segments.push(walk.steps);
            }
        }
    }
}

/// The rounds of a cycle. A path closes on the values that matter; those that do not may
/// take some rounds until they repeat, and these rounds belong to the stem.
#[derive(Default)]
struct Rounds {
    /// For each state at the beginning of a round, how many steps there were up to it.
    begins: FxHashMap<View, usize>,
    steps: Vec<Step>,
    /// How many of the steps are the stem's, once that is known.
    stem: usize,
    failure: Option<Failure>,
}

impl Rounds {
    /// Another round after `walk`, if one is needed.
    fn again<'t>(
        &mut self,
        walk: Walk<'t>,
        trace: &'t AbstractTrace,
    ) -> Result<Option<Walk<'t>>, Diverged> {
        let Walk {
            steps, view, depth, ..
        } = walk;
        self.failure = walk.failure;
        self.steps = steps;
        self.stem = self.steps.len();
        let (Some(cycle), Some(view)) = (&trace.cycle, view) else {
            return Ok(None);
        };
        if let Some(begin) = self.begins.insert(view.clone(), self.steps.len()) {
            self.stem = begin;
            return Ok(None);
        }
        Ok(Some(Walk {
            path: cycle,
            made: 0,
            steps: std::mem::take(&mut self.steps),
            view: Some(view),
            failure: None,
            depth,
            name: None,
        }))
    }

    fn split(self) -> (Vec<Step>, Vec<Step>) {
        let mut stem = self.steps;
        let cycle = stem.split_off(self.stem);
        (stem, cycle)
    }
}

impl<'t> Walk<'t> {
    fn new(path: &'t Path, view: View, name: Option<(CallUse, View)>) -> Self {
        Walk {
            path,
            made: 0,
            steps: vec![step_of(&view, 0)],
            view: Some(view),
            failure: None,
            depth: 0,
            name,
        }
    }

    /// The program stops, in *error* or *terminated*.
    fn stop(&mut self, location: Location, globals: &[u64]) {
        self.view = None;
        self.steps.push(Step {
            location,
            depth: 0,
            valuation: Valuation::new(globals, &[]),
            returns: None,
            folded: None,
        });
    }

    fn arrive(&mut self, view: View) {
        self.steps.push(step_of(&view, self.depth));
        self.view = Some(view);
    }
}

fn step_of(view: &View, depth: u32) -> Step {
    Step {
        location: Location::At(view.at),
        depth,
        valuation: view.valuation.clone(),
        returns: view.returns.clone(),
        folded: None,
    }
}

impl Concretizer<'_> {
    /// The live values at a head that a path goes through.
    fn wish<'w>(&'w self, head: Head, values: &'w [bool]) -> Live<'w> {
        Live {
            top: LiveAt {
                layout: self.layout,
                procedure: self.procedure_of(head),
                live: self.spds.variables(head),
                values,
            },
            below: None,
        }
    }

    fn start(&self, path: &Path) -> View {
        let program = self.program;
        let wish = self.wish(path.head, &path.values);
        let value = |variable| wish.variable(variable).unwrap_or(0);
        let globals = (0..program.globals.len() as u32).map(VariableId::Global);
        let locals = program.procedure(program.entry).locals.len() as u32;
        let locals = (0..locals).map(VariableId::Local);
        View {
            at: program.entry_point(),
            valuation: Valuation::new(
                &globals.map(value).collect::<Vec<_>>(),
                &locals.map(value).collect::<Vec<_>>(),
            ),
            returns: None,
        }
    }

    /// Whose locals the values at a head are.
    fn procedure_of(&self, head: Head) -> Option<ProcedureId> {
        match self.heads.meaning(head) {
            HeadMeaning::At(point) | HeadMeaning::Returning(point) => {
                Some(self.program.point(point).procedure)
            }
            HeadMeaning::Error | HeadMeaning::Terminated => None,
        }
    }

    fn point_of(&self, head: Head) -> Option<PointId> {
        match self.heads.meaning(head) {
            HeadMeaning::At(point) => Some(point),
            HeadMeaning::Returning(_) | HeadMeaning::Error | HeadMeaning::Terminated => None,
        }
    }

    fn make_move(&self, walk: &mut Walk<'_>, step: &Move) -> Result<(), Diverged> {
        let Some(view) = walk.view.as_ref() else {
            // The program has stopped, and only the automaton moves on.
            walk.made += 1;
            return Ok(());
        };
        let at = self.point_of(step.head);
        let wish = self.wish(step.head, &step.values);
        let outcome = choose(self.program, view, &wish, |outcome| match outcome {
            Outcome::Next(view) | Outcome::Enter(view, _) => Some(view.at) == at,
            Outcome::Error(_) => self.heads.meaning(step.head) == HeadMeaning::Error,
            Outcome::Leave { .. } => self.heads.meaning(step.head) == HeadMeaning::Terminated,
        });
        walk.made += 1;
        match outcome.ok_or(Diverged)? {
            Outcome::Next(view) => walk.arrive(view),
            Outcome::Enter(view, _) => {
                walk.depth += 1;
                walk.arrive(view);
            }
            Outcome::Error(failure) => {
                walk.failure = Some(failure);
                let globals = view.valuation.globals().to_vec();
                walk.stop(Location::Error, &globals);
            }
            Outcome::Leave { globals, .. } => walk.stop(Location::Terminated, &globals),
        }
        Ok(())
    }

    /// The state in which the frame of a returned call begins, and the frame that waits
    /// for it.
    fn entered(
        &self,
        walk: &Walk<'_>,
        call: &CallUse,
        trace: &AbstractTrace,
    ) -> Result<(View, Waiting), Diverged> {
        let view = walk.view.as_ref().ok_or(Diverged)?;
        let path = trace.segments.get(call).and_then(Option::as_ref);
        let path = path.ok_or(Diverged)?;
        let after = &walk.path.moves[walk.made];
        let wish = Live {
            below: Some(self.wish(after.head, &after.values).top),
            ..self.wish(path.head, &path.values)
        };
        let enter = |outcome: &Outcome| matches!(outcome, Outcome::Enter(..));
        match choose(self.program, view, &wish, enter) {
            Some(Outcome::Enter(view, waiting)) => Ok((view, waiting)),
            _ => Err(Diverged),
        }
    }

    /// Goes on after a returned call, whose frame ended in `exit`.
    fn returned(
        &self,
        walk: &mut Walk<'_>,
        segment: SegmentId,
        waiting: &Waiting,
        exit: &View,
    ) -> Result<(), Diverged> {
        // A returning head and its internal rule are part of this step.
        let moves = &walk.path.moves;
        let internal = self.point_of(moves[walk.made].head).is_none();
        walk.made += usize::from(internal);
        let after = moves.get(walk.made).ok_or(Diverged)?;
        walk.made += 1;
        let wish = self.wish(after.head, &after.values);
        let fails = self.heads.meaning(after.head) == HeadMeaning::Error;
        let globals = exit.valuation.globals();
        let returns = exit.returns.as_deref();
        let accept = |outcome: &Outcome| matches!(outcome, Outcome::Error(_)) == fails;
        let outcome = choose_resumption(self.program, waiting, globals, returns, &wish, accept);
        if let Some(call) = walk.steps.last_mut() {
            call.folded = Some(segment);
        }
        match outcome {
            Some(Outcome::Next(view)) => walk.arrive(view),
            Some(Outcome::Error(failure)) => {
                walk.failure = Some(failure);
                walk.stop(Location::Error, globals);
            }
            _ => return Err(Diverged),
        }
        Ok(())
    }
}

/// Wants the live values of a path.
struct Live<'a> {
    top: LiveAt<'a>,
    /// After a call that returns: where the frame goes on that waits meanwhile.
    below: Option<LiveAt<'a>>,
}

/// The live values at a head.
struct LiveAt<'a> {
    layout: &'a Layout,
    /// `None` if no frame is left.
    procedure: Option<ProcedureId>,
    live: &'a [u64],
    values: &'a [bool],
}

impl LiveAt<'_> {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        self.value(match variable {
            VariableId::Global(index) => self.layout.global(index),
            VariableId::Local(_) => self.layout.cell(self.procedure?, variable),
        })
    }

    /// Either all bits of a cell are live or none.
    fn value(&self, cell: Range<u32>) -> Option<u64> {
        let bits = cell.clone().zip(0..);
        let value = bits.map(|(bit, place)| u64::from(self.values[bit as usize]) << place);
        let is_live = cell.start < cell.end && bits::contains(self.live, cell.start);
        is_live.then(|| value.sum())
    }
}

impl Wish for Live<'_> {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        self.top.variable(variable)
    }

    fn returned(&self, index: u32) -> Option<u64> {
        let LiveAt {
            layout, procedure, ..
        } = self.top;
        self.top.value(layout.returned(procedure?, index))
    }

    fn waiting(&self, variable: VariableId) -> Option<u64> {
        self.below.as_ref()?.variable(variable)
    }
}

/// The number of steps of a folded trace once every call is unfolded.
pub fn unfolded_length(trace: &Trace) -> u64 {
    let mut lengths: Vec<u64> = Vec::with_capacity(trace.segments.len());
    let length = |steps: &[Step], lengths: &[u64]| {
        steps.iter().fold(0_u64, |sum, step| {
            let inner = step.folded.map_or(0, |segment| lengths[segment.0 as usize]);
            sum.saturating_add(inner).saturating_add(1)
        })
    };
    for segment in &trace.segments {
        lengths.push(length(segment, &lengths));
    }
    length(&trace.stem, &lengths).saturating_add(length(&trace.cycle, &lengths))
}

/// The same execution with no call folded.
pub fn unfold(trace: &Trace) -> Trace {
    let mut stem = trace.stem.clone();
    let mut cycle = Vec::new();
    // A call that the cycle begins with is folded on the stem's last step, but what happens
    // in it is part of the cycle.
    if let Some(last) = stem.last_mut().filter(|_| !trace.cycle.is_empty())
        && let Some(inner) = last.folded.take()
    {
        cycle = unfold_steps(
            &trace.segments[inner.0 as usize],
            &trace.segments,
            last.depth + 1,
        );
    }
    cycle.extend(unfold_steps(&trace.cycle, &trace.segments, 0));
    Trace {
        stem: unfold_steps(&stem, &trace.segments, 0),
        cycle,
        segments: Vec::new(),
        failure: trace.failure.clone(),
    }
}

fn unfold_steps(steps: &[Step], segments: &[Vec<Step>], below: u32) -> Vec<Step> {
    let mut unfolded = Vec::new();
    // Each entry: the rest of a segment, and how many frames lie below it.
    let mut rest = vec![(steps.iter(), below)];
    while let Some((segment, below)) = rest.last_mut() {
        let Some(step) = segment.next() else {
            rest.pop();
            continue;
        };
        let depth = step.depth + *below;
        unfolded.push(Step {
            depth: if step.view().is_some() { depth } else { 0 },
            folded: None,
            ..step.clone()
        });
        if let Some(inner) = step.folded {
            rest.push((segments[inner.0 as usize].iter(), depth + 1));
        }
    }
    unfolded
}
