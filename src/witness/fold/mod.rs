//! Executions too long to be shown, or even made, step by step.
//!
//! [`rounds`] folds the rounds of loops, and of recursion that leaves frames waiting, on the way
//! of a search; [`nesting`] folds calls nested deep inside each other where summaries are
//! unfolded; [`unfold`] makes less of a finished trace folded.

mod nesting;
mod rounds;
pub mod unfold;

pub use nesting::NestedFrames;
pub use rounds::Folding;

pub(super) use nesting::{links, unfold_nested};
pub(super) use rounds::{steps, with_folded_rounds};

use crate::acceleration::{Nesting, Way};
use crate::bits::BitSet;
use crate::relations::Components;
use crate::spds::{EntryId, Head, Spds};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The ways round loops, by head, by the stamp of the summaries they may use, and by whether
/// frames may be left waiting.
type WayCache = FxHashMap<(Head, u64, bool), Rc<[Way]>>;

/// The nestings of each entry, by the stamp of the summaries they may use.
type NestingCache = FxHashMap<(EntryId, u64), Rc<[Nesting]>>;

/// What is folded, and what is known of it so far.
pub struct Folds {
    /// Whether and when rounds are folded.
    pub folding: Option<Folding>,
    /// Variables that nested calls are told apart by.
    flags: BitSet,
    /// The loops inside frames, once asked for.
    loops: OnceCell<Components>,
    /// The loops through pushes, once asked for.
    recursions: OnceCell<Components>,
    /// The entry with each head.
    entries: OnceCell<FxHashMap<Head, EntryId>>,
    ways: RefCell<WayCache>,
    nestings: RefCell<NestingCache>,
    /// The last place that was given to a nested call.
    place: Cell<u32>,
}

impl Folds {
    /// Calls where one of the variables `flags` changes are shown, however deep they are
    /// nested.
    pub fn new(folding: Option<Folding>, flags: BitSet) -> Self {
        Folds {
            folding,
            flags,
            loops: OnceCell::new(),
            recursions: OnceCell::new(),
            entries: OnceCell::new(),
            ways: RefCell::default(),
            nestings: RefCell::default(),
            place: Cell::default(),
        }
    }

    fn loops(&self, spds: &Spds) -> &Components {
        self.loops.get_or_init(|| Components::within_frames(spds))
    }

    fn recursions(&self, spds: &Spds) -> &Components {
        self.recursions
            .get_or_init(|| Components::through_pushes(spds))
    }

    fn entry_at(&self, spds: &Spds, head: Head) -> Option<EntryId> {
        let entries = spds.entries.enumerate();
        let entries = || entries.map(|(id, entry)| (entry.head, id)).collect();
        self.entries.get_or_init(entries).get(&head).copied()
    }

    /// A place that no other nested call has.
    fn next_place(&self) -> u32 {
        self.place.set(self.place.get() + 1);
        self.place.get()
    }
}
