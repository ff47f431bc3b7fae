//! Programs, as far as checks see them.

use super::Execution;
use super::model::Model;
use super::subject::{Goals, Subject};
use crate::analysis::meetings::Meetings;
use crate::analysis::order::{self, NamedCell};
use crate::analysis::{CallGraph, Layout, Liveness, ModRef, Observed};
use crate::bdd::OutOfNodes;
use crate::explicit::{self, TooLarge};
use crate::interpreter::replay::{Mismatch, replay};
use crate::interpreter::trace::{Location, Step, Trace};
use crate::program::{Action, Overflow, Program};
use crate::property::Property;
use crate::saturation::PostStar;
use crate::spds::copies::Copies;
use crate::spds::{Analyses, Head, HeadMeaning, Observer, Place, ProgramHeads, Spds, encode};
use crate::witness::concrete::Concretizer;
use crate::witness::walk::Diverged;
use crate::witness::{AbstractTrace, concretize};

pub struct ProgramAnalyses {
    calls: CallGraph,
    mod_ref: ModRef,
    liveness: Liveness,
}

impl Subject for Program {
    type Analyses = ProgramAnalyses;
    type Heads = ProgramHeads;

    const NAME: &'static str = "program";
    const FINITE: &'static str = "all are cut off";
    const STAYS: bool = true;

    fn layout(&self) -> Layout {
        Layout::of(self)
    }

    fn cells(&self, layout: &Layout) -> Vec<NamedCell> {
        order::cells_of(self, layout)
    }

    fn meetings(&self, layout: &Layout) -> Meetings {
        Meetings::of(self, layout)
    }

    fn analyse(&self, layout: &Layout, observed: &[Observed]) -> ProgramAnalyses {
        let calls = CallGraph::of(self);
        let mod_ref = ModRef::of(self, layout, &calls);
        let liveness = Liveness::of(self, layout, &calls, &mod_ref, observed);
        ProgramAnalyses {
            calls,
            mod_ref,
            liveness,
        }
    }

    /// A call may come with assignments to its own frame.
    fn sets_below(&self, _: &ProgramAnalyses) -> bool {
        let changes =
            |action: &Action| matches!(action, Action::Call(call) if !call.assignments.is_empty());
        self.points.iter().any(|point| changes(&point.action))
    }

    fn encode(
        &self,
        layout: &Layout,
        analyses: &ProgramAnalyses,
        observed: &[Observed],
        copies: &Copies<'_>,
        observer: Option<Observer<'_, '_, Program>>,
    ) -> Result<(Spds, ProgramHeads), OutOfNodes> {
        let analyses = Analyses {
            layout: layout.clone(),
            calls: &analyses.calls,
            mod_ref: &analyses.mod_ref,
            liveness: &analyses.liveness,
            observed,
            exact: false,
        };
        encode(self, &analyses, copies, observer)
    }

    fn procedures(&self) -> usize {
        self.procedures.len()
    }

    fn points(&self) -> usize {
        self.points.len()
    }

    fn place(heads: &ProgramHeads, head: Head) -> Option<Place> {
        match heads.meaning(head) {
            HeadMeaning::At(point) => Some(Place::At(point)),
            HeadMeaning::Error => Some(Place::Error),
            HeadMeaning::Terminated => Some(Place::Terminated),
            HeadMeaning::Returning(_) => None,
        }
    }

    fn observed_by(&self, _: &Property) -> Vec<Observed> {
        Vec::new()
    }

    fn goals(model: &Model<'_, Self>, property: &Property) -> Result<Option<Goals>, OutOfNodes> {
        let truth = || model.bdds.constant(true);
        Ok(match property {
            Property::Reach(points) => {
                let heads = points.iter().map(|point| model.heads.at(*point));
                Some(heads.map(|head| (head, truth())).collect())
            }
            Property::Assertions => Some(vec![(model.heads.error(), truth())]),
            Property::OnTop { .. } | Property::Terminates | Property::Temporal(_) => None,
        })
    }

    fn can_be_cut_off(&self) -> bool {
        let cuts = |action: &Action| match action {
            Action::Assume { .. } => true,
            Action::Assign { constrain, .. } => constrain.is_some(),
            Action::Select { otherwise, .. } => otherwise.is_none(),
            _ => false,
        };
        // With `Block` almost every expression can.
        self.overflow == Overflow::Block
            || self.procedures.iter().any(|p| p.enforce.is_some())
            || self.points.iter().any(|point| cuts(&point.action))
    }

    fn ends(model: &Model<'_, Self>, post_star: &PostStar<'_>) -> bool {
        post_star.terminates_somehow() || post_star.is_reached(model.heads.error())
    }

    fn concretize(model: &Model<'_, Self>, path: &AbstractTrace) -> Result<Trace, Diverged> {
        let walker = Concretizer {
            program: model.subject,
            layout: &model.layout,
            spds: model.spds,
            heads: model.heads,
        };
        concretize(&walker, path)
    }

    fn is_stopped(step: &Step) -> bool {
        matches!(step.location, Location::Error | Location::Terminated)
    }

    fn replay(&self, trace: &Trace) -> Result<(), Mismatch> {
        replay(self, trace)
    }

    fn is_asked_for(&self, property: &Property, last: &Step) -> bool {
        match (property, last.location) {
            (Property::Reach(points), Location::At(point)) => points.contains(&point),
            (Property::Assertions, location) => location == Location::Error,
            _ => false,
        }
    }

    fn execution(trace: Trace) -> Execution {
        Execution::Program(trace)
    }

    fn violates(&self, property: &Property, allowed: usize) -> Result<bool, TooLarge> {
        let reached = || explicit::reachable(self, allowed);
        match property {
            Property::Reach(points) => {
                let reached = reached()?.points;
                Ok(points.iter().any(|point| reached.contains(point)))
            }
            Property::Assertions => Ok(reached()?.error),
            Property::Terminates => explicit::has_infinite_run(self, allowed),
            Property::Temporal(temporal) => explicit::violates(self, temporal, allowed),
            Property::OnTop { .. } => Ok(false),
        }
    }
}
