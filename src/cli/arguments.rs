//! The command line: one definition makes the parser, the help and the completions.

use super::abstraction::AbstractionArguments;
use super::choices::{self, one_of};
use super::files::OutputFiles;
use super::input_arguments::InputArguments;
use anyhow::bail;
use clap::{Args, Parser, Subcommand, ValueEnum};
use derny::generate::quicksort::Variant;
use derny::{Acceleration, CycleMethod, Direction, Engine};
use std::path::PathBuf;

/// Model checker for recursive programs: says with certainty whether every execution of a
/// program with procedures, recursion and finite data satisfies a property.
#[derive(Debug, Parser)]
#[command(name = "derny", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check properties of a program; with none given, whether any assertion can fail
    Check(Box<CheckArguments>),
    /// All configurations reachable from a regular set, as a P-automaton
    Post(Box<PostArguments>),
    /// All configurations that can reach a regular set, as a P-automaton
    Pre(Box<PreArguments>),
    /// Compute relations that equations of a fixed-point calculus define over a program
    Solve(Box<SolveArguments>),
    /// Print the control-flow graph of a program
    Show(ShowArguments),
    /// Write a program as a symbolic pushdown system (.pds) that has the same properties
    Translate(InputArguments),
    /// Translate an LTL formula to a Büchi automaton
    Ltl(LtlArguments),
    /// Write a benchmark program to standard output
    Generate(GenerateArguments),
    /// Print a completion script for a shell
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// How errors and warnings are to be written.
    pub fn diagnostics(&self) -> DiagnosticsFormat {
        match self {
            Command::Check(arguments) => arguments.input.diagnostics,
            Command::Post(arguments) => arguments.sets.input.diagnostics,
            Command::Pre(arguments) => arguments.sets.input.diagnostics,
            Command::Solve(arguments) => arguments.input.diagnostics,
            Command::Show(arguments) => arguments.input.diagnostics,
            Command::Translate(input) => input.diagnostics,
            Command::Ltl(arguments) => arguments.diagnostics,
            Command::Generate(_) | Command::Completions { .. } => DiagnosticsFormat::Text,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DiagnosticsFormat {
    /// For people, each under its source line
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArgument {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Args)]
pub struct LtlArguments {
    /// The formula
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: String,

    /// The automaton of the formula's negation
    #[arg(long)]
    pub negate: bool,

    /// Keep acceptance generalised and on transitions
    #[arg(long)]
    pub generalized: bool,

    /// How the automaton is written
    #[arg(long, value_enum, default_value = "hoa")]
    pub format: AutomatonFormat,

    /// How errors and warnings are written to standard error
    #[arg(long, value_enum, default_value = "text")]
    pub diagnostics: DiagnosticsFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    /// Hanoi Omega-Automata
    Hoa,
    /// Graphviz
    Dot,
    /// Spin's never claim
    Never,
    /// A few lines for people
    Text,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub input: InputArguments,

    /// Does every execution satisfy this LTL formula? For example '[](req -> <> ack)'
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// Named formulas, one a line: `name: FORMULA`; `#` begins a comment
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An automaton (HOA) of executions that must not happen
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub never: Vec<PathBuf>,

    /// Is the statement with this label reachable? `L` in any procedure, or `p.L`
    #[arg(long, value_name = "LABEL", help_heading = "Properties")]
    pub reach: Vec<String>,

    /// Can any assertion fail?
    #[arg(long, help_heading = "Properties")]
    pub assertions: bool,

    /// Can it fail? For each assertion by itself; in Remopla also for overflow, indices and
    /// division
    #[arg(long, help_heading = "Properties")]
    pub each_assertion: bool,

    /// Does every execution terminate, or fail an assertion?
    #[arg(long, help_heading = "Properties")]
    pub terminates: bool,

    /// Can a signed computation of a C program overflow, whatever --overflow says?
    #[arg(long, help_heading = "Properties")]
    pub no_overflow: bool,

    /// What a property file of the verification competition asks of a C program:
    /// `CHECK( init(main()), LTL(G ! call(reach_error())) )`
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub prp: Vec<PathBuf>,

    /// Can an execution of a C program come to an undefined step?
    #[arg(long, help_heading = "Properties")]
    pub defined: bool,

    /// Can the rule in this file, about how a C program uses an interface, be violated?
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub slic: Vec<PathBuf>,

    /// How results are written
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: Format,

    /// Show a trace for each violation (the default)
    #[arg(long, overrides_with = "no_trace", help_heading = "Output")]
    pub trace: bool,

    /// Show no traces, and stop as soon as the verdict is known
    #[arg(long, help_heading = "Output")]
    pub no_trace: bool,

    /// Show the value of an expression at each step of a trace; may be repeated. It is written
    /// as between the braces of a formula; in Remopla it may be a number
    #[arg(
        long,
        value_name = "EXPR",
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub watch: Vec<String>,

    /// In text, fold calls that return where more than N frames are below them
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub fold: Option<u64>,

    /// In text, give each thread a column of its own
    #[arg(long)]
    pub columns: bool,

    /// In text, show only the steps at which something was chosen
    #[arg(long, help_heading = "Output")]
    pub choices: bool,

    /// When text has colours
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub color: ColorArgument,

    /// Traces longer than this fold every call that returns, and if need be rounds of loops
    #[arg(
        long,
        value_name = "STEPS",
        default_value_t = 100_000,
        help_heading = "Output"
    )]
    pub trace_limit: u64,

    #[command(flatten)]
    pub files: OutputFiles,

    /// Show how formulas are read, their automata, and the steps taken
    #[arg(long, help_heading = "Output")]
    pub explain: bool,

    /// Show phases, sizes and BDD nodes
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Without a terminal, too, say every half minute on standard error how far the run has come
    #[arg(long, help_heading = "Output")]
    pub progress: bool,

    #[command(flatten)]
    pub limits: LimitArguments,

    /// How many threads work on large BDDs [default: one for each core, up to 4]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Limits")]
    pub jobs: Option<u32>,

    #[command(flatten)]
    pub abstraction: AbstractionArguments,

    /// Let equations decide about labels and assertions: `simple`, `ef`, `efopt`, with threads
    /// `cbr` (needs --switches) or `rounds` (needs --rounds), or a file (.mu), whose first query
    /// is whether the property is violated; -D sets its parameters
    #[arg(long, value_name = "NAME|FILE.mu", help_heading = "Algorithm")]
    pub algorithm: Option<String>,

    /// In which direction configurations are searched
    #[arg(
        long,
        value_parser = one_of(choices::DIRECTIONS),
        default_value = "forward",
        help_heading = "Algorithm"
    )]
    pub search: Direction,

    /// The order of BDD variables: `interleaved`, `sequential`, or a file with one group of
    /// interleaved variables a line, as `--show-order` writes it (`high:` before a group: the
    /// most significant bits on top)
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "interleaved",
        help_heading = "Algorithm"
    )]
    pub order: String,

    /// Write the variable order to standard error
    #[arg(long, help_heading = "Output")]
    pub show_order: bool,

    /// Whether deep loops and deep recursion are accelerated
    #[arg(
        long,
        value_parser = one_of(choices::ACCELERATIONS),
        default_value = "auto",
        help_heading = "Algorithm"
    )]
    pub accelerate: Acceleration,

    /// Of a program with threads, look at executions with at most K context switches
    #[arg(
        long,
        value_name = "K",
        help_heading = "Threads",
        conflicts_with = "rounds"
    )]
    pub switches: Option<u32>,

    /// Of a program with threads, look at executions with at most R rounds, in each of which the
    /// threads take turns in the order of their numbers
    #[arg(long, value_name = "R", help_heading = "Threads", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// Without a bound, give up after N context switches, unless the program is finite
    #[arg(long, value_name = "N", help_heading = "Threads", default_value_t = 8)]
    pub max_switches: u32,

    /// How cycles are found
    #[arg(
        long,
        value_parser = one_of(choices::CYCLE_METHODS),
        default_value = "auto",
        help_heading = "Algorithm"
    )]
    pub cycles: CycleMethod,

    /// Search cycles without dividing the control-flow graph into components first
    #[arg(long, help_heading = "Algorithm")]
    pub no_rough_components: bool,

    #[arg(
        long,
        value_parser = one_of(choices::ENGINES),
        default_value = "symbolic",
        hide = true
    )]
    pub engine: Engine,
}

