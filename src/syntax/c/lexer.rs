//! Preprocessing tokens, one at a time, on demand.
//!
//! Line splices are taken out before anything else is looked at, once for each file, with a table
//! of where they were; so no token has to be read around them. The lexer is a position in the
//! clean text. Each byte is looked at once, except where the preprocessor looks ahead.

use super::token::{Kind, PUNCTUATORS};
use crate::names::{Name, Names};
use crate::source::Span;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::LazyLock;

/// What a preprocessing token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Identifier,
    Number,
    Character,
    Text,
    Punctuator(Kind),
    /// A quote without another one on its line.
    OpenQuote,
    /// A comment that does not end; only the end of the file follows.
    OpenComment,
    /// Bytes that begin no token.
    Other,
    Newline,
    EndOfFile,
    /// What an empty argument beside `##` is.
    Placemarker,
}

/// A token as the lexer finds it, with its place in the clean text.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    pub class: Class,
    pub start: usize,
    pub end: usize,
    /// Whether blanks or comments stand before it on its line.
    pub is_spaced: bool,
}

/// A preprocessing token.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    pub class: Class,
    /// Whether white space stands before it.
    pub is_spaced: bool,
    /// Whether it is the name of a macro that is never expanded again: it was found in the
    /// expansion of that macro.
    pub is_painted: bool,
    /// Where it stands; if it comes from a macro, where that is used.
    pub span: Span,
    /// Of an identifier the name, of other tokens the place of their spelling in a table.
    value: u32,
}

impl Lexeme {
    pub fn is(&self, kind: Kind) -> bool {
        self.class == Class::Punctuator(kind)
    }

    /// Whether it is written in the same way.
    pub fn is_like(&self, other: &Lexeme) -> bool {
        (self.class, self.value) == (other.class, other.value)
    }

    /// The index of the spelling of what is neither identifier nor punctuator, which makes two
    /// constants equal.
    pub fn spelling_index(&self) -> u32 {
        self.value
    }

    pub fn placemarker(span: Span) -> Self {
        Lexeme {
            class: Class::Placemarker,
            is_spaced: false,
            is_painted: false,
            span,
            value: 0,
        }
    }
}

/// All spellings.
#[derive(Debug, Default)]
pub struct Spellings {
    pub names: Names,
    others: IndexSet<Box<[u8]>, FxBuildHasher>,
}

impl Spellings {
    /// The lexeme of a token with this text.
    pub fn lexeme(&mut self, class: Class, text: &[u8], is_spaced: bool, span: Span) -> Lexeme {
        let value = match class {
            Class::Identifier => match std::str::from_utf8(text) {
                Ok(text) if !text.contains('\\') => self.names.intern(text).index(),
                _ => self.names.intern(&with_characters(text)).index(),
            },
            Class::Punctuator(kind) => {
                let is_it = |(known, spelling): &(Kind, &str)| {
                    *known == kind && spelling.as_bytes() == text
                };
                PUNCTUATORS.iter().position(is_it).unwrap_or_default()
            }
            _ => match self.others.get_index_of(text) {
                Some(index) => index,
                None => self.others.insert_full(text.into()).0,
            },
        };
        Lexeme {
            class,
            is_spaced,
            is_painted: false,
            span,
            value: value as u32,
        }
    }

    /// The name of an identifier.
    pub fn name(&self, lexeme: &Lexeme) -> Option<Name> {
        match lexeme.class {
            Class::Identifier => self.names.nth(lexeme.value as usize),
            _ => None,
        }
    }

    pub fn bytes(&self, lexeme: &Lexeme) -> &[u8] {
        let index = lexeme.value as usize;
        match (self.name(lexeme), lexeme.class) {
            (Some(name), _) => self.names.text(name).as_bytes(),
            (_, Class::Punctuator(_)) => PUNCTUATORS[index].1.as_bytes(),
            (_, Class::Placemarker) => b"",
            _ => self.others.get_index(index).map_or(b"", |text| text),
        }
    }

