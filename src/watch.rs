//! The cancellation token of a check, with its progress: one side computes and asks
//! [`Watch::check`] in every loop that may run long, the other reads counters and cancels.
//! All of it is atomics, so that asking costs a load.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

/// Why a computation stopped without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There is no memory for more BDD nodes.
    OutOfNodes,
    /// Somebody else asked for it: a time limit, a memory limit, or Ctrl-C.
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::OutOfNodes => "out of memory",
            Stop::Cancelled => "interrupted",
        })
    }
}

impl Error for Stop {}

/// Why an attempt with a budget has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abort {
    /// The budget is spent: too many rounds, or too large a BDD. Another method may do better.
    OverBudget,
    Stop(Stop),
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Abort::OverBudget => f.write_str("over budget"),
            Abort::Stop(stop) => stop.fmt(f),
        }
    }
}

impl Error for Abort {}

impl From<Stop> for Abort {
    fn from(stop: Stop) -> Self {
        Abort::Stop(stop)
    }
}

/// For a method to which there is no alternative.
impl From<Abort> for Stop {
    fn from(abort: Abort) -> Self {
        match abort {
            Abort::OverBudget => Stop::OutOfNodes,
            Abort::Stop(stop) => stop,
        }
    }
}

/// `None` if the budget of an attempt was spent.
pub fn within_budget<T>(result: Result<T, Abort>) -> Result<Option<T>, Stop> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Abort::OverBudget) => Ok(None),
        Err(Abort::Stop(stop)) => Err(stop),
    }
}

/// Raised once, by whoever wants a computation to stop; a clone is the same flag.
#[derive(Clone, Debug, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    /// True if it was raised before.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that one thread counts up and others read; a clone is the same one.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicU64>);

impl Gauge {
    /// Back to 0.
    pub fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Adds one.
    pub fn count(&self) {
        // One thread counts: nothing is lost between the two.
        let count = self.0.load(Ordering::Relaxed);
        self.0.store(count + 1, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a running computation shares with whoever watches it; a clone is the same one.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<Shared>, Option<Instant>);

/// The computation is to stop.
const CANCELLED: u8 = 1;
/// Somebody has read the counters since nodes were counted last. Counting takes a lock for each
/// BDD variable: too much to do it unasked.
const NODES_WANTED: u8 = 2;
/// Somebody has read the counters since a saturation noted last how far it has come.
const REACHED_WANTED: u8 = 4;

#[derive(Debug, Default)]
struct Shared {
    /// [`CANCELLED`] and what is wanted: in one place, so that one load tells that there is nothing.
    requests: AtomicU8,
    rounds: AtomicU64,
    reached: AtomicU64,
    heads: AtomicU64,
    worklist: AtomicU64,
    nodes: AtomicU64,
    replayed: Gauge,
    steps: AtomicU64,
    turns: AtomicU64,
    predicates: AtomicU64,
    questions: Gauge,
}

/// How far a computation has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// How often any loop has gone round.
    pub rounds: u64,
    /// Heads that the saturation under way, or the last one, has reached.
    pub reached: u64,
    /// All heads it might reach.
    pub heads: u64,
    /// How many edges wait to be looked at.
    pub worklist: u64,
    /// BDD nodes in the table, now and then.
    pub nodes: u64,
    /// Steps of the last trace that have been replayed.
    pub replayed: u64,
    /// All that are to be replayed.
    pub steps: u64,
    /// Boolean programs that were made of the program,
    pub turns: u64,
    /// the predicates of the last one,
    pub predicates: u64,
    /// and questions to the SAT solver.
    pub questions: u64,
}

impl Watch {
    /// Notes how far a saturation has come: the heads it has reached, and all there are; the
    /// edges that wait.
    pub fn see(&self, [reached, heads]: [usize; 2], waiting: usize) {
        self.0.reached.store(reached as u64, Ordering::Relaxed);
        self.0.heads.store(heads as u64, Ordering::Relaxed);
        self.0.worklist.store(waiting as u64, Ordering::Relaxed);
        self.0
            .requests
            .fetch_and(!REACHED_WANTED, Ordering::Relaxed);
    }

