//! The words of Remopla.

use crate::syntax::kit::lexicon;

lexicon! {
    others {}
    keywords {
        Assert "assert", Assume "assume", Bool "bool", Break "break", Define "define", Do "do",
        Else "else", Enum "enum", False "false", Fi "fi", Goto "goto", If "if", Init "init",
        Int "int", Module "module", Od "od", Return "return", Shared "shared", Skip "skip",
        Struct "struct", True "true", Undef "undef", Void "void",
    }
    signs {
        And "&&", Arrow "->", Assign "=", Bang "!", BitAnd "&", BitOr "|", BitXor "^", Colon ":",
        ColonColon "::", Comma ",", Dot ".", EqualEqual "==", Greater ">", GreaterEqual ">=",
        LeftBrace "{", LeftBracket "[", LeftParenthesis "(", Less "<", LessEqual "<=", Minus "-",
        NotEqual "!=", Or "||", Plus "+", RightBrace "}", RightBracket "]", RightParenthesis ")",
        Semicolon ";", ShiftLeft "<<", ShiftRight ">>", Slash "/", Star "*", Xor "^^",
    }
    delimiters { LineComment "//", LineComment "#", BlockComment "/*", }

    const NAME_BEGIN: &'static str = "_$";
    const NAME_HINT: &'static str =
        "numbers are written in decimal digits, names begin with a letter";
}

use TokenKind::*;

impl TokenKind {
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
                Assert | Assume | Break | Do | Goto | If | Return | Skip
            )
            || matches!(self, OpenComment | EndOfFile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::kit::lexer::tests::{check_lexicon, kinds};

    #[test]
    fn every_word_is_recognised() {
        check_lexicon::<TokenKind>();
        for word in [
            "A",
            "E",
            "i",
            "define_",
            "DEFAULT_INT_BITS",
            "mains",
            "True",
        ] {
            assert_eq!(kinds::<TokenKind>(word.as_bytes()), [Name], "{word}");
        }
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(
            kinds::<TokenKind>(b"::a->b<<=c^^d^e&&f&g>>h:i"),
            [
                ColonColon, Name, Arrow, Name, ShiftLeft, Assign, Name, Xor, Name, BitXor, Name,
                And, Name, BitAnd, Name, ShiftRight, Name, Colon, Name
            ]
        );
    }

    #[test]
    fn three_kinds_of_comments_hold_any_bytes() {
        assert_eq!(
            kinds::<TokenKind>(b"x # \xff\n/ // \xfe\n/* \xff # */;"),
            [Name, Slash, Semicolon]
        );
        assert_eq!(kinds::<TokenKind>(b"x /* ..."), [Name, OpenComment]);
        assert_eq!(kinds::<TokenKind>(b"x /*/"), [Name, OpenComment]);
    }

    #[test]
    fn strange_bytes_are_one_token_and_numbers_are_digits() {
        assert_eq!(kinds::<TokenKind>("é%x".as_bytes()), [Unknown, Name]);
        assert_eq!(
            kinds::<TokenKind>(b"\x0b\x00 12 1a"),
            [Unknown, Number, Unknown]
        );
        assert_eq!(kinds::<TokenKind>("\u{feff}x".as_bytes()), [Name]);
    }
}
