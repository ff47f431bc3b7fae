//! How the parser goes on after a mistake.
//!
//! Tokens are left out up to the `;` of the statement, or to a word that begins another one
//! or closes a sequence. Misspelt keywords are taken for what they were meant to be, where
//! that is plain, so that the blocks they open or close are not lost.

use super::parser::{Parsed, Parser, Reported};
use super::statement::Begun;
use super::token::{KEYWORDS, TokenKind};
use super::tree::{Identifier, StatementKind};
use crate::diagnostic::{Diagnostic, nearest};
use crate::source::Span;

/// How long the arrays of the tree were, to forget what a failed statement added.
pub struct Checkpoint {
    nodes: usize,
    expressions: usize,
    identifiers: usize,
}

impl Parser<'_> {
    #[inline]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            nodes: self.tree.nodes.len(),
            expressions: self.tree.expressions.len(),
            identifiers: self.tree.identifiers.len(),
        }
    }

    pub fn restore(&mut self, checkpoint: Checkpoint) {
        self.tree.nodes.truncate(checkpoint.nodes);
        self.tree.expressions.truncate(checkpoint.expressions);
        self.tree.identifiers.truncate(checkpoint.identifiers);
    }

    /// Goes to where the next statement seems to begin.
    #[cold]
    pub fn recover(&mut self) {
        if self.cut_short && self.at(TokenKind::Unknown) {
            // A name in braces took the rest of its line, and the `;` there, with it.
            self.advance();
            return;
        }
        while !self.token.kind.stops_recovery() {
            if self.take(TokenKind::Semicolon) {
                return;
            }
            self.leave_out();
        }
    }

    /// Goes to `then`, `do` or the `{` of a block, or to where a statement seems to begin.
    #[cold]
    pub fn recover_to_block(&mut self) {
        while !self.token.kind.stops_recovery() {
            match self.token.kind {
                TokenKind::Then | TokenKind::Do | TokenKind::Semicolon => return,
                TokenKind::LeftBrace if self.previous_kind == TokenKind::RightParenthesis => {
                    return;
                }
                _ => self.leave_out(),
            }
        }
    }

    fn leave_out(&mut self) {
        if self.at(TokenKind::LeftBrace) && self.lexer.name_in_braces(self.token).is_err() {
            // Not a name after all: go on behind the brace.
            self.lexer.seek(self.token.end);
        }
        self.advance();
        self.lost.labels |= self.at(TokenKind::Colon);
    }

    /// Takes `then`, `do` or `begin`, or what was written instead of it.
    pub fn expect_word(&mut self, kind: TokenKind) {
        if self.take(kind) {
            return;
        }
        let spelling = kind.spelling().unwrap_or_default();
        // A condition that ended in an error has been reported: no second error.
        if self.at(TokenKind::Semicolon) {
            self.unexpected(&format!("`{spelling}`"));
            self.advance();
            return;
        }
        let misspelt = self.at(TokenKind::Name)
            && nearest(&self.text(), [spelling]).is_some()
            && !self.name_goes_on();
        if misspelt {
            let message = format!("expected `{spelling}`, found {}", self.found());
            let hint = format!("did you mean `{spelling}`?");
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            self.advance();
            return;
        }
        self.unexpected(&format!("`{spelling}`"));
        let wrong_word = matches!(
            self.token.kind,
            TokenKind::Then | TokenKind::Do | TokenKind::Begin
        );
        if wrong_word {
            self.advance();
        } else if !self.begins_statement() || self.at(TokenKind::Name) && !self.name_goes_on() {
            self.recover_to_block();
            self.take(kind);
        }
    }

    /// Whether the name that is looked at can begin a statement.
    fn name_goes_on(&self) -> bool {
        matches!(
            self.peek().kind,
            TokenKind::Assign
                | TokenKind::Comma
                | TokenKind::Equal
                | TokenKind::Colon
                | TokenKind::LeftParenthesis
        )
    }

    /// After what looks like a call: `whlie (x) do` is none.
    pub fn check_misspelt_head(&mut self, name: Identifier, call: StatementKind) -> Parsed<Begun> {
        let StatementKind::Call { arguments, .. } = call else {
            return Ok(Begun::Statement(call));
        };
        let keyword = match self.token.kind {
            TokenKind::Then => "if",
            TokenKind::Do => "while",
            TokenKind::LeftBrace if !self.brace_is_name() => {
                let text = self.tree.names.text(name.name);
                match nearest(text, ["if", "while"]) {
                    Some(keyword) => keyword,
                    None => return Ok(Begun::Statement(call)),
                }
            }
            _ => return Ok(Begun::Statement(call)),
        };
        let span = self.tree.span(name);
        let text = self.tree.shown(name.name);
        let message = format!("unknown statement `{text}`");
        let hint = format!("did you mean `{keyword}`?");
        self.report(Diagnostic::error(span, message).with_hint(hint));
        self.parenthesised = true;
        let condition = match arguments.len() {
            1 => super::tree::ExpressionId(arguments.start),
            _ => self.unreadable_expression(),
        };
        match keyword {
            "if" => self.open_if(span, condition),
            _ => self.open_while(span, condition),
        }
        Ok(Begun::Compound)
    }

    /// Whether the `{` that is looked at can be read as a name.
    fn brace_is_name(&self) -> bool {
        self.lexer.clone().name_in_braces(self.token).is_ok()
    }

    /// Whether the token opens the body of a procedure, and nothing that may follow a call.
    pub fn begins_body(&self) -> bool {
        self.at(TokenKind::Begin) || self.at(TokenKind::LeftBrace) && !self.brace_is_name()
    }

    /// What looked like a call, at `start`, is the header of the next procedure: the one
    /// that is read lacks its end. Goes back to read the header as such.
    #[cold]
    pub fn end_procedure_before(&mut self, start: u32) {
        self.lexer.seek(start);
        self.token = self.lexer.next_token();
        if self.read_braces().is_ok() {
            self.report_unclosed();
        }
        self.drop_all_blocks();
    }

    /// A name, and then nothing that a statement could go on with.
    #[cold]
    pub fn misspelt_statement(&mut self, name: Identifier) -> Parsed<Begun> {
        let span = self.tree.span(name);
        if self.at(TokenKind::Unknown) || self.at_end() && self.cut_short {
            return Err(self.unexpected("a statement"));
        }
        let text = self.tree.names.text(name.name);
        let keywords = KEYWORDS.iter().map(|(_, spelling)| *spelling);
        let keyword = nearest(text, keywords);
        let text = self.tree.shown(name.name);
        let Some(keyword) = keyword else {
            let message = format!(
                "expected `:=`, `(` or `:` after `{text}`, found {}",
                self.found()
            );
            self.report(Diagnostic::error(self.token.span(), message));
            return Err(Reported);
        };
        let message = format!("unknown statement `{text}`");
        let hint = format!("did you mean `{keyword}`?");
        self.report(Diagnostic::error(span, message).with_hint(hint));
        let meant = KEYWORDS.iter().find(|(_, spelling)| *spelling == keyword);
        match meant {
            Some((kind, _)) if kind.closes_a_sequence() => {
                self.stand_in(*kind, span);
                Ok(Begun::Compound)
            }
            Some((TokenKind::If, _)) => {
                let condition = self.condition();
                self.open_if(span, condition);
                Ok(Begun::Compound)
            }
            Some((TokenKind::While, _)) => {
                let condition = self.condition();
                self.open_while(span, condition);
                Ok(Begun::Compound)
            }
            Some((TokenKind::Decl, _)) => {
                self.lost.variables = true;
                Err(Reported)
            }
            _ => Err(Reported),
        }
    }

    /// Looks again at the name at `span`, as if it were the keyword `kind`.
    fn stand_in(&mut self, kind: TokenKind, span: Span) {
        self.lexer.seek(span.end);
        self.token.kind = kind;
        self.token.start = span.start;
        self.token.end = span.end;
    }

    /// Goes to where the next procedure or declaration seems to begin.
    #[cold]
    pub fn recover_outside(&mut self) {
        self.tree.incomplete = true;
        self.tree.lost_globals = true;
        while !self.at_end() {
            match self.token.kind {
                TokenKind::Decl | TokenKind::Void | TokenKind::Bool | TokenKind::Dfs => return,
                // A name at the beginning of a line, with a parameter list.
                TokenKind::Name
                    if self.begins_line() && self.peek().kind == TokenKind::LeftParenthesis =>
                {
                    return;
                }
                _ => self.leave_out(),
            }
        }
    }

    fn begins_line(&self) -> bool {
        let before = &self.lexer.bytes()[..self.token.start as usize];
        before.last().is_none_or(|byte| *byte == b'\n')
    }
}
