//! A pushdown system as a machine. A configuration with an empty stack has no successor.

use super::Budget;
use super::buchi::Buchi;
use super::heads::reachable_heads;
use super::machine::{Machine, Step};
use super::product::Product;
use super::temporal::{has_accepted_run, violates_on};
use crate::property::{Atom, Temporal};
use crate::pushdown::step::{Frame, Outcome, Steps, View, state_of};
use crate::pushdown::{StateId, SymbolId, System};
use crate::trace::{self, Location, Valuation};
use crate::watch::Abort;

/// A pushdown system, and what is asked about its configurations.
struct SystemMachine<'a> {
    system: &'a System,
    steps: Steps<'a>,
    atoms: &'a [Atom],
}

impl<'a> SystemMachine<'a> {
    fn new(system: &'a System, atoms: &'a [Atom]) -> Self {
        SystemMachine {
            system,
            steps: Steps::new(system),
            atoms,
        }
    }
}

/// A view, or the globals left with an empty stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Top {
    View(View),
    Empty(Box<[u64]>),
}

impl Machine for SystemMachine<'_> {
    type View = Top;
    type Frame = Frame;
    /// The globals.
    type Exit = Box<[u64]>;

    fn starts(&self, budget: Budget<'_>) -> Result<Vec<Top>, Abort> {
        let views = self.steps.starts(budget.states)?.into_iter();
        Ok(views.map(Top::View).collect())
    }

    fn steps(
        &self,
        top: &Top,
        budget: Budget<'_>,
    ) -> Result<Vec<Step<Top, Frame, Box<[u64]>>>, Abort> {
        let Top::View(view) = top else {
            return Ok(Vec::new());
        };
        let step = |(_, outcome)| match outcome {
            Outcome::Next(view) => Step::Next(Top::View(view)),
            Outcome::Push(view, frame) => Step::Push(Top::View(view), frame),
            Outcome::Pop(globals) => Step::Pop(globals),
        };
        let outcomes = self.steps.successors(view, budget.states)?.into_iter();
        Ok(outcomes.map(step).collect())
    }

    fn resumed(
        &self,
        frame: &Frame,
        globals: &Box<[u64]>,
        _: Budget<'_>,
    ) -> Result<Vec<Top>, Abort> {
        let view = View {
            symbol: frame.symbol,
            globals: globals.clone(),
            locals: frame.locals.clone(),
        };
        Ok(vec![Top::View(view)])
    }

    fn below(&self, globals: &Box<[u64]>) -> Top {
        Top::Empty(globals.clone())
    }

    fn letter(&self, top: &Top) -> Vec<bool> {
        let (location, globals, locals) = match top {
            Top::View(view) => (Location::At(view.symbol.0), &view.globals, &*view.locals),
            Top::Empty(globals) => (Location::Terminated, globals, &[][..]),
        };
        let step = trace::Step::new(location, 0, Valuation::new(globals, locals));
        let atoms = self.atoms.iter();
        atoms.map(|atom| self.system.holds(atom, &step)).collect()
    }
}

/// Whether one of these symbols can come to be on top, in this state or in any.
pub fn reaches(
    system: &System,
    symbols: &[SymbolId],
    state: Option<StateId>,
    budget: Budget<'_>,
) -> Result<bool, Abort> {
    let machine = SystemMachine::new(system, &[]);
    let product = Product {
        machine: &machine,
        automaton: &Buchi::never(0),
        budget,
    };
    let mut heads = reachable_heads(&product)?;
    Ok(heads.any(|head| match head.view {
        Top::View(view) => {
            let here = state_of(&view.globals);
            symbols.contains(&view.symbol) && state.is_none_or(|state| state == here)
        }
        Top::Empty(_) => false,
    }))
}

/// Whether some infinite execution violates the property.
pub fn system_violates(
    system: &System,
    temporal: &Temporal,
    budget: Budget<'_>,
) -> Result<bool, Abort> {
    violates_on(
        &SystemMachine::new(system, &temporal.atoms),
        temporal,
        budget,
    )
}

/// Whether there is an infinite execution.
pub fn system_runs_for_ever(system: &System, budget: Budget<'_>) -> Result<bool, Abort> {
    has_accepted_run(&SystemMachine::new(system, &[]), &Buchi::never(0), budget)
}
