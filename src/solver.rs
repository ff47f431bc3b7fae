//! Relations that equations define over a program: what to compute, limits, and the solution.
//!
//! The work runs on a thread of its own (see [`crate::supervisor`]); what is computed is noted
//! at once, so that the solution has it even if a limit passes before the rest is done.

use crate::bdd::Natural;
use crate::check::{Board, Phase};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::error::{Diagnostics, Error, PropertyError, Reason};
use crate::event::Event;
use crate::fixpoint::evaluate::Failure;
use crate::fixpoint::{self, Equations, Names, RelationId, Session, Targets, Task, Vocabulary};
use crate::model::{Language, Model};
use crate::program::{Action, Program};
use crate::property::{Kind, Property, Request, resolve};
use crate::report::solution::{QueryValue, RelationEffort, RelationValue, Solution};
use crate::rules::Subject;
use crate::source::{Source, Span};
use crate::supervision::Supervision;
use crate::supervisor::{Limits, Reporter};
use crate::watch::Watch;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// How many tuples are listed unless more are asked for.
const LISTED: usize = 20;

/// Computes relations over a boolean program, as equations of a `.mu` file define them.
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// use derny::{Model, Property, Solver};
/// let model = Model::read("examples/lock-broken.bp")?;
/// let solver = Solver::shipped(&model, "efopt").expect("this algorithm is shipped");
/// let solution = solver.target(Property::assertions()).solve()?;
/// assert_eq!(solution.query("reach"), Some(true));
/// # Ok(())
/// # }
/// ```
pub struct Solver<'o> {
    model: Model,
    input: String,
    question: Question,
    supervision: Supervision<'o>,
}

/// What is to be computed.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub equations: Arc<Source>,
    pub definitions: Vec<(String, i128)>,
    pub target: Option<Request>,
    pub counts: Vec<String>,
    pub lists: Vec<String>,
    pub most: usize,
    pub measures: bool,
    /// Whether warnings about the equations are of use.
    pub warns: bool,
}

impl Question {
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Question {
            equations: Arc::new(Source::new(name, text.into())),
            definitions: Vec::new(),
            target: None,
            counts: Vec::new(),
            lists: Vec::new(),
            most: LISTED,
            measures: false,
            warns: true,
        }
    }

    /// The relations to be counted or listed, each once.
    fn relations(&self) -> Vec<&str> {
        let mut relations: Vec<&str> = Vec::new();
        for name in self.counts.iter().chain(&self.lists) {
            if !relations.contains(&name.as_str()) {
                relations.push(name);
            }
        }
        relations
    }

    /// What is asked, without answers.
    fn unknown(&self) -> Solution {
        let queries = Names::of(&self.equations).queries.into_iter();
        let relations = self.relations().into_iter();
        Solution {
            queries: queries.map(QueryValue::unknown).collect(),
            relations: relations.map(RelationValue::unknown).collect(),
            ..Solution::default()
        }
    }

    /// Whether the equations are those of an algorithm that comes with the library.
    fn is_shipped(&self) -> bool {
        let mut shipped = fixpoint::SHIPPED.iter();
        shipped.any(|(_, text)| text.as_bytes() == self.equations.bytes())
    }

    /// Whether the equations have a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        let names = Names::of(&self.equations);
        names.parameters.iter().any(|parameter| parameter == name)
    }

    /// The equations of an algorithm that comes with the library.
    pub fn shipped(name: &str) -> Option<Self> {
        let text = fixpoint::shipped(name)?;
        let mut question = Question::new(format!("{name}.mu"), text);
        question.warns = false;
        Some(question)
    }
}

impl<'o> Solver<'o> {
    /// A solver of the equations of a text, which messages call by a name.
    pub fn new(model: &Model, name: impl Into<String>, equations: impl Into<Vec<u8>>) -> Self {
        Solver::of(model, Question::new(name, equations))
    }

    /// A solver of one of the algorithms that come with the library, by its name; `None` if
    /// there is none of this name.
    pub fn shipped(model: &Model, name: &str) -> Option<Self> {
        Some(Solver::of(model, Question::shipped(name)?))
    }

