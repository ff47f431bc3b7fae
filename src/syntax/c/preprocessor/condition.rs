//! The conditions of `#if`: integers of 64 bits, signed or not, by precedence and without recursion.
//!
//! All operands are computed. What is undefined (a division by zero) is carried along, and is an
//! error only if the result depends on it.

use super::Preprocessor;
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::constants;
use crate::syntax::c::lexer::{Class, Lexeme};
use crate::syntax::c::token::{Constant, Kind};

#[derive(Clone, Copy, Debug)]
struct Value {
    bits: u64,
    is_unsigned: bool,
    /// The division by zero that it depends on.
    undefined: Option<Span>,
}

/// What waits for an operand behind it.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Parenthesis(Span),
    Prefix(Kind),
    Infix(Kind, Span),
    /// The `?` of a conditional, and its `:`.
    Question(Span),
    Colon,
}

/// How strongly an infix operator binds.
fn precedence(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::Comma => 0,
        Kind::Or => 2,
        Kind::And => 3,
        Kind::Bar => 4,
        Kind::Caret => 5,
        Kind::Ampersand => 6,
        Kind::Equal | Kind::NotEqual => 7,
        Kind::Less | Kind::Greater | Kind::LessEqual | Kind::GreaterEqual => 8,
        Kind::ShiftLeft | Kind::ShiftRight => 9,
        Kind::Plus | Kind::Minus => 10,
        Kind::Star | Kind::Slash | Kind::Percent => 11,
        _ => return None,
    })
}

/// The precedence of `? :`.
const CONDITIONAL: u8 = 1;

impl Waiting {
    /// None for what waits for a token that closes it.
    fn precedence(self) -> Option<u8> {
        match self {
            Waiting::Parenthesis(_) | Waiting::Question(_) => None,
            Waiting::Prefix(_) => Some(12),
            Waiting::Infix(kind, _) => precedence(kind),
            Waiting::Colon => Some(CONDITIONAL),
        }
    }
}

#[derive(Debug, Default)]
struct Stacks {
    values: Vec<Value>,
    waiting: Vec<Waiting>,
}

impl Stacks {
    /// Computes what binds at least as strongly as this.
    fn reduce(&mut self, least: u8) {
        while let Some(&top) = self.waiting.last() {
            if top.precedence().is_none_or(|precedence| precedence < least) {
                return;
            }
            self.waiting.pop();
            let Some(last) = self.values.pop() else {
                return;
            };
            let value = match top {
                Waiting::Prefix(kind) => prefix(kind, last),
                Waiting::Infix(kind, span) => match self.values.pop() {
                    Some(left) => infix(kind, left, last, span),
                    None => last,
                },
                _ => match (self.values.pop(), self.values.pop()) {
                    (Some(then), Some(condition)) => conditional(condition, then, last),
                    _ => last,
                },
            };
            self.values.push(value);
        }
    }
}

fn truth(is_true: bool, undefined: Option<Span>) -> Value {
    Value {
        bits: u64::from(is_true),
        is_unsigned: false,
        undefined,
    }
}

fn prefix(kind: Kind, value: Value) -> Value {
    let bits = match kind {
        Kind::Exclamation => return truth(value.bits == 0, value.undefined),
        Kind::Minus => value.bits.wrapping_neg(),
        Kind::Tilde => !value.bits,
        _ => value.bits,
    };
    Value { bits, ..value }
}

fn conditional(condition: Value, then: Value, otherwise: Value) -> Value {
    let chosen = match condition.bits != 0 {
        true => then,
        false => otherwise,
    };
    Value {
        bits: chosen.bits,
        is_unsigned: then.is_unsigned || otherwise.is_unsigned,
        undefined: condition.undefined.or(chosen.undefined),
    }
}

