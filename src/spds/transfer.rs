//! Transfers, made from a relation and from what it does to each variable.
//!
//! A variable that matters after a step has been *set* by the relation, may be *arbitrary*,
//! or has kept its value. What was set but does not matter is quantified here, once.

use super::Transfer;
use super::copies::{Copies, Copy, Renaming};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::rules::DataVariable;

/// What a step or push does, over the data variables before it.
pub struct TransferBuilder<'m, 'b> {
    pub copies: &'m Copies<'b>,
    /// The variables that matter before the step.
    pub before: &'m [u64],
    /// Over current, next and below variables.
    pub relation: Bdd,
}

impl TransferBuilder<'_, '_> {
    /// A step to where the variables `after` matter; `set` are those that the relation has
    /// in next copies. Both lists may have repetitions.
    pub fn step(
        self,
        after: &[u64],
        set: &[DataVariable],
        arbitrary: &[DataVariable],
    ) -> Result<Transfer, OutOfNodes> {
        let (bdds, copies) = (self.copies.bdds, self.copies);
        let next = |v: &DataVariable| copies.level(*v, Copy::Next);
        let is_live = |variable: &&DataVariable| bits::contains(after, **variable);
        // A value that is dead after the step is not worth a variable.
        let (live, dead): (Vec<_>, Vec<_>) = set.iter().partition(is_live);
        let unneeded = dead.into_iter().chain(arbitrary);
        let unneeded = copies.cube(unneeded.map(next))?;
        let mut kept = after.to_vec();
        let lost = set.iter().chain(arbitrary);
        lost.for_each(|variable| bits::remove(&mut kept, *variable));
        let (there, back) = renamings(copies, &live, Copy::Next)?;
        let open = || arbitrary.iter().filter(is_live);
        Ok(Transfer {
            changed: sorted(live.iter().copied().chain(open())),
            relation: bdds.exists(&self.relation, &unneeded)?,
            forget: self.forget(&kept)?,
            set: there,
            unset: back,
            arbitrary: copies.cube(open().map(|v| copies.level(*v, Copy::Current)))?,
            set_next: copies.cube(live.iter().copied().map(next))?,
            below: bdds.constant(true),
        })
    }

    /// A push of a frame with this key, in next copies, of which the relation gives values
    /// to `passed`. Below, the frame carries `kept` while it waits; of these the relation
    /// gives values to `set`, in below copies.
    pub fn push(
        self,
        key: &[u64],
        passed: &[DataVariable],
        kept: &[u64],
        set: &[DataVariable],
        arbitrary: &[DataVariable],
    ) -> Result<Transfer, OutOfNodes> {
        let (bdds, copies) = (self.copies.bdds, self.copies);
        let next = |v: &DataVariable| copies.level(*v, Copy::Next);
        let below = |v: &DataVariable| copies.level(*v, Copy::Below);
        let is_kept = |v: &&DataVariable| bits::contains(kept, **v);
        let in_key = |v: &&DataVariable| bits::contains(key, **v);
        let (live, dead): (Vec<_>, Vec<_>) = set.iter().partition(is_kept);
        let (passed, lost): (Vec<_>, Vec<_>) = passed.iter().partition(in_key);
        let unneeded = dead
            .into_iter()
            .map(below)
            .chain(lost.into_iter().map(next));
        let relation = bdds.exists(&self.relation, &copies.cube(unneeded)?)?;
        let mut unchanged = kept.to_vec();
        let lost = set.iter().chain(arbitrary);
        lost.for_each(|variable| bits::remove(&mut unchanged, *variable));
        let (there, back) = renamings(copies, &live, Copy::Below)?;
        let open = || arbitrary.iter().filter(is_kept);
        Ok(Transfer {
            forget: self.forget(&unchanged)?,
            relation,
            set: there,
            unset: back,
            arbitrary: copies.cube(open().map(|v| copies.level(*v, Copy::Current)))?,
            changed: sorted(live.iter().copied().chain(open())),
            set_next: copies.cube(passed.into_iter().map(next))?,
            below: copies.cube(live.iter().copied().map(below))?,
        })
    }

    /// The current variables that are not `kept`.
    fn forget(&self, kept: &[u64]) -> BddResult {
        let lost = bits::members(self.before).filter(|v| !bits::contains(kept, *v));
        let levels = lost.map(|v| self.copies.level(v, Copy::Current));
        self.copies.cube(levels)
    }
}

fn sorted<'v>(variables: impl Iterator<Item = &'v DataVariable>) -> Box<[DataVariable]> {
    let mut list: Vec<_> = variables.copied().collect();
    list.sort_unstable();
    list.dedup();
    list.into()
}

type BothWays = (Option<Renaming>, Option<Renaming>);

/// The renamings of what a step sets from a copy to current, and the way back.
fn renamings(
    copies: &Copies<'_>,
    set: &[&DataVariable],
    from: Copy,
) -> Result<BothWays, OutOfNodes> {
    if set.is_empty() {
        return Ok((None, None));
    }
    let renaming = |from, to| {
        let pairs = set
            .iter()
            .map(|v| (copies.level(**v, from), copies.level(**v, to)));
        copies.renaming(pairs)
    };
    Ok((
        Some(renaming(from, Copy::Current)?),
        Some(renaming(Copy::Current, from)?),
    ))
}
