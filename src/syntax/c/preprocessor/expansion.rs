//! Macro expansion, without recursion.
//!
//! Tokens come from a stack of contexts (replacement lists and arguments), and below them from
//! the open files. A macro is disabled while its replacement list is on the stack; its name, read
//! in that time, is painted: it is never expanded again. Arguments are expanded before they are
//! put in, each as if nothing followed it: its tokens are a context that ends what is read, and
//! what comes out goes to the call that waits for it. So calls inside arguments wait on a stack of
//! their own, however deep they are nested. Every token that a macro makes is counted, and the
//! number is limited: forty macros that each use the one before twice would fill any memory.

use super::Preprocessor;
use super::macros::{Dynamic, Form, Function, Macro};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::lexer::{Class, Lexeme};
use crate::syntax::c::token::Kind;
use std::rc::Rc;
use std::vec::IntoIter;

/// Where tokens come from.
#[derive(Debug)]
pub struct Context {
    tokens: IntoIter<Lexeme>,
    /// What is enabled again at the end; an argument has none, and nothing is read behind it.
    replaced: Option<Name>,
}

/// A call whose arguments are being expanded.
#[derive(Debug)]
pub struct Call {
    name: Name,
    definition: Rc<Macro>,
    /// Whether white space stands before it.
    is_spaced: bool,
    pub arguments: Vec<Argument>,
    /// Which argument is being expanded, and its expansion so far.
    current: usize,
    output: Vec<Lexeme>,
    /// From the name of the macro to the closing parenthesis.
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct Argument {
    /// As it is written; moved away if it is not needed like that.
    pub raw: Vec<Lexeme>,
    /// None if it is like what is written.
    pub expanded: Option<Vec<Lexeme>>,
    /// Whether there is none, not even an empty one.
    pub is_omitted: bool,
}

/// What is found where a token is looked for.
pub enum Read {
    Token(Lexeme),
    /// The end of an argument, or of a directive.
    Boundary,
    /// The end of the file.
    End,
}

/// How much of `defined (X)` has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defined {
    /// Not in a condition: the word means nothing.
    #[default]
    Off,
    /// Not begun.
    Idle,
    /// The word.
    Word,
    /// The word and a parenthesis.
    Parenthesis,
}

