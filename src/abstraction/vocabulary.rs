//! How the variables of a program are called and read in predicates.

use super::symbols::{Frame, Role, domain};
use crate::program::{
    Action, Cell, Domain, Expression, Language, Operation, ProcedureId, Program, Value, VariableId,
};
use rustc_hash::FxHashSet;

/// How the names of cells begin that hold values inside expressions of C: users see `$value1`, `$value2`, …
const HIDDEN: &str = "temporary#";

/// What is known of variables in the text of predicates.
#[derive(Debug)]
pub struct Vocabulary<'p> {
    pub program: &'p Program,
    /// Cells of C that are read as numbers of two's complement.
    signed: FxHashSet<Key>,
    /// How procedures are called, each by a name of its own.
    procedures: Vec<String>,
}

/// A variable, with its procedure if it is a local.
type Key = (Option<ProcedureId>, VariableId);

impl<'p> Vocabulary<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut signed = FxHashSet::default();
        for point in &program.points {
            super::edges::for_each_expression(&point.action, |expression| {
                let operations = program.expressions.operations(expression);
                for pair in operations.windows(2) {
                    let (Some((first, count, _)), Operation::Wrap { signed: true, .. }) =
                        (pair[0].cells_read(), pair[1])
                    else {
                        continue;
                    };
                    signed.extend((0..count).map(|k| scoped(point.procedure, first.plus(k))));
                }
            });
        }
        let mut vocabulary = Vocabulary {
            program,
            signed,
            procedures: procedure_names(program),
        };
        vocabulary.follow_copies();
        vocabulary
    }

    /// What is copied from or to a number of two's complement is one, too.
    fn follow_copies(&mut self) {
        let program = self.program;
        let mut copies: Vec<(Key, Key)> = Vec::new();
        let mut copy = |to: Key, procedure: ProcedureId, value: Expression| {
            if let [Operation::Read(from)] = program.expressions.operations(value) {
                copies.push((to, scoped(procedure, *from)));
            }
        };
        for point in &program.points {
            let here = point.procedure;
            match &point.action {
                Action::Assign {
                    targets, values, ..
                } => {
                    for (target, value) in targets.iter().zip(values) {
                        if let (Some((first, _)), Value::Of(value)) = (target.cells(), value) {
                            copy(scoped(here, first), here, *value);
                        }
                    }
                }
                Action::Call(call) => {
                    for (argument, i) in call.arguments.iter().zip(0..) {
                        copy(scoped(call.callee, VariableId::Local(i)), here, *argument);
                    }
                }
                Action::Return { values, .. } => {
                    let frame = Frame::of(program, here);
                    for (value, i) in values.iter().zip(0..) {
                        copy(scoped(here, frame.returned(i)), here, *value);
                    }
                }
                _ => {}
            }
        }
        for point in &program.points {
            if let Action::Call(call) = &point.action {
                let frame = Frame::of(program, call.callee);
                for (target, i) in call.targets.iter().zip(0..) {
                    if let Some((first, _)) = target.cells() {
                        let to = scoped(point.procedure, first);
                        copies.push((to, scoped(call.callee, frame.returned(i))));
                    }
                }
            }
        }
        loop {
            let mut grew = false;
            for (a, b) in &copies {
                if self.signed.contains(a) != self.signed.contains(b) {
                    grew |= self.signed.insert(*a) | self.signed.insert(*b);
                }
            }
            if !grew {
                return;
            }
        }
    }

    pub fn is_c(&self) -> bool {
        self.program.language == Language::C
    }

    /// Whether a cell is read as a number of two's complement.
    pub fn is_signed(&self, procedure: ProcedureId, variable: VariableId) -> bool {
        let VariableId::Local(local) = variable else {
            return self.signed.contains(&scoped(procedure, variable));
        };
        match Frame::of(self.program, procedure).role(local) {
            Role::Entry(one) => self.is_signed(procedure, VariableId::Local(one)),
            Role::Returned(_) | Role::Parameter(_) | Role::Local => {
                self.signed.contains(&scoped(procedure, variable))
            }
        }
    }

    /// A number as the program reads it.
    pub fn read(&self, procedure: ProcedureId, variable: VariableId) -> Vec<Operation> {
        let read = Operation::Read(variable);
        match domain(self.program, procedure, variable) {
            Domain::Integer { bits } if self.is_signed(procedure, variable) => {
                vec![read, Operation::Wrap { bits, signed: true }]
            }
            _ => vec![read],
        }
    }

    /// How a procedure is called.
    pub fn procedure_name(&self, id: ProcedureId) -> &str {
        &self.procedures[id.0 as usize]
    }

    pub fn find_procedure(&self, name: &str) -> Option<ProcedureId> {
        let place = self.procedures.iter().position(|one| one == name)?;
        Some(ProcedureId(place as u32))
    }

    /// The procedures that are copies of one, as far as names and variables tell: what rules do at the
    /// calls of one function.
    pub fn copies(&self, id: ProcedureId) -> impl Iterator<Item = ProcedureId> + '_ {
        let own = self.program.procedure(id);
        let copies = self.program.procedure_ids().filter(move |other| {
            let other = self.program.procedure(*other);
            let is_copy = own.name == other.name && own.parameters == other.parameters;
            is_copy && own.locals == other.locals && own.returns == other.returns
        });
        copies.filter(move |other| *other != id)
    }

    /// How a variable is called in its procedure.
    pub fn name(&self, procedure: ProcedureId, variable: VariableId) -> String {
        if let VariableId::Local(local) = variable {
            match Frame::of(self.program, procedure).role(local) {
                Role::Entry(parameter) => return format!("${}", parameter + 1),
                Role::Returned(value) => {
                    return match self.program.procedure(procedure).returns.len() {
                        1 => "$return".to_owned(),
                        _ => format!("$return{}", value + 1),
                    };
                }
                Role::Parameter(_) | Role::Local => {}
            }
        }
        let name = self.program.variable_name(procedure, variable);
        match (name.strip_prefix(HIDDEN), variable) {
            (Some(_), VariableId::Local(local)) => {
                let locals = &self.program.procedure(procedure).locals[..local as usize];
                let is_hidden = |cell: &&Cell| {
                    let name = self.program.names.text(cell.name);
                    name.starts_with(HIDDEN)
                };
                format!("$value{}", locals.iter().filter(is_hidden).count() + 1)
            }
            _ => name.to_owned(),
        }
    }

    /// The variable of a name: a local, a ghost, one of the procedure that is kept as a global, or a
    /// global.
    pub fn find(&self, procedure: Option<ProcedureId>, name: &str) -> Option<VariableId> {
        let program = self.program;
        let global = |name: &str| {
            let mut globals = (0..program.globals.len() as u32).map(VariableId::Global);
            globals.find(|variable| self.name(program.entry, *variable) == name)
        };
        let local = |id: ProcedureId| {
            let Frame { locals, .. } = Frame::of(program, id);
            let ghosts = locals..Frame::of(program, id).len();
            // A later declaration hides an earlier one.
            let mut all = (0..locals).rev().chain(ghosts).map(VariableId::Local);
            let found = all.find(|variable| self.name(id, *variable) == name);
            found.or_else(|| global(&format!("{}::{name}", self.procedure_name(id))))
        };
        procedure.and_then(local).or_else(|| global(name))
    }
}

/// Different names of procedures: of several with one name, the first keeps it.
fn procedure_names(program: &Program) -> Vec<String> {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let ids = program.procedure_ids();
    let names = ids.map(|id| {
        let own = program.names.text(program.procedure(id).name);
        let others = (2..).map(|number| format!("{own}#{number}"));
        let mut all = [own.to_owned()].into_iter().chain(others);
        let name = all.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(name.clone());
        name
    });
    names.collect()
}

fn scoped(procedure: ProcedureId, variable: VariableId) -> Key {
    match variable {
        VariableId::Global(_) => (None, variable),
        VariableId::Local(_) => (Some(procedure), variable),
    }
}
