//! The check: from a program or pushdown system and properties to verdicts and traces.

mod board;
mod boundary;
mod model;
mod occurrence;
mod reachability;
mod subject;
mod temporal;
#[cfg(test)]
mod tests;
mod threads;
mod trace;
mod vacuity;

pub use board::{Board, Finding, Phase, Statistics, TraceFinding};
pub use boundary::examine;
pub use trace::{enact, still_violates};

use crate::analysis::{DataVariable, order};
use crate::bdd::{Collection, OutOfNodes};
use crate::cycles;
use crate::error::{Error, Reason};
use crate::explicit::Budget;
use crate::limits;
use crate::property::{Atom, Property};
use crate::retrace::{Mismatch, Provenance};
use crate::rules::{self, Condition, Subject};
use crate::threads::SwitchBounds;
use crate::watch::{Stop, Watch, within_budget};
use crate::witness::walk::Diverged;
use model::{Observation, with_model};
use std::sync::Arc;

/// What a check finds out about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every execution satisfies it.
    Holds,
    /// For a label: it is reachable.
    Violated,
}

/// How the states of a program are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// As BDDs.
    Symbolic,
    /// The naive twin: for tests, on small programs.
    Explicit,
}

/// Where a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `post*` from the start.
    Forward,
    /// `pre*` of the goal.
    Backward,
}

/// Whether deep loops and deep recursion are accelerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerate {
    /// Where plain iteration takes many rounds.
    Auto,
    /// From the first round.
    Always,
    /// Each round is made by itself.
    Never,
}

/// How a check is done.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine.
    pub engine: Engine,
    /// Which executions of threads are looked at.
    pub bounds: SwitchBounds,
    /// Where the symbolic engine begins.
    pub direction: Direction,
    /// Whether traces are searched.
    pub trace: bool,
    /// The longest trace that is unfolded, and the longest that is shown at all.
    pub trace_limit: u64,
    /// After how many steps of the search for a trace loops are accelerated in it, too: then
    /// a trace longer than the limit has rounds that are folded.
    pub trace_patience: usize,
    /// Bytes that BDD nodes may take.
    pub memory: u64,
    /// How many BDD operations may be made; more count as running out of nodes.
    pub operations: u64,
    /// How many BDD nodes may be made for the sake of traces once the verdicts are known; more
    /// count as running out of nodes.
    pub trace_nodes: Option<usize>,
    /// How many threads may work on one operation.
    pub jobs: u32,
    /// The order of BDD variables.
    pub order: order::Choice,
    /// Whether deep loops and deep recursion are accelerated.
    pub accelerate: Accelerate,
    /// How cycles are searched.
    pub cycles: cycles::Options,
    /// Whether large structures are left to the end of the process instead of being freed.
    pub process_ends: bool,
    /// Whether the peak of live nodes is measured, at some cost in time.
    pub measure: bool,
    /// Of a lowered C program, what it was made from: traces are executed there.
    pub provenance: Option<Arc<dyn Provenance>>,
}

impl Options {
    /// When garbage is collected.
    fn collection(&self) -> Collection {
        match self.measure {
            true => Collection::Measured,
            false => Collection::Rare,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::Symbolic,
            bounds: SwitchBounds::default(),
            direction: Direction::Forward,
            trace: true,
            trace_limit: limits::witness::TRACE_STEPS,
            trace_patience: limits::witness::RINGS_BEFORE_FOLDS,
            memory: 4 << 30,
            operations: u64::MAX,
            trace_nodes: None,
            jobs: 1,
            order: order::Choice::Interleaved,
            accelerate: Accelerate::Auto,
            cycles: cycles::Options {
                method: cycles::Method::Auto,
                rough_components: true,
            },
            process_ends: false,
            measure: false,
            provenance: None,
        }
    }
}

impl From<OutOfNodes> for Error {
    fn from(error: OutOfNodes) -> Self {
        Stop::from(error).into()
    }
}

impl From<Mismatch> for Error {
    fn from(error: Mismatch) -> Self {
        Error::Internal(error.to_string())
    }
}

impl From<Diverged> for Error {
    fn from(error: Diverged) -> Self {
        Error::Internal(error.to_string())
    }
}

