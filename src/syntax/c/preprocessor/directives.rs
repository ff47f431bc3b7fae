//! Directives, and the tokens of the open files between them.
//!
//! Groups that are skipped are read token by token, too, because comments in them count, but
//! nothing of them is kept. Conditionals are a stack, so that they nest without recursion.

use super::Preprocessor;
use super::expansion::Defined;
use crate::diagnostic::{Diagnostic, suggestion};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::constants;
use crate::syntax::c::lexer::{Class, Lexeme, Lexer, Raw};
use crate::syntax::c::token::{Constant, Kind};

/// A file that is being read.
#[derive(Debug)]
pub struct OpenFile {
    pub file: usize,
    pub lexer: Lexer,
    /// Whether nothing but blanks has been read of the line.
    pub is_at_line_start: bool,
    /// How many conditionals were open where it began.
    pub conditionals: usize,
    pub guard: Guard,
}

/// Whether all of a file stands between `#ifndef X` and its `#endif`.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    /// Nothing has been read.
    Start,
    /// Between the two; the number of conditionals that are open outside.
    Inside(Name, usize),
    /// Behind the `#endif`.
    After(Name),
    /// It does not.
    None,
}

/// An `#if` that waits for its `#endif`.
#[derive(Debug)]
pub struct Conditional {
    span: Span,
    /// Whether one of its groups has been taken.
    was_taken: bool,
    alternative: Option<Span>,
}

/// The directives, for suggestions.
const DIRECTIVES: [&str; 17] = [
    "define", "elif", "elifdef", "elifndef", "else", "endif", "error", "ident", "if", "ifdef",
    "ifndef", "import", "include", "line", "pragma", "undef", "warning",
];