    /// The names of the algorithms that come with the library.
    pub fn algorithms() -> impl Iterator<Item = &'static str> {
        fixpoint::SHIPPED.iter().map(|(name, _)| *name)
    }

    fn of(model: &Model, question: Question) -> Self {
        Solver {
            model: model.clone(),
            input: model.name().to_owned(),
            question,
            supervision: Supervision::new(),
        }
    }

    /// Gives a parameter another value.
    pub fn define(mut self, name: impl Into<String>, value: i128) -> Self {
        self.question.definitions.push((name.into(), value));
        self
    }

    /// The points that `Target` is to hold at: those of a label, or that of failed assertions.
    pub fn target(mut self, target: Request) -> Self {
        self.question.target = Some(target);
        self
    }

    /// Asks how many tuples a relation has.
    pub fn count(mut self, relation: impl Into<String>) -> Self {
        self.question.counts.push(relation.into());
        self
    }

    /// Asks for the tuples of a relation.
    pub fn list(mut self, relation: impl Into<String>) -> Self {
        self.question.lists.push(relation.into());
        self
    }

    /// How many tuples are listed; 20 by default.
    pub fn most(mut self, tuples: usize) -> Self {
        self.question.most = tuples;
        self
    }

    /// Whether rounds and sizes are part of the solution; sizes cost some time.
    pub fn measure(mut self, measure: bool) -> Self {
        self.question.measures = measure;
        self
    }

    /// The solution where a limit passes before a program is read: the queries of some equations, and
    /// relations that were to be counted or listed.
    pub fn unread(
        equations: impl Into<Vec<u8>>,
        relations: impl IntoIterator<Item = impl Into<String>>,
        reason: Reason,
    ) -> Solution {
        let mut question = Question::new("", equations);
        question.counts = relations.into_iter().map(Into::into).collect();
        Solution {
            reason: Some(reason),
            ..question.unknown()
        }
    }

    /// Limits, on a clock that runs already.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.supervision.limit(limits);
        self
    }

    /// Calls `observer` with whatever happens, on the thread that calls [`Solver::solve`].
    pub fn observe(mut self, observer: impl FnMut(Event) + 'o) -> Self {
        self.supervision.observe(observer);
        self
    }

    /// Computes all that is asked for. Where a limit passes, the solution has what was computed
    /// before that, and the reason.
    pub fn solve(mut self) -> Result<Solution, Error> {
        let limits = self.supervision.begin();
        let bounds = limits.bounds();
        let start = Instant::now();
        let work = Arc::new(Work {
            model: self.model.clone(),
            question: self.question.clone(),
            memory: bounds.reservable,
            watch: Watch::default(),
            board: Board::new(limits.begin(), 0),
            solution: Mutex::new(self.unknown()),
        });
        let (worker, shared) = (work.clone(), (&work.board, &work.watch));
        let run = move |events: &Reporter<'_, Event>| worker.run(events);
        let (done, reason) = self.supervision.run(&bounds, shared, run)?;
        let mut solution = work.solution.lock().unwrap_or_else(PoisonError::into_inner);
        let mut solution = std::mem::take(&mut *solution);
        solution.reason = reason.filter(|_| done.is_none());
        solution.seconds = start.elapsed().as_secs_f64();
        Ok(solution)
    }

    /// The solution of a run that ended before anything was computed.
    fn unknown(&self) -> Solution {
        Solution {
            input: self.input.clone(),
            is_measured: self.question.measures,
            ..self.question.unknown()
        }
    }
}

/// What the worker shares with the thread that supervises it.
struct Work {
    model: Model,
    question: Question,
    /// Bytes that BDD nodes may take.
    memory: u64,
    watch: Watch,
    board: Board,
    solution: Mutex<Solution>,
}

