//! `derny check`: a worker does the check; the report is made from what is on the board,
//! even if a limit has passed before the worker was done.

use super::arguments::{
    AccelerateArgument, CheckArguments, CyclesArgument, EngineArgument, Format, SearchArgument,
};
use super::input::Input;
use super::limits::{Limits, watch_interrupts};
use super::worker::{self, Ended};
use super::{Exit, input, properties};
use crate::analysis::DataVariable;
use crate::analysis::meetings::Meetings;
use crate::analysis::order;
use crate::check::{
    Accelerate, Board, CheckError, Direction, Engine, Finding, Options, Phase, Subject, Verdict,
    check,
};
use crate::cycles;
use crate::property::Request;
use crate::report::{Checked, Measured, Reason, ReportedResult, Results, json, text};
use crate::watch::{Stop, Watch};
use anyhow::{Context, anyhow, bail};
use std::io::{BufWriter, Write};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// What the worker shares with the thread that watches it.
struct Shared {
    board: Board,
    watch: Watch,
    input: OnceLock<Input>,
}

/// How the worker ended.
enum End {
    Done,
    /// Messages have been printed.
    BadInput,
    Error(anyhow::Error),
    Check(CheckError),
}

pub fn run(arguments: CheckArguments) -> anyhow::Result<Exit> {
    let begin = Instant::now();
    watch_interrupts();
    let limits = Limits::new(begin, arguments.timeout, arguments.memory);
    let language = input::language(&arguments.input)?;
    let requests = properties::requests(&arguments, language)?;
    let shared = Arc::new(Shared {
        board: Board::new(begin, requests.len()),
        watch: Watch::default(),
        input: OnceLock::new(),
    });
    let options = options(&arguments, &limits);
    let arguments = Arc::new(arguments);
    let worker = {
        let (shared, requests, arguments) = (shared.clone(), requests.clone(), arguments.clone());
        move || work(&shared, &requests, &arguments, language, &options)
    };
    let (end, reason) = worker::run(&limits, &shared.watch, &shared.board, worker)?;
    let end = match end {
        Ended::Done(end) => Some(end),
        Ended::Panicked => Some(End::Check(CheckError::Internal(
            "the check panicked".into(),
        ))),
        Ended::Late => None,
    };
    let reason = match end {
        Some(End::BadInput) => return Ok(Exit::BadInput),
        Some(End::Error(error)) => return Err(error),
        Some(End::Check(CheckError::Internal(message))) => return Ok(internal_error(&message)),
        Some(End::Check(CheckError::TooLarge)) => {
            bail!("the program is too large for the explicit engine")
        }
        Some(End::Check(CheckError::Stopped(Stop::OutOfNodes))) => Some(Reason::Memory),
        Some(End::Check(CheckError::Stopped(Stop::Cancelled))) | Some(End::Done) | None => reason,
    };
    let exit = report(&arguments, &requests, &shared, reason)?;
    // The worker may still run, and freeing what it made would only take time.
    std::process::exit(exit as i32);
}

/// More threads than this rarely help: operations wait for each other in the same tables.
const MOST_JOBS: usize = 4;

fn default_jobs() -> u32 {
    let cores = std::thread::available_parallelism();
    cores.map_or(1, |cores| cores.get().min(MOST_JOBS) as u32)
}

fn options(arguments: &CheckArguments, limits: &Limits) -> Options {
    Options {
        engine: match arguments.engine {
            EngineArgument::Symbolic => Engine::Symbolic,
            EngineArgument::Explicit => Engine::Explicit,
        },
        direction: match arguments.search {
            SearchArgument::Forward => Direction::Forward,
            SearchArgument::Backward => Direction::Backward,
        },
        trace: !arguments.no_trace,
        trace_limit: arguments.trace_limit,
        trace_patience: Options::default().trace_patience,
        memory: limits.reservable,
        jobs: arguments.jobs.unwrap_or_else(default_jobs),
        // Known once the program is.
        order: None,
        accelerate: match arguments.accelerate {
            AccelerateArgument::Auto => Accelerate::Auto,
            AccelerateArgument::Always => Accelerate::Always,
            AccelerateArgument::Never => Accelerate::Never,
        },
        process_ends: true,
        measure: arguments.stats,
        cycles: cycles::Options {
            method: match arguments.cycles {
                CyclesArgument::Auto => cycles::Method::Auto,
                CyclesArgument::Owcty => cycles::Method::Owcty,
                CyclesArgument::EmersonLei => cycles::Method::EmersonLei,
                CyclesArgument::Closure => cycles::Method::Closure,
            },
            rough_components: !arguments.no_rough_components,
        },
    }
}

/// The variable order that was asked for; `None` if it is that of declaration.
fn order(
    subject: &impl Subject,
    arguments: &CheckArguments,
) -> anyhow::Result<Option<Arc<[DataVariable]>>> {
    let choice = match arguments.order.as_str() {
        "interleaved" => order::Choice::Interleaved,
        "sequential" => order::Choice::Sequential,
        file => {
            let text = std::fs::read_to_string(file);
            let text = text.with_context(|| {
                format!(
                    "cannot read the order `{file}` (it is no file, `interleaved` or `sequential`)"
                )
            })?;
            order::Choice::Given(text)
        }
    };
    let layout = subject.layout();
    let is_given = matches!(choice, order::Choice::Given(_));
    if !layout.is_wide() && !is_given && !arguments.show_order {
        // Truth values stand as they were declared.
        return Ok(None);
    }
    let rules = subject.rules(layout);
    let cells = order::cells_of(&rules);
    let groups = order::groups(&choice, &cells, || Meetings::of(&rules));
    let groups = groups.map_err(|message| anyhow!("{}: {message}", arguments.order))?;
    if arguments.show_order {
        std::io::stderr().write_all(order::show(&cells, &groups).as_bytes())?;
    }
    Ok(Some(order::flatten(&cells, &groups).into()))
}

