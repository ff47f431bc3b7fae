//! Names that are used but not declared: one error for each name in a procedure, at its
//! first use, with a suggestion.

use crate::diagnostic::{Diagnostic, Severity, did_you_mean, nearest};
use crate::names::{Name, Names};
use crate::syntax::Collector;
use crate::syntax::kit::tree::{Identifier, shorten};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Variable,
    Constant,
    Procedure,
    Label,
}

/// The unknown names of one procedure, each in the space of names it was looked for in.
#[derive(Default)]
pub struct Unknown {
    uses: FxHashMap<(Space, Name), Use>,
    /// What the search for suggestions has cost so far, in pairs of characters compared.
    spent: usize,
}

/// How an unknown name is used.
pub struct Use {
    pub first: Identifier,
    count: usize,
}

/// What is known of the names around those that are not.
pub trait Known {
    /// What the language calls a procedure.
    const PROCEDURE: &'static str;

    fn names(&self) -> &Names;

    /// Whether a name of this space may have stood where nothing could be read.
    fn may_be_lost(&self, space: Space) -> bool;

    /// The names of a space.
    fn names_in(&self, space: Space) -> Vec<&str>;

    /// What to say of a variable that is like none that is known.
    fn hint(&self, name: Name) -> String;
}

/// Enough for thousands of suggestions in an ordinary program, and a fraction of a second.
const MOST_SPENT: usize = 20_000_000;

impl Unknown {
    #[cold]
    pub fn note(&mut self, space: Space, identifier: Identifier) {
        let used = self.uses.entry((space, identifier.name)).or_insert(Use {
            first: identifier,
            count: 0,
        });
        used.count += 1;
        if identifier.start < used.first.start {
            used.first = identifier;
        }
    }

    /// All that have been noted, which are then forgotten.
    pub fn take(&mut self) -> impl Iterator<Item = (Space, Use)> + use<> {
        let uses = std::mem::take(&mut self.uses);
        uses.into_iter().map(|((space, _), used)| (space, used))
    }

    /// Reports the unknown names of a procedure, and forgets them.
    pub fn report<K: Known>(&mut self, known: &K, collector: &mut Collector) {
        for (space, used) in self.take() {
            if known.may_be_lost(space) {
                continue;
            }
            let what = match space {
                Space::Variable | Space::Constant => "variable",
                Space::Procedure => K::PROCEDURE,
                Space::Label => "label",
            };
            let text = known.names().text(used.first.name);
            let message = format!("unknown {what} `{}`", shorten(text));
            let mut diagnostic = Diagnostic::error(used.first.span(known.names()), message);
            if let Some(label) = used.label(K::PROCEDURE) {
                diagnostic = diagnostic.with_label(label);
            }
            if !collector.is_full(Severity::Error) {
                let near = self.nearest(text, known.names_in(space));
                let hint = near.map(|near| did_you_mean(shorten(near)));
                let otherwise = || (space == Space::Variable).then(|| known.hint(used.first.name));
                diagnostic = diagnostic.with_hint_if_any(hint.or_else(otherwise));
            }
            collector.report(diagnostic);
        }
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
    fn label(&self, within: &str) -> Option<String> {
        let more = self.count - 1;
        let times = if more == 1 { "time" } else { "times" };
        (more > 0).then(|| format!("used {more} more {times} in this {within}"))
    }
}
