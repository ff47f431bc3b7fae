//! Programs with threads, on explicit configurations.
//!
//! Dijkstra's algorithm: configurations are visited by the fewest switches, or rounds, that lead
//! to them, then by the fewest steps. With recursion, or where threads are created for ever,
//! there may be infinitely many within one bound; so the budget is for the frames kept for each
//! bound, what is beyond it is left out, and it is said up to which bound nothing was left out.
//! Exponential in all variables of all threads.

use super::Budget;
use crate::interpreter::threads::{Configuration, Measure, starts, steps, switches, to_step};
use crate::program::{PointId, Program};
use crate::trace::Trace;
use crate::watch::Abort;
use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What was found, and how to come to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The fewest switches or rounds, if nothing was left out within fewer.
    pub bound: u32,
    /// How many steps and changes of the running thread a shortest execution with these has.
    pub steps: u32,
    configuration: usize,
}

/// What can be reached within a bound.
#[derive(Debug)]
pub struct Exploration {
    /// The points that the running thread comes to.
    pub points: FxHashMap<PointId, Found>,
    /// The points of assertions that fail.
    pub failed: FxHashMap<PointId, Found>,
    /// The largest bound up to which nothing was left out.
    pub exact: Option<u32>,
    /// Whether nothing was left out, and no larger bound leads to more.
    pub is_complete: bool,
    /// The largest bound that leads to more than smaller ones, as far as was looked.
    pub last: u32,
    visits: Visits,
}

type Visits = IndexMap<Configuration, Visit, FxBuildHasher>;

#[derive(Clone, Copy, Debug)]
struct Visit {
    bound: u32,
    steps: u32,
    from: Option<usize>,
}

/// Explores everything within a bound, or as much of it as the budget allows for each bound.
pub fn explore(
    program: &Program,
    measure: Measure,
    most: u32,
    budget: Budget<'_>,
) -> Result<Exploration, Abort> {
    let mut found = Exploration {
        points: FxHashMap::default(),
        failed: FxHashMap::default(),
        exact: None,
        is_complete: false,
        last: measure.least(),
        visits: IndexMap::default(),
    };
    let mut search = Search {
        budget,
        todo: BinaryHeap::new(),
        kept: FxHashMap::default(),
        inexact: u32::MAX,
    };
    let mut bound = measure.least();
    for start in starts(program, budget.states)? {
        let visit = Visit {
            bound,
            steps: 0,
            from: None,
        };
        search.visit(&mut found.visits, start, visit)?;
    }
    while let Some(Reverse((at, so_far, id))) = search.todo.pop() {
        if at > bound {
            found.exact = (bound < search.inexact).then_some(bound).or(found.exact);
            bound = at;
        }
        if at > most {
            return Ok(found);
        }
        let visited = found.visits.get_index(id);
        let current = visited.filter(|(_, visit)| (visit.bound, visit.steps) == (at, so_far));
        let Some((configuration, _)) = current else {
            continue;
        };
        let configuration = configuration.clone();
        found.last = at;
        found.record(&configuration, id);
        let stepped = steps(program, &configuration, budget.states)?;
        let switched = switches(program, &configuration, budget.states)?;
        for next in stepped.into_iter().chain(switched) {
            let visit = Visit {
                bound: at + measure.cost(configuration.running, next.running),
                steps: so_far + 1,
                from: Some(id),
            };
            search.visit(&mut found.visits, next, visit)?;
        }
    }
    found.is_complete = search.inexact == u32::MAX;
    let exact = if found.is_complete {
        Some(most)
    } else {
        found.exact
    };
    Ok(Exploration { exact, ..found })
}

struct Search<'w> {
    budget: Budget<'w>,
    /// By bound and steps: the number of a configuration.
    todo: BinaryHeap<Reverse<(u32, u32, usize)>>,
    /// How much is kept for each bound.
    kept: FxHashMap<u32, usize>,
    /// The smallest bound within which something was left out.
    inexact: u32,
}

impl Search<'_> {
    /// Keeps a configuration, if there is room, unless it was come to as cheaply before.
    fn visit(
        &mut self,
        visits: &mut Visits,
        configuration: Configuration,
        visit: Visit,
    ) -> Result<(), Abort> {
        let size = configuration.size();
        let id = match visits.entry(configuration) {
            Entry::Vacant(entry) => {
                let kept = self.kept.entry(visit.bound).or_default();
                match self.budget.allow(*kept + size) {
                    Ok(()) => *kept += size,
                    Err(Abort::OverBudget) => {
                        self.inexact = self.inexact.min(visit.bound);
                        return Ok(());
                    }
                    Err(stop) => return Err(stop),
                }
                let id = entry.index();
                entry.insert(visit);
                id
            }
            Entry::Occupied(mut entry) => {
                let old = entry.get_mut();
                if (old.bound, old.steps) <= (visit.bound, visit.steps) {
                    return Ok(());
                }
                *old = visit;
                entry.index()
            }
        };
        self.todo.push(Reverse((visit.bound, visit.steps, id)));
        Ok(())
    }
}

impl Exploration {
    fn record(&mut self, configuration: &Configuration, id: usize) {
        let visit = self.visits[id];
        let found = Found {
            bound: visit.bound,
            steps: visit.steps,
            configuration: id,
        };
        let points = match configuration.failed {
            true => &mut self.failed,
            false => &mut self.points,
        };
        if let Some(at) = configuration.at() {
            points.entry(at).or_insert(found);
        }
    }

    /// An execution with the fewest switches or rounds, and among these with the fewest steps.
    pub fn trace(&self, program: &Program, found: Found) -> Trace {
        let mut stem = Vec::new();
        let mut at = Some(found.configuration);
        while let Some((configuration, visit)) = at.and_then(|id| self.visits.get_index(id)) {
            stem.push(to_step(program, configuration));
            at = visit.from;
        }
        stem.reverse();
        let last = self.visits.get_index(found.configuration);
        let last = last.map(|(configuration, _)| configuration);
        Trace {
            stem,
            threads: last.map_or_else(Vec::new, |last| last.named_threads(program)),
            failure: last.and_then(|last| last.failure(program)),
            ..Trace::default()
        }
    }
}
