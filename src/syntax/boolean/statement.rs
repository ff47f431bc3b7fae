//! One statement at a time.
//!
//! A compound statement is read up to the beginning of its first sequence: its parts then
//! come as statements of the same loop (see `block`).

use super::block::BlockKind;
use super::lexicon::TokenKind;
use super::parser::{Boolean, Parser};
use super::tree::{ExpressionId, Identifier, Label, List, StatementKind};
use crate::source::Span;
use crate::syntax::kit::operators::Infix;
use crate::syntax::kit::{Parsed, Reported};

impl Parser<'_> {
    /// Reads a statement with its labels. Always takes at least one token.
    pub fn statement(&mut self) {
        let first_label = self.tree.labels.len();
        loop {
            let start = self.token.start;
            let result = match self.token.kind {
                TokenKind::Name | TokenKind::LeftBrace | TokenKind::Underscore => {
                    match self.begins_with_name(start) {
                        Ok(Begun::Label(identifier)) => {
                            let point = self.points;
                            self.tree.labels.push(Label { identifier, point });
                            continue;
                        }
                        Ok(Begun::Statement(kind)) if self.tree.labels.len() > first_label => {
                            Ok(Some(self.labelled(first_label, kind)))
                        }
                        Ok(Begun::Statement(kind)) => Ok(Some(kind)),
                        Ok(Begun::Compound) => return,
                        Err(reported) => Err(reported),
                    }
                }
                keyword @ (TokenKind::If | TokenKind::While) => {
                    self.compound_statement(keyword);
                    return;
                }
                _ if self.tree.labels.len() > first_label && self.ends_labels() => {
                    self.label_without_statement(self.tree.labels.last().copied());
                    self.push_unreadable(Span::new(start, start));
                    self.take(TokenKind::Semicolon);
                    return;
                }
                TokenKind::Call if self.tree.labels.len() > first_label => {
                    let call = self.keyword_statement();
                    call.map(|kind| kind.map(|kind| self.labelled(first_label, kind)))
                }
                _ => self.keyword_statement(),
            };
            match result {
                Ok(Some(kind)) => self.end_statement(kind, start),
                Ok(None) => {}
                Err(Reported) => {
                    self.push_unreadable(self.span_from(start));
                    self.recover();
                }
            }
            return;
        }
    }

    fn keyword_statement(&mut self) -> Parsed<Option<StatementKind>> {
        let kind = self.token.kind;
        match kind {
            TokenKind::Skip => {
                self.advance();
                Ok(Some(StatementKind::Skip))
            }
            TokenKind::Print => {
                self.advance();
                self.expect(TokenKind::LeftParenthesis)?;
                let values = self.expression_list()?;
                self.expect(TokenKind::RightParenthesis)?;
                Ok(Some(StatementKind::Print { values }))
            }
            TokenKind::Goto => {
                self.advance();
                let labels = self.identifier_list("a label")?;
                Ok(Some(StatementKind::Goto { labels }))
            }
            TokenKind::Dead => {
                self.advance();
                let variables = self.identifier_list("a variable")?;
                Ok(Some(StatementKind::Dead { variables }))
            }
            TokenKind::Return => {
                self.advance();
                let values = self.return_values()?;
                Ok(Some(StatementKind::Return { values }))
            }
            TokenKind::Call => {
                self.advance();
                let targets = List::default();
                let callee = self.identifier("the procedure to call")?;
                Ok(Some(self.call(callee, targets)?))
            }
            TokenKind::Assert | TokenKind::Assume | TokenKind::Constrain | TokenKind::Abortif => {
                self.advance();
                self.expect(TokenKind::LeftParenthesis)?;
                let condition = match kind {
                    TokenKind::Constrain => self.constraint()?,
                    _ => self.expression()?,
                };
                self.expect(TokenKind::RightParenthesis)?;
                Ok(Some(match kind {
                    TokenKind::Constrain => StatementKind::Constrain(condition),
                    TokenKind::Assert => StatementKind::Assert(condition),
                    TokenKind::Abortif => StatementKind::Abortif(condition),
                    _ => StatementKind::Assume(condition),
                }))
            }
            TokenKind::LeftParenthesis => {
                // Perhaps an `if` or `while` whose word is missing: then its blocks matter.
                let word = self.token.span();
                let reported = self.unexpected("a statement");
                let condition = self.condition();
                let keyword = match self.token.kind {
                    TokenKind::Then => TokenKind::If,
                    TokenKind::Do => TokenKind::While,
                    _ => return Err(reported),
                };
                self.open_sequence(keyword, word, condition);
                Ok(None)
            }
            _ => {
                let reported = self.unexpected("a statement");
                if !self.token.kind.stops_recovery() || self.at(TokenKind::Begin) {
                    self.advance();
                }
                Err(reported)
            }
        }
    }

    /// A label, an assignment or a call; or a misspelt keyword.
    fn begins_with_name(&mut self, start: u32) -> Parsed<Begun> {
        let underscore = self.at(TokenKind::Underscore);
        let first = if underscore {
            self.take_name()
        } else {
            self.identifier("a statement")?
        };
        match self.token.kind {
            TokenKind::Colon if underscore => {
                Err(self.error(Span::new(start, start + 1), "`_` cannot be a label"))
            }
            TokenKind::Colon => {
                self.advance();
                Ok(Begun::Label(first))
            }
            TokenKind::LeftParenthesis if !underscore => {
                let targets = List::default();
                let call = self.call(first, targets)?;
                self.check_misspelt_head(first, call)
            }
            TokenKind::Comma | TokenKind::Assign | TokenKind::Equal => {
                self.assignment(first).map(Begun::Statement)
            }
            _ if underscore => self.misspelt_statement(first),
            _ => match self.thread_statement(first)? {
                Some(begun) => Ok(begun),
                None => self.misspelt_statement(first),
            },
        }
    }

    fn assignment(&mut self, first: Identifier) -> Parsed<StatementKind> {
        let start = self.tree.identifiers.len();
        self.tree.identifiers.push(first);
        while self.take(TokenKind::Comma) {
            let target = if self.at(TokenKind::Underscore) {
                self.take_name()
            } else {
                self.identifier("a variable to assign to")?
            };
            self.tree.identifiers.push(target);
        }
        let targets = List::since(start, &self.tree.identifiers);
        if !self.take(TokenKind::Assign) {
            if !self.at(TokenKind::Equal) {
                return Err(self.unexpected("`:=`"));
            }
            self.advance();
        }
        if self.take(TokenKind::Call) {
            let callee = self.identifier("the procedure to call")?;
            return self.call(callee, targets);
        }
        self.read_braces()?;
        if self.at(TokenKind::Name) && self.parenthesis_follows() {
            let callee = self.take_name();
            return self.call(callee, targets);
        }
        let values = self.expression_list()?;
        let constrained = self.take(TokenKind::Constrain);
        if constrained {
            self.constraint()?;
        }
        Ok(StatementKind::Assign {
            targets,
            values,
            constrained,
        })
    }

    /// An expression in which `'x` is the new value of `x`.
    fn constraint(&mut self) -> Parsed<ExpressionId> {
        self.state.next_values = true;
        let constraint = self.expression();
        self.state.next_values = false;
        constraint
    }

    /// Whether `(` is the token after the one that is looked at.
    #[inline]
    fn parenthesis_follows(&self) -> bool {
        let rest = &self.lexer.bytes()[self.token.end as usize..];
        match rest.first() {
            Some(b'(') => true,
            Some(b';' | b',' | b')') | None => false,
            _ => self.peek().kind == TokenKind::LeftParenthesis,
        }
    }

    /// The arguments of a call, from their `(` on.
    fn call(&mut self, callee: Identifier, targets: List) -> Parsed<StatementKind> {
        Ok(StatementKind::Call {
            callee,
            targets,
            arguments: self.arguments()?,
        })
    }

    /// `a, b` or `(a, b)`. A first parenthesis that a comma splits encloses the list;
    /// otherwise it belongs to the first expression.
    fn return_values(&mut self) -> Parsed<List> {
        let start = self.tree.expressions.ends.len();
        if !self.begins_expression() {
            return Ok(self.expressions_since(start));
        }
        if self.at(TokenKind::LeftParenthesis) && self.peek().kind == TokenKind::RightParenthesis {
            self.advance();
            self.advance();
            return Ok(self.expressions_since(start));
        }
        let in_parentheses = self.expression_or_list()?;
        while self.take(TokenKind::Comma) {
            self.expression()?;
        }
        if in_parentheses {
            self.expect(TokenKind::RightParenthesis)?;
        }
        Ok(self.expressions_since(start))
    }

    /// Whether a `return` goes on with the token. What cannot stand after it is left for
    /// the end of the statement to report, except where it looks like a value.
    fn begins_expression(&self) -> bool {
        !(self.at(TokenKind::Semicolon)
            || self.token.kind.stops_recovery()
            || matches!(self.token.kind, TokenKind::Call | TokenKind::Constrain))
    }

    /// From the word `if` or `while` up to the beginning of its first sequence. (The word of an
    /// `if` may also be an `elsif` that should have been `else if`.)
    pub fn compound_statement(&mut self, keyword: TokenKind) {
        let word = self.token.span();
        self.advance();
        self.open_compound(keyword, word);
    }

    /// Goes on with an `if` or `while` behind its word.
    pub fn open_compound(&mut self, keyword: TokenKind, word: Span) {
        let condition = self.condition();
        self.open_sequence(keyword, word, condition);
    }

    /// Opens the first sequence of an `if` or `while` whose condition has been read.
    pub fn open_sequence(&mut self, keyword: TokenKind, word: Span, condition: ExpressionId) {
        let (kind, opener, block, in_braces) = match keyword {
            TokenKind::While => (
                StatementKind::While(condition),
                TokenKind::Do,
                BlockKind::Do,
                BlockKind::BraceDo,
            ),
            _ => (
                StatementKind::If(condition),
                TokenKind::Then,
                BlockKind::Then,
                BlockKind::BraceThen,
            ),
        };
        let head = self.span_from(word.start);
        self.push_point(kind, head);
        if self.at(TokenKind::LeftBrace) {
            self.check_parentheses(head);
            self.advance();
            self.open_block(in_braces, word);
        } else {
            self.expect_word(opener);
            self.open_block(block, word);
        }
    }

    /// The condition of an `if`, `elsif` or `while`. If it cannot be read, goes on where
    /// its sequence seems to begin.
    pub fn condition(&mut self) -> ExpressionId {
        match self.expression() {
            Ok(condition) => condition,
            Err(Reported) => {
                self.recover_to_block();
                self.state.parenthesised = true;
                self.unreadable_expression()
            }
        }
    }

    fn check_parentheses(&mut self, head: Span) {
        if !self.state.parenthesised {
            let message = "a condition before `{` must stand in parentheses";
            let hint = "parentheses may be left out only before `then` and `do`";
            self.error_with_hint(head, message, hint);
        }
    }

    /// The `;` after a statement, or what may stand in its place.
    #[inline]
    fn end_statement(&mut self, kind: StatementKind, start: u32) {
        if self.take(TokenKind::Semicolon) {
            self.push_point(kind, self.span_from(start));
            return;
        }
        if let StatementKind::Call { callee, .. } = kind
            && callee.start == start
            && self.begins_body()
        {
            self.end_procedure_before(start);
            return;
        }
        let span = self.span_from(start);
        if let StatementKind::Call { callee, .. } = kind
            && (Infix::<Boolean>::of(self.token.kind).is_some() || self.at(TokenKind::Question))
        {
            let callee = self.span_of(callee);
            self.call_in_expression(callee);
            self.push_unreadable(span);
            self.recover();
            return;
        }
        if self.semicolon_is_understood("the statement") {
            self.push_point(kind, span);
        } else {
            self.push_unreadable(span);
            self.recover();
        }
    }

    /// Whether the missing `;` can be done without; says so if it is not plain.
    pub fn semicolon_is_understood(&mut self, what: &str) -> bool {
        if self.token.kind.closes_a_sequence() || self.at_end() {
            return true;
        }
        if self.begins_statement() {
            self.missing_semicolon(what);
            return true;
        }
        self.unexpected("`;`");
        false
    }

    pub fn begins_statement(&self) -> bool {
        matches!(
            self.token.kind,
            TokenKind::Name
                | TokenKind::LeftBrace
                | TokenKind::Underscore
                | TokenKind::Call
                | TokenKind::Constrain
        ) || (self.token.kind.stops_recovery() && !self.at(TokenKind::Begin))
    }

    /// Whether the token ends the labels before it with no statement.
    fn ends_labels(&self) -> bool {
        self.token.kind.closes_a_sequence()
            || self.at_end()
            || self.token.kind.begins_procedure()
            || matches!(
                self.token.kind,
                TokenKind::Semicolon | TokenKind::Decl | TokenKind::Enforce
            )
    }
}

/// What a name at the beginning of a statement turned out to begin.
pub enum Begun {
    Label(Identifier),
    Statement(StatementKind),
    /// A compound statement with a misspelt keyword: its first sequence has been opened.
    Compound,
}
