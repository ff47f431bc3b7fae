//! The steps of a trace as the locations of a code flow.
//!
//! Each step is a location with the text and the changed values that people see in the text of
//! a report. What is longer than a viewer shows is made shorter: first calls that return are
//! folded, the deepest first and no more than needed, then the middle is left out. Linear in
//! the trace, times the logarithm of its depth where calls are folded.

use super::log::{ArtifactLocation, CodeFlow, FlowLocation, Message, ThreadFlow};
use super::place::{BEGINNING, artifact_of, location, message, region};
use super::{Detail, clipped};
use crate::program::VariableId;
use crate::report::annotation::StepNote;
use crate::report::place::{in_scope, place};
use crate::report::selection::folded;
use crate::report::steps::{Annotated, StepKind};
use crate::report::threads::name;
use crate::report::trace::{Line, lines};
use crate::report::values::Variables;
use crate::rules::Subject;
use crate::trace::{Fold, Step};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The flow of a trace, and what is said of steps that are not in it.
pub struct Flow {
    pub code_flow: CodeFlow,
    pub remark: Option<String>,
}

/// Longer texts of a step are cut.
const LONGEST_TEXT: usize = 400;
/// Of more cells than this there is no state.
const MOST_VALUES: usize = 500;

/// The flow of a trace; `None` if there is nothing to be in it.
pub fn flow(annotated: Annotated<'_>, artifact: &ArtifactLocation, detail: Detail) -> Option<Flow> {
    let Annotated {
        subject,
        trace,
        annotation,
        ..
    } = annotated;
    let lines = lines(annotated);
    let steps = trace.stem.iter().chain(&trace.cycle).take(lines.len());
    let steps: Vec<&Step> = steps.collect();
    let selection = Selection::of(&steps, detail.locations);
    let essential: FxHashSet<usize> = match &annotation.cause {
        Some(cause) => cause.iter().map(|blame| blame.step).collect(),
        None => FxHashSet::default(),
    };
    let kept = || selection.kept.iter().map(|i| steps[*i]);
    // For each thread that runs: how deep it is at least, and its locations. Viewers want the
    // nesting to begin with 0.
    let mut flows: BTreeMap<u32, (u64, Vec<FlowLocation>)> = BTreeMap::new();
    for step in kept() {
        let (lowest, _) = flows.entry(step.thread).or_insert((u64::MAX, Vec::new()));
        *lowest = step.depth.min(*lowest);
    }
    let (mut here, mut file) = (BEGINNING, None);
    for (k, &i) in selection.kept.iter().enumerate() {
        let step = steps[i];
        // What has no place of its own is where the execution was before.
        let place = place(subject, step);
        if let Some(range) = place.range {
            (here, file) = (region(range), place.file);
        }
        let mut at = location(artifact_of(artifact, file), here);
        let next = selection.kept.get(k + 1).copied();
        let gap = next.filter(|next| *next > i + 1);
        let gap = gap.map(|next| selection.describe(i, next));
        at.message = Some(text(&lines[i], gap));
        let Some((lowest, locations)) = flows.get_mut(&step.thread) else {
            continue;
        };
        locations.push(FlowLocation {
            location: at,
            kinds: kinds(annotated, &steps, i),
            state: state(subject, step, &annotation.steps[i]).filter(|_| detail.has_state),
            nesting_level: (step.depth - *lowest).min(i32::MAX as u64) as u32,
            execution_order: i + 1,
            importance: match essential.contains(&i) || i + 1 == steps.len() {
                true => "essential",
                false => "important",
            },
        });
    }
    let thread_flows: Vec<_> = flows
        .into_iter()
        .map(|(thread, (_, locations))| ThreadFlow {
            id: (!trace.threads.is_empty()).then(|| name(trace, thread)),
            locations,
        })
        .collect();
    if thread_flows.is_empty() {
        return None;
    }
    Some(Flow {
        code_flow: CodeFlow { thread_flows },
        remark: selection.remark(steps.len()),
    })
}

/// The statement, the values that are news, and what comes between this and the next location.
fn text(line: &Line, gap: Option<String>) -> Message {
    let mut text = match line.text.is_empty() {
        true => "skip".to_owned(),
        false => clipped(&line.text, LONGEST_TEXT),
    };
    if !line.values.is_empty() {
        text.push_str(" | ");
        text.push_str(&clipped(&line.values, LONGEST_TEXT));
    }
    for after in line.after.iter().chain(&gap) {
        text.push(' ');
        text.push_str(after);
    }
    message(&text)
}

