//! The text of a set of configurations, as a regular expression in postfix form.
//!
//! ```text
//! set      ::= config ("|" config)*
//! config   ::= stack | control stack?
//! control  ::= NAME condition?
//! stack    ::= regular expression, its first symbol on top  |  "<" ">"
//! symbol   ::= "<" name condition? ">"  |  "_"  |  "."
//! condition::= "{" expression "}"
//! ```
//!
//! In the expression stand alternatives `|`, groups, and `*`, `+`, `?` behind what they
//! repeat. A `*` that stands alone, with a blank before it, is any stack, and `<>` is none. What a symbol's
//! name and a condition mean is not known here.
//!
//! Tokens are read by combinators; the expression is put into postfix form by a stack of what
//! is open. Linear, and without recursion: groups may nest as deep as one likes.

use super::token::{Stop, Token, braces, token};
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use nom::combinator::{consumed, opt};
use nom::{Err, Offset};

/// A set of configurations as it was written.
#[derive(Debug)]
pub struct Pattern {
    pub configurations: Vec<Configuration>,
}

/// One of the alternatives of a set.
#[derive(Debug)]
pub struct Configuration {
    pub span: Span,
    pub control: Option<Control>,
    /// The stack in postfix form. Invariant: empty (so is the stack), or running it leaves exactly one operand
    /// and never takes one that is not there.
    pub stack: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
pub struct Control {
    pub name: Span,
    /// Braces included.
    pub condition: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub span: Span,
    /// `None` for any symbol.
    pub name: Option<Span>,
    /// Braces included.
    pub condition: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
pub enum Node {
    Symbol(Symbol),
    /// The operand before the last one, and then the last one below it.
    Concatenate,
    Either,
    /// Any number of times.
    Star,
    /// At least once.
    Plus,
    /// At most once.
    Optional,
}

/// The automaton of an expression has as many states as symbols, and at worst the square of
/// that of edges.
const MOST_NODES: usize = 4_000;

/// The set that a text describes, or what is wrong with it.
pub fn parse(source: &Source) -> Result<Pattern, Diagnostic> {
    let mut builder = Builder {
        bytes: source.bytes(),
        configurations: Vec::new(),
        control: None,
        stack: Vec::new(),
        groups: vec![Group::default()],
        start: 0,
        item_end: None,
        empty: None,
        nodes: 0,
    };
    let mut rest = source.bytes().trim_ascii_start();
    builder.start = builder.offset(rest);
    while !rest.is_empty() {
        let (behind, (written, token)) = builder.read(consumed(token), rest)?;
        rest = behind.trim_ascii_start();
        match token {
            Token::Name => {
                let name = builder.control_name(written)?;
                let (behind, condition) = builder.read(opt(braces), rest)?;
                rest = behind.trim_ascii_start();
                let condition = condition.map(|condition| builder.span(condition));
                builder.control = Some(Control { name, condition });
            }
            Token::Sign('|') => builder.alternative(written, rest)?,
            _ => builder.token(written, token)?,
        }
    }
    builder.finish_configuration(source.bytes().len())?;
    Ok(Pattern {
        configurations: builder.configurations,
    })
}

/// What is open: the whole configuration, or a parenthesis.
#[derive(Default)]
struct Group {
    open: Span,
    /// Whether alternatives of this group are on the output already.
    has_alternatives: bool,
    /// Whether a sequence is on the output already.
    has_sequence: bool,
    /// Whether an item is, which operators may still follow.
    has_item: bool,
}

/// Makes a set from its tokens.
struct Builder<'a> {
    bytes: &'a [u8],
    configurations: Vec<Configuration>,
    control: Option<Control>,
    stack: Vec<Node>,
    /// Never empty: the first one is the configuration itself.
    groups: Vec<Group>,
    /// Where the configuration begins.
    start: usize,
    /// Where the last item ended, operators included.
    item_end: Option<u32>,
    /// Where it is said that there is no stack.
    empty: Option<Span>,
    nodes: usize,
}

impl<'a> Builder<'a> {
    fn offset(&self, part: &[u8]) -> usize {
        self.bytes.offset(part)
    }

