//! The head graph, explicit in control and symbolic in data.

use super::Sets;
use crate::bdd::{Bdd, Bdds};
use crate::index::IndexVec;
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, Right, RuleId, Spds};
use crate::watch::{Stop, Watch};

/// How an edge of the head graph comes from a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    Step,
    /// Into a frame that is pushed.
    Enter,
    /// Over a frame that is pushed and popped again.
    Return,
}

/// An edge of the head graph without its data.
#[derive(Clone, Copy, Debug)]
pub struct RoughEdge {
    pub from: Head,
    pub to: Head,
    pub rule: RuleId,
    pub route: Route,
}

pub struct HeadGraph<'a> {
    pub spds: &'a Spds,
    pub bdds: &'a Bdds,
    pub copies: &'a Copies<'a>,
    pub watch: &'a Watch,
    /// For each entry, how its frames are popped: all ways, ...
    summaries: IndexVec<EntryId, Option<Bdd>>,
    /// ... and those in which the automaton accepts meanwhile.
    accepting_summaries: IndexVec<EntryId, Option<Bdd>>,
    /// Whether acceptance is a matter of where a path is, not of what it visits: the
    /// automaton is weak, and only accepting heads are looked at; or there is none.
    pub every_cycle_counts: bool,
    /// The memory variables, which play no part in the graph.
    memory: Bdd,
}

impl<'a> HeadGraph<'a> {
    pub fn new(
        spds: &'a Spds,
        copies: &'a Copies<'a>,
        watch: &'a Watch,
        summaries: IndexVec<EntryId, Option<Bdd>>,
    ) -> Result<Self, Stop> {
        let bdds = copies.bdds;
        let mut accepting_summaries = IndexVec::filled(None, summaries.len());
        let mut memory = bdds.constant(true);
        if let Some((seen, returned)) = spds.memory {
            let levels = [seen, returned].map(|v| copies.level(v, Copy::Current));
            memory = copies.cube(levels)?;
            let returned = copies.variable(returned, Copy::Current);
            for (accepting, summary) in accepting_summaries.iter_mut().zip(&summaries) {
                if let Some(summary) = summary {
                    let some = bdds.and(summary, &returned)?;
                    *accepting = (!bdds.is_false(&some)).then_some(some);
                }
            }
        }
        Ok(HeadGraph {
            spds,
            bdds,
            copies,
            watch,
            summaries,
            accepting_summaries,
            every_cycle_counts: spds.memory.is_none(),
            memory,
        })
    }

    /// How the frames of an entry are popped, if they are.
    pub fn summary(&self, entry: EntryId) -> Option<&Bdd> {
        self.summaries[entry].as_ref()
    }

    /// What of a set of valuations can be on an accepting path, without memory variables.
    pub fn restrict(&self, set: &Bdd) -> Result<Bdd, Stop> {
        let set = self.bdds.exists(set, &self.memory)?;
        match &self.spds.accepting {
            Some(accepting) if self.every_cycle_counts => Ok(self.bdds.and(&set, accepting)?),
            _ => Ok(set),
        }
    }

    /// The edges that leave a head, in rule order.
    pub fn edges_from(&self, head: Head) -> Vec<RoughEdge> {
        let mut edges = Vec::new();
        for id in self.spds.rules_from(head) {
            let mut add = |to, route| {
                edges.push(RoughEdge {
                    from: head,
                    to,
                    rule: id,
                    route,
                });
            };
            match self.spds.rule(id).right {
                Right::Pop { .. } => {}
                Right::Step(to) => add(to, Route::Step),
                Right::Push { entry, saved, .. } => {
                    add(self.spds.entry(entry).head, Route::Enter);
                    if self.summary(entry).is_some() {
                        add(saved, Route::Return);
                    }
                }
            }
        }
        edges
    }

    /// The valuations from which an edge leads into `set`.
    pub fn before(&self, edge: &RoughEdge, set: &Bdd) -> Result<Bdd, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let rule = spds.rule(edge.rule);
        Ok(match (rule.right, edge.route) {
            (Right::Push { entry, .. }, Route::Enter) => spds.pushing(bdds, rule, entry, set)?,
            (Right::Push { entry, .. }, Route::Return) => match self.summary(entry) {
                Some(summary) => spds.returning(bdds, rule, entry, summary, set)?,
                None => bdds.constant(false),
            },
            _ => spds.transfer(rule).preimage(bdds, set)?,
        })
    }

    /// The valuations from which an edge leads into `set` and a path accepts: from an accepting head, or over a call
    /// that accepts.
    pub fn before_accepting(&self, edge: &RoughEdge, set: &Bdd) -> Result<Bdd, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let before = self.before(edge, set)?;
        let Some(accepting) = spds.accepting.as_ref().filter(|_| !self.every_cycle_counts) else {
            return Ok(before);
        };
        let at_head = bdds.and(&before, accepting)?;
        let rule = spds.rule(edge.rule);
        if let (Right::Push { entry, .. }, Route::Return) = (rule.right, edge.route)
            && let Some(summary) = &self.accepting_summaries[entry]
        {
            let inside = spds.returning(bdds, rule, entry, summary, set)?;
            return Ok(bdds.or(&at_head, &inside)?);
        }
        Ok(at_head)
    }

    /// For each head of `sets`, the edges between them that lead into it.
    pub fn edges_into(&self, sets: &Sets) -> rustc_hash::FxHashMap<Head, Vec<RoughEdge>> {
        let mut heads: Vec<_> = sets.keys().copied().collect();
        heads.sort_unstable();
        let mut into: rustc_hash::FxHashMap<Head, Vec<RoughEdge>> = Default::default();
        for head in heads {
            for edge in self.edges_from(head) {
                if sets.contains_key(&edge.to) {
                    into.entry(edge.to).or_default().push(edge);
                }
            }
        }
        into
    }
}
