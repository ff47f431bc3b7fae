//! What a property does not depend on is left out (slicing).
//!
//! Assignments to cells that do not matter any more are dropped (`live`). A branch is dropped if whatever
//! it decides is over where its arms meet again: nothing between sets a cell that matters, fails, is cut
//! off, may be asked for, calls, or goes round in a loop. So no execution ends earlier or later than
//! before: only steps are missing. Where only points are asked for, executions also end as soon as none
//! of these can be reached any more.

use super::Goals;
use super::live::{self, Live};
use super::rewrite::{end, go};
use crate::program::{Action, Call, Domain, Operation, PointId, Program, Target, VariableId};
use rustc_hash::FxHashMap;

/// How many points are looked at behind one branch.
const REGION: usize = 200;

/// Leaves out what does not matter; whether anything did. Where every step counts, one that sets
/// nothing any more stays.
pub fn slice(program: &mut Program, goals: &Goals<'_>) -> bool {
    let live = Live::new(program, goals.observed);
    let mut changed = false;
    for index in 0..program.points.len() as u32 {
        changed |= drop_assignments(program, PointId(index), &live);
    }
    if goals.steps {
        return changed;
    }
    let joins: Vec<_> = (0..program.points.len() as u32)
        .map(PointId)
        .filter_map(|point| Some((point, meeting(program, goals, point)?)))
        .collect();
    for (point, to) in joins {
        program.points[point.0 as usize].action = go(to);
        changed = true;
    }
    changed
}

/// Ends executions from which no goal can be reached any more.
pub fn cut(program: &mut Program, goals: &Goals<'_>) {
    let mut reaches = vec![false; program.points.len()];
    let predecessors = live::predecessors(program);
    let calls = live::calls(program);
    let mut open: Vec<PointId> = (0..program.points.len() as u32)
        .map(PointId)
        .filter(|point| is_goal(program, goals, *point))
        .collect();
    let mut may_fail = vec![false; program.procedures.len()];
    while let Some(point) = open.pop() {
        if std::mem::replace(&mut reaches[point.0 as usize], true) {
            continue;
        }
        open.extend(&predecessors[point.0 as usize]);
        let procedure = program.point(point).procedure;
        // What a callee can come to, its callers can.
        if !std::mem::replace(&mut may_fail[procedure.0 as usize], true) {
            open.extend(&calls[procedure.0 as usize]);
        }
        // What follows a call can be reached from within: up to its exit all must stay.
        for before in &predecessors[point.0 as usize] {
            if let Action::Call(call) = &program.point(*before).action {
                open.push(program.procedure(call.callee).exit());
            }
        }
    }
    for (index, point) in program.points.iter_mut().enumerate() {
        if !reaches[index] && !matches!(point.action, Action::Exit) {
            point.action = end();
        }
    }
}

fn is_goal(program: &Program, goals: &Goals<'_>, point: PointId) -> bool {
    matches!(program.point(point).action, Action::Assert { .. })
        || goals.points.binary_search(&point).is_ok()
}

