//! How joins are computed with control explicit: from what is new of one part, along the points
//! that the other parts share with it.
//!
//! For each part that may come first the others are put in an order in which each has points
//! that are known by then. Before anything is computed it is looked up whether every part has
//! pieces at all that fit the points known from the start.

use super::atoms::Renaming;
use super::domain::Leaf;
use super::explicit::{Binding, Delta, Explicit, FREE, Interruption};
use super::join::Join;
use super::levels::{Pool, Track};
use super::pieces::{Pieces, Points};
use super::plan::{Application, Given, Kind, NodeId, Range};
use crate::bdd::Bdd;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An application, seen from the pieces of its relation.
pub(super) struct View {
    relation: usize,
    /// For each point of the relation's tuples, the track of what is given for it.
    tracks: Vec<usize>,
    /// What happens to data.
    renaming: Renaming,
}

impl View {
    /// With the points of a piece, if they fit.
    pub fn bind(&self, binding: &Binding, points: &[u32]) -> Option<Binding> {
        bound(binding, &self.tracks, points)
    }
}

pub(super) fn bound(binding: &Binding, tracks: &[usize], points: &[u32]) -> Option<Binding> {
    let mut binding = binding.clone();
    for (track, point) in tracks.iter().zip(points) {
        let known = &mut binding[*track];
        if *known != FREE && known != point {
            return None;
        }
        *known = *point;
    }
    Some(binding)
}

/// A part that is taken, and what is quantified behind it.
pub(super) struct Step {
    part: NodeId,
    access: Access,
    cube: Bdd,
    /// Of a relation that is applied, what of that can be quantified in its own terms.
    own_cube: Bdd,
}

/// What a part says for given points.
#[derive(Clone)]
enum Access {
    /// The same for all of them.
    Data,
    Same(usize, usize),
    /// Whether states are what their points have; with what is said about numbers.
    Valid(Range, Bdd),
    View(Rc<View>),
    /// A join or a disjunction, of these tracks.
    Node(Vec<usize>),
    /// What something does not say.
    Without(NodeId, Box<Access>),
    /// Nothing is known of some of its points.
    Unbounded,
}

impl Explicit<'_, '_> {
    pub(super) fn view(&mut self, node: NodeId) -> Result<Rc<View>, Interruption> {
        if let Some(known) = self.views.get(&node) {
            return Ok(known.clone());
        }
        let Kind::Apply(application) = &self.evaluator.plan.node(node).kind else {
            return Err(Interruption::Unsuited);
        };
        let links = application.links.iter().zip(&application.detours);
        let (points, others): (Vec<_>, Vec<_>) =
            links.partition(|(link, _)| link.parameter.1 == Leaf::Point);
        let tracks = points.into_iter().map(|(link, _)| match link.given {
            Given::Leaf(track, Leaf::Point) => Ok(track.index as usize),
            _ => Err(Interruption::Unsuited),
        });
        let data = Application {
            relation: application.relation,
            links: others.iter().map(|(link, _)| **link).collect(),
            detours: others.iter().map(|(_, detour)| **detour).collect(),
        };
        let view = Rc::new(View {
            relation: application.relation.0 as usize,
            tracks: tracks.collect::<Result<_, _>>()?,
            renaming: self.evaluator.atoms.renaming(&data)?,
        });
        self.views.insert(node, view.clone());
        Ok(view)
    }

    /// What is new of a node, in its own terms.
    pub(super) fn known(&mut self, node: NodeId, new: &Delta<'_>) -> Result<Bdd, Interruption> {
        match new {
            Delta::Known(new) => Ok((*new).clone()),
            Delta::Applied(new) => {
                let view = self.view(node)?;
                Ok(view.renaming.apply(self.evaluator.atoms.bdds, new)?)
            }
        }
    }

