//! From paths over live variables to executions with every value.
//!
//! Each path is followed rule by rule, and every variable gets a value that fits
//! ([`super::values`]). A segment is walked once for each state it is entered with, and then
//! used again. Everything is made with calls folded; [`super::fold::unfold`] puts a segment
//! in the place of each folded call.
//!
//! Where rounds are folded, only the samples among them are walked. Between these the path
//! tells the values that matter; all others stay as the last sample has left them. It is the
//! same with nested frames, down and up again.

use super::fold;
use super::path::{CallUse, Move, Path, Transition};
use super::segments::{AbstractTrace, Unfolding};
use super::values::{Before, Solver, Told, ToldBelow};
use crate::analysis::Analyses;
use crate::program::{ProcedureId, VariableId};
use crate::rules::{Head, Meaning, Right, Rule, Rules};
use crate::spds::Spds;
use crate::spds::copies::Copies;
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

/// What paths lead through.
pub struct Walker<'a> {
    pub rules: &'a Rules<'a>,
    pub analyses: &'a Analyses,
    pub copies: &'a Copies<'a>,
    pub spds: &'a Spds,
}

/// What can be seen of a configuration without looking below the top frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct View {
    head: Head,
    frame: ProcedureId,
    valuation: Valuation,
    /// The values fixed by a `return`; only where a frame is left.
    returns: Option<Box<[u64]>>,
}

/// A frame that waits below another, and the head at which it will go on.
struct Waiting {
    head: Head,
    locals: Box<[u64]>,
}

/// What is left of a frame that was popped: its last view, and the globals after that.
#[derive(Clone, Debug)]
struct Exit {
    view: View,
    globals: Box<[u64]>,
}

/// An execution along a path.
struct Walk<'t> {
    path: &'t Path,
    /// How many moves of the path have been made.
    made: usize,
    steps: Vec<Step>,
    /// Where the walk is; `None` once a program has stopped.
    view: Option<View>,
    depth: u64,
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

    fn arrive(&mut self, view: View) {
        self.steps.push(view.step(self.depth));
        self.view = Some(view);
    }

    /// Says how the execution goes on from its last step.
    fn take(&mut self, rule: &Rule, below: Box<[u64]>) {
        if let Some(step) = self.steps.last_mut() {
            step.rule = Some(rule.origin);
            step.below = below;
        }
    }

    /// The program stops, in *error* or *terminated*.
    fn stop(&mut self, location: Location, globals: &[u64]) {
        self.view = None;
        let valuation = Valuation::new(globals, &[]);
        self.steps.push(Step::new(location, 0, valuation));
    }
}

impl View {
    fn step(&self, depth: u64) -> Step {
        let location = Location::At(self.head.0);
        Step {
            returns: self.returns.clone(),
            ..Step::new(location, depth, self.valuation.clone())
        }
    }

    fn before(&self) -> Before<'_> {
        Before {
            frame: self.frame,
            valuation: &self.valuation,
            returned: None,
        }
    }
}

