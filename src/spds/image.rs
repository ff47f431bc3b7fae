//! Images and pre-images of sets of valuations under the rules.

use super::{EntryId, ResumeId, Rule, Spds, Transfer};
use crate::bdd::{Bdd, BddResult, Bdds};

impl Transfer {
    /// The valuations after the step, current again (for a push: the callee's key in next
    /// variables beside what the caller keeps). Variables of other copies pass through.
    pub fn image(&self, bdds: &Bdds, set: &Bdd) -> BddResult {
        let after = bdds.and_exists(set, &self.relation, &self.forget)?;
        match &self.set {
            Some(renaming) => renaming.apply(bdds, &after),
            None => Ok(after),
        }
    }

    /// The valuations before a step (no push) into `set`.
    pub fn preimage(&self, bdds: &Bdds, set: &Bdd) -> BddResult {
        let set = &bdds.exists(set, &self.arbitrary)?;
        match &self.unset {
            Some(renaming) => {
                let after = renaming.apply(bdds, set)?;
                bdds.and_exists(&after, &self.relation, &self.set_next)
            }
            None => bdds.and(&self.relation, set),
        }
    }
}

impl Spds {
    /// The valuations below the lowest frame from which staying there, for as long as it
    /// takes the automaton, leads into `set`.
    pub fn before_bottom(&self, bdds: &Bdds, set: &Bdd) -> BddResult {
        let mut reached = set.clone();
        let Some(bottom) = self.bottom else {
            return Ok(reached);
        };
        loop {
            let mut more = reached.clone();
            for id in self.rules_from(bottom) {
                let before = self.transfer(self.rule(id)).preimage(bdds, &reached)?;
                more = bdds.or(&more, &before)?;
            }
            if more == reached {
                return Ok(reached);
            }
            reached = more;
        }
    }

    /// The heads that a push leads to: current variables, the frame below forgotten.
    pub fn pushed(&self, bdds: &Bdds, rule: &Rule, entry: EntryId, set: &Bdd) -> BddResult {
        let transfer = self.transfer(rule);
        let key = bdds.and_exists(set, &transfer.relation, &self.all_current)?;
        let key = bdds.exists(&key, &transfer.below)?;
        self.interface(entry).enter_current.apply(bdds, &key)
    }

    /// The valuations from which a push leads into `set` at the entry.
    pub fn pushing(&self, bdds: &Bdds, rule: &Rule, entry: EntryId, set: &Bdd) -> BddResult {
        let before = self.pushing_with(bdds, rule, entry, set)?;
        bdds.exists(&before, &self.transfer(rule).below)
    }

    /// The valuations from which a push leads into `set` at the entry, related to what the push
    /// sets in the frame below, in below copies.
    pub fn pushing_with(&self, bdds: &Bdds, rule: &Rule, entry: EntryId, set: &Bdd) -> BddResult {
        let interface = self.interface(entry);
        let key = bdds.and_exists(set, &interface.initial, &interface.not_key)?;
        let key = interface.key_to_next.apply(bdds, &key)?;
        let relation = &self.transfer(rule).relation;
        bdds.and_exists(&key, relation, &interface.key_next)
    }

    /// The valuations from which a push leads into `set` at the entry and leaves a frame below
    /// that has one of the valuations `frame`.
    pub fn pushing_onto(
        &self,
        bdds: &Bdds,
        rule: &Rule,
        entry: EntryId,
        set: &Bdd,
        frame: &Bdd,
    ) -> BddResult {
        let transfer = self.transfer(rule);
        let before = self.pushing_with(bdds, rule, entry, set)?;
        let frame = &bdds.exists(frame, &transfer.arbitrary)?;
        match &transfer.unset {
            None => bdds.and(&before, frame),
            Some(unset) => bdds.and_exists(&before, &unset.apply(bdds, frame)?, &transfer.below),
        }
    }

    /// The valuations at `saved` after a push, the pushed frame popped again as `summary`
    /// (over the key's next and the handed current variables) says.
    pub fn returned(
        &self,
        bdds: &Bdds,
        rule: &Rule,
        resume: ResumeId,
        summary: &Bdd,
        set: &Bdd,
    ) -> BddResult {
        let waiting = self.transfer(rule).image(bdds, set)?;
        self.resumed(bdds, resume, summary, &waiting)
    }

    /// The valuations after a return as `summary` says, from those of the frame that waits.
    pub fn resumed(
        &self,
        bdds: &Bdds,
        resume: ResumeId,
        summary: &Bdd,
        waiting: &Bdd,
    ) -> BddResult {
        bdds.and_exists(summary, waiting, &self.resumes[resume])
    }

    /// The valuations from which a push that pops again as `summary` says leads into `set`
    /// at `saved`.
    pub fn returning(
        &self,
        bdds: &Bdds,
        rule: &Rule,
        entry: EntryId,
        summary: &Bdd,
        set: &Bdd,
    ) -> BddResult {
        let through = self.across(bdds, rule, entry, summary)?;
        self.returning_across(bdds, rule, entry, &through, set)
    }

    /// The valuations from which a push that pops again leads into `set`: `across` leads from
    /// the valuations before the push to the handed variables, in next, and to what the push
    /// sets in the frame below.
    pub fn returning_across(
        &self,
        bdds: &Bdds,
        rule: &Rule,
        entry: EntryId,
        across: &Bdd,
        set: &Bdd,
    ) -> BddResult {
        let (interface, transfer) = (self.interface(entry), self.transfer(rule));
        let set = &bdds.exists(set, &transfer.arbitrary)?;
        // Handed variables must not be taken for the caller's: the two meet in next.
        let after = interface.handed_to_next.apply(bdds, set)?;
        let Some(unset) = &transfer.unset else {
            return bdds.and_exists(across, &after, &interface.handed_next);
        };
        // What the push sets in the frame below is current again after the return.
        let after = unset.apply(bdds, &after)?;
        let before = bdds.and_exists(across, &after, &interface.handed_next)?;
        bdds.exists(&before, &transfer.below)
    }

    /// From the valuations before a push to the handed variables, in next, once it popped.
    pub fn across(&self, bdds: &Bdds, rule: &Rule, entry: EntryId, summary: &Bdd) -> BddResult {
        let interface = self.interface(entry);
        let relation = &self.transfer(rule).relation;
        // Handed variables go to entry copies while the key is in next copies.
        let summary = interface.handed_to_entry.apply(bdds, summary)?;
        let across = bdds.and_exists(&summary, relation, &interface.key_next)?;
        interface.handed_entry_to_next.apply(bdds, &across)
    }
}
