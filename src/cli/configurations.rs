//! `derny post` and `derny pre`: sets of configurations.

use super::arguments::{self, PostArguments, PreArguments, SetArguments, SetFormat};
use super::check::internal_error;
use super::limits::{Limits, watch_interrupts};
use super::worker::{self, Ended};
use super::{Exit, input};
use crate::check::{Board, Phase};
use crate::configurations::{
    ConfigurationSet, Given, Language, Model, ProgramNames, SystemNames, compile, count, meets,
    resolve, show, with_model,
};
use crate::diagnostic::Diagnostic;
use crate::report::Reason;
use crate::report::configurations::{Answer, Asked, write_dot, write_json, write_text};
use crate::source::Source;
use crate::watch::{Stop, Watch};
use anyhow::{anyhow, bail};
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Post,
    Pre,
}

impl Direction {
    fn command(self) -> &'static str {
        match self {
            Direction::Post => "post",
            Direction::Pre => "pre",
        }
    }

    /// The option that names the given sets.
    fn option(self) -> &'static str {
        match self {
            Direction::Post => "--from",
            Direction::Pre => "--to",
        }
    }
}

pub fn post(arguments: PostArguments) -> anyhow::Result<Exit> {
    run(Direction::Post, arguments.sets, arguments.from)
}

pub fn pre(arguments: PreArguments) -> anyhow::Result<Exit> {
    run(Direction::Pre, arguments.sets, arguments.to)
}

/// What a run is about.
struct Question {
    direction: Direction,
    arguments: SetArguments,
    /// The given sets; none for where executions begin.
    sets: Vec<String>,
    language: arguments::Language,
    /// Bytes that BDD nodes may take.
    memory: u64,
    watch: Watch,
    board: Board,
}

/// How the worker ended.
enum End {
    /// What goes to standard output.
    Answered(Vec<u8>, Exit),
    /// Messages have been printed.
    BadInput,
    Error(anyhow::Error),
    Stopped(Stop),
}

fn run(direction: Direction, arguments: SetArguments, sets: Vec<String>) -> anyhow::Result<Exit> {
    let begin = Instant::now();
    watch_interrupts();
    if arguments.format == SetFormat::Dot && (arguments.count || arguments.contains.is_some()) {
        bail!("--format dot is for the whole automaton: leave out --count and --contains");
    }
    let limits = Limits::new(begin, arguments.timeout, arguments.memory);
    let question = Arc::new(Question {
        direction,
        language: input::language(&arguments.input)?,
        arguments,
        sets,
        memory: limits.reservable,
        watch: Watch::default(),
        board: Board::new(begin, 0),
    });
    let asked = question.clone();
    let (ended, reason) = worker::run(&limits, &question.watch, &question.board, move || {
        asked.answer()
    })?;
    let (output, exit) = match ended {
        Ended::Done(End::Answered(output, exit)) => (output, exit),
        Ended::Done(End::BadInput) => return Ok(Exit::BadInput),
        Ended::Done(End::Error(error)) => return Err(error),
        Ended::Panicked => return Ok(internal_error("the work panicked")),
        Ended::Done(End::Stopped(Stop::OutOfNodes)) => question.unknown(Reason::Memory)?,
        Ended::Done(End::Stopped(Stop::Cancelled)) | Ended::Late => {
            question.unknown(reason.unwrap_or(Reason::Interrupted))?
        }
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    match out.write_all(&output).and_then(|()| out.flush()) {
        // A reader that has seen enough does not change the answer.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(anyhow!("cannot write the result: {error}"));
        }
        _ => {}
    }
    // The worker may still run, and freeing what it made would only take time.
    std::process::exit(exit as i32);
}

impl Question {
    fn answer(&self) -> End {
        match self.try_answer() {
            Ok(end) => end,
            Err(error) => End::Error(error),
        }
    }

    fn try_answer(&self) -> anyhow::Result<End> {
        self.board.enter(Phase::Reading);
        let source = input::read(&self.arguments.input)?;
        self.board.enter(Phase::Parsing);
        let input = &self.arguments.input;
        match input::parse(source, self.language, input) {
            None => Ok(End::BadInput),
            Some(input::Input::Program(program)) => self.answer_about(&ProgramNames::new(&program)),
            Some(input::Input::System(system)) => self.answer_about(&SystemNames::new(&system)),
        }
    }

