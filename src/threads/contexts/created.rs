//! Lists of created threads: the statements that created them, one list made from another by
//! one more. Equal lists are one.

use super::Contexts;
use crate::program::PointId;

/// A list, an index into those there are; 0 is the empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Created(pub(super) u32);

impl Contexts<'_> {
    /// How long a list of created threads is.
    pub(super) fn created_count(&self, list: Created) -> u32 {
        self.sites(list).count() as u32
    }

    /// The points at which threads were created, the last first.
    fn sites(&self, list: Created) -> impl Iterator<Item = PointId> {
        let lists = std::iter::successors(Some(list), |list| Some(self.lists[list.0 as usize].0));
        let lists = lists.take_while(|list| *list != Created(0));
        lists.map(|list| self.lists[list.0 as usize].1)
    }

    /// Where one of the created threads was created, counting from 0.
    pub(super) fn site(&self, list: Created, index: u32) -> PointId {
        let later = self.created_count(list) - 1 - index;
        self.sites(list).nth(later as usize).unwrap_or(PointId(0))
    }

    /// One more created thread.
    pub(super) fn create(&mut self, list: Created, site: PointId) -> Created {
        let next = Created(self.lists.len() as u32);
        let longer = *self.list_of.entry((list, site)).or_insert(next);
        if longer == next {
            self.lists.push((list, site));
        }
        longer
    }
}
