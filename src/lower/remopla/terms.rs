//! The terms of Remopla's expressions, what their names mean, and how mistakes in them are put
//! into words; in programs and in properties alike.

use super::place::Location;
use crate::diagnostic::Diagnostic;
use crate::lower::expression::{
    Comparands, Evaluator, GivenUp, Kind, Language, MOST_OPERATIONS, Mistake, Range, Value,
};
use crate::names::Name;
use crate::program::{Domain, NUMBER_BITS, Operation, Shape, VariableId};
use crate::source::Span;
use crate::syntax::remopla::Tree;
use crate::syntax::remopla::tree::{ExpressionId, NodeKind, Part, Quantifier};

/// What the names of an expression mean.
pub trait Environment {
    /// What the names at the beginning of a place mean.
    fn find(&mut self, tree: &Tree, parts: &[Part]) -> Option<Meaning>;

    /// They mean nothing.
    fn note_unknown(&mut self, tree: &Tree, parts: &[Part]);

    /// The values that a cell can have.
    fn domain(&self, variable: VariableId) -> Domain;

    /// Whether only constants are allowed.
    fn is_constant(&self) -> bool {
        false
    }

    /// Whether a number may not be there at all: of a procedure that is not on top.
    fn may_be_absent(&self, _: VariableId) -> bool {
        false
    }

    /// The text of the name of a field.
    fn text(&self, name: Name) -> &str;

    /// Whether a field has this name.
    fn is_named(&self, name: Name, text: &str) -> bool {
        self.text(name) == text
    }
}

/// What a name means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A number that is known.
    Constant(i128),
    /// A variable.
    Variable {
        /// The first of its cells.
        first: VariableId,
        /// How its cells are arranged.
        shape: Shape,
        /// How many parts of the place it takes: a variable of a procedure may be named with
        /// that before it.
        parts: usize,
    },
    /// Something with a mistake in its declaration, which has been reported.
    Broken,
}

/// Expressions of Remopla, whose names mean what `environment` says.
pub struct Remopla<'a, E> {
    /// Where the expressions are.
    pub tree: &'a Tree,
    /// What their names mean.
    pub environment: E,
    /// If the expression is a whole array or struct.
    pub whole: Option<Location>,
    /// How many operations of indices have been moved for the statement.
    pub moved: usize,
}

impl<'a, E> Remopla<'a, E> {
    /// The expressions of a tree.
    pub fn new(tree: &'a Tree, environment: E) -> Self {
        Remopla {
            tree,
            environment,
            whole: None,
            moved: 0,
        }
    }
}

impl<E: Environment> Language for Remopla<'_, E> {
    type Place = u32;
    type Quantifier = Quantifier;

    const EQUALITY: Comparands = Comparands::Either;
    const SHIFT_LEFT: Operation = Operation::ShiftLeft;
    const MOST_NESTED: usize = 100;

    fn read(evaluator: &mut Evaluator<Self>, place: u32, _: Span, term: usize) {
        evaluator.read(place, term);
    }

    /// The bounds are on the stack.
    fn range(
        evaluator: &mut Evaluator<Self>,
        Quantifier { all, variable }: Quantifier,
        _: Span,
    ) -> Result<Range, GivenUp> {
        let (low, high) = evaluator.pop_two()?;
        evaluator.operations.truncate(low.operations);
        let span = low.span.to(high.span);
        let (low, high) = (evaluator.bound_of(low), evaluator.bound_of(high));
        let (low, high) = low.zip(high).ok_or(GivenUp)?;
        Ok(Range {
            all,
            variable,
            low,
            high,
            span,
        })
    }

    fn describe(&self, mistake: Mistake) -> Option<Diagnostic> {
        let error = |span, message: String| Some(Diagnostic::error(span, message));
        match mistake {
            Mistake::NoCondition { value, user } => Some(no_condition(value, user)),
            Mistake::NoNumber {
                value,
                operation,
                negated,
            } => Some(no_number(value, operation, negated)),
            Mistake::Incomparable { value, other, .. } => match (value.kind, other.kind) {
                (Kind::Whole, _) => Some(whole(value.span, "compared")),
                (Kind::Unknown, _) | (_, Kind::Unknown | Kind::Whole) => None,
                _ => {
                    let (first, second) = match value.span.start < other.span.start {
                        true => (value.span, other.span),
                        false => (other.span, value.span),
                    };
                    let message = "a truth value is compared with a number";
                    let hint = "truth values are `true` and `false`, and never numbers";
                    Some(Diagnostic::error(first.to(second), message).with_hint(hint))
                }
            },
            Mistake::TooWide(span) => {
                let message =
                    format!("the value of this term may need more than {NUMBER_BITS} bits");
                let hint =
                    "terms are computed exactly: give its variables fewer bits, or divide it up";
                Some(Diagnostic::error(span, message).with_hint(hint))
            }
            Mistake::TooLong(span) => error(
                span,
                format!(
                    "this statement is too large: with its quantifiers written out it has more \
                     than {MOST_OPERATIONS} operations"
                ),
            ),
            Mistake::TooNested(span) => {
                let most = Self::MOST_NESTED;
                error(span, format!("more than {most} quantifiers are nested"))
            }
            Mistake::VariableBound(span) => {
                error(span, "the bounds of a quantifier must be constants".into())
            }
            Mistake::EmptyRange {
                all,
                low,
                high,
                span,
            } => {
                let message =
                    format!("there is no number from {low} to {high}: this is always {all}");
                Some(Diagnostic::warning(span, message))
            }
            Mistake::TwoReadings { all, span } => {
                let quantifier = if all { "A" } else { "E" };
                let message = "this could mean two things without parentheses";
                Some(Diagnostic::error(span, message).with_hint(format!(
                    "write `({quantifier} i (…) …) == …` to compare what the quantifier says, or \
                     `{quantifier} i (…) (… == …)` to compare each"
                )))
            }
            Mistake::Partial {
                operation,
                right,
                span,
            } => {
                let by_zero = operation == Operation::Divide && right.constant() == Some(0);
                (by_zero && !self.environment.is_constant())
                    .then(|| Diagnostic::warning(span, "this divides by 0"))
            }
        }
    }
}

