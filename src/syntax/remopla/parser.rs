//! The state that all parts of the parser share, and its smallest steps.
//!
//! The parser looks one token ahead, now and then two, and reads the source once. What is
//! open is kept on stacks of its own (operators in `expression`, branches in `block`), never
//! on the machine's. A step that cannot go on reports why and returns [`Reported`]; the
//! statement it belongs to is given up and `recovery` finds the next one.

use super::block::Blocks;
use super::expression::Pending;
use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::tree::{Identifier, List, Lost, Part, Tree, shorten};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::boolean::parser::{Parsed, Reported};
use crate::syntax::kit::recent::RecentNames;

pub struct Parser<'a> {
    pub lexer: Lexer<'a>,
    /// The token that is looked at, not yet taken.
    pub token: Token,
    /// Where the last token that was taken ends.
    pub previous_end: u32,
    /// The kind of the last token that was taken.
    pub previous_kind: TokenKind,
    pub tree: Tree,
    recent: RecentNames,
    pub collector: Collector,
    /// The stack of the expression parser, kept to be used again.
    pub operators: Vec<Pending>,
    /// The parts of the places that it is reading.
    pub open_parts: Vec<Part>,
    /// The `if`s and `do`s that are open.
    pub blocks: Blocks,
    /// The control points so far of the module that is read.
    pub points: u32,
    /// What has been lost of the module that is read.
    pub lost: Lost,
    /// A comment did not end: what is missing after it is no news.
    pub cut_short: bool,
}

impl<'a> Parser<'a> {
    pub fn new(lexer: Lexer<'a>) -> Self {
        let mut parser = Parser {
            lexer,
            token: Token {
                kind: TokenKind::Semicolon,
                start: 0,
                end: 0,
            },
            previous_end: 0,
            previous_kind: TokenKind::Semicolon,
            tree: Tree::default(),
            recent: RecentNames::default(),
            collector: Collector::default(),
            operators: Vec::new(),
            open_parts: Vec::new(),
            blocks: Blocks::default(),
            points: 0,
            lost: Lost::default(),
            cut_short: false,
        };
        parser.advance();
        parser
    }

    /// Takes the token.
    pub fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.previous_kind = self.token.kind;
        self.token = self.lexer.next_token();
        if self.token.kind == TokenKind::OpenComment && !self.cut_short {
            let start = self.token.start;
            self.report(Diagnostic::error(
                Span::new(start, start + 2),
                "this comment does not end: there is no `*/` after it",
            ));
            self.cut_short = true;
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.collector.report(diagnostic);
    }

    pub fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Whether nothing more follows.
    pub fn at_end(&self) -> bool {
        matches!(
            self.token.kind,
            TokenKind::EndOfFile | TokenKind::OpenComment
        )
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
        if self.take(kind) {
            return Ok(());
        }
        let spelling = kind.spelling().unwrap_or("a name");
        Err(self.unexpected(&format!("`{spelling}`")))
    }

    /// The token after the one that is looked at.
    pub fn peek(&self) -> Token {
        self.lexer.clone().next_token()
    }

    /// From `start` to the end of the last token that was taken.
    pub fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end.max(start))
    }

    /// Just behind the last token that was taken.
    pub fn behind(&self) -> Span {
        Span::new(self.previous_end, self.previous_end)
    }

    /// Reports that something else was expected here.
    #[cold]
    pub fn unexpected(&mut self, expected: &str) -> Reported {
        match self.token.kind {
            TokenKind::Unknown => self.report_unknown(),
            TokenKind::EndOfFile | TokenKind::OpenComment if self.cut_short => {}
            _ if self.collector.is_full(Severity::Error) => {
                self.report(Diagnostic::error(self.token.span(), ""));
            }
            _ => {
                let found = self.found();
                self.report(Diagnostic::error(
                    self.token.span(),
                    format!("expected {expected}, found {found}"),
                ));
            }
        }
        Reported
    }

    /// Reports that something else was expected here, and what to do.
    #[cold]
    pub fn unexpected_with_hint(&mut self, expected: &str, hint: &str) -> Reported {
        let found = self.found();
        let message = format!("expected {expected}, found {found}");
        self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
        Reported
    }

    /// The token in words.
    pub fn found(&self) -> String {
        match self.token.kind {
            TokenKind::EndOfFile | TokenKind::OpenComment => "the end of the file".into(),
            kind if kind.is_keyword() => format!("the keyword `{}`", self.text()),
            _ => format!("`{}`", self.text()),
        }
    }

    /// The text of the token, shortened if it is very long.
    pub fn text(&self) -> String {
        let bytes = &self.lexer.bytes()[self.token.start as usize..self.token.end as usize];
        // Enough bytes for all the characters that are shown, and no more.
        shorten(&String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]))
    }

    fn report_unknown(&mut self) {
        let bytes = &self.lexer.bytes()[self.token.start as usize..self.token.end as usize];
        let head = &bytes[..bytes.len().min(4)];
        let valid = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or(""),
        };
        let span = self.token.span();
        let diagnostic = match valid.chars().next() {
            Some(character) if character.is_ascii_digit() => {
                let message = format!("`{}` is neither a number nor a name", self.text());
                Diagnostic::error(span, message)
                    .with_hint("numbers are written in decimal digits, names begin with a letter")
            }
            Some(character) => {
                let message = match character.is_control() {
                    true => format!("unknown character `{}`", character.escape_unicode()),
                    false => format!("unknown character `{character}`"),
                };
                Diagnostic::error(span, message)
            }
            None => Diagnostic::error(
                span,
                format!(
                    "the byte 0x{:02x} is not UTF-8: such bytes are allowed in comments only",
                    head.first().copied().unwrap_or(0)
                ),
            ),
        };
        self.report(diagnostic);
    }

    /// Takes a name. `expected` says what for: "a label".
    pub fn identifier(&mut self, expected: &str) -> Parsed<Identifier> {
        match self.at(TokenKind::Name) {
            true => Ok(self.take_name()),
            false => Err(self.unexpected(expected)),
        }
    }

    /// Takes the token, which is a name.
    pub fn take_name(&mut self) -> Identifier {
        let range = self.token.start as usize..self.token.end as usize;
        let names = &mut self.tree.names;
        let identifier = Identifier {
            name: self.recent.intern(names, self.lexer.bytes(), range),
            start: self.token.start,
        };
        self.advance();
        identifier
    }
}

/// The part of an array from `start` on.
pub fn since<T>(start: usize, array: &[T]) -> List {
    List {
        start: start as u32,
        end: array.len() as u32,
    }
}
