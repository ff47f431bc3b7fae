//! The steps from a state, made one by one or towards a wish.
//!
//! Nondeterminism is resolved by a *wish*: for each variable after the step either a value
//! or "whatever is possible". [`successors`] asks for everything; a trace is replayed by
//! asking for the values of its next step.

use super::assignment::{Assignment, Choice, Evaluation, Updates, for_each_choice};
use super::call::{enter, passed, resume};
use super::values::Possible;
use super::{Valuation, View, Waiting, enforce_allows};
use crate::program::{
    Action, Expression, NewThread, Overflow, PointId, Program, Target, Value, VariableId,
};
use crate::trace::failure::{Failure, Place, Reason};
use std::fmt;

/// Where a step leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Another point of the same frame.
    Next(View),
    /// A new frame on top; the old one waits.
    Enter(View, Waiting),
    /// The same frame goes on, and there is one more thread, which begins with this view: the
    /// globals in it are those of its creator.
    Create(View, View),
    /// The thread has ended, whatever was below the frame: the globals.
    End(Vec<u64>),
    /// The frame is popped: the globals, and the return values if they were fixed.
    Leave {
        /// The globals.
        globals: Vec<u64>,
        /// What is returned, if it was fixed.
        returns: Option<Box<[u64]>>,
    },
    /// An assertion failed, an expression has no value, or a value does not fit.
    Error(Failure),
}

/// Which values are wanted after a step; `None` for whatever is possible.
pub trait Wish {
    /// For a variable of the state after the step, at this point.
    fn variable(&self, _variable: VariableId) -> Option<u64> {
        None
    }
    /// For a return value that a `return` fixes.
    fn returned(&self, _index: u32) -> Option<u64> {
        None
    }
    /// For what the frame that waits below a pushed one will find when it goes on; only
    /// where a call leaves the choice.
    fn waiting(&self, _variable: VariableId) -> Option<u64> {
        None
    }
    /// For a local that a created thread begins with.
    fn created(&self, _local: u32) -> Option<u64> {
        None
    }
}

/// Wants everything.
struct Anything;

impl Wish for Anything {}

/// There are more steps than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there are more steps than allowed")
    }
}

impl std::error::Error for TooMany {}

/// All steps from a view, at most `allowed`. Their number is exponential in the number of
/// bits that get arbitrary values.
pub fn successors(program: &Program, view: &View, allowed: usize) -> Result<Vec<Outcome>, TooMany> {
    all(allowed, |visit| {
        for_each_outcome(program, view, &Anything, visit);
    })
}

/// The first steps from a view, at most `most`, among those that fulfil the wish.
pub fn some_successors(
    program: &Program,
    view: &View,
    wish: &impl Wish,
    most: usize,
) -> Vec<Outcome> {
    some(most, |visit| for_each_outcome(program, view, wish, visit))
}

/// The first of the [`resumptions`], at most `most`, among those that fulfil the wish.
pub fn some_resumptions(
    program: &Program,
    waiting: &Waiting,
    globals: &[u64],
    returns: Option<&[u64]>,
    wish: &impl Wish,
    most: usize,
) -> Vec<Outcome> {
    some(most, |visit| {
        resume(program, waiting, globals, returns, wish, visit);
    })
}

/// All ways to go on, at most `allowed`, in a frame that waits for one that was left with
/// these values: [`Outcome::Next`] or [`Outcome::Error`].
pub fn resumptions(
    program: &Program,
    waiting: &Waiting,
    globals: &[u64],
    returns: Option<&[u64]>,
    allowed: usize,
) -> Result<Vec<Outcome>, TooMany> {
    all(allowed, |visit| {
        resume(program, waiting, globals, returns, &Anything, visit);
    })
}

/// The first step, in the order of [`successors`], that `accept` takes, among those that
/// fulfil the wish.
pub fn choose(
    program: &Program,
    view: &View,
    wish: &impl Wish,
    accept: impl Fn(&Outcome) -> bool,
) -> Option<Outcome> {
    first(accept, |visit| {
        for_each_outcome(program, view, wish, visit);
    })
}

/// The first of the [`resumptions`] that is as wished for.
pub fn choose_resumption(
    program: &Program,
    waiting: &Waiting,
    globals: &[u64],
    returns: Option<&[u64]>,
    wish: &impl Wish,
    accept: impl Fn(&Outcome) -> bool,
) -> Option<Outcome> {
    first(accept, |visit| {
        resume(program, waiting, globals, returns, wish, visit);
    })
}

/// Why the step from a view may lead to *error*, if it may.
pub fn failure(
    program: &Program,
    view: &View,
    wanted: &dyn Fn(&Failure) -> bool,
) -> Option<Failure> {
    why(choose(program, view, &Anything, |outcome| match outcome {
        Outcome::Error(failure) => wanted(failure),
        _ => false,
    }))
}

