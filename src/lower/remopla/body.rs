//! The control points of a module, one for each statement.

use super::Lowering;
use crate::diagnostic::Diagnostic;
use crate::lower::points::goto;
use crate::lower::unknown::Space;
use crate::program::{Action, Expression, PointId, ProcedureId};
use crate::source::Span;
use crate::syntax::remopla::tree::{ExpressionId, Identifier, List, StatementKind};

impl Lowering<'_> {
    pub fn body(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let module = &tree.modules[id.0 as usize];
        self.declare_locals(id);
        self.declare_labels(id);
        self.scope().constants_only = false;
        self.points.begin(id, module.points, module.close);
        for statement in tree.statements[module.statements.indices()].iter().rev() {
            self.begin_statement();
            let action = match statement.kind {
                StatementKind::EndIf => {
                    self.points.open(None);
                    continue;
                }
                StatementKind::EndDo { head } => {
                    self.points.open(Some(head));
                    continue;
                }
                StatementKind::Branch { condition } => {
                    let condition = condition.map(|condition| self.condition(condition));
                    self.points.branch(condition, statement.span);
                    continue;
                }
                StatementKind::If | StatementKind::Do => {
                    let branches = self.points.close(true);
                    Action::Select {
                        arms: branches.arms,
                        otherwise: branches.otherwise,
                    }
                }
                simple => self.simple(id, simple, statement.span),
            };
            let implicit = matches!(statement.kind, StatementKind::ImplicitSkip);
            self.points.push(statement.span, implicit, action);
        }
        let points = self.points.finish(&tree.labels[module.labels.indices()]);
        self.check_end(id, PointId(points.end - 1));
        self.report_unknown(id);
        let locals = std::mem::take(&mut self.scope().local_variables);
        self.frames.push((locals, points));
    }

    fn simple(&mut self, id: ProcedureId, kind: StatementKind, span: Span) -> Action {
        let next = self.points.next;
        match kind {
            StatementKind::Assign { assignments } => self.assign(assignments, next),
            StatementKind::Goto { label, assignments } => {
                let target = self.label(id, label).unwrap_or(next);
                match assignments.is_empty() {
                    true => goto(target),
                    false => self.assign(assignments, target),
                }
            }
            StatementKind::Break => match self.points.after_loop() {
                Some(after) => goto(after),
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

    fn label(&mut self, id: ProcedureId, label: Identifier) -> Option<PointId> {
        let tree = self.tree;
        let labels = &tree.labels[tree.modules[id.0 as usize].labels.indices()];
        let found = self.scope().labels.get(label.name);
        if found.is_none() {
            self.scope().unknown.note(Space::Label, label);
        }
        found.map(|index| self.points.at(labels[index as usize].point))
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
        let points = &self.points.list[first as usize..exit.0 as usize];
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
