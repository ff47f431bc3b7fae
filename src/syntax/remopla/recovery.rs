//! How the parser goes on after a mistake.
//!
//! Tokens are left out up to the `;` of the statement, or to a word that begins another one or
//! ends a sequence.

use super::parser::Parser;
use super::token::{KEYWORDS, TokenKind};
use crate::diagnostic::{Diagnostic, nearest};
use crate::syntax::boolean::parser::Reported;

/// How long the arrays of the tree were, to forget what a failed statement added.
pub struct Checkpoint {
    nodes: usize,
    places: usize,
    parts: usize,
    expressions: usize,
    assignments: usize,
    ranges: usize,
}

impl Parser<'_> {
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            nodes: self.tree.nodes.len(),
            places: self.tree.places.len(),
            parts: self.tree.parts.len(),
            expressions: self.tree.expressions.len(),
            assignments: self.tree.assignments.len(),
            ranges: self.tree.ranges.len(),
        }
    }

    pub fn restore(&mut self, checkpoint: Checkpoint) {
        self.tree.nodes.truncate(checkpoint.nodes);
        self.tree.places.truncate(checkpoint.places);
        self.tree.parts.truncate(checkpoint.parts);
        self.tree.expressions.truncate(checkpoint.expressions);
        self.tree.assignments.truncate(checkpoint.assignments);
        self.tree.ranges.truncate(checkpoint.ranges);
    }

    /// Goes to where the next statement seems to begin.
    #[cold]
    pub fn recover(&mut self) {
        while !self.token.kind.stops_recovery() {
            if self.take(TokenKind::Semicolon) {
                return;
            }
            self.advance();
            self.lost.labels |= self.at(TokenKind::Colon);
        }
    }

    /// Goes to the `->` of a branch, if one comes before anything else. Whether it did.
    #[cold]
    pub fn recover_to_arrow(&mut self) -> bool {
        while !(self.token.kind.stops_recovery() || self.at(TokenKind::Semicolon)) {
            if self.at(TokenKind::Arrow) {
                return true;
            }
            self.advance();
        }
        false
    }

    /// Goes to where the next declaration or module seems to begin.
    #[cold]
    pub fn recover_outside(&mut self) {
        self.tree.incomplete = true;
        self.tree.lost_globals = true;
        while !(self.token.kind.begins_outside()
            || self.token.kind.begins_declaration()
            || self.at_end())
        {
            self.advance();
        }
    }

    /// A name, and then nothing that a statement could go on with.
    #[cold]
    pub fn misspelt_statement(&mut self) -> Reported {
        let name = self.take_name();
        if self.at(TokenKind::Unknown) || self.at_end() && self.cut_short {
            return self.unexpected("a statement");
        }
        let text = self.tree.names.text(name.name);
        let keywords = KEYWORDS.iter().map(|(_, spelling)| *spelling);
        let keyword = nearest(text, keywords);
        let text = self.tree.shown(name.name);
        let Some(keyword) = keyword else {
            let message = format!(
                "expected `=`, `(` or `:` after `{text}`, found {}",
                self.found()
            );
            let mut diagnostic = Diagnostic::error(self.token.span(), message);
            if self.at(TokenKind::EqualEqual) {
                diagnostic = diagnostic.with_hint("`=` assigns; `==` compares");
            }
            self.report(diagnostic);
            return Reported;
        };
        let span = self.tree.span(name);
        let message = format!("unknown statement `{text}`");
        let hint = format!("did you mean `{keyword}`?");
        self.report(Diagnostic::error(span, message).with_hint(hint));
        self.lost.variables |= matches!(keyword, "int" | "bool" | "enum" | "struct" | "shared");
        Reported
    }
}
