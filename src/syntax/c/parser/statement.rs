//! Statements and blocks.

use super::super::token::Kind;
use super::super::tree::{Context, NodeKind};
use super::{Parser, State};
use crate::source::Span;
use crate::syntax::kit::Parsed;

impl Parser<'_> {
    /// At an item of a block, or its end.
    pub(super) fn block(&mut self, open: Span) -> Parsed<()> {
        let token = self.token();
        match token.kind {
            Kind::RightBrace => {
                self.advance();
                return self.end_block(token.span);
            }
            Kind::EndOfFile => {
                // It has been reported; what was read of the block is kept.
                let _reported = self.close(Kind::RightBrace, open);
                return self.end_block(token.span);
            }
            Kind::LabelDeclaration => {
                self.push(State::Block(open));
                self.anchor();
                return self.local_labels();
            }
            _ => {}
        }
        self.push(State::Block(open));
        if self.starts_declaration() {
            self.anchor();
            return self.declaration_or_assertion(Context::Block);
        }
        self.push(State::Statement);
        Ok(())
    }

    fn end_block(&mut self, span: Span) -> Parsed<()> {
        self.emit(NodeKind::EndBlock, span);
        self.typedefs.close();
        Ok(())
    }

    /// Whether a declaration begins here, and no statement.
    fn starts_declaration(&self) -> bool {
        let token = self.token();
        let next = self.nth(1).kind;
        match token.kind {
            Kind::StaticAssert => true,
            // A label may be called like a type; what two names begin with is meant as one.
            Kind::Identifier if next == Kind::Colon => false,
            Kind::Identifier if next == Kind::Identifier => true,
            Kind::Attribute => !self.is_attributed_statement(),
            _ => self.starts_type(),
        }
    }

    /// Whether attributes stand here before a `;` or a statement.
    fn is_attributed_statement(&self) -> bool {
        let mut ahead = 0;
        while self.nth(ahead).kind == Kind::Attribute {
            let mut depth = 0_usize;
            loop {
                ahead += 1;
                match self.nth(ahead).kind {
                    Kind::LeftParenthesis => depth += 1,
                    Kind::RightParenthesis => depth = depth.saturating_sub(1),
                    Kind::EndOfFile => return true,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            ahead += 1;
        }
        !self.is_type(self.nth(ahead))
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self) -> Parsed<()> {
        loop {
            self.advance();
            let (name, span) = self.identifier("a label")?;
            self.emit(NodeKind::LocalLabel(name), span);
            if !self.at(Kind::Comma) {
                return self.semicolon("labels");
            }
        }
    }

    pub(super) fn statement(&mut self) -> Parsed<()> {
        self.anchor();
        self.attributes(false)?;
        let token = self.token();
        let span = token.span;
        match token.kind {
            Kind::LeftBrace => {
                self.advance();
                self.emit(NodeKind::Block, span);
                self.typedefs.open();
                self.push(State::Block(span));
            }
            Kind::Semicolon => {
                self.advance();
                self.emit(NodeKind::Empty, span);
            }
            Kind::If => {
                self.advance();
                self.emit(NodeKind::If, span);
                self.push(State::Then);
                return self.push_in_parentheses();
            }
            Kind::While => {
                self.advance();
                self.emit(NodeKind::While, span);
                self.emit_later(NodeKind::EndWhile, span);
                self.push(State::Body);
                return self.push_in_parentheses();
            }
            Kind::Switch => {
                self.advance();
                self.emit(NodeKind::Switch, span);
                self.emit_later(NodeKind::EndSwitch, span);
                self.push(State::Body);
                return self.push_in_parentheses();
            }
            Kind::Do => {
                self.advance();
                self.emit(NodeKind::Do, span);
                self.push(State::DoWhile);
                self.push(State::Statement);
            }
            Kind::For => {
                self.advance();
                return self.for_statement(span);
            }
            Kind::Case => {
                self.advance();
                self.push(State::Case(span, false));
                self.push_constant();
            }
            Kind::Default => {
                self.advance();
                self.expect(Kind::Colon)?;
                self.emit(NodeKind::Default, span);
                self.push(State::LabelBody);
            }
            Kind::Goto => {
                self.advance();
                return self.goto(span);
            }
            Kind::Break => {
                self.advance();
                self.emit(NodeKind::Break, span);
                return self.semicolon("`break`");
            }
            Kind::Continue => {
                self.advance();
                self.emit(NodeKind::Continue, span);
                return self.semicolon("`continue`");
            }
            Kind::Return => {
                self.advance();
                let has_value = !self.at(Kind::Semicolon);
                self.push(State::Semicolon("`return`"));
                self.emit_later(NodeKind::Return { has_value }, span);
                if has_value {
                    self.push_expression();
                }
            }
            Kind::Asm => {
                self.advance();
                self.skip_parentheses()?;
                self.emit(NodeKind::Assembly, span.to(self.previous().span));
                return self.semicolon("`asm`");
            }
            Kind::Identifier if self.nth(1).kind == Kind::Colon => {
                let (name, span) = self.identifier("a label")?;
                self.advance();
                self.attributes(false)?;
                self.emit(NodeKind::Label(name), span);
                self.push(State::LabelBody);
            }
            Kind::Identifier if self.is_rule && self.word() == "halt" => {
                self.advance();
                self.emit(NodeKind::Halt, span);
                return self.semicolon("`halt`");
            }
            Kind::Identifier if self.is_rule && self.word() == "abort" => {
                self.advance();
                let text = self.at(Kind::Text).then_some(self.position as u32);
                let end = match text {
                    Some(_) => self.advance(),
                    None => span,
                };
                self.emit(NodeKind::Abort { text }, span.to(end));
                return self.semicolon("`abort`");
            }
            Kind::Else => return Err(self.unexpected("a statement")),
            _ => {
                self.push(State::Semicolon("an expression"));
                self.emit_later(NodeKind::ExpressionStatement, span);
                self.push_expression();
            }
        }
        Ok(())
    }

    pub(super) fn then(&mut self) {
        self.emit(NodeKind::Then, self.previous().span);
        self.push(State::Else);
        self.push(State::Statement);
    }

    pub(super) fn or_else(&mut self) {
        let span = self.token().span;
        if self.take(Kind::Else) {
            self.emit(NodeKind::Else, span);
            self.emit_later(NodeKind::EndIf, span);
            self.push(State::Statement);
        } else {
            self.emit(NodeKind::EndIf, self.previous().span);
        }
    }

    /// The statement after the head of a loop or `switch`.
    pub(super) fn body(&mut self) {
        self.emit(NodeKind::Body, self.previous().span);
        self.push(State::Statement);
    }

    /// After the body of a `do`.
    pub(super) fn do_while(&mut self) -> Parsed<()> {
        let span = self.expect(Kind::While)?;
        self.emit(NodeKind::DoWhile, span);
        self.push(State::Semicolon("`do … while ( … )`"));
        self.push(State::EndDo);
        self.push_in_parentheses()
    }

    fn for_statement(&mut self, span: Span) -> Parsed<()> {
        let open = self.expect(Kind::LeftParenthesis)?;
        self.emit(NodeKind::For, span);
        self.typedefs.open();
        self.push(State::EndFor);
        if self.starts_declaration() {
            self.push(State::ForCondition(open));
            self.declaration(Context::For);
            return Ok(());
        }
        self.push(State::ForCondition(open));
        self.push(State::Semicolon("the first part of `for`"));
        if !self.at(Kind::Semicolon) {
            self.push_expression();
        }
        Ok(())
    }

    pub(super) fn for_condition(&mut self, open: Span) -> Parsed<()> {
        self.emit(NodeKind::ForCondition, self.previous().span);
        self.push(State::ForStep(open));
        self.push(State::Semicolon("the condition of `for`"));
        if !self.at(Kind::Semicolon) {
            self.push_expression();
        }
        Ok(())
    }

    pub(super) fn for_step(&mut self, open: Span) -> Parsed<()> {
        self.emit(NodeKind::ForStep, self.previous().span);
        self.push(State::Body);
        self.push(State::Close(Kind::RightParenthesis, open));
        if !self.at(Kind::RightParenthesis) {
            self.push_expression();
        }
        Ok(())
    }

    pub(super) fn end_for(&mut self) {
        self.typedefs.close();
        self.emit(NodeKind::EndFor, self.previous().span);
    }

    /// After a constant of a `case`.
    pub(super) fn case(&mut self, span: Span, is_range: bool) -> Parsed<()> {
        if !is_range && self.take(Kind::Ellipsis) {
            self.push(State::Case(span, true));
            self.push_constant();
            return Ok(());
        }
        self.close(Kind::Colon, span)?;
        self.emit(NodeKind::Case { is_range }, span.to(self.previous().span));
        self.push(State::LabelBody);
        Ok(())
    }

    /// The statement of a label. Before a declaration, or at the end of a block, it is an empty
    /// one.
    pub(super) fn label_body(&mut self) {
        let span = self.previous().span;
        self.emit_later(NodeKind::EndLabel, span);
        if self.at(Kind::RightBrace) || self.starts_declaration() {
            self.emit(NodeKind::Empty, span);
        } else {
            self.push(State::Statement);
        }
    }

    fn goto(&mut self, span: Span) -> Parsed<()> {
        if self.take(Kind::Star) {
            self.push(State::Semicolon("`goto`"));
            self.emit_later(NodeKind::ComputedGoto, span);
            self.push_expression();
            return Ok(());
        }
        let (name, name_span) = self.identifier("a label")?;
        self.emit(NodeKind::Goto(name), span.to(name_span));
        self.semicolon("`goto`")
    }
}
