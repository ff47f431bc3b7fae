//! Live variables: those that some path reads before it writes them (Bebop, section 3.3;
//! the live scopes of disjunctive image computation, section 6.2).
//!
//! Backward data flow over all reachable frames at once. At a push, what the frame below
//! needs afterwards splits in two: locals, and globals that the pushed frame does not change,
//! stay live at the push; what it may change becomes live where that frame is popped, and it
//! depends on its rules whether it is live where it begins. What is live at a pop is the
//! union over all pushes. It is the plain kind: a variable is live even if it is read only to
//! compute a dead one, copies between cells excepted.
//!
//! What a property speaks of is live wherever it is in scope. Cost: a few passes over the
//! rules, more only for long chains in recursive components.

use super::frames::{ClassId, Frames, goes_on};
use super::mod_ref::Modified;
use crate::bits::{self, BitRows, BitSet};
use crate::index::IndexVec;
use crate::program::VariableId;
use crate::rules::{Footprint, Head, Observed, Right, Rules};
use std::collections::VecDeque;

#[derive(Debug)]
pub struct Liveness {
    /// For each head, the data variables live before its step.
    live: BitRows<Head>,
    /// For each class, those that matter after its frames are popped: globals and returned
    /// values that they may have changed.
    handed: BitRows<ClassId>,
}

impl Liveness {
    /// `observed` are variables that matter at every head whatever the rules do. Of whole
    /// systems every variable matters wherever it is in scope: sets of configurations speak
    /// of them all.
    pub fn of(
        rules: &Rules<'_>,
        frames: &Frames,
        modified: &Modified,
        observed: &[Observed],
    ) -> Self {
        let width = rules.layout.len() as usize;
        let mut liveness = Liveness {
            live: BitRows::new(rules.heads(), width),
            handed: BitRows::new(frames.classes.len(), width),
        };
        if rules.is_whole {
            liveness.add_everything(rules, frames);
            return liveness;
        }
        liveness.observe(rules, observed);
        liveness.hand_over_at_the_end(rules, frames, modified);
        let mut flow = Flow {
            rules,
            frames,
            modified,
            is_loop_head: loop_heads(rules, frames),
            sets: liveness,
            scratch: BitSet::new(width),
            worklist: frames.bottom_up.iter().rev().copied().collect(),
            queued: IndexVec::filled(false, frames.classes.len()),
        };
        for class in &frames.bottom_up {
            flow.queued[*class] = true;
        }
        while let Some(class) = flow.worklist.pop_front() {
            flow.queued[class] = false;
            if flow.solve(class) {
                for pushing in &frames.get(class).pushing {
                    flow.enqueue(*pushing);
                }
            }
        }
        flow.sets
    }

    pub fn at(&self, head: Head) -> &[u64] {
        self.live.row(head)
    }

    /// What frames of a class hand over when they are popped.
    pub fn handed(&self, class: ClassId) -> &[u64] {
        self.handed.row(class)
    }

    fn observe(&mut self, rules: &Rules<'_>, observed: &[Observed]) {
        if observed.is_empty() {
            return;
        }
        let layout = &rules.layout;
        for head in rules.head_ids() {
            let row = self.live.row_mut(head);
            for observed in observed {
                let cell = match *observed {
                    Observed::Global(index) => layout.global(index),
                    Observed::Local(of, index) if rules.frame_of(head) == Some(of) => {
                        layout.cell(of, VariableId::Local(index))
                    }
                    Observed::Local(..) => continue,
                };
                bits::insert_all(row, cell);
            }
        }
    }

    /// What is observed once the lowest frame was popped.
    fn hand_over_at_the_end(&mut self, rules: &Rules<'_>, frames: &Frames, modified: &Modified) {
        if let (Some(empty), Some(class)) = (rules.empty, frames.class(rules.start.head)) {
            let mut observed = BitSet::from(self.at(empty));
            bits::meet(&mut observed, modified.by(class));
            self.handed.join(class, &observed);
        }
    }

    fn add_everything(&mut self, rules: &Rules<'_>, frames: &Frames) {
        let layout = &rules.layout;
        for head in rules.head_ids() {
            let row = self.live.row_mut(head);
            bits::insert_all(row, layout.global_range());
            let (Some(frame), Some(class)) = (rules.frame_of(head), frames.class(head)) else {
                continue;
            };
            let cells = rules.cells(frame);
            for local in 0..cells.locals.len() as u32 {
                bits::insert_all(row, layout.cell(frame, VariableId::Local(local)));
            }
            let handed = self.handed.row_mut(class);
            bits::insert_all(handed, layout.global_range());
            for returned in 0..cells.returns.len() as u32 {
                let cell = layout.returned(frame, returned);
                bits::insert_all(handed, cell.clone());
                let mut rules = rules.rules_from(head).iter();
                if rules.any(|rule| rule.right == Right::Pop) {
                    bits::insert_all(row, cell);
                }
            }
            for rule in rules.rules_from(head).iter().filter(|rule| rule.internal) {
                for copy in &rules.footprint(rule).copies {
                    bits::insert_all(row, copy.from.clone());
                }
            }
        }
    }
}

