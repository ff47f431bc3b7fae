//! The abstraction of one procedure: its points, edges, calls and returns, with what they do to truth
//! values.

use super::build::{Goals, Interface, Probe, Workshop};
use super::draft::{Drafts, Link, Meaning, Move, Origin, Place};
use super::edges::{Edge, Steps, To};
use super::predicate::{PredicateId, Predicates};
use super::relation::Relation;
use super::symbols::{Frame, Role};
use crate::limits::abstraction::{
    JOINT_VALUES, PART_PREDICATES, RELEVANT_PREDICATES, TOLD_PREDICATES,
};
use crate::program::{Operation, PointId, ProcedureId, VariableId};
use crate::terms::{Term, Unknown};
use crate::watch::Stop;
use rustc_hash::FxHashSet;

/// Conditions over truth values: in each clause, one has the sign that stands beside it.
type Clauses = Vec<Vec<(u32, bool)>>;

/// The abstraction of one procedure.
pub(super) struct Scene<'a, 'p> {
    pub workshop: &'a mut Workshop<'p>,
    pub predicates: &'a Predicates,
    pub interfaces: &'a [Interface],
    pub procedure: ProcedureId,
    pub goals: &'a Goals<'a>,
    pub drafts: &'a mut Drafts<'p>,
    /// What holds of the values of globals and of this procedure together, but not on a return:
    /// clauses over their places. A frame that waits speaks of the globals as they were.
    pub together: Clauses,
}

impl Scene<'_, '_> {
    fn interface(&self, procedure: ProcedureId) -> &Interface {
        &self.interfaces[procedure.0 as usize]
    }

    /// The predicates of the globals, and of this procedure, with their terms.
    fn globals(&self) -> Vec<Place> {
        let all = self.predicates.of(None).into_iter().zip(0..);
        all.map(|(id, i)| (VariableId::Global(i), self.predicates.term(id)))
            .collect()
    }

    fn locals(&self) -> Vec<Place> {
        let all = self.interface(self.procedure).predicates.iter().zip(0..);
        all.map(|(id, i)| (VariableId::Local(i), self.predicates.term(*id)))
            .collect()
    }

    pub fn procedure(&mut self) -> Result<(), Stop> {
        let program = self.workshop.program;
        let procedure = program.procedure(self.procedure);
        self.drafts.begin(self.procedure);
        let places: Vec<Place> = self.globals().into_iter().chain(self.locals()).collect();
        let values: Vec<Term> = places.iter().map(|(_, term)| *term).collect();
        let clauses = self.workshop.impossible(&values)?;
        let (always, together) = self.divide(clauses);
        self.together = together;
        let read = |value: u32| Operation::Read(places[value as usize].0);
        if !always.is_empty() {
            self.drafts
                .enforce(Relation::Clauses(always).operations(&read));
        }
        for point in procedure.points.start..procedure.points.end - 1 {
            self.point(PointId(point))?;
        }
        let returned = &self.interface(self.procedure).returned;
        let returned: Vec<VariableId> = returned
            .iter()
            .map(|i| VariableId::Local(*i as u32))
            .collect();
        // Where control runs off the end, what is returned is arbitrary.
        let frame = Frame::of(program, self.procedure);
        let is_returned = |variable: &VariableId| match variable {
            VariableId::Local(local) => matches!(frame.role(*local), Role::Returned(_)),
            VariableId::Global(_) => false,
        };
        let own = self.interface(self.procedure).predicates.iter().zip(0..);
        let arbitrary: Vec<VariableId> = own
            .filter(|(id, _)| self.predicates.get(**id).cells().iter().any(is_returned))
            .map(|(_, i)| VariableId::Local(i))
            .collect();
        self.drafts.leave(self.procedure, arbitrary, returned);
        Ok(())
    }

    /// Clauses that hold also when a call returns, and those that do not: these speak of globals
    /// and of a predicate of the frame about others that the call may have changed.
    fn divide(&self, clauses: Clauses) -> (Clauses, Clauses) {
        let program = self.workshop.program;
        let points = program.procedure(self.procedure).points.clone();
        let callees = points.filter_map(|point| match &program.point(PointId(point)).action {
            crate::program::Action::Call(call) => Some(call.callee),
            _ => None,
        });
        let callees: FxHashSet<ProcedureId> = callees.collect();
        let symbols = &self.workshop.symbols;
        let may_change = |global: u32| callees.iter().any(|one| symbols.may_change(*one, global));
        let own = self.interface(self.procedure).predicates.iter();
        let is_stale: Vec<bool> = own
            .map(|id| {
                let cells = self.predicates.get(*id).cells();
                cells.iter().any(|cell| match cell {
                    VariableId::Global(global) => may_change(*global),
                    VariableId::Local(_) => false,
                })
            })
            .collect();
        let globals = self.predicates.of(None).len();
        clauses.into_iter().partition(|clause| {
            let mut values = clause.iter().map(|(value, _)| *value as usize);
            let has_globals = values.clone().any(|value| value < globals);
            !(has_globals && values.any(|value| value >= globals && is_stale[value - globals]))
        })
    }

