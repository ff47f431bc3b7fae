//! Between which numbers the cells of a program are at each point (F-Soft, section 4).
//!
//! Intervals, from the entry on and through calls, without contexts: the entry of a procedure has what
//! any call may bring, a return what the exit has. Conditions of branches narrow what they read. At
//! loop heads, entries and exits, intervals that keep growing are widened to the next number that the
//! program mentions, later to the next power of 2, then to all; at the end two rounds without widening
//! make them smaller again. Of a row of cells one range is kept, for all its cells and all points.

use super::cells::{self, Rows};
use super::evaluation::Tree;
use super::live::{self, Live};
use super::range::{Range, Thresholds};
use super::widening::{Widening, widened_points};
use crate::bits::{self, BitRows};
use crate::program::{
    Action, Call, Domain, Expression, PointId, ProcedureId, Program, Target, Value, VariableId,
};

/// Points times cells beyond which nothing is computed.
const LARGEST: usize = 3_000_000;

/// What each cell that a procedure sees may hold: globals, then locals.
type Environment = Box<[Range]>;

/// What cells may hold, at each point.
pub struct Ranges<'p> {
    program: &'p Program,
    rows: Rows,
    /// Of each row, by its first cell. `None` if nothing was ever there.
    row_ranges: Vec<Option<Range>>,
    /// Before each point; `None` where no execution comes.
    points: Vec<Option<Environment>>,
    /// What each procedure returns.
    returned: Vec<Option<Box<[Range]>>>,
}

impl<'p> Ranges<'p> {
    /// `None` if the program is too large.
    pub fn new(program: &'p Program, live: &Live) -> Option<Self> {
        let widths = program.procedure_ids().map(|id| cells::count(program, id));
        let size = widths.max().unwrap_or(0) * program.points.len();
        if size > LARGEST {
            return None;
        }
        let mut search = Search::new(program, live);
        search.climb();
        search.descend();
        search.descend();
        Some(search.ranges)
    }

    pub fn is_reached(&self, point: PointId) -> bool {
        self.points[point.0 as usize].is_some()
    }

    /// What a cell may hold before a point that is reached.
    pub fn at(&self, point: PointId, variable: VariableId) -> Range {
        let procedure = self.program.point(point).procedure;
        match &self.points[point.0 as usize] {
            Some(environment) => self.read(procedure, environment, variable),
            None => Range::of(self.program.cell(procedure, variable).domain),
        }
    }

    /// What a procedure returns, if it does.
    pub fn returned(&self, procedure: ProcedureId, index: usize) -> Option<Range> {
        let all = self.returned[procedure.0 as usize].as_ref()?;
        Some(all[index])
    }

    /// The rows of the program.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// An expression that is evaluated at a point, with what its parts may come out as.
    pub fn tree(&self, point: PointId, expression: Expression) -> Tree<'p> {
        let operations = self.program.expressions.operations(expression);
        Tree::new(operations, |variable| self.at(point, variable))
    }

    /// Whether a condition may come out so at a point that is reached.
    pub fn can_be(&self, point: PointId, condition: Expression, value: bool) -> bool {
        let procedure = self.program.point(point).procedure;
        let environment = self.points[point.0 as usize].as_ref();
        environment.is_some_and(|cells| self.told(procedure, cells, condition, value).is_some())
    }

    /// The values where a condition came out so; `None` if it cannot.
    fn told(
        &self,
        procedure: ProcedureId,
        cells: &[Range],
        condition: Expression,
        value: bool,
    ) -> Option<Environment> {
        let operations = self.program.expressions.operations(condition);
        let tree = Tree::new(operations, |variable| self.read(procedure, cells, variable));
        let mut known: Environment = cells.into();
        let is_possible = tree.tell(value, |variable, signed, interval| {
            if self.rows.row(procedure, variable).is_some() {
                return true;
            }
            let cell = &mut known[cells::number(self.program, variable) as usize];
            let narrower = match signed {
                true => cell.meet_signed(interval),
                false => cell.meet_natural(interval),
            };
            narrower.map(|range| *cell = range).is_some()
        });
        is_possible.then_some(known)
    }

    fn read(&self, procedure: ProcedureId, cells: &[Range], variable: VariableId) -> Range {
        match self.rows.row(procedure, variable) {
            // Nothing was written: what is read there was never reached.
            Some(row) => self.row_ranges[row as usize]
                .unwrap_or_else(|| Range::of(self.program.cell(procedure, variable).domain)),
            None => cells[cells::number(self.program, variable) as usize],
        }
    }
}

