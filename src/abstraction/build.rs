//! A boolean program that has every execution of a program, seen through predicates (C2BP).
//!
//! Its variables are the predicates; procedures, calls and control stay what they are. A point
//! becomes a choice between its edges, and an edge one assignment under a constraint: the relation
//! of [`super::relation`] between the predicates before and after it. Of the predicates of a
//! procedure, those on parameters and globals are parameters; those on returned values,
//! globals and what parameters were at the entry are returned. Before a call, what is passed is
//! computed into variables of the caller's own; after it, what was returned tells what is
//! true of what the call may have changed, and the rest stays.

use super::draft::{Drafts, Link, Move, Origin};
use super::edges::{Edge, Steps, To, steps};
use super::predicate::{Predicate, PredicateId, Predicates};
use super::relation::{Question, Relation};
use super::symbols::{Frame, Role, Symbols};
use super::vocabulary::Vocabulary;
use crate::limits::abstraction::{
    PATTERNS, RELATION_CONFLICTS, RELEVANT_PREDICATES, TOLD_PREDICATES,
};
use crate::program::{Call, Operation, PointId, ProcedureId, Program, VariableId};
use crate::terms::{Node, Sort, Term, Terms, Unknown};
use crate::watch::{Gauge, Stop, Watch};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is kept between rounds: the program as terms, and relations that were computed.
pub struct Workshop<'p> {
    pub program: &'p Program,
    pub vocabulary: Vocabulary<'p>,
    pub terms: Terms,
    pub symbols: Symbols,
    /// By point.
    pub steps: Vec<Steps>,
    /// At a call, by point and global: what a global was that the callee may have changed.
    earlier: FxHashMap<PointId, FxHashMap<Unknown, Term>>,
    relations: FxHashMap<(Term, Vec<Term>, Vec<Term>), Relation>,
    /// Impossible combinations of truth values, and those that are known to be possible.
    pub(super) combinations: FxHashMap<Vec<Term>, bool>,
    /// How many patterns the relations of a point may have.
    patterns: FxHashMap<PointId, usize>,
    pub watch: Watch,
    /// Questions to the solver.
    pub calls: Gauge,
}

/// What is looked for.
pub struct Goals<'g> {
    pub point: &'g dyn Fn(PointId) -> bool,
    /// A failure at a point; the second says whether an assertion fails.
    pub failure: &'g dyn Fn(PointId, bool) -> bool,
}

/// A boolean program, and what its points are.
pub struct Abstract {
    pub program: Program,
    /// By point.
    pub origins: Vec<Origin>,
    /// Where it is to be found out whether control can come.
    pub goals: Vec<PointId>,
}

/// The predicates of a procedure in the boolean program.
pub struct Interface {
    /// Those on its variables: parameters first.
    pub predicates: Vec<PredicateId>,
    pub parameters: usize,
    /// Those that are returned, by their place in `predicates`.
    pub returned: Vec<usize>,
}

impl<'p> Workshop<'p> {
    pub fn new(program: &'p Program, watch: &Watch, calls: Gauge) -> Self {
        let mut terms = Terms::default();
        let symbols = Symbols::new(program, &mut terms);
        let points = (0..program.points.len() as u32).map(PointId);
        let steps: Vec<Steps> = points
            .map(|point| steps(program, &symbols, &mut terms, point))
            .collect();
        Workshop {
            program,
            vocabulary: Vocabulary::new(program),
            terms,
            symbols,
            steps,
            earlier: FxHashMap::default(),
            relations: FxHashMap::default(),
            combinations: FxHashMap::default(),
            patterns: FxHashMap::default(),
            watch: watch.clone(),
            calls,
        }
    }

    pub fn interface(&self, predicates: &Predicates, procedure: ProcedureId) -> Interface {
        let mut all = predicates.of(Some(procedure));
        let is_passed = |id: &PredicateId| self.is_passed(procedure, predicates.get(*id));
        all.sort_by_key(|id| !is_passed(id));
        let parameters = all.iter().filter(|id| is_passed(id)).count();
        let is_returned = |place: &usize| self.is_returned(procedure, predicates.get(all[*place]));
        Interface {
            returned: (0..all.len()).filter(is_returned).collect(),
            parameters,
            predicates: all,
        }
    }

    /// Whether a call tells a predicate of its callee: one on parameters and globals.
    pub fn is_passed(&self, procedure: ProcedureId, predicate: &Predicate) -> bool {
        let frame = Frame::of(self.program, procedure);
        predicate.cells().iter().all(|variable| match variable {
            VariableId::Global(_) => true,
            VariableId::Local(local) => {
                matches!(frame.role(*local), Role::Parameter(_) | Role::Entry(_))
            }
        })
    }

