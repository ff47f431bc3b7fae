//! The state that all parts of the parser share, and its smallest steps.
//!
//! The parser looks one token ahead and reads the source once. It keeps what is open on
//! stacks of its own (operators in `expression`, blocks in `block`), never on the machine's.
//! A step that cannot go on reports why and returns [`Reported`]; the statement it belongs
//! to is given up and `recovery` finds the next one, so that one mistake gives one error.

use super::block::Blocks;
use super::expression::Pending;
use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::tree::{Identifier, Lost, Tree, shorten};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::kit::recent::RecentNames;

/// Something could not be read, and the user has been told.
#[derive(Debug)]
pub struct Reported;

pub type Parsed<T> = Result<T, Reported>;

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
    pub blocks: Blocks,
    /// The control points so far of the procedure that is read.
    pub points: u32,
    /// Those of them that could not be read.
    pub unreadable: u32,
    /// What has been lost of the procedure that is read.
    pub lost: Lost,
    /// A comment or a name in braces did not end: what is missing after it is no news.
    pub cut_short: bool,
    /// Whether `'x` may stand in the expression that is read.
    pub next_values: bool,
    /// Whether the last expression was one pair of parentheses with all inside.
    pub parenthesised: bool,
    /// Whether `p.x` is a name and `*` is not a value: the expressions of properties.
    pub in_property: bool,
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
            blocks: Blocks::default(),
            points: 0,
            unreadable: 0,
            lost: Lost::default(),
            cut_short: false,
            next_values: false,
            parenthesised: false,
            in_property: false,
        };
        parser.advance();
        parser
    }

    /// Takes the token.
    #[inline]
    pub fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.previous_kind = self.token.kind;
        self.token = self.lexer.next_token();
        if self.token.kind == TokenKind::OpenComment {
            self.report_open_comment();
        }
    }

    #[cold]
    fn report_open_comment(&mut self) {
        if !self.cut_short {
            let start = self.token.start;
            self.report(Diagnostic::error(
                Span::new(start, start + 2),
                "this comment does not end: there is no `*/` after it",
            ));
        }
        self.cut_short = true;
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
    #[inline]
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

    /// From `start` to the end of the last token that was taken.
    pub fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end.max(start))
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

    /// The token in words.
    pub fn found(&self) -> String {
        match self.token.kind {
            TokenKind::EndOfFile | TokenKind::OpenComment => "the end of the file".into(),
            kind if kind.is_keyword() => format!("the keyword `{}`", self.text()),
            TokenKind::True | TokenKind::False => format!("the constant `{}`", self.text()),
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
        let diagnostic = match valid.chars().next() {
            Some(character) if character.is_ascii_digit() => Diagnostic::error(
                self.token.span(),
                format!("`{}` is neither a number nor a name", self.text()),
            )
            .with_hint("a name begins with a letter, `_` or `$`"),
            Some(character) => Diagnostic::error(
                self.token.span(),
                match character.is_control() {
                    true => format!("unknown character `{}`", character.escape_unicode()),
                    false => format!("unknown character `{character}`"),
                },
            ),
            None => Diagnostic::error(
                self.token.span(),
                format!(
                    "the byte 0x{:02x} is not UTF-8: such bytes are allowed in comments only",
                    head.first().copied().unwrap_or(0)
                ),
            ),
        };
        self.report(diagnostic);
    }

    /// If the token is `{`, reads on the name that it opens.
    #[inline]
    pub fn read_braces(&mut self) -> Parsed<()> {
        if self.token.kind != TokenKind::LeftBrace {
            return Ok(());
        }
        match self.lexer.name_in_braces(self.token) {
            Ok(name) => {
                self.token = name;
                let bytes = &self.lexer.bytes()[name.start as usize..name.end as usize];
                if std::str::from_utf8(bytes).is_ok() {
                    return Ok(());
                }
                self.report(Diagnostic::error(
                    name.span(),
                    "a name must be UTF-8: other bytes are allowed in comments only",
                ));
                Err(Reported)
            }
            Err(broken) => {
                self.token = broken;
                self.cut_short = true;
                self.report(
                    Diagnostic::error(broken.span(), "this name in braces does not end")
                        .with_hint("a `}` must follow on the same line; a block begins only after `)` or `else`"),
                );
                Err(Reported)
            }
        }
    }

    /// Takes a name. `expected` says what for: "a label".
    #[inline]
    pub fn identifier(&mut self, expected: &str) -> Parsed<Identifier> {
        self.read_braces()?;
        if self.token.kind == TokenKind::Name {
            return Ok(self.take_name());
        }
        Err(self.no_identifier(expected))
    }

    #[cold]
    fn no_identifier(&mut self, expected: &str) -> Reported {
        if self.at(TokenKind::Underscore) {
            let message = format!("expected {expected}, found `_`, which is not a name");
            let hint = "`_` only stands left of an assignment, where it throws a value away";
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            return Reported;
        }
        self.unexpected(expected)
    }

    /// Takes the token, which is a name or `_`.
    #[inline]
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

    /// The token after the one that is looked at.
    pub fn peek(&self) -> Token {
        self.lexer.clone().next_token()
    }
}
