//! The control-flow graph of a program: for each procedure its control points, with the line, the
//! labels and the text of the statement, where control can go from there, and which variables are
//! live. Linear in the program, but for the sets of live variables.

use crate::analysis::frames::{Class, ClassId};
use crate::analysis::{Analyses, Referenced};
use crate::bits;
use crate::index::IndexVec;
use crate::program::{
    Action, Cell, Declaration, NewThread, PointId, Procedure, ProcedureId, Program, VariableId,
};
use crate::report::harmless::{harmless, one_line};
use crate::report::values::variables;
use crate::rules::{DataVariable, Head, Layout, Rules};
use std::ops::Range;

/// A program and what is known about it before any of its states is looked at.
pub struct ControlFlow<'a> {
    pub program: &'a Program,
    layout: Layout,
    analyses: Analyses,
    referenced: Referenced,
    reachable: IndexVec<Head, bool>,
    /// For each procedure, whether executions or threads begin there.
    begins: IndexVec<ProcedureId, bool>,
    /// Where lines begin: asking the source for each point would count columns as well,
    /// which is quadratic where everything stands on one line.
    line_starts: Vec<u32>,
    /// The procedures that are shown.
    pub shown: Vec<ProcedureId>,
}

/// Where control can go from a point.
pub struct Successor {
    /// What must come out for it: `true`, `false`, a guard, or nothing.
    pub when: String,
    pub to: PointId,
}

impl<'a> ControlFlow<'a> {
    /// The graph of one procedure alone; `None` if there is none of that name.
    pub fn procedure(mut self, name: &str) -> Option<Self> {
        self.shown = vec![crate::property::find_procedure(self.program, name)?];
        Some(self)
    }

    pub fn of(program: &'a Program) -> Self {
        let layout = Layout::of(program);
        let rules = Rules::of_program(program, layout.clone(), false);
        let analyses = Analyses::of(&rules, &[]);
        let referenced = Referenced::of(&rules, &analyses.frames);
        let mut reachable = IndexVec::filled(false, rules.heads());
        for class in &analyses.frames.classes {
            let heads = class.heads.iter();
            heads.for_each(|head| reachable[*head] = true);
        }
        let mut begins = IndexVec::filled(false, program.procedures.len());
        for start in program.starts() {
            let procedure = program.point(start).procedure;
            begins[procedure] |= start == program.procedure(procedure).entry();
        }
        let bytes = program.source.bytes().iter().enumerate();
        let newlines = bytes.filter(|(_, byte)| **byte == b'\n');
        ControlFlow {
            reachable,
            begins,
            line_starts: newlines.map(|(i, _)| i as u32 + 1).collect(),
            shown: program.procedure_ids().collect(),
            program,
            layout,
            analyses,
            referenced,
        }
    }

    pub fn line(&self, point: PointId) -> usize {
        let start = self.program.point(point).span.start;
        self.line_starts.partition_point(|begin| *begin <= start) + 1
    }

    pub fn is_shown(&self, procedure: ProcedureId) -> bool {
        self.shown.binary_search(&procedure).is_ok()
    }

    pub fn is_reachable(&self, point: PointId) -> bool {
        self.reachable[Head(point.0)]
    }

    pub fn is_recursive(&self, procedure: ProcedureId) -> bool {
        self.class(procedure).is_recursive
    }

    fn class(&self, procedure: ProcedureId) -> &Class {
        self.analyses.frames.get(ClassId(procedure.0))
    }

    /// Whether executions or threads begin with a procedure, or some call leads to it.
    pub fn is_called(&self, procedure: ProcedureId) -> bool {
        self.begins[procedure] || !self.class(procedure).pushing.is_empty()
    }

    /// What is to be known of a procedure.
    pub fn remarks(&self, procedure: ProcedureId) -> Vec<String> {
        let mut remarks = Vec::new();
        let threads = self.program.threads.as_ref();
        let declared = threads.iter().flat_map(|threads| &threads.declared);
        let declared = declared.filter(|start| start.procedure == procedure);
        match declared.count() {
            0 if procedure == self.program.entry => remarks.push("entry".to_owned()),
            0 => {}
            1 => remarks.push("thread".to_owned()),
            count => remarks.push(format!("{count} threads")),
        }
        if self.is_recursive(procedure) {
            remarks.push("recursive".to_owned());
        }
        if !self.is_called(procedure) {
            remarks.push("never called".to_owned());
        }
        remarks
    }

    /// The globals that a procedure, with all it calls, may change or read.
    pub fn modified(&self, procedure: ProcedureId) -> &[u64] {
        self.analyses.modified.by(ClassId(procedure.0))
    }

    pub fn referenced(&self, procedure: ProcedureId) -> &[u64] {
        self.referenced.by(ClassId(procedure.0))
    }

    pub fn points(&self, procedure: &Procedure) -> impl ExactSizeIterator<Item = PointId> + use<> {
        procedure.points.clone().map(PointId)
    }

    /// `name(parameters)`.
    pub fn header(&self, procedure: &Procedure) -> String {
        let (name, parameters) = (self.text(procedure.name), procedure.parameters as usize);
        format!("{name}({})", self.locals_in(procedure, 0..parameters))
    }

