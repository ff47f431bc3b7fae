//! Symbolic checks that need no automaton: reachability, assertions, termination.
//!
//! One `post*` answers them all.

use super::model::Model;
use super::trace::{Claim, explain};
use super::{CheckError, Direction, Phase, Verdict};
use crate::cycles::Repeating;
use crate::property::Property;
use crate::saturation::{PostStar, PreStar};
use crate::spds::{Head, ProgramHeads};
use crate::witness::{Search, find, find_lasso};
use rustc_hash::FxHashSet;

/// What one property asks of the pushdown system.
enum Question {
    /// Can one of these heads be reached?
    Heads(FxHashSet<Head>),
    /// Is there an infinite run?
    Cycle,
}

/// Decides the properties with these indices.
pub fn check(model: &Model<'_>, properties: &[(usize, &Property)]) -> Result<(), CheckError> {
    let questions: Vec<_> = properties
        .iter()
        .map(|(index, property)| (*index, question(property, model.heads)))
        .collect();
    Check { model, questions }.run()
}

fn question(property: &Property, heads: &ProgramHeads) -> Question {
    match property {
        Property::Reach(points) => {
            Question::Heads(points.iter().map(|point| heads.at(*point)).collect())
        }
        Property::Assertions => Question::Heads([heads.error()].into_iter().collect()),
        Property::Terminates | Property::Temporal(_) => Question::Cycle,
    }
}

struct Check<'a> {
    model: &'a Model<'a>,
    /// By index of the property.
    questions: Vec<(usize, Question)>,
}

/// A property that is violated, and what a trace of that is made from.
enum Violation<'a> {
    Reached(&'a FxHashSet<Head>),
    Runs(Repeating),
}

impl Check<'_> {
    fn run(&self) -> Result<(), CheckError> {
        let model = self.model;
        model.board.enter(Phase::Saturation);
        let mut post_star = model.post_star()?;
        let result = self.decide(&mut post_star);
        if model.options.process_ends {
            std::mem::forget(post_star);
        }
        result
    }

    fn decide(&self, post_star: &mut PostStar<'_>) -> Result<(), CheckError> {
        let model = self.model;
        let mut violations = match model.options.direction {
            Direction::Forward => self.forward(post_star)?,
            Direction::Backward => self.backward()?,
        };
        let wants_trace = model.options.trace && !violations.is_empty();
        if wants_trace && model.options.direction == Direction::Backward {
            // Traces come from complete summaries, which are made forwards.
            post_star.run(|_| false)?;
            for (_, violation) in &mut violations {
                if let Violation::Runs(repeating) = violation {
                    let forward = model.repeating(post_star)?;
                    *repeating = forward.ok_or_else(no_trace)?;
                }
            }
        }
        model.board.measure(|statistics| {
            statistics.edges = statistics.edges.max(post_star.edge_count());
            statistics.reached_points = model.reached_points(post_star);
        });
        if wants_trace {
            let summaries = post_star.summaries();
            let search = Search::new(model.spds, model.copies, model.watch, summaries);
            for (index, violation) in &violations {
                model.board.enter(Phase::Trace);
                let (path, claim) = match violation {
                    Violation::Reached(goals) => {
                        let path = find(&search, |head| goals.contains(&head))?;
                        (path, Claim::Reaches)
                    }
                    Violation::Runs(repeating) => {
                        (find_lasso(&search, repeating)?, Claim::RunsForEver)
                    }
                };
                explain(model, *index, &path.ok_or_else(no_trace)?, claim)?;
            }
        }
        Ok(())
    }

    /// Decides all questions by one `post*`, as far as it is needed.
    fn forward<'c>(
        &'c self,
        post_star: &mut PostStar<'_>,
    ) -> Result<Vec<(usize, Violation<'c>)>, CheckError> {
        let (board, options) = (self.model.board, self.model.options);
        let asks_cycle = |(_, question): &&(usize, Question)| matches!(question, Question::Cycle);
        let whole = options.trace || self.questions.iter().any(|q| asks_cycle(&q));
        let mut reached: FxHashSet<usize> = FxHashSet::default();
        post_star.run(|head| {
            for (index, question) in &self.questions {
                if let Question::Heads(goals) = question
                    && goals.contains(&head)
                    && reached.insert(*index)
                {
                    board.decide(*index, Verdict::Violated);
                }
            }
            !whole && reached.len() == self.questions.len()
        })?;
        let mut violations = Vec::new();
        for (index, question) in &self.questions {
            match question {
                Question::Heads(goals) => {
                    if reached.contains(index) {
                        violations.push((*index, Violation::Reached(goals)));
                    }
                    board.decide(*index, super::verdict(reached.contains(index)));
                }
                Question::Cycle => {
                    let repeating = self.model.repeating(post_star)?;
                    board.decide(*index, super::verdict(repeating.is_some()));
                    let error = self.model.heads.error();
                    let ends = post_star.terminates_somehow() || post_star.is_reached(error);
                    if repeating.is_none() && !ends {
                        board.warn("no execution terminates either: all are cut off".into());
                    }
                    violations.extend(repeating.map(|r| (*index, Violation::Runs(r))));
                }
            }
        }
        Ok(violations)
    }

    fn backward(&self) -> Result<Vec<(usize, Violation<'_>)>, CheckError> {
        let model = self.model;
        let mut violations = Vec::new();
        for (index, question) in &self.questions {
            let truth = || model.bdds.constant(true);
            let (violated, violation) = match question {
                Question::Heads(heads) => {
                    let goals = heads.iter().map(|head| (*head, truth()));
                    let mut pre_star = PreStar::new(model.spds, model.bdds, model.watch, goals)?;
                    (pre_star.run()?, Violation::Reached(heads))
                }
                Question::Cycle => {
                    let violated = super::temporal::backward(model)?;
                    (violated, Violation::Runs(Repeating::default()))
                }
            };
            model.board.decide(*index, super::verdict(violated));
            if violated {
                violations.push((*index, violation));
            }
        }
        Ok(violations)
    }
}

pub fn no_trace() -> CheckError {
    CheckError::Internal("a violated property has no trace".into())
}
