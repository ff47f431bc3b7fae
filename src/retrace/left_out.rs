//! What rounds may have changed that are left out of an execution, and what is known of it all the same.
//!
//! The trace is one of a program that was made smaller for its property: it has the values of the cells that
//! matter there, and of no others. What some step between a point and itself assigns in the program as it was
//! before may be anything after such rounds, unless it matters. Linear in the program, and in a procedure
//! for each of its points that is asked for.

use super::Original;
use crate::bits::{self, BitRows, BitSet};
use crate::program::{Action, PointId, Program, VariableId};
use crate::reduction::cells::{count, number, targets, variable};
use crate::reduction::live::{Live, close_over_calls, predecessors};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of rounds that are left out.
pub struct LeftOut<'a> {
    original: Original<'a>,
    /// Which cells matter.
    live: Live,
    /// The globals that each procedure may change, or one it calls.
    changed: BitRows,
    predecessors: Vec<Vec<PointId>>,
    /// The cells that rounds from a point to itself may change.
    rounds: FxHashMap<PointId, BitSet>,
}

impl<'a> LeftOut<'a> {
    pub fn new(original: Original<'a>) -> Self {
        let whole = original.whole;
        let mut changed = BitRows::new(whole.procedures.len(), whole.globals.len());
        for point in &whole.points {
            let row = changed.row_mut(point.procedure.0 as usize);
            for (first, count) in assigned(&point.action) {
                if let VariableId::Global(first) = first {
                    bits::insert_all(row, first..first + count);
                }
            }
        }
        close_over_calls(whole, &mut changed);
        LeftOut {
            original,
            live: Live::new(original.program, &|_, _| false),
            changed,
            predecessors: predecessors(whole),
            rounds: FxHashMap::default(),
        }
    }

    /// Whether the trace has the value of a cell at a point.
    pub fn is_known(&self, point: PointId, cell: VariableId) -> bool {
        self.live.at(self.original.program, point, cell)
    }

    /// The cells that rounds from a point to itself may have changed.
    pub fn changed(&mut self, point: PointId) -> Vec<VariableId> {
        let (whole, rows, predecessors) = (self.original.whole, &self.changed, &self.predecessors);
        let rounds = self.rounds.entry(point);
        let changed = rounds.or_insert_with(|| in_rounds(whole, rows, predecessors, point));
        let numbers = bits::members(changed);
        numbers.map(|number| variable(whole, number)).collect()
    }
}

/// The rows of cells that a step from a point may assign.
fn assigned(action: &Action) -> Vec<(VariableId, u32)> {
    let targets = targets(action).into_iter();
    targets.filter_map(|target| target.cells()).collect()
}

fn in_rounds(
    program: &Program,
    called: &BitRows,
    predecessors: &[Vec<PointId>],
    head: PointId,
) -> BitSet {
    let procedure = program.point(head).procedure;
    let exit = program.procedure(procedure).exit();
    let after = closure(head, |point, found| {
        let action = &program.point(point).action;
        action.for_each_successor(exit, |next| found.push(next));
    });
    let before = closure(head, |point, found| {
        found.extend(&predecessors[point.0 as usize]);
    });
    let mut changed = BitSet::new(count(program, procedure));
    for point in after.intersection(&before) {
        let action = &program.point(*point).action;
        for (first, count) in assigned(action) {
            let first = number(program, first);
            bits::insert_all(&mut changed, first..first + count);
        }
        if let Action::Call(call) = action {
            for global in bits::members(called.row(call.callee.0 as usize)) {
                bits::insert(&mut changed, global);
            }
        }
    }
    changed
}

/// The points that are come to from one, itself included.
fn closure(from: PointId, mut next: impl FnMut(PointId, &mut Vec<PointId>)) -> FxHashSet<PointId> {
    let mut known = FxHashSet::from_iter([from]);
    let mut open = vec![from];
    let mut found = Vec::new();
    while let Some(point) = open.pop() {
        next(point, &mut found);
        for point in found.drain(..) {
            if known.insert(point) {
                open.push(point);
            }
        }
    }
    known
}
