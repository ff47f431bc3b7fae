//! From a violated property back to the start: one path through contexts.
//!
//! Inside a context, configurations are explored step by step (*rings*) until a goal is met, and
//! one member of each ring is picked on the way back. A context's first configuration is the goal
//! of the one before. So there are as few switches, or rounds, as possible, and each context is
//! short; of some last contexts the one with the shortest way from the start is taken. Contexts that
//! the search left out, since it had found enough, are looked at as far as they may be shorter. One
//! image and one pre-image for each step of a ring.

use super::search::{Context, Product, Sets, add, is_failure_of};
use crate::bdd::Bdd;
use crate::limits::threads::MOST_SCHEDULES;
use crate::property::Property;
use crate::threads::Measure;
use crate::watch::Stop;

/// A configuration on the way, as far as it matters.
pub(super) struct Hop {
    pub slot: usize,
    /// Where the running thread is.
    pub head: usize,
    /// Values, as a conjunction of literals.
    pub values: Bdd,
    /// Which of its moves it takes next; none where it is left, by a switch or at the end.
    pub step: Option<usize>,
}

/// What a way inside a context leads to.
enum Goal {
    /// What a property asks for, by its index.
    Asked(usize),
    /// One of these configurations.
    Among(Sets),
}

/// A context of the path to come: where it begins.
#[derive(Clone, Copy)]
struct Visit {
    layer: usize,
    slot: usize,
}

