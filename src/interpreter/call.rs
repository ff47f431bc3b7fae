//! Calls and returns.
//!
//! Arguments, and the assignments that come with a call, are evaluated in the state of the
//! call. The assignments are in effect when the callee begins: those to globals for the
//! callee to see, those to the caller's own variables in the frame that waits. What a call
//! returns goes into its targets when the callee's exit is left.

use super::assignment::{Assignment, Choice, Evaluation, Updates, fit, for_each_choice};
use super::step::{Outcome, Visit, Wish, fail};
use super::{Valuation, View, Waiting, enforce_allows};
use crate::program::{
    Action, Call, Expression, Overflow, PointId, ProcedureId, Program, VariableId,
};
use crate::trace::failure::{Failure, Place, Reason};

/// The steps of a call.
pub fn enter(
    state: Evaluation<'_>,
    at: PointId,
    call: &Call,
    wish: &impl Wish,
    visit: &mut Visit<'_>,
) {
    let program = state.program;
    let callee = program.procedure(call.callee);
    let passed = passed(state, call.callee, &call.arguments).and_then(|passed| {
        let assignments = call.assignments.iter();
        let updates = state.updates(assignments.map(|(target, value)| (target, value)))?;
        Ok((passed, updates))
    });
    let (passed, updates) = match passed {
        Ok(passed) => passed,
        Err(failure) => {
            fail(program, failure, visit);
            return;
        }
    };
    // First the callee's locals, then what changes.
    let others = &callee.locals[passed.len()..];
    let others = others.iter().map(|cell| Choice::any(cell.domain));
    let locals = passed.into_iter().chain(others).zip(0..);
    let locals = locals.map(|(choice, i)| choice.wished(wish.variable(VariableId::Local(i))));
    let changes = updates.iter().map(|(variable, choice)| {
        let choice = match variable {
            VariableId::Global(_) => choice.wished(wish.variable(*variable))?,
            VariableId::Local(_) => *choice,
        };
        // Where there is no choice, the frame below finds what it finds.
        Some(choice.wished(wish.waiting(*variable)).unwrap_or(choice))
    });
    let Some(choices) = locals.chain(changes).collect::<Option<Vec<_>>>() else {
        return;
    };
    for_each_choice(&choices, &mut |chosen| {
        let (locals, changes) = chosen.split_at(callee.locals.len());
        let mut after = state.valuation.clone();
        for (variable, value) in updates.keys().zip(changes) {
            after.set(*variable, *value);
        }
        let entered = View {
            at: callee.entry(),
            valuation: Valuation::new(after.globals(), locals),
            returns: None,
        };
        let waiting = Waiting {
            at,
            locals: after.locals().into(),
        };
        visit(Outcome::Enter(entered, waiting))
    });
}

/// The parameters.
pub fn passed(
    state: Evaluation<'_>,
    callee: ProcedureId,
    arguments: &[Expression],
) -> Result<Vec<Choice>, Failure> {
    let parameters = &state.program.procedure(callee).locals;
    let pairs = arguments.iter().zip(parameters).zip(0..);
    pairs
        .map(|((argument, cell), i)| {
            let place = Place::Parameter(callee, i);
            state.fitted(*argument, cell.domain, place)
        })
        .collect()
}

/// The states after a return into a frame that waits: all that fulfil the wish, as far as
/// `visit` says true.
pub fn resume(
    program: &Program,
    waiting: &Waiting,
    globals: &[u64],
    returns: Option<&[u64]>,
    wish: &impl Wish,
    visit: &mut Visit<'_>,
) {
    let point = program.point(waiting.at);
    let Action::Call(call) = &point.action else {
        unreachable!("only a call waits");
    };
    let state = Evaluation {
        program,
        procedure: point.procedure,
        valuation: &Valuation::new(globals, &waiting.locals),
    };
    let (updates, failure) = results(state, call, returns);
    let mut goes_on = true;
    if let Some(updates) = updates {
        Assignment {
            before: state,
            constrain: None,
        }
        .enumerate(updates, wish, &mut |after| {
            if enforce_allows(program, point.procedure, after) {
                goes_on = visit(Outcome::Next(View {
                    at: call.next,
                    valuation: after.clone(),
                    returns: None,
                }));
            }
            goes_on
        });
    }
    if let Some(failure) = failure.filter(|_| goes_on) {
        fail(program, failure, visit);
    }
}

/// What the targets of a call get, if all may fit, and how it may fail.
fn results(
    state: Evaluation<'_>,
    call: &Call,
    returns: Option<&[u64]>,
) -> (Option<Updates>, Option<Failure>) {
    let program = state.program;
    let mut updates = Updates::default();
    let mut possible_failure = None;
    let domains = &program.procedure(call.callee).returns;
    for (i, (target, returned)) in call.targets.iter().zip(domains).enumerate() {
        let cell = match state.cell(target) {
            Ok(Some(cell)) => cell,
            Ok(None) => continue,
            Err(failure) => return (None, Some(failure)),
        };
        let domain = program.cell(state.procedure, cell).domain;
        let misfit = |number| {
            state.fails(Reason::Misfit {
                number,
                expression: None,
                place: Place::Variable(cell),
            })
        };
        let choice = match returns {
            Some(returns) => match fit(program.overflow, returns[i].into(), domain) {
                Some(value) => Choice::only(value),
                None => return (None, Some(misfit(returns[i].into()))),
            },
            // Control ran off the end: the values are arbitrary.
            None => {
                let (from, to) = (returned.size(), domain.size());
                if from > to && program.overflow != Overflow::Wrap {
                    possible_failure = Some(misfit(to as i128));
                }
                Choice::below(from.min(to))
            }
        };
        updates.insert(cell, choice);
    }
    (Some(updates), possible_failure)
}
