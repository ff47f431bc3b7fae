//! Orders on the control points of a procedure, and code that no path leads to.

use super::CallGraph;
use crate::program::{PointId, ProcedureId, Program};

/// The points of a procedure that are reachable in its control-flow graph (calls are taken
/// to return), in reverse postorder, loop bodies before what follows the loop: the order
/// in which a saturation makes the fewest detours. Linear in the procedure.
pub fn reverse_postorder(program: &Program, procedure: ProcedureId) -> Vec<PointId> {
    let procedure = program.procedure(procedure);
    let first = procedure.points.start;
    let mut seen = vec![false; procedure.points.len()];
    let mut order = Vec::with_capacity(procedure.points.len());
    // Successors are pushed in the order of the source, so the last one (what follows a
    // loop) is visited first, finishes first, and comes last in the reversed order.
    enum Visit {
        Enter(PointId),
        Leave(PointId),
    }
    let mut stack = vec![Visit::Enter(procedure.entry())];
    while let Some(visit) = stack.pop() {
        match visit {
            Visit::Leave(point) => order.push(point),
            Visit::Enter(point) => {
                let seen_before = &mut seen[(point.0 - first) as usize];
                if std::mem::replace(seen_before, true) {
                    continue;
                }
                stack.push(Visit::Leave(point));
                program
                    .point(point)
                    .action
                    .for_each_successor(procedure.exit(), |next| stack.push(Visit::Enter(next)));
            }
        }
    }
    order.reverse();
    order
}

/// Marks, among the points of `order`, those that some step leads back to.
pub fn mark_loop_heads(program: &Program, order: &[PointId], is_loop_head: &mut [bool]) {
    let Some(procedure) = order.first().map(|point| program.procedure_of(*point)) else {
        return;
    };
    let first = procedure.points.start;
    let mut place = vec![u32::MAX; procedure.points.len()];
    for (point, i) in order.iter().zip(0..) {
        place[(point.0 - first) as usize] = i;
        let action = &program.point(*point).action;
        action.for_each_successor(procedure.exit(), |next| {
            is_loop_head[next.0 as usize] |= place[(next.0 - first) as usize] <= i;
        });
    }
}

/// For each point, whether control-flow paths and calls lead to it from the start. What is
/// not marked is unreachable whatever the data; what is marked may still be.
pub fn reachable_points(program: &Program, calls: &CallGraph) -> Vec<bool> {
    let mut reachable = vec![false; program.points.len()];
    for procedure in &calls.bottom_up {
        for point in reverse_postorder(program, *procedure) {
            reachable[point.0 as usize] = true;
        }
    }
    reachable
}
