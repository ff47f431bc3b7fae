//! Reading programs, from files or standard input.

use super::arguments::{InputArguments, Language, OverflowArgument};
use crate::diagnostic::Diagnostic;
use crate::lower::{self, RemoplaOptions};
use crate::program::{Overflow, Program};
use crate::pushdown::System;
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
    let language = match input.lang {
        Some(language) => language,
        None => from_extension(&input.file)?,
    };
    if language == Language::Bp {
        if !input.defines.is_empty() {
            bail!("-D is for other languages: a boolean program defines no names");
        }
        if input.overflow.is_some() {
            bail!("--overflow is for Remopla programs: a boolean program has no numbers");
        }
    }
    if language == Language::Pds {
        if input.overflow.is_some() {
            bail!("--overflow is for Remopla programs: in a pushdown system numbers are exact");
        }
        if input.entry.is_some() {
            bail!("--entry is for programs: a pushdown system says itself where it begins");
        }
    }
    Ok(language)
}

fn from_extension(file: &Path) -> anyhow::Result<Language> {
    if file == Path::new("-") {
        bail!("standard input has no extension that tells the language: say --lang bp, rem or pds");
    }
    match file.extension().and_then(|e| e.to_str()) {
        Some("bp") => Ok(Language::Bp),
        Some("rem") => Ok(Language::Rem),
        Some("pds") => Ok(Language::Pds),
        _ => bail!(
            "{}: the extension does not tell the language: say --lang bp for a boolean program, \
             --lang rem for Remopla, --lang pds for a pushdown system",
            file.display()
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

/// What a file may hold.
pub enum Input {
    Program(Program),
    System(System),
}

/// The program or pushdown system, or `None` if there are errors. All diagnostics go to
/// standard error.
pub fn parse(source: Arc<Source>, language: Language, input: &InputArguments) -> Option<Input> {
    let entry = input.entry.as_deref();
    let program =
        |(program, diagnostics): (Option<Program>, _)| (program.map(Input::Program), diagnostics);
    let (parsed, diagnostics) = match language {
        Language::Bp => {
            let entry = entry.unwrap_or("main");
            program(lower::boolean_program(source.clone(), entry))
        }
        Language::Rem => {
            let options = remopla_options(input);
            program(lower::remopla(source.clone(), entry, &options))
        }
        Language::Pds => {
            let (system, diagnostics) = lower::pushdown_system(source.clone(), &input.defines);
            (system.map(Input::System), diagnostics)
        }
    };
    complain(&source, &diagnostics);
    parsed
}

/// Shows diagnostics on standard error.
pub fn complain(source: &Source, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = render(source, diagnostics, color);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

fn remopla_options(input: &InputArguments) -> RemoplaOptions {
    RemoplaOptions {
        defines: input.defines.clone(),
        overflow: match input.overflow {
            None | Some(OverflowArgument::Error) => Overflow::Error,
            Some(OverflowArgument::Wrap) => Overflow::Wrap,
            Some(OverflowArgument::Block) => Overflow::Block,
        },
    }
}
