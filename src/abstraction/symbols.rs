//! The variables that predicates and steps speak of, as variables of terms.
//!
//! To its locals a procedure has *ghosts*, numbered after them: what each parameter was when the
//! procedure was entered, which nothing changes, and what it returns. By these a predicate
//! can say what a call does, and its caller understands it.

use crate::program::{Action, Call, Domain, ProcedureId, Program, Target, VariableId};
use crate::terms::{Sort, Term, Terms};
use rustc_hash::FxHashSet;

/// The variables of a program, as those of terms.
#[derive(Debug)]
pub struct Symbols {
    globals: Vec<Term>,
    locals: Vec<Vec<Term>>,
    /// The globals that a call may change, itself or by calls of its own.
    modified: Vec<FxHashSet<u32>>,
    /// The parameters that the procedure itself never changes.
    unchanged: Vec<FxHashSet<u32>>,
}

/// What a local is to its procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Parameter(u32),
    Local,
    /// The parameter at the entry.
    Entry(u32),
    Returned(u32),
}

/// The locals of a procedure, ghosts included.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    parameters: u32,
    /// How many there are without ghosts.
    pub locals: u32,
    returns: u32,
}

impl Frame {
    pub fn of(program: &Program, procedure: ProcedureId) -> Self {
        let procedure = program.procedure(procedure);
        Frame {
            parameters: procedure.parameters,
            locals: procedure.locals.len() as u32,
            returns: procedure.returns.len() as u32,
        }
    }

    pub fn role(self, local: u32) -> Role {
        match local.checked_sub(self.locals) {
            None if local < self.parameters => Role::Parameter(local),
            None => Role::Local,
            Some(ghost) if ghost < self.parameters => Role::Entry(ghost),
            Some(ghost) => Role::Returned(ghost - self.parameters),
        }
    }

    pub fn entry(self, parameter: u32) -> VariableId {
        VariableId::Local(self.locals + parameter)
    }

    pub fn returned(self, value: u32) -> VariableId {
        VariableId::Local(self.locals + self.parameters + value)
    }

    /// How many there are with ghosts.
    pub fn len(self) -> u32 {
        self.locals + self.parameters + self.returns
    }
}

/// The values of a variable of a procedure, which may be a ghost.
pub fn domain(program: &Program, procedure: ProcedureId, variable: VariableId) -> Domain {
    let VariableId::Local(local) = variable else {
        return program.cell(procedure, variable).domain;
    };
    let of = program.procedure(procedure);
    match Frame::of(program, procedure).role(local) {
        Role::Parameter(_) | Role::Local => of.locals[local as usize].domain,
        Role::Entry(parameter) => of.locals[parameter as usize].domain,
        Role::Returned(value) => of.returns[value as usize],
    }
}

impl Symbols {
    pub fn new(program: &Program, terms: &mut Terms) -> Self {
        let globals = program.globals.iter();
        let globals = globals.map(|cell| terms.unknown(Sort::of(cell.domain)));
        let globals = globals.collect();
        let locals = program.procedure_ids().map(|id| {
            let variables = (0..Frame::of(program, id).len()).map(VariableId::Local);
            let sorts = variables.map(|variable| Sort::of(domain(program, id, variable)));
            sorts.map(|sort| terms.unknown(sort)).collect()
        });
        Symbols {
            globals,
            locals: locals.collect(),
            modified: modified(program),
            unchanged: program
                .procedure_ids()
                .map(|id| unchanged(program, id))
                .collect(),
        }
    }

    /// A variable as seen from inside a procedure.
    pub fn term(&self, procedure: ProcedureId, variable: VariableId) -> Term {
        match variable {
            VariableId::Global(index) => self.globals[index as usize],
            VariableId::Local(index) => self.locals[procedure.0 as usize][index as usize],
        }
    }

    pub fn globals(&self) -> &[Term] {
        &self.globals
    }

    /// The locals of a procedure, then its ghosts.
    pub fn locals(&self, procedure: ProcedureId) -> &[Term] {
        &self.locals[procedure.0 as usize]
    }

    /// Whether a call of a procedure may change a global.
    pub fn may_change(&self, procedure: ProcedureId, global: u32) -> bool {
        self.modified[procedure.0 as usize].contains(&global)
    }

    /// Whether a parameter always is what it was at the entry.
    pub fn is_unchanged(&self, procedure: ProcedureId, parameter: u32) -> bool {
        self.unchanged[procedure.0 as usize].contains(&parameter)
    }
}

/// Visits all that the steps of a procedure set, calls of others aside.
fn for_each_set(program: &Program, procedure: ProcedureId, mut visit: impl FnMut(VariableId)) {
    let mut target = |target: &Target| {
        if let Some((first, count)) = target.cells() {
            (0..count).for_each(|k| visit(first.plus(k)));
        }
    };
    let points = program.procedure(procedure).points.clone();
    for point in &program.points[points.start as usize..points.end as usize] {
        match &point.action {
            Action::Assign { targets, .. } => targets.iter().for_each(&mut target),
            Action::Havoc { variables, .. } => {
                let cells = variables.iter().map(|variable| Target::Cell(*variable));
                cells.for_each(|cell| target(&cell));
            }
            Action::Call(call) => {
                let Call {
                    assignments,
                    targets,
                    ..
                } = &**call;
                assignments.iter().for_each(|(one, _)| target(one));
                targets.iter().for_each(&mut target);
            }
            Action::Return { assignments, .. } | Action::EndThread { assignments } => {
                assignments.iter().for_each(|(one, _)| target(one));
            }
            Action::Goto { .. }
            | Action::Branch { .. }
            | Action::Select { .. }
            | Action::Assert { .. }
            | Action::Assume { .. }
            | Action::StartThread { .. }
            | Action::Exit => {}
        }
    }
}

fn unchanged(program: &Program, procedure: ProcedureId) -> FxHashSet<u32> {
    let mut unchanged: FxHashSet<u32> = (0..program.procedure(procedure).parameters).collect();
    for_each_set(program, procedure, |variable| {
        if let VariableId::Local(local) = variable {
            unchanged.remove(&local);
        }
    });
    unchanged
}

fn modified(program: &Program) -> Vec<FxHashSet<u32>> {
    let mut modified: Vec<FxHashSet<u32>> = Vec::new();
    for id in program.procedure_ids() {
        let mut own = FxHashSet::default();
        for_each_set(program, id, |variable| {
            if let VariableId::Global(global) = variable {
                own.insert(global);
            }
        });
        modified.push(own);
    }
    let calls = program
        .points
        .iter()
        .filter_map(|point| match &point.action {
            Action::Call(call) => Some((point.procedure.0 as usize, call.callee.0 as usize)),
            _ => None,
        });
    let calls: Vec<(usize, usize)> = calls.collect();
    loop {
        let mut grew = false;
        for (caller, callee) in &calls {
            let more: Vec<u32> = modified[*callee]
                .difference(&modified[*caller])
                .copied()
                .collect();
            grew |= !more.is_empty();
            modified[*caller].extend(more);
        }
        if !grew {
            return modified;
        }
    }
}
