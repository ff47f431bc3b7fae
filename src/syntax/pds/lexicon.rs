//! The words of symbolic pushdown systems.

use crate::syntax::kit::lexicon;

lexicon! {
    others {
        /// `"…"`, the quotes included.
        Text,
        /// A `"` after which there is no other.
        OpenText,
    }
    keywords {
        Atoms "atoms", Bool "bool", Define "define", Exists "E", ForAll "A", Global "global",
        Int "int", Local "local",
    }
    signs {
        And "&", Arrow "-->", Bang "!", Comma ",", Equal "=", Equivalent "==" "<=>", Greater ">",
        GreaterEqual ">=", LeftBracket "[", LeftParenthesis "(", Less "<", LessEqual "<=",
        Minus "-", NotEqual "!=", Or "|", Plus "+", Prime "'", RightBracket "]",
        RightParenthesis ")", Semicolon ";", ShiftLeft "<<", Slash "/", Star "*", Xor "^",
    }
    delimiters { LineComment "#", LineComment "%", Text "\"", }

    const TEXT: Option<(Self, Self)> = Some((Self::Text, Self::OpenText));
    const NAME_BEGIN: &'static str = "_";
    const NAME_REST: &'static str = ".";
    const NAME_HINT: &'static str = "a name begins with a letter or `_`";
}

#[cfg(test)]
mod tests {
    use super::TokenKind::{self, *};
    use crate::syntax::kit::lexer::tests::{check_lexicon, kinds};

    #[test]
    fn every_word_is_recognised() {
        check_lexicon::<TokenKind>();
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(
            kinds::<TokenKind>(b"q<a>-->q<b c>\"t\""),
            [
                Name, Less, Name, Greater, Arrow, Name, Less, Name, Name, Greater, Text
            ]
        );
        assert_eq!(
            kinds::<TokenKind>(b"x'<=>y<=1<<N-1"),
            [
                Name, Prime, Equivalent, Name, LessEqual, Number, ShiftLeft, Name, Minus, Number
            ]
        );
    }

    #[test]
    fn names_hold_dots_and_numbers_do_not() {
        assert_eq!(
            kinds::<TokenKind>(b"a.b.c A E Ax 1.2 2x .a"),
            [Name, ForAll, Exists, Name, Unknown, Unknown, Unknown, Name]
        );
    }

    #[test]
    fn comments_hold_any_bytes() {
        assert_eq!(
            kinds::<TokenKind>(b"x # \xff \"\n%\xfe\ny{}~\xff"),
            [Name, Name, Unknown]
        );
    }

    #[test]
    fn text_ends_at_the_next_quote() {
        assert_eq!(
            kinds::<TokenKind>(b"\"a # b\" \"\" \"c\nd\" \"e"),
            [Text, Text, Text, OpenText]
        );
    }
}
