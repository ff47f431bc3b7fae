//! Executions of pushdown systems as lists of steps, and the check that a list is one.
//!
//! Nothing is believed: each step must follow from the one before by the rule it names,
//! with the real stack. Where a symbol is pushed, the step says which values the symbol
//! below it gets, and with these it must come back.

use super::step::{Frame, View, relates, starts};
use super::{Right, RuleId, SymbolId, System};
use crate::interpreter::replay::{Mismatch, SegmentId, Trace, TraceStep};

/// A configuration, without what is below the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// On top; `None` if the stack is empty.
    pub symbol: Option<SymbolId>,
    /// How many symbols are below.
    pub depth: u32,
    /// The control state last.
    pub globals: Box<[u64]>,
    pub locals: Box<[u64]>,
    /// The rule that is taken next; `None` at the end.
    pub rule: Option<RuleId>,
    /// If that rule pushes, the locals of the symbol below.
    pub below: Box<[u64]>,
    /// If the pushed symbol's whole execution is folded: the next step is the one after it.
    pub folded: Option<SegmentId>,
}

impl Step {
    pub fn view(&self) -> Option<View> {
        Some(View {
            symbol: self.symbol?,
            globals: self.globals.clone(),
            locals: self.locals.clone(),
        })
    }

    fn is_like(&self, other: &Step) -> bool {
        self.symbol == other.symbol && self.globals == other.globals && self.locals == other.locals
    }
}

impl TraceStep for Step {
    fn depth(&self) -> u32 {
        self.depth
    }

    fn folded(&self) -> Option<SegmentId> {
        self.folded
    }

    fn fold(&mut self, segment: Option<SegmentId>) {
        self.folded = segment;
    }

    fn lift(&mut self, below: u32) {
        self.depth += below;
    }
}

/// Checks that the stem begins at the start and that every step follows. A segment begins
/// with a symbol that was pushed, and ends with a rule that pops it.
pub fn replay(system: &System, trace: &Trace<Step>) -> Result<(), Mismatch> {
    for (i, steps) in trace.segments.iter().enumerate() {
        let segment = Some(SegmentId(i as u32));
        let fail = |index| Mismatch { segment, index };
        let replay = Replay {
            system,
            segments: &trace.segments[..i],
        };
        replay
            .run(&steps.iter().collect::<Vec<_>>())
            .map_err(fail)?;
        let pops = |last: &Step| {
            last.rule.is_some_and(|rule| {
                system.rule(rule).right == Right::Pop && last.depth == 0 && last.folded.is_none()
            })
        };
        if !steps.last().is_some_and(pops) {
            return Err(fail(steps.len().saturating_sub(1)));
        }
    }
    let fail = |index| Mismatch {
        segment: None,
        index,
    };
    let first = trace.stem.first().and_then(Step::view);
    if !first.is_some_and(|first| starts(system, &first)) {
        return Err(fail(0));
    }
    let replay = Replay {
        system,
        segments: &trace.segments,
    };
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    replay.run(&steps).map_err(fail)?;
    match closes(trace) {
        true => Ok(()),
        false => Err(fail(steps.len() - 1)),
    }
}

/// Whether the cycle, if there is one, ends where it begins, on a stack that has not become
/// lower, and never looks below: then it can be repeated for ever.
fn closes(trace: &Trace<Step>) -> bool {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return true;
    };
    first.is_like(last) && trace.cycle.iter().all(|step| step.depth >= first.depth)
}

struct Replay<'a> {
    system: &'a System,
    segments: &'a [Vec<Step>],
}

impl Replay<'_> {
    /// Fails with the index of the step that does not follow.
    fn run(&self, steps: &[&Step]) -> Result<(), usize> {
        let first = steps.first().ok_or(0_usize)?;
        if first.depth != 0 || !self.is_in_range(first) {
            return Err(0);
        }
        let mut stack: Vec<Frame> = Vec::new();
        for (i, pair) in steps.windows(2).enumerate() {
            if !self.is_in_range(pair[1]) || !self.follows(pair[0], pair[1], &mut stack) {
                return Err(i + 1);
            }
        }
        Ok(())
    }

    /// Whether a step has a value of its domain for every variable, and no other.
    fn is_in_range(&self, step: &Step) -> bool {
        let fits = |values: &[u64], cells: &[crate::program::Cell]| {
            let mut pairs = values.iter().zip(cells);
            values.len() == cells.len()
                && pairs.all(|(value, cell)| cell.domain.contains(i128::from(*value)))
        };
        let system = self.system;
        let second = step.rule.and_then(|rule| system.rule(rule).right.second());
        fits(&step.globals, &system.globals)
            && fits(&step.locals, system.locals_of(step.symbol))
            && fits(&step.below, system.locals_of(second))
    }

    fn follows(&self, before: &Step, after: &Step, stack: &mut Vec<Frame>) -> bool {
        let system = self.system;
        let (Some(view), Some(rule)) = (before.view(), before.rule) else {
            return false;
        };
        let rule = system.rule(rule);
        if rule.from != view.symbol {
            return false;
        }
        if let Some(segment) = before.folded {
            return self.follows_folded(before, &view, segment, after);
        }
        let relates = relates(
            system,
            rule,
            &view,
            &after.globals,
            &after.locals,
            &before.below,
        );
        match rule.right {
            Right::Step(symbol) => {
                relates && after.symbol == Some(symbol) && after.depth == before.depth
            }
            Right::Push(symbol, second) => {
                stack.push(Frame {
                    symbol: second,
                    locals: before.below.clone(),
                });
                relates && after.symbol == Some(symbol) && after.depth == before.depth + 1
            }
            Right::Pop => {
                let uncovered = stack.pop();
                relates && uncovers(uncovered.as_ref(), before.depth, after)
            }
        }
    }

    fn follows_folded(&self, before: &Step, view: &View, segment: SegmentId, after: &Step) -> bool {
        let system = self.system;
        let Some(segment) = self.segments.get(segment.0 as usize) else {
            return false;
        };
        let (Some(entry), Some(exit), Some(push)) = (segment.first(), segment.last(), before.rule)
        else {
            return false;
        };
        let push = system.rule(push);
        let Right::Push(first, second) = push.right else {
            return false;
        };
        let enters = entry.symbol == Some(first)
            && relates(
                system,
                push,
                view,
                &entry.globals,
                &entry.locals,
                &before.below,
            );
        let (Some(last), Some(pop)) = (exit.view(), exit.rule) else {
            return false;
        };
        let pop = system.rule(pop);
        let leaves = pop.from == last.symbol
            && pop.right == Right::Pop
            && relates(system, pop, &last, &after.globals, &[], &[]);
        let waiting = Frame {
            symbol: second,
            locals: before.below.clone(),
        };
        enters && leaves && uncovers(Some(&waiting), before.depth + 1, after)
    }
}

/// Whether a step shows what a pop at this depth uncovers.
fn uncovers(frame: Option<&Frame>, depth: u32, after: &Step) -> bool {
    match frame {
        None => after.symbol.is_none() && after.locals.is_empty() && after.depth == 0 && depth == 0,
        Some(frame) => {
            after.symbol == Some(frame.symbol)
                && after.locals == frame.locals
                && after.depth + 1 == depth
        }
    }
}