    /// The spelling for messages.
    pub fn text(&self, lexeme: &Lexeme) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(lexeme))
    }
}

/// The text of a file without line splices.
#[derive(Debug)]
pub struct CleanText {
    bytes: Vec<u8>,
    /// For each splice, where in the clean text it was, and how many bytes have been taken out
    /// up to there.
    splices: Vec<(u32, u32)>,
}

impl CleanText {
    pub fn new(text: &[u8]) -> Self {
        let mut clean = CleanText {
            bytes: Vec::with_capacity(text.len()),
            splices: Vec::new(),
        };
        let mut rest = text;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
            let behind = &rest[at + 1..];
            // White space between the backslash and the line break is not seen by users.
            let blanks = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
            let blanks = behind.iter().take_while(blanks).count();
            let length = match behind.get(blanks) {
                Some(b'\n') => blanks + 2,
                _ => 0,
            };
            let kept = at + usize::from(length == 0);
            clean.bytes.extend(&rest[..kept]);
            rest = &rest[kept + length..];
            if length > 0 {
                let before = clean.splices.last().map_or(0, |(_, bytes)| *bytes);
                let place = clean.bytes.len() as u32;
                clean.splices.push((place, before + length as u32));
            }
        }
        clean.bytes.extend(rest);
        clean
    }

    /// The offset in the file of a byte of the clean text.
    fn original(&self, offset: usize) -> u32 {
        let offset = offset as u32;
        let after = self.splices.partition_point(|(place, _)| *place <= offset);
        let removed = self.splices[..after].last().map_or(0, |(_, bytes)| *bytes);
        offset + removed
    }
}

/// A position in a file.
#[derive(Clone, Debug)]
pub struct Lexer {
    text: Rc<CleanText>,
    position: usize,
    /// The offset of the file in its source.
    base: u32,
}

type Punctuator = (Kind, &'static [u8]);

/// The punctuators by their first byte, the longest first.
static BY_FIRST_BYTE: LazyLock<Vec<Vec<Punctuator>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 256];
    for (kind, text) in PUNCTUATORS {
        let text = text.as_bytes();
        table[usize::from(text[0])].push((*kind, text));
    }
    for list in &mut table {
        list.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    }
    table
});

impl Lexer {
    pub fn new(text: Rc<CleanText>, base: u32) -> Self {
        Lexer {
            text,
            position: 0,
            base,
        }
    }

    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes on reading at a position that was asked for.
    pub fn seek(&mut self, position: usize) {
        self.position = position;
    }

