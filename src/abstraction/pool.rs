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
use super::material::{Material, Ordered, Postfix, fitted, has_choice};
use super::predicate::Predicate;
use super::spelling::spell;
use super::symbols::{Frame, Role, domain};
use crate::program::{Action, Call, Domain, Operation, ProcedureId, Program, Target, VariableId};
use rustc_hash::FxHashSet;

/// Numbers with no more bits than this are told bit by bit in the end.
const NARROW_BITS: u32 = 8;

/// The first stages, which are about all variables of a path; the others are about those that the
/// contradiction in it depends on.
pub const NEAR_STAGES: usize = 3;

/// The constants of a whole path that variables are compared with.
const MOST_CONSTANTS: usize = 64;

/// Along so many calls conditions are passed, ...
const PASSES: usize = 4;
/// ... with at most so many operations, ...
const PASSED_OPERATIONS: usize = 32;
/// ... and so many for a procedure.
const MOST_PASSED: usize = 64;

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
        let mut pool = Pool {
            materials,
            constants,
        };
        pool.pass(workshop);
        pool
    }

    /// What is compared on one side of a call is, in other words, a comparison on the other side.
    fn pass(&mut self, workshop: &Workshop<'_>) {
        let program = workshop.program;
        for _ in 0..PASSES {
            let mut found: Vec<(usize, Postfix)> = Vec::new();
            for (place, (procedure, own)) in self.materials.iter().enumerate() {
                let points = program.procedure(*procedure).points.clone();
                for point in &program.points[points.start as usize..points.end as usize] {
                    let Action::Call(call) = &point.action else {
                        continue;
                    };
                    let mut all = self.materials.iter();
                    let Some(other) = all.position(|(id, _)| *id == call.callee) else {
                        continue;
                    };
                    if other == place {
                        continue;
                    }
                    let callee = &self.materials[other].1;
                    let told = callee.atoms.iter().chain(&callee.passed);
                    let told = told.filter_map(|atom| in_caller(workshop, call, atom));
                    found.extend(told.map(|atom| (place, atom)));
                    let told = own.atoms.iter().chain(&own.passed);
                    let told = told.filter_map(|atom| in_callee(workshop, call, atom));
                    found.extend(told.map(|atom| (other, atom)));
                }
            }
            let mut grew = false;
            for (place, atom) in found {
                let material = &mut self.materials[place].1;
                if material.passed.len() < MOST_PASSED && !material.atoms.contains(&atom) {
                    grew |= material.passed.insert(atom);
                }
            }
            if !grew {
                return;
            }
        }
    }
}

/// A condition on parameters, as one on the arguments of a call.
fn in_caller(workshop: &Workshop<'_>, call: &Call, atom: &[Operation]) -> Option<Postfix> {
    let program = workshop.program;
    let frame = Frame::of(program, call.callee);
    let mut is_told = false;
    let mut postfix = Postfix::new();
    for operation in atom {
        let (first, ..) = match operation.cells_read() {
            Some(read) => read,
            None => {
                postfix.push(*operation);
                continue;
            }
        };
        let VariableId::Local(local) = first else {
            postfix.push(*operation);
            continue;
        };
        let (Operation::Read(_), Role::Parameter(parameter) | Role::Entry(parameter)) =
            (operation, frame.role(local))
        else {
            return None;
        };
        let argument = call.arguments.get(parameter as usize)?;
        let argument = program.expressions.operations(*argument).to_vec();
        let parameter = VariableId::Local(parameter);
        let argument = fitted(&workshop.vocabulary, call.callee, parameter, argument);
        postfix.extend(argument);
        is_told = true;
    }
    let is_short = postfix.len() <= PASSED_OPERATIONS && !has_choice(&postfix);
    (is_told && is_short).then_some(postfix)
}

/// A condition on what a call returns, as one of the callee.
fn in_callee(workshop: &Workshop<'_>, call: &Call, atom: &[Operation]) -> Option<Postfix> {
    let program = workshop.program;
    let frame = Frame::of(program, call.callee);
    let mut is_told = false;
    let cell = |variable: VariableId| {
        let mut targets = call.targets.iter().zip(0..);
        let target =
            targets.find(|(target, _)| matches!(target, Target::Cell(one) if *one == variable));
        if let Some((_, place)) = target {
            return Some((frame.returned(place), true));
        }
        let mut arguments = call.arguments.iter().zip(0..);
        let passed = arguments.find(|(argument, _)| {
            matches!(
                program.expressions.operations(**argument),
                [Operation::Read(one)] | [Operation::Read(one), Operation::Wrap { .. }] if *one == variable
            )
        });
        let (_, place) = passed?;
        let parameter = match workshop.symbols.is_unchanged(call.callee, place) {
            true => VariableId::Local(place),
            false => frame.entry(place),
        };
        Some((parameter, false))
    };
    let mut postfix = Postfix::new();
    for operation in atom {
        match operation.cells_read() {
            None | Some((VariableId::Global(_), ..)) => postfix.push(*operation),
            Some((variable, ..)) => {
                let Operation::Read(_) = operation else {
                    return None;
                };
                let (variable, is_returned) = cell(variable)?;
                postfix.push(Operation::Read(variable));
                is_told |= is_returned;
            }
        }
    }
    (is_told && postfix.len() <= PASSED_OPERATIONS).then_some(postfix)
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
        0 => found.extend(material.atoms.iter().chain(&material.passed).cloned()),
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
            for atom in material.atoms.iter().chain(&material.passed) {
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
