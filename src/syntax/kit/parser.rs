//! The state that the parsers of all languages share, and their smallest steps.
//!
//! A parser looks one token ahead, now and then a few more, and reads the source once. It keeps
//! what is open on stacks of its own, never on the machine's. A step that cannot go on reports
//! why and returns [`Reported`]; what it belongs to is given up, and the language's recovery
//! finds where to go on, so that one mistake gives one error.
//!
//! The grammar of a [`Language`] is written as methods of its `Parser`.

use super::Collector;
use super::language::{Language, Parsed, Reported};
use super::lexer::{Lexer, Token};
use super::lexicon::Lexicon;
use super::operators::OperatorStack;
use super::recent::RecentNames;
use super::tree::{Identifier, List, Lost, Tree, shorten_to};
use crate::diagnostic::{Diagnostic, Severity};
use crate::names::Name;
use crate::source::{Source, Span};
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Parser<'a, L: Language> {
    pub lexer: Lexer<'a, L::Kind>,
    /// The token that is looked at, not yet taken.
    pub token: Token<L::Kind>,
    /// Where the last token that was taken ends.
    pub previous_end: u32,
    /// The kind of the last token that was taken.
    pub previous_kind: L::Kind,
    pub tree: Tree<L::Node, L::Parts>,
    recent: RecentNames,
    /// Where it is noted how far the source has been read.
    visited: Option<&'a AtomicU64>,
    pub operators: OperatorStack<L>,
    pub collector: Collector,
    pub state: L::State,
    /// The control points so far of the procedure that is read.
    pub points: u32,
    /// What has been lost of it.
    pub lost: Lost,
    /// A comment, or a name, did not end: what is missing after it is no news.
    pub cut_short: bool,
}

impl<'a, L: Language> Parser<'a, L> {
    pub fn new(lexer: Lexer<'a, L::Kind>) -> Self {
        let mut parser = Parser {
            lexer,
            token: Token {
                kind: L::Kind::SEMICOLON,
                start: 0,
                end: 0,
            },
            previous_end: 0,
            previous_kind: L::Kind::SEMICOLON,
            tree: Tree::default(),
            recent: RecentNames::default(),
            visited: None,
            operators: OperatorStack::default(),
            collector: Collector::default(),
            state: L::State::default(),
            points: 0,
            lost: Lost::default(),
            cut_short: false,
        };
        parser.advance();
        parser
    }

    /// One that reads all of a source, and notes there how far it has come.
    pub fn of_source(source: &'a Source) -> Self {
        Parser {
            visited: Some(source.visited()),
            ..Self::new(Lexer::new(source.bytes()))
        }
    }

    /// The tree of what has been read, and what was wrong.
    pub fn finish(self) -> (Tree<L::Node, L::Parts>, Collector) {
        (self.tree, self.collector)
    }