impl Product<'_> {
    /// A path to what a violated property asks for.
    pub(super) fn path(&mut self, property: usize) -> Result<Option<Vec<Hop>>, Stop> {
        let Some(layer) = self.violated[property] else {
            return Ok(None);
        };
        let goal = Goal::Asked(property);
        let (mut known, mut left_out) = (Vec::new(), Vec::new());
        for slot in 0..self.plan.slots.len() {
            let visit = Visit { layer, slot };
            let is_whole = self.context(visit).is_none_or(|context| context.is_whole);
            if !self.is_hit(property, visit)? {
                left_out.extend((!is_whole).then_some(visit));
            } else if let Some(hops) = self.way(visit, &goal, usize::MAX)? {
                known.push((visit, hops));
            }
        }
        known.sort_by_key(|(_, hops)| hops.len());
        known.truncate(MOST_SCHEDULES);
        let mut shortest: Option<Vec<Vec<Hop>>> = None;
        for (visit, hops) in known {
            let contexts = self.contexts_to(visit, hops)?;
            shorten(&mut shortest, contexts);
        }
        for visit in left_out {
            let last = shortest.as_ref().and_then(|contexts| contexts.last());
            let most = last.map_or(usize::MAX, |hops| hops.len() - 1);
            if let Some(hops) = self.way(visit, &goal, most)? {
                let contexts = self.contexts_to(visit, hops)?;
                shorten(&mut shortest, contexts);
            }
        }
        let Some(mut contexts) = shortest else {
            return Ok(None);
        };
        self.take_back(&mut contexts)?;
        Ok(Some(joined(contexts)))
    }

    /// All contexts up to a last one: each is a short way to where the next one begins.
    fn contexts_to(&mut self, mut visit: Visit, mut hops: Vec<Hop>) -> Result<Vec<Vec<Hop>>, Stop> {
        // From the end to the start.
        let mut contexts = Vec::new();
        while visit.slot != 0 {
            let first = &hops[0];
            let bdds = self.bdds;
            let here = bdds.minterm(self.plan.at(first.slot, first.head))?;
            let goal = bdds.and(&first.values, &here)?;
            contexts.push(hops);
            match self.before(visit, &goal)? {
                Some(before) => (visit, hops) = before,
                None => {
                    hops = Vec::new();
                    break;
                }
            }
        }
        contexts.push(hops);
        contexts.reverse();
        Ok(contexts)
    }

    /// The best way into a configuration with which a context begins; none if the program may
    /// begin with it.
    fn before(&mut self, visit: Visit, goal: &Bdd) -> Result<Option<(Visit, Vec<Hop>)>, Stop> {
        let bdds = self.bdds;
        let start = self.start.clone().filter(|_| visit.layer == 0);
        let begins = start.map(|start| bdds.and(&start, goal)).transpose()?;
        if let Some(begins) = begins.filter(|begins| !bdds.is_false(begins)) {
            if self.init.is_none() {
                return Ok(None);
            }
            let ended = self.maker.start()?.preimage(bdds, &begins)?;
            let goals = Sets::from([(self.plan.kind(0).end(), ended)]);
            let mut best = None;
            self.improve(&mut best, Visit { layer: 0, slot: 0 }, &Goal::Among(goals))?;
            return Ok(best);
        }
        let mut best = None;
        for slot in (1..self.plan.slots.len()).filter(|slot| *slot != visit.slot) {
            let Some(layer) = self.layer_before(visit, slot) else {
                continue;
            };
            let goals = self.left(Visit { layer, slot }, goal)?;
            if !goals.is_empty() {
                self.improve(&mut best, Visit { layer, slot }, &Goal::Among(goals))?;
            }
        }
        Ok(best)
    }

    fn context(&self, Visit { layer, slot }: Visit) -> Option<&Context> {
        match slot {
            0 => self.init.as_ref().filter(|_| layer == 0),
            _ => self.layers.get(layer)?.get(slot),
        }
    }

    /// In which layer the context of a thread is that may come right before another one.
    fn layer_before(&self, visit: Visit, slot: usize) -> Option<usize> {
        match self.measure {
            Measure::Rounds if slot < visit.slot => Some(visit.layer),
            Measure::Rounds | Measure::Switches => visit.layer.checked_sub(1),
        }
    }

    /// The configurations of a context that are goals once its thread is not running any more.
    fn left(&self, Visit { layer, slot }: Visit, goal: &Bdd) -> Result<Sets, Stop> {
        let (bdds, plan) = (self.bdds, self.plan);
        let at = self.maker.cube(plan.slots[slot].at.clone())?;
        let exclusive = bdds.variable(plan.exclusive);
        let goal = bdds.difference(goal, &exclusive)?;
        let mut goals = Sets::new();
        for (head, set) in &self.layers[layer][slot].reached {
            let here = bdds.minterm(plan.at(slot, *head))?;
            let wanted = bdds.and_exists(&goal, &here, &at)?;
            let wanted = bdds.and(&wanted, set)?;
            if !bdds.is_false(&wanted) {
                goals.insert(*head, wanted);
            }
        }
        Ok(goals)
    }

    /// Whether a context is known to come to what a property asks for.
    fn is_hit(&mut self, property: usize, visit: Visit) -> Result<bool, Stop> {
        let reached = match self.context(visit) {
            Some(context) => context.reached.clone(),
            None => return Ok(false),
        };
        for (head, set) in reached {
            let met = self.met(&Goal::Asked(property), visit.slot, head, &set)?;
            if !self.bdds.is_false(&met) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The configurations with a thread at a head that are a goal.
    fn met(&mut self, goal: &Goal, slot: usize, head: usize, set: &Bdd) -> Result<Bdd, Stop> {
        let bdds = self.bdds;
        let property = match goal {
            Goal::Among(sets) => match sets.get(&head) {
                Some(goal) => return Ok(bdds.and(set, goal)?),
                None => return Ok(bdds.constant(false)),
            },
            Goal::Asked(property) => *property,
        };
        let point = self.plan.kind(slot).heads[head];
        if let Property::Reach(points) = &self.properties[property] {
            return Ok(match points.iter().any(|wanted| wanted.0 == point.0) {
                true => set.clone(),
                false => bdds.constant(false),
            });
        }
        let moves = self.moves(slot, head)?;
        let property = &self.properties[property];
        let mut failing = bdds.constant(false);
        for step in moves.iter().filter(|step| step.to.is_none()) {
            if is_failure_of(property, point, step) {
                failing = bdds.or(&failing, &step.enabled(bdds, set)?)?;
            }
        }
        Ok(failing)
    }

    /// Searches a shorter way to a goal inside a context than the best one so far.
    fn improve(
        &mut self,
        best: &mut Option<(Visit, Vec<Hop>)>,
        visit: Visit,
        goal: &Goal,
    ) -> Result<(), Stop> {
        let most = best.as_ref().map_or(usize::MAX, |(_, hops)| hops.len() - 1);
        if let Some(hops) = self.way(visit, goal, most)? {
            *best = Some((visit, hops));
        }
        Ok(())
    }

    /// A shortest way to a goal inside a context, of at most so many configurations.
    fn way(&mut self, visit: Visit, goal: &Goal, most: usize) -> Result<Option<Vec<Hop>>, Stop> {
        Ok(match self.rings(visit, goal, most)? {
            Some(rings) => Some(self.pick(visit.slot, &rings, goal)?),
            None => None,
        })
    }

    /// The configurations of a context, by their distance from where it begins, up to the
    /// first ring that has a goal; none if there are `most` without.
    fn rings(&mut self, visit: Visit, goal: &Goal, most: usize) -> Result<Option<Vec<Sets>>, Stop> {
        let bdds = self.bdds;
        let entries = self.context(visit).map(|context| context.entries.clone());
        let mut ring = entries.unwrap_or_default();
        let mut seen = ring.clone();
        let mut rings = Vec::new();
        while !ring.is_empty() && rings.len() < most {
            let mut is_met = false;
            for (head, set) in &ring {
                is_met |= !bdds.is_false(&self.met(goal, visit.slot, *head, set)?);
            }
            let mut next = Sets::new();
            if !is_met {
                for (head, set) in &ring {
                    self.check()?;
                    for step in self.moves(visit.slot, *head)?.iter() {
                        let Some(to) = step.to else { continue };
                        let mut new = step.image(bdds, set)?;
                        if let Some(seen) = seen.get(&to) {
                            new = bdds.difference(&new, seen)?;
                        }
                        if !bdds.is_false(&new) {
                            add(bdds, &mut seen, to, new.clone())?;
                            add(bdds, &mut next, to, new)?;
                        }
                    }
                }
            }
            rings.push(std::mem::replace(&mut ring, next));
            if is_met {
                return Ok(Some(rings));
            }
            bdds.safe_point();
        }
        Ok(None)
    }

    /// One configuration of each ring, from the last one back.
    fn pick(&mut self, slot: usize, rings: &[Sets], goal: &Goal) -> Result<Vec<Hop>, Stop> {
        let bdds = self.bdds;
        let mut hops: Vec<Hop> = Vec::new();
        for ring in rings.iter().rev() {
            let mut found = None;
            for (head, set) in ring {
                let Some(after) = hops.last() else {
                    let wanted = self.met(goal, slot, *head, set)?;
                    found = self.one(&wanted)?.map(|values| (*head, values, None));
                    if found.is_some() {
                        break;
                    }
                    continue;
                };
                let moves = self.moves(slot, *head)?;
                for (index, step) in moves.iter().enumerate() {
                    if step.to == Some(after.head) && found.is_none() {
                        let before = step.preimage(bdds, &after.values)?;
                        let wanted = bdds.and(&before, set)?;
                        found = self
                            .one(&wanted)?
                            .map(|values| (*head, values, Some(index)));
                    }
                }
                if found.is_some() {
                    break;
                }
            }
            let Some((head, values, step)) = found else {
                break;
            };
            hops.push(Hop {
                slot,
                head,
                values,
                step,
            });
        }
        hops.reverse();
        Ok(hops)
    }

    /// One member of a set, as far as it matters; none of the empty one.
    fn one(&self, set: &Bdd) -> Result<Option<Bdd>, Stop> {
        let Some(values) = self.bdds.smallest(set) else {
            return Ok(None);
        };
        let literals = values.into_iter().enumerate();
        let literals = literals.filter_map(|(level, value)| Some((level as u32, value?)));
        Ok(Some(self.bdds.minterm(literals)?))
    }
}

/// Keeps the contexts with the fewest configurations.
fn shorten(shortest: &mut Option<Vec<Vec<Hop>>>, contexts: Vec<Vec<Hop>>) {
    let length = |contexts: &Vec<Vec<Hop>>| contexts.iter().map(Vec::len).sum::<usize>();
    let best = shortest.as_ref().map_or(usize::MAX, length);
    if length(&contexts) < best {
        *shortest = Some(contexts);
    }
}

/// One path through contexts. A thread that takes no step need not have been running, unless that
/// is what was asked for: the one after it takes over from the one before.
fn joined(contexts: Vec<Vec<Hop>>) -> Vec<Hop> {
    let last = contexts.len() - 1;
    let mut path: Vec<Hop> = Vec::new();
    for (place, hops) in contexts.into_iter().enumerate() {
        if hops.len() == 1 && place < last {
            continue;
        }
        let is_same = |hop: &Hop| hops.first().is_some_and(|first| first.slot == hop.slot);
        if path.last().is_some_and(is_same) {
            path.pop();
        }
        path.extend(hops);
    }
    path
}
