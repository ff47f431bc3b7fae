//! Executions of C that are too long to be shown step by step: rounds of their loops are folded.
//!
//! The execution is made in full, without keeping anything but where each place of the code was passed in
//! each frame. Where one was passed many times, its first round and its last two are kept, one of these for those
//! that are left out; the same is done with the rounds that are kept, as long as there are too many steps. Then the
//! execution is made once more, and only the steps that are kept are looked at. So it takes time by all
//! steps, and memory by those that are shown.

use super::samples::{Course, Mark, Tally, Turn};
use super::script::{Made, Prompter, Script};
use super::walk::{Bounds, Ending, Goal, Moment, Walk, describe};
use super::{Original, Retraced};
use crate::execution::{Machine, StepKind};
use crate::trace::{Fold, RoundsId, Sample, SegmentId, Step, Trace};
use crate::typing::c::tree::FunctionId;
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Loops of fewer rounds are not folded.
const FEW: u64 = 20;
/// How often loops are looked for inside the rounds that are kept.
const LEVELS: usize = 4;
/// So many steps are made before somebody may stop it.
const CHUNK: u64 = 1 << 14;

/// Rounds that are left out: between two steps at the same place of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The step after which they are left out.
    pub from: u64,
    /// The last of them begins at this step,
    pub sample: u64,
    /// and ends at this one.
    pub to: u64,
    /// How many they are, this one counted.
    pub rounds: u64,
}

/// An execution, and the rounds that are left out of it, none inside another.
pub type Folded = (Walk, Vec<Gap>);

/// Why there is no folded execution.
pub enum Obstacle {
    /// It is too long, or not as the trace says: of folded rounds only samples are known.
    Unfit,
    Stopped(Stop),
}

impl From<Stop> for Obstacle {
    fn from(stop: Stop) -> Self {
        Obstacle::Stopped(stop)
    }
}

/// Runs a program to its goal, and keeps what can be shown. Gives also how many steps there are.
pub fn walk_folded(
    original: Original<'_>,
    script: &Script,
    goal: Goal,
    bounds: Bounds,
    watch: &Watch,
) -> Result<(Folded, u64), Obstacle> {
    let pass = Pass {
        original,
        script,
        goal: Some(goal),
        marks: &[],
        bounds,
        watch,
    };
    let mut gaps: Vec<Gap> = Vec::new();
    for _ in 0..LEVELS {
        let mut survey = Survey::default();
        let length = pass.run(&gaps, &mut survey)?;
        survey.end_stretch();
        gaps.extend(survey.chosen);
        gaps.sort_unstable_by_key(|gap| gap.from);
        let left_out: u64 = gaps.iter().map(|gap| gap.sample - gap.from - 1).sum();
        if length - left_out <= bounds.kept as u64 {
            let mut capture = Capture::default();
            capture.walk.all = Some(Vec::new());
            capture.most = bounds.kept;
            pass.run(&gaps, &mut capture)?;
            return Ok(((capture.walk, gaps), length));
        }
    }
    Err(Obstacle::Unfit)
}

/// Runs a program to its goal, or once round its loop if there is none, leaping over what lies between the
/// samples that the marks are of, and keeps what can be shown. Gives also the step with which the loop begins, and
/// how many steps there are with those that are left out.
pub fn walk_sampled(
    original: Original<'_>,
    (script, marks): (&Script, &[Mark]),
    goal: Option<Goal>,
    bounds: Bounds,
    watch: &Watch,
) -> Result<(Folded, Option<usize>, u64), Obstacle> {
    let pass = Pass {
        original,
        script,
        goal,
        marks,
        bounds,
        watch,
    };
    let mut tally = Tally::default();
    let made = pass.run(&[], &mut tally)?;
    // Where the execution ends there may be no step.
    let length = tally.length().saturating_add(made - tally.made());
    let gaps = tally.gaps;
    let left_out: u64 = gaps.iter().map(|gap| gap.sample - gap.from - 1).sum();
    if made - left_out > bounds.kept as u64 {
        return Err(Obstacle::Unfit);
    }
    // Of the choices, those of the rounds that are left out are not known.
    let mut capture = Capture::default();
    pass.run(&gaps, &mut capture)?;
    let mut walk = capture.walk;
    let before = |cycle: u64| {
        let whole = gaps.iter().take_while(|gap| gap.to <= cycle);
        let left_out: u64 = whole.map(|gap| gap.sample - gap.from - 1).sum();
        (cycle - left_out) as usize
    };
    let cycle = tally.cycle.map(before);
    if let Some(first) = cycle {
        walk.close((first, walk.moments.len() - 1));
    }
    Ok(((walk, gaps), cycle, length))
}

