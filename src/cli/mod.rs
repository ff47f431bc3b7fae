//! The command line tool: arguments, standard streams, signals, exit codes. It uses the library
//! as any other program could.

mod arguments;
mod check;
mod configurations;
mod input;
mod limits;
mod ltl;
mod progress;
mod properties;
mod random;
mod show;
mod translate;

use arguments::{Arguments, Command, Generator, QuicksortFormat, QuicksortVariant};
use clap::{CommandFactory, Parser};
use derny::generate::quicksort;
use derny::{Diagnostics, Error};
use std::io::{BufWriter, IsTerminal, Write};
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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Runs the tool on the arguments of the process.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors. If nobody listens, there is nobody to tell.
            let _ = error.print();
            let exit = if error.use_stderr() { 2 } else { 0 };
            return ExitCode::from(exit);
        }
    };
    let exit = match arguments.command {
        Command::Check(arguments) => check::run(*arguments),
        Command::Post(arguments) => configurations::post(*arguments),
        Command::Pre(arguments) => configurations::pre(*arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Translate(input) => translate::run(&input),
        Command::Ltl(arguments) => ltl::run(&arguments),
        Command::Generate(arguments) => generate(&arguments.what),
        Command::Completions { shell } => completions(shell),
    };
    match exit {
        Ok(exit) => exit.into(),
        // Whoever reads from us has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(Exit::Holds as u8),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "derny: {error:#}");
            Exit::BadInput.into()
        }
    }
}

/// Shows diagnostics on standard error.
fn draw(diagnostics: &Diagnostics) {
    if !diagnostics.is_empty() {
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let _ = std::io::stderr().write_all(diagnostics.draw(color).as_bytes());
    }
}

/// Says on standard error what is wrong with what was given, or leaves that to the caller.
fn complain(error: Error) -> anyhow::Result<Exit> {
    match error {
        Error::Diagnostics(diagnostics) => draw(&diagnostics),
        Error::Properties(_) => {
            let _ = write!(std::io::stderr(), "{error}");
        }
        Error::Internal(_) => {
            let _ = writeln!(
                std::io::stderr(),
                "derny: {error}\n\
                 Nothing is claimed about this program. Please report this, with the program and the command."
            );
            return Ok(Exit::Internal);
        }
        error => return Err(error.into()),
    }
    Ok(Exit::BadInput)
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
                variant: match variant {
                    QuicksortVariant::Faulty => quicksort::Variant::Faulty,
                    QuicksortVariant::Corrected => quicksort::Variant::Corrected,
                    QuicksortVariant::Sorting => quicksort::Variant::Sorting,
                    QuicksortVariant::Random => quicksort::Variant::Random,
                },
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
