//! Traces with their folded parts: how long they are, and the same with less folded.

use crate::limits::witness::SHORT_CALL;
use crate::trace::{Fold, Nested, NestedId, Sample, SegmentId, Step, Trace, folded_length};
use std::borrow::Cow;

/// The number of steps of a folded trace once everything is unfolded; see [`folded_length`].
/// Nested frames count like those they lead to.
pub fn unfolded_length(trace: &Trace) -> u64 {
    let lengths = Lengths::new(trace);
    let length = |steps| lengths.of(steps);
    length(&trace.stem).saturating_add(length(&trace.cycle))
}

/// Whether the number of steps is no estimate: all rounds that were looked at are equally
/// long, and so are all frames between nested ones.
pub fn is_length_exact(trace: &Trace) -> bool {
    let lengths = Lengths::new(trace);
    let length = |sample: &Sample| lengths.segments[sample.segment.0 as usize];
    let mut rounds = trace.rounds.iter();
    let mut nested = trace.nested.iter();
    rounds.all(|samples| {
        samples
            .windows(2)
            .all(|two| length(&two[0]) == length(&two[1]))
    }) && nested.all(|nested| {
        let inner = nested_at(trace, nested.inner);
        inner.is_none_or(|inner| lengths.of_round(nested) == lengths.of_round(inner))
    })
}

/// What a segment stands for, if that is nested frames.
fn nested_at(trace: &Trace, segment: SegmentId) -> Option<&Nested> {
    match trace.segments.get(segment.0 as usize)?.first()?.folded {
        Some(Fold::Nested(nested)) => trace.nested.get(nested.0 as usize),
        _ => None,
    }
}

/// The number of steps of each segment, everything in it unfolded.
pub struct Lengths<'t> {
    trace: &'t Trace,
    segments: Vec<u64>,
}

impl<'t> Lengths<'t> {
    pub fn new(trace: &'t Trace) -> Self {
        let mut lengths = Lengths {
            trace,
            segments: Vec::with_capacity(trace.segments.len()),
        };
        for (segment, i) in trace.segments.iter().zip(0..) {
            let length = match nested_at(trace, SegmentId(i)) {
                None => lengths.of(segment),
                Some(nested) => {
                    let frames = lengths.of_round(nested).saturating_mul(nested.rounds);
                    frames.saturating_add(lengths.segments[nested.round[0].0 as usize])
                }
            };
            lengths.segments.push(length);
        }
        lengths
    }

    fn of(&self, steps: &[Step]) -> u64 {
        let length = |step| self.of_step(step);
        steps.iter().map(length).fold(0, u64::saturating_add)
    }

    /// A step, and what is folded after it.
    fn of_step(&self, step: &Step) -> u64 {
        let inner = match step.folded {
            None | Some(Fold::Returned(_)) => 0,
            Some(Fold::Call(segment)) => self.segments[segment.0 as usize],
            Some(Fold::Rounds(rounds)) => {
                // The step a round begins with is the last one of the round before. The step
                // after all rounds is counted by itself.
                let round = |(sample, _): (Sample, &[Step])| {
                    let steps = self.segments[sample.segment.0 as usize].saturating_sub(1);
                    (sample.rounds, steps)
                };
                folded_length(self.trace.samples(rounds).map(round)).saturating_sub(1)
            }
            Some(Fold::Nested(id)) => self.of_nested(id),
        };
        inner.saturating_add(1)
    }

    /// The frames that are not shown, but for the first step.
    pub fn of_nested(&self, id: NestedId) -> u64 {
        let nested = &self.trace.nested[id.0 as usize];
        let frames = self.of_round(nested).saturating_mul(nested.rounds);
        frames.saturating_sub(1)
    }

    /// The round of frames after nested ones, without what the last one calls.
    fn of_round(&self, nested: &Nested) -> u64 {
        let inner = nested.round.iter().skip(1).chain([&nested.inner]);
        let frames = nested.round.iter().zip(inner).map(|(frame, inner)| {
            let steps = &self.trace.segments[frame.0 as usize];
            let call = Some(Fold::Call(*inner));
            let hole = steps.iter().position(|step| step.folded == call);
            let steps = steps.iter().enumerate();
            let length = steps.map(|(i, step)| match Some(i) == hole {
                true => 1,
                false => self.of_step(step),
            });
            length.fold(0, u64::saturating_add)
        });
        frames.fold(0, u64::saturating_add)
    }
}

/// An execution with no call folded; there must be no folded rounds, nor nested frames.
pub fn unfold(trace: &Trace) -> Trace {
    let everything = |_: SegmentId| true;
    let mut unfolded = show(trace, &everything, usize::MAX).unwrap_or_default();
    unfolded.failure = trace.failure.clone();
    unfolded
}

/// An execution with those calls unfolded that lead to nested frames, and the innermost
/// ones of these. It is to be shown and cannot be replayed. `None` if it has more than `most`
/// steps.
pub fn show_nested(trace: &Trace, most: usize) -> Option<Cow<'_, Trace>> {
    if trace.nested.is_empty() {
        return Some(Cow::Borrowed(trace));
    }
    let is_shown = around_nested(trace);
    let shown = show(trace, &|segment| is_shown[segment.0 as usize], most)?;
    Some(Cow::Owned(Trace {
        segments: trace.segments.clone(),
        rounds: trace.rounds.clone(),
        failure: trace.failure.clone(),
        ..shown
    }))
}

