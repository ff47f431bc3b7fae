//! The options of predicate abstraction.

use super::choices::{self, one_of};
use super::console::print;
use anyhow::Context;
use clap::Args;
use derny::{Abstraction, Checker, Report};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct AbstractionArguments {
    /// How a program in C or Remopla is looked at [default: auto for C, none for Remopla]
    #[arg(long, value_parser = one_of(choices::ABSTRACTIONS), help_heading = "Abstraction")]
    pub abstraction: Option<Abstraction>,

    /// Predicates to begin with, one a line: `expr` on globals, or `f: expr`; means
    /// --abstraction predicates
    #[arg(long, value_name = "FILE", help_heading = "Abstraction")]
    pub predicates: Option<PathBuf>,

    /// Show the predicates used at the end, in the form of --predicates
    #[arg(long, help_heading = "Abstraction")]
    pub show_predicates: bool,

    /// Write the boolean program, the predicates and the trace of each round into a folder:
    /// N.bp, N.predicates, N.trace.json
    #[arg(long, value_name = "DIR", help_heading = "Abstraction")]
    pub keep: Option<PathBuf>,

    /// How often predicates may be added
    #[arg(
        long,
        value_name = "N",
        default_value_t = 200,
        help_heading = "Abstraction"
    )]
    pub refinements: u64,
}

impl AbstractionArguments {
    /// How the program is looked at.
    pub fn apply<'o>(&self, mut checker: Checker<'o>) -> anyhow::Result<Checker<'o>> {
        if let Some(file) = &self.predicates {
            let text = std::fs::read_to_string(file);
            let text = text.with_context(|| format!("cannot read {}", file.display()))?;
            checker = checker
                .abstraction(Abstraction::Predicates)
                .predicate_file(file, &text);
        }
        if let Some(method) = self.abstraction {
            checker = checker.abstraction(method);
        }
        if let Some(folder) = &self.keep {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            checker = checker.keep(folder);
        }
        Ok(checker.refinements(self.refinements))
    }

    /// Shows the predicates, if that is wanted.
    pub fn show(&self, report: &Report) -> anyhow::Result<()> {
        if !self.show_predicates {
            return Ok(());
        }
        let used = report
            .findings()
            .filter_map(|finding| finding.abstraction());
        let lines: BTreeSet<String> = used.flat_map(|summary| summary.lines()).collect();
        print("the predicates", |out| {
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))
        })
    }
}
