//! Steps of the program in place.
//!
//! In `exists x. (R(u, x) & ProgramInt(x, v))` the values of `R` have their second state where
//! that of the result belongs. To move it to `x` and, through the equalities of all that a step
//! leaves alone, back again would build every BDD twice. So only what the step changes is moved:
//! new values are made on the tracks of `x` and brought back, and the rest stays where it is. The
//! cost is that of an image in a symbolic pushdown system; relations of whole steps are not made.

use super::explicit::{Binding, Explicit, FREE, Interruption};
use super::join::Join;
use super::levels::{Pool, Track};
use super::plan::{Given, Kind, NodeId};
use super::program::ProgramRelations;
use super::routes::bound;
use super::supplied::Supplied;
use super::{domain::Leaf, equations};
use crate::bdd::{Bdd, BddResult, Level, OutOfNodes};
use crate::rules::{DataVariable, EffectId, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A join of a changing relation with the steps of the program, on the tracks where the relation
/// has its own data.
pub(super) struct Stepping {
    /// The tracks of the points before and after a step.
    points: [usize; 2],
    /// Where locals and globals are before and after it, ...
    own: [Track; 2],
    /// ... and where new values are made.
    spare: [Track; 2],
    /// Where each bit of locals is on its tracks.
    places: FxHashMap<DataVariable, usize>,
    /// What brings the relation of an effect to these tracks: equalities, and the bits that end
    /// there.
    passes: Vec<(Bdd, Bdd)>,
    /// What effects do, from own tracks to spare ones.
    effects: FxHashMap<(EffectId, bool), Bdd>,
    /// What the steps from a point do.
    images: FxHashMap<u32, Rc<[Image]>>,
}

/// What one step does to data.
struct Image {
    to: u32,
    relation: Bdd,
    /// What does not keep its value, on own tracks.
    forget: Bdd,
    /// "New values are the own ones, and what is not in scope any more is 0", and the spare bits
    /// that end there.
    return_to_own: Option<(Bdd, Bdd)>,
}

impl Explicit<'_, '_> {
    /// How a join is computed in place from one part, if it can be.
    pub(super) fn stepping(
        &self,
        join: &Join,
        first: usize,
    ) -> Result<Option<Stepping>, OutOfNodes> {
        let Some((points, own, spare)) = self.tracks_in_place(join, first) else {
            return Ok(None);
        };
        let atoms = self.evaluator.atoms;
        let mut passes = Vec::new();
        for (index, to) in [(1, spare), (0, own)] {
            let from = [Pool::Locals, Pool::Globals].map(|pool| Track { pool, index });
            let pairs: Vec<_> = from.into_iter().zip(to).filter(|(a, b)| a != b).collect();
            let old = atoms.cube(pairs.iter().map(|(from, _)| from))?;
            passes.push((atoms.same(pairs)?, old));
        }
        let locals = self.program.dimensions.locals.iter();
        Ok(Some(Stepping {
            points,
            own,
            spare,
            places: locals.copied().zip(0..).collect(),
            passes,
            effects: FxHashMap::default(),
            images: FxHashMap::default(),
        }))
    }

    /// The points before and after a step, the tracks where data is, and those where new values
    /// are made; `None` if something else would have to be moved.
    fn tracks_in_place(
        &self,
        join: &Join,
        first: usize,
    ) -> Option<([usize; 2], [Track; 2], [Track; 2])> {
        let plan = self.evaluator.plan;
        let &[one, other] = &join.parts[..] else {
            return None;
        };
        let [mine, other] = if first == 0 {
            [one, other]
        } else {
            [other, one]
        };
        let kind = |node: NodeId| match &plan.node(node).kind {
            Kind::Apply(application) => Some(application),
            _ => None,
        };
        let (reads, steps) = (kind(mine)?, kind(other)?);
        let stepped = &self.evaluator.equations.relations[steps.relation.0 as usize];
        if !matches!(
            stepped.kind,
            equations::Kind::Supplied(Supplied::ProgramInt)
        ) {
            return None;
        }
        let given = steps.links.iter().map(|link| match link.given {
            Given::Leaf(track, leaf) if leaf == link.parameter.1 => Some(track),
            _ => None,
        });
        let given: Option<Vec<Track>> = given.collect();
        let [before, locals, globals, after, own_locals, own_globals] = given?[..] else {
            return None;
        };
        let (own, spare) = ([own_locals, own_globals], [locals, globals]);
        // Nothing but the second state is moved, and that to the spare tracks.
        let mut moved = Vec::new();
        for link in &reads.links {
            let (from, leaf) = link.parameter;
            match link.given {
                Given::Leaf(_, Leaf::Point) if leaf == Leaf::Point => {}
                Given::Leaf(to, kind) if kind == leaf && to == from => {}
                Given::Leaf(to, kind) if kind == leaf => moved.push((from, to)),
                _ => return None,
            }
        }
        moved.sort_unstable();
        let mut expected = vec![(own[0], spare[0]), (own[1], spare[1])];
        expected.sort_unstable();
        let quantified = join.quantified.iter().filter(|t| t.pool != Pool::Point);
        let mut quantified: Vec<Track> = quantified.copied().collect();
        quantified.sort_unstable();
        let mut gone = spare.to_vec();
        gone.sort_unstable();
        // The relation of an effect is made on the first two tracks.
        let is_spare = |track: &Track| track.index >= 2;
        if moved != expected || quantified != gone || !spare.iter().all(is_spare) {
            return None;
        }
        let points = [before, after].map(|track| track.index as usize);
        Some((points, own, spare))
    }

    /// What is new of the relation, one step later; `None` if nothing is known of where it is.
    pub(super) fn stepped(
        &mut self,
        key: (NodeId, usize),
        binding: &Binding,
        new: &Bdd,
    ) -> Result<Option<Vec<(Binding, Bdd)>>, Interruption> {
        let (bdds, program) = (self.evaluator.atoms.bdds, self.program);
        let Some(Some(stepping)) = self.steppings.get_mut(&key) else {
            return Ok(None);
        };
        let from = binding[stepping.points[0]];
        if from == FREE {
            return Ok(None);
        }
        let mut reached = Vec::new();
        for image in stepping.images(program, from)?.iter() {
            let Some(binding) = bound(binding, &stepping.points[1..], &[image.to]) else {
                continue;
            };
            let mut after = bdds.and_exists(new, &image.relation, &image.forget)?;
            if let Some((equality, spare)) = &image.return_to_own {
                after = bdds.and_exists(&after, equality, spare)?;
            }
            if !bdds.is_false(&after) {
                reached.push((binding, after));
            }
        }
        Ok(Some(reached))
    }
}

impl Stepping {
    fn images(
        &mut self,
        program: &ProgramRelations<'_>,
        from: u32,
    ) -> Result<Rc<[Image]>, OutOfNodes> {
        if let Some(known) = self.images.get(&from) {
            return Ok(known.clone());
        }
        let rules = program.internal_rules(from);
        let images = rules.map(|(rule, to)| self.image(program, rule, to));
        let images: Rc<[Image]> = images.collect::<Result<_, _>>()?;
        self.images.insert(from, images.clone());
        Ok(images)
    }

    fn image(
        &mut self,
        program: &ProgramRelations<'_>,
        rule: &Rule,
        to: u32,
    ) -> Result<Image, OutOfNodes> {
        let bdds = program.copies.bdds;
        let before = program.in_scope(program.scope(rule.from.0));
        let after = program.in_scope(program.scope(to));
        let changes = &program.rules.footprint(rule).after;
        let is_touched = |bit: &DataVariable| !rule.is_failure && changes.touches(*bit);
        let own = |bit| self.level(program, self.own, bit);
        let spare = |bit| self.level(program, self.spare, bit);
        let set: Vec<_> = after.iter().copied().filter(is_touched).collect();
        let lost = without(before.clone(), &after);
        let dead = program.data_bits().filter(is_touched);
        let dead: Vec<_> = without(dead.collect(), &after)
            .into_iter()
            .map(spare)
            .collect();
        let mut forget = [&set[..], &lost, &without(after, &before)].concat();
        forget.sort_unstable();
        forget.dedup();
        let forget = bdds.cube(forget.into_iter().map(own))?;
        let return_to_own = match set.is_empty() && lost.is_empty() {
            true => None,
            false => {
                let mut equality = bdds.minterm(lost.iter().map(|bit| (own(*bit), false)))?;
                for bit in &set {
                    let [one, other] = [own(*bit), spare(*bit)].map(|level| bdds.variable(level));
                    equality = bdds.and(&equality, &bdds.equivalent(&one, &other)?)?;
                }
                Some((equality, bdds.cube(set.iter().copied().map(spare))?))
            }
        };
        let effect = self.effect(program, rule)?;
        Ok(Image {
            to,
            relation: bdds.exists(&effect, &bdds.cube(dead)?)?,
            forget,
            return_to_own,
        })
    }

    /// The relation of a rule's effect, from own tracks to spare ones.
    fn effect(&mut self, program: &ProgramRelations<'_>, rule: &Rule) -> BddResult {
        let key = (rule.effect, rule.is_failure);
        if let Some(known) = self.effects.get(&key) {
            return Ok(known.clone());
        }
        let bdds = program.copies.bdds;
        let mut relation = program.effect(rule.effect, rule.is_failure)?;
        for (equality, old) in &self.passes {
            relation = bdds.and_exists(&relation, equality, old)?;
        }
        self.effects.insert(key, relation.clone());
        Ok(relation)
    }

    /// Where a bit is on a track of locals and one of globals.
    fn level(
        &self,
        program: &ProgramRelations<'_>,
        tracks: [Track; 2],
        bit: DataVariable,
    ) -> Level {
        let globals = &program.dimensions.globals;
        match self.places.get(&bit) {
            Some(place) => program.levels.of(tracks[0])[*place],
            None => program.levels.of(tracks[1])[(bit - globals.start) as usize],
        }
    }
}

/// Those of one list that are not in another.
fn without(bits: Vec<DataVariable>, others: &[DataVariable]) -> Vec<DataVariable> {
    let others: FxHashSet<DataVariable> = others.iter().copied().collect();
    let bits = bits.into_iter();
    bits.filter(|bit| !others.contains(bit)).collect()
}
