//! Reading programs, from files or standard input.

use super::ADVICE;
use super::arguments::InputArguments;
use super::console::Console;
use super::progress::ProgressLine;
use anyhow::{Context, bail};
use derny::{Error, Language, Limits, Model, Reader};
use std::path::Path;

/// The name of the input as the user gave it.
pub fn name(input: &InputArguments) -> String {
    input.file.to_string_lossy().into_owned()
}

/// The language, whatever options are given with it.
pub fn plain_language(input: &InputArguments) -> anyhow::Result<Language> {
    match input.lang {
        Some(language) => Ok(language),
        None => from_extension(&input.file),
    }
}

pub fn language(input: &InputArguments) -> anyhow::Result<Language> {
    let language = plain_language(input)?;
    if language != Language::BooleanProgram && input.threads.is_some() {
        bail!("--threads is for boolean programs: no other language has threads");
    }
    if language == Language::BooleanProgram {
        if !input.defines.is_empty() {
            bail!("-D is for other languages: a boolean program defines no names");
        }
        if input.overflow.is_some() {
            bail!("--overflow is for Remopla programs: a boolean program has no numbers");
        }
    }
    if language == Language::PushdownSystem {
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
    let extension = file.extension().and_then(|e| e.to_str());
    extension.and_then(Language::of_extension).with_context(|| {
        format!(
            "{}: the extension does not tell the language: say --lang bp for a boolean program, \
             --lang rem for Remopla, --lang pds for a pushdown system",
            file.display()
        )
    })
}

/// The model, if there are no errors in it; warnings go to standard error.
pub fn read(input: &InputArguments, language: Language, console: &Console) -> Result<Model, Error> {
    let progress = &mut ProgressLine::Silent;
    read_by(Reader::new(), input, language, progress, console)
}

/// The model, unless a limit passes before it is read.
pub fn read_within(
    input: &InputArguments,
    language: Language,
    limits: &Limits,
    progress: &mut ProgressLine,
    console: &Console,
) -> Result<Model, Error> {
    let reader = Reader::new().limits(limits);
    read_by(reader, input, language, progress, console)
}

fn read_by(
    mut reader: Reader,
    input: &InputArguments,
    language: Language,
    progress: &mut ProgressLine,
    console: &Console,
) -> Result<Model, Error> {
    reader = reader.language(language).advise(ADVICE);
    if let Some(entry) = &input.entry {
        reader = reader.entry(entry);
    }
    if let Some(threads) = &input.threads {
        reader = reader.threads(threads.0.iter().cloned());
    }
    if language != Language::BooleanProgram {
        for (name, value) in &input.defines {
            reader = reader.define(name, *value);
        }
    }
    if let Some(overflow) = input.overflow {
        reader = reader.overflow(overflow);
    }
    let model = match input.file == Path::new("-") {
        true => reader.read_from_observed("-", std::io::stdin(), |state| progress.read(&state)),
        false => reader.read_observed(&input.file, |state| progress.read(&state)),
    }?;
    console.show(model.warnings());
    Ok(model)
}