fn no_condition(value: Value, user: Option<Operation>) -> Diagnostic {
    if value.kind == Kind::Whole {
        return whole(value.span, "used as a condition");
    }
    let joins = match user {
        Some(Operation::Not) => "`!` negates",
        Some(Operation::And) => "`&&` joins",
        Some(Operation::Or) => "`||` joins",
        Some(_) => "`^^` joins",
        None => "a quantifier ranges over",
    };
    let message = format!("{joins} conditions, but this is a number");
    Diagnostic::error(value.span, message).with_hint("compare it, as in `x != 0`")
}

fn no_number(value: Value, operation: Operation, negated: bool) -> Diagnostic {
    if value.kind == Kind::Whole {
        return whole(value.span, "used as a number");
    }
    let (spelling, instead) = match (operation, negated) {
        (Operation::BitAnd, _) => ("&", Some("&&")),
        (Operation::BitOr, _) => ("|", Some("||")),
        (Operation::BitXor, _) => ("^", Some("^^")),
        (Operation::ShiftLeft, _) => ("<<", None),
        (Operation::ShiftRight, _) => (">>", None),
        (Operation::Add, _) => ("+", None),
        (Operation::Subtract, _) => ("-", None),
        (Operation::Multiply, _) => ("*", None),
        (Operation::Divide, _) => ("/", None),
        (Operation::Less, false) => ("<", None),
        (Operation::Less, true) => (">=", None),
        (_, false) => ("<=", None),
        (_, true) => (">", None),
    };
    let message = format!("`{spelling}` takes numbers, but this is a truth value");
    let hint = instead.map(|instead| format!("`{instead}` joins conditions"));
    Diagnostic::error(value.span, message).with_hint_if_any(hint)
}

/// A whole array or struct stands where one value is needed.
pub fn whole(span: Span, used: &str) -> Diagnostic {
    let message = format!("a whole array or struct cannot be {used}");
    Diagnostic::error(span, message).with_hint("give an index or a field")
}

impl<E: Environment> Evaluator<Remopla<'_, E>> {
    /// The operations of an expression, and what is known of its value.
    pub fn expression(&mut self, expression: ExpressionId) -> Value {
        let tree = self.language.tree;
        self.language.whole = None;
        let span = tree.expression_span(expression);
        let value = self.evaluate(tree.nodes(expression), span);
        Value { span, ..value }
    }

    /// The place that an expression names, with the operations of its indices.
    pub fn locate(&mut self, expression: ExpressionId) -> Option<Location> {
        self.begin_expression();
        let (last, indices) = self.language.tree.nodes(expression).split_last()?;
        let NodeKind::Read(place) = last.kind else {
            return None;
        };
        if self.run(indices).is_err() {
            return None;
        }
        self.target(place, indices.len())
    }

    /// Reports what stands where a condition must.
    pub fn check_condition(&mut self, value: Value) {
        match value.kind {
            Kind::Truth(_) | Kind::Unknown => {}
            Kind::Number(_) => {
                let diagnostic =
                    Diagnostic::error(value.span, "expected a condition, found a number");
                self.complain(diagnostic.with_hint("compare it, as in `x != 0`"));
            }
            Kind::Whole => self.complain(whole(value.span, "used as a condition")),
        }
    }
}