    /// Whether a return tells a predicate of the callee: one on what the caller knows, and on
    /// something that the call decides.
    pub fn is_returned(&self, procedure: ProcedureId, predicate: &Predicate) -> bool {
        let frame = Frame::of(self.program, procedure);
        let cells = predicate.cells();
        let is_known = |variable: &VariableId| match variable {
            VariableId::Global(_) => true,
            VariableId::Local(local) => match frame.role(*local) {
                Role::Parameter(one) => self.symbols.is_unchanged(procedure, one),
                Role::Entry(_) | Role::Returned(_) => true,
                Role::Local => false,
            },
        };
        let is_decided = |variable: &VariableId| match variable {
            VariableId::Global(global) => self.symbols.may_change(procedure, *global),
            VariableId::Local(local) => matches!(frame.role(*local), Role::Returned(_)),
        };
        cells.iter().all(is_known) && cells.iter().any(is_decided)
    }

    /// Lets the relations of a point have more patterns; false if they have all they may.
    pub fn sharpen(&mut self, point: PointId, most: usize) -> bool {
        let patterns = self.patterns.entry(point).or_insert(PATTERNS);
        let is_more = *patterns < most;
        *patterns = (*patterns * 16).min(most);
        is_more
    }

    /// The boolean program.
    pub fn build(&mut self, predicates: &Predicates, goals: &Goals<'_>) -> Result<Abstract, Stop> {
        let program = self.program;
        let interfaces: Vec<Interface> = program
            .procedure_ids()
            .map(|id| self.interface(predicates, id))
            .collect();
        let mut drafts = Drafts::new(program, predicates, &interfaces);
        for procedure in program.procedure_ids() {
            let mut scene = Scene {
                workshop: self,
                predicates,
                interfaces: &interfaces,
                procedure,
                goals,
                drafts: &mut drafts,
            };
            scene.procedure()?;
        }
        Ok(drafts.finish())
    }

    fn relation(
        &mut self,
        point: PointId,
        condition: Term,
        before: &[Term],
        after: &[Term],
    ) -> Result<Relation, Stop> {
        let key = (condition, before.to_vec(), after.to_vec());
        let patterns = self.patterns.get(&point).copied();
        let patterns = patterns.unwrap_or(PATTERNS);
        if let Some(known) = self.relations.get(&key) {
            // A lossy one may have been made with fewer patterns.
            if !known.is_lossy() || patterns == PATTERNS {
                return Ok(known.clone());
            }
        }
        let question = Question {
            condition,
            before,
            after,
            patterns,
            conflicts: RELATION_CONFLICTS,
        };
        let (relation, calls) = question.answer(&mut self.terms, &self.watch)?;
        (0..calls).for_each(|_| self.calls.count());
        self.relations.insert(key, relation.clone());
        Ok(relation)
    }

    /// What globals were before a call that may change them.
    pub fn earlier(&mut self, at: PointId, call: &Call) -> FxHashMap<Unknown, Term> {
        if let Some(known) = self.earlier.get(&at) {
            return known.clone();
        }
        let mut earlier = FxHashMap::default();
        for (global, index) in self.symbols.globals().to_vec().into_iter().zip(0..) {
            if self.symbols.may_change(call.callee, index)
                && let Node::Unknown(unknown) = self.terms.get(global)
            {
                let sort: Sort = self.terms.sort(global);
                earlier.insert(unknown, self.terms.unknown(sort));
            }
        }
        self.earlier.insert(at, earlier.clone());
        earlier
    }

    /// What stands for the variables of a callee in its caller: parameters, and what they were at
    /// the entry, are the arguments; what is returned are the results.
    pub fn passed(
        &self,
        callee: ProcedureId,
        arguments: &[Term],
        results: &[Term],
    ) -> FxHashMap<Unknown, Term> {
        let frame = Frame::of(self.program, callee);
        let mut passed = FxHashMap::default();
        let mut put = |variable: VariableId, term: Term| {
            let own = self.symbols.term(callee, variable);
            if let Node::Unknown(unknown) = self.terms.get(own) {
                passed.insert(unknown, term);
            }
        };
        for (argument, i) in arguments.iter().zip(0..) {
            put(VariableId::Local(i), *argument);
            put(frame.entry(i), *argument);
        }
        for (result, i) in results.iter().zip(0..) {
            put(frame.returned(i), *result);
        }
        passed
    }

