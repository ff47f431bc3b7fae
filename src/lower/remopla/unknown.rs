//! Names that mean nothing where they are used.

use super::Lowering;
use super::scope::Scope;
use crate::lower::unknown::{Known, Space};
use crate::names::{Name, Names};
use crate::program::ProcedureId;
use crate::syntax::remopla::Tree;
use crate::syntax::remopla::tree::{Identifier, Module, shorten};

impl Lowering<'_> {
    /// Reports the unknown names of a module, each once, and forgets them.
    pub fn report_unknown(&mut self, id: ProcedureId) {
        let mut unknown = std::mem::take(&mut self.scope().unknown);
        let known = InModule {
            tree: self.tree,
            module: &self.tree.modules[id.0 as usize],
            scope: &self.machine.language.environment,
        };
        unknown.report(&known, &mut self.machine.collector);
        self.scope().unknown = unknown;
    }
}

/// The names that a module can see.
struct InModule<'a> {
    tree: &'a Tree,
    module: &'a Module,
    scope: &'a Scope<'a>,
}

impl Known for InModule<'_> {
    const PROCEDURE: &'static str = "module";

    fn names(&self) -> &Names {
        &self.tree.names
    }

    fn may_be_lost(&self, space: Space) -> bool {
        match space {
            Space::Variable | Space::Constant => {
                self.module.lost.variables || self.tree.lost_globals
            }
            Space::Procedure => self.tree.incomplete,
            Space::Label => self.module.lost.labels,
        }
    }

    fn names_in(&self, space: Space) -> Vec<&str> {
        let tree = self.tree;
        let text = |identifier: Identifier| tree.text(identifier);
        match space {
            Space::Variable | Space::Constant => {
                let locals = tree.locals[self.module.locals.indices()].iter();
                let variables = locals.chain(&tree.globals).map(|v| v.identifier);
                let constants = self.scope.constant_values.iter().map(|c| c.identifier);
                variables.chain(constants).map(text).collect()
            }
            Space::Procedure => {
                let modules = tree.modules.iter().map(|m| text(m.header.identifier));
                modules.chain(["assert", "assume", "skip"]).collect()
            }
            Space::Label => {
                let labels = tree.labels[self.module.labels.indices()].iter();
                labels.map(|label| text(label.identifier)).collect()
            }
        }
    }

    fn hint(&self, name: Name) -> String {
        match self.scope.modules.get(name) {
            Some(_) => format!("`{}` is a module", shorten(self.tree.names.text(name))),
            None => "declare it, as in `int x(4);` or `bool b;`".into(),
        }
    }
}
