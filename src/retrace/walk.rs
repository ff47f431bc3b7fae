//! Runs the C program with the choices of a trace, and looks whether it does what the trace says.
//!
//! A step costs as much as what is in scope there.

use super::script::{Made, Prompter, Script};
use super::{Mismatch, Original};
use crate::execution::{EndKind, Failure, Machine, Options, Outcome, Overflow, State, StepKind};
use crate::lower::c::{Origin, PointKind, PointOrigin};
use crate::program::PointId;
use crate::trace::{Location, Trace};
use crate::typing::c::tree::{FunctionId, LabelId, Program};
use rustc_hash::FxHashMap;

/// What an execution must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Something fails: a function is called that means it, or an assertion is wrong.
    Failure,
    Overflow,
    Undefined,
    Label(LabelId),
    Call(FunctionId),
    /// The program ends.
    End,
}

impl Goal {
    /// What the last step of a finite trace says; none if it says nothing of C.
    pub fn of(origin: &Origin, trace: &Trace) -> Option<Self> {
        let point = |at: u32| origin.point(PointId(at));
        let last = trace.stem.last()?;
        match last.location {
            Location::Terminated => Some(Goal::End),
            Location::Error => {
                let before = trace.stem.iter().rev().nth(1)?.at()?;
                Some(match point(before).kind {
                    PointKind::Overflow => Goal::Overflow,
                    PointKind::Undefined { .. } => Goal::Undefined,
                    _ => Goal::Failure,
                })
            }
            Location::At(at) => match point(at) {
                PointOrigin {
                    label: Some(label), ..
                } => Some(Goal::Label(*label)),
                PointOrigin {
                    kind: PointKind::Overflow,
                    ..
                } => Some(Goal::Overflow),
                PointOrigin {
                    kind: PointKind::Undefined { .. },
                    ..
                } => Some(Goal::Undefined),
                PointOrigin {
                    call: Some(function),
                    ..
                } => Some(Goal::Call(*function)),
                _ => None,
            },
            Location::Left => None,
        }
    }

    /// How a program is executed to come to it.
    pub fn options(self, options: Options) -> Options {
        Options {
            overflow: match self {
                Goal::Overflow => Overflow::Error,
                _ => options.overflow,
            },
            undefined_first: self == Goal::Undefined,
            ..options
        }
    }

    /// Whether an execution that ends so has come to it.
    pub fn is_met_by(self, end: EndKind) -> bool {
        match (self, end) {
            (Goal::Overflow, EndKind::Failed(Failure::Overflow)) => true,
            (Goal::Failure, EndKind::Failed(failure)) => failure != Failure::Overflow,
            (Goal::Undefined, EndKind::Undefined(_)) => true,
            (Goal::End, EndKind::Ended) => true,
            _ => false,
        }
    }
}

/// A configuration of an execution, and what its step did.
#[derive(Debug)]
pub struct Moment {
    pub state: State,
    /// How its condition came out, if it is a branch.
    pub outcome: Option<Outcome>,
    /// What was chosen in its step.
    pub made: Vec<Made>,
}

/// An execution.
#[derive(Debug, Default)]
pub struct Walk {
    /// What was chosen before its first step.
    pub begin: Vec<Made>,
    pub moments: Vec<Moment>,
    /// What was chosen in all steps, and in which functions, if not all of them are moments and it is known.
    pub all: Option<Vec<(FunctionId, Made)>>,
    /// How it ends, in words, if it does not end at a label or call.
    pub end: Option<Ending>,
}

/// How an execution ends.
#[derive(Clone, Debug)]
pub struct Ending {
    pub what: String,
    pub kind: EndKind,
}

/// How long executions may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// So many steps are kept.
    pub kept: usize,
    /// So many are made.
    pub made: u64,
}

/// Runs a program to its goal. `Ok(None)` if it takes too many steps.
pub fn walk(
    original: Original<'_>,
    script: &Script,
    goal: Goal,
    bounds: Bounds,
) -> Result<Option<Walk>, Mismatch> {
    let Original { typed, options, .. } = original;
    let mut prompter = Prompter(script);
    let mut machine = Machine::new(typed, goal.options(options), &mut prompter);
    let mut walk = Walk {
        begin: script.take_made(),
        ..Walk::default()
    };
    loop {
        let Some(state) = machine.state() else {
            let Some(end) = machine.end() else {
                return Err(Mismatch::new("the execution came to no step"));
            };
            if !goal.is_met_by(end.kind) {
                let what = describe(typed, end.kind);
                return Err(Mismatch::new(format!(
                    "the execution ends otherwise: {what}"
                )));
            }
            walk.end = Some(Ending {
                what: describe(typed, end.kind),
                kind: end.kind,
            });
            return Ok(Some(walk));
        };
        if walk.moments.len() >= bounds.kept || machine.steps() > bounds.made {
            return Ok(None);
        }
        let is_branch = state.step.kind == StepKind::Branch;
        let label = match state.step.kind {
            StepKind::Label(label) => Some(label),
            _ => None,
        };
        walk.moments.push(Moment {
            state,
            outcome: None,
            made: Vec::new(),
        });
        if label.is_some_and(|label| goal == Goal::Label(label)) {
            return Ok(Some(walk));
        }
        machine.take_outcome();
        machine.take_called();
        machine.run(1);
        if let Some(moment) = walk.moments.last_mut() {
            moment.outcome = machine.take_outcome().filter(|_| is_branch);
            moment.made = script.take_made();
        }
        let called = machine.take_called();
        if called.is_some_and(|called| goal == Goal::Call(called)) {
            return Ok(Some(walk));
        }
    }
}

