//! Which cells matter at each point: those that some condition, index or answer may depend on.
//!
//! Stronger than liveness: what is only read to compute a cell that does not matter does not matter
//! either, so a counter that nothing ever looks at is not live anywhere. Globals that a callee
//! touches are followed through it, all others pass by. What decides whether an expression has a value
//! matters as long as the expression is there, whoever needs the value: a divisor that is never 0 must
//! not become 0. (It may be left out, though: where an expression has no value, a C program does not come
//! to the step that evaluates it.) Each point is looked at again when what follows it has changed: a few
//! times in practice.

use super::cells;
use crate::bits::{self, BitRows};
use crate::program::{
    Action, Call, Expression, PointId, ProcedureId, Program, Target, Value, VariableId,
};

/// Which cells matter before each point, and which results of each procedure do.
pub struct Live {
    /// A row for each point: globals, then the locals of its procedure.
    points: BitRows,
    /// A row for each procedure, a bit for each returned value.
    returned: BitRows,
}

impl Live {
    /// `observed` cells, by procedure and variable, matter everywhere.
    pub fn new(program: &Program, observed: &dyn Fn(ProcedureId, VariableId) -> bool) -> Self {
        let widths = program.procedure_ids().map(|id| cells::count(program, id));
        let width = widths.max().unwrap_or(0);
        let results = program.procedures.iter().map(|p| p.returns.len());
        let mut search = Search {
            program,
            touched: touched(program),
            live: Live {
                points: BitRows::new(program.points.len(), width),
                returned: BitRows::new(program.procedures.len(), results.max().unwrap_or(0)),
            },
            predecessors: predecessors(program),
            calls: calls(program),
            open: Vec::new(),
            is_open: vec![false; program.points.len()],
        };
        for (index, point) in program.points.iter().enumerate() {
            let count = cells::count(program, point.procedure) as u32;
            for number in 0..count {
                if observed(point.procedure, cells::variable(program, number)) {
                    bits::insert(search.live.points.row_mut(index), number);
                }
            }
        }
        // Points are made backwards: the last ones first.
        for index in 0..program.points.len() as u32 {
            search.enqueue(PointId(index));
        }
        while let Some(point) = search.open.pop() {
            search.is_open[point.0 as usize] = false;
            search.visit(point);
        }
        search.live
    }

    /// Whether a cell matters before a point.
    pub fn at(&self, program: &Program, point: PointId, variable: VariableId) -> bool {
        bits::contains(
            self.points.row(point.0 as usize),
            cells::number(program, variable),
        )
    }

    /// Whether a returned value matters to some caller.
    pub fn is_returned(&self, procedure: ProcedureId, index: usize) -> bool {
        bits::contains(self.returned.row(procedure.0 as usize), index as u32)
    }

    /// Whether some cell of a target matters before a point.
    pub fn target_at(&self, program: &Program, point: PointId, target: &Target) -> bool {
        target.cells().is_some_and(|(first, count)| {
            (0..count).any(|k| self.at(program, point, first.plus(k)))
        })
    }
}

/// The globals that each procedure, or one it calls, reads or changes: a row for each.
pub fn touched(program: &Program) -> BitRows {
    let mut touched = BitRows::new(program.procedures.len(), program.globals.len());
    for point in &program.points {
        let row = point.procedure.0 as usize;
        for expression in cells::expressions(&point.action) {
            for variable in program.expressions.reads(expression) {
                if let VariableId::Global(index) = variable {
                    bits::insert(touched.row_mut(row), index);
                }
            }
        }
        for target in cells::targets(&point.action) {
            if let Some((VariableId::Global(first), count)) = target.cells() {
                bits::insert_all(touched.row_mut(row), first..first + count);
            }
        }
    }
    close_over_calls(program, &mut touched);
    touched
}