    /// The place of a part of the clean text in the source.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let first = self.text.original(start);
        let last = match end > start {
            true => self.text.original(end - 1) + 1,
            false => first,
        };
        Span::new(self.base + first, self.base + last)
    }

    pub fn text(&self, raw: &Raw) -> &[u8] {
        &self.text.bytes[raw.start..raw.end]
    }

    /// The lexeme of a token that has been read.
    pub fn lexeme(&self, raw: &Raw, spellings: &mut Spellings) -> Lexeme {
        let span = self.span(raw.start, raw.end);
        spellings.lexeme(raw.class, self.text(raw), raw.is_spaced, span)
    }

    pub fn next_token(&mut self) -> Raw {
        let mut is_spaced = false;
        loop {
            let start = self.position;
            let rest = &self.text.bytes[start..];
            let (class, length) = match rest {
                [] => (Class::EndOfFile, 0),
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0, ..] => {
                    self.position += 1;
                    is_spaced = true;
                    continue;
                }
                [b'\n', ..] => (Class::Newline, 1),
                [b'/', b'/', ..] => {
                    self.position += count(rest, |byte| byte != b'\n');
                    is_spaced = true;
                    continue;
                }
                [b'/', b'*', ..] => match rest[2..].windows(2).position(|two| two == b"*/") {
                    Some(length) => {
                        self.position += length + 4;
                        is_spaced = true;
                        continue;
                    }
                    None => (Class::OpenComment, rest.len()),
                },
                [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => (Class::Number, number(rest)),
                [byte, ..] if is_name(*byte) || universal(rest).is_some() => word(rest),
                [quote @ (b'"' | b'\''), ..] => quoted(rest, 0, *quote),
                [byte, ..] => {
                    let candidates = &BY_FIRST_BYTE[usize::from(*byte)];
                    let found = candidates.iter().find(|(_, text)| rest.starts_with(text));
                    match found {
                        Some((kind, text)) => (Class::Punctuator(*kind), text.len()),
                        None => (Class::Other, 1),
                    }
                }
            };
            self.position += length;
            return Raw {
                class,
                start,
                end: self.position,
                is_spaced,
            };
        }
    }

    /// The name of a header, with its quotes or angle brackets, if one stands next on this line.
    pub fn header(&mut self) -> Option<Raw> {
        let rest = &self.text.bytes[self.position..];
        let blanks = count(rest, |byte| matches!(byte, b' ' | b'\t'));
        let rest = &rest[blanks..];
        let close = match rest.first()? {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let length = 1 + count(&rest[1..], |byte| byte != close && byte != b'\n');
        if rest.get(length) != Some(&close) {
            return None;
        }
        let start = self.position + blanks;
        self.position = start + length + 1;
        Some(Raw {
            class: Class::Text,
            start,
            end: self.position,
            is_spaced: blanks > 0,
        })
    }

    /// The rest of the line, which is then done with, without blanks around it.
    pub fn rest_of_line(&mut self) -> Raw {
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
        let rest = &self.text.bytes[self.position..];
        let blanks = count(rest, is_blank);
        let length = count(rest, |byte| byte != b'\n');
        let text = &rest[..length];
        let end = text.iter().rposition(|byte| !is_blank(*byte));
        let start = self.position + blanks.min(length);
        let end = end.map_or(start, |last| self.position + last + 1);
        self.position += length;
        Raw {
            class: Class::Other,
            start,
            end,
            is_spaced: blanks > 0,
        }
    }
}

fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| belongs(**byte)).count()
}

/// Whether a name can begin with it. Letters beyond ASCII are read as they are.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The universal character name (`\u00e9`, `\U000000e9`) at the beginning, and its length.
fn universal(text: &[u8]) -> Option<(char, usize)> {
    let length = match text {
        [b'\\', b'u', ..] => 6,
        [b'\\', b'U', ..] => 10,
        _ => return None,
    };
    let digits = std::str::from_utf8(text.get(2..length)?).ok()?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some((char::from_u32(number)?, length))
}

