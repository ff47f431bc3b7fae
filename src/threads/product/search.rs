//! The search itself: contexts, and layers of them.

use super::moves::{Move, Moves};
use super::plan::Plan;
use crate::bdd::{Bdd, BddResult, Bdds, OutOfNodes};
use crate::program::{PointId, VariableId};
use crate::property::Property;
use crate::rules::Head;
use crate::threads::{Measure, Settings, Sizes};
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What one more switch, or round, has brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// How many switches or rounds it has.
    pub bound: u64,
    /// The properties, by their indices, that executions of this layer are the first to violate.
    pub violated: Vec<usize>,
    /// Whether there is nothing new in any further layer.
    pub is_complete: bool,
}

/// Sets of configurations in which one thread is running, by its head.
pub(super) type Sets = BTreeMap<usize, Bdd>;

/// What a thread does in one layer while it is running: what is new.
#[derive(Default)]
pub(super) struct Context {
    /// Where it begins.
    pub entries: Sets,
    /// All that it comes to, where it begins included.
    pub reached: Sets,
    /// Whether that is all: it is not if there was enough before.
    pub is_whole: bool,
}

/// A search for violations of properties.
pub struct Product<'p> {
    pub(super) plan: &'p Plan<'p>,
    pub(super) bdds: &'p Bdds,
    pub(super) maker: Moves<'p>,
    watch: &'p Watch,
    pub(super) measure: Measure,
    pub(super) properties: Vec<Property>,
    /// In which layer each property was found violated.
    pub(super) violated: Vec<Option<usize>>,
    /// The properties that ask for each point.
    asking: FxHashMap<Head, Vec<usize>>,
    /// By thread and head.
    moves: Vec<Vec<Option<Rc<[Move]>>>>,
    /// By thread and head, where the thread is not left.
    pub(super) passing: Vec<Vec<Option<Bdd>>>,
    reached: Vec<Vec<Bdd>>,
    /// What thread 0 does.
    pub(super) init: Option<Context>,
    /// Where the other threads begin.
    pub(super) start: Option<Bdd>,
    /// By layer and thread.
    pub(super) layers: Vec<Vec<Context>>,
    /// Where each thread begins in the next layer.
    waiting: Vec<Sets>,
}

impl<'p> Product<'p> {
    pub(super) fn new(
        plan: &'p Plan<'p>,
        bdds: &'p Bdds,
        properties: &[Property],
        settings: &Settings<'p>,
    ) -> Self {
        let mut asking: FxHashMap<Head, Vec<usize>> = FxHashMap::default();
        for (index, property) in properties.iter().enumerate() {
            if let Property::Reach(points) = property {
                for point in points {
                    asking.entry(Head(point.0)).or_default().push(index);
                }
            }
        }
        let heads = |slot| plan.kind(slot).heads.len();
        let slots = || 0..plan.slots.len();
        Product {
            plan,
            bdds,
            maker: Moves::new(plan, bdds),
            watch: settings.watch,
            measure: settings.measure,
            violated: vec![None; properties.len()],
            properties: properties.to_vec(),
            asking,
            moves: slots()
                .map(|slot| (0..heads(slot)).map(|_| None).collect())
                .collect(),
            passing: slots().map(|slot| vec![None; heads(slot)]).collect(),
            reached: slots()
                .map(|slot| vec![bdds.constant(false); heads(slot)])
                .collect(),
            init: None,
            start: None,
            layers: Vec::new(),
            waiting: slots().map(|_| Sets::new()).collect(),
        }
    }

    pub fn sizes(&self) -> Sizes {
        Sizes {
            rules: self.steps(),
            edges: 0,
            reached_points: self.reached_points(),
            bdd_variables: self.plan.levels,
            operations: self.bdds.operations(),
            peak_live_nodes: self.bdds.peak_live_nodes(),
        }
    }

