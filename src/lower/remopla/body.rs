//! The control points of a module.
//!
//! As for boolean programs the statements are walked backwards, so that `next` is always the
//! point that follows, and what is open is on an explicit stack.

use super::Lowering;
use crate::diagnostic::Diagnostic;
use crate::lower::body::goto;
use crate::lower::unknown::Space;
use crate::program::{Action, Expression, Point, PointId, ProcedureId};
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
        self.scope().constants_only = false;
        let base = self.points.len() as u32;
        let exit = PointId(base + module.points);
        self.push(id, module.close, false, Action::Exit);
        let mut next = exit;
        let mut here = exit;
        for statement in tree.statements[module.statements.indices()].iter().rev() {
            self.begin_statement();
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
        let value = self.machine.expression(expression);
        self.machine.check_condition(value);
        let operations = self.machine.operations.drain(..);
        match value.may_fail {
            true => self.expressions.add_at(value.span, operations),
            false => self.expressions.add(operations),
        }
    }

    /// Warns if control can come to the end of a module that returns a value.
    fn check_end(&mut self, id: ProcedureId, exit: PointId) {
        let signature = &self.signatures[id.0 as usize];
        if signature.returns.is_none() || signature.broken {
            return;
        }
        let module = &self.tree.modules[id.0 as usize];
        let mut statements = self.tree.statements[module.statements.indices()].iter();
        if statements.any(|s| matches!(s.kind, StatementKind::Unreadable)) {
            return;
        }
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
