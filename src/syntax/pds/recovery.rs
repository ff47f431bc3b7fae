//! How the parser goes on after a mistake: where the next part of a system seems to begin.

use super::lexicon::TokenKind;
use super::parser::Parser;
use crate::syntax::kit::Token;

impl Parser<'_> {
    /// Goes on at the next token with which a part of a system begins.
    pub fn recover(&mut self) {
        while !self.at(TokenKind::EndOfFile) && !self.at_item() {
            self.advance();
        }
    }

    /// Goes on behind the next `;`, or before a token with which something else begins.
    pub fn recover_in_declarations(&mut self) {
        while !self.at(TokenKind::EndOfFile) && !self.at_item() {
            if matches!(self.token.kind, TokenKind::Bool | TokenKind::Int)
                || self.take(TokenKind::Semicolon)
            {
                return;
            }
            self.advance();
        }
    }

    fn at_item(&self) -> bool {
        use TokenKind::*;
        match self.token.kind {
            Define | Global | Local | Atoms => true,
            Name => self.follows(&[Less, Name, Greater, Arrow]),
            LeftParenthesis if !self.whether_started() => {
                self.follows(&[Name, Less, Name, Greater]) || self.follows(&[Name, LeftParenthesis])
            }
            _ => false,
        }
    }

    fn follows(&self, kinds: &[TokenKind]) -> bool {
        let mut lexer = self.lexer.clone();
        kinds.iter().all(|kind| {
            let Token { kind: next, .. } = lexer.next_token();
            next == *kind
        })
    }
}
