//! Sets of configurations, and answers about them: text, JSON, and automata for Graphviz.

mod dot;
mod json;
mod listing;

use super::Reason;
use crate::bdd::Natural;
use crate::configurations::{Condition, Count, Shown, ShownEdge};
use std::io::{self, Write};

pub use dot::write as write_dot;

/// What was asked, and of what.
pub struct Asked<'a> {
    pub input: &'a str,
    /// `post` or `pre`.
    pub command: &'static str,
    /// The sets as given.
    pub sets: &'a [String],
    /// With `--contains`.
    pub contains: Option<&'a str>,
}

/// What came of it.
pub enum Answer {
    Automaton(Shown),
    /// With `--contains`.
    Contains(bool),
    /// With `--count`.
    Count(Count),
    Unknown(Reason),
}

pub fn write_text(asked: &Asked<'_>, answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    match answer {
        Answer::Automaton(shown) => listing::write(asked, shown, out),
        Answer::Contains(true) => writeln!(out, "yes"),
        Answer::Contains(false) => writeln!(out, "no"),
        Answer::Count(count) => writeln!(out, "{}", count.heads),
        Answer::Unknown(reason) => writeln!(out, "unknown ({})", reason.advice()),
    }
}

pub fn write_json(asked: &Asked<'_>, answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &json::Whole { asked, answer })?;
    writeln!(out)
}

/// A number for scripts, if it is one that they can be expected to read.
fn small(number: &Natural) -> Option<u64> {
    u64::try_from(number).ok()
}

/// What an edge reads, as it is written: a symbol with its condition, and before it the
/// control state.
fn symbol(edge: &ShownEdge) -> String {
    let read = format!("<{}{}>", edge.symbol.name, braces(&edge.condition));
    match &edge.control {
        Some(state) => format!("{state} {read}"),
        None => read,
    }
}

/// The configurations without a stack, each with a name that is no other's.
fn without_stack(shown: &Shown) -> Vec<(String, String)> {
    let stopped = [("error", &shown.error), ("terminated", &shown.terminated)];
    let stopped = stopped.into_iter().filter_map(|(name, condition)| {
        let text = format!("{name}{}", braces(condition.as_ref()?));
        Some((name.to_owned(), text))
    });
    let empty = shown.empty.iter().enumerate();
    let empty = empty.map(|(number, (state, condition))| {
        let text = format!("{state}{} <>", braces(condition));
        (format!("empty{number}"), text)
    });
    stopped.chain(empty).collect()
}

/// A condition alone, with a blank before it.
fn braces(condition: &Condition) -> String {
    match &condition.text {
        Some(text) if text.is_empty() => String::new(),
        Some(text) => format!(" {{{text}}}"),
        None => format!(" {{a diagram of {} nodes}}", condition.nodes),
    }
}