/// Who looks at an execution.
trait Observer {
    /// The program has begun.
    fn begin(&mut self, _: &Script) {}
    /// A step is about to be made.
    fn before(&mut self, at: u64, machine: &Machine<'_>);
    /// It was made.
    fn after(&mut self, _: &mut Machine<'_>, _: &Script) {}
    /// Steps were left out.
    fn gap(&mut self) {}
    /// A mark was passed, before this step.
    fn turn(&mut self, _: u64, _: Turn) {}
    /// Something was chosen in a step that is left out.
    fn meanwhile(&mut self, _: FunctionId, _: &Script) {}
    fn end(&mut self, _: Ending) {}
}

struct Pass<'a> {
    original: Original<'a>,
    script: &'a Script,
    /// None if an infinite execution comes round.
    goal: Option<Goal>,
    /// Where the execution leaps.
    marks: &'a [Mark],
    bounds: Bounds,
    watch: &'a Watch,
}

impl Pass<'_> {
    /// Makes the execution, and shows what is not left out; gives its number of steps.
    fn run(&self, gaps: &[Gap], observer: &mut impl Observer) -> Result<u64, Obstacle> {
        let Original { typed, options, .. } = self.original;
        self.script.rewind();
        let mut prompter = Prompter(self.script);
        let options = self.goal.map_or(options, |goal| goal.options(options));
        let mut machine = Machine::new(typed, options, &mut prompter);
        observer.begin(self.script);
        let mut gaps = gaps.iter().peekable();
        let mut course = Course::new(self.marks);
        let mut at = 0;
        loop {
            if at % CHUNK == 0 {
                self.watch.check()?;
                if at > self.bounds.made {
                    return Err(Obstacle::Unfit);
                }
            }
            for turn in course.pass(&mut machine).ok_or(Obstacle::Unfit)? {
                observer.turn(at, turn);
                if turn == Turn::Close {
                    observer.before(at, &machine);
                    return Ok(at + 1);
                }
            }
            let Some(step) = machine.next_step() else {
                let is_met = |kind| {
                    let is_met = self.goal.is_some_and(|goal| goal.is_met_by(kind));
                    is_met && !course.is_open()
                };
                let end = machine.end().filter(|end| is_met(end.kind));
                let end = end.ok_or(Obstacle::Unfit)?;
                observer.end(Ending {
                    what: describe(typed, end.kind),
                    kind: end.kind,
                });
                return Ok(at + 1);
            };
            let is_left_out = match gaps.peek() {
                Some(gap) if at == gap.sample => {
                    observer.gap();
                    gaps.next();
                    false
                }
                Some(gap) => at > gap.from,
                None => false,
            };
            if !is_left_out {
                observer.before(at, &machine);
            }
            if let StepKind::Label(label) = step.kind
                && self.goal == Some(Goal::Label(label))
                && !course.is_open()
            {
                return Ok(at + 1);
            }
            let caller = machine.site();
            machine.take_called();
            machine.take_outcome();
            machine.run(1);
            if machine.take_used_lost() {
                return Err(Obstacle::Unfit);
            }
            course.advance();
            at += 1;
            let called = machine.take_called();
            match (is_left_out, caller) {
                (false, _) => observer.after(&mut machine, self.script),
                (true, Some((caller, ..))) if self.script.has_made() => {
                    observer.meanwhile(caller, self.script);
                }
                (true, _) => {}
            }
            if called.is_some_and(|called| self.goal == Some(Goal::Call(called)))
                && !course.is_open()
            {
                return Ok(at);
            }
        }
    }
}

/// When a place was passed in one frame.
#[derive(Clone, Copy)]
struct Visits {
    count: u64,
    first: u64,
    second: u64,
    /// The last three times.
    third_last: u64,
    before: u64,
    last: u64,
}

/// Looks for loops in the stretches of an execution that are kept.
#[derive(Default)]
struct Survey {
    /// Of each open frame, the places of its function.
    frames: Vec<FxHashMap<(FunctionId, usize), Visits>>,
    /// Places that were passed often.
    often: Vec<Visits>,
    /// What can be left out.
    chosen: Vec<Gap>,
}

impl Observer for Survey {
    fn before(&mut self, at: u64, machine: &Machine<'_>) {
        let Some((function, place, depth)) = machine.site() else {
            return;
        };
        while self.frames.len() > depth + 1 {
            self.leave();
        }
        self.frames.resize_with(depth + 1, FxHashMap::default);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let visits = frame.entry((function, place)).or_insert(Visits {
            count: 0,
            first: at,
            second: at,
            third_last: at,
            before: at,
            last: at,
        });
        visits.count += 1;
        if visits.count == 2 {
            visits.second = at;
        }
        visits.third_last = visits.before;
        visits.before = visits.last;
        visits.last = at;
    }

    fn after(&mut self, _: &mut Machine<'_>, script: &Script) {
        if script.has_made() {
            script.take_made();
        }
    }

    fn meanwhile(&mut self, _: FunctionId, script: &Script) {
        script.take_made();
    }

    fn gap(&mut self) {
        self.end_stretch();
    }
}

impl Survey {
    fn leave(&mut self) {
        let frame = self.frames.pop().into_iter().flatten();
        let often = frame.map(|(_, visits)| visits);
        self.often.extend(often.filter(|visits| visits.count > FEW));
    }

