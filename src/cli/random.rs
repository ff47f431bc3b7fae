//! `derny generate random`: the options of random programs.

use clap::{Args, value_parser};
use derny::generate::random::Options;

/// What is not given is as the preset says.
#[derive(Debug, Args)]
#[command(after_help = "\
Without a preset, --small. The same seed and options give the same program on every machine. \
Labels are named L0, L1, ...; in a --driver the label `never` is unreachable.")]
pub struct RandomArguments {
    /// Which program
    #[arg(long, value_name = "NUMBER")]
    seed: u64,

    /// A few procedures with every kind of statement, to test checkers on
    #[arg(long, conflicts_with = "driver", help_heading = "Presets")]
    small: bool,

    /// The shape of SLAM's device drivers: 17,000 lines, 160 procedures
    #[arg(long, help_heading = "Presets")]
    driver: bool,

    /// A few threads with every statement for them, to test checkers on
    #[arg(long, conflicts_with_all = ["driver", "small"], help_heading = "Presets")]
    threaded: bool,

    /// How many procedures, `main` among them
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Size")]
    procedures: Option<u32>,

    /// How many globals
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=10_000), help_heading = "Size")]
    globals: Option<u32>,

    /// At most how many locals a procedure
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=10_000), help_heading = "Size")]
    locals: Option<u32>,

    /// At most how many parameters a procedure
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=10_000), help_heading = "Size")]
    parameters: Option<u32>,

    /// At most how many return values a procedure
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=10_000), help_heading = "Size")]
    returns: Option<u32>,

    /// About how many statements a procedure
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Size")]
    statements: Option<u32>,

    /// At most how many labels a procedure
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=1_000), help_heading = "Size")]
    labels: Option<u32>,

    /// At most how many threads there are from the start; 0 for a program without threads
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=1_000), help_heading = "Size")]
    threads: Option<u32>,

    /// How deep statements nest
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=100), help_heading = "Size")]
    nesting: Option<u32>,

    /// How many conditions and values are `*`
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    nondeterminism: Option<u32>,

    /// How many other conditions are over two or more variables
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    wide: Option<u32>,

    /// How many calls may be recursive
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    recursion: Option<u32>,

    /// How many branches end in a `goto`
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    gotos: Option<u32>,

    /// How often a statement is `dead`
    #[arg(long, value_name = "WEIGHT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    dead: Option<u32>,

    /// How many values are a `schoose`
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    schoose: Option<u32>,

    /// How often a statement is `assume`, `constrain` or `abortif`
    #[arg(long, value_name = "WEIGHT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    assumes: Option<u32>,

    /// How often a statement is `assert`
    #[arg(long, value_name = "WEIGHT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    asserts: Option<u32>,

    /// How often a statement is a call
    #[arg(long, value_name = "WEIGHT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    calls: Option<u32>,

    /// How often a statement creates a thread
    #[arg(long, value_name = "WEIGHT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    creations: Option<u32>,

    /// How often a statement is an atomic block
    #[arg(long, value_name = "WEIGHT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    atomics: Option<u32>,

    /// How many variables have a name such as `{x==0}`
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    predicates: Option<u32>,

    /// How many procedures are written with braces
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(..=100), help_heading = "Contents")]
    braces: Option<u32>,
}

impl RandomArguments {
    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn options(&self) -> Options {
        let preset = match (self.driver, self.threaded) {
            (true, _) => Options::driver(),
            (_, true) => Options::threaded(),
            _ => Options::small(),
        };
        Options {
            procedures: self.procedures.unwrap_or(preset.procedures),
            globals: self.globals.unwrap_or(preset.globals),
            locals: self.locals.unwrap_or(preset.locals),
            parameters: self.parameters.unwrap_or(preset.parameters),
            returns: self.returns.unwrap_or(preset.returns),
            statements: self.statements.unwrap_or(preset.statements),
            labels: self.labels.unwrap_or(preset.labels),
            nesting: self.nesting.unwrap_or(preset.nesting),
            nondeterminism: self.nondeterminism.unwrap_or(preset.nondeterminism),
            wide: self.wide.unwrap_or(preset.wide),
            recursion: self.recursion.unwrap_or(preset.recursion),
            gotos: self.gotos.unwrap_or(preset.gotos),
            dead: self.dead.unwrap_or(preset.dead),
            schoose: self.schoose.unwrap_or(preset.schoose),
            assumes: self.assumes.unwrap_or(preset.assumes),
            asserts: self.asserts.unwrap_or(preset.asserts),
            calls: self.calls.unwrap_or(preset.calls),
            predicates: self.predicates.unwrap_or(preset.predicates),
            braces: self.braces.unwrap_or(preset.braces),
            threads: self.threads.unwrap_or(preset.threads),
            creations: self.creations.unwrap_or(preset.creations),
            atomics: self.atomics.unwrap_or(preset.atomics),
            ..preset
        }
    }
}
