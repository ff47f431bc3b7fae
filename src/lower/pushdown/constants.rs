//! Constants: the defined names, in the order of the source, and those that get other values from
//! outside.

use super::scope::Scope;
use super::terms::{Relations, TOO_LARGE};
use crate::diagnostic::{Diagnostic, did_you_mean, nearest, suggestion};
use crate::lower::expression::Evaluator;
use crate::names::{Name, Names};
use crate::program::NUMBER_BITS;
use crate::source::Span;
use crate::syntax::pds::Tree;
use rustc_hash::FxHashMap;

impl Evaluator<Relations<'_>> {
    /// Enters the constants that the text defines, those of `overrides` with the values given
    /// there.
    pub fn define(&mut self, names: &mut Names, overrides: &[(String, i128)]) {
        let tree = self.language.tree;
        for (text, value) in overrides {
            match self.language.scope.wrong_override(tree, text, *value) {
                Some(wrong) => self.collector.report(wrong),
                None => self.language.scope.define(names.intern(text), *value),
            }
        }
        let mut defined: FxHashMap<Name, Span> = FxHashMap::default();
        for define in &tree.defines {
            let name = define.identifier.name;
            let span = tree.span(define.identifier);
            let text = tree.text(define.identifier);
            if let Some(first) = defined.insert(name, span) {
                let diagnostic = Diagnostic::error(span, format!("`{text}` is defined twice"));
                self.collector
                    .report(diagnostic.with_related(first, "first defined here"));
                continue;
            }
            if overrides.iter().any(|(given, _)| given == text) {
                continue;
            }
            // What has no value was reported; what depends on it is not reported again.
            let value = self.constant(define.value);
            self.language.scope.define(name, value.unwrap_or(1));
        }
    }
}

impl Scope {
    pub fn unknown_constant(&self, tree: &Tree, name: Name, span: Span) -> Diagnostic {
        let text = tree.names.text(name);
        let mut later = tree.defines.iter();
        if let Some(define) = later.find(|define| define.identifier.name == name) {
            let message = format!("`{text}` is defined only later");
            return Diagnostic::error(span, message)
                .with_related(tree.span(define.identifier), "here");
        }
        let hint = suggestion(text, defined_names(tree));
        let hint = hint.unwrap_or_else(|| match self.define {
            "" => format!("write `define {text} …` before"),
            option => format!("write `define {text} …` before, or use `{option}{text}=…`"),
        });
        Diagnostic::error(span, format!("`{text}` is not defined")).with_hint(hint)
    }

    /// What is wrong with a value from outside, if anything is.
    fn wrong_override(&self, tree: &Tree, text: &str, value: i128) -> Option<Diagnostic> {
        let option = self.define;
        let error =
            |what: &str| Diagnostic::error(Span::new(0, 0), format!("`{option}{text}`: {what}"));
        if value.unsigned_abs() >> NUMBER_BITS != 0 {
            return Some(error(TOO_LARGE));
        }
        // A name that is used and not defined is meant to be defined there.
        if tree.names.find(text).is_some() {
            return None;
        }
        let near = nearest(text, defined_names(tree));
        let hint = near.map(|near| did_you_mean(format_args!("{option}{near}")));
        Some(error("there is no such name here").with_hint_if_any(hint))
    }
}

fn defined_names(tree: &Tree) -> impl Iterator<Item = &str> {
    let defines = tree.defines.iter();
    defines.map(|define| tree.text(define.identifier))
}
