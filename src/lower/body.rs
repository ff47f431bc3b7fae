//! The control points of a procedure, one for each statement. Linear time.

use super::declarations::{InProcedure, Signature};
use super::points::{Points, goto};
use super::scope::Scope;
use super::threads::{Atomic, Hidden};
use super::unknown::{Space, Unknown};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::program::{
    Action, Call, Cell, Domain, Expression, Expressions, NewThread, Operation, PointId, Procedure,
    ProcedureId, Target, Value, VariableId,
};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::boolean::Tree;
use crate::syntax::boolean::threads::{is_unsupported, unsupported};
use crate::syntax::boolean::tree::{
    BinaryOperator, ExpressionId, Identifier, Label, List, Node, StatementKind,
};

pub struct Lowering<'a> {
    pub tree: &'a Tree,
    pub scope: Scope,
    pub collector: Collector,
    pub signatures: Vec<Signature>,
    /// The name `_`, if the source has it.
    pub underscore: Option<Name>,
    pub procedures: Vec<Procedure>,
    pub points: Points,
    pub expressions: Expressions,
    pub unknown: Unknown,
    /// If the program has threads.
    pub hidden: Option<Hidden>,
    /// Of the procedure that is walked.
    pub atomic: Atomic,
}

impl<'a> Lowering<'a> {
    pub fn new(tree: &'a Tree, collector: Collector, hidden: Option<Hidden>) -> Self {
        let points = tree.procedures.iter().map(|p| p.points as usize + 1).sum();
        Lowering {
            tree,
            scope: Scope::new(&tree.names),
            collector,
            signatures: Vec::with_capacity(tree.procedures.len()),
            underscore: tree.names.find("_"),
            procedures: Vec::with_capacity(tree.procedures.len()),
            points: Points::with_capacity(points),
            expressions: Expressions::with_capacity(tree.expressions.nodes.len()),
            unknown: Unknown::default(),
            hidden,
            atomic: Atomic::default(),
        }
    }

    pub fn procedure(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let procedure = &tree.procedures[id.0 as usize];
        self.declare_locals(id);
        self.declare_labels(id);
        let saved = self.begin_atomic(id);
        self.backwards(id);
        // Of a label that stands several times at its statement, the first one counts.
        let scope = &self.scope.labels;
        let labels = tree.labels[procedure.labels.indices()].iter().zip(0..);
        let labels =
            labels.filter(|(label, index)| scope.get(label.identifier.name) == Some(*index));
        let points = self.points.finish(labels.map(|(label, _)| label));
        let enforce = procedure
            .enforce
            .map(|condition| self.expression(condition));
        let locals = &tree.locals[procedure.locals.indices()];
        self.procedures.push(Procedure {
            name: procedure.identifier.name,
            span: tree.span(procedure.identifier),
            locals: locals
                .iter()
                .map(|local| Cell::boolean(local.name))
                .chain(self.saved_cells(saved))
                .collect(),
            declarations: Vec::new(),
            parameters: procedure.parameters,
            saved,
            returns: vec![Domain::Boolean; self.signatures[id.0 as usize].returns as usize].into(),
            return_shapes: Box::default(),
            enforce,
            points,
        });
        let known = InProcedure {
            tree,
            procedure,
            scope: &self.scope,
        };
        self.unknown.report(&known, &mut self.collector);
    }

