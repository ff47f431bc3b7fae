//! Atomic propositions: kept as text, since only the user of the crate knows what
//! they mean.

use std::ops::Range;

/// Bytes `start..end` of the formula's text.
pub type Span = Range<usize>;

/// How a proposition was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A bare word, possibly with dots: `g`, `p.x`, `p.{name}`.
    Word,
    /// Any text in braces, kept with its braces and blanks: `{x == y}`.
    Braces,
    /// Any text in double quotes, kept without them: `"x > 1"`.
    Quoted,
    /// `at(…)`, `call(…)`, `in(…)` or `state(…)`; the text is without blanks around the argument.
    Call,
}

/// An atomic proposition. Occurrences with the same text are the same proposition, however
/// they are written: quoting only protects text from being read as something else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// The text that names it, without the quotes of a quoted one.
    pub text: String,
    /// How it was first written.
    pub kind: Kind,
    /// Where it first occurs.
    pub span: Span,
}

impl Proposition {
    /// A bare word, for formulas that are built rather than parsed.
    pub fn word(text: impl Into<String>) -> Self {
        Proposition {
            text: text.into(),
            kind: Kind::Word,
            span: 0..0,
        }
    }

    /// The proposition as it is written in a formula.
    pub fn source(&self) -> String {
        if self.kind != Kind::Quoted && !self.needs_quotes() {
            return self.text.clone();
        }
        let mut quoted = String::from("\"");
        for c in self.text.chars() {
            if c == '"' || c == '\\' {
                quoted.push('\\');
            }
            quoted.push(c);
        }
        quoted.push('"');
        quoted
    }

    /// Whether a bare word would be read as something else; parsed words never are.
    fn needs_quotes(&self) -> bool {
        let reserved = ["G", "F", "X"].contains(&self.text.as_str())
            || self.text.eq_ignore_ascii_case("true")
            || self.text.eq_ignore_ascii_case("false");
        let odd = !self
            .text
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
        self.kind == Kind::Word && (reserved || odd)
    }
}
