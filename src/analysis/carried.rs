//! Which data variables heads and frames carry.
//!
//! A head's valuations speak of the variables live there and of those that are *rigid* in its
//! frames. A frame takes over its *key* when it is pushed: what is live where it begins, and
//! what some push gives a value to. What no rule of the frame changes is rigid: every rule
//! either keeps it, or leaves it open and leads to where it does not matter, so that it may as
//! well be kept. When a frame is popped it *hands over* what it may have changed and somebody
//! needs. In a product the automaton's state goes with all of them.

use super::frames::{ClassId, Frames};
use super::liveness::Liveness;
use super::mod_ref::ModRef;
use crate::bits::{self, BitRows};
use crate::rules::{Head, Layout, Right, Rule, Rules};

#[derive(Debug)]
pub struct Carried {
    heads: BitRows,
    /// For each entry, in the order of [`Rules::entries`].
    pub keys: BitRows,
    pub rigid: BitRows,
    /// For each class, what is rigid in some of its frames.
    baggage: BitRows,
    /// For each class, with what goes along of the automaton.
    handed: BitRows,
}

impl Carried {
    pub fn of(rules: &Rules<'_>, frames: &Frames, mod_ref: &ModRef, liveness: &Liveness) -> Self {
        let layout = &rules.layout;
        let width = layout.len() as usize;
        let classes = frames.classes.len();
        let mut carried = Carried {
            heads: BitRows::new(rules.heads(), width),
            keys: given(rules),
            rigid: BitRows::new(rules.entries.len(), width),
            baggage: BitRows::new(classes, width),
            handed: BitRows::new(classes, width),
        };
        let stable = stable(rules, frames, mod_ref, liveness);
        for (row, entry) in rules.entries.iter().enumerate() {
            let key = carried.keys.row_mut(row);
            bits::meet(key, liveness.at(*entry));
            let rigid = carried.rigid.row_mut(row);
            if let Some(class) = frames.class(*entry)
                && !rules.is_whole
            {
                bits::join(rigid, key);
                bits::meet(rigid, stable.row(class.0 as usize));
                bits::without(rigid, liveness.handed(class));
                carried.baggage.join(class.0 as usize, rigid);
            }
            bits::insert_all(key, layout.state_range());
        }
        for class in (0..classes as u32).map(ClassId) {
            let handed = carried.handed.row_mut(class.0 as usize);
            bits::join(handed, liveness.handed(class));
            let automaton = layout.state_range().chain(layout.seen_returned());
            automaton.for_each(|bit| bits::insert(handed, bit));
        }
        carried.carry_heads(rules, frames, liveness);
        carried
    }

    fn carry_heads(&mut self, rules: &Rules<'_>, frames: &Frames, liveness: &Liveness) {
        let layout = &rules.layout;
        for head in (0..rules.heads() as u32).map(Head) {
            let row = head.0 as usize;
            self.heads.join(row, liveness.at(head));
            bits::insert_all(self.heads.row_mut(row), layout.state_range());
            if let Some(class) = frames.class(head) {
                self.heads.join(row, self.baggage.row(class.0 as usize));
                let seen = layout.seen().into_iter();
                seen.for_each(|bit| bits::insert(self.heads.row_mut(row), bit));
            }
        }
        if let Some(seen) = layout.seen_returned() {
            for (_, head) in rules.returning_heads() {
                bits::insert(self.heads.row_mut(head.0 as usize), seen);
            }
        }
    }

    /// The variables that the valuations of a head speak of.
    pub fn at(&self, head: Head) -> &[u64] {
        self.heads.row(head.0 as usize)
    }

    pub fn baggage(&self, class: ClassId) -> &[u64] {
        self.baggage.row(class.0 as usize)
    }

    /// What frames of a class hand over when they are popped.
    pub fn handed(&self, class: ClassId) -> &[u64] {
        self.handed.row(class.0 as usize)
    }

    /// What a frame keeps while it waits to go on at `saved`: what is needed there and cannot
    /// be changed by the frame above it.
    pub fn kept(
        &self,
        layout: &Layout,
        mod_ref: &ModRef,
        pushed: ClassId,
        saved: Head,
    ) -> Vec<u64> {
        let mut kept = self.at(saved).to_vec();
        bits::without(&mut kept, mod_ref.modified(pushed));
        let automaton = layout.state_range().chain(layout.seen_returned());
        automaton.for_each(|bit| bits::remove(&mut kept, bit));
        kept
    }

    /// For each head, the variables that its valuations speak of.
    pub fn heads(&self) -> BitRows {
        self.heads.clone()
    }
}

/// For each entry, what some push gives a value to. The lowest frame has the globals, as far as
/// anybody sees what becomes of them when it is popped.
fn given(rules: &Rules<'_>) -> BitRows {
    let layout = &rules.layout;
    let mut given = BitRows::new(rules.entries.len(), layout.len() as usize);
    if let (Some(_), Ok(row)) = (rules.empty, rules.entries.binary_search(&rules.start.head)) {
        bits::insert_all(given.row_mut(row), layout.global_range());
    }
    for rule in &rules.rules {
        let Right::Push { first, .. } = rule.right else {
            continue;
        };
        let Ok(row) = rules.entries.binary_search(&first) else {
            continue;
        };
        let after = &rules.footprint(rule).after;
        given.join(row, &after.set);
        let row = given.row_mut(row);
        for bit in layout.global_range() {
            if !bits::contains(&after.arbitrary, bit) {
                bits::insert(row, bit);
            }
        }
    }
    given
}

/// For each class, what no rule changes inside a frame, or need not.
fn stable(rules: &Rules<'_>, frames: &Frames, mod_ref: &ModRef, liveness: &Liveness) -> BitRows {
    let width = rules.layout.len();
    let mut stable = BitRows::new(frames.classes.len(), width as usize);
    for row in 0..frames.classes.len() {
        bits::insert_all(stable.row_mut(row), 0..width);
    }
    for rule in &rules.rules {
        if let Some(class) = frames.class(rule.from) {
            let row = stable.row_mut(class.0 as usize);
            remove_unstable(row, rules, frames, mod_ref, liveness, rule);
        }
    }
    stable
}

fn remove_unstable(
    row: &mut [u64],
    rules: &Rules<'_>,
    frames: &Frames,
    mod_ref: &ModRef,
    liveness: &Liveness,
    rule: &Rule,
) {
    let footprint = rules.footprint(rule);
    let (changes, to) = match rule.right {
        Right::Pop => return,
        Right::Step(to) if frames.class(to).is_none() => return,
        Right::Step(to) => (&footprint.after, to),
        Right::Push { first, saved, .. } => {
            if let Some(pushed) = frames.class(first) {
                bits::without(row, mod_ref.modified(pushed));
            }
            (&footprint.below, saved)
        }
    };
    let live = liveness.at(to);
    for (i, word) in row.iter_mut().enumerate() {
        *word &= !changes.set[i] & !(changes.arbitrary[i] & live[i]);
    }
}
