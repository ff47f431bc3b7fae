//! From bytes to tokens, one at a time, on demand.
//!
//! As for boolean programs, the lexer keeps and reports nothing: what is wrong comes out as
//! a token of its own kind. Each byte is looked at a few times at most.

use super::token::{Token, TokenKind, classify_word};

#[derive(Clone)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn goes_on_with_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

fn is_known(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || goes_on_with_name(byte) && byte != b'.'
        || b"&!,=><[]()|;-+'*/^\"#%".contains(&byte)
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
        self.skip_blanks_and_comments();
        let start = self.position;
        let after = |n: usize| self.bytes.get(start + n).copied().unwrap_or(0);
        let Some(&byte) = self.bytes.get(start) else {
            return self.token(EndOfFile, 0);
        };
        let (kind, length) = match byte {
            _ if begins_name(byte) => {
                let length = self.count(goes_on_with_name);
                let word = &self.bytes[start..start + length];
                (classify_word(word), length)
            }
            b'0'..=b'9' => {
                let length = self.count(goes_on_with_name);
                let word = &self.bytes[start..start + length];
                let is_number = word.iter().all(u8::is_ascii_digit);
                (if is_number { Number } else { Unknown }, length)
            }
            b'"' => {
                let rest = &self.bytes[start + 1..];
                match rest.iter().position(|byte| *byte == b'"') {
                    Some(length) => (Text, length + 2),
                    None => (OpenText, rest.len() + 1),
                }
            }
            b'-' if after(1) == b'-' && after(2) == b'>' => (Arrow, 3),
            b'-' => (Minus, 1),
            b'<' if after(1) == b'=' && after(2) == b'>' => (Equivalent, 3),
            b'<' if after(1) == b'=' => (LessEqual, 2),
            b'<' if after(1) == b'<' => (ShiftLeft, 2),
            b'<' => (Less, 1),
            b'>' if after(1) == b'=' => (GreaterEqual, 2),
            b'>' => (Greater, 1),
            b'=' if after(1) == b'=' => (Equivalent, 2),
            b'=' => (Equal, 1),
            b'!' if after(1) == b'=' => (NotEqual, 2),
            b'!' => (Bang, 1),
            b'&' => (And, 1),
            b'|' => (Or, 1),
            b'^' => (Xor, 1),
            b'+' => (Plus, 1),
            b'*' => (Star, 1),
            b'/' => (Slash, 1),
            b'\'' => (Prime, 1),
            b',' => (Comma, 1),
            b';' => (Semicolon, 1),
            b'(' => (LeftParenthesis, 1),
            b')' => (RightParenthesis, 1),
            b'[' => (LeftBracket, 1),
            b']' => (RightBracket, 1),
            _ => (Unknown, self.count(|byte| !is_known(byte)).max(1)),
        };
        self.token(kind, length)
    }

    fn token(&mut self, kind: TokenKind, length: usize) -> Token {
        let start = self.position as u32;
        self.position += length;
        Token {
            kind,
            start,
            end: self.position as u32,
        }
    }

    /// How many bytes from here on are of this kind.
    fn count(&self, is_kind: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes[self.position..].iter();
        rest.take_while(|byte| is_kind(**byte)).count()
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.position += self.count(|byte| byte.is_ascii_whitespace());
            match self.bytes.get(self.position) {
                Some(b'#' | b'%') => self.position += self.count(|byte| byte != b'\n'),
                _ => return,
            }
        }
    }
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
            kinds(b"q<a>-->q<b c>\"t\"(x'<=>y<=1<<N-1)"),
            [
                Name,
                Less,
                Name,
                Greater,
                Arrow,
                Name,
                Less,
                Name,
                Name,
                Greater,
                Text,
                LeftParenthesis,
                Name,
                Prime,
                Equivalent,
                Name,
                LessEqual,
                Number,
                ShiftLeft,
                Name,
                Minus,
                Number,
                RightParenthesis
            ]
        );
    }

    #[test]
    fn names_hold_dots_and_numbers_do_not() {
        assert_eq!(
            kinds(b"a.b.c A E Ax 1.2 2x .a"),
            [Name, ForAll, Exists, Name, Unknown, Unknown, Unknown, Name]
        );
    }

    #[test]
    fn comments_hold_any_bytes() {
        assert_eq!(
            kinds(b"x # \xff \"\n%\xfe\ny{}~\xff"),
            [Name, Name, Unknown]
        );
    }

    #[test]
    fn text_ends_at_the_next_quote() {
        assert_eq!(
            kinds(b"\"a # b\" \"\" \"c\nd\" \"e"),
            [Text, Text, Text, OpenText]
        );
    }
}
