//! The relations that a program supplies, as BDDs: made from its rules, exact, with every
//! variable live wherever it is in scope.
//!
//! What a step does to data depends on its effect and on the scopes around it, and is made once
//! for each such combination. A relation is then a tree over the bits of its control points with
//! these in its leaves, built from the bottom up: linear in the rules.

use super::initial::Initial;
use super::levels::{Dimensions, Levels, Pool, Track};
use super::live::{LiveSet, LiveVariables};
use super::supplied::Supplied;
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::components::components;
use crate::program::{Action, PointId, ProcedureId, Program, Threads, VariableId};
use crate::rules::{DataVariable, EffectId, Head, Right, Rule, Rules};
use crate::spds::copies::{Copies, Copy};
use crate::spds::relation::Relations;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// What is in scope somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// No frame.
    Nothing(LiveSet),
    Frame(Frame, LiveSet),
}

/// What of a procedure's is in scope at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub procedure: ProcedureId,
    /// How many of its locals: not what is saved in atomic blocks around other points.
    pub locals: u32,
    /// How many returned values: at an exit point all, elsewhere none.
    pub returned: u32,
}

/// The points that are asked for.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Statements.
    pub points: Vec<PointId>,
    /// Whether *error* is one.
    pub error: bool,
}

/// A program's rules with their BDD variables.
pub struct ProgramRelations<'a> {
    pub program: &'a Program,
    pub rules: &'a Rules<'a>,
    pub copies: &'a Copies<'a>,
    pub levels: &'a Levels,
    pub dimensions: &'a Dimensions,
    pub targets: &'a Targets,
    /// The threads that begin, if the program has any.
    pub threads: Option<&'a Threads>,
    /// If dead variables are 0, those that are not.
    pub live: Option<&'a LiveVariables>,
    /// What `init` does, if there is one.
    pub initial: Option<&'a Initial>,
    pub cache: Cache,
}

/// What has been made.
#[derive(Default)]
pub struct Cache {
    empty_scopes: RefCell<FxHashMap<(Scope, [u32; 2]), Bdd>>,
    data: RefCell<FxHashMap<Key, Bdd>>,
    ranked: RefCell<FxHashMap<(Track, u32), Bdd>>,
}

/// What decides about the data of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub relation: Supplied,
    pub effect: Option<EffectId>,
    pub is_failure: bool,
    /// Of a return.
    pub callee: Option<ProcedureId>,
    pub scopes: [Scope; 2],
}

/// The control points that a step is about, and its data.
pub(super) type Leaf = (Vec<u32>, Bdd);

/// The dimensions of a program.
pub fn dimensions(program: &Program, rules: &Rules<'_>) -> Dimensions {
    let layout = &rules.layout;
    let locals = (0..layout.locals).chain(layout.returned_range());
    Dimensions {
        points: program.points.len() as u32 + 2,
        globals: layout.global_range(),
        locals: locals.collect(),
        order: layout.order(None),
    }
}

