//! Drawings for Graphviz.
//!
//! Left to right, accepting states doubly circled and tinted, a small arrow without a
//! tail to each initial state, labels written with proposition names, one cube a line
//! where a label is long, marks of a generalised automaton as circled numbers in colour.

use crate::automaton::Automaton;
use crate::label::{Label, Notation};
use std::fmt::Write;

const NOTATION: Notation = Notation {
    not: "¬",
    and: " ∧ ",
    or: " ∨ ",
    truth: "⊤",
    falsity: "⊥",
    enclose: true,
};

/// Labels longer than this are written one cube a line.
const LINE: usize = 28;

/// Colours of the acceptance sets, of even lightness.
const COLOURS: [&str; 8] = [
    "#1f6f8b", "#b5542d", "#4c8c4a", "#7d4ea0", "#a8324a", "#8a6d1f", "#3f51a3", "#5f6b73",
];

impl Automaton {
    /// The automaton as a Graphviz graph with `name` as its caption.
    pub fn to_dot(&self, name: &str) -> String {
        let mut out = String::from("digraph automaton {\n");
        let _ = writeln!(
            out,
            "  label=\"{}\"; labelloc=t; fontname=\"Helvetica\";",
            escape(name)
        );
        out.push_str("  rankdir=LR; bgcolor=white; nodesep=0.45; ranksep=0.65;\n");
        out.push_str(
            "  node [shape=circle, style=filled, fillcolor=\"#f7f7f5\", color=\"#444444\", \
             fontname=\"Helvetica\", fontsize=12, width=0.42, fixedsize=true];\n",
        );
        out.push_str(
            "  edge [color=\"#666666\", fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n",
        );
        for (index, state) in self.initial.iter().enumerate() {
            let _ = writeln!(
                out,
                "  start{index} [shape=point, width=0.05, color=\"#444444\"];"
            );
            let _ = writeln!(out, "  start{index} -> {state};");
        }
        for state in 0..self.states {
            if self.is_accepting(state) {
                let _ = writeln!(
                    out,
                    "  {state} [shape=doublecircle, width=0.34, fillcolor=\"#dcefe0\"];"
                );
            } else {
                let _ = writeln!(out, "  {state};");
            }
        }
        for edge in &self.edges {
            let text = self.label_text(&edge.label);
            let _ = write!(out, "  {} -> {} [label=", edge.source, edge.target);
            if self.state_based || edge.marks.iter().next().is_none() {
                let _ = writeln!(out, "\"{}\"];", escape(&text));
                continue;
            }
            let mut marks = String::new();
            for set in edge.marks.iter() {
                let colour = COLOURS[set as usize % COLOURS.len()];
                let _ = write!(
                    marks,
                    "<font color=\"{colour}\"><b>{}</b></font>",
                    circled(set)
                );
            }
            let text = html(&text).replace('\n', "<br/>");
            let _ = writeln!(out, "<{text}<br/>{marks}>];");
        }
        out.push_str("}\n");
        out
    }

    fn label_text(&self, label: &Label) -> String {
        let atom = |index: u32| self.propositions[index as usize].clone();
        let text = label.write(&NOTATION, atom);
        if text.chars().count() > LINE {
            text.replace(" ∨ ", " ∨\n")
        } else {
            text
        }
    }
}

fn circled(set: u32) -> String {
    match set {
        0 => "⓪".to_owned(),
        1..=20 => char::from_u32(0x245f + set).map_or_else(String::new, String::from),
        _ => format!("({set})"),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
