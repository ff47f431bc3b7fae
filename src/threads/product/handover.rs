//! Where threads need not be left.
//!
//! A step is *private* if it reads and sets nothing but what its own thread has. It commutes with
//! all steps of other threads: a thread that takes it when it runs again might as well have taken
//! it before it was left, and where it never runs again, nobody notices that it has taken it.
//! Neither needs more switches or rounds. So no thread is left in a configuration in which it can
//! go on, and all its steps are private. (A step to *error* is no way to go on: the others would
//! stop.) In each round of a loop there is a point where it may be left all the same: one from which
//! control goes back in the text. As nothing recurses, a thread comes to such a point in the end,
//! or it comes to a step that is not private, is blocked, or ends.
//!
//! Of a path, the private steps are taken back that a thread makes before it is left for ever.

use super::path::Hop;
use super::search::Product;
use crate::bdd::Bdd;
use crate::program::{Action, PointId};
use crate::watch::Stop;

impl Product<'_> {
    /// The configurations at a head in which its thread is not left.
    pub(super) fn passing(&mut self, slot: usize, head: usize) -> Result<Bdd, Stop> {
        if let Some(known) = &self.passing[slot][head] {
            return Ok(known.clone());
        }
        let bdds = self.bdds;
        let mut passing = bdds.constant(false);
        let moves = self.moves(slot, head)?;
        if !self.goes_back(slot, head) && moves.iter().all(|step| step.is_private) {
            let everything = bdds.constant(true);
            for step in moves.iter().filter(|step| step.to.is_some()) {
                let from = step.preimage(bdds, &everything)?;
                passing = bdds.or(&passing, &from)?;
            }
        }
        self.passing[slot][head] = Some(passing.clone());
        Ok(passing)
    }

    /// Whether control may go from a head to a point of its procedure that is not further down.
    fn goes_back(&self, slot: usize, head: usize) -> bool {
        let (program, head) = (self.plan.program, self.plan.kind(slot).heads[head]);
        if self.plan.rules.frame_of(head).is_none() {
            return false;
        }
        let point = PointId(head.0);
        let exit = program.procedure_of(point).exit();
        let mut goes_back = false;
        let action: &Action = &program.point(point).action;
        action.for_each_successor(exit, |next| goes_back |= next <= point && next != exit);
        goes_back
    }

    /// Takes back what threads do in vain before they are left for ever.
    pub(super) fn take_back(&mut self, contexts: &mut [Vec<Hop>]) -> Result<(), Stop> {
        let bdds = self.bdds;
        for place in 0..contexts.len().saturating_sub(1) {
            let (before, behind) = contexts.split_at_mut(place + 1);
            let Some(hops) = before.last_mut() else {
                continue;
            };
            let slot = hops.first().map_or(0, |hop| hop.slot);
            let runs_again = behind.iter().flatten().any(|hop| hop.slot == slot);
            if slot == 0 || runs_again {
                continue;
            }
            let mut is_shorter = false;
            while let [.., last, _] = &hops[..] {
                let moves = self.moves(slot, last.head)?;
                let is_private = last.step.is_some_and(|step| moves[step].is_private);
                let exclusive = bdds.variable(self.plan.exclusive);
                if !is_private || !bdds.is_false(&bdds.and(&last.values, &exclusive)?) {
                    break;
                }
                hops.pop();
                if let Some(last) = hops.last_mut() {
                    last.step = None;
                }
                is_shorter = true;
            }
            if is_shorter {
                let own = self.maker.cube(self.plan.private(slot))?;
                for hop in behind.iter_mut().flatten() {
                    hop.values = bdds.exists(&hop.values, &own)?;
                }
            }
        }
        Ok(())
    }
}
