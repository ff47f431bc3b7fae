//! Sets of configurations, and answers about them: text, JSON, and automata for Graphviz.

mod dot;
mod json;
mod listing;

use crate::bdd::Natural;
use crate::configurations::{AutomatonDescription, Condition, Count, EdgeDescription};
use crate::diagnostic::Advice;
use crate::error::Reason;
use std::fmt;
use std::io::{self, Write};

/// What was asked about a set of configurations, and what came of it. Displayed, it is the
/// answer as text.
#[derive(Debug)]
pub struct SetReport {
    /// The name of the input.
    pub(crate) input: String,
    /// `post` or `pre`.
    pub(crate) command: &'static str,
    /// The sets as given.
    pub(crate) sets: Vec<String>,
    /// The configurations that were asked for.
    pub(crate) contains: Option<String>,
    pub(crate) answer: Answer,
    pub(crate) advice: Advice,
}

#[derive(Debug)]
pub(crate) enum Answer {
    Automaton(AutomatonDescription),
    Contains(bool),
    Count(Count),
    Unknown(Reason),
}

impl SetReport {
    /// With advice in what people see.
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    /// Only the frames of one procedure, or of one symbol, are shown.
    pub fn of_procedure(mut self, name: &str) -> Self {
        if let Answer::Automaton(shown) = &mut self.answer {
            shown
                .edges
                .retain(|edge| edge.symbol.procedure == name || edge.symbol.name == name);
        }
        self
    }

    /// Whether the configurations asked for are among them; `None` if that was not asked, or
    /// is not known.
    pub fn contains(&self) -> Option<bool> {
        match self.answer {
            Answer::Contains(contains) => Some(contains),
            _ => None,
        }
    }

    /// Why there is no answer, if there is none.
    pub fn reason(&self) -> Option<Reason> {
        match self.answer {
            Answer::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    /// Writes the answer for people.
    pub fn write_text(&self, mut out: impl Write) -> io::Result<()> {
        match &self.answer {
            Answer::Automaton(shown) => listing::write(self, shown, &mut out),
            Answer::Contains(true) => writeln!(out, "yes"),
            Answer::Contains(false) => writeln!(out, "no"),
            Answer::Count(count) => writeln!(out, "{}", count.heads),
            Answer::Unknown(reason) => {
                writeln!(out, "unknown ({reason}{})", self.advice.about(*reason))
            }
        }
    }

    /// Writes one JSON object and a line break.
    pub fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, &json::Whole(self))?;
        writeln!(out)
    }

    /// Writes an automaton for Graphviz, and any other answer as text.
    pub fn write_dot(&self, mut out: impl Write) -> io::Result<()> {
        match &self.answer {
            Answer::Automaton(shown) => dot::write(shown, &mut out),
            _ => self.write_text(out),
        }
    }
}

impl fmt::Display for SetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write_text(&mut text).map_err(|_| fmt::Error)?;
        f.write_str(String::from_utf8_lossy(&text).trim_end())
    }
}

/// A number for scripts, if it is one that they can be expected to read.
fn small(number: &Natural) -> Option<u64> {
    u64::try_from(number).ok()
}

/// What an edge reads, as it is written: a symbol with its condition, and before it the
/// control state.
fn symbol(edge: &EdgeDescription) -> String {
    let read = format!("<{}{}>", edge.symbol.name, braces(&edge.condition));
    match &edge.control {
        Some(state) => format!("{state} {read}"),
        None => read,
    }
}

/// The configurations without a stack, each with a name that is no other's.
fn without_stack(shown: &AutomatonDescription) -> Vec<(String, String)> {
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
