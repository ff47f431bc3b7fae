//! A control-flow graph, as text to read and as a Graphviz graph to look at.
//!
//! Both show the same: for each procedure its control points, with the line, the labels and
//! the text of the statement, where control can go from there, and which variables are live.
//! Linear in the program, but for the sets of live variables.

mod dot;
mod listing;

pub use dot::write as write_dot;
pub use listing::write as write_listing;

use super::harmless::harmless;
use super::values::variables;
use crate::analysis::{CallGraph, DataVariable, Layout, Liveness, ModRef, reachable_points};
use crate::bits;
use crate::program::{
    Action, Cell, Declaration, PointId, Procedure, ProcedureId, Program, VariableId,
};
use std::ops::Range;

/// A program and what is known about it before any of its states is looked at.
pub struct Graph<'a> {
    program: &'a Program,
    calls: CallGraph,
    layout: Layout,
    mod_ref: ModRef,
    liveness: Liveness,
    reachable: Vec<bool>,
    /// Where lines begin: asking the source for each point would count columns as well,
    /// which is quadratic where everything stands on one line.
    line_starts: Vec<u32>,
}

/// Where control can go from a point.
struct Successor {
    /// What must come out for it: `true`, `false`, or nothing.
    when: &'static str,
    to: PointId,
}

impl<'a> Graph<'a> {
    pub fn of(program: &'a Program) -> Self {
        let calls = CallGraph::of(program);
        let layout = Layout::of(program);
        let mod_ref = ModRef::of(program, &layout, &calls);
        let liveness = Liveness::of(program, &layout, &calls, &mod_ref, &[]);
        let bytes = program.source.bytes().iter().enumerate();
        let newlines = bytes.filter(|(_, byte)| **byte == b'\n');
        Graph {
            reachable: reachable_points(program, &calls),
            line_starts: newlines.map(|(i, _)| i as u32 + 1).collect(),
            program,
            calls,
            layout,
            mod_ref,
            liveness,
        }
    }

    fn line(&self, point: PointId) -> usize {
        let start = self.program.point(point).span.start;
        self.line_starts.partition_point(|begin| *begin <= start) + 1
    }

    fn is_reachable(&self, point: PointId) -> bool {
        self.reachable[point.0 as usize]
    }

    fn is_recursive(&self, procedure: ProcedureId) -> bool {
        self.calls.recursive[procedure.0 as usize]
    }

    fn points(&self, procedure: &Procedure) -> impl ExactSizeIterator<Item = PointId> + use<> {
        procedure.points.clone().map(PointId)
    }

    /// `name(parameters)`.
    fn header(&self, procedure: &Procedure) -> String {
        let (name, parameters) = (self.text(procedure.name), procedure.parameters as usize);
        format!("{name}({})", self.locals_in(procedure, 0..parameters))
    }

    /// The locals that are no parameters.
    fn locals(&self, procedure: &Procedure) -> String {
        let parameters = procedure.parameters as usize;
        self.locals_in(procedure, parameters..procedure.locals.len())
    }

    fn locals_in(&self, procedure: &Procedure, range: Range<usize>) -> String {
        self.names(&procedure.locals, &procedure.declarations, range)
    }

    fn globals(&self) -> String {
        let Program {
            globals,
            declarations,
            ..
        } = self.program;
        self.names(globals, declarations, 0..globals.len())
    }

    /// The variables whose cells are in a range.
    fn names(&self, cells: &[Cell], declarations: &[Declaration], range: Range<usize>) -> String {
        let all = variables(cells, declarations);
        let inside = all.filter(|variable| range.contains(&variable.first));
        let texts: Vec<String> = inside.map(|variable| self.text(variable.name)).collect();
        texts.join(", ")
    }

    fn text(&self, name: crate::names::Name) -> String {
        harmless(self.program.names.text(name))
    }

    /// The names of a set of data variables: a variable as a whole if all its cells are
    /// in, otherwise those that are. (Below an exit, a set may speak of another procedure's
    /// locals.)
    fn variables(&self, id: ProcedureId, set: &[u64]) -> String {
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
        add(&procedure.locals, &procedure.declarations, &local);
        add(&program.globals, &program.declarations, &global);
        let returned =
            (0..procedure.returns.len() as u32).filter(|i| is_in(layout.returned(id, *i)));
        names.extend(returned.map(|i| format!("returned {}", i + 1)));
        names.join(", ")
    }

    fn live(&self, point: PointId) -> String {
        let procedure = self.program.point(point).procedure;
        self.variables(procedure, self.liveness.at(point))
    }

    /// The statement on one line; `exit` for the end of a procedure.
    fn statement(&self, point: PointId) -> String {
        if matches!(self.program.point(point).action, Action::Exit) {
            return "exit".into();
        }
        let text = self.program.text_of(point);
        let words: Vec<&str> = text.split_whitespace().collect();
        harmless(&words.join(" "))
    }

    fn labels(&self, point: PointId) -> impl Iterator<Item = String> {
        self.program.labels_of(point).map(harmless)
    }

    fn callee(&self, point: PointId) -> Option<ProcedureId> {
        match &self.program.point(point).action {
            Action::Call(call) => Some(call.callee),
            _ => None,
        }
    }

    /// Whether an assertion can fail there.
    fn is_assertion(&self, point: PointId) -> bool {
        matches!(self.program.point(point).action, Action::Assert { .. })
    }

    fn successors(&self, point: PointId) -> Vec<Successor> {
        let exit = self.program.procedure_of(point).exit();
        let action = &self.program.point(point).action;
        let mut list: Vec<Successor> = Vec::new();
        action.for_each_successor(exit, |to| list.push(Successor { when: "", to }));
        // With one condition it is true or false; with more, they are tried in order, or any
        // that is true is taken.
        let several = ["1st", "2nd", "3rd"];
        if let Action::Branch { arms, .. } | Action::Select { arms, .. } = action {
            for (i, successor) in list.iter_mut().enumerate() {
                successor.when = match (i == arms.len(), arms.len()) {
                    (true, 1) => "false",
                    (true, _) => "else",
                    (false, 1) => "true",
                    (false, _) => several.get(i).copied().unwrap_or("next"),
                };
            }
        }
        list
    }
}
