//! The words of the language.
//!
//! A token is a kind and a span; its text stays in the source. `{` is always a token of
//! its own: whether it opens a block or a name in braces depends on what the parser
//! expects there, so it is the parser that asks the lexer to read the name on.

use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// A plain name, or a name in braces once the parser has asked for it.
    Name,
    /// `_` alone.
    Underscore,
    False,
    True,
    /// Digits other than `0` and `1`, which are constants.
    Number,

    // Keywords.
    Abortif,
    Assert,
    Assume,
    Begin,
    Bool,
    Call,
    Constrain,
    Dead,
    Decl,
    Dfs,
    Do,
    Else,
    Elsif,
    End,
    Enforce,
    Fi,
    Goto,
    If,
    NotWord,
    Od,
    Print,
    Return,
    Schoose,
    Skip,
    Then,
    Void,
    While,

    // Signs.
    And,
    Assign,
    Bang,
    Colon,
    Comma,
    Dot,
    Equal,
    EqualEqual,
    Equivalent,
    Greater,
    Implies,
    LeftBrace,
    LeftBracket,
    LeftParenthesis,
    Less,
    NotEqual,
    Or,
    Question,
    RightBrace,
    RightBracket,
    RightParenthesis,
    Semicolon,
    Star,
    Tick,
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
pub const KEYWORDS: [(TokenKind, &str); 27] = [
    (Abortif, "abortif"),
    (Assert, "assert"),
    (Assume, "assume"),
    (Begin, "begin"),
    (Bool, "bool"),
    (Call, "call"),
    (Constrain, "constrain"),
    (Dead, "dead"),
    (Decl, "decl"),
    (Dfs, "dfs"),
    (Do, "do"),
    (Else, "else"),
    (Elsif, "elsif"),
    (End, "end"),
    (Enforce, "enforce"),
    (Fi, "fi"),
    (Goto, "goto"),
    (If, "if"),
    (NotWord, "not"),
    (Od, "od"),
    (Print, "print"),
    (Return, "return"),
    (Schoose, "schoose"),
    (Skip, "skip"),
    (Then, "then"),
    (Void, "void"),
    (While, "while"),
];

const SIGNS: [(TokenKind, &str); 25] = [
    (And, "&"),
    (Assign, ":="),
    (Bang, "!"),
    (Colon, ":"),
    (Comma, ","),
    (Dot, "."),
    (Equal, "="),
    (EqualEqual, "=="),
    (Equivalent, "<=>"),
    (Greater, ">"),
    (Implies, "=>"),
    (LeftBrace, "{"),
    (LeftBracket, "["),
    (LeftParenthesis, "("),
    (Less, "<"),
    (NotEqual, "!="),
    (Or, "|"),
    (Question, "?"),
    (RightBrace, "}"),
    (RightBracket, "]"),
    (RightParenthesis, ")"),
    (Semicolon, ";"),
    (Star, "*"),
    (Tick, "'"),
    (Xor, "^"),
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

    /// Whether a missing `;` before this token goes without saying.
    pub fn closes_a_sequence(self) -> bool {
        matches!(self, End | Fi | Od | Else | Elsif | RightBrace)
    }

    /// The keywords that no statement goes on with: one begins, or its sequence ends.
    pub fn stops_recovery(self) -> bool {
        self.closes_a_sequence()
            || matches!(
                self,
                Abortif
                    | Assert
                    | Assume
                    | Begin
                    | Bool
                    | Dead
                    | Decl
                    | Dfs
                    | Enforce
                    | Goto
                    | If
                    | Print
                    | Return
                    | Skip
                    | Void
                    | While
                    | OpenComment
                    | EndOfFile
            )
    }
}

/// The kind of a plain name, keyword or constant.
pub fn classify_word(word: &[u8]) -> TokenKind {
    match word {
        b"_" => return Underscore,
        b"F" => return False,
        b"T" => return True,
        _ => {}
    }
    if word.len() == 1 || word.len() > 9 {
        return Name;
    }
    match word {
        b"abortif" => Abortif,
        b"assert" => Assert,
        b"assume" => Assume,
        b"begin" => Begin,
        b"bool" => Bool,
        b"call" => Call,
        b"constrain" => Constrain,
        b"dead" => Dead,
        b"decl" => Decl,
        b"dfs" => Dfs,
        b"do" => Do,
        b"else" => Else,
        b"elsif" => Elsif,
        b"end" => End,
        b"enforce" => Enforce,
        b"fi" => Fi,
        b"goto" => Goto,
        b"if" => If,
        b"not" => NotWord,
        b"od" => Od,
        b"print" => Print,
        b"return" => Return,
        b"schoose" => Schoose,
        b"skip" => Skip,
        b"then" => Then,
        b"void" => Void,
        b"while" => While,
        _ if word.len() == 4 && word.eq_ignore_ascii_case(b"true") => True,
        _ if word.len() == 5 && word.eq_ignore_ascii_case(b"false") => False,
        _ => Name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_recognised_in_lower_case_only() {
        for (kind, spelling) in KEYWORDS {
            assert_eq!(classify_word(spelling.as_bytes()), kind, "{spelling}");
            assert_eq!(classify_word(spelling.to_uppercase().as_bytes()), Name);
        }
    }

    #[test]
    fn constants_in_their_spellings() {
        for word in ["F", "false", "FALSE", "False", "fAlSe"] {
            assert_eq!(classify_word(word.as_bytes()), False, "{word}");
        }
        for word in ["T", "true", "TRUE", "True"] {
            assert_eq!(classify_word(word.as_bytes()), True, "{word}");
        }
        for word in ["f", "t", "Tr", "_x", "$"] {
            assert_eq!(classify_word(word.as_bytes()), Name, "{word}");
        }
    }
}
