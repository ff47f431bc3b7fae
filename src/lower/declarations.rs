//! Declarations: no name twice in its space, and how many values each procedure returns.

use super::body::Lowering;
use crate::diagnostic::Diagnostic;
use crate::program::ProcedureId;
use crate::source::Span;
use crate::syntax::boolean::tree::{Identifier, Procedure, StatementKind};

/// What a call needs to know of its callee.
pub struct Signature {
    pub parameters: u32,
    pub returns: u32,
    /// Where the number of return values is fixed: the header or the first `return`.
    pub fixed: Option<Span>,
}

impl Lowering<'_> {
    pub fn declare_globals_and_procedures(&mut self) {
        let tree = self.tree;
        for (index, global) in tree.globals.iter().enumerate() {
            if let Err(first) = self.scope.globals.insert(global.name, index as u32) {
                self.report_twice("global variable", *global, tree.globals[first as usize]);
            }
        }
        for (index, procedure) in tree.procedures.iter().enumerate() {
            let identifier = procedure.identifier;
            let unreadable = Some(identifier.name) == self.underscore;
            if let Err(first) = self.scope.procedures.insert(identifier.name, index as u32)
                && !unreadable
            {
                let first = tree.procedures[first as usize].identifier;
                self.report_twice("procedure", identifier, first);
            }
            let signature = self.signature(procedure);
            self.signatures.push(signature);
        }
    }

    /// A header without a type leaves the number of values to the first `return`.
    fn signature(&self, procedure: &Procedure) -> Signature {
        let from_header = procedure.returns;
        let (returns, fixed) = match from_header {
            Some((count, span)) => (count, Some(span)),
            None => {
                let statements = &self.tree.statements[procedure.statements.indices()];
                let first = statements
                    .iter()
                    .find_map(|statement| match statement.kind {
                        StatementKind::Return { values } => Some((values.len(), statement.span)),
                        _ => None,
                    });
                first.map_or((0, None), |(count, span)| (count as u32, Some(span)))
            }
        };
        Signature {
            parameters: procedure.parameters,
            returns,
            fixed,
        }
    }

    pub fn declare_locals(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let procedure = &tree.procedures[id.0 as usize];
        let locals = &tree.locals[procedure.locals.indices()];
        self.scope.locals.clear();
        for (index, local) in locals.iter().enumerate() {
            if let Err(first) = self.scope.locals.insert(local.name, index as u32) {
                let parameter = |index: u32| index < procedure.parameters;
                let what = match (parameter(first), parameter(index as u32)) {
                    (true, true) => "parameter",
                    (true, false) => "parameter or local variable",
                    _ => "local variable",
                };
                self.report_twice(what, *local, locals[first as usize]);
            } else if let Some(global) = self.scope.globals.get(local.name) {
                let what = match (index as u32) < procedure.parameters {
                    true => "parameter",
                    false => "local variable",
                };
                let text = tree.shown(local.name);
                let message = format!("the {what} `{text}` hides the global of the same name");
                let global = tree.span(tree.globals[global as usize]);
                self.collector.report(
                    Diagnostic::warning(tree.span(*local), message)
                        .with_related(global, "the global is declared here"),
                );
            }
        }
    }

    pub fn declare_labels(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let labels = &tree.labels[tree.procedures[id.0 as usize].labels.indices()];
        self.scope.labels.clear();
        for (index, label) in labels.iter().enumerate() {
            let name = label.identifier.name;
            if let Err(first) = self.scope.labels.insert(name, index as u32) {
                let first = labels[first as usize].identifier;
                self.report_twice("label", label.identifier, first);
            }
        }
    }

    fn report_twice(&mut self, what: &str, second: Identifier, first: Identifier) {
        let text = self.tree.shown(second.name);
        let message = format!("two declarations of the {what} `{text}`");
        self.collector.report(
            Diagnostic::error(self.tree.span(second), message)
                .with_related(self.tree.span(first), "first declared here"),
        );
    }
}
