//! Runs of the automaton over executions with folded calls and rounds.
//!
//! A segment relates the automaton's states before its first configuration to those after
//! its last, with and without an accepting state on the way. These relations are computed
//! once a segment, from the inside out, and joined; so an execution is judged whose steps
//! could never be written out.
//!
//! Of folded rounds only the samples can be looked at. The product says in which states the
//! automaton is before and after each of them. That there is such a run over every sample is
//! checked; over the rounds between, it is believed, and that it accepts there never is. So it
//! is with nested frames: those deep inside are looked at, and if the automaton accepts there
//! that counts.

use super::Temporal;
use crate::rules::Subject;
use crate::trace::{Fold, Nested, Sample, Step, Trace};

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

/// Whether each segment is a round.
fn rounds_of(trace: &Trace) -> Vec<bool> {
    let mut is_round = vec![false; trace.segments.len()];
    for sample in trace.rounds.iter().flatten() {
        is_round[sample.segment.0 as usize] = true;
    }
    is_round
}

/// From the state before the first sample to that after the last, if each has its run.
fn over_rounds(
    states: usize,
    mut samples: impl Iterator<Item = Sample>,
    segments: &[Runs],
) -> Runs {
    let mut runs = Runs::none(states);
    let Some(first) = samples.next() else {
        return runs;
    };
    let [before, mut after] = first.states.map(|state| state as usize);
    let has_run = |sample: Sample| {
        let [before, after] = sample.states.map(|state| state as usize);
        segments[sample.segment.0 as usize].best[before * states + after] > 0
    };
    let mut is_run = has_run(first);
    for sample in samples {
        is_run &= has_run(sample);
        after = sample.states[1] as usize;
    }
    if is_run {
        runs.add(before, after, 1);
    }
    runs
}

/// From the state before nested frames to that after them, if the frame deep inside has its
/// run.
fn over_nested(states: usize, nested: &Nested, segments: &[Runs]) -> Runs {
    let mut runs = Runs::none(states);
    let [outside, inside] = nested
        .states
        .map(|states| states.map(|state| state as usize));
    let lowest = &segments[nested.round[0].0 as usize];
    let best = lowest.best[inside[0] * states + inside[1]];
    runs.add(outside[0], outside[1], best);
    runs
}

/// Whether the automaton of the forbidden executions accepts the trace.
pub fn accepts(temporal: &Temporal, subject: Subject<'_>, trace: &Trace) -> bool {
    let automaton = &temporal.forbidden;
    let n = automaton.states as usize;
    let letter = |step: &Step| {
        if temporal.is_silent(step) {
            return Runs::identity(n);
        }
        let valuation = temporal.letter(subject, step);
        let mut runs = Runs::none(n);
        for edge in automaton.edges.iter().filter(|e| e.label.holds(&valuation)) {
            let best = 1 + u8::from(automaton.is_accepting(edge.source));
            runs.add(edge.source as usize, edge.target as usize, best);
        }
        runs
    };
    let over = |steps: &[Step], segments: &[Runs]| {
        steps.iter().fold(Runs::identity(n), |runs, step| {
            let rounds = match step.folded {
                None => return runs.then(&letter(step)),
                Some(Fold::Call(inner)) => {
                    let runs = runs.then(&letter(step));
                    return runs.then(&segments[inner.0 as usize]);
                }
                Some(Fold::Rounds(rounds)) => trace.samples(rounds),
                // Neither is part of a trace's own steps.
                Some(Fold::Nested(_) | Fold::Returned(_)) => return Runs::none(n),
            };
            // The step's own letter is read in the first round.
            runs.then(&over_rounds(n, rounds.map(|(sample, _)| sample), segments))
        })
    };
    let is_round = rounds_of(trace);
    let mut segments: Vec<Runs> = Vec::new();
    for (i, segment) in trace.segments.iter().enumerate() {
        if let Some(Fold::Nested(nested)) = segment.first().and_then(|step| step.folded) {
            let runs = over_nested(n, &trace.nested[nested.0 as usize], &segments);
            segments.push(runs);
            continue;
        }
        // The letter of a round's last step is read by what comes after it.
        let letters = segment.len() - usize::from(is_round[i]);
        let runs = over(&segment[..letters], &segments);
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
