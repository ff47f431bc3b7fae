//! Reading programs, from files or standard input.

use super::arguments::{InputArguments, Language};
use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::report::diagnostics::render;
use crate::source::{MAX_SOURCE_BYTES, Source};
use anyhow::{Context, bail};
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// The name of the input as the user gave it.
pub fn name(input: &InputArguments) -> String {
    input.file.to_string_lossy().into_owned()
}

pub fn language(input: &InputArguments) -> anyhow::Result<Language> {
    if let Some(language) = input.lang {
        return Ok(language);
    }
    if input.file == Path::new("-") {
        bail!("standard input has no extension that tells the language: say --lang bp");
    }
    let extension = input.file.extension().and_then(|e| e.to_str());
    match extension {
        Some("bp") => Ok(Language::Bp),
        Some(other @ ("rem" | "pds")) => bail!(
            "{}: `.{other}` programs cannot be read yet, only boolean programs (`.bp`)",
            input.file.display()
        ),
        _ => bail!(
            "{}: the extension does not tell the language: say --lang bp for a boolean program",
            input.file.display()
        ),
    }
}

pub fn read(input: &InputArguments) -> anyhow::Result<Arc<Source>> {
    let name = name(input);
    let mut bytes = Vec::new();
    let too_long = || format!("{name} is longer than {MAX_SOURCE_BYTES} bytes");
    if name == "-" {
        let limit = MAX_SOURCE_BYTES + 1;
        std::io::stdin()
            .take(limit)
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
    } else {
        let file = std::fs::File::open(&input.file);
        let file = file.with_context(|| format!("cannot read {name}"))?;
        if let Ok(metadata) = file.metadata() {
            if metadata.len() > MAX_SOURCE_BYTES {
                bail!(too_long());
            }
            bytes.reserve_exact(metadata.len() as usize);
        }
        file.take(MAX_SOURCE_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {name}"))?;
    }
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        bail!(too_long());
    }
    Ok(Arc::new(Source::new(name, bytes)))
}

/// The program, or `None` if there are errors. All diagnostics go to standard error.
pub fn parse(source: Arc<Source>, language: Language, entry: &str) -> Option<Program> {
    let (program, diagnostics) = match language {
        Language::Bp => crate::lower::boolean_program(source.clone(), entry),
    };
    complain(&source, &diagnostics);
    program
}

/// Shows diagnostics on standard error.
pub fn complain(source: &Source, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = render(source, diagnostics, color);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
