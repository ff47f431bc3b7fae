//! Quantifiers: loops over the nodes of their condition.
//!
//! The variable is a constant in each round; what the rounds give is joined, the smallest
//! value first, so that what is decided early is decided as the language says.

use super::evaluator::{Environment, Evaluator, GivenUp, Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::program::Operation;
use crate::source::Span;
use crate::syntax::remopla::tree::{BinaryOperator, Identifier};

const MOST_NESTED: usize = 100;

/// A quantifier whose condition is gone through.
pub struct Loop {
    all: bool,
    variable: Name,
    value: i128,
    high: i128,
    /// There is no value: the condition is looked at, and then forgotten.
    empty: bool,
    /// The first node of the condition.
    body: usize,
    /// How many operations there were before it.
    operations: usize,
    /// What `variable` meant before.
    hidden: Option<i128>,
    /// The last node that read the variable.
    last_use: Option<usize>,
}

impl<E: Environment> Evaluator<'_, E> {
    pub(super) fn begin_loop(
        &mut self,
        all: bool,
        variable: Identifier,
        span: Span,
        low: Value,
        high: Value,
        index: usize,
    ) -> Result<(), GivenUp> {
        self.operations.truncate(low.operations);
        let bounds = (self.bound_of(low), self.bound_of(high));
        let (Some(from), Some(to)) = bounds else {
            return Err(GivenUp);
        };
        if self.loops.len() >= MOST_NESTED {
            let message = format!("more than {MOST_NESTED} quantifiers are nested");
            self.complain(Diagnostic::error(span, message));
            return Err(GivenUp);
        }
        if from > to {
            let always = if all { "true" } else { "false" };
            let message =
                format!("there is no number from {from} to {to}: this is always {always}");
            self.complain(Diagnostic::warning(low.span.to(high.span), message));
        }
        let name = variable.name;
        let hidden = self.bound.insert(name, from);
        self.loops.push(Loop {
            all,
            variable: name,
            value: from,
            high: to,
            empty: from > to,
            body: index + 1,
            operations: self.operations.len(),
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
            let message = "the bounds of a quantifier must be constants";
            self.complain(Diagnostic::error(value.span, message));
        }
        number
    }

    /// The condition of the innermost quantifier has been gone through.
    pub(super) fn end_of_body(
        &mut self,
        word: Span,
        bare_comparison: bool,
        index: usize,
    ) -> Result<usize, GivenUp> {
        let condition = self.pop()?;
        let kind = self.truth(condition, "a quantifier ranges over");
        let Some(innermost) = self.loops.last_mut() else {
            return Err(GivenUp);
        };
        let (body, all) = (innermost.body, innermost.all);
        if bare_comparison
            && let Some((comparison, right)) = self.truth_comparison
            && comparison + 1 == index
            && innermost.last_use.is_none_or(|last| last < right)
        {
            self.report_two_readings(word.to(condition.span), all);
            return Err(GivenUp);
        }
        let first = innermost.operations == condition.operations;
        let span = word.to(condition.span);
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
            let operator = match all {
                true => BinaryOperator::And,
                false => BinaryOperator::Or,
            };
            self.connect(operator, so_far, condition);
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
                node: body,
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
    pub fn bound_value(&mut self, identifier: Identifier, index: usize) -> Option<i128> {
        let value = self.bound.get(&identifier.name).copied()?;
        let mut loops = self.loops.iter_mut().rev();
        if let Some(innermost) = loops.find(|l| l.variable == identifier.name) {
            innermost.last_use = Some(index);
        }
        Some(value)
    }

    /// Whether a quantifier with this variable has ended before in the expression.
    pub fn has_ended(&self, name: Name) -> bool {
        self.ended.contains(&name)
    }
}
