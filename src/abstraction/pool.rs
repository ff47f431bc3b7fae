//! Candidates for predicates, in stages from the most to the least welcome.
//!
//! First the comparisons that the program itself makes; then equations, then inequalities that held in random
//! executions; then variables compared with each other; then with the
//! program's constants, what a procedure returns among them; then weakest
//! preconditions and results of arithmetic; then sums and differences of constants; last the single bits of variables, which tell
//! everything of narrow ones. Inequalities come before equations with constants: `x == 0`, `x == 1`, … would
//! never end.

use super::affine::relations;
use super::build::Workshop;
use super::predicate::Predicate;
use super::spelling::spell;
use super::symbols::{Frame, domain};
use super::vocabulary::Vocabulary;
use crate::program::{
    Action, Domain, Expression, Operation, ProcedureId, Program, Target, Value, VariableId,
};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A term in postfix form.
type Postfix = Vec<Operation>;

type Ordered<T> = IndexSet<T, FxBuildHasher>;

/// Numbers with no more bits than this are told bit by bit in the end.
const NARROW_BITS: u32 = 8;

/// The first stages, which are about all variables of a path; the others are about those that the
/// contradiction in it depends on.
pub const NEAR_STAGES: usize = 3;

/// The constants of a whole path that variables are compared with.
const MOST_CONSTANTS: usize = 64;

/// The equations whose weakest preconditions are candidates.
const EQUATIONS: usize = 6;

/// How many stages there are.
pub const STAGES: usize = 10;

/// What the candidates of some procedures are made of.
pub struct Pool {
    materials: Vec<(ProcedureId, Material)>,
    /// Of all of them.
    constants: Ordered<i128>,
}

impl Pool {
    pub fn new(workshop: &Workshop<'_>, procedures: &[ProcedureId]) -> Self {
        let of = |id: &ProcedureId| (*id, Material::of(&workshop.vocabulary, *id));
        let materials: Vec<(ProcedureId, Material)> = procedures.iter().map(of).collect();
        let constants = materials.iter().flat_map(|(_, one)| &one.constants);
        let constants = constants.copied().take(MOST_CONSTANTS).collect();
        Pool {
            materials,
            constants,
        }
    }
}

/// What a procedure is made of, for candidates.
#[derive(Default)]
struct Material {
    /// Comparisons and truth values in conditions.
    atoms: Ordered<Postfix>,
    /// What is read, with the conversion that follows.
    read: Ordered<Postfix>,
    /// Numbers that are read, as they are meant.
    reads: Ordered<Postfix>,
    /// Results of arithmetic.
    results: Ordered<Postfix>,
    constants: Ordered<i128>,
    /// What is assigned: a cell, and a value.
    assigned: Vec<(VariableId, Postfix)>,
}

/// The candidates of a stage in one of the procedures, by its place, over these variables only.
pub fn candidates(
    workshop: &Workshop<'_>,
    pool: &Pool,
    place: usize,
    variables: &FxHashSet<VariableId>,
    stage: usize,
) -> Vec<Predicate> {
    let program = workshop.program;
    let (procedure, material) = &pool.materials[place];
    let procedure = *procedure;
    let mut found: Ordered<Postfix> = Ordered::default();
    let reads: Vec<&Postfix> = material
        .reads
        .iter()
        .filter(|read| is_over(read, variables))
        .collect();
    match stage {
        0 => found.extend(material.atoms.iter().cloned()),
        1 | 2 => {
            let constants: Vec<i128> = material.constants.iter().copied().collect();
            let [equations, inequalities] = relations(workshop, procedure, variables, &constants);
            if stage == 1 {
                found.extend(equations);
            } else {
                found.extend(inequalities);
                // Half-way through a loop, what holds at its head is what it will be.
                for equation in equations.iter().take(EQUATIONS) {
                    for (cell, value) in &material.assigned {
                        found.extend(replaced(equation, *cell, value));
                    }
                }
            }
        }
        3 => {
            for (a, b) in pairs(&reads) {
                if is_same_width(program, procedure, a, b) {
                    found.insert(compare(b, a, Operation::LessEqual));
                    found.insert(compare(a, b, Operation::LessEqual));
                    found.insert(compare(a, b, Operation::NumbersEqual));
                }
            }
        }
        4 => bounds(&reads, &material.constants, &mut found),
        5 => {
            for atom in &material.atoms {
                for (cell, value) in &material.assigned {
                    found.extend(replaced(atom, *cell, value));
                }
            }
            for (read, result) in reads
                .iter()
                .flat_map(|a| material.results.iter().map(move |b| (a, b)))
            {
                if *read != result {
                    found.insert(compare(read, result, Operation::NumbersEqual));
                    found.insert(compare(read, result, Operation::LessEqual));
                }
            }
        }
        6 => {
            let results: Vec<&Postfix> = material.results.iter().collect();
            bounds(&results, &material.constants, &mut found);
            let constants: Vec<i128> = material.constants.iter().copied().collect();
            let mut more: Ordered<i128> = Ordered::default();
            for a in &constants {
                more.extend([a - 1, a + 1]);
                more.extend(constants.iter().flat_map(|b| [a + b, a - b]));
            }
            bounds(&reads, &more, &mut found);
        }
        7 => {
            for atom in &material.atoms {
                for (cell, value) in &material.assigned {
                    let Some(again) = replaced(atom, *cell, value) else {
                        continue;
                    };
                    for (cell, value) in &material.assigned {
                        found.extend(replaced(&again, *cell, value));
                    }
                }
            }
        }
        // What is passed through a procedure is compared elsewhere.
        8 => bounds(&reads, &pool.constants, &mut found),
        _ => {
            let mut cells: Vec<VariableId> = variables.iter().copied().collect();
            cells.sort_unstable();
            for cell in cells {
                let bits = domain(program, procedure, cell).bits();
                // Of wide numbers only whether they are even, and the like.
                let told = if bits <= NARROW_BITS { bits } else { 3 };
                for bit in 0..told {
                    found.insert(bit_of(program, procedure, cell, bit));
                }
            }
        }
    }
    let usable = found.into_iter().filter(|one| {
        let reads = one
            .iter()
            .filter_map(Operation::cells_read)
            .next()
            .is_some();
        reads && is_over(one, variables)
    });
    let spelled = usable.filter_map(|operations| {
        let text = spell(&workshop.vocabulary, procedure, &operations)?;
        Some(Predicate::new(procedure, operations, text))
    });
    spelled.collect()
}

