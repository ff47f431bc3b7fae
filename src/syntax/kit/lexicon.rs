//! The words of a language, and the tables by which they are found.
//!
//! A language lists its keywords and signs once, with [`lexicon!`]. From the list come the kinds
//! of its tokens and, while derny is compiled, three tables: the class of each byte, the signs
//! by their first byte with the longest first, and the keywords by a hash of their first eight
//! bytes. A word is then classed by one multiplication and at most a few comparisons of numbers.

use std::fmt::Debug;

/// The kinds of a language's tokens.
pub trait Lexicon: Copy + Eq + Debug + 'static {
    const NAME: Self;
    const NUMBER: Self;
    /// Characters that mean nothing; the parser reports them where it meets them.
    const UNKNOWN: Self;
    /// A comment that does not end; only the end of the file follows.
    const OPEN_COMMENT: Self;
    const END_OF_FILE: Self;
    const COMMA: Self;
    const SEMICOLON: Self;
    const LEFT_PARENTHESIS: Self;
    const RIGHT_PARENTHESIS: Self;

    const KEYWORDS: &'static [(Self, &'static str)];
    /// All signs; of several with one meaning, messages use the first.
    const SIGNS: &'static [(Meaning<Self>, &'static str)];
    const TABLES: &'static Tables<Self>;

    /// The kind of what stands between quotes, and of a quote that has no other.
    const TEXT: Option<(Self, Self)> = None;
    /// What a name may begin with besides a letter.
    const NAME_BEGIN: &'static str;
    /// What a name may go on with besides letters, digits and what it may begin with.
    const NAME_REST: &'static str = "";
    /// What to say of a number that goes on as a name.
    const NAME_HINT: &'static str;

    /// The number of the kind, below 256.
    fn index(self) -> usize;

    /// The kind of a word that is no keyword.
    #[inline]
    fn of_word(_text: &[u8]) -> Self {
        Self::NAME
    }

    /// The kind of a word made of digits.
    #[inline]
    fn of_digits(_text: &[u8]) -> Self {
        Self::NUMBER
    }

    /// The spelling of a keyword or a sign.
    fn spelling(self) -> Option<&'static str> {
        let keywords = Self::KEYWORDS.iter();
        let keywords = keywords.map(|&(kind, text)| (Meaning::Token(kind), text));
        let mut words = keywords.chain(Self::SIGNS.iter().copied());
        let found = words.find(|(meaning, _)| *meaning == Meaning::Token(self));
        found.map(|(_, text)| text)
    }

    /// What comes before the text of such a token in a message.
    fn category(self) -> &'static str {
        match Self::KEYWORDS.iter().any(|(kind, _)| *kind == self) {
            true => "the keyword ",
            false => "",
        }
    }
}

/// Declares `TokenKind` with its keywords and signs, and the rest of its [`Lexicon`].
macro_rules! lexicon {
    (
        others { $($(#[$doc:meta])* $other:ident,)* }
        keywords { $($keyword:ident $word:literal,)* }
        signs { $($sign:ident $($text:literal)+,)* }
        delimiters { $($delimiter:ident $begin:literal,)* }
        $($item:item)*
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum TokenKind {
            Name,
            Number,
            $($(#[$doc])* $other,)*
            $($keyword,)*
            $($sign,)*
            Unknown,
            OpenComment,
            EndOfFile,
        }

        impl $crate::syntax::kit::Lexicon for TokenKind {
            const NAME: Self = Self::Name;
            const NUMBER: Self = Self::Number;
            const UNKNOWN: Self = Self::Unknown;
            const OPEN_COMMENT: Self = Self::OpenComment;
            const END_OF_FILE: Self = Self::EndOfFile;
            const COMMA: Self = Self::Comma;
            const SEMICOLON: Self = Self::Semicolon;
            const LEFT_PARENTHESIS: Self = Self::LeftParenthesis;
            const RIGHT_PARENTHESIS: Self = Self::RightParenthesis;
            const KEYWORDS: &'static [(Self, &'static str)] = &[$((Self::$keyword, $word)),*];
            const SIGNS: &'static [($crate::syntax::kit::Meaning<Self>, &'static str)] = {
                use $crate::syntax::kit::Meaning;
                &[
                    $($((Meaning::Token(Self::$sign), $text)),+,)*
                    $((Meaning::$delimiter, $begin)),*
                ]
            };

            const TABLES: &'static $crate::syntax::kit::Tables<Self> =
                &$crate::syntax::kit::Tables::build();

            #[inline]
            fn index(self) -> usize {
                self as usize
            }

            $($item)*
        }
    };
}

pub(in crate::syntax) use lexicon;

/// What the lexer does with a byte at the beginning of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Blank,
    Word,
    Digit,
    /// A sign of its own, and the beginning of no other.
    Single,
    Sign,
    /// No token begins with it.
    Other,
}

/// What a sign is, or begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning<K> {
    Token(K),
    /// Up to the end of the line.
    LineComment,
    /// Up to `*/`.
    BlockComment,
    /// Up to the next quote.
    Text,
}

/// At most four bytes and a mask for them.
#[derive(Clone, Copy)]
pub struct Sign<K> {
    pub word: u32,
    pub mask: u32,
    pub length: usize,
    pub meaning: Meaning<K>,
}

const MOST_SIGNS: usize = 64;
const LONGEST_SIGN: usize = 4;
const KEYWORD_BITS: u32 = 7;

