//! Which values matter for a trace.
//!
//! Bebop does not print a variable whose value is unconstrained in a trace. Here a value
//! matters at a step if the rest of the trace, step for step with the same rules, might not
//! be possible without it. That is found backwards, as a dynamic slice: a value that
//! matters and is set makes the values it was computed from matter; a condition makes those
//! matter without which it might come out otherwise. Of `a | b` with `a = 1` only `a`
//! matters. The result may contain more than needed, never less.

use crate::analysis::Observed;
use crate::interpreter::Valuation;
use crate::interpreter::replay::{Location, Step, Trace};
use crate::interpreter::values::{Domain, Family, Values, evaluate};
use crate::program::{Action, Expression, PointId, Program, Target, Value, VariableId};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cmp::Ordering;

type Relevant = FxHashSet<VariableId>;

/// For each step of the stem and the cycle, the variables whose values matter there. What
/// is `observed` by a property always does.
pub fn relevant_values(program: &Program, trace: &Trace, observed: &[Observed]) -> Vec<Relevant> {
    let steps = unrolled(trace);
    let mut slice = Slice {
        program,
        globals: FxHashSet::default(),
        locals: FxHashSet::default(),
        waiting: Vec::new(),
        returns: FxHashSet::default(),
    };
    // Frames that are never left need nothing after the end.
    let depth = steps.iter().rev().find(|s| s.view().is_some());
    let depth = depth.map_or(0, |step| step.depth);
    slice.waiting.resize(depth as usize, FxHashSet::default());
    let calls = returned_calls(&steps);
    let shown = trace.stem.len() + trace.cycle.len();
    let mut relevant = vec![Relevant::default(); shown];
    for i in (0..steps.len()).rev() {
        if let Some(after) = steps.get(i + 1) {
            slice.step_back(&steps[i], after, calls[i].map(|call| &*steps[call]));
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
    const ROUNDS: u32 = 3;
    let mut steps: Vec<_> = trace.stem.iter().map(Cow::Borrowed).collect();
    let depths = trace.stem.last().zip(trace.cycle.last());
    let growth = depths.map_or(0, |(first, last)| last.depth - first.depth);
    // A call that the cycle begins with is folded on the stem's last step.
    let begins_with = trace.stem.last().and_then(|step| step.folded);
    for round in 0..ROUNDS {
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

/// For each step that pops a frame, the index of the call that pushed it.
fn returned_calls(steps: &[Cow<'_, Step>]) -> Vec<Option<usize>> {
    let mut calls = vec![None; steps.len()];
    let mut open = Vec::new();
    for (i, pair) in steps.windows(2).enumerate() {
        if pair[1].view().is_none() {
            continue;
        }
        match pair[1].depth.cmp(&pair[0].depth) {
            Ordering::Greater => open.push(i),
            Ordering::Less => calls[i] = open.pop(),
            Ordering::Equal => {}
        }
    }
    calls
}

struct Slice<'a> {
    program: &'a Program,
    globals: FxHashSet<u32>,
    locals: FxHashSet<u32>,
    /// The locals that matter in frames below, once control is back there.
    waiting: Vec<FxHashSet<u32>>,
    /// The return values that matter, between a `return` and its caller.
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
            Location::At(point) => Some(self.program.point(point).procedure),
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

    /// Takes a variable out; true if it was in.
    fn remove(&mut self, variable: VariableId) -> bool {
        match variable {
            VariableId::Global(i) => self.globals.remove(&i),
            VariableId::Local(i) => self.locals.remove(&i),
        }
    }

    fn step_back(&mut self, before: &Step, after: &Step, call: Option<&Step>) {
        let Location::At(point) = before.location else {
            return;
        };
        let program = self.program;
        let valuation = &before.valuation;
        let procedure = program.procedure_of(point);
        let is_frame = after.view().is_some();
        match &program.point(point).action {
            Action::Exit => self.leave(call),
            Action::Call(call) if before.folded.is_some() => {
                for target in call.targets.iter().filter_map(Target::cells) {
                    self.remove(target.0);
                }
                // What happened inside is not looked at.
                self.globals.extend(0..program.globals.len() as u32);
                for argument in &call.arguments {
                    self.read_all(*argument);
                }
            }
            Action::Call(call) => {
                let parameters = std::mem::take(&mut self.locals);
                self.locals = self.waiting.pop().unwrap_or_default();
                for (argument, i) in call.arguments.iter().zip(0..) {
                    if parameters.contains(&i) {
                        let value = after.valuation.get(VariableId::Local(i));
                        self.need(*argument, value, valuation);
                    }
                }
            }
            Action::Goto { .. } => {}
            Action::Assign {
                targets,
                values,
                constrain,
                ..
            } => self.assign(targets, values, *constrain, before, after),
            Action::Havoc { variables, .. } => {
                for variable in variables {
                    self.remove(*variable);
                }
            }
            Action::Select { .. } => todo!(),
            Action::Branch { arms, otherwise } => {
                self.branch(arms, *otherwise, after, valuation);
            }
            Action::Assert { condition, .. } => self.need(*condition, is_frame, valuation),
            Action::Assume { condition, .. } => self.need(*condition, true, valuation),
            Action::Return { values } => {
                let needed = std::mem::take(&mut self.returns);
                for (value, i) in values.iter().zip(0..) {
                    if needed.contains(&i)
                        && let Some(returns) = &after.returns
                    {
                        self.need(*value, returns[i as usize], valuation);
                    }
                }
            }
        }
        if let Some(enforce) = procedure.enforce {
            self.need(enforce, true, valuation);
        }
    }

    /// Backwards over the pop of a frame that `call` pushed: what matters in the caller
    /// waits until the call is met.
    fn leave(&mut self, call: Option<&Step>) {
        let program = self.program;
        let Some(Location::At(point)) = call.map(|call| call.location) else {
            return;
        };
        let Action::Call(call) = &program.point(point).action else {
            return;
        };
        if let Some(enforce) = program.procedure_of(point).enforce {
            self.read_all(enforce);
        }
        self.returns.clear();
        for (target, i) in call.targets.iter().zip(0..) {
            if target.cells().is_some_and(|(cell, _)| self.remove(cell)) {
                self.returns.insert(i);
            }
        }
        self.waiting.push(std::mem::take(&mut self.locals));
    }

    fn assign(
        &mut self,
        targets: &[Target],
        values: &[Value],
        constrain: Option<Expression>,
        before: &Step,
        after: &Step,
    ) {
        let set: Vec<_> = targets
            .iter()
            .zip(values)
            .filter_map(|(target, value)| Some((target.cells()?.0, value.expression()?)))
            .collect();
        // A constraint makes the new values it reads matter, and the old ones too.
        if let Some(constrain) = constrain {
            let expressions = &self.program.expressions;
            let next: Vec<_> = expressions.reads_next(constrain).collect();
            next.into_iter().for_each(|variable| self.add(variable));
        }
        let needed: Vec<_> = set.iter().map(|(target, _)| self.remove(*target)).collect();
        for ((target, value), needed) in set.iter().zip(needed) {
            if needed {
                self.need(*value, after.valuation.get(*target), &before.valuation);
            }
        }
        if let Some(constrain) = constrain {
            self.read_all(constrain);
        }
    }

    fn branch(
        &mut self,
        arms: &[(Expression, PointId)],
        otherwise: PointId,
        after: &Step,
        valuation: &Valuation,
    ) {
        let Location::At(taken) = after.location else {
            return;
        };
        for (condition, target) in arms {
            let possible = self.possible(*condition, valuation);
            if *target == taken && possible.contains(true) {
                self.need(*condition, true, valuation);
                return;
            }
            self.need(*condition, false, valuation);
        }
        debug_assert_eq!(otherwise, taken);
    }

    fn possible(&self, expression: Expression, valuation: &Valuation) -> Values {
        crate::interpreter::values_of(self.program, expression, valuation)
    }

    fn read_all(&mut self, expression: Expression) {
        let program = self.program;
        for variable in program.expressions.reads(expression) {
            self.add(variable);
        }
    }

    /// Makes those variables matter without which the expression might not be able to come
    /// out as `value`.
    fn need(&mut self, expression: Expression, value: bool, valuation: &Valuation) {
        let expressions = &self.program.expressions;
        let mut reads: Vec<_> = expressions.reads(expression).collect();
        reads.sort_unstable();
        reads.dedup();
        // Try to do without one after the other.
        let mut needed: FxHashSet<VariableId> = reads.iter().copied().collect();
        // Beyond this the quadratic search is not worth it.
        const SMALL: usize = 24;
        if reads.len() <= SMALL {
            for variable in reads.iter().rev() {
                needed.remove(variable);
                if !self.certain(expression, value, valuation, &needed) {
                    needed.insert(*variable);
                }
            }
        }
        needed.into_iter().for_each(|variable| self.add(variable));
    }

    /// Whether the expression can come out as `value` whatever the values of the variables
    /// that are not `known`.
    fn certain(
        &self,
        expression: Expression,
        value: bool,
        valuation: &Valuation,
        known: &FxHashSet<VariableId>,
    ) -> bool {
        let read = |variable| match known.contains(&variable) {
            true => Family::exactly(Values::only(valuation.get(variable))),
            false => Family::UNKNOWN,
        };
        let operations = self.program.expressions.operations(expression);
        evaluate(operations, read, |_| Family::UNKNOWN).always_contains(value)
    }
}
