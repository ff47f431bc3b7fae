//! The unfolding of summaries.
//!
//! Each member of a summary that a path uses stands for an execution of the called frame
//! from its entry to its exit. That execution is searched inside the procedure, with
//! summaries of *smaller stamps* only: the member was found when only those were known, so
//! there is one, and the unfolding is well-founded even for recursive procedures. Members
//! are unfolded once, however often they are used.

use super::search::{By, CallUse, Path, Query, Search};
use crate::bdd::Bdd;
use crate::saturation::Stop;
use crate::spds::copies::Copy;
use crate::spds::{Head, Right};
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
pub type Segments = IndexMap<CallUse, Option<Path>, FxBuildHasher>;

impl AbstractTrace {
    /// Unfolds all calls of the paths.
    pub fn new(search: &Search<'_>, path: Path, cycle: Option<Path>) -> Result<Self, Stop> {
        let mut segments = Segments::default();
        add_uses(&path, &mut segments);
        if let Some(cycle) = &cycle {
            add_uses(cycle, &mut segments);
        }
        let mut next = 0;
        while let Some((call, _)) = segments.get_index(next) {
            let path = unfold(search, call)?;
            add_uses(&path, &mut segments);
            segments[next] = Some(path);
            next += 1;
        }
        Ok(AbstractTrace {
            path,
            cycle,
            segments,
        })
    }
}

/// A shortest path from the start to a goal head with one of its valuations, completely
/// unfolded; `None` if there is none.
pub fn find(
    search: &Search<'_>,
    goal: impl Fn(Head) -> Option<Bdd>,
) -> Result<Option<AbstractTrace>, Stop> {
    let goal = |head| Ok(goal(head));
    match search.shortest(&search.from_start(&goal))? {
        Some(path) => AbstractTrace::new(search, path, None).map(Some),
        None => Ok(None),
    }
}

/// An execution of the frame that a summary's member stands for, up to its exit.
fn unfold(search: &Search<'_>, call: &CallUse) -> Result<Path, Stop> {
    let (spds, bdds) = (search.spds, search.bdds);
    let interface = spds.interface(call.entry);
    let handed = interface.handed.iter().zip(&call.handed);
    let handed =
        bdds.minterm(handed.map(|(v, value)| (search.copies.level(*v, Copy::Current), *value)))?;
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
            &search.minterm(&call.key, interface.key.iter().copied())?,
            &interface.initial,
        )?,
        before_stamp: call.stamp,
        may_enter: false,
        within: None,
        accepting: false,
        moves_on: false,
        jumps: None,
        goal: &goal,
    };
    let path = search.shortest(&query)?;
    Ok(path.expect("a member of a summary has an execution with older summaries"))
}

fn add_uses(path: &Path, segments: &mut Segments) {
    let mut paths = vec![path];
    while let Some(path) = paths.pop() {
        for step in &path.moves {
            match &step.by {
                By::Rule(_) | By::Way(_) => {}
                By::Call(_, call) => {
                    segments.entry(call.clone()).or_insert(None);
                }
                By::Rounds(samples) => paths.extend(samples.iter().map(|sample| &sample.path)),
            }
        }
    }
}