fn work(
    shared: &Shared,
    requests: &[Request],
    arguments: &CheckArguments,
    language: super::arguments::Language,
    options: &Options,
) -> End {
    shared.board.enter(Phase::Reading);
    let source = match input::read(&arguments.input) {
        Ok(source) => source,
        Err(error) => return End::Error(error),
    };
    shared.board.enter(Phase::Parsing);
    let Some(input) = input::parse(source, language, &arguments.input) else {
        return End::BadInput;
    };
    match shared.input.get_or_init(|| input) {
        Input::Program(program) => work_on(program, shared, requests, arguments, options),
        Input::System(system) => work_on(system, shared, requests, arguments, options),
    }
}

fn work_on(
    subject: &impl Subject,
    shared: &Shared,
    requests: &[Request],
    arguments: &CheckArguments,
    options: &Options,
) -> End {
    let properties = match properties::resolve_all(subject, requests, arguments.explain) {
        Ok(properties) => properties,
        Err(message) => {
            let _ = std::io::stderr().write_all(message.as_bytes());
            return End::BadInput;
        }
    };
    let order = match order(subject, arguments) {
        Ok(order) => order,
        Err(error) => return End::Error(error),
    };
    let options = &Options {
        order,
        ..options.clone()
    };
    match check(subject, &properties, options, &shared.watch, &shared.board) {
        Ok(()) => End::Done,
        Err(error) => End::Check(error),
    }
}

fn report(
    arguments: &CheckArguments,
    requests: &[Request],
    shared: &Shared,
    reason: Option<Reason>,
) -> anyhow::Result<Exit> {
    shared.board.enter(Phase::Reporting);
    let findings = shared.board.take_findings();
    let incomplete = |finding: &Finding| match finding.verdict {
        None => true,
        Some(Verdict::Violated) => {
            !arguments.no_trace && matches!(finding.trace, crate::check::TraceFinding::None)
        }
        Some(Verdict::Holds) => false,
    };
    let list = requests.iter().zip(findings).map(|(request, finding)| {
        let reason = reason.filter(|_| incomplete(&finding));
        ReportedResult {
            request,
            finding,
            reason,
        }
    });
    for warning in shared.board.take_warnings() {
        let _ = writeln!(std::io::stderr(), "warning: {warning}");
    }
    let name = input::name(&arguments.input);
    let results = Results {
        input: &name,
        checked: shared.input.get().map(|input| match input {
            Input::Program(program) => Checked::Program(program),
            Input::System(system) => Checked::System(system),
        }),
        list: list.collect(),
        measured: arguments.stats.then(|| measured(&shared.board)),
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match arguments.format {
        Format::Json => json::write(&results, &mut out),
        Format::Text => text::write(&results, &mut out),
    };
    match written.and_then(|()| out.flush()) {
        // A reader that has seen enough does not change the verdict.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(anyhow!("cannot write the results: {error}"));
        }
        _ => {}
    }
    if let (Some(measured), Format::Text) = (&results.measured, arguments.format) {
        let _ = text::write_statistics(measured, &mut std::io::stderr());
    }
    if reason == Some(Reason::Interrupted) {
        summarize(shared);
    }
    let verdicts = || results.list.iter().map(|result| result.finding.verdict);
    Ok(if verdicts().any(|v| v == Some(Verdict::Violated)) {
        Exit::Violated
    } else if verdicts().any(|v| v.is_none()) {
        Exit::Unknown
    } else {
        Exit::Holds
    })
}

fn measured(board: &Board) -> Measured {
    let mut phases: Vec<(&'static str, f64)> = Vec::new();
    for (phase, time) in board.phase_times() {
        match phases.iter_mut().find(|(name, _)| *name == phase.name()) {
            Some((_, sum)) => *sum += time.as_secs_f64(),
            None => phases.push((phase.name(), time.as_secs_f64())),
        }
    }
    Measured {
        statistics: board.statistics(),
        phases,
    }
}

/// What was done before Ctrl-C.
fn summarize(shared: &Shared) {
    use std::sync::atomic::Ordering::Relaxed;
    let sizes = shared.board.statistics();
    let _ = writeln!(
        std::io::stderr(),
        "interrupted after {:.1} s in phase {}: {} control points, {} rules, {} edges waiting, {} BDD nodes",
        shared.board.elapsed().as_secs_f64(),
        shared
            .board
            .phase_times()
            .iter()
            .rev()
            .nth(1)
            .map_or("reading", |(phase, _)| phase.name()),
        sizes.points,
        sizes.rules,
        shared.watch.worklist.load(Relaxed),
        shared.watch.nodes.load(Relaxed),
    );
}

pub fn internal_error(message: &str) -> Exit {
    let _ = writeln!(
        std::io::stderr(),
        "derny: internal error: {message}\n\
         Nothing is claimed about this program. Please report this, with the program and the command."
    );
    Exit::Internal
}
