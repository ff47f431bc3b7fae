//! The tokens of symbolic pushdown systems, and where they begin and end.

use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Name,
    Number,
    /// `"…"`, the quotes included.
    Text,

    Atoms,
    Bool,
    Define,
    /// `E`.
    Exists,
    /// `A`.
    ForAll,
    Global,
    Int,
    Local,

    And,
    Arrow,
    Bang,
    Comma,
    Equal,
    Equivalent,
    Greater,
    GreaterEqual,
    LeftBracket,
    LeftParenthesis,
    Less,
    LessEqual,
    Minus,
    NotEqual,
    Or,
    Plus,
    Prime,
    RightBracket,
    RightParenthesis,
    Semicolon,
    ShiftLeft,
    Slash,
    Star,
    Xor,

    /// A `"` after which there is no other.
    OpenText,
    /// Characters that mean nothing.
    Unknown,
    EndOfFile,
}

impl TokenKind {
    /// Words that are no names.
    pub fn is_keyword(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            Atoms | Bool | Define | Exists | ForAll | Global | Int | Local
        )
    }

    /// As it is written, if it is always written the same way.
    pub fn spelling(self) -> &'static str {
        use TokenKind::*;
        match self {
            Name => "a name",
            Number => "a number",
            Text | OpenText => "\"",
            Atoms => "atoms",
            Bool => "bool",
            Define => "define",
            Exists => "E",
            ForAll => "A",
            Global => "global",
            Int => "int",
            Local => "local",
            And => "&",
            Arrow => "-->",
            Bang => "!",
            Comma => ",",
            Equal => "=",
            Equivalent => "==",
            Greater => ">",
            GreaterEqual => ">=",
            LeftBracket => "[",
            LeftParenthesis => "(",
            Less => "<",
            LessEqual => "<=",
            Minus => "-",
            NotEqual => "!=",
            Or => "|",
            Plus => "+",
            Prime => "'",
            RightBracket => "]",
            RightParenthesis => ")",
            Semicolon => ";",
            ShiftLeft => "<<",
            Slash => "/",
            Star => "*",
            Xor => "^",
            Unknown | EndOfFile => "",
        }
    }
}

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

/// The kind of a word.
pub fn classify_word(text: &[u8]) -> TokenKind {
    match text {
        b"A" => TokenKind::ForAll,
        b"E" => TokenKind::Exists,
        b"atoms" => TokenKind::Atoms,
        b"bool" => TokenKind::Bool,
        b"define" => TokenKind::Define,
        b"global" => TokenKind::Global,
        b"int" => TokenKind::Int,
        b"local" => TokenKind::Local,
        _ => TokenKind::Name,
    }
}