    /// What holds of all values together, before a step or after one that changes some.
    fn consistent(&self, changed: &[VariableId]) -> Option<Vec<Operation>> {
        if self.together.is_empty() {
            return None;
        }
        let places = self.globals().into_iter().chain(self.locals());
        let places: Vec<VariableId> = places.map(|(place, _)| place).collect();
        let read = |value: u32| match places[value as usize] {
            place if changed.contains(&place) => Operation::ReadNext(place),
            place => Operation::Read(place),
        };
        Some(Relation::Clauses(self.together.clone()).operations(&read))
    }

    fn point(&mut self, at: PointId) -> Result<(), Stop> {
        let Some(blocks) = self.workshop.blocks[at.0 as usize].clone() else {
            return Ok(());
        };
        let steps = self.workshop.steps[at.0 as usize].clone();
        self.drafts.at(at);
        if (self.goals.point)(at) {
            // A step to here may have arrived in an impossible combination: one more leaves those.
            self.drafts.goal(at, self.consistent(&[]));
        }
        self.probes(at);
        let mut kept: Vec<(usize, To, Move)> = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let edge = &block.edge;
            let is_wanted = match edge.to {
                To::Error { assertion } => (self.goals.failure)(block.last(), assertion),
                _ => true,
            };
            if !is_wanted {
                continue;
            }
            let (before, after) = self.sides(at, &steps, edge);
            if let Some((mut moves, meaning)) = self.relate(edge.condition, &before, after)? {
                self.drafts.mean(Origin::Edge(at, index), meaning);
                moves.require(self.consistent(&[]));
                moves.require(self.consistent(&moves.changed));
                kept.push((index, edge.to, moves));
            }
        }
        let fork = self.drafts.fork(Origin::Fork(at), kept.len());
        for (branch, (index, to, moves)) in kept.into_iter().enumerate() {
            self.drafts.branch(fork, branch);
            let next = match to {
                To::Point(target) => self.link(blocks[index].last(), target),
                To::Error { .. } => Link::Failure,
                To::Callee => Link::Next,
                To::Caller | To::End => Link::End,
            };
            self.drafts.step(Origin::Edge(at, index), &moves, next);
            if to == To::Callee {
                self.call(at, &steps)?;
            }
        }
        Ok(())
    }

    /// A branch for each clause at a point: it is taken where that is false.
    fn probes(&mut self, at: PointId) {
        let probes = self.goals.probes;
        let own = probes.iter().filter(|probe| probe.point == at);
        let own: Vec<&Probe> = own.collect();
        if own.is_empty() {
            return;
        }
        let globals = self.predicates.of(None);
        let locals = &self.interface(self.procedure).predicates;
        let read = |id: PredicateId| {
            let place = |list: &[PredicateId]| list.iter().position(|one| *one == id);
            let global = place(&globals).map(|place| VariableId::Global(place as u32));
            let local = || place(locals).map(|place| VariableId::Local(place as u32));
            global.or_else(local).map(Operation::Read)
        };
        let mut conditions = Vec::new();
        for probe in own {
            let consistent = self.consistent(&[]);
            let mut condition = consistent.unwrap_or(vec![Operation::Constant(true)]);
            for (id, is_true) in &probe.clause {
                condition.extend(read(*id));
                condition.extend(is_true.then_some(Operation::Not));
                condition.push(Operation::And);
            }
            conditions.push(condition);
        }
        self.drafts.probe(at, conditions);
    }

    /// Where an edge leads in the boolean program.
    fn link(&self, from: PointId, target: PointId) -> Link {
        let program = self.workshop.program;
        let is_exit = target == program.procedure(self.procedure).exit();
        match &program.point(from).action {
            crate::program::Action::Return { .. } => Link::Leave,
            _ if is_exit => Link::RunOff,
            _ => Link::Point(target),
        }
    }

    /// The values before an edge, and those that it changes.
    fn sides(&mut self, at: PointId, steps: &Steps, edge: &Edge) -> (Vec<Place>, Vec<Place>) {
        let before: Vec<Place> = self.globals().into_iter().chain(self.locals()).collect();
        let replacement = self.workshop.replacement(self.procedure, edge);
        let terms: Vec<Term> = before.iter().map(|(_, term)| *term).collect();
        let changed = self.workshop.terms.substitute(&terms, &replacement);
        let pairs = before.iter().zip(changed);
        let mut after: Vec<Place> = pairs
            .filter(|((_, old), new)| old != new)
            .map(|((place, _), new)| (*place, new))
            .collect();
        if let (To::Callee, Some(passing)) = (edge.to, &steps.passing) {
            let callee = self.drafts.callee(at);
            let mut passed = self.workshop.passed(callee, &passing.arguments, &[]);
            for (unknown, term) in replacement {
                passed.entry(unknown).or_insert(term);
            }
            let interface = self.interface(callee);
            let parameters = interface.predicates[..interface.parameters].iter();
            let terms: Vec<Term> = parameters.map(|id| self.predicates.term(*id)).collect();
            let terms = self.workshop.terms.substitute(&terms, &passed);
            let places = self.drafts.arguments(self.procedure, terms.len());
            after.extend(places.into_iter().zip(terms));
        }
        (before, after)
    }

    /// The values that may tell something about the condition or what comes after: those that
    /// share a variable with it, or with one of these, nearest first.
    fn relevant(
        &self,
        condition: Term,
        before: &[Place],
        after: &[Place],
        most: usize,
    ) -> Vec<Place> {
        let terms = &self.workshop.terms;
        let roots = after.iter().map(|(_, term)| *term).chain([condition]);
        let mut seen: FxHashSet<Unknown> = terms.unknowns_in(roots).into_iter().collect();
        let mut waiting: Vec<(Place, Vec<Unknown>)> = before
            .iter()
            .map(|place| (*place, terms.unknowns_in([place.1])))
            .collect();
        let mut chosen = Vec::new();
        while chosen.len() < most {
            let (near, far): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|(_, unknowns)| unknowns.iter().any(|one| seen.contains(one)));
            waiting = far;
            if near.is_empty() {
                break;
            }
            for (place, unknowns) in near.into_iter().take(most - chosen.len()) {
                seen.extend(unknowns);
                chosen.push(place);
            }
        }
        chosen
    }

    /// What a step does to the values; nothing if it is never taken.
    fn relate(
        &mut self,
        condition: Term,
        before: &[Place],
        after: Vec<Place>,
    ) -> Result<Option<(Move, Meaning)>, Stop> {
        let changed: Vec<VariableId> = after.iter().map(|(place, _)| *place).collect();
        // What does not fit into a pattern may become anything.
        let told = &after[..after.len().min(TOLD_PREDICATES)];
        let near = self.relevant(condition, before, told, RELEVANT_PREDICATES);
        let is_small = near.len() + told.len() <= JOINT_VALUES;
        let parts = match is_small {
            true => vec![self.part(condition, &near, told)?],
            false => self.parts(condition, before, told)?,
        };
        let is_possible = !parts.iter().any(|(relation, _)| relation.is_empty());
        let mut moves = Move {
            changed,
            constrain: None,
        };
        for (relation, reads) in parts.iter().filter(|(relation, _)| !relation.is_full()) {
            moves.require(Some(relation.operations(&|value| reads[value as usize])));
        }
        for lemma in self.workshop.lemmas.of(condition, before, &after) {
            moves.require(Some(lemma));
        }
        let meaning = Meaning {
            condition,
            before: before.to_vec(),
            after,
        };
        Ok(is_possible.then_some((moves, meaning)))
    }

    /// A relation between values before a step and after it, and how these are read.
    fn part(
        &mut self,
        condition: Term,
        before: &[Place],
        after: &[Place],
    ) -> Result<(Relation, Vec<Operation>), Stop> {
        let terms = |places: &[Place]| -> Vec<Term> { places.iter().map(|(_, t)| *t).collect() };
        let relation = self
            .workshop
            .relation(condition, &terms(before), &terms(after))?;
        let reads = before.iter().map(|(place, _)| Operation::Read(*place));
        let reads = reads.chain(after.iter().map(|(place, _)| Operation::ReadNext(*place)));
        Ok((relation, reads.collect()))
    }

    /// What is known before a step, and of each value after it by itself: what they have to do
    /// with each other is left to [`super::combinations`]. Much less is asked for, and most of it
    /// again in the next round.
    fn parts(
        &mut self,
        condition: Term,
        before: &[Place],
        after: &[Place],
    ) -> Result<Vec<(Relation, Vec<Operation>)>, Stop> {
        let near = self.relevant(condition, before, &[], PART_PREDICATES);
        let mut parts = vec![self.part(condition, &near, &[])?];
        let unknowns = |scene: &Self, places: &[Place]| -> FxHashSet<Unknown> {
            let roots = places.iter().map(|(_, term)| *term);
            scene
                .workshop
                .terms
                .unknowns_in(roots)
                .into_iter()
                .collect()
        };
        let asked = self.workshop.terms.unknowns_in([condition]);
        for one in after.iter().map(std::slice::from_ref) {
            let meets =
                |known: &FxHashSet<Unknown>| asked.iter().any(|unknown| known.contains(unknown));
            let own = unknowns(self, one);
            let seen = if meets(&own) { condition } else { Term::TRUE };
            let near = self.relevant(seen, before, one, PART_PREDICATES);
            let is_met = seen == condition || meets(&unknowns(self, &near));
            let seen = if is_met { condition } else { Term::TRUE };
            parts.push(self.part(seen, &near, one)?);
        }
        Ok(parts)
    }

    /// The call itself, and what follows from its results.
    fn call(&mut self, at: PointId, steps: &Steps) -> Result<(), Stop> {
        let crate::program::Action::Call(call) = &self.workshop.program.point(at).action else {
            unreachable!("only a call has an edge to its callee");
        };
        let Some(passing) = &steps.passing else {
            unreachable!("a call passes something on");
        };
        let interface = self.interface(call.callee);
        let (parameters, returned) = (interface.parameters, interface.returned.clone());
        let returned: Vec<PredicateId> =
            returned.iter().map(|i| interface.predicates[*i]).collect();
        let arguments = self.drafts.arguments(self.procedure, parameters);
        let results = self.drafts.results(self.procedure, returned.len());
        self.drafts
            .call(at, call.callee, arguments, results.clone());
        // What is known after the return: the frame that waited speaks of earlier globals.
        let earlier = self.workshop.earlier(at, call);
        let mut before = self.globals();
        let (places, own): (Vec<_>, Vec<_>) = self.locals().into_iter().unzip();
        let then = self.workshop.terms.substitute(&own, &earlier);
        before.extend(places.iter().copied().zip(then.iter().copied()));
        let passed: Vec<Term> = match call.assignments.is_empty() {
            true => self.workshop.terms.substitute(&passing.arguments, &earlier),
            // What they were computed from has changed.
            false => passing
                .arguments
                .iter()
                .map(|argument| {
                    let sort = self.workshop.terms.sort(*argument);
                    self.workshop.terms.unknown(sort)
                })
                .collect(),
        };
        let passed = self.workshop.passed(call.callee, &passed, &passing.results);
        let told: Vec<Term> = returned
            .iter()
            .map(|id| self.predicates.term(*id))
            .collect();
        let told = self.workshop.terms.substitute(&told, &passed);
        before.extend(results.into_iter().zip(told));
        let mut kept = Vec::new();
        for (index, edge) in passing.resumed.iter().enumerate() {
            if let To::Error { assertion } = edge.to
                && !(self.goals.failure)(at, assertion)
            {
                continue;
            }
            let replacement = self.workshop.replacement(self.procedure, edge);
            let mut after: Vec<Place> = Vec::new();
            let global = self.globals();
            let terms: Vec<Term> = global.iter().map(|(_, term)| *term).collect();
            let new = self.workshop.terms.substitute(&terms, &replacement);
            let pairs = global.iter().zip(new);
            after.extend(
                pairs
                    .filter(|((_, a), b)| a != b)
                    .map(|((place, _), b)| (*place, b)),
            );
            let new = self.workshop.terms.substitute(&own, &replacement);
            let pairs = places.iter().zip(then.iter().zip(new));
            after.extend(
                pairs
                    .filter(|(_, (a, b))| *a != b)
                    .map(|(place, (_, b))| (*place, b)),
            );
            if let Some((mut moves, meaning)) = self.relate(edge.condition, &before, after)? {
                self.drafts.mean(Origin::Resumed(at, index), meaning);
                moves.require(self.consistent(&moves.changed));
                kept.push((index, edge.to, moves));
            }
        }
        let fork = self.drafts.fork(Origin::ForkResumed(at), kept.len());
        for (branch, (index, to, moves)) in kept.into_iter().enumerate() {
            self.drafts.branch(fork, branch);
            let next = match to {
                To::Point(target) => self.link(at, target),
                _ => Link::Failure,
            };
            self.drafts.step(Origin::Resumed(at, index), &moves, next);
        }
        Ok(())
    }
}
