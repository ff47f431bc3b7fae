//! What a procedure is made of, for candidates: the conditions, numbers and constants in its steps, and in
//! the conditions of those that it calls or is called by. Linear in these procedures.

use super::symbols::{Frame, domain};
use super::vocabulary::Vocabulary;
use crate::program::{
    Action, Domain, Expression, Operation, ProcedureId, Program, Target, Value, VariableId,
};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A term in postfix form.
pub type Postfix = Vec<Operation>;

pub type Ordered<T> = IndexSet<T, FxBuildHasher>;

/// What a procedure is made of, for candidates.
#[derive(Default)]
pub struct Material {
    /// Comparisons and truth values in conditions.
    pub atoms: Ordered<Postfix>,
    /// Those of callers and callees, in terms of this one.
    pub passed: Ordered<Postfix>,
    /// What is read, with the conversion that follows.
    read: Ordered<Postfix>,
    /// Numbers that are read, as they are meant.
    pub reads: Ordered<Postfix>,
    /// Results of arithmetic.
    pub results: Ordered<Postfix>,
    pub constants: Ordered<i128>,
    /// What is assigned: a cell, and a value.
    pub assigned: Vec<(VariableId, Postfix)>,
}

impl Material {
    pub fn of(vocabulary: &Vocabulary<'_>, procedure: ProcedureId) -> Self {
        let program = vocabulary.program;
        let mut material = Material::default();
        material.constants.insert(0);
        let points = program.procedure(procedure).points.clone();
        let frame = Frame::of(program, procedure);
        for point in &program.points[points.start as usize..points.end as usize] {
            match &point.action {
                Action::Branch { arms, .. } | Action::Select { arms, .. } => {
                    arms.iter()
                        .for_each(|(one, _)| material.condition(program, *one));
                }
                Action::Assert { condition, .. } | Action::Assume { condition, .. } => {
                    material.condition(program, *condition);
                }
                Action::Assign {
                    targets, values, ..
                } => {
                    for (target, value) in targets.iter().zip(values) {
                        material.assignment(vocabulary, procedure, target, value);
                    }
                }
                Action::Call(call) => {
                    for argument in &call.arguments {
                        material.term(program.expressions.operations(*argument));
                    }
                    for (target, value) in &call.assignments {
                        material.assignment(vocabulary, procedure, target, value);
                    }
                    // What is passed and returned is compared with what the callee compares it with.
                    let of = program.procedure(call.callee).points.clone();
                    for point in &program.points[of.start as usize..of.end as usize] {
                        if let Action::Return { values, .. } = &point.action {
                            values
                                .iter()
                                .for_each(|value| material.constants_of(program, *value));
                        }
                        for_each_condition(&point.action, |one| {
                            material.constants_of(program, one);
                        });
                    }
                    for target in &call.targets {
                        if let Target::Cell(cell) = target {
                            material.read_of(vocabulary, procedure, *cell);
                        }
                    }
                }
                Action::Return {
                    values,
                    assignments,
                } => {
                    for (value, i) in values.iter().zip(0..) {
                        let operations = program.expressions.operations(*value).to_vec();
                        material.term(&operations);
                        let cell = frame.returned(i);
                        material.read_of(vocabulary, procedure, cell);
                        material.assigned.push((cell, operations));
                    }
                    for (target, value) in assignments {
                        material.assignment(vocabulary, procedure, target, value);
                    }
                }
                _ => {}
            }
        }
        // Callers compare what is returned, and pass what is compared here.
        for point in &program.points {
            if let Action::Call(call) = &point.action
                && call.callee == procedure
            {
                let caller = program.procedure(point.procedure).points.clone();
                for other in &program.points[caller.start as usize..caller.end as usize] {
                    for_each_condition(&other.action, |one| material.constants_of(program, one));
                }
                call.arguments
                    .iter()
                    .for_each(|one| material.constants_of(program, *one));
            }
        }
        let read = std::mem::take(&mut material.read);
        for read in read {
            match read[0] {
                Operation::Read(cell) => material.read_of(vocabulary, procedure, cell),
                _ => {
                    material.reads.insert(read);
                }
            }
        }
        for parameter in 0..program.procedure(procedure).parameters {
            if domain(program, procedure, VariableId::Local(parameter)) != Domain::Boolean {
                material.read_of(vocabulary, procedure, VariableId::Local(parameter));
                material.read_of(vocabulary, procedure, frame.entry(parameter));
            }
        }
        for set in [&mut material.results, &mut material.atoms] {
            at_entry(program, procedure, set);
        }
        material
    }

    fn assignment(
        &mut self,
        vocabulary: &Vocabulary<'_>,
        procedure: ProcedureId,
        target: &Target,
        value: &Value,
    ) {
        let program = vocabulary.program;
        let Value::Of(expression) = value else { return };
        let operations = program.expressions.operations(*expression).to_vec();
        self.term(&operations);
        if let Target::Cell(cell) = target {
            if domain(program, procedure, *cell) != Domain::Boolean {
                self.read_of(vocabulary, procedure, *cell);
            }
            if !has_choice(&operations) {
                self.assigned
                    .push((*cell, fitted(vocabulary, procedure, *cell, operations)));
            }
        }
    }

