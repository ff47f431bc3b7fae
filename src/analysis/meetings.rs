//! Which cells meet in sums, comparisons and assignments, directly or through others.
//!
//! Cells that count in the same loop, or in the same recursion, meet as well although nothing
//! compares them: what many rounds do to one is tied to what they do to the other.

use super::{CallGraph, DataVariable, Layout};
use crate::components::cyclic_components;
use crate::program::{
    Action, Expression, Operation, PointId, ProcedureId, Program, Target, VariableId, When,
};
use indexmap::IndexSet;
use std::ops::Range;

/// Which cells meet, as classes of data variables. Two cells meet if their first bits are in
/// one class.
#[derive(Debug)]
pub struct Meetings {
    parents: Vec<DataVariable>,
    /// At the representative of a class: whether its values are ever calculated with.
    counted: Vec<bool>,
    /// First bits of cells that choose among others, and of each of these.
    choices: IndexSet<(DataVariable, DataVariable)>,
}

impl Meetings {
    pub fn new(count: u32) -> Self {
        Meetings {
            parents: (0..count).collect(),
            counted: vec![false; count as usize],
            choices: IndexSet::new(),
        }
    }

    pub fn of(program: &Program, layout: &Layout) -> Self {
        let mut meetings = Meetings::new(layout.len());
        let calls = CallGraph::whole(program);
        for id in program.procedure_ids() {
            let mut meeter = Meeter {
                program,
                layout,
                procedure: id,
                meetings: &mut meetings,
                counters: Vec::new(),
            };
            meeter.meet_in_procedure();
            meeter.meet_in_loops();
            if calls.recursive[id.0 as usize] {
                meeter.meet_in_recursion();
            }
        }
        meetings
    }

    /// The class of a cell with this first bit.
    pub fn class(&self, mut variable: DataVariable) -> DataVariable {
        while self
            .parents
            .get(variable as usize)
            .is_some_and(|p| *p != variable)
        {
            variable = self.parents[variable as usize];
        }
        variable
    }

    /// Whether values of a class are calculated with, not only compared and copied.
    pub fn is_counted(&self, class: DataVariable) -> bool {
        self.counted.get(class as usize).is_some_and(|c| *c)
    }

    /// Each index with each cell that it may choose, by their first bits.
    pub fn choices(&self) -> impl Iterator<Item = (DataVariable, DataVariable)> + '_ {
        self.choices.iter().copied()
    }

    /// Notes that values of the first cells choose among the others.
    fn choose(&mut self, index: &[Range<DataVariable>], among: &[Range<DataVariable>]) {
        for index in index {
            let chosen = among.iter().map(|cell| (index.start, cell.start));
            self.choices.extend(chosen);
        }
    }

    fn count(&mut self, cells: &[Range<DataVariable>]) {
        for cell in cells {
            let class = self.class(cell.start) as usize;
            if let Some(counted) = self.counted.get_mut(class) {
                *counted = true;
            }
        }
    }

    /// Lets cells with these bits meet, as far as they are wider than one bit.
    pub fn meet(&mut self, cells: impl IntoIterator<Item = Range<DataVariable>>) {
        let mut wide = cells.into_iter().filter(|bits| bits.len() > 1);
        let Some(first) = wide.next() else { return };
        let mut root = self.class(first.start);
        for other in wide {
            let other = self.class(other.start);
            // The smaller one, so that chains stay in the order of declaration.
            let (low, high) = (root.min(other), root.max(other));
            self.parents[high as usize] = low;
            self.counted[low as usize] |= self.counted[high as usize];
            root = low;
        }
    }

    /// Lets meet what is added or compared in an expression, and gives the cells whose
    /// values its result is made from. `bits` are those of a cell at a time.
    pub fn meet_in(
        &mut self,
        operations: &[Operation],
        bits: impl Fn(VariableId, When) -> Range<DataVariable>,
    ) -> Vec<Range<DataVariable>> {
        let mut stack: Vec<Vec<Range<DataVariable>>> = Vec::new();
        for operation in operations {
            if let Some((first, count, when)) = operation.cells_read() {
                let cells: Vec<_> = (0..count).map(|k| bits(first.plus(k), when)).collect();
                if matches!(operation, Operation::ReadElement { .. }) {
                    let index = stack.pop().unwrap_or_default();
                    self.choose(&index, &cells);
                }
                stack.push(cells);
                continue;
            }
            let mut pop = || stack.pop().unwrap_or_default();
            let result = match operation {
                Operation::Constant(_) | Operation::Number(_) | Operation::Choose => Vec::new(),
                Operation::Not | Operation::ToTruth | Operation::FalseIfUndefined => {
                    pop();
                    Vec::new()
                }
                Operation::ToNumber | Operation::Index { .. } => pop(),
                Operation::IfThenElse => {
                    let (mut no, yes) = (pop(), pop());
                    pop();
                    no.extend(yes);
                    no
                }
                Operation::ShiftLeft | Operation::ShiftLeftOrFar | Operation::ShiftRight => {
                    let (by, shifted) = (pop(), pop());
                    self.count(&by);
                    self.count(&shifted);
                    shifted
                }
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::BitAnd
                | Operation::BitOr
                | Operation::BitXor => {
                    let (mut a, b) = (pop(), pop());
                    a.extend(b);
                    self.count(&a);
                    a
                }
                Operation::Less | Operation::LessEqual | Operation::NumbersEqual => {
                    let (a, b) = (pop(), pop());
                    self.meet(a.into_iter().chain(b));
                    Vec::new()
                }
                _ => {
                    pop();
                    pop();
                    Vec::new()
                }
            };
            self.meet(result.iter().cloned());
            stack.push(result);
        }
        stack.pop().unwrap_or_default()
    }
}