    /// Leaves out rounds of the outermost loops: those whose first place was passed first.
    fn end_stretch(&mut self) {
        while !self.frames.is_empty() {
            self.leave();
        }
        self.often
            .sort_unstable_by_key(|visits| (visits.first, Reverse(visits.last)));
        let mut end = 0;
        for visits in self.often.drain(..) {
            if visits.first >= end {
                end = visits.last;
                self.chosen.push(Gap {
                    from: visits.second,
                    sample: visits.third_last,
                    to: visits.before,
                    rounds: visits.count - 3,
                });
            }
        }
    }
}

impl Observer for Tally {
    fn before(&mut self, _: u64, _: &Machine<'_>) {}

    fn after(&mut self, _: &mut Machine<'_>, script: &Script) {
        self.step();
        if script.has_made() {
            script.take_made();
        }
    }

    fn turn(&mut self, at: u64, turn: Turn) {
        Tally::turn(self, at, turn);
    }
}

/// Keeps what is shown.
#[derive(Default)]
struct Capture {
    walk: Walk,
    /// And what was chosen in all steps, if it is no more than this.
    most: usize,
}

impl Capture {
    fn choose(&mut self, caller: FunctionId, made: impl Iterator<Item = Made>) {
        if let Some(all) = &mut self.walk.all {
            all.extend(made.map(|made| (caller, made)));
            if all.len() > self.most {
                self.walk.all = None;
            }
        }
    }
}

impl Observer for Capture {
    fn begin(&mut self, script: &Script) {
        self.walk.begin = script.take_made();
    }

    fn before(&mut self, _: u64, machine: &Machine<'_>) {
        self.walk
            .moments
            .extend(machine.state().map(|state| Moment {
                state,
                outcome: None,
                made: Vec::new(),
            }));
    }

    fn after(&mut self, machine: &mut Machine<'_>, script: &Script) {
        let Some(moment) = self.walk.moments.last_mut() else {
            return;
        };
        let is_branch = moment.state.step.kind == StepKind::Branch;
        moment.outcome = machine.take_outcome().filter(|_| is_branch);
        let made = script.take_made();
        moment.made.clone_from(&made);
        let caller = moment.state.function;
        self.choose(caller, made.into_iter());
    }

    fn meanwhile(&mut self, caller: FunctionId, script: &Script) {
        self.choose(caller, script.take_made().into_iter());
    }

    fn end(&mut self, end: Ending) {
        self.walk.end = Some(end);
    }
}

/// A round whose steps are being collected.
struct Open {
    steps: Vec<Step>,
    gap: Gap,
    id: RoundsId,
}

/// Makes a trace of the steps that were kept folded where rounds were left out. The loop of an infinite one
/// comes after the step `cycle`.
pub fn fold(retraced: &mut Retraced, gaps: &[Gap], cycle: Option<usize>) {
    let mut trace = std::mem::take(&mut retraced.trace);
    let steps = std::mem::take(&mut trace.stem);
    let mut open: Vec<Open> = Vec::new();
    let mut gaps = gaps.iter();
    let mut next = gaps.next();
    // Those that are shown by themselves.
    let mut shown = Vec::with_capacity(steps.len());
    let mut at = 0;
    for (index, mut step) in steps.into_iter().enumerate() {
        while let Some(round) = open.pop_if(|round| round.gap.to == at) {
            close(&mut trace, round, step.clone());
        }
        let from = next.filter(|gap| gap.from == at).copied();
        let id = RoundsId(trace.rounds.len() as u32);
        step.folded = from.map(|_| Fold::Rounds(id));
        match open.last_mut() {
            Some(round) => round.steps.push(step),
            None => {
                shown.push(index);
                trace.stem.push(step);
            }
        }
        at += 1;
        if let Some(gap) = from {
            trace.rounds.push(Vec::new());
            let steps = Vec::new();
            open.push(Open { steps, gap, id });
            at = gap.sample;
            next = gaps.next();
        }
    }
    if let Some(first) = cycle {
        let stem = shown.partition_point(|index| *index <= first);
        trace.cycle = trace.stem.split_off(stem);
    }
    let kept = |index: &usize| shown.binary_search(index).is_ok();
    retraced.trace = trace;
    retain(&mut retraced.aligned, &kept);
    retain(&mut retraced.notes, &kept);
}

fn retain<T>(list: &mut Vec<T>, kept: &impl Fn(&usize) -> bool) {
    let mut index = 0;
    list.retain(|_| {
        index += 1;
        kept(&(index - 1))
    });
}

/// A round ends where it began.
fn close(trace: &mut Trace, round: Open, mut last: Step) {
    let Open {
        mut steps, gap, id, ..
    } = round;
    last.folded = None;
    steps.push(last);
    let below = steps.first().map_or(0, |first| first.depth);
    for step in &mut steps {
        step.depth -= below;
    }
    let segment = SegmentId(trace.segments.len() as u32);
    trace.segments.push(steps);
    trace.rounds[id.0 as usize].push(Sample {
        segment,
        rounds: gap.rounds,
        states: [0; 2],
    });
}
