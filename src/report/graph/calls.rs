//! Who calls whom: the procedures of a program and their calls, without what is in them.
//! Linear in the program.

use super::Graph;
use super::dot::shortened;
use crate::program::ProcedureId;
use crate::report::harmless::markup;
use std::collections::BTreeMap;
use std::io::{self, Write};

const HEAD: &str = "\
digraph calls {
  graph [rankdir=LR, nodesep=0.2, pad=0.3]
  node [fontname=\"Courier\", fontsize=11, shape=box, style=\"rounded,filled\", fillcolor=\"#f8fafc\",
        color=\"#667085\"]
  edge [fontname=\"Helvetica\", fontsize=10, color=\"#1570ef\", arrowsize=0.7]
";

/// How many calls there are in a procedure, by callee.
fn calls(graph: &Graph<'_>, procedure: ProcedureId) -> BTreeMap<ProcedureId, usize> {
    let points = graph.points(graph.program.procedure(procedure));
    let mut calls = BTreeMap::new();
    for callee in points.filter_map(|point| graph.callee(point)) {
        *calls.entry(callee).or_default() += 1;
    }
    calls
}

/// What is to be known of a procedure.
fn remarks(graph: &Graph<'_>, procedure: ProcedureId) -> Vec<&'static str> {
    let remarks = [
        (procedure == graph.program.entry, "entry"),
        (graph.is_recursive(procedure), "recursive"),
        (!graph.is_called(procedure), "never called"),
    ];
    let applying = remarks.into_iter().filter(|(applies, _)| *applies);
    applying.map(|(_, remark)| remark).collect()
}

pub fn write_text(graph: &Graph<'_>, out: &mut impl Write) -> io::Result<()> {
    let name = |id: ProcedureId| graph.text(graph.program.procedure(id).name);
    for procedure in &graph.shown {
        write!(out, "{}", name(*procedure))?;
        let remarks = remarks(graph, *procedure);
        if !remarks.is_empty() {
            write!(out, " ({})", remarks.join(", "))?;
        }
        let called = calls(graph, *procedure);
        let called = called.iter().map(|(callee, count)| match count {
            1 => name(*callee),
            several => format!("{} ({several} times)", name(*callee)),
        });
        let called: Vec<_> = called.collect();
        match called.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, " calls {}", called.join(", "))?,
        }
    }
    Ok(())
}

pub fn write_dot(graph: &Graph<'_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for procedure in &graph.shown {
        let name = graph.text(graph.program.procedure(*procedure).name);
        let mut label = format!("<b>{}</b>", markup(&shortened(&name)));
        for remark in remarks(graph, *procedure) {
            label.push_str(&format!("<br/><font point-size=\"9\">{remark}</font>"));
        }
        writeln!(out, "  c{} [label=<{label}>]", procedure.0)?;
    }
    for procedure in &graph.shown {
        for (callee, count) in calls(graph, *procedure) {
            if !graph.shown.contains(&callee) {
                continue;
            }
            let label = match count {
                1 => String::new(),
                several => format!(" [label=\" {several} \"]"),
            };
            writeln!(out, "  c{} -> c{}{label}", procedure.0, callee.0)?;
        }
    }
    writeln!(out, "}}")
}
