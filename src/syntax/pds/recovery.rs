//! The parser's smallest steps, what it says when one fails, and how it goes on then.

use super::parser::{Parsed, Parser, Reported};
use super::token::{Token, TokenKind};
use super::tree::Identifier;
use crate::diagnostic::{Diagnostic, Severity};

/// Longer texts are cut in messages.
const LONGEST_SHOWN: usize = 40;

impl Parser<'_> {
    /// Takes the token.
    pub fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.previous_kind = self.token.kind;
        self.token = self.lexer.next_token();
    }

    pub fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Takes the token if it is of this kind.
    pub fn take(&mut self, kind: TokenKind) -> bool {
        let taken = self.token.kind == kind;
        if taken {
            self.advance();
        }
        taken
    }

    pub fn expect(&mut self, kind: TokenKind) -> Parsed<()> {
        match self.take(kind) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{}`", kind.spelling()))),
        }
    }

    /// Takes a name. `expected` says what for: "a state".
    pub fn identifier(&mut self, expected: &str) -> Parsed<Identifier> {
        if self.at(TokenKind::Name) {
            let identifier = Identifier {
                name: self.tree.names.intern(&self.whole_text()),
                start: self.token.start,
            };
            self.advance();
            return Ok(identifier);
        }
        if matches!(self.token.kind, TokenKind::ForAll | TokenKind::Exists) {
            let message = format!("expected {expected}, found {}", self.found());
            let diagnostic = Diagnostic::error(self.token.span(), message);
            self.report(diagnostic.with_hint("`A` and `E` are quantifiers and cannot be names"));
            return Err(Reported);
        }
        Err(self.unexpected(expected))
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.collector.report(diagnostic);
    }

    /// Reports that something else was expected here.
    pub fn unexpected(&mut self, expected: &str) -> Reported {
        let span = self.token.span();
        let diagnostic = match self.token.kind {
            // It would only be counted.
            _ if self.collector.is_full(Severity::Error) => Diagnostic::error(span, ""),
            TokenKind::Unknown => self.unknown(),
            TokenKind::OpenText => {
                Diagnostic::error(span, "this text does not end: there is no `\"` after it")
            }
            _ => {
                let message = format!("expected {expected}, found {}", self.found());
                Diagnostic::error(span, message)
            }
        };
        self.report(diagnostic);
        Reported
    }

    /// The token in words.
    pub fn found(&self) -> String {
        match self.token.kind {
            TokenKind::EndOfFile => "the end of the file".into(),
            kind if kind.is_keyword() => format!("the keyword `{}`", self.text()),
            _ => format!("`{}`", self.text()),
        }
    }

    fn bytes_of_token(&self) -> &[u8] {
        &self.lexer.bytes()[self.token.start as usize..self.token.end as usize]
    }

    /// The text of the token, cut if it is very long.
    pub fn text(&self) -> String {
        let bytes = self.bytes_of_token();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST_SHOWN + 4)]);
        match text.chars().count() > LONGEST_SHOWN {
            true => text
                .chars()
                .take(LONGEST_SHOWN)
                .chain("…".chars())
                .collect(),
            false => text.into_owned(),
        }
    }

    /// The whole text of the token.
    pub fn whole_text(&self) -> String {
        String::from_utf8_lossy(self.bytes_of_token()).into_owned()
    }

    fn unknown(&self) -> Diagnostic {
        let span = self.token.span();
        let bytes = self.bytes_of_token();
        let head = &bytes[..bytes.len().min(4)];
        let valid = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or(""),
        };
        match valid.chars().next() {
            Some(character) if character.is_ascii_digit() => Diagnostic::error(
                span,
                format!("`{}` is neither a number nor a name", self.text()),
            )
            .with_hint("a name begins with a letter or `_`"),
            Some(character) if character.is_control() => Diagnostic::error(
                span,
                format!("unknown character `{}`", character.escape_unicode()),
            ),
            Some(character) => Diagnostic::error(span, format!("unknown character `{character}`")),
            None => Diagnostic::error(
                span,
                format!(
                    "the byte 0x{:02x} is not UTF-8: such bytes are allowed in comments and texts only",
                    head.first().copied().unwrap_or(0)
                ),
            ),
        }
    }

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
