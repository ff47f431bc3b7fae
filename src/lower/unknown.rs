//! Names that are used but not declared: one error for each name in a procedure, at its
//! first use, with a suggestion.

use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Severity, did_you_mean, nearest};
use crate::names::Name;
use crate::syntax::Collector;
use crate::syntax::boolean::Tree;
use crate::syntax::boolean::tree::{Identifier, Procedure, shorten};
use rustc_hash::FxHashMap;
use std::hash::Hash;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Variable,
    Procedure,
    Label,
}

/// The unknown names of one procedure, each in the space of names it was looked for in.
pub struct Uses<S> {
    uses: FxHashMap<(S, Name), Use>,
    /// What the search for suggestions has cost so far, in pairs of characters compared.
    spent: usize,
}

/// How an unknown name is used.
pub struct Use {
    pub first: Identifier,
    count: usize,
}

impl<S> Default for Uses<S> {
    fn default() -> Self {
        Uses {
            uses: FxHashMap::default(),
            spent: 0,
        }
    }
}

/// Enough for thousands of suggestions in an ordinary program, and a fraction of a second.
const MOST_SPENT: usize = 20_000_000;

impl<S: Copy + Eq + Hash> Uses<S> {
    #[cold]
    pub fn note(&mut self, space: S, identifier: Identifier) {
        let used = self.uses.entry((space, identifier.name)).or_insert(Use {
            first: identifier,
            count: 0,
        });
        used.count += 1;
        if identifier.start < used.first.start {
            used.first = identifier;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// All that have been noted, which are then forgotten.
    pub fn take(&mut self) -> impl Iterator<Item = (S, Use)> + use<S> {
        let uses = std::mem::take(&mut self.uses);
        uses.into_iter().map(|((space, _), used)| (space, used))
    }

    /// The known name that was probably meant.
    pub fn nearest<'k>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<&'k str> {
        nearest(name, known.into_iter().filter(|k| self.affords(name, k)))
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

impl Use {
    /// "used 2 more times in this procedure", if it is.
    pub fn label(&self, within: &str) -> Option<String> {
        let more = self.count - 1;
        let times = if more == 1 { "time" } else { "times" };
        (more > 0).then(|| format!("used {more} more {times} in this {within}"))
    }
}

/// The unknown names of a procedure of a boolean program.
#[derive(Default)]
pub struct Unknown(Uses<Space>);

impl Unknown {
    #[cold]
    pub fn note(&mut self, space: Space, identifier: Identifier) {
        self.0.note(space, identifier);
    }

    /// Reports the unknown names of `procedure`, and forgets them.
    pub fn report(
        &mut self,
        tree: &Tree,
        procedure: &Procedure,
        scope: &Scope,
        collector: &mut Collector,
    ) {
        if self.0.is_empty() {
            return;
        }
        for (space, used) in self.0.take() {
            let lost = match space {
                Space::Variable => procedure.lost.variables || tree.lost_globals,
                Space::Procedure => tree.incomplete,
                Space::Label => procedure.lost.labels,
            };
            if lost {
                continue;
            }
            let name = used.first.name;
            let text = tree.shown(name);
            let what = match space {
                Space::Variable => "variable",
                Space::Procedure => "procedure",
                Space::Label => "label",
            };
            let span = tree.span(used.first);
            let mut diagnostic = Diagnostic::error(span, format!("unknown {what} `{text}`"));
            if let Some(label) = used.label("procedure") {
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
        if let Some(near) = self.0.nearest(text, known) {
            return Some(did_you_mean(shorten(near)));
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
}
