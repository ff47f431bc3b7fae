//! What the languages have in common after a mistake: misspelt words, semicolons too many or too
//! few, labels without a statement.

use super::language::{Language, Reported};
use super::lexicon::Lexicon;
use super::parser::Parser;
use super::tree::{Identifier, Label};
use crate::diagnostic::{Diagnostic, nearest};

impl<L: Language> Parser<'_, L> {
    /// Leaves out tokens up to one that `stops`, or behind the next `;`.
    #[cold]
    pub fn skip_statement(&mut self, stops: impl Fn(L::Kind) -> bool, skip: impl Fn(&mut Self)) {
        while !stops(self.token.kind) {
            if self.take(L::Kind::SEMICOLON) {
                return;
            }
            skip(self);
        }
    }

    /// Leaves out the token. A label may be lost with it.
    pub fn skip_token(&mut self, colon: L::Kind) {
        self.advance();
        self.lost.labels |= self.at(colon);
    }

    /// Takes all semicolons that stand here, where none is needed.
    pub fn superfluous_semicolons(&mut self) {
        let start = self.token.start;
        while self.take(L::Kind::SEMICOLON) {}
        let span = self.span_from(start);
        self.report(Diagnostic::warning(span, "superfluous `;`"));
    }

    /// Warns that a `;` is missing here, which is understood.
    #[cold]
    pub fn missing_semicolon(&mut self, what: &str) {
        let message = format!("missing `;` after {what}");
        let warning = Diagnostic::warning(self.behind(), message);
        self.report(warning.with_label("`;` expected here"));
    }

    #[cold]
    pub fn label_without_statement(&mut self, label: Option<Label>) {
        if let Some(Label { identifier, .. }) = label
            && !self.at_cut()
        {
            let message = format!(
                "the label `{}` has no statement",
                self.shown(identifier.name)
            );
            self.error_with_hint(self.span_of(identifier), message, "write `skip;` after it");
        }
    }

    /// A name begins a statement, and nothing follows that one could go on with: reports it.
    /// The keyword that was meant, if that is plain.
    #[cold]
    pub fn misspelt_keyword(&mut self, name: Identifier, expected: &str) -> Option<L::Kind> {
        if self.at(L::Kind::UNKNOWN) || self.at_cut() {
            self.unexpected("a statement");
            return None;
        }
        let spellings = L::Kind::KEYWORDS.iter().map(|(_, spelling)| *spelling);
        let Some(meant) = nearest(self.tree.names.text(name.name), spellings) else {
            let name = self.shown(name.name);
            let message = format!("expected {expected} after `{name}`, found {}", self.found());
            let mut diagnostic = Diagnostic::error(self.token.span(), message);
            if let Some(hint) = L::hint(self.token.kind) {
                diagnostic = diagnostic.with_hint(hint);
            }
            self.report(diagnostic);
            return None;
        };
        self.unknown_statement(name, meant);
        let mut keywords = L::Kind::KEYWORDS.iter();
        let keyword = keywords.find(|(_, spelling)| *spelling == meant);
        keyword.map(|(kind, _)| *kind)
    }

    #[cold]
    pub fn unknown_statement(&mut self, name: Identifier, meant: &str) -> Reported {
        let message = format!("unknown statement `{}`", self.shown(name.name));
        let hint = format!("did you mean `{meant}`?");
        self.error_with_hint(self.span_of(name), message, hint)
    }
}