fn infix(kind: Kind, left: Value, right: Value, span: Span) -> Value {
    let mut undefined = left.undefined.or(right.undefined);
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let (a, b) = (left.bits, right.bits);
    let (x, y) = (a as i64, b as i64);
    let less = |a: u64, b: u64| match is_unsigned {
        true => a < b,
        false => (a as i64) < b as i64,
    };
    let bits = match kind {
        Kind::Comma => return right,
        Kind::Or if a != 0 => return truth(true, left.undefined),
        Kind::And if a == 0 => return truth(false, left.undefined),
        Kind::Or | Kind::And => return truth(b != 0, undefined),
        Kind::Equal => return truth(a == b, undefined),
        Kind::NotEqual => return truth(a != b, undefined),
        Kind::Less => return truth(less(a, b), undefined),
        Kind::Greater => return truth(less(b, a), undefined),
        Kind::LessEqual => return truth(!less(b, a), undefined),
        Kind::GreaterEqual => return truth(!less(a, b), undefined),
        Kind::ShiftLeft | Kind::ShiftRight => {
            let is_left = (kind == Kind::ShiftLeft) == (right.is_unsigned || y >= 0);
            let by = match right.is_unsigned {
                true => b,
                false => y.unsigned_abs(),
            };
            let bits = shifted(left, is_left, by);
            return Value {
                bits,
                undefined,
                ..left
            };
        }
        Kind::Bar => a | b,
        Kind::Caret => a ^ b,
        Kind::Ampersand => a & b,
        Kind::Plus => a.wrapping_add(b),
        Kind::Minus => a.wrapping_sub(b),
        Kind::Star => a.wrapping_mul(b),
        _ if b == 0 => {
            undefined = undefined.or(Some(span));
            0
        }
        Kind::Slash if is_unsigned => a / b,
        Kind::Slash => x.wrapping_div(y) as u64,
        _ if is_unsigned => a % b,
        _ => x.wrapping_rem(y) as u64,
    };
    Value {
        bits,
        is_unsigned,
        undefined,
    }
}

fn shifted(value: Value, is_left: bool, by: u64) -> u64 {
    let far = by >= 64;
    match (is_left, value.is_unsigned) {
        (true, _) if far => 0,
        (true, _) => value.bits << by,
        (false, true) if far => 0,
        (false, true) => value.bits >> by,
        (false, false) => ((value.bits as i64) >> by.min(63)) as u64,
    }
}

