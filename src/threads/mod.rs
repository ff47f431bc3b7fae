//! Programs with threads, by bounded context switches.
//!
//! `contexts` runs threads context after context, each with a stack of its own as a
//! P-automaton; `solo` makes of one thread, once it is known when it runs and what the others
//! leave in the globals, a program without threads, whose traces are its part of an execution.
//! Of a *finite* program, in which nothing recurses and no thread is created in a loop, `product`
//! explores all configurations, so that its answer holds for every bound.

pub mod contexts;
pub mod fold;
pub mod product;
pub mod solo;

use crate::bdd::{Bdds, Collection, OutOfNodes};
pub use crate::interpreter::threads::Measure;
use crate::program::{Action, PointId, Program};
use crate::property::Property;
use crate::watch::Watch;
use std::fmt;

/// Which executions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchBounds {
    /// Only those with at most so many context switches, ...
    pub switches: Option<u32>,
    /// ... or with at most so many rounds.
    pub rounds: Option<u32>,
    /// If neither is given: after how many switches the search is given up.
    pub most: u32,
}

impl Default for SwitchBounds {
    fn default() -> Self {
        SwitchBounds {
            switches: None,
            rounds: None,
            most: 8,
        }
    }
}

/// How a search is done.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// What layers are made by.
    pub measure: Measure,
    /// Bytes that BDD nodes may take.
    pub memory: u64,
    /// How many BDD operations may be made; more count as running out of nodes.
    pub operations: u64,
    /// How many threads may work on one operation.
    pub jobs: u32,
    /// When garbage is collected.
    pub collection: Collection,
    /// Sees how far the search has come, and may stop it.
    pub watch: &'a Watch,
}

impl Settings<'_> {
    fn bdds(&self, levels: u32) -> Result<Bdds, OutOfNodes> {
        let bdds = Bdds::with_jobs(levels, self.memory, self.collection, self.jobs)?;
        Ok(bdds.watched_by(self.watch).limited_to(self.operations))
    }
}

/// The sizes of what a search worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Rules, or steps as relations.
    pub rules: usize,
    /// Edges of all automata.
    pub edges: usize,
    /// Control points that some thread has come to, where that is known.
    pub reached_points: usize,
    pub bdd_variables: u32,
    pub operations: u64,
    pub peak_live_nodes: usize,
}

/// How far executions with threads were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub measure: Measure,
    pub value: u32,
    /// Whether it is known that no larger bound changes the verdict.
    pub complete: bool,
}

/// How far, without whether that is enough: "within 3 context switches".
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many) = match self.measure {
            Measure::Switches => ("context switch", "context switches"),
            Measure::Rounds => ("round", "rounds"),
        };
        let noun = if self.value == 1 { one } else { many };
        write!(f, "within {} {noun}", self.value)
    }
}

/// What is looked for in executions.
#[derive(Clone, Debug)]
pub enum Goal {
    /// The running thread comes to one of these points.
    At(Vec<PointId>),
    /// The assertion at one of these points fails.
    Fails(Vec<PointId>),
}

impl Goal {
    /// Whether it is met where control comes to a point, or the assertion there fails.
    pub fn is_met(&self, point: PointId, fails: bool) -> bool {
        match self {
            Goal::At(points) => !fails && points.contains(&point),
            Goal::Fails(points) => fails && points.contains(&point),
        }
    }

    /// What a property asks for; `None` if that is no goal that can be reached.
    pub fn of(program: &Program, property: &Property) -> Option<Self> {
        match property {
            Property::Reach(points) => Some(Goal::At(points.clone())),
            Property::Assertion(points) => Some(Goal::Fails(points.clone())),
            Property::Assertions => {
                let points = (0..program.points.len() as u32).map(PointId);
                let fails =
                    |point: &PointId| matches!(program.point(*point).action, Action::Assert { .. });
                Some(Goal::Fails(points.filter(fails).collect()))
            }
            Property::OnTop { .. }
            | Property::OtherFailures
            | Property::Terminates
            | Property::Temporal(_)
            | Property::Unsupported => None,
        }
    }
}
