//! Tokens of the HOA format, as parsers that take the blanks and comments behind a token too.
//!
//! A parser that does not recognise its token leaves the text as it is; a token that begins and
//! is no good, such as a string without an end, is a failure with its message. Linear.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while};
use nom::character::complete::{anychar, char, digit1, none_of, one_of, satisfy};
use nom::combinator::{not, recognize, value};
use nom::error::{ErrorKind, ParseError};
use nom::multi::fold_many0;
use nom::sequence::{preceded, terminated};
use nom::{Err, IResult, Parser};

/// Where reading stopped, and why if that is known.
#[derive(Debug)]
pub(crate) struct Stop<'a> {
    pub(crate) rest: &'a str,
    pub(crate) message: String,
}

impl<'a> ParseError<&'a str> for Stop<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        let message = String::new();
        Stop { rest, message }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

pub(crate) type Parsed<'a, T> = IResult<&'a str, T, Stop<'a>>;

/// Nothing else can be read here.
fn failure<T>(rest: &str, message: impl Into<String>) -> Parsed<'_, T> {
    let message = message.into();
    Err(Err::Failure(Stop { rest, message }))
}

/// The end of a token that must come; if it does not, the token at `start` is no good.
fn must_end<'a, T>(parsed: Parsed<'a, T>, start: &'a str, message: &str) -> Parsed<'a, T> {
    parsed.or_else(|_| failure(start, message))
}

/// Blanks and comments, which nest.
pub(crate) fn blank(text: &str) -> Parsed<'_, ()> {
    let (mut rest, _) = take_while(|c: char| c.is_ascii_whitespace())(text)?;
    while rest.starts_with("/*") {
        let mut depth = 0_usize;
        let mut inside = rest;
        loop {
            (inside, depth) = match inside.get(..2) {
                Some("/*") => (&inside[2..], depth + 1),
                Some("*/") => (&inside[2..], depth - 1),
                _ => match anychar::<_, Stop<'_>>(inside) {
                    Ok((inside, _)) => (inside, depth),
                    Err(_) => return failure(rest, "this comment is never closed"),
                },
            };
            if depth == 0 {
                break;
            }
        }
        (rest, _) = take_while(|c: char| c.is_ascii_whitespace())(inside)?;
    }
    Ok((rest, ()))
}

fn name(text: &str) -> Parsed<'_, &str> {
    take_while(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-')(text)
}

fn long_name(text: &str) -> Parsed<'_, &str> {
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    recognize((first, name)).parse(text)
}

/// `name:` at the start of a header item, or `State:`.
pub(crate) fn header(text: &str) -> Parsed<'_, &str> {
    terminated(long_name, (char(':'), blank)).parse(text)
}

pub(crate) fn word(text: &str) -> Parsed<'_, &str> {
    terminated(long_name, (not(char(':')), blank)).parse(text)
}

pub(crate) fn number(text: &str) -> Parsed<'_, u32> {
    let (rest, digits) = digit1(text)?;
    match digits.parse() {
        Ok(number) => value(number, blank).parse(rest),
        Err(_) => failure(text, "this number is too large"),
    }
}

/// Text in quotes.
pub(crate) fn string(text: &str) -> Parsed<'_, String> {
    let (rest, _) = char('"')(text)?;
    let character = alt((none_of("\\\""), preceded(char('\\'), anychar)));
    let add = |mut content: String, c| {
        content.push(c);
        content
    };
    let content = fold_many0(character, String::new, add);
    let parsed = terminated(content, char('"')).parse(rest);
    let (rest, content) = must_end(parsed, text, "this string is never closed")?;
    value(content, blank).parse(rest)
}

/// `@name`.
pub(crate) fn alias(text: &str) -> Parsed<'_, &str> {
    let (rest, _) = char('@')(text)?;
    match name(rest)? {
        (_, "") => failure(text, "`@` needs a name after it"),
        (rest, name) => value(name, blank).parse(rest),
    }
}

/// One of these signs.
pub(crate) fn sign<'a>(
    signs: &'static str,
) -> impl Parser<&'a str, Output = char, Error = Stop<'a>> {
    terminated(one_of(signs), blank)
}

/// `--BODY--` and the like.
pub(crate) fn marker<'a>(
    text: &'static str,
) -> impl Parser<&'a str, Output = (), Error = Stop<'a>> {
    value((), (tag(text), blank))
}

/// A token that neither begins a header item nor ends the header.
pub(crate) fn plain(text: &str) -> Parsed<'_, ()> {
    alt((
        value((), string),
        value((), number),
        value((), alias),
        value((), word),
        value((), sign("[]{}()!&|")),
        marker("--END--"),
        marker("--ABORT--"),
    ))
    .parse(text)
}

/// What is wrong where something else was expected: that, unless the token itself is no good.
pub(crate) fn unexpected(rest: &str, message: String) -> Stop<'_> {
    let token = alt((plain, value((), header), marker("--BODY--"))).parse(rest);
    let message = match (token, rest.chars().next()) {
        (Err(Err::Failure(stop)), _) => return stop,
        (Err(_), Some('-')) if rest.starts_with("--") => {
            "expected `--BODY--`, `--END--` or `--ABORT--`".to_owned()
        }
        (Err(_), Some(c)) => format!("unexpected character `{}`", c.escape_debug()),
        _ => message,
    };
    Stop { rest, message }
}
