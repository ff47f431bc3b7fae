//! The tokens of a `.mu` file, read by combinators. Linear; what is no token is reported, one
//! message for each stretch.

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::combinator::{map, recognize, value};
use nom::error::{Error, ErrorKind};
use nom::{IResult, Parser};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Name(String),
    Keyword(&'static str),
    /// `None` for a number that is too large.
    Number(Option<i128>),
    Sign(&'static str),
    /// What is no token, which was reported.
    Unknown,
    End,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The longest first, where one begins another.
const SIGNS: [&str; 23] = [
    "<->", "->", "<=", "..", "!=", "(", ")", "{", "}", "[", "]", ",", ":", ";", "=", "<", "!", "&",
    "|", "+", "-", ".", "~",
];

pub const KEYWORDS: [&str; 15] = [
    "param", "type", "mu", "nu", "let", "query", "order", "exists", "forall", "all", "some", "in",
    "true", "false", "bool",
];

#[derive(Clone, Copy)]
enum Piece<'a> {
    Blank,
    Word(&'a [u8]),
    Number(&'a [u8]),
    Sign(&'static str),
}

fn is_initial(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'')
}

fn sign(text: &[u8]) -> IResult<&[u8], &'static str> {
    let found = SIGNS.iter().find(|sign| text.starts_with(sign.as_bytes()));
    match found {
        Some(sign) => value(*sign, tag(*sign)).parse(text),
        None => Err(nom::Err::Error(Error::new(text, ErrorKind::Tag))),
    }
}

fn piece(text: &[u8]) -> IResult<&[u8], Piece<'_>> {
    let comment = |begin: &'static str| recognize((tag(begin), take_till(|byte| byte == b'\n')));
    let word = recognize((take_while1(is_initial), take_while(is_inner)));
    alt((
        value(
            Piece::Blank,
            take_while1(|byte: u8| byte.is_ascii_whitespace()),
        ),
        value(Piece::Blank, comment("#")),
        value(Piece::Blank, comment("//")),
        map(word, Piece::Word),
        map(take_while1(|byte: u8| byte.is_ascii_digit()), Piece::Number),
        map(sign, Piece::Sign),
    ))
    .parse(text)
}

/// All tokens, the end last.
pub fn tokens(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let bytes = source.bytes();
    let mut rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut tokens = Vec::new();
    // Where a stretch begins that is no token.
    let mut unknown: Option<u32> = None;
    while !rest.is_empty() {
        let start = (bytes.len() - rest.len()) as u32;
        let Ok((behind, found)) = piece(rest) else {
            unknown.get_or_insert(start);
            rest = &rest[1..];
            continue;
        };
        tokens.extend(report(&mut unknown, start, source, diagnostics));
        let span = Span::new(start, (bytes.len() - behind.len()) as u32);
        rest = behind;
        let kind = match found {
            Piece::Blank => continue,
            Piece::Sign(sign) => Kind::Sign(sign),
            Piece::Word(word) => {
                let word = String::from_utf8_lossy(word).into_owned();
                match KEYWORDS.iter().find(|keyword| **keyword == word) {
                    Some(keyword) => Kind::Keyword(keyword),
                    None => Kind::Name(word),
                }
            }
            Piece::Number(digits) => Kind::Number(number(digits)),
        };
        tokens.push(Token { kind, span });
    }
    let end = bytes.len() as u32;
    tokens.extend(report(&mut unknown, end, source, diagnostics));
    tokens.push(Token {
        kind: Kind::End,
        span: Span::new(end, end),
    });
    tokens
}

fn report(
    unknown: &mut Option<u32>,
    end: u32,
    source: &Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Token> {
    let span = Span::new(unknown.take()?, end);
    let shown: String = source.text(span).chars().take(20).collect();
    let message = format!("unknown character `{}`", shown.escape_debug());
    diagnostics.push(Diagnostic::error(span, message));
    let kind = Kind::Unknown;
    Some(Token { kind, span })
}

fn number(digits: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(digits).ok()?;
    Some(i128::from(text.parse::<u64>().ok()?))
}

/// A token as messages show it.
pub fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Name(name) => format!("`{name}`"),
        Kind::Keyword(word) | Kind::Sign(word) => format!("`{word}`"),
        Kind::Number(Some(number)) => format!("`{number}`"),
        Kind::Number(None) => "a number".to_owned(),
        Kind::Unknown => "what is no token".to_owned(),
        Kind::End => "the end of the file".to_owned(),
    }
}
