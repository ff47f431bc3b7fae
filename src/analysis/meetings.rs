//! Which cells meet in sums, comparisons and assignments, directly or through others.

use super::{DataVariable, Layout};
use crate::program::{
    Action, Expression, Operation, PointId, ProcedureId, Program, Target, VariableId, When,
};
use std::ops::Range;

/// Which cells meet, as classes of data variables. Two cells meet if their first bits are in
/// one class.
#[derive(Debug)]
pub struct Meetings {
    parents: Vec<DataVariable>,
    /// At the representative of a class: whether its values are ever calculated with.
    counted: Vec<bool>,
}

impl Meetings {
    pub fn new(count: u32) -> Self {
        Meetings {
            parents: (0..count).collect(),
            counted: vec![false; count as usize],
        }
    }

    pub fn of(program: &Program, layout: &Layout) -> Self {
        let mut meetings = Meetings::new(layout.len());
        for id in program.procedure_ids() {
            Meeter {
                program,
                layout,
                procedure: id,
                meetings: &mut meetings,
            }
            .meet_in_procedure();
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
                if matches!(operation, Operation::ReadElement { .. }) {
                    stack.pop();
                }
                stack.push((0..count).map(|k| bits(first.plus(k), when)).collect());
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
}

impl Meeter<'_> {
    fn meet_in_procedure(&mut self) {
        let program = self.program;
        for point in program.procedure(self.procedure).points.clone() {
            match &program.point(PointId(point)).action {
                Action::Goto { .. } | Action::Havoc { .. } | Action::Exit => {}
                Action::Assign {
                    targets,
                    values,
                    constrain,
                    ..
                } => {
                    for (target, value) in targets.iter().zip(values) {
                        self.assign(target, value.expression());
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
                        self.assign(target, value.expression());
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

    fn assign(&mut self, target: &Target, value: Option<Expression>) {
        if let Some(index) = target.index() {
            self.read(index);
        }
        let mut cells = self.cells(target);
        cells.extend(value.map(|value| self.read(value)).unwrap_or_default());
        self.meetings.meet(cells);
    }

    /// The cells an expression's value is made from.
    fn read(&mut self, expression: Expression) -> Vec<Range<DataVariable>> {
        let operations = self.program.expressions.operations(expression);
        let bits = |variable, _| self.layout.cell(self.procedure, variable);
        self.meetings.meet_in(operations, bits)
    }
}
