//! From paths over live variables to executions with every value.
//!
//! Each path is followed rule by rule ([`super::follow`]), and every variable gets a value that
//! fits. A segment is walked once for each state it is entered with, and then
//! used again. Everything is made with calls folded; [`super::fold::unfold`] puts a segment
//! in the place of each folded call.
//!
//! Where rounds are folded, only the samples among them are walked. Between these the path
//! tells the values that matter; all others stay as the last sample has left them. It is the
//! same with nested frames, down and up again.

use super::fold;
use super::follow::{Exit, View, Walker};
use super::path::{CallUse, Path, Transition};
use super::segments::{AbstractTrace, Unfolding};
use crate::rules::Rule;
use crate::trace::{
    Fold, Location, Nested, NestedId, RoundsId, Sample, SegmentId, Step, Trace, Valuation,
    waiting_after,
};
use rustc_hash::FxHashMap;
use std::fmt;

/// A path could not be followed: it, or the walk, is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diverged;

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the interpreter could not follow a trace")
    }
}

impl std::error::Error for Diverged {}

/// An execution along a path.
pub(super) struct Walk<'t> {
    pub(super) path: &'t Path,
    /// How many moves of the path have been made.
    pub(super) made: usize,
    pub(super) steps: Vec<Step>,
    /// Where the walk is; `None` once a program has stopped.
    pub(super) view: Option<View>,
    pub(super) depth: u64,
    part: Part,
    /// The samples of the folded rounds that it is about to jump over, as far as they have
    /// been walked.
    samples: Vec<Sample>,
}

/// What is walked.
enum Part {
    /// The path itself, or its cycle.
    Whole,
    /// The segment of a call, and the state it was entered with.
    Call(CallUse, View),
    /// A sample that stands for so many rounds.
    Round(u64),
}

/// Segments walked so far: by which member they are and the state they were entered with.
type SegmentCache = FxHashMap<(CallUse, View), (SegmentId, Exit)>;

/// The execution along a trace, all returned calls folded.
pub fn concretize(w: &Walker<'_>, trace: &AbstractTrace) -> Result<Trace, Diverged> {
    let mut walked: SegmentCache = FxHashMap::default();
    // The last one made for each call.
    let mut segments: FxHashMap<CallUse, SegmentId> = FxHashMap::default();
    let mut made = Trace::default();
    let start = w.start(&trace.path)?;
    let mut walks = vec![Walk::new(&trace.path, start, Part::Whole)];
    let mut rounds = Rounds::default();
    loop {
        let Some(walk) = walks.last_mut() else {
            return Err(Diverged);
        };
        match walk.path.moves.get(walk.made).map(|step| (step, &step.by)) {
            Some((_, Transition::Call(_, call))) => {
                let path = match trace.unfolding(call)? {
                    Unfolding::Path(path) => path,
                    Unfolding::Nested(nested) => &nested.begin,
                };
                let (enter, waiting) = w.entered(walk, call, path)?;
                match walked.get(&(call.clone(), enter.clone())) {
                    Some((segment, exit)) => w.returned(walk, *segment, &waiting, exit)?,
                    None => {
                        let part = Part::Call(call.clone(), enter.clone());
                        walks.push(Walk::new(path, enter, part));
                    }
                }
                continue;
            }
            Some((_, Transition::Rounds(samples))) => {
                match samples.get(walk.samples.len()) {
                    Some(sample) => {
                        let here = walk.view.as_ref().ok_or(Diverged)?;
                        let begin = w.jump(here, &sample.path)?;
                        let part = Part::Round(sample.rounds);
                        walks.push(Walk::new(&sample.path, begin, part));
                    }
                    None => walk.jump_over(&mut made)?,
                }
                continue;
            }
            Some((step, Transition::Rule(_))) => {
                w.make_move(walk, step)?;
                continue;
            }
            Some((_, Transition::Way(_))) => return Err(Diverged),
            None => {}
        }
        let Some(mut walk) = walks.pop() else {
            return Err(Diverged);
        };
        let segment = SegmentId(made.segments.len() as u32);
        match std::mem::replace(&mut walk.part, Part::Whole) {
            Part::Whole => {
                if let Some(walk) = rounds.again(walk, trace) {
                    walks.push(walk);
                    continue;
                }
                (made.stem, made.cycle) = rounds.split();
                return Ok(made);
            }
            Part::Call(call, enter) => {
                let exit = match trace.unfolding(&call)? {
                    Unfolding::Path(_) => w.left(&mut walk, &call)?,
                    Unfolding::Nested(nested) => {
                        let rest = &nested.round[0];
                        let Unfolding::Path(path) = trace.unfolding(rest)? else {
                            return Err(Diverged);
                        };
                        let begin = w.jump(&enter, path)?;
                        let Some((_, exit)) = walked.get(&(rest.clone(), begin.clone())) else {
                            walk.part = Part::Call(call, enter);
                            walks.push(walk);
                            let part = Part::Call(rest.clone(), begin.clone());
                            walks.push(Walk::new(path, begin, part));
                            continue;
                        };
                        let (exit, last) = w.left_like(exit, &call);
                        walk.nest(last, NestedId(made.nested.len() as u32));
                        made.nested
                            .push(nested_frames(w, &call, nested, &segments)?);
                        exit
                    }
                };
                segments.insert(call.clone(), segment);
                walked.insert((call, enter), (segment, exit));
            }
            Part::Round(rounds) => {
                let outer = walks.last_mut().ok_or(Diverged)?;
                let states = [&walk.path.values, walk.path.end().1];
                outer.samples.push(Sample {
                    segment,
                    rounds,
                    states: states.map(|values| w.rules.layout.state(values)),
                });
                outer.view = walk.view.take();
            }
        }
        made.segments.push(walk.steps);
    }
}

