//! The steps from a state, made one by one or towards a wish.
//!
//! Nondeterminism is resolved by a *wish*: for each variable after the step either a value
//! or "whatever is possible". [`successors`] asks for everything; a trace is made concrete
//! by asking for the live values that the symbolic engine found, and taking the smallest
//! possible value for the rest.

use super::values::{Values, evaluate};
use super::{Valuation, View, enforce_allows, values_of};
use crate::program::{Action, Call, Expression, PointId, Program, VariableId};
use rustc_hash::FxHashMap;

/// Where a step leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Another point of the same frame.
    Next(View),
    /// A new frame on top; the old one waits at its call.
    Enter(View),
    /// The frame is popped: the globals, and the return values if they were fixed.
    Leave {
        globals: Vec<bool>,
        returns: Option<Box<[bool]>>,
    },
    /// An assertion failed.
    Error,
}

/// Which values are wanted after a step.
pub trait Wish {
    /// The values wanted for a variable of the state after the step, at this point.
    fn variable(&self, variable: VariableId) -> Values;
    /// The values wanted for a return value that a `return` fixes.
    fn returned(&self, index: u32) -> Values;
}

/// Wants everything.
pub struct Anything;

impl Wish for Anything {
    fn variable(&self, _: VariableId) -> Values {
        Values::ANY
    }
    fn returned(&self, _: u32) -> Values {
        Values::ANY
    }
}

/// All steps from a view. The number of results is exponential in the number of variables
/// that get arbitrary values.
pub fn successors(program: &Program, view: &View) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for_each_outcome(program, view, &Anything, &mut |outcome| {
        outcomes.push(outcome);
        true
    });
    outcomes
}

/// The first step, in the order of [`successors`], that `accept` takes, among those that
/// fulfil the wish.
pub fn choose(
    program: &Program,
    view: &View,
    wish: &impl Wish,
    accept: impl Fn(&Outcome) -> bool,
) -> Option<Outcome> {
    let mut found = None;
    for_each_outcome(program, view, wish, &mut |outcome| {
        if !accept(&outcome) {
            return true;
        }
        found = Some(outcome);
        false
    });
    found
}

/// Visits steps until `visit` says false, in the order of the rules and of rising values.
fn for_each_outcome(
    program: &Program,
    view: &View,
    wish: &impl Wish,
    visit: &mut dyn FnMut(Outcome) -> bool,
) {
    let point = program.point(view.at);
    let procedure = program.procedure(point.procedure);
    let valuation = &view.valuation;
    if !enforce_allows(program, point.procedure, valuation) {
        return;
    }
    let next = |at: PointId, valuation: &Valuation| {
        Outcome::Next(View {
            at,
            valuation: valuation.clone(),
            returns: None,
        })
    };
    let may = |expression: Expression, value: bool| {
        values_of(program, expression, valuation).contains(value)
    };
    match &point.action {
        Action::Goto { targets } => {
            for target in targets {
                if !visit(next(*target, valuation)) {
                    return;
                }
            }
        }
        Action::Assign {
            targets,
            values,
            constrain,
            next,
        } => {
            let pairs = targets.iter().zip(values);
            let choices: Vec<_> = pairs
                .filter_map(|(target, value)| Some((target.cells()?.0, value.expression()?)))
                .map(|(target, value)| (target, values_of(program, value, valuation)))
                .collect();
            Assignment {
                program,
                before: valuation,
                constrain: *constrain,
            }
            .enumerate(choices, wish, &mut |after| {
                visit(Outcome::Next(View {
                    at: *next,
                    valuation: after.clone(),
                    returns: None,
                }))
            });
        }
        Action::Havoc { variables, next } => {
            let choices = variables.iter().map(|v| (*v, Values::ANY)).collect();
            Assignment {
                program,
                before: valuation,
                constrain: None,
            }
            .enumerate(choices, wish, &mut |after| {
                visit(Outcome::Next(View {
                    at: *next,
                    valuation: after.clone(),
                    returns: None,
                }))
            });
        }
        Action::Select { .. } => todo!(),
        Action::Branch { arms, otherwise } => {
            for (condition, target) in arms {
                if may(*condition, true) && !visit(next(*target, valuation)) {
                    return;
                }
                if !may(*condition, false) {
                    return;
                }
            }
            visit(next(*otherwise, valuation));
        }
        Action::Assert {
            condition,
            next: after,
        } => {
            if may(*condition, true) && !visit(next(*after, valuation)) {
                return;
            }
            if may(*condition, false) {
                visit(Outcome::Error);
            }
        }
        Action::Assume {
            condition,
            next: after,
        } => {
            if may(*condition, true) {
                visit(next(*after, valuation));
            }
        }
        Action::Return { values } => {
            let choices: Vec<_> = values
                .iter()
                .zip(0..)
                .map(|(value, i)| (values_of(program, *value, valuation), wish.returned(i)))
                .collect();
            for_each_choice(&choices, &mut |returns| {
                visit(Outcome::Next(View {
                    at: procedure.exit(),
                    valuation: valuation.clone(),
                    returns: Some(returns.into()),
                }))
            });
        }
        Action::Exit => {
            visit(Outcome::Leave {
                globals: valuation.globals().to_vec(),
                returns: view.returns.clone(),
            });
        }
        Action::Call(call) => enter(program, call, valuation, wish, visit),
    }
}

