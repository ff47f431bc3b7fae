//! Modules: their headers, those declared before they are defined, and their names.

use super::Lowering;
use crate::diagnostic::Diagnostic;
use crate::lower::declarations::{hides, twice};
use crate::lower::layout::{Layout, VariableLayout};
use crate::program::ProcedureId;
use crate::source::Span;
use crate::syntax::remopla::tree::{BaseType, Header, Identifier};

/// What a call needs to know of its callee.
#[derive(Clone, Debug)]
pub struct Signature {
    pub identifier: Identifier,
    /// The parameters, in their order; nothing of one with a mistake in its type.
    pub parameters: Vec<Option<Layout>>,
    /// Nothing for `void`.
    pub returns: Option<Layout>,
    /// A part of the header could not be read, or its type has a mistake.
    pub broken: bool,
}

impl Lowering<'_> {
    pub fn declare_modules(&mut self) {
        let tree = self.tree;
        for (index, module) in tree.modules.iter().enumerate() {
            let identifier = module.header.identifier;
            let unreadable = tree.names.text(identifier.name).is_empty();
            if let Err(first) = self.scope().modules.insert(identifier.name, index as u32)
                && !unreadable
            {
                let first = tree.modules[first as usize].header.identifier;
                self.report_twice("module", identifier, first);
            }
            let signature = self.signature(&module.header);
            self.signatures.push(signature);
        }
        for header in &tree.forwards {
            self.check_forward(header);
        }
    }

    fn signature(&mut self, header: &Header) -> Signature {
        let is_void = header.returns.base == BaseType::Void;
        if is_void && !(header.returns.dimensions.is_empty() && header.returns.bits.is_none()) {
            let message = "`void` has no dimensions and no bits";
            self.report(Diagnostic::error(header.returns.span, message));
        }
        let returns = match is_void {
            true => None,
            false => self.layout(&header.returns),
        };
        let parameters = &self.tree.locals[header.parameters.indices()];
        Signature {
            identifier: header.identifier,
            parameters: parameters.iter().map(|p| self.layout(&p.of)).collect(),
            broken: header.lost || !is_void && returns.is_none(),
            returns,
        }
    }

    /// A declaration before the definition must say the same.
    fn check_forward(&mut self, header: &Header) {
        let tree = self.tree;
        let declared = self.signature(header);
        let identifier = header.identifier;
        let text = tree.shown(identifier.name);
        let span = tree.span(identifier);
        let Some(index) = self.scope().modules.get(identifier.name) else {
            if !(tree.incomplete || declared.broken) {
                let message = format!("the module `{text}` is declared, but has no body");
                self.report(Diagnostic::error(span, message));
            }
            return;
        };
        let defined = self.signatures[index as usize].clone();
        if declared.broken || defined.broken {
            return;
        }
        let definition = tree.modules[index as usize].header;
        let mut differs = |what: String, here: Span, there: Span| {
            let message = format!("the declaration of `{text}` has {what} than its definition");
            self.report(Diagnostic::error(here, message).with_related(there, "it is defined here"));
        };
        if declared.returns != defined.returns {
            let what = "another type".to_owned();
            differs(what, header.returns.span, definition.returns.span);
        }
        if declared.parameters.len() != defined.parameters.len() {
            let there = tree.span(definition.identifier);
            differs("another number of parameters".into(), span, there);
            return;
        }
        let parameters = declared.parameters.iter().zip(&defined.parameters);
        for (position, (here, there)) in parameters.enumerate() {
            if let (Some(here), Some(there)) = (here, there)
                && here != there
            {
                let place = |header: &Header| {
                    let parameters = &tree.locals[header.parameters.indices()];
                    parameters[position].of.span
                };
                let what = format!("another type of parameter {}", position + 1);
                differs(what, place(header), place(&definition));
            }
        }
    }

    /// The variables of a module. The space of names is then that of the module.
    pub fn declare_locals(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let module = &tree.modules[id.0 as usize];
        let locals = &tree.locals[module.locals.indices()];
        let parameters = module.header.parameters.len();
        self.scope().locals.clear();
        self.scope().local_variables.clear();
        self.scope().local_domains.clear();
        for (index, local) in locals.iter().enumerate() {
            let identifier = local.identifier;
            let what = match index < parameters {
                true => "parameter",
                false => "local variable",
            };
            self.check_no_constant(identifier, what);
            if let Err(first) = self.scope().locals.insert(identifier.name, index as u32) {
                let both = match (first as usize) < parameters {
                    true if index >= parameters => "parameter or local variable",
                    _ => what,
                };
                let first = locals[first as usize].identifier;
                self.report_twice(both, identifier, first);
            } else if let Some(global) = self.scope().globals.get(identifier.name) {
                let global = tree.globals[global as usize].identifier;
                self.report(hides(&tree.names, what, identifier, global));
            }
            let cells = self.scope().local_domains.len() as u32;
            // The types of parameters have been looked at with the header.
            let laid = match self.signatures[id.0 as usize].parameters.get(index) {
                Some(layout) => VariableLayout {
                    name: identifier.name,
                    broken: layout.is_none(),
                    layout: layout.clone().unwrap_or_else(Layout::stand_in),
                    first: cells,
                },
                None => self.lay_out(local, cells),
            };
            let scope = self.scope();
            scope.local_domains.extend(&laid.layout.domains);
            scope.local_variables.push(laid);
        }
    }

    pub fn declare_labels(&mut self, id: ProcedureId) {
        let tree = self.tree;
        let labels = &tree.labels[tree.modules[id.0 as usize].labels.indices()];
        self.scope().labels.clear();
        for (index, label) in labels.iter().enumerate() {
            let name = label.identifier.name;
            if let Err(first) = self.scope().labels.insert(name, index as u32) {
                let first = labels[first as usize].identifier;
                self.report_twice("label", label.identifier, first);
            }
        }
    }

    pub fn report_twice(&mut self, what: &str, second: Identifier, first: Identifier) {
        self.report(twice(&self.tree.names, what, second, first));
    }
}
