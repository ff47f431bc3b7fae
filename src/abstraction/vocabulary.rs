//! How the variables of a program are called and read in predicates.

use super::spelling::Type;
use super::symbols::{Frame, Role, domain};
use crate::program::{
    Action, Cell, Domain, Language, Number, Operation, ProcedureId, Program, VariableId, wrap,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the names of cells begin that hold values inside expressions of C: users see `$value1`, `$value2`, …
const HIDDEN: &str = "temporary#";

/// What is known of variables in the text of predicates.
#[derive(Debug)]
pub struct Vocabulary<'p> {
    pub program: &'p Program,
    /// What is returned of C's numbers, as far as copies tell.
    returned: FxHashMap<(ProcedureId, u32), Number>,
    /// How procedures are called, each by a name of its own.
    procedures: Vec<String>,
}

impl<'p> Vocabulary<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut vocabulary = Vocabulary {
            program,
            returned: FxHashMap::default(),
            procedures: procedure_names(program),
        };
        vocabulary.follow_copies();
        vocabulary
    }

    /// What is returned is a number as the variable is that it is copied from or to, with as many bits.
    fn follow_copies(&mut self) {
        let program = self.program;
        let mut copy = |callee: ProcedureId, value: u32, here: ProcedureId, cell: VariableId| {
            let Cell { domain, number, .. } = program.cell(here, cell);
            if let Some(number) = number
                && program.procedure(callee).returns[value as usize] == domain
            {
                self.returned.entry((callee, value)).or_insert(number);
            }
        };
        for point in &program.points {
            if let Action::Return { values, .. } = &point.action {
                for (value, i) in values.iter().zip(0..) {
                    if let [Operation::Read(from), ..] = program.expressions.operations(*value) {
                        copy(point.procedure, i, point.procedure, *from);
                    }
                }
            }
        }
        for point in &program.points {
            if let Action::Call(call) = &point.action {
                for (target, i) in call.targets.iter().zip(0..) {
                    if let Some((first, _)) = target.cells() {
                        copy(call.callee, i, point.procedure, first);
                    }
                }
            }
        }
    }

    pub fn is_c(&self) -> bool {
        self.program.language == Language::C
    }

    /// What C means by a cell, if it is a number of C.
    pub fn number(&self, procedure: ProcedureId, variable: VariableId) -> Option<Number> {
        let VariableId::Local(local) = variable else {
            return self.program.cell(procedure, variable).number;
        };
        let cell = |local| {
            self.program
                .cell(procedure, VariableId::Local(local))
                .number
        };
        match Frame::of(self.program, procedure).role(local) {
            Role::Entry(parameter) => cell(parameter),
            Role::Returned(value) => self.returned.get(&(procedure, value)).copied(),
            Role::Parameter(_) | Role::Local => cell(local),
        }
    }

    /// Whether the uppermost bit of a cell is a sign.
    pub fn is_extended(&self, procedure: ProcedureId, variable: VariableId) -> bool {
        let number = self.number(procedure, variable);
        number.is_some_and(|number| number.extended)
    }

    /// How many bits the values of a number need, as the program reads them, and whether some are negative.
    pub fn width(&self, procedure: ProcedureId, variable: VariableId) -> Option<Type> {
        let Domain::Integer { bits } = domain(self.program, procedure, variable) else {
            return None;
        };
        Some(match self.number(procedure, variable) {
            Some(number) if number.extended && !number.signed => (number.bits, false),
            Some(number) => (bits, number.extended),
            None => (bits, false),
        })
    }

    /// What C makes of a cell that was just read.
    pub fn extension(
        &self,
        procedure: ProcedureId,
        variable: VariableId,
    ) -> impl Iterator<Item = Operation> + use<> {
        let wrap = |(bits, signed)| Operation::Wrap { bits, signed };
        let number = self.number(procedure, variable).filter(|n| n.extended);
        let kept = match domain(self.program, procedure, variable) {
            Domain::Integer { bits } => number.map(|_| (bits, true)),
            _ => None,
        };
        let natural = number.filter(|number| !number.signed);
        let natural = natural.map(|number| (number.bits, false));
        kept.into_iter().chain(natural).map(wrap)
    }

    /// A number as the program reads it.
    pub fn read(&self, procedure: ProcedureId, variable: VariableId) -> Vec<Operation> {
        let read = [Operation::Read(variable)].into_iter();
        read.chain(self.extension(procedure, variable)).collect()
    }

    /// The value of a cell that holds `raw`.
    pub fn value(&self, procedure: ProcedureId, variable: VariableId, raw: i128) -> i128 {
        let extension = self.extension(procedure, variable);
        extension.fold(raw, |value, operation| match operation {
            Operation::Wrap { bits, signed } => wrap(value, bits, signed),
            _ => value,
        })
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
