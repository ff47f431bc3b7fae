//! The graph as text, procedure by procedure.

use super::Graph;
use crate::program::{PointId, ProcedureId};
use std::io::{self, Write};

/// Statements longer than this push the columns beside them out of line.
const WIDEST_STATEMENT: usize = 48;
const WIDEST_SUCCESSORS: usize = 24;

pub fn write(graph: &Graph<'_>, out: &mut impl Write) -> io::Result<()> {
    let program = graph.program;
    if !program.globals.is_empty() {
        writeln!(out, "globals {}\n", graph.globals())?;
    }
    for (i, procedure) in graph.shown.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        write_procedure(graph, *procedure, out)?;
    }
    Ok(())
}

fn write_procedure(graph: &Graph<'_>, id: ProcedureId, out: &mut impl Write) -> io::Result<()> {
    let program = graph.program;
    let procedure = program.procedure(id);
    write!(out, "{}", graph.header(procedure))?;
    match procedure.returns.len() {
        0 => {}
        1 => write!(out, ", returns 1 value")?,
        count => write!(out, ", returns {count} values")?,
    }
    let called = graph.is_called(id);
    let remarks = [
        (id == program.entry, "entry"),
        (graph.is_recursive(id), "recursive"),
        (!called, "never called"),
    ];
    for (_, remark) in remarks.iter().filter(|(applies, _)| *applies) {
        write!(out, ", {remark}")?;
    }
    writeln!(out)?;
    let mut facts = vec![("locals", graph.locals(procedure))];
    if called {
        let set = graph.modified(id);
        facts.push(("modifies", graph.variables(id, set)));
        let set = graph.referenced(id);
        facts.push(("reads", graph.variables(id, set)));
    }
    for (what, names) in facts.iter().filter(|(_, names)| !names.is_empty()) {
        writeln!(out, "  {what} {names}")?;
    }
    write_points(graph, id, out)
}

/// One row a point: number, line, statement, where it leads, what is live.
fn write_points(graph: &Graph<'_>, id: ProcedureId, out: &mut impl Write) -> io::Result<()> {
    let procedure = graph.program.procedure(id);
    let first = procedure.points.start;
    let rows: Vec<Row> = graph
        .points(procedure)
        .map(|p| row(graph, p, first))
        .collect();
    let width = |text: fn(&Row) -> &String, widest: usize| {
        let widths = rows.iter().map(|row| text(row).chars().count());
        widths.filter(|width| *width <= widest).max().unwrap_or(0)
    };
    let number = rows.len().saturating_sub(1).to_string().len();
    let line = width(|row| &row.line, WIDEST_STATEMENT);
    let statement = width(|row| &row.statement, WIDEST_STATEMENT);
    let successors = width(|row| &row.successors, WIDEST_SUCCESSORS);
    for (i, row) in rows.iter().enumerate() {
        let text = format!(
            "  {i:>number$}  line {:>line$}  {:<statement$}  {:<successors$}  {}",
            row.line, row.statement, row.successors, row.remark
        );
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

struct Row {
    line: String,
    statement: String,
    successors: String,
    remark: String,
}

fn row(graph: &Graph<'_>, point: PointId, first: u32) -> Row {
    let mut statement: String = graph.labels(point).map(|label| label + ": ").collect();
    statement.push_str(&graph.statement(point));
    let successors = graph.successors(point).into_iter().map(|successor| {
        let to = successor.to.0 - first;
        match &successor.when[..] {
            "" => to.to_string(),
            when => format!("{when} {to}"),
        }
    });
    let mut successors: Vec<String> = successors.collect();
    if graph.is_assertion(point) {
        successors.push("or error".into());
    }
    let mut remarks = Vec::new();
    if let Some(callee) = graph.callee(point) {
        let callee = graph.program.procedure(callee).name;
        remarks.push(format!("calls {}", graph.text(callee)));
    }
    if !graph.is_reachable(point) {
        remarks.push("unreachable".into());
    } else {
        let live = graph.live(point);
        if !live.is_empty() {
            remarks.push(format!("live {live}"));
        }
    }
    Row {
        line: graph.line(point).to_string(),
        statement,
        successors: match successors.is_empty() {
            true => String::new(),
            false => format!("-> {}", successors.join(", ")),
        },
        remark: remarks.join("; "),
    }
}
