//! A P-automaton as text: state by state, each frame that can be read and where it leads.

use super::{Asked, braces, symbol};
use crate::configurations::{Shown, ShownState};
use crate::report::excerpt::harmless;
use std::io::{self, Write};

pub fn write(asked: &Asked<'_>, shown: &Shown, out: &mut impl Write) -> io::Result<()> {
    let sets: Vec<_> = asked.sets.iter().map(|set| harmless(set)).collect();
    let what = match asked.command {
        "pre" => "that can reach",
        _ => "reachable from",
    };
    writeln!(out, "configurations {what} {}", sets.join(" | "))?;
    let mut edges = shown.edges.iter().peekable();
    for (number, state) in shown.states.iter().enumerate() {
        let has_edges = edges.peek().is_some_and(|edge| edge.from == number);
        if number > 0 || has_edges {
            writeln!(out, "\n{}", harmless(&heading(state)))?;
        }
        while let Some(edge) = edges.next_if(|edge| edge.from == number) {
            let to = shown.states[edge.to].name();
            let read = symbol(&edge.symbol.name, &edge.condition);
            writeln!(out, "  {}", harmless(&format!("{read} -> {to}")))?;
        }
    }
    let without_stack = [("error", &shown.error), ("terminated", &shown.terminated)];
    let mut first = true;
    for (name, condition) in without_stack {
        if let Some(condition) = condition {
            if std::mem::take(&mut first) {
                writeln!(out)?;
            }
            writeln!(out, "{}", harmless(&format!("{name}{}", braces(condition))))?;
        }
    }
    if shown.edges.is_empty() && first {
        writeln!(out, "\nnone")?;
    }
    Ok(())
}

/// What a state stands for.
fn heading(state: &ShownState) -> String {
    let name = state.name();
    let meaning = match state.kind {
        "control" => ": the frame on top",
        "entered" => ": the frame right below one that was called",
        "returned" => ": the frame right below one that will return",
        "empty" => ": nothing is below",
        "any" => ": any stack is below",
        "stack" => ": a stack as it was given",
        _ => "",
    };
    let accepts = match (&state.accepts, state.kind) {
        (None, _) | (_, "empty" | "any") => String::new(),
        (Some(condition), _) => format!(", or nothing{}", braces(condition)),
    };
    format!("{name}{meaning}{accepts}")
}
