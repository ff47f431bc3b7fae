//! The words of boolean programs.
//!
//! `{` is always a token of its own: whether it opens a block or a name in braces depends on what
//! the parser expects there, so it is the parser that asks to read the name on.

use crate::syntax::kit::{Lexer, Token, lexicon};

lexicon! {
    others {
        /// `_` alone.
        Underscore,
        False,
        True,
    }
    keywords {
        Abortif "abortif", Assert "assert", Assume "assume", Begin "begin", Bool "bool",
        Call "call", Constrain "constrain", Dead "dead", Decl "decl", Dfs "dfs", Do "do",
        Else "else", Elsif "elsif", End "end", Enforce "enforce", Fi "fi", Goto "goto", If "if",
        NotWord "not", Od "od", Print "print", Return "return", Schoose "schoose", Skip "skip",
        Then "then", Void "void", While "while",
    }
    signs {
        And "&" "&&", Assign ":=", Bang "!" "~", Colon ":", Comma ",", Dot ".", Equal "=",
        EqualEqual "==", Equivalent "<=>", Greater ">", Implies "=>", LeftBrace "{",
        LeftBracket "[", LeftParenthesis "(", Less "<", NotEqual "!=", Or "|" "||", Question "?",
        RightBrace "}", RightBracket "]", RightParenthesis ")", Semicolon ";", Star "*",
        Tick "'", Xor "^",
    }
    delimiters { LineComment "//", BlockComment "/*", }

    const NAME_BEGIN: &'static str = "_$";
    const NAME_HINT: &'static str = "a name begins with a letter, `_` or `$`";

    #[inline]
    fn of_word(text: &[u8]) -> Self {
        match text {
            b"_" => Self::Underscore,
            b"F" => Self::False,
            b"T" => Self::True,
            [_, _, _, _] if text.eq_ignore_ascii_case(b"true") => Self::True,
            [_, _, _, _, _] if text.eq_ignore_ascii_case(b"false") => Self::False,
            _ => Self::Name,
        }
    }

    #[inline]
    fn of_digits(text: &[u8]) -> Self {
        match text {
            b"0" => Self::False,
            b"1" => Self::True,
            _ => Self::Number,
        }
    }

    fn category(self) -> &'static str {
        match self {
            Self::False | Self::True => "the constant ",
            _ if Self::KEYWORDS.iter().any(|(kind, _)| *kind == self) => "the keyword ",
            _ => "",
        }
    }
}

use TokenKind::*;

impl TokenKind {
    /// Whether a missing `;` before this token goes without saying.
    pub fn closes_a_sequence(self) -> bool {
        matches!(self, End | Fi | Od | Else | Elsif | RightBrace)
    }

    /// What begins a procedure with its type, and nothing else.
    pub fn begins_procedure(self) -> bool {
        matches!(self, Void | Bool | Dfs)
    }

    /// The keywords that no statement goes on with: one begins, or its sequence ends.
    pub fn stops_recovery(self) -> bool {
        self.closes_a_sequence()
            || self.begins_procedure()
            || matches!(
                self,
                Abortif | Assert | Assume | Begin | Dead | Decl | Enforce | Goto
            )
            || matches!(
                self,
                If | Print | Return | Skip | While | OpenComment | EndOfFile
            )
    }
}

impl Lexer<'_, TokenKind> {
    /// Reads on a name whose `{` has just been read. Its end, or where the line ends without a
    /// `}`.
    pub fn name_in_braces(
        &mut self,
        open: Token<TokenKind>,
    ) -> Result<Token<TokenKind>, Token<TokenKind>> {
        let rest = &self.bytes()[open.start as usize..];
        let end = rest.iter().position(|byte| matches!(byte, b'}' | b'\n'));
        let length = end.unwrap_or(rest.len());
        self.seek(open.start);
        if rest.get(length) == Some(&b'}') {
            return Ok(self.token(Name, length + 1));
        }
        let broken = self.token(Unknown, length);
        let end = open.start + rest[..length].trim_ascii_end().len() as u32;
        Err(Token { end, ..broken })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::kit::lexer::tests::{check_lexicon, kinds};

    #[test]
    fn every_word_is_recognised() {
        check_lexicon::<TokenKind>();
    }

    #[test]
    fn constants_in_their_spellings() {
        for word in ["F", "false", "FALSE", "False", "fAlSe"] {
            assert_eq!(kinds::<TokenKind>(word.as_bytes()), [False], "{word}");
        }
        for word in ["T", "true", "TRUE", "True"] {
            assert_eq!(kinds::<TokenKind>(word.as_bytes()), [True], "{word}");
        }
        for word in ["f", "t", "Tr", "_x", "$"] {
            assert_eq!(kinds::<TokenKind>(word.as_bytes()), [Name], "{word}");
        }
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(
            kinds::<TokenKind>(b"a<=>b=>c==!d!=e:=f&&g||h"),
            [
                Name, Equivalent, Name, Implies, Name, EqualEqual, Bang, Name, NotEqual, Name,
                Assign, Name, And, Name, Or, Name
            ]
        );
        assert_eq!(
            kinds::<TokenKind>(b"bool<2>"),
            [Bool, Less, Number, Greater]
        );
    }

    #[test]
    fn comments_hold_any_bytes_and_do_not_nest() {
        assert_eq!(
            kinds::<TokenKind>(b"x // \xff\xfe\n*/* /* \xff */;"),
            [Name, Star, Semicolon]
        );
        assert_eq!(kinds::<TokenKind>(b"x /* ..."), [Name, OpenComment]);
        assert_eq!(kinds::<TokenKind>(b"x /*/"), [Name, OpenComment]);
    }

    #[test]
    fn a_byte_order_mark_only_at_the_beginning() {
        assert_eq!(kinds::<TokenKind>("\u{feff}x".as_bytes()), [Name]);
        assert_eq!(kinds::<TokenKind>("x\u{feff}".as_bytes()), [Name, Unknown]);
    }

    #[test]
    fn numbers_are_words_of_digits() {
        assert_eq!(
            kinds::<TokenKind>(b"0 1 2 01 1a"),
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
