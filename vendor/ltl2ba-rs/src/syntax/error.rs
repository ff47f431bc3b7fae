//! What can be wrong with a formula's text, and what is worth a warning.

use crate::syntax::proposition::Span;
use std::fmt;

/// A syntax error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes at fault; empty at the end of the text.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What would have been right here, if that can be said.
    pub expected: Option<String>,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl ParseError {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        ParseError {
            span,
            message: message.into(),
            expected: None,
            hint: None,
        }
    }

    pub(crate) fn expecting(mut self, expected: &str) -> Self {
        self.expected = Some(expected.to_owned());
        self
    }

    pub(crate) fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The message with the line at fault and carets under the place.
    pub fn render(&self, text: &str) -> String {
        let mut out = format!("error: {self}\n");
        out.push_str(&underlined(text, &self.span));
        if let Some(hint) = &self.hint {
            out.push_str(&format!("  hint: {hint}\n"));
        }
        out
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.expected {
            Some(expected) => write!(f, ", expected {expected}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// A mix of operators without parentheses that Spin and ltl2ba read differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The bytes of the whole mix.
    pub span: Span,
    /// How it is read here, fully parenthesised; long operands are elided.
    pub reading: String,
    /// How Spin and ltl2ba read it.
    pub spin_reading: String,
}

impl Warning {
    /// The warning with the line it is about and carets under the mix.
    pub fn render(&self, text: &str) -> String {
        let mut out = format!("warning: {self}\n");
        out.push_str(&underlined(text, &self.span));
        out
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this is read as `{}`, but Spin and ltl2ba would read `{}`; parentheses make it plain",
            self.reading, self.spin_reading
        )
    }
}

/// How much of a line is shown on either side of the place.
const SHOWN: usize = 60;

/// The line of the span, cut to a window around it, and a line of carets.
pub fn underlined(text: &str, span: &Span) -> String {
    let start = floor(text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let from = floor(text, line_start.max(start.saturating_sub(SHOWN)));
    let to = floor(text, line_end.min(start + SHOWN));
    let end = floor(text, span.end.clamp(start, to.max(start)));
    let blanks: String = text[from..start]
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let width = text[start..end].chars().count().max(1);
    let before = if from > line_start { "…" } else { "" };
    let after = if to < line_end { "…" } else { "" };
    let pad = if before.is_empty() { "" } else { " " };
    format!(
        "  | {before}{}{after}\n  | {pad}{blanks}{}\n",
        text[from..to].trim_end_matches('\r'),
        "^".repeat(width)
    )
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