    /// Takes the token.
    #[inline]
    pub fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.previous_kind = self.token.kind;
        self.token = self.lexer.next_token();
        if self.token.kind == L::Kind::OPEN_COMMENT {
            self.report_open_comment();
        }
    }

    #[cold]
    fn report_open_comment(&mut self) {
        if !self.cut_short {
            let start = self.token.start;
            let message = "this comment does not end: there is no `*/` after it";
            self.report(Diagnostic::error(Span::new(start, start + 2), message));
        }
        self.cut_short = true;
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.collector.report(diagnostic);
    }

    /// Reports an error.
    #[cold]
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(span, message));
        Reported
    }

    /// Reports an error, and what to do.
    #[cold]
    pub fn error_with_hint(
        &mut self,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Reported {
        self.report(Diagnostic::error(span, message).with_hint(hint));
        Reported
    }

    #[inline]
    pub fn at(&self, kind: L::Kind) -> bool {
        self.token.kind == kind
    }

    /// Whether nothing more follows.
    #[inline]
    pub fn at_end(&self) -> bool {
        self.at(L::Kind::END_OF_FILE) || self.at(L::Kind::OPEN_COMMENT)
    }

    /// Whether the source ends here in the middle of something, which has been reported.
    pub fn at_cut(&self) -> bool {
        self.at_end() && self.cut_short
    }

    /// Takes the token if it is of this kind.
    #[inline]
    pub fn take(&mut self, kind: L::Kind) -> bool {
        let taken = self.at(kind);
        if taken {
            self.advance();
        }
        taken
    }

    #[inline]
    pub fn expect(&mut self, kind: L::Kind) -> Parsed<()> {
        if self.take(kind) {
            return Ok(());
        }
        let spelling = kind.spelling().unwrap_or("a name");
        Err(self.unexpected(&format!("`{spelling}`")))
    }

    /// The token after the one that is looked at.
    pub fn peek(&self) -> Token<L::Kind> {
        self.lexer.clone().next_token()
    }

    /// From `start` to the end of the last token that was taken.
    #[inline]
    pub fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end.max(start))
    }

    /// Just behind the last token that was taken.
    pub fn behind(&self) -> Span {
        Span::new(self.previous_end, self.previous_end)
    }

    /// Items with commas between them, at least one.
    #[inline]
    pub fn list(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        item(self)?;
        while self.take(L::Kind::COMMA) {
            item(self)?;
        }
        Ok(())
    }

    /// Names with commas between them, at least one, into [`Tree::identifiers`].
    pub fn identifier_list(&mut self, expected: &str) -> Parsed<List> {
        let start = self.tree.identifiers.len();
        self.list(|parser| {
            let identifier = parser.identifier(expected)?;
            parser.tree.identifiers.push(identifier);
            Ok(())
        })?;
        Ok(List::since(start, &self.tree.identifiers))
    }

    /// Reports that something else was expected here.
    #[cold]
    pub fn unexpected(&mut self, expected: &str) -> Reported {
        if self.at_cut() {
            return Reported;
        }
        let span = self.token.span();
        let diagnostic = match self.token.kind {
            // It would only be counted.
            _ if self.collector.is_full(Severity::Error) => Diagnostic::error(span, ""),
            kind if kind == L::Kind::UNKNOWN => self.unknown(),
            kind if L::Kind::TEXT.is_some_and(|(_, open)| open == kind) => {
                Diagnostic::error(span, "this text does not end: there is no `\"` after it")
            }
            _ => self.expected(expected),
        };
        self.report(diagnostic);
        Reported
    }

    /// Reports that something else was expected here, and what to do.
    #[cold]
    pub fn unexpected_with_hint(&mut self, expected: &str, hint: &str) -> Reported {
        let diagnostic = self.expected(expected).with_hint(hint);
        self.report(diagnostic);
        Reported
    }

    /// Reports that what was opened at `open` is not closed here.
    #[cold]
    pub fn not_closed(&mut self, expected: &str, open: Span) -> Reported {
        if self.at(L::Kind::UNKNOWN) || self.at_cut() {
            return self.unexpected(expected);
        }
        let mut diagnostic = self.expected(expected).with_related(open, "opened here");
        if let Some(hint) = L::hint(self.token.kind) {
            diagnostic = diagnostic.with_hint(hint);
        }
        self.report(diagnostic);
        Reported
    }

    fn expected(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.found());
        Diagnostic::error(self.token.span(), message)
    }

    /// The token in words.
    pub fn found(&self) -> String {
        match self.at_end() {
            true => "the end of the file".into(),
            false => format!("{}`{}`", self.token.kind.category(), self.text()),
        }
    }

    /// The bytes of the token.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        &self.lexer.bytes()[self.token.start as usize..self.token.end as usize]
    }

    /// The text of the token, shortened if it is very long.
    pub fn text(&self) -> String {
        let bytes = self.bytes();
        // Enough bytes for all the characters that are shown, and no more.
        let bytes = &bytes[..bytes.len().min(1000)];
        shorten_to(&String::from_utf8_lossy(bytes), L::LONGEST_SHOWN)
    }

    /// What to say of characters that mean nothing.
    fn unknown(&self) -> Diagnostic {
        let span = self.token.span();
        let bytes = self.bytes();
        let head = &bytes[..bytes.len().min(4)];
        let valid = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or(""),
        };
        match valid.chars().next() {
            Some(character) if character.is_ascii_digit() => {
                let message = format!("`{}` is neither a number nor a name", self.text());
                Diagnostic::error(span, message).with_hint(L::Kind::NAME_HINT)
            }
            Some(character) if character.is_control() => {
                let message = format!("unknown character `{}`", character.escape_unicode());
                Diagnostic::error(span, message)
            }
            Some(character) => Diagnostic::error(span, format!("unknown character `{character}`")),
            None => {
                let allowed = match L::Kind::TEXT {
                    Some(_) => "comments and texts",
                    None => "comments",
                };
                let byte = head.first().copied().unwrap_or(0);
                Diagnostic::error(
                    span,
                    format!(
                        "the byte 0x{byte:02x} is not UTF-8: such bytes are allowed in {allowed} only"
                    ),
                )
            }
        }
    }

    /// The value of the token, which is made of digits, if it fits.
    pub fn digits(&self) -> Option<u64> {
        let mut digits = self.bytes().iter().map(|byte| u64::from(byte - b'0'));
        digits.try_fold(0_u64, |value, digit| {
            value.checked_mul(10)?.checked_add(digit)
        })
    }

    /// Takes a name. `expected` says what for: "a label".
    #[inline]
    pub fn identifier(&mut self, expected: &str) -> Parsed<Identifier> {
        L::open_name(self)?;
        match self.at(L::Kind::NAME) {
            true => Ok(self.take_name()),
            false => Err(L::no_name(self, expected)),
        }
    }

    /// Takes the token as a name.
    #[inline]
    pub fn take_name(&mut self) -> Identifier {
        if let Some(visited) = self.visited {
            visited.store(self.token.start.into(), Ordering::Relaxed);
        }
        let range = self.token.start as usize..self.token.end as usize;
        let bytes = self.lexer.bytes();
        let identifier = Identifier {
            name: self.recent.intern(&mut self.tree.names, bytes, range),
            start: self.token.start,
        };
        self.advance();
        identifier
    }

    /// The name for a message, shortened if it is very long.
    pub fn shown(&self, name: Name) -> String {
        self.tree.shown(name)
    }

    /// Where a name stands.
    pub fn span_of(&self, identifier: Identifier) -> Span {
        self.tree.span(identifier)
    }
}
