//! The types of expressions: truth values and numbers, and how large these may become.
//!
//! Each expression is walked once, quantified bodies too: the variable of a quantifier is
//! any number of its range. Numbers carry the interval they are in, so that later everyone
//! may compute with 128 bits.

use super::interval::Interval;
use super::scope::{Scope, Variable, View};
use crate::diagnostic::{Diagnostic, did_you_mean, nearest};
use crate::names::{Name, Names};
use crate::program::{Domain, NUMBER_BITS};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::pds::Tree;
use crate::syntax::pds::tree::{BinaryOperator, ExpressionId, NodeKind, Primes, Quantifier};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Truth,
    Number(Interval),
    /// Something was wrong, and has been reported.
    Unknown,
}

#[derive(Clone, Copy)]
struct Typed {
    kind: Type,
    span: Span,
}

/// A quantifier whose body is being walked.
struct Open {
    variable: Name,
    interval: Interval,
    rounds: u64,
    /// How many operations had been counted before the body.
    outside: u64,
}

/// An expression that has a type and can be worked out.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The ranges of its quantifiers, in the order in which they open.
    pub ranges: Vec<(i128, i128)>,
    /// About how many operations come out.
    pub operations: u64,
}

pub struct Check<'c> {
    pub tree: &'c Tree,
    pub names: &'c Names,
    pub scope: &'c Scope,
    pub view: View,
    pub collector: &'c mut Collector,
    /// Which symbols have a local of that name, in words.
    pub carriers: &'c dyn Fn(Name) -> Option<String>,
}

