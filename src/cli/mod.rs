//! The command line tool: arguments, standard streams, signals, exit codes. It uses the library
//! as any other program could.

mod abstraction;
mod arguments;
mod check;
mod choices;
mod configurations;
mod console;
mod files;
mod input;
mod input_arguments;
mod limits;
mod ltl;
mod progress;
mod properties;
mod random;
mod replacement;
mod show;
mod solve;
mod terminal;
mod translate;

use arguments::{Arguments, Command, Generator, QuicksortFormat};
use clap::{CommandFactory, Parser};
use console::Console;
use derny::generate::quicksort;
use derny::{Advice, Notice};
use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// What the process returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Holds = 0,
    Violated = 1,
    BadInput = 2,
    Unknown = 3,
    Internal = 4,
}

impl Exit {
    /// Ends the process at once: a worker may still run, and freeing what it made would only
    /// take time.
    fn now(self) -> ! {
        std::process::exit(self as i32)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Runs the tool on the arguments of the process.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and version are no errors. If nobody listens, there is nobody to tell.
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return Exit::Holds.into();
        }
        Err(error) => {
            let text = error.render();
            Console::guess().say(|| text.ansi().to_string(), [misuse(&text.to_string())]);
            return Exit::BadInput.into();
        }
    };
    let console = &Console::new(arguments.command.diagnostics());
    let exit = match arguments.command {
        Command::Check(arguments) => check::run(*arguments, console),
        Command::Post(arguments) => configurations::post(*arguments, console),
        Command::Pre(arguments) => configurations::pre(*arguments, console),
        Command::Solve(arguments) => solve::run(&arguments, console),
        Command::Show(arguments) => show::run(&arguments, console),
        Command::Translate(input) => translate::run(&input, console),
        Command::Ltl(arguments) => ltl::run(&arguments, console),
        Command::Generate(arguments) => generate(&arguments.what),
        Command::Completions { shell } => completions(shell),
    };
    match exit {
        Ok(exit) => exit.into(),
        // Whoever reads from us has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(Exit::Holds as u8),
        Err(error) => {
            console.fail(&error);
            Exit::BadInput.into()
        }
    }
}

/// How the options of the command line are called.
const ADVICE: Advice = Advice {
    time: "--timeout gives more",
    memory: "--memory gives more",
    switches: "--max-switches N looks further",
    heap: "--heap N allows more objects for each call",
    cells: "--cells N allows more elements",
    unsupported: "write it in another way, or in a function without body, which returns any value",
    trace_limit: "--trace-limit allows longer ones to be shown",
    long_trace: "--fold N shows deep calls as one line, --choices only what was chosen",
    entry: "--entry ",
    threads: "--threads ",
    define: "-D ",
};

/// What is wrong with the arguments, from the text that says so to people.
fn misuse(text: &str) -> Notice {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut notice = Notice::error(message.trim());
    let tip = rest
        .lines()
        .find_map(|line| line.trim().strip_prefix("tip: "));
    notice.hint = tip.map(str::to_owned);
    notice
}

fn generate(what: &Generator) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match what {
        Generator::Level { n, int: false } => derny::generate::level::write(*n, &mut out)?,
        Generator::Level { n, int: true } => {
            derny::generate::level::write_with_integer(*n, &mut out)?;
        }
        Generator::Quicksort {
            variant,
            bits,
            entries,
            guards,
            format,
        } => {
            let options = quicksort::Options {
                variant: *variant,
                bits: *bits,
                entries: *entries,
                guards: *guards,
            };
            match format {
                QuicksortFormat::Rem => quicksort::write_program(&options, &mut out)?,
                QuicksortFormat::Pds if *guards => {
                    anyhow::bail!("--guards is for programs: a pushdown system has no overflow")
                }
                QuicksortFormat::Pds => quicksort::write_system(&options, &mut out)?,
            }
        }
        Generator::Bluetooth { adders, stoppers } => {
            derny::generate::bluetooth::write(*adders, *stoppers, &mut out)?;
        }
        Generator::Random(random) => {
            derny::generate::random::write(random.seed(), &random.options(), &mut out)?;
        }
    }
    out.flush()?;
    Ok(Exit::Holds)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "derny", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Holds)
}
