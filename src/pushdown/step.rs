//! The steps from a configuration, as far as one can see it without looking below the top.
//!
//! A rule's conditions are made into a *plan*, once: an equation whose one side is known
//! sets the other, a condition is checked as soon as all it reads is known, and only what
//! is left is tried value by value. The number of steps is exponential in the number of
//! bits that may become anything; whoever asks says how much may be tried.

use super::{Right, Rule, RuleId, StateId, SymbolId, System, holds};
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::step::TooMany;
use crate::interpreter::value_of;
use crate::interpreter::values::Possible;
use crate::program::{Cell, Domain, Expression, Moment, Operation, VariableId, is_one_value};

/// The control state, the globals, and the symbol on top with its locals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The symbol on top.
    pub symbol: SymbolId,
    /// The control state last.
    pub globals: Box<[u64]>,
    /// Those of the symbol.
    pub locals: Box<[u64]>,
}

/// A symbol below the top.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its locals.
    pub locals: Box<[u64]>,
}

/// Where a step leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Another symbol on top, with nothing new below it.
    Next(View),
    /// A new symbol on top, and the one that is now below it.
    Push(View, Frame),
    /// The symbol is gone; these are the globals.
    Pop(Box<[u64]>),
}

impl View {
    /// The value of a variable here; `None` if there is none.
    pub fn get(&self, variable: VariableId) -> Option<u64> {
        match variable {
            VariableId::Global(index) => self.globals.get(index as usize).copied(),
            VariableId::Local(index) => self.locals.get(index as usize).copied(),
        }
    }
}

/// The control state among the values of the globals.
pub fn state_of(globals: &[u64]) -> StateId {
    StateId(globals.last().map_or(0, |state| *state as u32))
}

/// Whether all conditions of a rule are true of these values; `below` are the locals of the
/// second symbol on the right.
pub fn relates(
    system: &System,
    rule: &Rule,
    before: &View,
    globals: &[u64],
    locals: &[u64],
    below: &[u64],
) -> bool {
    let [from, first, second] = system.groups_of(rule);
    let read = |variable, when| {
        let (group, bits) = match (when, variable) {
            (Moment::Before, _) => (from, before.get(variable)),
            (Moment::After, VariableId::Global(index)) => {
                (first, globals.get(index as usize).copied())
            }
            (Moment::After, VariableId::Local(index)) => {
                (first, locals.get(index as usize).copied())
            }
            (Moment::Below, VariableId::Local(index)) => {
                (second, below.get(index as usize).copied())
            }
            (Moment::Below, VariableId::Global(_)) => (second, None),
        };
        Some(value_of(system.domain(group, variable), bits?))
    };
    let mut conditions = rule.relation.iter();
    conditions.all(|condition| holds(system.expressions.operations(*condition), read))
}

/// Whether these values are some that executions begin with.
pub fn starts(system: &System, view: &View) -> bool {
    let group = system.symbol(system.start.symbol).group;
    let read = |variable, _| {
        Some(value_of(
            system.domain(group, variable),
            view.get(variable)?,
        ))
    };
    let mut conditions = system.start.conditions.iter();
    view.symbol == system.start.symbol
        && conditions.all(|condition| holds(system.expressions.operations(*condition), read))
}

/// The plans of all rules, and of the start.
pub struct Steps<'a> {
    system: &'a System,
    plans: Vec<Plan>,
}

impl<'a> Steps<'a> {
    /// The steps of a system; each rule is prepared once.
    pub fn new(system: &'a System) -> Self {
        let plan = |id| Plan::of_rule(system, system.rule(id));
        Steps {
            system,
            plans: system.rule_ids().map(plan).collect(),
        }
    }

    /// Everything that executions begin with.
    pub fn starts(&self, mut allowed: usize) -> Result<Vec<View>, TooMany> {
        let system = self.system;
        let plan = Plan::of_start(system);
        let mut views = Vec::new();
        plan.solve(system, None, &mut allowed, &mut |values| {
            let (globals, locals) = values.split_at(plan.globals);
            views.push(View {
                symbol: system.start.symbol,
                globals: globals.into(),
                locals: locals.into(),
            });
        })?;
        Ok(views)
    }