    /// Notes that so many steps are to be replayed; the gauge counts those that have been.
    pub fn begin_replay(&self, steps: usize) -> Gauge {
        self.0.steps.store(steps as u64, Ordering::Relaxed);
        self.0.replayed.reset();
        self.0.replayed.clone()
    }

    /// Whether the computation is to stop, or somebody wants to know how many BDD nodes there are.
    pub fn has_requests(&self) -> bool {
        self.0.requests.load(Ordering::Relaxed) & (CANCELLED | NODES_WANTED) != 0
    }

    /// Whether somebody wants to know how far a saturation has come.
    pub fn wants_reached(&self) -> bool {
        self.0.requests.load(Ordering::Relaxed) & REACHED_WANTED != 0
    }

    /// A loop of abstractions begins; the gauge counts its questions to the SAT solver.
    pub fn begin_abstraction(&self) -> Gauge {
        self.see_abstraction(0, 0);
        self.0.questions.reset();
        self.0.questions.clone()
    }

    /// Notes how many boolean programs were made, and the predicates of the last one.
    pub fn see_abstraction(&self, turns: u64, predicates: usize) {
        self.0.turns.store(turns, Ordering::Relaxed);
        let predicates = predicates as u64;
        self.0.predicates.store(predicates, Ordering::Relaxed);
    }

    /// Whether somebody wants to know how many BDD nodes there are.
    pub fn wants_nodes(&self) -> bool {
        self.0.requests.load(Ordering::Relaxed) & NODES_WANTED != 0
    }

    /// Notes how many BDD nodes there are.
    pub fn see_nodes(&self, nodes: usize) {
        self.0.nodes.store(nodes as u64, Ordering::Relaxed);
        self.0.requests.fetch_and(!NODES_WANTED, Ordering::Relaxed);
    }

    /// How far the computation has come; heads and nodes are counted again for the next time.
    pub fn counters(&self) -> Counters {
        let shared = &self.0;
        let wanted = NODES_WANTED | REACHED_WANTED;
        shared.requests.fetch_or(wanted, Ordering::Relaxed);
        Counters {
            rounds: shared.rounds.load(Ordering::Relaxed),
            reached: shared.reached.load(Ordering::Relaxed),
            heads: shared.heads.load(Ordering::Relaxed),
            worklist: shared.worklist.load(Ordering::Relaxed),
            nodes: shared.nodes.load(Ordering::Relaxed),
            replayed: shared.replayed.get(),
            steps: shared.steps.load(Ordering::Relaxed),
            turns: shared.turns.load(Ordering::Relaxed),
            predicates: shared.predicates.load(Ordering::Relaxed),
            questions: shared.questions.get(),
        }
    }

    /// The same watch for an attempt that may last until a time: then it has nothing left to work
    /// with.
    pub fn until(&self, end: Instant) -> Self {
        Watch(self.0.clone(), Some(end))
    }

    /// Asks the computation to stop.
    pub fn cancel(&self) {
        self.0.requests.fetch_or(CANCELLED, Ordering::Relaxed);
    }

    /// Whether the computation is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.requests.load(Ordering::Relaxed) & CANCELLED != 0
    }

    /// To be asked in every loop that may run long.
    pub fn check(&self) -> Result<(), Stop> {
        // One thread computes: nothing is lost between the two, and it costs less than an
        // addition that is atomic.
        let rounds = self.0.rounds.load(Ordering::Relaxed);
        self.0.rounds.store(rounds + 1, Ordering::Relaxed);
        if self.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        // The clock is looked at now and then only.
        let is_over = |end: Instant| rounds.is_multiple_of(64) && Instant::now() >= end;
        match self.1.is_some_and(is_over) {
            true => Err(Stop::OutOfNodes),
            false => Ok(()),
        }
    }
}
