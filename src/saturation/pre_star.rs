//! `pre*` (Moped, Algorithm 1): everything from which a goal head can be reached, with any
//! stack below; or a configuration of any regular set.
//!
//! An edge leads from a head either to the control location (the frame can be *popped*; its
//! BDD relates the current valuation to the variables handed over, in entry copies) or to
//! a state of the given stacks (the goal can be reached before the frame is popped). A push
//! whose callee can be popped becomes a rule `Δ'` from the push to the head saved below.

use super::edges::{Edge, Edges};
use super::stacks::{StackState, Stacks};
use crate::bdd::{Bdd, Bdds};
use crate::index::IndexVec;
use crate::spds::{EntryId, Head, Right, Rule, RuleId, Spds};
use crate::watch::{Stop, Watch};

/// What an edge leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The control location: the frame is popped.
    Popped,
    /// A state of the given stacks.
    Stack(StackState),
}

pub struct PreStar<'a> {
    spds: &'a Spds,
    bdds: &'a Bdds,
    watch: &'a Watch,
    edges: Edges<'a, Target>,
    /// For each head, the steps into it, the pushes of it, and the pushes that save it.
    steps_into: IndexVec<Head, Vec<RuleId>>,
    pushes_of: IndexVec<Head, Vec<RuleId>>,
    saved_by: IndexVec<Head, Vec<RuleId>>,
    /// `Δ'`: for each push, from current variables to the handed ones in next copies (and
    /// to what the push sets in the frame below, in below copies).
    across: IndexVec<RuleId, Option<Bdd>>,
    stacks: Stacks,
    /// What of the goal lies below the lowest frame.
    bottom_goal: Bdd,
}

/// Where [`PreStar::new`] has its goals: anything may be below.
const ANYTHING: Target = Target::Stack(StackState(0));

impl<'a> PreStar<'a> {
    /// The automaton of configurations with a goal on top, and any stack below.
    pub fn new(
        spds: &'a Spds,
        bdds: &'a Bdds,
        watch: &'a Watch,
        goals: impl IntoIterator<Item = (Head, Bdd)>,
    ) -> Result<Self, Stop> {
        let mut pre_star = Self::to_configurations(spds, bdds, watch, Stacks::anything(), [])?;
        for (goal, set) in goals {
            if Some(goal) == spds.bottom {
                pre_star.bottom_goal = spds.before_bottom(bdds, &set)?;
            }
            // (Some steps end the program whatever the stack.)
            pre_star.add(goal, ANYTHING, &set)?;
        }
        Ok(pre_star)
    }

    /// The automaton of configurations with these heads, valuations, and stacks below.
    pub fn to_configurations(
        spds: &'a Spds,
        bdds: &'a Bdds,
        watch: &'a Watch,
        stacks: Stacks,
        heads: impl IntoIterator<Item = (Head, Bdd, StackState)>,
    ) -> Result<Self, Stop> {
        let mut pre_star = PreStar {
            spds,
            bdds,
            watch,
            edges: Edges::new(&spds.backward_ranks),
            steps_into: IndexVec::filled(Vec::new(), spds.heads()),
            pushes_of: IndexVec::filled(Vec::new(), spds.heads()),
            saved_by: IndexVec::filled(Vec::new(), spds.heads()),
            across: IndexVec::filled(None, spds.rules.len()),
            stacks,
            bottom_goal: bdds.constant(false),
        };
        for (id, rule) in spds.rules.enumerate() {
            match rule.right {
                Right::Step(to) => pre_star.steps_into[to].push(id),
                Right::Push { entry, saved, .. } => {
                    pre_star.pushes_of[spds.entry(entry).head].push(id);
                    pre_star.saved_by[saved].push(id);
                }
                Right::Pop { interface } => {
                    let equal = &spds.interface_of(interface).handed_equal;
                    let popped = spds.transfer(rule).preimage(bdds, equal)?;
                    pre_star.add(rule.from, Target::Popped, &popped)?;
                }
            }
        }
        for (head, set, below) in heads {
            pre_star.add(head, Target::Stack(below), &set)?;
        }
        Ok(pre_star)
    }

    /// Whether a goal can be reached from some valuation of the start head.
    pub fn run(&mut self) -> Result<bool, Stop> {
        loop {
            if self.is_start_reached()? {
                return Ok(true);
            }
            if !self.advance()? {
                return Ok(false);
            }
        }
    }

    /// Saturates.
    pub fn saturate(&mut self) -> Result<(), Stop> {
        while self.advance()? {}
        Ok(())
    }

    /// Looks at the next edge; false if there is none.
    fn advance(&mut self) -> Result<bool, Stop> {
        let next = self.edges.take_next(self.bdds, self.watch)?;
        if let Some((edge, new)) = &next {
            self.look_at(*edge, new)?;
        }
        Ok(next.is_some())
    }

