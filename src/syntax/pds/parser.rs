//! Declarations, the start and the rules.
//!
//! The parser looks one token ahead and reads the source once. A step that cannot go on
//! reports why and returns [`Reported`]; the item it belongs to is given up and `recovery`
//! finds the next one, so that one mistake gives one error.

use super::super::Collector;
use super::expression::{Pending, Sort};
use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::tree::{
    Atoms, Declaration, Define, Dimension, ExpressionId, Group, Identifier, Node, Rule, Start, Tree,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use std::ops::Range;

/// Something could not be read, and the user has been told.
#[derive(Debug)]
pub struct Reported;

pub type Parsed<T> = Result<T, Reported>;

/// The parts of a system, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Defines,
    Globals,
    Locals,
    Start,
    Atoms,
    Rules,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Defines => "`define`",
            Part::Globals => "`global`",
            Part::Locals => "`local`",
            Part::Start => "the start",
            Part::Atoms => "`atoms`",
            Part::Rules => "rules",
        }
    }
}

pub struct Parser<'a> {
    pub lexer: Lexer<'a>,
    /// The token that is looked at, not yet taken.
    pub token: Token,
    /// Where the last token that was taken ends.
    pub previous_end: u32,
    pub previous_kind: TokenKind,
    pub tree: Tree,
    pub collector: Collector,
    /// The stack of the expression parser, kept to be used again.
    pub operators: Vec<Pending>,
    /// The nodes of the expression that is read.
    pub output: Vec<Node>,
    /// The last part so far.
    part: Part,
}

