//! From bytes to tokens, one at a time, on demand.
//!
//! The lexer is a position in the bytes and a table that classes each byte. It keeps no
//! tokens and reports nothing: what is wrong comes out as a token of its own kind, and the
//! parser, which knows what it was reading, puts it into words. Each byte is looked at once,
//! except that the parser may set the position back to read a short stretch again.

use super::token::{Token, TokenKind, classify_word};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Digit,
    Sign,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => Class::Blank,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => Class::Word,
            b'0'..=b'9' => Class::Digit,
            b'&' | b':' | b'!' | b'~' | b',' | b'.' | b'=' | b'<' | b'>' | b'{' | b'}' | b'['
            | b']' | b'(' | b')' | b'|' | b'?' | b';' | b'*' | b'\'' | b'^' | b'/' => Class::Sign,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// For each byte, whether a plain name may go on with it.
const GOES_ON: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(CLASSES[byte], Class::Word | Class::Digit);
        byte += 1;
    }
    table
};

#[derive(Clone)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
        let position = if bytes.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        Lexer { bytes, position }
    }

    /// A lexer for the part of `bytes` up to `end`, from `start` on.
    pub fn within(bytes: &'a [u8], start: u32, end: u32) -> Self {
        Lexer {
            bytes: &bytes[..end as usize],
            position: start as usize,
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
    pub fn next_token(&mut self) -> Token {
        use TokenKind::*;
        loop {
            let start = self.position;
            let Some(&byte) = self.bytes.get(start) else {
                return self.token(EndOfFile, start, start);
            };
            match CLASSES[byte as usize] {
                Class::Blank => self.position += 1,
                Class::Word => {
                    let end = self.end_of_word(start + 1);
                    return self.token(classify_word(&self.bytes[start..end]), start, end);
                }
                Class::Digit => {
                    let end = self.end_of_word(start + 1);
                    let kind = match &self.bytes[start..end] {
                        b"0" => False,
                        b"1" => True,
                        word if word.iter().all(u8::is_ascii_digit) => Number,
                        _ => Unknown,
                    };
                    return self.token(kind, start, end);
                }
                Class::Sign => {
                    let after = |n: usize| self.bytes.get(start + n).copied().unwrap_or(0);
                    let (kind, length) = match byte {
                        b'&' if after(1) == b'&' => (And, 2),
                        b'&' => (And, 1),
                        b':' if after(1) == b'=' => (Assign, 2),
                        b':' => (Colon, 1),
                        b'!' if after(1) == b'=' => (NotEqual, 2),
                        b'!' | b'~' => (Bang, 1),
                        b',' => (Comma, 1),
                        b'.' => (Dot, 1),
                        b'=' if after(1) == b'=' => (EqualEqual, 2),
                        b'=' if after(1) == b'>' => (Implies, 2),
                        b'=' => (Equal, 1),
                        b'<' if after(1) == b'=' && after(2) == b'>' => (Equivalent, 3),
                        b'<' => (Less, 1),
                        b'>' => (Greater, 1),
                        b'{' => (LeftBrace, 1),
                        b'}' => (RightBrace, 1),
                        b'[' => (LeftBracket, 1),
                        b']' => (RightBracket, 1),
                        b'(' => (LeftParenthesis, 1),
                        b')' => (RightParenthesis, 1),
                        b'|' if after(1) == b'|' => (Or, 2),
                        b'|' => (Or, 1),
                        b'?' => (Question, 1),
                        b';' => (Semicolon, 1),
                        b'*' => (Star, 1),
                        b'\'' => (Tick, 1),
                        b'^' => (Xor, 1),
                        b'/' if after(1) == b'/' => {
                            self.skip_line_comment();
                            continue;
                        }
                        b'/' if after(1) == b'*' => {
                            if self.skip_block_comment() {
                                continue;
                            }
                            return self.token(OpenComment, start, self.bytes.len());
                        }
                        _ => (Unknown, 1),
                    };
                    return self.token(kind, start, start + length);
                }
                Class::Other => {
                    let rest = self.bytes[start..].iter();
                    let length = rest
                        .take_while(|byte| CLASSES[**byte as usize] == Class::Other)
                        .count();
                    return self.token(Unknown, start, start + length);
                }
            }
        }
    }

    /// Reads on a name whose `{` has just been read. Its end, or where the line ends
    /// without a `}`.
    pub fn name_in_braces(&mut self, open: Token) -> Result<Token, Token> {
        let start = open.start as usize;
        let rest = &self.bytes[start..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'}' | b'\n'))
            .unwrap_or(rest.len());
        if rest.get(length) == Some(&b'}') {
            Ok(self.token(TokenKind::Name, start, start + length + 1))
        } else {
            let text = rest[..length].trim_ascii_end().len();
            self.position = start + length;
            Err(Token {
                kind: TokenKind::Unknown,
                start: open.start,
                end: (start + text) as u32,
            })
        }
    }

    #[inline]
    fn token(&mut self, kind: TokenKind, start: usize, end: usize) -> Token {
        self.position = end;
        Token {
            kind,
            start: start as u32,
            end: end as u32,
        }
    }

    #[inline]
    fn end_of_word(&self, mut position: usize) -> usize {
        while let Some(&byte) = self.bytes.get(position)
            && GOES_ON[byte as usize]
        {
            position += 1;
        }
        position
    }

    fn skip_line_comment(&mut self) {
        let rest = &self.bytes[self.position..];
        self.position += rest
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(rest.len());
    }

    /// False, at the end of the file, if the comment does not end.
    fn skip_block_comment(&mut self) -> bool {
        let text = self.position + 2;
        match self.bytes[text..].windows(2).position(|w| w == b"*/") {
            Some(length) => {
                self.position = text + length + 2;
                true
            }
            None => {
                self.position = self.bytes.len();
                false
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
            kinds(b"a<=>b=>c==!d!=e:=f&&g||h"),
            [
                Name, Equivalent, Name, Implies, Name, EqualEqual, Bang, Name, NotEqual, Name,
                Assign, Name, And, Name, Or, Name
            ]
        );
        assert_eq!(kinds(b"bool<2>"), [Bool, Less, Number, Greater]);
    }

    #[test]
    fn comments_hold_any_bytes_and_do_not_nest() {
        assert_eq!(
            kinds(b"x // \xff\xfe\n*/* /* \xff */;"),
            [Name, Star, Semicolon]
        );
        assert_eq!(kinds(b"x /* ..."), [Name, OpenComment]);
        assert_eq!(kinds(b"x /*/"), [Name, OpenComment]);
    }

    #[test]
    fn a_byte_order_mark_only_at_the_beginning() {
        assert_eq!(kinds("\u{feff}x".as_bytes()), [Name]);
        assert_eq!(kinds("x\u{feff}".as_bytes()), [Name, Unknown]);
    }

    #[test]
    fn numbers_are_words_of_digits() {
        assert_eq!(
            kinds(b"0 1 2 01 1a"),
            [False, True, Number, Number, Unknown]
        );
    }

    #[test]
    fn a_name_in_braces_ends_on_its_line() {
        let mut lexer = Lexer::new(b"{*p == {q} x {y \n} z");
        let open = lexer.next_token();
        let name = lexer.name_in_braces(open).expect("it is closed");
        assert_eq!((name.start, name.end), (0, 10));
        assert_eq!(lexer.next_token().kind, Name);
        let open = lexer.next_token();
        let broken = lexer.name_in_braces(open).expect_err("it is not closed");
        assert_eq!((broken.start, broken.end), (13, 15));
        assert_eq!(lexer.next_token().kind, RightBrace);
    }
}