impl Preprocessor<'_> {
    /// The value of a condition whose macros have been expanded; `place` is its directive.
    pub(super) fn evaluate(&mut self, list: &[Lexeme], place: Span) -> Result<bool, Diagnostic> {
        let mut stacks = Stacks::default();
        let mut wants_operand = true;
        let mut rest = list;
        while let Some((lexeme, behind)) = rest.split_first() {
            rest = behind;
            let kind = match lexeme.class {
                Class::Punctuator(kind) => Some(kind),
                _ => None,
            };
            if wants_operand {
                match kind {
                    Some(Kind::LeftParenthesis) => {
                        stacks.waiting.push(Waiting::Parenthesis(lexeme.span));
                    }
                    Some(kind @ (Kind::Exclamation | Kind::Minus | Kind::Plus | Kind::Tilde)) => {
                        stacks.waiting.push(Waiting::Prefix(kind))
                    }
                    _ => {
                        let value = self.operand(lexeme, &mut rest)?;
                        stacks.values.push(value);
                        wants_operand = false;
                    }
                }
                continue;
            }
            wants_operand = true;
            match kind {
                Some(Kind::RightParenthesis) => {
                    stacks.reduce(0);
                    wants_operand = false;
                    match stacks.waiting.pop() {
                        Some(Waiting::Parenthesis(_)) => {}
                        _ => return Err(self.unexpected(lexeme, "an operator")),
                    }
                }
                Some(Kind::Question) => {
                    stacks.reduce(CONDITIONAL + 1);
                    stacks.waiting.push(Waiting::Question(lexeme.span));
                }
                Some(Kind::Colon) => {
                    stacks.reduce(0);
                    match stacks.waiting.pop() {
                        Some(Waiting::Question(_)) => stacks.waiting.push(Waiting::Colon),
                        _ => return Err(self.unexpected(lexeme, "an operator")),
                    }
                }
                Some(kind) if precedence(kind).is_some() => {
                    stacks.reduce(precedence(kind).unwrap_or_default());
                    stacks.waiting.push(Waiting::Infix(kind, lexeme.span));
                }
                _ => {
                    let error = self.unexpected(lexeme, "an operator");
                    return Err(match kind {
                        Some(Kind::LeftParenthesis) => {
                            error.with_hint("what stands before it is no macro with arguments")
                        }
                        _ => error,
                    });
                }
            }
        }
        let Some(last) = list.last() else {
            return Err(Diagnostic::error(place, "the condition is missing"));
        };
        if wants_operand {
            let message = "the condition ends where an operand is expected";
            return Err(Diagnostic::error(last.span, message));
        }
        stacks.reduce(0);
        let value = stacks.values.pop();
        match (
            stacks.waiting.pop(),
            value.and_then(|value| value.undefined),
        ) {
            (Some(Waiting::Parenthesis(span)), _) => {
                Err(Diagnostic::error(span, "the parenthesis is not closed"))
            }
            (Some(Waiting::Question(span)), _) => Err(Diagnostic::error(span, "`?` without `:`")),
            (_, Some(span)) => Err(Diagnostic::error(span, "division by zero")),
            _ => Ok(value.is_some_and(|value| value.bits != 0)),
        }
    }

    fn unexpected(&self, found: &Lexeme, expected: &str) -> Diagnostic {
        let text = self.spellings.text(found);
        Diagnostic::error(found.span, format!("expected {expected}, found `{text}`"))
    }

    /// The value of an operand that begins with a token, of which `rest` is what follows.
    fn operand(&mut self, first: &Lexeme, rest: &mut &[Lexeme]) -> Result<Value, Diagnostic> {
        let value = |bits: u64, is_unsigned| {
            Ok(Value {
                bits,
                is_unsigned,
                undefined: None,
            })
        };
        let wrong = |message: String| Diagnostic::error(first.span, message);
        match first.class {
            Class::Number => {
                let number = constants::number(self.spellings.bytes(first)).map_err(wrong)?;
                match number.constant {
                    Constant::Integer(integer) => {
                        let is_unsigned = integer.is_unsigned || integer.value > i64::MAX as u64;
                        value(integer.value, is_unsigned)
                    }
                    _ => Err(wrong("a floating constant cannot be in a condition".into())),
                }
            }
            Class::Character => {
                let character = constants::character(self.spellings.bytes(first)).map_err(wrong)?;
                match character.constant {
                    Constant::Character(_, number) => value(number as u64, false),
                    _ => value(0, false),
                }
            }
            Class::Identifier => {
                let name = self.spellings.name(first);
                if name == Some(self.words.defined) {
                    let is_defined = self.is_defined(first, rest)?;
                    return value(u64::from(is_defined), false);
                }
                let Some(name) = name.filter(|name| self.is_operator(*name)) else {
                    return value(0, false);
                };
                let is_there = self.ask(name, first, rest)?;
                value(u64::from(is_there), false)
            }
            _ => Err(self.unexpected(first, "a number or a name")),
        }
    }

    /// Reads what follows `defined`.
    fn is_defined(&self, word: &Lexeme, rest: &mut &[Lexeme]) -> Result<bool, Diagnostic> {
        let (name, behind) = match rest {
            [open, name, close, behind @ ..]
                if open.is(Kind::LeftParenthesis) && close.is(Kind::RightParenthesis) =>
            {
                (self.spellings.name(name), behind)
            }
            [name, behind @ ..] => (self.spellings.name(name), behind),
            [] => (None, *rest),
        };
        let Some(name) = name else {
            let message = "`defined` must be followed by a name";
            return Err(Diagnostic::error(word.span, message).with_hint("write `defined(NAME)`"));
        };
        *rest = behind;
        Ok(self.is_known(name))
    }

    /// Reads what `__has_include` and its like ask for, and answers.
    fn ask(
        &mut self,
        operator: Name,
        word: &Lexeme,
        rest: &mut &[Lexeme],
    ) -> Result<bool, Diagnostic> {
        let close = rest.iter().position(|one| one.is(Kind::RightParenthesis));
        let (Some(close), true) = (close, rest.first().is_some_and(opens)) else {
            let text = self.spellings.text(word);
            let message = format!("`{text}` must be followed by what it asks for, in parentheses");
            return Err(Diagnostic::error(word.span, message));
        };
        let asked = &rest[1..close];
        *rest = &rest[close + 1..];
        if operator == self.words.has_attribute {
            // They may all be written; most mean nothing.
            return Ok(true);
        }
        if operator == self.words.has_builtin {
            let name = asked.first().map(|one| self.spellings.text(one));
            return Ok(name.is_some_and(|name| BUILTINS.contains(&&*name)));
        }
        match self.header_of(asked) {
            Some(header) => Ok(self.find_header(&header, None).is_ok()),
            None => {
                let message = "`__has_include` must be followed by a header in parentheses";
                Err(Diagnostic::error(word.span, message))
            }
        }
    }
}

fn opens(lexeme: &Lexeme) -> bool {
    lexeme.is(Kind::LeftParenthesis)
}

/// The functions of GNU's that are understood.
const BUILTINS: [&str; 29] = [
    "__builtin_expect",
    "__builtin_unreachable",
    "__builtin_trap",
    "__builtin_constant_p",
    "__builtin_offsetof",
    "__builtin_types_compatible_p",
    "__builtin_choose_expr",
    "__builtin_popcount",
    "__builtin_popcountl",
    "__builtin_popcountll",
    "__builtin_parity",
    "__builtin_parityl",
    "__builtin_parityll",
    "__builtin_ffs",
    "__builtin_ffsl",
    "__builtin_ffsll",
    "__builtin_clz",
    "__builtin_clzl",
    "__builtin_clzll",
    "__builtin_ctz",
    "__builtin_ctzl",
    "__builtin_ctzll",
    "__builtin_add_overflow",
    "__builtin_sub_overflow",
    "__builtin_mul_overflow",
    "__builtin_va_arg",
    "__builtin_va_copy",
    "__builtin_va_end",
    "__builtin_va_start",
];
