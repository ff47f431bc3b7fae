//! The steps of one thread as relations between configurations.
//!
//! A relation speaks of what its step reads and sets, in the variables of the thread's own
//! frames, and of nothing else. What is set keeps its old value beside the new one until it is
//! renamed; what had no meaning before (the frame of a call, what is returned, a new thread) is
//! set where it stands. A return, its targets and an `enforce` of the caller are one step.

use super::plan::{Place, Plan};
use crate::bdd::{Bdd, BddResult, Bdds, Level, OutOfNodes};
use crate::bits;
use crate::program::PointId;
use crate::rules::{EffectId, Head, Meaning, Right, Rule};
use crate::spds::Relations;
use crate::spds::copies::{Copies, Copy, Renaming};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A step of a thread from one head.
pub struct Move {
    /// The head it leads to, by its place in the thread's kind; none for *error*.
    pub to: Option<usize>,
    /// Whether it fixes what the frame returns.
    pub is_return: bool,
    /// Whether it is taken because some expression has no value.
    pub is_failure: bool,
    /// Whether it reads and sets only what its thread has.
    pub is_private: bool,
    relation: Bdd,
    /// What is set, or has any value afterwards, before the step.
    forget: Bdd,
    /// What is set from after the step to before it, and back.
    renamings: Option<[Renaming; 2]>,
    /// The variables that have a meaning after the step only.
    pub fresh: Vec<Level>,
    fresh_cube: Bdd,
    /// What has any value afterwards.
    pub stale: Vec<Level>,
    stale_cube: Bdd,
    /// What is set to constants, and the variables of these.
    constants: Option<(Bdd, Bdd)>,
}

impl Move {
    /// The configurations after the step.
    pub fn image(&self, bdds: &Bdds, set: &Bdd) -> BddResult {
        let mut after = bdds.and_exists(set, &self.relation, &self.forget)?;
        if let Some([renaming, _]) = &self.renamings {
            after = renaming.apply(bdds, &after)?;
        }
        match &self.constants {
            Some((values, _)) => bdds.and(&after, values),
            None => Ok(after),
        }
    }

    /// The configurations before a step into `set`.
    pub fn preimage(&self, bdds: &Bdds, set: &Bdd) -> BddResult {
        let mut after = set.clone();
        if let Some((values, variables)) = &self.constants {
            after = bdds.and_exists(&after, values, variables)?;
        }
        after = bdds.exists(&after, &self.stale_cube)?;
        if let Some([_, renaming]) = &self.renamings {
            after = renaming.apply(bdds, &after)?;
        }
        bdds.and_exists(&after, &self.relation, &self.fresh_cube)
    }

    /// The configurations in `set` from which the step can be taken.
    pub fn enabled(&self, bdds: &Bdds, set: &Bdd) -> BddResult {
        bdds.and(set, &self.relation)
    }
}

/// Makes moves.
pub struct Moves<'p> {
    plan: &'p Plan<'p>,
    bdds: &'p Bdds,
    /// Makes cubes and renamings; it has no variables itself.
    cubes: Copies<'p>,
    /// The variables as steps see them that lead from one frame to another.
    places: RefCell<FxHashMap<[Place; 2], Rc<Copies<'p>>>>,
    /// "Every variable matters."
    everything: Vec<u64>,
}

/// A move in the making.
struct Draft {
    relation: Bdd,
    /// What is set: the variables before and after the step.
    set: Vec<(Level, Level)>,
    /// What is set where it stands.
    direct: Vec<Level>,
    /// What has any value afterwards.
    stale: Vec<Level>,
    constants: Vec<(Level, bool)>,
}

impl Draft {
    /// Nothing is set.
    fn new(relation: Bdd) -> Self {
        Draft {
            relation,
            set: Vec::new(),
            direct: Vec::new(),
            stale: Vec::new(),
            constants: Vec::new(),
        }
    }
}

impl<'p> Moves<'p> {
    pub fn new(plan: &'p Plan<'p>, bdds: &'p Bdds) -> Self {
        let words = bits::words(plan.rules.layout.len() as usize);
        Moves {
            plan,
            bdds,
            cubes: Copies::placed(bdds, Vec::new(), COPIES),
            places: RefCell::default(),
            everything: vec![u64::MAX; words],
        }
    }

