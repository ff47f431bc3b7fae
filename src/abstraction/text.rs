//! Boolean programs as text: each point one statement with its label, and a `goto` where the next
//! one does not follow. At a goal an assertion fails, so that who reads the text finds what was looked for
//! without being told.

use super::build::Abstract;
use crate::program::{
    Action, Expression, Operation, PointId, ProcedureId, Program, Target, Value, VariableId,
};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// The name of the procedure that executions begin with.
const ENTRY: &str = "main";

/// The text of a boolean program without threads, in which control runs off no end.
pub fn text(boolean: &Abstract) -> String {
    let program = &boolean.program;
    let mut out = String::new();
    let label = label_prefix(program);
    let names = |cells: &[crate::program::Cell]| -> Vec<String> {
        cells
            .iter()
            .map(|cell| program.names.text(cell.name).to_owned())
            .collect()
    };
    if !program.globals.is_empty() {
        let _ = writeln!(out, "decl {};\n", names(&program.globals).join(", "));
    }
    for id in program.procedure_ids() {
        let procedure = program.procedure(id);
        let locals = names(&procedure.locals);
        let (parameters, others) = locals.split_at(procedure.parameters as usize);
        let name = procedure_name(program, id);
        let kind = match procedure.returns.len() {
            0 => "void".to_owned(),
            count => format!("bool<{count}>"),
        };
        let _ = writeln!(out, "{kind} {name}({}) begin", parameters.join(", "));
        if !others.is_empty() {
            let _ = writeln!(out, "  decl {};", others.join(", "));
        }
        let writer = Writer {
            program,
            goals: &boolean.goals,
            procedure: id,
            label: &label,
        };
        if let Some(enforce) = procedure.enforce {
            let _ = writeln!(out, "  enforce {};", writer.expression(enforce));
        }
        writer.body(&mut out);
        let _ = writeln!(out, "end\n");
    }
    if procedure_name(program, program.entry) != ENTRY {
        begin(program, &mut out);
    }
    out
}

/// How a procedure is called: `main` is where executions begin, and nothing else.
fn procedure_name(program: &Program, id: ProcedureId) -> String {
    let name = program.names.text(program.procedure(id).name);
    match name == ENTRY && id != program.entry {
        true => format!("{{{name}}}"),
        false => name.to_owned(),
    }
}

/// Adds a procedure that calls the entry with arbitrary values.
fn begin(program: &Program, out: &mut String) {
    let procedure = program.procedure(program.entry);
    let passed: Vec<String> = (1..=procedure.parameters)
        .map(|k| format!("{{argument {k}}}"))
        .collect();
    let passed = passed.join(", ");
    let returned = vec!["_"; procedure.returns.len()].join(", ");
    let _ = writeln!(out, "void {ENTRY}() begin");
    if !passed.is_empty() {
        let _ = writeln!(out, "  decl {passed};");
    }
    let assign = if returned.is_empty() { "" } else { " := " };
    let name = procedure_name(program, program.entry);
    let _ = writeln!(
        out,
        "  {returned}{assign}{name}({passed});\n  return;\nend\n"
    );
}

