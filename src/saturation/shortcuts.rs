//! What may make a saturation take fewer rounds.
//!
//! Everything a shortcut adds must be reachable. Then it changes no result: what it leaves out
//! is found by the rules.

use super::EntrySummaries;
use crate::bdd::Bdd;
use crate::spds::{EntryId, Head, RuleId};
use crate::watch::Stop;

/// A frame that waits for another.
#[derive(Clone)]
pub struct Link {
    pub lower: EntryId,
    pub upper: EntryId,
    pub push: RuleId,
    /// What is known of the lower frame: see [`super::PostStar::waiting`].
    pub waiting: Bdd,
}

/// An edge that is being looked at.
#[derive(Clone, Copy)]
pub struct EdgeView<'e> {
    pub head: Head,
    /// How often it was.
    pub rounds: u32,
    /// All of it, and what is new.
    pub total: &'e Bdd,
    pub new: &'e Bdd,
}

pub trait LoopShortcuts {
    /// What the ways round a loop at the edge's head lead to from what is new, as far as it is
    /// not known; `None` if there is nothing to do. `stamp` is that of the newest summary.
    fn around(
        &mut self,
        edge: EdgeView<'_>,
        summaries: &EntrySummaries,
        stamp: u64,
    ) -> Result<Option<Bdd>, Stop>;
}

pub trait RecursionShortcuts {
    /// Further frames of an entry, as valuations of the edge from its head, that are pushed on
    /// those of the edge, or on others of them. `None` if there is nothing to do.
    fn enter(
        &mut self,
        entry: EntryId,
        edge: EdgeView<'_>,
        summaries: &EntrySummaries,
    ) -> Result<Option<Bdd>, Stop>;

    /// Further summaries of an entry, which follow from those there are by the frames that
    /// wait for their like. `None` if there is nothing to do.
    fn leave(
        &mut self,
        entry: EntryId,
        summaries: &EntrySummaries,
        links: &dyn Fn() -> Vec<Link>,
    ) -> Result<Option<Bdd>, Stop>;
}