/// How often more steps are made before loops are looked for again.
const FIRST_LOOK: usize = 256;
/// So many loops are looked at.
const MOST_LOOPS: usize = 1000;

/// So many moments are looked at to which an execution comes back at once.
const MOST_RETURNS: usize = 32;

/// Which moments an infinite execution begins and ends its loop with.
pub type Round = (usize, usize);

/// Runs a program until it is where it was before, in a way that will do; `Ok(None)` if that takes too
/// many steps. `says` is asked of the moments so far, and those between which the execution comes
/// back to what it was.
pub fn walk_round(
    original: Original<'_>,
    script: &Script,
    bounds: Bounds,
    says: &mut dyn FnMut(&[Moment], Round) -> bool,
) -> Result<Option<(Walk, Round)>, Mismatch> {
    let Original { typed, options, .. } = original;
    let mut prompter = Prompter(script);
    let mut machine = Machine::new(typed, options, &mut prompter);
    let mut walk = Walk {
        begin: script.take_made(),
        ..Walk::default()
    };
    let mut returns = Returns::default();
    let mut found: Vec<Round> = Vec::new();
    let (mut looked, mut next_look, mut rounds) = (0, FIRST_LOOK, 0);
    loop {
        let state = machine.state();
        if walk.moments.len() >= next_look.min(bounds.kept) || state.is_none() {
            // All loops so far, each as soon as it was found.
            for round in &found[looked..] {
                rounds += 1;
                if says(&walk.moments, *round) {
                    walk.close(*round);
                    return Ok(Some((walk, *round)));
                }
            }
            looked = found.len();
            next_look *= 2;
        }
        if rounds > MOST_LOOPS {
            return Err(Mismatch::new(
                "no loop of the execution shows what it should",
            ));
        }
        let Some(state) = state else {
            let end = machine.end().map(|end| describe(typed, end.kind));
            let what = end.unwrap_or_default();
            return Err(Mismatch::new(format!("the execution ends: {what}")));
        };
        if walk.moments.len() >= bounds.kept {
            return Ok(None);
        }
        let at = walk.moments.len();
        let kind = state.step.kind;
        returns.enter(at, state.depth);
        // Every loop goes through one of these.
        if matches!(
            kind,
            StepKind::Branch | StepKind::Goto | StepKind::Call(_) | StepKind::Label(_)
        ) && let Some(print) = machine.fingerprint()
        {
            let from = returns.find(print).into_iter();
            found.extend(from.map(|from| (from, at)));
        }
        walk.moments.push(Moment {
            state,
            outcome: None,
            made: Vec::new(),
        });
        machine.take_outcome();
        machine.run(1);
        if let Some(moment) = walk.moments.last_mut() {
            let outcome = machine.take_outcome();
            moment.outcome = outcome.filter(|_| kind == StepKind::Branch);
            moment.made = script.take_made();
        }
    }
}

impl Walk {
    /// Leaves out what comes after a round; its end goes on as its beginning did.
    pub fn close(&mut self, (from, to): Round) {
        self.moments.truncate(to + 1);
        let (outcome, made) = match self.moments.get(from) {
            Some(first) => (first.outcome, first.made.clone()),
            None => (None, Vec::new()),
        };
        if let Some(last) = self.moments.last_mut() {
            (last.outcome, last.made) = (outcome, made);
        }
    }
}

/// The configurations that an execution may come back to: of those below which no frame was left
/// since.
#[derive(Default)]
struct Returns {
    known: FxHashMap<u128, Vec<(usize, usize)>>,
    /// Moments, each less deep than all after it.
    lowest: Vec<(usize, usize)>,
    now: (usize, usize),
}

impl Returns {
    fn enter(&mut self, at: usize, depth: usize) {
        while self.lowest.last().is_some_and(|(_, other)| *other >= depth) {
            self.lowest.pop();
        }
        self.lowest.push((at, depth));
        self.now = (at, depth);
    }

    /// The moments with this fingerprint that can be gone on from again, the last ones first.
    fn find(&mut self, print: u128) -> Vec<usize> {
        let lowest = &self.lowest;
        let is_open = |(from, depth): &(usize, usize)| {
            let after = lowest.partition_point(|(at, _)| at < from);
            lowest.get(after).is_some_and(|(_, least)| least >= depth)
        };
        let known = self.known.entry(print).or_default();
        let open = known.iter().rev().take(MOST_RETURNS).copied();
        let open = open.filter(is_open).map(|(from, _)| from).collect();
        known.push(self.now);
        open
    }
}

/// How an execution ends, in words.
pub fn describe(typed: &Program, end: EndKind) -> String {
    match end {
        EndKind::Ended => "the program ends".into(),
        EndKind::Failed(Failure::Assertion) => "the assertion fails".into(),
        EndKind::Failed(Failure::Call(function)) => {
            let name = typed.functions[function.0 as usize].name;
            format!("`{}` is called", typed.names.text(name))
        }
        EndKind::Failed(Failure::Overflow) => "a signed computation overflows".into(),
        EndKind::Failed(failure @ Failure::Rule(_)) => failure.describe(typed),
        EndKind::Undefined(undefined) => undefined.to_string(),
        EndKind::Outside(beyond) => format!("not decided: {}", beyond.describe(typed)),
        EndKind::CutOff => "an assumption is false".into(),
        EndKind::Exhausted => "there is no more memory".into(),
    }
}
