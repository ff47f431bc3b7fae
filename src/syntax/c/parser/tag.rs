//! The members of structs and unions, and the constants of enumerations.

use super::super::token::Kind;
use super::super::tree::{Context, NodeKind};
use super::{Parser, State};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::Parsed;

impl Parser<'_> {
    /// At `struct` or `union`.
    pub(super) fn record(&mut self, is_union: bool) -> Parsed<()> {
        let keyword = self.advance();
        let attributes = self.attributes(false)?;
        let (tag, span) = self.tag(keyword)?;
        let defines = self.at(Kind::LeftBrace);
        let kind = NodeKind::Record {
            is_union,
            tag,
            defines,
        };
        self.emit(kind, span);
        if defines {
            let open = self.advance();
            self.push(State::EndRecord(attributes.packed));
            self.push(State::Members(open));
        }
        Ok(())
    }

    /// The name after `struct`, `union` or `enum`; without one a `{` must follow.
    fn tag(&mut self, keyword: Span) -> Parsed<(Option<Name>, Span)> {
        match self.at(Kind::LeftBrace) {
            true => Ok((None, keyword)),
            false => {
                let (name, span) = self.identifier("a name or `{`")?;
                Ok((Some(name), span))
            }
        }
    }

    pub(super) fn members(&mut self, open: Span) -> Parsed<()> {
        match self.token().kind {
            Kind::RightBrace => {
                self.advance();
                Ok(())
            }
            Kind::EndOfFile => self.close(Kind::RightBrace, open),
            Kind::Semicolon => {
                self.advance();
                self.push(State::Members(open));
                Ok(())
            }
            _ => {
                self.push(State::Members(open));
                self.anchor();
                self.declaration_or_assertion(Context::Member)
            }
        }
    }

    /// After the `}` of a struct or union.
    pub(super) fn end_record(&mut self, packed: bool) -> Parsed<()> {
        let span = self.previous().span;
        let packed = packed | self.attributes(false)?.packed;
        self.emit(NodeKind::EndRecord { packed }, span);
        Ok(())
    }

    /// At `enum`.
    pub(super) fn enumeration(&mut self) -> Parsed<()> {
        let keyword = self.advance();
        self.attributes(false)?;
        let (tag, span) = self.tag(keyword)?;
        let defines = self.at(Kind::LeftBrace);
        self.emit(NodeKind::Enumeration { tag, defines }, span);
        if defines {
            let open = self.advance();
            return self.enumerators(open);
        }
        Ok(())
    }

    fn enumerators(&mut self, open: Span) -> Parsed<()> {
        if self.at(Kind::RightBrace) {
            let span = self.advance();
            self.attributes(false)?;
            self.emit(NodeKind::EndEnumeration, span);
            return Ok(());
        }
        let (name, span) = self.identifier("the name of a constant")?;
        self.attributes(false)?;
        self.push(State::AfterEnumerator(open));
        if self.take(Kind::Assign) {
            self.push(State::Enumerator(name, span));
            self.push_constant();
        } else {
            self.enumerator(name, span, false);
        }
        Ok(())
    }

    pub(super) fn enumerator(&mut self, name: Name, span: Span, has_value: bool) {
        self.typedefs.declare(name, false);
        self.emit(NodeKind::Enumerator { name, has_value }, span);
    }

    pub(super) fn after_enumerator(&mut self, open: Span) -> Parsed<()> {
        if !self.take(Kind::Comma) && !self.at(Kind::RightBrace) {
            return Err(self.unexpected("`,` or `}` after a constant"));
        }
        self.enumerators(open)
    }
}
