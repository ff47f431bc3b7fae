//! From paths over live variables to executions with every value.
//!
//! A *walker* follows each path and gives every variable a value. A segment is walked once
//! for each state it is entered with, and then used again. Everything is made with calls
//! folded; [`super::fold::unfold`] puts a segment in the place of each folded call.
//!
//! Where rounds are folded, only the samples among them are walked. Between these the path
//! tells the values that matter; all others stay as the last sample has left them. It is the
//! same with nested frames, down and up again.

use super::fold;
use super::path::{CallUse, Move, Path, Transition};
use super::segments::{AbstractTrace, Unfolding};
use crate::analysis::Layout;
use crate::trace::failure::Failure;
use crate::trace::{
    Fold, Nested, NestedId, RoundsId, Sample, SegmentId, Step, Trace, waiting_after,
};
use rustc_hash::FxHashMap;
use std::fmt;
use std::hash::Hash;

/// A path could not be followed: it, or the walker, is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diverged;

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the interpreter could not follow a trace")
    }
}

impl std::error::Error for Diverged {}

/// Who follows paths of one program or pushdown system.
pub trait Walker: Sized {
    /// What can be seen of a configuration without looking below the top frame.
    type View: Clone + Eq + Hash;
    /// What waits below a frame.
    type Waiting;
    /// What is left of a frame that was popped.
    type Exit: Clone;

    fn layout(&self) -> &Layout;

    /// The states of the property's automaton, if there is one, before a call's first step and
    /// after its last.
    fn states(&self, call: &CallUse) -> [u32; 2];

    fn start(&self, path: &Path) -> Result<Self::View, Diverged>;

    fn step(&self, view: &Self::View, depth: u64) -> Step;

    /// The place of a view, with the values that matter where a path begins.
    fn jump(&self, view: &Self::View, path: &Path) -> Result<Self::View, Diverged>;

    /// Makes a move of the walk's path, and of its frame.
    fn make_move(&self, walk: &mut Walk<'_, Self>, step: &Move) -> Result<(), Diverged>;

    /// The state in which the frame of a call that returns begins, whose execution
    /// `segment` is; and what waits for it.
    fn entered(
        &self,
        walk: &mut Walk<'_, Self>,
        segment: &Path,
    ) -> Result<(Self::View, Self::Waiting), Diverged>;

    /// Leaves the frame that a walk was made in, as `call` says.
    fn left(&self, walk: &mut Walk<'_, Self>, call: &CallUse) -> Result<Self::Exit, Diverged>;

    /// What is left of a frame by a call, if that is like one that has left `exit`; and the
    /// step with which it ends. `last` is the last step of the other.
    fn left_like(&self, exit: &Self::Exit, last: &Step, call: &CallUse) -> (Self::Exit, Step);

    /// Goes on after a call that has returned.
    fn returned(
        &self,
        walk: &mut Walk<'_, Self>,
        segment: SegmentId,
        waiting: &Self::Waiting,
        exit: &Self::Exit,
    ) -> Result<(), Diverged>;
}

/// An execution along a path.
pub struct Walk<'t, W: Walker> {
    pub path: &'t Path,
    /// How many moves of the path have been made.
    pub made: usize,
    pub steps: Vec<Step>,
    /// Where the walk is; `None` once a program has stopped.
    pub view: Option<W::View>,
    /// If it is in *error*: why.
    pub failure: Option<Failure>,
    pub depth: u64,
    part: Part<W>,
    /// The samples of the folded rounds that it is about to jump over, as far as they have
    /// been walked.
    samples: Vec<Sample>,
}

/// What is walked.
enum Part<W: Walker> {
    /// The path itself, or its cycle.
    Whole,
    /// The segment of a call, and the state it was entered with.
    Call(CallUse, W::View),
    /// A sample that stands for so many rounds.
    Round(u64),
}

/// Segments walked so far: by which member they are and the state they were entered with.
type SegmentCache<W> = FxHashMap<(CallUse, <W as Walker>::View), (SegmentId, <W as Walker>::Exit)>;

/// The execution along a trace, all returned calls folded.
pub fn concretize<W: Walker>(w: &W, trace: &AbstractTrace) -> Result<Trace, Diverged> {
    let mut walked: SegmentCache<W> = FxHashMap::default();
    // The last one made for each call.
    let mut segments: FxHashMap<CallUse, SegmentId> = FxHashMap::default();
    let mut made = Trace::default();
    let start = w.start(&trace.path)?;
    let mut walks = vec![Walk::new(w, &trace.path, start, Part::Whole)];
    let mut rounds: Rounds<W> = Rounds::default();
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
                let (enter, waiting) = w.entered(walk, path)?;
                match walked.get(&(call.clone(), enter.clone())) {
                    Some((segment, exit)) => w.returned(walk, *segment, &waiting, exit)?,
                    None => {
                        let part = Part::Call(call.clone(), enter.clone());
                        walks.push(Walk::new(w, path, enter, part));
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
                        walks.push(Walk::new(w, &sample.path, begin, part));
                    }
                    None => walk.jump_over(w, &mut made)?,
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
                made.failure = rounds.failure.take();
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
                        let Some((inside, exit)) = walked.get(&(rest.clone(), begin.clone()))
                        else {
                            walk.part = Part::Call(call, enter);
                            walks.push(walk);
                            let part = Part::Call(rest.clone(), begin.clone());
                            walks.push(Walk::new(w, path, begin, part));
                            continue;
                        };
                        let inside = &made.segments[inside.0 as usize];
                        let last = inside.last().ok_or(Diverged)?;
                        let (exit, last) = w.left_like(exit, last, &call);
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
                    states: states.map(|values| w.layout().state(values)),
                });
                outer.view = walk.view.take();
            }
        }
        made.segments.push(walk.steps);
    }
}

