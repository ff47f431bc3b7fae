//! Errors and warnings as plain data, for programs that show them in a place of their own:
//! editors, annotations of a build.
//!
//! One is made from each diagnostic, property error and so on; its end is found from its last
//! character. Linear in their number, but for the search for lines.

use crate::analysis::order::OrderError;
use crate::diagnostic::{Diagnostic, Severity};
use crate::error::{Diagnostics, Error, PropertyError, PropertyWarning};
use crate::property::{Kind, Request, TemporalError};
use crate::source::{Position, Source, Span};
use serde::Serialize;
use std::ops::Range;

/// An error or a warning, and where it is. Serialized, it is one JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notice {
    /// How bad it is.
    pub level: Severity,
    /// One sentence.
    pub message: String,
    /// What can be done.
    pub hint: Option<String>,
    /// The file it is about; `None` for what was written on the command line.
    pub file: Option<String>,
    /// The line of the first character, from 1; 0 if there is no place. Where there is a place
    /// but no file, it is one in the formula or set that was given.
    pub line: u32,
    /// Its column in characters, from 1; 0 if only the line is known.
    pub column: u32,
    /// The line of the last character.
    pub end_line: u32,
    /// Its column.
    pub end_column: u32,
}

impl Notice {
    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message.into())
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message.into())
    }

    fn new(level: Severity, message: String) -> Self {
        Notice {
            level,
            message,
            hint: None,
            file: None,
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
        }
    }

    fn hinting(self, hint: Option<String>) -> Self {
        Notice { hint, ..self }
    }

    /// About a file.
    pub fn in_file(self, file: impl Into<String>) -> Self {
        let file = Some(file.into());
        Notice { file, ..self }
    }

    /// About a whole line.
    fn on_line(self, line: usize) -> Self {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Notice {
            line,
            end_line: line,
            ..self
        }
    }

    fn between(self, first: Position, last: Position) -> Self {
        Notice {
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
            ..self
        }
    }

    /// About a part of a formula, which may itself stand in a file of properties.
    fn in_formula(self, property: &Request, span: &Range<usize>) -> Self {
        let source = Source::new("", property.text.clone().into_bytes());
        let place = |offset: usize| u32::try_from(offset.min(property.text.len())).unwrap_or(0);
        let span = Span::new(place(span.start), place(span.end));
        let [first, last] = source.ends(span);
        let Some(origin) = &property.origin else {
            return self.between(first, last);
        };
        let shift = |position: Position| Position {
            line: origin.line + position.line - 1,
            column: match position.line {
                1 => origin.column + position.column - 1,
                _ => position.column,
            },
        };
        self.in_file(origin.file.to_string_lossy())
            .between(shift(first), shift(last))
    }
}

impl Diagnostics {
    /// Each as plain data.
    pub fn notices(&self) -> impl Iterator<Item = Notice> {
        let texts = self.texts.iter();
        texts.flat_map(|(source, list)| list.iter().map(|one| notice(source, one)))
    }
}

fn notice(source: &Source, diagnostic: &Diagnostic) -> Notice {
    let [first, last] = source.ends(diagnostic.span);
    let notice = Notice::new(diagnostic.severity, diagnostic.message.clone())
        .hinting(diagnostic.hint.clone())
        .between(first, last);
    match source.file_of(diagnostic.span.start) {
        // A set of configurations has the name of its option.
        option if option.starts_with("--") => notice,
        file => notice.in_file(file),
    }
}

impl PropertyWarning {
    /// As plain data.
    pub fn notice(&self) -> Notice {
        Notice::warning(&self.message).in_formula(&self.property, &self.span)
    }
}

impl PropertyError {
    /// As plain data.
    pub fn notice(&self) -> Notice {
        let property = &self.property;
        let notice = |message: String| {
            Notice::error(match &property.name {
                Some(name) => format!("in `{name}`: {message}"),
                None => message,
            })
        };
        match &self.error {
            TemporalError::Syntax(error) => notice(error.to_string())
                .hinting(error.hint.clone())
                .in_formula(property, &error.span),
            TemporalError::Proposition(span, error) => {
                let notice = notice(error.message.clone()).hinting(error.hint.clone());
                match property.kind {
                    Kind::Ltl => notice.in_formula(property, span),
                    _ => notice,
                }
            }
            TemporalError::Hoa(error) => {
                let place = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
                let place = Position {
                    line: place(error.line),
                    column: place(error.column),
                };
                notice(error.message.clone())
                    .in_file(&property.text)
                    .between(place, place)
            }
            TemporalError::Letter(error) => notice(error.message.clone())
                .hinting(error.hint.clone())
                .in_file(&property.text),
            TemporalError::Translation(error) => notice(format!("{}: {error}", property.text)),
        }
    }
}

impl Error {
    /// Everything that is wrong, as plain data.
    pub fn notices(&self) -> Vec<Notice> {
        match self {
            Error::Diagnostics(diagnostics) => diagnostics.notices().collect(),
            Error::Properties(errors) => errors.iter().map(PropertyError::notice).collect(),
            Error::Specification(file, error) => {
                let notice = Notice::error(&error.message).on_line(error.line);
                vec![notice.in_file(file.to_string_lossy())]
            }
            Error::Order(error) => {
                let (OrderError::Unknown { line, .. } | OrderError::Twice { line, .. }) = error;
                vec![Notice::error(error.to_string()).on_line(*line)]
            }
            Error::Read(file, cause) => {
                let notice = Notice::error(format!("{self}: {cause}"));
                vec![notice.in_file(file.to_string_lossy())]
            }
            Error::Thread(cause) => vec![Notice::error(format!("{self}: {cause}"))],
            _ => vec![Notice::error(self.to_string())],
        }
    }
}
