//! What the engine explores: a machine with a stack, seen without looking below the top.
//!
//! Programs and pushdown systems are such machines. A *view* is what can be seen of a
//! configuration; a *frame* is what waits below the top; an *exit* is what is left of a
//! frame that was popped, and together with the frame below makes a view again.

use super::Budget;
use crate::watch::Abort;
use std::hash::Hash;

pub trait Machine: Sized {
    type View: Clone + Eq + Hash;
    type Frame: Clone + Eq + Hash;
    type Exit: Clone + Eq + Hash;

    /// The views that executions begin with.
    fn starts(&self, budget: Budget<'_>) -> Result<Vec<Self::View>, Abort>;

    /// All steps from a view.
    fn steps(&self, view: &Self::View, budget: Budget<'_>) -> Result<StepsOf<Self>, Abort>;

    /// The views after a return into a frame.
    fn resumed(
        &self,
        frame: &Self::Frame,
        exit: &Self::Exit,
        budget: Budget<'_>,
    ) -> Result<Vec<Self::View>, Abort>;

    /// The view after the lowest frame was popped.
    fn below(&self, exit: &Self::Exit) -> Self::View;

    /// The truth of each proposition that is asked about.
    fn letter(&self, view: &Self::View) -> Vec<bool>;

    /// Whether a view is only a part of a step, which no automaton reads.
    fn is_silent(&self, _view: &Self::View) -> bool {
        false
    }
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub enum Step<View, Frame, Exit> {
    /// To another view of the same frame.
    Next(View),
    /// To a new frame on top, with another one below it.
    Push(View, Frame),
    /// To whatever the frame below makes of it.
    Pop(Exit),
}

/// The steps of a machine.
pub type StepsOf<M> = Vec<Step<<M as Machine>::View, <M as Machine>::Frame, <M as Machine>::Exit>>;