impl Walker<'_> {
    fn solver(&self) -> Solver<'_> {
        Solver {
            rules: self.rules,
            copies: self.copies,
        }
    }

    /// What a path tells of the values at a head.
    fn told<'t>(&'t self, head: Head, values: &'t [bool]) -> Told<'t> {
        Told {
            variables: self.analyses.liveness.at(head),
            values,
        }
    }

    fn frame(&self, head: Head) -> Result<ProcedureId, Diverged> {
        self.rules.frame_of(head).ok_or(Diverged)
    }

    /// The rule that a move begins with.
    fn rule_of(&self, step: &Move) -> Result<&Rule, Diverged> {
        let rule = self.spds.rule(step.rule().ok_or(Diverged)?);
        self.rules.rules.get(rule.origin.0 as usize).ok_or(Diverged)
    }

    /// The states of the property's automaton, if there is one, before a call's first step and
    /// after its last.
    fn states(&self, call: &CallUse) -> [u32; 2] {
        let (_, after) = call.handed(self.spds);
        [&call.key[..], &after].map(|values| self.rules.layout.state(values))
    }

    fn start(&self, path: &Path) -> Result<View, Diverged> {
        let valuation = self.solver().start(self.told(path.head, &path.values));
        Ok(View {
            head: path.head,
            frame: self.frame(path.head)?,
            valuation: valuation.ok_or(Diverged)?,
            returns: None,
        })
    }

    /// The place of a view, with the values that matter where a path begins.
    fn jump(&self, view: &View, path: &Path) -> Result<View, Diverged> {
        if path.head != view.head {
            return Err(Diverged);
        }
        let told = self.told(path.head, &path.values);
        let mut view = view.clone();
        let globals = (0..view.valuation.globals().len() as u32).map(VariableId::Global);
        let locals = (0..view.valuation.locals().len() as u32).map(VariableId::Local);
        for variable in globals.chain(locals) {
            if let Some(value) = told.value(self.rules.layout.cell(view.frame, variable)) {
                view.valuation.set(variable, value);
            }
        }
        Ok(view)
    }

    /// Makes a move of the walk's path, in its frame or into one that is never left.
    fn make_move(&self, walk: &mut Walk<'_>, step: &Move) -> Result<(), Diverged> {
        walk.made += 1;
        let Some(view) = walk.view.take() else {
            // The program has stopped, and only the automaton moves on.
            return Ok(());
        };
        let rule = self.rule_of(step)?;
        let meaning = self.rules.meaning(step.head);
        if meaning == Meaning::Error {
            walk.take(rule, Box::default());
            walk.stop(Location::Error, view.valuation.globals());
            return Ok(());
        }
        let told = self.told(step.head, &step.values);
        let after = self.solver().after(rule, view.before(), Some(told), None);
        let after = after.ok_or(Diverged)?;
        walk.take(rule, after.below);
        if meaning == Meaning::Empty {
            walk.stop(Location::Terminated, after.valuation.globals());
            return Ok(());
        }
        walk.depth += u64::from(matches!(rule.right, Right::Push { .. }));
        walk.arrive(View {
            head: step.head,
            frame: self.frame(step.head)?,
            valuation: after.valuation,
            returns: after.returns,
        });
        Ok(())
    }

    /// The state in which the frame of a call that returns begins, whose execution
    /// `segment` is; and what waits for it.
    fn entered(
        &self,
        walk: &mut Walk<'_>,
        call: &CallUse,
        segment: &Path,
    ) -> Result<(View, Waiting), Diverged> {
        let view = walk.view.as_ref().ok_or(Diverged)?;
        let after = &walk.path.moves[walk.made];
        let rule = self.rule_of(after)?;
        let (handed, _) = call.handed(self.spds);
        let below = ToldBelow {
            told: self.told(after.head, &after.values),
            handed: &handed,
        };
        let told = self.told(segment.head, &segment.values);
        let solved = self
            .solver()
            .after(rule, view.before(), Some(told), Some(below));
        let solved = solved.ok_or(Diverged)?;
        let waiting = Waiting {
            head: after.head,
            locals: solved.below.clone(),
        };
        walk.take(rule, solved.below);
        let view = View {
            head: segment.head,
            frame: self.frame(segment.head)?,
            valuation: solved.valuation,
            returns: None,
        };
        Ok((view, waiting))
    }

    /// Leaves the frame that a walk was made in, as `call` says.
    fn left(&self, walk: &mut Walk<'_>, call: &CallUse) -> Result<Exit, Diverged> {
        let view = walk.view.clone().ok_or(Diverged)?;
        let (handed, values) = call.handed(self.spds);
        let told = Told {
            variables: &handed,
            values: &values,
        };
        let pops = self.rules.rules_from(view.head).iter();
        let is_told = |(value, i): (&u64, u32)| {
            let told = told.value(self.rules.layout.global(i));
            told.is_none_or(|told| told == *value)
        };
        for rule in pops.filter(|rule| rule.right == Right::Pop) {
            let after = self.solver().after(rule, view.before(), Some(told), None);
            let globals = after.as_ref().map(|after| after.valuation.globals());
            // Another rule might keep what this one changes.
            if let Some(globals) = globals.filter(|globals| globals.iter().zip(0..).all(is_told)) {
                walk.take(rule, Box::default());
                let globals = globals.into();
                return Ok(Exit { view, globals });
            }
        }
        Err(Diverged)
    }

    /// What is left of a frame by a call, if that is like one that has left `exit`; and the
    /// step with which it ends.
    fn left_like(&self, exit: &Exit, call: &CallUse) -> (Exit, Step) {
        let (handed, values) = call.handed(self.spds);
        let told = Told {
            variables: &handed,
            values: &values,
        };
        let layout = &self.rules.layout;
        let Exit {
            mut view,
            mut globals,
        } = exit.clone();
        for (value, i) in globals.iter_mut().zip(0..) {
            *value = told.value(layout.global(i)).unwrap_or(*value);
        }
        for (value, i) in view.returns.iter_mut().flatten().zip(0..) {
            *value = told.value(layout.returned(view.frame, i)).unwrap_or(*value);
        }
        // A procedure has one exit, where it is left with the globals it has.
        let step = match self.rules.is_frame_by_kind {
            true => {
                view.valuation = Valuation::new(&globals, view.valuation.locals());
                view.step(0)
            }
            false => Step::new(Location::Left, 0, Valuation::new(&globals, &[])),
        };
        (Exit { view, globals }, step)
    }

    /// Goes on after a call that has returned.
    fn returned(
        &self,
        walk: &mut Walk<'_>,
        segment: SegmentId,
        waiting: &Waiting,
        exit: &Exit,
    ) -> Result<(), Diverged> {
        if let Some(call) = walk.steps.last_mut() {
            call.folded = Some(Fold::Call(segment));
        }
        walk.made += 1;
        let mut view = View {
            head: waiting.head,
            frame: self.frame(waiting.head)?,
            valuation: Valuation::new(&exit.globals, &waiting.locals),
            returns: None,
        };
        if matches!(self.rules.meaning(view.head), Meaning::Returning(_)) {
            // A returning head and its internal rule are part of this step.
            let after = walk.path.moves.get(walk.made).ok_or(Diverged)?;
            walk.made += 1;
            if self.rules.meaning(after.head) == Meaning::Error {
                walk.stop(Location::Error, &exit.globals);
                return Ok(());
            }
            let before = Before {
                returned: Some((exit.view.frame, exit.view.returns.as_deref())),
                ..view.before()
            };
            let told = self.told(after.head, &after.values);
            let rule = self.rule_of(after)?;
            let solved = self.solver().after(rule, before, Some(told), None);
            view.valuation = solved.ok_or(Diverged)?.valuation;
            view.head = after.head;
        }
        walk.arrive(view);
        Ok(())
    }
}
