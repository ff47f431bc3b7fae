//! Names that are used but not declared: one error for each name in a procedure, at its
//! first use, with a suggestion.

use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Severity, nearest};
use crate::names::Name;
use crate::syntax::tree::{Identifier, Procedure, shorten};
use crate::syntax::{Collector, Tree};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Variable,
    Procedure,
    Label,
}

/// The unknown names of one procedure.
#[derive(Default)]
pub struct Unknown {
    uses: FxHashMap<(Space, Name), Uses>,
    /// What the search for suggestions has cost so far, in pairs of characters compared.
    spent: usize,
}

struct Uses {
    first: Identifier,
    count: usize,
}

/// Enough for thousands of suggestions in an ordinary program, and a fraction of a second.
const MOST_SPENT: usize = 20_000_000;

impl Unknown {
    #[cold]
    pub fn note(&mut self, space: Space, identifier: Identifier) {
        let uses = self.uses.entry((space, identifier.name)).or_insert(Uses {
            first: identifier,
            count: 0,
        });
        uses.count += 1;
        if identifier.start < uses.first.start {
            uses.first = identifier;
        }
    }

    /// Reports the unknown names of `procedure`, and forgets them.
    pub fn report(
        &mut self,
        tree: &Tree,
        procedure: &Procedure,
        scope: &Scope,
        collector: &mut Collector,
    ) {
        if self.uses.is_empty() {
            return;
        }
        let uses = std::mem::take(&mut self.uses);
        for ((space, name), uses) in uses {
            let lost = match space {
                Space::Variable => procedure.lost.variables || tree.lost_globals,
                Space::Procedure => tree.incomplete,
                Space::Label => procedure.lost.labels,
            };
            if lost {
                continue;
            }
            let text = tree.shown(name);
            let what = match space {
                Space::Variable => "variable",
                Space::Procedure => "procedure",
                Space::Label => "label",
            };
            let span = tree.span(uses.first);
            let mut diagnostic = Diagnostic::error(span, format!("unknown {what} `{text}`"));
            if uses.count > 1 {
                let more = uses.count - 1;
                let times = if more == 1 { "time" } else { "times" };
                let label = format!("used {more} more {times} in this procedure");
                diagnostic = diagnostic.with_label(label);
            }
            if !collector.is_full(Severity::Error)
                && let Some(hint) = self.hint(tree, procedure, scope, space, name)
            {
                diagnostic = diagnostic.with_hint(hint);
            }
            collector.report(diagnostic);
        }
    }

    fn hint(
        &mut self,
        tree: &Tree,
        procedure: &Procedure,
        scope: &Scope,
        space: Space,
        name: Name,
    ) -> Option<String> {
        let text = tree.names.text(name);
        let own = |list: &[Identifier]| list.iter().map(|i| i.name).collect::<Vec<_>>();
        let mut known: Vec<&str> = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        match space {
            Space::Variable => {
                names.extend(own(&tree.locals[procedure.locals.indices()]));
                names.extend(own(&tree.globals));
            }
            Space::Procedure => {
                names.extend(tree.procedures.iter().map(|p| p.identifier.name));
                known.extend(["assert", "assume", "print", "abortif", "constrain"]);
            }
            Space::Label => {
                let labels = &tree.labels[procedure.labels.indices()];
                names.extend(labels.iter().map(|label| label.identifier.name));
            }
        }
        known.extend(names.iter().map(|name| tree.names.text(*name)));
        if let Some(near) = nearest(text, known.into_iter().filter(|k| self.affords(text, k))) {
            return Some(format!("did you mean `{}`?", shorten(near)));
        }
        if space == Space::Variable {
            let braced = format!("{{{text}}}");
            let text = shorten(text);
            if tree
                .names
                .find(&braced)
                .and_then(|n| scope.variable(n))
                .is_some()
            {
                let braced = shorten(&braced);
                return Some(format!("`{braced}` is another name, with its braces"));
            }
            if scope.procedures.get(name).is_some() {
                return Some(format!("`{text}` is a procedure"));
            }
            return Some("declare it with `decl`".into());
        }
        None
    }

    /// Whether it is worth comparing the two names.
    fn affords(&mut self, name: &str, known: &str) -> bool {
        if name.len().abs_diff(known.len()) > name.len().div_ceil(3).max(1) {
            return false;
        }
        self.spent += (name.len() + 8) * (known.len() + 8);
        self.spent <= MOST_SPENT
    }
}
