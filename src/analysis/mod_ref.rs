//! MOD/REF: the globals that a procedure, with all it calls, may change or read (Bebop,
//! section 3.3).
//!
//! A global that a callee does not change needs no place in the callee's summary: the
//! caller keeps its value while it waits. One that the callee does not touch at all stays
//! out of the callee's states altogether.
//!
//! Computed over the call graph from the callees upwards; inside a recursive component the
//! pass is repeated until nothing changes, at most once more than the component's depth.

use super::{CallGraph, Layout};
use crate::bits::{self, BitRows};
use crate::program::{
    Action, Expression, PointId, ProcedureId, Program, Target, Value, VariableId,
};

#[derive(Debug)]
pub struct ModRef {
    /// For each procedure, the globals it may change.
    modified: BitRows,
    /// For each procedure, the globals it may read.
    referenced: BitRows,
}

impl ModRef {
    pub fn of(program: &Program, layout: &Layout, calls: &CallGraph) -> Self {
        let count = program.procedures.len();
        let mut sets = ModRef {
            modified: BitRows::new(count, layout.len() as usize),
            referenced: BitRows::new(count, layout.len() as usize),
        };
        for procedure in &calls.bottom_up {
            sets.add_own(program, layout, *procedure);
        }
        loop {
            let mut grew = false;
            let mut cyclic = false;
            for callee in &calls.bottom_up {
                cyclic |= calls.recursive[callee.0 as usize];
                for site in &calls.call_sites[callee.0 as usize] {
                    let caller = program.point(*site).procedure.0 as usize;
                    grew |= sets.modified.join_rows(caller, callee.0 as usize);
                    grew |= sets.referenced.join_rows(caller, callee.0 as usize);
                }
            }
            // Without recursion one pass from the callees upwards is complete.
            if !grew || !cyclic {
                return sets;
            }
        }
    }

    /// As if every procedure read and changed every global.
    pub fn everything(program: &Program, layout: &Layout) -> Self {
        let mut all = BitRows::new(program.procedures.len(), layout.len() as usize);
        for procedure in program.procedure_ids() {
            let row = all.row_mut(procedure.0 as usize);
            layout
                .global_range()
                .for_each(|global| bits::insert(row, global));
        }
        ModRef {
            modified: all.clone(),
            referenced: all,
        }
    }

    pub fn modified(&self, procedure: ProcedureId) -> &[u64] {
        self.modified.row(procedure.0 as usize)
    }

    pub fn referenced(&self, procedure: ProcedureId) -> &[u64] {
        self.referenced.row(procedure.0 as usize)
    }

    fn add_own(&mut self, program: &Program, layout: &Layout, procedure: ProcedureId) {
        let row = procedure.0 as usize;
        let definition = program.procedure(procedure);
        let global = |variable: VariableId| match variable {
            VariableId::Global(index) => layout.global(index),
            VariableId::Local(_) => 0..0,
        };
        // `'x` of a variable that the statement does not set is its old value, so reading a
        // new value counts as reading.
        let expressions = &program.expressions;
        let mut read = |expression: Expression| {
            let reads = expressions.reads(expression);
            for variable in reads.chain(expressions.reads_next(expression)) {
                bits::insert_all(self.referenced.row_mut(row), global(variable));
            }
        };
        definition.enforce.into_iter().for_each(&mut read);
        for point in definition.points.clone() {
            let action = &program.point(PointId(point)).action;
            for_each_read(action, &mut read);
            for_each_write(action, |variable| {
                bits::insert_all(self.modified.row_mut(row), global(variable));
            });
        }
    }
}

/// Visits every expression that an action evaluates in the old state; for a call also those
/// it evaluates on its return.
pub fn for_each_read(action: &Action, visit: &mut impl FnMut(Expression)) {
    for_each_early_read(action, visit);
    if let Action::Call(call) = action {
        call.targets
            .iter()
            .filter_map(Target::index)
            .for_each(visit);
    }
}

/// The same, but of a call only what it evaluates before its callee begins.
pub fn for_each_early_read(action: &Action, visit: &mut impl FnMut(Expression)) {
    match action {
        Action::Goto { .. } | Action::Havoc { .. } | Action::Exit => {}
        Action::Assign {
            targets,
            values,
            constrain,
            ..
        } => {
            targets
                .iter()
                .filter_map(Target::index)
                .for_each(&mut *visit);
            values
                .iter()
                .filter_map(Value::expression)
                .for_each(&mut *visit);
            constrain.iter().copied().for_each(visit);
        }
        Action::Branch { arms, .. } | Action::Select { arms, .. } => {
            arms.iter().for_each(|(condition, _)| visit(*condition));
        }
        Action::Assert { condition, .. } | Action::Assume { condition, .. } => visit(*condition),
        Action::Call(call) => {
            call.arguments.iter().copied().for_each(&mut *visit);
            for (target, value) in &call.assignments {
                target.index().into_iter().for_each(&mut *visit);
                value.expression().into_iter().for_each(&mut *visit);
            }
        }
        Action::Return { values } => values.iter().copied().for_each(visit),
    }
}

/// Visits every variable that an action itself might set; for a call, also on its return.
pub fn for_each_write(action: &Action, mut visit: impl FnMut(VariableId)) {
    let mut set = |target: &Target| {
        if let Some((first, count)) = target.cells() {
            (0..count).for_each(|k| visit(first.plus(k)));
        }
    };
    match action {
        Action::Assign { targets, .. } => targets.iter().for_each(set),
        Action::Havoc { variables, .. } => variables.iter().copied().for_each(visit),
        Action::Call(call) => {
            call.assignments.iter().for_each(|(target, _)| set(target));
            call.targets.iter().for_each(set);
        }
        _ => {}
    }
}
