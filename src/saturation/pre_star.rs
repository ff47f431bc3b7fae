//! `pre*` (Moped, Algorithm 1): everything from which a goal head can be reached, with any
//! stack below.
//!
//! An edge leads from a head either to the control location (the frame can be *popped*; its
//! BDD relates the current valuation to the variables handed over, in entry copies) or to
//! the final state (the goal can be reached before the frame is popped). A push whose
//! callee can be popped becomes a rule `Δ'` from the push to the head saved below.

use super::{Stop, Watch};
use crate::bdd::{Bdd, Bdds};
use crate::spds::{EntryId, Head, Right, RuleId, Spds};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Popped,
    Final,
}

#[derive(Clone)]
struct Edge {
    total: Bdd,
    pending: Bdd,
}

pub struct PreStar<'a> {
    spds: &'a Spds,
    bdds: &'a Bdds,
    watch: &'a Watch,
    /// For each head, its edges to [`Target::Popped`] and [`Target::Final`].
    edges: Vec<[Edge; 2]>,
    queue: BinaryHeap<Reverse<(u32, Head, Target)>>,
    /// For each head, the steps into it, the pushes of it, and the pushes that save it.
    steps_into: Vec<Vec<RuleId>>,
    pushes_of: Vec<Vec<RuleId>>,
    saved_by: Vec<Vec<RuleId>>,
    /// `Δ'`: for each push, from current variables to the handed ones in next copies.
    across: Vec<Option<Bdd>>,
    /// What of the goal lies below the lowest frame.
    bottom_goal: Bdd,
}

impl<'a> PreStar<'a> {
    pub fn new(
        spds: &'a Spds,
        bdds: &'a Bdds,
        watch: &'a Watch,
        goals: impl IntoIterator<Item = (Head, Bdd)>,
    ) -> Result<Self, Stop> {
        let empty = Edge {
            total: bdds.constant(false),
            pending: bdds.constant(false),
        };
        let mut pre_star = PreStar {
            spds,
            bdds,
            watch,
            edges: vec![[empty.clone(), empty]; spds.heads()],
            queue: BinaryHeap::new(),
            steps_into: vec![Vec::new(); spds.heads()],
            pushes_of: vec![Vec::new(); spds.heads()],
            saved_by: vec![Vec::new(); spds.heads()],
            across: vec![None; spds.rules.len()],
            bottom_goal: bdds.constant(false),
        };
        for (i, rule) in spds.rules.iter().enumerate() {
            let id = RuleId(i as u32);
            match rule.right {
                Right::Step(to) => pre_star.steps_into[to.0 as usize].push(id),
                Right::Push { entry, saved, .. } => {
                    pre_star.pushes_of[spds.entry(entry).head.0 as usize].push(id);
                    pre_star.saved_by[saved.0 as usize].push(id);
                }
                Right::Pop { interface } => {
                    let equal = &spds.interfaces[interface as usize].handed_equal;
                    let popped = spds.transfer(rule).preimage(bdds, equal)?;
                    pre_star.add(rule.from, Target::Popped, &popped)?;
                }
            }
        }
        for (goal, set) in goals {
            if Some(goal) == spds.bottom {
                pre_star.bottom_goal = spds.before_bottom(bdds, &set)?;
            } else {
                pre_star.add(goal, Target::Final, &set)?;
            }
        }
        Ok(pre_star)
    }

    /// Whether a goal can be reached from some valuation of the start head.
    pub fn run(&mut self) -> Result<bool, Stop> {
        loop {
            if self.is_start_reached()? {
                return Ok(true);
            }
            let Some(Reverse((_, head, target))) = self.queue.pop() else {
                return Ok(false);
            };
            self.watch.check()?;
            self.bdds.safe_point();
            self.look_at(head, target)?;
        }
    }

