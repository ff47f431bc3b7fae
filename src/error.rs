//! What goes wrong, as users of the library and of the command line see it.

use crate::analysis::order::OrderError;
use crate::diagnostic::Diagnostic;
use crate::interpreter::replay::Mismatch;
use crate::property::{Kind, Request, SpecificationError, TemporalError};
use crate::source::{Position, Source};
use crate::watch::Stop;
use ltl2ba_rs::ParseError;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Why there is no answer.
///
/// Running out of time or memory while properties are checked is no error: it leaves findings
/// without a verdict.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    Read(PathBuf, std::io::Error),
    /// An input is too long: places in it are numbers of 32 bits.
    TooLong(PathBuf),
    /// The extension of a file does not tell its language.
    UnknownLanguage(PathBuf),
    /// What was asked for does not exist in the language of a model.
    Unsupported(&'static str),
    /// A program, a pushdown system or a set of configurations has mistakes.
    Diagnostics(Diagnostics),
    /// Properties that are badly written, or speak of what the model does not have.
    Properties(Vec<PropertyError>),
    /// A file of properties is badly written.
    Specification(PathBuf, SpecificationError),
    /// An order of variables is badly written.
    Order(OrderError),
    /// A limit has passed, and nothing is known.
    Stopped(Reason),
    /// The explicit engine met more states than it may keep.
    TooLarge,
    /// A mistake of this library, found by itself: nothing is claimed.
    Internal(String),
    /// There can be no worker thread.
    Thread(std::io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(path, _) if path.as_os_str() == "-" => {
                f.write_str("cannot read standard input")
            }
            Error::Read(path, _) => write!(f, "cannot read {}", path.display()),
            Error::TooLong(path) => write!(
                f,
                "{} is longer than {} bytes",
                path.display(),
                crate::source::MAX_SOURCE_BYTES
            ),
            Error::UnknownLanguage(path) => write!(
                f,
                "{}: the extension does not tell the language",
                path.display()
            ),
            Error::Unsupported(message) => f.write_str(message),
            Error::Diagnostics(diagnostics) => diagnostics.fmt(f),
            Error::Properties(errors) => errors.iter().try_for_each(|error| error.fmt(f)),
            Error::Specification(path, error) => write!(f, "{}:{error}", path.display()),
            Error::Order(error) => error.fmt(f),
            Error::Stopped(reason) => reason.fmt(f),
            Error::TooLarge => f.write_str("the program is too large for the explicit engine"),
            Error::Internal(message) => write!(f, "internal error: {message}"),
            Error::Thread(_) => f.write_str("cannot start a thread"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(_, error) | Error::Thread(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        Error::Stopped(match stop {
            Stop::OutOfNodes => Reason::Memory,
            Stop::Cancelled => Reason::Interrupted,
        })
    }
}

impl From<OrderError> for Error {
    fn from(error: OrderError) -> Self {
        Error::Order(error)
    }
}

impl From<Mismatch> for Error {
    fn from(mismatch: Mismatch) -> Self {
        Error::Internal(format!("a trace did not replay: {mismatch}"))
    }
}

/// Why a property was left undecided, or a trace was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The time is over.
    Timeout,
    /// The memory is used up.
    Memory,
    /// A [`Cancellation`](crate::Cancellation) was asked for.
    Interrupted,
    /// Executions of threads with more context switches might change the verdict.
    Bound,
    /// Executions come to something whose meaning is not decided.
    Unsupported,
    /// Executions need more objects on the heap, or longer ones, than are looked at.
    Heap,
    /// Predicates were added as often as they may be.
    Refinements,
    /// There is no predicate left to add.
    Predicates,
    /// An abstract trace was neither executed nor excluded.
    Trace,
}

impl Reason {
    /// As scripts see it: `timeout`, `memory`, `interrupted`, `bound`, `unsupported`, `heap`,
    /// `refinements`, `predicates` or `trace`.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::Interrupted => "interrupted",
            Reason::Bound => "bound",
            Reason::Unsupported => "unsupported",
            Reason::Heap => "heap",
            Reason::Refinements => "refinements",
            Reason::Predicates => "predicates",
            Reason::Trace => "trace",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Timeout => "out of time",
            Reason::Memory => "out of memory",
            Reason::Interrupted => "interrupted",
            Reason::Bound => "with more context switches it might be different",
            Reason::Unsupported => "executions come to something that is not decided",
            Reason::Heap => "executions need more memory than is looked at",
            Reason::Refinements => "no more predicates may be added",
            Reason::Predicates => "no predicate is left to add",
            Reason::Trace => "an abstract trace was neither executed nor excluded",
        })
    }
}