/// What kind of step this is: whether it calls, returns or branches.
fn kinds(annotated: Annotated<'_>, steps: &[&Step], i: usize) -> Vec<&'static str> {
    let Annotated {
        subject,
        trace,
        annotation,
        ..
    } = annotated;
    let step = steps[i];
    let depth_after = match (steps.get(i + 1), trace.stem.last(), trace.cycle.first()) {
        (Some(next), _, _) => Some(next.depth).filter(|_| next.thread == step.thread),
        // The end of a loop is as its beginning, perhaps on a higher stack.
        (None, Some(before), Some(first)) if i >= trace.stem.len() => {
            (step.depth + first.depth).checked_sub(before.depth)
        }
        (None, _, _) => None,
    };
    let is_folded = matches!(step.folded, Some(Fold::Call(_)));
    let is_call = is_folded || depth_after.is_some_and(|depth| depth > step.depth);
    let is_return = match subject {
        // A thread that waits at its end does not return yet.
        Subject::Program(_) => {
            let waits = steps
                .get(i + 1)
                .is_some_and(|next| next.thread != step.thread);
            place(subject, step).kind == StepKind::Exit && !waits
        }
        Subject::System(_) => depth_after.is_some_and(|depth| depth < step.depth),
    };
    let is_branch = annotation.steps[i].branch.is_some();
    let kinds = [
        ("call", is_call),
        ("return", is_return),
        ("branch", is_branch),
    ];
    let kinds = kinds.into_iter().filter(|(_, is_one)| *is_one);
    kinds.map(|(kind, _)| kind).collect()
}

/// The values that matter, by name, unless there are too many.
fn state(subject: Subject<'_>, step: &Step, note: &StepNote) -> Option<BTreeMap<String, Message>> {
    if note.cells.len() > MOST_VALUES {
        return None;
    }
    let [globals, locals] = in_scope(subject, step);
    let mut state = BTreeMap::new();
    let mut add = |shown: Variables<'_>, variable: fn(u32) -> VariableId| {
        let is_relevant = |i: usize| note.cells.binary_search(&variable(i as u32)).is_ok();
        shown.for_each_part(is_relevant, |name, value| {
            state.insert(name.to_owned(), message(value));
        });
    };
    // A local hides a global of the same name.
    add(globals, VariableId::Global);
    add(locals, VariableId::Local);
    Some(state)
}

/// The steps that are shown.
struct Selection {
    kept: Vec<usize>,
    /// Whether calls are folded.
    is_folded: bool,
    /// The last step before the middle that is left out.
    cut: Option<usize>,
}

impl Selection {
    fn of(steps: &[&Step], most: usize) -> Self {
        let kept = |depth: u64| -> Vec<usize> {
            let folded = folded(steps, depth);
            (0..steps.len()).filter(|i| !folded[*i]).collect()
        };
        if steps.len() <= most {
            return Selection {
                kept: (0..steps.len()).collect(),
                is_folded: false,
                cut: None,
            };
        }
        // The greatest depth to which calls may be shown, or 0.
        let deepest = steps.iter().map(|step| step.depth).max().unwrap_or(0);
        let (mut fits, mut too_deep) = (0, deepest);
        while fits + 1 < too_deep {
            let middle = fits + (too_deep - fits) / 2;
            match kept(middle).len() <= most {
                true => fits = middle,
                false => too_deep = middle,
            }
        }
        let mut kept = kept(fits);
        let is_folded = kept.len() < steps.len();
        let cut = kept.get((most / 2).saturating_sub(1)).copied();
        let cut = cut.filter(|_| kept.len() > most);
        if cut.is_some() {
            kept.drain(most / 2..kept.len() - (most - most / 2));
        }
        Selection {
            kept,
            is_folded,
            cut,
        }
    }

    /// Why the steps between two locations are not there.
    fn describe(&self, before: usize, after: usize) -> String {
        let steps = match after - before {
            2 => format!("step {}", before + 2),
            _ => format!("steps {} to {}", before + 2, after),
        };
        match self.cut == Some(before) {
            true => format!("(then {steps}, left out)"),
            false => format!("(then {steps}, in a call that returns)"),
        }
    }

    fn remark(&self, steps: usize) -> Option<String> {
        let what = match (self.is_folded, self.cut.is_some()) {
            (false, false) => return None,
            (true, false) => "calls that return are folded",
            (false, true) => "the middle is left out",
            (true, true) => "calls that return are folded and the middle is left out",
        };
        let shown = self.kept.len();
        Some(format!("Of {steps} steps {shown} are shown: {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Location, Valuation};

    fn select(depths: &[u64], most: usize) -> Selection {
        let step = |depth: &u64| Step::new(Location::At(0), *depth, Valuation::new(&[], &[]));
        let steps: Vec<_> = depths.iter().map(step).collect();
        Selection::of(&steps.iter().collect::<Vec<_>>(), most)
    }

    #[test]
    fn the_deepest_calls_are_folded_first() {
        let depths = [0, 1, 2, 2, 1, 0, 1, 0];
        assert_eq!(select(&depths, 8).remark(8), None);
        assert_eq!(select(&depths, 7).kept, [0, 1, 4, 5, 6, 7]);
        assert_eq!(select(&depths, 5).kept, [0, 5, 7]);
    }

    #[test]
    fn the_middle_is_left_out_if_nothing_else_helps() {
        let selection = select(&[0; 9], 4);
        assert_eq!(selection.kept, [0, 1, 7, 8]);
        assert_eq!(selection.describe(1, 7), "(then steps 3 to 7, left out)");
        let remark = selection.remark(9);
        assert_eq!(
            remark.as_deref(),
            Some("Of 9 steps 4 are shown: the middle is left out")
        );
    }

    #[test]
    fn both_are_said() {
        let selection = select(&[0, 1, 0, 0, 0, 0], 3);
        assert_eq!(selection.kept, [0, 4, 5]);
        let remark = selection.remark(6).unwrap_or_default();
        assert!(remark.contains("folded and the middle"), "{remark}");
    }
}