/// Why a return into a frame that waits may lead to *error*, if it may.
pub fn failure_to_return(
    program: &Program,
    waiting: &Waiting,
    globals: &[u64],
    returns: Option<&[u64]>,
) -> Option<Failure> {
    let outcome = choose_resumption(program, waiting, globals, returns, &Anything, is_error);
    why(outcome)
}

fn is_error(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Error(_))
}

fn why(outcome: Option<Outcome>) -> Option<Failure> {
    match outcome? {
        Outcome::Error(failure) => Some(failure),
        _ => None,
    }
}

/// Takes outcomes until it says false.
pub(super) type Visit<'v> = dyn FnMut(Outcome) -> bool + 'v;

fn some(most: usize, visit_all: impl Fn(&mut Visit<'_>)) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    visit_all(&mut |outcome| {
        outcomes.push(outcome);
        outcomes.len() < most
    });
    outcomes
}

fn all(allowed: usize, visit_all: impl Fn(&mut Visit<'_>)) -> Result<Vec<Outcome>, TooMany> {
    at_most(some(allowed.saturating_add(1), visit_all), allowed)
}

/// The same list, unless it is too long.
pub fn at_most<T>(all: Vec<T>, allowed: usize) -> Result<Vec<T>, TooMany> {
    match all.len() <= allowed {
        true => Ok(all),
        false => Err(TooMany),
    }
}

fn first(accept: impl Fn(&Outcome) -> bool, visit_all: impl Fn(&mut Visit<'_>)) -> Option<Outcome> {
    // What is accepted depends on values only where the wish fixes them, so that only a few
    // outcomes are refused, unless nothing is accepted at all.
    let mut left = 1_u32 << 20;
    let mut found = None;
    visit_all(&mut |outcome| {
        if !accept(&outcome) {
            left -= 1;
            return left > 0;
        }
        found = Some(outcome);
        false
    });
    found
}

/// Visits steps until `visit` says false, in the order of the rules and of rising values.
fn for_each_outcome(program: &Program, view: &View, wish: &impl Wish, visit: &mut Visit<'_>) {
    let point = program.point(view.at);
    let valuation = &view.valuation;
    if !enforce_allows(program, point.procedure, valuation) {
        return;
    }
    let state = Evaluation {
        program,
        procedure: point.procedure,
        valuation,
    };
    let next = |at: PointId| next(at, valuation);
    match &point.action {
        Action::Goto { targets } => {
            for target in targets {
                if !visit(next(*target)) {
                    return;
                }
            }
        }
        Action::Assign {
            targets,
            values,
            constrain,
            next,
        } => match state.updates(targets.iter().zip(values)) {
            Ok(updates) => set(state, updates, *constrain, *next, wish, visit),
            Err(failure) => {
                fail(program, failure, visit);
            }
        },
        Action::Havoc { variables, next } => {
            let any = |variable| Choice::any(program.cell(point.procedure, variable).domain);
            let updates = variables.iter().map(|v| (*v, any(*v))).collect();
            set(state, updates, None, *next, wish, visit);
        }
        Action::Branch { arms, otherwise } => {
            for (condition, target) in arms {
                let condition = state.possible(*condition);
                if condition.may_be(true) && !visit(next(*target)) {
                    return;
                }
                if !condition.may_be(false) {
                    return;
                }
            }
            visit(next(*otherwise));
        }
        Action::Select { arms, otherwise } => {
            select(state, arms, *otherwise, visit);
        }
        Action::Assert {
            condition,
            next: after,
        } => {
            if check(state, *condition, *after, visit) && state.possible(*condition).may_be(false) {
                visit(Outcome::Error(state.fails(Reason::Assertion)));
            }
        }
        Action::Assume {
            condition,
            next: after,
        } => {
            check(state, *condition, *after, visit);
        }
        Action::Return {
            values,
            assignments,
        } => give_back(state, values, assignments, wish, visit),
        Action::StartThread { thread, next } => create(state, thread, *next, wish, visit),
        Action::EndThread { assignments } => {
            after(state, assignments, wish, &mut |after| {
                visit(Outcome::End(after.globals().to_vec()))
            });
        }
        Action::Exit => {
            visit(Outcome::Leave {
                globals: valuation.globals().to_vec(),
                returns: view.returns.clone(),
            });
        }
        Action::Call(call) => enter(state, view.at, call, wish, visit),
    }
}

fn next(at: PointId, valuation: &Valuation) -> Outcome {
    Outcome::Next(View {
        at,
        valuation: valuation.clone(),
        returns: None,
    })
}

/// The step to *error*, if such executions are not cut off.
pub(super) fn fail(program: &Program, failure: Failure, visit: &mut Visit<'_>) -> bool {
    match program.overflow {
        Overflow::Block => true,
        Overflow::Error | Overflow::Wrap => visit(Outcome::Error(failure)),
    }
}

fn set(
    state: Evaluation<'_>,
    updates: Updates,
    constrain: Option<Expression>,
    at: PointId,
    wish: &impl Wish,
    visit: &mut Visit<'_>,
) {
    Assignment {
        before: state,
        constrain,
    }
    .enumerate(updates, wish, &mut |after| visit(next(at, after)));
}

/// Goes on where the condition may be true, or fails where it has no value.
fn check(state: Evaluation<'_>, condition: Expression, at: PointId, visit: &mut Visit<'_>) -> bool {
    match state.possible(condition) {
        Possible::Nothing(missing) => {
            fail(state.program, state.no_value(condition, missing), visit)
        }
        possible => !possible.may_be(true) || visit(next(at, state.valuation)),
    }
}

fn select(
    state: Evaluation<'_>,
    arms: &[(Expression, PointId)],
    otherwise: Option<PointId>,
    visit: &mut Visit<'_>,
) {
    let mut may_be_none = true;
    for (condition, target) in arms {
        if !check(state, *condition, *target, visit) {
            return;
        }
        let condition = state.possible(*condition);
        may_be_none &= condition.may_be(false) || matches!(condition, Possible::Nothing(_));
    }
    if let Some(otherwise) = otherwise.filter(|_| may_be_none) {
        visit(next(otherwise, state.valuation));
    }
}

/// A `return`.
fn give_back(
    state: Evaluation<'_>,
    values: &[Expression],
    assignments: &[(Target, Value)],
    wish: &impl Wish,
    visit: &mut Visit<'_>,
) {
    let procedure = state.program.procedure(state.procedure);
    let mut choices = Vec::with_capacity(values.len());
    for ((value, domain), i) in values.iter().zip(&procedure.returns).zip(0..) {
        match state.fitted(*value, *domain, Place::Returned(i)) {
            Err(failure) => {
                fail(state.program, failure, visit);
                return;
            }
            Ok(choice) => match choice.wished(wish.returned(i)) {
                Some(choice) => choices.push(choice),
                None => return,
            },
        }
    }
    after(state, assignments, wish, &mut |after| {
        let mut goes_on = true;
        for_each_choice(&choices, &mut |returns| {
            goes_on = visit(Outcome::Next(View {
                at: procedure.exit(),
                valuation: after.clone(),
                returns: Some(returns.into()),
            }));
            goes_on
        });
        goes_on
    });
}

/// The states after assignments that always have a value which fits.
fn after(
    state: Evaluation<'_>,
    assignments: &[(Target, Value)],
    wish: &impl Wish,
    visit: &mut dyn FnMut(&Valuation) -> bool,
) {
    let assignments = assignments.iter().map(|(target, value)| (target, value));
    let updates = state.updates(assignments).unwrap_or_default();
    Assignment {
        before: state,
        constrain: None,
    }
    .enumerate(updates, wish, visit);
}

/// A step that creates a thread. What it begins with, is chosen here.
fn create(
    state: Evaluation<'_>,
    thread: &NewThread,
    at: PointId,
    wish: &impl Wish,
    visit: &mut Visit<'_>,
) {
    let begins = |at, locals: &[u64]| View {
        at,
        valuation: Valuation::new(state.valuation.globals(), locals),
        returns: None,
    };
    let goes_on = View {
        at,
        valuation: state.valuation.clone(),
        returns: None,
    };
    match thread {
        NewThread::Copy { at, .. } => {
            visit(Outcome::Create(
                goes_on,
                begins(*at, state.valuation.locals()),
            ));
        }
        NewThread::Call { callee, arguments } => {
            let procedure = state.program.procedure(*callee);
            let passed = match passed(state, *callee, arguments) {
                Ok(passed) => passed,
                Err(failure) => {
                    fail(state.program, failure, visit);
                    return;
                }
            };
            let others = &procedure.locals[passed.len()..];
            let others = others.iter().map(|cell| Choice::any(cell.domain));
            let choices = passed.into_iter().chain(others).zip(0..);
            let choices = choices.map(|(choice, i)| choice.wished(wish.created(i)));
            let Some(choices) = choices.collect::<Option<Vec<_>>>() else {
                return;
            };
            for_each_choice(&choices, &mut |locals| {
                let begins = begins(procedure.entry(), locals);
                visit(Outcome::Create(goes_on.clone(), begins))
            });
        }
    }
}
