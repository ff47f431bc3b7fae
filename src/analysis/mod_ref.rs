//! MOD/REF: the globals that a frame, with all it pushes, may change or read (Bebop,
//! section 3.3).
//!
//! A global that a callee does not change needs no place in the callee's summary: the
//! caller keeps its value while it waits. One that the callee does not touch at all stays
//! out of the callee's states altogether. What a push itself changes counts as changed by the
//! frame that is pushed, too; and so do all returned values.
//!
//! Computed from the pushed classes upwards; inside a recursive component the pass is
//! repeated until nothing changes, at most once more than the component's depth.

use super::frames::{ClassId, Frames};
use crate::bits::{self, BitRows, BitSet};
use crate::rules::{EffectId, Right, Rules};

/// MOD: what frames may change.
#[derive(Debug)]
pub struct Modified(BitRows<ClassId>);

impl Modified {
    pub fn of(rules: &Rules<'_>, frames: &Frames) -> Self {
        let width = rules.layout.len() as usize;
        let mut globals = GlobalSets::new(rules);
        for (effect, footprint) in rules.effects.footprints().enumerate() {
            globals.add(effect, &footprint.after.set);
            globals.add(effect, &footprint.after.arbitrary);
        }
        let mut modified = BitRows::new(frames.classes.len(), width);
        for rule in &rules.rules {
            let pushed = match rule.right {
                Right::Push { first, .. } => frames.class(first),
                _ => None,
            };
            let own = frames.class(rule.from);
            for class in own.into_iter().chain(pushed).filter(|_| !rule.is_failure) {
                modified.join(class, globals.of(rule.effect));
            }
        }
        close(&mut modified, rules, frames);
        for row in modified.iter_mut() {
            bits::insert_all(row, rules.layout.returned_range());
        }
        Modified(modified)
    }

    /// The globals and returned values that frames of a class may change.
    pub fn by(&self, class: ClassId) -> &[u64] {
        self.0.row(class)
    }
}

/// REF: what frames may read.
#[derive(Debug)]
pub struct Referenced(BitRows<ClassId>);

impl Referenced {
    pub fn of(rules: &Rules<'_>, frames: &Frames) -> Self {
        let mut globals = GlobalSets::new(rules);
        for (effect, footprint) in rules.effects.footprints().enumerate() {
            globals.add(effect, &footprint.reads);
        }
        let mut referenced = BitRows::new(frames.classes.len(), rules.layout.len() as usize);
        for rule in &rules.rules {
            if let Some(class) = frames.class(rule.from) {
                referenced.join(class, globals.of(rule.effect));
            }
        }
        close(&mut referenced, rules, frames);
        Referenced(referenced)
    }

    /// The globals that frames of a class may read.
    pub fn by(&self, class: ClassId) -> &[u64] {
        self.0.row(class)
    }
}

/// For each effect, some globals: there are far fewer effects than rules.
struct GlobalSets {
    all: BitSet,
    of: BitRows<EffectId>,
}

impl GlobalSets {
    fn new(rules: &Rules<'_>) -> Self {
        let width = rules.layout.len() as usize;
        let mut all = BitSet::new(width);
        bits::insert_all(&mut all, rules.layout.global_range());
        GlobalSets {
            all,
            of: BitRows::new(rules.effects.footprints().len(), width),
        }
    }

    fn add(&mut self, effect: EffectId, set: &[u64]) {
        let row = self.of.row_mut(effect);
        bits::join(row, set);
        bits::meet(row, &self.all);
    }

    fn of(&self, effect: EffectId) -> &[u64] {
        self.of.row(effect)
    }
}

/// Adds to what a class has what the classes that it pushes have. Of whole systems every class has
/// every global.
fn close(sets: &mut BitRows<ClassId>, rules: &Rules<'_>, frames: &Frames) {
    if rules.is_whole {
        for row in sets.iter_mut() {
            bits::insert_all(row, rules.layout.global_range());
        }
        return;
    }
    loop {
        let mut grew = false;
        let mut cyclic = false;
        for id in &frames.bottom_up {
            let class = frames.get(*id);
            cyclic |= class.is_recursive;
            for pushed in &class.pushed {
                grew |= sets.join_rows(*id, *pushed);
            }
        }
        // Without recursion one pass from the callees upwards is complete.
        if !grew || !cyclic {
            return;
        }
    }
}
