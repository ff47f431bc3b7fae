//! The graph for Graphviz: a box a procedure, colours by kind of statement, dashed arrows
//! from calls to where they lead, dotted ones to where new threads begin. What would clutter the
//! picture is in the tool tips.

use super::flow::ControlFlow;
use crate::program::{Action, PointId, ProcedureId};
use crate::report::graph::cut;
use crate::report::graphviz::quoted;
use crate::report::harmless::markup;
use std::io::{self, Write};

pub const HEAD: &str = "\
digraph program {
  graph [fontname=\"Helvetica\", fontsize=13, rankdir=TB, nodesep=0.35, ranksep=0.35,
         compound=true, pad=0.3, newrank=true]
  node [fontname=\"Courier\", fontsize=11, shape=box, style=\"rounded,filled\",
        fillcolor=white, color=\"#667085\", penwidth=1, margin=\"0.12,0.06\", height=0.3]
  edge [fontname=\"Helvetica\", fontsize=10, color=\"#475467\", fontcolor=\"#475467\",
        arrowsize=0.7]
";

/// How what control never comes to looks.
pub const UNREACHABLE: &str = "style=\"rounded,dashed\", fontcolor=\"#98a2b3\", color=\"#98a2b3\"";

pub fn write(graph: &ControlFlow<'_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for procedure in &graph.shown {
        write_procedure(graph, *procedure, out)?;
    }
    write_calls(graph, out)?;
    writeln!(out, "}}")
}

fn write_procedure(
    graph: &ControlFlow<'_>,
    id: ProcedureId,
    out: &mut impl Write,
) -> io::Result<()> {
    let procedure = graph.program.procedure(id);
    // The entry is seen from the arrows.
    let mut remarks = graph.remarks(id);
    remarks.retain(|remark| remark != "entry");
    let modified = graph.variables(id, graph.modified(id));
    if !modified.is_empty() {
        remarks.push(format!("modifies {modified}"));
    }
    write_box(id.0, &graph.header(procedure), &remarks, out)?;
    for point in graph.points(procedure) {
        write_point(graph, point, out)?;
    }
    for point in graph.points(procedure) {
        for successor in graph.successors(point) {
            let label = match &successor.when[..] {
                "" => String::new(),
                when => format!(" [label=\" {} \"]", quoted(&cut(when))),
            };
            writeln!(out, "    p{} -> p{}{label}", point.0, successor.to.0)?;
        }
    }
    writeln!(out, "  }}")
}

/// The beginning of a box with its title and what is to be known of what is in it.
pub fn write_box(id: u32, title: &str, remarks: &[String], out: &mut impl Write) -> io::Result<()> {
    let mut label = format!("<b>{}</b>", markup(&cut(title)));
    for remark in remarks {
        let remark = markup(&cut(remark));
        label.push_str(&format!("<br/><font point-size=\"10\">{remark}</font>"));
    }
    writeln!(
        out,
        "  subgraph cluster_{id} {{\n    label=<{label}>\n    \
         style=\"rounded,filled\"; fillcolor=\"#f8fafc\"; color=\"#98a2b3\"; margin=14",
    )
}

fn write_point(graph: &ControlFlow<'_>, point: PointId, out: &mut impl Write) -> io::Result<()> {
    let statement = graph.statement(point);
    let labels: String = graph
        .labels(point)
        .map(|label| format!("<b>{}:</b> ", markup(&cut(&label))))
        .collect();
    let reachable = graph.is_reachable(point);
    let tip = match reachable {
        true => format!("{statement}\nlive: {}", graph.live(point)),
        false => format!("{statement}\nunreachable"),
    };
    let fill = match &graph.program.point(point).action {
        Action::Branch { .. } | Action::Select { .. } => "#fef7c3",
        Action::Call(_) => "#d1e9ff",
        Action::Assert { .. } => "#fee4e2",
        Action::Assume { .. } => "#eaecf5",
        Action::StartThread { .. } => "#e0eaff",
        Action::Return { .. } | Action::Exit | Action::EndThread { .. } => "#d3f8df",
        Action::Goto { .. } | Action::Assign { .. } | Action::Havoc { .. } => "white",
    };
    let look = match reachable {
        true => format!("fillcolor=\"{fill}\""),
        false => UNREACHABLE.to_owned(),
    };
    let procedure = graph.program.procedure_of(point);
    let weight = match point == procedure.entry() && reachable {
        true => ", penwidth=2",
        false => "",
    };
    writeln!(
        out,
        "    p{} [label=<<font color=\"#98a2b3\">{}</font>  {labels}{}>, {look}{weight}, tooltip=\"{}\"]",
        point.0,
        graph.line(point),
        markup(&cut(&statement)),
        quoted(&tip),
    )
}

/// Arrows from calls into procedures; they do not decide where things stand.
fn write_calls(graph: &ControlFlow<'_>, out: &mut impl Write) -> io::Result<()> {
    for procedure in &graph.shown {
        for point in graph.points(graph.program.procedure(*procedure)) {
            if let Some((begin, _)) = graph.created(point)
                && graph.is_shown(graph.program.point(begin).procedure)
            {
                let look = "style=dotted, color=\"#7a5af8\", constraint=false";
                writeln!(out, "  p{} -> p{} [{look}]", point.0, begin.0)?;
            }
            let Some(callee) = graph.callee(point) else {
                continue;
            };
            if graph.is_shown(callee) {
                let entry = graph.program.procedure(callee).entry();
                write_call([point.0, entry.0], 'p', callee == *procedure, out)?;
            }
        }
    }
    Ok(())
}

/// A dashed arrow to where a frame begins. Called procedures stand lower, where that is possible.
pub fn write_call(
    [from, to]: [u32; 2],
    node: char,
    same: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let constraint = match same {
        true => ", constraint=false",
        false => "",
    };
    writeln!(
        out,
        "  {node}{from} -> {node}{to} [style=dashed, color=\"#1570ef\"{constraint}]"
    )
}
