//! Names that mean nothing where they are used.

use super::Lowering;
use super::scope::Space;
use crate::diagnostic::{Diagnostic, Severity, did_you_mean};
use crate::names::Name;
use crate::program::ProcedureId;
use crate::syntax::remopla::tree::shorten;

impl Lowering<'_> {
    /// Reports the unknown names of a module, each once, and forgets them.
    pub fn report_unknown(&mut self, id: ProcedureId) {
        let tree = self.tree;
        if self.scope().unknown.is_empty() {
            return;
        }
        let unknown: Vec<_> = self.scope().unknown.take().collect();
        let lost = tree.modules[id.0 as usize].lost;
        for (space, used) in unknown {
            let (what, lost) = match space {
                Space::Module => ("module", tree.incomplete),
                Space::Label => ("label", lost.labels),
                _ => ("variable", lost.variables || tree.lost_globals),
            };
            if lost {
                continue;
            }
            let name = used.first.name;
            let message = format!("unknown {what} `{}`", tree.shown(name));
            let mut diagnostic = Diagnostic::error(tree.span(used.first), message);
            if let Some(label) = used.label("module") {
                diagnostic = diagnostic.with_label(label);
            }
            if !self.machine.collector.is_full(Severity::Error)
                && let Some(hint) = self.hint(id, space, name)
            {
                diagnostic = diagnostic.with_hint(hint);
            }
            self.report(diagnostic);
        }
    }

    fn hint(&mut self, id: ProcedureId, space: Space, name: Name) -> Option<String> {
        let tree = self.tree;
        let module = &tree.modules[id.0 as usize];
        let mut names: Vec<Name> = Vec::new();
        match space {
            Space::Module => {
                names.extend(tree.modules.iter().map(|m| m.header.identifier.name));
            }
            Space::Label => {
                let labels = &tree.labels[module.labels.indices()];
                names.extend(labels.iter().map(|label| label.identifier.name));
            }
            _ => {
                let locals = &tree.locals[module.locals.indices()];
                names.extend(locals.iter().map(|local| local.identifier.name));
                names.extend(tree.globals.iter().map(|global| global.identifier.name));
                let constants = self.scope().constant_values.iter();
                names.extend(constants.map(|constant| constant.identifier.name));
            }
        }
        let known = names.iter().map(|name| tree.names.text(*name));
        let mut known: Vec<_> = known.collect();
        if space == Space::Module {
            known.extend(["assert", "assume", "skip"]);
        }
        let text = tree.names.text(name);
        if let Some(near) = self.scope().unknown.nearest(text, known) {
            return Some(did_you_mean(shorten(near)));
        }
        if space != Space::Variable {
            return None;
        }
        match self.scope().modules.get(name) {
            Some(_) => Some(format!("`{}` is a module", shorten(text))),
            None => Some("declare it, as in `int x(4);` or `bool b;`".into()),
        }
    }
}
