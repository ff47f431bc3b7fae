//! After a mistake: what is given up, and where it goes on.

use super::super::token::Kind;
use super::super::tree::NodeKind;
use super::{Parser, State};
use crate::diagnostic::{Diagnostic, Severity};
use crate::names::Name;
use crate::syntax::kit::Parsed;
use rustc_hash::FxHashSet;

/// Where something begins that can be given up.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    nodes: usize,
    position: usize,
    declarations: usize,
    declarators: usize,
    scopes: usize,
}

impl Parser<'_> {
    /// What is read from here on, up to the end of what is pushed next, can be given up.
    pub(super) fn anchor(&mut self) {
        self.anchors.push(Anchor {
            nodes: self.tree.nodes.len(),
            position: self.position,
            declarations: self.declarations.len(),
            declarators: self.declarators.len(),
            scopes: self.typedefs.depth(),
        });
        self.push(State::EndAnchor);
    }

    /// Gives up what the innermost anchor holds, and leaves out tokens up to its end.
    #[cold]
    pub(super) fn recover(&mut self) {
        while let Some(state) = self.states.pop()
            && !matches!(state, State::EndAnchor)
        {}
        let Some(anchor) = self.anchors.pop() else {
            // Nothing is open: it goes on with the next declaration.
            if self.at(Kind::EndOfFile) {
                return;
            }
            self.advance();
            self.push(State::Unit);
            return;
        };
        self.tree.nodes.truncate(anchor.nodes);
        self.declarations.truncate(anchor.declarations);
        self.declarators.truncate(anchor.declarators);
        while self.typedefs.depth() > anchor.scopes {
            self.typedefs.close();
        }
        if self.collector.is_full(Severity::Error) {
            // Nobody will see more.
            self.position = self.tokens.len().saturating_sub(1);
        }
        let span = self.tokens[anchor.position].span;
        self.emit(NodeKind::Unreadable, span);
        if self.at(Kind::EndOfFile) {
            // Nothing follows that could miss a name.
            return;
        }
        self.skip(anchor.position);
        let mut seen: FxHashSet<Name> = FxHashSet::default();
        for position in anchor.position..self.position {
            let token = self.tokens[position];
            if token.kind == Kind::Identifier
                && let Some(name) = self.vocabulary.name(token)
                && seen.insert(name)
            {
                self.emit(NodeKind::Lost(name), token.span);
            }
        }
    }

    /// Leaves out tokens up to the `;` or `}` that ends what began at `start`.
    fn skip(&mut self, start: usize) {
        let is_for = self.tokens[start].kind == Kind::For;
        let mut depth = 0_usize;
        // Only in the head of a `for` is a `;` in parentheses no end.
        let mut parentheses = 0_usize;
        for token in &self.tokens[start..self.position] {
            match token.kind {
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace => depth = depth.saturating_sub(1),
                Kind::LeftParenthesis if is_for => parentheses += 1,
                Kind::RightParenthesis => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.token().kind {
                Kind::EndOfFile => return,
                Kind::LeftParenthesis if is_for => parentheses += 1,
                Kind::RightParenthesis => parentheses = parentheses.saturating_sub(1),
                Kind::Semicolon if depth == 0 && parentheses == 0 => {
                    self.advance();
                    return;
                }
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace if depth == 0 => {
                    // At the outermost level nobody else would take it.
                    if self.anchors.is_empty() {
                        self.advance();
                    }
                    return;
                }
                Kind::RightBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        self.take(Kind::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Takes the `;` at the end of `what`. Where it is forgotten at the end of a line or block,
    /// that is reported and nothing is given up.
    pub(super) fn semicolon(&mut self, what: &str) -> Parsed<()> {
        if self.take(Kind::Semicolon) {
            return Ok(());
        }
        let behind = self.previous().span;
        let next = self.token();
        let message = format!("expected `;` after {what}, found {}", self.found());
        let between = behind.end as usize..(next.span.start as usize).max(behind.end as usize);
        let between = self.source.bytes().get(between).unwrap_or_default();
        let is_forgotten = next.kind == Kind::RightBrace || between.contains(&b'\n');
        let reported = match is_forgotten {
            true => {
                let place = crate::source::Span::new(behind.end, behind.end);
                let missing = Diagnostic::error(place, format!("expected `;` after {what}"));
                self.error(missing)
            }
            false => self.error(Diagnostic::error(next.span, message)),
        };
        match is_forgotten {
            true => Ok(()),
            false => Err(reported),
        }
    }
}
