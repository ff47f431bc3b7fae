//! Programs as symbolic pushdown systems, in the text form `.pds`.
//!
//! The rules are those that every engine works on ([`crate::rules`]), written down: each head
//! is a stack symbol that carries the locals of its procedure, there is one control state,
//! and each effect becomes conditions (`relation`) on terms of `.pds` (`expression`). Two
//! symbols stand for the end: `error`, to which a step that fails leads, and `terminated`,
//! which lies below the lowest frame from the beginning. Both have a rule to themselves, so
//! that an execution that has ended stays there for ever, as it does in a program.
//!
//! What formulas speak of keeps its name: globals are globals, and procedures and labels are
//! atoms of the symbols they belong to. Two steps are added to an execution: the first one,
//! which puts the entry point on `terminated`, and one on the way back from a call, where
//! targets are set. Both repeat what was true before: a returning symbol is what is left of
//! the callee's exit point, one step longer, and bears the callee's name. So everything that
//! cannot count steps has the same verdict: reachability, and formulas without X.
//!
//! Every variable counts, nothing is left out because it is dead; the result does not depend
//! on what is asked.

mod expression;
mod formula;
mod names;
mod relation;
mod system;
mod text;
mod variables;

pub use names::Renamed;

use crate::diagnostic::{Advice, Diagnostic};
use crate::lower::pushdown_system;
use crate::program::{NUMBER_BITS, Program};
use crate::rules::{Layout, Rules};
use crate::source::{MAX_SOURCE_BYTES, Source, Span};
use std::fmt;
use std::sync::Arc;
use system::Writer;

/// A pushdown system as text, and the names in it that are not the program's.
#[derive(Debug)]
pub struct Translation {
    /// The system.
    pub text: String,
    /// The names that could not stay as they are.
    pub renamed: Vec<Renamed>,
}

/// The widest variables have so many bits.
const VARIABLE_BITS: u32 = 64;

/// Why there is no such system.
#[derive(Debug)]
enum Untranslatable {
    /// A number may be too large for `.pds`.
    TooWide,
    /// A condition would be too long.
    TooLong,
    /// A truth value where a number is expected, or the other way round. No front end makes
    /// such a program.
    MixedKinds,
    /// An operation on numbers of two's complement, as C programs have.
    TwosComplement,
    /// What was written is no such system, for this reason.
    Refused(String),
}

impl fmt::Display for Untranslatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this cannot be written as .pds: ")?;
        match self {
            Untranslatable::TooWide => write!(f, "a number may need more than {NUMBER_BITS} bits"),
            Untranslatable::TooLong => f.write_str("the condition would be too long"),
            Untranslatable::MixedKinds => f.write_str("it mixes numbers and truth values"),
            Untranslatable::TwosComplement => {
                f.write_str("it computes with numbers of a fixed width")
            }
            Untranslatable::Refused(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Untranslatable {}

impl Untranslatable {
    fn diagnostic(&self, span: Span) -> Diagnostic {
        Diagnostic::error(span, self.to_string())
    }
}

/// The pushdown system of a program; or what in the program cannot be said in `.pds`.
pub fn translate(program: &Program) -> Result<Translation, Diagnostic> {
    let rules = Rules::of_program(program, Layout::of(program), true);
    let (translation, rules) = Writer::new(program, &rules).write()?;
    let first = program.procedure(program.entry).span;
    if translation.text.len() as u64 > MAX_SOURCE_BYTES {
        let message = format!("the pushdown system is longer than {MAX_SOURCE_BYTES} bytes");
        return Err(Diagnostic::error(first, message));
    }
    // What `.pds` refuses, such as terms that are too wide, is said of the statement it is from.
    let source = Source::new("", translation.text.clone().into_bytes());
    let (_, diagnostics) = pushdown_system(Arc::new(source), &[], Advice::default());
    match diagnostics.into_iter().find(Diagnostic::is_error) {
        None => Ok(translation),
        Some(wrong) => {
            let rule = rules.partition_point(|(start, _)| *start <= wrong.span.start as usize);
            let at = rule.checked_sub(1).map(|rule| rules[rule].1);
            let span = at.map_or(first, |at| program.point(at).span);
            Err(Untranslatable::Refused(wrong.message).diagnostic(span))
        }
    }
}
