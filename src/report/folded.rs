//! Traces with folded rounds, as lists of steps and repeated rounds.

use crate::trace::{Fold, NestedId, RoundsId, Step, Trace, folded_length};
use crate::witness::fold::unfold::{Lengths, show_nested};
use std::borrow::Cow;

/// How many rounds lie folded.
fn rounds(trace: &Trace, id: RoundsId) -> u64 {
    let counts = trace.samples(id).map(|(sample, _)| sample.rounds);
    counts.fold(0, u64::saturating_add)
}

/// A trace as it is shown: with the frames around nested ones, or all calls folded.
pub fn shown(trace: &Trace, with_nested: bool) -> Cow<'_, Trace> {
    let nested = with_nested.then(|| show_nested(trace, usize::MAX));
    nested.flatten().unwrap_or(Cow::Borrowed(trace))
}

fn nested(trace: &Trace, id: NestedId) -> u64 {
    trace.nested[id.0 as usize].rounds
}

/// What the text says where rounds are folded after a step.
pub fn describe(trace: &Trace, step: &Step) -> Option<String> {
    match step.folded {
        Some(Fold::Rounds(id)) => Some(format!(
            "... {} more rounds like this ...",
            rounds(trace, id)
        )),
        Some(Fold::Nested(id)) => {
            let nested = &trace.nested[id.0 as usize];
            let calls = match nested.round.len() {
                1 => "calls like this",
                _ => "rounds of calls like these",
            };
            let rounds = nested.rounds;
            Some(format!(
                "... {rounds} more {calls}, each inside the one before ..."
            ))
        }
        Some(Fold::Returned(id)) => {
            let nested = &trace.nested[id.0 as usize];
            let returns = match nested.round.len() {
                1 => "returns like this",
                _ => "rounds of returns like these",
            };
            Some(format!("... {} more {returns} ...", nested.rounds))
        }
        Some(Fold::Call(_)) | None => None,
    }
}

/// How many steps these are, folded rounds counted; calls that return are one step.
pub fn length(trace: &Trace, steps: &[Step]) -> u64 {
    steps.iter().fold(0, |sum: u64, step| {
        let folded = match step.folded {
            Some(Fold::Rounds(id)) => {
                let round = |steps| length(trace, steps).saturating_sub(1);
                folded_length(trace.samples(id).map(|(s, steps)| (s.rounds, round(steps))))
            }
            Some(Fold::Nested(id)) => Lengths::new(trace).of_nested(id).saturating_add(1),
            Some(Fold::Call(_) | Fold::Returned(_)) | None => 1,
        };
        sum.saturating_add(folded)
    })
}

/// What a list of steps with folded rounds is made of.
pub enum Item {
    /// With its number in the trace, unless it is part of a folded round.
    Step(Step, Option<usize>),
    /// So many rounds, and the items of the last of them, from the step after its beginning
    /// to its end.
    Repeated(u64, Vec<Item>),
    /// So many rounds of calls, each inside the one before.
    Nested(u64),
    /// As many returns.
    Returned(u64),
}

/// The steps of a trace, numbered from `first` on, or of a round in it, which has so many
/// frames below.
pub fn items(trace: &Trace, steps: &[Step], below: u64, first: Option<usize>) -> Vec<Item> {
    let mut items = Vec::with_capacity(steps.len());
    let mut rest = steps.iter();
    let number = |left: usize| Some(first? + steps.len() - left - 1);
    let lifted = |step: &Step| {
        let mut step = step.clone();
        step.lift(below);
        step
    };
    while let Some(step) = rest.next() {
        let mut shown = lifted(step);
        let id = match step.folded {
            Some(Fold::Rounds(id)) => id,
            Some(Fold::Nested(id)) => {
                shown.folded = None;
                let step = Item::Step(shown, number(rest.len()));
                items.extend([step, Item::Nested(nested(trace, id))]);
                continue;
            }
            Some(Fold::Returned(id)) => {
                shown.folded = None;
                let step = Item::Step(shown, number(rest.len()));
                items.extend([step, Item::Returned(nested(trace, id))]);
                continue;
            }
            Some(Fold::Call(_)) | None => {
                items.push(Item::Step(shown, number(rest.len())));
                continue;
            }
        };
        shown.folded = None;
        let depth = shown.depth;
        items.push(Item::Step(shown, number(rest.len())));
        // The end of the last round is the step after all of them.
        let after = rest.next().map(lifted);
        let (inside, left) = match trace.samples(id).next_back() {
            Some((_, [_, inside @ .., last])) => (inside, last.depth),
            _ => (&[][..], 0),
        };
        let depth = after.as_ref().map_or(depth, |after| after.depth - left);
        let mut round = self::items(trace, inside, depth, None);
        round.extend(after.map(|after| Item::Step(after, number(rest.len()))));
        items.push(Item::Repeated(rounds(trace, id), round));
    }
    items
}
