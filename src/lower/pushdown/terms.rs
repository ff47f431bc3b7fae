//! The terms of relations and conditions, what their names read, and how mistakes in them are
//! put into words.
//!
//! Bounds of quantifiers are constants, and are worked out before the expression around them.
//! An index that is known names its cell, and a comparison of constants is its truth value: so
//! what comes out says plainly what it keeps (`a'[3] = a[3]`). It always has a value: a
//! comparison is false where a term has none.

use super::names::Found;
use super::scope::{Scope, Variable, View};
use crate::diagnostic::Diagnostic;
use crate::lower::expression::{
    Comparands, Evaluator, GivenUp, Kind, Language, MOST_OPERATIONS, Mistake, Range, Value,
};
use crate::program::{Domain, Interval, Moment, NUMBER_BITS, Operation};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::pds::Tree;
use crate::syntax::pds::tree::{ExpressionId, Node, NodeKind, Reference};
use rustc_hash::FxHashMap;

pub const TOO_LARGE: &str = "this number is too large";
pub const TOO_LONG: &str = "with its quantifiers written out, this expression is too long";

/// Expressions of a pushdown system.
pub struct Relations<'t> {
    pub tree: &'t Tree,
    pub scope: Scope,
    pub view: View,
    /// Only numbers and defined names are allowed.
    pub constants_only: bool,
    /// The expression that is looked at.
    span: Span,
    /// The bounds of its quantifiers, by their numbers.
    bounds: FxHashMap<u32, (i128, i128)>,
}

impl Evaluator<Relations<'_>> {
    pub fn of_system<'t>(tree: &'t Tree, collector: Collector) -> Evaluator<Relations<'t>> {
        let language = Relations {
            tree,
            scope: Scope::default(),
            view: View::of_one_configuration(None),
            constants_only: false,
            span: Span::default(),
            bounds: FxHashMap::default(),
        };
        let mut evaluator = Evaluator::new(language, collector);
        evaluator.total = true;
        // What is written out in the source itself cannot be too much.
        evaluator.limit = 2 * MOST_OPERATIONS + tree.expressions.nodes.len();
        evaluator
    }

    /// The number of an expression over numbers and defined names; reports if it is none.
    pub fn constant(&mut self, expression: ExpressionId) -> Option<i128> {
        let tree = self.language.tree;
        let span = tree.span_of(expression);
        let only = std::mem::replace(&mut self.language.constants_only, true);
        let value = self.evaluate(tree.nodes(expression), span);
        self.language.constants_only = only;
        value.constant()
    }

    /// Works out a condition as it is seen in some way: its operations are then those of the
    /// evaluator. Otherwise what is wrong has been reported.
    pub fn condition(&mut self, expression: ExpressionId, view: View) -> Option<()> {
        let tree = self.language.tree;
        let span = tree.span_of(expression);
        (self.language.view, self.language.span) = (view, span);
        let nodes = tree.nodes(expression);
        let known = self.bounds(nodes);
        let value = self.evaluate(&nodes[..known], span);
        if known < nodes.len() {
            return None;
        }
        match value.kind {
            Kind::Truth(_) => Some(()),
            Kind::Unknown => None,
            Kind::Number(_) | Kind::Whole => {
                self.mistake(Mistake::NoCondition { value, user: None });
                None
            }
        }
    }

    /// Works out the bounds of quantifiers, up to one where they are no constants; how many
    /// nodes stand before that.
    fn bounds(&mut self, nodes: &[Node]) -> usize {
        let tree = self.language.tree;
        for (at, node) in nodes.iter().enumerate() {
            if let NodeKind::Quantify(number) = node.kind {
                let quantifier = tree.quantifiers[number as usize];
                let low = self.constant(quantifier.low);
                let high = self.constant(quantifier.high);
                let Some(bounds) = low.zip(high) else {
                    return at;
                };
                self.language.bounds.insert(number, bounds);
            }
        }
        nodes.len()
    }

    /// Pushes the value of an element, whose index is on the stack.
    fn element(&mut self, variable: Variable, when: Moment, index: Value, span: Span) {
        let (low, count) = variable.array.unwrap_or((0, 1));
        let high = i128::from(low) + i128::from(count) - 1;
        let (start, first) = (index.operations, variable.first);
        let place = index.constant().map(|number| number - i128::from(low));
        let place = place.and_then(|place| u32::try_from(place).ok());
        if let Some(place) = place.filter(|place| *place < count) {
            self.operations.truncate(start);
            self.operations.push(read(variable, place, when));
            return self.push_variable(variable.domain, false, span, start, index.term);
        }
        if low != 0 {
            self.operations.push(Operation::Number(low.unsigned_abs()));
            self.operations.push(match low > 0 {
                true => Operation::Subtract,
                false => Operation::Add,
            });
        }
        self.operations
            .push(Operation::ReadElement { first, count, when });
        let is_inside = match index.kind {
            Kind::Number(interval) => interval.within(low.into(), high),
            _ => false,
        };
        let may_fail = index.may_fail || !is_inside;
        self.push_variable(variable.domain, may_fail, span, start, index.term);
    }

    /// Pushes what has just been read.
    fn push_variable(
        &mut self,
        domain: Domain,
        may_fail: bool,
        span: Span,
        start: usize,
        term: usize,
    ) {
        let (kind, may_fail) = match domain {
            Domain::Boolean => (Kind::Truth(None), self.settle(may_fail)),
            number => (Kind::Number(Interval::of(number)), may_fail),
        };
        self.push(kind, may_fail, span, start, term);
    }

    /// Pushes the value of a variable that is not there, in a property: no number, and not true.
    fn push_absent(&mut self, domain: Domain, span: Span, start: usize, term: usize) {
        self.operations.truncate(start);
        if domain == Domain::Boolean {
            self.operations.push(Operation::Constant(false));
            return self.push(Kind::Truth(Some(false)), false, span, start, term);
        }
        self.operations
            .extend([Operation::Number(0), Operation::Index { count: 0 }]);
        self.push_variable(domain, true, span, start, term);
    }
}

