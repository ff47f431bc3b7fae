//! From bytes to tokens, one at a time, on demand.
//!
//! The lexer is a position in the bytes; the tables of its language's [`Lexicon`] say what
//! begins there. It keeps no tokens and reports nothing: what is wrong comes out as a token of
//! its own kind, and the parser, which knows what it was reading, puts it into words. Each byte
//! is looked at once, except where the parser looks ahead or sets the position back.

use super::lexicon::{Class, Lexicon, Meaning};
use crate::source::Span;
use std::marker::PhantomData;

/// A kind and a place; the text stays in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<K> {
    pub kind: K,
    pub start: u32,
    pub end: u32,
}

impl<K> Token<K> {
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

#[derive(Clone)]
pub struct Lexer<'a, K> {
    bytes: &'a [u8],
    position: usize,
    kinds: PhantomData<K>,
}

impl<'a, K: Lexicon> Lexer<'a, K> {
    pub fn new(bytes: &'a [u8]) -> Self {
        const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
        let start = match bytes.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        Lexer::within(bytes, Span::new(start as u32, bytes.len() as u32))
    }

    /// A lexer for a part of `bytes`.
    pub fn within(bytes: &'a [u8], span: Span) -> Self {
        Lexer {
            bytes: &bytes[..span.end as usize],
            position: span.start as usize,
            kinds: PhantomData,
        }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Goes on reading at `offset`, which lies at the beginning of a token.
    pub fn seek(&mut self, offset: u32) {
        self.position = offset as usize;
    }

    #[inline]
    pub fn next_token(&mut self) -> Token<K> {
        let tables = K::TABLES;
        loop {
            let Some(rest @ [byte, ..]) = self.bytes.get(self.position..) else {
                return self.token(K::END_OF_FILE, 0);
            };
            let (kind, length) = match tables.classes[usize::from(*byte)] {
                Class::Blank => {
                    let is_blank = |byte| tables.classes[usize::from(byte)] == Class::Blank;
                    self.position += count(rest, is_blank);
                    continue;
                }
                Class::Single => (tables.singles[usize::from(*byte)], 1),
                Class::Word => {
                    let length = count(rest, |byte| tables.name_bytes[usize::from(byte)]);
                    (tables.word(rest, length), length)
                }
                Class::Digit => {
                    let length = count(rest, |byte| tables.name_bytes[usize::from(byte)]);
                    let text = &rest[..length];
                    match text.iter().all(u8::is_ascii_digit) {
                        true => (K::of_digits(text), length),
                        false => (K::UNKNOWN, length),
                    }
                }
                Class::Sign => match tables.sign(rest) {
                    None => (K::UNKNOWN, 1),
                    Some(sign) => match sign.meaning {
                        Meaning::Token(kind) => (kind, sign.length),
                        Meaning::Text => text(rest),
                        Meaning::LineComment => {
                            self.position += count(rest, |byte| byte != b'\n');
                            continue;
                        }
                        Meaning::BlockComment => {
                            match rest[2..].windows(2).position(|two| two == b"*/") {
                                Some(length) => {
                                    self.position += length + 4;
                                    continue;
                                }
                                None => (K::OPEN_COMMENT, rest.len()),
                            }
                        }
                    },
                },
                Class::Other => {
                    let is_other = |byte| tables.classes[usize::from(byte)] == Class::Other;
                    (K::UNKNOWN, count(rest, is_other))
                }
            };
            return self.token(kind, length);
        }
    }

    /// Takes so many bytes as a token.
    #[inline]
    pub fn token(&mut self, kind: K, length: usize) -> Token<K> {
        let start = self.position as u32;
        self.position += length;
        Token {
            kind,
            start,
            end: self.position as u32,
        }
    }
}

#[inline]
fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| belongs(**byte)).count()
}

/// What stands between quotes, with them.
fn text<K: Lexicon>(rest: &[u8]) -> (K, usize) {
    let (closed, open) = K::TEXT.unwrap_or((K::UNKNOWN, K::UNKNOWN));
    match rest[1..].iter().position(|byte| *byte == b'"') {
        Some(length) => (closed, length + 2),
        None => (open, rest.len()),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The kinds of all tokens of a text.
    pub fn kinds<K: Lexicon>(text: &[u8]) -> Vec<K> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| Some(lexer.next_token().kind))
            .take_while(|kind| *kind != K::END_OF_FILE)
            .collect()
    }

    /// Every keyword is one in lower case only, and every sign is found.
    pub fn check_lexicon<K: Lexicon>() {
        for &(kind, spelling) in K::KEYWORDS {
            assert_eq!(kinds::<K>(spelling.as_bytes()), [kind], "{spelling}");
            let padded = format!("{spelling}        ");
            assert_eq!(kinds::<K>(padded.as_bytes()), [kind], "{spelling}");
            let longer = format!("{spelling}s");
            assert_eq!(kinds::<K>(longer.as_bytes()), [K::NAME], "{longer}");
            let upper = spelling.to_uppercase();
            if upper != spelling {
                assert_eq!(kinds::<K>(upper.as_bytes()), [K::NAME], "{upper}");
            }
        }
        for &(meaning, spelling) in K::SIGNS {
            let Meaning::Token(kind) = meaning else {
                continue;
            };
            assert_eq!(kinds::<K>(spelling.as_bytes()), [kind], "{spelling}");
            let padded = format!("{spelling} x y");
            assert_eq!(kinds::<K>(padded.as_bytes())[0], kind, "{spelling}");
        }
    }
}
