//! SLIC, SLAM's language for rules about how interfaces are used.
//!
//! ```text
//! rule   ::= (state | watch | clause)…
//! state  ::= "state" "{" C's declarations "}"
//! watch  ::= "watch" NAME ("," NAME)… ";"
//! clause ::= event ("," event)… block
//! event  ::= NAME "." ("call" | "entry" | "exit" | "return")
//! ```
//!
//! A rule is lexed as C is, and what it has of C is read by C's parser, which in rules also knows
//! `abort "text";` and `halt;`. None of the words above is reserved. Linear time; after a mistake
//! it goes on with the next item.

use super::Collector;
use super::c::token::{Kind, Token};
use super::c::tree::Tree;
use super::c::{Preprocessed, parse_declarations, parse_rule_body};
use super::kit::{Parsed, Reported};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::names::Name;
use crate::source::Span;

/// A rule.
#[derive(Debug, Default)]
pub struct Rule {
    /// The declarations of its state, one part for each block of them.
    pub state: Vec<Part>,
    /// What stands for any one value.
    pub watches: Vec<(Name, Span)>,
    /// What happens at events.
    pub clauses: Vec<Clause>,
}

/// A part of a rule that is C.
#[derive(Debug)]
pub struct Part {
    /// Its tokens; the last one is an end of file.
    pub tokens: Vec<Token>,
    /// What they mean.
    pub tree: Tree,
}

/// What is done at some events.
#[derive(Debug)]
pub struct Clause {
    /// The events, in their order.
    pub events: Vec<Event>,
    /// A block.
    pub body: Part,
}

/// Something that happens to a function.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The function.
    pub function: Name,
    /// When it happens.
    pub moment: Moment,
    /// Where it is named.
    pub span: Span,
}

/// When an event of a function happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The arguments are known, and control has not left the caller.
    Call,
    /// Control has come to the function.
    Entry,
    /// The result is known, and control has not left the function.
    Exit,
    /// Control is back in the caller, which has not used the result.
    Return,
}

impl Moment {
    const ALL: [Moment; 4] = [Moment::Call, Moment::Entry, Moment::Exit, Moment::Return];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Moment::Call => "call",
            Moment::Entry => "entry",
            Moment::Exit => "exit",
            Moment::Return => "return",
        }
    }

    /// Whether the function has run.
    pub fn has_result(self) -> bool {
        matches!(self, Moment::Exit | Moment::Return)
    }
}

/// The rule that the tokens of a file say. `types` are the names of the program's types.
pub fn parse(
    tokens: &[Token],
    preprocessed: &Preprocessed,
    types: &[Name],
    collector: &mut Collector,
) -> Rule {
    let mut parser = Parser {
        tokens,
        preprocessed,
        collector,
        types: types.to_vec(),
        position: 0,
        rule: Rule::default(),
    };
    while parser.token().kind != Kind::EndOfFile {
        if parser.item().is_err() {
            parser.recover();
        }
    }
    parser.rule
}