    /// How a join is computed from what is known of one part, or from nothing.
    pub(super) fn steps(
        &mut self,
        node: NodeId,
        join: &Join,
        first: Option<usize>,
    ) -> Result<Rc<[Step]>, Interruption> {
        if let Some(known) = self.steps.get(&(node, first)) {
            return Ok(known.clone());
        }
        let order = join.order(first).iter().map(|step| step.part);
        let mut left: Vec<usize> = order.collect();
        let mut bound: FxHashSet<usize> = FxHashSet::default();
        let mut taken: Vec<(NodeId, Access)> = Vec::new();
        while !left.is_empty() {
            let is_ready = |part: &usize| match (first, taken.is_empty(), bound.is_empty()) {
                (Some(_), true, _) => true,
                (None, _, true) => self.can_begin(join.parts[*part]),
                _ => self.is_ready(join.parts[*part], &bound),
            };
            let place = left.iter().position(is_ready);
            let part = join.parts[left.remove(place.unwrap_or(0))];
            let access = match place {
                Some(_) => self.access(part)?,
                None if matches!(self.evaluator.plan.node(part).kind, Kind::Valid(_)) => {
                    Access::Unbounded
                }
                None => return Err(Interruption::Unsuited),
            };
            bound.extend(self.points(part));
            taken.push((part, access));
        }
        let plan = self.evaluator.plan;
        let mut last: FxHashMap<Track, usize> = FxHashMap::default();
        for (number, (part, _)) in taken.iter().enumerate() {
            let support = plan.node(*part).support.iter();
            last.extend(support.map(|track| (*track, number)));
        }
        let mut steps = Vec::new();
        for (number, (part, access)) in taken.into_iter().enumerate() {
            let quantified = plan.node(part).support.iter().filter(|track| {
                let is_data = track.pool != Pool::Point && join.quantified.contains(track);
                is_data && last[track] == number
            });
            let quantified: Vec<Track> = quantified.copied().collect();
            let own = match &plan.node(part).kind {
                Kind::Apply(application) => application.parameters_of(&quantified),
                _ => Vec::new(),
            };
            steps.push(Step {
                part,
                access,
                cube: self.evaluator.atoms.cube(&quantified)?,
                own_cube: self.evaluator.atoms.cube(&own)?,
            });
        }
        let steps: Rc<[Step]> = steps.into();
        self.steps.insert((node, first), steps.clone());
        Ok(steps)
    }

    /// Whether a part can be listed.
    fn can_begin(&self, part: NodeId) -> bool {
        let kind = &self.evaluator.plan.node(part).kind;
        self.points(part).is_empty() || matches!(kind, Kind::Apply(_) | Kind::Or(_) | Kind::Join(_))
    }

    /// Whether a part can be looked up by what is known of its points.
    fn is_ready(&self, part: NodeId, bound: &FxHashSet<usize>) -> bool {
        let points = self.points(part);
        let mut known = points.iter().map(|track| bound.contains(track));
        match &self.evaluator.plan.node(part).kind {
            _ if points.is_empty() => true,
            Kind::Valid(_) | Kind::Not(_) => known.all(|known| known),
            _ => known.any(|known| known),
        }
    }

    fn access(&mut self, part: NodeId) -> Result<Access, Interruption> {
        let plan = self.evaluator.plan;
        let points = self.points(part);
        if points.is_empty() && !self.changes(part) {
            return Ok(Access::Data);
        }
        Ok(match &plan.node(part).kind {
            Kind::Apply(_) => {
                let view = self.view(part)?;
                self.pieces(view.relation)?;
                Access::View(view)
            }
            Kind::Same(one, other) => Access::Same(one.index as usize, other.index as usize),
            Kind::Valid(range) => {
                let leaves = range.leaves.iter();
                let numbers = leaves.filter(|(_, leaf)| matches!(leaf, Leaf::Number { .. }));
                let numbers = Range {
                    leaves: numbers.copied().collect(),
                    states: Box::default(),
                };
                Access::Valid(range.clone(), self.evaluator.atoms.valid(&numbers)?)
            }
            Kind::Or(_) | Kind::Join(_) => {
                if !self.changes(part) && !self.nodes.contains_key(&part) {
                    let mut pieces = Pieces::default();
                    for (binding, data) in self.listing(part)? {
                        let key = points.iter().map(|track| binding[*track]);
                        pieces.add(self.evaluator.atoms.bdds, &key.collect(), &data)?;
                    }
                    self.nodes.insert(part, pieces);
                }
                Access::Node(points)
            }
            Kind::Not(inner) if !self.changes(*inner) => {
                Access::Without(*inner, Box::new(self.access(*inner)?))
            }
            _ => return Err(Interruption::Unsuited),
        })
    }

