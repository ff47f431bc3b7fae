//! Which values matter for a trace.
//!
//! Bebop does not print a variable whose value is unconstrained in a trace. Here a value
//! matters at a step if the rest of the trace, step for step with the same rules, might not
//! be possible without it. That is found backwards, as a dynamic slice: a value that
//! matters and is set makes the values it was computed from matter; a condition makes those
//! matter without which it might come out otherwise. Of `a | b` with `a = 1` only `a`
//! matters. The result may contain more than needed, never less.

use super::known::AbstractValue;
use crate::analysis::Observed;
use crate::interpreter::Valuation;
use crate::interpreter::values::{Cause, Possible};
use crate::limits::witness::RELEVANT_ROUNDS;
use crate::program::{
    Action, Call, Domain, Expression, NewThread, Overflow, PointId, ProcedureId, Program, Target,
    Value, VariableId,
};
use crate::trace::failure::{Failure, Place, Reason};
use crate::trace::{Fold, RoundsId};
use crate::trace::{Location, Step, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cmp::Ordering;

mod need;

type Relevant = FxHashSet<VariableId>;

/// For each step of the stem and the cycle, the variables whose values matter there. What
/// is `observed` by a property always does.
pub fn relevant_values(program: &Program, trace: &Trace, observed: &[Observed]) -> Vec<Relevant> {
    let steps = unrolled(trace);
    let mut slice = Slice {
        program,
        failure: trace.failure.as_ref(),
        globals: FxHashSet::default(),
        locals: FxHashSet::default(),
        waiting: Vec::new(),
        returns: FxHashSet::default(),
        others: FxHashMap::default(),
    };
    let calls = returned_calls(&steps);
    let shown = trace.stem.len() + trace.cycle.len();
    let mut relevant = vec![Relevant::default(); shown];
    for i in (0..steps.len()).rev() {
        if let Some(after) = steps.get(i + 1) {
            match steps[i].folded {
                _ if after.thread != steps[i].thread => {
                    slice.switch_back(after.thread, steps[i].thread);
                }
                Some(Fold::Rounds(rounds)) => slice.rounds_back(trace, rounds),
                // What matters in one of the frames matters in all. They are left as one.
                Some(Fold::Nested(_)) => {}
                _ => slice.step_back(&steps[i], after, calls[i].map(|call| &*steps[call])),
            }
        }
        slice.observe(&steps[i], observed);
        if let Some(relevant) = relevant.get_mut(i) {
            *relevant = slice.now();
        }
    }
    relevant
}

/// The steps of the stem and of enough rounds of the cycle that what matters in a later
/// round shows in an earlier one.
fn unrolled(trace: &Trace) -> Vec<Cow<'_, Step>> {
    let mut steps: Vec<_> = trace.stem.iter().map(Cow::Borrowed).collect();
    let depths = trace.stem.last().zip(trace.cycle.last());
    let growth = depths.map_or(0, |(first, last)| last.depth - first.depth);
    // A call that the cycle begins with is folded on the stem's last step.
    let begins_with = trace.stem.last().and_then(|step| step.folded);
    for round in 0..RELEVANT_ROUNDS {
        steps.extend(trace.cycle.iter().map(|step| match round * growth {
            0 => Cow::Borrowed(step),
            deeper => Cow::Owned(Step {
                depth: step.depth + deeper,
                ..step.clone()
            }),
        }));
        if let Some(last) = steps.last_mut().filter(|_| begins_with.is_some()) {
            last.to_mut().folded = begins_with;
        }
    }
    steps
}

/// For each step that pops a frame, or fails to, the index of the call that pushed it.
fn returned_calls(steps: &[Cow<'_, Step>]) -> Vec<Option<usize>> {
    let mut calls = vec![None; steps.len()];
    let mut stacks: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (i, pair) in steps.windows(2).enumerate() {
        // What another thread does pushes and pops nothing here.
        if pair[0].thread != pair[1].thread {
            continue;
        }
        let open = stacks.entry(pair[0].thread).or_default();
        if pair[1].at().is_none() {
            calls[i] = open.last().copied();
            continue;
        }
        match pair[1].depth.cmp(&pair[0].depth) {
            Ordering::Greater if matches!(pair[0].folded, Some(Fold::Nested(_))) => {}
            Ordering::Greater => open.push(i),
            Ordering::Less => calls[i] = open.pop(),
            Ordering::Equal => {}
        }
    }
    calls
}

/// The state that expressions are evaluated in.
#[derive(Clone, Copy)]
struct State<'s> {
    procedure: ProcedureId,
    valuation: &'s Valuation,
}

