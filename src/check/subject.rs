//! What a check asks of the concrete meaning of a program or a pushdown system.

use crate::explicit::{self, Budget};
use crate::interpreter::replay::{Mismatch, replay, why_it_fails};
use crate::property::Property;
use crate::pushdown;
use crate::rules::Subject;
use crate::trace::Trace;
use crate::trace::failure::Failure;
use crate::watch::Abort;

impl Subject<'_> {
    pub(super) fn replay(self, trace: &Trace) -> Result<(), Mismatch> {
        match self {
            Subject::Program(program) => replay(program, trace),
            Subject::System(system) => pushdown::replay::replay(system, trace),
        }
    }

    /// Why a trace leads to *error*, if it does: of several reasons one that is wanted.
    pub(super) fn failure(
        self,
        trace: &Trace,
        wanted: &dyn Fn(&Failure) -> bool,
    ) -> Option<Failure> {
        match self {
            Subject::Program(program) => why_it_fails(program, trace, wanted),
            Subject::System(_) => None,
        }
    }

    /// Whether a property is violated, by the explicit engine.
    pub fn violates(self, property: &Property, budget: Budget<'_>) -> Result<bool, Abort> {
        match (self, property) {
            (Subject::Program(program), Property::Reach(points)) => {
                let reached = explicit::reachable(program, budget)?.points;
                Ok(points.iter().any(|point| reached.contains(point)))
            }
            (Subject::Program(program), Property::Assertions) => {
                Ok(explicit::reachable(program, budget)?.error)
            }
            (Subject::Program(program), Property::Assertion(points)) => {
                let failed = explicit::reachable(program, budget)?.failed;
                Ok(points.iter().any(|point| failed.contains(&Some(*point))))
            }
            (Subject::Program(program), Property::OtherFailures) => {
                Ok(explicit::reachable(program, budget)?.failed.contains(&None))
            }
            (Subject::Program(program), Property::Terminates) => {
                explicit::has_infinite_run(program, budget)
            }
            (Subject::Program(program), Property::Temporal(temporal)) => {
                explicit::violates(program, temporal, budget)
            }
            (Subject::System(system), Property::OnTop { symbols, state }) => {
                explicit::reaches(system, symbols, *state, budget)
            }
            (Subject::System(system), Property::Terminates) => {
                explicit::system_runs_for_ever(system, budget)
            }
            (Subject::System(system), Property::Temporal(temporal)) => {
                explicit::system_violates(system, temporal, budget)
            }
            _ => Ok(false),
        }
    }
}
