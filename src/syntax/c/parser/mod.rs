//! From the tokens of a translation unit to its syntax tree.
//!
//! A recursive descent without recursion: what a function of the grammar would still have to do
//! after a call is a [`State`] on a stack, because in C statements nest in expressions, types in
//! both, and expressions in types. One token is looked at, seldom a second; which names are
//! types is known from the declarations so far. Linear time.
//!
//! A step that cannot go on reports why. What is being read up to the nearest [`Anchor`] (a
//! statement, a member, a declaration) is then taken out of the tree, tokens are left out up to
//! its end, and it goes on there, so that one mistake gives one error.

mod declaration;
mod declarator;
mod expression;
mod initialiser;
mod recovery;
mod statement;
mod tag;

use super::token::{Kind, Token, Vocabulary};
use super::tree::{Context, Node, NodeKind, Tree};
use crate::diagnostic::{Diagnostic, Severity};
use crate::names::Name;
use crate::source::{Source, Span};
use crate::syntax::Collector;
use crate::syntax::kit::tree::shorten;
use crate::syntax::kit::{Parsed, Reported, Scoped};
use declaration::Declaring;
use declarator::Declared;
use recovery::Anchor;

/// The syntax tree of a translation unit; what is wrong goes to the collector.
pub fn parse(
    tokens: &[Token],
    vocabulary: &Vocabulary,
    source: &Source,
    collector: &mut Collector,
) -> Tree {
    parse_declarations(tokens, vocabulary, source, collector, &[])
}

/// The syntax tree of declarations that follow others, in which these names are types.
pub fn parse_declarations(
    tokens: &[Token],
    vocabulary: &Vocabulary,
    source: &Source,
    collector: &mut Collector,
    types: &[Name],
) -> Tree {
    Parser::new(tokens, vocabulary, source, collector, types).run(State::Unit)
}

/// The syntax tree of what a rule does at an event: a block.
pub fn parse_rule_body(
    tokens: &[Token],
    vocabulary: &Vocabulary,
    source: &Source,
    collector: &mut Collector,
    types: &[Name],
) -> Tree {
    let mut parser = Parser::new(tokens, vocabulary, source, collector, types);
    parser.is_rule = true;
    parser.run(State::Statement)
}

/// What is still to be done.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Declarations up to the end of the file.
    Unit,
    /// The nearest anchor's part is complete.
    EndAnchor,
    Emit(Node),
    /// Through the last token before it.
    EmitThrough(NodeKind, Span),
    /// A token that closes what was opened at a place.
    Close(Kind, Span),
    Semicolon(&'static str),
    /// Anything that begins an operand, up to its end.
    Unary,
    /// After an operand: the operators that bind at least so tightly.
    Binary(u8),
    /// After an operand: what may stand right behind it.
    Postfix,
    Conditional(Span),
    Arguments(u32),
    Cast(Span),
    SizeofType(NodeKind, Span),
    OffsetofMember,
    GenericArm(Span),
    StatementExpression(Span),
    Specifiers,
    AfterSpecifiers,
    Declarator(Naming),
    DeclaratorLevel(Naming),
    DeclaratorSuffixes,
    DeclaratorClose {
        pointers: bool,
        open: Span,
    },
    EndLevel {
        pointers: bool,
    },
    ArrayEnd(Span),
    AfterParameter(Span),
    AfterDeclarator,
    AfterBitField,
    EndDeclarator,
    NextDeclarator,
    TypeName,
    EndTypeName,
    OldDeclarations,
    EndFunction,
    Members(Span),
    EndRecord(bool),
    Enumerator(Name, Span),
    AfterEnumerator(Span),
    StaticAssert(Span),
    Initialiser,
    List(Span),
    Designators(Span),
    DesignatorIndex(Span),
    Item(Span),
    Block(Span),
    Statement,
    Then,
    Else,
    Body,
    DoWhile,
    EndDo,
    EndFor,
    ForCondition(Span),
    ForStep(Span),
    Case(Span, bool),
    LabelBody,
}

/// Whether a declarator has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Named,
    Optional,
    Abstract,
}

struct Parser<'a> {
    tokens: &'a [Token],
    vocabulary: &'a Vocabulary,
    source: &'a Source,
    collector: &'a mut Collector,
    /// Of the token that is looked at.
    position: usize,
    tree: Tree,
    states: Vec<State>,
    /// What can be given up, the innermost last.
    anchors: Vec<Anchor>,
    /// The declarations that are being read, the innermost last.
    declarations: Vec<Declaring>,
    /// The declarators that are being read, the innermost last.
    declarators: Vec<Declared>,
    /// Whether each name is a type here.
    typedefs: Scoped<bool>,
    /// The text ends in the middle of something, and that has been reported.
    cut_short: bool,
    /// Whether `abort` and `halt` are statements.
    is_rule: bool,
}

