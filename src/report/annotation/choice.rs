//! What was chosen where an execution might have gone on otherwise.
//!
//! Whether there was another step the interpreter tells, which has all of them. What was
//! chosen is where control went, if it might have gone elsewhere, and each value that matters
//! afterwards and might have come out otherwise: that is asked of the interpreter for each
//! value that the statement sets, by wishing for another one.

use super::branch::branch;
use super::relevance::Relevance;
use crate::interpreter::step::{Outcome, Wish, some_resumptions, some_successors};
use crate::interpreter::{View, Waiting};
use crate::limits::annotation::{ALTERNATIVES, SYSTEM_TRIES};
use crate::program::{
    Action, Call, Domain, Expression, Operation, PointId, Program, Target, Value, VariableId,
};
use crate::pushdown::step::Steps;
use crate::pushdown::{self, RuleId, SymbolId, System};
use crate::report::values::{Words, scalar};
use crate::rules::Subject;
use crate::trace::{Location, Step, Trace};

pub struct Choices<'a> {
    subject: Subject<'a>,
    relevance: &'a Relevance<'a>,
    trace: &'a Trace,
    steps: Vec<&'a Step>,
    /// The steps of a pushdown system, once they are needed.
    system: Option<Steps<'a>>,
}

impl<'a> Choices<'a> {
    pub fn new(subject: Subject<'a>, trace: &'a Trace, relevance: &'a Relevance<'a>) -> Self {
        Choices {
            subject,
            relevance,
            trace,
            steps: trace.stem.iter().chain(&trace.cycle).collect(),
            system: None,
        }
    }

    /// The number of the step that comes next; none at the end of a finite execution, where
    /// something is folded, or where another thread runs next.
    fn next(&self, at: usize) -> Option<usize> {
        let is_folded = self.steps[at].folded.is_some();
        let next = match at + 1 < self.steps.len() {
            true => Some(at + 1),
            false => (!self.trace.cycle.is_empty()).then_some(self.trace.stem.len()),
        };
        let goes_on = |next: &usize| self.steps[*next].thread == self.steps[at].thread;
        next.filter(|next| !is_folded && goes_on(next))
    }

    /// Which branch is taken.
    pub fn branch(&self, at: usize) -> Option<String> {
        match self.subject {
            Subject::Program(program) => {
                branch(program, self.steps[at], self.steps[self.next(at)?])
            }
            Subject::System(_) => None,
        }
    }

    /// What was chosen, if anything that matters was.
    pub fn choice(&mut self, at: usize) -> Vec<String> {
        let Some(next) = self.next(at) else {
            return Vec::new();
        };
        match self.subject {
            Subject::Program(program) => {
                let point = Chosen {
                    program,
                    step: self.steps[at],
                    next: self.steps[next],
                    relevant: self.relevance.at(next),
                };
                point.step(|| self.waiting(program, at))
            }
            Subject::System(system) => self.rule(system, at).into_iter().collect(),
        }
    }

    /// The frame that waits below the one that is left at this step.
    fn waiting(&self, program: &Program, at: usize) -> Option<Waiting> {
        let below = self.steps[at].depth.checked_sub(1)?;
        let is_below = |step: &Step| step.depth == below && step.thread == self.steps[at].thread;
        let call = (0..at).rev().find(|i| is_below(self.steps[*i]))?;
        let view = View::of(self.steps[call])?;
        let plain = Waiting {
            at: view.at,
            locals: view.valuation.locals().into(),
        };
        match &program.point(view.at).action {
            Action::Call(call) if call.assignments.is_empty() => return Some(plain),
            Action::Call(_) => {}
            _ => return None,
        }
        let entry = View::of(self.steps[call + 1])?;
        let entered = some_successors(program, &view, &Wanted(None), ALTERNATIVES);
        entered.into_iter().find_map(|outcome| match outcome {
            Outcome::Enter(view, waiting) if view == entry => Some(waiting),
            _ => None,
        })
    }

