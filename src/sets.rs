//! Sets of configurations of a model: all that can be reached from a regular set, or that can
//! reach it, as a P-automaton, and questions about it.

use crate::check::{Board, Phase};
use crate::configurations::{
    self, ConfigurationSet, Language, ProgramNames, SetAutomaton, SystemNames, compile, count,
    describe, meets, resolve, with_model,
};
use crate::diagnostic::Advice;
use crate::diagnostic::Diagnostic;
use crate::error::{Diagnostics, Error, Reason};
use crate::event::Event;
use crate::model::Model;
use crate::report::configurations::{Answer, SetReport};
use crate::rules::Subject;
use crate::source::Source;
use crate::supervision::Supervision;
use crate::supervisor::{Limits, Reporter};
use crate::watch::{Stop, Watch};
use std::sync::Arc;

/// All configurations that can be reached from a regular set, or that can reach it: as an
/// automaton, or a question about them.
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// use derny::{Model, SetQuery};
/// let model = Model::read("examples/lock-broken.bp")?;
/// let report = SetQuery::post().contains("error").ask(&model)?;
/// assert_eq!(report.contains(), Some(true));
/// # Ok(())
/// # }
/// ```
pub struct SetQuery<'o> {
    query: Query,
    supervision: Supervision<'o>,
}

#[derive(Clone, Debug)]
struct Query {
    is_post: bool,
    /// The given sets; none for where executions begin.
    sets: Vec<String>,
    question: Question,
    /// What messages call the given sets, and the one that is asked for.
    titles: [&'static str; 2],
}

#[derive(Clone, Debug)]
enum Question {
    Automaton { diagrams: bool },
    Contains(String),
    Count,
}

impl<'o> SetQuery<'o> {
    /// The configurations that can be reached, from where executions begin or from given sets.
    pub fn post() -> Self {
        Self::new(true)
    }

    /// The configurations that can reach one of the given sets.
    pub fn pre() -> Self {
        Self::new(false)
    }

    fn new(is_post: bool) -> Self {
        SetQuery {
            query: Query {
                is_post,
                sets: Vec::new(),
                question: Question::Automaton { diagrams: false },
                titles: ["set", "contains"],
            },
            supervision: Supervision::new(),
        }
    }

    /// Adds a regular set, such as `<main.entry> *`, to those that are given.
    pub fn set(mut self, set: impl Into<String>) -> Self {
        self.query.sets.push(set.into());
        self
    }

    /// Asks whether some configuration of this set is among them.
    pub fn contains(mut self, set: impl Into<String>) -> Self {
        self.query.question = Question::Contains(set.into());
        self
    }

    /// Asks how many heads they have: control points with values of all variables in scope.
    pub fn count(mut self) -> Self {
        self.query.question = Question::Count;
        self
    }

    /// Asks for the automaton, with the decision diagrams of all conditions.
    pub fn with_diagrams(mut self) -> Self {
        self.query.question = Question::Automaton { diagrams: true };
        self
    }

    /// What messages call the given sets, and the one that is asked for; by default `set` and
    /// `contains`.
    pub fn titles(mut self, set: &'static str, contains: &'static str) -> Self {
        self.query.titles = [set, contains];
        self
    }

    /// Limits, on a clock that runs already.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.supervision.limit(limits);
        self
    }

    /// Calls `observer` with whatever happens, on the thread that calls [`SetQuery::ask`].
    pub fn observe(mut self, observer: impl FnMut(Event) + 'o) -> Self {
        self.supervision.observe(observer);
        self
    }

    /// The answer about a model; if a limit passes, the reason.
    pub fn ask(mut self, model: &Model) -> Result<SetReport, Error> {
        model.without_threads(match self.query.is_post {
            true => {
                "post is not for programs with threads: check tells which labels are reached, and \
                 which assertions fail"
            }
            false => {
                "pre is not for programs with threads: check tells which labels are reached, and \
                 which assertions fail"
            }
        })?;
        let limits = self.supervision.begin();
        let bounds = limits.bounds();
        let work = Arc::new(Work {
            model: model.clone(),
            query: self.query.clone(),
            memory: bounds.reservable,
            watch: Watch::default(),
            board: Board::new(limits.begin(), 0),
        });
        let (worker, shared) = (work.clone(), (&work.board, &work.watch));
        let run = move |events: &Reporter<'_, Event>| worker.run(events);
        let (answered, reason) = self.supervision.run(&bounds, shared, run)?;
        let report = self.unknown(model.name(), reason.unwrap_or(Reason::Interrupted));
        Ok(match answered {
            None => report,
            Some((sets, answer)) => SetReport {
                sets,
                answer,
                ..report
            },
        })
    }

