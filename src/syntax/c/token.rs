//! The tokens that the preprocessor hands to the parser.
//!
//! A token is 16 bytes: its kind, its place in what the user wrote, and a number that says the
//! rest: the [`Name`] of an identifier or keyword, the place of a [`Constant`] in
//! [`Vocabulary::constants`]. Keywords are the first names of every vocabulary, so that an
//! identifier is found to be one by comparing a number.

use crate::names::{Name, Names};
use crate::source::Span;

/// Declares [`Kind`], and the spellings of keywords and punctuators; messages use the first.
macro_rules! kinds {
    (
        others { $($(#[$doc:meta])* $other:ident,)* }
        keywords { $($keyword:ident $($word:literal)+,)* }
        punctuators { $($sign:ident $($text:literal)+,)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $other,)*
            $(#[doc = concat!($("`", $word, "` "),+)] $keyword,)*
            $(#[doc = concat!($("`", $text, "` "),+)] $sign,)*
        }

        /// The keywords, GNU's spellings included.
        pub const KEYWORDS: &[(Kind, &str)] = &[$($((Kind::$keyword, $word)),+),*];

        /// The punctuators, with digraphs.
        pub const PUNCTUATORS: &[(Kind, &str)] = &[$($((Kind::$sign, $text)),+),*];
    };
}

kinds! {
    others {
        /// A name, or one that is a keyword nowhere but in newer standards.
        Identifier,
        /// Its value is a [`Constant::Integer`].
        Integer,
        /// Its value is a [`Constant::Floating`].
        Floating,
        /// Its value is a [`Constant::Character`].
        Character,
        /// A string literal, with those that follow it; its value is a [`Constant::Text`].
        Text,
        /// The last token of every translation unit.
        EndOfFile,
    }
    keywords {
        Alignas "_Alignas",
        Alignof "_Alignof" "__alignof__" "__alignof",
        Asm "asm" "__asm__" "__asm",
        Atomic "_Atomic",
        Attribute "__attribute__" "__attribute",
        Auto "auto",
        AutoType "__auto_type",
        Bool "_Bool",
        Break "break",
        BuiltinChooseExpr "__builtin_choose_expr",
        BuiltinOffsetof "__builtin_offsetof",
        BuiltinTypesCompatible "__builtin_types_compatible_p",
        BuiltinVaArg "__builtin_va_arg",
        BuiltinVaList "__builtin_va_list",
        Case "case",
        Char "char",
        Complex "_Complex" "__complex__" "__complex",
        Const "const" "__const" "__const__",
        Continue "continue",
        Default "default",
        Do "do",
        Double "double",
        Else "else",
        Enum "enum",
        Extension "__extension__",
        Extern "extern",
        Float "float",
        Float128 "_Float128" "__float128",
        Float32 "_Float32",
        Float32x "_Float32x",
        Float64 "_Float64",
        Float64x "_Float64x",
        For "for",
        Generic "_Generic",
        Goto "goto",
        If "if",
        Imag "__imag__" "__imag",
        Imaginary "_Imaginary",
        Inline "inline" "__inline" "__inline__",
        Int "int",
        Int128 "__int128",
        LabelDeclaration "__label__",
        Long "long",
        Noreturn "_Noreturn",
        Real "__real__" "__real",
        Register "register",
        Restrict "restrict" "__restrict" "__restrict__",
        Return "return",
        Short "short",
        Signed "signed" "__signed" "__signed__",
        Sizeof "sizeof",
        Static "static",
        StaticAssert "_Static_assert",
        Struct "struct",
        Switch "switch",
        ThreadLocal "_Thread_local" "__thread",
        Typedef "typedef",
        Typeof "typeof" "__typeof__" "__typeof",
        Union "union",
        Unsigned "unsigned",
        Void "void",
        Volatile "volatile" "__volatile__" "__volatile",
        While "while",
    }
    punctuators {
        LeftBracket "[" "<:",
        RightBracket "]" ":>",
        LeftParenthesis "(",
        RightParenthesis ")",
        LeftBrace "{" "<%",
        RightBrace "}" "%>",
        Dot ".",
        Arrow "->",
        Increment "++",
        Decrement "--",
        Ampersand "&",
        Star "*",
        Plus "+",
        Minus "-",
        Tilde "~",
        Exclamation "!",
        Slash "/",
        Percent "%",
        ShiftLeft "<<",
        ShiftRight ">>",
        Less "<",
        Greater ">",
        LessEqual "<=",
        GreaterEqual ">=",
        Equal "==",
        NotEqual "!=",
        Caret "^",
        Bar "|",
        And "&&",
        Or "||",
        Question "?",
        Colon ":",
        Semicolon ";",
        Ellipsis "...",
        Assign "=",
        StarAssign "*=",
        SlashAssign "/=",
        PercentAssign "%=",
        PlusAssign "+=",
        MinusAssign "-=",
        ShiftLeftAssign "<<=",
        ShiftRightAssign ">>=",
        AmpersandAssign "&=",
        CaretAssign "^=",
        BarAssign "|=",
        Comma ",",
        Hash "#" "%:",
        HashHash "##" "%:%:",
    }
}

impl Kind {
    /// The spelling of a punctuator, or the usual one of a keyword.
    pub fn spelling(self) -> Option<&'static str> {
        let mut all = KEYWORDS.iter().chain(PUNCTUATORS);
        all.find(|(kind, _)| *kind == self).map(|(_, text)| *text)
    }

    /// Whether it is a keyword.
    pub fn is_keyword(self) -> bool {
        (Kind::Alignas as u8..=Kind::While as u8).contains(&(self as u8))
    }
}

/// A token of a translation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands; one that comes from a macro stands where that is used.
    pub span: Span,
    /// Of an identifier or a keyword its name, of a constant its place in the table.
    value: u32,
}

impl Token {
    /// A token that is neither constant nor name.
    pub fn plain(kind: Kind, span: Span) -> Self {
        Token {
            kind,
            span,
            value: 0,
        }
    }

    /// An identifier or a keyword.
    pub fn word(kind: Kind, name: Name, span: Span) -> Self {
        let value = name.index() as u32;
        Token { kind, span, value }
    }

    fn constant(kind: Kind, index: usize, span: Span) -> Self {
        let value = index as u32;
        Token { kind, span, value }
    }
}

/// What a constant says.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `17`, `0x11u`.
    Integer(Integer),
    /// `1.5f`.
    Floating(Floating),
    /// `'a'`, `L'a'`.
    Character(Encoding, i64),
    /// `"abc"`.
    Text(Text),
}

/// An integer constant, whose type follows from all of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Its value.
    pub value: u64,
    /// Whether it is written in decimal: then it is unsigned only if it says so.
    pub is_decimal: bool,
    /// Whether it has a `u`.
    pub is_unsigned: bool,
    /// How many `l` it has, at most two.
    pub longs: u8,
    /// Whether it is imaginary (GNU's `i`).
    pub is_imaginary: bool,
}

