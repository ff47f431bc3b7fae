//! Executions as lists of steps.
//!
//! A call that returns may be *folded*: then it stands on a *segment*, the execution of the
//! called frame from its entry to its exit. The rounds of a loop may be folded, too, and so
//! may frames nested deep inside each other: these stand on *samples*, some of the rounds or
//! frames, which have segments of their own.

pub mod failure;
mod step;

pub use step::{Location, Step, Valuation};

use crate::program::ProcedureId;
use crate::watch::Gauge;
use failure::Failure;

/// A part of an execution that is not shown step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The whole execution of a call: the next step is the one after its return.
    Call(SegmentId),
    /// Rounds of a loop: the next step is in the same place.
    Rounds(RoundsId),
    /// Frames above each other, from the entry of the lowest: the next step is its exit, or,
    /// where the frames inside are shown, the entry of the next one that is.
    Nested(NestedId),
    /// Frames above each other, from the exit of the highest one: the next step is the one after the
    /// exit of the lowest. Only where they are shown.
    Returned(NestedId),
}

/// An index into [`Trace::nested`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NestedId(pub u32);

/// An index into [`Trace::rounds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoundsId(pub u32);

/// An index into [`Trace::segments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId(pub u32);

/// A finite execution, or an infinite one as a stem and a loop.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// From the beginning to the end, or to where the loop begins.
    pub stem: Vec<Step>,
    /// Empty for a finite execution.
    pub cycle: Vec<Step>,
    /// What folded calls and rounds stand on. A segment uses only segments before it, and
    /// depths count from its own frame. That of a call leads from a procedure's entry to its
    /// exit, a round from a place back to itself.
    pub segments: Vec<Vec<Step>>,
    /// The samples of folded rounds, in order.
    pub rounds: Vec<Vec<Sample>>,
    /// Frames nested too deep to be segments of their own.
    pub nested: Vec<Nested>,
    /// The threads there are at its end, by number; empty where there are none. Only steps of
    /// one thread, or the change to another, lie between two steps of the stem.
    pub threads: Vec<Thread>,
    /// If the execution comes to *error*: why.
    pub failure: Option<Failure>,
    /// Counts the steps that are replayed, for whoever watches.
    pub replayed: Gauge,
}

/// A thread of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// 0 for the one that runs before the others.
    pub id: u32,
    /// As users see it: `adder`, `adder#2`.
    pub name: String,
    /// What it began in.
    pub procedure: ProcedureId,
}

/// A round of a loop that was made step by step, and stands for some more after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub segment: SegmentId,
    /// How many rounds these are, itself counted.
    pub rounds: u64,
    /// The states of the property's automaton, if there is one, with which it begins and
    /// ends. Nothing here looks at them.
    pub states: [u32; 2],
}

/// Frames above each other that were not made step by step. What stands for the lowest is a
/// segment of two steps, its entry and its exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// How many rounds of frames these are.
    pub rounds: u64,
    /// The frames of the round after them, the lowest first. Like the first frame that was not
    /// made, its lowest is one of the same procedure.
    pub round: Vec<SegmentId>,
    /// What the last of these calls.
    pub inner: SegmentId,
    /// Whether that round is another than those around it, and should be seen.
    pub is_notable: bool,
    /// The states of the property's automaton, if there is one, with which the lowest frame is
    /// entered and left, and the same of the lowest in `round`.
    pub states: [[u32; 2]; 2],
}

/// How many steps folded rounds have, if the samples have these lengths: each pair is how
/// many rounds a sample stands for, and how many steps it has. Between two samples lengths are taken to
/// change evenly. So the number is exact where all rounds are alike, or each has as many steps
/// more than the one before; otherwise it is an estimate.
pub fn folded_length(samples: impl DoubleEndedIterator<Item = (u64, u64)>) -> u64 {
    let mut next = None;
    let mut sum: u128 = 0;
    for (rounds, steps) in samples.rev() {
        let (rounds, steps) = (u128::from(rounds), u128::from(steps));
        let first = next.unwrap_or(steps).min(steps);
        let growth = next.unwrap_or(steps).abs_diff(steps);
        // Growing, the first round has no part of the growth; shrinking, it has all of it.
        let weight = match first == steps {
            true => rounds.saturating_sub(1),
            false => rounds + 1,
        };
        let even = rounds.saturating_mul(first);
        let more = growth.saturating_mul(weight) / 2;
        sum = sum.saturating_add(even).saturating_add(more);
        next = Some(steps);
    }
    u64::try_from(sum).unwrap_or(u64::MAX)
}

impl Trace {
    /// Whether it comes to where executions have stopped.
    pub fn has_stopped(&self) -> bool {
        self.stem.last().is_some_and(Step::is_stopped)
    }

    /// The samples of folded rounds, and for each its steps.
    pub fn samples(&self, id: RoundsId) -> impl DoubleEndedIterator<Item = (Sample, &[Step])> {
        let samples = self
            .rounds
            .get(id.0 as usize)
            .map_or(&[][..], |rounds| rounds);
        samples.iter().map(|sample| {
            let steps = self.segments.get(sample.segment.0 as usize);
            (*sample, steps.map_or(&[][..], |steps| steps))
        })
    }
}

/// How many frames rounds leave waiting, if each does as the samples do; `None` if these are
/// not alike.
pub fn waiting_after(trace: &Trace, samples: &[Sample]) -> Option<u64> {
    let steps = |sample: &Sample| trace.segments.get(sample.segment.0 as usize);
    let left = |sample: &Sample| Some(steps(sample)?.last()?.depth);
    let each = left(samples.first()?)?;
    if samples.iter().any(|sample| left(sample) != Some(each)) {
        return None;
    }
    let rounds = samples
        .iter()
        .try_fold(0_u64, |sum, sample| sum.checked_add(sample.rounds))?;
    rounds.checked_mul(each)
}

#[cfg(test)]
mod tests {
    use super::folded_length;
    use proptest::prelude::*;

    proptest! {
        /// Rounds that have each as many steps more, or fewer, than the one before.
        #[test]
        fn lengths_that_change_evenly_are_counted_exactly(
            first in 0..1000_u64,
            change in 0..9_u64,
            grows: bool,
            counts in prop::collection::vec(1..20_u64, 1..8),
        ) {
            let rounds: u64 = counts.iter().sum();
            let length = |round: u64| match grows {
                true => first + change * round,
                false => first + change * (rounds - round),
            };
            // The last sample stands for itself: nothing tells how rounds after it change.
            let mut samples = Vec::new();
            let mut begin = 0;
            for count in counts {
                samples.push((count, length(begin)));
                begin += count;
            }
            samples.push((1, length(begin)));
            let expected: u64 = (0..=rounds).map(length).sum();
            prop_assert_eq!(folded_length(samples.into_iter()), expected);
        }
    }

    #[test]
    fn a_length_that_does_not_fit_is_the_largest_there_is() {
        assert_eq!(folded_length([].into_iter()), 0);
        assert_eq!(folded_length([(7, 3)].into_iter()), 21);
        assert_eq!(folded_length([(u64::MAX, 2), (1, 2)].into_iter()), u64::MAX);
    }
}
