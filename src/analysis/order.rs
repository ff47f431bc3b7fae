//! Variable orders: which cells have their bits interleaved, and what comes first.
//!
//! An order is a list of *groups* of cells; the bits of a group are interleaved, the least
//! significant on top, so that sums and comparisons inside it stay small (Moped, section 5).
//! In the interleaved order a group are the cells that meet in some sum, comparison or
//! assignment, directly or through others. A truth value meets nobody: it stays where it
//! was declared. Locals come above globals.

use super::{DataVariable, Layout};
use crate::program::{
    Action, Expression, Operation, ProcedureId, Program, Target, VariableId, When,
};
use std::ops::Range;

/// A cell and what it is called in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCell {
    pub name: String,
    pub bits: Range<DataVariable>,
}

/// Which order is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    #[default]
    Interleaved,
    Sequential,
    /// As a user has written it: see [`parse`].
    Given(String),
}

/// Groups of cells, from the top down; indices into a list of [`NamedCell`]s.
pub type Groups = Vec<Vec<usize>>;

/// All cells of a program: the locals of each procedure, the globals, the returned values.
pub fn cells_of(program: &Program, layout: &Layout) -> Vec<NamedCell> {
    let mut cells = Vec::new();
    for id in program.procedure_ids() {
        let procedure = program.procedure(id);
        let own = program.names.text(procedure.name);
        for (local, i) in procedure.locals.iter().zip(0..) {
            cells.push(NamedCell {
                name: format!("{own}.{}", program.names.text(local.name)),
                bits: layout.cell(id, VariableId::Local(i)),
            });
        }
    }
    for (global, i) in program.globals.iter().zip(0..) {
        cells.push(NamedCell {
            name: program.names.text(global.name).to_owned(),
            bits: layout.global(i),
        });
    }
    for id in program.procedure_ids() {
        let procedure = program.procedure(id);
        let own = program.names.text(procedure.name);
        for i in 0..procedure.returns.len() as u32 {
            cells.push(NamedCell {
                name: format!("{own}.return[{i}]"),
                bits: layout.returned(id, i),
            });
        }
    }
    cells
}

/// The groups of the order wanted for a program; or what is wrong with the one given.
pub fn groups(
    choice: &Choice,
    cells: &[NamedCell],
    meetings: impl FnOnce() -> Meetings,
) -> Result<Groups, String> {
    match choice {
        Choice::Interleaved => Ok(interleaved(cells, &meetings())),
        Choice::Sequential => Ok(sequential(cells)),
        Choice::Given(text) => parse(text, cells),
    }
}

/// Each cell by itself, as declared.
pub fn sequential(cells: &[NamedCell]) -> Groups {
    (0..cells.len()).map(|cell| vec![cell]).collect()
}

/// Cells that meet share a group; groups stand where their first cell was declared.
pub fn interleaved(cells: &[NamedCell], meetings: &Meetings) -> Groups {
    let mut groups: indexmap::IndexMap<DataVariable, Vec<usize>> = indexmap::IndexMap::new();
    for (index, cell) in cells.iter().enumerate() {
        let group = meetings.representative(cell.bits.start);
        groups.entry(group).or_default().push(index);
    }
    groups.into_values().collect()
}

/// The data variables of the interleaved order; `None` if each cell is one bit, and all stand
/// as they were declared.
pub fn interleaved_bits(
    layout: &Layout,
    cells: impl FnOnce() -> Vec<NamedCell>,
    meetings: impl FnOnce() -> Meetings,
) -> Option<Vec<DataVariable>> {
    layout.is_wide().then(|| {
        let cells = cells();
        flatten(&cells, &interleaved(&cells, &meetings()))
    })
}

/// The data variables of an order from the top down, group by group. A bit that several
/// procedures share stands where it is named first.
pub fn flatten(cells: &[NamedCell], groups: &Groups) -> Vec<DataVariable> {
    let end = cells.iter().map(|cell| cell.bits.end).max().unwrap_or(0);
    let mut order = Vec::with_capacity(end as usize);
    let mut placed = vec![false; end as usize];
    for group in groups {
        let widest = group.iter().map(|cell| cells[*cell].bits.len()).max();
        for place in 0..widest.unwrap_or(0) as u32 {
            for cell in group {
                let bit = cells[*cell].bits.start + place;
                if cells[*cell].bits.contains(&bit)
                    && !std::mem::replace(&mut placed[bit as usize], true)
                {
                    order.push(bit);
                }
            }
        }
    }
    order
}

/// Which cells meet, as classes of data variables. Two cells meet if their first bits are in
/// one class.
#[derive(Debug)]
pub struct Meetings {
    parents: Vec<DataVariable>,
}

impl Meetings {
    pub fn new(count: u32) -> Self {
        Meetings {
            parents: (0..count).collect(),
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

    fn representative(&self, mut variable: DataVariable) -> DataVariable {
        while self
            .parents
            .get(variable as usize)
            .is_some_and(|p| *p != variable)
        {
            variable = self.parents[variable as usize];
        }
        variable
    }

    /// Lets cells with these bits meet, as far as they are wider than one bit.
    pub fn meet(&mut self, cells: impl IntoIterator<Item = Range<DataVariable>>) {
        let mut wide = cells.into_iter().filter(|bits| bits.len() > 1);
        let Some(first) = wide.next() else { return };
        let mut root = self.representative(first.start);
        for other in wide {
            let other = self.representative(other.start);
            // The smaller one, so that chains stay in the order of declaration.
            let (low, high) = (root.min(other), root.max(other));
            self.parents[high as usize] = low;
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
                    pop();
                    pop()
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
            match &program.point(crate::program::PointId(point)).action {
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

/// An order that a user has written: one group a line, names from the top down, `#` begins
/// a comment. Cells that are not named come last, each by itself.
pub fn parse(text: &str, cells: &[NamedCell]) -> Result<Groups, String> {
    let mut groups = Groups::new();
    let mut named = vec![false; cells.len()];
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut group = Vec::new();
        for name in line.split_whitespace() {
            let place = cells.iter().position(|cell| cell.name == name);
            let Some(place) = place else {
                return Err(unknown_name(number + 1, name, cells));
            };
            if std::mem::replace(&mut named[place], true) {
                return Err(format!("line {}: `{name}` is named twice", number + 1));
            }
            group.push(place);
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    let rest = (0..cells.len()).filter(|cell| !named[*cell]);
    groups.extend(rest.map(|cell| vec![cell]));
    Ok(groups)
}

fn unknown_name(line: usize, name: &str, cells: &[NamedCell]) -> String {
    let known = cells.iter().map(|cell| cell.name.as_str());
    match crate::diagnostic::nearest(name, known) {
        Some(near) => format!("line {line}: no variable `{name}`; did you mean `{near}`?"),
        None => format!("line {line}: no variable `{name}`; `--show-order` lists them all"),
    }
}

/// Groups in the form that [`parse`] reads.
pub fn show(cells: &[NamedCell], groups: &Groups) -> String {
    let line = |group: &Vec<usize>| {
        let names: Vec<_> = group
            .iter()
            .map(|cell| cells[*cell].name.as_str())
            .collect();
        names.join(" ") + "\n"
    };
    groups.iter().map(line).collect()
}