    /// How many control points some thread has come to.
    fn reached_points(&self) -> usize {
        let mut points: Vec<Head> = Vec::new();
        for (slot, reached) in self.reached.iter().enumerate() {
            let heads = self.plan.kind(slot).heads.iter().zip(reached);
            let heads = heads.filter(|(_, set)| !self.bdds.is_false(set));
            points.extend(
                heads
                    .map(|(head, _)| *head)
                    .filter(|head| *head != self.plan.end),
            );
        }
        points.sort_unstable();
        points.dedup();
        points.len()
    }

    /// How many steps of threads relations were made of.
    fn steps(&self) -> usize {
        let made = self.moves.iter().flatten().flatten();
        made.map(|moves| moves.len()).sum()
    }

    /// Explores one more layer. Once every property is violated it is left where it is.
    pub fn deepen(&mut self) -> Result<Layer, Stop> {
        if self.layers.is_empty() {
            self.begin()?;
        }
        let threads = 1..self.plan.slots.len();
        let layer = self.layers.len();
        self.layers.push(Vec::new());
        self.layers[layer].resize_with(self.plan.slots.len(), Context::default);
        let mut waiting = std::mem::take(&mut self.waiting);
        self.waiting.resize_with(self.plan.slots.len(), Sets::new);
        for running in threads.clone() {
            let entries = std::mem::take(&mut waiting[running]);
            self.layers[layer][running] = self.saturate(running, entries, layer)?;
            if self.is_decided() {
                // Where the threads behind it begin: their ways may be shorter.
                let contexts = self.layers[layer].iter_mut().zip(&mut waiting);
                for (context, entries) in contexts.skip(running + 1) {
                    context.entries = std::mem::take(entries);
                }
                break;
            }
            if self.measure == Measure::Rounds {
                let set = self.suspended(running, layer)?;
                for next in threads.clone().filter(|next| *next != running) {
                    let entries = self.divided(next, &set)?;
                    let to = match next > running {
                        true => &mut waiting[next],
                        false => &mut self.waiting[next],
                    };
                    for (head, set) in entries {
                        add(self.bdds, to, head, set)?;
                    }
                }
            }
        }
        if self.measure == Measure::Switches && !self.is_decided() {
            self.switch(layer)?;
        }
        let bound = layer as u64 + u64::from(self.measure == Measure::Rounds);
        let violated = self.violated.iter().enumerate();
        let violated = violated.filter(|(_, found)| **found == Some(layer));
        Ok(Layer {
            bound,
            violated: violated.map(|(index, _)| index).collect(),
            is_complete: !self.is_decided() && self.waiting.iter().all(Sets::is_empty),
        })
    }

    fn is_decided(&self) -> bool {
        self.violated.iter().all(Option::is_some)
    }

    /// Runs thread 0, if there is one, and lets any other thread be the first.
    fn begin(&mut self) -> Result<(), Stop> {
        let (plan, bdds) = (self.plan, self.bdds);
        let mut start = self.declared()?;
        if let Some(init) = plan.threads.init {
            let first = plan
                .kind(0)
                .index(Head(plan.program.procedure(init).entry().0));
            let starts = first.map(|first| (first, start));
            let context = self.saturate(0, starts.into_iter().collect(), 0)?;
            let ended = context.reached.get(&plan.kind(0).end());
            start = match ended {
                Some(ended) => self.maker.start()?.image(bdds, ended)?,
                None => bdds.constant(false),
            };
            self.init = Some(context);
        }
        for slot in 1..plan.slots.len() {
            self.waiting[slot] = self.divided(slot, &start)?;
        }
        self.start = Some(start);
        Ok(())
    }

