//! Where findings are put as soon as they are known.
//!
//! A check can be cut short at any time, even inside a long BDD operation. Whoever watches
//! it then reads here what was found before that.

use super::Verdict;
use crate::abstraction::Summary;
use crate::error::Reason;
use crate::program::{Boundary, BoundaryKind};
use crate::retrace::Retraced;
use crate::threads::Bound;
use crate::trace::Trace;
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A phase of a run. Some are entered again for each property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// The input is read,
    #[default]
    Reading,
    /// and parsed.
    Parsing,
    /// What is known before any state is looked at.
    Analysis,
    /// The program becomes a boolean program over predicates, again and again.
    Abstraction,
    /// The model becomes a symbolic pushdown system.
    Encoding,
    /// The reachable configurations are computed.
    Saturation,
    /// Cycles are searched among them.
    Cycles,
    /// A trace is searched,
    Trace,
    /// and replayed.
    Replay,
    /// The results are written.
    Reporting,
}

impl Phase {
    /// As people and scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Parsing => "parsing",
            Phase::Analysis => "analysis",
            Phase::Abstraction => "abstraction",
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
#[derive(Clone, Debug)]
pub struct Finding {
    /// `None` as long as it is not known.
    pub verdict: Option<Verdict>,
    /// What shows a violation.
    pub trace: TraceFinding,
    /// Of a C program, the execution that the trace stands for.
    pub execution: Option<Arc<Retraced>>,
    /// Of a program with threads, how far it was looked for.
    pub bound: Option<Bound>,
    /// Where executions were not followed any further, of a property that holds but for that.
    pub boundaries: Vec<Boundary>,
    /// It may be that it holds only as far as executions were followed: that is not known yet.
    is_withheld: bool,
    /// Why there is no verdict, if the method itself has given up.
    pub reason: Option<Reason>,
    /// If it was looked at through predicates.
    pub abstraction: Option<Summary>,
    /// When its turn came, if it did, since the beginning of the run.
    begin: Option<Duration>,
    /// From the beginning of the run until this was complete; without a verdict, how long it
    /// was looked for.
    pub time: Duration,
}

impl Default for Finding {
    fn default() -> Self {
        Finding {
            verdict: None,
            trace: TraceFinding::None,
            execution: None,
            bound: None,
            boundaries: Vec::new(),
            is_withheld: false,
            reason: None,
            abstraction: None,
            begin: None,
            time: Duration::ZERO,
        }
    }
}

/// What is known of the trace of a violation.
#[derive(Clone, Debug)]
pub enum TraceFinding {
    /// There is none, it was not asked for, or it was not found in time.
    None,
    /// A trace that was replayed.
    Found(Trace),
    /// It has this many steps, more than may be shown.
    TooLong(u64),
    /// It goes through a recursion too deep to be written out.
    TooDeep,
    /// It has this many steps, more than may be shown, but not with its rounds folded.
    Repeating(u64, Trace),
}

/// Sizes of what was worked on.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// Procedures of the program.
    pub procedures: usize,
    /// Control points, or stack symbols.
    pub points: usize,
    /// Rules of the symbolic pushdown system.
    pub rules: usize,
    /// BDD variables, all copies counted.
    pub bdd_variables: u32,
    /// Edges of the automaton of reachable configurations.
    pub edges: usize,
    /// Control points that can be reached.
    pub reached_points: usize,
    /// BDD operations.
    pub operations: u64,
    /// The largest number of BDD nodes that a garbage collection has left.
    pub peak_live_nodes: usize,
}

#[derive(Debug)]
struct State {
    findings: Vec<Finding>,
    statistics: Statistics,
    /// What the user should know beside the verdicts.
    warnings: Vec<String>,
    /// Why properties hold, if that is a bad reason.
    vacuities: Vec<String>,
    /// The phases entered so far, with the time of entering.
    phases: Vec<(Phase, Duration)>,
    /// The property that is being decided.
    turn: Option<usize>,
    /// How many there are.
    properties: usize,
}

/// What is known so far of a run. A part of a board is the same board, on which some of the
/// properties have other numbers.
#[derive(Debug)]
pub struct Board {
    begin: Instant,
    state: Arc<Mutex<State>>,
    /// Of a part: the numbers of its properties on the whole board.
    part: Option<Vec<usize>>,
}

impl Board {
    /// For a run that began at `begin` and has this many properties to decide.
    pub fn new(begin: Instant, properties: usize) -> Self {
        let state = State {
            findings: (0..properties).map(|_| Finding::default()).collect(),
            statistics: Statistics::default(),
            warnings: Vec::new(),
            vacuities: Vec::new(),
            phases: Vec::new(),
            turn: None,
            properties,
        };
        Board {
            begin,
            state: Arc::new(Mutex::new(state)),
            part: None,
        }
    }

