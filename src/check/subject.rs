//! What is checked: a program or a pushdown system, and all that differs between the two.

use super::model::Model;
use super::{CheckError, Execution};
use crate::analysis::meetings::Meetings;
use crate::analysis::order::NamedCell;
use crate::analysis::{Layout, Observed};
use crate::bdd::{Bdd, OutOfNodes};
use crate::explicit::TooLarge;
use crate::interpreter::replay::Mismatch;
use crate::property::{self, Property};
use crate::saturation::PostStar;
use crate::spds::copies::Copies;
use crate::spds::{Head, Observer, Places, Spds};
use crate::trace::Trace;
use crate::witness::AbstractTrace;
use crate::witness::walk::Diverged;

pub trait Subject: property::Subject + Places + Sized {
    /// What is known before any state is looked at.
    type Analyses;
    /// The meaning of heads.
    type Heads;

    /// What it is, for messages.
    const NAME: &'static str;
    /// What becomes of executions if none is infinite.
    const FINITE: &'static str;

    fn layout(&self) -> Layout;

    /// All cells, as an order names them, and which of them meet.
    fn cells(&self, layout: &Layout) -> Vec<NamedCell>;
    fn meetings(&self, layout: &Layout) -> Meetings;

    fn analyse(&self, layout: &Layout, observed: &[Observed]) -> Self::Analyses;

    /// Whether some push changes what the frame below it keeps.
    fn sets_below(&self, analyses: &Self::Analyses) -> bool;

    fn encode(
        &self,
        layout: &Layout,
        analyses: &Self::Analyses,
        observed: &[Observed],
        copies: &Copies<'_>,
        observer: Option<Observer<'_, '_, Self>>,
    ) -> Result<(Spds, Self::Heads), OutOfNodes>;

    /// How many procedures there are.
    fn procedures(&self) -> usize;

    /// How many control points there are: they are the first heads.
    fn points(&self) -> usize;

    /// Where configurations at a head are; `None` if it stands for none by itself.
    fn place(heads: &Self::Heads, head: Head) -> Option<Self::Place>;

    /// The variables that a property without an automaton speaks of.
    fn observed_by(&self, property: &Property) -> Vec<Observed>;

    /// The heads, with valuations, that a property asks for; `None` if it asks for a cycle.
    fn goals(model: &Model<'_, Self>, property: &Property) -> Result<Option<Goals>, OutOfNodes>;

    /// Whether some execution might end without the program having stopped.
    fn can_be_cut_off(&self) -> bool;

    /// Whether some execution was found that ends as it should.
    fn ends(model: &Model<'_, Self>, post_star: &PostStar<'_>) -> bool;

    /// Whether an execution that ends goes on for ever by staying where it is.
    const STAYS: bool;

    /// A path as an execution with every value.
    fn concretize(
        model: &Model<'_, Self>,
        path: &AbstractTrace,
    ) -> Result<Trace<Self::Step>, Diverged>;

    /// Whether a configuration is one in which nothing happens any more.
    fn is_stopped(step: &Self::Step) -> bool;

    fn replay(&self, trace: &Trace<Self::Step>) -> Result<(), Mismatch>;

    /// Whether the last configuration of a finite trace is what a property asks for.
    fn is_asked_for(&self, property: &Property, last: &Self::Step) -> bool;

    fn execution(trace: Trace<Self::Step>) -> Execution;

    /// Whether a property is violated, by the explicit engine.
    fn violates(&self, property: &Property, allowed: usize) -> Result<bool, TooLarge>;
}

/// Heads that are asked for, with the valuations wanted.
pub type Goals = Vec<(Head, Bdd)>;

impl From<TooLarge> for CheckError {
    fn from(_: TooLarge) -> Self {
        CheckError::TooLarge
    }
}