fn enter(
    program: &Program,
    call: &Call,
    valuation: &Valuation,
    wish: &impl Wish,
    visit: &mut dyn FnMut(Outcome) -> bool,
) {
    let callee = program.procedure(call.callee);
    let arguments = call
        .arguments
        .iter()
        .map(|argument| values_of(program, *argument, valuation));
    let locals = arguments.chain(std::iter::repeat(Values::ANY));
    let choices: Vec<_> = locals
        .take(callee.locals.len())
        .zip(0..)
        .map(|(values, i)| (values, wish.variable(VariableId::Local(i))))
        .collect();
    for_each_choice(&choices, &mut |locals| {
        visit(Outcome::Enter(View {
            at: callee.entry(),
            valuation: Valuation::new(valuation.globals(), locals),
            returns: None,
        }))
    });
}

/// The states after a return into a frame that waits at `call_point` with `locals`: all
/// that fulfil the wish, as far as `visit` says true.
pub fn resume(
    program: &Program,
    call_point: PointId,
    locals: &[bool],
    globals: &[bool],
    returns: Option<&[bool]>,
    wish: &impl Wish,
    visit: &mut dyn FnMut(View) -> bool,
) {
    let point = program.point(call_point);
    let Action::Call(call) = &point.action else {
        unreachable!("only a call waits");
    };
    let before = Valuation::new(globals, locals);
    let targets = call.targets.iter().enumerate();
    let choices: Vec<_> = targets
        .filter_map(|(i, target)| Some((target.cells()?.0, i)))
        .map(|(target, i)| {
            // Control ran off the end: the values are arbitrary.
            let values = returns.map_or(Values::ANY, |returns| Values::only(returns[i]));
            (target, values)
        })
        .collect();
    Assignment {
        program,
        before: &before,
        constrain: None,
    }
    .enumerate(choices, wish, &mut |after| {
        if !enforce_allows(program, point.procedure, after) {
            return true;
        }
        visit(View {
            at: call.next,
            valuation: after.clone(),
            returns: None,
        })
    });
}

/// Visits all ways to choose a possible and wanted value at each place, smallest first.
fn for_each_choice(choices: &[(Values, Values)], visit: &mut dyn FnMut(&[bool]) -> bool) {
    let wanted: Vec<Vec<bool>> = choices
        .iter()
        .map(|(possible, wanted)| possible.iter().filter(|v| wanted.contains(*v)).collect())
        .collect();
    if wanted.iter().any(Vec::is_empty) {
        return;
    }
    let mut at = vec![0; wanted.len()];
    loop {
        let chosen: Vec<bool> = wanted.iter().zip(&at).map(|(w, i)| w[*i]).collect();
        if !visit(&chosen) {
            return;
        }
        // Count up, the last place fastest.
        let Some(place) = (0..at.len()).rev().find(|i| at[*i] + 1 < wanted[*i].len()) else {
            return;
        };
        at[place] += 1;
        at[place + 1..].fill(0);
    }
}

/// All outcomes of setting variables at once, under a constraint.
struct Assignment<'a> {
    program: &'a Program,
    before: &'a Valuation,
    constrain: Option<Expression>,
}

impl Assignment<'_> {
    /// Sets one variable after the other, smallest value first, and goes back where it
    /// cannot go on. The constraint is asked after each, with what is not yet set unknown,
    /// so that hopeless branches are left early.
    fn enumerate(
        &self,
        choices: Vec<(VariableId, Values)>,
        wish: &impl Wish,
        visit: &mut dyn FnMut(&Valuation) -> bool,
    ) {
        let mut choices = choices;
        if let Some(constrain) = self.constrain {
            // What the constraint reads several times is decided first: it then knows
            // exactly whether the rest can be, so that no choice is made in vain.
            let mut reads: FxHashMap<VariableId, u32> = FxHashMap::default();
            for variable in self.program.expressions.reads_next(constrain) {
                *reads.entry(variable).or_default() += 1;
            }
            let several = |v: &VariableId| reads.get(v).is_some_and(|times| *times > 1);
            choices.sort_by_key(|(variable, _)| !several(variable));
        }
        let values: Vec<Vec<bool>> = choices
            .iter()
            .map(|(variable, possible)| {
                let wanted = wish.variable(*variable);
                possible.iter().filter(|v| wanted.contains(*v)).collect()
            })
            .collect();
        let places: FxHashMap<VariableId, usize> = match self.constrain {
            Some(_) => choices.iter().map(|(v, _)| *v).zip(0..).collect(),
            None => FxHashMap::default(),
        };
        let mut after = self.before.clone();
        // How many values have been tried at each place up to the present one.
        let mut tried = vec![0];
        while let Some(place) = tried.len().checked_sub(1) {
            let Some((variable, _)) = choices.get(place) else {
                if self.may_satisfy(&places, place, &after) && !visit(&after) {
                    return;
                }
                tried.pop();
                continue;
            };
            match values[place].get(tried[place]) {
                None => {
                    tried.pop();
                }
                Some(value) => {
                    tried[place] += 1;
                    after.set(*variable, *value);
                    if self.may_satisfy(&places, place + 1, &after) {
                        tried.push(0);
                    }
                }
            }
        }
    }

    fn may_satisfy(
        &self,
        places: &FxHashMap<VariableId, usize>,
        decided: usize,
        after: &Valuation,
    ) -> bool {
        let Some(constrain) = self.constrain else {
            return true;
        };
        let read_next = |variable| match places.get(&variable) {
            Some(place) if *place >= decided => Values::ANY,
            _ => Values::only(after.get(variable)),
        };
        let read = |variable| Values::only(self.before.get(variable));
        let operations = self.program.expressions.operations(constrain);
        evaluate(operations, read, read_next).contains(true)
    }
}