    /// The steps of a thread from a head. If `exact`, values that do not matter any more are
    /// kept: there are the same steps in the same order.
    pub fn from(&self, slot: usize, head: usize, exact: bool) -> Result<Vec<Move>, OutOfNodes> {
        let plan = self.plan;
        let head = plan.kind(slot).heads[head];
        let mut moves = Vec::new();
        let Some(place) = plan.place(slot, head) else {
            return Ok(moves);
        };
        for rule in plan.rules.rules_from(head) {
            match rule.right {
                Right::Step(to) if to == plan.end => {
                    let draft = self.draft(rule, [place, place])?;
                    moves.push(self.end(slot, draft, exact)?);
                }
                Right::Step(to) if plan.rules.creation(head).is_none() => {
                    let draft = self.draft(rule, [place, place])?;
                    moves.extend(self.step(place, rule, to, draft, exact)?);
                }
                Right::Step(to) => self.create(place, rule, to, exact, &mut moves)?,
                Right::Push { first, saved, .. } => {
                    moves.extend(self.push(place, rule, [first, saved], exact)?);
                }
                Right::Pop => self.pop(place, rule, exact, &mut moves)?,
            }
        }
        Ok(moves)
    }

    /// From where `init` has ended to where threads begin, with copies of its own globals.
    pub fn start(&self) -> Result<Move, OutOfNodes> {
        let (plan, bdds) = (self.plan, self.bdds);
        let mut draft = Draft::new(bdds.constant(true));
        draft.stale.extend(plan.own(0));
        for slot in 1..plan.first_created() {
            for (new, old) in plan.own(slot).zip(plan.own(0)) {
                let same = bdds.equivalent(&bdds.variable(new), &bdds.variable(old))?;
                draft.relation = bdds.and(&draft.relation, &same)?;
                draft.direct.push(new);
            }
        }
        self.finish(0, draft, None)
    }

    pub fn cube(&self, levels: impl IntoIterator<Item = Level>) -> BddResult {
        self.cubes.cube(levels)
    }