/// A name with the characters in the place of their universal names: both are one.
fn with_characters(text: &[u8]) -> String {
    let mut name = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = match universal(rest) {
            Some((character, length)) => {
                name.extend(character.encode_utf8(&mut [0; 4]).bytes());
                &rest[length..]
            }
            None => {
                name.push(*first);
                behind
            }
        };
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// A name, or a literal that begins like one.
fn word(rest: &[u8]) -> (Class, usize) {
    let mut length = 0;
    loop {
        length += count(&rest[length..], |byte| {
            is_name(byte) || byte.is_ascii_digit()
        });
        match universal(&rest[length..]) {
            Some((_, more)) => length += more,
            None => break,
        }
    }
    let text = &rest[..length];
    match (text, rest.get(length)) {
        (b"L" | b"u" | b"U" | b"u8", Some(b'"')) => quoted(rest, length, b'"'),
        (b"L" | b"u" | b"U", Some(b'\'')) => quoted(rest, length, b'\''),
        _ if text.is_ascii() || std::str::from_utf8(text).is_ok() => (Class::Identifier, length),
        _ => (Class::Other, length),
    }
}

/// A literal whose quote stands at an offset.
fn quoted(rest: &[u8], offset: usize, quote: u8) -> (Class, usize) {
    let mut at = offset + 1;
    loop {
        match rest.get(at) {
            None | Some(b'\n') => return (Class::OpenQuote, at),
            Some(b'\\') if rest.get(at + 1).is_some_and(|byte| *byte != b'\n') => at += 2,
            Some(byte) if *byte == quote => break,
            Some(_) => at += 1,
        }
    }
    let class = match quote {
        b'"' => Class::Text,
        _ => Class::Character,
    };
    (class, at + 1)
}

fn number(rest: &[u8]) -> usize {
    let mut length = 1;
    while let Some(byte) = rest.get(length) {
        let is_sign = matches!(byte, b'+' | b'-');
        let is_exponent = matches!(rest[length - 1], b'e' | b'E' | b'p' | b'P');
        let goes_on = is_name(*byte) || byte.is_ascii_digit() || *byte == b'.';
        if !(goes_on || is_sign && is_exponent) {
            break;
        }
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Class, String, Span)> {
        let mut lexer = Lexer::new(Rc::new(CleanText::new(text.as_bytes())), 0);
        let mut found = Vec::new();
        loop {
            let raw = lexer.next_token();
            if raw.class == Class::EndOfFile {
                return found;
            }
            let text = String::from_utf8_lossy(lexer.text(&raw)).into_owned();
            found.push((raw.class, text, lexer.span(raw.start, raw.end)));
        }
    }

    fn texts(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|(_, text, _)| text).collect()
    }

    #[test]
    fn every_punctuator_is_found() {
        for (kind, text) in PUNCTUATORS {
            assert_eq!(tokens(text)[0].0, Class::Punctuator(*kind), "{text}");
            let padded = format!("{text} x");
            assert_eq!(tokens(&padded)[0].1, *text);
        }
        assert_eq!(
            texts("a+++b>>=c...d"),
            ["a", "++", "+", "b", ">>=", "c", "...", "d"]
        );
    }

    #[test]
    fn numbers_names_and_literals() {
        let text = r#"0x1p-3 1.5e+3f .5 12ull 1..2 L"a\"b" u8"x" 'a' L'\'' u8'c' été $x"#;
        let expected = [
            "0x1p-3",
            "1.5e+3f",
            ".5",
            "12ull",
            "1..2",
            r#"L"a\"b""#,
            r#"u8"x""#,
            "'a'",
            r"L'\''",
            "u8",
            "'c'",
            "été",
            "$x",
        ];
        assert_eq!(texts(text), expected);
        assert_eq!(texts(r"a\u00e9b \u12 c"), [r"a\u00e9b", r"\", "u12", "c"]);
        let mut spellings = Spellings::default();
        let mut name = |text: &[u8]| {
            let lexeme = spellings.lexeme(Class::Identifier, text, false, Span::default());
            spellings.name(&lexeme)
        };
        assert_eq!(name(br"\u00e9t\U000000E9"), name("été".as_bytes()));
        assert_eq!(tokens("\"abc")[0].0, Class::OpenQuote);
        assert_eq!(tokens("'a\n'")[0].0, Class::OpenQuote);
        assert_eq!(tokens("/* x")[0].0, Class::OpenComment);
        assert_eq!(tokens("@")[0].0, Class::Other);
    }

    #[test]
    fn splices_are_taken_out_and_places_stay() {
        let text = "ab\\\ncd \\ \t\n+\\\r\n= x\\y // c \\\n c\nz";
        let found = tokens(text);
        let words: Vec<&str> = found.iter().map(|(_, text, _)| &**text).collect();
        assert_eq!(words, ["abcd", "+=", "x", "\\", "y", "\n", "z"]);
        for (_, word, span) in &found {
            let written = &text[span.start as usize..span.end as usize];
            let plain: String = written.chars().filter(|c| !"\\\r\n".contains(*c)).collect();
            if !["\\", "\n"].contains(&&**word) {
                assert_eq!(plain, *word);
            }
        }
        assert_eq!(texts("\"a\\\\\n\" x"), ["\"a\\\" x"]);
    }
}