    fn backwards(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let procedure = &tree.procedures[id.0 as usize];
        self.points.begin(id, procedure.points, procedure.close);
        for statement in tree.statements[procedure.statements.indices()].iter().rev() {
            let action = match statement.kind {
                StatementKind::EndIf => {
                    self.points.open(None);
                    continue;
                }
                StatementKind::EndWhile { head } => {
                    self.points.open(Some(head));
                    continue;
                }
                StatementKind::Else => {
                    self.points.branch(None, statement.span);
                    continue;
                }
                StatementKind::Elsif(condition) => {
                    let condition = self.expression(condition);
                    self.points.branch(Some(condition), statement.span);
                    continue;
                }
                StatementKind::If(condition) | StatementKind::While(condition) => {
                    let condition = self.expression(condition);
                    // The first guard of several stands behind the word `if`.
                    let start = statement.span.start + "if".len() as u32;
                    let guard = Span::new(start, statement.span.end);
                    self.points.branch(Some(condition), guard);
                    let branches = self.points.close(false);
                    Action::Branch {
                        arms: branches.arms,
                        otherwise: branches.otherwise.unwrap_or(branches.after),
                    }
                }
                StatementKind::Atomic => self.enter_atomic(id),
                StatementKind::EndAtomic => self.leave_atomic(id),
                simple => self.simple(id, simple, statement.span),
            };
            let implicit = matches!(statement.kind, StatementKind::ImplicitSkip);
            self.points.saved = self.saved_here();
            self.points.push(statement.span, implicit, action);
        }
    }

    fn simple(&mut self, id: ProcedureId, kind: StatementKind, span: Span) -> Action {
        let next = self.points.next;
        match kind {
            StatementKind::Goto { labels } => self.goto(id, labels, next),
            StatementKind::Return { values } => self.return_statement(id, values, span),
            StatementKind::Assign {
                targets,
                values,
                constrained,
            } => {
                if targets.len() != values.len() {
                    self.report_unequal_assignment(targets, values, span);
                }
                Action::Assign {
                    targets: self.targets(targets),
                    values: self
                        .expressions(values)
                        .iter()
                        .copied()
                        .map(Value::Of)
                        .collect(),
                    constrain: constrained.then(|| self.expression(ExpressionId(values.end))),
                    next,
                }
            }
            StatementKind::Call {
                callee,
                targets,
                arguments,
            } => self.call(callee, targets, arguments, span, next),
            StatementKind::Assert(condition) => Action::Assert {
                condition: self.expression(condition),
                next,
            },
            StatementKind::Assume(condition) => Action::Assume {
                condition: self.expression(condition),
                next,
            },
            StatementKind::Constrain(condition) => self.constrain(condition, next),
            StatementKind::Abortif(condition) => {
                let condition = self.lower(condition, Some(Operation::Not));
                Action::Assume { condition, next }
            }
            StatementKind::Dead { variables } => {
                let mut list: Vec<_> = self.tree.identifiers[variables.indices()]
                    .iter()
                    .filter_map(|identifier| self.variable(*identifier))
                    .collect();
                list.sort_unstable();
                list.dedup();
                Action::Havoc {
                    variables: list.into(),
                    next,
                }
            }
            StatementKind::StartThread { callee, arguments } => {
                self.start_thread(callee, arguments, span, next)
            }
            StatementKind::StartAt(label) => {
                let declared = self.label(id, label);
                self.start_at(label, declared, span)
            }
            StatementKind::EndThread => self.end_thread(),
            StatementKind::AtomicBegin => self.set_exclusive(true),
            StatementKind::AtomicEnd => self.set_exclusive(false),
            StatementKind::Print { values } => {
                self.check_names(values);
                goto(next)
            }
            _ => goto(next),
        }
    }

    /// The variables whose new values `condition` reads get any values, all at once, that make
    /// it true. If it reads none, that is an `assume`.
    fn constrain(&mut self, condition: ExpressionId, next: PointId) -> Action {
        let condition = self.expression(condition);
        let mut variables: Vec<_> = self.expressions.reads_next(condition).collect();
        if variables.is_empty() {
            return Action::Assume { condition, next };
        }
        variables.sort_unstable();
        variables.dedup();
        Action::Assign {
            values: variables.iter().map(|_| Value::Any).collect(),
            targets: variables.into_iter().map(Target::Cell).collect(),
            constrain: Some(condition),
            next,
        }
    }