    fn span(&self, part: &[u8]) -> Span {
        let start = self.offset(part);
        Span::new(start as u32, (start + part.len()) as u32)
    }

    fn error<T>(&self, part: &[u8], message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::error(self.span(part), message))
    }

    /// What a parser reads from the front of `rest`, or what is wrong there.
    fn read<T>(
        &self,
        mut parser: impl nom::Parser<&'a [u8], Output = T, Error = Stop<'a>>,
        rest: &'a [u8],
    ) -> Result<(&'a [u8], T), Diagnostic> {
        parser.parse(rest).map_err(|error| match error {
            Err::Failure(Stop(place, message, hint)) => {
                let hint = hint.map(str::to_owned);
                Diagnostic::error(self.span(place), message).with_hint_if_any(hint)
            }
            _ => {
                let text = String::from_utf8_lossy(rest);
                let character = text.chars().next().unwrap_or('?');
                let place = &rest[..character.len_utf8().min(rest.len())];
                let message = format!("unexpected `{character}`");
                Diagnostic::error(self.span(place), message).with_hint(
                    "a configuration is written `<top> <below> …`; see docs/configurations.md",
                )
            }
        })
    }

    /// Any token but a name and a `|`.
    fn token(&mut self, written: &[u8], token: Token<'_>) -> Result<(), Diagnostic> {
        match token {
            Token::Empty => {
                let span = self.span(written);
                if self.groups.len() > 1 || self.empty.is_some() {
                    return Err(Diagnostic::error(span, "`<>` is a stack without symbols")
                        .with_hint("`?` says that a symbol may be missing; `<_>` is any symbol"));
                }
                self.empty = Some(span);
                Ok(())
            }
            Token::Symbol { name, condition } => {
                let is_any = matches!(name, b"_" | b".");
                let name = (!is_any).then(|| self.span(name));
                let condition = condition.map(|condition| self.span(condition));
                self.item(written, name, condition)
            }
            Token::Any => self.item(written, None, None),
            Token::Sign('*') => {
                if self.item_end != Some(self.span(written).start) {
                    // Alone: any stack.
                    self.item(written, None, None)?;
                }
                self.operator(written, Node::Star)
            }
            Token::Sign('+') => self.operator(written, Node::Plus),
            Token::Sign('?') => self.operator(written, Node::Optional),
            Token::Sign('(') => {
                self.finish_item();
                self.groups.push(Group {
                    open: self.span(written),
                    ..Group::default()
                });
                self.item_end = None;
                Ok(())
            }
            Token::Sign(')') => {
                if self.groups.len() == 1 {
                    return self.error(written, "unmatched `)`");
                }
                self.finish_sequence(self.offset(written))?;
                self.groups.pop();
                self.group().has_item = true;
                self.item_end = Some(self.span(written).end);
                Ok(())
            }
            Token::Sign(_) | Token::Name => {
                let error = Diagnostic::error(self.span(written), "a condition without a symbol");
                let hint = "a condition stands inside the angle brackets: `<main.entry {x}>`";
                Err(error.with_hint(hint))
            }
        }
    }

    fn group(&mut self) -> &mut Group {
        self.groups.last_mut().expect("the configuration is open")
    }

    fn emit(&mut self, node: Node) {
        self.nodes += 1;
        self.stack.push(node);
    }

    /// The last item takes no more operators, and joins its sequence.
    fn finish_item(&mut self) {
        let group = self.group();
        if std::mem::take(&mut group.has_item) && std::mem::replace(&mut group.has_sequence, true) {
            self.emit(Node::Concatenate);
        }
    }

