//! What an observer of a run sees of it.

use crate::check::{Board, Phase};
use crate::error::{Diagnostics, PropertyWarning};
use crate::supervisor::resident_memory;
use crate::watch::{Counters, Watch};
use std::time::Duration;

/// What happens during a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// Something about a property is doubtful.
    Warning(PropertyWarning),
    /// Something about a set of configurations is doubtful, or is assumed of a program.
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
    /// The property that is being decided, from 1; several that one search decides are
    /// counted as the first of them. 0 before the first.
    pub property: usize,
    /// How many properties there are.
    pub properties: usize,
    /// How many control points the search under way, or the last one, has come to.
    pub reached: u64,
    /// How many there are for it, those where calls return counted apart.
    pub points: u64,
    /// How often the loops of the algorithms have gone round.
    pub rounds: u64,
    /// How many edges of the automaton wait to be looked at.
    pub worklist: u64,
    /// How many BDD nodes there are.
    pub nodes: u64,
    /// How many steps of the trace under way, or of the last one, have been replayed.
    pub replayed: u64,
    /// How many it has, each part that is repeated counted once.
    pub steps: u64,
    /// With predicates: how many boolean programs were made,
    pub abstractions: u64,
    /// how many predicates the last one has,
    pub predicates: u64,
    /// and how often the SAT solver was asked.
    pub solver_calls: u64,
    /// Bytes of resident memory, where the system tells.
    pub memory: u64,
}

impl Progress {
    pub(crate) fn of(board: &Board, watch: &Watch) -> Self {
        let Counters {
            rounds,
            reached,
            heads,
            worklist,
            nodes,
            replayed,
            steps,
            turns,
            predicates,
            questions,
        } = watch.counters();
        let [property, properties] = board.turn();
        Progress {
            phase: board.phase().unwrap_or_default(),
            elapsed: board.elapsed(),
            property,
            properties,
            reached,
            points: heads,
            rounds,
            worklist,
            nodes,
            replayed,
            steps,
            abstractions: turns,
            predicates,
            solver_calls: questions,
            memory: resident_memory().unwrap_or(0),
        }
    }
}