#[derive(Debug, Args)]
pub struct PostArguments {
    #[command(flatten)]
    pub sets: SetArguments,

    /// Where to begin, for example '<main.entry> *', or 'q <s> *' in a pushdown system [default: where executions begin]; several
    /// sets are taken together
    #[arg(long, value_name = "CONFIGS")]
    pub from: Vec<String>,
}

#[derive(Debug, Args)]
pub struct PreArguments {
    #[command(flatten)]
    pub sets: SetArguments,

    /// What is to be reached, for example '<p.L {x}> *' or 'error'; several sets are taken
    /// together
    #[arg(long, value_name = "CONFIGS", required = true)]
    pub to: Vec<String>,
}

#[derive(Debug, Args)]
pub struct LimitArguments {
    /// Give up after this time; fractions are allowed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    pub timeout: Option<std::time::Duration>,

    /// Give up above this much memory [default: 80 % of what is available]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub memory: Option<u64>,
}

#[derive(Debug, Args)]
pub struct SetArguments {
    #[command(flatten)]
    pub input: InputArguments,

    /// Is this configuration (or any, if it leaves something open) among them? Exit code 0
    /// is yes, 1 is no
    #[arg(long, value_name = "CONFIG", conflicts_with = "count")]
    pub contains: Option<String>,

