//! One statement at a time.
//!
//! A compound statement is read up to the beginning of its first branch: its parts then come
//! as statements of the same loop (see `block`).

use super::block::BlockKind;
use super::lexicon::TokenKind;
use super::parser::{ASSIGNS_OR_COMPARES, Parser, Remopla};
use super::tree::{
    Assignment, ExpressionId, Identifier, Label, List, Quantifier, Range, StatementKind,
};
use crate::source::Span;
use crate::syntax::kit::operators::Infix;
use crate::syntax::kit::{Parsed, Reported};

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
            self.label_without_statement(self.tree.labels.last().copied());
            let here = Span::new(self.token.start, self.token.start);
            self.push_point(StatementKind::Unreadable, here);
            self.take(TokenKind::Semicolon);
            return;
        }
        let start = self.token.start;
        match self.simple_statement() {
            Ok(kind) => self.end_statement(kind, start),
            Err(Reported) => {
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
        match self.take(TokenKind::RightParenthesis) {
            true => Ok(condition),
            false => Err(self.not_closed("`)`", open)),
        }
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
                self.value_of(List::default(), target, start)?;
                if self.take(TokenKind::Comma) {
                    self.assignments()?;
                }
                let assignments = List::since(first, &self.tree.assignments);
                Ok(StatementKind::Assign { assignments })
            }
            _ => Err(self.misspelt_statement()),
        }
    }

    /// The arguments of a call, from their `(` on, and what comes with it.
    fn call(&mut self, target: Option<ExpressionId>, callee: Identifier) -> Parsed<StatementKind> {
        Ok(StatementKind::Call {
            target,
            callee,
            arguments: self.arguments()?,
            assignments: self.further_assignments()?,
        })
    }

    /// `, a1, …, an`, or nothing.
    fn further_assignments(&mut self) -> Parsed<List> {
        match self.take(TokenKind::Comma) {
            true => self.assignments(),
            false => Ok(List::default()),
        }
    }

    /// `a1, …, an`, at least one.
    fn assignments(&mut self) -> Parsed<List> {
        let first = self.tree.assignments.len();
        self.list(Self::assignment)?;
        Ok(List::since(first, &self.tree.assignments))
    }

    fn assignment(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let first_range = self.tree.ranges.len();
        while self.at(TokenKind::Name) && self.at_quantifier() {
            self.range()?;
        }
        let ranges = List::since(first_range, &self.tree.ranges);
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
        let Quantifier { all, variable } = self.quantifier()?;
        let low = self.expression()?;
        self.expect(TokenKind::Comma)?;
        let high = self.expression()?;
        self.expect(TokenKind::RightParenthesis)?;
        let span = self.span_from(start);
        if !all {
            let message = "`E` cannot stand before an assignment";
            let hint = "`A` assigns for every value at once";
            return Err(self.error_with_hint(span, message, hint));
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
            TokenKind::EqualEqual => Err(self.unexpected_with_hint("`=`", ASSIGNS_OR_COMPARES)),
            _ => self.expect(TokenKind::Assign),
        }
    }

    /// What stands right of `=`.
    fn value_of(&mut self, ranges: List, target: ExpressionId, start: u32) -> Parsed<()> {
        let value = match self.take(TokenKind::Undef) {
            true => None,
            false => Some(self.expression()?),
        };
        let assignment = Assignment {
            ranges,
            target,
            value,
            span: self.span_from(start),
        };
        self.tree.assignments.push(assignment);
        Ok(())
    }

    #[cold]
    fn call_among_assignments(&mut self, ranges: List) -> Reported {
        let message = match ranges.is_empty() {
            true => "a call must be the first part of its statement",
            false => "a call cannot be made for every value at once",
        };
        self.error(self.token.span(), message)
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
            && Infix::<Remopla>::of(self.token.kind).is_some()
        {
            let callee = self.span_of(callee);
            self.call_in_expression(callee);
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
        if self.at_cut() {
            return true;
        }
        if self.token.kind.stops_recovery() || self.at(TokenKind::Name) {
            self.missing_semicolon(what);
            return true;
        }
        match self.token.kind {
            TokenKind::Assign => self.unexpected_with_hint("`;`", ASSIGNS_OR_COMPARES),
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

    /// `x := e`.
    #[cold]
    fn report_pascal_assignment(&mut self, name: Identifier) {
        self.tree.labels.pop();
        let span = Span::new(self.token.start - 1, self.token.end);
        self.error_with_hint(span, "`:=` means nothing here", "`=` assigns, without `:`");
        let span = self.span_from(name.start);
        self.push_point(StatementKind::Unreadable, span);
        self.recover();
    }
}
