//! How many threads a program can create.
//!
//! A longest path: each step weighs as many threads as it creates, itself or by what it calls
//! or creates. It exists if no step of some weight is on a cycle of control, through calls and
//! creations too. Only code that threads can come to counts. One pass over the components of the
//! control-flow graph; linear.

use crate::analysis::control::Control;
use crate::components::{components, is_cyclic};
use crate::program::{Action, NewThread, PointId, Program};

/// The most threads that an execution creates; `None` if there is no bound, or some procedure
/// that is run can call itself.
pub fn created_threads(program: &Program, control: &Control) -> Option<u64> {
    let threads = program.threads.as_ref()?;
    let successors: Vec<Vec<usize>> = (0..program.points.len() as u32)
        .map(|point| {
            let inner = inner_entry(program, PointId(point));
            let mut successors: Vec<PointId> = inner.into_iter().collect();
            for_each_next(program, PointId(point), |next| successors.push(next));
            successors.retain(|next| control.reaches(*next));
            successors.iter().map(|next| next.0 as usize).collect()
        })
        .collect();
    let roots = program.starts().filter(|point| control.reaches(*point));
    let roots: Vec<_> = roots.map(|point| point.0 as usize).collect();
    let mut most = vec![0_u64; program.points.len()];
    let mut component_of = vec![usize::MAX; program.points.len()];
    for (number, members) in components(&successors, roots).iter().enumerate() {
        for member in members {
            component_of[*member] = number;
        }
        let mut along = 0;
        for member in members {
            let point = PointId(*member as u32);
            let weight = match inner_entry(program, point) {
                // What it calls or creates leads back to itself.
                Some(entry) if component_of[entry.0 as usize] == number => return None,
                Some(entry) => {
                    let is_creation =
                        matches!(program.point(point).action, Action::StartThread { .. });
                    most[entry.0 as usize].saturating_add(u64::from(is_creation))
                }
                None => 0,
            };
            if weight > 0 && is_cyclic(&successors, members) {
                return None;
            }
            let mut after = 0;
            for_each_next(program, point, |next| {
                after = most[next.0 as usize].max(after)
            });
            along = weight.saturating_add(after).max(along);
        }
        for member in members {
            most[*member] = along;
        }
    }
    let entries = threads.declared.iter().map(|start| start.procedure);
    let entries = threads.init.into_iter().chain(entries);
    let created = entries.map(|id| most[program.procedure(id).entry().0 as usize]);
    Some(created.fold(0, u64::saturating_add))
}

/// Where what a point calls or creates begins.
pub fn inner_entry(program: &Program, point: PointId) -> Option<PointId> {
    match &program.point(point).action {
        Action::Call(call) => Some(program.procedure(call.callee).entry()),
        Action::StartThread { thread, .. } => Some(match thread {
            NewThread::Call { callee, .. } => program.procedure(*callee).entry(),
            NewThread::Copy { at, .. } => *at,
        }),
        _ => None,
    }
}

fn for_each_next(program: &Program, point: PointId, visit: impl FnMut(PointId)) {
    let exit = program.procedure_of(point).exit();
    program.point(point).action.for_each_successor(exit, visit);
}
