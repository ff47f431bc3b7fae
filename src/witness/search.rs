//! Shortest paths through heads, by rings.
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

use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::bits;
use crate::cycles::Sets;
use crate::saturation::{Stop, Summary, Watch};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, Right, Rule, RuleId, Spds};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The current values of all data variables; those that do not matter are 0.
pub type Values = Box<[bool]>;

/// A path: where it begins, and its steps.
#[derive(Debug)]
pub struct Path {
    pub head: Head,
    pub values: Values,
    pub moves: Vec<Move>,
}

/// One step of a path, internal rules included.
#[derive(Debug)]
pub struct Move {
    pub rule: RuleId,
    /// Where it leads.
    pub head: Head,
    pub values: Values,
    /// For a push that was popped again, how.
    pub call: Option<CallUse>,
}

/// One member of a summary: the values a frame was entered with and those it handed over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallUse {
    pub entry: EntryId,
    /// Of the increment it belongs to.
    pub stamp: u64,
    pub key: Values,
    /// In the order of the interface's handed variables.
    pub handed: Values,
}

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
    pub goal: &'q Goal<'q>,
}

/// Which valuations of a head are a goal, if any.
pub type Goal<'q> = dyn Fn(Head) -> Result<Option<Bdd>, Stop> + 'q;

/// A head, and whether the path to it has accepted.
type Node = (Head, bool);
type NodeSets = FxHashMap<Node, Bdd>;
type Ring = Vec<(Node, Bdd)>;

pub struct Search<'a> {
    pub spds: &'a Spds,
    pub bdds: &'a Bdds,
    pub copies: &'a Copies<'a>,
    watch: &'a Watch,
    summaries: &'a [Summary],
    /// For each entry, the unions of its first increments.
    unions: RefCell<Vec<Vec<Bdd>>>,
}

impl<'a> Search<'a> {
    /// `summaries` must be complete: those of a finished `post*`.
    pub fn new(
        spds: &'a Spds,
        copies: &'a Copies<'a>,
        watch: &'a Watch,
        summaries: &'a [Summary],
    ) -> Self {
        Search {
            spds,
            bdds: copies.bdds,
            copies,
            watch,
            summaries,
            unions: RefCell::new(vec![Vec::new(); summaries.len()]),
        }
    }

    /// The query for any path from the start.
    pub fn from_start<'q>(&self, goal: &'q Goal<'q>) -> Query<'q> {
        Query {
            head: self.spds.start,
            set: self.spds.start_set.clone(),
            before_stamp: u64::MAX,
            may_enter: true,
            within: None,
            accepting: false,
            moves_on: false,
            goal,
        }
    }

    /// A shortest path from the query's set to its goal, and the goal's head last; `None`
    /// if there is none.
    pub fn shortest(&self, query: &Query<'_>) -> Result<Option<Path>, Stop> {
        let Some((rings, last)) = self.rings(query)? else {
            return Ok(None);
        };
        let on_path = self.cut_back(query, &rings, last)?;
        self.pick(query, &on_path).map(Some)
    }

    /// The union of an entry's summaries with smaller stamps.
    fn summary_before(&self, entry: EntryId, stamp: u64) -> Result<Option<Bdd>, Stop> {
        let increments = &self.summaries[entry.0 as usize].increments;
        let count = increments.partition_point(|(s, _)| *s < stamp);
        if count == 0 {
            return Ok(None);
        }
        if count == increments.len() {
            return Ok(self.summaries[entry.0 as usize].total().cloned());
        }
        let unions = &mut self.unions.borrow_mut()[entry.0 as usize];
        while unions.len() < count {
            let (_, next) = &increments[unions.len()];
            let union = match unions.last() {
                None => next.clone(),
                Some(before) => self.bdds.or(before, next)?,
            };
            unions.push(union);
        }
        Ok(Some(unions[count - 1].clone()))
    }