/// What is known of frames that are not walked. The segments of those after them have been
/// made.
fn nested_frames(
    w: &Walker<'_>,
    call: &CallUse,
    nested: &fold::NestedFrames,
    segments: &FxHashMap<CallUse, SegmentId>,
) -> Result<Nested, Diverged> {
    let segment = |call: &CallUse| segments.get(call).copied().ok_or(Diverged);
    let round: Result<Vec<_>, _> = nested.round.iter().map(segment).collect();
    Ok(Nested {
        rounds: nested.rounds,
        round: round?,
        inner: segment(&nested.inner)?,
        is_notable: nested.is_notable,
        states: [call, &nested.round[0]].map(|call| w.states(call)),
    })
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
}

impl Rounds {
    /// Another round after `walk`, if one is needed.
    fn again<'t>(&mut self, walk: Walk<'t>, trace: &'t AbstractTrace) -> Option<Walk<'t>> {
        let Walk {
            steps, view, depth, ..
        } = walk;
        self.steps = steps;
        self.stem = self.steps.len();
        let (cycle, view) = (trace.cycle.as_ref()?, view?);
        if let Some(begin) = self.begins.insert(view.clone(), self.steps.len()) {
            self.stem = begin;
            return None;
        }
        Some(Walk {
            path: cycle,
            made: 0,
            steps: std::mem::take(&mut self.steps),
            view: Some(view),
            depth,
            part: Part::Whole,
            samples: Vec::new(),
        })
    }

    fn split(self) -> (Vec<Step>, Vec<Step>) {
        let mut stem = self.steps;
        let mut cycle = stem.split_off(self.stem);
        // The last step of a cycle goes on as its first one did.
        if let (Some(first), Some(last)) = (stem.last(), cycle.last_mut()) {
            last.rule = first.rule;
            last.below = first.below.clone();
        }
        (stem, cycle)
    }
}

impl<'t> Walk<'t> {
    fn new(path: &'t Path, view: View, part: Part) -> Self {
        Walk {
            path,
            made: 0,
            steps: vec![view.step(0)],
            view: Some(view),
            depth: 0,
            part,
            samples: Vec::new(),
        }
    }

    /// Goes on after folded rounds, of which all samples have been walked.
    fn jump_over(&mut self, trace: &mut Trace) -> Result<(), Diverged> {
        let samples = std::mem::take(&mut self.samples);
        let deeper = waiting_after(trace, &samples).ok_or(Diverged)?;
        let first = samples.first().map(|sample| sample.segment.0 as usize);
        let first = first.and_then(|segment| trace.segments[segment].first());
        if let (Some(first), Some(last)) = (first, self.steps.last_mut()) {
            // It goes on as the first sample does.
            *last = first.clone();
            last.lift(self.depth);
            last.folded = Some(Fold::Rounds(RoundsId(trace.rounds.len() as u32)));
        }
        trace.rounds.push(samples);
        self.made += 1;
        self.depth = self.depth.checked_add(deeper).ok_or(Diverged)?;
        let view = self.view.take().ok_or(Diverged)?;
        self.arrive(view);
        Ok(())
    }

    /// Ends a walk of which nothing but its first and its last step is known.
    fn nest(&mut self, last: Step, nested: NestedId) {
        if let Some(first) = self.steps.last_mut() {
            first.folded = Some(Fold::Nested(nested));
        }
        self.steps.push(last);
    }

    pub(super) fn arrive(&mut self, view: View) {
        self.steps.push(view.step(self.depth));
        self.view = Some(view);
    }

    /// Says how the execution goes on from its last step.
    pub(super) fn take(&mut self, rule: &Rule, below: Box<[u64]>) {
        if let Some(step) = self.steps.last_mut() {
            step.rule = Some(rule.origin);
            step.below = below;
        }
    }

    /// The program stops, in *error* or *terminated*.
    pub(super) fn stop(&mut self, location: Location, globals: &[u64]) {
        self.view = None;
        let valuation = Valuation::new(globals, &[]);
        self.steps.push(Step::new(location, 0, valuation));
    }
}
