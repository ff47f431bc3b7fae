//! Options about what is read, which all commands have that read a program.

use super::arguments::DiagnosticsFormat;
use super::choices::{self, one_of};
use anyhow::{Context, bail, ensure};
use clap::Args;
use derny::{DataModel, Externs, Language, Overflow};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct InputArguments {
    /// The program; `-` is standard input (then --lang is needed). A C program may have several
    /// files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// The language; otherwise the file's extension tells
    #[arg(long, value_parser = one_of(choices::LANGUAGES))]
    pub lang: Option<Language>,

    /// The procedure in which executions begin [default: main, or what a Remopla program says
    /// after `init`]; with declared threads, the one that runs before them [default: init]
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,

    /// How many threads of which procedures there are, with arbitrary arguments, instead of those
    /// that a boolean program declares: `p=2,q=1`
    #[arg(long, value_name = "PROC=N,…", value_parser = thread_counts)]
    pub threads: Option<ThreadCounts>,

    /// Give a defined name another value, or define a macro of C; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<Definition>,

    /// What happens to a number that does not fit its variable [default: error]; in C, to the
    /// result of a signed computation [default: wrap]
    #[arg(long, value_parser = one_of(choices::OVERFLOWS))]
    pub overflow: Option<Overflow>,

    #[command(flatten)]
    pub c: CArguments,

    /// How errors and warnings are written to standard error
    #[arg(long, value_enum, default_value = "text")]
    pub diagnostics: DiagnosticsFormat,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "C")]
pub struct CArguments {
    /// How wide integers and pointers of C are [default: lp64]
    #[arg(long, value_parser = one_of(choices::DATA_MODELS))]
    pub model: Option<DataModel>,

    /// Where included files are looked for; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Preprocess C files by this command, which reads standard input, instead of here: 'gcc -E -'
    #[arg(long, value_name = "COMMAND")]
    pub cpp: Option<String>,

    /// What functions without body do [default: pure]
    #[arg(long, value_parser = one_of(choices::EXTERNS))]
    pub externs: Option<Externs>,

    /// Whether `malloc` may return a null pointer [default: never-fails]
    #[arg(long, value_parser = one_of(choices::ALLOCATIONS))]
    pub malloc: Option<bool>,

    /// How many objects each `malloc` in the text has at a time [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub heap: Option<u32>,

    /// How many elements an object has at most whose size is no constant [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub cells: Option<u32>,
}

impl CArguments {
    /// The first option that was given, of those that only C has.
    fn given(&self) -> Option<&'static str> {
        let options = [
            ("--model", self.model.is_some()),
            ("-I", !self.include.is_empty()),
            ("--cpp", self.cpp.is_some()),
            ("--externs", self.externs.is_some()),
            ("--malloc", self.malloc.is_some()),
            ("--heap", self.heap.is_some()),
            ("--cells", self.cells.is_some()),
        ];
        let mut given = options.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(option, _)| option)
    }
}

impl InputArguments {
    /// The file that gives the input its name.
    pub fn first(&self) -> &PathBuf {
        &self.files[0]
    }

    /// Says what is not for a language.
    pub fn supports(&self, language: Language) -> anyhow::Result<()> {
        if language == Language::C {
            if self.threads.is_some() {
                bail!("--threads is for boolean programs: no other language has threads");
            }
            if self.files.len() > 1 && self.files.iter().any(|file| file.as_os_str() == "-") {
                bail!("standard input is a program of one file");
            }
            return Ok(());
        }
        if let Some(option) = self.c.given() {
            bail!("{option} is for C programs");
        }
        if self.files.len() > 1 {
            bail!("several files are for C programs: this is one program of one file");
        }
        if language != Language::BooleanProgram && self.threads.is_some() {
            bail!("--threads is for boolean programs: no other language has threads");
        }
        if language == Language::BooleanProgram && self.overflow.is_some() {
            bail!("--overflow is for Remopla and C programs: a boolean program has no numbers");
        }
        if language == Language::PushdownSystem {
            if self.overflow.is_some() {
                bail!(
                    "--overflow is for Remopla and C programs: in a pushdown system numbers are \
                     exact"
                );
            }
            if self.entry.is_some() {
                bail!("--entry is for programs: a pushdown system says itself where it begins");
            }
        }
        self.numbers()?;
        Ok(())
    }

    /// The defined names with their numbers, in other languages than C.
    pub fn numbers(&self) -> anyhow::Result<Vec<(String, i128)>> {
        self.defines.iter().map(Definition::number).collect()
    }
}

/// `NAME` or `NAME=TEXT`.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub text: Option<String>,
}

impl Definition {
    fn number(&self) -> anyhow::Result<(String, i128)> {
        let Definition { name, text } = self;
        let text = text.as_deref();
        let value = text.with_context(|| format!("-D {name}: expected NAME=VALUE"))?;
        let number = value.parse::<i128>().ok();
        let number = number.filter(|number| number.unsigned_abs() <= u128::from(u64::MAX));
        let number = number
            .with_context(|| format!("-D {name}: `{value}` is no number, or too large a one"))?;
        Ok((name.clone(), number))
    }
}

fn definition(text: &str) -> anyhow::Result<Definition> {
    let (name, text) = match text.split_once('=') {
        Some((name, text)) => (name, Some(text.to_owned())),
        None => (text, None),
    };
    ensure!(!name.is_empty(), "expected a name before the `=`");
    let name = name.to_owned();
    Ok(Definition { name, text })
}

/// Procedures, and how many threads each has.
#[derive(Clone, Debug)]
pub struct ThreadCounts(pub Vec<(String, u64)>);

/// `p=2,q=1`. A name in braces may have commas in it.
fn thread_counts(text: &str) -> anyhow::Result<ThreadCounts> {
    let mut counts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let name = match rest.starts_with('{') {
            true => rest.find('}').map_or(0, |end| end + 1),
            false => 0,
        };
        let end = rest[name..].find(',').map_or(rest.len(), |end| name + end);
        let start = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let (name, count) = start[name..]
            .find('=')
            .map(|sign| start.split_at(name + sign))
            .with_context(|| format!("expected PROC=N, found `{start}`"))?;
        ensure!(!name.is_empty(), "expected a procedure before the `=`");
        let count = &count[1..];
        let number = count.parse::<u64>().ok();
        let number =
            number.with_context(|| format!("`{count}` is no number of threads of `{name}`"))?;
        counts.push((name.to_owned(), number));
    }
    ensure!(
        counts.iter().any(|(_, count)| *count > 0),
        "this is no thread at all"
    );
    Ok(ThreadCounts(counts))
}
