//! Standard streams: results go to standard output; errors and warnings to standard error, drawn
//! for people or as JSON.

use super::Exit;
use super::arguments::DiagnosticsFormat;
use super::progress::ProgressLine;
use anyhow::anyhow;
use derny::{Diagnostics, Error, Event, Notice};
use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// Where errors and warnings go.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    format: DiagnosticsFormat,
}

impl Console {
    pub fn new(format: DiagnosticsFormat) -> Self {
        Console { format }
    }

    /// One for arguments that could not be read, in the format they seem to ask for.
    pub fn guess() -> Self {
        let arguments: Vec<_> = std::env::args_os().collect();
        let asks = arguments.iter().any(|one| one == "--diagnostics=json")
            || arguments
                .windows(2)
                .any(|two| two[0] == "--diagnostics" && two[1] == "json");
        Console::new(match asks {
            true => DiagnosticsFormat::Json,
            false => DiagnosticsFormat::Text,
        })
    }

    /// Errors and warnings about a text.
    pub fn show(&self, diagnostics: &Diagnostics) {
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = || diagnostics.draw(color) + &count(diagnostics.errors());
        self.say(text, diagnostics.notices());
    }

    /// What happens during a run: warnings, and how far it has come.
    pub fn observe(&self, event: Event, progress: &mut ProgressLine) {
        match event {
            Event::Diagnostics(warnings) => self.show(&warnings),
            Event::Warning(warning) => self.say(|| warning.to_string(), [warning.notice()]),
            Event::Progress(state) => progress.update(&state),
            _ => {}
        }
    }

    /// What should be known beside the results.
    pub fn warn(&self, message: impl Display) {
        let notice = Notice::warning(message.to_string());
        self.say(|| format!("warning: {message}\n"), [notice]);
    }

    /// Says what is wrong with what was given.
    pub fn complain(&self, error: Error) -> Exit {
        match error {
            Error::Diagnostics(diagnostics) => self.show(&diagnostics),
            Error::Properties(_) => {
                let text = || error.to_string() + &count(error.notices().len());
                self.say(text, error.notices())
            }
            Error::Internal(_) => {
                let text = format!(
                    "{error}\n\
                     Nothing is claimed about this program. Please report this, with the program and the command."
                );
                self.say(|| format!("error: {text}\n"), [Notice::error(&text)]);
                return Exit::Internal;
            }
            _ => self.fail(&error.into()),
        }
        Exit::BadInput
    }

    /// Says why there is no answer.
    pub fn fail(&self, error: &anyhow::Error) {
        self.say(|| format!("error: {error:#}\n"), notices(error));
    }

    /// Writes a text, or the notices that say the same, one a line. If nobody listens, there is
    /// nobody to tell.
    pub fn say(&self, text: impl FnOnce() -> String, notices: impl IntoIterator<Item = Notice>) {
        let text = match self.format {
            DiagnosticsFormat::Text => text(),
            DiagnosticsFormat::Json => {
                let line = |notice| serde_json::to_string(&notice).map(|line| line + "\n");
                let lines = notices.into_iter().filter_map(|notice| line(notice).ok());
                lines.collect()
            }
        };
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Writes to standard output. A reader that has seen enough does not change the answer.
pub fn print(
    what: &str,
    write: impl FnOnce(&mut BufWriter<StdoutLock<'_>>) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow!("cannot write {what}: {error}"))
        }
        _ => Ok(()),
    }
}

/// What is wrong, as plain data.
pub fn notices(error: &anyhow::Error) -> Vec<Notice> {
    match error.downcast_ref::<Error>() {
        Some(error) => error.notices(),
        None => vec![Notice::error(format!("{error:#}"))],
    }
}

/// A line with the number of errors, if there are several.
fn count(errors: usize) -> String {
    match errors {
        0 | 1 => String::new(),
        _ => format!("{errors} errors\n"),
    }
}
