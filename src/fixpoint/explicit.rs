//! Monotone cycles with control explicit: relations are kept in pieces, one BDD for each row of
//! control points, so that a round touches only what has changed.
//!
//! What is new of one piece is followed through the formulas: a join looks up which pieces of
//! its other parts fit, by their points alone, and computes with BDDs only where all of them
//! have some ([`super::routes`]). What is new of a subformula is kept where others need all of
//! it. Pieces have their turn in the order of their last point: callees before callers, so that
//! a call returns all that it can before its caller goes on, and inside of a procedure from the
//! top down, so that values meet before they go on together.
//!
//! Not all equations are suited: each part of a join that speaks of points must share one with
//! those before it, or rows would be enumerated that have nothing to do with each other. The
//! others are computed with control in the BDDs ([`super::semi_naive`]).

use super::evaluate::{Evaluator, Failure};
use super::in_place::Stepping;
use super::levels::{Pool, Track};
use super::pieces::{Pieces, Points};
use super::plan::{Kind, NodeId};
use super::program::ProgramRelations;
use super::routes::{Step, View};
use super::{equations, equations::RelationId};
use crate::bdd::{Bdd, OutOfNodes};
use crate::watch::Stop;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Why a computation ends before its time.
pub(super) enum Interruption {
    Failure(Failure),
    /// These equations had better be computed otherwise.
    Unsuited,
}

impl From<Failure> for Interruption {
    fn from(failure: Failure) -> Self {
        Interruption::Failure(failure)
    }
}

impl From<OutOfNodes> for Interruption {
    fn from(error: OutOfNodes) -> Self {
        Interruption::Failure(error.into())
    }
}

impl From<Stop> for Interruption {
    fn from(stop: Stop) -> Self {
        Interruption::Failure(stop.into())
    }
}

/// The points that tracks have, by the numbers of these.
pub(super) type Binding = Vec<u32>;
/// A track without a point.
pub(super) const FREE: u32 = u32::MAX;

/// Rows of points that a relation which is used may have for each point of the program; one with
/// more is no matter of control.
const MOST_ROWS: usize = 64;

/// Looking whether there is much garbage takes longer than a round.
const ROUNDS_BETWEEN_COLLECTIONS: u64 = 16;

/// Whose body a node is.
#[derive(Clone, Copy)]
enum Root {
    Member(usize),
    /// The query of which one witness is enough.
    Goal,
}