impl<'a> Parser<'a> {
    fn new(
        tokens: &'a [Token],
        vocabulary: &'a Vocabulary,
        source: &'a Source,
        collector: &'a mut Collector,
        types: &[Name],
    ) -> Self {
        let mut typedefs = Scoped::default();
        for name in types {
            typedefs.declare(*name, true);
        }
        Parser {
            tokens,
            vocabulary,
            source,
            collector,
            position: 0,
            tree: Tree::default(),
            states: Vec::new(),
            anchors: Vec::new(),
            declarations: Vec::new(),
            declarators: Vec::new(),
            typedefs,
            cut_short: false,
            is_rule: false,
        }
    }

    fn run(mut self, first: State) -> Tree {
        self.states.push(first);
        while let Some(state) = self.states.pop() {
            if self.step(state).is_err() {
                self.recover();
            }
        }
        let names = self.typedefs.here();
        self.tree.types = names
            .filter_map(|(name, is_type)| is_type.then_some(name))
            .collect();
        self.tree
    }
}

impl Parser<'_> {
    fn step(&mut self, state: State) -> Parsed<()> {
        match state {
            State::Unit => self.unit(),
            State::EndAnchor => {
                self.anchors.pop();
                Ok(())
            }
            State::Emit(node) => {
                self.tree.nodes.push(node);
                Ok(())
            }
            State::EmitThrough(kind, start) => {
                self.emit(kind, start.to(self.previous().span));
                Ok(())
            }
            State::Close(kind, open) => self.close(kind, open),
            State::Semicolon(what) => self.semicolon(what),
            State::Unary => self.unary(),
            State::Binary(least) => {
                self.binary(least);
                Ok(())
            }
            State::Postfix => self.postfix(),
            State::Conditional(open) => self.conditional(open),
            State::Arguments(count) => self.arguments(count),
            State::Cast(open) => self.cast(open),
            State::SizeofType(kind, open) => self.sizeof_type(kind, open),
            State::OffsetofMember => self.offsetof_member(),
            State::GenericArm(open) => self.generic_arm(open),
            State::StatementExpression(open) => self.end_statement_expression(open),
            State::Specifiers => self.specifiers(),
            State::AfterSpecifiers => self.after_specifiers(),
            State::Declarator(naming) => {
                self.declarator(naming);
                Ok(())
            }
            State::DeclaratorLevel(naming) => self.declarator_level(naming),
            State::DeclaratorSuffixes => self.declarator_suffixes(),
            State::DeclaratorClose { pointers, open } => self.declarator_close(pointers, open),
            State::EndLevel { pointers } => {
                self.end_level(pointers);
                Ok(())
            }
            State::ArrayEnd(open) => self.array_end(open),
            State::AfterParameter(open) => self.after_parameter(open),
            State::AfterDeclarator => self.after_declarator(),
            State::AfterBitField => self.after_bit_field(),
            State::EndDeclarator => self.end_declarator(),
            State::NextDeclarator => self.next_declarator(),
            State::TypeName => self.type_name(),
            State::EndTypeName => {
                self.end_type_name();
                Ok(())
            }
            State::OldDeclarations => self.old_declarations(),
            State::EndFunction => {
                self.end_function();
                Ok(())
            }
            State::Members(open) => self.members(open),
            State::EndRecord(packed) => self.end_record(packed),
            State::Enumerator(name, span) => {
                self.enumerator(name, span, true);
                Ok(())
            }
            State::AfterEnumerator(open) => self.after_enumerator(open),
            State::StaticAssert(open) => self.end_static_assert(open),
            State::Initialiser => {
                self.initialiser();
                Ok(())
            }
            State::List(open) => self.list(open),
            State::Designators(open) => self.designators(open),
            State::DesignatorIndex(open) => self.designator_index(open),
            State::Item(open) => self.item(open),
            State::Block(open) => self.block(open),
            State::Statement => self.statement(),
            State::Then => {
                self.then();
                Ok(())
            }
            State::Else => {
                self.or_else();
                Ok(())
            }
            State::Body => {
                self.body();
                Ok(())
            }
            State::DoWhile => self.do_while(),
            State::EndDo => {
                self.emit(NodeKind::EndDo, self.previous().span);
                Ok(())
            }
            State::EndFor => {
                self.end_for();
                Ok(())
            }
            State::ForCondition(open) => self.for_condition(open),
            State::ForStep(open) => self.for_step(open),
            State::Case(span, is_range) => self.case(span, is_range),
            State::LabelBody => {
                self.label_body();
                Ok(())
            }
        }
    }

    fn push(&mut self, state: State) {
        self.states.push(state);
    }

    fn emit(&mut self, kind: NodeKind, span: Span) {
        self.tree.nodes.push(Node { kind, span });
    }

    /// Puts a node out after all that is pushed later.
    fn emit_later(&mut self, kind: NodeKind, span: Span) {
        self.push(State::Emit(Node { kind, span }));
    }

    /// The same for what begins at `start` and ends where the last token before the node ends.
    fn emit_through(&mut self, kind: NodeKind, start: Span) {
        self.push(State::EmitThrough(kind, start));
    }

    #[inline]
    fn token(&self) -> Token {
        self.nth(0)
    }

    /// The token so many places ahead; behind the end, the last one.
    #[inline]
    fn nth(&self, ahead: usize) -> Token {
        let last = self.tokens.last();
        let token = self.tokens.get(self.position + ahead).or(last);
        token.copied().unwrap_or_else(end)
    }

    /// The token that was taken last.
    fn previous(&self) -> Token {
        let before = self.position.checked_sub(1);
        let token = before.and_then(|position| self.tokens.get(position));
        token.copied().unwrap_or_else(end)
    }

    #[inline]
    fn at(&self, kind: Kind) -> bool {
        self.token().kind == kind
    }

    /// Takes the token, and gives its place.
    #[inline]
    fn advance(&mut self) -> Span {
        let span = self.token().span;
        self.position = (self.position + 1).min(self.tokens.len().saturating_sub(1));
        span
    }

    #[inline]
    fn take(&mut self, kind: Kind) -> bool {
        let taken = self.at(kind);
        if taken {
            self.advance();
        }
        taken
    }

    fn expect(&mut self, kind: Kind) -> Parsed<Span> {
        match self.at(kind) {
            true => Ok(self.advance()),
            false => {
                let spelling = kind.spelling().unwrap_or("a name");
                Err(self.unexpected(&format!("`{spelling}`")))
            }
        }
    }

    fn close(&mut self, kind: Kind, open: Span) -> Parsed<()> {
        if self.take(kind) {
            return Ok(());
        }
        let spelling = kind.spelling().unwrap_or_default();
        let message = format!("expected `{spelling}`, found {}", self.found());
        let span = self.token().span;
        Err(self.error(Diagnostic::error(span, message).with_related(open, "opened here")))
    }

    fn identifier(&mut self, expected: &str) -> Parsed<(Name, Span)> {
        let token = self.token();
        match (token.kind, self.vocabulary.name(token)) {
            (Kind::Identifier, Some(name)) => Ok((name, self.advance())),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// The name that is looked at, if it is one.
    fn name(&self) -> Option<Name> {
        let token = self.token();
        let is_name = token.kind == Kind::Identifier;
        is_name.then(|| self.vocabulary.name(token)).flatten()
    }

    /// The spelling of the token that is looked at.
    fn word(&self) -> &str {
        self.vocabulary.spelling(self.token())
    }

    #[cold]
    fn unexpected(&mut self, expected: &str) -> Reported {
        let message = format!("expected {expected}, found {}", self.found());
        self.error(Diagnostic::error(self.token().span, message))
    }

    /// Reports an error, unless it follows from one that is known.
    #[cold]
    fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        // A token that is wrong itself has been reported, and stands for whatever was meant.
        let places = [self.previous().span, self.token().span];
        let is_known = places.iter().any(|span| self.collector.has_error_at(*span));
        let is_end = self.at(Kind::EndOfFile);
        let follows = is_known || (is_end && self.cut_short);
        if !follows {
            self.collector.report(diagnostic);
        }
        self.cut_short |= is_known || is_end;
        Reported
    }

    /// The token in words.
    fn found(&self) -> String {
        if self.collector.is_full(Severity::Error) {
            return String::new();
        }
        let token = self.token();
        let text = shorten(self.vocabulary.spelling(token));
        match token.kind {
            Kind::EndOfFile => "the end of the file".into(),
            kind if kind.is_keyword() => format!("the keyword `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    fn unit(&mut self) -> Parsed<()> {
        let token = self.token();
        if token.kind == Kind::EndOfFile {
            return Ok(());
        }
        self.push(State::Unit);
        match token.kind {
            Kind::Semicolon => {
                self.advance();
                Ok(())
            }
            Kind::RightBrace => {
                let span = self.advance();
                let message = "this `}` closes nothing";
                self.collector.report(Diagnostic::error(span, message));
                Ok(())
            }
            _ => {
                self.anchor();
                self.declaration_or_assertion(Context::File)
            }
        }
    }
}

/// What stands behind the last token, if there is none.
fn end() -> Token {
    Token::plain(Kind::EndOfFile, Span::default())
}