/// What is known of frames that are not walked. The segments of those after them have been
/// made.
fn nested_frames<W: Walker>(
    w: &W,
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
struct Rounds<W: Walker> {
    /// For each state at the beginning of a round, how many steps there were up to it.
    begins: FxHashMap<W::View, usize>,
    steps: Vec<Step>,
    /// How many of the steps are the stem's, once that is known.
    stem: usize,
    failure: Option<Failure>,
}

impl<W: Walker> Default for Rounds<W> {
    fn default() -> Self {
        Rounds {
            begins: FxHashMap::default(),
            steps: Vec::new(),
            stem: 0,
            failure: None,
        }
    }
}

impl<W: Walker> Rounds<W> {
    /// Another round after `walk`, if one is needed.
    fn again<'t>(&mut self, walk: Walk<'t, W>, trace: &'t AbstractTrace) -> Option<Walk<'t, W>> {
        let Walk {
            steps, view, depth, ..
        } = walk;
        self.failure = walk.failure;
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
            failure: None,
            depth,
            part: Part::Whole,
            samples: Vec::new(),
        })
    }

    fn split(self) -> (Vec<Step>, Vec<Step>) {
        let mut stem = self.steps;
        let cycle = stem.split_off(self.stem);
        (stem, cycle)
    }
}

impl<'t, W: Walker> Walk<'t, W> {
    fn new(w: &W, path: &'t Path, view: W::View, part: Part<W>) -> Self {
        Walk {
            path,
            made: 0,
            steps: vec![w.step(&view, 0)],
            view: Some(view),
            failure: None,
            depth: 0,
            part,
            samples: Vec::new(),
        }
    }

    /// Goes on after folded rounds, of which all samples have been walked.
    fn jump_over(&mut self, w: &W, trace: &mut Trace) -> Result<(), Diverged> {
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
        self.arrive(w, view);
        Ok(())
    }

    /// Ends a walk of which nothing but its first and its last step is known.
    fn nest(&mut self, last: Step, nested: NestedId) {
        if let Some(first) = self.steps.last_mut() {
            first.folded = Some(Fold::Nested(nested));
        }
        self.steps.push(last);
    }

    pub fn arrive(&mut self, w: &W, view: W::View) {
        self.steps.push(w.step(&view, self.depth));
        self.view = Some(view);
    }
}
