//! From paths over live variables to executions with every value.
//!
//! A *walker* follows each path and gives every variable a value. A segment is walked once
//! for each state it is entered with, and then used again. Everything is made with calls
//! folded; [`unfold`] puts a segment in the place of each folded call.

use super::search::{CallUse, Move, Path};
use super::segments::AbstractTrace;
use crate::interpreter::failure::Failure;
use crate::interpreter::replay::{SegmentId, Trace, TraceStep};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A path could not be followed: it, or the walker, is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diverged;

/// Who follows paths of one program or pushdown system.
pub trait Walker: Sized {
    type Step: TraceStep;
    /// What can be seen of a configuration without looking below the top frame.
    type View: Clone + Eq + Hash;
    /// What waits below a frame.
    type Waiting;
    /// What is left of a frame that was popped.
    type Exit: Clone;

    fn start(&self, path: &Path) -> Result<Self::View, Diverged>;

    fn step(&self, view: &Self::View, depth: u32) -> Self::Step;

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
    pub steps: Vec<W::Step>,
    /// Where the walk is; `None` once a program has stopped.
    pub view: Option<W::View>,
    /// If it is in *error*: why.
    pub failure: Option<Failure>,
    pub depth: u32,
    /// Which segment this is, and the state it was entered with; `None` for the path itself.
    name: Option<(CallUse, W::View)>,
}

/// Segments walked so far: by which member they are and the state they were entered with.
type Walked<W> = FxHashMap<(CallUse, <W as Walker>::View), (SegmentId, <W as Walker>::Exit)>;

/// The execution along a trace, all returned calls folded.
pub fn concretize<W: Walker>(w: &W, trace: &AbstractTrace) -> Result<Trace<W::Step>, Diverged> {
    let mut walked: Walked<W> = FxHashMap::default();
    let mut segments: Vec<Vec<W::Step>> = Vec::new();
    let start = w.start(&trace.path)?;
    let mut walks = vec![Walk::new(w, &trace.path, start, None)];
    let mut rounds: Rounds<W> = Rounds::default();
    loop {
        let Some(walk) = walks.last_mut() else {
            return Err(Diverged);
        };
        if let Some(step) = walk.path.moves.get(walk.made) {
            let Some(call) = &step.call else {
                w.make_move(walk, step)?;
                continue;
            };
            let path = trace.segments.get(call).and_then(Option::as_ref);
            let path = path.ok_or(Diverged)?;
            let (enter, waiting) = w.entered(walk, path)?;
            let name = (call.clone(), enter.clone());
            match walked.get(&name) {
                Some((segment, exit)) => w.returned(walk, *segment, &waiting, exit)?,
                None => walks.push(Walk::new(w, path, enter, Some(name))),
            }
            continue;
        }
        let Some(mut walk) = walks.pop() else {
            return Err(Diverged);
        };
        match walk.name.take() {
            None => {
                if let Some(walk) = rounds.again(walk, trace) {
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
                let exit = w.left(&mut walk, &name.0)?;
                walked.insert(name, (SegmentId(segments.len() as u32), exit));
                segments.push(walk.steps);
            }
        }
    }
}

/// The rounds of a cycle. A path closes on the values that matter; those that do not may
/// take some rounds until they repeat, and these rounds belong to the stem.
struct Rounds<W: Walker> {
    /// For each state at the beginning of a round, how many steps there were up to it.
    begins: FxHashMap<W::View, usize>,
    steps: Vec<W::Step>,
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
            name: None,
        })
    }

    fn split(self) -> (Vec<W::Step>, Vec<W::Step>) {
        let mut stem = self.steps;
        let cycle = stem.split_off(self.stem);
        (stem, cycle)
    }
}

impl<'t, W: Walker> Walk<'t, W> {
    fn new(w: &W, path: &'t Path, view: W::View, name: Option<(CallUse, W::View)>) -> Self {
        Walk {
            path,
            made: 0,
            steps: vec![w.step(&view, 0)],
            view: Some(view),
            failure: None,
            depth: 0,
            name,
        }
    }

    pub fn arrive(&mut self, w: &W, view: W::View) {
        self.steps.push(w.step(&view, self.depth));
        self.view = Some(view);
    }
}

/// The number of steps of a folded trace once every call is unfolded.
pub fn unfolded_length<S: TraceStep>(trace: &Trace<S>) -> u64 {
    let mut lengths: Vec<u64> = Vec::with_capacity(trace.segments.len());
    let length = |steps: &[S], lengths: &[u64]| {
        steps.iter().fold(0_u64, |sum, step| {
            let inner = step
                .folded()
                .map_or(0, |segment| lengths[segment.0 as usize]);
            sum.saturating_add(inner).saturating_add(1)
        })
    };
    for segment in &trace.segments {
        lengths.push(length(segment, &lengths));
    }
    length(&trace.stem, &lengths).saturating_add(length(&trace.cycle, &lengths))
}

/// The same execution with no call folded.
pub fn unfold<S: TraceStep>(trace: &Trace<S>) -> Trace<S> {
    let mut stem = trace.stem.clone();
    let mut cycle = Vec::new();
    // A call that the cycle begins with is folded on the stem's last step, but what happens
    // in it is part of the cycle.
    if let Some(last) = stem.last_mut().filter(|_| !trace.cycle.is_empty())
        && let Some(inner) = last.folded()
    {
        last.fold(None);
        cycle = unfold_steps(
            &trace.segments[inner.0 as usize],
            &trace.segments,
            last.depth() + 1,
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

fn unfold_steps<S: TraceStep>(steps: &[S], segments: &[Vec<S>], below: u32) -> Vec<S> {
    let mut unfolded = Vec::new();
    // Each entry: the rest of a segment, and how many frames lie below it.
    let mut rest = vec![(steps.iter(), below)];
    while let Some((segment, below)) = rest.last_mut() {
        let Some(step) = segment.next() else {
            rest.pop();
            continue;
        };
        let depth = step.depth() + *below;
        let mut lifted = step.clone();
        lifted.lift(*below);
        lifted.fold(None);
        unfolded.push(lifted);
        if let Some(inner) = step.folded() {
            rest.push((segments[inner.0 as usize].iter(), depth + 1));
        }
    }
    unfolded
}
