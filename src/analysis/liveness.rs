//! Live variables: those that some path reads before it writes them (Bebop, section 3.3;
//! the live scopes of disjunctive image computation, section 6.2).
//!
//! Backward data flow over all reachable procedures at once. At a call, what the caller
//! needs afterwards splits in two: locals, and globals that the callee does not change,
//! stay live at the call; globals that the callee may change become live at the callee's
//! exit, and it depends on the callee's body whether they are live at its entry. Liveness
//! at an exit is the union over all call sites. It is the plain kind: a variable is live
//! even if it is read only to compute a dead one.
//!
//! An `enforce` condition is read by every step of its procedure, and so keeps its
//! variables live throughout; so does a property that speaks of variables.
//!
//! Cost: a few passes over the points, more only for long chains in recursive components.

use super::mod_ref::for_each_early_read;
use super::{CallGraph, Layout, ModRef, Observed, mark_loop_heads, reverse_postorder};
use crate::bits::{self, BitRows};
use crate::program::{
    Action, Call, Expression, Overflow, PointId, ProcedureId, Program, Target, VariableId,
};
use std::collections::VecDeque;

#[derive(Debug)]
pub struct Liveness {
    /// For each point, the data variables live before its step; at an exit, those live
    /// after it in some caller (returned values among them).
    live: BitRows,
    /// For each reachable procedure, its points in reverse postorder.
    pub orders: Vec<Vec<PointId>>,
}

impl Liveness {
    /// `observed` are variables that matter at every point whatever the program does.
    pub fn of(
        program: &Program,
        layout: &Layout,
        calls: &CallGraph,
        mod_ref: &ModRef,
        observed: &[Observed],
    ) -> Self {
        let mut orders = vec![Vec::new(); program.procedures.len()];
        let mut is_loop_head = vec![false; program.points.len()];
        for procedure in &calls.bottom_up {
            let order = reverse_postorder(program, *procedure);
            mark_loop_heads(program, &order, &mut is_loop_head);
            orders[procedure.0 as usize] = order;
        }
        let mut flow = Flow {
            program,
            layout,
            mod_ref,
            is_loop_head,
            always: always_live(program, layout, observed),
            live: BitRows::new(program.points.len(), layout.len() as usize),
            at_exit: Vec::new(),
            scratch: vec![0; (layout.len() as usize).div_ceil(64).max(1)],
            queue: calls.bottom_up.iter().rev().copied().collect(),
            queued: vec![true; program.procedures.len()],
        };
        while let Some(procedure) = flow.queue.pop_front() {
            flow.queued[procedure.0 as usize] = false;
            let entry_grew = flow.solve_procedure(procedure, &orders[procedure.0 as usize]);
            if entry_grew {
                for site in &calls.call_sites[procedure.0 as usize] {
                    flow.enqueue(program.point(*site).procedure);
                }
            }
        }
        Liveness {
            live: flow.live,
            orders,
        }
    }

    /// As if every variable mattered wherever it is in scope, at points that no path leads
    /// to as well; at an exit, the returned values of its procedure too.
    pub fn everything(program: &Program, layout: &Layout, calls: &CallGraph) -> Self {
        let mut live = BitRows::new(program.points.len(), layout.len() as usize);
        let mut orders = vec![Vec::new(); program.procedures.len()];
        for id in &calls.bottom_up {
            let procedure = program.procedure(*id);
            let mut in_scope = vec![0; (layout.len() as usize).div_ceil(64).max(1)];
            let locals = (0..procedure.locals.len() as u32).map(VariableId::Local);
            for local in locals {
                bits::insert_all(&mut in_scope, layout.cell(*id, local));
            }
            bits::insert_all(&mut in_scope, layout.global_range());
            for point in procedure.points.clone() {
                live.join(point as usize, &in_scope);
            }
            let exit = live.row_mut(procedure.exit().0 as usize);
            for returned in 0..procedure.returns.len() as u32 {
                bits::insert_all(exit, layout.returned(*id, returned));
            }
            let mut order = reverse_postorder(program, *id);
            let mut others: Vec<_> = procedure.points.clone().map(PointId).collect();
            let mut reachable = order.clone();
            reachable.sort_unstable();
            others.retain(|point| reachable.binary_search(point).is_err());
            order.extend(others);
            orders[id.0 as usize] = order;
        }
        Liveness { live, orders }
    }

    pub fn at(&self, point: PointId) -> &[u64] {
        self.live.row(point.0 as usize)
    }
}

fn always_live(program: &Program, layout: &Layout, observed: &[Observed]) -> BitRows {
    let mut always = BitRows::new(program.procedures.len(), layout.len() as usize);
    for id in program.procedure_ids() {
        let row = always.row_mut(id.0 as usize);
        let enforced = program.procedure(id).enforce.into_iter();
        for variable in enforced.flat_map(|e| program.expressions.reads(e)) {
            bits::insert_all(row, layout.cell(id, variable));
        }
        for observed in observed {
            let variable = match observed {
                Observed::Global(index) => VariableId::Global(*index),
                Observed::Local(of, index) if *of == id => VariableId::Local(*index),
                Observed::Local(..) => continue,
            };
            bits::insert_all(row, layout.cell(id, variable));
        }
    }
    always
}

struct Flow<'a> {
    program: &'a Program,
    layout: &'a Layout,
    mod_ref: &'a ModRef,
    is_loop_head: Vec<bool>,
    /// For each procedure, what is live at all of its points.
    always: BitRows,
    live: BitRows,
    scratch: Vec<u64>,
    at_exit: Vec<u64>,
    queue: VecDeque<ProcedureId>,
    queued: Vec<bool>,
}

