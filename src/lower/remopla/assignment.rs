//! Values on their way into cells: assignments, arguments, return values, results.

use super::Lowering;
use super::place::Location;
use super::terms::Environment;
use crate::diagnostic::Diagnostic;
use crate::lower::expression::{Kind, MOST_OPERATIONS, Mistake, Value as Known};
use crate::lower::layout::{conform, describe, leaves};
use crate::names::Name;
use crate::program::{
    Domain, Expression, Interval, Operation, Overflow, Shape, Target, Value, VariableId,
};
use crate::source::Span;
use crate::syntax::remopla::tree::{Assignment, ExpressionId, List, shorten};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a value is assigned to.
pub struct Receiver<'a> {
    pub shape: &'a Shape,
    /// The domains of its cells.
    pub domains: &'a [Domain],
    /// In words: "`x`", "the parameter `n`".
    pub name: String,
    /// Where it is declared, if that helps.
    pub declared: Option<Span>,
}

/// The assignments of one statement, in the order of the source.
#[derive(Default)]
pub struct Assignments {
    pub pairs: Vec<(Target, Value)>,
    /// Where each cell that is known is assigned to.
    cells: FxHashMap<VariableId, Span>,
    /// Where array entries whose index is not known are assigned to, by their cells and the
    /// operations of the index.
    elements: FxHashMap<(VariableId, u32, Box<[Operation]>), Span>,
}

