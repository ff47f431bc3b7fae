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

/// At most eight bytes as one number, so that a keyword is found by comparing numbers.
const fn word(text: &[u8]) -> u64 {
    let mut word = 0;
    let mut index = 0;
    while index < text.len() {
        word |= (text[index] as u64) << (8 * index);
        index += 1;
    }
    word
}

/// The kind of a plain name, keyword or constant.
#[inline]
pub fn classify_word(text: &[u8]) -> TokenKind {
    const ABORTIF: u64 = word(b"abortif");
    const ASSERT: u64 = word(b"assert");
    const ASSUME: u64 = word(b"assume");
    const BEGIN: u64 = word(b"begin");
    const BOOL: u64 = word(b"bool");
    const CALL: u64 = word(b"call");
    const DEAD: u64 = word(b"dead");
    const DECL: u64 = word(b"decl");
    const DFS: u64 = word(b"dfs");
    const DO: u64 = word(b"do");
    const ELSE: u64 = word(b"else");
    const ELSIF: u64 = word(b"elsif");
    const END: u64 = word(b"end");
    const ENFORCE: u64 = word(b"enforce");
    const FI: u64 = word(b"fi");
    const GOTO: u64 = word(b"goto");
    const IF: u64 = word(b"if");
    const NOT: u64 = word(b"not");
    const OD: u64 = word(b"od");
    const PRINT: u64 = word(b"print");
    const RETURN: u64 = word(b"return");
    const SCHOOSE: u64 = word(b"schoose");
    const SKIP: u64 = word(b"skip");
    const THEN: u64 = word(b"then");
    const VOID: u64 = word(b"void");
    const WHILE: u64 = word(b"while");
    match text.len() {
        1 => match text[0] {
            b'_' => Underscore,
            b'F' => False,
            b'T' => True,
            _ => Name,
        },
        2..=7 => match word(text) {
            ABORTIF => Abortif,
            ASSERT => Assert,
            ASSUME => Assume,
            BEGIN => Begin,
            BOOL => Bool,
            CALL => Call,
            DEAD => Dead,
            DECL => Decl,
            DFS => Dfs,
            DO => Do,
            ELSE => Else,
            ELSIF => Elsif,
            END => End,
            ENFORCE => Enforce,
            FI => Fi,
            GOTO => Goto,
            IF => If,
            NOT => NotWord,
            OD => Od,
            PRINT => Print,
            RETURN => Return,
            SCHOOSE => Schoose,
            SKIP => Skip,
            THEN => Then,
            VOID => Void,
            WHILE => While,
            _ if text.eq_ignore_ascii_case(b"true") => True,
            _ if text.eq_ignore_ascii_case(b"false") => False,
            _ => Name,
        },
        9 if text == b"constrain" => Constrain,
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