impl<'a> Parser<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut lexer = Lexer::new(bytes);
        let token = lexer.next_token();
        Parser {
            lexer,
            token,
            previous_end: 0,
            previous_kind: TokenKind::EndOfFile,
            tree: Tree::default(),
            collector: Collector::default(),
            operators: Vec::new(),
            output: Vec::new(),
            part: Part::Defines,
        }
    }

    pub fn system(&mut self) {
        loop {
            let item = match self.token.kind {
                TokenKind::EndOfFile => break,
                TokenKind::Define => self.define(),
                TokenKind::Global => self.globals(),
                TokenKind::Local => self.locals(),
                TokenKind::LeftParenthesis => self.start(),
                TokenKind::Atoms => self.atoms(),
                TokenKind::Name => self.rule(),
                _ => Err(self.no_item()),
            };
            if item.is_err() {
                self.tree.incomplete = true;
                self.recover();
            }
        }
    }

    /// A text that is an expression and nothing else.
    pub fn only_expression(&mut self) -> Option<ExpressionId> {
        let expression = self.expression(Sort::Relation).ok()?;
        if !self.at(TokenKind::EndOfFile) {
            self.unexpected("an operator, or the end of the expression");
            return None;
        }
        Some(expression)
    }

    fn no_item(&mut self) -> Reported {
        let diagnostic = match self.token.kind {
            TokenKind::Bool | TokenKind::Int => Diagnostic::error(
                self.token.span(),
                format!("`{}` begins no part of a system", self.text()),
            )
            .with_hint("variables are declared after `global`, or after `local (SYMBOL, …)`"),
            _ if self.previous_kind == TokenKind::RightParenthesis
                && !self.tree.rules.is_empty() =>
            {
                Diagnostic::error(
                    self.token.span(),
                    format!("expected a rule, found {}", self.found()),
                )
                .with_hint("the whole expression of a rule stands in one pair of parentheses")
            }
            TokenKind::Unknown | TokenKind::OpenText => return self.unexpected("a rule"),
            _ => Diagnostic::error(
                self.token.span(),
                format!("expected a rule, found {}", self.found()),
            )
            .with_hint("a rule is written `state <symbol> --> state <symbols> (relation)`"),
        };
        self.collector.report(diagnostic);
        self.advance();
        Reported
    }

    /// Notes that a part begins here; the user is told if it comes too late.
    fn begin(&mut self, part: Part) {
        let again = match part {
            Part::Globals | Part::Start => part <= self.part,
            _ => part < self.part,
        };
        if again && part == self.part {
            let message = format!("there is only one {}", part.name().replace("the ", ""));
            let hint = match part {
                Part::Globals => "leave the second `global` out",
                _ => "a choice between starts is made by rules",
            };
            let diagnostic = Diagnostic::error(self.token.span(), message);
            self.collector.report(diagnostic.with_hint(hint));
        } else if again {
            let message = format!("{} must come before {}", part.name(), self.part.name());
            let hint = "the order is `define`, `global`, `local`, the start, `atoms`, rules";
            let diagnostic = Diagnostic::error(self.token.span(), message);
            self.collector.report(diagnostic.with_hint(hint));
        }
        self.part = self.part.max(part);
    }

    fn define(&mut self) -> Parsed<()> {
        self.begin(Part::Defines);
        self.advance();
        let identifier = self.identifier("a name to define")?;
        let value = self.expression(Sort::Constant)?;
        self.tree.defines.push(Define { identifier, value });
        Ok(())
    }

    fn globals(&mut self) -> Parsed<()> {
        self.begin(Part::Globals);
        self.advance();
        let first = self.tree.globals.clone();
        let range = self.variables();
        self.tree.globals = match first.is_empty() {
            true => range,
            false => first.start..range.end,
        };
        Ok(())
    }

    fn locals(&mut self) -> Parsed<()> {
        self.begin(Part::Locals);
        self.advance();
        if self.at(TokenKind::Name) {
            // The name of the procedure says nothing.
            self.advance();
        }
        self.expect(TokenKind::LeftParenthesis)?;
        let symbols = self.names("a stack symbol")?;
        self.expect(TokenKind::RightParenthesis)?;
        let declarations = self.variables();
        self.tree.groups.push(Group {
            symbols,
            declarations,
        });
        Ok(())
    }

    /// `a, b, c`.
    fn names(&mut self, expected: &str) -> Parsed<Range<usize>> {
        let first = self.tree.identifiers.len();
        loop {
            let identifier = self.identifier(expected)?;
            self.tree.identifiers.push(identifier);
            if !self.take(TokenKind::Comma) {
                return Ok(first..self.tree.identifiers.len());
            }
        }
    }

    /// The declarations after `global` or `local`, at least one.
    fn variables(&mut self) -> Range<usize> {
        let first = self.tree.declarations.len();
        if !matches!(self.token.kind, TokenKind::Bool | TokenKind::Int) {
            self.unexpected("`bool` or `int`");
            self.tree.incomplete = true;
        }
        while let kind @ (TokenKind::Bool | TokenKind::Int) = self.token.kind {
            self.advance();
            if self.variable_list(kind == TokenKind::Int).is_err() {
                self.tree.incomplete = true;
                self.recover_in_declarations();
            }
        }
        first..self.tree.declarations.len()
    }

    fn variable_list(&mut self, integers: bool) -> Parsed<()> {
        loop {
            let identifier = self.identifier("a variable")?;
            let dimension = self.dimension()?;
            let bits = match integers {
                true => Some(self.bits(identifier)?),
                false => None,
            };
            self.tree.declarations.push(Declaration {
                identifier,
                dimension,
                bits,
            });
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon)
    }

    fn dimension(&mut self) -> Parsed<Dimension> {
        if !self.take(TokenKind::LeftBracket) {
            return Ok(Dimension::None);
        }
        let low = self.expression(Sort::Constant)?;
        let dimension = match self.take(TokenKind::Comma) {
            true => Dimension::Range(low, self.expression(Sort::Constant)?),
            false => Dimension::Length(low),
        };
        self.expect(TokenKind::RightBracket)?;
        Ok(dimension)
    }

    fn bits(&mut self, identifier: Identifier) -> Parsed<ExpressionId> {
        if !self.at(TokenKind::LeftParenthesis) {
            let name = self.tree.text(identifier).to_owned();
            let message = format!("how many bits has `{name}`?");
            let hint = format!("write `int {name}(8)` for a number of 8 bits");
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            return Err(Reported);
        }
        self.advance();
        let bits = self.expression(Sort::Constant)?;
        self.expect(TokenKind::RightParenthesis)?;
        Ok(bits)
    }

    fn start(&mut self) -> Parsed<()> {
        self.begin(Part::Start);
        let start = self.token.start;
        self.advance();
        let state = self.identifier("the state that executions begin in")?;
        let after_state = self.previous_end;
        let state_condition = self.condition()?;
        let of_state = Span::new(after_state, self.previous_end);
        self.expect(TokenKind::Less)?;
        let symbol = self.identifier("the stack symbol that executions begin with")?;
        let after_symbol = self.previous_end;
        let symbol_condition = self.condition()?;
        let of_symbol = Span::new(after_symbol, self.previous_end);
        if self.at(TokenKind::Name) {
            let message = "executions begin with one stack symbol";
            let hint = "let a first rule push the others";
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            return Err(Reported);
        }
        self.expect(TokenKind::Greater)?;
        self.expect(TokenKind::RightParenthesis)?;
        self.tree.start.get_or_insert(Start {
            state,
            state_condition,
            symbol,
            symbol_condition,
            conditions: [of_state, of_symbol],
            span: Span::new(start, self.previous_end),
        });
        Ok(())
    }

    /// `(expr)`, if there is one.
    fn condition(&mut self) -> Parsed<Option<ExpressionId>> {
        if !self.take(TokenKind::LeftParenthesis) {
            return Ok(None);
        }
        let condition = self.expression(Sort::Relation)?;
        self.expect(TokenKind::RightParenthesis)?;
        Ok(Some(condition))
    }

    fn atoms(&mut self) -> Parsed<()> {
        self.begin(Part::Atoms);
        self.advance();
        let symbol = self.identifier("a stack symbol")?;
        let names = self.names("a proposition")?;
        self.tree.atoms.push(Atoms { symbol, names });
        Ok(())
    }

    fn rule(&mut self) -> Parsed<()> {
        self.begin(Part::Rules);
        let start = self.token.start;
        let state = self.identifier("a state")?;
        self.expect(TokenKind::Less)?;
        let symbol = self.identifier("a stack symbol")?;
        if self.at(TokenKind::Name) {
            let message = "a rule looks at one stack symbol only";
            self.report(Diagnostic::error(self.token.span(), message));
            return Err(Reported);
        }
        self.expect(TokenKind::Greater)?;
        self.expect(TokenKind::Arrow)?;
        let to = self.identifier("a state")?;
        self.expect(TokenKind::Less)?;
        let mut right = [None, None];
        for place in &mut right {
            if self.at(TokenKind::Name) {
                *place = Some(self.identifier("a stack symbol")?);
            }
        }
        if self.at(TokenKind::Name) {
            let message = "a rule puts at most two symbols on the stack";
            let hint = "push the others in further steps";
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            return Err(Reported);
        }
        self.expect(TokenKind::Greater)?;
        let text = self.at(TokenKind::Text).then(|| {
            let token = self.token;
            self.advance();
            Span::new(token.start + 1, token.end - 1)
        });
        let relation = self.condition()?;
        self.tree.rules.push(Rule {
            span: Span::new(start, self.previous_end),
            state,
            symbol,
            to,
            right,
            text,
            relation,
        });
        Ok(())
    }

    pub fn whether_started(&self) -> bool {
        self.part >= Part::Start
    }
}
