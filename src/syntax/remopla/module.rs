//! Modules: headers and bodies.

use super::lexicon::TokenKind;
use super::parser::Parser;
use super::tree::{BaseType, Header, Identifier, List, Lost, Module, StatementKind, Type};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::kit::Parsed;

impl Parser<'_> {
    /// A module, or the declaration of one that comes later.
    pub fn module(&mut self) {
        let first_local = self.tree.locals.len();
        let first_statement = self.tree.statements.len();
        let first_label = self.tree.labels.len();
        self.points = 0;
        self.lost = Lost::default();
        let word = self.token.span();
        self.advance();
        let Some(header) = self.header() else {
            self.tree.incomplete = true;
            return;
        };
        if self.take(TokenKind::Semicolon) {
            self.tree.forwards.push(header);
            return;
        }
        if !self.take(TokenKind::LeftBrace) && !header.lost {
            self.unexpected("`{`, or `;` to declare the module only");
            if self.token.kind.begins_outside() || self.at_end() {
                self.tree.forwards.push(header);
                self.tree.incomplete = true;
                return;
            }
        }
        let close = self.body(word);
        let module = Module {
            header,
            locals: List::since(first_local, &self.tree.locals),
            statements: List::since(first_statement, &self.tree.statements),
            labels: List::since(first_label, &self.tree.labels),
            points: self.points,
            close,
            lost: self.lost,
        };
        self.tree.modules.push(module);
    }

    /// The header from its type to its `)`. Nothing if neither a name nor a body can be found.
    fn header(&mut self) -> Option<Header> {
        let first = self.tree.locals.len();
        let mut returns = Type {
            base: BaseType::Unreadable,
            dimensions: List::default(),
            bits: None,
            span: self.token.span(),
        };
        let mut identifier = None;
        let lost = self.header_parts(&mut returns, &mut identifier).is_err();
        if lost {
            self.lost.header = true;
            self.lost.variables = true;
            while !(matches!(
                self.token.kind,
                TokenKind::LeftBrace | TokenKind::Semicolon | TokenKind::Module
            ) || self.at_end())
            {
                self.advance();
            }
            if !self.at(TokenKind::LeftBrace) && !self.at(TokenKind::Semicolon) {
                self.tree.locals.truncate(first);
                return None;
            }
            self.tree.incomplete |= identifier.is_none();
        }
        let here = self.token.start;
        let identifier = identifier.unwrap_or_else(|| Identifier {
            // A module whose name could not be read: that has been reported.
            name: self.tree.names.intern(""),
            start: here,
        });
        Some(Header {
            identifier,
            returns,
            parameters: List::since(first, &self.tree.locals),
            lost,
        })
    }

    fn header_parts(
        &mut self,
        returns: &mut Type,
        identifier: &mut Option<Identifier>,
    ) -> Parsed<()> {
        *returns = self.return_type()?;
        *identifier = Some(self.identifier("the name of the module")?);
        self.expect(TokenKind::LeftParenthesis)?;
        if self.take(TokenKind::RightParenthesis) {
            return Ok(());
        }
        if self.at(TokenKind::Void) && self.peek().kind == TokenKind::RightParenthesis {
            return Err(self.unexpected_with_hint(
                "a parameter or `)`",
                "a module without parameters is written `f()`",
            ));
        }
        self.list(|parser| {
            let parameter = parser.parameter()?;
            parser.tree.locals.push(parameter);
            Ok(())
        })?;
        self.expect(TokenKind::RightParenthesis)
    }

    /// Declarations and statements, up to the `}` that closes the body. Where that stands.
    fn body(&mut self, word: Span) -> Span {
        let close = loop {
            match self.token.kind {
                TokenKind::Semicolon => self.superfluous_semicolons(),
                TokenKind::ColonColon => self.next_branch(),
                TokenKind::Fi | TokenKind::Od => self.close_block(),
                TokenKind::RightBrace => {
                    self.close_all_blocks();
                    let close = self.token.span();
                    self.advance();
                    break close;
                }
                kind if kind.begins_outside() || self.at_end() => {
                    self.report_unclosed(word);
                    break self.behind();
                }
                kind if kind.begins_declaration() => self.locals(),
                TokenKind::Name if self.begins_unsigned_local() => self.locals(),
                _ => self.statement(),
            }
        };
        if self.points == 0 {
            self.push_point(StatementKind::ImplicitSkip, close);
        }
        close
    }

    fn begins_unsigned_local(&self) -> bool {
        self.peek().kind == TokenKind::Int && self.text() == "unsigned"
    }

    #[cold]
    fn report_unclosed(&mut self, word: Span) {
        if !self.state.blocks.is_empty() {
            self.close_all_blocks();
        } else if !self.at_cut() {
            let message = format!("missing `}}` before {}", self.found());
            self.report(
                Diagnostic::error(self.token.span(), message)
                    .with_related(word, "the body of this module is not closed"),
            );
        }
    }
}
