//! Calls and returns: whole values, cell by cell.

use super::Lowering;
use super::assignment::Receiver;
use crate::diagnostic::Diagnostic;
use crate::lower::body::plural;
use crate::lower::layout::{conform, describe, leaves};
use crate::lower::points::goto;
use crate::lower::unknown::Space;
use crate::program::{Action, Call, Domain, Expression, PointId, ProcedureId, Target};
use crate::source::Span;
use crate::syntax::remopla::tree::{ExpressionId, Identifier, List, shorten};

impl Lowering<'_> {
    pub fn return_statement(
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
                self.machine.expression(value);
            }
            return Action::Return {
                values: Box::default(),
                assignments: Box::default(),
            };
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
        Action::Return {
            values,
            assignments: Box::default(),
        }
    }

    pub fn call(
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
            self.scope().unknown.note(Space::Procedure, callee);
        }
        let known = index.filter(|index| !self.signatures[*index as usize].broken);
        let Some(index) = known else {
            for argument in (arguments.start..arguments.end).map(ExpressionId) {
                self.machine.expression(argument);
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
                self.machine.expression(argument);
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
        let cells = leaves(&returns.shape);
        let is_truth = |domain| domain == Domain::Boolean;
        let agree = conform(&location.shape, &returns.shape)
            && targets.iter().zip(&cells).all(|((to, _), from)| {
                is_truth(domains[*to as usize]) == is_truth(returns.domains[*from as usize])
            });
        if !agree {
            let message = format!(
                "`{}` is {}, but `{text}` returns {}",
                shorten(&self.source.text(location.span)),
                describe(&location.shape, domains[0]),
                describe(&returns.shape, returns.domains[0]),
            );
            let diagnostic = Diagnostic::error(location.span, message);
            self.report(diagnostic.with_related(header, "its type is given here"));
            return Vec::new();
        }
        let targets = targets.into_iter().map(|(_, target)| target);
        let placed = cells.into_iter().zip(targets).collect();
        in_order::<Target>(placed).into_vec()
    }
}

/// Things for cells, in the order of the cells.
fn in_order<T>(mut placed: Vec<(u32, T)>) -> Box<[T]> {
    placed.sort_by_key(|(cell, _)| *cell);
    placed.into_iter().map(|(_, thing)| thing).collect()
}