struct Search<'p> {
    program: &'p Program,
    ranges: Ranges<'p>,
    changed: BitRows,
    calls: Vec<Vec<PointId>>,
    /// Where intervals are widened.
    is_widened: Vec<bool>,
    /// How often each point, row and procedure's results have changed.
    changes: Vec<u32>,
    row_changes: Vec<u32>,
    return_changes: Vec<u32>,
    widening: Widening,
    open: Vec<PointId>,
    is_open: Vec<bool>,
    rows_have_grown: bool,
    /// What a round without widening has found; while there is one nothing else changes.
    round: Option<Round>,
}

#[derive(Default)]
struct Round {
    points: Vec<Option<Environment>>,
    returned: Vec<Option<Box<[Range]>>>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, live: &Live) -> Self {
        let rows = Rows::new(program);
        let points = program.points.len();
        let mut search = Search {
            program,
            changed: changed(program),
            calls: live::calls(program),
            is_widened: widened_points(program),
            changes: vec![0; points],
            row_changes: vec![0; rows.cells()],
            return_changes: vec![0; program.procedures.len()],
            widening: Widening::new(program),
            open: Vec::new(),
            is_open: vec![false; points],
            rows_have_grown: false,
            round: None,
            ranges: Ranges {
                program,
                row_ranges: vec![None; rows.cells()],
                rows,
                points: vec![None; points],
                returned: vec![None; program.procedures.len()],
            },
        };
        // What a row holds before anything was written matters only where it may be read.
        for id in program.procedure_ids() {
            let entry = program.procedure(id).entry();
            let first = if id == program.entry {
                0
            } else {
                program.globals.len() as u32
            };
            for number in first..cells::count(program, id) as u32 {
                let variable = cells::variable(program, number);
                if live.at(program, entry, variable) {
                    let all = Range::of(program.cell(id, variable).domain);
                    search.join_row(id, variable, all);
                }
            }
        }
        search
    }

    fn first_environment(&self) -> Environment {
        let entry = self.program.entry;
        let numbers = 0..cells::count(self.program, entry) as u32;
        let cells = numbers.map(|number| {
            let variable = cells::variable(self.program, number);
            Range::of(self.program.cell(entry, variable).domain)
        });
        cells.collect()
    }

    fn climb(&mut self) {
        let first = self.first_environment();
        self.arrive(self.program.entry_point(), &first);
        loop {
            while let Some(point) = self.open.pop() {
                self.is_open[point.0 as usize] = false;
                self.step(point);
            }
            if !std::mem::take(&mut self.rows_have_grown) {
                return;
            }
            for index in (0..self.program.points.len() as u32).rev() {
                if self.ranges.is_reached(PointId(index)) {
                    self.enqueue(PointId(index));
                }
            }
        }
    }

    /// One round without widening: all that is reached follows from what was known before.
    fn descend(&mut self) {
        self.round = Some(Round {
            points: vec![None; self.program.points.len()],
            returned: vec![None; self.program.procedures.len()],
        });
        let first = self.first_environment();
        self.arrive(self.program.entry_point(), &first);
        for index in 0..self.program.points.len() as u32 {
            if self.ranges.is_reached(PointId(index)) {
                self.step(PointId(index));
            }
        }
        let Some(round) = self.round.take() else {
            return;
        };
        for (old, new) in self.ranges.points.iter_mut().zip(round.points) {
            *old = match (old.take(), new) {
                (Some(old), Some(new)) => {
                    let both = old.iter().zip(&new);
                    Some(
                        both.map(|(old, new)| old.meet(*new).unwrap_or(*new))
                            .collect(),
                    )
                }
                _ => None,
            };
        }
        self.ranges.returned = round.returned;
    }

    fn enqueue(&mut self, point: PointId) {
        if self.round.is_none() && !std::mem::replace(&mut self.is_open[point.0 as usize], true) {
            self.open.push(point);
        }
    }

    /// An execution may come to a point with these values.
    fn arrive(&mut self, point: PointId, cells: &[Range]) {
        let index = point.0 as usize;
        if let Some(round) = &mut self.round {
            join_all(&mut round.points[index], cells);
            return;
        }
        let changes = self.changes[index];
        let thresholds = match self.is_widened[index] {
            true => self.widening.after(changes),
            false => None,
        };
        let old = &mut self.ranges.points[index];
        let has_grown = match old {
            None => {
                *old = Some(cells.into());
                true
            }
            Some(old) => grow(old, cells, thresholds),
        };
        if has_grown {
            self.changes[index] += 1;
            self.enqueue(point);
            let procedure = self.program.point(point).procedure;
            if point == self.program.procedure(procedure).exit() {
                self.resume_callers(procedure);
            }
        }
    }

    fn resume_callers(&mut self, procedure: ProcedureId) {
        for index in 0..self.calls[procedure.0 as usize].len() {
            let call = self.calls[procedure.0 as usize][index];
            if self.ranges.is_reached(call) {
                self.enqueue(call);
            }
        }
    }

    fn join_row(&mut self, procedure: ProcedureId, variable: VariableId, range: Range) {
        let Some(row) = self.ranges.rows.row(procedure, variable) else {
            return;
        };
        let row = row as usize;
        if self.round.is_some() {
            return;
        }
        let thresholds = self.widening.after(self.row_changes[row]);
        let old = &mut self.ranges.row_ranges[row];
        let has_grown = match old {
            None => {
                *old = Some(range);
                true
            }
            Some(old) => grow(std::slice::from_mut(old), &[range], thresholds),
        };
        if has_grown {
            self.row_changes[row] += 1;
            self.rows_have_grown = true;
        }
    }

    fn give_back(&mut self, procedure: ProcedureId, values: &[Range]) {
        let index = procedure.0 as usize;
        if let Some(round) = &mut self.round {
            join_all(&mut round.returned[index], values);
            return;
        }
        let thresholds = self.widening.after(self.return_changes[index]);
        let old = &mut self.ranges.returned[index];
        let has_grown = match old {
            None => {
                *old = Some(values.into());
                true
            }
            Some(old) => grow(old, values, thresholds),
        };
        if has_grown {
            self.return_changes[index] += 1;
            self.resume_callers(procedure);
        }
    }

    fn tree(&self, procedure: ProcedureId, cells: &[Range], expression: Expression) -> Tree<'p> {
        let operations = self.program.expressions.operations(expression);
        Tree::new(operations, |variable| {
            self.ranges.read(procedure, cells, variable)
        })
    }

    /// What a cell of a domain holds once it was given a value.
    fn value(
        &self,
        procedure: ProcedureId,
        cells: &[Range],
        value: Value,
        domain: Domain,
    ) -> Range {
        match value {
            Value::Any => Range::of(domain),
            Value::Of(expression) => self.tree(procedure, cells, expression).fitted(domain),
        }
    }

    /// The values after some cells were set; all are computed in the old state.
    fn assigned(
        &mut self,
        procedure: ProcedureId,
        cells: &[Range],
        assignments: &[(Target, Value)],
    ) -> Environment {
        let mut after: Environment = cells.into();
        for (target, value) in assignments {
            let Some((first, _)) = target.cells() else {
                continue;
            };
            let domain = self.program.cell(procedure, first).domain;
            let range = self.value(procedure, cells, *value, domain);
            self.set(procedure, &mut after, target, range);
        }
        after
    }

    fn set(&mut self, procedure: ProcedureId, after: &mut [Range], target: &Target, range: Range) {
        let Some((first, _)) = target.cells() else {
            return;
        };
        self.join_row(procedure, first, range);
        if let Target::Cell(variable) = target {
            after[cells::number(self.program, *variable) as usize] = range;
        }
    }

    fn step(&mut self, point: PointId) {
        let Some(cells) = self.ranges.points[point.0 as usize].clone() else {
            return;
        };
        let program = self.program;
        let procedure = program.point(point).procedure;
        let exit = program.procedure(procedure).exit();
        let action = &program.point(point).action;
        // Off the end of a procedure, anything is returned.
        let mut falls_off = false;
        action.for_each_successor(exit, |next| falls_off |= next == exit);
        if falls_off && !matches!(action, Action::Return { .. }) {
            let domains = program.procedure(procedure).returns.iter();
            let values: Vec<_> = domains.map(|domain| Range::of(*domain)).collect();
            self.give_back(procedure, &values);
        }
        match action {
            Action::Goto { targets } => {
                for target in targets {
                    self.arrive(*target, &cells);
                }
            }
            Action::Assign { next, .. } | Action::Havoc { next, .. } => {
                let after = self.assigned(procedure, &cells, &cells::assignments(action));
                self.arrive(*next, &after);
            }
            Action::Branch { arms, otherwise } => {
                let mut left = Some(cells);
                for (condition, target) in arms {
                    let Some(cells) = &left else { break };
                    if let Some(known) = self.ranges.told(procedure, cells, *condition, true) {
                        self.arrive(*target, &known);
                    }
                    left = self.ranges.told(procedure, cells, *condition, false);
                }
                if let Some(cells) = left {
                    self.arrive(*otherwise, &cells);
                }
            }
            Action::Select { arms, otherwise } => {
                for (condition, target) in arms {
                    if let Some(known) = self.ranges.told(procedure, &cells, *condition, true) {
                        self.arrive(*target, &known);
                    }
                }
                if let Some(otherwise) = otherwise {
                    self.arrive(*otherwise, &cells);
                }
            }
            Action::Assert { condition, next } | Action::Assume { condition, next } => {
                if let Some(known) = self.ranges.told(procedure, &cells, *condition, true) {
                    self.arrive(*next, &known);
                }
            }
            Action::Call(call) => self.call(procedure, &cells, call),
            Action::Return {
                values,
                assignments,
            } => {
                let domains = program.procedure(procedure).returns.iter();
                let values: Vec<_> = domains
                    .zip(values)
                    .map(|(domain, value)| {
                        self.value(procedure, &cells, Value::Of(*value), *domain)
                    })
                    .collect();
                self.give_back(procedure, &values);
                let after = self.assigned(procedure, &cells, assignments);
                self.arrive(exit, &after);
            }
            Action::StartThread { next, .. } => self.arrive(*next, &cells),
            Action::EndThread { .. } | Action::Exit => {}
        }
    }

    fn call(&mut self, procedure: ProcedureId, cells: &[Range], call: &Call) {
        let program = self.program;
        let callee = program.procedure(call.callee);
        let after = self.assigned(procedure, cells, &call.assignments);
        let globals = program.globals.len();
        let mut entering: Vec<_> = after[..globals].to_vec();
        for (index, local) in callee.locals.iter().enumerate() {
            let range = match call.arguments.get(index) {
                Some(argument) => self.value(procedure, cells, Value::Of(*argument), local.domain),
                None => Range::of(local.domain),
            };
            if index < call.arguments.len() {
                self.join_row(call.callee, VariableId::Local(index as u32), range);
            }
            entering.push(range);
        }
        self.arrive(callee.entry(), &entering);
        let exit = callee.exit().0 as usize;
        let Some(left) = &self.ranges.points[exit] else {
            return;
        };
        let mut back = after;
        for number in bits::members(self.changed.row(call.callee.0 as usize)) {
            back[number as usize] = left[number as usize];
        }
        for (index, target) in call.targets.iter().enumerate() {
            let Some(value) = self.ranges.returned(call.callee, index) else {
                return;
            };
            if let Some((first, _)) = target.cells() {
                let domain = program.cell(procedure, first).domain;
                let value = value.moved(domain);
                self.set(procedure, &mut back, target, value);
            }
        }
        self.arrive(call.next, &back);
    }
}

/// Joins ranges into others; widens those that grow. Whether any has grown.
fn grow(old: &mut [Range], new: &[Range], thresholds: Option<&Thresholds>) -> bool {
    let mut has_grown = false;
    for (old, new) in old.iter_mut().zip(new) {
        if !old.contains(*new) {
            has_grown = true;
            let both = old.join(*new);
            *old = thresholds.map_or(both, |thresholds| old.widened(both, thresholds));
        }
    }
    has_grown
}

fn join_all(old: &mut Option<Environment>, new: &[Range]) {
    match old {
        None => *old = Some(new.into()),
        Some(old) => {
            for (old, new) in old.iter_mut().zip(new) {
                *old = old.join(*new);
            }
        }
    }
}

/// The globals that each procedure, or one it calls, may change: a row for each.
fn changed(program: &Program) -> BitRows {
    let mut changed = BitRows::new(program.procedures.len(), program.globals.len());
    for point in &program.points {
        for target in cells::targets(&point.action) {
            if let Some((VariableId::Global(first), count)) = target.cells() {
                let row = changed.row_mut(point.procedure.0 as usize);
                bits::insert_all(row, first..first + count);
            }
        }
    }
    live::close_over_calls(program, &mut changed);
    changed
}