impl Check<'_> {
    /// Checks a condition; `None` if something was reported.
    pub fn condition(&mut self, expression: ExpressionId) -> Option<Checked> {
        let mut stack: Vec<Typed> = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        let mut ranges = Vec::new();
        let mut operations: u64 = 0;
        let mut sound = true;
        for node in self.tree.nodes_of(expression) {
            let mut span = node.span;
            let kind = match node.kind {
                NodeKind::Number(number) => Type::Number(Interval::only(number.into())),
                NodeKind::Name(name, primes) => self.name(name, primes, span, &open),
                NodeKind::Element(name, primes) => {
                    let index = stack.pop()?;
                    let index = self.number(index).is_some();
                    match self.element(name, primes, span) {
                        kind if index => kind,
                        _ => Type::Unknown,
                    }
                }
                NodeKind::Not => {
                    let operand = stack.pop()?;
                    span = span.to(operand.span);
                    self.truths(&[operand])
                }
                NodeKind::Binary(operator) => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    span = a.span.to(b.span);
                    self.binary(operator, a, b, node.span)
                }
                NodeKind::Open(number) => {
                    let quantifier = self.tree.quantifiers[number as usize];
                    let (low, high) = self.range(&quantifier)?;
                    ranges.push((low, high));
                    open.push(Open {
                        variable: quantifier.variable.name,
                        // An empty range has no numbers, but its bounds serve as well.
                        interval: Interval::only(low).join(Interval::only(high)),
                        rounds: u64::try_from((high - low + 1).max(0)).unwrap_or(u64::MAX),
                        outside: std::mem::take(&mut operations),
                    });
                    continue;
                }
                NodeKind::Close => {
                    let body = stack.pop()?;
                    let Open {
                        rounds, outside, ..
                    } = open.pop()?;
                    operations = operations.saturating_mul(rounds).saturating_add(outside);
                    span = body.span;
                    self.truths(&[body])
                }
            };
            operations = operations.saturating_add(2);
            sound &= kind != Type::Unknown;
            stack.push(Typed { kind, span });
        }
        let whole = stack.pop()?;
        sound &= self.truths(&[whole]) == Type::Truth;
        sound.then_some(Checked { ranges, operations })
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Type {
        self.collector.report(diagnostic);
        Type::Unknown
    }

    fn range(&mut self, quantifier: &Quantifier) -> Option<(i128, i128)> {
        let constants = &self.scope.constants;
        let low = constants.value(self.tree, quantifier.low, self.collector);
        let high = constants.value(self.tree, quantifier.high, self.collector);
        low.ok().zip(high.ok())
    }

    /// A truth value, if all operands are truth values.
    fn truths(&mut self, operands: &[Typed]) -> Type {
        let mut kind = Type::Truth;
        for operand in operands {
            match operand.kind {
                Type::Truth => {}
                Type::Unknown => kind = Type::Unknown,
                Type::Number(_) => {
                    let message = "a number stands where a condition is expected";
                    let hint = "numbers are compared with `= != < <= > >=`";
                    let diagnostic = Diagnostic::error(operand.span, message);
                    kind = self.report(diagnostic.with_hint(hint));
                }
            }
        }
        kind
    }

    fn number(&mut self, operand: Typed) -> Option<Interval> {
        match operand.kind {
            Type::Number(interval) => Some(interval),
            Type::Unknown => None,
            Type::Truth => {
                let message = "a truth value stands where a number is expected";
                let diagnostic = Diagnostic::error(operand.span, message);
                self.report(diagnostic.with_hint("truth values are compared with `==`"));
                None
            }
        }
    }

    fn binary(&mut self, operator: BinaryOperator, a: Typed, b: Typed, sign: Span) -> Type {
        use BinaryOperator::*;
        match operator {
            And | Or | Xor => return self.truths(&[a, b]),
            Equivalent => {
                if let (Type::Number(_), Type::Number(_)) = (a.kind, b.kind) {
                    let message = "`==` compares truth values, and these are numbers";
                    let diagnostic = Diagnostic::error(sign, message);
                    return self.report(diagnostic.with_hint("numbers are compared with `=`"));
                }
                return self.truths(&[a, b]);
            }
            Equal if a.kind == Type::Truth && b.kind == Type::Truth => {
                let message = "`=` compares numbers, and these are truth values";
                let diagnostic = Diagnostic::error(sign, message);
                return self.report(diagnostic.with_hint("truth values are compared with `==`"));
            }
            NotEqual if a.kind == Type::Truth && b.kind == Type::Truth => {
                let message = "`!=` compares numbers, and these are truth values";
                let diagnostic = Diagnostic::error(sign, message);
                return self.report(diagnostic.with_hint("`^` is true if two truth values differ"));
            }
            _ => {}
        }
        let (x, y) = (self.number(a), self.number(b));
        let (Some(x), Some(y)) = (x, y) else {
            return Type::Unknown;
        };
        let result = match operator {
            Plus => x.plus(y),
            Minus => x.minus(y),
            Times => x.times(y),
            Divide => Some(x.divided_by(y)),
            ShiftLeft => Some(x.shifted_by(y)),
            _ => return Type::Truth,
        };
        match result {
            Some(interval) => Type::Number(interval),
            None => self.report(Diagnostic::error(
                a.span.to(b.span),
                format!("this number may need more than {NUMBER_BITS} bits"),
            )),
        }
    }

    fn name(&mut self, name: Name, primes: Primes, span: Span, open: &[Open]) -> Type {
        let bound = open.iter().rev().find(|open| open.variable == name);
        let constant = match bound {
            Some(bound) => Some(bound.interval),
            None => self.scope.constants.get(name).map(Interval::only),
        };
        if let Some(interval) = constant {
            if primes != Primes::None {
                let text = self.names.text(name);
                let message = format!("`{text}` is a constant: it has no primes");
                return self.report(Diagnostic::error(span, message));
            }
            return Type::Number(interval);
        }
        let Some(variable) = self.variable(name, primes, span) else {
            return Type::Unknown;
        };
        if let Some((low, _)) = variable.array {
            let text = self.names.text(name);
            let message = format!("`{text}` is an array: which element?");
            let marks = ["", "'", "''"][primes as usize];
            let diagnostic = Diagnostic::error(span, message);
            return self.report(
                diagnostic.with_hint(format!("write `{text}{marks}[{low}]`, for example")),
            );
        }
        type_of(variable.domain)
    }

    fn element(&mut self, name: Name, primes: Primes, span: Span) -> Type {
        let Some(variable) = self.variable(name, primes, span) else {
            return Type::Unknown;
        };
        if variable.array.is_none() {
            let text = self.names.text(name);
            let message = format!("`{text}` is no array");
            return self.report(Diagnostic::error(span, message));
        }
        type_of(variable.domain)
    }

    /// The variable that is meant; `None` if there is none, which is reported.
    fn variable(&mut self, name: Name, primes: Primes, span: Span) -> Option<Variable> {
        let found = match self.view.frame(primes) {
            Some(frame) => self.scope.find(frame, name),
            None => None,
        };
        if self.view.lenient && primes == Primes::None {
            return self.anywhere(name, span, found);
        }
        if found.is_none() {
            let diagnostic = self.unknown(name, primes, span);
            self.report(diagnostic);
        }
        found
    }

    /// In a property: the variable here, or one that other symbols have.
    fn anywhere(&mut self, name: Name, span: Span, found: Option<Variable>) -> Option<Variable> {
        let Some(first) = self.scope.all(name).next() else {
            let diagnostic = self.unknown(name, Primes::None, span);
            self.report(diagnostic);
            return None;
        };
        if !self.scope.all(name).all(|other| other.is_like(&first)) {
            let text = self.names.text(name);
            let message = format!("`{text}` is declared with different types");
            let hint = "a property needs a name that means the same everywhere";
            self.report(Diagnostic::error(span, message).with_hint(hint));
            return None;
        }
        found.or(Some(first))
    }

    fn unknown(&self, name: Name, primes: Primes, span: Span) -> Diagnostic {
        let text = self.names.text(name);
        let Some(frame) = self.view.frame(primes) else {
            return match primes {
                Primes::Two if self.view.frame(Primes::One).is_some() => Diagnostic::error(
                    span,
                    format!(
                        "`{text}''` belongs to a second symbol on the right, and there is none"
                    ),
                ),
                _ => Diagnostic::error(span, "there is no step here, so names have no primes"),
            };
        };
        let marks = ["", "'", "''"][primes as usize];
        let error = |message: String| Diagnostic::error(span, message);
        if primes == Primes::Two && self.scope.is_global(name) {
            return error(format!(
                "`{text}` is a global, and the symbol below has locals only"
            ))
            .with_hint(format!("after the step it is `{text}'`"));
        }
        if let Some(carriers) = (self.carriers)(name) {
            return error(format!("`{text}{marks}` is no variable here"))
                .with_hint(format!("`{text}` is a local of {carriers}"));
        }
        let known: Vec<&str> = self
            .scope
            .names(frame)
            .map(|n| self.names.text(n))
            .collect();
        let message = format!("unknown variable `{text}`");
        match nearest(text, known) {
            Some(near) => error(message).with_hint(did_you_mean(format_args!("{near}{marks}"))),
            None if matches!(text, "true" | "false") => error(message).with_hint(
                "there are no truth constants: leave the condition out, or write `0 = 0`",
            ),
            None => error(message),
        }
    }
}

fn type_of(domain: Domain) -> Type {
    match domain {
        Domain::Boolean => Type::Truth,
        number => Type::Number(Interval {
            low: 0,
            high: (number.size() - 1) as i128,
        }),
    }
}
