//! A P-automaton for Graphviz: states, and an arrow for the frames that can be read between two
//! of them. In the set of a program, each procedure is a box: in it are the frames of the procedure,
//! as a list on the way from one state to another, and the states that speak of it.

use super::{braces, symbol, without_stack};
use crate::configurations::{AutomatonDescription, StateDescription};
use crate::report::graphviz::{label, quoted};
use crate::report::harmless::{harmless, shortened};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Longer texts are cut.
const LONGEST: usize = 60;

const HEAD: &str = "\
digraph configurations {
  graph [fontname=\"Helvetica\", fontsize=13, rankdir=LR, nodesep=0.3, ranksep=0.6, pad=0.3]
  node [fontname=\"Helvetica\", fontsize=11, shape=ellipse, style=filled, fillcolor=white,
        color=\"#667085\", penwidth=1, margin=\"0.12,0.06\"]
  edge [fontname=\"Courier\", fontsize=10, color=\"#475467\", fontcolor=\"#475467\",
        arrowsize=0.7]
";

/// How a list of frames looks.
const LIST: &str = "shape=box, style=\"rounded,filled\", fontname=\"Courier\", fontsize=10";

/// What belongs to one procedure.
#[derive(Default)]
struct Part {
    states: Vec<usize>,
    /// The frames between two states.
    lists: BTreeMap<(usize, usize), Vec<String>>,
}

pub fn write(shown: &AutomatonDescription, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    for edge in &shown.edges {
        let part = parts.entry(&edge.symbol.procedure).or_default();
        let list = part.lists.entry((edge.from, edge.to)).or_default();
        list.push(harmless(&symbol(edge)));
    }
    for (number, state) in shown.states.iter().enumerate() {
        let procedure = match state.kind {
            "entered" | "returned" => state.of.as_deref().unwrap_or_default(),
            _ => "",
        };
        match parts.get_mut(procedure).filter(|_| !procedure.is_empty()) {
            Some(part) => part.states.push(number),
            None => write_state(number, state, out)?,
        }
    }
    let mut arrows = Vec::new();
    for (number, (procedure, part)) in parts.iter().enumerate() {
        // The symbols of a pushdown system are no procedure's.
        match procedure.is_empty() {
            true => arrows.extend(part.lists.iter().map(|((from, to), frames)| {
                let (label, tip) = (label(frames, LONGEST), quoted(&frames.join("\n")));
                format!("s{from} -> s{to} [label=\"{label}\", tooltip=\"{tip}\"]")
            })),
            false => write_part(shown, number, procedure, part, &mut arrows, out)?,
        }
    }
    for arrow in arrows {
        writeln!(out, "  {arrow}")?;
    }
    for (node, label) in without_stack(shown) {
        let label = harmless(&label);
        writeln!(
            out,
            "  {node} [shape=box, label=\"{}\", tooltip=\"{}\"]",
            quoted(&shortened(&label, LONGEST)),
            quoted(&label)
        )?;
    }
    writeln!(out, "}}")
}

/// The box of a procedure; `arrows` are those that begin or end in it.
fn write_part(
    shown: &AutomatonDescription,
    number: usize,
    procedure: &str,
    part: &Part,
    arrows: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let title = quoted(&shortened(&harmless(procedure), LONGEST));
    writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{title}\"")?;
    writeln!(
        out,
        "    style=\"rounded,filled\"; fillcolor=\"#f8fafc\"; color=\"#98a2b3\""
    )?;
    for state in &part.states {
        write_state(*state, &shown.states[*state], out)?;
    }
    for ((from, to), frames) in &part.lists {
        let (list, label) = (format!("f{number}_{from}_{to}"), label(frames, LONGEST));
        let tip = quoted(&frames.join("\n"));
        writeln!(
            out,
            "    {list} [{LIST}, label=\"{label}\", tooltip=\"{tip}\"]"
        )?;
        arrows.push(format!("s{from} -> {list} [arrowhead=none]"));
        arrows.push(format!("{list} -> s{to}"));
    }
    writeln!(out, "  }}")
}

fn write_state(number: usize, state: &StateDescription, out: &mut impl Write) -> io::Result<()> {
    let fill = match state.kind {
        "control" => "#fef7c3",
        "entered" | "returned" => "#d1e9ff",
        "any" | "empty" => "#d3f8df",
        _ => "white",
    };
    let accepts = match &state.accepts {
        Some(condition) => format!(", accepts{}", braces(condition)),
        None => String::new(),
    };
    let tip = match state.variables.is_empty() {
        true => format!("{}{accepts}", state.name()),
        false => format!("{}: {}{accepts}", state.name(), state.variables.join(", ")),
    };
    let peripheries = match state.accepts.is_some() {
        true => ", peripheries=2",
        false => "",
    };
    writeln!(
        out,
        "  s{number} [label=\"{}\", fillcolor=\"{fill}\"{peripheries}, tooltip=\"{}\"]",
        quoted(&shortened(&harmless(&state.name()), LONGEST)),
        quoted(&harmless(&tip))
    )
}