impl Work {
    fn note(&self, change: impl FnOnce(&mut Solution)) {
        change(&mut self.solution.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn run(&self, events: &Reporter<'_, Event>) -> Result<(), Error> {
        let program = program(&self.model)?;
        let prepared = Prepared::of(program, &self.question, events)?;
        self.board.enter(Phase::Encoding);
        prepared.with_session(program, self, |session| self.compute(&prepared, session))
    }

    fn compute(&self, prepared: &Prepared, session: &mut Session<'_, '_>) -> Result<(), Failure> {
        self.board.enter(Phase::Saturation);
        for (index, query) in prepared.equations.queries.iter().enumerate() {
            let value = session.query(query.relation)?;
            self.note(|solution| solution.queries[index].value = Some(value));
        }
        for (index, (name, relation)) in prepared.relations.iter().enumerate() {
            let count = session.count(*relation)?;
            if self.question.counts.contains(name) {
                self.note(|solution| solution.relations[index].count = Some(count.clone()));
            }
            if self.question.lists.contains(name) {
                let tuples = session.tuples(*relation, self.question.most)?;
                self.note(|solution| {
                    let relation = &mut solution.relations[index];
                    relation.more = remaining(&count, tuples.len() as u64);
                    relation.tuples = Some(tuples);
                });
            }
        }
        self.board.enter(Phase::Reporting);
        if self.question.measures {
            let needed = prepared
                .defined()
                .filter(|relation| session.needs(*relation));
            let needed: Vec<_> = needed.collect();
            let efforts = needed.into_iter().map(|relation| {
                let (effort, nodes) = session.effort(relation);
                RelationEffort {
                    name: prepared.equations.relation(relation).name.clone(),
                    rounds: effort.rounds,
                    nodes,
                    peak_nodes: effort.peak_nodes.max(nodes),
                    seconds: effort.time.as_secs_f64(),
                }
            });
            let efforts: Vec<_> = efforts.collect();
            self.note(|solution| solution.efforts = efforts);
        }
        Ok(())
    }
}

/// A number less another one, in decimal digits: the library of large numbers has no
/// subtraction. `None` if nothing is left.
fn remaining(number: &Natural, less: u64) -> Option<String> {
    let (mut digits, mut less) = (number.to_string().into_bytes(), less);
    for digit in digits.iter_mut().rev() {
        let (value, taken) = (u64::from(*digit - b'0'), less % 10);
        less = less / 10 + u64::from(value < taken);
        *digit = b'0' + ((value + 10 - taken) % 10) as u8;
    }
    let text = String::from_utf8_lossy(&digits);
    let text = text.trim_start_matches('0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// The boolean program that a model is.
fn program(model: &Model) -> Result<&Program, Error> {
    let wrong = Error::Unsupported(
        "equations are about boolean programs: other languages supply no relations",
    );
    if model.language() != Language::BooleanProgram {
        return Err(wrong);
    }
    match model.subject() {
        Subject::Program(program) => {
            supports_threads(program)?;
            Ok(program)
        }
        Subject::System(_) => Err(wrong),
    }
}

/// Equations know threads that are all declared, and share all globals.
fn supports_threads(program: &Program) -> Result<(), Error> {
    let Some(threads) = &program.threads else {
        return Ok(());
    };
    let points = program.points.iter();
    let creations = points.filter(|point| matches!(point.action, Action::StartThread { .. }));
    let message = "equations know no `start_thread`: all threads are to be declared";
    let errors = creations.map(|point| Diagnostic::error(point.span, message));
    let mut errors: Vec<_> = errors.collect();
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span);
        let source = program.source.clone();
        return Err(Error::Diagnostics(Diagnostics::new(source, errors)));
    }
    match threads.own.is_empty() {
        true => Ok(()),
        false => Err(Error::Unsupported(
            "equations know no `thread_local` globals: threads are to share all of them",
        )),
    }
}

/// Equations with what is asked of them.
pub(crate) struct Prepared {
    equations: Equations,
    targets: Targets,
    /// The relations to be counted or listed, each once.
    relations: Vec<(String, RelationId)>,
}

impl Prepared {
    fn of(
        program: &Program,
        question: &Question,
        events: &Reporter<'_, Event>,
    ) -> Result<Self, Error> {
        let mut wrong = Diagnostics::default();
        let source = &question.equations;
        let threads = program.threads.as_ref();
        let threads = threads.map(|threads| threads.declared.len() as u32);
        let vocabulary = Vocabulary { threads };
        let equations = fixpoint::read(source, vocabulary, &question.definitions);
        let names = Names::of(source);
        for (name, value) in &question.definitions {
            if !names.parameters.contains(name) {
                let hint = suggestion(name, names.parameters.iter().map(String::as_str));
                let message = format!("there is no parameter `{name}` in {}", source.name());
                let text = format!("{name}={value}");
                wrong
                    .texts
                    .push(about("definition", &text, name, message, hint));
            }
        }
        let equations = equations.unwrap_or_else(|diagnostics| {
            wrong.texts.insert(0, (source.clone(), diagnostics));
            Equations::default()
        });
        let mut relations: Vec<(String, RelationId)> = Vec::new();
        for name in question.relations() {
            let known = names.relations.iter().map(String::as_str);
            match equations.find(name) {
                Some(id) => relations.push((name.to_owned(), id)),
                None => {
                    let (message, hint) = match fixpoint::missing(name, threads.is_some()) {
                        Some(why) => (format!("there is no `{name}` here: {why}"), None),
                        // Then something else is wrong.
                        None if !wrong.is_empty() && known.clone().any(|known| known == name) => {
                            continue;
                        }
                        None => (
                            format!("unknown relation `{name}`"),
                            suggestion(name, known),
                        ),
                    };
                    wrong
                        .texts
                        .push(about("relation", name, name, message, hint));
                }
            }
        }
        if !wrong.is_empty() {
            return Err(Error::Diagnostics(wrong));
        }
        if question.warns && !equations.warnings.is_empty() {
            let warnings = Diagnostics::new(source.clone(), equations.warnings.clone());
            events.report(Event::Diagnostics(warnings));
        }
        let targets = match &question.target {
            Some(target) => targets(program, target)?,
            None => Targets::default(),
        };
        Ok(Prepared {
            equations,
            targets,
            relations,
        })
    }

    fn defined(&self) -> impl Iterator<Item = RelationId> {
        let relations = (0..).zip(&self.equations.relations);
        let is_query = |id: RelationId| {
            let mut queries = self.equations.queries.iter();
            queries.any(|query| query.relation == id)
        };
        relations
            .filter(|(_, relation)| relation.body.is_some())
            .map(|(id, _)| RelationId(id))
            .filter(move |id| !is_query(*id))
    }

    fn with_session<T>(
        &self,
        program: &Program,
        work: &Work,
        run: impl FnOnce(&mut Session<'_, '_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let queries = self.equations.queries.iter().map(|query| query.relation);
        let asked: Vec<_> = queries
            .chain(self.relations.iter().map(|(_, id)| *id))
            .collect();
        let task = Task {
            program: Some(program),
            threads: program.threads.as_ref(),
            equations: &self.equations,
            targets: &self.targets,
            asked: &asked,
            memory: work.memory,
            follows_executions: self.relations.is_empty() && work.question.is_shipped(),
            measures: work.question.measures,
            watch: &work.watch,
        };
        let result = fixpoint::with_session(&task, run);
        result.map_err(|failure| self.error(failure, &work.question.equations))
    }

    fn error(&self, failure: Failure, source: &Arc<Source>) -> Error {
        let (relation, [first, again]) = match failure {
            Failure::Stop(stop) => return stop.into(),
            Failure::Unsettled(relation, rounds) => (self.equations.relation(relation), rounds),
        };
        let message = format!(
            "`{}` never settles: after round {again} it has the value of round {first} again, \
             and others in between",
            relation.name
        );
        let error = Diagnostic::error(relation.span, message);
        Error::Diagnostics(Diagnostics::new(source.clone(), vec![error]))
    }
}

/// A message about a name that a question has, as part of a text.
fn about(
    kind: &str,
    text: &str,
    name: &str,
    message: String,
    hint: Option<String>,
) -> (Arc<Source>, Vec<Diagnostic>) {
    let source = Source::new(kind, text.as_bytes().to_vec());
    let span = Span::new(0, name.len() as u32);
    let error = Diagnostic::error(span, message).with_hint_if_any(hint);
    (Arc::new(source), vec![error])
}

/// The points that a property asks for.
fn targets(program: &Program, target: &Request) -> Result<Targets, Error> {
    let unsupported = Error::Unsupported(
        "equations decide whether a label is reached and whether an assertion fails, and nothing else",
    );
    if !matches!(target.kind(), Kind::Reach | Kind::Assertions) {
        return Err(unsupported);
    }
    let resolved = resolve(Subject::Program(program), target);
    let resolved = resolved.map_err(|error| {
        let property = target.clone();
        Error::Properties(vec![PropertyError { property, error }])
    })?;
    match resolved {
        Property::Reach(points) => Ok(Targets {
            points,
            error: false,
        }),
        Property::Assertions => Ok(Targets {
            points: Vec::new(),
            error: true,
        }),
        _ => Err(unsupported),
    }
}

/// Whether the first query of some equations is true of a program, with a property's targets.
pub(crate) fn decide(
    model: &Model,
    question: &Question,
    memory: u64,
    watch: &Watch,
    events: &Reporter<'_, Event>,
) -> Result<bool, Error> {
    let program = program(model)?;
    let prepared = Prepared::of(program, question, events)?;
    let Some(query) = prepared.equations.queries.first() else {
        return Err(Error::Unsupported(
            "the equations have no query, which is to decide about the property",
        ));
    };
    let task = Task {
        program: Some(program),
        threads: program.threads.as_ref(),
        equations: &prepared.equations,
        targets: &prepared.targets,
        asked: &[query.relation],
        memory,
        follows_executions: question.is_shipped(),
        measures: false,
        watch,
    };
    let value = fixpoint::with_session(&task, |session| session.query(query.relation));
    value.map_err(|failure| prepared.error(failure, &question.equations))
}