    fn item(
        &mut self,
        written: &[u8],
        name: Option<Span>,
        condition: Option<Span>,
    ) -> Result<(), Diagnostic> {
        self.finish_item();
        self.group().has_item = true;
        let span = self.span(written);
        self.operator(
            written,
            Node::Symbol(Symbol {
                span,
                name,
                condition,
            }),
        )
    }

    /// An operator behind an item, or an item itself.
    fn operator(&mut self, written: &[u8], node: Node) -> Result<(), Diagnostic> {
        if !self.group().has_item {
            let sign = String::from_utf8_lossy(written);
            return self.error(written, format!("nothing before `{sign}`"));
        }
        self.emit(node);
        self.item_end = Some(self.span(written).end);
        match self.nodes > MOST_NODES {
            true => self.error(
                written,
                format!("more than {MOST_NODES} symbols and operators"),
            ),
            false => Ok(()),
        }
    }

    /// The sequence up to `end` is complete, and joins the alternatives of its group.
    fn finish_sequence(&mut self, end: usize) -> Result<(), Diagnostic> {
        self.finish_item();
        let group = self.group();
        if !std::mem::take(&mut group.has_sequence) {
            let place = Span::new(end as u32, end as u32 + 1);
            return Err(Diagnostic::error(place, "expected a stack symbol")
                .with_hint("for example `<main.entry>`, `_` for any symbol, `*` for any stack"));
        }
        if std::mem::replace(&mut group.has_alternatives, true) {
            self.emit(Node::Either);
        }
        Ok(())
    }

    /// A `|`, and what follows it.
    fn alternative(&mut self, written: &[u8], rest: &[u8]) -> Result<(), Diagnostic> {
        let end = self.offset(written);
        self.item_end = None;
        match self.groups.len() {
            1 => {
                self.finish_configuration(end)?;
                self.start = self.offset(rest);
                Ok(())
            }
            _ => self.finish_sequence(end),
        }
    }

    /// The configuration up to `end` is complete.
    fn finish_configuration(&mut self, end: usize) -> Result<(), Diagnostic> {
        if let [_, .., group] = self.groups.as_slice() {
            return Err(Diagnostic::error(group.open, "this `(` is never closed"));
        }
        let is_empty = !self.group().has_item && !self.group().has_sequence;
        match self.empty.take() {
            Some(empty) if !is_empty => {
                return Err(Diagnostic::error(empty, "`<>` is a stack without symbols")
                    .with_hint("leave it out where there are others; `<_>` is any symbol"));
            }
            None if !is_empty || self.control.is_none() => self.finish_sequence(end)?,
            _ => {}
        }
        let text = self.bytes[self.start..end].trim_ascii_end();
        self.configurations.push(Configuration {
            span: self.span(text),
            control: self.control.take(),
            stack: std::mem::take(&mut self.stack),
        });
        self.groups[0] = Group::default();
        Ok(())
    }

