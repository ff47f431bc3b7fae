//! Definitions of macros, and the table of them.
//!
//! The table is indexed by name, so that whether an identifier is a macro is one look.

use super::Preprocessor;
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::lexer::{Class, Lexeme};
use crate::syntax::c::token::Kind;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an identifier is replaced by.
#[derive(Debug)]
pub struct Macro {
    /// Where it is defined: the name.
    pub span: Span,
    pub form: Form,
}

#[derive(Debug)]
pub enum Form {
    /// `#define N 10`
    Object(Vec<Piece>),
    /// `#define MAX(a, b) ...`
    Function(Function),
    /// One whose value is known only where it is used.
    Dynamic(Dynamic),
}

#[derive(Debug)]
pub struct Function {
    pub parameters: Vec<Parameter>,
    /// Whether the last parameter takes all arguments that are left.
    pub is_variadic: bool,
    pub body: Vec<Piece>,
}

#[derive(Debug)]
pub struct Parameter {
    name: Name,
    /// Whether the body has it where its argument is expanded first.
    pub is_expanded: bool,
    /// Whether the body has it beside `#` or `##`, where its argument stays as it is written.
    pub is_raw: bool,
}

/// A token of a replacement list.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub lexeme: Lexeme,
    /// Which parameter it is.
    pub parameter: Option<usize>,
    /// Whether `#` stands before it.
    pub is_stringified: bool,
    /// Whether `##` stands after it.
    pub is_pasted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dynamic {
    Line,
    File,
    Counter,
}

#[derive(Debug, Default)]
pub struct Macros {
    table: Vec<Option<Rc<Macro>>>,
    /// Those that are being expanded: they are not expanded again inside.
    disabled: Vec<bool>,
}

impl Macros {
    pub fn get(&self, name: Name) -> Option<&Rc<Macro>> {
        self.table.get(name.index())?.as_ref()
    }

    pub fn set(&mut self, name: Name, definition: Option<Macro>) {
        let index = name.index();
        if self.table.len() <= index {
            self.table.resize_with(index + 1, || None);
            self.disabled.resize(index + 1, false);
        }
        self.table[index] = definition.map(Rc::new);
    }

    pub fn is_disabled(&self, name: Name) -> bool {
        self.disabled.get(name.index()).copied().unwrap_or(false)
    }

    pub fn disable(&mut self, name: Name, is_disabled: bool) {
        if let Some(flag) = self.disabled.get_mut(name.index()) {
            *flag = is_disabled;
        }
    }
}

impl Macro {
    /// Whether both say the same, so that the second definition is harmless.
    fn is_like(&self, other: &Macro) -> bool {
        let alike = |one: &[Piece], other: &[Piece]| {
            let spaced = |piece: &Piece, at: usize| at > 0 && piece.lexeme.is_spaced;
            let pairs = one.iter().zip(other).enumerate();
            let mut equal = pairs.map(|(at, (a, b))| {
                a.lexeme.is_like(&b.lexeme)
                    && spaced(a, at) == spaced(b, at)
                    && (a.is_stringified, a.is_pasted) == (b.is_stringified, b.is_pasted)
            });
            one.len() == other.len() && equal.all(|equal| equal)
        };
        match (&self.form, &other.form) {
            (Form::Object(one), Form::Object(other)) => alike(one, other),
            (Form::Function(one), Form::Function(other)) => {
                let names = |function: &Function| -> Vec<Name> {
                    function.parameters.iter().map(|one| one.name).collect()
                };
                one.is_variadic == other.is_variadic
                    && names(one) == names(other)
                    && alike(&one.body, &other.body)
            }
            _ => false,
        }
    }
}