/// Each procedure also has what those it calls have.
pub fn close_over_calls(program: &Program, rows: &mut BitRows) {
    let mut changed = true;
    while changed {
        changed = false;
        for point in program.points.iter().rev() {
            if let Action::Call(call) = &point.action {
                let (caller, callee) = (point.procedure.0 as usize, call.callee.0 as usize);
                changed |= caller != callee && rows.join_rows(caller, callee);
            }
        }
    }
}

/// The points of the same procedure that lead to each point.
pub fn predecessors(program: &Program) -> Vec<Vec<PointId>> {
    let mut found = vec![Vec::new(); program.points.len()];
    for (point, id) in program.points.iter().zip((0..).map(PointId)) {
        let exit = program.procedure(point.procedure).exit();
        point.action.for_each_successor(exit, |next| {
            found[next.0 as usize].push(id);
        });
    }
    found
}

/// The points that call each procedure.
pub fn calls(program: &Program) -> Vec<Vec<PointId>> {
    let mut found = vec![Vec::new(); program.procedures.len()];
    for (point, id) in program.points.iter().zip((0..).map(PointId)) {
        if let Action::Call(call) = &point.action {
            found[call.callee.0 as usize].push(id);
        }
    }
    found
}

struct Search<'p> {
    program: &'p Program,
    touched: BitRows,
    live: Live,
    predecessors: Vec<Vec<PointId>>,
    calls: Vec<Vec<PointId>>,
    open: Vec<PointId>,
    is_open: Vec<bool>,
}

