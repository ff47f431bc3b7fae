//! The graph for Graphviz: a box a procedure, colours by kind of statement, dashed arrows
//! from calls to where they lead. What would clutter the picture is in the tool tips.

use super::Graph;
use crate::program::{Action, PointId, ProcedureId};
use crate::report::harmless::markup;
use std::io::{self, Write};

/// Longer statements are cut; the tool tip has the whole text.
const LONGEST_TEXT: usize = 48;

const HEAD: &str = "\
digraph program {
  graph [fontname=\"Helvetica\", fontsize=13, rankdir=TB, nodesep=0.35, ranksep=0.35,
         compound=true, pad=0.3, newrank=true]
  node [fontname=\"Courier\", fontsize=11, shape=box, style=\"rounded,filled\",
        fillcolor=white, color=\"#667085\", penwidth=1, margin=\"0.12,0.06\", height=0.3]
  edge [fontname=\"Helvetica\", fontsize=10, color=\"#475467\", fontcolor=\"#475467\",
        arrowsize=0.7]
";

pub fn write(graph: &Graph<'_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for procedure in &graph.shown {
        write_procedure(graph, *procedure, out)?;
    }
    write_calls(graph, out)?;
    writeln!(out, "}}")
}

fn write_procedure(graph: &Graph<'_>, id: ProcedureId, out: &mut impl Write) -> io::Result<()> {
    let procedure = graph.program.procedure(id);
    let mut remarks = String::new();
    if graph.is_recursive(id) {
        remarks.push_str("<br/><font point-size=\"10\">recursive</font>");
    }
    if !graph.is_called(id) {
        remarks.push_str("<br/><font point-size=\"10\">never called</font>");
    }
    let modified = graph.variables(id, graph.modified(id));
    if !modified.is_empty() {
        let modified = markup(&shortened(&modified));
        remarks.push_str(&format!(
            "<br/><font point-size=\"10\">modifies {modified}</font>"
        ));
    }
    writeln!(
        out,
        "  subgraph cluster_{} {{\n    label=<<b>{}</b>{remarks}>\n    \
         style=\"rounded,filled\"; fillcolor=\"#f8fafc\"; color=\"#98a2b3\"; margin=14",
        id.0,
        markup(&shortened(&graph.header(procedure))),
    )?;
    for point in graph.points(procedure) {
        write_point(graph, point, out)?;
    }
    for point in graph.points(procedure) {
        for successor in graph.successors(point) {
            let label = match &successor.when[..] {
                "" => String::new(),
                when => format!(" [label=\" {} \"]", quoted(&shortened(when))),
            };
            writeln!(out, "    p{} -> p{}{label}", point.0, successor.to.0)?;
        }
    }
    writeln!(out, "  }}")
}

fn write_point(graph: &Graph<'_>, point: PointId, out: &mut impl Write) -> io::Result<()> {
    let statement = graph.statement(point);
    let labels: String = graph
        .labels(point)
        .map(|label| format!("<b>{}:</b> ", markup(&shortened(&label))))
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
        false => "style=\"rounded,dashed\", fontcolor=\"#98a2b3\", color=\"#98a2b3\"".to_owned(),
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
        markup(&shortened(&statement)),
        quoted(&tip),
    )
}

/// Arrows from calls into procedures; they do not decide where things stand.
fn write_calls(graph: &Graph<'_>, out: &mut impl Write) -> io::Result<()> {
    for procedure in &graph.shown {
        for point in graph.points(graph.program.procedure(*procedure)) {
            let Some(callee) = graph.callee(point) else {
                continue;
            };
            if !graph.shown.contains(&callee) {
                continue;
            }
            let same = callee == graph.program.point(point).procedure;
            // Called procedures stand lower, where that is possible.
            let constraint = match same {
                true => ", constraint=false",
                false => "",
            };
            writeln!(
                out,
                "  p{} -> p{} [style=dashed, color=\"#1570ef\"{constraint}]",
                point.0,
                graph.program.procedure(callee).entry().0
            )?;
        }
    }
    Ok(())
}

pub fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LONGEST_TEXT - 3).collect();
    short.push_str("...");
    short
}

/// Text inside a string in quotes.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    escaped.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_program_cannot_end_its_string() {
        assert_eq!(quoted("a\"b\\\nc"), "a\\\"b\\\\\\nc");
    }
}