    /// Reads the sets, by the names of a system, and lets its model be asked.
    fn answer_about(&self, names: &dyn Language) -> anyhow::Result<End> {
        let sets = match self.sets.is_empty() {
            true => vec![names.start()],
            false => self.sets.clone(),
        };
        let given = read_sets(names, self.direction.option(), &sets);
        let contains = self.arguments.contains.iter().cloned();
        let wanted = read_sets(names, "--contains", &contains.collect::<Vec<_>>());
        let (Some(given), Some(wanted)) = (given, wanted) else {
            return Ok(End::BadInput);
        };
        self.board.enter(Phase::Encoding);
        let ask = |model: &Model<'_>| self.ask(model, &given, &wanted);
        match with_model(names, self.memory, &self.watch, ask) {
            Ok(answer) => self.report(&sets, &answer),
            Err(stop) => Ok(End::Stopped(stop)),
        }
    }

    fn ask(&self, model: &Model<'_>, given: &Sets, wanted: &Sets) -> Result<Answer, Stop> {
        self.board.enter(Phase::Saturation);
        let start = compile(model, &given.set)?;
        warn_of_nothing(model, given, &start);
        let wanted = match self.arguments.contains {
            None => None,
            Some(_) => {
                let compiled = compile(model, &wanted.set)?;
                warn_of_nothing(model, wanted, &compiled);
                Some(compiled)
            }
        };
        let automaton = match self.direction {
            Direction::Post => crate::configurations::post(model, &start)?,
            Direction::Pre => crate::configurations::pre(model, &start)?,
        };
        self.board.enter(Phase::Reporting);
        if let Some(wanted) = wanted {
            return Ok(Answer::Contains(meets(model, &automaton, &wanted)?));
        }
        if self.arguments.count {
            return Ok(Answer::Count(count(model, &automaton)?));
        }
        let diagrams = self.arguments.format == SetFormat::Json;
        Ok(Answer::Automaton(show(model, &automaton, diagrams)?))
    }

    fn report(&self, sets: &[String], answer: &Answer) -> anyhow::Result<End> {
        let exit = match answer {
            Answer::Contains(false) => Exit::Violated,
            Answer::Unknown(_) => Exit::Unknown,
            _ => Exit::Holds,
        };
        let input = input::name(&self.arguments.input);
        let asked = Asked {
            input: &input,
            command: self.direction.command(),
            sets,
            contains: self.arguments.contains.as_deref(),
        };
        let mut out = Vec::new();
        match (self.arguments.format, answer) {
            (SetFormat::Json, _) => write_json(&asked, answer, &mut out)?,
            (SetFormat::Dot, Answer::Automaton(shown)) => write_dot(shown, &mut out)?,
            (SetFormat::Dot | SetFormat::Text, _) => write_text(&asked, answer, &mut out)?,
        }
        Ok(End::Answered(out, exit))
    }

    fn unknown(&self, reason: Reason) -> anyhow::Result<(Vec<u8>, Exit)> {
        match self.report(&self.sets, &Answer::Unknown(reason))? {
            End::Answered(output, exit) => Ok((output, exit)),
            _ => Ok((Vec::new(), Exit::Unknown)),
        }
    }
}

/// Sets of configurations, and where each of their parts was written.
struct Sets {
    set: ConfigurationSet,
    sources: Vec<Source>,
    /// For each part, an index into the sources.
    origins: Vec<usize>,
}

/// Reads sets, to be taken together. What is wrong is shown; then there is no result.
fn read_sets(names: &dyn Language, option: &str, texts: &[String]) -> Option<Sets> {
    let mut sets = Sets {
        set: ConfigurationSet::default(),
        sources: Vec::new(),
        origins: Vec::new(),
    };
    let mut complete = true;
    for (text, number) in texts.iter().zip(0..) {
        let source = Source::new(option, text.as_bytes().to_vec());
        match resolve(names, &source) {
            Ok(set) => {
                sets.origins.extend(set.parts.iter().map(|_| number));
                sets.set.join(set);
            }
            Err(diagnostics) => {
                input::complain(&source, &diagnostics);
                complete = false;
            }
        }
        sets.sources.push(source);
    }
    complete.then_some(sets)
}

/// A set that holds no configuration is hardly what was meant.
fn warn_of_nothing(model: &Model<'_>, sets: &Sets, given: &Given) {
    let parts = sets.set.parts.iter().zip(&given.occupied);
    for ((part, occupied), origin) in parts.zip(&sets.origins) {
        if !occupied {
            let hint = part.never_stands(model.language);
            let hint = hint.unwrap_or_else(|| "its conditions cannot all hold".to_owned());
            let warning = Diagnostic::warning(part.span, "no configuration is like this");
            input::complain(&sets.sources[*origin], &[warning.with_hint(hint)]);
        }
    }
}
