//! Programs, as far as checks see them.

use super::model::Model;
use super::subject::Subject;
use crate::explicit::{self, Budget};
use crate::interpreter::replay::{Mismatch, replay};
use crate::program::{PointId, Program};
use crate::property::Property;
use crate::rules::{Layout, Rules};
use crate::trace::{Location, Step, Trace};
use crate::watch::Abort;
use crate::witness::concrete::Concretizer;
use crate::witness::walk::Diverged;
use crate::witness::{AbstractTrace, concretize};

impl Subject for Program {
    fn layout(&self) -> Layout {
        Layout::of(self)
    }

    fn rules(&self, layout: Layout) -> Rules<'_> {
        Rules::of_program(self, layout, false)
    }

    fn concretize(model: &Model<'_, Self>, path: &AbstractTrace) -> Result<Trace, Diverged> {
        let walker = Concretizer {
            program: model.subject,
            rules: model.rules,
            spds: model.spds,
        };
        concretize(&walker, path)
    }

    fn replay(&self, trace: &Trace) -> Result<(), Mismatch> {
        replay(self, trace)
    }

    fn is_asked_for(&self, property: &Property, last: &Step) -> bool {
        match (property, last.location) {
            (Property::Reach(points), Location::At(point)) => points.contains(&PointId(point)),
            (Property::Assertions, location) => location == Location::Error,
            _ => false,
        }
    }

    fn violates(&self, property: &Property, budget: Budget<'_>) -> Result<bool, Abort> {
        let reached = || explicit::reachable(self, budget);
        match property {
            Property::Reach(points) => {
                let reached = reached()?.points;
                Ok(points.iter().any(|point| reached.contains(point)))
            }
            Property::Assertions => Ok(reached()?.error),
            Property::Terminates => explicit::has_infinite_run(self, budget),
            Property::Temporal(temporal) => explicit::violates(self, temporal, budget),
            Property::OnTop { .. } => Ok(false),
        }
    }
}
