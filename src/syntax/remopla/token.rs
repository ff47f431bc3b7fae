//! The words of Remopla.

use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    Name,
    Number,

    // Keywords.
    Assert,
    Assume,
    Bool,
    Break,
    Define,
    Do,
    Else,
    Enum,
    False,
    Fi,
    Goto,
    If,
    Init,
    Int,
    Module,
    Od,
    Return,
    Shared,
    Skip,
    Struct,
    True,
    Undef,
    Void,

    // Signs.
    And,
    Arrow,
    Assign,
    Bang,
    BitAnd,
    BitOr,
    BitXor,
    Colon,
    ColonColon,
    Comma,
    Dot,
    EqualEqual,
    Greater,
    GreaterEqual,
    LeftBrace,
    LeftBracket,
    LeftParenthesis,
    Less,
    LessEqual,
    Minus,
    NotEqual,
    Or,
    Plus,
    RightBrace,
    RightBracket,
    RightParenthesis,
    Semicolon,
    ShiftLeft,
    ShiftRight,
    Slash,
    Star,
    Xor,

    /// Characters that mean nothing here; the parser reports them where it meets them.
    Unknown,
    /// A comment that does not end; only the end of the file follows.
    OpenComment,
    EndOfFile,
}

use TokenKind::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// All keywords with their spelling.
pub const KEYWORDS: [(TokenKind, &str); 23] = [
    (Assert, "assert"),
    (Assume, "assume"),
    (Bool, "bool"),
    (Break, "break"),
    (Define, "define"),
    (Do, "do"),
    (Else, "else"),
    (Enum, "enum"),
    (False, "false"),
    (Fi, "fi"),
    (Goto, "goto"),
    (If, "if"),
    (Init, "init"),
    (Int, "int"),
    (Module, "module"),
    (Od, "od"),
    (Return, "return"),
    (Shared, "shared"),
    (Skip, "skip"),
    (Struct, "struct"),
    (True, "true"),
    (Undef, "undef"),
    (Void, "void"),
];

const SIGNS: [(TokenKind, &str); 32] = [
    (And, "&&"),
    (Arrow, "->"),
    (Assign, "="),
    (Bang, "!"),
    (BitAnd, "&"),
    (BitOr, "|"),
    (BitXor, "^"),
    (Colon, ":"),
    (ColonColon, "::"),
    (Comma, ","),
    (Dot, "."),
    (EqualEqual, "=="),
    (Greater, ">"),
    (GreaterEqual, ">="),
    (LeftBrace, "{"),
    (LeftBracket, "["),
    (LeftParenthesis, "("),
    (Less, "<"),
    (LessEqual, "<="),
    (Minus, "-"),
    (NotEqual, "!="),
    (Or, "||"),
    (Plus, "+"),
    (RightBrace, "}"),
    (RightBracket, "]"),
    (RightParenthesis, ")"),
    (Semicolon, ";"),
    (ShiftLeft, "<<"),
    (ShiftRight, ">>"),
    (Slash, "/"),
    (Star, "*"),
    (Xor, "^^"),
];

impl TokenKind {
    /// The spelling of a keyword or a sign.
    pub fn spelling(self) -> Option<&'static str> {
        KEYWORDS
            .iter()
            .chain(&SIGNS)
            .find(|(kind, _)| *kind == self)
            .map(|(_, spelling)| *spelling)
    }

    pub fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|(kind, _)| *kind == self)
    }

    /// The kind of a word.
    pub fn of_word(text: &[u8]) -> Self {
        // Most names are told from keywords by their length or first letter.
        let known = |(_, spelling): &&(TokenKind, &str)| spelling.as_bytes() == text;
        match text.first() {
            Some(b'a'..=b'v') if (2..=6).contains(&text.len()) => {
                KEYWORDS.iter().find(known).map_or(Name, |(kind, _)| *kind)
            }
            _ => Name,
        }
    }

    /// Whether a missing `;` before this token goes without saying.
    pub fn ends_a_sequence(self) -> bool {
        matches!(self, Fi | Od | ColonColon | RightBrace)
    }

    /// What begins a declaration inside or outside a module.
    pub fn begins_declaration(self) -> bool {
        matches!(self, Bool | Enum | Int | Shared | Struct)
    }

    /// What stands outside of modules only.
    pub fn begins_outside(self) -> bool {
        matches!(self, Define | Init | Module)
    }

    /// What no statement goes on with: another one begins, or its sequence ends.
    pub fn stops_recovery(self) -> bool {
        self.ends_a_sequence()
            || self.begins_declaration()
            || self.begins_outside()
            || matches!(
                self,
                Assert | Assume | Break | Do | Goto | If | Return | Skip | OpenComment | EndOfFile
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_recognised_in_lower_case_only() {
        for (kind, spelling) in KEYWORDS {
            assert_eq!(TokenKind::of_word(spelling.as_bytes()), kind, "{spelling}");
            let upper = spelling.to_uppercase();
            assert_eq!(TokenKind::of_word(upper.as_bytes()), Name);
        }
        for word in ["A", "E", "i", "define_", "DEFAULT_INT_BITS", "mains"] {
            assert_eq!(TokenKind::of_word(word.as_bytes()), Name, "{word}");
        }
    }
}
