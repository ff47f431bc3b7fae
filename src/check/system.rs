//! Pushdown systems, as far as checks see them.

use super::Execution;
use super::model::Model;
use super::subject::{Goals, Subject};
use crate::analysis::meetings::Meetings;
use crate::analysis::order::NamedCell;
use crate::analysis::pushdown::{self, Flow, Frames, Liveness};
use crate::analysis::{Layout, Observed};
use crate::bdd::OutOfNodes;
use crate::explicit::{self, TooLarge};
use crate::interpreter::replay::Mismatch;
use crate::program::VariableId;
use crate::property::Property;
use crate::pushdown::replay::{Step, replay};
use crate::pushdown::step::state_of;
use crate::pushdown::{Right, SymbolId, System};
use crate::saturation::PostStar;
use crate::spds::copies::{Copies, Copy};
use crate::spds::{Head, Observer, Spds, SystemAnalyses, SystemHead, SystemHeads, encode_system};
use crate::trace::Trace;
use crate::witness::system::{SystemWalker, close};
use crate::witness::walk::Diverged;
use crate::witness::{AbstractTrace, concretize};

pub struct Analyses {
    flow: Flow,
    liveness: Liveness,
    frames: Frames,
}

impl Subject for System {
    type Analyses = Analyses;
    type Heads = SystemHeads;

    const NAME: &'static str = "pushdown system";
    const FINITE: &'static str = "all end";
    const STAYS: bool = false;

    fn layout(&self) -> Layout {
        pushdown::layout(self)
    }

    fn cells(&self, layout: &Layout) -> Vec<NamedCell> {
        pushdown::cells_of(self, layout)
    }

    fn meetings(&self, layout: &Layout) -> Meetings {
        pushdown::meetings(self, layout)
    }

    fn analyse(&self, layout: &Layout, observed: &[Observed]) -> Analyses {
        let flow = Flow::of(self, layout);
        let liveness = Liveness::of(self, layout, &flow, observed);
        let frames = Frames::of(self, layout, &flow, &liveness);
        Analyses {
            flow,
            liveness,
            frames,
        }
    }

    fn sets_below(&self, analyses: &Analyses) -> bool {
        pushdown::sets_below(self, &analyses.flow)
    }

    fn encode(
        &self,
        layout: &Layout,
        analyses: &Analyses,
        _: &[Observed],
        copies: &Copies<'_>,
        observer: Option<Observer<'_, '_, System>>,
    ) -> Result<(Spds, SystemHeads), OutOfNodes> {
        let analyses = SystemAnalyses {
            layout,
            flow: &analyses.flow,
            liveness: &analyses.liveness,
            frames: &analyses.frames,
            exact: false,
        };
        encode_system(self, &analyses, copies, observer)
    }

    /// Symbols that are pushed begin something like a procedure.
    fn procedures(&self) -> usize {
        let pushed = self.rules.iter().filter_map(|rule| match rule.right {
            Right::Push(first, _) => Some(first),
            _ => None,
        });
        let mut entries: Vec<_> = pushed.chain([self.start.symbol]).collect();
        entries.sort_unstable();
        entries.dedup();
        entries.len()
    }

    fn points(&self) -> usize {
        self.symbols.len()
    }

    fn place(heads: &SystemHeads, head: Head) -> Option<SymbolId> {
        match heads.meaning(head) {
            SystemHead::Symbol(symbol) => Some(symbol),
            SystemHead::Returning(_) | SystemHead::Empty => None,
        }
    }

    fn observed_by(&self, property: &Property) -> Vec<Observed> {
        match (property, self.state_cell()) {
            (Property::OnTop { state: Some(_), .. }, VariableId::Global(cell)) => {
                vec![Observed::Global(cell)]
            }
            _ => Vec::new(),
        }
    }

    fn goals(model: &Model<'_, Self>, property: &Property) -> Result<Option<Goals>, OutOfNodes> {
        let Property::OnTop { symbols, state } = property else {
            return Ok(None);
        };
        let (bdds, system) = (model.bdds, model.subject);
        let mut wanted = bdds.constant(true);
        if let (Some(state), VariableId::Global(cell)) = (state, system.state_cell()) {
            let bits = model.layout.global(cell).zip(0..);
            wanted = bdds.minterm(bits.map(|(bit, place)| {
                let level = model.copies.level(bit, Copy::Current);
                (level, state.0 >> place & 1 == 1)
            }))?;
        }
        let goal = |symbol: &SymbolId| (model.heads.at(*symbol), wanted.clone());
        Ok(Some(symbols.iter().map(goal).collect()))
    }

    /// A configuration that no rule fits ends the execution.
    fn can_be_cut_off(&self) -> bool {
        true
    }

    fn ends(_: &Model<'_, Self>, _: &PostStar<'_>) -> bool {
        true
    }

    fn concretize(model: &Model<'_, Self>, path: &AbstractTrace) -> Result<Trace<Step>, Diverged> {
        let walker = SystemWalker {
            system: model.subject,
            layout: &model.layout,
            flow: &model.analyses.flow,
            liveness: &model.analyses.liveness,
            copies: model.copies,
            spds: model.spds,
            heads: model.heads,
        };
        let mut trace = concretize(&walker, path)?;
        close(&mut trace);
        Ok(trace)
    }

    fn is_stopped(step: &Step) -> bool {
        step.symbol.is_none()
    }

    fn replay(&self, trace: &Trace<Step>) -> Result<(), Mismatch> {
        replay(self, trace)
    }

    fn is_asked_for(&self, property: &Property, last: &Step) -> bool {
        match property {
            Property::OnTop { symbols, state } => {
                let here = state_of(&last.globals);
                let is_one = |symbol| symbols.contains(&symbol);
                last.symbol.is_some_and(is_one) && state.is_none_or(|state| state == here)
            }
            _ => false,
        }
    }

    fn execution(trace: Trace<Step>) -> Execution {
        Execution::System(trace)
    }

    fn violates(&self, property: &Property, allowed: usize) -> Result<bool, TooLarge> {
        match property {
            Property::OnTop { symbols, state } => explicit::reaches(self, symbols, *state, allowed),
            Property::Terminates => explicit::system_runs_for_ever(self, allowed),
            Property::Temporal(temporal) => explicit::system_violates(self, temporal, allowed),
            Property::Reach(_) | Property::Assertions => Ok(false),
        }
    }
}