    /// A number, as the program reads it.
    fn read_of(&mut self, vocabulary: &Vocabulary<'_>, procedure: ProcedureId, cell: VariableId) {
        if domain(vocabulary.program, procedure, cell) != Domain::Boolean {
            self.reads.insert(vocabulary.read(procedure, cell));
        }
    }

    fn constants_of(&mut self, program: &Program, expression: Expression) {
        let mut other = Material::default();
        other.term(program.expressions.operations(expression));
        self.constants.extend(other.constants);
    }

    fn condition(&mut self, program: &Program, expression: Expression) {
        self.term(program.expressions.operations(expression));
    }

    /// Takes an expression apart.
    fn term(&mut self, operations: &[Operation]) {
        // Where the operands of each operation begin.
        let mut begins: Vec<usize> = Vec::new();
        for (at, operation) in operations.iter().enumerate() {
            let operands = operation.operands();
            let begin = match operands {
                0 => at,
                _ => begins[begins.len() - operands],
            };
            begins.truncate(begins.len() - operands);
            begins.push(begin);
            let whole = &operations[begin..=at];
            if has_choice(whole) {
                continue;
            }
            match operation {
                Operation::Less | Operation::LessEqual | Operation::NumbersEqual => {
                    self.atoms.insert(whole.to_vec());
                }
                Operation::Number(number) => {
                    self.constants.insert((*number).into());
                }
                Operation::Read(_) | Operation::ReadElement { .. } => {
                    // A number is read with the conversion that follows.
                    let wrap = operations.get(at + 1);
                    let wrap = wrap.filter(|next| matches!(next, Operation::Wrap { .. }));
                    let read: Postfix = whole.iter().chain(wrap).copied().collect();
                    self.read.insert(read);
                }
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::Remainder => {
                    if whole.iter().any(|one| one.cells_read().is_some()) {
                        let wrap = operations.get(at + 1);
                        let wrap = wrap.filter(|next| matches!(next, Operation::Wrap { .. }));
                        self.results
                            .insert(whole.iter().chain(wrap).copied().collect());
                    } else if let [
                        Operation::Number(0),
                        Operation::Number(number),
                        Operation::Subtract,
                    ] = whole
                    {
                        self.constants.insert(-i128::from(*number));
                    }
                }
                Operation::ToTruth => {
                    self.atoms.insert(whole.to_vec());
                }
                _ => {}
            }
        }
        // Truth values that are read.
        let is_truth = |at: usize| {
            let next = operations.get(at + 1);
            !matches!(next, Some(Operation::Wrap { .. }))
        };
        for (at, operation) in operations.iter().enumerate() {
            if let Operation::Read(_) = operation
                && is_truth(at)
                && operations.len() == 1
            {
                self.atoms.insert(vec![*operation]);
            }
        }
    }
}

/// A value as a cell of C holds it: what does not fit is wrapped.
pub fn fitted(
    vocabulary: &Vocabulary<'_>,
    procedure: ProcedureId,
    cell: VariableId,
    mut value: Postfix,
) -> Postfix {
    // What has a sign is wrapped wherever it is read.
    if let Domain::Integer { bits } = domain(vocabulary.program, procedure, cell)
        && vocabulary.is_c()
        && !vocabulary.is_extended(procedure, cell)
        && value.len() > 1
    {
        value.push(Operation::Wrap {
            bits,
            signed: false,
        });
    }
    value
}

pub fn has_choice(operations: &[Operation]) -> bool {
    operations.iter().any(|operation| {
        matches!(
            operation,
            Operation::Choose | Operation::Schoose | Operation::ReadNext(_)
        )
    })
}

fn for_each_condition(action: &Action, mut visit: impl FnMut(Expression)) {
    match action {
        Action::Branch { arms, .. } | Action::Select { arms, .. } => {
            arms.iter().for_each(|(one, _)| visit(*one));
        }
        Action::Assert { condition, .. } | Action::Assume { condition, .. } => visit(*condition),
        _ => {}
    }
}

/// Adds what each was when the procedure was entered, if it reads parameters.
fn at_entry(program: &Program, procedure: ProcedureId, set: &mut Ordered<Postfix>) {
    let frame = Frame::of(program, procedure);
    let parameters = program.procedure(procedure).parameters;
    let entered = |operation: &Operation| match operation {
        Operation::Read(VariableId::Local(local)) if *local < parameters => {
            Operation::Read(frame.entry(*local))
        }
        other => *other,
    };
    let all = set.iter().map(|one| one.iter().map(entered).collect());
    let all: Vec<Postfix> = all.collect();
    set.extend(all);
}