    /// The report of a run that ended without an answer, perhaps before its input was read.
    pub fn unknown(&self, input: &str, reason: Reason) -> SetReport {
        SetReport {
            input: input.to_owned(),
            command: self.query.command(),
            sets: self.query.sets.clone(),
            contains: self.query.contains().map(str::to_owned),
            answer: Answer::Unknown(reason),
            advice: Advice::default(),
        }
    }
}

impl Query {
    fn command(&self) -> &'static str {
        match self.is_post {
            true => "post",
            false => "pre",
        }
    }

    fn contains(&self) -> Option<&str> {
        match &self.question {
            Question::Contains(set) => Some(set),
            Question::Automaton { .. } | Question::Count => None,
        }
    }
}

/// What the worker shares with the thread that supervises it.
struct Work {
    model: Model,
    query: Query,
    /// Bytes that BDD nodes may take.
    memory: u64,
    watch: Watch,
    board: Board,
}

/// The sets that were asked about, and the answer.
type Answered = (Vec<String>, Answer);

impl Work {
    fn run(&self, events: &Reporter<'_, Event>) -> Result<Answered, Error> {
        match self.model.subject() {
            Subject::Program(program) => self.answer(&ProgramNames::new(program), events),
            Subject::System(system) => self.answer(&SystemNames::new(system), events),
        }
    }

    /// Reads the sets, by the names of a system, and asks its model.
    fn answer(
        &self,
        names: &dyn Language,
        events: &Reporter<'_, Event>,
    ) -> Result<Answered, Error> {
        let texts = match self.query.sets.is_empty() {
            true => vec![names.start()],
            false => self.query.sets.clone(),
        };
        let mut wrong = Diagnostics::default();
        let given = Sets::read(names, self.query.titles[0], &texts, &mut wrong);
        let contains = self.query.contains().map(str::to_owned);
        let wanted = Sets::read(names, self.query.titles[1], contains.as_slice(), &mut wrong);
        if !wrong.is_empty() {
            return Err(Error::Diagnostics(wrong));
        }
        self.board.enter(Phase::Encoding);
        let ask = |model: &configurations::Model<'_>| self.ask(model, &given, &wanted, events);
        let answer = with_model(names, self.memory, &self.watch, ask)?;
        Ok((texts, answer))
    }

    fn ask(
        &self,
        model: &configurations::Model<'_>,
        given: &Sets,
        wanted: &Sets,
        events: &Reporter<'_, Event>,
    ) -> Result<Answer, Stop> {
        self.board.enter(Phase::Saturation);
        let start = compile(model, &given.set)?;
        given.warn_of_nothing(model, &start, events);
        let goal = compile(model, &wanted.set)?;
        wanted.warn_of_nothing(model, &goal, events);
        let automaton = match self.query.is_post {
            true => configurations::post(model, &start)?,
            false => configurations::pre(model, &start)?,
        };
        self.board.enter(Phase::Reporting);
        Ok(match self.query.question {
            Question::Contains(_) => Answer::Contains(meets(model, &automaton, &goal)?),
            Question::Count => Answer::Count(count(model, &automaton)?),
            Question::Automaton { diagrams } => {
                Answer::Automaton(describe(model, &automaton, diagrams)?)
            }
        })
    }
}

/// Sets of configurations, and where each of their parts was written.
struct Sets {
    set: ConfigurationSet,
    /// For each part.
    origins: Vec<Arc<Source>>,
}

impl Sets {
    /// Reads sets, to be taken together. What is wrong comes to `wrong`.
    fn read(names: &dyn Language, title: &str, texts: &[String], wrong: &mut Diagnostics) -> Self {
        let mut sets = Sets {
            set: ConfigurationSet::default(),
            origins: Vec::new(),
        };
        for text in texts {
            let source = Arc::new(Source::new(title, text.as_bytes().to_vec()));
            match resolve(names, &source) {
                Ok(set) => {
                    sets.origins
                        .extend(set.parts.iter().map(|_| source.clone()));
                    sets.set.join(set);
                }
                Err(diagnostics) => wrong.texts.push((source, diagnostics)),
            }
        }
        sets
    }

    /// A set that holds no configuration is hardly what was meant.
    fn warn_of_nothing(
        &self,
        model: &configurations::Model<'_>,
        given: &SetAutomaton,
        events: &Reporter<'_, Event>,
    ) {
        let parts = self.set.parts.iter().zip(&given.occupied);
        for ((part, occupied), origin) in parts.zip(&self.origins) {
            if !occupied {
                let hint = part.never_stands(model);
                let hint = hint.unwrap_or_else(|| "its conditions cannot all hold".to_owned());
                let warning = Diagnostic::warning(part.span, "no configuration is like this");
                let warning = vec![warning.with_hint(hint)];
                let warning = Diagnostics::new(origin.clone(), warning);
                events.report(Event::Diagnostics(warning));
            }
        }
    }
}
