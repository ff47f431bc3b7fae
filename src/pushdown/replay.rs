//! Executions of pushdown systems as lists of steps, and the check that a list is one.
//!
//! Nothing is believed: each step must follow from the one before by the rule it names,
//! with the real stack. Where a symbol is pushed, the step says which values the symbol
//! below it gets, and with these it must come back.

use super::step::{Frame, View, relates, starts};
use super::{Right, RuleId, SymbolId, System};
use crate::interpreter::replay::{Mismatch, nested_follow, replay_parts, rounds_follow};
use crate::trace::{Fold, Location, SegmentId, Step, Trace};

impl View {
    /// The view of a step with a symbol on top.
    pub fn of(step: &Step) -> Option<View> {
        Some(View {
            symbol: SymbolId(step.at()?),
            globals: step.valuation.globals().into(),
            locals: step.valuation.locals().into(),
        })
    }
}

/// The symbol on top, if the stack is not empty.
fn symbol_of(step: &Step) -> Option<SymbolId> {
    step.at().map(SymbolId)
}

/// Checks that the stem begins at the start and that every step follows.
pub fn replay(system: &System, trace: &Trace) -> Result<(), Mismatch> {
    let starts = |first: &Step| View::of(first).is_some_and(|first| starts(system, &first));
    replay_parts(trace, starts, |segments, _, steps| {
        let replay = Replay {
            system,
            trace,
            segments,
        };
        replay.run(steps)
    })
}

struct Replay<'a> {
    system: &'a System,
    trace: &'a Trace,
    /// How many segments have been replayed, and may be used.
    segments: usize,
}

impl Replay<'_> {
    /// Fails with the index of the step that does not follow.
    fn run(&self, steps: &[&Step]) -> Result<(), usize> {
        let first = steps.first().ok_or(0_usize)?;
        if first.depth != 0 || !self.is_in_range(first) {
            return Err(0);
        }
        let mut stack: Vec<Option<Frame>> = Vec::new();
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
        let second = step
            .rule
            .and_then(|rule| system.rule(RuleId(rule)).right.second());
        fits(step.valuation.globals(), &system.globals)
            && fits(step.valuation.locals(), system.locals_of(symbol_of(step)))
            && fits(&step.below, system.locals_of(second))
    }

    fn follows(&self, before: &Step, after: &Step, stack: &mut Vec<Option<Frame>>) -> bool {
        self.trace.replayed.count();
        let system = self.system;
        if let Some(Fold::Rounds(rounds)) = before.folded {
            // Nothing is known of the symbols that they leave below.
            stack.extend((after.depth > before.depth).then_some(None));
            return rounds_follow(self.trace, rounds, self.segments, before, after);
        }
        if let Some(Fold::Nested(nested)) = before.folded {
            return after.location == Location::Left
                && after.depth == before.depth
                && nested_follow(self.trace, nested, self.segments, before);
        }
        let (Some(view), Some(rule)) = (View::of(before), before.rule) else {
            return false;
        };
        let rule = system.rule(RuleId(rule));
        if rule.from != view.symbol {
            return false;
        }
        if let Some(Fold::Call(segment)) = before.folded {
            return self.follows_call(before, &view, segment, after);
        }
        let relates = relates(
            system,
            rule,
            &view,
            after.valuation.globals(),
            after.valuation.locals(),
            &before.below,
        );
        match rule.right {
            Right::Step(symbol) => {
                relates && symbol_of(after) == Some(symbol) && after.depth == before.depth
            }
            Right::Push(symbol, second) => {
                stack.push(Some(Frame {
                    symbol: second,
                    locals: before.below.clone(),
                }));
                relates && symbol_of(after) == Some(symbol) && after.depth == before.depth + 1
            }
            Right::Pop => {
                let is_known = !matches!(stack.last(), Some(None));
                let uncovered = stack.pop().flatten();
                relates && is_known && uncovers(uncovered.as_ref(), before.depth, after)
            }
        }
    }

    fn follows_call(&self, before: &Step, view: &View, segment: SegmentId, after: &Step) -> bool {
        let system = self.system;
        let segments = &self.trace.segments[..self.segments];
        let Some(segment) = segments.get(segment.0 as usize) else {
            return false;
        };
        let (Some(entry), Some(exit), Some(push)) = (segment.first(), segment.last(), before.rule)
        else {
            return false;
        };
        let push = system.rule(RuleId(push));
        let Right::Push(first, second) = push.right else {
            return false;
        };
        let enters = symbol_of(entry) == Some(first)
            && relates(
                system,
                push,
                view,
                entry.valuation.globals(),
                entry.valuation.locals(),
                &before.below,
            );
        let leaves = exit.depth == 0
            && exit.folded.is_none()
            && match entry.folded {
                // The exit is what is left of the frame.
                Some(Fold::Nested(_)) => {
                    exit.location == Location::Left
                        && exit.valuation.globals() == after.valuation.globals()
                }
                _ => self.pops(exit, after),
            };
        let waiting = Frame {
            symbol: second,
            locals: before.below.clone(),
        };
        enters && leaves && uncovers(Some(&waiting), before.depth + 1, after)
    }

    /// Whether the rule of a step pops it, with the globals of another.
    fn pops(&self, exit: &Step, after: &Step) -> bool {
        let (Some(last), Some(pop)) = (View::of(exit), exit.rule) else {
            return false;
        };
        let pop = self.system.rule(RuleId(pop));
        pop.from == last.symbol
            && pop.right == Right::Pop
            && relates(self.system, pop, &last, after.valuation.globals(), &[], &[])
    }
}

/// Whether a step shows what a pop at this depth uncovers.
fn uncovers(frame: Option<&Frame>, depth: u64, after: &Step) -> bool {
    match frame {
        None => {
            after.location == Location::Terminated
                && after.valuation.locals().is_empty()
                && after.depth == 0
                && depth == 0
        }
        Some(frame) => {
            symbol_of(after) == Some(frame.symbol)
                && after.valuation.locals() == &*frame.locals
                && after.depth + 1 == depth
        }
    }
}
