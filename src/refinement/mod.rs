//! The loop of SLAM: abstract, check, try, refine.
//!
//! Each round makes a boolean program and lets the direct engine decide it. If nothing wrong can
//! happen there, nothing can in the program, and that is the verdict. Otherwise its trace is tried
//! on the program: as an execution it is replayed by the interpreter, and is the verdict; if it is
//! none, predicates are added that exclude it, and the next round begins. Before predicates are looked for at
//! all, random executions are: one that fails is the verdict. Where the next boolean program still has the
//! path, because relations of its steps are lossy, it learns what single steps cannot do, until the path is excluded
//! there. If neither a predicate nor a lemma is new, nothing more is known. So each round is about less
//! than the one before, and with few bits there is an end.

mod infinite;
mod invariants;
mod keep;
mod observation;
mod run;
#[cfg(test)]
mod tests;

pub use run::{Abstraction, Task};

use crate::abstraction::build::{Abstract, Goals, Workshop};
use crate::abstraction::discovery::discover;
use crate::abstraction::path::{Path, Trial, try_path};
use crate::abstraction::predicate::{Predicate, Predicates};
use crate::abstraction::{Origin, Seconds, Summary};
use crate::check::{self, Board, Options, TraceFinding, Verdict};
use crate::error::{Error, Reason};
use crate::interpreter::replay::replay;
use crate::limits::abstraction::{TRACE_STEPS, TRACES};
use crate::program::{PointId, Program};
use crate::property::Property;
use crate::terms::Term;
use crate::trace::Trace;
use crate::trace::failure::Failure;
use crate::watch::{Abort, Gauge, Watch};
use keep::Keeper;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What the loop is told.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many times predicates may be added.
    pub refinements: u64,
    /// Where each round is written to.
    pub keep: Option<PathBuf>,
    /// How many rounds were written there: all loops count together.
    pub kept: Arc<AtomicU64>,
    /// Whether the invariants of loops are wanted, of what holds.
    pub invariants: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            refinements: 200,
            keep: None,
            kept: Arc::default(),
            invariants: false,
        }
    }
}

/// What the loop has found out about a property.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// Every execution satisfies it.
    Holds,
    /// With an execution that was replayed.
    Violated(Box<Trace>),
    /// Nothing, for this reason.
    Unknown(Reason),
}

/// The loop over one program: what it has learned for one property serves the next.
pub struct Loop<'p> {
    program: &'p Program,
    workshop: Workshop<'p>,
    /// What the program is seen through.
    pub predicates: Predicates,
    /// How many boolean programs were made.
    pub rounds: u64,
    /// How long the parts took.
    pub seconds: Seconds,
    plan: Plan,
    options: Options,
    watch: Watch,
}

impl<'p> Loop<'p> {
    /// With predicates to begin with.
    pub fn new(
        program: &'p Program,
        given: Vec<Predicate>,
        plan: Plan,
        options: &Options,
        watch: &Watch,
        calls: Gauge,
    ) -> Self {
        let workshop = Workshop::new(program, watch, calls);
        let mut turn = Loop {
            program,
            workshop,
            predicates: Predicates::default(),
            rounds: 0,
            seconds: Seconds::default(),
            plan,
            options: Options {
                trace: true,
                trace_limit: TRACE_STEPS,
                // Traces of boolean programs are tried here.
                provenance: None,
                ..options.clone()
            },
            watch: watch.clone(),
        };
        turn.add(given);
        turn
    }

    /// A predicate as a term.
    fn term(&mut self, predicate: &Predicate) -> Term {
        let Workshop { symbols, terms, .. } = &mut self.workshop;
        predicate.term(self.program, symbols, terms)
    }

    /// Adds predicates; how many are new.
    fn add(&mut self, predicates: Vec<Predicate>) -> usize {
        let mut new = 0;
        for predicate in predicates {
            let term = self.term(&predicate);
            let terms = &mut self.workshop.terms;
            new += usize::from(self.predicates.add(predicate, term, terms));
        }
        new
    }

    /// What was done so far.
    pub fn summary(&self) -> Summary {
        let scopes = [None]
            .into_iter()
            .chain(self.program.procedure_ids().map(Some));
        let mut predicates: Vec<(String, Vec<String>)> = scopes
            .map(|scope| {
                let vocabulary = &self.workshop.vocabulary;
                let name = scope.map_or("", |id| vocabulary.procedure_name(id));
                let texts = self.predicates.of(scope).into_iter();
                let texts = texts.map(|id| self.predicates.get(id).text.clone());
                (name.to_owned(), texts.collect())
            })
            .collect();
        predicates.retain(|(_, texts)| !texts.is_empty());
        predicates.sort();
        Summary {
            rounds: self.rounds,
            predicates,
            solver_calls: self.workshop.calls.get(),
            seconds: self.seconds,
            invariants: None,
        }
    }