struct Slice<'a> {
    program: &'a Program,
    /// Why the trace ends in *error*, if it does.
    failure: Option<&'a Failure>,
    globals: FxHashSet<u32>,
    locals: FxHashSet<u32>,
    /// The locals that matter in frames below, once control is back there. Nothing does in
    /// frames below these, which are never left.
    waiting: Vec<FxHashSet<u32>>,
    /// The return values that matter, between a `return` and its caller.
    returns: FxHashSet<u32>,
    /// What matters to the threads that do not run.
    others: FxHashMap<u32, ThreadSlice>,
}

/// What matters to one thread alone.
#[derive(Default)]
struct ThreadSlice {
    /// The globals of which each thread has its own.
    own: FxHashSet<u32>,
    locals: FxHashSet<u32>,
    waiting: Vec<FxHashSet<u32>>,
    returns: FxHashSet<u32>,
}

impl Slice<'_> {
    fn now(&self) -> Relevant {
        let globals = self.globals.iter().map(|i| VariableId::Global(*i));
        let locals = self.locals.iter().map(|i| VariableId::Local(*i));
        globals.chain(locals).collect()
    }

    fn observe(&mut self, step: &Step, observed: &[Observed]) {
        let procedure = match step.location {
            Location::At(point) => Some(self.program.point(PointId(point)).procedure),
            _ => None,
        };
        for observed in observed {
            match observed {
                Observed::Global(index) => self.add(VariableId::Global(*index)),
                Observed::Local(of, index) if procedure == Some(*of) => {
                    self.add(VariableId::Local(*index));
                }
                Observed::Local(..) => {}
            }
        }
    }

    fn add(&mut self, variable: VariableId) {
        match variable {
            VariableId::Global(i) => self.globals.insert(i),
            VariableId::Local(i) => self.locals.insert(i),
        };
    }

    fn contains(&self, variable: VariableId) -> bool {
        match variable {
            VariableId::Global(i) => self.globals.contains(&i),
            VariableId::Local(i) => self.locals.contains(&i),
        }
    }

    /// Takes a variable out; true if it was in.
    fn remove(&mut self, variable: VariableId) -> bool {
        match variable {
            VariableId::Global(i) => self.globals.remove(&i),
            VariableId::Local(i) => self.locals.remove(&i),
        }
    }

    /// Backwards over a change of the running thread.
    fn switch_back(&mut self, from: u32, to: u32) {
        let mut to = match to {
            // The others begin with what it has left of the globals of which each has its own.
            0 => ThreadSlice {
                own: self.own_elsewhere(),
                ..ThreadSlice::default()
            },
            to => self.others.remove(&to).unwrap_or_default(),
        };
        let threads = self.program.threads.as_ref();
        let is_own = |global: &u32| threads.is_some_and(|threads| threads.is_own(*global));
        to.own
            .extend(self.globals.iter().filter(|global| !is_own(global)));
        let running = ThreadSlice {
            own: self.globals.iter().copied().filter(is_own).collect(),
            locals: std::mem::replace(&mut self.locals, to.locals),
            waiting: std::mem::replace(&mut self.waiting, to.waiting),
            returns: std::mem::replace(&mut self.returns, to.returns),
        };
        self.globals = to.own;
        self.others.insert(from, running);
    }

    /// The globals of which each thread has its own that matter to one that does not run.
    fn own_elsewhere(&self) -> FxHashSet<u32> {
        let others = self.others.values();
        others.flat_map(|other| other.own.iter().copied()).collect()
    }

    /// Backwards over folded rounds: whatever matters in one of the samples, or after them,
    /// matters before them. All calls in a sample are folded.
    fn rounds_back(&mut self, trace: &Trace, rounds: RoundsId) {
        for (_, steps) in trace.samples(rounds).rev() {
            let (globals, locals) = (self.globals.clone(), self.locals.clone());
            for pair in steps.windows(2).rev() {
                match pair[0].folded {
                    Some(Fold::Rounds(rounds)) => self.rounds_back(trace, rounds),
                    _ => self.step_back(&pair[0], &pair[1], None),
                }
            }
            self.globals.extend(globals);
            self.locals.extend(locals);
        }
    }

    fn step_back(&mut self, before: &Step, after: &Step, call: Option<&Step>) {
        let Some(point) = before.at().map(PointId) else {
            return;
        };
        let program = self.program;
        let state = State {
            procedure: program.point(point).procedure,
            valuation: &before.valuation,
        };
        if after.location == Location::Error {
            self.fail(state, before, call);
        } else {
            self.act_back(state, &program.point(point).action, before, after, call);
        }
        if let Some(enforce) = program.procedure(state.procedure).enforce {
            self.need_truth(state, enforce, true);
        }
    }

    fn act_back(
        &mut self,
        state: State<'_>,
        action: &Action,
        before: &Step,
        after: &Step,
        call: Option<&Step>,
    ) {
        match action {
            Action::Exit => self.leave(call),
            Action::Call(call) if before.folded.is_some() => self.skip(call),
            Action::Call(call) => {
                let parameters = std::mem::take(&mut self.locals);
                self.locals = self.waiting.pop().unwrap_or_default();
                let assignments = call.assignments.iter();
                self.assign(state, assignments.map(|(t, v)| (t, v)), None);
                let domains = &self.program.procedure(call.callee).locals;
                for ((argument, cell), i) in call.arguments.iter().zip(domains).zip(0..) {
                    let value = after.valuation.get(VariableId::Local(i));
                    let needed = parameters.contains(&i).then_some(value);
                    self.need_value(state, *argument, cell.domain, needed);
                }
            }
            Action::Goto { .. } => {}
            Action::Assign {
                targets,
                values,
                constrain,
                ..
            } => {
                // A constraint makes the new values it reads matter, and the old ones too.
                if let Some(constrain) = constrain {
                    let expressions = &self.program.expressions;
                    let next: Vec<_> = expressions.reads_next(*constrain).collect();
                    next.into_iter().for_each(|variable| self.add(variable));
                }
                self.assign(state, targets.iter().zip(values), Some(&after.valuation));
                if let Some(constrain) = constrain {
                    self.read_all(*constrain);
                }
            }
            Action::Havoc { variables, .. } => {
                for variable in variables {
                    self.remove(*variable);
                }
            }
            Action::Select { arms, .. } => self.select(state, arms, after),
            Action::Branch { arms, otherwise } => self.branch(state, arms, *otherwise, after),
            Action::Assert { condition, .. } | Action::Assume { condition, .. } => {
                self.need_truth(state, *condition, true);
            }
            Action::EndThread { assignments } => {
                self.assign(state, assignments.iter().map(|(t, v)| (t, v)), None);
            }
            Action::StartThread { thread, .. } => {
                // The new thread has copies of what its creator has its own of.
                self.globals.extend(self.own_elsewhere());
                match thread {
                    NewThread::Call { arguments, .. } => arguments
                        .iter()
                        .for_each(|argument| self.read_all(*argument)),
                    NewThread::Copy { .. } => {
                        let locals = self.program.shown_locals(state.procedure).len() as u32;
                        self.locals.extend(0..locals);
                    }
                }
            }
            Action::Return {
                values,
                assignments,
            } => {
                self.assign(state, assignments.iter().map(|(t, v)| (t, v)), None);
                let needed = std::mem::take(&mut self.returns);
                let domains = &self.program.procedure(state.procedure).returns;
                for ((value, domain), i) in values.iter().zip(domains).zip(0..) {
                    let returned = after.returns.as_ref().map(|returns| returns[i as usize]);
                    let needed = returned.filter(|_| needed.contains(&i));
                    self.need_value(state, *value, *domain, needed);
                }
            }
        }
    }

    /// Backwards over the step to *error*.
    fn fail(&mut self, state: State<'_>, before: &Step, call: Option<&Step>) {
        let Some(failure) = self.failure else {
            return;
        };
        let Some(point) = before.at().map(PointId) else {
            return;
        };
        let action = &self.program.point(point).action;
        match (action, call.map(|call| call.location)) {
            (Action::Exit, Some(Location::At(call))) => self.fail_to_return(PointId(call)),
            (Action::Call(call), _) if before.folded.is_some() => {
                self.read_targets(call);
                self.skip(call);
            }
            (Action::Assert { condition, .. }, _) if failure.reason == Reason::Assertion => {
                self.need_truth(state, *condition, false);
            }
            _ => match &failure.reason {
                Reason::Assertion | Reason::Stated(_) => {}
                Reason::NoValue {
                    expression,
                    target,
                    missing,
                } => {
                    let whole = match (target, missing.cause) {
                        // The index itself is a number, but one too large.
                        (Some((_, count)), Cause::Outside { .. }) => Some(*count),
                        _ => None,
                    };
                    self.need(state, *expression, |known| match whole {
                        Some(count) => known.is_never_index(count),
                        None => known.never_has_value(),
                    });
                }
                Reason::Misfit {
                    expression, place, ..
                } => {
                    let domain = self.domain(state, *place);
                    if let Some(expression) = expression {
                        self.need(state, *expression, |known| known.never_fits(domain));
                    }
                }
            },
        }
    }

    fn domain(&self, state: State<'_>, place: Place) -> Domain {
        let program = self.program;
        match place {
            Place::Variable(variable) => program.cell(state.procedure, variable).domain,
            Place::Parameter(callee, i) => program.procedure(callee).locals[i as usize].domain,
            Place::Returned(i) => program.procedure(state.procedure).returns[i as usize],
        }
    }

    /// Backwards over a return that fails: everything that it needs in the caller, which
    /// is waiting for good, matters.
    fn fail_to_return(&mut self, call: PointId) {
        let Action::Call(call) = &self.program.point(call).action else {
            return;
        };
        self.returns = (0..call.targets.len() as u32).collect();
        let own = std::mem::replace(&mut self.locals, self.waiting.pop().unwrap_or_default());
        self.read_targets(call);
        self.waiting.push(std::mem::replace(&mut self.locals, own));
    }

    fn read_targets(&mut self, call: &Call) {
        let indices: Vec<_> = call.targets.iter().filter_map(Target::index).collect();
        indices.into_iter().for_each(|index| self.read_all(index));
    }

    /// Backwards over a call as a whole. What happened inside is not looked at.
    fn skip(&mut self, call: &Call) {
        self.forget_cells(call.targets.iter());
        self.read_targets(call);
        self.forget_cells(call.assignments.iter().map(|(target, _)| target));
        let globals = self.program.globals.len() as u32;
        self.globals.extend(0..globals);
        call.arguments
            .iter()
            .for_each(|argument| self.read_all(*argument));
        for (target, value) in &call.assignments {
            let read = target.index().into_iter().chain(value.expression());
            read.for_each(|expression| self.read_all(expression));
        }
    }

    fn forget_cells<'t>(&mut self, targets: impl Iterator<Item = &'t Target>) {
        for target in targets {
            if let Target::Cell(variable) = target {
                self.remove(*variable);
            }
        }
    }

    /// Backwards over the pop of a frame that `call` pushed: what matters in the caller
    /// waits until the call is met.
    fn leave(&mut self, call: Option<&Step>) {
        let program = self.program;
        let Some(point) = call.and_then(|call| call.at()).map(PointId) else {
            return;
        };
        let Action::Call(call) = &program.point(point).action else {
            return;
        };
        if let Some(enforce) = program.procedure_of(point).enforce {
            self.read_all(enforce);
        }
        self.returns.clear();
        let caller = program.point(point).procedure;
        let returned = &program.procedure(call.callee).returns;
        for ((target, returned), i) in call.targets.iter().zip(returned).zip(0..) {
            let Some((first, count)) = target.cells() else {
                continue;
            };
            let needed = match target {
                Target::Cell(variable) => self.remove(*variable),
                // Which one was set is not looked at.
                _ => (0..count).any(|k| self.contains(first.plus(k))),
            };
            let domain = program.cell(caller, first).domain;
            if needed || program.overflow != Overflow::Wrap && returned.size() > domain.size() {
                self.returns.insert(i);
            }
        }
        self.read_targets(call);
        self.waiting.push(std::mem::take(&mut self.locals));
    }

    /// Backwards over assignments that happen at once; `after` has the values that were
    /// chosen where there was a choice.
    fn assign<'t>(
        &mut self,
        state: State<'_>,
        assignments: impl Iterator<Item = (&'t Target, &'t Value)>,
        after: Option<&Valuation>,
    ) {
        let program = self.program;
        let set: Vec<_> = assignments
            .filter_map(|(target, value)| Some((target, value, self.cell(state, target)?)))
            .collect();
        // An index matters if another one would have changed what matters.
        let is_near = |slice: &Self, target: &Target| {
            target
                .cells()
                .is_some_and(|(first, count)| (0..count).any(|k| slice.contains(first.plus(k))))
        };
        let near: Vec<bool> = set.iter().map(|(t, ..)| is_near(self, t)).collect();
        // The last one wins.
        let mut needed: Vec<bool> = set.iter().rev().map(|s| self.remove(s.2)).collect();
        needed.reverse();
        for (((target, value, cell), needed), near) in set.into_iter().zip(needed).zip(near) {
            if let Target::Element { index, count, .. } = target {
                let exactly = self.possible(state, *index);
                self.need(state, *index, |known| match near {
                    true => known.is_always(exactly),
                    false => known.is_always_index(*count),
                });
            }
            if let Value::Of(expression) = value {
                let domain = program.cell(state.procedure, cell).domain;
                let chosen = after.map(|after| after.get(cell));
                let value = chosen.or_else(|| self.determined(state, *expression, domain));
                let needed = value.filter(|_| needed);
                self.need_value(state, *expression, domain, needed);
            }
        }
    }

    /// The cell that a target names.
    fn cell(&self, state: State<'_>, target: &Target) -> Option<VariableId> {
        let (first, count) = target.cells()?;
        match target.index().map(|index| self.possible(state, index)) {
            None => Some(first),
            Some(Possible::Number(k)) if (0..count.into()).contains(&k) => {
                Some(first.plus(k as u32))
            }
            Some(_) => None,
        }
    }

    /// What an expression without choices comes out as.
    fn determined(&self, state: State<'_>, expression: Expression, domain: Domain) -> Option<u64> {
        match self.possible(state, expression) {
            Possible::Truth(values) => Some(values.contains(true).into()),
            Possible::Number(number) => Some(number.rem_euclid(domain.size() as i128) as u64),
            Possible::Nothing(_) => None,
        }
    }

    fn branch(
        &mut self,
        state: State<'_>,
        arms: &[(Expression, PointId)],
        otherwise: PointId,
        after: &Step,
    ) {
        let Some(taken) = after.at().map(PointId) else {
            return;
        };
        for (condition, target) in arms {
            if *target == taken && self.possible(state, *condition).may_be(true) {
                self.need_truth(state, *condition, true);
                return;
            }
            self.need_truth(state, *condition, false);
        }
        debug_assert_eq!(otherwise, taken);
    }

    fn select(&mut self, state: State<'_>, arms: &[(Expression, PointId)], after: &Step) {
        let taken = arms.iter().find(|(condition, target)| {
            Location::At(target.0) == after.location
                && self.possible(state, *condition).may_be(true)
        });
        match taken {
            Some((condition, _)) => self.need_truth(state, *condition, true),
            None => arms.iter().for_each(|(condition, _)| {
                self.need(state, *condition, AbstractValue::is_never_true);
            }),
        }
    }
}