    /// All that a node says which does not change.
    pub(super) fn listing(&mut self, node: NodeId) -> Result<Vec<(Binding, Bdd)>, Interruption> {
        let plan = self.evaluator.plan;
        let points = self.points(node);
        if points.is_empty() {
            let value = self.evaluator.value(node)?;
            return Ok(vec![(self.free(), value)]);
        }
        let mut all = Vec::new();
        match &plan.node(node).kind {
            Kind::Apply(_) => {
                let access = self.access(node)?;
                let (binding, truth) = (self.free(), self.evaluator.atoms.bdds.constant(true));
                let step = Step {
                    part: node,
                    access,
                    cube: truth.clone(),
                    own_cube: truth.clone(),
                };
                self.extend(&step, &binding, &truth, &mut all)?;
            }
            Kind::Join(join) => {
                let steps = self.steps(node, join, None)?;
                let start = (self.free(), self.evaluator.atoms.bdds.constant(true));
                all = self.follow(&steps, vec![start])?;
            }
            Kind::Or(parts) => {
                for part in parts {
                    if self.points(*part) != points {
                        return Err(Interruption::Unsuited);
                    }
                    all.extend(self.listing(*part)?);
                }
            }
            _ => return Err(Interruption::Unsuited),
        }
        for (binding, _) in &mut all {
            *binding = self.restricted(&points, binding);
        }
        Ok(all)
    }

    /// A binding of some tracks alone: others have different meanings elsewhere.
    pub(super) fn restricted(&self, tracks: &[usize], binding: &Binding) -> Binding {
        let mut restricted = self.free();
        for track in tracks {
            restricted[*track] = binding[*track];
        }
        restricted
    }

    /// A join with something that is new of one part.
    pub(super) fn joined(
        &mut self,
        node: NodeId,
        join: &Join,
        first: usize,
        binding: &Binding,
        new: &Delta<'_>,
    ) -> Result<Vec<(Binding, Bdd)>, Interruption> {
        if let Delta::Applied(new) = new
            && let Some(reached) = self.stepped((node, first), binding, new)?
        {
            return Ok(reached);
        }
        let steps = self.steps(node, join, Some(first))?;
        let Some((begin, others)) = steps.split_first() else {
            return Ok(Vec::new());
        };
        for step in others {
            if !self.may_fit(step, binding)? {
                return Ok(Vec::new());
            }
        }
        let bdds = self.evaluator.atoms.bdds;
        let new = match new {
            Delta::Known(new) => self.known(begin.part, &Delta::Known(new))?,
            // What is quantified need not be moved.
            Delta::Applied(new) => {
                let new = bdds.exists(new, &begin.own_cube)?;
                self.known(begin.part, &Delta::Applied(&new))?
            }
        };
        let new = bdds.exists(&new, &begin.cube)?;
        self.follow(others, vec![(binding.clone(), new)])
    }

    fn follow(
        &mut self,
        steps: &[Step],
        start: Vec<(Binding, Bdd)>,
    ) -> Result<Vec<(Binding, Bdd)>, Interruption> {
        let mut reached = start;
        for step in steps {
            let mut next = Vec::new();
            for (binding, all) in &reached {
                self.extend(step, binding, all, &mut next)?;
            }
            reached = next;
        }
        Ok(reached)
    }

    /// The pieces that an access has for known points.
    fn pieces_at(
        &mut self,
        part: NodeId,
        access: &Access,
    ) -> Result<Option<(Vec<usize>, &mut Pieces)>, Interruption> {
        Ok(match access {
            Access::View(view) => {
                let tracks = view.tracks.clone();
                Some((tracks, self.pieces(view.relation)?))
            }
            Access::Node(tracks) => Some((tracks.clone(), self.nodes.entry(part).or_default())),
            _ => None,
        })
    }

    /// Whether a part may say something for known points.
    fn may_fit(&mut self, step: &Step, binding: &Binding) -> Result<bool, Interruption> {
        if let Access::Same(one, other) = &step.access {
            let points = [binding[*one], binding[*other]];
            return Ok(points.contains(&FREE) || points[0] == points[1]);
        }
        let found = self.pieces_at(step.part, &step.access)?;
        Ok(found.is_none_or(|(tracks, pieces)| {
            let (places, given) = known_places(&tracks, binding);
            pieces.has(places, &given)
        }))
    }

