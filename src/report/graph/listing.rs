//! The graph as text, procedure by procedure.

use super::flow::ControlFlow;
use crate::program::{PointId, ProcedureId};
use std::io::{self, Write};

/// Statements and lists of successors longer than this push the columns beside them out of line.
const WIDEST: [usize; 4] = [usize::MAX, 48, 24, 0];

pub fn write(graph: &ControlFlow<'_>, out: &mut impl Write) -> io::Result<()> {
    if graph.shown_globals() > 0 {
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

fn write_procedure(
    graph: &ControlFlow<'_>,
    id: ProcedureId,
    out: &mut impl Write,
) -> io::Result<()> {
    let procedure = graph.program.procedure(id);
    write!(out, "{}", graph.header(procedure))?;
    match procedure.returns.len() {
        0 => {}
        1 => write!(out, ", returns 1 value")?,
        count => write!(out, ", returns {count} values")?,
    }
    for remark in graph.remarks(id) {
        write!(out, ", {remark}")?;
    }
    writeln!(out)?;
    let mut facts = vec![("locals", graph.locals(procedure))];
    if graph.is_called(id) {
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
fn write_points(graph: &ControlFlow<'_>, id: ProcedureId, out: &mut impl Write) -> io::Result<()> {
    let procedure = graph.program.procedure(id);
    let points = graph.points(procedure);
    let number = points.len().saturating_sub(1).to_string().len();
    let last = graph.points(procedure).map(|point| graph.line(point)).max();
    let line = last.unwrap_or(0).to_string().len();
    let rows = points.enumerate().map(|(i, point)| {
        let [statement, successors, remark] = row(graph, point, procedure.points.start);
        let place = format!("{i:>number$}  line {:>line$}", graph.line(point));
        [place, statement, successors, remark]
    });
    write_rows(&rows.collect::<Vec<_>>(), WIDEST, out)
}

/// Writes columns side by side; what is wider than its column's limit stands out.
pub fn write_rows<const N: usize>(
    rows: &[[String; N]],
    widest: [usize; N],
    out: &mut impl Write,
) -> io::Result<()> {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        let fitting = widths.filter(|width| *width <= widest[column]);
        fitting.max().unwrap_or(0)
    });
    for row in rows {
        let cells = row.iter().zip(widths);
        let text: String = cells
            .map(|(cell, width)| format!("  {cell:<width$}"))
            .collect();
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

/// The statement, where it leads, and what is to be known of it.
fn row(graph: &ControlFlow<'_>, point: PointId, first: u32) -> [String; 3] {
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
    remarks.extend(graph.created(point).map(|(_, remark)| remark));
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
    let successors = match successors.is_empty() {
        true => String::new(),
        false => format!("-> {}", successors.join(", ")),
    };
    [statement, successors, remarks.join("; ")]
}
