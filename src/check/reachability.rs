//! Symbolic checks that need no automaton: reachability, assertions, termination.
//!
//! One `post*` answers them all.

use super::model::{Goals, Model};
use super::trace::{Claim, Traces, explain, too_deep};
use super::vacuity::warn_of_no_failures;
use super::{Direction, Phase, Verdict};
use crate::cycles::Repeating;
use crate::error::Error;
use crate::property::Property;
use crate::saturation::{PostStar, PreStar};
use crate::spds::Head;
use crate::witness::{AbstractTrace, find, find_lasso};
use rustc_hash::{FxHashMap, FxHashSet};

/// What one property asks of the pushdown system.
enum Question {
    /// Can one of these heads be reached?
    Heads(Goals),
    /// Is there an infinite run?
    Cycle,
}

/// Decides the properties with these indices.
pub fn check(model: &Model<'_>, properties: &[(usize, &Property)]) -> Result<(), Error> {
    let mut questions = Vec::new();
    for (index, property) in properties {
        let question = match model.goals(property)? {
            Some(goals) => Question::Heads(goals),
            None => Question::Cycle,
        };
        questions.push((*index, *property, question));
    }
    Check { model, questions }.run()?;
    let asked = properties.iter().map(|(_, property)| *property);
    let can_fail = || !model.failing_rules(&Property::Assertions).is_empty();
    warn_of_no_failures(asked, can_fail, model.board);
    Ok(())
}

struct Check<'a> {
    model: &'a Model<'a>,
    /// By index of the property.
    questions: Vec<(usize, &'a Property, Question)>,
}

/// A property that is violated, and what a trace of that is made from.
enum Violation<'a> {
    Reached(&'a Property, &'a Goals),
    Runs(Repeating),
}

impl Check<'_> {
    fn run(&self) -> Result<(), Error> {
        let model = self.model;
        model.board.enter(Phase::Saturation);
        let mut post_star = model.post_star()?;
        let result = self.decide(&mut post_star);
        if model.options.process_ends {
            std::mem::forget(post_star);
        }
        result
    }

    fn decide(&self, post_star: &mut PostStar<'_>) -> Result<(), Error> {
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
            model.board.enter(Phase::Trace);
            let traces = Traces::new(model, post_star);
            for (index, violation) in &violations {
                model.board.enter(Phase::Trace);
                let (path, claim) = match violation {
                    Violation::Reached(property, goals) => {
                        let path = match model.rules.error.filter(|_| property.is_one_failure()) {
                            Some(error) => self.path_by_failure(&traces, property, error)?,
                            None => {
                                let goals: FxHashMap<_, _> = goals.iter().cloned().collect();
                                let goal = |head| goals.get(&head).cloned();
                                traces.find(|search| find(&search, goal))?
                            }
                        };
                        (path, Claim::Reaches(property))
                    }
                    Violation::Runs(repeating) => {
                        let path = traces.find(|search| find_lasso(&search, repeating))?;
                        (path, Claim::RunsForEver)
                    }
                };
                match path {
                    None if post_star.is_deep() => too_deep(model, *index),
                    None => return Err(no_trace()),
                    Some(path) => explain(model, *index, &path, claim)?,
                }
            }
        }
        Ok(())
    }

    /// A path to *error* that fails as a property asks.
    fn path_by_failure(
        &self,
        traces: &Traces<'_>,
        property: &Property,
        error: Head,
    ) -> Result<Option<AbstractTrace>, Error> {
        let rules = self.model.failing_rules(property);
        let truth = self.model.bdds.constant(true);
        let goal = |head| (head == error).then(|| truth.clone());
        traces.find(|search| find(&search.entering(error, &rules), goal))
    }

    /// Decides all questions by one `post*`, as far as it is needed.
    fn forward<'c>(
        &'c self,
        post_star: &mut PostStar<'_>,
    ) -> Result<Vec<(usize, Violation<'c>)>, Error> {
        let (board, options) = (self.model.board, self.model.options);
        let bdds = self.model.bdds;
        // Whether every valuation of a goal will do: then it is enough to see its head.
        let is_plain = |(_, _, question): &(usize, &Property, Question)| match question {
            Question::Heads(goals) => goals.iter().all(|(_, set)| bdds.is_true(set)),
            Question::Cycle => false,
        };
        let whole = options.trace || !self.questions.iter().all(is_plain);
        // The plain questions that ask for each head.
        let mut asking: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for question in self.questions.iter().filter(|question| is_plain(question)) {
            if let (index, _, Question::Heads(goals)) = question {
                for (head, _) in goals {
                    asking.entry(*head).or_default().push(*index);
                }
            }
        }
        let mut reached: FxHashSet<usize> = FxHashSet::default();
        post_star.run(|head| {
            for index in asking.get(&head).into_iter().flatten() {
                if reached.insert(*index) {
                    board.decide(*index, Verdict::Violated);
                    if reached.len() == self.questions.len() {
                        self.model.turn_to_traces();
                    }
                }
            }
            !whole && reached.len() == self.questions.len()
        })?;
        let mut violations = Vec::new();
        for (index, property, question) in &self.questions {
            match question {
                Question::Heads(goals) => {
                    if !reached.contains(index) && self.meets(post_star, goals)? {
                        reached.insert(*index);
                    }
                    if reached.contains(index) {
                        violations.push((*index, Violation::Reached(property, goals)));
                    }
                    board.decide(*index, super::verdict(reached.contains(index)));
                }
                Question::Cycle => {
                    let repeating = self.model.repeating(post_star)?;
                    board.decide(*index, super::verdict(repeating.is_some()));
                    if repeating.is_none() && !self.model.ends(post_star) {
                        let warning = "no execution terminates either: all are cut off";
                        board.warn_of_vacuity(warning.into());
                    }
                    violations.extend(repeating.map(|r| (*index, Violation::Runs(r))));
                }
            }
        }
        Ok(violations)
    }

    /// Whether some goal was reached with a valuation that is wanted.
    fn meets(&self, post_star: &PostStar<'_>, goals: &Goals) -> Result<bool, Error> {
        let model = self.model;
        for (head, wanted) in goals {
            let set = post_star.reached_set(*head, &model.spds.all_entry)?;
            if !model.bdds.is_false(&model.bdds.and(&set, wanted)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn backward(&self) -> Result<Vec<(usize, Violation<'_>)>, Error> {
        let model = self.model;
        let mut violations = Vec::new();
        for (index, property, question) in &self.questions {
            let (violated, violation) = match question {
                Question::Heads(goals) => {
                    let wanted = goals.iter().cloned();
                    let mut pre_star = PreStar::new(model.spds, model.bdds, model.watch, wanted)?;
                    (pre_star.run()?, Violation::Reached(property, goals))
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

pub fn no_trace() -> Error {
    Error::Internal("a violated property has no trace".into())
}
