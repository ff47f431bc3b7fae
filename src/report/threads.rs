//! Who runs when: the contexts of an execution of threads, its switches and its rounds. Linear in
//! the steps.

use super::harmless::harmless;
use crate::interpreter::threads::{begins_round, is_switch};
use crate::program::Program;
use crate::rules::Subject;
use crate::trace::{Step, Trace};

/// Steps of one thread without another's between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Its first step.
    pub first: usize,
    pub thread: u32,
    /// The number of the switch that it begins with, from 1, and the thread that ran before; none
    /// where thread 0 and the first other one begin.
    pub switch: Option<(u64, u32)>,
}

/// The contexts of a trace; none without threads.
pub fn contexts(trace: &Trace) -> Vec<Context> {
    let mut contexts: Vec<Context> = Vec::new();
    let mut switches = 0;
    for (first, step) in trace.stem.iter().enumerate() {
        let before = contexts.last().map(|context| context.thread);
        if trace.threads.is_empty() || before == Some(step.thread) {
            continue;
        }
        let from = before.filter(|before| is_switch(*before, step.thread));
        switches += u64::from(from.is_some());
        contexts.push(Context {
            first,
            thread: step.thread,
            switch: from.map(|from| (switches, from)),
        });
    }
    contexts
}

/// How often the running thread changes, and the rounds in which it does.
pub fn bounds(trace: &Trace) -> [u64; 2] {
    let contexts = contexts(trace);
    let switches = contexts.iter().filter(|context| context.switch.is_some());
    let rounds = contexts
        .windows(2)
        .filter(|pair| begins_round(pair[0].thread, pair[1].thread));
    [switches.count() as u64, 1 + rounds.count() as u64]
}

/// The name of a thread.
pub fn name(trace: &Trace, id: u32) -> String {
    let thread = trace.threads.iter().find(|thread| thread.id == id);
    thread.map_or_else(|| id.to_string(), |thread| harmless(&thread.name))
}

impl Context {
    /// What is said where it begins.
    pub fn title(&self, trace: &Trace) -> String {
        let to = name(trace, self.thread);
        match self.switch {
            Some((number, from)) => format!("-- switch {number}: {} -> {to}", name(trace, from)),
            None => format!("-- start: {to}"),
        }
    }
}

/// Whether no other thread may run.
pub fn is_exclusive(subject: Subject<'_>, step: &Step) -> bool {
    let Subject::Program(Program {
        threads: Some(threads),
        ..
    }) = subject
    else {
        return false;
    };
    step.valuation.globals().get(threads.exclusive as usize) == Some(&1)
}