impl ProgramRelations<'_> {
    /// The number of the point *error*.
    pub fn error(&self) -> u32 {
        self.program.points.len() as u32
    }

    pub fn scope(&self, point: u32) -> Scope {
        let live = self.live.map_or(LiveSet::ALL, |live| live.at(point));
        let Some(known) = self.program.points.get(point as usize) else {
            return Scope::Nothing(live);
        };
        let procedure = self.program.procedure(known.procedure);
        let returned = match procedure.exit() == PointId(point) {
            true => procedure.returns.len() as u32,
            false => 0,
        };
        let frame = Frame {
            procedure: known.procedure,
            locals: procedure.locals.len() as u32 - procedure.saved + known.saved,
            returned,
        };
        Scope::Frame(frame, live)
    }

    /// The bits of locals, returned values and globals that are in scope.
    pub(super) fn in_scope(&self, scope: Scope) -> Vec<DataVariable> {
        let layout = &self.rules.layout;
        let mut bits: Vec<_> = layout.global_range().collect();
        let live = match scope {
            Scope::Nothing(live) => live,
            Scope::Frame(frame, live) => {
                let id = frame.procedure;
                let locals = (0..frame.locals).map(VariableId::Local);
                let returned = 0..frame.returned;
                bits.extend(locals.flat_map(|local| layout.cell(id, local)));
                bits.extend(returned.flat_map(|index| layout.returned(id, index)));
                live
            }
        };
        bits.retain(|bit| self.live.is_none_or(|known| known.contains(live, *bit)));
        bits
    }

    /// "What is not in scope is 0", on a track of locals and one of globals.
    pub(super) fn nothing_else(&self, scope: Scope, tracks: [u32; 2]) -> BddResult {
        if let Some(known) = self.cache.empty_scopes.borrow().get(&(scope, tracks)) {
            return Ok(known.clone());
        }
        let there = self.in_scope(scope);
        let [locals, globals] = [(Pool::Locals, tracks[0]), (Pool::Globals, tracks[1])]
            .map(|(pool, index)| self.levels.of(Track { pool, index }).iter());
        let locals = locals.zip(self.dimensions.locals.iter().copied());
        let globals = globals.zip(self.dimensions.globals.clone());
        let absent = locals.chain(globals);
        let absent = absent.filter(|(_, variable)| !there.contains(variable));
        let literals = absent.map(|(level, _)| (*level, false));
        let made = self.copies.bdds.minterm(literals)?;
        let mut known = self.cache.empty_scopes.borrow_mut();
        known.insert((scope, tracks), made.clone());
        Ok(made)
    }

    /// The values of states on three tracks.
    pub fn states(&self, [point, locals, globals]: [Track; 3]) -> BddResult {
        let tracks = [locals.index, globals.index];
        let leaves = (0..self.dimensions.points).map(|point| {
            let nothing_else = self.nothing_else(self.scope(point), tracks)?;
            Ok((vec![point], nothing_else))
        });
        let leaves = leaves.collect::<Result<Vec<_>, OutOfNodes>>()?;
        self.tree(&[point], leaves)
    }

    /// How many places procedures have at most.
    pub fn ranks(&self) -> u32 {
        let procedures = self.program.procedures.iter();
        let lengths = procedures.map(|procedure| procedure.points.len() as u32);
        lengths.max().unwrap_or(1)
    }

    /// The points that have a place in their procedures, on a track; *error* and *terminated*
    /// have the first.
    pub fn rank(&self, track: Track, rank: u32) -> BddResult {
        if let Some(known) = self.cache.ranked.borrow().get(&(track, rank)) {
            return Ok(known.clone());
        }
        let procedures = self.program.procedures.iter();
        let points = procedures.filter_map(|procedure| {
            let point = procedure.points.start + rank;
            (point < procedure.points.end).then_some(point)
        });
        let stopped = (self.error()..self.error() + 2).filter(|_| rank == 0);
        let made = self.set(track.index, points.chain(stopped))?;
        self.cache
            .ranked
            .borrow_mut()
            .insert((track, rank), made.clone());
        Ok(made)
    }

    /// The points there are, on a track.
    pub fn points(&self, track: Track) -> BddResult {
        let truth = self.copies.bdds.constant(true);
        let points = (0..self.dimensions.points).map(|point| (vec![point], truth.clone()));
        self.tree(&[track], points.collect())
    }

    /// A supplied relation over the first tracks of each kind.
    pub fn relation(&self, relation: Supplied) -> BddResult {
        if let Some(leaves) = self.leaves(relation)? {
            let places = leaves.first().map_or(0, |(points, _)| points.len());
            return self.tree(&points_of(places as u32), leaves);
        }
        match relation {
            Supplied::Start => self.start(),
            Supplied::StartGlobals => self.start_globals(),
            Supplied::InitReaches => self.init_reaches(),
            Supplied::MaySwitch => self.may_switch(),
            Supplied::End => self.end(),
            _ => self.same_procedure(),
        }
    }

    /// The control points that a supplied relation is about, each time with its data, if there
    /// are few.
    pub(super) fn leaves(&self, relation: Supplied) -> Result<Option<Vec<Leaf>>, OutOfNodes> {
        let procedures = self.program.procedures.iter();
        let truth = || self.copies.bdds.constant(true);
        let set = |points: Vec<u32>| -> Vec<Leaf> {
            let points = points.into_iter();
            points.map(|point| (vec![point], truth())).collect()
        };
        Ok(Some(match relation {
            Supplied::Entry => set(procedures.map(|procedure| procedure.entry().0).collect()),
            Supplied::Exit => set(procedures.map(|procedure| procedure.exit().0).collect()),
            Supplied::Init => set(vec![self.program.entry_point().0]),
            Supplied::Target => {
                let error = self.targets.error.then(|| self.error());
                let targets = self.targets.points.iter().map(|point| point.0);
                set(targets.chain(error).collect())
            }
            Supplied::Across => {
                let calls = (0..self.program.points.len() as u32).filter_map(|point| {
                    let next = self.return_point(point)?;
                    Some((vec![point, next], truth()))
                });
                calls.collect()
            }
            Supplied::ProgramInt => self.internal()?,
            Supplied::IntoCall => self.calls()?,
            Supplied::ReturnA | Supplied::ReturnB => self.returns(relation)?,
            Supplied::Return => self.whole_return()?,
            _ => return Ok(None),
        }))
    }

    fn same_procedure(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let mut all = bdds.constant(false);
        for procedure in &self.program.procedures {
            let [one, other] = [0, 1].map(|track| self.set(track, procedure.points.clone()));
            all = bdds.or(&all, &bdds.and(&one?, &other?)?)?;
        }
        Ok(all)
    }

    /// When each point has its turn, if callees go before callers, and points that come first in
    /// their procedures before others.
    pub(super) fn turns(&self) -> Vec<u32> {
        let procedures = self.program.procedures.iter();
        let callees: Vec<Vec<usize>> = procedures
            .map(|procedure| {
                let points = procedure.points.clone().map(PointId);
                let called = points.filter_map(|point| match &self.program.point(point).action {
                    Action::Call(call) => Some(call.callee.0 as usize),
                    _ => None,
                });
                called.collect()
            })
            .collect();
        let mut turns = vec![0; self.dimensions.points as usize];
        let order = components(&callees, 0..callees.len());
        let points = order
            .into_iter()
            .flatten()
            .flat_map(|procedure| self.program.procedures[procedure].points.clone());
        for (turn, point) in (1..).zip(points) {
            turns[point as usize] = turn;
        }
        turns
    }

    pub(super) fn return_point(&self, point: u32) -> Option<u32> {
        match &self.program.point(PointId(point)).action {
            Action::Call(call) => Some(call.next.0),
            _ => None,
        }
    }

    pub(super) fn set(&self, index: u32, points: impl IntoIterator<Item = u32>) -> BddResult {
        let truth = self.copies.bdds.constant(true);
        let pool = Pool::Point;
        let leaves = points.into_iter().map(|point| (vec![point], truth.clone()));
        self.tree(&[Track { pool, index }], leaves.collect())
    }

    /// The relation between points on some tracks, with data in its leaves.
    pub(super) fn tree(&self, tracks: &[Track], leaves: Vec<Leaf>) -> BddResult {
        let rows = tracks.iter().enumerate().flat_map(|(which, track)| {
            let levels = self.levels.of(*track);
            let weights = (0..levels.len() as u32).rev();
            levels
                .iter()
                .zip(weights)
                .map(move |(level, weight)| (*level, which, weight))
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        let code = |points: &[u32]| {
            let bits = rows
                .iter()
                .map(|(_, which, weight)| points[*which] >> weight & 1);
            bits.fold(0_u128, |code, bit| code << 1 | u128::from(bit))
        };
        let mut coded: Vec<_> = leaves
            .into_iter()
            .map(|(points, data)| (code(&points), data))
            .collect();
        coded.sort_by_key(|(code, _)| *code);
        let levels: Vec<_> = rows.iter().map(|(level, ..)| *level).collect();
        self.branch(&levels, &coded)
    }

    /// (As deep as there are bits.)
    fn branch(&self, levels: &[u32], leaves: &[(u128, Bdd)]) -> BddResult {
        let bdds = self.copies.bdds;
        let Some((level, below)) = levels.split_first() else {
            let mut all = bdds.constant(false);
            for (_, data) in leaves {
                all = bdds.or(&all, data)?;
            }
            return Ok(all);
        };
        if leaves.is_empty() {
            return Ok(bdds.constant(false));
        }
        let is_low = |(code, _): &(u128, Bdd)| code >> below.len() & 1 == 0;
        let (low, high) = leaves.split_at(leaves.partition_point(is_low));
        let (low, high) = (self.branch(below, low)?, self.branch(below, high)?);
        bdds.if_then_else(&bdds.variable(*level), &high, &low)
    }

    /// What steps do to data, made once for each key.
    pub(super) fn known_data(&self, key: Key, make: impl FnOnce() -> BddResult) -> BddResult {
        if let Some(known) = self.cache.data.borrow().get(&key) {
            return Ok(known.clone());
        }
        let made = make()?;
        self.cache.data.borrow_mut().insert(key, made.clone());
        Ok(made)
    }

    /// The relation of an effect alone, between current and next variables.
    pub(super) fn effect(&self, effect: EffectId, is_failure: bool) -> BddResult {
        let words = bits::words(self.rules.layout.len() as usize);
        let all = vec![u64::MAX; words];
        let relations = Relations {
            rules: self.rules,
            copies: self.copies,
            effect: self.rules.effects.get(effect),
            footprint: self.rules.effects.footprint(effect),
            needed: [&all, &all],
        };
        match is_failure {
            true => relations.failure(),
            false => relations.relation(),
        }
    }

    pub(super) fn unchanged(&self, variables: impl IntoIterator<Item = DataVariable>) -> BddResult {
        let variables: Vec<_> = variables.into_iter().collect();
        self.copies.unchanged(&variables)
    }

    /// The bits of locals, returned values and globals.
    pub(super) fn data_bits(&self) -> impl Iterator<Item = DataVariable> {
        let locals = self.dimensions.locals.iter().copied();
        locals.chain(self.dimensions.globals.clone())
    }

    /// The relation of an effect, without the variables that are dead afterwards.
    pub(super) fn without_dead(&self, effect: &Bdd, to: Scope) -> BddResult {
        if self.live.is_none() {
            return Ok(effect.clone());
        }
        let bdds = self.copies.bdds;
        let there = self.in_scope(to);
        let dead = self.data_bits().filter(|bit| !there.contains(bit));
        let dead = dead.map(|bit| self.copies.level(bit, Copy::Next));
        bdds.exists(effect, &bdds.cube(dead)?)
    }

    /// The rules of a point that neither call nor return, and where they lead to.
    pub(super) fn internal_rules(&self, point: u32) -> impl Iterator<Item = (&Rule, u32)> {
        let head = Some(Head(point)).filter(|head| head.0 < self.rules.symbols);
        let rules = head.map_or(&[][..], |head| self.rules.rules_from(head));
        rules.iter().filter_map(|rule| {
            let Right::Step(to) = rule.right else {
                return None;
            };
            let to = match Some(to) {
                error if error == self.rules.error => self.error(),
                ended if ended == self.rules.empty => self.error() + 1,
                _ => to.0,
            };
            Some((rule, to))
        })
    }

    /// The steps that neither call nor return.
    fn internal(&self) -> Result<Vec<Leaf>, OutOfNodes> {
        let mut leaves = Vec::new();
        for point in 0..self.rules.symbols {
            for (rule, to) in self.internal_rules(point) {
                leaves.push((vec![point, to], self.step(rule, to)?));
            }
        }
        Ok(leaves)
    }

    fn step(&self, rule: &Rule, to: u32) -> BddResult {
        let key = Key {
            relation: Supplied::ProgramInt,
            effect: Some(rule.effect),
            is_failure: rule.is_failure,
            callee: None,
            scopes: [self.scope(rule.from.0), self.scope(to)],
        };
        self.known_data(key, || {
            let bdds = self.copies.bdds;
            let changes = &self.rules.footprint(rule).after;
            let [from, to] = key.scopes;
            let before = self.in_scope(from);
            let is_kept = |bit: &DataVariable| {
                before.contains(bit) && (rule.is_failure || !changes.touches(*bit))
            };
            let unchanged = self.unchanged(self.in_scope(to).into_iter().filter(is_kept))?;
            let effect = self.effect(rule.effect, rule.is_failure)?;
            let effect = self.without_dead(&effect, to)?;
            let mut data = bdds.and(&unchanged, &effect)?;
            data = bdds.and(&data, &self.nothing_else(from, [0; 2])?)?;
            bdds.and(&data, &self.nothing_else(to, [1; 2])?)
        })
    }

    /// From calls to the entries of their callees.
    fn calls(&self) -> Result<Vec<Leaf>, OutOfNodes> {
        let mut leaves = Vec::new();
        for rule in &self.rules.rules {
            let Right::Push { first, .. } = rule.right else {
                continue;
            };
            let key = Key {
                relation: Supplied::IntoCall,
                effect: Some(rule.effect),
                is_failure: false,
                callee: None,
                scopes: [self.scope(rule.from.0), self.scope(first.0)],
            };
            let data = self.known_data(key, || {
                let bdds = self.copies.bdds;
                let changes = &self.rules.footprint(rule).after;
                let there = self.in_scope(key.scopes[1]);
                let is_kept = |bit: &DataVariable| there.contains(bit) && !changes.touches(*bit);
                let globals = self.rules.layout.global_range();
                let unchanged = self.unchanged(globals.filter(is_kept))?;
                let effect = self.effect(rule.effect, false)?;
                let effect = self.without_dead(&effect, key.scopes[1])?;
                let mut data = bdds.and(&unchanged, &effect)?;
                data = bdds.and(&data, &self.nothing_else(key.scopes[0], [0; 2])?)?;
                bdds.and(&data, &self.nothing_else(key.scopes[1], [1; 2])?)
            })?;
            leaves.push((vec![rule.from.0, first.0], data));
        }
        Ok(leaves)
    }
}

/// The first tracks of control points.
pub(super) fn points_of(count: u32) -> Vec<Track> {
    let pool = Pool::Point;
    (0..count).map(|index| Track { pool, index }).collect()
}
