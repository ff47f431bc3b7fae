//! Random executions, for candidates that have a chance: what relates the numbers in all of them at
//! the head of a loop, or where a procedure is left, may do so always. One that comes to what is looked
//! for is the end of the search.
//!
//! The edges of the program are followed with concrete values; what is chosen is mostly small. Always the
//! same executions, as many steps as their budget allows.

use super::build::{Goals, Workshop};
use super::chance::Chance;
use super::edges::{Edge, To};
use super::material::Material;
use super::path::{Event, Path};
use super::symbols::Frame;
use crate::limits::abstraction::{
    BOLD_RUNS, SAMPLE_FRAMES, SAMPLE_RUNS, SAMPLE_STEPS, SAMPLE_TAIL, SAMPLE_WORK,
};
use crate::program::{Action, PointId, ProcedureId, VariableId};
use crate::terms::{Assignment, Node, Sort, Term, Unknown};
use crate::watch::Stop;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The values of globals and of the frame on top, ghosts included, by variable.
pub type Sample = FxHashMap<VariableId, i128>;

/// What random executions came to, by the point where it was.
#[derive(Debug, Default)]
pub struct Samples {
    at: BTreeMap<PointId, Vec<Sample>>,
    /// The steps of each execution, as edges of the program itself.
    ways: Vec<Vec<Event>>,
}

impl Samples {
    /// Where something was noted in a procedure, and what.
    pub fn of(
        &self,
        workshop: &Workshop<'_>,
        procedure: ProcedureId,
    ) -> impl Iterator<Item = &[Sample]> {
        let points = workshop.program.procedure(procedure).points.clone();
        let range = PointId(points.start)..PointId(points.end);
        self.at.range(range).map(|(_, samples)| &samples[..])
    }
}

impl Workshop<'_> {
    /// Makes the random executions, unless there are some.
    pub(super) fn sample(&mut self) -> Result<(), Stop> {
        if self.samples.is_some() {
            return Ok(());
        }
        let mut samples = Samples::default();
        // A step costs what there is to look at: globals, and the locals of a frame.
        let procedures = self.program.procedures.iter();
        let locals = procedures.map(|procedure| procedure.locals.len()).max();
        let variables = self.symbols.globals().len() + locals.unwrap_or(0).max(16);
        let mut left = SAMPLE_WORK / variables;
        let mut left_of_tails = left;
        let heads = self.heads();
        for seed in 0..SAMPLE_RUNS {
            self.watch.check()?;
            let mut run = Run {
                workshop: self,
                heads: &heads,
                chance: Chance::new(seed),
                style: Style::Small,
                globals: Vec::new(),
                frames: Vec::new(),
                way: Vec::new(),
            };
            let most = [left.min(SAMPLE_STEPS), left_of_tails.min(SAMPLE_TAIL)];
            run.all(most, &mut samples);
            let (way, noted) = (run.way, most[0]);
            left -= way.len().min(noted);
            left_of_tails -= way.len().saturating_sub(noted);
            samples.ways.push(way);
        }
        self.search_boldly(SAMPLE_WORK / variables, &heads, &mut samples)?;
        self.samples = Some(samples);
        Ok(())
    }

    /// More executions, of which nothing is noted but where they go: what is chosen is between two of the
    /// program's constants, such as `'0'` and `'9'`, or a number with any number of bits.
    fn search_boldly(
        &self,
        mut left: usize,
        heads: &[bool],
        samples: &mut Samples,
    ) -> Result<(), Stop> {
        let constants = self.constants();
        for seed in 0..BOLD_RUNS {
            self.watch.check()?;
            let mut chance = Chance::new(SAMPLE_RUNS + seed);
            let mut pick = || {
                let number = chance.next() as usize % constants.len().max(1);
                constants.get(number).copied()
            };
            let window = match (seed % 2, pick(), pick()) {
                (0, Some(a), Some(b)) => Some((a.min(b), a.max(b))),
                _ => None,
            };
            let mut run = Run {
                workshop: self,
                heads,
                chance,
                style: Style::Bold(window),
                globals: Vec::new(),
                frames: Vec::new(),
                way: Vec::new(),
            };
            run.all([0, left.min(SAMPLE_TAIL)], samples);
            left -= run.way.len().min(left);
            samples.ways.push(run.way);
        }
        Ok(())
    }

    /// The numbers that the program mentions, each once.
    fn constants(&self) -> Vec<i128> {
        let procedures = self.program.procedure_ids();
        let materials = procedures.map(|id| Material::of(&self.vocabulary, id));
        let mut constants: Vec<i128> = materials
            .flat_map(|material| material.constants.iter().copied().collect::<Vec<_>>())
            .collect();
        constants.sort_unstable();
        constants.dedup();
        constants
    }

    /// The shortest random execution that comes to a goal, if one does, as steps of the program itself.
    pub fn failing_execution(&mut self, goals: &Goals<'_>) -> Result<Option<Path>, Stop> {
        self.sample()?;
        let ways = self.samples.iter().flat_map(|samples| &samples.ways);
        let failing = ways.filter_map(|way| {
            let end = way.iter().position(|event| match *event {
                Event::Edge(at, _) => (goals.point)(at),
                Event::Resumed(..) | Event::Claim(..) => false,
            });
            let end = end.or_else(|| {
                let last = way.len().checked_sub(1)?;
                self.fails(way[last], goals).then_some(way.len())
            });
            end.map(|end| &way[..end])
        });
        let shortest = failing.min_by_key(|way| way.len());
        Ok(shortest.map(|way| Path {
            events: way.to_vec(),
        }))
    }

    /// Whether a step of the program is a failure that is looked for.
    fn fails(&self, event: Event, goals: &Goals<'_>) -> bool {
        let steps = |at: PointId| &self.steps[at.0 as usize];
        let (at, edge) = match event {
            Event::Edge(at, number) => (at, steps(at).edges.get(number)),
            Event::Resumed(at, number) => {
                let passing = steps(at).passing.as_ref();
                (at, passing.and_then(|passing| passing.resumed.get(number)))
            }
            Event::Claim(..) => return false,
        };
        match edge.map(|edge| edge.to) {
            Some(To::Error { assertion }) => (goals.failure)(at, assertion),
            _ => false,
        }
    }

    /// The heads of loops, and where procedures are left.
    fn heads(&self) -> Vec<bool> {
        let program = self.program;
        let mut heads = vec![false; program.points.len()];
        let exits = program
            .procedure_ids()
            .map(|id| program.procedure(id).exit());
        for head in program.loop_heads().into_iter().chain(exits) {
            heads[head.0 as usize] = true;
        }
        heads
    }
}