    /// All steps from a view, in the order of the rules and of rising values.
    pub fn successors(
        &self,
        view: &View,
        mut allowed: usize,
    ) -> Result<Vec<(RuleId, Outcome)>, TooMany> {
        let system = self.system;
        let mut outcomes = Vec::new();
        for id in system.rules_of(view.symbol) {
            let plan = &self.plans[id.0 as usize];
            let right = system.rule(id).right;
            plan.solve(system, Some(view), &mut allowed, &mut |values| {
                let (globals, locals) = values.split_at(plan.globals);
                let (first, second) = locals.split_at(plan.firsts);
                let view = |symbol| View {
                    symbol,
                    globals: globals.into(),
                    locals: first.into(),
                };
                let outcome = match right {
                    Right::Pop => Outcome::Pop(globals.into()),
                    Right::Step(symbol) => Outcome::Next(view(symbol)),
                    Right::Push(top, symbol) => {
                        let locals = second.into();
                        Outcome::Push(view(top), Frame { symbol, locals })
                    }
                };
                outcomes.push((id, outcome));
            })?;
        }
        Ok(outcomes)
    }
}

/// What is done about one unknown value, or one condition.
enum Action {
    /// The condition must be true.
    Check(Expression),
    /// The unknown value is that of these operations of a condition, if it fits.
    Set(usize, Expression, std::ops::Range<usize>),
    /// The unknown value is tried.
    Choose(usize),
}

struct Plan {
    rule: Option<[super::GroupId; 3]>,
    /// How many of the unknown values are globals, and how many locals of the first symbol.
    globals: usize,
    firsts: usize,
    /// Of the unknown values: globals, locals of the first symbol, locals of the second.
    domains: Vec<Domain>,
    actions: Vec<Action>,
}

impl Plan {
    fn of_start(system: &System) -> Self {
        let locals = system.locals_of(Some(system.start.symbol));
        Self::new(system, None, [locals, &[]], &system.start.conditions)
    }

    fn of_rule(system: &System, rule: &Rule) -> Self {
        let locals = [rule.right.first(), rule.right.second()].map(|s| system.locals_of(s));
        Self::new(system, Some(rule), locals, &rule.relation)
    }

    fn new(
        system: &System,
        rule: Option<&Rule>,
        locals: [&[Cell]; 2],
        conditions: &[Expression],
    ) -> Self {
        let cells = system.globals.iter().chain(locals[0]).chain(locals[1]);
        let mut plan = Plan {
            rule: rule.map(|rule| system.groups_of(rule)),
            globals: system.globals.len(),
            firsts: locals[0].len(),
            domains: cells.map(|cell| cell.domain).collect(),
            actions: Vec::new(),
        };
        plan.schedule(system, conditions);
        plan
    }

    /// The unknown value that is read so, if it is one.
    fn unknown(&self, variable: VariableId, when: Moment) -> Option<usize> {
        let index = match variable {
            VariableId::Global(index) => index as usize,
            VariableId::Local(index) => self.globals + index as usize,
        };
        match (self.rule, when) {
            (None, _) | (Some(_), Moment::After) => Some(index),
            (Some(_), Moment::Below) => Some(index + self.firsts),
            (Some(_), Moment::Before) => None,
        }
    }

    fn schedule(&mut self, system: &System, conditions: &[Expression]) {
        let mut known = vec![false; self.domains.len()];
        let mut waiting: Vec<Expression> = conditions.to_vec();
        while !waiting.is_empty() {
            let unknown_in = |operations: &[Operation], known: &[bool]| -> Vec<usize> {
                let reads = operations.iter().filter_map(Operation::cells_read);
                let cells = reads.flat_map(|(first, count, when)| {
                    (0..count).map(move |k| (first.plus(k), when))
                });
                let unknown = cells.filter_map(|(variable, when)| self.unknown(variable, when));
                unknown.filter(|cell| !known[*cell]).collect()
            };
            let unknown: Vec<Vec<usize>> = waiting
                .iter()
                .map(|condition| unknown_in(system.expressions.operations(*condition), &known))
                .collect();
            if let Some(ready) = unknown.iter().position(Vec::is_empty) {
                self.actions.push(Action::Check(waiting.remove(ready)));
                continue;
            }
            let equation = waiting.iter().enumerate().find_map(|(at, condition)| {
                let operations = system.expressions.operations(*condition);
                let (read, value) = equation(operations)?;
                let cell = self.unknown(read.0, read.1)?;
                let free = unknown_in(&operations[value.clone()], &known).is_empty();
                (!known[cell] && free).then_some((at, cell, value))
            });
            if let Some((at, cell, value)) = equation {
                let condition = waiting.remove(at);
                self.actions.push(Action::Set(cell, condition, value));
                known[cell] = true;
                continue;
            }
            let fewest = unknown.iter().min_by_key(|cells| cells.len());
            let Some(cell) = fewest.and_then(|cells| cells.first()) else {
                break;
            };
            self.actions.push(Action::Choose(*cell));
            known[*cell] = true;
        }
        let rest = (0..known.len()).filter(|cell| !known[*cell]);
        self.actions.extend(rest.map(Action::Choose));
    }

