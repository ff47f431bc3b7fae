//! One question for a path, and its answer by rings.
//!
//! Ring `k` holds the heads that are first reached after `k` steps, where a call that
//! returns is one step, and so is one that does not. Once a ring meets the goal, the rings
//! are cut down backwards to what lies on a shortest path, and the path is picked forwards:
//! at each step the first rule and then the smallest values. So the result is determined.
//!
//! A path may have to *accept*: in a product, to visit an accepting state before its end,
//! itself or inside a call that returns. Then heads are told apart by whether that has
//! happened.
//!
//! Cost: one image and one pre-image for each rule and ring that the path could use.

use super::graph::SummaryGraph;
use super::path::{CallUse, Path};
use crate::acceleration::Way;
use crate::bdd::{Bdd, BddResult};
use crate::cycles::Sets;
use crate::spds::copies::Copy;
use crate::spds::{Head, RuleId};
use crate::watch::{Stop, within_budget};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub struct Query<'q> {
    pub head: Head,
    /// Over current variables.
    pub set: Bdd,
    /// Only summaries with smaller stamps are used.
    pub before_stamp: u64,
    /// Whether the path may push frames that are not popped.
    pub may_enter: bool,
    /// The path stays in these sets.
    pub within: Option<&'q Sets>,
    /// The path must accept before it reaches the goal.
    pub accepting: bool,
    /// The path has at least one step.
    pub moves_on: bool,
    /// The path must make this call.
    pub through: Option<&'q CallStep>,
    /// The path may go round loops any number of times in one step.
    pub jumps: Option<&'q dyn Jumps>,
    pub goal: &'q Goal<'q>,
}

/// A call that returns.
pub struct CallStep {
    pub push: RuleId,
    pub call: CallUse,
    /// The call as a summary with one member.
    pub member: Bdd,
}

impl Query<'_> {
    /// Whether something must have happened on the path: it must have accepted, or made a
    /// call.
    pub fn demands(&self) -> bool {
        self.accepting || self.through.is_some()
    }
}

/// Closures of the ways from a head back to itself, each of which is one more step there.
pub trait Jumps {
    fn at(&self, head: Head) -> Result<Rc<[Way]>, Stop>;
    fn image(&self, way: &Way, set: &Bdd) -> BddResult;
    fn preimage(&self, way: &Way, set: &Bdd) -> BddResult;
}

/// Which valuations of a head are a goal, if any.
pub type Goal<'q> = dyn Fn(Head) -> Result<Option<Bdd>, Stop> + 'q;

/// A head, and whether the path to it has accepted, or made the call it must make.
pub type Node = (Head, bool);
pub type NodeSets = FxHashMap<Node, Bdd>;

/// How far a search goes.
#[derive(Clone, Copy)]
pub struct Reach {
    /// With more rings than this it is given up.
    pub rings: usize,
    /// Paths with more steps than this are not looked for.
    pub steps: usize,
}

/// How a search by rings ended.
pub enum Found {
    Path(Path),
    Nothing,
    /// There are more rings than were allowed.
    TooFar,
}

impl SummaryGraph<'_> {
    /// A shortest path from the query's set to its goal, and the goal's head last.
    pub fn search(&self, query: &Query<'_>, reach: Reach) -> Result<Found, Stop> {
        match within_budget(self.rings(query, reach))? {
            Some(Some((rings, last))) => {
                let on_path = self.cut_back(query, &rings, last)?;
                self.pick(query, &on_path).map(Found::Path)
            }
            Some(None) => Ok(Found::Nothing),
            None => Ok(Found::TooFar),
        }
    }

    /// A set of valuations at a node, divided by whether the path has accepted once it
    /// leaves the node.
    pub(super) fn divide(
        &self,
        query: &Query<'_>,
        node: Node,
        set: &Bdd,
    ) -> Result<[Bdd; 2], Stop> {
        let falsity = || self.bdds.constant(false);
        if !query.accepting || node.1 {
            let whole = set.clone();
            return Ok(match node.1 {
                true => [falsity(), whole],
                false => [whole, falsity()],
            });
        }
        match &self.spds.accepting {
            // Without an automaton every head counts as accepting.
            None => Ok([falsity(), set.clone()]),
            Some(accepting) => Ok([
                self.bdds.difference(set, accepting)?,
                self.bdds.and(set, accepting)?,
            ]),
        }
    }

    /// The part of a summary in which the called frame has accepted, or has not.
    pub(super) fn summary_part(
        &self,
        query: &Query<'_>,
        summary: &Bdd,
        accepted: bool,
    ) -> Result<Bdd, Stop> {
        let Some((_, returned)) = self.spds.memory.filter(|_| query.accepting) else {
            return Ok(match accepted {
                true => self.bdds.constant(false),
                false => summary.clone(),
            });
        };
        let memory = self.copies.variable(returned, Copy::Current);
        Ok(match accepted {
            true => self.bdds.and(summary, &memory)?,
            false => self.bdds.difference(summary, &memory)?,
        })
    }
}
