//! Declarations, procedure headers and bodies.

use super::block::BlockKind;
use super::lexicon::TokenKind;
use super::parser::Parser;
use super::tree::{ExpressionId, Identifier, List, Lost, Procedure};
use crate::diagnostic::nearest;
use crate::source::Span;
use crate::syntax::kit::{Parsed, Reported};

/// More return values than this are refused: no program has them, and every engine would
/// have to make room for them.
const MOST_RETURNS: u32 = 1_000_000;

/// What stands before a body.
struct Header {
    identifier: Identifier,
    /// The number of return values, and where it is given.
    returns: Option<(u32, Span)>,
    parameters: u32,
}

impl Parser<'_> {
    pub fn program(&mut self) {
        while !self.at_end() {
            match self.token.kind {
                TokenKind::Decl => self.globals(),
                TokenKind::Semicolon => self.superfluous_semicolons(),
                TokenKind::Name if self.word_before_name("thread") => self.thread_declaration(),
                TokenKind::Name if self.is_misspelt_decl() => {
                    let message = format!("unknown word `{}`", self.text());
                    self.error_with_hint(self.token.span(), message, "did you mean `decl`?");
                    self.globals();
                }
                TokenKind::Name | TokenKind::LeftBrace => self.procedure(),
                kind if kind.begins_procedure() => self.procedure(),
                _ => {
                    self.unexpected("a declaration or a procedure");
                    self.leave_out_one();
                    self.recover_outside();
                }
            }
        }
    }

    /// A word like `decl`, and a list of names after it.
    fn is_misspelt_decl(&self) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next_token().kind == TokenKind::Name
            && matches!(
                ahead.next_token().kind,
                TokenKind::Comma | TokenKind::Semicolon
            )
            && nearest(&self.text(), ["decl"]).is_some()
    }

    fn leave_out_one(&mut self) {
        if !self.at_end() {
            self.advance();
        }
    }

    fn globals(&mut self) {
        self.advance();
        let own = self.take_thread_local();
        let first = self.tree.globals.len() as u32;
        let mut names = std::mem::take(&mut self.tree.globals);
        let result = self.declared_names(&mut names);
        self.tree.globals = names;
        if own {
            let end = self.tree.globals.len() as u32;
            self.tree.own.extend(first..end);
        }
        if result.is_err() {
            self.tree.lost_globals = true;
            self.recover_declaration();
        }
    }

    fn locals(&mut self) {
        if self.state.blocks.depth() > 1 {
            let message = "a `decl` cannot stand inside a block";
            let hint = "move it to the beginning of the procedure";
            self.error_with_hint(self.token.span(), message, hint);
        }
        self.advance();
        if self.word_before_name("thread_local") {
            self.report_local_thread_local();
            self.advance();
        }
        let mut names = std::mem::take(&mut self.tree.locals);
        let result = self.declared_names(&mut names);
        self.tree.locals = names;
        if result.is_err() {
            self.lost.variables = true;
            self.recover();
        }
    }

    /// The names after `decl`, and the `;`.
    fn declared_names(&mut self, names: &mut Vec<Identifier>) -> Parsed<()> {
        self.list(|parser| {
            match parser.identifier("the name of a variable") {
                Ok(identifier) => names.push(identifier),
                // A word that cannot be a name, where one should stand: go on behind it.
                Err(_) if parser.list_goes_on() => parser.advance(),
                Err(reported) => return Err(reported),
            }
            Ok(())
        })?;
        if self.take(TokenKind::Semicolon) {
            return Ok(());
        }
        if self.at(TokenKind::Name)
            && matches!(
                self.peek().kind,
                TokenKind::Semicolon | TokenKind::EndOfFile
            )
        {
            return Err(self.unexpected("`,` or `;`"));
        }
        if self.semicolon_is_understood("the declaration") {
            Ok(())
        } else {
            Err(Reported)
        }
    }

    /// Whether the next token but one separates or ends a list.
    fn list_goes_on(&self) -> bool {
        !self.at_end()
            && !matches!(self.token.kind, TokenKind::Comma | TokenKind::Semicolon)
            && matches!(self.peek().kind, TokenKind::Comma | TokenKind::Semicolon)
    }

    /// Like `recover`, but a name in front of `(` begins a procedure.
    pub fn recover_declaration(&mut self) {
        self.skip_statement(TokenKind::stops_recovery, Self::advance);
    }

    fn procedure(&mut self) {
        let first_local = self.tree.locals.len();
        let first_statement = self.tree.statements.len();
        let first_label = self.tree.labels.len();
        self.points = 0;
        self.state.unreadable = 0;
        self.state.atomic = false;
        self.lost = Lost::default();
        let Some(header) = self.header() else {
            return;
        };
        let open = self.token.span();
        if self.take(TokenKind::LeftBrace) {
            self.open_block(BlockKind::BraceBody, open);
        } else {
            self.expect_word(TokenKind::Begin);
            self.open_block(BlockKind::Begin, open);
        }
        let enforce = self.body();
        let procedure = Procedure {
            identifier: header.identifier,
            returns: header.returns,
            locals: List::since(first_local, &self.tree.locals),
            parameters: header.parameters,
            enforce,
            statements: List::since(first_statement, &self.tree.statements),
            labels: List::since(first_label, &self.tree.labels),
            points: self.points,
            atomic: self.state.atomic,
            lost: self.lost,
            close: Span::new(self.previous_end - self.closing_length(), self.previous_end),
        };
        self.tree.procedures.push(procedure);
    }

    /// The length of the word that closed the body.
    fn closing_length(&self) -> u32 {
        match self.previous_kind {
            TokenKind::End => 3,
            TokenKind::RightBrace => 1,
            _ => 0,
        }
    }

    /// The header up to its `)`. Nothing if no body follows either.
    fn header(&mut self) -> Option<Header> {
        let first_local = self.tree.locals.len();
        self.take(TokenKind::Dfs);
        let mut identifier = None;
        let mut returns = None;
        let result = self.header_parts(&mut identifier, &mut returns);
        if result.is_err() {
            self.lost.header = true;
            self.lost.variables = true;
            while !self.token.kind.stops_recovery() && !self.at(TokenKind::LeftBrace) {
                self.advance();
            }
            if !matches!(self.token.kind, TokenKind::Begin | TokenKind::LeftBrace) {
                if identifier.is_none() {
                    self.tree.locals.truncate(first_local);
                    self.recover_outside();
                    return None;
                }
                if self.token.kind.begins_procedure() || self.at_end() {
                    self.tree.locals.truncate(first_local);
                    self.tree.incomplete = true;
                    self.tree.lost_globals = true;
                    return None;
                }
            }
        }
        let parameters = (self.tree.locals.len() - first_local) as u32;
        self.tree.incomplete |= identifier.is_none();
        let identifier = identifier.unwrap_or(Identifier {
            // A procedure whose name could not be read: the error has been reported.
            name: self.tree.names.intern("_"),
            start: self.token.start,
        });
        Some(Header {
            identifier,
            returns,
            parameters,
        })
    }

    fn header_parts(
        &mut self,
        identifier: &mut Option<Identifier>,
        returns: &mut Option<(u32, Span)>,
    ) -> Parsed<()> {
        let start = self.token.start;
        if self.take(TokenKind::Void) {
            *returns = Some((0, self.span_from(start)));
        } else if self.take(TokenKind::Bool) {
            let mut count = 1;
            if self.take(TokenKind::Less) {
                count = self.number()?;
                self.expect(TokenKind::Greater)?;
            }
            *returns = Some((count, self.span_from(start)));
        }
        let mut name = self.identifier("the name of a procedure")?;
        if self.at(TokenKind::Name) && returns.is_none() {
            self.report_misspelt_type(name);
            name = self.identifier("the name of a procedure")?;
        }
        *identifier = Some(name);
        self.expect(TokenKind::LeftParenthesis)?;
        if self.take(TokenKind::RightParenthesis) {
            return Ok(());
        }
        self.list(|parser| {
            let parameter = parser.identifier("the name of a parameter")?;
            parser.tree.locals.push(parameter);
            Ok(())
        })?;
        self.expect(TokenKind::RightParenthesis)
    }

    fn number(&mut self) -> Parsed<u32> {
        let digits = matches!(
            self.token.kind,
            TokenKind::Number | TokenKind::False | TokenKind::True
        );
        let count = match self.text().parse::<u32>() {
            Ok(count) if count <= MOST_RETURNS => count,
            _ if digits && self.text().bytes().all(|byte| byte.is_ascii_digit()) => {
                let message = format!("at most {MOST_RETURNS} return values are possible");
                return Err(self.error(self.token.span(), message));
            }
            _ => return Err(self.unexpected("the number of return values")),
        };
        self.advance();
        Ok(count)
    }

    /// Two names in a row where a procedure or a declaration should begin.
    #[cold]
    fn report_misspelt_type(&mut self, name: Identifier) {
        let message = format!("unknown type `{}`", self.shown(name.name));
        let hint = match nearest(
            self.tree.names.text(name.name),
            ["void", "bool", "decl", "dfs"],
        ) {
            Some(word) => format!("did you mean `{word}`?"),
            None => "a type is `void`, `bool` or `bool<k>`".into(),
        };
        self.error_with_hint(self.span_of(name), message, hint);
    }

    /// The statements of a body, up to the word that closes it.
    fn body(&mut self) -> Option<ExpressionId> {
        let mut enforce = None;
        loop {
            match self.token.kind {
                TokenKind::Semicolon => self.superfluous_semicolons(),
                TokenKind::Decl => self.locals(),
                TokenKind::Enforce => self.enforce(&mut enforce),
                kind if kind.closes_a_sequence() => {
                    if self.close() {
                        return enforce;
                    }
                }
                kind if kind.begins_procedure() || self.at_end() => {
                    self.report_unclosed();
                    return enforce;
                }
                _ => {
                    self.statement();
                    if self.state.blocks.depth() == 0 {
                        // What looked like a call was the header of the next procedure.
                        return enforce;
                    }
                }
            }
        }
    }

    fn enforce(&mut self, enforce: &mut Option<ExpressionId>) {
        let word = self.token.span();
        self.advance();
        if enforce.is_some() {
            let message = "a procedure has at most one `enforce`";
            self.error_with_hint(word, message, "join the conditions with `&`");
        } else if self.points > self.state.unreadable || self.state.blocks.depth() > 1 {
            let message = "`enforce` must stand before the first statement of the procedure";
            self.error(word, message);
        }
        let Ok(condition) = self.expression() else {
            self.recover();
            return;
        };
        *enforce = Some(condition);
        if !self.take(TokenKind::Semicolon) && !self.semicolon_is_understood("the condition") {
            self.recover();
        }
    }
}
