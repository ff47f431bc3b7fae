//! Traces of threads with calls folded: those that return within their context. Linear in the
//! steps.

use crate::trace::{Fold, SegmentId, Step, Trace};

/// The same execution with every call folded that no other call encloses, as far as both its
/// ends are in one context.
pub fn fold_calls(trace: &Trace) -> Trace {
    let mut folded = Trace {
        failure: trace.failure.clone(),
        threads: trace.threads.clone(),
        ..Trace::default()
    };
    let mut steps = trace.stem.iter().enumerate();
    let ends = returns(&trace.stem);
    while let Some((place, step)) = steps.next() {
        let mut step = step.clone();
        if let Some(end) = ends[place] {
            let mut segment = trace.stem[place + 1..end].to_vec();
            for inner in &mut segment {
                inner.depth -= step.depth + 1;
            }
            step.folded = Some(Fold::Call(SegmentId(folded.segments.len() as u32)));
            folded.segments.push(segment);
            steps.by_ref().take(end - place - 1).for_each(drop);
        }
        folded.stem.push(step);
    }
    folded
}

/// For each step that is a call, where it has returned, if that is in the same context.
fn returns(steps: &[Step]) -> Vec<Option<usize>> {
    let mut ends = vec![None; steps.len()];
    // The calls of this context that have not returned.
    let mut open: Vec<usize> = Vec::new();
    for (place, pair) in steps.windows(2).enumerate() {
        let [before, after] = pair else {
            continue;
        };
        if before.thread != after.thread || after.is_stopped() {
            open.clear();
        } else if after.depth > before.depth {
            open.push(place);
        } else if after.depth < before.depth
            && let Some(call) = open.pop()
        {
            ends[call] = Some(place + 1);
        }
    }
    ends
}