struct Meeter<'a> {
    program: &'a Program,
    layout: &'a Layout,
    procedure: ProcedureId,
    meetings: &'a mut Meetings,
    /// Cells that get a value made from their own, and where.
    counters: Vec<(PointId, Range<DataVariable>)>,
}

impl Meeter<'_> {
    /// Lets meet what counts in the same loop.
    fn meet_in_loops(&mut self) {
        if self.counters.len() < 2 {
            return;
        }
        let procedure = self.program.procedure(self.procedure);
        let place = |point: PointId| (point.0 - procedure.points.start) as usize;
        let mut successors = vec![Vec::new(); procedure.points.len()];
        for point in procedure.points.clone().map(PointId) {
            let action = &self.program.point(point).action;
            let mut add = |next| successors[place(point)].push(place(next));
            action.for_each_successor(procedure.exit(), &mut add);
        }
        for component in cyclic_components(&successors) {
            let counters = self.counters.iter();
            let inside = counters.filter(|(point, _)| component.contains(&place(*point)));
            self.meetings.meet(inside.map(|(_, cell)| cell.clone()));
        }
    }

    /// Lets meet what counts from one frame to the next, and back.
    fn meet_in_recursion(&mut self) {
        let procedure = self.program.procedure(self.procedure);
        let locals = (0..procedure.locals.len() as u32).map(VariableId::Local);
        let mut cells: Vec<_> = locals
            .map(|local| self.layout.cell(self.procedure, local))
            .collect();
        let returns = 0..procedure.returns.len() as u32;
        cells.extend(returns.map(|i| self.layout.returned(self.procedure, i)));
        cells.extend(self.counters.iter().map(|(_, cell)| cell.clone()));
        cells.retain(|cell| self.meetings.is_counted(self.meetings.class(cell.start)));
        self.meetings.meet(cells);
    }

    fn meet_in_procedure(&mut self) {
        let program = self.program;
        for point in program.procedure(self.procedure).points.clone() {
            let at = PointId(point);
            match &program.point(at).action {
                Action::Goto { .. } | Action::Havoc { .. } | Action::Exit => {}
                Action::Assign {
                    targets,
                    values,
                    constrain,
                    ..
                } => {
                    for (target, value) in targets.iter().zip(values) {
                        self.assign(at, target, value.expression());
                    }
                    if let Some(constrain) = constrain {
                        self.read(*constrain);
                    }
                }
                Action::Branch { arms, .. } | Action::Select { arms, .. } => {
                    for (condition, _) in arms {
                        self.read(*condition);
                    }
                }
                Action::Assert { condition, .. } | Action::Assume { condition, .. } => {
                    self.read(*condition);
                }
                Action::Return { values } => {
                    for (value, i) in values.iter().zip(0..) {
                        let cells = self.read(*value);
                        let returned = self.layout.returned(self.procedure, i);
                        self.meetings.meet(cells.into_iter().chain([returned]));
                    }
                }
                Action::Call(call) => {
                    for (argument, i) in call.arguments.iter().zip(0..) {
                        let cells = self.read(*argument);
                        let parameter = self.layout.cell(call.callee, VariableId::Local(i));
                        self.meetings.meet(cells.into_iter().chain([parameter]));
                    }
                    for (target, value) in &call.assignments {
                        self.assign(at, target, value.expression());
                    }
                    for (target, i) in call.targets.iter().zip(0..) {
                        let cells = self.cells(target);
                        let returned = self.layout.returned(call.callee, i);
                        self.meetings.meet(cells.into_iter().chain([returned]));
                    }
                }
            }
        }
    }

    fn cells(&self, target: &Target) -> Vec<Range<DataVariable>> {
        let Some((first, count)) = target.cells() else {
            return Vec::new();
        };
        let cells = (0..count).map(|k| self.layout.cell(self.procedure, first.plus(k)));
        cells.collect()
    }

    fn assign(&mut self, at: PointId, target: &Target, value: Option<Expression>) {
        let cells = self.cells(target);
        if let Some(index) = target.index() {
            let index = self.read(index);
            self.meetings.choose(&index, &cells);
        }
        let read = value.map(|value| self.read(value)).unwrap_or_default();
        if let [cell] = cells.as_slice()
            && read.contains(cell)
        {
            self.counters.push((at, cell.clone()));
        }
        self.meetings.meet(cells.into_iter().chain(read));
    }

    /// The cells an expression's value is made from.
    fn read(&mut self, expression: Expression) -> Vec<Range<DataVariable>> {
        let operations = self.program.expressions.operations(expression);
        let bits = |variable, _| self.layout.cell(self.procedure, variable);
        self.meetings.meet_in(operations, bits)
    }
}
