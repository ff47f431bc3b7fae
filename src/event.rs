//! What an observer of a run sees of it.

use crate::check::{Board, Phase};
use crate::error::{Diagnostics, PropertyWarning};
use crate::watch::Watch;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What happens during a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// Something about a property is doubtful.
    Warning(PropertyWarning),
    /// Something about a set of configurations is doubtful.
    Diagnostics(Diagnostics),
    /// How a property is read, and what is searched for: a text with line breaks.
    Explanation(String),
    /// The order of variables, if [`Checker::show_order`](crate::Checker::show_order) was asked for, in the form in which
    /// [`Order::Given`](crate::Order::Given) takes it.
    Order(String),
    /// How far the check has come; many times a second.
    Progress(Progress),
}

/// How far a check has come.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Since the beginning.
    pub elapsed: Duration,
    /// How many edges of the automaton wait to be looked at.
    pub worklist: u64,
    /// How many BDD nodes there are.
    pub nodes: u64,
}

impl Progress {
    pub(crate) fn of(board: &Board, watch: &Watch) -> Self {
        Progress {
            phase: board.phase().unwrap_or_default(),
            elapsed: board.elapsed(),
            worklist: watch.worklist.load(Relaxed),
            nodes: watch.nodes.load(Relaxed),
        }
    }
}
