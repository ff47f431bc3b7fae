//! What is checked: a program or a pushdown system, and all that differs between the two.

use super::model::Model;
use crate::explicit::Budget;
use crate::interpreter::replay::Mismatch;
use crate::property::{self, Property};
use crate::rules::{Layout, Rules};
use crate::trace::{Step, Trace};
use crate::watch::Abort;
use crate::witness::AbstractTrace;
use crate::witness::walk::Diverged;

pub trait Subject: property::Subject + Sized {
    fn layout(&self) -> Layout;

    /// Its rules, as far as some path leads to them, over the variables of a layout.
    fn rules(&self, layout: Layout) -> Rules<'_>;

    /// A path as an execution with every value.
    fn concretize(model: &Model<'_, Self>, path: &AbstractTrace) -> Result<Trace, Diverged>;

    fn replay(&self, trace: &Trace) -> Result<(), Mismatch>;

    /// Whether the last configuration of a finite trace is what a property asks for.
    fn is_asked_for(&self, property: &Property, last: &Step) -> bool;

    /// Whether a property is violated, by the explicit engine.
    fn violates(&self, property: &Property, budget: Budget<'_>) -> Result<bool, Abort>;
}
