//! Infinite executions through predicates: termination and temporal properties.
//!
//! The boolean program has every infinite execution of the program, and reads the same letters on the
//! way: if none of its own violates the property, none does. A lasso of it counts only if it is one
//! of the program, with a loop that closes; if its loop cannot be gone round so often, predicates are
//! added that exclude that path.

use super::observation::{Observation, points_by_place};
use super::{Conclusion, Loop};
use crate::abstraction::build::{Abstract, Goals};
use crate::abstraction::lasso::{LassoTrial, try_lasso};
use crate::abstraction::path::{Event, Path};
use crate::check::{self, Board, TraceFinding, Verdict};
use crate::error::{Error, Reason};
use crate::interpreter::replay::replay;
use crate::program::{Action, PointId};
use crate::property::{Property, Temporal};
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use crate::watch::Abort;
use std::time::Instant;

impl Loop<'_> {
    /// Decides a temporal property, or whether every execution ends.
    pub(super) fn decide_infinite(
        &mut self,
        temporal: Option<&Temporal>,
    ) -> Result<Conclusion, Error> {
        let observation = match temporal {
            None => None,
            Some(temporal) => match Observation::new(self, temporal) {
                None => return Ok(Conclusion::Unknown(Reason::Predicates)),
                some => some,
            },
        };
        // The automaton looks at each step.
        self.workshop.lay_blocks(&|_| temporal.is_some());
        // An execution that fails stays where it is for ever.
        let goals = Goals {
            point: &|_| false,
            failure: &|_, _| temporal.is_some(),
            // A proposition may speak of the points on the way to a failure.
            divided: false,
            probes: &[],
        };
        let mut refinements = 0;
        let mut excluded = Vec::new();
        loop {
            let Some(boolean) = self.round(&goals, &excluded)? else {
                return Ok(Conclusion::Unknown(Reason::Predicates));
            };
            let asked = match (temporal, &observation) {
                (Some(temporal), Some(observation)) => {
                    Property::Temporal(Box::new(observation.property(temporal, &boolean)))
                }
                _ => Property::Terminates,
            };
            let trace = match self.lasso(&boolean, asked)? {
                Ok(trace) => trace,
                Err(conclusion) => return Ok(conclusion),
            };
            if let Some(keeper) = self.keeper() {
                keeper.trace(&boolean, &trace)?;
            }
            let Some([stem, round]) = self.parts(&boolean, observation.as_ref(), &trace) else {
                return Ok(Conclusion::Unknown(Reason::Trace));
            };
            let begin = Instant::now();
            let trial = try_lasso(&mut self.workshop, &stem, &round);
            self.seconds.path += begin.elapsed();
            let path = match trial {
                Ok(LassoTrial::Execution(trace)) => {
                    return Ok(match self.violates(temporal, &trace) {
                        true => Conclusion::Violated(trace),
                        false => Conclusion::Unknown(Reason::Trace),
                    });
                }
                Ok(LassoTrial::Excluded(path, core)) => (path, core),
                Ok(LassoTrial::Open) | Err(Abort::OverBudget) => {
                    return Ok(Conclusion::Unknown(Reason::Trace));
                }
                Err(Abort::Stop(stop)) => return Err(stop.into()),
            };
            if refinements == self.plan.refinements {
                return Ok(Conclusion::Unknown(Reason::Refinements));
            }
            refinements += 1;
            excluded = vec![path];
        }
    }

    /// A lasso of a boolean program that violates a property, or what follows from there being none.
    fn lasso(
        &mut self,
        boolean: &Abstract,
        asked: Property,
    ) -> Result<Result<Trace, Conclusion>, Error> {
        let begin = Instant::now();
        let board = Board::new(begin, 1);
        let program = &boolean.program;
        check::check(program, &[asked], &self.options, &self.watch, &board)?;
        self.seconds.check += begin.elapsed();
        let finding = board.take_findings().pop();
        let found = finding.map(|finding| (finding.verdict, finding.trace));
        Ok(match found {
            Some((Some(Verdict::Holds), _)) => Err(Conclusion::Holds),
            Some((Some(Verdict::Violated), TraceFinding::Found(trace))) => Ok(trace),
            Some((Some(Verdict::Violated), _)) => Err(Conclusion::Unknown(Reason::Trace)),
            Some((None, _)) | None => Err(Conclusion::Unknown(Reason::Interrupted)),
        })
    }

    /// The stem and the loop of a lasso as paths of the program.
    fn parts(
        &self,
        boolean: &Abstract,
        observation: Option<&Observation>,
        trace: &Trace,
    ) -> Option<[Path; 2]> {
        let points = points_by_place(boolean);
        let claims = |step: &Step| match observation {
            Some(observation) => observation.claims(self, boolean, &points, step),
            None => Vec::new(),
        };
        let (last, before) = trace.stem.split_last()?;
        let mut stem = Path::from(before, boolean, &claims)?;
        if last.is_stopped() {
            // The way out of the entry is no step of the boolean program that is one of an edge.
            let left = before.last().and_then(Step::at).map(PointId);
            let is_exit = |at: PointId| matches!(boolean.program.point(at).action, Action::Exit);
            if left.is_some_and(is_exit) {
                let exit = self.program.procedure(self.program.entry).exit();
                stem.events.push(Event::Edge(exit, 0));
            }
            stem.events.extend(claims(last));
            return Some([stem, Path { events: Vec::new() }]);
        }
        let (_, inner) = trace.cycle.split_last()?;
        let steps: Vec<Step> = [last].into_iter().chain(inner).cloned().collect();
        Some([stem, Path::from(&steps, boolean, &claims)?])
    }

    /// Whether an execution of the program is what it is taken for.
    fn violates(&self, temporal: Option<&Temporal>, trace: &Trace) -> bool {
        let is_one = replay(self.program, trace).is_ok() && !trace.cycle.is_empty();
        is_one
            && match temporal {
                Some(temporal) => temporal.is_violated_by(Subject::Program(self.program), trace),
                None => !trace.cycle.iter().any(Step::is_stopped),
            }
    }
}
