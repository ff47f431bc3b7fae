//! Where each part of a configuration has its BDD variables.
//!
//! Each thread has a *slot*, by its number: the head it is at, as a number, its own globals,
//! what is being returned, and its frames ([`Kind`]). Shared globals come first, then the
//! slots. What is not there in a configuration (frames that are not open, everything of
//! threads that have ended or not begun) may have any value, and so may locals that do not
//! matter: sets say nothing of them.

use super::kind::{Kind, code_bits};
use super::live::live_locals;
use super::population::created_threads;
use crate::analysis::control::Control;
use crate::bdd::Level;
use crate::bits::{self, BitRows};
use crate::limits::threads::{THREADS, VARIABLES};
use crate::program::{PointId, ProcedureId, Program, Threads};
use crate::rules::{DataVariable, Head, Layout, Rules};
use std::ops::Range;

/// A program with threads, laid out.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(super) program: &'a Program,
    pub(super) threads: &'a Threads,
    pub(super) rules: Rules<'a>,
    /// Which code threads can come to: the only one that is laid out.
    pub(super) control: Control,
    /// The locals that matter at each head.
    pub(super) live: BitRows,
    pub(super) kinds: Vec<Kind>,
    /// By number of the thread. That of thread 0 is there even if it is never run.
    pub(super) slots: Vec<Slot>,
    /// How many BDD variables there are.
    pub levels: Level,
    /// For each bit of a global, its variable before a step, if it is shared.
    shared: Vec<Option<Level>>,
    /// The variable that says whether the running thread is exclusive; it is shared.
    pub(super) exclusive: Level,
    /// Where threads have ended, and where they have failed.
    pub(super) end: Head,
    pub(super) error: Head,
}

/// The BDD variables of a thread.
#[derive(Debug)]
pub struct Slot {
    /// An index into [`Plan::kinds`].
    pub kind: usize,
    /// The head it is at, unless it is the running one.
    pub at: Range<Level>,
    /// The first one of its own globals, a pair for each bit.
    own: Level,
    /// What is being returned.
    pub returned: Range<Level>,
    /// Its frames.
    pub stack: Range<Level>,
}

/// A frame of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub slot: usize,
    pub procedure: ProcedureId,
}

impl<'a> Plan<'a> {
    /// `None` if the program is not finite, or too large to be explored as a whole.
    pub fn of(program: &'a Program) -> Option<Self> {
        let threads = program.threads.as_ref()?;
        let control = Control::of(program);
        let created = u32::try_from(created_threads(program, &control)?).ok()?;
        let declared = u32::try_from(threads.declared.len()).ok()?;
        if created.checked_add(declared)? > THREADS {
            return None;
        }
        let rules = Rules::of_program(program, Layout::of(program), false);
        let (end, error) = rules.empty.zip(rules.error)?;
        let mut roots: Vec<Vec<PointId>> = Vec::new();
        let entry = |id: ProcedureId| program.procedure(id).entry();
        roots.push(threads.init.map(entry).into_iter().collect());
        let declared = threads.declared.iter();
        roots.extend(declared.map(|start| vec![entry(start.procedure)]));
        let mut creations: Vec<_> = (0..program.points.len() as u32)
            .filter(|point| control.reaches(PointId(*point)))
            .filter_map(|point| Some(PointId(rules.creation(Head(point))?.first.0)))
            .collect();
        creations.sort_unstable();
        creations.dedup();
        roots.extend((0..created).map(|_| creations.clone()));
        let mut plan = Plan {
            program,
            threads,
            live: live_locals(&rules),
            rules,
            control,
            kinds: Vec::new(),
            slots: Vec::new(),
            levels: 0,
            shared: Vec::new(),
            exclusive: 0,
            end,
            error,
        };
        plan.place_globals();
        let mut known: Vec<&[PointId]> = Vec::new();
        for roots in &roots {
            let kind = known.iter().position(|other| other == roots);
            let kind = kind.unwrap_or_else(|| {
                known.push(roots);
                plan.kinds
                    .push(Kind::of(program, &plan.control, &plan.rules, roots, end));
                known.len() - 1
            });
            plan.place_slot(kind);
        }
        (plan.levels <= VARIABLES).then_some(plan)
    }

    fn place_globals(&mut self) {
        let mut shared = Vec::new();
        for global in 0..self.program.globals.len() as u32 {
            for _ in self.rules.layout.global(global) {
                let is_own = self.threads.is_own(global);
                if global == self.threads.exclusive {
                    self.exclusive = self.levels;
                }
                shared.push((!is_own).then_some(self.levels));
                self.levels += if is_own { 0 } else { 2 };
            }
        }
        self.shared = shared;
    }

