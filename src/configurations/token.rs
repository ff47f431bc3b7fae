//! The tokens of a set of configurations, read by combinators. Linear: braces are counted.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::one_of;
use nom::combinator::{map, opt, value};
use nom::error::{ErrorKind, ParseError};
use nom::sequence::preceded;
use nom::{Err, IResult, Offset, Parser};
use std::error::Error;
use std::fmt;

#[derive(Clone, Copy, Debug)]
pub enum Token<'a> {
    /// `<>`.
    Empty,
    Symbol {
        name: &'a [u8],
        condition: Option<&'a [u8]>,
    },
    /// Any symbol.
    Any,
    /// A name outside of angle brackets.
    Name,
    Sign(char),
}

/// What cannot be read: the place, the message, and a hint.
#[derive(Debug)]
pub struct Stop<'a>(pub &'a [u8], pub &'static str, pub Option<&'static str>);

impl fmt::Display for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }
}

impl Error for Stop<'_> {}

impl<'a> ParseError<&'a [u8]> for Stop<'a> {
    fn from_error_kind(rest: &'a [u8], _: ErrorKind) -> Self {
        Stop(rest, "", None)
    }

    fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

pub type Parsed<'a, T> = IResult<&'a [u8], T, Stop<'a>>;

fn failure<'a, T>(
    place: &'a [u8],
    message: &'static str,
    hint: Option<&'static str>,
) -> Parsed<'a, T> {
    Err(Err::Failure(Stop(place, message, hint)))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

fn blanks(text: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(|byte: u8| byte.is_ascii_whitespace())(text)
}

pub fn token(text: &[u8]) -> Parsed<'_, Token<'_>> {
    let word = |word: &[u8]| match word {
        b"_" => Token::Any,
        _ => Token::Name,
    };
    alt((
        value(Token::Empty, (tag("<"), blanks, tag(">"))),
        symbol,
        value(Token::Any, tag(".")),
        map(take_while1(is_word), word),
        map(one_of("*+?()|{"), Token::Sign),
    ))
    .parse(text)
}

/// From `{` to the brace that closes it.
pub fn braces(text: &[u8]) -> Parsed<'_, &[u8]> {
    let (mut rest, _) = tag("{")(text)?;
    let mut depth = 1_u32;
    while depth > 0 {
        let plain = take_while(|byte| byte != b'{' && byte != b'}');
        let (inside, brace) = preceded(plain, opt(one_of("{}"))).parse(rest)?;
        depth = match brace {
            Some('{') => depth + 1,
            Some(_) => depth - 1,
            None => return failure(&text[..1], "this `{` is never closed", None),
        };
        rest = inside;
    }
    Ok((rest, &text[..text.offset(rest)]))
}

/// The name of a symbol. A brace at its beginning, or behind a dot, opens a part of the name;
/// any other the condition.
fn name(text: &[u8]) -> Parsed<'_, &[u8]> {
    let mut rest = text;
    loop {
        let mut plain = take_while(|byte: u8| {
            !matches!(byte, b'{' | b'>' | b'<') && !byte.is_ascii_whitespace()
        });
        let (behind, plain): (_, &[u8]) = plain.parse(rest)?;
        let opens = plain.ends_with(b".") || plain.is_empty() && rest.len() == text.len();
        rest = match opt(braces).parse(behind)? {
            (inside, Some(_)) if opens => inside,
            _ => return Ok((behind, &text[..text.offset(behind)])),
        };
    }
}

/// From `<` to `>`.
fn symbol(text: &[u8]) -> Parsed<'_, Token<'_>> {
    let (rest, _) = (tag("<"), blanks).parse(text)?;
    let (rest, (name, condition)) = (name, opt(preceded(blanks, braces))).parse(rest)?;
    let (rest, _) = blanks(rest)?;
    match rest.first() {
        Some(b'>') => {}
        None | Some(b'<') => return failure(&text[..1], "this `<` is never closed", None),
        Some(byte) => {
            let hint = match is_word(*byte) {
                true => "each symbol has brackets of its own: `<top> <below>`",
                false => "a condition is written in braces: `<main.entry {x & !y}>`",
            };
            return failure(&rest[..1], "expected `>`", Some(hint));
        }
    }
    Ok((&rest[1..], Token::Symbol { name, condition }))
}