    /// Where the program begins: declared threads are at their first points.
    pub(super) fn declared(&self) -> BddResult {
        let plan = self.plan;
        let mut literals = vec![(plan.exclusive, false)];
        let mut entries = Vec::new();
        if let Some(init) = plan.threads.init {
            entries.push((0, init));
        }
        for (start, slot) in plan.threads.declared.iter().zip(1..) {
            entries.push((slot, start.procedure));
            let place = plan.place(
                slot,
                Head(plan.program.procedure(start.procedure).entry().0),
            );
            for (argument, i) in start.arguments.iter().zip(0..) {
                let cell = plan
                    .rules
                    .layout
                    .cell(start.procedure, VariableId::Local(i));
                for (bit, weight) in cell.zip(0..) {
                    let level = place.and_then(|place| plan.level(place, bit));
                    let literal = level.zip(*argument);
                    literals
                        .extend(literal.map(|(level, value)| (level, value >> weight & 1 == 1)));
                }
            }
        }
        for (slot, procedure) in entries {
            let first = Head(plan.program.procedure(procedure).entry().0);
            if let Some(place) = plan.place(slot, first) {
                literals.extend(plan.site(place, None));
            }
            let index = plan.kind(slot).index(first);
            literals.extend(index.into_iter().flat_map(|index| plan.at(slot, index)));
        }
        for slot in plan.first_created()..plan.slots.len() {
            literals.extend(plan.not_begun(slot));
        }
        self.bdds.minterm(literals)
    }

    /// The steps of a thread from a head.
    pub(super) fn moves(&mut self, slot: usize, head: usize) -> Result<Rc<[Move]>, OutOfNodes> {
        if let Some(moves) = &self.moves[slot][head] {
            return Ok(moves.clone());
        }
        let moves: Rc<[Move]> = self.maker.from(slot, head, false)?.into();
        self.moves[slot][head] = Some(moves.clone());
        Ok(moves)
    }

    pub(super) fn check(&self) -> Result<(), Stop> {
        self.watch.check()
    }

    /// Lets a thread run from configurations, as far as they are new.
    fn saturate(&mut self, slot: usize, entries: Sets, layer: usize) -> Result<Context, Stop> {
        let bdds = self.bdds;
        let mut context = Context::default();
        let mut worklist = Sets::new();
        for (head, set) in entries {
            if let Some(new) = self.reach(slot, head, &set, &mut context, layer)? {
                context.entries.insert(head, new.clone());
                worklist.insert(head, new);
            }
        }
        while !self.is_decided()
            && let Some((head, set)) = worklist.pop_first()
        {
            self.watch.check()?;
            for step in &*self.moves(slot, head)? {
                let Some(to) = step.to else {
                    if !bdds.is_false(&step.enabled(bdds, &set)?) {
                        self.fail(slot, head, step, layer);
                    }
                    continue;
                };
                let after = step.image(bdds, &set)?;
                if let Some(new) = self.reach(slot, to, &after, &mut context, layer)? {
                    add(self.bdds, &mut worklist, to, new)?;
                }
            }
            let heads = self.plan.kind(slot).heads.len();
            self.watch
                .see([context.reached.len(), heads], worklist.len());
            bdds.safe_point();
        }
        context.is_whole = !self.is_decided();
        Ok(context)
    }

    /// Adds configurations to those that are known; what is new of them, if anything.
    fn reach(
        &mut self,
        slot: usize,
        head: usize,
        set: &Bdd,
        context: &mut Context,
        layer: usize,
    ) -> Result<Option<Bdd>, OutOfNodes> {
        let known = &mut self.reached[slot][head];
        let Some(new) = self.bdds.grow(known, set)? else {
            return Ok(None);
        };
        add(self.bdds, &mut context.reached, head, new.clone())?;
        let point = self.plan.kind(slot).heads[head];
        for index in self.asking.get(&point).into_iter().flatten() {
            self.violated[*index].get_or_insert(layer);
        }
        Ok(Some(new))
    }

