//! Quantifiers: loops over the terms of their condition.
//!
//! The variable is a constant in each round; what the rounds give is joined, the smallest
//! value first, so that what is decided early is decided as the language says.

use super::{Evaluator, GivenUp, Kind, Language, Mistake, Range, Value};
use crate::names::Name;
use crate::program::Operation;
use crate::source::Span;

/// A quantifier whose condition is gone through.
pub struct Loop {
    all: bool,
    variable: Name,
    value: i128,
    high: i128,
    /// There is no value, here or of a quantifier around: the condition is looked at, and then
    /// forgotten.
    empty: bool,
    /// The first term of the condition.
    body: usize,
    /// How many operations there were before it.
    operations: usize,
    /// Where the quantifier stands.
    span: Span,
    /// What `variable` meant before.
    hidden: Option<i128>,
    /// The last term that read the variable.
    last_use: Option<usize>,
}

impl<L: Language> Evaluator<L> {
    pub(super) fn begin_loop(
        &mut self,
        range: Range,
        span: Span,
        index: usize,
    ) -> Result<(), GivenUp> {
        let Range {
            all,
            variable,
            low,
            high,
            ..
        } = range;
        if self.loops.len() >= L::MOST_NESTED {
            self.mistake(Mistake::TooNested(span));
            return Err(GivenUp);
        }
        if low > high {
            let span = range.span;
            self.mistake(Mistake::EmptyRange {
                all,
                low,
                high,
                span,
            });
        }
        let hidden = self.bound.insert(variable, low);
        let around = self.loops.last();
        self.loops.push(Loop {
            all,
            variable,
            value: low,
            high,
            empty: low > high || around.is_some_and(|around| around.empty),
            body: index + 1,
            operations: self.operations.len(),
            span,
            hidden,
            last_use: None,
        });
        Ok(())
    }

    /// The number of a bound; reports if it is none.
    pub fn bound_of(&mut self, value: Value) -> Option<i128> {
        if value.kind == Kind::Unknown {
            return None;
        }
        let number = value.constant();
        if number.is_none() {
            self.mistake(Mistake::VariableBound(value.span));
        }
        number
    }

    /// The condition of the innermost quantifier has been gone through.
    pub(super) fn end_of_body(
        &mut self,
        bare_comparison: bool,
        index: usize,
    ) -> Result<usize, GivenUp> {
        let condition = self.pop()?;
        let kind = self.truth(condition, None);
        let Some(innermost) = self.loops.last_mut() else {
            return Err(GivenUp);
        };
        let (body, all) = (innermost.body, innermost.all);
        let span = innermost.span.to(condition.span);
        if bare_comparison
            && let Some((comparison, right)) = self.truth_comparison
            && comparison + 1 == index
            && innermost.last_use.is_none_or(|last| last < right)
        {
            self.mistake(Mistake::TwoReadings { all, span });
            return Err(GivenUp);
        }
        let first = innermost.operations == condition.operations;
        if innermost.empty {
            let start = innermost.operations;
            self.operations.truncate(start);
            self.operations.push(Operation::Constant(all));
            self.end_loop();
            self.push(Kind::Truth(Some(all)), false, span, start, body);
            return Ok(index + 1);
        }
        // All that has been joined so far stands before the condition.
        let condition = Value { kind, ..condition };
        if first {
            self.stack.push(condition);
        } else {
            let so_far = self.pop()?;
            let operation = match all {
                true => Operation::And,
                false => Operation::Or,
            };
            self.connect(operation, so_far, condition);
        }
        let joined = self.pop()?;
        let Some(innermost) = self.loops.last_mut() else {
            return Err(GivenUp);
        };
        let decided = joined.kind == Kind::Truth(Some(!all)) && !joined.may_fail;
        if decided || joined.kind == Kind::Unknown || innermost.value >= innermost.high {
            self.end_loop();
            self.stack.push(Value {
                span,
                term: body,
                ..joined
            });
            return Ok(index + 1);
        }
        innermost.value += 1;
        let (variable, value) = (innermost.variable, innermost.value);
        self.bound.insert(variable, value);
        self.stack.push(joined);
        Ok(body)
    }

    pub(super) fn end_loop(&mut self) {
        if let Some(ended) = self.loops.pop() {
            match ended.hidden {
                Some(value) => self.bound.insert(ended.variable, value),
                None => self.bound.remove(&ended.variable),
            };
            self.ended.insert(ended.variable);
        }
    }

    /// The value of a name that a quantifier has bound.
    pub fn bound_value(&mut self, name: Name, index: usize) -> Option<i128> {
        let value = self.bound.get(&name).copied()?;
        let mut loops = self.loops.iter_mut().rev();
        if let Some(innermost) = loops.find(|l| l.variable == name) {
            innermost.last_use = Some(index);
        }
        Some(value)
    }

    /// Whether a quantifier with this variable has ended before in the expression.
    pub fn has_ended(&self, name: Name) -> bool {
        self.ended.contains(&name)
    }
}
