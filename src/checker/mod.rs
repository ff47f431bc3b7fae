//! Checking properties of a model: options, limits, events, and the report.
//!
//! The check runs on a thread of its own, supervised by the one that asked for it (see
//! [`crate::supervisor`]). Findings are put on a [`Board`] as soon as they are known, so that
//! the report has them even if a limit has passed before the rest was done.

mod proof;
mod resolution;
mod task;
mod work;

use crate::analysis::control::Control;
use crate::analysis::order;
use crate::check::{Accelerate, Board, Direction, Engine, Options, Phase};
use crate::cycles::Method;
use crate::diagnostic::{Advice, Diagnostic};
use crate::error::{Diagnostics, Error, Reason};
use crate::event::Event;
use crate::model::{Language, Model};
use crate::property::{Kind, Origin, Request};
use crate::refinement::{Abstraction, Plan};
use crate::report::{CRemarks, Conclusion, Evidence, Explanation, Report};
use crate::rules::Subject;
use crate::solver::Question;
use crate::supervision::Supervision;
use crate::supervisor::{Limits, Reporter};
use crate::watch::Watch;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use task::assumed;
use work::Work;

/// Checks properties of a [`Model`].
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// use derny::{Checker, Model, Property, Verdict};
/// let model = Model::read("examples/lock-broken.bp")?;
/// let report = Checker::new(&model).property(Property::assertions()).check()?;
/// for finding in report.findings() {
///     assert_eq!(finding.verdict(), Some(Verdict::Violated));
///     println!("{finding}");
/// }
/// # Ok(())
/// # }
/// ```
pub struct Checker<'o> {
    model: Model,
    /// `None` if nothing was said.
    properties: Option<Vec<Request>>,
    options: Options,
    shows_order: bool,
    watches: Vec<String>,
    algorithm: Option<Question>,
    abstraction: Option<Abstraction>,
    plan: Plan,
    predicates: Vec<Request>,
    supervision: Supervision<'o>,
}

/// More threads than this rarely help: operations wait for each other in the same tables.
const MOST_JOBS: usize = 4;

fn default_jobs() -> u32 {
    let cores = std::thread::available_parallelism();
    cores.map_or(1, |cores| cores.get().min(MOST_JOBS) as u32)
}

impl<'o> Checker<'o> {
    /// A checker that checks, unless properties are given, that no assertion fails.
    pub fn new(model: &Model) -> Self {
        Checker {
            model: model.clone(),
            properties: None,
            options: Options {
                jobs: default_jobs(),
                memory: u64::MAX,
                ..Options::default()
            },
            shows_order: false,
            watches: Vec::new(),
            algorithm: None,
            abstraction: None,
            plan: Plan::default(),
            predicates: Vec::new(),
            supervision: Supervision::new(),
        }
    }

    /// One more property.
    pub fn property(self, property: Request) -> Self {
        self.properties([property])
    }

    /// More properties.
    pub fn properties(mut self, properties: impl IntoIterator<Item = Request>) -> Self {
        self.properties.get_or_insert_default().extend(properties);
        self
    }