    fn place_slot(&mut self, kind: usize) {
        let is_first = self.slots.is_empty();
        let (heads, depth) = (self.kinds[kind].heads.len(), self.kinds[kind].depth);
        let mut place = |count: u32| {
            let first = self.levels;
            self.levels += count;
            first..self.levels
        };
        // Thread 0 runs alone: nobody asks where it is. Others may also not have begun.
        let at = place(if is_first { 0 } else { code_bits(heads + 1) });
        let own = self.shared.iter().filter(|level| level.is_none()).count();
        self.slots.push(Slot {
            kind,
            at,
            own: place(2 * own as u32).start,
            returned: place(self.rules.layout.returned),
            stack: place(depth),
        });
    }

    pub(super) fn kind(&self, slot: usize) -> &Kind {
        &self.kinds[self.slots[slot].kind]
    }

    /// How many of the slots are there from the start; the others are for created threads.
    pub(super) fn first_created(&self) -> usize {
        1 + self.threads.declared.len()
    }

    /// The place of a frame that a head is in.
    pub(super) fn place(&self, slot: usize, head: Head) -> Option<Place> {
        let procedure = self.rules.frame_of(head)?;
        Some(Place { slot, procedure })
    }

    /// The variable, before a step, of a bit as a frame sees it; `None` for a local that the
    /// frame does not have.
    pub(super) fn level(&self, place: Place, bit: DataVariable) -> Option<Level> {
        let layout = &self.rules.layout;
        let slot = &self.slots[place.slot];
        if let Some(index) = bit.checked_sub(layout.returned_range().start) {
            return Some(slot.returned.start + index);
        }
        let Some(index) = bit.checked_sub(layout.global_range().start) else {
            let frame = self.kind(place.slot).frame(place.procedure);
            return (bit < frame.locals()).then(|| slot.stack.start + frame.local(bit));
        };
        Some(match self.shared[index as usize] {
            Some(level) => level,
            None => {
                let before = self.shared[..index as usize].iter();
                slot.own + 2 * before.filter(|level| level.is_none()).count() as u32
            }
        })
    }

    /// The variables of a thread's own globals, before a step.
    pub(super) fn own(&self, slot: usize) -> impl Iterator<Item = Level> + use<> {
        let count = self.shared.iter().filter(|level| level.is_none()).count();
        let first = self.slots[slot].own;
        (0..count as u32).map(move |i| first + 2 * i)
    }

    /// The variables of the number of the site that a frame returns to, with their values.
    pub(super) fn site(&self, place: Place, site: Option<PointId>) -> Vec<(Level, bool)> {
        let base = self.slots[place.slot].stack.start;
        let code = self.kind(place.slot).site_code(place.procedure, site);
        code.map(|(level, value)| (base + level, value)).collect()
    }

    /// All variables of a frame before a step: the number of its site, and its locals.
    pub(super) fn frame(&self, place: Place) -> impl Iterator<Item = Level> + use<> {
        let base = self.slots[place.slot].stack.start;
        let frame = self.kind(place.slot).frame(place.procedure);
        let first = frame.local(0);
        let locals = (0..frame.locals()).map(move |bit| first + 2 * bit);
        frame
            .site_levels()
            .chain(locals)
            .map(move |level| base + level)
    }

    /// The locals, before a step, of a frame that do not matter at a head.
    pub(super) fn dead(&self, place: Place, head: Head) -> impl Iterator<Item = Level> {
        let base = self.slots[place.slot].stack.start;
        let frame = self.kind(place.slot).frame(place.procedure);
        let live = self.live.row(head.0 as usize);
        let dead = (0..frame.locals()).filter(|bit| !bits::contains(live, *bit));
        dead.map(move |bit| base + frame.local(bit))
    }

    /// All variables of a thread.
    pub(super) fn private(&self, slot: usize) -> Range<Level> {
        let slot = &self.slots[slot];
        slot.at.start..slot.stack.end
    }

    /// The number of a head, by the variables that tell where a thread is. 0 is for one that
    /// has not begun.
    pub(super) fn at(
        &self,
        slot: usize,
        head: usize,
    ) -> impl Iterator<Item = (Level, bool)> + use<> {
        code(self.slots[slot].at.clone(), head + 1)
    }

    /// What tells that a thread has not begun.
    pub(super) fn not_begun(&self, slot: usize) -> impl Iterator<Item = (Level, bool)> + use<> {
        code(self.slots[slot].at.clone(), 0)
    }
}

/// A number, by its bits.
fn code(levels: Range<Level>, number: usize) -> impl Iterator<Item = (Level, bool)> {
    let bits = levels.zip(0..);
    bits.map(move |(level, place)| (level, number >> place & 1 == 1))
}