    /// The part on which the properties with these numbers are counted from 0.
    pub fn part(&self, properties: &[usize]) -> Self {
        let numbers = properties.iter().map(|property| self.number(*property));
        Board {
            begin: self.begin,
            state: self.state.clone(),
            part: Some(numbers.collect()),
        }
    }

    /// The number of a property on the whole board.
    fn number(&self, property: usize) -> usize {
        match &self.part {
            Some(numbers) => numbers.get(property).copied().unwrap_or(usize::MAX),
            None => property,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked leaves findings behind that are still true.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a phase is entered now.
    pub fn enter(&self, phase: Phase) {
        self.entered(phase, Instant::now());
    }

    /// Notes that a phase was entered at a time, if that was after the beginning of the run.
    pub fn entered(&self, phase: Phase, at: Instant) {
        if let Some(time) = at.checked_duration_since(self.begin) {
            self.state().phases.push((phase, time));
        }
    }

    /// Notes that a property is being decided from now on.
    pub fn turn_to(&self, property: usize) {
        let (mut state, property) = (self.state(), self.number(property));
        state.turn = Some(property);
        if let Some(finding) = state.findings.get_mut(property) {
            finding.begin.get_or_insert(self.begin.elapsed());
        }
    }

    /// The number of the property that is being decided, from 1 (0 before the first), and of
    /// how many.
    pub fn turn(&self) -> [usize; 2] {
        let state = self.state();
        [state.turn.map_or(0, |turn| turn + 1), state.properties]
    }

    /// Puts down a verdict; the first one stands.
    pub fn decide(&self, property: usize, verdict: Verdict) {
        let (mut state, property) = (self.state(), self.number(property));
        // Once the findings have been reported, there is nothing to add.
        if let Some(finding) = state.findings.get_mut(property)
            && finding.verdict.is_none()
        {
            finding.verdict = Some(verdict);
            finding.time = self.begin.elapsed();
            // Whoever decides it says by which means.
            finding.abstraction = None;
            finding.reason = None;
        }
    }

    /// Whether a property has its verdict, and its trace if one is wanted.
    pub fn is_settled(&self, property: usize, wants_trace: bool) -> bool {
        let state = self.state();
        let Some(finding) = state.findings.get(self.number(property)) else {
            return true;
        };
        match (finding.verdict, &finding.trace) {
            (None, _) => false,
            (Some(Verdict::Violated), TraceFinding::None) => !wants_trace,
            (Some(_), _) => true,
        }
    }

    /// The verdict about a property, if it is known.
    pub fn verdict(&self, property: usize) -> Option<Verdict> {
        self.state().findings.get(self.number(property))?.verdict
    }

    /// Puts down the trace of a violation.
    pub fn explain(&self, property: usize, trace: TraceFinding) {
        if let Some(finding) = self.state().findings.get_mut(self.number(property)) {
            finding.trace = trace;
            finding.time = self.begin.elapsed();
        }
    }

    /// Puts down the execution that the trace of a violation stands for.
    pub fn enact(&self, property: usize, execution: Retraced) {
        if let Some(finding) = self.state().findings.get_mut(self.number(property)) {
            finding.execution = Some(Arc::new(execution));
        }
    }

    /// Notes how far a property has been looked at.
    pub fn bound(&self, property: usize, bound: Bound) {
        if let Some(finding) = self.state().findings.get_mut(self.number(property)) {
            finding.bound = Some(bound);
        }
    }

    /// A property is not said to hold before it is noted where executions were not followed.
    pub fn withhold(&self, property: usize) {
        if let Some(finding) = self.state().findings.get_mut(self.number(property)) {
            finding.is_withheld = true;
        }
    }

    /// Notes where executions were not followed any further, each place once. A property that holds is only
    /// known to do so if nothing outside was come to.
    pub fn limit(&self, property: usize, boundaries: &[Boundary], is_known: bool) {
        let mut kinds = boundaries.iter().map(|boundary| boundary.kind);
        let is_open = !is_known || kinds.any(|kind| kind != BoundaryKind::Undefined);
        let (mut state, property) = (self.state(), self.number(property));
        if is_open {
            state.vacuities.clear();
        }
        if let Some(finding) = state.findings.get_mut(property) {
            if is_open {
                finding.verdict = None;
            }
            // Several points may be one place.
            let mut places = FxHashSet::default();
            let place = |one: &Boundary| (one.file.clone(), one.line, one.column, one.what.clone());
            let named = boundaries.iter().filter(|one| places.insert(place(one)));
            finding.boundaries = named.cloned().collect();
            finding.is_withheld = false;
        }
    }

    /// Where executions were not followed any further.
    pub fn boundaries(&self, property: usize) -> Vec<Boundary> {
        let state = self.state();
        let finding = state.findings.get(self.number(property));
        finding.map_or_else(Vec::new, |finding| finding.boundaries.clone())
    }

    /// Notes why a property has no verdict.
    pub fn excuse(&self, property: usize, reason: Reason) {
        if let Some(finding) = self.state().findings.get_mut(self.number(property)) {
            finding.reason = Some(reason);
        }
    }

    /// Notes what predicates had to do with a property.
    pub fn summarize(&self, property: usize, summary: Summary) {
        if let Some(finding) = self.state().findings.get_mut(self.number(property)) {
            finding.abstraction = Some(summary);
        }
    }

    /// When the run began.
    pub fn begin(&self) -> Instant {
        self.begin
    }

    /// Changes the statistics.
    pub fn measure(&self, update: impl FnOnce(&mut Statistics)) {
        update(&mut self.state().statistics);
    }

    /// Takes the findings out, so that a long trace is not copied.
    pub fn take_findings(&self) -> Vec<Finding> {
        let mut findings = std::mem::take(&mut self.state().findings);
        for finding in findings.iter_mut().filter(|one| one.is_withheld) {
            finding.verdict = finding.verdict.filter(|one| *one != Verdict::Holds);
        }
        for finding in findings.iter_mut().filter(|one| one.verdict.is_none()) {
            let begin = finding.begin.unwrap_or_else(|| self.begin.elapsed());
            finding.time = self.begin.elapsed().saturating_sub(begin);
        }
        findings
    }

    /// Adds a warning.
    pub fn warn(&self, warning: String) {
        self.state().warnings.push(warning);
    }

    /// Adds a warning about why a property holds. Where it turns out not to be known, there is
    /// nothing to warn of.
    pub fn warn_of_vacuity(&self, warning: String) {
        self.state().vacuities.push(warning);
    }

    /// Takes the warnings out.
    pub fn take_warnings(&self) -> Vec<String> {
        let mut state = self.state();
        let mut warnings = std::mem::take(&mut state.warnings);
        warnings.append(&mut state.vacuities);
        warnings
    }

    /// The statistics so far.
    pub fn statistics(&self) -> Statistics {
        self.state().statistics.clone()
    }

    /// The phase that was entered last.
    pub fn phase(&self) -> Option<Phase> {
        self.state().phases.last().map(|(phase, _)| *phase)
    }

    /// How long each phase took, in the order they were first entered; the last one until now.
    pub fn phase_times(&self) -> Vec<(Phase, Duration)> {
        let phases = &self.state().phases;
        let ends = phases.iter().skip(1).map(|(_, begin)| *begin);
        let ends = ends.chain(std::iter::once(self.begin.elapsed()));
        let mut times: Vec<(Phase, Duration)> = Vec::new();
        for ((phase, begin), end) in phases.iter().zip(ends) {
            let time = end.saturating_sub(*begin);
            match times.iter_mut().find(|(known, _)| known == phase) {
                Some((_, sum)) => *sum += time,
                None => times.push((*phase, time)),
            }
        }
        times
    }

    /// The time since the beginning of the run.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_numbers_of_its_own() {
        let board = Board::new(Instant::now(), 4);
        let part = board.part(&[3, 1]);
        part.turn_to(0);
        part.decide(0, Verdict::Holds);
        part.part(&[1]).decide(0, Verdict::Violated);
        let verdicts = [0, 1, 2, 3].map(|property| board.verdict(property));
        let expected = [None, Some(Verdict::Violated), None, Some(Verdict::Holds)];
        assert_eq!(verdicts, expected);
        assert_eq!(board.turn(), [4, 4]);
        assert_eq!(part.verdict(2), None);
    }
    /// A limit may come between a search and the look at what it has not followed.
    #[test]
    fn what_may_lie_outside_is_looked_at_before_a_property_holds() {
        let verdicts = |is_looked_at: bool| -> Vec<Option<Verdict>> {
            let board = Board::new(Instant::now(), 2);
            board.withhold(0);
            board.withhold(1);
            board.decide(0, Verdict::Holds);
            board.decide(1, Verdict::Violated);
            if is_looked_at {
                board.limit(0, &[], true);
            }
            let findings = board.take_findings();
            findings.iter().map(|finding| finding.verdict).collect()
        };
        assert_eq!(verdicts(false), [None, Some(Verdict::Violated)]);
        assert_eq!(
            verdicts(true),
            [Some(Verdict::Holds), Some(Verdict::Violated)]
        );
    }
}
