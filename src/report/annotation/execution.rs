//! What is known of an execution of C: what its lowered trace tells, step by step in C.
//!
//! Branches and choices are those of the execution. Which values matter, and what is true of a
//! formula, is known of the lowered trace, and taken from the step there that each step of C
//! stands for.

use super::relevance::Relevance;
use super::{Annotation, StepNote, Watch, about_formula, stay};
use crate::program::{PointId, VariableId};
use crate::property::Temporal;
use crate::report::place::in_scope;
use crate::report::values::Variables;
use crate::retrace::{Chosen, Retraced};
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use ltl2ba_rs::Lasso;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Lets an execution that has ended stay there for as many steps as the automaton needs.
pub fn stay_ended(
    (subject, lowered): (Subject<'_>, &Trace),
    retraced: &Retraced,
    trace: &mut Trace,
    temporal: &Temporal,
) {
    let last = trace.stem.last().filter(|last| last.is_stopped());
    let Some(last) = last.filter(|_| !trace.cycle.is_empty()).cloned() else {
        return;
    };
    let below: Vec<&Step> = lowered.stem.iter().chain(&lowered.cycle).collect();
    let steps = retraced.aligned.iter().take(trace.stem.len());
    let steps = steps.filter_map(|at| below.get(*at));
    let letters = steps.map(|step| temporal.letter(subject, step));
    stay(trace, temporal, last, letters.collect());
}

/// Annotates an execution that a lowered trace stands for.
pub fn annotate_execution(
    (subject, lowered): (Subject<'_>, &Trace),
    (retraced, trace): (&Retraced, &Trace),
    temporal: Option<&Temporal>,
    watches: &[Watch],
) -> Annotation {
    let observed = temporal.map(Temporal::observed).unwrap_or_default();
    let relevance = Relevance::of(subject, lowered, &observed);
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let below: Vec<&Step> = lowered.stem.iter().chain(&lowered.cycle).collect();
    let aligned = &retraced.aligned;
    let stands_for = |at: usize| aligned.get(at).or(aligned.last()).copied().unwrap_or(0);
    let mut names = Names {
        retraced,
        known: FxHashMap::default(),
    };
    let matters = |chosen: &&Chosen| {
        let source = chosen.source.filter(|source| source.step < below.len());
        source.is_some_and(|source| relevance.at(source.step).contains(&source.cell))
    };
    let texts = |chosen: &[Chosen]| -> Vec<String> {
        let chosen = chosen.iter().filter(matters);
        chosen.map(|chosen| chosen.text.clone()).collect()
    };
    let mut notes = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let note = retraced.notes.get(at);
        let lowered = stands_for(at);
        let own = below.get(lowered).copied();
        let relevant = match own {
            Some(_) => relevance.at(lowered),
            None => &[],
        };
        let cells = names.cells(own, relevant, step);
        notes.push(StepNote {
            branch: note.and_then(|note| note.branch.clone()),
            start: match at {
                0 => texts(&retraced.start),
                _ => Vec::new(),
            },
            choice: note.map_or(Vec::new(), |note| texts(&note.chosen)),
            relevant: names.texts(step, &cells),
            cells,
        });
    }
    let mut annotation = Annotation {
        steps: notes,
        ..Annotation::default()
    };
    if steps.iter().any(|step| step.folded.is_some()) || below.is_empty() {
        return annotation;
    }
    let letters: Vec<&Step> = (0..steps.len())
        .map(|at| below[stands_for(at).min(below.len() - 1)])
        .collect();
    let along = watches.iter().map(|watch| watch.along(subject, &letters));
    annotation.watches = along.collect();
    let Some(temporal) = temporal.filter(|_| !trace.cycle.is_empty()) else {
        return annotation;
    };
    let letters = letters.iter().map(|step| temporal.letter(subject, step));
    let mut stem: Vec<Vec<bool>> = letters.collect();
    let cycle = stem.split_off(trace.stem.len());
    about_formula(&mut annotation, temporal, &Lasso { stem, cycle });
    annotation
}

/// A procedure, if there is one, and the cells that matter there.
type Relevant = (Option<u32>, Arc<[VariableId]>);

/// The names of what matters.
struct Names<'a> {
    retraced: &'a Retraced,
    known: FxHashMap<Relevant, Arc<[String]>>,
}

impl Names<'_> {
    /// The cells that are shown of those of a lowered step that matter, sorted.
    fn cells(
        &self,
        lowered: Option<&Step>,
        relevant: &[VariableId],
        step: &Step,
    ) -> Arc<[VariableId]> {
        let retraced = self.retraced;
        let here = step
            .at()
            .map(|at| retraced.program.point(PointId(at)).procedure);
        let below = lowered.and_then(Step::at);
        let procedure = below.and_then(|at| retraced.procedures.get(at as usize).copied());
        let shown = relevant.iter().filter_map(|cell| {
            let key = match cell {
                VariableId::Global(_) => (None, *cell),
                VariableId::Local(_) => (Some(procedure?), *cell),
            };
            let (owner, cell) = retraced.cells.get(&key)?;
            (owner.is_none() || *owner == here).then_some(*cell)
        });
        let mut shown: Vec<VariableId> = shown.collect();
        shown.sort_unstable();
        shown.dedup();
        shown.into()
    }

    fn texts(&mut self, step: &Step, cells: &Arc<[VariableId]>) -> Arc<[String]> {
        let subject = Subject::Program(&self.retraced.program);
        // What is in scope depends on the place.
        let key = (step.at(), cells.clone());
        let make = || {
            let [globals, locals] = in_scope(subject, step);
            let mut names = Vec::new();
            let mut add = |shown: Variables<'_>, variable: fn(u32) -> VariableId| {
                let is_relevant = |i: usize| cells.binary_search(&variable(i as u32)).is_ok();
                shown.for_each_part(is_relevant, |name, _| names.push(name.to_owned()));
            };
            add(globals, VariableId::Global);
            add(locals, VariableId::Local);
            names.into()
        };
        self.known.entry(key).or_insert_with(make).clone()
    }
}
