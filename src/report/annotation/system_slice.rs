//! Which values matter for a trace of a pushdown system.
//!
//! Backwards, as a dynamic slice: what a condition of the rule that is taken reads matters
//! before the step, unless it only copies to, or computes, a value that does not matter
//! afterwards and that no other condition of the rule mentions. The result may contain more
//! than needed, never less.

use crate::analysis::Observed;
use crate::limits::witness::RELEVANT_ROUNDS;
use crate::program::{Moment, Operation, VariableId, is_one_value};
use crate::pushdown::{Right, Rule, RuleId, SymbolId, System};
use crate::trace::{Step, Trace};
use rustc_hash::FxHashSet;

type Relevant = FxHashSet<VariableId>;

/// For each step of the stem and the cycle, the variables whose values matter there. What
/// is `observed` by a property always does.
pub fn relevant_values(system: &System, trace: &Trace, observed: &[Observed]) -> Vec<Relevant> {
    let stem = trace.stem.len();
    let shown = stem + trace.cycle.len();
    // Later rounds of the loop tell what matters at the end of the first.
    let rounds = if trace.cycle.is_empty() {
        0
    } else {
        RELEVANT_ROUNDS as usize
    };
    let indices: Vec<usize> = (0..stem)
        .chain((0..rounds).flat_map(|_| stem..shown))
        .collect();
    let step = |at: usize| match trace.stem.get(at) {
        Some(step) => step,
        None => &trace.cycle[at - stem],
    };
    let mut slice = Slice {
        system,
        now: Relevant::default(),
        waiting: Vec::new(),
    };
    let mut relevant = vec![Relevant::default(); shown];
    for (position, at) in indices.iter().enumerate().rev() {
        let here = step(*at);
        if position + 1 < indices.len() && here.folded.is_none() {
            slice.step_back(here);
        }
        slice.observe(here, observed);
        relevant[*at].clone_from(&slice.now);
    }
    relevant
}

struct Slice<'a> {
    system: &'a System,
    now: Relevant,
    /// The locals that matter in the frames below, once they are on top again.
    waiting: Vec<Relevant>,
}

impl Slice<'_> {
    /// From what matters after a step to what matters before it.
    fn step_back(&mut self, step: &Step) {
        let Some(rule) = step.rule.map(|rule| self.system.rule(RuleId(rule))) else {
            return;
        };
        let after = std::mem::take(&mut self.now);
        let is_local = |variable: &VariableId| matches!(variable, VariableId::Local(_));
        let below = match rule.right {
            Right::Pop => {
                let locals = after.iter().copied().filter(is_local).collect();
                self.waiting.push(locals);
                Relevant::default()
            }
            Right::Step(_) => Relevant::default(),
            Right::Push(..) => self.waiting.pop().unwrap_or_default(),
        };
        let matters = |variable: VariableId, when: Moment| match when {
            Moment::Before => false,
            // After a pop there are no locals of its own.
            Moment::After => {
                after.contains(&variable) && (rule.right != Right::Pop || !is_local(&variable))
            }
            Moment::Below => below.contains(&variable),
        };
        for (i, condition) in rule.relation.iter().enumerate() {
            let operations = self.system.expressions.operations(*condition);
            if let Some((variable, when)) = self.computes(rule, i)
                && !matters(variable, when)
            {
                continue;
            }
            let reads = operations.iter().filter_map(Operation::cells_read);
            for (first, count, when) in reads {
                if when == Moment::Before {
                    self.now.extend((0..count).map(|k| first.plus(k)));
                }
            }
        }
    }

    /// The value after the step that a condition computes, if that is all it does: it always
    /// has one, and no other condition reads it.
    fn computes(&self, rule: &Rule, at: usize) -> Option<(VariableId, Moment)> {
        let system = self.system;
        let operations = system.expressions.operations(rule.relation[at]);
        let (Operation::Equal | Operation::NumbersEqual) = operations.last()? else {
            return None;
        };
        let new = |operation: &Operation| match operation {
            Operation::ReadNext(variable) => Some((*variable, Moment::After)),
            Operation::ReadBelow(variable) => Some((*variable, Moment::Below)),
            _ => None,
        };
        let rest = &operations[..operations.len() - 1];
        let (target, value) = match (new(rest.first()?), new(rest.last()?)) {
            (Some(target), _) => (target, &rest[1..]),
            (None, Some(target)) => (target, &rest[..rest.len() - 1]),
            (None, None) => return None,
        };
        if !is_one_value(value) {
            return None;
        }
        let groups = system.groups_of(rule);
        let domain = |variable, when: Moment| system.domain(groups[when as usize], variable);
        // A number might not fit where it goes, unless it is copied from a cell as wide.
        let always_fits = match value {
            [Operation::Read(from)] => domain(*from, Moment::Before) == domain(target.0, target.1),
            _ => {
                operations.last() == Some(&Operation::Equal)
                    && !value.iter().any(Operation::may_have_no_value)
            }
        };
        let is_mentioned = |i: usize| {
            let operations = system.expressions.operations(rule.relation[i]);
            let mut reads = operations.iter().filter_map(Operation::cells_read);
            reads.any(|(first, count, when)| {
                when == target.1 && (0..count).any(|k| first.plus(k) == target.0)
            })
        };
        let is_old = |operation: &Operation| {
            operation
                .cells_read()
                .is_none_or(|(.., when)| when == Moment::Before)
        };
        let mut others = (0..rule.relation.len()).filter(|i| *i != at);
        (always_fits && value.iter().all(is_old) && !others.any(is_mentioned)).then_some(target)
    }

    fn observe(&mut self, step: &Step, observed: &[Observed]) {
        let group = step.at().map(|at| self.system.symbol(SymbolId(at)).group);
        for observed in observed {
            match observed {
                Observed::Global(index) => self.now.insert(VariableId::Global(*index)),
                Observed::Local(of, index) if group.is_some_and(|group| group.0 == of.0) => {
                    self.now.insert(VariableId::Local(*index))
                }
                Observed::Local(..) => false,
            };
        }
    }
}