    /// Joins a part to what is known for some points.
    fn extend(
        &mut self,
        step: &Step,
        binding: &Binding,
        all: &Bdd,
        next: &mut Vec<(Binding, Bdd)>,
    ) -> Result<(), Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        if bdds.is_false(all) {
            return Ok(());
        }
        let mut take = |binding: Binding, value: &Bdd| -> Result<(), Interruption> {
            let joined = bdds.and_exists(value, all, &step.cube)?;
            if !bdds.is_false(&joined) {
                next.push((binding, joined));
            }
            Ok(())
        };
        match &step.access {
            Access::Unbounded => return Err(Interruption::Unsuited),
            Access::Data => take(binding.clone(), &self.evaluator.value(step.part)?)?,
            Access::Same(one, other) => {
                let (first, second) = (binding[*one], binding[*other]);
                let known = if first == FREE { second } else { first };
                if known == FREE {
                    return Err(Interruption::Unsuited);
                }
                if let Some(binding) = bound(binding, &[*one, *other], &[known, known]) {
                    take(binding, &bdds.constant(true))?;
                }
            }
            Access::Valid(range, numbers) => {
                let states = self.states(range, binding)?;
                take(binding.clone(), &bdds.and(numbers, &states)?)?;
            }
            Access::View(_) | Access::Node(_) => {
                let found = self.pieces_at(step.part, &step.access)?;
                let (tracks, keys) = match found {
                    Some((tracks, pieces)) => {
                        let (places, given) = known_places(&tracks, binding);
                        (tracks, pieces.matching(places, &given))
                    }
                    None => return Ok(()),
                };
                for points in keys {
                    if let Some(binding) = bound(binding, &tracks, &points) {
                        let value = self.data(step.part, &step.access, &points)?;
                        take(binding, &value)?;
                    }
                }
            }
            Access::Without(inner, access) => {
                let points = match &**access {
                    Access::View(view) => view.tracks.iter().map(|t| binding[*t]).collect(),
                    Access::Node(tracks) => tracks.iter().map(|t| binding[*t]).collect(),
                    _ => return Err(Interruption::Unsuited),
                };
                let value = self.data(*inner, access, &points)?;
                take(binding.clone(), &bdds.not(&value)?)?;
            }
        }
        Ok(())
    }

    /// What a part says of its own points.
    fn data(
        &mut self,
        part: NodeId,
        access: &Access,
        points: &Points,
    ) -> Result<Bdd, Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        let found = self.pieces_at(part, access)?;
        let Some(source) = found.and_then(|(_, pieces)| pieces.get(points).cloned()) else {
            return Ok(bdds.constant(false));
        };
        let Access::View(view) = access else {
            return Ok(source);
        };
        if self.members.contains(&view.relation) {
            let key = (part, points.clone());
            match self.renamed.get(&key) {
                Some((of, made)) if *of == source => return Ok(made.clone()),
                _ => {}
            }
            let made = view.renaming.apply(bdds, &source)?;
            self.renamed.insert(key, (source, made.clone()));
            return Ok(made);
        }
        let key = (part, source);
        if let Some(known) = self.renamed_once.get(&key) {
            return Ok(known.clone());
        }
        let made = view.renaming.apply(bdds, &key.1)?;
        self.renamed_once.insert(key, made.clone());
        Ok(made)
    }

    /// "The variables of a state that its point does not have are 0", for the states of a range.
    fn states(&self, range: &Range, binding: &Binding) -> Result<Bdd, Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        let mut all = bdds.constant(true);
        for (index, (track, leaf)) in (0..).zip(range.leaves.iter()) {
            if *leaf != Leaf::Point {
                continue;
            }
            let point = binding[track.index as usize];
            if point >= self.program.dimensions.points {
                return Ok(bdds.constant(false));
            }
            if range.states.contains(&index) {
                let data = |place: usize| range.leaves[index as usize + place].0.index;
                let scope = self.program.scope(point);
                let nothing_else = self.program.nothing_else(scope, [data(1), data(2)])?;
                all = bdds.and(&all, &nothing_else)?;
            }
        }
        Ok(all)
    }
}

/// The places of tracks that are known, and their points.
fn known_places(tracks: &[usize], binding: &Binding) -> (u64, Vec<u32>) {
    let mut places = 0;
    let mut given = Vec::new();
    for (place, track) in tracks.iter().enumerate() {
        if binding[*track] != FREE {
            places |= 1 << place;
            given.push(binding[*track]);
        }
    }
    (places, given)
}
