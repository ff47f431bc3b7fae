//! Reading programs, from files or standard input.

use super::ADVICE;
use super::console::Console;
use super::input_arguments::{Definition, InputArguments};
use super::progress::ProgressLine;
use anyhow::{Context, bail};
use derny::{Error, Language, Limits, Model, Reader};
use std::path::{Path, PathBuf};

/// The name of the input as the user gave it.
pub fn name(input: &InputArguments) -> String {
    input.first().to_string_lossy().into_owned()
}

/// The language. What is defined may be parameters of equations.
pub fn plain_language(input: &InputArguments) -> anyhow::Result<Language> {
    let language = match input.lang {
        Some(language) => language,
        None => from_extension(input)?,
    };
    input.supports(language)?;
    Ok(language)
}

pub fn language(input: &InputArguments) -> anyhow::Result<Language> {
    let language = plain_language(input)?;
    if language == Language::BooleanProgram && !input.defines.is_empty() {
        bail!("-D is for other languages: a boolean program defines no names");
    }
    Ok(language)
}

/// All files of a program are in the same language.
fn from_extension(input: &InputArguments) -> anyhow::Result<Language> {
    let of_file = |file: &Path| {
        if file == Path::new("-") {
            bail!(
                "standard input has no extension that tells the language: say --lang bp, rem, pds \
                 or c"
            );
        }
        let extension = file.extension().and_then(|e| e.to_str());
        extension.and_then(Language::of_extension).with_context(|| {
            format!(
                "{}: the extension does not tell the language: say --lang bp for a boolean \
                 program, --lang rem for Remopla, --lang pds for a pushdown system, --lang c for C",
                file.display()
            )
        })
    };
    let language = of_file(input.first())?;
    for file in &input.files[1..] {
        if of_file(file)? != language {
            bail!(
                "{} and {} are in different languages",
                input.first().display(),
                file.display()
            );
        }
    }
    Ok(language)
}

/// The model, if there are no errors in it; warnings go to standard error.
pub fn read(input: &InputArguments, language: Language, console: &Console) -> Result<Model, Error> {
    let progress = &mut ProgressLine::Silent;
    read_by(Reader::new(), input, language, progress, console)
}

/// The model, unless a limit passes before it is read.
pub fn read_within(
    input: &InputArguments,
    rules: &[PathBuf],
    language: Language,
    limits: &Limits,
    progress: &mut ProgressLine,
    console: &Console,
) -> Result<Model, Error> {
    let mut reader = Reader::new().limits(limits);
    for rule in rules {
        reader = reader.rule(rule);
    }
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
    match language {
        Language::BooleanProgram => {}
        Language::Remopla | Language::PushdownSystem => {
            // That they are numbers has been looked at with the language.
            for (name, value) in input.numbers().unwrap_or_default() {
                reader = reader.define(name, value);
            }
        }
        Language::C => reader = in_c(reader, input),
    }
    if let Some(overflow) = input.overflow {
        reader = reader.overflow(overflow);
    }
    let file = input.first();
    let model = match file == Path::new("-") {
        true => reader.read_from_observed("-", std::io::stdin(), |state| progress.read(&state)),
        false => reader.read_observed(file, |state| progress.read(&state)),
    }?;
    console.show(model.warnings());
    Ok(model)
}

/// The options of C.
fn in_c(mut reader: Reader, input: &InputArguments) -> Reader {
    for file in &input.files[1..] {
        reader = reader.file(file);
    }
    for Definition { name, text } in &input.defines {
        reader = reader.define_macro(name, text.as_deref());
    }
    let c = &input.c;
    for directory in &c.include {
        reader = reader.include(directory);
    }
    if let Some(command) = &c.cpp {
        reader = reader.preprocessor(command);
    }
    if let Some(model) = c.model {
        reader = reader.data_model(model);
    }
    if let Some(externs) = c.externs {
        reader = reader.externs(externs);
    }
    if let Some(may_fail) = c.malloc {
        reader = reader.malloc_may_fail(may_fail);
    }
    if let Some(objects) = c.heap {
        reader = reader.heap(objects);
    }
    if let Some(elements) = c.cells {
        reader = reader.cells(elements);
    }
    reader
}