impl Preprocessor<'_> {
    /// Expands all that is left of the open files, or of the context that is a directive's.
    pub(super) fn expand(&mut self) {
        while !self.is_exhausted {
            match self.read() {
                Read::Token(lexeme) => {
                    if !self.expand_macro(lexeme) {
                        self.emit(lexeme);
                    }
                }
                Read::Boundary if self.calls.is_empty() => {
                    self.contexts.pop();
                    return;
                }
                Read::Boundary => self.end_argument(),
                Read::End => return,
            }
        }
        // What has been made of half a program helps nobody.
        self.contexts.clear();
        self.calls.clear();
        self.output = Vec::new();
    }

    /// The expansion of the tokens of a directive.
    pub(super) fn expand_line(&mut self, line: Vec<Lexeme>) -> Vec<Lexeme> {
        let outer = std::mem::take(&mut self.output);
        self.contexts.push(Context {
            tokens: line.into_iter(),
            replaced: None,
        });
        self.expand();
        std::mem::replace(&mut self.output, outer)
    }

    fn emit(&mut self, lexeme: Lexeme) {
        match self.calls.last_mut() {
            Some(call) => call.output.push(lexeme),
            None => self.output.push(lexeme),
        }
    }

    /// The next token, not expanded.
    fn read(&mut self) -> Read {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(mut lexeme) = context.tokens.next() {
                if let Some(name) = self.spellings.name(&lexeme) {
                    lexeme.is_painted |= self.macros.is_disabled(name);
                }
                return Read::Token(lexeme);
            }
            if context.replaced.is_none() {
                return Read::Boundary;
            }
            self.pop_replacement();
        }
        match self.read_files() {
            Some(lexeme) => Read::Token(lexeme),
            None => Read::End,
        }
    }

    fn pop_replacement(&mut self) {
        if let Some(name) = self.contexts.pop().and_then(|context| context.replaced) {
            self.macros.disable(name, false);
        }
    }

    /// Takes an opening parenthesis, if one is next.
    fn opens_arguments(&mut self) -> bool {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(next) = context.tokens.as_slice().first() {
                let opens = next.is(Kind::LeftParenthesis);
                if opens {
                    context.tokens.next();
                }
                return opens;
            }
            if context.replaced.is_none() {
                return false;
            }
            self.pop_replacement();
        }
        self.file_opens_arguments()
    }

    /// Whether the token is a macro's name that is replaced.
    fn expand_macro(&mut self, lexeme: Lexeme) -> bool {
        let name = self.spellings.name(&lexeme);
        if self.defined != Defined::Off && self.is_asked_for(&lexeme, name) {
            return false;
        }
        let (Some(name), false) = (name, lexeme.is_painted) else {
            return false;
        };
        let Some(definition) = self.macros.get(name).cloned() else {
            return false;
        };
        match &definition.form {
            Form::Dynamic(dynamic) => {
                let value = self.dynamic(*dynamic, lexeme);
                self.note_use(lexeme.span);
                self.emit(value);
                true
            }
            Form::Object(body) => {
                let list = self.substitute(body, &[], lexeme.span, false);
                self.push(name, list, lexeme.is_spaced, lexeme.span);
                true
            }
            Form::Function(function) => {
                if !self.opens_arguments() {
                    return false;
                }
                match self.arguments(function, lexeme, definition.span) {
                    Some((arguments, span)) => {
                        self.calls.push(Call {
                            name,
                            definition: definition.clone(),
                            is_spaced: lexeme.is_spaced,
                            arguments,
                            current: 0,
                            output: Vec::new(),
                            span,
                        });
                        self.next_argument();
                        true
                    }
                    None => true,
                }
            }
        }
    }

    /// Whether the token belongs to `defined X`, and is not expanded therefore.
    fn is_asked_for(&mut self, lexeme: &Lexeme, name: Option<Name>) -> bool {
        let opens = lexeme.is(Kind::LeftParenthesis);
        let (next, belongs) = match (self.defined, name) {
            (Defined::Word, None) if opens => (Defined::Parenthesis, true),
            (Defined::Word | Defined::Parenthesis, Some(_)) => (Defined::Idle, true),
            (_, Some(name)) if name == self.words.defined => (Defined::Word, true),
            _ => (Defined::Idle, false),
        };
        self.defined = next;
        belongs
    }

    /// Reads arguments up to the closing parenthesis. None, with a message, if they are wrong.
    fn arguments(
        &mut self,
        function: &Function,
        name: Lexeme,
        definition: Span,
    ) -> Option<(Vec<Argument>, Span)> {
        let outer = std::mem::replace(&mut self.floor, self.open_files.len());
        let mut arguments = vec![Argument::default()];
        let mut depth = 0;
        let close = loop {
            let Read::Token(lexeme) = self.read() else {
                break None;
            };
            match lexeme.class {
                Class::Punctuator(Kind::LeftParenthesis) => depth += 1,
                Class::Punctuator(Kind::RightParenthesis) if depth == 0 => break Some(lexeme),
                Class::Punctuator(Kind::RightParenthesis) => depth -= 1,
                Class::Punctuator(Kind::Comma) if depth == 0 => {
                    let is_last = arguments.len() == function.parameters.len();
                    if !(is_last && function.is_variadic) {
                        arguments.push(Argument::default());
                        continue;
                    }
                }
                _ => {}
            }
            if !self.spend(1, name.span) {
                break None;
            }
            if let Some(last) = arguments.last_mut() {
                last.raw.push(lexeme);
            }
        };
        self.floor = outer;
        let Some(close) = close else {
            if !self.is_exhausted {
                let text = self.spellings.text(&name);
                let message = format!("the arguments of the macro `{text}` do not end");
                let error = Diagnostic::error(name.span, message)
                    .with_related(definition, "it is defined here")
                    .with_hint("write `)` behind them");
                self.collector.report(error);
            }
            return None;
        };
        let span = self.joined(name.span, close.span);
        self.note_use(span);
        let expected = function.parameters.len();
        let is_empty = arguments.len() == 1 && arguments[0].raw.is_empty();
        let found = match expected == 0 && is_empty {
            true => 0,
            false => arguments.len(),
        };
        // The argument for `...` may be left out.
        let is_enough = found == expected || function.is_variadic && found + 1 == expected;
        if !is_enough {
            let number = |number: usize| match number {
                1 => "1 argument".to_owned(),
                _ => format!("{number} arguments"),
            };
            let text = self.spellings.text(&name);
            let least = match function.is_variadic {
                true => format!("at least {}", number(expected - 1)),
                false => number(expected),
            };
            let message = format!("the macro `{text}` takes {least}, found {found}");
            let error = Diagnostic::error(span, message);
            self.collector
                .report(error.with_related(definition, "it is defined here"));
            return None;
        }
        // GNU: of a macro with nothing but `...`, no arguments are none.
        if let ([argument], true) = (&mut arguments[..], function.is_variadic && expected == 1) {
            argument.is_omitted = is_empty;
        }
        arguments.resize_with(expected, || Argument {
            is_omitted: true,
            ..Argument::default()
        });
        Some((arguments, span))
    }

    /// Begins to expand the next argument of the call on top that needs it, or replaces the call.
    fn next_argument(&mut self) {
        let Some(mut call) = self.calls.pop() else {
            return;
        };
        let definition = call.definition.clone();
        let Form::Function(function) = &definition.form else {
            return;
        };
        while let Some(parameter) = function.parameters.get(call.current) {
            let raw = &mut call.arguments[call.current].raw;
            let is_macro = |lexeme: &Lexeme| {
                let name = self.spellings.name(lexeme);
                !lexeme.is_painted && name.is_some_and(|name| self.macros.get(name).is_some())
            };
            if parameter.is_expanded && raw.iter().any(is_macro) {
                let tokens = match parameter.is_raw {
                    true => raw.clone(),
                    false => std::mem::take(raw),
                };
                self.contexts.push(Context {
                    tokens: tokens.into_iter(),
                    replaced: None,
                });
                self.calls.push(call);
                return;
            }
            call.current += 1;
        }
        let is_variadic = function.is_variadic;
        let list = self.substitute(&function.body, &call.arguments, call.span, is_variadic);
        self.push(call.name, list, call.is_spaced, call.span);
    }

    fn end_argument(&mut self) {
        self.contexts.pop();
        if let Some(call) = self.calls.last_mut() {
            let output = std::mem::take(&mut call.output);
            call.arguments[call.current].expanded = Some(output);
            call.current += 1;
        }
        self.next_argument();
    }

    /// What a macro is replaced by is read next.
    fn push(&mut self, name: Name, mut list: Vec<Lexeme>, is_spaced: bool, span: Span) {
        self.note_use(span);
        if !self.spend(list.len(), span) {
            return;
        }
        if let Some(first) = list.first_mut() {
            first.is_spaced = is_spaced;
        }
        self.macros.disable(name, true);
        self.contexts.push(Context {
            tokens: list.into_iter(),
            replaced: Some(name),
        });
    }

    /// Counts tokens that macros make. False, with a message, if there are too many.
    pub(super) fn spend(&mut self, tokens: usize, span: Span) -> bool {
        self.spent += tokens;
        if self.spent > limits::c::EXPANDED_TOKENS && !self.is_exhausted {
            self.is_exhausted = true;
            let message = format!(
                "macros make more than {} tokens",
                limits::c::EXPANDED_TOKENS
            );
            let error = Diagnostic::error(span, message)
                .with_hint("macros that use each other several times grow exponentially");
            self.collector.report(error);
        }
        !self.is_exhausted
    }

    /// Remembers where a macro is used, if that is not inside the use before.
    fn note_use(&mut self, span: Span) {
        match self.uses.last_mut() {
            Some(last) if last.start <= span.start && span.end <= last.end => {}
            Some(last) if last.start >= span.start && last.end <= span.end => *last = span,
            _ => self.uses.push(span),
        }
    }

    /// From the one to the other, if they are in one file.
    pub(super) fn joined(&self, from: Span, to: Span) -> Span {
        match self.files.index_of(from.start) == self.files.index_of(to.start) {
            true => from.to(to),
            false => from,
        }
    }

    fn dynamic(&mut self, dynamic: Dynamic, name: Lexeme) -> Lexeme {
        let (class, text) = match dynamic {
            Dynamic::Line => {
                let line = self.files.position(name.span.start).0;
                (Class::Number, line.to_string())
            }
            Dynamic::File => {
                let file = self.files.position(name.span.start).1;
                let file = file.replace('\\', "\\\\").replace('"', "\\\"");
                (Class::Text, format!("\"{file}\""))
            }
            Dynamic::Counter => {
                self.counter += 1;
                (Class::Number, (self.counter - 1).to_string())
            }
        };
        self.spellings
            .lexeme(class, text.as_bytes(), name.is_spaced, name.span)
    }
}
