//! One statement at a time.
//!
//! A compound statement is read up to the beginning of its first branch: its parts then come
//! as statements of the same loop (see `block`).

use super::block::BlockKind;
use super::parser::{Parser, since};
use super::token::TokenKind;
use super::tree::{
    Assignment, BinaryOperator, ExpressionId, Identifier, Label, List, Range, StatementKind,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::boolean::parser::{Parsed, Reported};

impl Parser<'_> {
    /// Reads a statement with its labels. Always takes at least one token.
    pub fn statement(&mut self) {
        let first_label = self.tree.labels.len();
        while self.at(TokenKind::Name) && self.peek().kind == TokenKind::Colon {
            let identifier = self.take_name();
            let point = self.points;
            self.tree.labels.push(Label { identifier, point });
            self.advance();
            if self.at(TokenKind::Assign) {
                self.report_pascal_assignment(identifier);
                return;
            }
        }
        match self.token.kind {
            TokenKind::If => return self.open_block(BlockKind::If),
            TokenKind::Do => return self.open_block(BlockKind::Do),
            _ => {}
        }
        if self.tree.labels.len() > first_label && self.ends_labels() {
            self.report_label_without_statement();
            return;
        }
        let start = self.token.start;
        let saved = self.checkpoint();
        match self.simple_statement() {
            Ok(kind) => self.end_statement(kind, start),
            Err(Reported) => {
                self.restore(saved);
                let span = self.span_from(start);
                self.push_point(StatementKind::Unreadable, span);
                self.recover();
            }
        }
    }

    fn simple_statement(&mut self) -> Parsed<StatementKind> {
        let kind = self.token.kind;
        match kind {
            TokenKind::Name => self.begins_with_name(),
            TokenKind::Skip => {
                self.advance();
                let condition = match self.at(TokenKind::LeftParenthesis) {
                    true => Some(self.condition_in_parentheses()?),
                    false => None,
                };
                Ok(StatementKind::Skip { condition })
            }
            TokenKind::Goto => {
                self.advance();
                let label = self.identifier("a label")?;
                let assignments = self.further_assignments()?;
                Ok(StatementKind::Goto { label, assignments })
            }
            TokenKind::Break => {
                self.advance();
                Ok(StatementKind::Break)
            }
            TokenKind::Return => {
                self.advance();
                let without = self.at(TokenKind::Semicolon) || self.token.kind.stops_recovery();
                let value = match without {
                    true => None,
                    false => Some(self.expression()?),
                };
                Ok(StatementKind::Return { value })
            }
            TokenKind::Assert | TokenKind::Assume => {
                self.advance();
                let condition = self.condition_in_parentheses()?;
                Ok(match kind {
                    TokenKind::Assert => StatementKind::Assert(condition),
                    _ => StatementKind::Assume(condition),
                })
            }
            _ => Err(self.no_statement()),
        }
    }

    #[cold]
    fn no_statement(&mut self) -> Reported {
        let reported = match self.token.kind {
            TokenKind::Else => {
                self.unexpected_with_hint("a statement", "write `:: else -> …` for the last branch")
            }
            TokenKind::Arrow => {
                self.unexpected_with_hint("a statement", "a branch is `:: condition -> statements`")
            }
            _ => self.unexpected("a statement"),
        };
        if !self.token.kind.stops_recovery() {
            self.advance();
        }
        reported
    }

    fn condition_in_parentheses(&mut self) -> Parsed<ExpressionId> {
        let open = self.token.span();
        self.expect(TokenKind::LeftParenthesis)?;
        let condition = self.expression()?;
        if self.take(TokenKind::RightParenthesis) {
            return Ok(condition);
        }
        if self.at(TokenKind::Unknown) || self.at_end() && self.cut_short {
            return Err(self.unexpected("`)`"));
        }
        let message = format!("expected `)`, found {}", self.found());
        let mut diagnostic =
            Diagnostic::error(self.token.span(), message).with_related(open, "opened here");
        if self.at(TokenKind::Assign) {
            diagnostic = diagnostic.with_hint("`=` assigns; `==` compares");
        }
        self.report(diagnostic);
        Err(Reported)
    }

    /// An assignment or a call; or a misspelt keyword.
    fn begins_with_name(&mut self) -> Parsed<StatementKind> {
        if self.at_quantifier() {
            let assignments = self.assignments()?;
            return Ok(StatementKind::Assign { assignments });
        }
        match self.peek().kind {
            TokenKind::LeftParenthesis => {
                let callee = self.take_name();
                self.call(None, callee)
            }
            TokenKind::Assign | TokenKind::LeftBracket | TokenKind::Dot => {
                let start = self.token.start;
                let target = self.target()?;
                self.expect_assign()?;
                if self.at(TokenKind::Name) && self.peek().kind == TokenKind::LeftParenthesis {
                    let callee = self.take_name();
                    return self.call(Some(target), callee);
                }
                let first = self.tree.assignments.len();
                let none = since(self.tree.ranges.len(), &self.tree.ranges);
                self.value_of(none, target, start)?;
                if self.take(TokenKind::Comma) {
                    self.assignments()?;
                }
                let assignments = since(first, &self.tree.assignments);
                Ok(StatementKind::Assign { assignments })
            }
            _ => Err(self.misspelt_statement()),
        }
    }

    /// The arguments of a call, from their `(` on, and what comes with it.
    fn call(&mut self, target: Option<ExpressionId>, callee: Identifier) -> Parsed<StatementKind> {
        self.expect(TokenKind::LeftParenthesis)?;
        let arguments = match self.at(TokenKind::RightParenthesis) {
            true => since(self.tree.expressions.len(), &self.tree.expressions),
            false => self.expression_list()?,
        };
        self.expect(TokenKind::RightParenthesis)?;
        let assignments = self.further_assignments()?;
        Ok(StatementKind::Call {
            target,
            callee,
            arguments,
            assignments,
        })
    }

    /// `, a1, …, an`, or nothing.
    fn further_assignments(&mut self) -> Parsed<List> {
        match self.take(TokenKind::Comma) {
            true => self.assignments(),
            false => Ok(since(self.tree.assignments.len(), &self.tree.assignments)),
        }
    }

    /// `a1, …, an`, at least one.
    fn assignments(&mut self) -> Parsed<List> {
        let first = self.tree.assignments.len();
        loop {
            self.assignment()?;
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        Ok(since(first, &self.tree.assignments))
    }

    fn assignment(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let first_range = self.tree.ranges.len();
        while self.at(TokenKind::Name) && self.at_quantifier() {
            self.range()?;
        }
        let ranges = since(first_range, &self.tree.ranges);
        if !self.at(TokenKind::Name) {
            return Err(self.unexpected("a variable to assign to"));
        }
        let target = self.target()?;
        self.expect_assign()?;
        if self.at(TokenKind::Name) && self.peek().kind == TokenKind::LeftParenthesis {
            return Err(self.call_among_assignments(ranges));
        }
        self.value_of(ranges, target, start)
    }

    /// `A i (lo, hi)` before an assignment.
    fn range(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let all = self.text() == "A";
        self.advance();
        let variable = self.take_name();
        self.expect(TokenKind::LeftParenthesis)?;
        let low = self.expression()?;
        self.expect(TokenKind::Comma)?;
        let high = self.expression()?;
        self.expect(TokenKind::RightParenthesis)?;
        let span = self.span_from(start);
        if !all {
            let message = "`E` cannot stand before an assignment";
            let hint = "`A` assigns for every value at once";
            self.report(Diagnostic::error(span, message).with_hint(hint));
            return Err(Reported);
        }
        self.tree.ranges.push(Range {
            variable,
            low,
            high,
            span,
        });
        Ok(())
    }

    fn expect_assign(&mut self) -> Parsed<()> {
        match self.token.kind {
            TokenKind::EqualEqual => {
                Err(self.unexpected_with_hint("`=`", "`=` assigns; `==` compares"))
            }
            _ => self.expect(TokenKind::Assign),
        }
    }

    /// What stands right of `=`.
    fn value_of(&mut self, ranges: List, target: ExpressionId, start: u32) -> Parsed<()> {
        let value = match self.take(TokenKind::Undef) {
            true => None,
            false => Some(self.expression()?),
        };
        self.tree.assignments.push(Assignment {
            ranges,
            target,
            value,
            span: self.span_from(start),
        });
        Ok(())
    }

    #[cold]
    fn call_among_assignments(&mut self, ranges: List) -> Reported {
        let message = match ranges.is_empty() {
            true => "a call must be the first part of its statement",
            false => "a call cannot be made for every value at once",
        };
        self.report(Diagnostic::error(self.token.span(), message));
        Reported
    }

    /// The `;` after a statement, or what may stand in its place.
    fn end_statement(&mut self, kind: StatementKind, start: u32) {
        if self.take(TokenKind::Semicolon) {
            let span = self.span_from(start);
            self.push_point(kind, span);
            return;
        }
        let span = self.span_from(start);
        if let StatementKind::Call { callee, .. } = kind
            && BinaryOperator::of(self.token.kind).is_some()
        {
            let callee = self.tree.span(callee);
            self.report_call_in_expression(callee);
            self.push_point(StatementKind::Unreadable, span);
            self.recover();
            return;
        }
        if self.semicolon_is_understood("the statement") {
            self.push_point(kind, span);
        } else {
            self.push_point(StatementKind::Unreadable, span);
            self.recover();
        }
    }

    /// Whether the missing `;` can be done without; says that it is missing.
    pub fn semicolon_is_understood(&mut self, what: &str) -> bool {
        if self.at_end() && self.cut_short {
            return true;
        }
        if self.token.kind.stops_recovery() || self.at(TokenKind::Name) {
            let here = self.behind();
            self.report(
                Diagnostic::warning(here, format!("missing `;` after {what}"))
                    .with_label("`;` expected here"),
            );
            return true;
        }
        match self.token.kind {
            TokenKind::Assign => self.unexpected_with_hint("`;`", "`=` assigns; `==` compares"),
            _ => self.unexpected("`;`"),
        };
        false
    }

    /// Whether the token ends the labels before it with no statement.
    fn ends_labels(&self) -> bool {
        self.token.kind.ends_a_sequence()
            || self.token.kind.begins_declaration()
            || self.token.kind.begins_outside()
            || self.at(TokenKind::Semicolon)
            || self.at_end()
    }

    #[cold]
    fn report_label_without_statement(&mut self) {
        if !(self.at_end() && self.cut_short)
            && let Some(label) = self.tree.labels.last()
        {
            let name = self.tree.shown(label.identifier.name);
            let message = format!("the label `{name}` has no statement");
            let span = self.tree.span(label.identifier);
            self.report(Diagnostic::error(span, message).with_hint("write `skip;` after it"));
        }
        let here = Span::new(self.token.start, self.token.start);
        self.push_point(StatementKind::Unreadable, here);
        self.take(TokenKind::Semicolon);
    }

    /// `x := e`.
    #[cold]
    fn report_pascal_assignment(&mut self, name: Identifier) {
        self.tree.labels.pop();
        let span = Span::new(self.token.start - 1, self.token.end);
        self.report(
            Diagnostic::error(span, "`:=` means nothing here")
                .with_hint("`=` assigns, without `:`"),
        );
        let span = self.span_from(name.start);
        self.push_point(StatementKind::Unreadable, span);
        self.recover();
    }
}