impl Preprocessor<'_> {
    /// Reads the rest of `#define`; `line` is what stands behind it.
    pub(super) fn define(&mut self, line: &[Lexeme], directive: Span) {
        let Some((name, rest)) = self.macro_name(line, directive) else {
            return;
        };
        let span = line[0].span;
        let form = match rest {
            [open, rest @ ..] if open.is(Kind::LeftParenthesis) && !open.is_spaced => {
                self.function(rest, open.span).map(Form::Function)
            }
            _ => {
                if let Some(first) = rest.first().filter(|first| !first.is_spaced) {
                    let message = "no space between the name of the macro and its replacement";
                    let warning = Diagnostic::warning(first.span, message);
                    self.collector.report(warning);
                }
                self.body(rest, None).map(Form::Object)
            }
        };
        let Some(form) = form else {
            return;
        };
        let definition = Macro { span, form };
        if let Some(known) = self.macros.get(name)
            && !known.is_like(&definition)
        {
            let message = format!("`{}` is defined again", self.spellings.names.text(name));
            let warning = Diagnostic::warning(span, message)
                .with_related(known.span, "first defined here")
                .with_hint("remove one, or write `#undef` between them");
            self.collector.report(warning);
        }
        self.macros.set(name, Some(definition));
    }

    /// Reads the rest of `#undef`.
    pub(super) fn undefine(&mut self, line: &[Lexeme], directive: Span) {
        if let Some((name, rest)) = self.macro_name(line, directive) {
            self.macros.set(name, None);
            self.extra(rest, "#undef");
        }
    }

    /// The macro that a directive speaks of, and what stands behind it.
    pub(super) fn macro_name<'l>(
        &mut self,
        line: &'l [Lexeme],
        directive: Span,
    ) -> Option<(Name, &'l [Lexeme])> {
        let Some((first, rest)) = line.split_first() else {
            let message = "the name of a macro is missing";
            self.collector.report(Diagnostic::error(directive, message));
            return None;
        };
        let Some(name) = self.spellings.name(first) else {
            let found = self.spellings.text(first);
            let message = format!("the name of a macro must be an identifier, found `{found}`");
            self.collector
                .report(Diagnostic::error(first.span, message));
            return None;
        };
        if name == self.words.defined {
            let message = "`defined` cannot be the name of a macro";
            self.collector
                .report(Diagnostic::error(first.span, message));
            return None;
        }
        Some((name, rest))
    }

    /// The parameters and the body of a macro, behind its opening parenthesis.
    fn function(&mut self, mut rest: &[Lexeme], open: Span) -> Option<Function> {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut indices = FxHashMap::default();
        let mut is_variadic = false;
        loop {
            let Some((first, behind)) = rest.split_first() else {
                let message = "the parameters of the macro do not end";
                let error = Diagnostic::error(open, message).with_hint("write `)` behind them");
                self.collector.report(error);
                return None;
            };
            rest = behind;
            let name = match first.class {
                Class::Identifier => self.spellings.name(first)?,
                Class::Punctuator(Kind::Ellipsis) => {
                    is_variadic = true;
                    self.words.va_args
                }
                Class::Punctuator(Kind::RightParenthesis) if parameters.is_empty() => break,
                _ => return self.no_parameter(first, "a parameter"),
            };
            if indices.insert(name, parameters.len()).is_some() {
                let text = self.spellings.text(first);
                let message = format!("two parameters with the name `{text}`");
                self.collector
                    .report(Diagnostic::error(first.span, message));
                return None;
            }
            parameters.push(Parameter {
                name,
                is_expanded: false,
                is_raw: false,
            });
            // GNU names what is left: `args...`.
            if let [dots, behind @ ..] = rest
                && dots.is(Kind::Ellipsis)
                && !is_variadic
            {
                is_variadic = true;
                rest = behind;
            }
            match rest {
                [close, behind @ ..] if close.is(Kind::RightParenthesis) => {
                    rest = behind;
                    break;
                }
                [comma, behind @ ..] if comma.is(Kind::Comma) && !is_variadic => rest = behind,
                [] => {}
                [other, ..] if is_variadic => return self.no_parameter(other, "`)`"),
                [other, ..] => return self.no_parameter(other, "`,` or `)`"),
            }
        }
        let body = self.body(rest, Some(&indices))?;
        let mut is_pasted = false;
        for piece in &body {
            let is_raw = piece.is_stringified || piece.is_pasted || is_pasted;
            is_pasted = piece.is_pasted;
            if let Some(one) = piece.parameter.and_then(|index| parameters.get_mut(index)) {
                one.is_raw |= is_raw;
                one.is_expanded |= !is_raw;
            }
        }
        Some(Function {
            parameters,
            is_variadic,
            body,
        })
    }

    fn no_parameter<T>(&mut self, found: &Lexeme, expected: &str) -> Option<T> {
        let found_text = self.spellings.text(found);
        let message = format!("expected {expected}, found `{found_text}`");
        self.collector
            .report(Diagnostic::error(found.span, message));
        None
    }

    /// The replacement list; an object-like macro has no parameters.
    fn body(
        &mut self,
        list: &[Lexeme],
        parameters: Option<&FxHashMap<Name, usize>>,
    ) -> Option<Vec<Piece>> {
        let mut body: Vec<Piece> = Vec::with_capacity(list.len());
        let mut stringify: Option<&Lexeme> = None;
        for lexeme in list {
            let name = self.spellings.name(lexeme);
            let parameter = name.and_then(|name| parameters?.get(&name).copied());
            if let Some(sign) = stringify.take() {
                let Some(parameter) = parameter else {
                    let message = "`#` must stand before a parameter of the macro";
                    self.collector.report(Diagnostic::error(sign.span, message));
                    return None;
                };
                let mut lexeme = *lexeme;
                lexeme.is_spaced = sign.is_spaced;
                body.push(Piece {
                    lexeme,
                    parameter: Some(parameter),
                    is_stringified: true,
                    is_pasted: false,
                });
                continue;
            }
            match lexeme.class {
                Class::Punctuator(Kind::HashHash) => match body.last_mut() {
                    Some(last) => last.is_pasted = true,
                    None => return self.no_operand(lexeme),
                },
                Class::Punctuator(Kind::Hash) if parameters.is_some() => stringify = Some(lexeme),
                _ => {
                    if name == Some(self.words.va_args) && parameter.is_none() {
                        let message = "`__VA_ARGS__` is only for macros with `...`";
                        let warning = Diagnostic::warning(lexeme.span, message);
                        self.collector.report(warning);
                    }
                    body.push(Piece {
                        lexeme: *lexeme,
                        parameter,
                        is_stringified: false,
                        is_pasted: false,
                    });
                }
            }
        }
        if let Some(sign) = stringify {
            let message = "`#` must stand before a parameter of the macro";
            self.collector.report(Diagnostic::error(sign.span, message));
            return None;
        }
        if let (Some(piece), Some(last)) = (body.last(), list.last())
            && piece.is_pasted
        {
            return self.no_operand(last);
        }
        Some(body)
    }

    fn no_operand<T>(&mut self, sign: &Lexeme) -> Option<T> {
        let message = "`##` must stand between two tokens of the macro";
        self.collector.report(Diagnostic::error(sign.span, message));
        None
    }
}
