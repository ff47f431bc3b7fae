//! Where findings are put as soon as they are known.
//!
//! A check can be cut short at any time, even inside a long BDD operation. Whoever watches
//! it then reads here what was found before that.

use super::Verdict;
use crate::analysis::Observed;
use crate::trace::Trace;
use crate::{interpreter, pushdown};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Reading,
    Parsing,
    Analysis,
    Encoding,
    Saturation,
    Cycles,
    Trace,
    Replay,
    Reporting,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Parsing => "parsing",
            Phase::Analysis => "analysis",
            Phase::Encoding => "encoding",
            Phase::Saturation => "saturation",
            Phase::Cycles => "cycles",
            Phase::Trace => "trace",
            Phase::Replay => "replay",
            Phase::Reporting => "reporting",
        }
    }
}

/// What is known about one property.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    pub verdict: Option<Verdict>,
    pub trace: TraceFinding,
    /// The variables that the property speaks of.
    pub observed: Vec<Observed>,
    /// From the beginning of the run until this was complete.
    pub time: Duration,
}

/// A trace of a program or of a pushdown system.
#[derive(Clone, Debug)]
pub enum Execution {
    Program(interpreter::trace::Trace),
    System(Trace<pushdown::replay::Step>),
}

#[derive(Clone, Debug, Default)]
pub enum TraceFinding {
    /// There is none, it was not asked for, or it was not found in time.
    #[default]
    None,
    Found(Execution),
    /// It has this many steps, more than may be shown.
    TooLong(u64),
    /// It goes through a recursion too deep to be written out.
    TooDeep,
    /// The same, but with rounds folded it can be shown.
    Repeating(u64, Execution),
}

/// Sizes of what was worked on.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub procedures: usize,
    pub points: usize,
    pub rules: usize,
    pub bdd_variables: u32,
    pub edges: usize,
    pub reached_points: usize,
    pub operations: u64,
    pub peak_live_nodes: usize,
}

#[derive(Debug, Default)]
struct State {
    findings: Vec<Finding>,
    statistics: Statistics,
    /// What the user should know beside the verdicts.
    warnings: Vec<String>,
    /// The phases entered so far, with the time of entering.
    phases: Vec<(Phase, Duration)>,
}

#[derive(Debug)]
pub struct Board {
    begin: Instant,
    state: Mutex<State>,
}

impl Board {
    /// For a run that began at `begin` and has this many properties to decide.
    pub fn new(begin: Instant, properties: usize) -> Self {
        let state = State {
            findings: vec![Finding::default(); properties],
            ..State::default()
        };
        Board {
            begin,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked leaves findings behind that are still true.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn enter(&self, phase: Phase) {
        let now = self.begin.elapsed();
        self.state().phases.push((phase, now));
    }

    pub fn decide(&self, property: usize, verdict: Verdict) {
        let mut state = self.state();
        // Once the findings have been reported, there is nothing to add.
        if let Some(finding) = state.findings.get_mut(property)
            && finding.verdict.is_none()
        {
            finding.verdict = Some(verdict);
            finding.time = self.begin.elapsed();
        }
    }

    pub fn verdict(&self, property: usize) -> Option<Verdict> {
        self.state().findings.get(property)?.verdict
    }

    pub fn explain(&self, property: usize, trace: TraceFinding, observed: Vec<Observed>) {
        if let Some(finding) = self.state().findings.get_mut(property) {
            finding.trace = trace;
            finding.observed = observed;
            finding.time = self.begin.elapsed();
        }
    }

    pub fn measure(&self, update: impl FnOnce(&mut Statistics)) {
        update(&mut self.state().statistics);
    }

    /// Takes the findings out, so that a long trace is not copied.
    pub fn take_findings(&self) -> Vec<Finding> {
        std::mem::take(&mut self.state().findings)
    }

    pub fn warn(&self, warning: String) {
        self.state().warnings.push(warning);
    }

    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.state().warnings)
    }

    pub fn statistics(&self) -> Statistics {
        self.state().statistics.clone()
    }

    pub fn phase(&self) -> Option<Phase> {
        self.state().phases.last().map(|(phase, _)| *phase)
    }

    /// How long each phase took, in the order entered; the last one until now.
    pub fn phase_times(&self) -> Vec<(Phase, Duration)> {
        let phases = &self.state().phases;
        let ends = phases.iter().skip(1).map(|(_, begin)| *begin);
        let ends = ends.chain(std::iter::once(self.begin.elapsed()));
        phases
            .iter()
            .zip(ends)
            .map(|((phase, begin), end)| (*phase, end.saturating_sub(*begin)))
            .collect()
    }

    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }
}
