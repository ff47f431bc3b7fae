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
//! with a stack (`machine`). Programs with threads have no finite set of heads: their
//! configurations are explored as they are, within a bound ([`threads`]).
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
pub mod threads;

pub use system::{reaches, system_runs_for_ever, system_violates};
pub use temporal::{has_infinite_run, violates};

use crate::interpreter::step::TooMany;
use crate::interpreter::{Valuation, View};
use crate::program::{PointId, Program};
use crate::watch::{Abort, Watch};
use buchi::Buchi;
use heads::reachable_heads;
use product::Product;
use program::{Control, ProgramMachine};
use rustc_hash::FxHashSet;

/// What may be spent on a question.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'w> {
    /// How much of anything may be kept, or tried for one step.
    pub states: usize,
    watch: Option<&'w Watch>,
}

impl<'w> Budget<'w> {
    /// So many states, for as long as it takes.
    pub const fn states(states: usize) -> Self {
        Budget {
            states,
            watch: None,
        }
    }

    /// With a watch that may end the work.
    pub const fn watched(states: usize, watch: &'w Watch) -> Self {
        Budget {
            states,
            watch: Some(watch),
        }
    }

    /// Whether `count` states may be kept. To be asked in every loop.
    pub fn allow(self, count: usize) -> Result<(), Abort> {
        self.watch.map_or(Ok(()), Watch::check)?;
        match count > self.states {
            true => Err(Abort::OverBudget),
            false => Ok(()),
        }
    }
}

impl From<TooMany> for Abort {
    fn from(_: TooMany) -> Self {
        Abort::OverBudget
    }
}

/// Everything reachable from the start.
#[derive(Debug, Default)]
pub struct Reachable {
    pub points: FxHashSet<PointId>,
    /// Whether an assertion can fail, or a value not fit.
    pub error: bool,
    /// The points of assertions that can fail, and `None` if something else can.
    pub failed: FxHashSet<Option<PointId>>,
    /// Whether the lowest frame can be popped.
    pub terminated: bool,
}

/// Explores as many path edges as allowed.
pub fn reachable(program: &Program, budget: Budget<'_>) -> Result<Reachable, Abort> {
    let mut reachable = Reachable::default();
    for control in reachable_controls(program, budget)? {
        match control {
            Control::At(view) => {
                reachable.points.insert(view.at);
            }
            Control::Error(_, failed) => {
                reachable.error = true;
                reachable.failed.insert(failed);
            }
            Control::Terminated(_) => reachable.terminated = true,
        }
    }
    Ok(reachable)
}

/// Where control may be, with what is seen there.
fn reachable_controls(program: &Program, budget: Budget<'_>) -> Result<Vec<Control>, Abort> {
    let product = Product {
        machine: &ProgramMachine {
            program,
            atoms: &[],
            silent: &[],
        },
        automaton: &Buchi::never(0),
        budget,
    };
    Ok(reachable_heads(&product)?.map(|head| head.view).collect())
}

/// Every view of a configuration that is reachable.
#[cfg(test)]
pub(crate) fn reachable_views(program: &Program, budget: Budget<'_>) -> Result<Vec<View>, Abort> {
    let controls = reachable_controls(program, budget)?.into_iter();
    let views = controls.filter_map(|control| match control {
        Control::At(view) => Some(view),
        Control::Error(..) | Control::Terminated(_) => None,
    });
    Ok(views.collect())
}

/// Every valuation of the globals and of the entry procedure's locals.
pub(crate) fn start_views(program: &Program, budget: Budget<'_>) -> Result<Vec<View>, Abort> {
    let cells = || {
        let locals = &program.procedure(program.entry).locals;
        program.globals.iter().chain(locals)
    };
    let mut valuations: Vec<Vec<u64>> = vec![Vec::new()];
    for cell in cells() {
        let count = cell.domain.size().saturating_mul(valuations.len() as u128);
        budget.allow(usize::try_from(count).unwrap_or(usize::MAX))?;
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
