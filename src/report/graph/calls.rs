//! Who calls whom: the procedures of a program and their calls, without what is in them.
//! Linear in the program.

use super::flow::ControlFlow;
use crate::program::ProcedureId;
use crate::report::graph::cut;
use crate::report::harmless::markup;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

pub const HEAD: &str = "\
digraph calls {
  graph [rankdir=LR, nodesep=0.2, pad=0.3]
  node [fontname=\"Courier\", fontsize=11, shape=box, style=\"rounded,filled\", fillcolor=\"#f8fafc\",
        color=\"#667085\"]
  edge [fontname=\"Helvetica\", fontsize=10, color=\"#1570ef\", arrowsize=0.7]
";

/// How many calls there are in a procedure, by callee.
fn calls(graph: &ControlFlow<'_>, procedure: ProcedureId) -> BTreeMap<ProcedureId, usize> {
    let points = graph.points(graph.program.procedure(procedure));
    let mut calls = BTreeMap::new();
    for callee in points.filter_map(|point| graph.callee(point)) {
        *calls.entry(callee).or_default() += 1;
    }
    calls
}

pub fn write_text(graph: &ControlFlow<'_>, out: &mut impl Write) -> io::Result<()> {
    let name = |id: ProcedureId| graph.text(graph.program.procedure(id).name);
    for procedure in &graph.shown {
        write!(out, "{}", name(*procedure))?;
        let remarks = graph.remarks(*procedure);
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

pub fn write_dot(graph: &ControlFlow<'_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for procedure in &graph.shown {
        let name = graph.text(graph.program.procedure(*procedure).name);
        write_node(procedure.0, &name, &graph.remarks(*procedure), out)?;
    }
    for procedure in &graph.shown {
        for (callee, count) in calls(graph, *procedure) {
            if graph.is_shown(callee) {
                write_arrow([procedure.0, callee.0], count, out)?;
            }
        }
    }
    writeln!(out, "}}")
}

pub fn write_node(
    id: u32,
    name: &str,
    remarks: &[impl Display],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut label = format!("<b>{}</b>", markup(&cut(name)));
    for remark in remarks {
        label.push_str(&format!("<br/><font point-size=\"9\">{remark}</font>"));
    }
    writeln!(out, "  c{id} [label=<{label}>]")
}

pub fn write_arrow([from, to]: [u32; 2], count: usize, out: &mut impl Write) -> io::Result<()> {
    let label = match count {
        1 => String::new(),
        several => format!(" [label=\" {several} \"]"),
    };
    writeln!(out, "  c{from} -> c{to}{label}")
}