    fn goto(&mut self, id: ProcedureId, labels: List, next: PointId) -> Action {
        let tree = self.tree;
        let mut targets = Vec::with_capacity(labels.len());
        for label in &tree.identifiers[labels.indices()] {
            if let Some(declared) = self.label(id, *label) {
                self.check_jump(*label, declared);
                targets.push(self.points.at(declared.point));
            }
        }
        if targets.is_empty() {
            return goto(next);
        }
        Action::Goto {
            targets: targets.into(),
        }
    }

    /// What a name means as a label.
    fn label(&mut self, id: ProcedureId, label: Identifier) -> Option<Label> {
        let labels = self.tree.procedures[id.0 as usize].labels.indices();
        let index = self.scope.labels.get(label.name);
        if index.is_none() {
            self.unknown.note(Space::Label, label);
        }
        index.map(|index| self.tree.labels[labels][index as usize])
    }

    fn return_statement(&mut self, id: ProcedureId, values: List, span: Span) -> Action {
        let signature = &self.signatures[id.0 as usize];
        let lost = self.tree.procedures[id.0 as usize].lost.header;
        if values.len() != signature.returns as usize && !lost {
            let name = self
                .tree
                .shown(self.tree.procedures[id.0 as usize].identifier.name);
            let message = format!(
                "this `return` has {}, but `{name}` returns {}",
                plural(values.len(), "value"),
                match signature.returns {
                    0 => "none".into(),
                    count => count.to_string(),
                }
            );
            let mut diagnostic = Diagnostic::error(span, message);
            if let Some(fixed) = signature.fixed {
                diagnostic = diagnostic.with_related(fixed, "the number is fixed here");
            }
            self.collector.report(diagnostic);
        }
        Action::Return {
            values: self.expressions(values),
            assignments: self.at_return(id),
        }
    }

    fn call(
        &mut self,
        callee: Identifier,
        targets: List,
        arguments: List,
        span: Span,
        next: PointId,
    ) -> Action {
        let lowered_targets = self.targets(targets);
        let lowered_arguments = self.expressions(arguments);
        let Some(id) = self.callee(callee) else {
            return goto(next);
        };
        self.check_arguments(id, arguments.len(), "call", span);
        let index = id.0;
        let signature = &self.signatures[index as usize];
        if !targets.is_empty() && targets.len() != signature.returns as usize {
            let text = self.tree.shown(callee.name);
            let message = format!(
                "`{text}` returns {}, but this call has {}",
                plural(signature.returns as usize, "value"),
                plural(targets.len(), "target"),
            );
            let header = self
                .tree
                .span(self.tree.procedures[index as usize].identifier);
            let place = signature.fixed.unwrap_or(header);
            let mut diagnostic = Diagnostic::error(span, message)
                .with_related(place, "the number of values is fixed here");
            if signature.returns > 0 {
                diagnostic = diagnostic.with_hint("`_` as a target throws a value away");
            }
            self.collector.report(diagnostic);
        }
        Action::Call(Box::new(Call {
            callee: id,
            arguments: lowered_arguments,
            assignments: Box::default(),
            targets: lowered_targets,
            next,
        }))
    }

    /// What a name means as a procedure whose header could be read.
    fn callee(&mut self, callee: Identifier) -> Option<ProcedureId> {
        let Some(index) = self.scope.procedures.get(callee.name) else {
            let text = self.tree.names.text(callee.name);
            if is_unsupported(text) {
                let (message, hint) = unsupported(text);
                let diagnostic = Diagnostic::error(self.tree.span(callee), message);
                self.collector.report(diagnostic.with_hint(hint));
            } else {
                self.unknown.note(Space::Procedure, callee);
            }
            return None;
        };
        let lost = self.tree.procedures[index as usize].lost.header;
        (!lost).then_some(ProcedureId(index))
    }