/// What is new of a node for some points.
pub(super) enum Delta<'d> {
    Known(&'d Bdd),
    /// Of the relation that the node applies: it is renamed where it is needed.
    Applied(&'d Bdd),
}

pub(super) struct Explicit<'e, 'a> {
    pub evaluator: &'e mut Evaluator<'a>,
    pub program: &'a ProgramRelations<'a>,
    pub members: Vec<usize>,
    /// The values of relations.
    pub relations: FxHashMap<usize, Pieces>,
    /// The values of joins and disjunctions, as far as they are needed.
    pub nodes: FxHashMap<NodeId, Pieces>,
    pub views: FxHashMap<NodeId, Rc<View>>,
    pub steps: FxHashMap<(NodeId, Option<usize>), Rc<[Step]>>,
    /// The joins that are computed in place, if they are, from what is new of a part.
    pub steppings: FxHashMap<(NodeId, usize), Option<Stepping>>,
    /// What was renamed last for each piece of a member, and what it became.
    pub renamed: FxHashMap<(NodeId, Points), (Bdd, Bdd)>,
    /// What became of the pieces of other relations, many of which are the same.
    pub renamed_once: FxHashMap<(NodeId, Bdd), Bdd>,
    /// The nodes that each node is a part of, and in which place.
    users: FxHashMap<NodeId, Vec<(NodeId, usize)>>,
    /// For each member, where it is applied.
    applications: FxHashMap<usize, Vec<NodeId>>,
    roots: FxHashMap<NodeId, Root>,
    /// The nodes that were prepared: one may be a part of several.
    prepared: FxHashSet<NodeId>,
    /// The nodes whose values are kept.
    kept: FxHashSet<NodeId>,
    waiting: FxHashMap<(usize, Points), Bdd>,
    queue: BTreeSet<(u32, usize, Points)>,
    /// When each point has its turn.
    turns: Vec<u32>,
    is_goal_reached: bool,
}

impl<'a> Evaluator<'a> {
    /// The least values of the relations of a component; or `false`, if its equations are not
    /// suited.
    pub(super) fn explicit(&mut self, members: &[usize]) -> Result<bool, Failure> {
        let Some(program) = self.atoms.program else {
            return Ok(false);
        };
        let goal = self.goal_query(members);
        let mut explicit = Explicit {
            turns: program.turns(),
            evaluator: self,
            program,
            members: members.to_vec(),
            relations: FxHashMap::default(),
            nodes: FxHashMap::default(),
            views: FxHashMap::default(),
            steps: FxHashMap::default(),
            steppings: FxHashMap::default(),
            renamed: FxHashMap::default(),
            renamed_once: FxHashMap::default(),
            users: FxHashMap::default(),
            applications: FxHashMap::default(),
            roots: FxHashMap::default(),
            prepared: FxHashSet::default(),
            kept: FxHashSet::default(),
            waiting: FxHashMap::default(),
            queue: BTreeSet::new(),
            is_goal_reached: false,
        };
        match explicit.solve(goal) {
            Ok(()) => Ok(true),
            Err(Interruption::Failure(failure)) => Err(failure),
            Err(Interruption::Unsuited) => {
                for member in members {
                    self.efforts[*member].rounds = 0;
                }
                Ok(false)
            }
        }
    }
}

impl Explicit<'_, '_> {
    fn solve(&mut self, goal: Option<usize>) -> Result<(), Interruption> {
        for member in self.members.clone() {
            let plan = self.evaluator.plan.relation(RelationId(member as u32));
            let Some(body) = plan.body else {
                return Err(Interruption::Unsuited);
            };
            let places = self.places(member);
            let bits = places * self.evaluator.levels().of(track(0)).len();
            let are_all_there = self.points(body) == (0..places).collect::<Vec<_>>();
            if places == 0 || bits > 128 || !are_all_there {
                return Err(Interruption::Unsuited);
            }
            self.relations.insert(member, Pieces::default());
            self.prepare(body)?;
            self.roots.insert(body, Root::Member(member));
        }
        if let Some(goal) = goal {
            let plan = self.evaluator.plan.relation(RelationId(goal as u32));
            let body = plan.body.ok_or(Interruption::Unsuited)?;
            self.prepare(body)?;
            self.roots.insert(body, Root::Goal);
        }
        let bodies: Vec<NodeId> = self
            .roots
            .keys()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        for body in bodies {
            self.begin(body)?;
        }
        self.work()?;
        if self.is_goal_reached {
            self.evaluator.reach_goal();
            return Ok(());
        }
        for member in self.members.clone() {
            let value = self.whole(member)?;
            self.evaluator.values[member] = value;
        }
        Ok(())
    }

    /// Until nothing waits, or the query has its witness.
    fn work(&mut self) -> Result<(), Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        let mut rounds = 0_u64;
        let mut next_measure = 1;
        while let Some((_, member, points)) = self.queue.pop_first() {
            self.evaluator.watch.check()?;
            if rounds.is_multiple_of(ROUNDS_BETWEEN_COLLECTIONS) {
                bdds.safe_point();
            }
            let Some(new) = self.waiting.remove(&(member, points.clone())) else {
                continue;
            };
            let pieces = self.relations.entry(member).or_default();
            pieces.add_new(bdds, &points, &new)?;
            self.evaluator.efforts[member].rounds += 1;
            let applications = self.applications.get(&member).cloned();
            for node in applications.unwrap_or_default() {
                let view = self.view(node)?;
                if let Some(binding) = view.bind(&self.free(), &points) {
                    self.pass(node, &binding, &Delta::Applied(&new))?;
                }
            }
            if self.is_goal_reached {
                return Ok(());
            }
            rounds += 1;
            if self.evaluator.measures && rounds >= next_measure {
                // Values are put together now and then: to do it each time would take far longer
                // than the work itself.
                next_measure = 2 * rounds;
                for member in self.members.clone() {
                    self.evaluator.values[member] = self.whole(member)?;
                    self.evaluator.measure(member);
                }
            }
        }
        Ok(())
    }

    /// The value of a member, as one BDD.
    fn whole(&self, member: usize) -> Result<Bdd, Interruption> {
        let Some(pieces) = self.relations.get(&member) else {
            return Ok(self.evaluator.atoms.bdds.constant(false));
        };
        let tracks: Vec<Track> = (0..self.places(member)).map(track).collect();
        let leaves = pieces.iter();
        let leaves = leaves.map(|(points, data)| (points.to_vec(), data.clone()));
        Ok(self.program.tree(&tracks, leaves.collect())?)
    }

    /// How many control points the tuples of a relation have.
    pub(super) fn places(&self, relation: usize) -> usize {
        let known = &self.evaluator.equations.relations[relation];
        let leaves = known.parameter_leaves();
        leaves.filter(|(_, leaf)| pool_is_point(*leaf)).count()
    }

    /// The tracks of points that a node speaks of.
    pub(super) fn points(&self, node: NodeId) -> Vec<usize> {
        let support = self.evaluator.plan.node(node).support.iter();
        let points = support.filter(|track| track.pool == Pool::Point);
        points.map(|track| track.index as usize).collect()
    }

    /// Whether the value of a node changes.
    pub(super) fn changes(&self, node: NodeId) -> bool {
        let mut uses = self.evaluator.plan.node(node).uses.iter();
        uses.any(|used| self.members.contains(&(used.0 as usize)))
    }

    /// No track has a point.
    pub(super) fn free(&self) -> Binding {
        let tracks = self.evaluator.plan.tracks.get(&Pool::Point);
        vec![FREE; tracks.copied().unwrap_or(0) as usize]
    }

    /// Notes what each changing node is a part of; or finds that it is not suited.
    fn prepare(&mut self, node: NodeId) -> Result<(), Interruption> {
        let plan = self.evaluator.plan;
        if !self.changes(node) || !self.prepared.insert(node) {
            return Ok(());
        }
        let parts = match &plan.node(node).kind {
            Kind::Apply(application) => {
                let member = application.relation.0 as usize;
                let known = self.applications.entry(member).or_default();
                known.push(node);
                return Ok(());
            }
            Kind::Or(parts) => {
                let points = self.points(node);
                if parts.iter().any(|part| self.points(*part) != points) {
                    return Err(Interruption::Unsuited);
                }
                &parts[..]
            }
            Kind::Join(join) => {
                let changing = join.parts.iter().filter(|part| self.changes(**part));
                let changing: Vec<NodeId> = changing.copied().collect();
                if changing.len() > 1 {
                    self.kept.extend(changing);
                }
                &join.parts[..]
            }
            _ => return Err(Interruption::Unsuited),
        };
        for (place, part) in parts.iter().enumerate() {
            if self.changes(*part) {
                if let Kind::Join(join) = &plan.node(node).kind {
                    let stepping = self.stepping(join, place)?;
                    if stepping.is_none() {
                        self.steps(node, join, Some(place))?;
                    }
                    self.steppings.insert((node, place), stepping);
                }
                self.users.entry(*part).or_default().push((node, place));
                self.prepare(*part)?;
            }
        }
        Ok(())
    }

    /// Passes on what does not depend on members.
    fn begin(&mut self, node: NodeId) -> Result<(), Interruption> {
        if !self.changes(node) {
            return self.begin_with(node, node);
        }
        match &self.evaluator.plan.node(node).kind {
            Kind::Or(parts) => {
                for part in parts {
                    match self.changes(*part) {
                        true => self.begin(*part)?,
                        false => self.begin_with(node, *part)?,
                    }
                }
            }
            Kind::Join(join) => {
                for part in &join.parts {
                    if self.changes(*part) {
                        self.begin(*part)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Passes on all that a part says as something that is new of a node.
    fn begin_with(&mut self, node: NodeId, part: NodeId) -> Result<(), Interruption> {
        for (binding, data) in self.listing(part)? {
            self.emit(node, &binding, &data)?;
        }
        Ok(())
    }

    /// Something was found of a node: what is new of it is kept, and passed on.
    fn emit(&mut self, node: NodeId, binding: &Binding, found: &Bdd) -> Result<(), Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        if bdds.is_false(found) {
            return Ok(());
        }
        if !self.kept.contains(&node) {
            return self.pass(node, binding, &Delta::Known(found));
        }
        let points = self.points(node).into_iter().map(|track| binding[track]);
        let points: Points = points.collect();
        let pieces = self.nodes.entry(node).or_default();
        match pieces.add(bdds, &points, found)? {
            Some(new) => self.pass(node, binding, &Delta::Known(&new)),
            None => Ok(()),
        }
    }

    /// What follows from something that is new of a node. (As deep as formulas are.)
    fn pass(
        &mut self,
        node: NodeId,
        binding: &Binding,
        new: &Delta<'_>,
    ) -> Result<(), Interruption> {
        let plan = self.evaluator.plan;
        if let Some(root) = self.roots.get(&node).copied() {
            let new = self.known(node, new)?;
            self.found(root, binding, &new)?;
        }
        for (user, place) in self.users.get(&node).cloned().unwrap_or_default() {
            match &plan.node(user).kind {
                Kind::Join(join) => {
                    let points = self.points(user);
                    let mut joined: BTreeMap<Vec<u32>, (Binding, Bdd)> = BTreeMap::new();
                    for (binding, data) in self.joined(user, join, place, binding, new)? {
                        let key = points.iter().map(|track| binding[*track]).collect();
                        let binding = self.restricted(&points, &binding);
                        let bdds = self.evaluator.atoms.bdds;
                        match joined.get_mut(&key) {
                            Some((_, known)) => *known = bdds.or(known, &data)?,
                            None => {
                                joined.insert(key, (binding, data));
                            }
                        }
                    }
                    for (binding, data) in joined.into_values() {
                        self.emit(user, &binding, &data)?;
                    }
                }
                _ => {
                    let new = self.known(node, new)?;
                    self.emit(user, binding, &new)?;
                }
            }
        }
        Ok(())
    }

    /// What a relation's formula, or the query, is now true of.
    fn found(&mut self, root: Root, binding: &Binding, found: &Bdd) -> Result<(), Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        let member = match root {
            Root::Goal => {
                self.is_goal_reached |= !bdds.is_false(found);
                return Ok(());
            }
            Root::Member(member) => member,
        };
        let points: Points = binding[..self.places(member)].into();
        let known = self.relations.get(&member);
        let new = match known.and_then(|pieces| pieces.get(&points)) {
            Some(known) => bdds.difference(found, known)?,
            None => found.clone(),
        };
        if bdds.is_false(&new) {
            return Ok(());
        }
        let last = points.last().copied().unwrap_or(0);
        let turn = self.turns.get(last as usize).copied().unwrap_or(0);
        match self.waiting.entry((member, points.clone())) {
            std::collections::hash_map::Entry::Occupied(mut waiting) => {
                let all = bdds.or(waiting.get(), &new)?;
                waiting.insert(all);
            }
            std::collections::hash_map::Entry::Vacant(none) => {
                none.insert(new);
                self.queue.insert((turn, member, points));
            }
        }
        Ok(())
    }

    /// The pieces of a relation that is used.
    pub(super) fn pieces(&mut self, relation: usize) -> Result<&mut Pieces, Interruption> {
        if !self.relations.contains_key(&relation) {
            let made = self.pieces_of_other(relation)?;
            self.relations.insert(relation, made);
        }
        Ok(self.relations.entry(relation).or_default())
    }

    fn pieces_of_other(&mut self, relation: usize) -> Result<Pieces, Interruption> {
        let bdds = self.evaluator.atoms.bdds;
        if let equations::Kind::Supplied(supplied) =
            self.evaluator.equations.relations[relation].kind
            && let Some(leaves) = self.program.leaves(supplied)?
        {
            let mut pieces = Pieces::default();
            for (points, data) in leaves {
                pieces.add(bdds, &points.into(), &data)?;
            }
            return Ok(pieces);
        }
        let value = &self.evaluator.current(relation)?;
        let places = self.places(relation) as u32;
        let most = MOST_ROWS * self.turns.len();
        let pieces = Pieces::of(bdds, self.evaluator.levels(), places, value, most)?;
        pieces.ok_or(Interruption::Unsuited)
    }
}

pub(super) fn track(index: usize) -> Track {
    Track {
        pool: Pool::Point,
        index: index as u32,
    }
}

fn pool_is_point(leaf: super::domain::Leaf) -> bool {
    leaf == super::domain::Leaf::Point
}