/// How the labels of points begin, so that they are no labels of the program.
fn label_prefix(program: &Program) -> String {
    let is_taken = |prefix: &String| {
        program.labels.iter().any(|(_, name)| {
            let rest = program.names.text(*name).strip_prefix(prefix.as_str());
            rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    let mut prefixes = (1..).map(|length| "P".repeat(length));
    prefixes
        .find(|prefix| !is_taken(prefix))
        .unwrap_or_default()
}

struct Writer<'a> {
    program: &'a Program,
    goals: &'a [PointId],
    procedure: ProcedureId,
    /// How the labels of points begin.
    label: &'a str,
}

impl Writer<'_> {
    fn label(&self, point: PointId) -> String {
        format!("{}{}", self.label, point.0)
    }

    /// The goal that a goal is a copy of, if it is one.
    fn original(&self, at: PointId) -> Option<PointId> {
        let Action::Goto { targets } = &self.program.point(at).action else {
            return None;
        };
        let original = targets.first().map(|after| PointId(after.0 - 1))?;
        (self.goals.contains(&at) && original != at).then_some(original)
    }

    fn name(&self, variable: VariableId) -> &str {
        self.program.variable_name(self.procedure, variable)
    }

    fn body(&self, out: &mut String) {
        let points = self.program.procedure(self.procedure).points.clone();
        let exit = PointId(points.end - 1);
        let mut targets: FxHashSet<PointId> = FxHashSet::default();
        for point in points.start..points.end {
            targets.extend(self.original(PointId(point)));
            let action = &self.program.point(PointId(point)).action;
            let is_goto = matches!(action, Action::Goto { .. });
            action.for_each_successor(exit, |next| {
                if is_goto || next.0 != point + 1 {
                    targets.insert(next);
                }
            });
        }
        for point in points.start..points.end - 1 {
            let id = PointId(point);
            out.push_str("  ");
            for label in self.program.labels_of(id) {
                let _ = write!(out, "{label}: ");
            }
            if targets.contains(&id) {
                let _ = write!(out, "{}: ", self.label(id));
            }
            let (statement, next) = self.statement(id);
            out.push_str(&statement);
            if let Some(next) = next.filter(|next| next.0 != point + 1) {
                let _ = write!(out, " goto {};", self.label(next));
            }
            out.push('\n');
        }
    }

    /// A statement, and where control is afterwards unless it says so itself.
    fn statement(&self, at: PointId) -> (String, Option<PointId>) {
        let list = |values: &[Expression]| -> String {
            let values = values.iter().map(|value| self.expression(*value));
            values.collect::<Vec<_>>().join(", ")
        };
        let cells = |targets: &[Target]| -> String {
            let names = targets.iter().map(|target| match target.cells() {
                Some((cell, _)) => self.name(cell).to_owned(),
                None => "_".to_owned(),
            });
            names.collect::<Vec<_>>().join(", ")
        };
        match &self.program.point(at).action {
            Action::Goto { targets } if self.goals.contains(&at) => match self.original(at) {
                Some(original) => (format!("goto {};", self.label(original)), None),
                None => ("assert(0);".to_owned(), targets.first().copied()),
            },
            Action::Goto { targets } => {
                let names: Vec<String> = targets.iter().map(|target| self.label(*target)).collect();
                (format!("goto {};", names.join(", ")), None)
            }
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => {
                let values = values.iter().map(|value| match value {
                    Value::Any => "*".to_owned(),
                    Value::Of(value) => self.expression(*value),
                });
                let values: Vec<String> = values.collect();
                let constrain = constrain.map(|one| format!(" constrain {}", self.expression(one)));
                let constrain = constrain.unwrap_or_default();
                let text = format!("{} := {}{constrain};", cells(targets), values.join(", "));
                (text, Some(*next))
            }
            Action::Assume { condition, next } => (
                format!("assume({});", self.expression(*condition)),
                Some(*next),
            ),
            Action::Assert { condition, next } => (
                format!("assert({});", self.expression(*condition)),
                Some(*next),
            ),
            Action::Call(call) => {
                let callee = procedure_name(self.program, call.callee);
                let targets = match call.targets.is_empty() {
                    true => String::new(),
                    false => format!("{} := ", cells(&call.targets)),
                };
                (
                    format!("{targets}{callee}({});", list(&call.arguments)),
                    Some(call.next),
                )
            }
            Action::Return { values, .. } if values.is_empty() => ("return;".to_owned(), None),
            Action::Return { values, .. } => (format!("return {};", list(values)), None),
            Action::EndThread { .. } => ("end_thread;".to_owned(), None),
            // Nothing else is in the boolean program of an abstraction.
            _ => ("assume(0);".to_owned(), None),
        }
    }

    fn expression(&self, expression: Expression) -> String {
        let mut stack: Vec<String> = Vec::new();
        for operation in self.program.expressions.operations(expression) {
            let mut pop = || stack.pop().unwrap_or_default();
            let text = match operation {
                Operation::Constant(value) => u8::from(*value).to_string(),
                Operation::Read(variable) => self.name(*variable).to_owned(),
                Operation::ReadNext(variable) => format!("'{}", self.name(*variable)),
                Operation::Not => format!("!{}", pop()),
                Operation::IfThenElse => {
                    let (no, yes, condition) = (pop(), pop(), pop());
                    format!("({condition} ? {yes} : {no})")
                }
                other => {
                    let (b, a) = (pop(), pop());
                    match (other, a.as_str()) {
                        (Operation::And, "1") | (Operation::Or, "0") => b,
                        (Operation::And, _) => format!("({a} & {b})"),
                        _ => format!("({a} | {b})"),
                    }
                }
            };
            stack.push(text);
        }
        stack.pop().unwrap_or_default()
    }
}