    /// A set of valuations at a node, divided by whether the path has accepted once it
    /// leaves the node.
    fn divide(&self, query: &Query<'_>, node: Node, set: &Bdd) -> Result<[Bdd; 2], Stop> {
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
    fn summary_part(
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

    /// The rings up to the first that meets the goal, and what of it does.
    fn rings(&self, query: &Query<'_>) -> Result<Option<(Vec<Ring>, NodeSets)>, Stop> {
        let mut reached = NodeSets::default();
        let mut ring = NodeSets::default();
        self.extend(query, &mut reached, &mut ring, (query.head, false), &query.set)?;
        if query.moves_on {
            // So that the path may come back to where it begins.
            reached.clear();
        }
        let mut rings: Vec<Ring> = Vec::new();
        while !ring.is_empty() {
            self.watch.check()?;
            self.bdds.safe_point();
            let mut sorted: Ring = ring.into_iter().collect();
            sorted.sort_unstable_by_key(|(node, _)| *node);
            let mut hits = NodeSets::default();
            let may_hit = !rings.is_empty() || !query.moves_on;
            for (node, set) in sorted.iter().filter(|_| may_hit) {
                if node.1 == query.accepting
                    && let Some(goal) = (query.goal)(node.0)?
                {
                    let hit = self.bdds.and(set, &goal)?;
                    if !self.bdds.is_false(&hit) {
                        hits.insert(*node, hit);
                    }
                }
            }
            ring = NodeSets::default();
            if hits.is_empty() {
                for (node, set) in &sorted {
                    if !self.spds.is_internal(node.0) {
                        self.expand(query, *node, set, &mut reached, &mut ring)?;
                    }
                }
                rings.push(sorted);
            } else {
                rings.push(sorted);
                return Ok(Some((rings, hits)));
            }
        }
        Ok(None)
    }

    fn expand(
        &self,
        query: &Query<'_>,
        node: Node,
        set: &Bdd,
        reached: &mut NodeSets,
        ring: &mut NodeSets,
    ) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        for (accepted, part) in [false, true].into_iter().zip(self.divide(query, node, set)?) {
            if bdds.is_false(&part) {
                continue;
            }
            for id in spds.rules_from(node.0) {
                let rule = spds.rule(id);
                match rule.right {
                    Right::Pop { .. } => {}
                    Right::Step(to) => {
                        let after = spds.transfer(rule).image(bdds, &part)?;
                        self.extend(query, reached, ring, (to, accepted), &after)?;
                    }
                    Right::Push {
                        entry,
                        saved,
                        resume,
                    } => {
                        if query.may_enter {
                            let after = spds.pushed(bdds, rule, entry, &part)?;
                            let to = spds.entry(entry).head;
                            self.extend(query, reached, ring, (to, accepted), &after)?;
                        }
                        let Some(summary) = self.summary_before(entry, query.before_stamp)? else {
                            continue;
                        };
                        for inside in [false, true] {
                            let summary = match accepted {
                                true if inside => continue,
                                true => summary.clone(),
                                false => self.summary_part(query, &summary, inside)?,
                            };
                            let after = spds.returned(bdds, rule, resume, &summary, &part)?;
                            let to = (saved, accepted || inside);
                            self.extend(query, reached, ring, to, &after)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what is new to a ring, and follows internal rules at once.
    fn extend(
        &self,
        query: &Query<'_>,
        reached: &mut NodeSets,
        ring: &mut NodeSets,
        node: Node,
        set: &Bdd,
    ) -> Result<(), Stop> {
        let bdds = self.bdds;
        if bdds.is_false(set) {
            return Ok(());
        }
        let mut new = match reached.get(&node) {
            None => set.clone(),
            Some(known) => bdds.difference(set, known)?,
        };
        if let Some(within) = query.within {
            match within.get(&node.0) {
                None => return Ok(()),
                Some(within) => new = bdds.and(&new, within)?,
            }
        }
        if bdds.is_false(&new) {
            return Ok(());
        }
        for sets in [&mut *reached, &mut *ring] {
            let known = sets.entry(node).or_insert_with(|| bdds.constant(false));
            *known = bdds.or(known, &new)?;
        }
        if self.spds.is_internal(node.0) {
            for id in self.spds.rules_from(node.0) {
                let rule = self.spds.rule(id);
                if let Right::Step(to) = rule.right {
                    let after = self.spds.transfer(rule).image(bdds, &new)?;
                    self.extend(query, reached, ring, (to, node.1), &after)?;
                }
            }
        }
        Ok(())
    }

    /// For each ring, the part from which the last ring's `hits` are reached in time.
    fn cut_back(
        &self,
        query: &Query<'_>,
        rings: &[Ring],
        hits: NodeSets,
    ) -> Result<Vec<NodeSets>, Stop> {
        let mut kept = vec![NodeSets::default(); rings.len()];
        let mut later = hits;
        for (i, ring) in rings.iter().enumerate().rev() {
            self.watch.check()?;
            self.bdds.safe_point();
            let mut now = NodeSets::default();
            let is_internal = |node: &Node| self.spds.is_internal(node.0);
            if i + 1 == rings.len() {
                now = std::mem::take(&mut later);
            } else {
                for (node, set) in ring.iter().filter(|(node, _)| !is_internal(node)) {
                    let before = self.before(query, *node, &later)?;
                    self.keep(&mut now, *node, set, &before)?;
                }
                kept[i + 1] = std::mem::take(&mut later);
            }
            for (node, set) in ring.iter().filter(|(node, _)| is_internal(node)) {
                let before = self.before_internal(*node, &now)?;
                self.keep(&mut now, *node, set, &before)?;
            }
            later = now;
        }
        kept[0] = later;
        Ok(kept)
    }

    fn keep(&self, kept: &mut NodeSets, node: Node, set: &Bdd, before: &Bdd) -> Result<(), Stop> {
        let both = self.bdds.and(set, before)?;
        if !self.bdds.is_false(&both) {
            kept.insert(node, both);
        }
        Ok(())
    }

    fn before_internal(&self, node: Node, now: &NodeSets) -> Result<Bdd, Stop> {
        let mut before = self.bdds.constant(false);
        for id in self.spds.rules_from(node.0) {
            let rule = self.spds.rule(id);
            if let Right::Step(to) = rule.right
                && let Some(set) = now.get(&(to, node.1))
            {
                let set = self.spds.transfer(rule).preimage(self.bdds, set)?;
                before = self.bdds.or(&before, &set)?;
            }
        }
        Ok(before)
    }

    /// The valuations of a node from which one step leads into `later`.
    fn before(&self, query: &Query<'_>, node: Node, later: &NodeSets) -> Result<Bdd, Stop> {
        let bdds = self.bdds;
        let mut before = bdds.constant(false);
        let everything = bdds.constant(true);
        let parts = self.divide(query, node, &everything)?;
        for (accepted, part) in [false, true].into_iter().zip(parts) {
            if bdds.is_false(&part) {
                continue;
            }
            let leading = self.leading_into(query, node.0, accepted, later)?;
            before = bdds.or(&before, &bdds.and(&leading, &part)?)?;
        }
        Ok(before)
    }

    /// As [`Self::before`], for paths that have, or have not, accepted when they leave.
    fn leading_into(
        &self,
        query: &Query<'_>,
        head: Head,
        accepted: bool,
        later: &NodeSets,
    ) -> Result<Bdd, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let mut before = bdds.constant(false);
        let mut add = |set: BddResult| -> Result<(), Stop> {
            before = bdds.or(&before, &set?)?;
            Ok(())
        };
        for id in spds.rules_from(head) {
            let rule = spds.rule(id);
            match rule.right {
                Right::Pop { .. } => {}
                Right::Step(to) => {
                    if let Some(set) = later.get(&(to, accepted)) {
                        add(spds.transfer(rule).preimage(bdds, set))?;
                    }
                }
                Right::Push { entry, saved, .. } => {
                    if query.may_enter
                        && let Some(set) = later.get(&(spds.entry(entry).head, accepted))
                    {
                        add(spds.pushing(bdds, rule, entry, set))?;
                    }
                    for inside in [false, true] {
                        if accepted && inside {
                            continue;
                        }
                        let Some(set) = later.get(&(saved, accepted || inside)) else {
                            continue;
                        };
                        let Some(summary) = self.summary_before(entry, query.before_stamp)? else {
                            continue;
                        };
                        let summary = match accepted {
                            true => summary,
                            false => self.summary_part(query, &summary, inside)?,
                        };
                        add(spds.returning(bdds, rule, entry, &summary, set))?;
                    }
                }
            }
        }
        Ok(before)
    }

    /// Walks forwards: first rule, then smallest values.
    fn pick(&self, query: &Query<'_>, kept: &[NodeSets]) -> Result<Path, Stop> {
        let mut node = (query.head, false);
        let first = self.smallest(&kept[0][&node], Copy::Current);
        let mut moves: Vec<Move> = Vec::with_capacity(kept.len());
        let mut values = first.clone();
        let mut ring = 0;
        loop {
            let internal = self.spds.is_internal(node.0);
            if !internal {
                ring += 1;
                if ring == kept.len() {
                    break;
                }
            }
            let picked = self.pick_move(query, node, &values, &kept[ring])?;
            let (to, step) = picked.expect("what was kept has a successor that was kept");
            node = to;
            values = step.values.clone();
            moves.push(step);
        }
        Ok(Path {
            head: query.head,
            values: first,
            moves,
        })
    }

    fn pick_move(
        &self,
        query: &Query<'_>,
        node: Node,
        values: &Values,
        later: &NodeSets,
    ) -> Result<Option<(Node, Move)>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        // Only what matters at the head: a step may set the rest to anything.
        let here = self.minterm(values, bits::members(spds.variables(node.0)))?;
        let accepted = match self.spds.is_internal(node.0) {
            true => node.1,
            false => !bdds.is_false(&self.divide(query, node, &here)?[1]),
        };
        for id in spds.rules_from(node.0) {
            let rule = spds.rule(id);
            let plain = match rule.right {
                Right::Pop { .. } => continue,
                Right::Step(to) if later.contains_key(&(to, accepted)) => {
                    Some((to, spds.transfer(rule).image(bdds, &here)?))
                }
                Right::Step(_) => continue,
                Right::Push { entry, .. } if query.may_enter => {
                    let to = spds.entry(entry).head;
                    Some((to, spds.pushed(bdds, rule, entry, &here)?))
                }
                Right::Push { .. } => None,
            };
            if let Some((to, after)) = plain
                && let Some(later) = later.get(&(to, accepted))
            {
                let set = bdds.and(&after, later)?;
                if !bdds.is_false(&set) {
                    let step = Move {
                        rule: id,
                        head: to,
                        values: self.smallest(&set, Copy::Current),
                        call: None,
                    };
                    return Ok(Some(((to, accepted), step)));
                }
            }
            let returned = self.pick_returned_call(query, id, rule, &here, accepted, later)?;
            if returned.is_some() {
                return Ok(returned);
            }
        }
        Ok(None)
    }

    /// A push that pops again: of the oldest increment possible, the smallest member.
    fn pick_returned_call(
        &self,
        query: &Query<'_>,
        id: RuleId,
        rule: &Rule,
        here: &Bdd,
        accepted: bool,
        later: &NodeSets,
    ) -> Result<Option<(Node, Move)>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let Right::Push { entry, saved, .. } = rule.right else {
            return Ok(None);
        };
        for inside in [false, true] {
            if accepted && inside {
                continue;
            }
            let node = (saved, accepted || inside);
            let Some(later) = later.get(&node) else {
                continue;
            };
            let waiting = spds.transfer(rule).image(bdds, here)?;
            let wanted = bdds.and(&waiting, later)?;
            for (stamp, increment) in &self.summaries[entry.0 as usize].increments {
                if *stamp >= query.before_stamp {
                    break;
                }
                let uses = bdds.and(increment, &wanted)?;
                let uses = match accepted {
                    true => uses,
                    false => self.summary_part(query, &uses, inside)?,
                };
                if bdds.is_false(&uses) {
                    continue;
                }
                let key = self.smallest(&uses, Copy::Next);
                // The current copies are what the caller kept and what was handed over.
                let values = self.smallest(&uses, Copy::Current);
                let handed = &spds.interface(entry).handed;
                let handed = handed.iter().map(|v| values[*v as usize]).collect();
                let step = Move {
                    rule: id,
                    head: saved,
                    values,
                    call: Some(CallUse {
                        entry,
                        stamp: *stamp,
                        key,
                        handed,
                    }),
                };
                return Ok(Some((node, step)));
            }
        }
        Ok(None)
    }

    /// One copy's values in the smallest member of a set that is not empty.
    pub fn smallest(&self, set: &Bdd, copy: Copy) -> Values {
        let member = self.bdds.smallest(set).unwrap_or_default();
        (0..self.copies.data_variables())
            .map(|variable| member.get(self.copies.level(variable, copy) as usize) == Some(&Some(true)))
            .collect()
    }

    /// The valuations in which these variables have these values.
    pub fn minterm(
        &self,
        values: &[bool],
        variables: impl Iterator<Item = DataVariable>,
    ) -> BddResult {
        self.bdds.minterm(variables.map(|variable| {
            let value = values[variable as usize];
            (self.copies.level(variable, Copy::Current), value)
        }))
    }
}
