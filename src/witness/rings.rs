//! Rings: what is reached after each number of steps, forwards, and what of it lies on a
//! shortest path, backwards.

use super::graph::SummaryGraph;
use super::query::{Node, NodeSets, Query, Reach};
use crate::bdd::{Bdd, BddResult};
use crate::spds::{Head, Right};
use crate::watch::{Abort, Stop};

/// What is new after some number of steps, in the order of heads.
pub(super) type Ring = Vec<(Node, Bdd)>;

/// All rings up to the goal, and what of the last one meets it; `None` if none does.
pub(super) type Rings = Option<(Vec<Ring>, NodeSets)>;

impl SummaryGraph<'_> {
    /// The rings up to the first that meets the goal, and what of it does.
    pub(super) fn rings(&self, query: &Query<'_>, reach: Reach) -> Result<Rings, Abort> {
        let mut reached = NodeSets::default();
        let mut ring = NodeSets::default();
        self.extend(
            query,
            &mut reached,
            &mut ring,
            (query.head, false),
            &query.set,
        )?;
        if query.moves_on {
            // So that the path may come back to where it begins.
            reached.clear();
        }
        let mut rings: Vec<Ring> = Vec::new();
        while !ring.is_empty() && rings.len() <= reach.steps {
            self.watch.check()?;
            self.bdds.safe_point();
            let mut sorted: Ring = ring.into_iter().collect();
            sorted.sort_unstable_by_key(|(node, _)| *node);
            let mut hits = NodeSets::default();
            let may_hit = !rings.is_empty() || !query.moves_on;
            for (node, set) in sorted.iter().filter(|_| may_hit) {
                if node.1 == query.demands()
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
            if rings.len() >= reach.rings && !ring.is_empty() {
                return Err(Abort::OverBudget);
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
        for (accepted, part) in [false, true]
            .into_iter()
            .zip(self.divide(query, node, set)?)
        {
            if bdds.is_false(&part) {
                continue;
            }
            if let Some(jumps) = query.jumps {
                for way in jumps.at(node.0)?.iter() {
                    let after = jumps.image(way, &part)?;
                    self.extend(query, reached, ring, (node.0, accepted), &after)?;
                }
            }
            for id in self.rules_from(node.0) {
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
                        ..
                    } => {
                        if query.may_enter {
                            let after = spds.pushed(bdds, rule, entry, &part)?;
                            let to = spds.entry(entry).head;
                            self.extend(query, reached, ring, (to, accepted), &after)?;
                        }
                        if let Some(through) = query.through
                            && through.push == id
                            && !accepted
                        {
                            let member = &through.member;
                            let after = spds.returned(bdds, rule, resume, member, &part)?;
                            self.extend(query, reached, ring, (saved, true), &after)?;
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
            for id in self.rules_from(node.0) {
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
    pub(super) fn cut_back(
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
        for id in self.rules_from(node.0) {
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
        if let Some((jumps, set)) = query.jumps.zip(later.get(&(head, accepted))) {
            for way in jumps.at(head)?.iter() {
                add(jumps.preimage(way, set))?;
            }
        }
        for id in self.rules_from(head) {
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
                    if let Some(through) = query.through
                        && through.push == id
                        && !accepted
                        && let Some(set) = later.get(&(saved, true))
                    {
                        add(spds.returning(bdds, rule, entry, &through.member, set))?;
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
}
