//! Cells by number: those of a procedure's frame, globals first, and the rows that indices reach.
//!
//! What is known of a cell is kept in plain vectors; here is where each cell stands in them. Cells
//! that one index may choose among form a *row*: of these the same is said of all.

use crate::program::{
    Action, Expression, Operation, ProcedureId, Program, Target, Value, VariableId,
};

/// The number of a cell as seen from a procedure: globals, then its locals.
pub fn number(program: &Program, variable: VariableId) -> u32 {
    match variable {
        VariableId::Global(index) => index,
        VariableId::Local(index) => program.globals.len() as u32 + index,
    }
}

/// The cell of a number.
pub fn variable(program: &Program, number: u32) -> VariableId {
    let globals = program.globals.len() as u32;
    match number < globals {
        true => VariableId::Global(number),
        false => VariableId::Local(number - globals),
    }
}

/// How many cells a procedure sees.
pub fn count(program: &Program, procedure: ProcedureId) -> usize {
    program.globals.len() + program.procedure(procedure).locals.len()
}

/// The expressions that a step from a point evaluates.
pub fn expressions(action: &Action) -> Vec<Expression> {
    let mut found = Vec::new();
    for (target, value) in assignments(action) {
        found.extend(target.index());
        found.extend(value.expression());
    }
    match action {
        Action::Assign { constrain, .. } => found.extend(*constrain),
        Action::Branch { arms, .. } | Action::Select { arms, .. } => {
            found.extend(arms.iter().map(|(condition, _)| *condition));
        }
        Action::Assert { condition, .. } | Action::Assume { condition, .. } => {
            found.push(*condition);
        }
        Action::Call(call) => {
            found.extend(call.arguments.iter().copied());
            found.extend(call.targets.iter().filter_map(Target::index));
        }
        Action::Return { values, .. } => found.extend(values.iter().copied()),
        _ => {}
    }
    found
}

/// What a step from a point assigns, but for what a call returns.
pub fn assignments(action: &Action) -> Vec<(Target, Value)> {
    match action {
        Action::Assign {
            targets, values, ..
        } => targets
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect(),
        Action::Havoc { variables, .. } => {
            let targets = variables.iter().map(|variable| Target::Cell(*variable));
            targets.map(|target| (target, Value::Any)).collect()
        }
        Action::Call(call) => call.assignments.to_vec(),
        Action::Return { assignments, .. } | Action::EndThread { assignments } => {
            assignments.to_vec()
        }
        _ => Vec::new(),
    }
}

/// The targets of a step from a point, with those of what a call returns.
pub fn targets(action: &Action) -> Vec<Target> {
    let mut all: Vec<_> = assignments(action)
        .iter()
        .map(|(target, _)| *target)
        .collect();
    if let Action::Call(call) = action {
        all.extend(call.targets.iter().copied());
    }
    all
}

/// The rows of a program: for each cell the first cell of its row, if it is in one.
pub struct Rows {
    /// Globals, then the locals of each procedure.
    row_of: Vec<Option<u32>>,
    first_local: Vec<u32>,
}

impl Rows {
    pub fn new(program: &Program) -> Self {
        let mut cells = program.globals.len() as u32;
        let mut first_local = Vec::new();
        for procedure in &program.procedures {
            first_local.push(cells);
            cells += procedure.locals.len() as u32;
        }
        let mut rows = Rows {
            row_of: vec![None; cells as usize],
            first_local,
        };
        // Cells that stand side by side and are chosen among: from the first to the last.
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for point in &program.points {
            let mut add = |first: VariableId, count: u32| {
                if count > 0 {
                    let first = rows.place(point.procedure, first);
                    spans.push((first, first + count));
                }
            };
            for target in targets(&point.action) {
                if let Target::Element { first, count, .. } = target {
                    add(first, count);
                }
            }
            for expression in expressions(&point.action) {
                for operation in program.expressions.operations(expression) {
                    if let Operation::ReadElement { first, count, .. } = *operation {
                        add(first, count);
                    }
                }
            }
        }
        spans.sort_unstable();
        let mut row: Option<(u32, u32)> = None;
        for (first, end) in spans {
            let (start, until) = match row {
                Some((start, until)) if first < until => (start, until),
                _ => (first, first),
            };
            for cell in until.max(first)..end {
                rows.row_of[cell as usize] = Some(start);
            }
            row = Some((start, until.max(end)));
        }
        rows
    }

    /// Where a cell stands among all cells of the program.
    pub fn place(&self, procedure: ProcedureId, variable: VariableId) -> u32 {
        match variable {
            VariableId::Global(index) => index,
            VariableId::Local(index) => self.first_local[procedure.0 as usize] + index,
        }
    }

    /// The row of a cell, by the place of its first one.
    pub fn row(&self, procedure: ProcedureId, variable: VariableId) -> Option<u32> {
        self.row_of[self.place(procedure, variable) as usize]
    }

    /// How many cells the program has.
    pub fn cells(&self) -> usize {
        self.row_of.len()
    }
}
