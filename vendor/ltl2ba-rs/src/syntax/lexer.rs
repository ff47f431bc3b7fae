//! From text to tokens.
//!
//! Letters are not yet operators here: whether `U` is one depends on where it stands,
//! which the parser knows. Words are whole: `GFp` is one word.

use crate::syntax::error::ParseError;
use crate::syntax::formula::{Binary, Unary};
use crate::syntax::proposition::{Kind, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Open,
    Close,
    Constant(bool),
    Unary(Unary),
    Binary(Binary),
    /// A proposition, or for a word perhaps an operator.
    Name(Kind, String),
}

/// Words that, followed by a parenthesis, make a proposition with an argument.
pub(crate) const CALLS: [&str; 4] = ["at", "call", "in", "state"];

/// Spellings of symbols; longer ones before their prefixes.
const SYMBOLS: [(&str, Token); 18] = [
    ("<->", Token::Binary(Binary::Iff)),
    ("<=>", Token::Binary(Binary::Iff)),
    ("->", Token::Binary(Binary::Implies)),
    ("==>", Token::Binary(Binary::Implies)),
    ("=>", Token::Binary(Binary::Implies)),
    ("[]", Token::Unary(Unary::Globally)),
    ("<>", Token::Unary(Unary::Finally)),
    ("&&", Token::Binary(Binary::And)),
    ("||", Token::Binary(Binary::Or)),
    ("/\\", Token::Binary(Binary::And)),
    ("\\/", Token::Binary(Binary::Or)),
    ("&", Token::Binary(Binary::And)),
    ("|", Token::Binary(Binary::Or)),
    ("^", Token::Binary(Binary::Xor)),
    ("!", Token::Unary(Unary::Not)),
    ("~", Token::Unary(Unary::Not)),
    ("(", Token::Open),
    (")", Token::Close),
];

pub(crate) fn lex(text: &str) -> Result<Vec<(Token, Span)>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    while let Some(c) = text[at..].chars().next() {
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (token, end) = token(text, at, c)?;
        tokens.push((token, at..end));
        at = end;
    }
    Ok(tokens)
}

fn token(text: &str, at: usize, c: char) -> Result<(Token, usize), ParseError> {
    match c {
        '"' => quoted(text, at),
        '{' => {
            let end = braces(text, at)?;
            Ok((Token::Name(Kind::Braces, text[at..end].to_owned()), end))
        }
        _ if starts_word(c) => word(text, at),
        _ if c.is_ascii_digit() => number(text, at),
        _ => symbol(text, at, c),
    }
}

fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn continues_word(c: char) -> bool {
    starts_word(c) || c.is_ascii_digit()
}

/// The end of the run of word characters that starts at `at`.
fn word_end(text: &str, at: usize) -> usize {
    text[at..]
        .find(|c| !continues_word(c))
        .map_or(text.len(), |length| at + length)
}

fn word(text: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let mut end = word_end(text, at);
    while text[end..].starts_with('.') {
        let after = end + 1;
        let next = text[after..].chars().next();
        end = match next {
            Some('{') => braces(text, after)?,
            Some(c) if continues_word(c) => word_end(text, after),
            _ => {
                return Err(ParseError::new(end..after, "a name cannot end with a dot")
                    .expecting("a name or `{` after it"));
            }
        };
    }
    let name = &text[at..end];
    if name.eq_ignore_ascii_case("true") || name.eq_ignore_ascii_case("false") {
        return Ok((Token::Constant(name.eq_ignore_ascii_case("true")), end));
    }
    if CALLS.contains(&name) {
        let open = end + (text[end..].len() - text[end..].trim_start().len());
        if text[open..].starts_with('(') {
            return call(text, name, open, at);
        }
    }
    Ok((Token::Name(Kind::Word, name.to_owned()), end))
}

/// `name(argument)` with the parenthesis at `open`.
fn call(text: &str, name: &str, open: usize, at: usize) -> Result<(Token, usize), ParseError> {
    let mut position = open + 1;
    let mut depth = 1;
    while let Some(c) = text[position..].chars().next() {
        match c {
            '{' => {
                position = braces(text, position)?;
                continue;
            }
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        position += c.len_utf8();
        if depth == 0 {
            let argument = text[open + 1..position - 1].trim();
            if argument.is_empty() {
                return Err(
                    ParseError::new(at..position, format!("`{name}(…)` has no argument"))
                        .expecting("a name in the parentheses"),
                );
            }
            let written = format!("{name}({argument})");
            return Ok((Token::Name(Kind::Call, written), position));
        }
    }
    Err(ParseError::new(
        open..open + 1,
        "this parenthesis is never closed",
    ))
}

/// The end of the braces that open at `at`; braces nest.
fn braces(text: &str, at: usize) -> Result<usize, ParseError> {
    let mut depth = 0usize;
    for (offset, c) in text[at..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at + offset + 1);
        }
    }
    Err(ParseError::new(at..at + 1, "this brace is never closed").expecting("a `}`"))
}

fn quoted(text: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let mut content = String::new();
    let mut escaped = false;
    for (offset, c) in text[at + 1..].char_indices() {
        match c {
            _ if escaped => {
                content.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => {
                let end = at + 1 + offset + 1;
                if content.trim().is_empty() {
                    return Err(ParseError::new(at..end, "a quoted proposition is empty"));
                }
                return Ok((Token::Name(Kind::Quoted, content), end));
            }
            _ => content.push(c),
        }
    }
    Err(ParseError::new(at..at + 1, "this quote is never closed").expecting("a `\"`"))
}

fn number(text: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let end = word_end(text, at);
    match &text[at..end] {
        "0" => Ok((Token::Constant(false), end)),
        "1" => Ok((Token::Constant(true), end)),
        other => Err(ParseError::new(at..end, format!("`{other}` is no name"))
            .expecting("`0`, `1`, or a name that starts with a letter")),
    }
}

fn symbol(text: &str, at: usize, c: char) -> Result<(Token, usize), ParseError> {
    for (spelling, token) in &SYMBOLS {
        if text[at..].starts_with(spelling) {
            return Ok((token.clone(), at + spelling.len()));
        }
    }
    let error = ParseError::new(
        at..at + c.len_utf8(),
        format!("unknown character `{}`", c.escape_debug()),
    );
    Err(match c {
        '-' | '=' | '<' => error.expecting("`->`, `=>`, `<->`, `<=>` or `<>`"),
        '[' => error.expecting("`[]`"),
        _ => error.hinting("text of any kind may be a proposition in braces or double quotes"),
    })
}