    /// The variables as a step from one frame to another sees them: of the new frame before the
    /// step only, since it is not there yet.
    fn places(&self, [from, to]: [Place; 2]) -> Rc<Copies<'p>> {
        let mut places = self.places.borrow_mut();
        let copies = places.entry([from, to]).or_insert_with(|| {
            let layout = &self.plan.rules.layout;
            let mut levels = Vec::new();
            for bit in 0..layout.len() {
                let before = self.plan.level(from, bit).unwrap_or(0);
                let after = match from == to || bit >= layout.locals && from.slot == to.slot {
                    true => before + u32::from(bit < layout.returned_range().start),
                    false => self.plan.level(to, bit).unwrap_or(0),
                };
                levels.extend([before, after, 0, before + 1]);
            }
            Rc::new(Copies::placed(self.bdds, levels, COPIES))
        });
        copies.clone()
    }

    /// The relation of an effect between two frames.
    fn relation(&self, effect: EffectId, is_failure: bool, places: [Place; 2]) -> BddResult {
        let effects = &self.plan.rules.effects;
        let copies = self.places(places);
        let relations = Relations {
            rules: &self.plan.rules,
            copies: &copies,
            effect: effects.get(effect),
            footprint: effects.footprint(effect),
            needed: [&self.everything, &self.everything],
        };
        match is_failure {
            true => relations.failure(),
            false => relations.relation(),
        }
    }

    /// What a rule does to the frame on top and to globals.
    fn draft(&self, rule: &Rule, places: [Place; 2]) -> Result<Draft, OutOfNodes> {
        let mut draft = Draft::new(self.relation(rule.effect, rule.is_failure, places)?);
        if !rule.is_failure {
            self.add_changes(&mut draft, rule.effect, places);
        }
        Ok(draft)
    }

    fn add_changes(&self, draft: &mut Draft, effect: EffectId, places: [Place; 2]) {
        let copies = self.places(places);
        let footprint = self.plan.rules.effects.footprint(effect);
        for bit in bits::members(&footprint.after.set) {
            let (before, after) = (
                copies.level(bit, Copy::Current),
                copies.level(bit, Copy::Next),
            );
            match after == before + 1 {
                true => draft.set.push((before, after)),
                false => draft.direct.push(after),
            }
        }
        for bit in bits::members(&footprint.after.arbitrary) {
            let is_kept = places[0] == places[1] || bit >= self.plan.rules.layout.locals;
            draft
                .stale
                .extend(is_kept.then(|| copies.level(bit, Copy::Current)));
        }
        for bit in bits::members(&footprint.below.set) {
            let before = copies.level(bit, Copy::Current);
            draft.set.push((before, copies.level(bit, Copy::Below)));
        }
        let below = bits::members(&footprint.below.arbitrary);
        draft
            .stale
            .extend(below.map(|bit| copies.level(bit, Copy::Current)));
    }

    fn push(
        &self,
        place: Place,
        rule: &Rule,
        [first, saved]: [Head; 2],
        exact: bool,
    ) -> Result<Option<Move>, OutOfNodes> {
        let (plan, bdds) = (self.plan, self.bdds);
        let Some(callee) = plan.place(place.slot, first) else {
            return Ok(None);
        };
        let mut draft = self.draft(rule, [place, callee])?;
        let site = plan.site(callee, Some(PointId(rule.from.0)));
        draft.direct.extend(site.iter().map(|(level, _)| *level));
        draft.relation = bdds.and(&draft.relation, &bdds.minterm(site)?)?;
        if !exact {
            draft.stale.extend(plan.dead(place, saved));
        }
        self.step(callee, rule, first, draft, exact)
    }

    /// The ways back from an exit: one for each site, and the end of the thread if the frame may
    /// be the lowest.
    fn pop(
        &self,
        place: Place,
        rule: &Rule,
        exact: bool,
        moves: &mut Vec<Move>,
    ) -> Result<(), OutOfNodes> {
        let (plan, bdds) = (self.plan, self.bdds);
        let popped = self.relation(rule.effect, false, [place, place])?;
        for site in &plan.kind(place.slot).frame(place.procedure).sites {
            let here = bdds.minterm(plan.site(place, *site))?;
            let popped = bdds.and(&popped, &here)?;
            let Some(site) = site else {
                let mut draft = Draft::new(popped);
                draft.constants.push((plan.exclusive, false));
                moves.push(self.end(place.slot, draft, exact)?);
                continue;
            };
            let gone = plan.slots[place.slot].returned.clone();
            let gone: Vec<_> = gone.chain(plan.frame(place)).collect();
            let saved = plan.rules.rules_from(Head(site.0)).iter();
            let saved = saved.filter_map(|rule| match rule.right {
                Right::Push { saved, .. } => Some(saved),
                _ => None,
            });
            for saved in saved {
                let Some(below) = plan.place(place.slot, saved) else {
                    continue;
                };
                let is_internal = matches!(plan.rules.meaning(saved), Meaning::Returning(_));
                if !is_internal {
                    let mut draft = Draft::new(popped.clone());
                    draft.stale.extend(&gone);
                    moves.extend(self.step(below, rule, saved, draft, exact)?);
                    continue;
                }
                for resumed in plan.rules.rules_from(saved) {
                    let Right::Step(to) = resumed.right else {
                        continue;
                    };
                    let mut draft = self.draft(resumed, [below, below])?;
                    draft.relation = bdds.and(&draft.relation, &popped)?;
                    draft.stale.extend(&gone);
                    moves.extend(self.step(below, resumed, to, draft, exact)?);
                }
            }
        }
        Ok(())
    }

    /// A step that creates a thread, in each slot that may be the first free one.
    fn create(
        &self,
        place: Place,
        rule: &Rule,
        to: Head,
        exact: bool,
        moves: &mut Vec<Move>,
    ) -> Result<(), OutOfNodes> {
        let (plan, bdds) = (self.plan, self.bdds);
        let Some(creation) = plan.rules.creation(rule.from) else {
            return Ok(());
        };
        // Where the running thread is, is not encoded; it has begun.
        let slots = plan.first_created()..plan.slots.len();
        for slot in slots.filter(|slot| *slot != place.slot) {
            let first = plan.kind(slot).index(creation.first);
            let Some((new, first)) = plan.place(slot, creation.first).zip(first) else {
                continue;
            };
            let mut draft = self.draft(rule, [place, place])?;
            let given = self.relation(creation.effect, false, [place, new])?;
            draft.relation = bdds.and(&draft.relation, &given)?;
            let footprint = plan.rules.effects.footprint(creation.effect);
            let given = bits::members(&footprint.after.set);
            draft
                .direct
                .extend(given.filter_map(|bit| plan.level(new, bit)));
            let lowest = plan.site(new, None);
            draft.direct.extend(lowest.iter().map(|(level, _)| *level));
            draft.relation = bdds.and(&draft.relation, &bdds.minterm(lowest)?)?;
            let is_free = bdds.minterm(plan.not_begun(slot))?;
            draft.relation = bdds.and(&draft.relation, &is_free)?;
            if slot > plan.first_created() && slot - 1 != place.slot {
                let is_gap = bdds.minterm(plan.not_begun(slot - 1))?;
                draft.relation = bdds.difference(&draft.relation, &is_gap)?;
            }
            draft.constants.extend(plan.at(slot, first));
            if !exact {
                draft.stale.extend(plan.dead(new, creation.first));
            }
            moves.extend(self.step(place, rule, to, draft, exact)?);
        }
        Ok(())
    }

    /// A step of a rule into a frame, at a head; `None` if conditions that are constants, and not
    /// true, keep control away from there.
    fn step(
        &self,
        place: Place,
        rule: &Rule,
        to: Head,
        mut draft: Draft,
        exact: bool,
    ) -> Result<Option<Move>, OutOfNodes> {
        let plan = self.plan;
        let index = plan.kind(place.slot).index(to);
        if index.is_none() && to != plan.error {
            return Ok(None);
        }
        if !exact && index.is_some() {
            draft.stale.extend(plan.dead(place, to));
        }
        let made = self.finish(place.slot, draft, index)?;
        Ok(Some(Move {
            is_return: rule.is_return,
            is_failure: rule.is_failure,
            ..made
        }))
    }

    /// The end of a thread: what it had is gone.
    fn end(&self, slot: usize, mut draft: Draft, exact: bool) -> Result<Move, OutOfNodes> {
        let plan = self.plan;
        let variables = &plan.slots[slot];
        draft.stale.extend(variables.returned.clone());
        draft.stale.extend(variables.stack.clone());
        // What thread 0 has left is what the others begin with.
        if slot != 0 && !exact {
            draft.stale.extend(plan.own(slot));
        }
        self.finish(slot, draft, Some(plan.kind(slot).end()))
    }

    /// The variables that a relation speaks of.
    fn support(&self, relation: &Bdd) -> impl Iterator<Item = Level> + use<> {
        let nodes = self
            .bdds
            .nodes(relation, usize::MAX)
            .unwrap_or_default()
            .nodes;
        nodes.into_iter().map(|(level, ..)| level)
    }

    fn finish(&self, slot: usize, draft: Draft, to: Option<usize>) -> Result<Move, OutOfNodes> {
        let (bdds, cubes) = (self.bdds, &self.cubes);
        let Draft {
            mut relation,
            mut set,
            mut direct,
            mut stale,
            constants,
        } = draft;
        stale.sort_unstable();
        stale.dedup();
        // What is set but does not matter is not worth a variable.
        let mut unneeded = Vec::new();
        let is_stale = |level: &Level| stale.binary_search(level).is_ok();
        unneeded.extend(
            set.extract_if(.., |(before, _)| is_stale(before))
                .map(|(_, after)| after),
        );
        unneeded.extend(direct.extract_if(.., |level| is_stale(level)));
        unneeded.sort_unstable();
        unneeded.dedup();
        relation = bdds.exists(&relation, &cubes.cube(unneeded)?)?;
        let renamings = match set.is_empty() {
            true => None,
            false => Some([
                cubes.renaming(set.iter().map(|(before, after)| (*after, *before)))?,
                cubes.renaming(set.iter().copied())?,
            ]),
        };
        let constant_levels = || constants.iter().map(|(level, _)| *level);
        let forget = set.iter().map(|(before, _)| *before);
        let mut forget: Vec<_> = forget
            .chain(stale.iter().copied())
            .chain(constant_levels())
            .collect();
        forget.sort_unstable();
        forget.dedup();
        let mut fresh: Vec<_> = set.iter().map(|(_, after)| *after).chain(direct).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let own = self.plan.private(slot);
        let is_own = |level: &Level| own.contains(level);
        // Who may be left is not exclusive anyway.
        let sets_shared =
            |(level, value)| !is_own(&level) && (level, value) != (self.plan.exclusive, false);
        let is_private = fresh.iter().chain(&stale).all(is_own)
            && !constants.iter().copied().any(sets_shared)
            && self.support(&relation).all(|level| is_own(&level));
        Ok(Move {
            to,
            is_return: false,
            is_failure: false,
            is_private,
            relation,
            forget: cubes.cube(forget)?,
            renamings,
            fresh_cube: cubes.cube(fresh.iter().copied())?,
            fresh,
            stale_cube: cubes.cube(stale.iter().copied())?,
            stale,
            constants: match constants.is_empty() {
                true => None,
                false => {
                    let variables = cubes.cube(constant_levels())?;
                    Some((bdds.minterm(constants)?, variables))
                }
            },
        })
    }
}

/// Values before a step, after it, on entry (not used here), and in the frame below.
const COPIES: u32 = Copy::Below as u32 + 1;