/// Errors and warnings about one text or several, in the order of the texts.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    pub(crate) texts: Vec<(Arc<Source>, Vec<Diagnostic>)>,
}

impl Diagnostics {
    pub(crate) fn new(source: Arc<Source>, list: Vec<Diagnostic>) -> Self {
        Diagnostics {
            texts: vec![(source, list)],
        }
    }

    /// Each with the name of its text and the place where it begins.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Position, &Diagnostic)> {
        self.texts.iter().flat_map(|(source, list)| {
            let place = |one: &Diagnostic| source.position(one.span.start);
            let file = |one: &Diagnostic| source.file_of(one.span.start);
            list.iter().map(move |one| (file(one), place(one), one))
        })
    }

    /// How many of them are errors.
    pub fn errors(&self) -> usize {
        let all = self.texts.iter().flat_map(|(_, list)| list);
        all.filter(|one| one.is_error()).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.iter().all(|(_, list)| list.is_empty())
    }
}

/// A line for each.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, Position { line, column }, diagnostic) in self.iter() {
            writeln!(f, "{name}:{line}:{column}: {diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// What is wrong with one property.
#[derive(Clone, Debug)]
pub struct PropertyError {
    pub(crate) property: Request,
    pub(crate) error: TemporalError,
}

impl PropertyError {
    /// The property as it was given.
    pub fn property(&self) -> &Request {
        &self.property
    }
}

/// The message, for formulas with the place under the formula; then a line break.
impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.property.text;
        let name = self.property.name.as_ref();
        let name = name.map_or(String::new(), |name| format!("in `{name}`: "));
        match &self.error {
            TemporalError::Syntax(error) => {
                let place = self.property.place(error.span.start);
                write!(f, "{name}{}", with_place(&error.render(text), place))
            }
            TemporalError::Proposition(span, error) if self.property.kind == Kind::Ltl => {
                let error = ParseError {
                    span: span.clone(),
                    message: error.message.clone(),
                    expected: None,
                    hint: error.hint.clone(),
                };
                let place = self.property.place(error.span.start);
                write!(f, "{name}{}", with_place(&error.render(text), place))
            }
            TemporalError::Proposition(_, error) => {
                writeln!(f, "error: {}", error.message)?;
                match &error.hint {
                    Some(hint) => writeln!(f, "  hint: {hint}"),
                    None => Ok(()),
                }
            }
            error => writeln!(f, "error: {name}{text}: {error}"),
        }
    }
}

/// A message, with the place in a file below its first line.
fn with_place(message: &str, place: Option<String>) -> String {
    match (place, message.split_once('\n')) {
        (Some(place), Some((first, rest))) => format!("{first}\n --> {place}\n{rest}"),
        _ => message.to_owned(),
    }
}

impl std::error::Error for PropertyError {}

/// What is doubtful about one property.
#[derive(Clone, Debug)]
pub struct PropertyWarning {
    pub(crate) property: Request,
    /// Where in its text.
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
}

impl PropertyWarning {
    /// The property as it was given.
    pub fn property(&self) -> &Request {
        &self.property
    }
}

/// The message with the place under the formula, then a line break.
impl fmt::Display for PropertyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = ltl2ba_rs::underlined(&self.property.text, &self.span);
        write!(f, "warning: {}\n{place}", self.message)
    }
}
