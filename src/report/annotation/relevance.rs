//! Which values matter at each step, for programs and pushdown systems, by name.

use super::system_slice::relevant_values as relevant_in_system;
use crate::analysis::Observed;
use crate::program::{Operation, VariableId};
use crate::report::place::{frame_kind, in_scope};
use crate::report::values::Variables;
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use crate::witness::relevance::relevant_values;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub struct Relevance<'a> {
    subject: Subject<'a>,
    steps: Vec<&'a Step>,
    /// For each step, sorted; equal neighbours share theirs.
    sets: Vec<Arc<[VariableId]>>,
}

impl<'a> Relevance<'a> {
    /// The values of what is `observed` by a property always matter.
    pub fn of(subject: Subject<'a>, trace: &'a Trace, observed: &[Observed]) -> Self {
        let found = match subject {
            Subject::Program(program) => relevant_values(program, trace, observed),
            Subject::System(system) => relevant_in_system(system, trace, observed),
        };
        let mut sets: Vec<Arc<[VariableId]>> = Vec::with_capacity(found.len());
        for set in found {
            let mut set: Vec<_> = set.into_iter().collect();
            set.sort_unstable();
            match sets.last().filter(|last| last[..] == set[..]) {
                Some(last) => sets.push(last.clone()),
                None => sets.push(set.into()),
            }
        }
        Relevance {
            subject,
            steps: trace.stem.iter().chain(&trace.cycle).collect(),
            sets,
        }
    }

    /// The variables that matter at a step, sorted.
    pub fn at(&self, step: usize) -> &[VariableId] {
        &self.sets[step]
    }

    /// The variables that matter at a step, to be kept.
    pub fn cells(&self, step: usize) -> Arc<[VariableId]> {
        self.sets[step].clone()
    }

    /// For each step, the names of the values that matter: of variables all of whose cells
    /// do, otherwise of cells.
    pub fn names(&self) -> Vec<Arc<[String]>> {
        let mut known: FxHashMap<_, Arc<[String]>> = FxHashMap::default();
        let names = self.steps.iter().zip(&self.sets).map(|(step, set)| {
            let key = (frame_kind(self.subject, step), &set[..]);
            let make = || self.parts(step, set, |name, _| name.to_owned()).into();
            known.entry(key).or_insert_with(make).clone()
        });
        names.collect()
    }

    /// The values that matter at a step, as `name=value`; of a pushdown system only those of
    /// which the start says nothing.
    pub fn start_values(&self) -> Vec<String> {
        let (Some(step), Some(set)) = (self.steps.first(), self.sets.first()) else {
            return Vec::new();
        };
        let is_free = |variable: &VariableId| match self.subject {
            Subject::Program(program) => match (&program.threads, variable) {
                // What a thread is declared with is not chosen.
                (Some(threads), VariableId::Local(index)) if step.thread > 0 => {
                    let start = threads.declared.get(step.thread as usize - 1);
                    let given = start.and_then(|start| start.arguments.get(*index as usize));
                    !matches!(given, Some(Some(_)))
                }
                _ => true,
            },
            Subject::System(system) => {
                let conditions = system.start.conditions.iter();
                let operations = conditions.flat_map(|c| system.expressions.operations(*c));
                let mut reads = operations.filter_map(Operation::cells_read);
                !reads.any(|(first, count, _)| (0..count).any(|k| first.plus(k) == *variable))
            }
        };
        let set: Vec<_> = set.iter().copied().filter(is_free).collect();
        self.parts(step, &set, |name, value| format!("{name}={value}"))
    }

    fn parts(
        &self,
        step: &Step,
        set: &[VariableId],
        show: impl Fn(&str, &str) -> String,
    ) -> Vec<String> {
        let [globals, locals] = in_scope(self.subject, step);
        let mut parts = Vec::new();
        let mut add = |shown: Variables<'_>, variable: fn(u32) -> VariableId| {
            let is_relevant = |i: usize| set.binary_search(&variable(i as u32)).is_ok();
            shown.for_each_part(is_relevant, |name, value| parts.push(show(name, value)));
        };
        add(globals, VariableId::Global);
        add(locals, VariableId::Local);
        parts
    }
}