impl Preprocessor<'_> {
    /// The next token of the open files, with all directives before it obeyed. None at the end of
    /// the first file, and of the file in which arguments began.
    pub(super) fn read_files(&mut self) -> Option<Lexeme> {
        let mut is_spaced = false;
        while !self.is_exhausted {
            let depth = self.open_files.len();
            let open = self.open_files.last_mut()?;
            let raw = open.lexer.next_token();
            match raw.class {
                Class::Newline => {
                    open.is_at_line_start = true;
                    is_spaced = true;
                }
                Class::EndOfFile if depth == self.floor => return None,
                Class::EndOfFile => {
                    self.close_file();
                    is_spaced = true;
                }
                Class::OpenComment => self.open_comment(&raw),
                Class::Punctuator(Kind::Hash) if open.is_at_line_start => self.directive(&raw),
                _ => {
                    open.is_at_line_start = false;
                    if !matches!(open.guard, Guard::Inside(..)) {
                        open.guard = Guard::None;
                    }
                    let mut lexeme = open.lexer.lexeme(&raw, &mut self.spellings);
                    lexeme.is_spaced |= is_spaced;
                    return Some(lexeme);
                }
            }
        }
        None
    }

    /// Takes an opening parenthesis, if it is the next token of this file and no directive comes
    /// before it.
    pub(super) fn file_opens_arguments(&mut self) -> bool {
        let Some(open) = self.open_files.last_mut() else {
            return false;
        };
        let start = open.lexer.position();
        loop {
            match open.lexer.next_token().class {
                Class::Newline => {}
                Class::Punctuator(Kind::LeftParenthesis) => {
                    open.is_at_line_start = false;
                    return true;
                }
                _ => {
                    open.lexer.seek(start);
                    return false;
                }
            }
        }
    }

    fn open_comment(&mut self, raw: &Raw) {
        if let Some(span) = self.span(raw.start, raw.start + 2) {
            // What it hides may be the end of what is open.
            let open = self.open_files.last().map_or(0, |open| open.conditionals);
            self.conditionals.truncate(open);
            let error = Diagnostic::error(span, "the comment does not end");
            self.collector
                .report(error.with_hint("write `*/` behind it"));
        }
    }

    fn span(&self, start: usize, end: usize) -> Option<Span> {
        let open = self.open_files.last()?;
        Some(open.lexer.span(start, end))
    }

    fn next_raw(&mut self) -> Option<Raw> {
        Some(self.open_files.last_mut()?.lexer.next_token())
    }

    fn seek(&mut self, position: usize) {
        if let Some(open) = self.open_files.last_mut() {
            open.lexer.seek(position);
        }
    }

    /// The tokens up to the end of the line, which is not taken.
    pub(super) fn line(&mut self) -> Vec<Lexeme> {
        let mut line = Vec::new();
        while let Some(raw) = self.next_raw() {
            match raw.class {
                Class::Newline | Class::EndOfFile => {
                    self.seek(raw.start);
                    break;
                }
                Class::OpenComment => self.open_comment(&raw),
                _ => {
                    if let Some(open) = self.open_files.last() {
                        line.push(open.lexer.lexeme(&raw, &mut self.spellings));
                    }
                }
            }
        }
        line
    }

    fn skip_line(&mut self) {
        while let Some(raw) = self.next_raw() {
            match raw.class {
                Class::Newline | Class::EndOfFile => {
                    self.seek(raw.start);
                    return;
                }
                Class::OpenComment => self.open_comment(&raw),
                _ => {}
            }
        }
    }

    fn directive(&mut self, hash: &Raw) {
        let Some(raw) = self.next_raw() else {
            return;
        };
        let span = self.span_of(hash, &raw);
        let (Some(open), Some(span)) = (self.open_files.last_mut(), span) else {
            return;
        };
        let guard = open.guard;
        if !matches!(guard, Guard::Inside(..)) {
            open.guard = Guard::None;
        }
        let name = open.lexer.text(&raw).to_vec();
        match (raw.class, &name[..]) {
            (Class::Newline | Class::EndOfFile, _) => {
                open.guard = guard;
                self.seek(raw.start);
            }
            (Class::OpenComment, _) => self.open_comment(&raw),
            (Class::Number, _) => {
                self.seek(raw.start);
                let line = self.line();
                self.line_directive(&line, span);
            }
            (_, b"define") => {
                let line = self.line();
                self.define(&line, span);
            }
            (_, b"undef") => {
                let line = self.line();
                self.undefine(&line, span);
            }
            (_, b"ifdef" | b"ifndef") => {
                let line = self.line();
                let is_negative = name == b"ifndef";
                let condition = self.macro_condition(&line, span, is_negative);
                if let (Some((name, _)), Guard::Start, true, Some(open)) =
                    (condition, guard, is_negative, self.open_files.last_mut())
                {
                    open.guard = Guard::Inside(name, self.conditionals.len());
                }
                self.begin(span, condition.is_some_and(|(_, is_true)| is_true));
            }
            (_, b"if") => {
                let line = self.line();
                let is_true = self.condition(line, span);
                self.begin(span, is_true);
            }
            (_, b"elif" | b"elifdef" | b"elifndef" | b"else") => {
                // The group before was taken: what follows is skipped, whatever it says.
                if self.alternative(&name, span) {
                    self.skip_group();
                }
            }
            (_, b"endif") => self.end(span),
            (_, b"include" | b"include_next" | b"import") => {
                self.include(&name, span);
            }
            (_, b"line") => {
                let line = self.line();
                let line = self.expand_line(line);
                self.line_directive(&line, span);
            }
            (_, b"error" | b"warning") => self.message(&name, span),
            (_, b"pragma") => self.pragma(),
            (_, b"ident" | b"sccs" | b"assert" | b"unassert") => self.skip_line(),
            _ => {
                let name = String::from_utf8_lossy(&name);
                let message = format!("there is no directive `#{name}`");
                let error = Diagnostic::error(span, message)
                    .with_hint_if_any(suggestion(&name, DIRECTIVES));
                self.collector.report(error);
                self.skip_line();
            }
        }
    }

    /// From the `#` to the end of the directive's name.
    fn span_of(&self, hash: &Raw, name: &Raw) -> Option<Span> {
        let end = match name.class {
            Class::Newline | Class::EndOfFile | Class::OpenComment => hash.end,
            _ => name.end,
        };
        self.span(hash.start, end)
    }

    /// Warns of tokens behind a directive that takes no more.
    pub(super) fn extra(&mut self, rest: &[Lexeme], directive: &str) {
        if let [first, .., last] | [first @ last] = rest {
            let span = first.span.to(last.span);
            let message = format!("text behind `{directive}` means nothing");
            let warning = Diagnostic::warning(span, message);
            self.collector
                .report(warning.with_hint("make it a comment"));
        }
    }

    fn condition(&mut self, line: Vec<Lexeme>, span: Span) -> bool {
        self.defined = Defined::Idle;
        let list = self.expand_line(line);
        self.defined = Defined::Off;
        if self.is_exhausted {
            return false;
        }
        self.evaluate(&list, span).unwrap_or_else(|error| {
            self.collector.report(error);
            false
        })
    }

    /// The macro that `#ifdef` or `#ifndef` asks for, and what the condition is.
    fn macro_condition(
        &mut self,
        line: &[Lexeme],
        span: Span,
        is_negative: bool,
    ) -> Option<(Name, bool)> {
        let (name, rest) = self.macro_name(line, span)?;
        let directive = if is_negative { "#ifndef" } else { "#ifdef" };
        self.extra(rest, directive);
        Some((name, self.is_known(name) != is_negative))
    }

    /// Whether it is defined, or an operator of conditions.
    pub(super) fn is_known(&self, name: Name) -> bool {
        self.macros.get(name).is_some() || self.is_operator(name)
    }

    /// Whether it asks for something in a condition, like `__has_include`.
    pub(super) fn is_operator(&self, name: Name) -> bool {
        let words = &self.words;
        [words.has_include, words.has_attribute, words.has_builtin].contains(&name)
    }

    fn begin(&mut self, span: Span, is_true: bool) {
        self.conditionals.push(Conditional {
            span,
            was_taken: is_true,
            alternative: None,
        });
        if !is_true {
            self.skip_group();
        }
    }

    /// Reads the rest of `#else` or `#elif`. True if its group is skipped; if there is no `#if`,
    /// it is not.
    fn alternative(&mut self, name: &[u8], span: Span) -> bool {
        let shown = format!("#{}", String::from_utf8_lossy(name));
        let is_else = name == b"else";
        let Some((base, guard)) = self
            .open_files
            .last_mut()
            .map(|open| (open.conditionals, &mut open.guard))
        else {
            return false;
        };
        let depth = self.conditionals.len();
        if matches!(guard, Guard::Inside(_, outside) if *outside + 1 == depth) {
            *guard = Guard::None;
        }
        let is_inside = depth > base;
        let Some(conditional) = self.conditionals.last_mut().filter(|_| is_inside) else {
            let message = format!("`{shown}` without `#if`");
            self.collector.report(Diagnostic::error(span, message));
            self.skip_line();
            return false;
        };
        if let Some(first) = conditional.alternative {
            let error = Diagnostic::error(span, format!("`{shown}` after `#else`"));
            self.collector
                .report(error.with_related(first, "the `#else`"));
        }
        if is_else {
            conditional.alternative = Some(span);
        }
        if conditional.was_taken {
            match is_else {
                true => {
                    let line = self.line();
                    self.extra(&line, "#else");
                }
                false => self.skip_line(),
            }
            return true;
        }
        let line = self.line();
        let is_true = match name {
            b"elifdef" | b"elifndef" => {
                let condition = self.macro_condition(&line, span, name == b"elifndef");
                condition.is_some_and(|(_, is_true)| is_true)
            }
            b"elif" => self.condition(line, span),
            _ => {
                self.extra(&line, "#else");
                true
            }
        };
        if let Some(conditional) = self.conditionals.last_mut() {
            conditional.was_taken = is_true;
        }
        !is_true
    }

    fn end(&mut self, span: Span) {
        let line = self.line();
        self.extra(&line, "#endif");
        let Some(open) = self.open_files.last_mut() else {
            return;
        };
        if self.conditionals.len() <= open.conditionals {
            let message = "`#endif` without `#if`";
            self.collector.report(Diagnostic::error(span, message));
            return;
        }
        self.conditionals.pop();
        if let Guard::Inside(name, outside) = open.guard
            && outside == self.conditionals.len()
        {
            open.guard = Guard::After(name);
        }
    }

    /// Skips to the directive that ends the group, or begins one that is taken.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        while let Some(hash) = self.next_raw() {
            match hash.class {
                Class::Newline => continue,
                Class::EndOfFile => return,
                Class::OpenComment => self.open_comment(&hash),
                Class::Punctuator(Kind::Hash) => {
                    let Some(name) = self.next_raw() else {
                        return;
                    };
                    let Some(open) = self.open_files.last() else {
                        return;
                    };
                    match open.lexer.text(&name) {
                        b"if" | b"ifdef" | b"ifndef" => depth += 1,
                        b"endif" if depth > 0 => depth -= 1,
                        text @ (b"endif" | b"else" | b"elif" | b"elifdef" | b"elifndef")
                            if depth == 0 =>
                        {
                            let text = text.to_vec();
                            let span = self.span_of(&hash, &name).unwrap_or_default();
                            if text == b"endif" {
                                return self.end(span);
                            }
                            if !self.alternative(&text, span) {
                                return;
                            }
                        }
                        _ if name.class == Class::Newline => continue,
                        _ => {}
                    }
                }
                _ => {}
            }
            self.skip_line();
        }
    }

    /// Leaves a file at its end.
    pub(super) fn close_file(&mut self) {
        let Some(open) = self.open_files.pop() else {
            return;
        };
        while self.conditionals.len() > open.conditionals {
            if let Some(conditional) = self.conditionals.pop() {
                let error = Diagnostic::error(conditional.span, "there is no `#endif` for this");
                self.collector.report(error);
            }
        }
        if let Guard::After(name) = open.guard {
            self.files.get_mut(open.file).guard = Some(name);
        }
    }

    /// `#line 12 "file"`, and what compilers write: `# 12 "file" 2`.
    fn line_directive(&mut self, line: &[Lexeme], span: Span) {
        if !self.honours_markers {
            return;
        }
        let number = line.first().filter(|first| first.class == Class::Number);
        let digits = number.map(|number| self.spellings.text(number).into_owned());
        let number = digits.and_then(|digits| digits.parse::<u32>().ok());
        let file = line.get(1);
        let name = file.filter(|file| file.class == Class::Text);
        let (Some(number), true) = (number, file.is_some() == name.is_some()) else {
            let error = Diagnostic::error(span, "this directive needs the number of a line");
            self.collector
                .report(error.with_hint("write `#line 12` or `#line 12 \"file.c\"`"));
            return;
        };
        let name = name.and_then(|name| {
            let read = constants::text(&[self.spellings.bytes(name)]).ok()?;
            let Constant::Text(text) = read.constant else {
                return None;
            };
            let bytes: Vec<u8> = text.units.iter().map(|unit| *unit as u8).collect();
            Some(String::from_utf8_lossy(&bytes).into_owned())
        });
        self.files.presume(span.start, number, name.as_deref());
    }

    /// `#error` and `#warning`.
    fn message(&mut self, name: &[u8], span: Span) {
        let Some(open) = self.open_files.last_mut() else {
            return;
        };
        let raw = open.lexer.rest_of_line();
        let text = String::from_utf8_lossy(open.lexer.text(&raw)).into_owned();
        let shown = String::from_utf8_lossy(name);
        let message = match text.is_empty() {
            true => format!("`#{shown}`"),
            false => format!("`#{shown}`: {text}"),
        };
        self.collector.report(match name {
            b"error" => Diagnostic::error(span, message),
            _ => Diagnostic::warning(span, message),
        });
    }

    fn pragma(&mut self) {
        let line = self.line();
        if let ([first, ..], Some(open)) = (&line[..], self.open_files.last())
            && self.spellings.bytes(first) == b"once"
        {
            self.files.get_mut(open.file).is_once = true;
        }
    }
}
