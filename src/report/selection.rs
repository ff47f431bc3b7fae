//! Which steps of a trace are shown as text: all, those outside of folded calls, or those at
//! which something was chosen.

use super::steps::Annotated;
use super::style::TextStyle;
use super::threads::{Context, contexts};
use crate::trace::Step;
use rustc_hash::FxHashMap;

/// What is written, one below the other.
pub enum Row {
    Step(usize),
    /// Steps that are not shown, and why.
    Hidden {
        first: usize,
        last: usize,
        what: String,
    },
    /// Here another thread goes on.
    Context(Context),
    /// Here the loop begins.
    Loop,
    /// Here it goes back to its beginning.
    Back,
}

/// The rows of the first `count` steps.
pub fn rows(annotated: Annotated<'_>, count: usize, style: &TextStyle) -> Vec<Row> {
    let trace = annotated.trace;
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).take(count).collect();
    let notes = &annotated.annotation.steps;
    let folded = match style.fold {
        Some(most) => folded(&steps, most),
        None => vec![false; count],
    };
    let is_chosen = |i: usize| !notes[i].choice.is_empty() || !notes[i].start.is_empty();
    let is_shown = |i: usize| !folded[i] && (!style.choices || is_chosen(i));
    let mut contexts = contexts(trace).into_iter().peekable();
    let mut rows = Vec::with_capacity(count);
    let has_loop = !trace.cycle.is_empty();
    for (i, is_folded) in folded.iter().enumerate() {
        if has_loop && i == trace.stem.len() {
            rows.push(Row::Loop);
        }
        rows.extend(
            contexts
                .next_if(|context| context.first == i)
                .map(Row::Context),
        );
        match (rows.last_mut(), is_shown(i)) {
            (_, true) => rows.push(Row::Step(i)),
            (Some(Row::Hidden { last, .. }), false) => *last = i,
            (_, false) => rows.push(Row::Hidden {
                first: i,
                last: i,
                what: match *is_folded && !style.choices {
                    true => ", in a call that returns".to_owned(),
                    false => String::new(),
                },
            }),
        }
    }
    if has_loop {
        rows.push(match count > trace.stem.len() {
            true => Row::Back,
            false => Row::Loop,
        });
    }
    rows
}

/// The steps that lie deeper than `most`, in calls that return.
pub fn folded(steps: &[&Step], most: u64) -> Vec<bool> {
    let mut folded = vec![false; steps.len()];
    // For each thread, the least depth of all steps behind; one that has stopped has left nothing.
    let mut behind: FxHashMap<u32, u64> = FxHashMap::default();
    for (i, step) in steps.iter().enumerate().rev() {
        if step.is_stopped() {
            continue;
        }
        let behind = behind.entry(step.thread).or_insert(u64::MAX);
        folded[i] = step.depth > most.max((*behind).min(step.depth));
        *behind = (*behind).min(step.depth);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Location, Valuation};

    fn hidden(depths: &[u64], most: u64) -> Vec<usize> {
        let step = |depth: &u64| Step::new(Location::At(0), *depth, Valuation::new(&[], &[]));
        let steps: Vec<_> = depths.iter().map(step).collect();
        let folded = folded(&steps.iter().collect::<Vec<_>>(), most);
        (0..depths.len()).filter(|i| folded[*i]).collect()
    }

    #[test]
    fn calls_that_return_are_folded_and_open_ones_are_not() {
        assert_eq!(hidden(&[0, 1, 2, 2, 1, 0, 1], 0), [1, 2, 3, 4]);
        assert_eq!(hidden(&[0, 1, 2, 2, 1, 0, 1], 1), [2, 3]);
        assert_eq!(hidden(&[0, 1, 2, 3, 2], 0), [3]);
        assert_eq!(hidden(&[0, 1, 2], 0), [] as [usize; 0]);
    }
}