    /// Gives up after this time: what is undecided then is unknown.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.supervision.timeout(timeout);
        self
    }

    /// All limits, on a clock that runs already.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.supervision.limit(limits);
        self
    }

    /// In which direction configurations are searched; forward by default.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.options.direction = direction;
        self
    }

    /// Whether a violation is shown by a trace; it is by default.
    pub fn trace(mut self, trace: bool) -> Self {
        self.options.trace = trace;
        self
    }

    /// Traces longer than this fold calls that return, and if need be rounds of loops; by
    /// default 100,000 steps.
    pub fn trace_limit(mut self, steps: u64) -> Self {
        self.options.trace_limit = steps;
        self
    }

    /// How many threads work on large BDDs; by default one for each core, up to 4.
    pub fn jobs(mut self, jobs: u32) -> Self {
        self.options.jobs = jobs;
        self
    }

    /// The order of BDD variables; interleaved by default.
    pub fn order(mut self, order: order::Choice) -> Self {
        self.options.order = order;
        self
    }

    /// Whether deep loops and deep recursion are accelerated; by default where they are met.
    pub fn acceleration(mut self, acceleration: Accelerate) -> Self {
        self.options.accelerate = acceleration;
        self
    }

    /// How cycles are found.
    pub fn cycles(mut self, method: Method) -> Self {
        self.options.cycles.method = method;
        self
    }

    /// Whether the control-flow graph is divided into components before cycles are searched;
    /// it is by default.
    pub fn rough_components(mut self, divide: bool) -> Self {
        self.options.cycles.rough_components = divide;
        self
    }

    /// Which engine does the work.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.options.engine = engine;
        self
    }

    /// Of a program with threads, looks only at executions with at most so many context switches.
    pub fn switches(mut self, most: u32) -> Self {
        self.options.bounds.switches = Some(most);
        self
    }

    /// Of a program with threads, looks only at executions with at most so many rounds, in each
    /// of which the threads take turns in the order of their numbers.
    pub fn rounds(mut self, most: u32) -> Self {
        self.options.bounds.rounds = Some(most);
        self
    }

    /// Without a bound, gives up after so many context switches, if no more is known then.
    pub fn max_switches(mut self, most: u32) -> Self {
        self.options.bounds.most = most;
        self
    }

    /// Whether the peak of live BDD nodes is measured, at some cost in time, and statistics
    /// are part of the report as JSON.
    pub fn measure(mut self, measure: bool) -> Self {
        self.options.measure = measure;
        self
    }

    /// Leaves large structures to the end of the process instead of freeing them.
    pub fn leak_memory(mut self) -> Self {
        self.options.process_ends = true;
        self
    }

    /// Asks for an [`Event::Order`].
    pub fn show_order(mut self) -> Self {
        self.shows_order = true;
        self
    }

    /// Shows the value of an expression at each step of a trace. It is written as a condition
    /// in a formula is, without the braces; in Remopla it may be a number.
    pub fn watch(self, expression: impl Into<String>) -> Self {
        self.watches([expression])
    }

    /// Shows the values of more expressions.
    pub fn watches(mut self, expressions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.watches.extend(expressions.into_iter().map(Into::into));
        self
    }

    /// Lets equations decide: the first query is whether the property is violated, which must be
    /// about a label or assertions. The name is that of an algorithm that comes with the
    /// library, or, with a text, what messages call it. Traces are still made by the direct
    /// engine; if that disagrees, the check ends with [`Error::Internal`].
    pub fn algorithm(mut self, name: &str, text: Option<Vec<u8>>) -> Result<Self, Error> {
        let question = match text {
            Some(text) => Some(Question::new(name, text)),
            None => Question::shipped(name),
        };
        let unknown = Error::Unsupported("there is no algorithm of this name");
        self.algorithm = Some(question.ok_or(unknown)?);
        Ok(self)
    }

    /// How a program is looked at: C by [`Abstraction::Auto`](crate::Abstraction::Auto) unless
    /// this says otherwise, others as they are. Through predicates only C and Remopla.
    pub fn abstraction(mut self, method: Abstraction) -> Self {
        self.abstraction = Some(method);
        self
    }

    /// Predicates to begin with: conditions on globals, or `f: condition` on the variables of a
    /// procedure.
    pub fn predicates(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let lines = lines.into_iter().map(|line| Request::ltl(line.into()));
        self.predicates.extend(lines);
        self
    }

    /// Predicates to begin with, one on each line of a file's text. Lines that are empty or begin with `#` are
    /// skipped.
    pub fn predicate_file(mut self, file: impl Into<PathBuf>, text: &str) -> Self {
        let file = file.into();
        let lines = text.lines().zip(1..);
        let written = lines.map(|(line, number)| {
            let origin = Origin {
                file: file.clone(),
                line: number,
                column: (line.len() - line.trim_start().len()) as u32 + 1,
            };
            Request::ltl(line.trim()).written_at(origin)
        });
        let is_predicate = |one: &Request| !one.text().is_empty() && !one.text().starts_with('#');
        self.predicates.extend(written.filter(is_predicate));
        self
    }

    /// How often predicates may be added; 200 times by default.
    pub fn refinements(mut self, most: u64) -> Self {
        self.plan.refinements = most;
        self
    }

    /// Writes each boolean program, its predicates and its trace into a folder.
    pub fn keep(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plan.keep = Some(folder.into());
        self
    }

    /// Looks for invariants of the loops of a C program, for the witness of what predicates prove.
    pub fn invariants(mut self, wanted: bool) -> Self {
        self.plan.invariants = wanted;
        self
    }

    /// Gives a parameter of the algorithm's equations another value.
    pub fn define(mut self, name: impl Into<String>, value: i128) -> Self {
        if let Some(algorithm) = &mut self.algorithm {
            algorithm.definitions.push((name.into(), value));
        }
        self
    }

    /// Calls `observer` with whatever happens, on the thread that calls [`Checker::check`].
    pub fn observe(mut self, observer: impl FnMut(Event) + 'o) -> Self {
        self.supervision.observe(observer);
        self
    }

    /// All options at once, those for tests among them.
    #[doc(hidden)]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Decides every property, and finds a trace for each that is violated.
    ///
    /// Where a limit passes, the report has what was found before that, and the reason. Then a
    /// thread may go on for a moment, until the BDD operation it is in has ended.
    pub fn check(mut self) -> Result<Report, Error> {
        let properties = self.properties.take();
        let properties = properties.unwrap_or_else(|| vec![Request::assertions()]);
        self.supports(&properties)?;
        self.bound_algorithm()?;
        let limits = self.supervision.begin();
        let bounds = limits.bounds();
        let work = Arc::new(Work {
            board: Board::new(limits.begin(), properties.len()),
            watch: Watch::default(),
            model: self.model.clone(),
            properties,
            watches: self.watches.clone(),
            tasks: OnceLock::new(),
            options: Options {
                memory: bounds.reservable.min(self.options.memory),
                ..self.options.clone()
            },
            shows_order: self.shows_order,
            algorithm: self.algorithm.take(),
            decided: Mutex::default(),
            method: self.method()?,
            plan: self.plan.clone(),
            predicates: self.predicates.clone(),
            patience: bounds.thirds(),
        });
        let [reading, parsing] = self.model.times;
        work.board.entered(Phase::Reading, reading);
        work.board.entered(Phase::Parsing, parsing);
        let (worker, shared) = (work.clone(), (&work.board, &work.watch));
        let run = move |events: &Reporter<'_, Event>| worker.run(events);
        let (_, reason) = self.supervision.run(&bounds, shared, run)?;
        work.compare()?;
        Ok(self.report(&work, reason))
    }

    /// How the program is looked at.
    fn method(&self) -> Result<Abstraction, Error> {
        let language = self.model.language();
        let can_be = matches!(language, Language::C | Language::Remopla);
        let wants = self.plan.keep.is_some() || !self.predicates.is_empty();
        match self.abstraction {
            None if wants && !can_be => Err(Error::Unsupported(
                "only C and Remopla programs have predicates",
            )),
            Some(_) if !can_be => Err(Error::Unsupported(
                "only C and Remopla programs are looked at through predicates",
            )),
            Some(Abstraction::None) if !self.predicates.is_empty() => Err(Error::Unsupported(
                "predicates are given, and the program is not to be looked at through any",
            )),
            Some(method) => Ok(method),
            None if wants => Ok(Abstraction::Predicates),
            None if language == Language::C => Ok(Abstraction::Auto),
            None => Ok(Abstraction::None),
        }
    }

    /// Of a program with threads, not everything can be asked.
    fn supports(&self, properties: &[Request]) -> Result<(), Error> {
        for property in properties {
            match property.kind {
                Kind::Ltl | Kind::Never | Kind::Terminates => self.model.without_threads(
                    "programs with threads can be asked whether labels are reached and whether \
                     assertions fail, and nothing else",
                )?,
                // Only C has the last ones, and no threads.
                Kind::Reach
                | Kind::Assertions
                | Kind::Assertion
                | Kind::NoOverflow
                | Kind::Defined
                | Kind::Slic
                | Kind::Prp => {}
            }
        }
        self.supports_bounds()?;
        match self.options.direction {
            Direction::Forward => Ok(()),
            Direction::Backward => {
                let message = "programs with threads are searched forward";
                self.model.without_threads(message)
            }
        }
    }

    fn supports_bounds(&self) -> Result<(), Error> {
        let bounds = self.options.bounds;
        if bounds.switches.is_some() && bounds.rounds.is_some() {
            let message = "either context switches or rounds can be bounded, not both";
            return Err(Error::Unsupported(message));
        }
        if bounds.rounds.is_none() || !self.model.has_threads() {
            return Ok(());
        }
        match self.model.subject() {
            Subject::Program(program) => {
                let Some(point) = Control::of(program).creation_on_a_cycle() else {
                    return Ok(());
                };
                let message = "rounds cannot be counted: threads may be created here for ever";
                let diagnostic = Diagnostic::error(program.point(point).span, message)
                    .with_hint("bound the context switches instead");
                let source = program.source.clone();
                Err(Error::Diagnostics(Diagnostics::new(
                    source,
                    vec![diagnostic],
                )))
            }
            Subject::System(_) => Ok(()),
        }
    }

    /// A bound on the executions of threads is a parameter of the equations that decide.
    fn bound_algorithm(&mut self) -> Result<(), Error> {
        let has_threads = self.model.has_threads();
        let Some(algorithm) = self.algorithm.as_mut() else {
            return Ok(());
        };
        let bounds = &mut self.options.bounds;
        let (parameter, value, missing) = match (bounds.switches, bounds.rounds) {
            (Some(most), _) => {
                let missing = "the equations have no parameter `K`: the most context switches";
                ("K", most, missing)
            }
            (_, Some(most)) => {
                let missing = "the equations have no parameter `R`: the most rounds";
                ("R", most, missing)
            }
            // Then a parameter that is given is the bound.
            _ if has_threads => {
                let given = |name| {
                    let mut given = algorithm.definitions.iter().rev();
                    let value = given.find(|(given, _)| given == name)?.1;
                    u32::try_from(value).ok()
                };
                (bounds.switches, bounds.rounds) = (given("K"), given("R"));
                let is_bounded = bounds.switches.is_some() || bounds.rounds.is_some();
                let needs_bound = ["K", "R"].iter().any(|name| algorithm.has_parameter(name));
                return match needs_bound && !is_bounded {
                    true => Err(Error::Unsupported(
                        "equations with a parameter `K` or `R` need a bound on context switches or rounds",
                    )),
                    false => Ok(()),
                };
            }
            _ => return Ok(()),
        };
        let value = i128::from(value);
        let mut given = algorithm.definitions.iter();
        match given.find(|(name, _)| name == parameter) {
            _ if !has_threads && !algorithm.has_parameter(parameter) => Ok(()),
            Some((_, other)) if *other != value => Err(Error::Unsupported(
                "the bound on the executions is a parameter of the equations, and is given twice",
            )),
            Some(_) => Ok(()),
            None if !algorithm.has_parameter(parameter) => Err(Error::Unsupported(missing)),
            None => {
                algorithm.definitions.push((parameter.to_owned(), value));
                Ok(())
            }
        }
    }

    fn report(&self, work: &Work, reason: Option<Reason>) -> Report {
        let progress = work.progress();
        let board = &work.board;
        board.enter(Phase::Reporting);
        let findings = work.properties.iter().zip(board.take_findings());
        let tasks = work.tasks.get().map_or(&[][..], Vec::as_slice);
        let ground = |number, is_whole| {
            let mut grounds = tasks.iter();
            grounds.find_map(|task| task.ground(number, is_whole))
        };
        let (mut conclusions, mut explanations) = (Vec::new(), Vec::new());
        for (number, (property, finding)) in findings.enumerate() {
            let traced = self.options.trace;
            let conclusion = Conclusion::new(property.clone(), &finding, reason, traced);
            conclusions.push(conclusion);
            let ground = ground(number, finding.abstraction.is_some());
            let (trace, execution) = (finding.trace, finding.execution);
            explanations.extend(ground.map(|ground| Explanation::new(trace, execution, ground)));
        }
        // Where the run ended before it was known what the properties mean, nothing was found.
        let evidence = match explanations.len() == conclusions.len() {
            true => Evidence::Read(explanations),
            false => Evidence::Unread,
        };
        Report {
            input: self.model.name().to_owned(),
            c: self.model.files().map(|files| CRemarks {
                files: files.to_vec(),
                assumed: assumed(tasks).into_iter().map(|(name, _)| name).collect(),
            }),
            conclusions,
            evidence,
            warnings: board.take_warnings(),
            progress,
            statistics: board.statistics(),
            phases: board.phase_times(),
            is_measured: self.options.measure,
            advice: Advice::default(),
        }
    }
}
