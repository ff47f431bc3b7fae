//! A program as a machine. *Terminated* and *error* step to themselves.

use super::machine::{Machine, Step};
use super::{Budget, start_views};
use crate::interpreter::step::{Outcome, resumptions, successors};
use crate::interpreter::{Valuation, View, Waiting};
use crate::program::{PointId, Program};
use crate::property::Atom;
use crate::trace::failure::Reason;
use crate::trace::{self, Location};
use crate::watch::Abort;

/// A program, and what is asked about its configurations.
pub struct ProgramMachine<'a> {
    pub program: &'a Program,
    pub atoms: &'a [Atom],
    /// Points that no automaton reads, sorted.
    pub silent: &'a [PointId],
}

/// What can be seen of a configuration of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    At(View),
    /// The globals.
    Terminated(Vec<u64>),
    /// The globals, and which assertion failed, if it was one.
    Error(Vec<u64>, Option<PointId>),
}

/// How a frame was left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exit {
    pub globals: Vec<u64>,
    /// The return values, if they were fixed.
    pub returns: Option<Box<[u64]>>,
}

impl Machine for ProgramMachine<'_> {
    type View = Control;
    type Frame = Waiting;
    type Exit = Exit;

    fn starts(&self, budget: Budget<'_>) -> Result<Vec<Control>, Abort> {
        let views = start_views(self.program, budget)?.into_iter();
        Ok(views.map(Control::At).collect())
    }

    fn steps(
        &self,
        control: &Control,
        budget: Budget<'_>,
    ) -> Result<Vec<Step<Control, Waiting, Exit>>, Abort> {
        let Control::At(view) = control else {
            return Ok(vec![Step::Next(control.clone())]);
        };
        let step = |outcome| match outcome {
            Outcome::End(globals) => Step::Next(Control::Terminated(globals)),
            Outcome::Next(next) | Outcome::Create(next, _) => Step::Next(Control::At(next)),
            Outcome::Enter(entry, waiting) => Step::Push(Control::At(entry), waiting),
            Outcome::Leave { globals, returns } => Step::Pop(Exit { globals, returns }),
            Outcome::Error(failure) => {
                let failed = (failure.reason == Reason::Assertion).then_some(view.at);
                let globals = view.valuation.globals().to_vec();
                Step::Next(Control::Error(globals, failed))
            }
        };
        let outcomes = successors(self.program, view, budget.states)?.into_iter();
        Ok(outcomes.map(step).collect())
    }

    fn resumed(
        &self,
        waiting: &Waiting,
        exit: &Exit,
        budget: Budget<'_>,
    ) -> Result<Vec<Control>, Abort> {
        let returns = exit.returns.as_deref();
        let outcomes = resumptions(self.program, waiting, &exit.globals, returns, budget.states)?;
        let control = |outcome| match outcome {
            Outcome::Next(view) => Control::At(view),
            _ => Control::Error(exit.globals.clone(), None),
        };
        Ok(outcomes.into_iter().map(control).collect())
    }

    fn below(&self, exit: &Exit) -> Control {
        Control::Terminated(exit.globals.clone())
    }

    fn is_silent(&self, control: &Control) -> bool {
        match control {
            Control::At(view) => self.silent.binary_search(&view.at).is_ok(),
            Control::Terminated(_) | Control::Error(..) => false,
        }
    }

    fn letter(&self, control: &Control) -> Vec<bool> {
        let (location, valuation) = match control {
            Control::At(view) => (Location::At(view.at.0), view.valuation.clone()),
            Control::Terminated(globals) => (Location::Terminated, Valuation::new(globals, &[])),
            Control::Error(globals, _) => (Location::Error, Valuation::new(globals, &[])),
        };
        let step = trace::Step::new(location, 0, valuation);
        let atoms = self.atoms.iter();
        atoms.map(|atom| atom.holds(self.program, &step)).collect()
    }
}
