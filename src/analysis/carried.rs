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
use super::mod_ref::Modified;
use crate::bits::{self, BitRows, BitSet};
use crate::rules::{EntryId, Head, Layout, Right, Rule, Rules};

#[derive(Debug)]
pub struct Carried {
    heads: BitRows<Head>,
    /// For each entry, in the order of [`Rules::entries`].
    pub keys: BitRows<EntryId>,
    pub rigid: BitRows<EntryId>,
    /// For each class, what is rigid in some of its frames.
    baggage: BitRows<ClassId>,
    /// For each class, with what goes along of the automaton.
    handed: BitRows<ClassId>,
}

impl Carried {
    pub fn of(
        rules: &Rules<'_>,
        frames: &Frames,
        modified: &Modified,
        liveness: &Liveness,
    ) -> Self {
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
        let stable = stable(rules, frames, modified, liveness);
        for (row, entry) in rules.entries.enumerate() {
            let key = carried.keys.row_mut(row);
            bits::meet(key, liveness.at(*entry));
            let rigid = carried.rigid.row_mut(row);
            if let Some(class) = frames.class(*entry)
                && !rules.is_whole
            {
                bits::join(rigid, key);
                bits::meet(rigid, stable.row(class));
                bits::without(rigid, liveness.handed(class));
                carried.baggage.join(class, rigid);
            }
            bits::insert_all(key, layout.state_range());
        }
        for class in frames.classes.indices() {
            let handed = carried.handed.row_mut(class);
            bits::join(handed, liveness.handed(class));
            let automaton = layout.state_range().chain(layout.seen_returned());
            automaton.for_each(|bit| bits::insert(handed, bit));
        }
        carried.carry_heads(rules, frames, liveness);
        carried
    }

    fn carry_heads(&mut self, rules: &Rules<'_>, frames: &Frames, liveness: &Liveness) {
        let layout = &rules.layout;
        for head in rules.head_ids() {
            let row = self.heads.row_mut(head);
            bits::join(row, liveness.at(head));
            bits::insert_all(row, layout.state_range());
            if let Some(class) = frames.class(head) {
                bits::join(row, self.baggage.row(class));
                let seen = layout.seen().into_iter();
                seen.for_each(|bit| bits::insert(row, bit));
            }
        }
        if let Some(seen) = layout.seen_returned() {
            for (_, head) in rules.returning_heads() {
                bits::insert(self.heads.row_mut(head), seen);
            }
        }
    }

    /// The variables that the valuations of a head speak of.
    pub fn at(&self, head: Head) -> &[u64] {
        self.heads.row(head)
    }

    pub fn baggage(&self, class: ClassId) -> &[u64] {
        self.baggage.row(class)
    }

    /// What frames of a class hand over when they are popped.
    pub fn handed(&self, class: ClassId) -> &[u64] {
        self.handed.row(class)
    }

    /// What a frame keeps while it waits to go on at `saved`: what is needed there and cannot
    /// be changed by the frame above it.
    pub fn kept(
        &self,
        layout: &Layout,
        modified: &Modified,
        pushed: ClassId,
        saved: Head,
    ) -> BitSet {
        let mut kept = BitSet::from(self.at(saved));
        bits::without(&mut kept, modified.by(pushed));
        let automaton = layout.state_range().chain(layout.seen_returned());
        automaton.for_each(|bit| bits::remove(&mut kept, bit));
        kept
    }

    /// For each head, the variables that its valuations speak of.
    pub fn heads(&self) -> BitRows<Head> {
        self.heads.clone()
    }
}

/// For each entry, what some push gives a value to. The lowest frame has the globals, as far as
/// anybody sees what becomes of them when it is popped.
fn given(rules: &Rules<'_>) -> BitRows<EntryId> {
    let layout = &rules.layout;
    let mut given = BitRows::new(rules.entries.len(), layout.len() as usize);
    if let (Some(_), Some(row)) = (rules.empty, rules.entry(rules.start.head)) {
        bits::insert_all(given.row_mut(row), layout.global_range());
    }
    for rule in &rules.rules {
        let Right::Push { first, .. } = rule.right else {
            continue;
        };
        let Some(row) = rules.entry(first) else {
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
fn stable(
    rules: &Rules<'_>,
    frames: &Frames,
    modified: &Modified,
    liveness: &Liveness,
) -> BitRows<ClassId> {
    let width = rules.layout.len();
    let mut stable = BitRows::new(frames.classes.len(), width as usize);
    for row in stable.iter_mut() {
        bits::insert_all(row, 0..width);
    }
    for rule in &rules.rules {
        if let Some(class) = frames.class(rule.from) {
            let row = stable.row_mut(class);
            remove_unstable(row, rules, frames, modified, liveness, rule);
        }
    }
    stable
}

fn remove_unstable(
    row: &mut [u64],
    rules: &Rules<'_>,
    frames: &Frames,
    modified: &Modified,
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
                bits::without(row, modified.by(pushed));
            }
            (&footprint.below, saved)
        }
    };
    let live = liveness.at(to);
    for (i, word) in row.iter_mut().enumerate() {
        *word &= !changes.set[i] & !(changes.arbitrary[i] & live[i]);
    }
}