    /// How many heads there are: control points with values of all variables in scope
    #[arg(long)]
    pub count: bool,

    /// How the result is written
    #[arg(long, value_enum, default_value = "text")]
    pub format: SetFormat,

    /// Show only the frames of this procedure, or of this symbol
    #[arg(long, value_name = "PROC", conflicts_with_all = ["contains", "count"])]
    pub procedure: Option<String>,

    /// Without a terminal, too, say every half minute on standard error how far the run has come
    #[arg(long)]
    pub progress: bool,

    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SetFormat {
    Text,
    Json,
    /// Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub struct SolveArguments {
    /// The equations
    #[arg(value_name = "FILE.mu")]
    pub equations: PathBuf,

    #[command(flatten)]
    pub input: InputArguments,

    /// `Target` holds at the statement with this label: `L` in any procedure, or `p.L`
    #[arg(long, value_name = "LABEL", conflicts_with = "assertions")]
    pub reach: Option<String>,

    /// `Target` holds where an assertion has failed
    #[arg(long)]
    pub assertions: bool,

    /// How many tuples does this relation have? May be repeated
    #[arg(long, value_name = "REL")]
    pub count: Vec<String>,

    /// Which tuples does this relation have? May be repeated
    #[arg(long, value_name = "REL")]
    pub list: Vec<String>,

    /// At most how many tuples are listed
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub most: usize,

    /// How the result is written
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,

    /// Show rounds, BDD nodes and time of each relation
    #[arg(long)]
    pub stats: bool,

    /// Without a terminal, too, say every half minute on standard error how far the run has come
    #[arg(long)]
    pub progress: bool,

    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    #[command(flatten)]
    pub input: InputArguments,

    /// Write the graph for Graphviz
    #[arg(long)]
    pub dot: bool,

    /// Show one procedure only, or the frames with one symbol of a pushdown system
    #[arg(long, value_name = "PROC")]
    pub procedure: Option<String>,

    /// Show only which procedures call which
    #[arg(long, conflicts_with = "procedure")]
    pub calls: bool,
}

#[derive(Debug, Args)]
pub struct GenerateArguments {
    #[command(subcommand)]
    pub what: Generator,
}

#[derive(Debug, Subcommand)]
pub enum Generator {
    /// Bebop's T(N): N procedures that each call the next one twice
    Level {
        /// How many procedures
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        n: u32,

        /// Count with one integer instead of three booleans, in Remopla
        #[arg(long)]
        int: bool,
    },
    /// Quicksort: does it terminate, does it sort?
    Quicksort {
        #[arg(long, value_parser = one_of(choices::QUICKSORTS), default_value = "corrected")]
        variant: Variant,

        /// Bits of every integer
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
        bits: u32,

        /// Entries of the array (`sorting` and `random`)
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
        entries: u32,

        /// Never leave the range of an integer, so that it holds on machine integers too
        #[arg(long)]
        guards: bool,

        #[arg(long, value_enum, default_value = "rem")]
        format: QuicksortFormat,
    },
    /// The Bluetooth driver, used by some threads and stopped by others: can it be used when it is
    /// stopped?
    Bluetooth {
        /// How many threads use it
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=1000))]
        adders: u32,

        /// How many threads stop it
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=1000))]
        stoppers: u32,
    },
    /// A random program: the same for the same seed and options
    Random(Box<super::random::RandomArguments>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QuicksortFormat {
    /// A Remopla program
    Rem,
    /// A symbolic pushdown system
    Pds,
}

fn seconds(text: &str) -> anyhow::Result<std::time::Duration> {
    let Ok(seconds) = text.parse() else {
        bail!("not a number of seconds");
    };
    Ok(std::time::Duration::try_from_secs_f64(seconds)?)
}
