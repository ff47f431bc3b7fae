//! A control-flow graph, as text to read and as a Graphviz graph to look at.
//!
//! Both show the same: for each procedure its control points, with the line, the labels and
//! the text of the statement, where control can go from there, and which variables are live.
//! Linear in the program, but for the sets of live variables.

mod dot;
mod listing;

pub use dot::write as write_dot;
pub use listing::write as write_listing;

use super::excerpt::harmless;
use crate::analysis::{CallGraph, Layout, Liveness, ModRef, reachable_points};
use crate::bits;
use crate::program::{Action, Cell, PointId, Procedure, ProcedureId, Program, VariableId};

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
        let parameters = &procedure.locals[..procedure.parameters as usize];
        format!("{}({})", self.text(procedure.name), self.names(parameters))
    }

    /// The locals that are no parameters.
    fn locals(&self, procedure: &Procedure) -> String {
        self.names(&procedure.locals[procedure.parameters as usize..])
    }

    fn names(&self, list: &[Cell]) -> String {
        let texts: Vec<String> = list.iter().map(|cell| self.text(cell.name)).collect();
        texts.join(", ")
    }

    fn text(&self, name: crate::names::Name) -> String {
        harmless(self.program.names.text(name))
    }

    /// The names of a set of data variables.
    fn variables(&self, procedure: ProcedureId, set: &[u64]) -> String {
        let globals = self.layout.global_range();
        let names = bits::members(set).filter_map(|variable| {
            let variable = if variable < globals.start {
                VariableId::Local(variable)
            } else if variable < globals.end {
                VariableId::Global(variable - globals.start)
            } else {
                return Some(format!("returned {}", variable - globals.end + 1));
            };
            // Below an exit, a set may speak of another procedure's locals.
            let locals = self.program.procedure(procedure).locals.len() as u32;
            match variable {
                VariableId::Local(index) if index >= locals => None,
                _ => Some(harmless(self.program.variable_name(procedure, variable))),
            }
        });
        names.collect::<Vec<_>>().join(", ")
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
        if let Action::Branch { arms, .. } = action {
            // With one condition it is true or false; with more, they are tried in order.
            let several = ["1st", "2nd", "3rd"];
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
