//! Declarators: pointers, arrays, functions and their parameters, around a name or none.

use super::super::token::Kind;
use super::super::tree::{ArrayLength, Context, NodeKind};
use super::declaration::qualifier;
use super::{Naming, Parser, State};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::Parsed;

/// What a declarator that is being read declares.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    pub name: Option<(Name, Span)>,
    /// If it is a function, the names of its parameters.
    pub parameters: Option<Vec<Name>>,
    /// The name has been read, and what it is first of all has not: `f` in `*f(…)`.
    is_open: bool,
}

impl Parser<'_> {
    pub(super) fn declarator(&mut self, naming: Naming) {
        self.emit(NodeKind::Declarator, self.token().span);
        self.declarators.push(Declared::default());
        self.push(State::DeclaratorLevel(naming));
    }

    /// A declarator of which nothing is written.
    pub(super) fn unnamed_declarator(&mut self, span: Span) {
        self.emit(NodeKind::Declarator, span);
        self.declarators.push(Declared::default());
    }

    /// What stands inside one pair of parentheses, or in none.
    pub(super) fn declarator_level(&mut self, naming: Naming) -> Parsed<()> {
        let mut pointers = false;
        self.attributes(true)?;
        while self.at(Kind::Star) {
            pointers = true;
            let span = self.advance();
            self.emit(NodeKind::Pointer, span);
            loop {
                let token = self.token();
                if let Some(qualifier) = qualifier(token.kind) {
                    self.advance();
                    self.emit(NodeKind::Qualifier(qualifier), token.span);
                } else if token.kind == Kind::Attribute {
                    self.attributes(true)?;
                } else {
                    break;
                }
            }
        }
        let token = self.token();
        match token.kind {
            Kind::Identifier if naming != Naming::Abstract => {
                let (name, span) = self.identifier("a name")?;
                self.emit(NodeKind::DeclaredName(name), span);
                if let Some(declared) = self.declarators.last_mut() {
                    declared.name = Some((name, span));
                    declared.is_open = true;
                }
            }
            Kind::LeftParenthesis if naming == Naming::Named || !self.opens_parameters() => {
                self.advance();
                self.emit(NodeKind::Open, token.span);
                self.push(State::DeclaratorSuffixes);
                self.push(State::DeclaratorClose {
                    pointers,
                    open: token.span,
                });
                self.push(State::DeclaratorLevel(naming));
                return Ok(());
            }
            _ if naming == Naming::Named => return Err(self.unexpected("a name")),
            _ => {}
        }
        self.push(State::EndLevel { pointers });
        self.declarator_suffixes()
    }

    /// Whether the `(` where a name may be missing begins parameters.
    fn opens_parameters(&self) -> bool {
        let next = self.nth(1);
        next.kind == Kind::RightParenthesis || (next.kind != Kind::Attribute && self.is_type(next))
    }

    /// The pointers of a level come after what stands behind its name.
    pub(super) fn end_level(&mut self, pointers: bool) {
        if pointers && let Some(declared) = self.declarators.last_mut() {
            declared.is_open = false;
        }
    }

    pub(super) fn declarator_close(&mut self, pointers: bool, open: Span) -> Parsed<()> {
        self.close(Kind::RightParenthesis, open)?;
        self.emit(NodeKind::Close, self.previous().span);
        // What stands behind the parenthesis comes before the pointers in front of it.
        if let Some(State::DeclaratorSuffixes) = self.states.pop() {
            self.push(State::EndLevel { pointers });
            self.push(State::DeclaratorSuffixes);
        }
        Ok(())
    }

    pub(super) fn declarator_suffixes(&mut self) -> Parsed<()> {
        loop {
            let token = self.token();
            match token.kind {
                Kind::LeftBracket => {
                    self.advance();
                    if let Some(declared) = self.declarators.last_mut() {
                        declared.is_open = false;
                    }
                    while self.at(Kind::Static) || qualifier(self.token().kind).is_some() {
                        self.advance();
                    }
                    if self.at(Kind::RightBracket) {
                        self.emit_array(ArrayLength::None, token.span);
                    } else if self.at(Kind::Star) && self.nth(1).kind == Kind::RightBracket {
                        self.advance();
                        self.emit_array(ArrayLength::Star, token.span);
                    } else {
                        self.push(State::DeclaratorSuffixes);
                        self.push(State::ArrayEnd(token.span));
                        self.push_assignment();
                        return Ok(());
                    }
                }
                Kind::LeftParenthesis => {
                    self.advance();
                    self.push(State::DeclaratorSuffixes);
                    return self.parameters(token.span);
                }
                _ => return Ok(()),
            }
        }
    }

    /// At the `]`.
    fn emit_array(&mut self, length: ArrayLength, open: Span) {
        let span = open.to(self.advance());
        self.emit(NodeKind::Array(length), span);
    }

    pub(super) fn array_end(&mut self, open: Span) -> Parsed<()> {
        self.close(Kind::RightBracket, open)?;
        let span = open.to(self.previous().span);
        self.emit(NodeKind::Array(ArrayLength::Expression), span);
        Ok(())
    }

    /// After the `(` of a function.
    fn parameters(&mut self, open: Span) -> Parsed<()> {
        let next = self.nth(1).kind;
        let is_list = matches!(next, Kind::Comma | Kind::RightParenthesis);
        let is_name = |name| !self.names_type(name);
        if self.at(Kind::RightParenthesis) || (is_list && self.name().is_some_and(is_name)) {
            return self.old_parameters(open);
        }
        self.emit(NodeKind::Parameters, open);
        self.typedefs.open();
        self.push(State::AfterParameter(open));
        self.parameter()
    }

    /// `(a, b)`: names without types.
    fn old_parameters(&mut self, open: Span) -> Parsed<()> {
        self.emit(NodeKind::OldParameters, open);
        let mut names = Vec::new();
        while !self.at(Kind::RightParenthesis) {
            let (name, span) = self.identifier("the name of a parameter")?;
            self.emit(NodeKind::OldParameter(name), span);
            names.push(name);
            if !self.take(Kind::Comma) {
                break;
            }
        }
        self.close(Kind::RightParenthesis, open)?;
        self.end_parameters(names);
        Ok(())
    }

    fn end_parameters(&mut self, names: Vec<Name>) {
        if let Some(declared) = self.declarators.last_mut()
            && declared.is_open
        {
            declared.parameters = Some(names);
            declared.is_open = false;
        }
    }

    pub(super) fn parameter(&mut self) -> Parsed<()> {
        self.declaration(Context::Parameter);
        Ok(())
    }

    pub(super) fn after_parameter(&mut self, open: Span) -> Parsed<()> {
        let mut variadic = false;
        if self.take(Kind::Comma) {
            variadic = self.take(Kind::Ellipsis);
            if !variadic {
                self.push(State::AfterParameter(open));
                return self.parameter();
            }
        }
        self.close(Kind::RightParenthesis, open)?;
        self.emit(NodeKind::EndParameters { variadic }, self.previous().span);
        let names = self.typedefs.here().map(|(name, _)| name).collect();
        self.typedefs.close();
        self.end_parameters(names);
        Ok(())
    }
}