/// Decides every property, and finds a trace for each that is violated. What is found is
/// put on the board at once, so that it is known even if the rest is cut short.
pub fn check<'a>(
    subject: impl Into<Subject<'a>>,
    properties: &[Property],
    options: &Options,
    watch: &Watch,
    board: &Board,
) -> Result<(), Error> {
    let subject = subject.into();
    let is_decided = |property: &Property| !matches!(property, Property::Unsupported);
    if !properties.iter().all(is_decided) {
        let all = properties.iter().enumerate();
        let (numbers, decided): (Vec<usize>, Vec<Property>) = all
            .filter(|(_, property)| is_decided(property))
            .map(|(number, property)| (number, property.clone()))
            .unzip();
        return check(subject, &decided, options, watch, &board.part(&numbers));
    }
    if let Subject::Program(program) = subject
        && let Some(threads) = &program.threads
    {
        let run = threads::Run {
            program,
            threads,
            options,
            watch,
            board,
        };
        return run.check(properties);
    }
    match options.engine {
        Engine::Symbolic => {
            let layout = subject.layout();
            let rules = || subject.rules(layout.clone(), false);
            let order = order::resolve(&options.order, &layout, rules, &conditions(properties));
            let run = Run {
                subject,
                options,
                order: order?,
                watch,
                board,
            };
            check_symbolically(&run, properties)?;
        }
        Engine::Explicit => check_explicitly(subject, properties, watch, board)?,
    }
    vacuity::warn_of_ends_that_go_on(subject, properties, board);
    Ok(())
}

/// The conditions that formulas speak of.
pub fn conditions(properties: &[Property]) -> Vec<Condition<'_>> {
    let formulas = properties.iter().filter_map(|property| match property {
        Property::Temporal(temporal) => Some(&temporal.atoms),
        _ => None,
    });
    formulas.flatten().filter_map(Atom::condition).collect()
}

/// What all symbolic checks of one run share.
struct Run<'a> {
    subject: Subject<'a>,
    options: &'a Options,
    /// The data variables from the top of the variable order down; `None` for the order of
    /// their declaration.
    order: Option<Vec<DataVariable>>,
    watch: &'a Watch,
    board: &'a Board,
}

fn check_symbolically(run: &Run<'_>, properties: &[Property]) -> Result<(), Error> {
    let board = run.board;
    let mut plain = Vec::new();
    // Formulas that hold, and whether every proposition was seen to be true.
    let mut held = Vec::new();
    // Running out of nodes for one property says nothing about the next.
    let mut ended = Ok(());
    for (index, property) in properties.iter().enumerate() {
        // Each temporal property has a product of its own.
        let Property::Temporal(temporal) = property else {
            plain.push((index, property));
            continue;
        };
        let observed = Observation {
            variables: temporal.observed(),
            state: false,
        };
        board.turn_to(index);
        let mut seen_all = true;
        let result = with_model(run, Some(temporal), observed, |model| {
            seen_all = temporal::check(model, index, temporal)?;
            Ok(())
        });
        if board.verdict(index) == Some(Verdict::Holds) {
            held.push((temporal, seen_all));
        }
        keep_going(result, &mut ended)?;
    }
    if !plain.is_empty() {
        // One search decides them all, so that the turn of each comes at once.
        for (index, _) in plain.iter().rev() {
            board.turn_to(*index);
        }
        let asks_for_state =
            |property: &Property| matches!(property, Property::OnTop { state: Some(_), .. });
        let observed = Observation {
            variables: Vec::new(),
            state: plain.iter().any(|(_, property)| asks_for_state(property)),
        };
        let result = with_model(run, None, observed, |model| {
            reachability::check(model, &plain)
        });
        keep_going(result, &mut ended)?;
    }
    // Only a courtesy: whatever it runs into, the verdicts stand.
    let mut budget = limits::vacuity::OPERATIONS;
    for (temporal, seen_all) in held {
        let warned = match seen_all {
            true => Ok(false),
            false => vacuity::warn(run, temporal, &mut budget),
        };
        match warned {
            Ok(true) => {}
            Ok(false) => vacuity::warn_of_subformulas(run, temporal, &mut budget),
            Err(_) => break,
        }
    }
    ended
}

/// Remembers that nodes ran out; anything else ends the check.
fn keep_going(result: Result<(), Error>, ended: &mut Result<(), Error>) -> Result<(), Error> {
    match result {
        Err(Error::Stopped(Reason::Memory)) => {
            *ended = Err(Error::Stopped(Reason::Memory));
            Ok(())
        }
        other => other,
    }
}

fn check_explicitly(
    subject: Subject<'_>,
    properties: &[Property],
    watch: &Watch,
    board: &Board,
) -> Result<(), Error> {
    board.enter(Phase::Saturation);
    let budget = Budget::watched(limits::explicit::STATES, watch);
    for (i, property) in properties.iter().enumerate() {
        board.turn_to(i);
        let violated = within_budget(subject.violates(property, budget))?;
        board.decide(i, verdict(violated.ok_or(Error::TooLarge)?));
    }
    let can_fail = || {
        let rules = subject.rules(subject.layout(), false);
        let error = rules.error.map(rules::Right::Step);
        rules.rules.iter().any(|rule| Some(rule.right) == error)
    };
    vacuity::warn_of_no_failures(properties.iter(), can_fail, board);
    Ok(())
}

fn verdict(violated: bool) -> Verdict {
    match violated {
        true => Verdict::Violated,
        false => Verdict::Holds,
    }
}
