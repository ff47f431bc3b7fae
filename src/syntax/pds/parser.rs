//! Declarations, the start and the rules.

use super::expression::{Pds, Sort};
use super::lexicon::TokenKind;
use super::tree::{
    Atoms, Declaration, Define, Dimension, ExpressionId, Group, Identifier, List, Rule, Start,
};
use crate::source::Span;
use crate::syntax::kit::{self, Parsed, Reported};

pub type Parser<'a> = kit::Parser<'a, Pds>;

/// The parts of a system, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    #[default]
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

#[derive(Default)]
pub struct State {
    /// The last part so far.
    part: Part,
    /// What the expression that is read may be made of.
    pub sort: Sort,
}

impl Parser<'_> {
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
        let expression = self.expression().ok()?;
        if !self.at(TokenKind::EndOfFile) {
            self.unexpected("an operator, or the end of the expression");
            return None;
        }
        Some(expression)
    }

    fn no_item(&mut self) -> Reported {
        let after_relation = self.previous_kind == TokenKind::RightParenthesis;
        match self.token.kind {
            TokenKind::Bool | TokenKind::Int => {
                let message = format!("`{}` begins no part of a system", self.text());
                let hint = "variables are declared after `global`, or after `local (SYMBOL, …)`";
                self.error_with_hint(self.token.span(), message, hint);
            }
            _ if after_relation && !self.tree.rules.is_empty() => {
                let hint = "the whole expression of a rule stands in one pair of parentheses";
                self.unexpected_with_hint("a rule", hint);
            }
            TokenKind::Unknown | TokenKind::OpenText => return self.unexpected("a rule"),
            _ => {
                let hint = "a rule is written `state <symbol> --> state <symbols> (relation)`";
                self.unexpected_with_hint("a rule", hint);
            }
        }
        self.advance();
        Reported
    }

    /// Notes that a part begins here; the user is told if it comes too late.
    fn begin(&mut self, part: Part) {
        let again = match part {
            Part::Globals | Part::Start => part <= self.state.part,
            _ => part < self.state.part,
        };
        if again && part == self.state.part {
            let message = format!("there is only one {}", part.name().replace("the ", ""));
            let hint = match part {
                Part::Globals => "leave the second `global` out",
                _ => "a choice between starts is made by rules",
            };
            self.error_with_hint(self.token.span(), message, hint);
        } else if again {
            let message = format!(
                "{} must come before {}",
                part.name(),
                self.state.part.name()
            );
            let hint = "the order is `define`, `global`, `local`, the start, `atoms`, rules";
            self.error_with_hint(self.token.span(), message, hint);
        }
        self.state.part = self.state.part.max(part);
    }

    fn define(&mut self) -> Parsed<()> {
        self.begin(Part::Defines);
        self.advance();
        let identifier = self.identifier("a name to define")?;
        let value = self.constant()?;
        self.tree.defines.push(Define { identifier, value });
        Ok(())
    }

    fn globals(&mut self) -> Parsed<()> {
        self.begin(Part::Globals);
        self.advance();
        let list = self.variables();
        match self.tree.globals.is_empty() {
            true => self.tree.globals = list,
            false => self.tree.globals.end = list.end,
        }
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
        let symbols = self.identifier_list("a stack symbol")?;
        self.expect(TokenKind::RightParenthesis)?;
        let declarations = self.variables();
        self.tree.groups.push(Group {
            symbols,
            declarations,
        });
        Ok(())
    }

    /// The declarations after `global` or `local`, at least one.
    fn variables(&mut self) -> List {
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
        List::since(first, &self.tree.declarations)
    }

    fn variable_list(&mut self, integers: bool) -> Parsed<()> {
        self.list(|parser| {
            let identifier = parser.identifier("a variable")?;
            let dimension = parser.dimension()?;
            let bits = match integers {
                true => Some(parser.bits(identifier)?),
                false => None,
            };
            parser.tree.declarations.push(Declaration {
                identifier,
                dimension,
                bits,
            });
            Ok(())
        })?;
        self.expect(TokenKind::Semicolon)
    }

    fn dimension(&mut self) -> Parsed<Dimension> {
        if !self.take(TokenKind::LeftBracket) {
            return Ok(Dimension::None);
        }
        let low = self.constant()?;
        let dimension = match self.take(TokenKind::Comma) {
            true => Dimension::Range(low, self.constant()?),
            false => Dimension::Length(low),
        };
        self.expect(TokenKind::RightBracket)?;
        Ok(dimension)
    }

    fn bits(&mut self, identifier: Identifier) -> Parsed<ExpressionId> {
        if !self.at(TokenKind::LeftParenthesis) {
            let name = self.tree.names.text(identifier.name);
            let message = format!("how many bits has `{name}`?");
            let hint = format!("write `int {name}(8)` for a number of 8 bits");
            return Err(self.error_with_hint(self.token.span(), message, hint));
        }
        self.advance();
        let bits = self.constant()?;
        self.expect(TokenKind::RightParenthesis)?;
        Ok(bits)
    }

    fn start(&mut self) -> Parsed<()> {
        self.begin(Part::Start);
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
            return Err(self.error_with_hint(self.token.span(), message, hint));
        }
        self.expect(TokenKind::Greater)?;
        self.expect(TokenKind::RightParenthesis)?;
        self.tree.start.get_or_insert(Start {
            state,
            state_condition,
            symbol,
            symbol_condition,
            conditions: [of_state, of_symbol],
        });
        Ok(())
    }

    /// `(expr)`, if there is one.
    fn condition(&mut self) -> Parsed<Option<ExpressionId>> {
        if !self.take(TokenKind::LeftParenthesis) {
            return Ok(None);
        }
        let condition = self.expression()?;
        self.expect(TokenKind::RightParenthesis)?;
        Ok(Some(condition))
    }

    fn atoms(&mut self) -> Parsed<()> {
        self.begin(Part::Atoms);
        self.advance();
        let symbol = self.identifier("a stack symbol")?;
        let names = self.identifier_list("a proposition")?;
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
            return Err(self.error(self.token.span(), message));
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
            return Err(self.error_with_hint(self.token.span(), message, hint));
        }
        self.expect(TokenKind::Greater)?;
        let text = self.at(TokenKind::Text).then(|| {
            let token = self.token;
            self.advance();
            Span::new(token.start + 1, token.end - 1)
        });
        let relation = self.condition()?;
        let rule = Rule {
            span: self.span_from(start),
            state,
            symbol,
            to,
            right,
            text,
            relation,
        };
        self.tree.rules.push(rule);
        Ok(())
    }

    pub fn whether_started(&self) -> bool {
        self.state.part >= Part::Start
    }
}
