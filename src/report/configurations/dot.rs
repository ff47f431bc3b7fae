//! A P-automaton for Graphviz: states, and an arrow for the frames that can be read between two
//! of them.

use super::{braces, symbol, without_stack};
use crate::configurations::{AutomatonDescription, StateDescription};
use crate::report::harmless::harmless;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Longer labels are cut; the tool tip has the whole text.
const LONGEST_LABEL: usize = 60;
/// More frames than this on one arrow are in the tool tip only.
const MOST_LABELS: usize = 12;

const HEAD: &str = "\
digraph configurations {
  graph [fontname=\"Helvetica\", fontsize=13, rankdir=LR, nodesep=0.3, ranksep=0.6, pad=0.3]
  node [fontname=\"Helvetica\", fontsize=11, shape=ellipse, style=filled, fillcolor=white,
        color=\"#667085\", penwidth=1, margin=\"0.12,0.06\"]
  edge [fontname=\"Courier\", fontsize=10, color=\"#475467\", fontcolor=\"#475467\",
        arrowsize=0.7]
";

pub fn write(shown: &AutomatonDescription, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for (number, state) in shown.states.iter().enumerate() {
        write_state(number, state, out)?;
    }
    let mut arrows: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for edge in &shown.edges {
        let arrow = arrows.entry((edge.from, edge.to)).or_default();
        arrow.push(symbol(edge));
    }
    for ((from, to), labels) in arrows {
        writeln!(
            out,
            "  s{from} -> s{to} [label=\"{}\", tooltip=\"{}\"]",
            label(&labels),
            labels
                .iter()
                .map(|label| quoted(label))
                .collect::<Vec<_>>()
                .join("\\n"),
        )?;
    }
    for (node, label) in without_stack(shown) {
        writeln!(
            out,
            "  {node} [shape=box, label=\"{}\", tooltip=\"{}\"]",
            quoted(&shortened(&label)),
            quoted(&label)
        )?;
    }
    writeln!(out, "}}")
}

/// The frames of one arrow, one below the other.
fn label(labels: &[String]) -> String {
    if let [one] = labels {
        return quoted(&shortened(one));
    }
    let shown = labels.iter().take(MOST_LABELS);
    let mut lines: String = shown
        .map(|label| quoted(&shortened(label)) + "\\l")
        .collect();
    if labels.len() > MOST_LABELS {
        lines.push_str(&format!("... {} more\\l", labels.len() - MOST_LABELS));
    }
    lines
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
        quoted(&shortened(&state.name())),
        quoted(&tip)
    )
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST_LABEL {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LONGEST_LABEL - 3).collect();
    short.push_str("...");
    short
}

/// Text inside a string in quotes.
fn quoted(text: &str) -> String {
    harmless(text).replace('\\', "\\\\").replace('"', "\\\"")
}
