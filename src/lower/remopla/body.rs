//! The control points of a module.
//!
//! As for boolean programs the statements are walked backwards, so that `next` is always the
//! point that follows, and what is open is on an explicit stack.

use super::Lowering;
use super::assignment::Receiver;
use super::scope::Space;
use crate::diagnostic::Diagnostic;
use crate::program::{Action, Call, Expression, Point, PointId, ProcedureId, Target};
use crate::source::Span;
use crate::syntax::remopla::tree::{ExpressionId, Identifier, List, StatementKind};

/// A compound statement whose end has been seen, but not its beginning.
pub struct Open {
    /// Where the end of a branch leads.
    join: PointId,
    /// Of a `do`: where `break` leads.
    after: Option<PointId>,
    otherwise: Option<PointId>,
    /// How many arms there were of those around it.
    arms: usize,
}

impl Lowering<'_> {
    pub fn body(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let module = &tree.modules[id.0 as usize];
        self.declare_locals(id);
        self.declare_labels(id);
        self.machine.environment.constants_only = false;
        let base = self.points.len() as u32;
        let exit = PointId(base + module.points);
        self.push(id, module.close, false, Action::Exit);
        let mut next = exit;
        let mut here = exit;
        for statement in tree.statements[module.statements.indices()].iter().rev() {
            self.machine.begin_statement();
            let action = match statement.kind {
                StatementKind::EndIf => {
                    self.open(next, None);
                    continue;
                }
                StatementKind::EndDo { head } => {
                    let head = PointId(base + head);
                    self.breaks.push(next);
                    self.open(head, Some(next));
                    next = head;
                    continue;
                }
                StatementKind::Branch { condition } => {
                    let condition = condition.map(|condition| self.condition(condition));
                    if let Some(open) = self.open.last_mut() {
                        match condition {
                            Some(condition) => self.arms.push((condition, next)),
                            None => open.otherwise = Some(next),
                        }
                        next = open.join;
                    }
                    continue;
                }
                StatementKind::If | StatementKind::Do => self.select(next),
                simple => self.simple(id, base, simple, statement.span, next),
            };
            let implicit = matches!(statement.kind, StatementKind::ImplicitSkip);
            self.push(id, statement.span, implicit, action);
            here = PointId(here.0 - 1);
            next = here;
        }
        // The points have been made from the last to the first.
        self.points[base as usize..].reverse();
        let labels = tree.labels[module.labels.indices()].iter();
        let placed = labels.map(|label| (PointId(base + label.point), label.identifier.name));
        self.labels.extend(placed);
        self.check_end(id, exit);
        self.report_unknown(id);
    }

    fn push(&mut self, procedure: ProcedureId, span: Span, implicit: bool, action: Action) {
        self.points.push(Point {
            procedure,
            span,
            implicit,
            action,
        });
    }

    fn open(&mut self, next: PointId, after: Option<PointId>) {
        self.open.push(Open {
            join: next,
            after,
            otherwise: None,
            arms: self.arms.len(),
        });
        // Within it, the end of a branch leads to `join`.
    }

    /// The head of an `if` or a `do`, all of whose branches have been seen.
    fn select(&mut self, next: PointId) -> Action {
        let Some(open) = self.open.pop() else {
            // The brackets of the tree match: this does not happen.
            return goto(next);
        };
        if open.after.is_some() {
            self.breaks.pop();
        }
        Action::Select {
            arms: self.arms.drain(open.arms..).rev().collect(),
            otherwise: open.otherwise,
        }
    }

    fn simple(
        &mut self,
        id: ProcedureId,
        base: u32,
        kind: StatementKind,
        span: Span,
        next: PointId,
    ) -> Action {
        match kind {
            StatementKind::Assign { assignments } => self.assign(assignments, next),
            StatementKind::Goto { label, assignments } => {
                let target = self.label(id, base, label).unwrap_or(next);
                match assignments.is_empty() {
                    true => goto(target),
                    false => self.assign(assignments, target),
                }
            }
            StatementKind::Break => match self.breaks.last() {
                Some(after) => goto(*after),
                None => {
                    let message = "`break` outside of `do … od`";
                    self.report(Diagnostic::error(span, message));
                    goto(next)
                }
            },
            StatementKind::Skip { condition: None } => goto(next),
            StatementKind::Skip {
                condition: Some(condition),
            }
            | StatementKind::Assume(condition) => Action::Assume {
                condition: self.condition(condition),
                next,
            },
            StatementKind::Assert(condition) => Action::Assert {
                condition: self.condition(condition),
                next,
            },
            StatementKind::Return { value } => self.return_statement(id, value, span),
            StatementKind::Call {
                target,
                callee,
                arguments,
                assignments,
            } => self.call(callee, target, arguments, assignments, span, next),
            _ => goto(next),
        }
    }

    fn assign(&mut self, list: List, next: PointId) -> Action {
        let pairs = self.assignments(list).pairs;
        if pairs.is_empty() {
            return goto(next);
        }
        let (targets, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        Action::Assign {
            targets: targets.into(),
            values: values.into(),
            constrain: None,
            next,
        }
    }

    fn label(&mut self, id: ProcedureId, base: u32, label: Identifier) -> Option<PointId> {
        let tree = self.tree;
        let labels = &tree.labels[tree.modules[id.0 as usize].labels.indices()];
        let found = self.scope().labels.get(label.name);
        if found.is_none() {
            self.scope().unknown.note(Space::Label, label);
        }
        found.map(|index| PointId(base + labels[index as usize].point))
    }

    /// An expression that must be a condition.
    fn condition(&mut self, expression: ExpressionId) -> Expression {
        let value = self.machine.evaluate(expression);
        self.machine.check_condition(value);
        let operations = self.machine.operations.drain(..);
        match value.may_fail {
            true => self.expressions.add_at(value.span, operations),
            false => self.expressions.add(operations),
        }
    }

    fn return_statement(
        &mut self,
        id: ProcedureId,
        value: Option<ExpressionId>,
        span: Span,
    ) -> Action {
        let signature = &self.signatures[id.0 as usize];
        let text = self.tree.shown(signature.identifier.name);
        let header = self.tree.modules[id.0 as usize].header.returns.span;
        if signature.broken {
            if let Some(value) = value {
                self.machine.evaluate(value);
            }
            return Action::Return { values: [].into() };
        }
        let returns = signature.returns.clone();
        let values = match (value, returns) {
            (None, None) => [].into(),
            (Some(value), Some(layout)) => {
                let receiver = Receiver {
                    shape: &layout.shape,
                    domains: &layout.domains,
                    name: format!("what `{text}` returns"),
                    declared: Some(header),
                };
                let values = self.value(value, &receiver).unwrap_or_default();
                in_order(values)
            }
            (Some(value), None) => {
                let span = self.tree.expression_span(value);
                let message = format!("`{text}` returns nothing");
                let diagnostic = Diagnostic::error(span, message);
                self.report(diagnostic.with_related(header, "its type is `void`"));
                [].into()
            }
            (None, Some(_)) => {
                let message = format!("`{text}` returns a value, but this `return` has none");
                let diagnostic = Diagnostic::error(span, message);
                self.report(diagnostic.with_related(header, "its type is given here"));
                [].into()
            }
        };
        Action::Return { values }
    }

    fn call(
        &mut self,
        callee: Identifier,
        target: Option<ExpressionId>,
        arguments: List,
        assignments: List,
        span: Span,
        next: PointId,
    ) -> Action {
        let all = self.assignments(assignments);
        let index = self.scope().modules.get(callee.name);
        if index.is_none() {
            self.scope().unknown.note(Space::Module, callee);
        }
        let known = index.filter(|index| !self.signatures[*index as usize].broken);
        let Some(index) = known else {
            for argument in (arguments.start..arguments.end).map(ExpressionId) {
                self.machine.evaluate(argument);
            }
            if let Some(target) = target {
                self.machine.locate(target);
            }
            return goto(next);
        };
        let arguments = self.arguments(index, arguments, span);
        let targets = match target {
            Some(target) => self.result(index, target, span),
            None => Vec::new(),
        };
        if let Some(place) = self.assigned_with(&targets, &all) {
            let message = "this is also the target of the call";
            let diagnostic = Diagnostic::error(place, message);
            self.machine.complain(
                diagnostic.with_hint("assign to it in a statement before or after the call"),
            );
        }
        Action::Call(Box::new(Call {
            callee: ProcedureId(index),
            arguments: arguments.into(),
            assignments: all.pairs.into(),
            targets: targets.into(),
            next,
        }))
    }

    /// The arguments of a call, one for each cell of the parameters.
    fn arguments(&mut self, callee: u32, arguments: List, span: Span) -> Vec<Expression> {
        let tree = self.tree;
        let signature = self.signatures[callee as usize].clone();
        let text = tree.shown(signature.identifier.name);
        let header = &tree.modules[callee as usize].header;
        if arguments.len() != signature.parameters.len() {
            let message = format!(
                "`{text}` has {}, but this call has {}",
                plural(signature.parameters.len(), "parameter"),
                plural(arguments.len(), "argument"),
            );
            let header = tree.span(signature.identifier);
            self.report(
                Diagnostic::error(span, message).with_related(header, "the module is here"),
            );
        }
        let declared = &tree.locals[header.parameters.indices()];
        let mut lowered = Vec::new();
        for (position, argument) in (arguments.start..arguments.end).enumerate() {
            let argument = ExpressionId(argument);
            let Some(Some(layout)) = signature.parameters.get(position) else {
                self.machine.evaluate(argument);
                continue;
            };
            let parameter = declared[position];
            let receiver = Receiver {
                shape: &layout.shape,
                domains: &layout.domains,
                name: format!("the parameter `{}`", tree.shown(parameter.identifier.name)),
                declared: Some(parameter.of.span),
            };
            let values = self.value(argument, &receiver).unwrap_or_default();
            lowered.extend(in_order(values));
        }
        lowered
    }

    /// The targets for the cells that a call returns.
    fn result(&mut self, callee: u32, target: ExpressionId, span: Span) -> Vec<Target> {
        let tree = self.tree;
        let Some(location) = self.machine.locate(target) else {
            return Vec::new();
        };
        let signature = &self.signatures[callee as usize];
        let text = tree.shown(signature.identifier.name);
        let header = tree.modules[callee as usize].header.returns.span;
        let Some(returns) = signature.returns.clone() else {
            let message = format!("`{text}` returns nothing");
            let diagnostic = Diagnostic::error(span, message);
            self.report(diagnostic.with_related(header, "its type is `void`"));
            return Vec::new();
        };
        let domains = self.domains_of(&location);
        let targets = self.targets(&location);
        let cells = super::layout::leaves(&returns.shape);
        let is_truth = |domain| domain == crate::program::Domain::Boolean;
        let agree = super::layout::conform(&location.shape, &returns.shape)
            && targets.iter().zip(&cells).all(|((to, _), from)| {
                is_truth(domains[*to as usize]) == is_truth(returns.domains[*from as usize])
            });
        if !agree {
            let message = format!(
                "`{}` is {}, but `{text}` returns {}",
                crate::syntax::remopla::tree::shorten(&self.source.text(location.span)),
                super::layout::describe(&location.shape, domains[0]),
                super::layout::describe(&returns.shape, returns.domains[0]),
            );
            let diagnostic = Diagnostic::error(location.span, message);
            self.report(diagnostic.with_related(header, "its type is given here"));
            return Vec::new();
        }
        let targets = targets.into_iter().map(|(_, target)| target);
        let placed = cells.into_iter().zip(targets).collect();
        in_order::<Target>(placed).into_vec()
    }

    /// Warns if control can come to the end of a module that returns a value.
    fn check_end(&mut self, id: ProcedureId, exit: PointId) {
        let signature = &self.signatures[id.0 as usize];
        if signature.returns.is_none() || signature.broken {
            return;
        }
        let module = &self.tree.modules[id.0 as usize];
        let first = exit.0 - module.points;
        let points = &self.points[first as usize..exit.0 as usize];
        let mut falls = points
            .iter()
            .filter(|point| !matches!(point.action, Action::Return { .. }));
        let reaches = |action: &Action| {
            let mut found = false;
            action.for_each_successor(exit, |next| found |= next == exit);
            found
        };
        if let Some(point) = falls.find(|point| reaches(&point.action)) {
            let text = self.tree.shown(signature.identifier.name);
            let message = format!("`{text}` may end here without `return`");
            let span = point.span;
            self.report(
                Diagnostic::warning(span, message)
                    .with_hint("what it returns is then any value; end it with `return …;`"),
            );
        }
    }
}

/// Things for cells, in the order of the cells.
fn in_order<T>(mut placed: Vec<(u32, T)>) -> Box<[T]> {
    placed.sort_by_key(|(cell, _)| *cell);
    placed.into_iter().map(|(_, thing)| thing).collect()
}

fn goto(next: PointId) -> Action {
    Action::Goto {
        targets: Box::new([next]),
    }
}

pub fn plural(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