    /// The locals that are no parameters.
    pub fn locals(&self, procedure: &Procedure) -> String {
        let parameters = procedure.parameters as usize;
        let shown = procedure.locals.len() - procedure.saved as usize;
        self.locals_in(procedure, parameters..shown)
    }

    fn locals_in(&self, procedure: &Procedure, range: Range<usize>) -> String {
        self.names(&procedure.locals, &procedure.declarations, range)
    }

    pub fn globals(&self) -> String {
        let Program {
            globals,
            declarations,
            ..
        } = self.program;
        self.names(globals, declarations, 0..self.shown_globals())
    }

    /// How many globals are shown: all, or all but the last.
    pub fn shown_globals(&self) -> usize {
        self.program.shown_globals().len()
    }

    /// The variables whose cells are in a range.
    fn names(&self, cells: &[Cell], declarations: &[Declaration], range: Range<usize>) -> String {
        let all = variables(cells, declarations);
        let inside = all.filter(|variable| range.contains(&variable.first));
        let texts: Vec<String> = inside.map(|variable| self.text(variable.name)).collect();
        texts.join(", ")
    }

    pub fn text(&self, name: crate::names::Name) -> String {
        harmless(self.program.names.text(name))
    }

    /// The names of a set of data variables: a variable as a whole if all its cells are
    /// in, otherwise those that are. (Below an exit, a set may speak of another procedure's
    /// locals.)
    pub fn variables(&self, id: ProcedureId, set: &[u64]) -> String {
        let (program, layout) = (self.program, &self.layout);
        let procedure = program.procedure(id);
        let is_in = |bits: Range<DataVariable>| bits.clone().any(|bit| bits::contains(set, bit));
        let local = |i: usize| layout.cell(id, VariableId::Local(i as u32));
        let global = |i: usize| layout.global(i as u32);
        let mut names = Vec::new();
        let mut add = |cells: &[Cell], declared: &[Declaration], bits: &dyn Fn(usize) -> _| {
            for variable in variables(cells, declared) {
                let inside: Vec<_> = variable.cells().filter(|i| is_in(bits(*i))).collect();
                match !inside.is_empty() && inside.len() == variable.cells().len() {
                    true => names.push(self.text(variable.name)),
                    false => names.extend(inside.iter().map(|i| self.text(cells[*i].name))),
                }
            }
        };
        let (locals, globals) = (program.shown_locals(id), self.shown_globals());
        add(locals, &procedure.declarations, &local);
        add(&program.globals[..globals], &program.declarations, &global);
        let returned =
            (0..procedure.returns.len() as u32).filter(|i| is_in(layout.returned(id, *i)));
        names.extend(returned.map(|i| format!("returned {}", i + 1)));
        names.join(", ")
    }

    pub fn live(&self, point: PointId) -> String {
        let procedure = self.program.point(point).procedure;
        self.variables(procedure, self.analyses.liveness.at(Head(point.0)))
    }

    /// The statement on one line; `exit` for the end of a procedure.
    pub fn statement(&self, point: PointId) -> String {
        if matches!(self.program.point(point).action, Action::Exit) {
            return "exit".into();
        }
        one_line(&self.program.text_of(point))
    }

    pub fn labels(&self, point: PointId) -> impl Iterator<Item = String> {
        self.program.labels_of(point).map(harmless)
    }

    pub fn callee(&self, point: PointId) -> Option<ProcedureId> {
        match &self.program.point(point).action {
            Action::Call(call) => Some(call.callee),
            _ => None,
        }
    }

    /// Where a thread begins that is created at a point, and how that is said.
    pub fn created(&self, point: PointId) -> Option<(PointId, String)> {
        let Action::StartThread { thread, .. } = &self.program.point(point).action else {
            return None;
        };
        let name = match thread {
            NewThread::Call { callee, .. } => self.program.procedure(*callee).name,
            NewThread::Copy { label, .. } => *label,
        };
        let begin = self.program.begin_of(thread);
        Some((begin, format!("creates {}", self.text(name))))
    }

    /// Whether an assertion can fail there.
    pub fn is_assertion(&self, point: PointId) -> bool {
        matches!(self.program.point(point).action, Action::Assert { .. })
    }

    pub fn successors(&self, point: PointId) -> Vec<Successor> {
        let exit = self.program.procedure_of(point).exit();
        let action = &self.program.point(point).action;
        let mut list: Vec<Successor> = Vec::new();
        let when = String::new;
        action.for_each_successor(exit, |to| list.push(Successor { when: when(), to }));
        // With one condition it is true or false; with more, they are tried in order, or any
        // that is true is taken.
        if let Action::Branch { arms, .. } | Action::Select { arms, .. } = action {
            let guards = self.program.guards_of(point);
            for (i, successor) in list.iter_mut().enumerate() {
                successor.when = match (i == arms.len(), guards.get(i)) {
                    (false, Some((_, span))) => one_line(&self.program.source.text(*span)),
                    (false, None) => "true".to_owned(),
                    (true, _) if guards.is_empty() => "false".to_owned(),
                    (true, _) => "else".to_owned(),
                };
            }
        }
        list
    }
}
