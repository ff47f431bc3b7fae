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
use crate::program::{Action, Expression, PointId, ProcedureId, Program, VariableId};

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
            VariableId::Global(_) => Some(layout.variable(variable)),
            VariableId::Local(_) => None,
        };
        // `'x` of a variable that the statement does not set is its old value, so reading a
        // new value counts as reading.
        let expressions = &program.expressions;
        let mut read = |expression: Expression| {
            let reads = expressions.reads(expression);
            for variable in reads.chain(expressions.reads_next(expression)) {
                if let Some(variable) = global(variable) {
                    bits::insert(self.referenced.row_mut(row), variable);
                }
            }
        };
        definition.enforce.into_iter().for_each(&mut read);
        for point in definition.points.clone() {
            let action = &program.point(PointId(point)).action;
            for_each_read(action, &mut read);
            for_each_write(action, |variable| {
                if let Some(variable) = global(variable) {
                    bits::insert(self.modified.row_mut(row), variable);
                }
            });
        }
    }
}

/// Visits every expression that an action evaluates in the old state.
pub fn for_each_read(action: &Action, visit: &mut impl FnMut(Expression)) {
    match action {
        Action::Goto { .. } | Action::Havoc { .. } | Action::Exit => {}
        Action::Assign {
            values, constrain, ..
        } => {
            values.iter().copied().for_each(&mut *visit);
            constrain.iter().copied().for_each(visit);
        }
        Action::Branch { arms, .. } => arms.iter().for_each(|(condition, _)| visit(*condition)),
        Action::Assert { condition, .. } | Action::Assume { condition, .. } => visit(*condition),
        Action::Call(call) => call.arguments.iter().copied().for_each(visit),
        Action::Return { values } => values.iter().copied().for_each(visit),
    }
}

/// Visits every variable that an action itself sets; for a call, on its return.
pub fn for_each_write(action: &Action, visit: impl FnMut(VariableId)) {
    match action {
        Action::Assign { targets, .. } => targets.iter().flatten().copied().for_each(visit),
        Action::Havoc { variables, .. } => variables.iter().copied().for_each(visit),
        Action::Call(call) => call.targets.iter().flatten().copied().for_each(visit),
        _ => {}
    }
}