/// Marks the heads that a rule inside a frame leads back to.
fn loop_heads(rules: &Rules<'_>, frames: &Frames) -> IndexVec<Head, bool> {
    let mut is_loop_head = IndexVec::filled(false, rules.heads());
    let mut place = IndexVec::<Head, _>::filled(u32::MAX, rules.heads());
    for class in &frames.classes {
        for (head, i) in class.heads.iter().zip(0..) {
            place[*head] = i;
            for next in rules
                .rules_from(*head)
                .iter()
                .filter_map(|r| goes_on(r.right))
            {
                is_loop_head[next] |= place[next] <= i;
            }
        }
    }
    is_loop_head
}

struct Flow<'a> {
    rules: &'a Rules<'a>,
    frames: &'a Frames,
    modified: &'a Modified,
    is_loop_head: IndexVec<Head, bool>,
    sets: Liveness,
    scratch: BitSet,
    worklist: VecDeque<ClassId>,
    queued: IndexVec<ClassId, bool>,
}

impl Flow<'_> {
    fn enqueue(&mut self, class: ClassId) {
        if !std::mem::replace(&mut self.queued[class], true) {
            self.worklist.push_back(class);
        }
    }

    /// Recomputes what is live at the heads of a class; true if more is where frames begin.
    fn solve(&mut self, class: ClassId) -> bool {
        let frames = self.frames;
        let class = frames.get(class);
        let mut entry_grew = false;
        loop {
            // What is live flows against the order, except around loops.
            let mut again = false;
            for head in class.heads.iter().rev() {
                if self.visit(*head) {
                    again |= self.is_loop_head[*head];
                    entry_grew |= class.entries.contains(head);
                }
            }
            if !again {
                return entry_grew;
            }
        }
    }

    /// Recomputes what is live at a head; true if it grew.
    fn visit(&mut self, head: Head) -> bool {
        let rules = self.rules;
        let mut set = std::mem::take(&mut self.scratch);
        set.fill(0);
        for rule in rules.rules_from(head) {
            let footprint = rules.footprint(rule);
            bits::join(&mut set, &footprint.reads);
            match rule.right {
                Right::Step(to) if rule.is_failure => {
                    bits::join(&mut set, self.sets.at(to));
                    pass_misfits(&mut set, footprint);
                }
                Right::Step(to) => pass(&mut set, footprint, self.sets.at(to)),
                Right::Pop => {
                    if let Some(class) = self.frames.class(head) {
                        pass(&mut set, footprint, self.sets.handed(class));
                    }
                }
                Right::Push { first, saved, .. } => {
                    self.pass_push(&mut set, footprint, first, saved);
                }
            }
        }
        let grew = self.sets.live.join(head, &set);
        self.scratch = set;
        grew
    }

    /// Adds what is live before a push.
    fn pass_push(&mut self, set: &mut [u64], footprint: &Footprint, first: Head, saved: Head) {
        let layout = &self.rules.layout;
        let globals = layout.global_range();
        let at_first = self.sets.at(first);
        for bit in bits::members(at_first) {
            if globals.contains(&bit) && !bits::contains(&footprint.after.overwritten, bit) {
                bits::insert(set, bit);
            }
        }
        for copy in &footprint.copies {
            let target = match copy.below {
                true => self.sets.at(saved),
                false => self.sets.at(first),
            };
            let needed = |bit| bits::contains(target, bit);
            if copy.may_not_fit || copy.to.clone().any(needed) {
                bits::insert_all(set, copy.from.clone());
            }
        }
        let Some(class) = self.frames.class(first) else {
            return;
        };
        let modified = self.modified.by(class);
        let mut grew = false;
        let at_saved = self.sets.live.row(saved).iter();
        let handed = self.sets.handed.row_mut(class);
        let overwritten = &footprint.below.overwritten;
        for (i, live) in at_saved.enumerate() {
            grew |= live & modified[i] & !handed[i] != 0;
            handed[i] |= live & modified[i];
            set[i] |= live & !modified[i] & !overwritten[i];
        }
        if grew {
            self.enqueue(class);
        }
    }
}

/// Adds what is live before a rule that leads to where `after` is.
pub fn pass(set: &mut [u64], footprint: &Footprint, after: &[u64]) {
    bits::join_without(set, after, &footprint.after.overwritten);
    for copy in &footprint.copies {
        let needed = |bit| bits::contains(after, bit);
        if copy.may_not_fit || copy.to.clone().any(needed) {
            bits::insert_all(set, copy.from.clone());
        }
    }
}

/// Adds what decides whether copied values fit.
fn pass_misfits(set: &mut [u64], footprint: &Footprint) {
    for copy in footprint.copies.iter().filter(|copy| copy.may_not_fit) {
        bits::insert_all(set, copy.from.clone());
    }
}