impl Lowering<'_> {
    pub fn assignments(&mut self, list: List) -> Assignments {
        let mut all = Assignments::default();
        for assignment in &self.tree.assignments[list.indices()] {
            self.assignment(assignment, &mut all);
        }
        all
    }

    /// An assignment, once for each value of its ranges.
    fn assignment(&mut self, assignment: &Assignment, all: &mut Assignments) {
        let tree = self.tree;
        let ranges = &tree.ranges[assignment.ranges.indices()];
        // The ranges so far: the name, what it meant before, its value and its last value.
        let mut open: Vec<(Name, Option<i128>, i128, i128)> = Vec::new();
        loop {
            if let Some(range) = ranges.get(open.len()) {
                let low = self.machine.expression(range.low);
                let low = self.machine.bound_of(low);
                let high = self.machine.expression(range.high);
                let high = self.machine.bound_of(high);
                let Some((low, high)) = low.zip(high) else {
                    break;
                };
                if low <= high {
                    let name = range.variable;
                    let hidden = self.machine.bound.insert(name, low);
                    open.push((name, hidden, low, high));
                    continue;
                }
                let message = format!("there is no number from {low} to {high}: nothing happens");
                self.machine
                    .complain(Diagnostic::warning(range.span, message));
            } else {
                self.single_assignment(assignment, all);
            }
            if self.machine.spent > MOST_OPERATIONS {
                // That has been reported.
                break;
            }
            if all.pairs.len() > MOST_OPERATIONS {
                self.machine.mistake(Mistake::TooLong(assignment.span));
                break;
            }
            // The innermost range that has another value goes on.
            while let Some((name, hidden, value, high)) = open.pop() {
                if value < high {
                    self.machine.bound.insert(name, value + 1);
                    open.push((name, hidden, value + 1, high));
                    break;
                }
                self.unbind(name, hidden);
            }
            if open.is_empty() {
                break;
            }
        }
        while let Some((name, hidden, ..)) = open.pop() {
            self.unbind(name, hidden);
        }
    }

    fn unbind(&mut self, name: Name, hidden: Option<i128>) {
        match hidden {
            Some(value) => self.machine.bound.insert(name, value),
            None => self.machine.bound.remove(&name),
        };
    }

    fn single_assignment(&mut self, assignment: &Assignment, all: &mut Assignments) {
        let Some(location) = self.machine.locate(assignment.target) else {
            // What is wrong with the value is worth knowing all the same.
            if let Some(value) = assignment.value {
                self.machine.expression(value);
            }
            return;
        };
        let targets = self.targets(&location);
        for (_, target) in &targets {
            self.check_assigned_once(target, location.span, all);
        }
        let Some(value) = assignment.value else {
            let any = targets.into_iter().map(|(_, target)| (target, Value::Any));
            all.pairs.extend(any);
            return;
        };
        let domains = self.domains_of(&location);
        let text = self.source.text(location.span);
        let receiver = Receiver {
            shape: &location.shape,
            domains: &domains,
            name: format!("`{}`", shorten(&text)),
            declared: None,
        };
        if let Some(values) = self.value(value, &receiver) {
            let targets = targets.into_iter().map(|(_, target)| target);
            let values = values.into_iter().map(|(_, value)| Value::Of(value));
            all.pairs.extend(targets.zip(values));
        }
    }

    /// The cells of a location, in the order in which they are shown: how far each lies from
    /// the first, and the target it is.
    pub fn targets(&mut self, location: &Location) -> Vec<(u32, Target)> {
        let index = match location.indices.is_empty() {
            true => None,
            false => Some(self.expressions.add_at(location.span, location.offset())),
        };
        let cells = leaves(&location.shape).into_iter();
        let targets = cells.map(|leaf| {
            let first = location.first.plus(leaf);
            let target = match index {
                None => Target::Cell(first),
                Some(index) => Target::Element {
                    first,
                    count: location.count(),
                    index,
                },
            };
            (leaf, target)
        });
        targets.collect()
    }

    /// The domains of the cells from the first one on.
    pub fn domains_of(&self, location: &Location) -> Vec<Domain> {
        let last = leaves(&location.shape).into_iter().max().unwrap_or(0);
        let cells = (0..=last).map(|k| location.first.plus(k));
        let domain = |cell| self.machine.language.environment.domain(cell);
        cells.map(domain).collect()
    }

    /// The expressions for the cells of a value, in the order in which they are shown, each
    /// with the place of its cell in the receiver. Nothing if there is a mistake.
    pub fn value(
        &mut self,
        expression: ExpressionId,
        receiver: &Receiver<'_>,
    ) -> Option<Vec<(u32, Expression)>> {
        let known = self.machine.expression(expression);
        let places = leaves(receiver.shape);
        let first = *receiver.domains.first()?;
        match (known.kind, receiver.shape) {
            (Kind::Unknown, _) => None,
            (Kind::Truth(_), Shape::Scalar) if first == Domain::Boolean => {
                let operations = self.machine.operations.drain(..);
                Some(vec![(0, self.expressions.add_at(known.span, operations))])
            }
            (Kind::Number(interval), Shape::Scalar) if first != Domain::Boolean => {
                self.check_range(interval, first, known.span, receiver);
                let operations = self.machine.operations.drain(..);
                Some(vec![(0, self.expressions.add_at(known.span, operations))])
            }
            (Kind::Whole, _) => {
                let location = self.machine.language.whole.take()?;
                let domains = self.domains_of(&location);
                let sources = leaves(&location.shape);
                let kinds_agree = || {
                    let mut pairs = places.iter().zip(&sources);
                    pairs.all(|(to, from)| {
                        let to = receiver.domains[*to as usize];
                        (to == Domain::Boolean) == (domains[*from as usize] == Domain::Boolean)
                    })
                };
                if !conform(receiver.shape, &location.shape) || !kinds_agree() {
                    let found = describe(&location.shape, domains[0]);
                    self.report_mismatch(&found, known, receiver);
                    return None;
                }
                let pairs = places.into_iter().zip(sources);
                let cells = pairs.map(|(to, from)| {
                    let read = location.read(from);
                    (to, self.expressions.add_at(known.span, read))
                });
                Some(cells.collect())
            }
            (Kind::Truth(_), _) => {
                self.report_mismatch("a truth value", known, receiver);
                None
            }
            (Kind::Number(_), _) => {
                self.report_mismatch("a number", known, receiver);
                None
            }
        }
    }

    #[cold]
    fn report_mismatch(&mut self, found: &str, known: Known, receiver: &Receiver<'_>) {
        let wanted = describe(receiver.shape, receiver.domains[0]);
        let message = match wanted == found {
            true => format!(
                "{} is {wanted}, but this one has other fields, or values of another kind",
                receiver.name
            ),
            false => format!("{} is {wanted}, but this is {found}", receiver.name),
        };
        let mut diagnostic = Diagnostic::error(known.span, message);
        if wanted == "a truth value" {
            diagnostic = diagnostic.with_hint(match known.constant() {
                Some(0) => "write `false`",
                Some(1) => "write `true`",
                _ => "compare it, as in `x != 0`",
            });
        }
        if let Some(declared) = receiver.declared {
            diagnostic = diagnostic.with_related(declared, "declared here");
        }
        self.machine.complain(diagnostic);
    }

    /// Warns of a value that can never fit.
    fn check_range(
        &mut self,
        interval: Interval,
        domain: Domain,
        span: Span,
        receiver: &Receiver<'_>,
    ) {
        let fits = Interval::of(domain);
        if self.options.overflow != Overflow::Wrap && interval.misses(fits) {
            let message = format!(
                "this is always out of range: {} holds numbers up to {}",
                receiver.name, fits.high
            );
            self.machine.complain(Diagnostic::warning(span, message));
        }
    }

    fn check_assigned_once(&mut self, target: &Target, span: Span, all: &mut Assignments) {
        let first = match target {
            Target::Discard => None,
            Target::Cell(cell) => all.cells.insert(*cell, span),
            Target::Element {
                first,
                count,
                index,
            } => {
                let operations = self.expressions.operations(*index).into();
                all.elements.insert((*first, *count, operations), span)
            }
        };
        if let Some(first) = first {
            let text = self.source.text(span);
            let text = shorten(&text);
            let message = format!("`{text}` is assigned to twice");
            let mut diagnostic = Diagnostic::error(span, message);
            if first != span {
                diagnostic = diagnostic.with_related(first, "first here");
            }
            self.machine.complain(diagnostic);
        }
    }

    /// The place where one of the targets is assigned to, if that is certain.
    pub fn assigned_with(&self, targets: &[Target], all: &Assignments) -> Option<Span> {
        let certain = |first: &VariableId, count: &u32| {
            let mut cells = (0..*count).map(|k| all.cells.get(&first.plus(k)));
            // Every cell that it may be is assigned to.
            let spans: Option<Vec<_>> = cells.by_ref().map(|span| span.copied()).collect();
            spans.and_then(|spans| spans.first().copied())
        };
        let mut found = targets.iter().filter_map(|target| match target {
            Target::Discard => None,
            Target::Cell(cell) => all.cells.get(cell).copied(),
            Target::Element {
                first,
                count,
                index,
            } => {
                let operations = self.expressions.operations(*index).into();
                let same = all.elements.get(&(*first, *count, operations));
                same.copied().or_else(|| certain(first, count))
            }
        });
        if let Some(span) = found.next() {
            return Some(span);
        }
        // An entry of what the call sets as a whole.
        let set: FxHashSet<VariableId> = targets
            .iter()
            .filter_map(|target| match target {
                Target::Cell(cell) => Some(*cell),
                _ => None,
            })
            .collect();
        let mut elements = all.elements.iter();
        let inside = elements
            .find(|((first, count, _), _)| (0..*count).all(|k| set.contains(&first.plus(k))));
        inside.map(|(_, span)| *span)
    }
}
