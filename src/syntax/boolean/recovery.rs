//! How the parser goes on after a mistake.
//!
//! Tokens are left out up to the `;` of the statement, or to a word that begins another one
//! or closes a sequence. Misspelt keywords are taken for what they were meant to be, where
//! that is plain, so that the blocks they open or close are not lost.

use super::lexicon::TokenKind;
use super::parser::Parser;
use super::statement::Begun;
use super::tree::{ExpressionId, Identifier, StatementKind};
use crate::diagnostic::nearest;
use crate::source::Span;
use crate::syntax::kit::{Lexicon, Parsed, Reported};

impl Parser<'_> {
    /// Goes to where the next statement seems to begin.
    #[cold]
    pub fn recover(&mut self) {
        if self.cut_short && self.at(TokenKind::Unknown) {
            // A name in braces took the rest of its line, and the `;` there, with it.
            self.advance();
            return;
        }
        self.skip_statement(TokenKind::stops_recovery, Self::leave_out);
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
        self.skip_token(TokenKind::Colon);
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
            let hint = format!("did you mean `{spelling}`?");
            self.unexpected_with_hint(&format!("`{spelling}`"), &hint);
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
        let meant = match self.token.kind {
            TokenKind::Then => Some("if"),
            TokenKind::Do => Some("while"),
            TokenKind::LeftBrace if !self.brace_is_name() => {
                nearest(self.tree.names.text(name.name), ["if", "while"])
            }
            _ => None,
        };
        let Some(meant) = meant else {
            return Ok(Begun::Statement(call));
        };
        self.unknown_statement(name, meant);
        let span = self.span_of(name);
        self.state.parenthesised = true;
        let condition = match arguments.len() {
            1 => ExpressionId(arguments.start),
            _ => self.unreadable_expression(),
        };
        let keyword = match meant {
            "if" => TokenKind::If,
            _ => TokenKind::While,
        };
        self.open_sequence(keyword, span, condition);
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
        let span = self.span_of(name);
        match self.misspelt_keyword(name, "`:=`, `(` or `:`") {
            Some(kind) if kind.closes_a_sequence() => self.stand_in(kind, span),
            Some(keyword @ (TokenKind::If | TokenKind::While)) => {
                self.open_compound(keyword, span);
            }
            meant => {
                self.lost.variables |= meant == Some(TokenKind::Decl);
                return Err(Reported);
            }
        }
        Ok(Begun::Compound)
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
                kind if kind == TokenKind::Decl || kind.begins_procedure() => return,
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
