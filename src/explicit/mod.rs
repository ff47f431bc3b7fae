//! The naive twin: explicit states, plain sets, procedure summaries.
//!
//! As simple as can be, so that one can believe it; exponential in the number of variables
//! in scope. It answers the same questions as the symbolic engine for small programs, and
//! the tests compare the two.
//!
//! [`reachable`] explores what can be reached. For questions about infinite executions
//! ([`violates`], [`has_infinite_run`]) the formula is made into an automaton (`tableau`),
//! the product of program and automaton (`product`) into a graph of heads (`heads`), and a
//! cycle that sees every mark is looked for in it (`cycle`). All that takes any *machine*
//! with a stack (`machine`).
//!
//! Invariant: nothing here uses the symbolic engine, nor more of ltl2ba-rs than its
//! formulas; an automaton that the user gave is taken as it is.

mod buchi;
mod cycle;
mod heads;
mod machine;
mod product;
mod program;
mod system;
mod tableau;
mod temporal;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unfolding;

pub use system::{reaches, system_runs_for_ever, system_violates};
pub use temporal::{has_infinite_run, violates};

use crate::interpreter::step::{Outcome, TooMany, resumptions, successors};
use crate::interpreter::{Valuation, View, Waiting};
use crate::program::{PointId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// More states than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<TooMany> for TooLarge {
    fn from(_: TooMany) -> Self {
        TooLarge
    }
}

/// Everything reachable from the start.
#[derive(Debug)]
pub struct Reachable {
    pub points: FxHashSet<PointId>,
    /// Whether an assertion can fail, or a value not fit.
    pub error: bool,
    /// Whether the lowest frame can be popped.
    pub terminated: bool,
}

/// How a frame was left: the globals, and the return values if they were fixed.
type Exit = (Vec<u64>, Option<Box<[u64]>>);

/// All executions of frames that were entered in the same state.
#[derive(Default)]
struct Frames {
    exits: FxHashSet<Exit>,
    /// Who waits for them: the state that frame was entered in, and how it waits.
    waiting: FxHashSet<(usize, Waiting)>,
    /// Whether such a frame can be the lowest one.
    lowest: bool,
}

struct Exploration<'a> {
    program: &'a Program,
    allowed: usize,
    /// The states that frames were entered in, numbered.
    entered: FxHashMap<View, usize>,
    frames: Vec<Frames>,
    /// Path edges: a frame's entered state and a view it can come to.
    seen: FxHashSet<(usize, View)>,
    todo: Vec<(usize, View)>,
    error: bool,
    terminated: bool,
}

/// Explores at most `allowed` path edges.
pub fn reachable(program: &Program, allowed: usize) -> Result<Reachable, TooLarge> {
    let mut exploration = Exploration {
        program,
        allowed,
        entered: FxHashMap::default(),
        frames: Vec::new(),
        seen: FxHashSet::default(),
        todo: Vec::new(),
        error: false,
        terminated: false,
    };
    for start in start_views(program, allowed)? {
        let frame = exploration.enter(start)?;
        exploration.frames[frame].lowest = true;
    }
    while let Some((frame, view)) = exploration.todo.pop() {
        exploration.explore(frame, &view)?;
    }
    Ok(Reachable {
        points: exploration.seen.iter().map(|(_, view)| view.at).collect(),
        error: exploration.error,
        terminated: exploration.terminated,
    })
}

/// Every valuation of the globals and of the entry procedure's locals.
fn start_views(program: &Program, allowed: usize) -> Result<Vec<View>, TooLarge> {
    let cells = || {
        let locals = &program.procedure(program.entry).locals;
        program.globals.iter().chain(locals)
    };
    let mut valuations: Vec<Vec<u64>> = vec![Vec::new()];
    for cell in cells() {
        let count = cell.domain.size().saturating_mul(valuations.len() as u128);
        if count > allowed as u128 {
            return Err(TooLarge);
        }
        let values = 0..cell.domain.size() as u64;
        let with = |value| valuations.iter().map(move |v| [&v[..], &[value]].concat());
        valuations = values.flat_map(with).collect();
    }
    let view = |values: Vec<u64>| {
        let (globals, locals) = values.split_at(program.globals.len());
        View {
            at: program.entry_point(),
            valuation: Valuation::new(globals, locals),
            returns: None,
        }
    };
    Ok(valuations.into_iter().map(view).collect())
}

impl Exploration<'_> {
    fn reach(&mut self, frame: usize, view: View) -> Result<(), TooLarge> {
        if self.seen.insert((frame, view.clone())) {
            self.todo.push((frame, view));
        }
        match self.seen.len() > self.allowed {
            true => Err(TooLarge),
            false => Ok(()),
        }
    }

    fn enter(&mut self, view: View) -> Result<usize, TooLarge> {
        let next = self.frames.len();
        let frame = *self.entered.entry(view.clone()).or_insert(next);
        if frame == next {
            self.frames.push(Frames::default());
            self.reach(frame, view)?;
        }
        Ok(frame)
    }

    fn explore(&mut self, frame: usize, view: &View) -> Result<(), TooLarge> {
        for outcome in successors(self.program, view, self.allowed)? {
            match outcome {
                Outcome::Next(next) => self.reach(frame, next)?,
                Outcome::Error(_) => self.error = true,
                Outcome::Enter(entry, waiting) => {
                    let callee = self.enter(entry)?;
                    let waits = (frame, waiting.clone());
                    if self.frames[callee].waiting.insert(waits) {
                        let exits: Vec<_> = self.frames[callee].exits.iter().cloned().collect();
                        for exit in exits {
                            self.resume(frame, &waiting, &exit)?;
                        }
                    }
                }
                Outcome::Leave { globals, returns } => {
                    self.terminated |= self.frames[frame].lowest;
                    let exit = (globals, returns);
                    if self.frames[frame].exits.insert(exit.clone()) {
                        let waiting: Vec<_> = self.frames[frame].waiting.iter().cloned().collect();
                        for (caller, waiting) in waiting {
                            self.resume(caller, &waiting, &exit)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn resume(&mut self, frame: usize, waiting: &Waiting, exit: &Exit) -> Result<(), TooLarge> {
        let (globals, returns) = exit;
        let returns = returns.as_deref();
        for outcome in resumptions(self.program, waiting, globals, returns, self.allowed)? {
            match outcome {
                Outcome::Next(view) => self.reach(frame, view)?,
                _ => self.error = true,
            }
        }
        Ok(())
    }
}