    /// The rule that a pushdown system takes, if there is another step.
    fn rule(&mut self, system: &'a System, at: usize) -> Option<String> {
        let step = self.steps[at];
        let view = pushdown::step::View {
            symbol: SymbolId(step.at()?),
            globals: step.valuation.globals().into(),
            locals: step.valuation.locals().into(),
        };
        let rule = RuleId(step.rule?);
        let steps = self.system.get_or_insert_with(|| Steps::new(system));
        let is_alone = match steps.successors(&view, SYSTEM_TRIES) {
            Ok(outcomes) => outcomes.windows(2).all(|pair| pair[0] == pair[1]),
            // Only where something may become anything there is so much to try.
            Err(_) => false,
        };
        (!is_alone).then(|| rule_text(system, rule))
    }
}

/// The text that a rule bears, or else the rule itself.
fn rule_text(system: &System, rule: RuleId) -> String {
    let text = system.text_of(rule);
    match text.is_empty() {
        true => system.source.text(system.rule(rule).span).into_owned(),
        false => text.into_owned(),
    }
}

/// One step of a program's execution.
struct Chosen<'a> {
    program: &'a Program,
    step: &'a Step,
    next: &'a Step,
    /// What matters after it.
    relevant: &'a [VariableId],
}

impl Chosen<'_> {
    fn step(&self, waiting: impl FnOnce() -> Option<Waiting>) -> Vec<String> {
        let Some(view) = View::of(self.step) else {
            return Vec::new();
        };
        let program = self.program;
        let action = &program.point(view.at).action;
        if let Action::Exit = action {
            // Only what a procedure returns without saying so leaves a choice.
            let procedure = program.procedure_of(view.at);
            if procedure.returns.is_empty() || view.returns.is_some() {
                return Vec::new();
            }
            let Some(waiting) = waiting() else {
                return Vec::new();
            };
            let Action::Call(call) = &program.point(waiting.at).action else {
                return Vec::new();
            };
            let globals = view.valuation.globals();
            let outcomes = |wish: &Wanted| {
                some_resumptions(program, &waiting, globals, None, wish, ALTERNATIVES)
            };
            return self.values(cells(call.targets.iter()), outcomes);
        }
        if !may_choose(program, action) {
            return Vec::new();
        }
        let outcomes = |wish: &Wanted| some_successors(program, &view, wish, ALTERNATIVES);
        let all = outcomes(&Wanted(None));
        if all.windows(2).all(|pair| pair[0] == pair[1]) {
            return Vec::new();
        }
        match action {
            Action::Goto { targets } => self.goto(view.at, targets).into_iter().collect(),
            Action::Branch { .. } | Action::Select { .. } => {
                branch(program, self.step, self.next).into_iter().collect()
            }
            Action::Assert { .. } => {
                vec![(self.next.location != Location::Error).to_string()]
            }
            Action::Assign { targets, .. } => self.values(cells(targets.iter()), outcomes),
            Action::Havoc { variables, .. } => self.values(variables.to_vec(), outcomes),
            Action::Call(call) => self.values(self.entered(call), outcomes),
            Action::Return { .. } => self.returned().into_iter().collect(),
            Action::Assume { .. }
            | Action::Exit
            | Action::StartThread { .. }
            | Action::EndThread { .. } => Vec::new(),
        }
    }

    /// The label that a `goto` leads to, as the statement names it.
    fn goto(&self, from: PointId, targets: &[PointId]) -> Option<String> {
        let to = PointId(self.next.at()?);
        if targets.iter().all(|target| *target == to) {
            return None;
        }
        let text = self.program.text_of(from);
        let is_named = |label: &&str| text.contains(*label);
        let mut labels = self.program.labels_of(to);
        let first = self.program.labels_of(to).next();
        let label = labels.find(is_named).or(first)?;
        Some(format!("goto {label}"))
    }

    /// What a call may choose: the locals of its callee, and what is assigned with it.
    fn entered(&self, call: &Call) -> Vec<VariableId> {
        let locals = self.program.procedure(call.callee).locals.len() as u32;
        let assigned = cells(call.assignments.iter().map(|(target, _)| target));
        let is_global = |variable: &VariableId| matches!(variable, VariableId::Global(_));
        let locals = (0..locals).map(VariableId::Local);
        assigned
            .into_iter()
            .filter(is_global)
            .chain(locals)
            .collect()
    }

    fn returned(&self) -> Option<String> {
        let procedure = self.program.procedure_of(PointId(self.step.at()?));
        let returns = self.next.returns.as_deref()?;
        let words = Words::of(Subject::Program(self.program));
        let values = procedure.returns.iter().zip(returns);
        let values: Vec<_> = values
            .map(|(domain, value)| scalar(words, *domain, *value))
            .collect();
        Some(format!("returns {}", values.join(", ")))
    }

    /// Those of the variables that matter and might have got other values.
    fn values(
        &self,
        set: Vec<VariableId>,
        outcomes: impl Fn(&Wanted) -> Vec<Outcome>,
    ) -> Vec<String> {
        let Some(procedure) = self
            .next
            .at()
            .map(|at| self.program.point(PointId(at)).procedure)
        else {
            return Vec::new();
        };
        let is_chosen = |variable: &VariableId| {
            let domain = self.program.cell(procedure, *variable).domain;
            let value = self.next.valuation.get(*variable);
            let mut others = others(domain, value);
            others.any(|other| {
                let wish = Wanted(Some((*variable, other)));
                let fulfils = |outcome: &Outcome| value_after(outcome, *variable) == Some(other);
                outcomes(&wish).iter().any(fulfils)
            })
        };
        let mut chosen: Vec<_> = (self.relevant.iter().copied())
            .filter(|variable| set.contains(variable))
            .filter(is_chosen)
            .collect();
        chosen.sort_unstable();
        let words = Words::of(Subject::Program(self.program));
        let shown = chosen.into_iter().map(|variable| {
            let cell = self.program.cell(procedure, variable);
            let value = scalar(words, cell.domain, self.next.valuation.get(variable));
            format!("{}={value}", words.names.text(cell.name))
        });
        shown.collect()
    }
}