    fn start_thread(
        &mut self,
        callee: Identifier,
        arguments: List,
        span: Span,
        next: PointId,
    ) -> Action {
        let values = self.expressions(arguments);
        let Some(callee) = self.callee(callee) else {
            return goto(next);
        };
        self.check_arguments(callee, arguments.len(), "thread", span);
        let thread = NewThread::Call {
            callee,
            arguments: values,
        };
        Action::StartThread { thread, next }
    }

    fn targets(&mut self, targets: List) -> Box<[Target]> {
        let tree = self.tree;
        let several = targets.len() > 1;
        if several {
            self.scope.targets.clear();
        }
        let mut lowered = Vec::with_capacity(targets.len());
        for target in &tree.identifiers[targets.indices()] {
            if Some(target.name) == self.underscore {
                lowered.push(Target::Discard);
                continue;
            }
            if several && let Err(first) = self.scope.targets.insert(target.name, target.start) {
                let text = tree.shown(target.name);
                let message = format!("`{text}` is assigned to twice");
                let first = Identifier {
                    name: target.name,
                    start: first,
                };
                self.collector.report(
                    Diagnostic::error(tree.span(*target), message)
                        .with_related(tree.span(first), "first here"),
                );
            }
            lowered.push(self.variable(*target).map_or(Target::Discard, Target::Cell));
        }
        lowered.into()
    }

    #[inline]
    fn variable(&mut self, identifier: Identifier) -> Option<VariableId> {
        let variable = self.scope.variable(identifier.name);
        if variable.is_none() {
            self.unknown.note(Space::Variable, identifier);
        }
        variable
    }

    fn expressions(&mut self, list: List) -> Box<[Expression]> {
        let ids = (list.start..list.end).map(ExpressionId);
        ids.map(|id| self.expression(id)).collect()
    }

    fn expression(&mut self, id: ExpressionId) -> Expression {
        self.lower(id, None)
    }

    /// The expression, and one more operation at its end.
    fn lower(&mut self, id: ExpressionId, last: Option<Operation>) -> Expression {
        let scope = &self.scope;
        let unknown = &mut self.unknown;
        let mut variable = |identifier: Identifier| {
            scope.variable(identifier.name).unwrap_or_else(|| {
                unknown.note(Space::Variable, identifier);
                // Never seen: with an error there is no program.
                VariableId::Global(0)
            })
        };
        let operations = self.tree.nodes(id).iter().map(|node| match *node {
            Node::Constant(value) => Operation::Constant(value),
            Node::Choose => Operation::Choose,
            Node::Read(identifier) => Operation::Read(variable(identifier)),
            Node::ReadNext(identifier) => Operation::ReadNext(variable(identifier)),
            Node::Not => Operation::Not,
            Node::Binary(operator) => operator.into(),
            Node::IfThenElse => Operation::IfThenElse,
            Node::Schoose => Operation::Schoose,
        });
        self.expressions.add(operations.chain(last))
    }

    /// Looks up the names of expressions that are not evaluated.
    fn check_names(&mut self, values: List) {
        for id in (values.start..values.end).map(ExpressionId) {
            for node in self.tree.nodes(id) {
                if let Node::Read(identifier) = *node {
                    self.variable(identifier);
                }
            }
        }
    }

    fn report_unequal_assignment(&mut self, targets: List, values: List, span: Span) {
        let message = format!(
            "an assignment of {} to {}",
            plural(values.len(), "value"),
            plural(targets.len(), "target"),
        );
        self.collector.report(Diagnostic::error(span, message));
    }
}

impl From<BinaryOperator> for Operation {
    fn from(operator: BinaryOperator) -> Self {
        match operator {
            BinaryOperator::Equivalent | BinaryOperator::Equal => Operation::Equal,
            BinaryOperator::Implies => Operation::Implies,
            BinaryOperator::Or => Operation::Or,
            BinaryOperator::Xor | BinaryOperator::NotEqual => Operation::Xor,
            BinaryOperator::And => Operation::And,
        }
    }
}

pub fn plural(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
