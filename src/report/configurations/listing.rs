//! A P-automaton as text: state by state, each frame that can be read and where it leads.

use super::{SetReport, braces, symbol, without_stack};
use crate::configurations::{AutomatonDescription, StateDescription};
use crate::report::harmless::harmless;
use std::io::{self, Write};

pub fn write(
    asked: &SetReport,
    shown: &AutomatonDescription,
    out: &mut impl Write,
) -> io::Result<()> {
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
            writeln!(out, "\n{}", harmless(&heading(shown, state)))?;
        }
        while let Some(edge) = edges.next_if(|edge| edge.from == number) {
            let to = shown.states[edge.to].name();
            let read = symbol(edge);
            writeln!(out, "  {}", harmless(&format!("{read} -> {to}")))?;
        }
    }
    let without_stack = without_stack(shown);
    if !without_stack.is_empty() {
        writeln!(out)?;
    }
    for (_, text) in &without_stack {
        writeln!(out, "{}", harmless(text))?;
    }
    if shown.edges.is_empty() && without_stack.is_empty() {
        writeln!(out, "\nnone")?;
    }
    Ok(())
}

/// What a state stands for.
fn heading(shown: &AutomatonDescription, state: &StateDescription) -> String {
    let name = state.name();
    let has_procedures = shown.control_states.is_empty();
    let meaning = match state.kind {
        "control" if has_procedures => ": the frame on top",
        "control" => ": control state and symbol on top",
        "entered" if has_procedures => ": the frame right below one that was called",
        "entered" => ": the symbol right below one that was pushed",
        "returned" if has_procedures => ": the frame right below one that will return",
        "returned" => ": the symbol right below one that will be popped",
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