/// Whether an action might have several outcomes; false only if that is certain, at a glance.
fn may_choose(program: &Program, action: &Action) -> bool {
    let is_choice = |expression: &Expression| {
        let mut operations = program.expressions.operations(*expression).iter();
        operations.any(|operation| matches!(operation, Operation::Choose | Operation::Schoose))
    };
    let is_any = |value: &Value| value.expression().is_none_or(|value| is_choice(&value));
    match action {
        Action::Goto { targets } => targets.len() > 1,
        Action::Assign {
            values, constrain, ..
        } => constrain.is_some() || values.iter().any(is_any),
        Action::Branch { arms, .. } => arms.iter().any(|(condition, _)| is_choice(condition)),
        Action::Assert { condition, .. } => is_choice(condition),
        Action::Return { values, .. } => values.iter().any(is_choice),
        Action::StartThread { .. } => true,
        Action::Call(call) => {
            let callee = program.procedure(call.callee);
            callee.locals.len() > callee.parameters as usize
                || call.arguments.iter().any(is_choice)
                || call.assignments.iter().any(|(_, value)| is_any(value))
        }
        Action::Havoc { .. } | Action::Select { .. } => true,
        Action::Assume { .. } | Action::Exit | Action::EndThread { .. } => false,
    }
}

/// A wish for one value after the step, or for none.
struct Wanted(Option<(VariableId, u64)>);

impl Wish for Wanted {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        let (wanted, value) = self.0?;
        (wanted == variable).then_some(value)
    }
    fn returned(&self, _: u32) -> Option<u64> {
        None
    }
    fn waiting(&self, _: VariableId) -> Option<u64> {
        None
    }
}

/// A few other values of a domain: if any other is possible, one of these nearly always is.
fn others(domain: Domain, value: u64) -> impl Iterator<Item = u64> {
    let most = u64::try_from(domain.size() - 1).unwrap_or(u64::MAX);
    let near = [
        value.checked_add(1),
        value.checked_sub(1),
        Some(0),
        Some(most),
    ];
    let near = near.into_iter().flatten();
    near.filter(move |other| *other != value && *other <= most)
}

fn value_after(outcome: &Outcome, variable: VariableId) -> Option<u64> {
    match outcome {
        Outcome::Next(view) | Outcome::Enter(view, _) => view.valuation.find(variable),
        _ => None,
    }
}

/// All cells that targets may set.
fn cells<'t>(targets: impl Iterator<Item = &'t Target>) -> Vec<VariableId> {
    let ranges = targets.filter_map(Target::cells);
    let cells = ranges.flat_map(|(first, count)| (0..count).map(move |k| first.plus(k)));
    cells.collect()
}
