//! What is wrong, or doubtful, in an input: the place, the message, and what to do.
//!
//! Front ends collect diagnostics and go on; `report` draws them under their source line.

use crate::source::Span;
use serde::Serialize;
use std::fmt::{self, Display};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is decided about an input with an error.
    Error,
    /// It may not be what was meant.
    Warning,
}

impl Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// What messages say of the options that a user has; by default nothing, because a library does
/// not know how they are called.
#[derive(Clone, Copy, Debug, Default)]
pub struct Advice {
    /// How there is more time: "--timeout gives more".
    pub time: &'static str,
    /// How there is more memory.
    pub memory: &'static str,
    /// How more context switches are looked at.
    pub switches: &'static str,
    /// How there are more objects on the heap.
    pub heap: &'static str,
    /// How objects of no constant size have more elements.
    pub cells: &'static str,
    /// What can be done about places that are not decided.
    pub unsupported: &'static str,
    /// How longer traces are shown.
    pub trace_limit: &'static str,
    /// How less of a long trace is shown.
    pub long_trace: &'static str,
    /// What stands before the name of the procedure to begin with: "--entry ".
    pub entry: &'static str,
    /// What stands before the number of threads of a procedure.
    pub threads: &'static str,
    /// What stands before a defined name that gets another value.
    pub define: &'static str,
}

/// What is wrong, or doubtful, at a place of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The place.
    pub span: Span,
    /// One sentence, lower case, without a full stop: "unknown variable `x`".
    pub message: String,
    /// What stands under the underlined place, where that adds something.
    pub label: Option<String>,
    /// What the user can do: "did you mean `y`?"
    pub hint: Option<String>,
    /// A second place: "first declared here".
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    /// An error, without hint or label.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span, message)
    }

    /// A warning, without hint or label.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, span, message)
    }

    fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            span,
            message: message.into(),
            label: None,
            hint: None,
            related: None,
        }
    }

    /// Adds what stands under the underlined place.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds what the user can do.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Without one, there is no hint.
    pub fn with_hint_if_any(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Adds a second place.
    pub fn with_related(mut self, span: Span, note: impl Into<String>) -> Self {
        self.related = Some((span, note.into()));
        self
    }

    /// Whether nothing is decided about an input with it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The severity and the message, and in parentheses the hint.
impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// The first names of a list, and how many more there are.
pub fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let first = names.iter().take(most);
    let first: Vec<_> = first.map(|name| format!("`{}`", name.as_ref())).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The hint that something else was meant.
pub fn did_you_mean(meant: impl Display) -> String {
    format!("did you mean `{meant}`?")
}

/// The hint that the known name nearest to `name` was meant, if one is near enough.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(did_you_mean)
}

/// The known name nearest to `name`, if one is near enough to be what was meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing is quadratic in the length: nobody mistypes a name of hundreds of characters.
    const LONGEST: usize = 200;
    if name.len() > LONGEST {
        return None;
    }
    let length = name.chars().count();
    let allowed = length.div_ceil(3).max(1);
    known
        .into_iter()
        .filter(|k| k.len() <= LONGEST && *k != name)
        .map(|k| (strsim::damerau_levenshtein(name, k), k))
        // A name in which every letter is another one was not meant.
        .filter(|(distance, _)| *distance <= allowed && *distance < length)
        .min()
        .map(|(_, k)| k)
}