fn is_over(operations: &[Operation], variables: &FxHashSet<VariableId>) -> bool {
    let mut reads = operations.iter().filter_map(Operation::cells_read);
    reads.all(|(first, count, _)| (0..count).all(|k| variables.contains(&first.plus(k))))
}

fn pairs<'a>(reads: &'a [&'a Postfix]) -> impl Iterator<Item = (&'a Postfix, &'a Postfix)> {
    let places = reads.iter().enumerate();
    places.flat_map(move |(i, a)| reads[i + 1..].iter().map(move |b| (*a, *b)))
}

fn is_same_width(program: &Program, procedure: ProcedureId, a: &Postfix, b: &Postfix) -> bool {
    let bits = |postfix: &Postfix| {
        let reads = postfix.iter().filter_map(Operation::cells_read);
        reads
            .map(|(first, ..)| domain(program, procedure, first))
            .next()
    };
    match (bits(a), bits(b)) {
        (Some(Domain::Enumeration { id: a, .. }), Some(Domain::Enumeration { id: b, .. })) => {
            a == b
        }
        (Some(Domain::Integer { .. }), Some(Domain::Integer { .. })) => true,
        _ => false,
    }
}

fn compare(a: &[Operation], b: &[Operation], operation: Operation) -> Postfix {
    [a, b, &[operation]].concat()
}

pub(super) fn constant(number: i128) -> Option<Postfix> {
    match u64::try_from(number) {
        Ok(number) => Some(vec![Operation::Number(number)]),
        Err(_) => {
            let number = u64::try_from(number.checked_neg()?).ok()?;
            Some(vec![
                Operation::Number(0),
                Operation::Number(number),
                Operation::Subtract,
            ])
        }
    }
}

fn bounds(reads: &[&Postfix], constants: &Ordered<i128>, found: &mut Ordered<Postfix>) {
    for (operation, swapped) in [
        (Operation::LessEqual, false),
        (Operation::LessEqual, true),
        (Operation::NumbersEqual, false),
    ] {
        for (read, number) in reads
            .iter()
            .flat_map(|a| constants.iter().map(move |b| (*a, *b)))
        {
            let Some(number) = constant(number) else {
                continue;
            };
            found.insert(match swapped {
                true => compare(&number, read, operation),
                false => compare(read, &number, operation),
            });
        }
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

/// A condition with a value in the place of a cell, if that reads it.
fn replaced(condition: &[Operation], cell: VariableId, value: &[Operation]) -> Option<Postfix> {
    let is_read = |operation: &Operation| *operation == Operation::Read(cell);
    let in_array = |operation: &Operation| match operation.cells_read() {
        Some((first, count, _)) => !is_read(operation) && (0..count).any(|k| first.plus(k) == cell),
        None => false,
    };
    if !condition.iter().any(is_read)
        || condition.iter().any(in_array)
        || condition.len() + value.len() > 64
    {
        return None;
    }
    let replace = |operation: &Operation| match is_read(operation) {
        true => value.to_vec(),
        false => vec![*operation],
    };
    Some(condition.iter().flat_map(replace).collect())
}

fn bit_of(program: &Program, procedure: ProcedureId, cell: VariableId, bit: u32) -> Postfix {
    let read = Operation::Read(cell);
    match domain(program, procedure, cell) {
        Domain::Boolean => vec![read],
        _ => vec![
            read,
            Operation::Number(1 << bit),
            Operation::BitAnd,
            Operation::Number(0),
            Operation::NumbersEqual,
        ],
    }
}

impl Material {
    fn of(vocabulary: &Vocabulary<'_>, procedure: ProcedureId) -> Self {
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
fn fitted(
    vocabulary: &Vocabulary<'_>,
    procedure: ProcedureId,
    cell: VariableId,
    mut value: Postfix,
) -> Postfix {
    // A number of two's complement is wrapped wherever it is read.
    if let Domain::Integer { bits } = domain(vocabulary.program, procedure, cell)
        && vocabulary.is_c()
        && !vocabulary.is_signed(procedure, cell)
        && value.len() > 1
    {
        value.push(Operation::Wrap {
            bits,
            signed: false,
        });
    }
    value
}

fn has_choice(operations: &[Operation]) -> bool {
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