/// What is chosen.
#[derive(Clone, Copy)]
enum Style {
    /// Mostly small numbers.
    Small,
    /// Numbers between two, or of any size.
    Bold(Option<(i128, i128)>),
}

impl Style {
    fn value(self, chance: &mut Chance, sort: Sort) -> i128 {
        match self {
            Style::Small => chance.value(sort),
            Style::Bold(window) => chance.between(sort, window),
        }
    }
}

/// One execution.
struct Run<'w, 'p> {
    workshop: &'w Workshop<'p>,
    heads: &'w [bool],
    chance: Chance,
    style: Style,
    globals: Vec<i128>,
    /// The procedure, the call that waits below, and the locals with ghosts.
    frames: Vec<(ProcedureId, Option<PointId>, Vec<i128>)>,
    way: Vec<Event>,
}

impl Run<'_, '_> {
    fn anything(&mut self, like: &[Term]) -> Vec<i128> {
        let sorts: Vec<Sort> = like
            .iter()
            .map(|term| self.workshop.terms.sort(*term))
            .collect();
        sorts
            .into_iter()
            .map(|sort| self.style.value(&mut self.chance, sort))
            .collect()
    }

    fn activate(&mut self, procedure: ProcedureId, below: Option<PointId>, arguments: &[i128]) {
        let mut locals = self.anything(self.workshop.symbols.locals(procedure));
        let frame = Frame::of(self.workshop.program, procedure);
        let parameters = self.workshop.program.procedure(procedure).parameters;
        for i in 0..parameters {
            let value = arguments.get(i as usize).copied();
            let value = value.unwrap_or(locals[i as usize]);
            locals[i as usize] = value;
            if let VariableId::Local(ghost) = frame.entry(i) {
                locals[ghost as usize] = value;
            }
        }
        self.frames.push((procedure, below, locals));
    }

    /// Runs at most so many steps that are noted, and so many more.
    fn all(&mut self, most: [usize; 2], samples: &mut Samples) {
        let program = self.workshop.program;
        self.globals = self.anything(self.workshop.symbols.globals());
        self.activate(program.entry, None, &[]);
        let [noted, others] = most;
        let mut at = program.entry_point();
        for step in 0..noted + others {
            if self.heads[at.0 as usize] && step < noted {
                let sample = self.sample();
                samples.at.entry(at).or_default().push(sample);
            }
            let Some(next) = self.step(at) else {
                return;
            };
            at = next;
        }
    }

