//! Tokens of the HOA format.

use crate::format::hoa_error::HoaError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// `name:` at the start of a header item, or `State:`.
    Header(String),
    Word(String),
    Number(u32),
    Text(String),
    /// `@name`
    Alias(String),
    Symbol(char),
    Body,
    End,
    Abort,
}

/// The tokens with their byte offsets.
pub(crate) fn lex(text: &str) -> Result<Vec<(Token, usize)>, HoaError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if c.is_ascii_whitespace() || c == '\u{feff}' && at == 0 {
            at += c.len_utf8();
        } else if text[at..].starts_with("/*") {
            at = comment(text, at)?;
        } else if c == '"' {
            let (content, end) = string(text, at)?;
            tokens.push((Token::Text(content), start));
            at = end;
        } else if text[at..].starts_with("--") {
            let (token, length) = marker(text, at)?;
            tokens.push((token, start));
            at += length;
        } else if c.is_ascii_digit() {
            at += text[at..]
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len() - at);
            let Ok(number) = text[start..at].parse() else {
                return Err(HoaError::at(text, start, "this number is too large"));
            };
            tokens.push((Token::Number(number), start));
        } else if c == '@' {
            at = word_end(text, at + 1);
            if at == start + 1 {
                return Err(HoaError::at(text, start, "`@` needs a name after it"));
            }
            tokens.push((Token::Alias(text[start + 1..at].to_owned()), start));
        } else if c.is_ascii_alphabetic() || c == '_' {
            at = word_end(text, at);
            let word = text[start..at].to_owned();
            if text[at..].starts_with(':') {
                at += 1;
                tokens.push((Token::Header(word), start));
            } else {
                tokens.push((Token::Word(word), start));
            }
        } else if "[]{}()!&|".contains(c) {
            tokens.push((Token::Symbol(c), start));
            at += 1;
        } else {
            let message = format!("unexpected character `{}`", c.escape_debug());
            return Err(HoaError::at(text, at, message));
        }
    }
    Ok(tokens)
}

fn word_end(text: &str, at: usize) -> usize {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
    text[at..]
        .find(ends)
        .map_or(text.len(), |length| at + length)
}

/// Comments nest in HOA.
fn comment(text: &str, start: usize) -> Result<usize, HoaError> {
    let mut depth = 0usize;
    let mut at = start;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Ok(at);
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    Err(HoaError::at(text, start, "this comment is never closed"))
}

fn string(text: &str, start: usize) -> Result<(String, usize), HoaError> {
    let mut content = String::new();
    let mut escaped = false;
    for (offset, c) in text[start + 1..].char_indices() {
        match c {
            _ if escaped => {
                content.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Ok((content, start + 1 + offset + 1)),
            _ => content.push(c),
        }
    }
    Err(HoaError::at(text, start, "this string is never closed"))
}

fn marker(text: &str, at: usize) -> Result<(Token, usize), HoaError> {
    for (spelling, token) in [
        ("--BODY--", Token::Body),
        ("--END--", Token::End),
        ("--ABORT--", Token::Abort),
    ] {
        if text[at..].starts_with(spelling) {
            return Ok((token, spelling.len()));
        }
    }
    Err(HoaError::at(
        text,
        at,
        "expected `--BODY--`, `--END--` or `--ABORT--`",
    ))
}
