//! Runs of the automaton over executions with folded calls.
//!
//! A segment relates the automaton's states before its first configuration to those after
//! its last, with and without an accepting state on the way. These relations are computed
//! once a segment, from the inside out, and joined; so an execution is judged whose steps
//! could never be written out.

use super::{Subject, Temporal};
use crate::interpreter::replay::{Trace, TraceStep};

/// For each pair of states: no run, a run, or a run that accepts.
#[derive(Clone, PartialEq, Eq)]
struct Runs {
    states: usize,
    /// By `before * states + after`: 0 none, 1 some, 2 accepting.
    best: Vec<u8>,
}

impl Runs {
    fn none(states: usize) -> Self {
        Runs {
            states,
            best: vec![0; states * states],
        }
    }

    fn identity(states: usize) -> Self {
        let mut runs = Runs::none(states);
        (0..states).for_each(|state| runs.best[state * states + state] = 1);
        runs
    }

    fn add(&mut self, before: usize, after: usize, best: u8) {
        let known = &mut self.best[before * self.states + after];
        *known = (*known).max(best);
    }

    fn then(&self, later: &Runs) -> Runs {
        let n = self.states;
        let mut joined = Runs::none(n);
        for before in 0..n {
            for middle in 0..n {
                let first = self.best[before * n + middle];
                for after in 0..n {
                    let second = later.best[middle * n + after];
                    if first > 0 && second > 0 {
                        joined.add(before, after, first.max(second));
                    }
                }
            }
        }
        joined
    }
}

/// Whether the automaton of the forbidden executions accepts the trace.
pub fn accepts<S: Subject>(temporal: &Temporal, subject: &S, trace: &Trace<S::Step>) -> bool {
    let automaton = &temporal.forbidden;
    let n = automaton.states as usize;
    let letter = |step: &S::Step| {
        let valuation = temporal.letter(subject, step);
        let mut runs = Runs::none(n);
        for edge in automaton.edges.iter().filter(|e| e.label.holds(&valuation)) {
            let best = 1 + u8::from(automaton.is_accepting(edge.source));
            runs.add(edge.source as usize, edge.target as usize, best);
        }
        runs
    };
    let over = |steps: &[S::Step], segments: &[Runs]| {
        steps.iter().fold(Runs::identity(n), |runs, step| {
            let runs = runs.then(&letter(step));
            match step.folded() {
                Some(inner) => runs.then(&segments[inner.0 as usize]),
                None => runs,
            }
        })
    };
    let mut segments: Vec<Runs> = Vec::new();
    for segment in &trace.segments {
        let runs = over(segment, &segments);
        segments.push(runs);
    }
    // A call folded on the stem's last step is part of every round of the cycle.
    let Some((last, stem)) = trace.stem.split_last() else {
        return false;
    };
    let stem = over(stem, &segments);
    let mut round = over(std::slice::from_ref(last), &segments);
    if let Some((_, cycle)) = trace.cycle.split_last() {
        round = round.then(&over(cycle, &segments));
    }
    // Some state after the stem comes back to itself by accepting rounds.
    let mut rounds = round.clone();
    loop {
        let more = rounds.then(&round);
        let mut union = rounds.clone();
        for before in 0..n {
            for after in 0..n {
                union.add(before, after, more.best[before * n + after]);
            }
        }
        if union == rounds {
            break;
        }
        rounds = union;
    }
    let starts = automaton.initial.iter().map(|state| *state as usize);
    let mut reached = vec![false; n];
    for start in starts {
        let row = &stem.best[start * n..][..n];
        for (reached, best) in reached.iter_mut().zip(row) {
            *reached |= *best > 0;
        }
    }
    (0..n).any(|state| {
        let enters =
            |from: usize| reached[from] && (from == state || rounds.best[from * n + state] > 0);
        (0..n).any(enters) && rounds.best[state * n + state] == 2
    })
}