    /// The name of the control state that a configuration begins with.
    fn control_name(&self, name: &[u8]) -> Result<Span, Diagnostic> {
        let span = self.span(name);
        if self.offset(name) == self.start && self.groups.len() == 1 {
            return Ok(span);
        }
        let word = String::from_utf8_lossy(name);
        Err(Diagnostic::error(span, format!("unexpected `{word}`"))
            .with_hint(format!("a stack symbol is written `<{word}>`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The set in prefix notation.
    fn shown(text: &str) -> String {
        let source = Source::new("--from", text.into());
        let of = |span: Span| source.text(span).into_owned();
        let pattern = match parse(&source) {
            Ok(pattern) => pattern,
            Err(error) => {
                let (start, end) = (error.span.start, error.span.end);
                return format!("{start}-{end}: {}", error.message);
            }
        };
        let configurations = pattern.configurations.iter().map(|configuration| {
            let mut operands: Vec<String> = Vec::new();
            for node in &configuration.stack {
                let mut pop = || operands.pop().unwrap();
                let operand = match node {
                    Node::Symbol(symbol) => {
                        let name = symbol.name.map_or("_".to_owned(), of);
                        name + &symbol.condition.map_or(String::new(), of)
                    }
                    Node::Concatenate | Node::Either => {
                        let (right, left) = (pop(), pop());
                        match node {
                            Node::Either => format!("({left}|{right})"),
                            _ => format!("({left} {right})"),
                        }
                    }
                    Node::Star => format!("{}*", pop()),
                    Node::Plus => format!("{}+", pop()),
                    Node::Optional => format!("{}?", pop()),
                };
                operands.push(operand);
            }
            assert!(operands.len() <= 1);
            let control = configuration.control.map_or(String::new(), |control| {
                of(control.name) + &control.condition.map_or(String::new(), of) + ":"
            });
            control + &operands.concat()
        });
        configurations.collect::<Vec<_>>().join(" || ")
    }

    #[test]
    fn precedence_and_the_star_that_stands_alone() {
        assert_eq!(shown("<main.entry>"), "main.entry");
        assert_eq!(shown(" <a> * "), "(a _*)");
        assert_eq!(shown("<a> <b>*"), "(a b*)");
        assert_eq!(shown("<a> <b> *"), "((a b) _*)");
        assert_eq!(shown("<a>(<b>|<c> <d>)+ <e> ?"), "((a (b|(c d))+) e?)");
        assert_eq!(shown("<a> (( _ . ))*"), "(a (_ _)*)");
        assert_eq!(shown("<a>|<b> *|error {g}"), "a || (b _*) || error{g}:");
        assert_eq!(shown("q {x} <s {y}> *"), "q{x}:(s{y} _*)");
        assert_eq!(shown("(<a>|<b>) *"), "((a|b) _*)");
        assert_eq!(shown("_*?+"), "_*?+");
        assert_eq!(shown("q {x} < > | <> | r"), "q{x}: ||  || r:");
    }

    #[test]
    fn names_and_conditions_in_braces() {
        assert_eq!(shown("< p.L {x > y} >"), "p.L{x > y}");
        assert_eq!(shown("<{a > b}.{x y} {{c} & d}>"), "{a > b}.{x y}{{c} & d}");
        assert_eq!(shown("<p@3:5{x}>"), "p@3:5{x}");
        assert_eq!(shown("<_ {g}> <.>"), "(_{g} _)");
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, expected) in [
            ("", "0-1: expected a stack symbol"),
            ("<a> |", "5-6: expected a stack symbol"),
            ("| <a>", "0-1: expected a stack symbol"),
            ("()", "1-2: expected a stack symbol"),
            ("(<a>", "0-1: this `(` is never closed"),
            ("<a>)", "3-4: unmatched `)`"),
            ("<a", "0-1: this `<` is never closed"),
            ("<a <b>", "0-1: this `<` is never closed"),
            ("<a {x>", "3-4: this `{` is never closed"),
            ("<a x>", "3-4: expected `>`"),
            ("(<>)", "1-3: `<>` is a stack without symbols"),
            ("q <> <a>", "2-4: `<>` is a stack without symbols"),
            ("<a>|<b> < >", "8-11: `<>` is a stack without symbols"),
            ("<>*", "0-2: `<>` is a stack without symbols"),
            ("<>+", "2-3: nothing before `+`"),
            ("+", "0-1: nothing before `+`"),
            ("<a> q", "4-5: unexpected `q`"),
            ("(q)", "1-2: unexpected `q`"),
            ("<a> {x}", "4-5: a condition without a symbol"),
            ("<a> é", "4-6: unexpected `é`"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_no_problem_and_length_is_refused() {
        let deep = "(".repeat(100_000) + "<a>" + &")".repeat(100_000);
        assert_eq!(shown(&deep), "a");
        let long = "<a>".repeat(100_000);
        assert!(shown(&long).ends_with("more than 4000 symbols and operators"));
        let stars = "<a>".to_owned() + &"*+".repeat(100_000) + "<b>";
        assert!(shown(&stars).ends_with("more than 4000 symbols and operators"));
    }
}