    fn is_start_reached(&self) -> Result<bool, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let start = &self.edges[spds.start.0 as usize];
        let reaching = bdds.and(&start[Target::Final as usize].total, &spds.start_set)?;
        if !bdds.is_false(&reaching) {
            return Ok(true);
        }
        if bdds.is_false(&self.bottom_goal) {
            return Ok(false);
        }
        // The start's frame is popped with these values, entry copies, left behind; what the
        // frame cannot change is as it was.
        let popped = bdds.and(&start[Target::Popped as usize].total, &spds.start_set)?;
        let Some(interface) = self.start_interface() else {
            return Ok(false);
        };
        let left = interface.handed_to_entry.apply(bdds, &self.bottom_goal)?;
        Ok(!bdds.is_false(&bdds.and(&popped, &left)?))
    }

    fn start_interface(&self) -> Option<&crate::spds::Interface> {
        let spds = self.spds;
        let mut entries = (0..spds.entries.len() as u32).map(EntryId);
        let entry = entries.find(|entry| spds.entry(*entry).head == spds.start)?;
        Some(spds.interface(entry))
    }

    /// For each entry, how its frames can be popped: from the key, in next copies, to what
    /// is handed over, in current ones.
    pub fn summaries(&mut self) -> Result<Vec<Option<Bdd>>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        while let Some(Reverse((_, head, target))) = self.queue.pop() {
            self.watch.check()?;
            bdds.safe_point();
            self.look_at(head, target)?;
        }
        let mut summaries = Vec::new();
        for entry in (0..spds.entries.len() as u32).map(EntryId) {
            let interface = spds.interface(entry);
            let head = spds.entry(entry).head;
            let popped = &self.edges[head.0 as usize][Target::Popped as usize].total;
            let key = bdds.and_exists(popped, &interface.initial, &interface.not_key)?;
            let key = interface.key_to_next.apply(bdds, &key)?;
            let summary = interface.handed_entry_to_current.apply(bdds, &key)?;
            summaries.push((!bdds.is_false(&summary)).then_some(summary));
        }
        Ok(summaries)
    }

    fn look_at(&mut self, head: Head, target: Target) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let falsity = bdds.constant(false);
        let edge = &mut self.edges[head.0 as usize][target as usize];
        let new = std::mem::replace(&mut edge.pending, falsity);
        for i in 0..self.steps_into[head.0 as usize].len() {
            let rule = spds.rule(self.steps_into[head.0 as usize][i]);
            let before = spds.transfer(rule).preimage(bdds, &new)?;
            self.add(rule.from, target, &before)?;
        }
        for i in 0..self.pushes_of[head.0 as usize].len() {
            let id = self.pushes_of[head.0 as usize][i];
            let rule = spds.rule(id);
            let Right::Push { entry, .. } = rule.right else {
                unreachable!("only pushes are kept there");
            };
            let before = spds.pushing(bdds, rule, entry, &new)?;
            match target {
                Target::Final => self.add(rule.from, Target::Final, &before)?,
                Target::Popped => self.cross(id, entry, &before)?,
            }
        }
        for i in 0..self.saved_by[head.0 as usize].len() {
            let id = self.saved_by[head.0 as usize][i];
            if let Some(across) = self.across[id.0 as usize].clone() {
                self.continue_after(id, target, &across, &new)?;
            }
        }
        Ok(())
    }

    /// A push whose frame can be popped: `before` relates the pusher's variables to the
    /// handed ones, in entry copies.
    fn cross(&mut self, id: RuleId, entry: EntryId, before: &Bdd) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let handed = &spds.interface(entry).handed_entry_to_next;
        let across = handed.apply(bdds, before)?;
        let known = &mut self.across[id.0 as usize];
        let new = match &known {
            None => across,
            Some(known) => bdds.difference(&across, known)?,
        };
        if bdds.is_false(&new) {
            return Ok(());
        }
        *known = Some(match &known {
            None => new.clone(),
            Some(known) => bdds.or(known, &new)?,
        });
        if let Right::Push { saved, .. } = spds.rule(id).right {
            for target in [Target::Popped, Target::Final] {
                let after = self.edges[saved.0 as usize][target as usize].total.clone();
                self.continue_after(id, target, &new, &after)?;
            }
        }
        Ok(())
    }

    /// The push `id` comes back as `across` says, and goes on with `after` at its saved head.
    fn continue_after(
        &mut self,
        id: RuleId,
        target: Target,
        across: &Bdd,
        after: &Bdd,
    ) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let rule = spds.rule(id);
        if let Right::Push { entry, .. } = rule.right {
            let interface = spds.interface(entry);
            let after = interface.handed_to_next.apply(bdds, after)?;
            let before = bdds.and_exists(across, &after, &interface.handed_next)?;
            self.add(rule.from, target, &before)?;
        }
        Ok(())
    }

    fn add(&mut self, head: Head, target: Target, set: &Bdd) -> Result<(), Stop> {
        let bdds = self.bdds;
        let edge = &mut self.edges[head.0 as usize][target as usize];
        let new = bdds.difference(set, &edge.total)?;
        if bdds.is_false(&new) {
            return Ok(());
        }
        edge.total = bdds.or(&edge.total, &new)?;
        if bdds.is_false(&edge.pending) {
            let rank = self.spds.backward_ranks[head.0 as usize];
            self.queue.push(Reverse((rank, head, target)));
        }
        edge.pending = bdds.or(&edge.pending, &new)?;
        Ok(())
    }
}