pub struct Tables<K: 'static> {
    pub classes: [Class; 256],
    /// For each byte, whether a name may go on with it.
    pub name_bytes: [bool; 256],
    /// The kinds of the bytes that are [`Class::Single`].
    pub singles: [K; 256],
    signs: [Option<Sign<K>>; MOST_SIGNS],
    /// For each byte, where the signs that begin with it begin and end.
    signs_of: [(u8, u8); 256],
    /// The first eight bytes of each keyword, by hash with linear probing; 0 where there is none.
    words: [u64; 1 << KEYWORD_BITS],
    /// At the same places, the keywords' numbers.
    keywords: [u8; 1 << KEYWORD_BITS],
    longest_keyword: usize,
}

impl<K: Lexicon> Tables<K> {
    pub const fn build() -> Self {
        let mut tables = Tables {
            classes: [Class::Other; 256],
            name_bytes: [false; 256],
            singles: [K::UNKNOWN; 256],
            signs: [None; MOST_SIGNS],
            signs_of: [(0, 0); 256],
            words: [0; 1 << KEYWORD_BITS],
            keywords: [0; 1 << KEYWORD_BITS],
            longest_keyword: 0,
        };
        tables.fill_bytes();
        tables.fill_signs();
        tables.fill_keywords();
        tables
    }

    const fn fill_bytes(&mut self) {
        let mut byte = 0;
        while byte < 256 {
            let character = byte as u8;
            if character.is_ascii_whitespace() {
                self.classes[byte] = Class::Blank;
            } else if character.is_ascii_digit() {
                self.classes[byte] = Class::Digit;
                self.name_bytes[byte] = true;
            } else if character.is_ascii_alphabetic() || contains(K::NAME_BEGIN, character) {
                self.classes[byte] = Class::Word;
                self.name_bytes[byte] = true;
            } else if contains(K::NAME_REST, character) {
                self.name_bytes[byte] = true;
            }
            byte += 1;
        }
    }

    const fn fill_signs(&mut self) {
        let mut count = 0;
        let mut byte = 0;
        while byte < 256 {
            let first = count;
            let mut length = LONGEST_SIGN;
            while length > 0 {
                let mut index = 0;
                while index < K::SIGNS.len() {
                    let (meaning, text) = K::SIGNS[index];
                    let text = text.as_bytes();
                    if text.len() == length && text[0] as usize == byte {
                        self.signs[count] = Some(Sign {
                            word: word(text) as u32,
                            mask: u32::MAX >> (32 - 8 * length as u32),
                            length,
                            meaning,
                        });
                        count += 1;
                    }
                    index += 1;
                }
                length -= 1;
            }
            if count > first {
                self.classes[byte] = Class::Sign;
                self.signs_of[byte] = (first as u8, count as u8);
            }
            if let (true, Some(sign)) = (count == first + 1, self.signs[first])
                && let (1, Meaning::Token(kind)) = (sign.length, sign.meaning)
            {
                self.classes[byte] = Class::Single;
                self.singles[byte] = kind;
            }
            byte += 1;
        }
    }

    const fn fill_keywords(&mut self) {
        let mut index = 0;
        while index < K::KEYWORDS.len() {
            let text = K::KEYWORDS[index].1;
            let word = word(text.as_bytes());
            let mut place = hash(word);
            while self.words[place] != 0 {
                place = (place + 1) % self.words.len();
            }
            self.words[place] = word;
            self.keywords[place] = index as u8;
            if text.len() > self.longest_keyword {
                self.longest_keyword = text.len();
            }
            index += 1;
        }
    }

    /// The longest sign that `rest` begins with.
    #[inline]
    pub fn sign(&self, rest: &[u8]) -> Option<Sign<K>> {
        let four = match rest.first_chunk() {
            Some(four) => u32::from_le_bytes(*four),
            None => word(rest) as u32,
        };
        let (from, to) = self.signs_of[usize::from(four as u8)];
        let mut signs = self.signs[usize::from(from)..usize::from(to)]
            .iter()
            .flatten();
        signs.find(|sign| four & sign.mask == sign.word).copied()
    }

    /// The kind of the word at the beginning of `rest`, of this length.
    #[inline]
    pub fn word(&self, rest: &[u8], length: usize) -> K {
        let text = &rest[..length];
        if length > self.longest_keyword {
            return K::of_word(text);
        }
        let word = match rest.first_chunk() {
            Some(eight) if length < 8 => u64::from_le_bytes(*eight) & !(u64::MAX << (8 * length)),
            Some(eight) => u64::from_le_bytes(*eight),
            None => word(text),
        };
        let mut place = hash(word);
        while self.words[place] != 0 {
            if self.words[place] == word {
                let (kind, keyword) = K::KEYWORDS[usize::from(self.keywords[place])];
                if length <= 8 || keyword.as_bytes() == text {
                    return kind;
                }
            }
            place = (place + 1) % self.words.len();
        }
        K::of_word(text)
    }
}

const fn contains(set: &str, byte: u8) -> bool {
    let set = set.as_bytes();
    let mut index = 0;
    while index < set.len() {
        if set[index] == byte {
            return true;
        }
        index += 1;
    }
    false
}

/// The first eight bytes, or as many as there are, as one number.
const fn word(text: &[u8]) -> u64 {
    let mut word = 0;
    let mut index = 0;
    while index < text.len() && index < 8 {
        word |= (text[index] as u64) << (8 * index);
        index += 1;
    }
    word
}

const fn hash(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KEYWORD_BITS)) as usize
}