fn read(variable: Variable, place: u32, when: Moment) -> Operation {
    let cell = variable.first.plus(place);
    match when {
        Moment::Before => Operation::Read(cell),
        Moment::After => Operation::ReadNext(cell),
        Moment::Below => Operation::ReadBelow(cell),
    }
}

impl Language for Relations<'_> {
    type Place = Reference;
    type Quantifier = u32;

    const EQUALITY: Comparands = Comparands::Numbers;
    const SHIFT_LEFT: Operation = Operation::ShiftLeftOrFar;
    const MOST_NESTED: usize = usize::MAX;

    fn read(evaluator: &mut Evaluator<Self>, place: Reference, span: Span, term: usize) {
        if !place.is_element {
            let constant = evaluator.bound_value(place.name, term);
            let constant = constant.or_else(|| evaluator.language.scope.constant(place.name));
            match constant {
                Some(number) if place.when == Moment::Before => {
                    return evaluator.push_number(number, span, term);
                }
                Some(_) => {
                    let text = evaluator.language.tree.names.text(place.name);
                    let message = format!("`{text}` is a constant: it has no primes");
                    evaluator.complain(Diagnostic::error(span, message));
                    return evaluator.unknown(span, term);
                }
                None => {}
            }
        }
        let index = match place.is_element {
            true => evaluator.stack.pop(),
            false => None,
        };
        if let Some(value) = index
            && let Kind::Truth(_) = value.kind
        {
            let operation = Operation::Index { count: 0 };
            evaluator.mistake(Mistake::NoNumber {
                value,
                operation,
                negated: false,
            });
        }
        let (start, term) = match index {
            Some(index) => (index.operations, index.term),
            None => (evaluator.operations.len(), term),
        };
        let found = evaluator.language.variable(place, span);
        let when = place.when;
        match (found, index) {
            (Err(diagnostic), _) => {
                evaluator.complain(diagnostic);
                evaluator.operations.truncate(start);
                evaluator.unknown(span, term);
            }
            (Ok(_), Some(index)) if !matches!(index.kind, Kind::Number(_)) => {
                evaluator.operations.truncate(start);
                evaluator.unknown(span, term);
            }
            (Ok(Found::Absent(domain)), _) => evaluator.push_absent(domain, span, start, term),
            (Ok(Found::There(variable)), Some(index)) => {
                evaluator.element(variable, when, index, span);
            }
            (Ok(Found::There(variable)), None) => {
                evaluator.operations.push(read(variable, 0, when));
                evaluator.push_variable(variable.domain, false, span, start, term);
            }
        }
    }

    fn range(evaluator: &mut Evaluator<Self>, number: u32, span: Span) -> Result<Range, GivenUp> {
        let quantifier = evaluator.language.tree.quantifiers[number as usize];
        let bounds = evaluator.language.bounds.get(&number);
        let (low, high) = *bounds.ok_or(GivenUp)?;
        Ok(Range {
            all: quantifier.for_all,
            variable: quantifier.variable.name,
            low,
            high,
            span,
        })
    }

    fn describe(&self, mistake: Mistake) -> Option<Diagnostic> {
        let error = |span, message: &str| Diagnostic::error(span, message);
        let no_condition = |span| {
            error(span, "a number stands where a condition is expected")
                .with_hint("numbers are compared with `= != < <= > >=`")
        };
        let no_number = |span| {
            error(span, "a truth value stands where a number is expected")
                .with_hint("truth values are compared with `==`")
        };
        match mistake {
            Mistake::NoCondition { value, .. } => Some(no_condition(value.span)),
            Mistake::NoNumber { value, .. } => Some(no_number(value.span)),
            Mistake::Incomparable {
                value,
                other,
                sign,
                negated,
                of,
            } => match (of, value.kind, other.kind) {
                (Comparands::Truths, Kind::Number(_), Kind::Number(_)) => Some(
                    error(sign, "`==` compares truth values, and these are numbers")
                        .with_hint("numbers are compared with `=`"),
                ),
                (Comparands::Truths, Kind::Number(_), _) => Some(no_condition(value.span)),
                (Comparands::Numbers, Kind::Truth(_), Kind::Truth(_)) => Some(match negated {
                    false => error(sign, "`=` compares numbers, and these are truth values")
                        .with_hint("truth values are compared with `==`"),
                    true => error(sign, "`!=` compares numbers, and these are truth values")
                        .with_hint("`^` is true if two truth values differ"),
                }),
                (Comparands::Numbers, Kind::Truth(_), _) => Some(no_number(value.span)),
                _ => None,
            },
            Mistake::TooWide(span) if self.constants_only => Some(error(span, TOO_LARGE)),
            Mistake::TooWide(span) => Some(Diagnostic::error(
                span,
                format!("this number may need more than {NUMBER_BITS} bits"),
            )),
            Mistake::TooLong(_) => Some(error(self.span, TOO_LONG)),
            Mistake::Partial {
                operation, span, ..
            } if self.constants_only => Some(match operation {
                Operation::Divide => error(span, "division by 0"),
                _ => {
                    let message = "only natural numbers are shifted, and by natural numbers";
                    error(span, message)
                }
            }),
            Mistake::Partial { .. }
            | Mistake::TooNested(_)
            | Mistake::VariableBound(_)
            | Mistake::EmptyRange { .. }
            | Mistake::TwoReadings { .. } => None,
        }
    }
}