/// A floating constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floating {
    /// Its value, as near as a `double` comes to it.
    pub value: f64,
    /// Its type.
    pub size: FloatingSize,
    /// Whether it is imaginary (GNU's `i`).
    pub is_imaginary: bool,
}

/// The types that floating constants have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatingSize {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float128`, by GNU's `q`
    Float128,
}

/// The elements that a string has, and the type of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `"a"` and `u8"a"`: of type `char`
    Plain,
    /// `L"a"`: of type `wchar_t`
    Wide,
    /// `u"a"`: of type `char16_t`
    Utf16,
    /// `U"a"`: of type `char32_t`
    Utf32,
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What its elements are.
    pub encoding: Encoding,
    /// Its elements (of plain strings the bytes), without the zero behind them.
    pub units: Vec<u32>,
}

/// What the numbers in tokens stand for. Keywords are its first names.
#[derive(Debug)]
pub struct Vocabulary {
    /// All names.
    pub names: Names,
    constants: Vec<(Constant, Box<str>)>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let mut names = Names::default();
        for (_, word) in KEYWORDS {
            names.intern(word);
        }
        Vocabulary {
            names,
            constants: Vec::new(),
        }
    }
}

impl Vocabulary {
    /// The token of a name: a keyword or an identifier.
    pub fn word(&self, name: Name, span: Span) -> Token {
        let keyword = KEYWORDS.get(name.index());
        let kind = keyword.map_or(Kind::Identifier, |(kind, _)| *kind);
        Token::word(kind, name, span)
    }

    /// A token for a constant that is spelled like this.
    pub fn add(&mut self, constant: Constant, spelling: &str, span: Span) -> Token {
        let kind = match constant {
            Constant::Integer(_) => Kind::Integer,
            Constant::Floating(_) => Kind::Floating,
            Constant::Character(..) => Kind::Character,
            Constant::Text(_) => Kind::Text,
        };
        self.constants.push((constant, spelling.into()));
        Token::constant(kind, self.constants.len() - 1, span)
    }

    /// The name of an identifier or a keyword.
    pub fn name(&self, token: Token) -> Option<Name> {
        let is_word = token.kind == Kind::Identifier || token.kind.is_keyword();
        is_word.then(|| self.names.nth(token.value as usize))?
    }

    /// The value of a constant.
    pub fn constant(&self, token: Token) -> Option<&Constant> {
        self.entry(token).map(|(constant, _)| constant)
    }

    fn entry(&self, token: Token) -> Option<&(Constant, Box<str>)> {
        match token.kind {
            Kind::Integer | Kind::Floating | Kind::Character | Kind::Text => {
                self.constants.get(token.value as usize)
            }
            _ => None,
        }
    }

    /// How a token is spelled, in C's own way; nothing at the end of the file.
    pub fn spelling(&self, token: Token) -> &str {
        match (self.name(token), self.entry(token)) {
            (Some(name), _) => self.names.text(name),
            (_, Some((_, spelling))) => spelling,
            _ => token.kind.spelling().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_the_first_names() {
        let mut vocabulary = Vocabulary::default();
        for (kind, word) in KEYWORDS {
            let name = vocabulary.names.intern(word);
            let token = vocabulary.word(name, Span::default());
            assert_eq!(token.kind, *kind, "{word}");
            assert!(token.kind.is_keyword(), "{word}");
            assert_eq!(vocabulary.spelling(token), *word);
        }
        let name = vocabulary.names.intern("x");
        let token = vocabulary.word(name, Span::default());
        assert_eq!(token.kind, Kind::Identifier);
        assert_eq!(vocabulary.name(token), Some(name));
        assert_eq!(size_of::<Token>(), 16);
    }

    #[test]
    fn a_constant_has_its_value_and_its_spelling() {
        let mut vocabulary = Vocabulary::default();
        let token = vocabulary.add(
            Constant::Character(Encoding::Plain, 10),
            r"'\n'",
            Span::default(),
        );
        assert_eq!(token.kind, Kind::Character);
        assert_eq!(vocabulary.spelling(token), r"'\n'");
        assert_eq!(
            vocabulary.constant(token),
            Some(&Constant::Character(Encoding::Plain, 10))
        );
        let plain = Token::plain(Kind::ShiftLeftAssign, Span::default());
        assert_eq!(vocabulary.spelling(plain), "<<=");
        assert_eq!(vocabulary.constant(plain), None);
    }
}
