//! The last phase: preprocessing tokens become tokens, adjacent strings one.
//!
//! What is wrong with a constant is reported here, so not where it is skipped or only part of a
//! macro that nobody uses.

use super::Preprocessor;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::c::constants;
use crate::syntax::c::lexer::{Class, Lexeme};
use crate::syntax::c::token::{Kind, Token};

impl Preprocessor<'_> {
    /// The tokens of a unit, the last of which is the end of the file at `end`.
    pub(super) fn tokens(&mut self, list: &[Lexeme], end: Span) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(list.len() + 1);
        let mut rest = list;
        while let Some((first, behind)) = rest.split_first() {
            let mut length = 1;
            match first.class {
                Class::Identifier => match self.spellings.name(first) {
                    Some(name) if name == self.words.pragma => length = pragma(rest),
                    Some(name) => tokens.push(self.vocabulary.word(name, first.span)),
                    None => {}
                },
                Class::Punctuator(kind) => tokens.push(Token::plain(kind, first.span)),
                Class::Number | Class::Character => tokens.push(self.constant(first)),
                Class::Text => {
                    let is_text = |one: &&Lexeme| one.class == Class::Text;
                    length += behind.iter().take_while(is_text).count();
                    tokens.push(self.text(&rest[..length]));
                }
                Class::OpenQuote => {
                    let mut bytes = self.spellings.bytes(first).iter();
                    let quote = bytes.find(|byte| matches!(byte, b'"' | b'\''));
                    let quote = char::from(quote.copied().unwrap_or(b'"'));
                    let message = format!("there is no other `{quote}` on this line");
                    self.collector
                        .report(Diagnostic::error(first.span, message));
                    tokens.push(self.zero(first.span));
                }
                Class::Other => {
                    let text = self.spellings.text(first);
                    let message = format!("`{text}` means nothing in C");
                    self.collector
                        .report(Diagnostic::error(first.span, message));
                }
                Class::Newline | Class::EndOfFile | Class::OpenComment | Class::Placemarker => {}
            }
            rest = &rest[length..];
        }
        tokens.push(Token::plain(Kind::EndOfFile, end));
        tokens
    }

    /// The token of a number or a character. Each spelling is read once, but what is wrong with
    /// it is reported at each place.
    fn constant(&mut self, lexeme: &Lexeme) -> Token {
        let key = (lexeme.class == Class::Number, lexeme.spelling_index());
        if let Some(known) = self.constants.get(&key) {
            let mut token = *known;
            token.span = lexeme.span;
            return token;
        }
        let bytes = self.spellings.bytes(lexeme);
        let read = match lexeme.class {
            Class::Number => constants::number(bytes),
            _ => constants::character(bytes),
        };
        match read {
            Ok(read) => {
                let spelling = self.spellings.text(lexeme);
                let token = self.vocabulary.add(read.constant, &spelling, lexeme.span);
                match read.warning {
                    Some(warning) => {
                        self.collector
                            .report(Diagnostic::warning(lexeme.span, warning));
                    }
                    None => {
                        self.constants.insert(key, token);
                    }
                }
                token
            }
            Err(wrong) => {
                self.collector.report(Diagnostic::error(lexeme.span, wrong));
                self.zero(lexeme.span)
            }
        }
    }

    /// What stands for a constant that cannot be read, so that nothing else is wrong there.
    fn zero(&mut self, span: Span) -> Token {
        let zero = self.spellings.lexeme(Class::Number, b"0", false, span);
        self.constant(&zero)
    }

    fn text(&mut self, list: &[Lexeme]) -> Token {
        let spellings: Vec<&[u8]> = list.iter().map(|one| self.spellings.bytes(one)).collect();
        let (first, last) = (list[0].span, list[list.len() - 1].span);
        let span = self.joined(first, last);
        let spelling: Vec<_> = list.iter().map(|one| self.spellings.text(one)).collect();
        let spelling = spelling.join(" ");
        let read = match constants::text(&spellings) {
            Ok(read) => read,
            Err((at, wrong)) => {
                self.collector
                    .report(Diagnostic::error(list[at].span, wrong));
                match constants::text(&[b"\"\""]) {
                    Ok(read) => read,
                    Err(_) => return self.zero(span),
                }
            }
        };
        if let Some(warning) = read.warning {
            self.collector.report(Diagnostic::warning(span, warning));
        }
        self.vocabulary.add(read.constant, &spelling, span)
    }
}

/// How many tokens `_Pragma("...")` has.
fn pragma(list: &[Lexeme]) -> usize {
    match list {
        [_, open, text, close, ..]
            if open.is(Kind::LeftParenthesis)
                && text.class == Class::Text
                && close.is(Kind::RightParenthesis) =>
        {
            4
        }
        _ => 1,
    }
}
