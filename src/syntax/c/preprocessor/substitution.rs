//! What a macro is replaced by: its body with arguments in the place of parameters, `#` and `##`.
//!
//! Linear in what comes out. A token that `##` makes is read by the lexer like any other.

use super::Preprocessor;
use super::expansion::Argument;
use super::macros::Piece;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::c::lexer::{Class, CleanText, Lexeme, Lexer};
use crate::syntax::c::token::Kind;
use std::rc::Rc;

impl Preprocessor<'_> {
    /// The body with its parameters replaced. What comes from the body stands at `span`,
    /// arguments stay where they are written.
    pub(super) fn substitute(
        &mut self,
        body: &[Piece],
        arguments: &[Argument],
        span: Span,
        is_variadic: bool,
    ) -> Vec<Lexeme> {
        let mut result: Vec<Lexeme> = Vec::with_capacity(body.len());
        let mut has_placemarkers = false;
        let mut before: Option<&Piece> = None;
        for piece in body {
            let pastes = before.is_some_and(|before| before.is_pasted);
            let after_comma = before.is_some_and(|before| before.lexeme.is(Kind::Comma));
            before = Some(piece);
            let mut own = piece.lexeme;
            own.span = span;
            let argument = piece.parameter.and_then(|index| arguments.get(index));
            let made;
            let list: &[Lexeme] = match argument {
                None => {
                    made = [own];
                    &made
                }
                Some(argument) if piece.is_stringified => {
                    made = [self.stringified(&argument.raw, own)];
                    &made
                }
                Some(argument) => {
                    let is_raw = pastes || piece.is_pasted;
                    let expanded = argument.expanded.as_ref().filter(|_| !is_raw);
                    expanded.unwrap_or(&argument.raw)
                }
            };
            if self.spent + result.len() + list.len() > crate::limits::c::EXPANDED_TOKENS {
                self.spend(result.len() + list.len(), span);
                return Vec::new();
            }
            let is_rest =
                is_variadic && piece.parameter.is_some_and(|at| at + 1 == arguments.len());
            let start = result.len();
            if pastes && after_comma && is_rest {
                // GNU: the comma goes if there is no argument for `...`, and is not pasted.
                let is_omitted = argument.is_some_and(|argument| argument.is_omitted);
                if let (true, Some(comma)) = (is_omitted, result.last_mut()) {
                    has_placemarkers = true;
                    *comma = Lexeme::placemarker(span);
                }
                result.extend(list);
            } else if let (true, Some(left), Some((right, rest))) =
                (pastes, result.last().copied(), list.split_first())
            {
                result.pop();
                self.paste(left, *right, &mut result);
                result.extend(rest);
            } else {
                result.extend(list);
                if let (Some(first), true) = (result.get_mut(start), argument.is_some()) {
                    first.is_spaced = own.is_spaced;
                }
            }
            if list.is_empty() && piece.is_pasted && !pastes {
                has_placemarkers = true;
                result.push(Lexeme::placemarker(span));
            }
        }
        if has_placemarkers {
            result.retain(|lexeme| lexeme.class != Class::Placemarker);
        }
        result
    }

    /// The string that `#` makes of an argument.
    fn stringified(&mut self, argument: &[Lexeme], place: Lexeme) -> Lexeme {
        let mut text = vec![b'"'];
        for (at, lexeme) in argument.iter().enumerate() {
            if at > 0 && lexeme.is_spaced {
                text.push(b' ');
            }
            let bytes = self.spellings.bytes(lexeme);
            match lexeme.class {
                Class::Text | Class::Character | Class::OpenQuote => {
                    for byte in bytes {
                        if matches!(byte, b'"' | b'\\') {
                            text.push(b'\\');
                        }
                        text.push(*byte);
                    }
                }
                _ => text.extend(bytes),
            }
        }
        // A single backslash at the end would hide the quote.
        let backslashes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 1 {
            text.pop();
        }
        text.push(b'"');
        self.spellings
            .lexeme(Class::Text, &text, place.is_spaced, place.span)
    }

    /// Puts the token that `##` makes of two behind a list.
    fn paste(&mut self, left: Lexeme, right: Lexeme, list: &mut Vec<Lexeme>) {
        if left.class == Class::Placemarker {
            list.push(right);
            return;
        }
        let text = [self.spellings.bytes(&left), self.spellings.bytes(&right)].concat();
        let mut lexer = Lexer::new(Rc::new(CleanText::new(&text)), 0);
        let raw = lexer.next_token();
        let is_whole = raw.start == 0 && raw.end == text.len();
        let is_token = !matches!(
            raw.class,
            Class::Other | Class::OpenComment | Class::OpenQuote | Class::EndOfFile
        );
        if is_whole && is_token {
            let pasted = self
                .spellings
                .lexeme(raw.class, &text, left.is_spaced, left.span);
            list.push(pasted);
            return;
        }
        let (one, other) = (self.spellings.text(&left), self.spellings.text(&right));
        let message = format!("`{one}` and `{other}` together are no token");
        let error = Diagnostic::error(left.span, message).with_label("the macro uses `##` on them");
        self.collector.report(error);
        list.extend([left, right]);
    }
}
