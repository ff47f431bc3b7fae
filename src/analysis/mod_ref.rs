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
use crate::bits::{self, BitRows};
use crate::rules::{Right, Rules};

#[derive(Debug)]
pub struct ModRef {
    modified: BitRows,
    referenced: BitRows,
}

impl ModRef {
    pub fn of(rules: &Rules<'_>, frames: &Frames) -> Self {
        let width = rules.layout.len() as usize;
        let mut sets = ModRef {
            modified: BitRows::new(frames.classes.len(), width),
            referenced: BitRows::new(frames.classes.len(), width),
        };
        if rules.is_whole {
            sets.add_everything(rules);
            return sets;
        }
        sets.add_own(rules, frames);
        loop {
            let mut grew = false;
            let mut cyclic = false;
            for id in &frames.bottom_up {
                let class = frames.get(*id);
                cyclic |= class.is_recursive;
                for pushed in &class.pushed {
                    grew |= sets.modified.join_rows(id.0 as usize, pushed.0 as usize);
                    grew |= sets.referenced.join_rows(id.0 as usize, pushed.0 as usize);
                }
            }
            // Without recursion one pass from the callees upwards is complete.
            if !grew || !cyclic {
                return sets;
            }
        }
    }

    /// The globals and returned values that frames of a class may change.
    pub fn modified(&self, class: ClassId) -> &[u64] {
        self.modified.row(class.0 as usize)
    }

    /// The globals that frames of a class may read.
    pub fn referenced(&self, class: ClassId) -> &[u64] {
        self.referenced.row(class.0 as usize)
    }

    /// As if every frame read and changed every global.
    fn add_everything(&mut self, rules: &Rules<'_>) {
        let layout = &rules.layout;
        let mut globals = vec![0; bits::words(layout.len() as usize)];
        bits::insert_all(&mut globals, layout.global_range());
        for row in 0..self.modified.rows() {
            self.referenced.join(row, &globals);
            self.modified.join(row, &globals);
            bits::insert_all(self.modified.row_mut(row), layout.returned_range());
        }
    }

    fn add_own(&mut self, rules: &Rules<'_>, frames: &Frames) {
        let layout = &rules.layout;
        let mut globals = vec![0; bits::words(layout.len() as usize)];
        bits::insert_all(&mut globals, layout.global_range());
        let add = |set: &mut [u64], more: &[u64]| {
            for ((word, more), globals) in set.iter_mut().zip(more).zip(&globals) {
                *word |= more & globals;
            }
        };
        for rule in &rules.rules {
            let footprint = rules.footprint(rule);
            let pushed = match rule.right {
                Right::Push { first, .. } => frames.class(first),
                _ => None,
            };
            let own = frames.class(rule.from);
            for class in own.into_iter().chain(pushed).filter(|_| !rule.is_failure) {
                let row = self.modified.row_mut(class.0 as usize);
                add(row, &footprint.after.set);
                add(row, &footprint.after.arbitrary);
            }
            if let Some(class) = own {
                add(self.referenced.row_mut(class.0 as usize), &footprint.reads);
            }
        }
        for row in 0..self.modified.rows() {
            bits::insert_all(self.modified.row_mut(row), layout.returned_range());
        }
    }
}