    /// Visits all solutions, given what was before the step.
    fn solve(
        &self,
        system: &System,
        before: Option<&View>,
        allowed: &mut usize,
        visit: &mut dyn FnMut(&[u64]),
    ) -> Result<(), TooMany> {
        let mut values = vec![0; self.domains.len()];
        // For each action so far, how many values are left to be tried.
        let mut left: Vec<u128> = Vec::new();
        loop {
            let goes_on = match self.actions.get(left.len()) {
                None => {
                    *allowed = allowed.checked_sub(1).ok_or(TooMany)?;
                    visit(&values);
                    false
                }
                Some(Action::Choose(cell)) => {
                    values[*cell] = 0;
                    left.push(self.domains[*cell].size() - 1);
                    true
                }
                Some(Action::Check(condition)) => {
                    left.push(0);
                    let operations = system.expressions.operations(*condition);
                    holds(operations, |v, when| {
                        self.read(system, before, &values, v, when)
                    })
                }
                Some(Action::Set(cell, condition, range)) => {
                    left.push(0);
                    let operations = &system.expressions.operations(*condition)[range.clone()];
                    let read = |v, when| {
                        let known = self.read(system, before, &values, v, when);
                        known.unwrap_or(Possible::not_there())
                    };
                    let number = match evaluate(operations, read) {
                        Possible::Truth(truth) => Some(i128::from(truth.contains(true))),
                        Possible::Number(number) => Some(number),
                        Possible::Nothing(_) => None,
                    };
                    match number.filter(|number| self.domains[*cell].contains(*number)) {
                        Some(number) => {
                            values[*cell] = number as u64;
                            true
                        }
                        None => false,
                    }
                }
            };
            if goes_on {
                continue;
            }
            // Back to the last value that can be another one.
            while left.last() == Some(&0) {
                left.pop();
            }
            let Some(last) = left.last_mut() else {
                return Ok(());
            };
            *allowed = allowed.checked_sub(1).ok_or(TooMany)?;
            *last -= 1;
            if let Action::Choose(cell) = self.actions[left.len() - 1] {
                values[cell] += 1;
            }
        }
    }

    fn read(
        &self,
        system: &System,
        before: Option<&View>,
        values: &[u64],
        variable: VariableId,
        when: Moment,
    ) -> Option<Possible> {
        match self.unknown(variable, when) {
            Some(cell) => Some(value_of(self.domains[cell], values[cell])),
            None => {
                let group = self.rule?[0];
                let bits = before?.get(variable)?;
                Some(value_of(system.domain(group, variable), bits))
            }
        }
    }
}

/// The two sides of an equation of which one is a variable alone: that variable, and the
/// operations of the other side.
fn equation(operations: &[Operation]) -> Option<((VariableId, Moment), std::ops::Range<usize>)> {
    let end = match operations.last()? {
        Operation::FalseIfUndefined => operations.len() - 1,
        _ => operations.len(),
    };
    let (equal, sides) = operations[..end].split_last()?;
    if !matches!(equal, Operation::Equal | Operation::NumbersEqual) {
        return None;
    }
    let read = |operation: &Operation| match operation {
        Operation::Read(variable) => Some((*variable, Moment::Before)),
        Operation::ReadNext(variable) => Some((*variable, Moment::After)),
        Operation::ReadBelow(variable) => Some((*variable, Moment::Below)),
        _ => None,
    };
    let is_value =
        |range: std::ops::Range<usize>| is_one_value(&sides[range.clone()]).then_some(range);
    let left = || Some((read(sides.first()?)?, is_value(1..sides.len())?));
    let right = || Some((read(sides.last()?)?, is_value(0..sides.len() - 1)?));
    // Where both sides are variables, the one after the step is the unknown one.
    match (left(), right()) {
        (Some(left), Some(right)) if left.0.1 == Moment::Before => Some(right),
        (Some(left), _) => Some(left),
        (None, right) => right,
    }
}