fn drop_assignments(program: &mut Program, point: PointId, live: &Live) -> bool {
    let action = &program.point(point).action;
    let matters = |target: &Target, after: PointId| live.target_at(program, after, target);
    let new = match action {
        Action::Assign {
            targets,
            values,
            constrain: None,
            next,
        } => {
            let pairs = targets.iter().zip(values);
            let kept: Vec<_> = pairs.filter(|(target, _)| matters(target, *next)).collect();
            if kept.len() == targets.len() {
                return false;
            }
            match kept.is_empty() {
                true => go(*next),
                false => Action::Assign {
                    targets: kept.iter().map(|(target, _)| **target).collect(),
                    values: kept.iter().map(|(_, value)| **value).collect(),
                    constrain: None,
                    next: *next,
                },
            }
        }
        Action::Havoc { variables, next } => {
            let is_kept = |variable: &VariableId| matters(&Target::Cell(*variable), *next);
            let kept: Box<[_]> = variables.iter().copied().filter(is_kept).collect();
            if kept.len() == variables.len() {
                return false;
            }
            match kept.is_empty() {
                true => go(*next),
                false => Action::Havoc {
                    variables: kept,
                    next: *next,
                },
            }
        }
        Action::Call(call) => {
            let is_dead =
                |target: &&Target| **target != Target::Discard && !matters(target, call.next);
            let dead = call.targets.iter().filter(is_dead).count();
            let entry = program.procedure(call.callee).entry();
            let is_idle = |index: &usize| {
                let parameter = VariableId::Local(*index as u32);
                !live.at(program, entry, parameter)
                    && program
                        .expressions
                        .reads(call.arguments[*index])
                        .next()
                        .is_some()
            };
            let idle: Vec<usize> = (0..call.arguments.len()).filter(is_idle).collect();
            if dead == 0 && idle.is_empty() {
                return false;
            }
            let targets = call
                .targets
                .iter()
                .map(|target| match matters(target, call.next) {
                    true => *target,
                    false => Target::Discard,
                });
            let targets = targets.collect();
            let mut arguments = call.arguments.clone();
            let call = Call {
                callee: call.callee,
                arguments: Box::default(),
                assignments: call.assignments.clone(),
                targets,
                next: call.next,
            };
            for index in idle {
                let nothing = match program.procedure(call.callee).locals[index].domain {
                    Domain::Boolean => Operation::Constant(false),
                    _ => Operation::Number(0),
                };
                arguments[index] = program.expressions.add([nothing]);
            }
            Action::Call(Box::new(Call { arguments, ..call }))
        }
        _ => return false,
    };
    program.points[point.0 as usize].action = new;
    true
}

/// Where all that a branch can lead to meets again, if nothing that matters is between.
fn meeting(program: &Program, goals: &Goals<'_>, point: PointId) -> Option<PointId> {
    let first = match &program.point(point).action {
        Action::Branch { otherwise, .. } => *otherwise,
        Action::Goto { targets } if targets.len() > 1 => targets[0],
        _ => return None,
    };
    // Along one arm, as long as nothing happens: one of these is where the others come to.
    let mut candidates = vec![first];
    while let Some(next) = step_over(program, goals, *candidates.last()?, &candidates) {
        if candidates.len() > REGION {
            return None;
        }
        candidates.push(next);
    }
    candidates
        .into_iter()
        .find(|to| leads_only_to(program, goals, point, *to))
}

/// The next point on the way, if the step changes nothing; of a branch that of its last arm.
fn step_over(
    program: &Program,
    goals: &Goals<'_>,
    point: PointId,
    seen: &[PointId],
) -> Option<PointId> {
    if goals.points.binary_search(&point).is_ok() {
        return None;
    }
    let next = match &program.point(point).action {
        Action::Goto { targets } => *targets.last()?,
        Action::Branch { otherwise, .. } => *otherwise,
        _ => return None,
    };
    (!seen.contains(&next)).then_some(next)
}

/// Whether every way from a point leads to another, through steps that change nothing and round no
/// loop.
fn leads_only_to(program: &Program, goals: &Goals<'_>, from: PointId, to: PointId) -> bool {
    // Depth first: a point that is met again before it is left is on a loop.
    let mut state: FxHashMap<PointId, bool> = FxHashMap::default();
    let mut stack = vec![(from, false)];
    while let Some((point, is_left)) = stack.pop() {
        if is_left {
            state.insert(point, true);
            continue;
        }
        if point == to {
            continue;
        }
        match state.get(&point) {
            Some(true) => continue,
            Some(false) => return false,
            None => {}
        }
        if state.len() > REGION || goals.points.binary_search(&point).is_ok() && point != from {
            return false;
        }
        let action = &program.point(point).action;
        if !matches!(action, Action::Goto { .. } | Action::Branch { .. }) {
            return false;
        }
        state.insert(point, false);
        stack.push((point, true));
        let exit = program.procedure_of(point).exit();
        action.for_each_successor(exit, |next| stack.push((next, false)));
    }
    to != from
}