    /// The points among these that the boolean program of the present predicates can come to.
    pub fn not_excluded(&mut self, points: Vec<PointId>) -> Result<Vec<PointId>, Error> {
        if points.is_empty() {
            return Ok(Vec::new());
        }
        self.workshop.lay_blocks(&|point| points.contains(&point));
        let goals = Goals {
            point: &|point| points.contains(&point),
            failure: &|_, _| false,
            divided: true,
            probes: &[],
        };
        let boolean = self.workshop.build(&self.predicates, &goals)?;
        let reached = self.reached_goals(&boolean)?;
        let goals = boolean.goals.iter().zip(reached);
        let reached = goals.filter(|(_, is_reached)| *is_reached);
        let points = reached.filter_map(|(goal, _)| match boolean.origins[goal.0 as usize] {
            Origin::Goal(point) => Some(point),
            _ => None,
        });
        Ok(points.collect())
    }

    /// Of each goal of a boolean program, whether it is reached, or that is not known.
    fn reached_goals(&self, boolean: &Abstract) -> Result<Vec<bool>, Error> {
        let goals = boolean.goals.iter();
        let asked: Vec<Property> = goals.map(|goal| Property::Reach(vec![*goal])).collect();
        let board = Board::new(Instant::now(), asked.len());
        let options = Options {
            trace: false,
            ..self.options.clone()
        };
        check::check(&boolean.program, &asked, &options, &self.watch, &board)?;
        let holds = |number| board.verdict(number) == Some(Verdict::Holds);
        Ok((0..asked.len()).map(|number| !holds(number)).collect())
    }

    /// From now on predicates are added no more often for a property.
    pub fn refine_at_most(&mut self, refinements: u64) {
        self.plan.refinements = refinements;
    }

    /// Decides a property.
    pub fn decide(&mut self, property: &Property) -> Result<Conclusion, Error> {
        match property {
            Property::Terminates => self.decide_infinite(None),
            Property::Temporal(temporal) => self.decide_infinite(Some(temporal)),
            Property::Reach(_)
            | Property::Assertions
            | Property::Assertion(_)
            | Property::OtherFailures => self.decide_finite(property),
            Property::OnTop { .. } | Property::Unsupported => {
                Ok(Conclusion::Unknown(Reason::Unsupported))
            }
        }
    }

    /// The next boolean program, which has none of these paths; nothing if it would be the same again.
    fn round(
        &mut self,
        goals: &Goals<'_>,
        excluded: &[(Path, Vec<usize>)],
    ) -> Result<Option<Abstract>, Error> {
        let mut new = self.refine(excluded)?;
        self.rounds += 1;
        self.watch
            .see_abstraction(self.rounds, self.predicates.len());
        let begin = Instant::now();
        let boolean = loop {
            let boolean = self.workshop.build(&self.predicates, goals)?;
            let mut learnt = 0;
            for (path, _) in excluded {
                learnt += self.workshop.learn(&boolean, &self.predicates, path)?;
            }
            if learnt == 0 {
                break boolean;
            }
            new += learnt;
        };
        self.seconds.abstraction += begin.elapsed();
        if new == 0 && !excluded.is_empty() {
            self.rounds -= 1;
            return Ok(None);
        }
        self.plan.kept.fetch_add(1, Ordering::Relaxed);
        if let Some(keeper) = self.keeper() {
            keeper.begin(&boolean, &self.summary())?;
        }
        Ok(Some(boolean))
    }