    /// The updates of an edge, by variables of terms.
    pub fn replacement(&self, procedure: ProcedureId, edge: &Edge) -> FxHashMap<Unknown, Term> {
        let updates = edge.updates.iter();
        let pairs = updates.filter_map(|(variable, term)| {
            match self.terms.get(self.symbols.term(procedure, *variable)) {
                Node::Unknown(unknown) => Some((unknown, *term)),
                _ => None,
            }
        });
        pairs.collect()
    }
}

/// Where truth values are, in the boolean program.
type Place = (VariableId, Term);

/// The abstraction of one procedure.
struct Scene<'a, 'p> {
    workshop: &'a mut Workshop<'p>,
    predicates: &'a Predicates,
    interfaces: &'a [Interface],
    procedure: ProcedureId,
    goals: &'a Goals<'a>,
    drafts: &'a mut Drafts<'p>,
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

    fn procedure(&mut self) -> Result<(), Stop> {
        let program = self.workshop.program;
        let procedure = program.procedure(self.procedure);
        self.drafts.begin(self.procedure);
        let places: Vec<Place> = self.globals().into_iter().chain(self.locals()).collect();
        let values: Vec<Term> = places.iter().map(|(_, term)| *term).collect();
        let clauses = self.workshop.impossible(&values)?;
        let read = |value: u32| Operation::Read(places[value as usize].0);
        if !clauses.is_empty() {
            self.drafts
                .enforce(Relation::Clauses(clauses).operations(&read));
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

    fn point(&mut self, at: PointId) -> Result<(), Stop> {
        let steps = self.workshop.steps[at.0 as usize].clone();
        self.drafts.at(at);
        if (self.goals.point)(at) {
            // A step to here may have arrived in an impossible combination: one more leaves those.
            self.drafts.goal(at);
        }
        let mut kept: Vec<(usize, To, Move)> = Vec::new();
        for (index, edge) in steps.edges.iter().enumerate() {
            let is_wanted = match edge.to {
                To::Error { assertion } => (self.goals.failure)(at, assertion),
                _ => true,
            };
            if !is_wanted {
                continue;
            }
            let (before, after) = self.sides(at, &steps, edge);
            if let Some(moves) = self.relate(at, edge.condition, &before, after)? {
                kept.push((index, edge.to, moves));
            }
        }
        let fork = self.drafts.fork(Origin::Fork(at), kept.len());
        for (branch, (index, to, moves)) in kept.into_iter().enumerate() {
            self.drafts.branch(fork, branch);
            let next = match to {
                To::Point(target) => self.link(at, target),
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
    fn relevant(&self, condition: Term, before: &[Place], after: &[Place]) -> Vec<Place> {
        let terms = &self.workshop.terms;
        let roots = after.iter().map(|(_, term)| *term).chain([condition]);
        let mut seen: FxHashSet<Unknown> = terms.unknowns_in(roots).into_iter().collect();
        let mut waiting: Vec<(Place, Vec<Unknown>)> = before
            .iter()
            .map(|place| (*place, terms.unknowns_in([place.1])))
            .collect();
        let mut chosen = Vec::new();
        while chosen.len() < RELEVANT_PREDICATES {
            let (near, far): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|(_, unknowns)| unknowns.iter().any(|one| seen.contains(one)));
            waiting = far;
            if near.is_empty() {
                break;
            }
            for (place, unknowns) in near.into_iter().take(RELEVANT_PREDICATES - chosen.len()) {
                seen.extend(unknowns);
                chosen.push(place);
            }
        }
        chosen
    }

    /// What a step does to the values; nothing if it is never taken.
    fn relate(
        &mut self,
        at: PointId,
        condition: Term,
        before: &[Place],
        after: Vec<Place>,
    ) -> Result<Option<Move>, Stop> {
        let changed: Vec<VariableId> = after.iter().map(|(place, _)| *place).collect();
        // What does not fit into a pattern may become anything.
        let told = &after[..after.len().min(TOLD_PREDICATES)];
        let before = self.relevant(condition, before, told);
        let terms = |places: &[Place]| -> Vec<Term> { places.iter().map(|(_, t)| *t).collect() };
        let relation = self
            .workshop
            .relation(at, condition, &terms(&before), &terms(told))?;
        let reads = before.iter().map(|(place, _)| Operation::Read(*place));
        let reads = reads.chain(told.iter().map(|(place, _)| Operation::ReadNext(*place)));
        let reads: Vec<Operation> = reads.collect();
        Ok((!relation.is_empty()).then(|| Move {
            changed,
            constrain: (!relation.is_full())
                .then(|| relation.operations(&|value| reads[value as usize])),
        }))
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
            if let Some(moves) = self.relate(at, edge.condition, &before, after)? {
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
