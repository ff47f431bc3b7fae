//! The worker's side of a check: what was asked for becomes tasks, and these are performed one by one.

use super::resolution::resolve_predicates;
use super::task::{Task, tasks, warn_of_assumptions};
use crate::abstraction::predicate::Predicate;
use crate::analysis::order;
use crate::check::{self, Board, Engine, Options, Phase, Verdict};
use crate::error::{Error, Reason};
use crate::event::{Event, Progress};
use crate::model::{Form, Model};
use crate::property::Request;
use crate::refinement::{self, Abstraction, Plan};
use crate::solver::{self, Question};
use crate::supervisor::Reporter;
use crate::watch::Watch;
use rustc_hash::FxHashSet;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// What the worker shares with the thread that supervises it.
pub struct Work {
    pub board: Board,
    pub watch: Watch,
    pub model: Model,
    pub properties: Vec<Request>,
    pub watches: Vec<String>,
    /// What these mean, once that is known.
    pub tasks: OnceLock<Vec<Task>>,
    pub options: Options,
    pub shows_order: bool,
    pub algorithm: Option<Question>,
    /// What the algorithm has decided, property by property.
    pub decided: Mutex<Vec<Verdict>>,
    pub method: Abstraction,
    pub plan: Plan,
    pub predicates: Vec<Request>,
    /// When a third of the time is over, and when two, if that is limited.
    pub patience: Option<[Instant; 2]>,
}

impl Work {
    /// Lets the algorithm decide about every property.
    fn decide(&self, algorithm: &Question, events: &Reporter<'_, Event>) -> Result<(), Error> {
        self.board.enter(Phase::Saturation);
        for property in &self.properties {
            let question = Question {
                target: Some(property.clone()),
                ..algorithm.clone()
            };
            let memory = self.options.memory;
            let violated = solver::decide(&self.model, &question, memory, &self.watch, events)?;
            let verdict = match violated {
                true => Verdict::Violated,
                false => Verdict::Holds,
            };
            let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
            decided.push(verdict);
        }
        Ok(())
    }

    /// The algorithm and the direct engine must agree; what only the algorithm knows is a
    /// finding, too.
    pub fn compare(&self) -> Result<(), Error> {
        let decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, verdict) in decided.iter().enumerate() {
            match self.board.verdict(index) {
                None => self.board.decide(index, *verdict),
                Some(other) if other == *verdict => {}
                Some(_) => {
                    let text = &self.properties[index].text;
                    return Err(Error::Internal(format!(
                        "the equations and the direct engine disagree about `{text}`"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Decides every property, and puts what is found on the board.
    pub fn run(&self, events: &Reporter<'_, Event>) -> Result<(), Error> {
        // The twin takes everything as it was written: what ranges say is checked by it. Predicates
        // are about variables as they were declared.
        let reduces =
            self.options.engine == Engine::Symbolic && self.method != Abstraction::Predicates;
        let tasks = tasks(
            &self.model,
            &self.properties,
            &self.watches,
            reduces,
            events,
        )?;
        let tasks = self.tasks.get_or_init(|| tasks);
        warn_of_assumptions(tasks, events);
        if self.shows_order {
            for task in tasks {
                let subject = task.form.subject();
                let rules = subject.rules(subject.layout(), false);
                let order = order::describe(
                    &self.options.order,
                    &rules,
                    &check::conditions(&task.properties),
                )?;
                events.report(Event::Order(order));
            }
        }
        if let Some(algorithm) = &self.algorithm {
            self.decide(algorithm, events)?;
        }
        // Running out of nodes for some properties says nothing about the others.
        let (mut ended, mut cut_off) = (Ok(()), FxHashSet::default());
        let forms: Vec<&Form> = tasks.iter().map(|task| &task.whole).collect();
        let given = resolve_predicates(&forms, &self.predicates)?;
        for (task, given) in tasks.iter().zip(given) {
            let performed = self.perform(task, given);
            task.warn_of_cut_offs(&self.board.part(&task.numbers), &mut cut_off, events);
            match performed {
                Err(Error::Stopped(Reason::Memory)) => ended = Err(Error::Stopped(Reason::Memory)),
                done => done?,
            }
        }
        ended
    }

    /// Decides what is decided together.
    fn perform(&self, task: &Task, given: Vec<Predicate>) -> Result<(), Error> {
        let (subject, boundaries) = (task.form.subject(), task.boundaries());
        let options = &Options {
            provenance: task.form.provenance(&task.whole),
            ..self.options.clone()
        };
        let watch = &self.watch;
        let board = self.board.part(&task.numbers);
        let work = refinement::Task {
            subject,
            whole: task.whole.subject(),
            whole_provenance: task.whole.provenance(&task.whole),
            properties: &task.properties,
            boundaries: &boundaries,
            method: self.method,
            given,
            loops: task.loops(),
            plan: self.plan.clone(),
            options,
            watch,
            board: &board,
            patience: self.patience,
        };
        work.run()?;
        self.prove(task)
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        Progress::of(&self.board, &self.watch)
    }
}
