//! Checks of programs with threads: larger and larger bounds, verdicts, traces.

use super::reachability::no_trace;
use super::vacuity::warn_of_no_failures;
use super::{Board, Engine, Options, Phase, TraceFinding, Verdict};
use crate::analysis::control::Control;
use crate::error::Error;
use crate::explicit::Budget;
use crate::explicit::threads::explore;
use crate::limits;
use crate::limits::threads::{MOST_CONTEXTS, MOST_SCHEDULES, TRACE_STEPS};
use crate::program::{Action, Point, PointId, Program, Threads};
use crate::property::Property;
use crate::threads::contexts::{Contexts, Hit, Room, Schedule, Search, with_contexts};
use crate::threads::fold::fold_calls;
use crate::threads::product::{Plan, with_product};
use crate::threads::solo::{Solo, SoloStep};
use crate::threads::{Bound, Goal, Measure, Settings, Sizes};
use crate::trace::failure::{Failure, Reason};
use crate::trace::{Location, Step, Trace, Valuation};
use crate::watch::{Abort, Watch, within_budget};
use crate::witness::fold::unfold::unfolded_length;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a check of threads works on.
pub struct Run<'a> {
    pub program: &'a Program,
    pub threads: &'a Threads,
    pub options: &'a Options,
    pub watch: &'a Watch,
    pub board: &'a Board,
}

/// A property that is not decided yet.
struct Open {
    index: usize,
    goal: Goal,
}

