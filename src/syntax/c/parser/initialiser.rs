//! Initialisers: expressions and lists with designators.

use super::super::token::Kind;
use super::super::tree::NodeKind;
use super::{Parser, State};
use crate::source::Span;
use crate::syntax::kit::Parsed;

impl Parser<'_> {
    pub(super) fn initialiser(&mut self) {
        if self.at(Kind::LeftBrace) {
            let open = self.advance();
            self.emit(NodeKind::List, open);
            self.push(State::List(open));
        } else {
            self.push_assignment();
        }
    }

    /// At an item of a list, or its end.
    pub(super) fn list(&mut self, open: Span) -> Parsed<()> {
        if self.at(Kind::RightBrace) {
            let span = self.advance();
            self.emit(NodeKind::EndList, span);
            return Ok(());
        }
        if self.name().is_some() && self.nth(1).kind == Kind::Colon {
            let (name, span) = self.identifier("the name of a member")?;
            self.advance();
            self.emit(NodeKind::DesignateField(name), span);
            return self.begin_item(open);
        }
        match self.token().kind {
            Kind::Dot | Kind::LeftBracket => self.designators(open),
            _ => self.begin_item(open),
        }
    }

    fn begin_item(&mut self, open: Span) -> Parsed<()> {
        self.push(State::Item(open));
        self.initialiser();
        Ok(())
    }

    pub(super) fn designators(&mut self, open: Span) -> Parsed<()> {
        loop {
            let token = self.token();
            match token.kind {
                Kind::Dot => {
                    self.advance();
                    let (name, span) = self.identifier("the name of a member")?;
                    self.emit(NodeKind::DesignateField(name), span);
                }
                Kind::LeftBracket => {
                    self.advance();
                    self.push(State::Designators(open));
                    self.push(State::DesignatorIndex(token.span));
                    self.push_constant();
                    return Ok(());
                }
                Kind::Assign => {
                    self.advance();
                    return self.begin_item(open);
                }
                // `[2] x`, as old gcc had it.
                _ if self.previous().kind == Kind::RightBracket => return self.begin_item(open),
                _ => return Err(self.unexpected("`=`")),
            }
        }
    }

    /// After the first index of a designator.
    pub(super) fn designator_index(&mut self, open: Span) -> Parsed<()> {
        if self.take(Kind::Ellipsis) {
            self.emit_later(NodeKind::DesignateRange, open);
            self.push(State::Close(Kind::RightBracket, open));
            self.push_constant();
            return Ok(());
        }
        self.close(Kind::RightBracket, open)?;
        self.emit(NodeKind::DesignateIndex, open);
        Ok(())
    }

    pub(super) fn item(&mut self, open: Span) -> Parsed<()> {
        self.emit(NodeKind::Item, self.previous().span);
        if !self.take(Kind::Comma) && !self.at(Kind::RightBrace) {
            return Err(self.unexpected("`,` or `}` after an initial value"));
        }
        self.list(open)
    }
}