    /// The edges: heads, what they lead to, and their valuations, over current variables
    /// and, where a frame is popped, the handed ones in entry copies.
    pub fn edges(&self) -> impl Iterator<Item = (Head, Target, &Bdd)> {
        let edges = self.edges.as_slice().iter();
        edges.map(|edge| (edge.head, edge.target, &edge.total))
    }

    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    /// The valuations on an edge; false if there is none.
    fn total(&self, head: Head, target: Target) -> Bdd {
        match self.edges.find(head, target) {
            Some(edge) => edge.total.clone(),
            None => self.bdds.constant(false),
        }
    }

    fn is_start_reached(&self) -> Result<bool, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let reaching = bdds.and(&self.total(spds.start, ANYTHING), &spds.start_set)?;
        if !bdds.is_false(&reaching) {
            return Ok(true);
        }
        if bdds.is_false(&self.bottom_goal) {
            return Ok(false);
        }
        // The start's frame is popped with these values, entry copies, left behind; what the
        // frame cannot change is as it was.
        let popped = bdds.and(&self.total(spds.start, Target::Popped), &spds.start_set)?;
        let Some(interface) = self.start_interface() else {
            return Ok(false);
        };
        let left = interface.handed_to_entry.apply(bdds, &self.bottom_goal)?;
        Ok(!bdds.is_false(&bdds.and(&popped, &left)?))
    }

    fn start_interface(&self) -> Option<&crate::spds::Interface> {
        let spds = self.spds;
        let entry = spds.entries.iter().find(|entry| entry.head == spds.start)?;
        Some(spds.interface_of(entry.interface))
    }

    /// For each entry, how its frames can be popped: from the key, in next copies, to what
    /// is handed over, in current ones.
    pub fn summaries(&mut self) -> Result<IndexVec<EntryId, Option<Bdd>>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        self.saturate()?;
        let mut summaries = IndexVec::new();
        for entry in spds.entries.indices() {
            let interface = spds.interface(entry);
            let head = spds.entry(entry).head;
            let popped = self.total(head, Target::Popped);
            let key = bdds.and_exists(&popped, &interface.initial, &interface.not_key)?;
            let key = interface.key_to_next.apply(bdds, &key)?;
            let summary = interface.handed_entry_to_current.apply(bdds, &key)?;
            summaries.push((!bdds.is_false(&summary)).then_some(summary));
        }
        Ok(summaries)
    }

    fn look_at(&mut self, edge: u32, new: &Bdd) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let &Edge { head, target, .. } = self.edges.get(edge);
        for i in 0..self.steps_into[head].len() {
            let rule = spds.rule(self.steps_into[head][i]);
            let before = spds.transfer(rule).preimage(bdds, new)?;
            self.add(rule.from, target, &before)?;
        }
        for i in 0..self.pushes_of[head].len() {
            let id = self.pushes_of[head][i];
            let rule = spds.rule(id);
            let Right::Push { entry, below, .. } = rule.right else {
                unreachable!("only pushes are kept there");
            };
            match target {
                Target::Popped => {
                    let before = spds.pushing_with(bdds, rule, entry, new)?;
                    self.cross(id, entry, &before)?;
                }
                Target::Stack(state) if self.stacks.is_universal(state) => {
                    let before = spds.pushing(bdds, rule, entry, new)?;
                    self.add(rule.from, target, &before)?;
                }
                Target::Stack(state) => self.push_onto(rule, entry, state, below, new)?,
            }
        }
        for i in 0..self.saved_by[head].len() {
            let id = self.saved_by[head][i];
            if let Some(across) = self.across[id].clone() {
                self.continue_after(id, target, &across, new)?;
            }
        }
        Ok(())
    }

    /// A push whose frame leads into `set` before it is popped, and leaves a frame behind
    /// that may wait there.
    fn push_onto(
        &mut self,
        rule: &Rule,
        entry: EntryId,
        state: StackState,
        below: Head,
        set: &Bdd,
    ) -> Result<(), Stop> {
        for i in 0..self.stacks.edges_by(state, below).len() {
            let edge = &self.stacks.edges_by(state, below)[i];
            let to = Target::Stack(edge.to);
            let before = (self.spds).pushing_onto(self.bdds, rule, entry, set, &edge.frame)?;
            self.add(rule.from, to, &before)?;
        }
        Ok(())
    }

    /// A push whose frame can be popped: `before` relates the pusher's variables to the
    /// handed ones, in entry copies, and to what the push sets in the frame below.
    fn cross(&mut self, id: RuleId, entry: EntryId, before: &Bdd) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let handed = &spds.interface(entry).handed_entry_to_next;
        let across = handed.apply(bdds, before)?;
        let known = &mut self.across[id];
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
            let edges = self.edges.of(saved);
            let edges: Vec<_> = edges
                .map(|edge| (edge.target, edge.total.clone()))
                .collect();
            for (target, after) in edges {
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
            let before = spds.returning_across(bdds, rule, entry, across, after)?;
            self.add(rule.from, target, &before)?;
        }
        Ok(())
    }

    /// Adds to the edge from `head` to `target`.
    fn add(&mut self, head: Head, target: Target, set: &Bdd) -> Result<(), Stop> {
        self.edges.add(self.bdds, head, target, set)
    }
}