    /// What writes this round to files, if that is wanted.
    fn keeper(&self) -> Option<Keeper<'_>> {
        let folder = self.plan.keep.as_deref();
        folder.map(|folder| Keeper {
            folder,
            round: self.plan.kept.load(Ordering::Relaxed),
            program: self.program,
        })
    }

    /// Decides whether a label is reached, or something fails.
    fn decide_finite(&mut self, property: &Property) -> Result<Conclusion, Error> {
        let is_goal =
            |point: PointId| matches!(property, Property::Reach(points) if points.contains(&point));
        self.workshop.lay_blocks(&is_goal);
        let goals = Goals {
            point: &is_goal,
            failure: &|point, assertion| fails(property, point, assertion),
            divided: true,
            probes: &[],
        };
        let mut refinements = 0;
        let mut excluded = Vec::new();
        loop {
            let Some(boolean) = self.round(&goals, &excluded)? else {
                return Ok(Conclusion::Unknown(Reason::Predicates));
            };
            let begin = Instant::now();
            let traces = match self.traces(&boolean)? {
                Traces::None => return Ok(Conclusion::Holds),
                Traces::Unknown(reason) => return Ok(Conclusion::Unknown(reason)),
                Traces::Some(traces) => traces,
            };
            self.seconds.check += begin.elapsed();
            if let (Some(keeper), Some(trace)) = (self.keeper(), traces.first()) {
                keeper.trace(&boolean, trace)?;
            }
            excluded.clear();
            for trace in &traces {
                let Some(path) = Path::of(trace, &boolean) else {
                    return Ok(Conclusion::Unknown(Reason::Trace));
                };
                match self.attempt(&path, false, property)? {
                    Attempt::Concluded(conclusion) => return Ok(conclusion),
                    Attempt::Excluded(core) => excluded.push((path, core)),
                }
            }
            if refinements == 0
                && let Some(path) = self.workshop.failing_execution(&goals)?
                && let Attempt::Concluded(conclusion) = self.attempt(&path, true, property)?
                && let Conclusion::Violated(_) = conclusion
            {
                return Ok(conclusion);
            }
            if refinements == self.plan.refinements {
                return Ok(Conclusion::Unknown(Reason::Refinements));
            }
            refinements += 1;
        }
    }

    /// Decides a boolean program: a trace for each of its goals, or for some of them.
    fn traces(&self, boolean: &Abstract) -> Result<Traces, Error> {
        let mut groups: Vec<Vec<PointId>> = vec![Vec::new(); boolean.goals.len().clamp(1, TRACES)];
        let count = groups.len();
        for (goal, i) in boolean.goals.iter().zip(0..) {
            groups[i % count].push(*goal);
        }
        let asked: Vec<Property> = groups.into_iter().map(Property::Reach).collect();
        let board = Board::new(Instant::now(), asked.len());
        check::check(&boolean.program, &asked, &self.options, &self.watch, &board)?;
        let mut traces = Vec::new();
        let mut reason = None;
        for finding in board.take_findings() {
            match (finding.verdict, finding.trace) {
                (Some(Verdict::Holds), _) => {}
                (Some(Verdict::Violated), TraceFinding::Found(trace)) => traces.push(trace),
                (Some(Verdict::Violated), _) => reason = Some(Reason::Trace),
                (None, _) => reason = Some(Reason::Interrupted),
            }
        }
        // The shortest ones tell most.
        traces.sort_by_key(|trace| trace.stem.len());
        Ok(match (reason, traces.is_empty()) {
            (None, true) => Traces::None,
            (Some(reason), true) => Traces::Unknown(reason),
            (_, false) => Traces::Some(traces),
        })
    }

    /// Tries a path on the program: one of the boolean program, or a `single` one of the program itself.
    fn attempt(
        &mut self,
        path: &Path,
        single: bool,
        property: &Property,
    ) -> Result<Attempt, Error> {
        let begin = Instant::now();
        let wanted = |failure: &Failure| property.names(Some(failure));
        let trial = try_path(&mut self.workshop, path, single, &wanted);
        self.seconds.path += begin.elapsed();
        Ok(match trial {
            Ok(Trial::Execution(trace)) => {
                let is_one = replay(self.program, &trace).is_ok() && property.asks_for(&trace);
                Attempt::Concluded(match is_one {
                    true => Conclusion::Violated(trace),
                    false => Conclusion::Unknown(Reason::Trace),
                })
            }
            Ok(Trial::Excluded(core)) => Attempt::Excluded(core),
            Err(Abort::OverBudget) => Attempt::Concluded(Conclusion::Unknown(Reason::Trace)),
            Err(Abort::Stop(stop)) => return Err(stop.into()),
        })
    }

    /// Adds predicates that exclude paths, as far as single steps are exact; how many are new.
    fn refine(&mut self, excluded: &[(Path, Vec<usize>)]) -> Result<usize, Error> {
        let begin = Instant::now();
        let mut new = 0;
        for (path, core) in excluded {
            let found = discover(&mut self.workshop, &self.predicates, path, core)?;
            let found = found.unwrap_or_default();
            let copies = self.copied(&found);
            new += self.add(found);
            self.add(copies);
        }
        self.seconds.discovery += begin.elapsed();
        Ok(new)
    }

    /// The same predicates on the copies of their procedures: what one of these needs, all do.
    fn copied(&self, predicates: &[Predicate]) -> Vec<Predicate> {
        let mut copied = Vec::new();
        for predicate in predicates {
            let copies = predicate
                .scope
                .map(|id| self.workshop.vocabulary.copies(id));
            copied.extend(copies.into_iter().flatten().map(|copy| Predicate {
                scope: Some(copy),
                ..predicate.clone()
            }));
        }
        copied
    }
}

/// What a boolean program has.
enum Traces {
    None,
    Some(Vec<Trace>),
    Unknown(Reason),
}

/// What came of a path.
enum Attempt {
    Concluded(Conclusion),
    /// These events exclude each other.
    Excluded(Vec<usize>),
}

/// Whether a property asks for a failure at a point.
fn fails(property: &Property, point: PointId, assertion: bool) -> bool {
    match property {
        Property::Assertions => true,
        Property::Assertion(points) => assertion && points.contains(&point),
        Property::OtherFailures => !assertion,
        Property::Reach(_)
        | Property::OnTop { .. }
        | Property::Terminates
        | Property::Temporal(_)
        | Property::Unsupported => false,
    }
}