struct Parser<'a> {
    tokens: &'a [Token],
    preprocessed: &'a Preprocessed,
    collector: &'a mut Collector,
    /// Names that are types: the program's, and those of the state so far.
    types: Vec<Name>,
    position: usize,
    rule: Rule,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.nth(0)
    }

    fn nth(&self, ahead: usize) -> Token {
        let token = self.tokens.get(self.position + ahead);
        let token = token.or(self.tokens.last()).copied();
        token.unwrap_or_else(|| Token::plain(Kind::EndOfFile, Span::default()))
    }

    fn text(&self, token: Token) -> &str {
        self.preprocessed.vocabulary.spelling(token)
    }

    fn take(&mut self, kind: Kind) -> bool {
        let taken = self.token().kind == kind;
        self.position += usize::from(taken);
        taken
    }

    fn expect(&mut self, kind: Kind) -> Parsed<()> {
        match self.take(kind) {
            true => Ok(()),
            false => {
                let expected = kind.spelling().unwrap_or_default();
                Err(self.unexpected(&format!("`{expected}`")))
            }
        }
    }

    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token();
        let found = match token.kind {
            Kind::EndOfFile => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text(token)),
        };
        let message = format!("expected {expected}, found {found}");
        self.collector
            .report(Diagnostic::error(token.span, message));
        Reported
    }

    fn name(&mut self, expected: &str) -> Parsed<(Name, Span)> {
        let token = self.token();
        let name = self.preprocessed.vocabulary.name(token);
        match name.filter(|_| token.kind == Kind::Identifier) {
            Some(name) => {
                self.position += 1;
                Ok((name, token.span))
            }
            None => Err(self.unexpected(expected)),
        }
    }

    fn item(&mut self) -> Parsed<()> {
        let (first, next) = (self.token(), self.nth(1).kind);
        match (self.text(first), next) {
            ("state", Kind::LeftBrace) => {
                self.position += 1;
                self.state()
            }
            ("watch", Kind::Identifier) => {
                self.position += 1;
                self.watches()
            }
            _ => self.clause(),
        }
    }

    fn state(&mut self) -> Parsed<()> {
        let braces = self.block()?;
        let end = braces.end - 1;
        let mut tokens = self.tokens[braces.start + 1..end].to_vec();
        tokens.push(Token::plain(Kind::EndOfFile, self.tokens[end].span));
        let Preprocessed {
            vocabulary, source, ..
        } = self.preprocessed;
        let tree = parse_declarations(&tokens, vocabulary, source, self.collector, &self.types);
        self.types.extend(&tree.types);
        self.rule.state.push(Part { tokens, tree });
        Ok(())
    }

    fn watches(&mut self) -> Parsed<()> {
        loop {
            let watch = self.name("a name")?;
            self.rule.watches.push(watch);
            if !self.take(Kind::Comma) {
                return self.expect(Kind::Semicolon);
            }
        }
    }

    fn clause(&mut self) -> Parsed<()> {
        let mut events = Vec::new();
        loop {
            events.push(self.event()?);
            if !self.take(Kind::Comma) {
                break;
            }
        }
        let braces = self.block()?;
        let mut tokens = self.tokens[braces.clone()].to_vec();
        let close = self.tokens[braces.end - 1].span;
        tokens.push(Token::plain(Kind::EndOfFile, close));
        let Preprocessed {
            vocabulary, source, ..
        } = self.preprocessed;
        let tree = parse_rule_body(&tokens, vocabulary, source, self.collector, &self.types);
        let body = Part { tokens, tree };
        self.rule.clauses.push(Clause { events, body });
        Ok(())
    }

    fn event(&mut self) -> Parsed<Event> {
        let (function, span) = self.name("`state`, `watch`, or an event such as `f.call`")?;
        self.expect(Kind::Dot)?;
        let token = self.token();
        let word = self.text(token).to_owned();
        let moment = Moment::ALL.into_iter().find(|one| one.word() == word);
        let Some(moment) = moment else {
            let words = Moment::ALL.map(Moment::word);
            let message = format!("`{word}` is no event of a function");
            let hint = suggestion(&word, words);
            let hint = hint.unwrap_or("there are `call`, `entry`, `exit` and `return`".into());
            let error = Diagnostic::error(token.span, message).with_hint(hint);
            self.collector.report(error);
            return Err(Reported);
        };
        self.position += 1;
        Ok(Event {
            function,
            moment,
            span: span.to(token.span),
        })
    }

    /// The tokens of a block, with its braces.
    fn block(&mut self) -> Parsed<std::ops::Range<usize>> {
        let (start, open) = (self.position, self.token().span);
        self.expect(Kind::LeftBrace)?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.token().kind {
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace => depth -= 1,
                Kind::EndOfFile => {
                    let error = Diagnostic::error(open, "this `{` is not closed");
                    self.collector.report(error);
                    return Err(Reported);
                }
                _ => {}
            }
            self.position += 1;
        }
        Ok(start..self.position)
    }

    /// Leaves out the rest of an item: up to its `;`, or the end of its block.
    fn recover(&mut self) {
        let mut depth = 0_usize;
        loop {
            let kind = self.token().kind;
            self.position += usize::from(kind != Kind::EndOfFile);
            match kind {
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace if depth <= 1 => return,
                Kind::RightBrace => depth -= 1,
                Kind::Semicolon if depth == 0 => return,
                Kind::EndOfFile => return,
                _ => {}
            }
        }
    }
}