    fn sample(&self) -> Sample {
        let globals = (0..)
            .map(VariableId::Global)
            .zip(self.globals.iter().copied());
        let locals = self.frames.last().map_or(&[][..], |(.., locals)| locals);
        let locals = (0..).map(VariableId::Local).zip(locals.iter().copied());
        globals.chain(locals).collect()
    }

    /// The values of the variables of terms, and what a step chooses.
    fn state(&mut self, terms: &[Term], given: &[(Term, i128)]) -> Assignment {
        let workshop = self.workshop;
        let mut assignment = Assignment::default();
        let mut put = |term: Term, value: i128| {
            if let Node::Unknown(unknown) = workshop.terms.get(term) {
                assignment.0.insert(unknown, value);
            }
        };
        let globals = workshop.symbols.globals().iter().zip(&self.globals);
        globals.for_each(|(term, value)| put(*term, *value));
        if let Some((procedure, _, locals)) = self.frames.last() {
            let locals = workshop.symbols.locals(*procedure).iter().zip(locals);
            locals.for_each(|(term, value)| put(*term, *value));
        }
        given.iter().for_each(|(term, value)| put(*term, *value));
        let unknowns: Vec<Unknown> = workshop.terms.unknowns_in(terms.iter().copied());
        for unknown in unknowns {
            let sort = workshop.terms.sort(workshop.terms.term_of(unknown));
            let (style, chance) = (self.style, &mut self.chance);
            let value = assignment.0.entry(unknown);
            value.or_insert_with(|| style.value(chance, sort));
        }
        assignment
    }

    /// Takes one of the edges that can be taken: its number, and what the further terms are.
    fn take(
        &mut self,
        edges: &[Edge],
        given: &[(Term, i128)],
        more: &[Term],
    ) -> Option<(usize, Vec<i128>)> {
        // What is chosen may not be what is assumed.
        for _ in 0..4 {
            let first = self.chance.next() as usize % edges.len().max(1);
            for turn in 0..edges.len() {
                let number = (first + turn) % edges.len();
                let edge = &edges[number];
                let values = edge.updates.values().copied();
                let mut terms: Vec<Term> = [edge.condition].into_iter().chain(values).collect();
                terms.extend(more);
                let state = self.state(&terms, given);
                let mut found = self.workshop.terms.evaluate(&terms, &state);
                if found[0] == 0 {
                    continue;
                }
                let more = found.split_off(1 + edge.updates.len());
                for (variable, value) in edge.updates.keys().zip(&found[1..]) {
                    match variable {
                        VariableId::Global(index) => self.globals[*index as usize] = *value,
                        VariableId::Local(index) => {
                            if let Some((.., locals)) = self.frames.last_mut() {
                                locals[*index as usize] = *value;
                            }
                        }
                    }
                }
                return Some((number, more));
            }
        }
        None
    }

    /// One step; nothing where the execution ends.
    fn step(&mut self, at: PointId) -> Option<PointId> {
        let workshop = self.workshop;
        let program = workshop.program;
        if let Action::Exit = program.point(at).action {
            let (callee, below, locals) = self.frames.pop()?;
            let below = below?;
            let passing = workshop.steps[below.0 as usize].passing.as_ref()?;
            let frame = Frame::of(program, callee);
            let results = passing.results.iter().zip(0..);
            let given = results.filter_map(|(result, i)| match frame.returned(i) {
                VariableId::Local(ghost) => Some((*result, locals[ghost as usize])),
                VariableId::Global(_) => None,
            });
            let given: Vec<(Term, i128)> = given.collect();
            let (number, _) = self.take(&passing.resumed, &given, &[])?;
            self.way.push(Event::Resumed(below, number));
            return match passing.resumed[number].to {
                To::Point(target) => Some(target),
                _ => None,
            };
        }
        let steps = &workshop.steps[at.0 as usize];
        let arguments = steps.passing.as_ref().map_or(&[][..], |p| &p.arguments);
        let (number, arguments) = self.take(&steps.edges, &[], arguments)?;
        self.way.push(Event::Edge(at, number));
        match (steps.edges[number].to, &program.point(at).action) {
            (To::Point(target), _) => Some(target),
            (To::Callee, Action::Call(call)) if self.frames.len() < SAMPLE_FRAMES => {
                self.activate(call.callee, Some(at), &arguments);
                Some(program.procedure(call.callee).entry())
            }
            _ => None,
        }
    }
}