    /// Notes that a step to *error* was found.
    fn fail(&mut self, slot: usize, head: usize, step: &Move, layer: usize) {
        let point = self.plan.kind(slot).heads[head];
        for (property, found) in self.properties.iter().zip(&mut self.violated) {
            if is_failure_of(property, point, step) {
                found.get_or_insert(layer);
            }
        }
    }

    /// Lets every other thread go on from where a layer's contexts may be left.
    fn switch(&mut self, layer: usize) -> Result<(), Stop> {
        let slots = self.plan.slots.len();
        let left = (0..slots).map(|slot| self.suspended(slot, layer));
        let left = left.collect::<Result<Vec<_>, _>>()?;
        // What is left by the threads before each, and by those behind it.
        let mut behind = vec![self.bdds.constant(false); slots + 1];
        for slot in (1..slots).rev() {
            behind[slot] = self.bdds.or(&behind[slot + 1], &left[slot])?;
        }
        let mut before = self.bdds.constant(false);
        for slot in 1..slots {
            self.watch.check()?;
            let others = self.bdds.or(&before, &behind[slot + 1])?;
            self.waiting[slot] = self.divided(slot, &others)?;
            before = self.bdds.or(&before, &left[slot])?;
            self.bdds.safe_point();
        }
        Ok(())
    }

    /// The configurations of a context in which another thread takes over, with the head of the
    /// running one encoded.
    fn suspended(&mut self, slot: usize, layer: usize) -> Result<Bdd, Stop> {
        let bdds = self.bdds;
        let shared = bdds.not(&bdds.variable(self.plan.exclusive))?;
        let mut all = bdds.constant(false);
        for (head, set) in self.layers[layer][slot].reached.clone() {
            let left = bdds.difference(&set, &self.passing(slot, head)?)?;
            let here = bdds.minterm(self.plan.at(slot, head))?;
            all = bdds.or(&all, &bdds.and(&left, &here)?)?;
        }
        Ok(bdds.and(&all, &shared)?)
    }

    /// Divides configurations by where a thread is that may go on in them, as far as they are
    /// new with this thread running.
    fn divided(&self, slot: usize, set: &Bdd) -> Result<Sets, OutOfNodes> {
        let bdds = self.bdds;
        let bits: Vec<_> = self.plan.slots[slot].at.clone().collect();
        let mut parts = vec![(set.clone(), 0, 0)];
        let mut divided = Sets::new();
        while let Some((part, place, number)) = parts.pop() {
            if bdds.is_false(&part) {
                continue;
            }
            if let Some(bit) = bits.get(place) {
                let cube = self.maker.cube([*bit])?;
                let variable = bdds.variable(*bit);
                let no = bdds.exists(&bdds.difference(&part, &variable)?, &cube)?;
                let yes = bdds.and_exists(&part, &variable, &cube)?;
                parts.extend([
                    (no, place + 1, number),
                    (yes, place + 1, number | 1 << place),
                ]);
                continue;
            }
            let Some(head) = usize::checked_sub(number, 1) else {
                continue;
            };
            // A thread that has ended has nothing to do.
            if head < self.plan.kind(slot).end() {
                let new = bdds.difference(&part, &self.reached[slot][head])?;
                if !bdds.is_false(&new) {
                    divided.insert(head, new);
                }
            }
        }
        Ok(divided)
    }
}

pub(super) fn add(bdds: &Bdds, sets: &mut Sets, head: usize, set: Bdd) -> Result<(), OutOfNodes> {
    match sets.get_mut(&head) {
        Some(known) => *known = bdds.or(known, &set)?,
        None => {
            sets.insert(head, set);
        }
    }
    Ok(())
}

/// Whether a step to *error* from a point is what a property asks for.
pub(super) fn is_failure_of(property: &Property, point: Head, step: &Move) -> bool {
    match property {
        Property::Assertions => true,
        Property::Assertion(points) => !step.is_failure && points.contains(&PointId(point.0)),
        Property::OtherFailures => step.is_failure,
        _ => false,
    }
}
