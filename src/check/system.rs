//! Pushdown systems, as far as checks see them.

use super::model::Model;
use super::subject::Subject;
use crate::explicit::{self, Budget};
use crate::interpreter::replay::Mismatch;
use crate::property::Property;
use crate::pushdown::replay::replay;
use crate::pushdown::step::state_of;
use crate::pushdown::{SymbolId, System};
use crate::rules::{Layout, Rules};
use crate::trace::{Step, Trace};
use crate::watch::Abort;
use crate::witness::system::{SystemWalker, close};
use crate::witness::walk::Diverged;
use crate::witness::{AbstractTrace, concretize};

impl Subject for System {
    fn layout(&self) -> Layout {
        Layout::of_system(self)
    }

    fn rules(&self, layout: Layout) -> Rules<'_> {
        Rules::of_system(self, layout, false)
    }

    fn concretize(model: &Model<'_, Self>, path: &AbstractTrace) -> Result<Trace, Diverged> {
        let walker = SystemWalker {
            system: model.subject,
            rules: model.rules,
            analyses: model.analyses,
            copies: model.copies,
            spds: model.spds,
        };
        let mut trace = concretize(&walker, path)?;
        close(&mut trace);
        Ok(trace)
    }

    fn replay(&self, trace: &Trace) -> Result<(), Mismatch> {
        replay(self, trace)
    }

    fn is_asked_for(&self, property: &Property, last: &Step) -> bool {
        match property {
            Property::OnTop { symbols, state } => {
                let here = state_of(last.valuation.globals());
                let is_one = |symbol| symbols.contains(&symbol);
                last.at().map(SymbolId).is_some_and(is_one)
                    && state.is_none_or(|state| state == here)
            }
            _ => false,
        }
    }

    fn violates(&self, property: &Property, budget: Budget<'_>) -> Result<bool, Abort> {
        match property {
            Property::OnTop { symbols, state } => explicit::reaches(self, symbols, *state, budget),
            Property::Terminates => explicit::system_runs_for_ever(self, budget),
            Property::Temporal(temporal) => explicit::system_violates(self, temporal, budget),
            Property::Reach(_) | Property::Assertions => Ok(false),
        }
    }
}
