//! Predicates that exclude a path.
//!
//! The path is followed once more as the boolean program sees it: at each step all variables are
//! new, and what is known of them is what the predicates say. Each candidate has a *selector*;
//! where that is true, the candidate is one of the predicates. If the path is impossible with
//! all of them selected, a minimal set of selectors that makes it so is the choice: one
//! question to the solver for each stage of the pool, and some more to find what can be left out.

use super::build::Workshop;
use super::edges::{Edge, To};
use super::path::{Event, Path};
use super::pool::{NEAR_STAGES, Pool, STAGES, candidates};
use super::predicate::{Predicate, Predicates};
use super::symbols::Frame;
use crate::limits::abstraction::DISCOVERY_CONFLICTS;
use crate::program::{Action, ProcedureId, VariableId};
use crate::sat::Prover;
use crate::terms::{Node, Sort, Term, Unknown};
use crate::watch::{Abort, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

/// A predicate along the path.
struct Candidate {
    predicate: Predicate,
    term: Term,
    unknowns: Vec<Unknown>,
    /// True if it is one of the predicates.
    selector: Term,
}

/// What the boolean program knows in a frame: the value of each of its candidates.
type Known = FxHashMap<usize, Term>;

/// Finds predicates that exclude a path of which these events exclude each other; none if all
/// that could be added would not.
pub fn discover(
    workshop: &mut Workshop<'_>,
    predicates: &Predicates,
    path: &Path,
    core: &[usize],
) -> Result<Option<Vec<Predicate>>, Stop> {
    workshop.sample()?;
    let relevant = relevant_variables(workshop, path, core);
    // What holds in loops may exclude the path for another reason than the one that was found.
    let every: Vec<usize> = (0..path.events.len()).collect();
    let all_relevant = relevant_variables(workshop, path, &every);
    let mut procedures: Vec<ProcedureId> = all_relevant.keys().copied().collect();
    procedures.sort_unstable();
    let mut all: Vec<Candidate> = Vec::new();
    // What is there already is selected for nothing.
    for id in (0..predicates.len() as u32).map(super::predicate::PredicateId) {
        let (predicate, term) = (predicates.get(id).clone(), predicates.term(id));
        all.push(Candidate {
            unknowns: workshop.terms.unknowns_in([term]),
            predicate,
            term,
            selector: Term::TRUE,
        });
    }
    let known = all.len();
    let pool = Pool::new(workshop, &procedures);
    for stage in 0..STAGES {
        for (place, procedure) in procedures.iter().enumerate() {
            let near = relevant.get(procedure);
            let near = match stage < NEAR_STAGES {
                true => &all_relevant[procedure],
                false => match near {
                    Some(near) => near,
                    None => continue,
                },
            };
            for predicate in candidates(workshop, &pool, place, near, stage) {
                let term = predicate.term(workshop.program, &workshop.symbols, &mut workshop.terms);
                let negated = workshop.terms.not(term);
                let is_there = |one: &Candidate| {
                    let same = one.term == term || one.term == negated;
                    one.predicate.scope == predicate.scope
                        && (same || one.predicate.text == predicate.text)
                };
                if workshop.terms.constant(term).is_some() || all.iter().any(is_there) {
                    continue;
                }
                all.push(Candidate {
                    unknowns: workshop.terms.unknowns_in([term]),
                    predicate,
                    term,
                    selector: workshop.terms.unknown(Sort::Truth),
                });
            }
        }
        if all.len() == known && stage + 1 < STAGES {
            continue;
        }
        match choose(workshop, &all, path) {
            Ok(Some(chosen)) => {
                let chosen = chosen.into_iter().map(|place| all[place].predicate.clone());
                return Ok(Some(chosen.collect()));
            }
            Ok(None) | Err(Abort::OverBudget) => {}
            Err(Abort::Stop(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

/// The variables that the core depends on, by procedure, ghosts included.
fn relevant_variables(
    workshop: &Workshop<'_>,
    path: &Path,
    core: &[usize],
) -> FxHashMap<ProcedureId, FxHashSet<VariableId>> {
    let program = workshop.program;
    let mut relevant: FxHashMap<ProcedureId, FxHashSet<VariableId>> = FxHashMap::default();
    let mut globals: FxHashSet<VariableId> = FxHashSet::default();
    let mut names: FxHashMap<Unknown, (Option<ProcedureId>, VariableId)> = FxHashMap::default();
    let symbols = &workshop.symbols;
    let unknown_of = |term: Term| match workshop.terms.get(term) {
        Node::Unknown(unknown) => Some(unknown),
        _ => None,
    };
    for (term, i) in symbols.globals().iter().zip(0..) {
        names.extend(unknown_of(*term).map(|unknown| (unknown, (None, VariableId::Global(i)))));
    }
    for id in program.procedure_ids() {
        for (term, i) in symbols.locals(id).iter().zip(0..) {
            let unknown = unknown_of(*term);
            names.extend(unknown.map(|unknown| (unknown, (Some(id), VariableId::Local(i)))));
        }
    }
    // Until nothing is added: the variables that the conditions, and values of what is
    // relevant, are made of.
    loop {
        let mut read: Vec<Term> = Vec::new();
        for (event, place) in path.events.iter().zip(0..) {
            let (at, index) = match *event {
                Event::Edge(at, index) | Event::Resumed(at, index) => (at, index),
                Event::Claim(term, _) => {
                    read.extend(core.contains(&place).then_some(term));
                    continue;
                }
            };
            let procedure = program.point(at).procedure;
            let steps = &workshop.steps[at.0 as usize];
            let passing = steps.passing.as_ref();
            let edge = match (event, passing) {
                (Event::Resumed(..), Some(passing)) => &passing.resumed[index],
                _ => workshop.edge(at, index),
            };
            if core.contains(&place) {
                read.push(edge.condition);
            }
            let is_relevant = |variable: &VariableId| {
                globals.contains(variable)
                    || relevant
                        .get(&procedure)
                        .is_some_and(|own| own.contains(variable))
            };
            let set = edge
                .updates
                .iter()
                .filter(|(variable, _)| is_relevant(variable));
            read.extend(set.map(|(_, value)| *value));
            let Action::Call(call) = &program.point(at).action else {
                continue;
            };
            let Some(passing) = passing else { continue };
            let frame = Frame::of(program, call.callee);
            let callee = relevant.get(&call.callee);
            match event {
                Event::Edge(..) => {
                    for (argument, i) in passing.arguments.iter().zip(0..) {
                        let own = [VariableId::Local(i), frame.entry(i)];
                        if callee.is_some_and(|callee| own.iter().any(|one| callee.contains(one))) {
                            read.push(*argument);
                        }
                    }
                }
                Event::Resumed(..) | Event::Claim(..) => {
                    // A result that matters is what the callee returns, and what its arguments tell.
                    let used = workshop.terms.unknowns_in(read.iter().copied());
                    for (result, i) in passing.results.iter().zip(0..) {
                        let is_used = unknown_of(*result).is_some_and(|one| used.contains(&one));
                        if is_used {
                            read.push(symbols.term(call.callee, frame.returned(i)));
                            read.extend(&passing.arguments);
                            let parameters = 0..program.procedure(call.callee).parameters;
                            read.extend(parameters.map(|parameter| {
                                let variable = match symbols.is_unchanged(call.callee, parameter) {
                                    true => VariableId::Local(parameter),
                                    false => frame.entry(parameter),
                                };
                                symbols.term(call.callee, variable)
                            }));
                        }
                    }
                }
            }
        }
        let mut grew = false;
        for unknown in workshop.terms.unknowns_in(read) {
            match names.get(&unknown) {
                Some((None, variable)) => grew |= globals.insert(*variable),
                Some((Some(procedure), variable)) => {
                    grew |= relevant.entry(*procedure).or_default().insert(*variable);
                }
                None => {}
            }
        }
        if !grew {
            break;
        }
    }
    // Globals can be spoken of everywhere on the path.
    for at in path.events.iter().filter_map(|event| event.point()) {
        let own = relevant.entry(program.point(at).procedure).or_default();
        own.extend(&globals);
    }
    relevant
}

/// A minimal choice of candidates that excludes the path, by their places.
fn choose(
    workshop: &mut Workshop<'_>,
    candidates: &[Candidate],
    path: &Path,
) -> Result<Option<Vec<usize>>, Abort> {
    let mut prover = Prover::new(&workshop.watch, DISCOVERY_CONFLICTS);
    let mut view = View {
        workshop,
        candidates,
        prover: &mut prover,
        globals: Known::default(),
        frames: Vec::new(),
    };
    view.begin();
    for event in &path.events {
        view.workshop.watch.check()?;
        view.follow(*event);
    }
    let open: Vec<usize> = (0..candidates.len())
        .filter(|place| candidates[*place].selector != Term::TRUE)
        .collect();
    let selectors: Vec<Term> = open
        .iter()
        .map(|place| candidates[*place].selector)
        .collect();
    let chosen = prover.minimal_core(&workshop.terms, &selectors);
    (0..prover.calls()).for_each(|_| workshop.calls.count());
    Ok(chosen?.map(|chosen| chosen.into_iter().map(|place| open[place]).collect()))
}

/// The path as the boolean program sees it.
struct View<'v, 'p> {
    workshop: &'v mut Workshop<'p>,
    candidates: &'v [Candidate],
    prover: &'v mut Prover,
    globals: Known,
    frames: Vec<(ProcedureId, Known)>,
}

impl View<'_, '_> {
    fn of(&self, scope: Option<ProcedureId>) -> Vec<usize> {
        let places = 0..self.candidates.len();
        places
            .filter(|place| self.candidates[*place].predicate.scope == scope)
            .collect()
    }

    fn any(&mut self) -> Term {
        self.workshop.terms.unknown(Sort::Truth)
    }

    fn begin(&mut self) {
        for place in self.of(None) {
            let value = self.any();
            self.globals.insert(place, value);
        }
        let entry = self.workshop.program.entry;
        let mut known = Known::default();
        for place in self.of(Some(entry)) {
            let value = self.any();
            known.insert(place, value);
        }
        self.frames.push((entry, known));
    }

    /// New variables for all that are in the terms, but those that are told.
    fn renew(&mut self, roots: &[Term], map: &mut FxHashMap<Unknown, Term>) {
        for unknown in self.workshop.terms.unknowns_in(roots.iter().copied()) {
            let terms = &mut self.workshop.terms;
            let sort = terms.sort(terms.term_of(unknown));
            map.entry(unknown).or_insert_with(|| terms.unknown(sort));
        }
    }

    /// A predicate is known to be so, if it is selected.
    fn link(&mut self, place: usize, term: Term, known: Term) {
        let terms = &mut self.workshop.terms;
        let different = terms.different(term, known);
        let selector = self.candidates[place].selector;
        let wrong = terms.and(selector, different);
        let right = terms.not(wrong);
        if right != Term::TRUE {
            self.prover.assert(&self.workshop.terms, right);
        }
    }

    /// The candidates of a list as terms over other variables.
    fn terms_of(&mut self, places: &[usize], map: &mut FxHashMap<Unknown, Term>) -> Vec<Term> {
        let terms: Vec<Term> = places
            .iter()
            .map(|place| self.candidates[*place].term)
            .collect();
        self.renew(&terms, map);
        self.workshop.terms.substitute(&terms, map)
    }

    /// A predicate that is there already is known to be so.
    fn claim(&mut self, term: Term, is_true: bool) {
        let mut places = 0..self.candidates.len();
        let Some(place) = places.find(|place| self.candidates[*place].term == term) else {
            return;
        };
        let local = self.frames.last().and_then(|(_, known)| known.get(&place));
        let Some(known) = self.globals.get(&place).or(local).copied() else {
            return;
        };
        let claimed = match is_true {
            true => known,
            false => self.workshop.terms.not(known),
        };
        self.prover.assert(&self.workshop.terms, claimed);
    }

    fn follow(&mut self, event: Event) {
        let (at, index) = match event {
            Event::Edge(at, index) | Event::Resumed(at, index) => (at, index),
            Event::Claim(term, is_true) => return self.claim(term, is_true),
        };
        let steps = self.workshop.steps[at.0 as usize].clone();
        let program = self.workshop.program;
        let procedure = program.point(at).procedure;
        let global = self.of(None);
        let own = self.of(Some(procedure));
        let mut now: FxHashMap<Unknown, Term> = FxHashMap::default();
        match (&event, &steps.passing) {
            (Event::Resumed(..), Some(passing)) => {
                let Some((callee, told)) = self.frames.pop() else {
                    return;
                };
                let Action::Call(call) = &program.point(at).action else {
                    return;
                };
                let edge = passing.resumed[index].clone();
                // Globals are those after the call; the frame that waited speaks of earlier ones.
                let globals = self.workshop.symbols.globals().to_vec();
                self.renew(&globals, &mut now);
                for (place, term) in global.iter().zip(self.terms_of(&global, &mut now)) {
                    let known = self.globals[place];
                    self.link(*place, term, known);
                }
                let mut then = now.clone();
                for (unknown, _) in self.workshop.earlier(at, call) {
                    then.remove(&unknown);
                }
                let locals = self.workshop.symbols.locals(procedure).to_vec();
                self.renew(&locals, &mut then);
                let known = self
                    .frames
                    .last()
                    .map(|(_, known)| known.clone())
                    .unwrap_or_default();
                for (place, term) in own.iter().zip(self.terms_of(&own, &mut then)) {
                    self.link(*place, term, known[place]);
                }
                self.renew(&passing.arguments, &mut then);
                let arguments = match call.assignments.is_empty() {
                    true => self.workshop.terms.substitute(&passing.arguments, &then),
                    false => {
                        let sorts: Vec<Sort> = passing
                            .arguments
                            .iter()
                            .map(|one| self.workshop.terms.sort(*one))
                            .collect();
                        sorts
                            .into_iter()
                            .map(|sort| self.workshop.terms.unknown(sort))
                            .collect()
                    }
                };
                let mut results = FxHashMap::default();
                self.renew(&passing.results, &mut results);
                let returned = self.workshop.terms.substitute(&passing.results, &results);
                let mut passed = self.workshop.passed(callee, &arguments, &returned);
                for (unknown, term) in &now {
                    passed.entry(*unknown).or_insert(*term);
                }
                let returned: Vec<usize> = self
                    .of(Some(callee))
                    .into_iter()
                    .filter(|place| self.is_returned(callee, *place))
                    .collect();
                for (place, term) in returned.iter().zip(self.terms_of(&returned, &mut passed)) {
                    self.link(*place, term, told[place]);
                }
                // From here on, the frame's variables with the new globals.
                for (term, _) in locals.iter().zip(0..) {
                    if let Node::Unknown(unknown) = self.workshop.terms.get(*term) {
                        now.insert(unknown, then[&unknown]);
                    }
                }
                now.extend(results);
                self.changed(&edge, &own, &global, &mut now, true);
            }
            _ => {
                let edge = self.workshop.edge(at, index).clone();
                let known = self
                    .frames
                    .last()
                    .map(|(_, known)| known.clone())
                    .unwrap_or_default();
                let touched = self.touching(
                    &edge,
                    steps.passing.as_ref().map_or(&[][..], |p| &p.arguments),
                    &own,
                    &global,
                );
                let is_call = edge.to == To::Callee;
                if is_call {
                    let globals = self.workshop.symbols.globals().to_vec();
                    self.renew(&globals, &mut now);
                }
                let touched = match is_call {
                    true => own.iter().chain(&global).copied().collect(),
                    false => touched,
                };
                let near_own: Vec<usize> = own
                    .iter()
                    .copied()
                    .filter(|place| touched.contains(place))
                    .collect();
                let near_global: Vec<usize> = global
                    .iter()
                    .copied()
                    .filter(|place| touched.contains(place))
                    .collect();
                for (place, term) in near_global
                    .iter()
                    .zip(self.terms_of(&near_global, &mut now))
                {
                    let known = self.globals[place];
                    self.link(*place, term, known);
                }
                for (place, term) in near_own.iter().zip(self.terms_of(&near_own, &mut now)) {
                    self.link(*place, term, known[place]);
                }
                let before = now.clone();
                self.changed(&edge, &near_own, &near_global, &mut now, false);
                if let (To::Callee, Some(passing)) = (edge.to, &steps.passing) {
                    let Action::Call(call) = &program.point(at).action else {
                        return;
                    };
                    let mut before = before;
                    self.renew(&passing.arguments, &mut before);
                    let arguments = self.workshop.terms.substitute(&passing.arguments, &before);
                    let mut passed = self.workshop.passed(call.callee, &arguments, &[]);
                    for (unknown, term) in &now {
                        passed.entry(*unknown).or_insert(*term);
                    }
                    let formal: Vec<usize> = self
                        .of(Some(call.callee))
                        .into_iter()
                        .filter(|place| self.is_passed(call.callee, *place))
                        .collect();
                    let values = self.terms_of(&formal, &mut passed);
                    let mut known: Known = formal.into_iter().zip(values).collect();
                    for place in self.of(Some(call.callee)) {
                        let terms = &mut self.workshop.terms;
                        known
                            .entry(place)
                            .or_insert_with(|| terms.unknown(Sort::Truth));
                    }
                    self.frames.push((call.callee, known));
                }
            }
        }
    }

    /// The candidates that may tell something about an edge: those that share a variable with it, or
    /// with one of these.
    fn touching(
        &self,
        edge: &Edge,
        more: &[Term],
        own: &[usize],
        global: &[usize],
    ) -> FxHashSet<usize> {
        let terms = &self.workshop.terms;
        let roots = edge
            .updates
            .values()
            .chain(more)
            .copied()
            .chain([edge.condition]);
        let mut seen: FxHashSet<Unknown> = terms.unknowns_in(roots).into_iter().collect();
        let procedure = self.frames.last().map(|(procedure, _)| *procedure);
        for variable in edge.updates.keys() {
            let term = self
                .workshop
                .symbols
                .term(procedure.unwrap_or(ProcedureId(0)), *variable);
            seen.extend(terms.unknowns_in([term]));
        }
        let mut touching: FxHashSet<usize> = FxHashSet::default();
        loop {
            let mut grew = false;
            for place in own.iter().chain(global) {
                let unknowns = &self.candidates[*place].unknowns;
                if !touching.contains(place) && unknowns.iter().any(|one| seen.contains(one)) {
                    touching.insert(*place);
                    seen.extend(unknowns);
                    grew = true;
                }
            }
            if !grew {
                return touching;
            }
        }
    }

    /// Takes an edge; what it changes is known afterwards.
    fn changed(
        &mut self,
        edge: &Edge,
        own: &[usize],
        global: &[usize],
        now: &mut FxHashMap<Unknown, Term>,
        all: bool,
    ) {
        let Some((procedure, _)) = self.frames.last() else {
            return;
        };
        let procedure = *procedure;
        let mut roots: Vec<Term> = edge.updates.values().copied().collect();
        roots.push(edge.condition);
        self.renew(&roots, now);
        let new = self.workshop.terms.substitute(&roots, now);
        if let Some(condition) = new.last() {
            self.prover.assert(&self.workshop.terms, *condition);
        }
        let replacement = self.workshop.replacement(procedure, edge);
        let unknowns: FxHashSet<Unknown> = replacement.keys().copied().collect();
        let mut after = now.clone();
        for ((variable, _), value) in edge.updates.iter().zip(&new) {
            let own = self.workshop.symbols.term(procedure, *variable);
            if let Node::Unknown(unknown) = self.workshop.terms.get(own) {
                after.insert(unknown, *value);
            }
        }
        for (places, is_global) in [(own, false), (global, true)] {
            let is_touched = |place: &usize| {
                all || self.candidates[*place]
                    .unknowns
                    .iter()
                    .any(|one| unknowns.contains(one))
            };
            let touched: Vec<usize> = places.iter().copied().filter(is_touched).collect();
            let values = self.terms_of(&touched, &mut after);
            for (place, value) in touched.into_iter().zip(values) {
                match is_global {
                    true => self.globals.insert(place, value),
                    false => match self.frames.last_mut() {
                        Some((_, known)) => known.insert(place, value),
                        None => None,
                    },
                };
            }
        }
        *now = after;
    }

    fn is_passed(&self, procedure: ProcedureId, place: usize) -> bool {
        let predicate = &self.candidates[place].predicate;
        self.workshop.is_passed(procedure, predicate)
    }

    fn is_returned(&self, procedure: ProcedureId, place: usize) -> bool {
        let predicate = &self.candidates[place].predicate;
        self.workshop.is_returned(procedure, predicate)
    }
}
