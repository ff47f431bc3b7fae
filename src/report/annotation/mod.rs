//! Annotated traces: what a trace means, found once and drawn by every output.
//!
//! A trace that was replayed gets, for each step, what is written there and where, which
//! branch is taken, what was chosen where the execution might have gone on otherwise, and
//! which values matter; and for a formula the truth of all its subformulas at each step, the
//! run of the automaton that was searched with, and the values that alone make it false.
//! Truth and run are found from their definitions: nothing is shared with the translation of
//! formulas to automata. Where anything is folded, there is neither formula nor run, since
//! there is no letter for each step.
//!
//! Linear in the trace times formula and automaton, but for the cause, which is quadratic and
//! so left out for long traces.

mod branch;
mod cause;
mod choice;
mod execution;
mod relevance;
mod run;
mod system_slice;
mod watch;

pub use cause::Blame;
pub use execution::{annotate_execution, stay_ended};
pub use watch::Watch;

use crate::limits::annotation::{CAUSE_STEPS, SUBFORMULA_TEXT};
use crate::program::VariableId;
use crate::property::Temporal;
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use cause::cause;
use choice::Choices;
use ltl2ba_rs::{Formula, Lasso, Node};
use relevance::Relevance;
use std::sync::Arc;

/// What is known of a trace.
#[derive(Debug, Default)]
pub struct Annotation {
    /// For each step of stem and loop.
    pub steps: Vec<StepNote>,
    pub formula: Option<Truth>,
    pub automaton: Option<Run>,
    /// Sorted by step; `None` if there is no formula, or the trace is too long.
    pub cause: Option<Vec<Blame>>,
    pub watches: Vec<Watched>,
}

#[derive(Debug, Default)]
pub struct StepNote {
    /// How a branching statement goes on.
    pub branch: Option<String>,
    /// The values that matter of those that the execution begins with; only in the first step.
    pub start: Vec<String>,
    /// What was chosen of what matters, where something else could have been.
    pub choice: Vec<String>,
    /// The values that matter, sorted, and their names.
    pub cells: Arc<[VariableId]>,
    pub relevant: Arc<[String]>,
}

impl StepNote {
    /// Everything that was chosen, at the start and by the step.
    pub fn chosen(&self) -> impl Iterator<Item = &String> {
        self.start.iter().chain(&self.choice)
    }
}

/// The truth of subformulas.
#[derive(Debug)]
pub struct Truth {
    /// The formula itself first, then in preorder.
    pub subformulas: Vec<String>,
    /// For each subformula, whether the execution from each step on satisfies it.
    pub truth: Vec<Vec<bool>>,
    /// The text of each proposition, by its index.
    pub propositions: Vec<String>,
}

/// A run of the automaton of forbidden executions.
#[derive(Debug)]
pub struct Run {
    pub hoa: String,
    /// The state in which each step is read.
    pub states: Vec<u32>,
}

/// The values of an expression along a trace.
#[derive(Debug)]
pub struct Watched {
    pub text: String,
    /// `None` where it has no value.
    pub values: Vec<Option<i128>>,
}

/// Annotates a trace that violates a property.
pub fn annotate(
    subject: Subject<'_>,
    trace: &Trace,
    temporal: Option<&Temporal>,
    watches: &[Watch],
) -> Annotation {
    let observed = temporal.map(Temporal::observed).unwrap_or_default();
    let relevance = Relevance::of(subject, trace, &observed);
    let mut choices = Choices::new(subject, trace, &relevance);
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let notes = relevance.names().into_iter().enumerate();
    let mut notes: Vec<_> = notes
        .map(|(at, relevant)| StepNote {
            branch: choices.branch(at),
            start: Vec::new(),
            choice: choices.choice(at),
            cells: relevance.cells(at),
            relevant,
        })
        .collect();
    if let Some(first) = notes.first_mut() {
        first.start = relevance.start_values();
    }
    let mut annotation = Annotation {
        steps: notes,
        ..Annotation::default()
    };
    if steps.iter().any(|step| step.folded.is_some()) {
        return annotation;
    }
    annotation.watches = watches
        .iter()
        .map(|watch| watch.along(subject, &steps))
        .collect();
    let Some(temporal) = temporal.filter(|_| !trace.cycle.is_empty()) else {
        return annotation;
    };
    let letters = |steps: &[Step]| -> Vec<Vec<bool>> {
        let letters = steps.iter().map(|step| temporal.letter(subject, step));
        letters.collect()
    };
    let word = Lasso {
        stem: letters(&trace.stem),
        cycle: letters(&trace.cycle),
    };
    about_formula(&mut annotation, temporal, &word);
    annotation
}

/// What is known of a formula on an infinite execution.
fn about_formula(annotation: &mut Annotation, temporal: &Temporal, word: &Lasso) {
    annotation.automaton = run(temporal, word);
    if let Some(formula) = &temporal.formula {
        annotation.formula = truth(formula, word);
        if word.length() <= CAUSE_STEPS {
            annotation.cause = cause(formula, word, &propositions(formula));
        }
    }
}

/// Lets an execution that has stopped stay where it is for as many steps as the automaton needs
/// to come to a loop of its own, so that its run has the period of the trace.
pub fn stay_stopped(subject: Subject<'_>, trace: &mut Trace, temporal: &Temporal) {
    let is_plain = trace.segments.is_empty() && trace.cycle.len() == 1;
    let last = trace
        .stem
        .last()
        .filter(|last| last.is_stopped() && is_plain);
    let Some(last) = last.cloned() else {
        return;
    };
    let letters = trace.stem.iter().map(|step| temporal.letter(subject, step));
    stay(trace, temporal, last, letters.collect());
}

/// Lets an execution stay where it is, with these letters before.
fn stay(trace: &mut Trace, temporal: &Temporal, last: Step, letters: Vec<Vec<bool>>) {
    if let Some((again, period)) = run::settling(&temporal.forbidden, &letters) {
        trace.stem.extend(vec![last.clone(); again]);
        trace.cycle = vec![last; period];
    }
}

fn run(temporal: &Temporal, word: &Lasso) -> Option<Run> {
    let letters: Vec<_> = word.stem.iter().chain(&word.cycle).cloned().collect();
    let states = run::accepting_run(&temporal.forbidden, &letters, word.stem.len())?;
    Some(Run {
        hoa: temporal.forbidden.to_hoa("forbidden"),
        states,
    })
}

fn truth(formula: &Formula, word: &Lasso) -> Option<Truth> {
    let order = formula.subformulas();
    let mut length = 0;
    let mut subformulas = Vec::with_capacity(order.len());
    for id in &order {
        let text = formula.text_of(*id);
        length += text.len();
        // Operators nested very deep have texts that together are of quadratic length.
        if length > SUBFORMULA_TEXT {
            return None;
        }
        subformulas.push(text);
    }
    let mut values = ltl2ba_rs::truth(formula, word);
    let propositions = formula.propositions().iter();
    Some(Truth {
        subformulas,
        truth: order
            .iter()
            .map(|id| std::mem::take(&mut values[id.index()]))
            .collect(),
        propositions: propositions
            .map(|proposition| proposition.source())
            .collect(),
    })
}

/// The propositions of a formula in the order of its subformulas.
fn propositions(formula: &Formula) -> Vec<u32> {
    let nodes = formula.subformulas().into_iter();
    let index = |id| match formula.node(id) {
        Node::Proposition(index) => Some(index),
        _ => None,
    };
    nodes.filter_map(index).collect()
}
