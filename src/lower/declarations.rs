//! Declarations: no name twice in its space, how many values each procedure returns, and what
//! is said of names that are not declared.

use super::body::Lowering;
use super::scope::Scope;
use super::unknown::{Known, Space};
use crate::diagnostic::Diagnostic;
use crate::names::{Name, Names};
use crate::program::ProcedureId;
use crate::source::Span;
use crate::syntax::boolean::Tree;
use crate::syntax::boolean::tree::{Identifier, Procedure, StatementKind, shorten};

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
                let global = tree.globals[global as usize];
                self.collector
                    .report(hides(&tree.names, what, *local, global));
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
                let first = labels[first as usize];
                if first.point == label.point {
                    self.warn_of_repeated_label(label.identifier, first.identifier);
                } else {
                    self.report_twice("label", label.identifier, first.identifier);
                }
            }
        }
    }

    fn warn_of_repeated_label(&mut self, second: Identifier, first: Identifier) {
        let tree = self.tree;
        let text = tree.shown(second.name);
        let message = format!("the label `{text}` stands at this statement already");
        self.collector.report(
            Diagnostic::warning(tree.span(second), message)
                .with_related(tree.span(first), "first here"),
        );
    }

    fn report_twice(&mut self, what: &str, second: Identifier, first: Identifier) {
        let names = &self.tree.names;
        self.collector.report(twice(names, what, second, first));
    }
}

/// A name that is declared again.
pub fn twice(names: &Names, what: &str, second: Identifier, first: Identifier) -> Diagnostic {
    let text = shorten(names.text(second.name));
    let message = format!("two declarations of the {what} `{text}`");
    Diagnostic::error(second.span(names), message)
        .with_related(first.span(names), "first declared here")
}

/// A local variable with the name of a global one.
pub fn hides(names: &Names, what: &str, local: Identifier, global: Identifier) -> Diagnostic {
    let text = shorten(names.text(local.name));
    let message = format!("the {what} `{text}` hides the global of the same name");
    Diagnostic::warning(local.span(names), message)
        .with_related(global.span(names), "the global is declared here")
}

/// The names that a procedure can see.
pub struct InProcedure<'a> {
    pub tree: &'a Tree,
    pub procedure: &'a Procedure,
    pub scope: &'a Scope,
}

impl Known for InProcedure<'_> {
    const PROCEDURE: &'static str = "procedure";

    fn names(&self) -> &Names {
        &self.tree.names
    }

    fn may_be_lost(&self, space: Space) -> bool {
        match space {
            Space::Variable | Space::Constant => {
                self.procedure.lost.variables || self.tree.lost_globals
            }
            Space::Procedure => self.tree.incomplete,
            Space::Label => self.procedure.lost.labels,
        }
    }

    fn names_in(&self, space: Space) -> Vec<&str> {
        let tree = self.tree;
        let text = |identifier: &Identifier| tree.names.text(identifier.name);
        match space {
            Space::Variable | Space::Constant => {
                let locals = &tree.locals[self.procedure.locals.indices()];
                locals.iter().chain(&tree.globals).map(text).collect()
            }
            Space::Procedure => {
                let statements = ["assert", "assume", "print", "abortif", "constrain"];
                let procedures = tree.procedures.iter().map(|p| text(&p.identifier));
                statements.into_iter().chain(procedures).collect()
            }
            Space::Label => {
                let labels = tree.labels[self.procedure.labels.indices()].iter();
                labels.map(|label| text(&label.identifier)).collect()
            }
        }
    }

    fn hint(&self, name: Name) -> String {
        let text = self.tree.names.text(name);
        let braced = format!("{{{text}}}");
        let other = self.tree.names.find(&braced);
        if other.and_then(|other| self.scope.variable(other)).is_some() {
            return format!("`{}` is another name, with its braces", shorten(&braced));
        }
        match self.scope.procedures.get(name) {
            Some(_) => format!("`{}` is a procedure", shorten(text)),
            None => "declare it with `decl`".into(),
        }
    }
}