impl Run<'_> {
    /// Decides properties, as far as the bounds allow.
    pub fn check(&self, properties: &[Property]) -> Result<(), Error> {
        let mut open = Vec::new();
        for (index, property) in properties.iter().enumerate().rev() {
            self.board.turn_to(index);
            let goal = Goal::of(self.program, property).ok_or(Error::Unsupported(
                "a program with threads is checked for labels and assertions only",
            ))?;
            open.push(Open { index, goal });
        }
        open.reverse();
        self.board.enter(Phase::Analysis);
        let control = Control::of(self.program);
        let is_possible = |one: &mut Open| match &mut one.goal {
            Goal::At(points) => {
                points.retain(|point| control.reaches(*point));
                !points.is_empty()
            }
            Goal::Fails(points) => {
                points.retain(|point| control.may_fail(self.program, *point));
                !points.is_empty()
            }
        };
        let impossible: Vec<_> = open.extract_if(.., |one| !is_possible(one)).collect();
        self.done(&impossible, 0, true);
        let may_fail = |point| control.may_fail(self.program, PointId(point));
        let can_fail = || (0..self.program.points.len() as u32).any(may_fail);
        warn_of_no_failures(properties.iter(), can_fail, self.board);
        if open.is_empty() {
            return Ok(());
        }
        self.board.enter(Phase::Saturation);
        match self.options.engine {
            Engine::Symbolic => match Plan::of(self.program) {
                Some(plan) => self.whole(&plan, properties, open),
                None => self.contexts(open),
            },
            Engine::Explicit => self.explicitly(open),
        }
    }

    /// All configurations of a finite program, layer by layer.
    fn whole(
        &self,
        plan: &Plan<'_>,
        properties: &[Property],
        mut open: Vec<Open>,
    ) -> Result<(), Error> {
        let asked: Vec<_> = open
            .iter()
            .map(|one| properties[one.index].clone())
            .collect();
        let indices: Vec<_> = open.iter().map(|one| one.index).collect();
        with_product(plan, &asked, &self.settings(), |product| {
            loop {
                let layer = product.deepen()?;
                for violated in &layer.violated {
                    let index = indices[*violated];
                    open.retain(|one| one.index != index);
                    self.board.decide(index, Verdict::Violated);
                }
                // What is decided stays, even if a limit comes before the traces are made.
                let value = u32::try_from(layer.bound).unwrap_or(u32::MAX);
                self.done(&open, value, layer.is_complete);
                for violated in layer.violated.into_iter().filter(|_| self.options.trace) {
                    self.board.enter(Phase::Trace);
                    let trace = product.trace(violated)?.ok_or_else(no_trace)?;
                    self.confirm(indices[violated], trace)?;
                    self.board.enter(Phase::Saturation);
                }
                let is_last = self.is_bounded() && value >= self.last();
                if layer.is_complete || is_last || open.is_empty() {
                    self.count(&product.sizes());
                    return Ok(());
                }
            }
        })
    }

    /// By the naive twin.
    fn explicitly(&self, open: Vec<Open>) -> Result<(), Error> {
        let budget = Budget::watched(limits::explicit::STATES, self.watch);
        // What is finite has an end without a bound.
        let most = match self.is_bounded() || !Control::of(self.program).is_finite() {
            true => self.last(),
            false => u32::MAX,
        };
        let found = explore(self.program, self.measure(), most, budget);
        let found = within_budget(found)?.ok_or(Error::TooLarge)?;
        for one in open {
            let (points, places) = match &one.goal {
                Goal::At(points) => (points, &found.points),
                Goal::Fails(points) => (points, &found.failed),
            };
            let met = points.iter().filter_map(|point| places.get(point));
            match met.min_by_key(|found| (found.bound, found.steps)) {
                Some(place) => {
                    self.board.decide(one.index, Verdict::Violated);
                    if self.options.trace {
                        self.confirm(one.index, found.trace(self.program, *place))?;
                    }
                }
                None if found.is_complete => self.done(&[one], found.last, true),
                None => match found.exact {
                    Some(exact) => self.done(&[one], exact.min(most), false),
                    None => return Err(Error::TooLarge),
                },
            }
        }
        Ok(())
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            measure: self.measure(),
            memory: self.options.memory,
            operations: self.options.operations,
            jobs: self.options.jobs,
            collection: self.options.collection(),
            watch: self.watch,
        }
    }

    fn measure(&self) -> Measure {
        match self.options.bounds.rounds {
            Some(_) => Measure::Rounds,
            None => Measure::Switches,
        }
    }

    /// The largest bound to be looked at.
    fn last(&self) -> u32 {
        let bounds = self.options.bounds;
        bounds.rounds.or(bounds.switches).unwrap_or(bounds.most)
    }

    /// Whether the bound is all that is asked about.
    fn is_bounded(&self) -> bool {
        let bounds = self.options.bounds;
        bounds.rounds.is_some() || bounds.switches.is_some()
    }

    /// Notes that all executions up to a bound have been looked at.
    fn done(&self, open: &[Open], value: u32, complete: bool) {
        // What is complete is done for the bound that was given, too, if there is one.
        let value = match complete && self.is_bounded() {
            true => self.last(),
            false => value,
        };
        for one in open {
            let bound = Bound {
                measure: self.measure(),
                value,
                complete,
            };
            self.board.bound(one.index, bound);
            if complete || self.is_bounded() && value == self.last() {
                self.board.decide(one.index, Verdict::Holds);
            }
        }
    }

    /// Context after context.
    fn contexts(&self, mut open: Vec<Open>) -> Result<(), Error> {
        let first = self.measure().least();
        let creates = |point: &Point| matches!(point.action, Action::StartThread { .. });
        let mut room = Room {
            contexts: 8,
            created: 4,
        };
        // What was found with fewer copies need not be looked at again, but must be gone through.
        let mut done = None;
        let is_one_search =
            self.measure() == Measure::Rounds || !self.program.points.iter().any(creates);
        let mut most = if is_one_search { self.last() } else { first };
        loop {
            let search = Search {
                program: self.program,
                threads: self.threads,
                most_switches: most,
                room,
                settings: self.settings(),
            };
            let result = with_contexts(&search, |contexts| {
                if done.is_none() {
                    self.prove(contexts, &mut open)?;
                }
                let mut complete = false;
                for value in first..=most {
                    if open.is_empty() {
                        break;
                    }
                    let layer = self.layer(contexts, &mut open)?;
                    if let Err(error) = layer {
                        return Ok(Err(error));
                    }
                    complete = contexts.is_complete() && is_one_search;
                    if done.is_none_or(|done| value > done) {
                        self.done(&open, value, complete);
                        done = Some(value);
                    }
                    if complete {
                        break;
                    }
                }
                self.count(&contexts.sizes());
                Ok(Ok(complete))
            });
            match within_budget(result)? {
                Some(result) => {
                    let complete = result?;
                    if open.is_empty() || complete || most >= self.last() {
                        return Ok(());
                    }
                    most += 1;
                }
                // Too few copies of the globals, or of what created threads begin with.
                None if room.contexts > MOST_CONTEXTS => return Ok(()),
                None => {
                    room.contexts *= 2;
                    room.created *= 2;
                }
            }
        }
    }

    /// Notes what a search has worked on.
    fn count(&self, sizes: &Sizes) {
        self.board.measure(|statistics| {
            statistics.procedures = self.program.procedures.len();
            statistics.points = self.program.points.len();
            statistics.rules = sizes.rules;
            statistics.edges = sizes.edges;
            statistics.reached_points = sizes.reached_points;
            statistics.bdd_variables = sizes.bdd_variables;
            statistics.operations += sizes.operations;
            let peak = statistics.peak_live_nodes.max(sizes.peak_live_nodes);
            statistics.peak_live_nodes = peak;
        });
    }

    /// Takes out what is never reached, whatever the bound.
    fn prove(&self, contexts: &mut Contexts<'_>, open: &mut Vec<Open>) -> Result<(), Abort> {
        look_for(contexts, open);
        let possible = contexts.possible()?;
        let is_possible = |one: &mut Open| {
            let mut possible = possible.iter();
            possible.any(|(point, fails)| one.goal.is_met(*point, *fails))
        };
        let proved: Vec<_> = open.extract_if(.., |one| !is_possible(one)).collect();
        self.done(&proved, 0, true);
        Ok(())
    }

    /// One bound more. What is decided by it is taken out.
    fn layer(
        &self,
        contexts: &mut Contexts<'_>,
        open: &mut Vec<Open>,
    ) -> Result<Result<(), Error>, Abort> {
        look_for(contexts, open);
        let mut waiting: Vec<_> = open.iter().collect();
        let enough = |hit: &Hit| {
            waiting.retain(|one| !one.goal.is_met(hit.point, hit.fails));
            waiting.is_empty()
        };
        let mut hits = contexts.layer(enough)?;
        let mut decided: Vec<Open> = Vec::new();
        for hit in &hits {
            let met = |one: &mut Open| one.goal.is_met(hit.point, hit.fails);
            decided.extend(open.extract_if(.., met));
        }
        for one in &decided {
            self.board.decide(one.index, Verdict::Violated);
        }
        if decided.is_empty() || !self.options.trace {
            return Ok(Ok(()));
        }
        match contexts.further() {
            Ok(further) => hits.extend(further),
            Err(Abort::OverBudget) => {}
            Err(abort) => return Err(abort),
        }
        for one in decided {
            let met = |hit: &&Hit| one.goal.is_met(hit.point, hit.fails);
            let mut met: Vec<&Hit> = hits.iter().filter(met).collect();
            met.dedup_by_key(|hit| hit.node);
            let schedules = met.into_iter().take(MOST_SCHEDULES);
            let schedules = schedules.map(|hit| contexts.schedule(hit));
            if let Err(error) = self.explain(one.index, schedules) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// Shows the shortest of the executions with these schedules.
    fn explain(
        &self,
        index: usize,
        schedules: impl Iterator<Item = Schedule>,
    ) -> Result<(), Error> {
        let mut shortest = usize::MAX;
        for schedule in schedules {
            self.board.enter(Phase::Trace);
            match self.execution(&schedule)? {
                Ok(trace) if trace.stem.len() < shortest => {
                    shortest = trace.stem.len();
                    self.confirm(index, trace)?;
                }
                Ok(_) => {}
                Err(omitted) if shortest == usize::MAX => {
                    self.board.explain(index, omitted);
                    return Ok(());
                }
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Finds what each thread does in a schedule, and puts it together; or why that is not shown.
    fn execution(&self, schedule: &Schedule) -> Result<Result<Trace, TraceFinding>, Error> {
        let mut turns = Vec::new();
        for (thread, _) in &schedule.threads {
            let Some(solo) = Solo::new(self.program, schedule, *thread) else {
                continue;
            };
            let omitted = match self.solo(&solo)? {
                TraceFinding::Found(trace) if trace.segments.is_empty() => {
                    turns.push((*thread, solo.turns(&trace).into_iter()));
                    continue;
                }
                // The steps are those of another program: none of them is to be seen.
                TraceFinding::Found(trace) => TraceFinding::TooLong(unfolded_length(&trace)),
                TraceFinding::Repeating(steps, _) => TraceFinding::TooLong(steps),
                omitted => omitted,
            };
            return Ok(Err(omitted));
        }
        let mut made = Vec::new();
        for context in &schedule.contexts {
            let mut turns = turns.iter_mut();
            let next = turns.find(|(thread, _)| *thread == context.thread);
            made.extend(next.and_then(|(_, turns)| turns.next()).unwrap_or_default());
        }
        let mut trace = Trace {
            stem: self.number(made),
            ..Trace::default()
        };
        if schedule.fails {
            fail(self.program, &mut trace, schedule.goal);
        }
        Ok(Ok(trace))
    }

    /// Gives created threads their numbers: those that never run count, too.
    fn number(&self, made: Vec<SoloStep>) -> Vec<Step> {
        let mut threads = self.threads.declared.len() as u32;
        let mut numbers = FxHashMap::default();
        let steps = made.into_iter().map(|SoloStep { mut step, creates }| {
            step.thread = *numbers.get(&step.thread).unwrap_or(&step.thread);
            if let Some(created) = creates {
                threads += 1;
                numbers.extend(created.map(|created| (created, threads)));
            }
            step
        });
        steps.collect()
    }

    /// A shortest trace of one thread.
    fn solo(&self, solo: &Solo<'_>) -> Result<TraceFinding, Error> {
        let board = Board::new(std::time::Instant::now(), 1);
        let options = Options {
            engine: Engine::Symbolic,
            trace: true,
            trace_limit: self.options.trace_limit.max(TRACE_STEPS),
            ..self.options.clone()
        };
        let property = Property::Reach(solo.goals.clone());
        super::check(&solo.program, &[property], &options, self.watch, &board)?;
        let finding = board.take_findings().pop().unwrap_or_default();
        match finding.verdict {
            Some(Verdict::Violated) => Ok(finding.trace),
            _ => Err(Error::Internal(
                "a thread cannot do what its schedule says".into(),
            )),
        }
    }

    /// Nothing is shown that was not replayed.
    fn confirm(&self, index: usize, mut trace: Trace) -> Result<(), Error> {
        self.board.enter(Phase::Replay);
        let replayed = crate::interpreter::threads::replay::replay(self.program, &trace)?;
        trace.threads = replayed.threads;
        let limit = self.options.trace_limit;
        let is_short = |trace: &Trace| trace.stem.len() as u64 <= limit;
        if is_short(&trace) {
            self.board.explain(index, TraceFinding::Found(trace));
            return Ok(());
        }
        let folded = fold_calls(&trace);
        crate::interpreter::threads::replay::replay(self.program, &folded)?;
        self.board.explain(
            index,
            match is_short(&folded) {
                true => TraceFinding::Found(folded),
                false => TraceFinding::TooLong(trace.stem.len() as u64),
            },
        );
        Ok(())
    }
}

/// Tells the search what is still to be decided.
fn look_for(contexts: &mut Contexts<'_>, open: &[Open]) {
    let mut reaching = FxHashSet::default();
    let mut failing = FxHashSet::default();
    for one in open {
        match &one.goal {
            Goal::At(points) => reaching.extend(points.iter().copied()),
            Goal::Fails(points) => failing.extend(points.iter().copied()),
        }
    }
    contexts.look_for(reaching, failing);
}

/// Adds the step to *error*.
fn fail(program: &Program, trace: &mut Trace, assertion: PointId) {
    let Some(last) = trace.stem.last() else {
        return;
    };
    let globals = Valuation::new(last.valuation.globals(), &[]);
    let mut error = Step::new(Location::Error, 0, globals);
    error.thread = last.thread;
    trace.stem.push(error);
    trace.failure = Some(Failure {
        procedure: program.point(assertion).procedure,
        reason: Reason::Assertion,
    });
}