impl Search<'_> {
    fn enqueue(&mut self, point: PointId) {
        if !std::mem::replace(&mut self.is_open[point.0 as usize], true) {
            self.open.push(point);
        }
    }

    fn visit(&mut self, point: PointId) {
        let program = self.program;
        let action = &program.point(point).action;
        let procedure = program.point(point).procedure;
        let exit = program.procedure(procedure).exit();
        let mut live = vec![0_u64; self.live.points.row(0).len()];
        action.for_each_successor(exit, |next| {
            bits::join(&mut live, self.live.points.row(next.0 as usize));
        });
        match action {
            Action::Goto { .. } | Action::StartThread { .. } => {}
            Action::Exit => {
                // What matters after calls was put here.
                bits::join(&mut live, self.live.points.row(point.0 as usize));
            }
            Action::Branch { arms, .. } | Action::Select { arms, .. } => {
                for (condition, _) in arms {
                    self.read(&mut live, *condition);
                }
            }
            Action::Assert { condition, .. } | Action::Assume { condition, .. } => {
                self.read(&mut live, *condition);
            }
            Action::Assign { constrain, .. } => {
                let assignments = cells::assignments(action);
                if let Some(constrain) = constrain {
                    self.read(&mut live, *constrain);
                    for variable in program.expressions.reads_next(*constrain) {
                        bits::insert(&mut live, cells::number(program, variable));
                    }
                }
                self.assign(&mut live, &assignments);
            }
            Action::Havoc { .. } => self.assign(&mut live, &cells::assignments(action)),
            Action::Return {
                values,
                assignments,
            } => {
                self.assign(&mut live, assignments);
                for (index, value) in values.iter().enumerate() {
                    if self.live.is_returned(procedure, index) || self.may_have_no_value(*value) {
                        self.read(&mut live, *value);
                    }
                }
            }
            Action::EndThread { assignments } => self.assign(&mut live, assignments),
            Action::Call(call) => {
                self.hand_over(call, &live);
                // On the return: targets, then what the callee has left.
                self.overwrite(&mut live, &call.targets);
                let callee = call.callee.0 as usize;
                let touched = self.touched.row(callee);
                for number in bits::members(touched) {
                    bits::remove(&mut live, number);
                }
                for target in &call.targets {
                    if let Some(index) = target.index() {
                        self.read(&mut live, index);
                    }
                }
                let entry = program.procedure(call.callee).entry();
                let at_entry = self.live.points.row(entry.0 as usize);
                let globals = program.globals.len() as u32;
                for number in bits::members(touched) {
                    if bits::contains(at_entry, number) {
                        bits::insert(&mut live, number);
                    }
                }
                let needed: Vec<_> = (0..)
                    .zip(call.arguments.iter())
                    .filter(|(index, argument)| {
                        bits::contains(at_entry, globals + index)
                            || self.may_have_no_value(**argument)
                    })
                    .map(|(_, argument)| *argument)
                    .collect();
                self.assign(&mut live, &call.assignments);
                for argument in needed {
                    self.read(&mut live, argument);
                }
            }
        }
        if self.live.points.join(point.0 as usize, &live) {
            for index in 0..self.predecessors[point.0 as usize].len() {
                self.enqueue(self.predecessors[point.0 as usize][index]);
            }
            self.follow(point, procedure);
        }
    }

    /// What depends on a point beside those before it: if it is an entry, the calls.
    fn follow(&mut self, point: PointId, procedure: ProcedureId) {
        if point == self.program.procedure(procedure).entry() {
            for call in self.calls[procedure.0 as usize].clone() {
                self.enqueue(call);
            }
        }
    }

    /// Tells a callee what matters after its return.
    fn hand_over(&mut self, call: &Call, after: &[u64]) {
        let program = self.program;
        let exit = program.procedure(call.callee).exit();
        let mut at_exit = after.to_vec();
        let globals = program.globals.len();
        at_exit.truncate(bits::words(globals));
        bits::meet(&mut at_exit, self.touched.row(call.callee.0 as usize));
        for target in &call.targets {
            if let Target::Cell(VariableId::Global(index)) = target {
                bits::remove(&mut at_exit, *index);
            }
        }
        let mut changed = bits::join(
            &mut self.live.points.row_mut(exit.0 as usize)[..at_exit.len()],
            &at_exit,
        );
        for (index, target) in call.targets.iter().enumerate() {
            let matters = target.cells().is_some_and(|(first, count)| {
                let first = cells::number(program, first);
                (first..first + count).any(|number| bits::contains(after, number))
            });
            let row = self.live.returned.row_mut(call.callee.0 as usize);
            if matters && !bits::contains(row, index as u32) {
                bits::insert(row, index as u32);
                changed = true;
            }
        }
        if changed {
            let points = program.procedure(call.callee).points.clone();
            for index in points {
                let id = PointId(index);
                let action = &program.point(id).action;
                if id == exit || matches!(action, Action::Return { .. }) || leads_to(action, exit) {
                    self.enqueue(id);
                }
            }
        }
    }

    fn read(&self, live: &mut [u64], expression: Expression) {
        for variable in self.program.expressions.reads(expression) {
            bits::insert(live, cells::number(self.program, variable));
        }
    }

    /// Only an assignment to a single cell leaves nothing of what was there.
    fn overwrite<'t>(&self, live: &mut [u64], targets: impl IntoIterator<Item = &'t Target>) {
        for target in targets {
            if let Target::Cell(variable) = target {
                bits::remove(live, cells::number(self.program, *variable));
            }
        }
    }

    fn assign(&self, live: &mut [u64], assignments: &[(Target, Value)]) {
        let program = self.program;
        let matter: Vec<bool> = assignments
            .iter()
            .map(|(target, _)| {
                target.cells().is_some_and(|(first, count)| {
                    let first = cells::number(program, first);
                    (first..first + count).any(|number| bits::contains(live, number))
                })
            })
            .collect();
        self.overwrite(live, assignments.iter().map(|(target, _)| target));
        for ((target, value), matters) in assignments.iter().zip(matter) {
            let value = value.expression().into_iter();
            let needed = value.filter(|value| matters || self.may_have_no_value(*value));
            let read = needed.chain(target.index());
            read.for_each(|expression| self.read(live, expression));
        }
    }

    fn may_have_no_value(&self, expression: Expression) -> bool {
        self.program.expressions.may_have_no_value(expression)
    }
}

fn leads_to(action: &Action, exit: PointId) -> bool {
    let mut found = false;
    action.for_each_successor(exit, |next| found |= next == exit);
    found
}
