//! The unfolding of summaries.
//!
//! Each member of a summary that a path uses stands for an execution of the called frame
//! from its entry to its exit. That execution is searched inside the procedure, with
//! summaries of *smaller stamps* only: the member was found when only those were known, so
//! there is one, and the unfolding is well-founded even for recursive procedures. Members
//! are unfolded once, however often they are used.
//!
//! A member that was found by closing a recursion follows from smaller stamps through any
//! number of frames: see [`super::fold`].

use super::fold::{self, NestedFrames};
use super::path::{CallUse, Path, Transition};
use super::query::{CallStep, Query};
use super::search::Search;
use super::walk::Diverged;
use crate::bdd::Bdd;
use crate::spds::copies::Copy;
use crate::spds::{Head, Right};
use crate::watch::{Abort, Stop, within_budget};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// A path to the goal, a cycle there if the execution is infinite, and an unfolding of
/// every call that returns in them.
pub struct AbstractTrace {
    pub path: Path,
    /// From where the path ends, back to the same head and the same values.
    pub cycle: Option<Path>,
    /// Every call that returns in the paths or in a segment, in the order found.
    pub segments: Segments,
}

/// `None` only while the trace is being made.
pub type Segments = IndexMap<CallUse, Option<Unfolding>, FxBuildHasher>;

/// What happens in a call that returns.
pub enum Unfolding {
    Path(Path),
    /// More of the same, up to a frame deep above.
    Nested(NestedFrames),
}

impl AbstractTrace {
    /// Unfolds all calls of the paths; `None` if some recursion cannot be.
    pub fn new(search: &Search<'_>, path: Path, cycle: Option<Path>) -> Result<Option<Self>, Stop> {
        let mut segments = Segments::default();
        add_uses(&path, &mut segments);
        if let Some(cycle) = &cycle {
            add_uses(cycle, &mut segments);
        }
        let unfolded = within_budget(unfold_all(search, &mut segments))?;
        Ok(unfolded.map(|()| AbstractTrace {
            path,
            cycle,
            segments,
        }))
    }
}

impl AbstractTrace {
    /// How often the most frequent of its folded parts is repeated; 0 if nothing is folded.
    pub fn most_repeated(&self) -> u64 {
        let mut most = 0;
        let mut paths: Vec<&Path> = self.cycle.iter().chain([&self.path]).collect();
        for unfolding in self.segments.values().flatten() {
            match unfolding {
                Unfolding::Path(path) => paths.push(path),
                Unfolding::Nested(nested) => most = most.max(nested.rounds),
            }
        }
        while let Some(path) = paths.pop() {
            for step in &path.moves {
                if let Transition::Rounds(samples) = &step.by {
                    let rounds = samples.iter().map(|sample| sample.rounds);
                    most = most.max(rounds.fold(0, u64::saturating_add));
                    paths.extend(samples.iter().map(|sample| &sample.path));
                }
            }
        }
        most
    }

    pub fn unfolding(&self, call: &CallUse) -> Result<&Unfolding, Diverged> {
        let unfolding = self.segments.get(call).and_then(Option::as_ref);
        unfolding.ok_or(Diverged)
    }
}

fn unfold_all(search: &Search<'_>, segments: &mut Segments) -> Result<(), Abort> {
    let mut next = 0;
    while let Some((call, unfolding)) = segments.get_index(next) {
        if unfolding.is_none() {
            let call = call.clone();
            match fold::links(&search.graph, &call) {
                Some(links) => fold::unfold_nested(search, &call, links, segments)?,
                None => {
                    let path = execution(search, &call, None)?;
                    let path = path.expect("a summary has an execution with older summaries");
                    add(segments, call, path);
                }
            }
        }
        next += 1;
    }
    Ok(())
}

/// A shortest path from the start to a goal head with one of its valuations, completely
/// unfolded; `None` if there is none.
pub fn find(
    search: &Search<'_>,
    goal: impl Fn(Head) -> Option<Bdd>,
) -> Result<Option<AbstractTrace>, Stop> {
    let goal = |head| Ok(goal(head));
    match search.shortest(&search.query_to(&goal))? {
        Some(path) => AbstractTrace::new(search, path, None),
        None => Ok(None),
    }
}

/// An execution of the frame that a summary's member stands for, up to its exit; it makes
/// the call `through`.
pub(super) fn execution(
    search: &Search<'_>,
    call: &CallUse,
    through: Option<&CallStep>,
) -> Result<Option<Path>, Stop> {
    let (spds, bdds) = (search.graph.spds, search.graph.bdds);
    let interface = spds.interface(call.entry);
    let handed = interface.handed.iter().zip(&call.handed);
    let handed = bdds
        .minterm(handed.map(|(v, value)| (search.graph.copies.level(*v, Copy::Current), *value)))?;
    let goal = |head: Head| {
        let mut before: Option<Bdd> = None;
        for rule in spds.rules_from(head).map(|id| spds.rule(id)) {
            if let Right::Pop { .. } = rule.right {
                let popped = spds.transfer(rule).preimage(bdds, &handed)?;
                before = Some(match before {
                    Some(before) => bdds.or(&before, &popped)?,
                    None => popped,
                });
            }
        }
        Ok(before)
    };
    let query = Query {
        head: spds.entry(call.entry).head,
        set: bdds.and(
            &search
                .graph
                .minterm(&call.key, interface.key.iter().copied())?,
            &interface.initial,
        )?,
        before_stamp: call.stamp,
        may_enter: false,
        within: None,
        accepting: false,
        moves_on: false,
        through,
        jumps: None,
        goal: &goal,
    };
    search.shortest(&query)
}

/// Adds the path that a call stands for, and the calls on it.
pub(super) fn add(segments: &mut Segments, call: CallUse, path: Path) {
    add_uses(&path, segments);
    segments.insert(call, Some(Unfolding::Path(path)));
}

fn add_uses(path: &Path, segments: &mut Segments) {
    let mut paths = vec![path];
    while let Some(path) = paths.pop() {
        for step in &path.moves {
            match &step.by {
                Transition::Rule(_) | Transition::Way(_) => {}
                Transition::Call(_, call) => {
                    segments.entry(call.clone()).or_insert(None);
                }
                Transition::Rounds(samples) => {
                    paths.extend(samples.iter().map(|sample| &sample.path))
                }
            }
        }
    }
}