/// Which segments lead to nested frames, or show what these come to in the end.
fn around_nested(trace: &Trace) -> Vec<bool> {
    let mut is_shown = Vec::with_capacity(trace.segments.len());
    for segment in &trace.segments {
        let mut steps = segment.iter();
        let leads_there = steps.any(|step| match step.folded {
            Some(Fold::Nested(_)) => true,
            Some(Fold::Call(inner)) => is_shown[inner.0 as usize],
            _ => false,
        });
        is_shown.push(leads_there);
    }
    let lengths = Lengths::new(trace);
    let mut is_inside = vec![false; trace.segments.len()];
    for nested in &trace.nested {
        for frame in nested.round.iter().chain([&nested.inner]) {
            is_inside[frame.0 as usize] = true;
        }
    }
    // A segment uses only segments before it.
    for (i, segment) in trace.segments.iter().enumerate().rev() {
        if !is_inside[i] {
            continue;
        }
        for step in segment {
            if let Some(Fold::Call(inner)) = step.folded {
                is_inside[inner.0 as usize] |= lengths.segments[inner.0 as usize] <= SHORT_CALL;
            }
        }
    }
    let both = is_shown.iter().zip(is_inside);
    both.map(|(shown, inside)| *shown || inside).collect()
}

/// The steps of an execution with some of the calls unfolded; `None` if these are too many.
fn show(trace: &Trace, is_shown: &dyn Fn(SegmentId) -> bool, most: usize) -> Option<Trace> {
    let mut shown = Splicing {
        trace,
        is_shown,
        most,
        steps: Vec::new(),
        rest: Vec::new(),
        nested: trace.nested.clone(),
    };
    let mut stem = trace.stem.clone();
    // A call that the cycle begins with is folded on the stem's last step, but what happens
    // in it is part of the cycle.
    let first = stem.last_mut().filter(|_| !trace.cycle.is_empty());
    let first = first.and_then(|last| {
        let segment = match last.folded {
            Some(Fold::Call(segment)) if is_shown(segment) => segment,
            _ => return None,
        };
        last.folded = None;
        Some((segment, last.depth))
    });
    shown.add(&stem)?;
    let stem = std::mem::take(&mut shown.steps);
    if let Some((segment, depth)) = first {
        shown.call(segment, depth);
        shown.run()?;
    }
    shown.add(&trace.cycle)?;
    Some(Trace {
        stem,
        cycle: shown.steps,
        nested: shown.nested,
        ..Trace::default()
    })
}

struct Splicing<'t> {
    trace: &'t Trace,
    is_shown: &'t dyn Fn(SegmentId) -> bool,
    most: usize,
    steps: Vec<Step>,
    /// What is still to be added, the next last.
    rest: Vec<Rest<'t>>,
    /// Those of the trace, and what stands for several of them.
    nested: Vec<Nested>,
}

/// The rest of a segment.
struct Rest<'t> {
    steps: std::slice::Iter<'t, Step>,
    /// How many frames lie below it.
    below: u64,
    /// If it lies deep inside nested frames: which.
    inside: Option<NestedId>,
}

impl<'t> Splicing<'t> {
    fn add(&mut self, steps: &'t [Step]) -> Option<()> {
        self.rest.push(Rest {
            steps: steps.iter(),
            below: 0,
            inside: None,
        });
        self.run()
    }

    fn run(&mut self) -> Option<()> {
        while let Some(rest) = self.rest.last_mut() {
            let Some(step) = rest.steps.next() else {
                let inside = rest.inside.map(Fold::Returned);
                self.rest.pop();
                if let Some(last) = self.steps.last_mut().filter(|_| inside.is_some()) {
                    last.folded = inside;
                }
                continue;
            };
            let mut lifted = step.clone();
            lifted.lift(rest.below);
            let depth = step.depth + rest.below;
            match step.folded {
                Some(Fold::Call(segment)) if (self.is_shown)(segment) => {
                    lifted.folded = None;
                    self.steps.push(lifted);
                    self.call(segment, depth);
                }
                Some(Fold::Nested(nested)) => {
                    // Its exit is not shown: the values that do not matter are not known.
                    self.rest.pop();
                    self.enter(nested, lifted, depth)?;
                }
                _ => self.steps.push(lifted),
            }
            if self.steps.len() > self.most {
                return None;
            }
        }
        Some(())
    }

    fn call(&mut self, segment: SegmentId, depth: u64) {
        self.rest.push(Rest {
            steps: self.trace.segments[segment.0 as usize].iter(),
            below: depth + 1,
            inside: None,
        });
    }

    /// Goes from the entry of nested frames to the last frames inside that were unfolded.
    fn enter(&mut self, nested: NestedId, mut entry: Step, depth: u64) -> Option<()> {
        let mut innermost = &self.trace.nested[nested.0 as usize];
        let mut rounds = innermost.rounds;
        while let Some(further) = nested_at(self.trace, innermost.inner)
            && !innermost.is_notable
        {
            // Those between are a round, too.
            rounds = rounds.checked_add(1)?.checked_add(further.rounds)?;
            innermost = further;
        }
        let all = NestedId(self.nested.len() as u32);
        self.nested.push(Nested {
            rounds,
            ..innermost.clone()
        });
        entry.folded = Some(Fold::Nested(all));
        self.steps.push(entry);
        let frames = rounds.checked_mul(innermost.round.len() as u64)?;
        self.rest.push(Rest {
            steps: self.trace.segments[innermost.round[0].0 as usize].iter(),
            below: depth.checked_add(frames)?,
            inside: Some(all),
        });
        Some(())
    }
}