impl Flow<'_> {
    fn enqueue(&mut self, procedure: ProcedureId) {
        if !std::mem::replace(&mut self.queued[procedure.0 as usize], true) {
            self.queue.push_back(procedure);
        }
    }

    /// True if more became live at the procedure's entry.
    fn solve_procedure(&mut self, procedure: ProcedureId, order: &[PointId]) -> bool {
        let entry = self.program.procedure(procedure).entry();
        let mut entry_grew = false;
        loop {
            // What is live flows against the order, except around loops.
            let mut again = false;
            for point in order.iter().rev() {
                if self.visit(*point) {
                    again |= self.is_loop_head[point.0 as usize];
                    entry_grew |= *point == entry;
                }
            }
            if !again {
                return entry_grew;
            }
        }
    }

    /// Recomputes what is live at a point; true if it grew.
    fn visit(&mut self, point: PointId) -> bool {
        let program = self.program;
        let Self { layout, .. } = *self;
        let id = program.point(point).procedure;
        let procedure = program.procedure(id);
        let action = &program.point(point).action;
        let mut set = std::mem::take(&mut self.scratch);
        set.fill(0);
        action.for_each_successor(procedure.exit(), |next| {
            bits::join(&mut set, self.live.row(next.0 as usize));
        });
        for_each_kill(action, |variable| {
            bits::remove_all(&mut set, layout.cell(id, variable));
        });
        // A `return` sets the returned values, and any other way to the exit leaves them
        // arbitrary: nowhere else do they live.
        bits::remove_all(&mut set, layout.returned_range());
        if let Action::Call(call) = action {
            self.pass_through_call(id, call, &mut set);
        }
        let mut read = |expression: Expression| {
            for variable in program.expressions.reads(expression) {
                bits::insert_all(&mut set, layout.cell(id, variable));
            }
        };
        for_each_early_read(action, &mut read);
        let always = self.always.row(id.0 as usize);
        bits::join(&mut set, always);
        if let Action::Assign {
            targets,
            constrain: Some(constrain),
            ..
        } = action
        {
            // `'x` of a variable that the statement does not set is its old value.
            for variable in program.expressions.reads_next(*constrain) {
                if !targets.contains(&Target::Cell(variable)) {
                    bits::insert_all(&mut set, layout.cell(id, variable));
                }
            }
        }
        let grew = self.live.join(point.0 as usize, &set);
        self.scratch = set;
        grew
    }

    /// On entry, `set` is live after the call of `caller`, its targets taken out;
    /// afterwards, what is live once the assignments that come with it are made.
    fn pass_through_call(&mut self, caller: ProcedureId, call: &Call, set: &mut [u64]) {
        let expressions = &self.program.expressions;
        let indices = call.targets.iter().filter_map(Target::index);
        for variable in indices.flat_map(|index| expressions.reads(index)) {
            bits::insert_all(set, self.layout.cell(caller, variable));
        }
        let callee = self.program.procedure(call.callee);
        let modified = self.mod_ref.modified(call.callee);
        let mut at_exit = std::mem::take(&mut self.at_exit);
        at_exit.resize(set.len(), 0);
        for (word, (live, modified)) in at_exit.iter_mut().zip(set.iter_mut().zip(modified)) {
            *word = *live & *modified;
            *live &= !*modified;
        }
        let after = self.live.row(call.next.0 as usize);
        for (i, target) in call.targets.iter().enumerate() {
            if self.is_needed(caller, target, after) || self.may_not_fit(caller, call, i) {
                bits::insert_all(&mut at_exit, self.layout.returned(call.callee, i as u32));
            }
        }
        if self.live.join(callee.exit().0 as usize, &at_exit) {
            self.enqueue(call.callee);
        }
        self.at_exit = at_exit;
        let at_entry = self.live.row(callee.entry().0 as usize);
        let globals = self.layout.global_range();
        for global in bits::members(at_entry).filter(|v| globals.contains(v)) {
            bits::insert(set, global);
        }
        for (target, _) in &call.assignments {
            if let Target::Cell(variable) = target {
                bits::remove_all(set, self.layout.cell(caller, *variable));
            }
        }
    }

    /// Whether the value of a call's target matters after the call.
    fn is_needed(&self, caller: ProcedureId, target: &Target, after: &[u64]) -> bool {
        target.cells().is_some_and(|(first, count)| {
            let cells = (0..count).map(|k| self.layout.cell(caller, first.plus(k)));
            cells.flatten().any(|bit| bits::contains(after, bit))
        })
    }

    /// Whether a returned value might be too large for its target, which is then an event
    /// of its own.
    fn may_not_fit(&self, caller: ProcedureId, call: &Call, i: usize) -> bool {
        let returned = self.program.procedure(call.callee).returns[i].size();
        call.targets[i].cells().is_some_and(|(first, _)| {
            self.program.overflow != Overflow::Wrap
                && self.program.cell(caller, first).domain.size() < returned
        })
    }
}

/// Visits every variable that a step certainly sets; for a call, on its return.
fn for_each_kill(action: &Action, mut visit: impl FnMut(VariableId)) {
    let set = |target: &Target| {
        if let Target::Cell(variable) = target {
            visit(*variable);
        }
    };
    match action {
        Action::Assign { targets, .. } => targets.iter().for_each(set),
        Action::Call(call) => call.targets.iter().for_each(set),
        Action::Havoc { variables, .. } => variables.iter().copied().for_each(visit),
        _ => {}
    }
}
