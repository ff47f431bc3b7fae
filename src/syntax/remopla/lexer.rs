//! From bytes to tokens, one at a time, on demand.
//!
//! As for boolean programs, the lexer reports nothing: what is wrong comes out as a token of
//! its own kind, and the parser puts it into words. Each byte is looked at once, except where
//! the parser looks ahead.

use super::token::{Token, TokenKind};

#[derive(Clone)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
}

fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$')
}

fn goes_on(byte: u8) -> bool {
    begins_word(byte) || byte.is_ascii_digit()
}

/// Bytes that begin no token.
fn is_strange(byte: u8) -> bool {
    !(byte.is_ascii_whitespace() || goes_on(byte) || b"&|^!=<>+-*/:;,.()[]{}#".contains(&byte))
}

impl<'a> Lexer<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
        let position = match bytes.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        Lexer { bytes, position }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub fn next_token(&mut self) -> Token {
        use TokenKind::*;
        loop {
            let start = self.position;
            let rest = &self.bytes[start..];
            let Some(&byte) = rest.first() else {
                return self.token(EndOfFile, 0);
            };
            let after = rest.get(1).copied().unwrap_or(0);
            let (kind, length) = match (byte, after) {
                (b' ' | b'\t' | b'\r' | b'\n' | 0x0c, _) => {
                    self.position += 1;
                    continue;
                }
                (b'#', _) | (b'/', b'/') => {
                    let newline = rest.iter().position(|byte| *byte == b'\n');
                    self.position += newline.unwrap_or(rest.len());
                    continue;
                }
                (b'/', b'*') => match rest[2..].windows(2).position(|two| two == b"*/") {
                    Some(length) => {
                        self.position += length + 4;
                        continue;
                    }
                    None => (OpenComment, rest.len()),
                },
                (b'&', b'&') => (And, 2),
                (b'|', b'|') => (Or, 2),
                (b'^', b'^') => (Xor, 2),
                (b'=', b'=') => (EqualEqual, 2),
                (b'!', b'=') => (NotEqual, 2),
                (b'<', b'=') => (LessEqual, 2),
                (b'<', b'<') => (ShiftLeft, 2),
                (b'>', b'=') => (GreaterEqual, 2),
                (b'>', b'>') => (ShiftRight, 2),
                (b'-', b'>') => (Arrow, 2),
                (b':', b':') => (ColonColon, 2),
                (b'&', _) => (BitAnd, 1),
                (b'|', _) => (BitOr, 1),
                (b'^', _) => (BitXor, 1),
                (b'=', _) => (Assign, 1),
                (b'!', _) => (Bang, 1),
                (b'<', _) => (Less, 1),
                (b'>', _) => (Greater, 1),
                (b'-', _) => (Minus, 1),
                (b'+', _) => (Plus, 1),
                (b'*', _) => (Star, 1),
                (b'/', _) => (Slash, 1),
                (b':', _) => (Colon, 1),
                (b';', _) => (Semicolon, 1),
                (b',', _) => (Comma, 1),
                (b'.', _) => (Dot, 1),
                (b'(', _) => (LeftParenthesis, 1),
                (b')', _) => (RightParenthesis, 1),
                (b'[', _) => (LeftBracket, 1),
                (b']', _) => (RightBracket, 1),
                (b'{', _) => (LeftBrace, 1),
                (b'}', _) => (RightBrace, 1),
                _ if goes_on(byte) => {
                    let length = count(rest, goes_on);
                    let word = &rest[..length];
                    let kind = if begins_word(byte) {
                        TokenKind::of_word(word)
                    } else if word.iter().all(u8::is_ascii_digit) {
                        Number
                    } else {
                        Unknown
                    };
                    (kind, length)
                }
                _ => (Unknown, count(rest, is_strange).max(1)),
            };
            return self.token(kind, length);
        }
    }

    fn token(&mut self, kind: TokenKind, length: usize) -> Token {
        let start = self.position;
        self.position += length;
        Token {
            kind,
            start: start as u32,
            end: self.position as u32,
        }
    }
}

fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| belongs(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenKind::*;

    fn kinds(text: &[u8]) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| Some(lexer.next_token().kind))
            .take_while(|kind| *kind != EndOfFile)
            .collect()
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(
            kinds(b"::a->b<<=c^^d^e&&f&g>>h:i"),
            [
                ColonColon, Name, Arrow, Name, ShiftLeft, Assign, Name, Xor, Name, BitXor, Name,
                And, Name, BitAnd, Name, ShiftRight, Name, Colon, Name
            ]
        );
    }

    #[test]
    fn three_kinds_of_comments_hold_any_bytes() {
        assert_eq!(
            kinds(b"x # \xff\n/ // \xfe\n/* \xff # */;"),
            [Name, Slash, Semicolon]
        );
        assert_eq!(kinds(b"x /* ..."), [Name, OpenComment]);
        assert_eq!(kinds(b"x /*/"), [Name, OpenComment]);
    }

    #[test]
    fn strange_bytes_are_one_token_and_numbers_are_digits() {
        assert_eq!(kinds("é%x".as_bytes()), [Unknown, Name]);
        assert_eq!(kinds(b"\x0b\x00 12 1a"), [Unknown, Number, Unknown]);
        assert_eq!(kinds("\u{feff}x".as_bytes()), [Name]);
    }
}
