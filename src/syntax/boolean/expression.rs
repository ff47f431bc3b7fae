//! Expressions, by operator precedence with an explicit stack.
//!
//! Dijkstra's shunting yard: operands go straight to the postfix form, operators wait on a
//! stack until one that binds less tightly, or the end, comes. Linear time, no recursion.
//! `?` is a value where an operand is expected and the conditional operator elsewhere, so
//! that `a ? ? : *` is read as one would hope.
//!
//! From loosest to tightest: `? :`, `<=>`, `=>`, `|`, `^`, `&`, `=` and `!=`, unary. `=>`
//! and `? :` group to the right, the others to the left.

use super::dialect;
use super::parser::{Parsed, Parser, Reported};
use super::token::TokenKind;
use super::tree::{BinaryOperator, ExpressionId, List, Node};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What waits for its right end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    Not,
    Binary(BinaryOperator),
    /// An open `(` and the operators met before it (see [`dialect`]).
    Parenthesis {
        start: u32,
        outside: dialect::Mix,
    },
    /// `?` of a conditional whose `:` has not come.
    Question {
        start: u32,
        outside: dialect::Mix,
    },
    /// `:` of a conditional.
    Colon,
    /// `schoose[`, and whether its `,` has come.
    Schoose {
        start: u32,
        outside: dialect::Mix,
        comma: bool,
    },
}

impl BinaryOperator {
    /// How tightly it binds.
    pub fn precedence(self) -> u8 {
        use BinaryOperator::*;
        match self {
            Equivalent => 1,
            Implies => 2,
            Or => 3,
            Xor => 4,
            And => 5,
            Equal | NotEqual => 6,
        }
    }

    pub fn spelling(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Equivalent => "<=>",
            Implies => "=>",
            Or => "|",
            Xor => "^",
            And => "&",
            Equal => "=",
            NotEqual => "!=",
        }
    }

    pub fn of(kind: TokenKind) -> Option<Self> {
        use BinaryOperator::*;
        Some(match kind {
            TokenKind::Equivalent => Equivalent,
            TokenKind::Implies => Implies,
            TokenKind::Or => Or,
            TokenKind::Xor => Xor,
            TokenKind::And => And,
            TokenKind::Equal | TokenKind::EqualEqual => Equal,
            TokenKind::NotEqual => NotEqual,
            _ => return None,
        })
    }
}

/// Where an expression ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Before a token that does not go on with it.
    Complete,
    /// At a `,` inside its first parenthesis: so that one encloses a list.
    ListInParentheses,
}

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<ExpressionId> {
        self.expression_or_list(false).map(|(id, _)| id)
    }

    /// Reads an expression; with `list`, `(a, …` is allowed too and ends before the comma.
    pub fn expression_or_list(&mut self, list: bool) -> Parsed<(ExpressionId, Ended)> {
        let first_node = self.tree.nodes.len();
        let start = self.token.start;
        self.operators.clear();
        match self.operands_and_operators(list) {
            Ok((ended, differs)) => {
                self.tree.expressions.push(self.tree.nodes.len() as u32);
                let id = ExpressionId(self.tree.expressions.len() as u32 - 1);
                if differs {
                    self.warn_of_other_reading(id, self.span_from(start));
                }
                Ok((id, ended))
            }
            Err(reported) => {
                self.tree.nodes.truncate(first_node);
                Err(reported)
            }
        }
    }

    /// An expression that stands for one that could not be read.
    pub fn unreadable_expression(&mut self) -> ExpressionId {
        self.tree.nodes.push(Node::Constant(true));
        self.tree.expressions.push(self.tree.nodes.len() as u32);
        ExpressionId(self.tree.expressions.len() as u32 - 1)
    }

    /// `e1, …, en`, at least one.
    pub fn expression_list(&mut self) -> Parsed<List> {
        let start = self.tree.expressions.len() as u32;
        loop {
            self.expression()?;
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        Ok(self.expressions_since(start))
    }

    pub fn expressions_since(&self, start: u32) -> List {
        List {
            start,
            end: self.tree.expressions.len() as u32,
        }
    }

    /// Alternates between an operand with what stands before it and an operator with what
    /// stands before that. Also tells whether a parenthesis mixes operators that other
    /// tools may group otherwise.
    fn operands_and_operators(&mut self, list: bool) -> Parsed<(Ended, bool)> {
        let mut mix = dialect::Mix::default();
        let mut differs = false;
        let first = self.token.start;
        self.parenthesised = false;
        loop {
            self.operand(&mut mix)?;
            // Closes what can be closed, until an operator asks for the next operand.
            loop {
                let kind = self.token.kind;
                if let Some(operator) = BinaryOperator::of(kind) {
                    self.binary(operator);
                    mix.add(operator);
                    self.parenthesised = false;
                    self.advance();
                    break;
                }
                match kind {
                    TokenKind::Question => {
                        self.reduce_operators();
                        differs |= mix.may_differ();
                        self.operators.push(Pending::Question {
                            start: self.token.start,
                            outside: mix,
                        });
                        mix = dialect::Mix::default();
                        self.parenthesised = false;
                        self.advance();
                        break;
                    }
                    TokenKind::LeftParenthesis if self.previous_is_name() => {
                        return Err(self.call_in_expression());
                    }
                    _ => {}
                }
                self.reduce();
                match (self.operators.last().copied(), kind) {
                    (Some(Pending::Question { .. }), TokenKind::Colon) => {
                        self.operators.pop();
                        self.operators.push(Pending::Colon);
                        differs |= mix.may_differ();
                        mix = dialect::Mix::default();
                        self.advance();
                        break;
                    }
                    (
                        Some(Pending::Schoose {
                            start,
                            outside,
                            comma: false,
                        }),
                        TokenKind::Comma,
                    ) => {
                        self.operators.pop();
                        self.operators.push(Pending::Schoose {
                            start,
                            outside,
                            comma: true,
                        });
                        differs |= mix.may_differ();
                        mix = dialect::Mix::default();
                        self.advance();
                        break;
                    }
                    (
                        Some(Pending::Schoose {
                            outside,
                            comma: true,
                            ..
                        }),
                        TokenKind::RightBracket,
                    ) => {
                        self.operators.pop();
                        self.tree.nodes.push(Node::Schoose);
                        differs |= mix.may_differ();
                        mix = outside;
                        self.advance();
                    }
                    (
                        Some(Pending::Parenthesis { start, outside }),
                        TokenKind::RightParenthesis,
                    ) => {
                        self.operators.pop();
                        differs |= mix.may_differ();
                        mix = outside;
                        self.advance();
                        self.parenthesised = start == first;
                    }
                    (Some(Pending::Parenthesis { start, .. }), TokenKind::Comma)
                        if list && start == first && self.operators.len() == 1 =>
                    {
                        return Ok((Ended::ListInParentheses, differs | mix.may_differ()));
                    }
                    (None, _) => return Ok((Ended::Complete, differs | mix.may_differ())),
                    (Some(open), _) => return Err(self.not_closed(open)),
                }
            }
        }
    }

    /// An operand, and the unary operators and brackets that open before it.
    fn operand(&mut self, mix: &mut dialect::Mix) -> Parsed<()> {
        loop {
            let start = self.token.start;
            let node = match self.token.kind {
                TokenKind::Name => Node::Read(self.variable()?),
                TokenKind::False => Node::Constant(false),
                TokenKind::True => Node::Constant(true),
                TokenKind::Star | TokenKind::Question => {
                    self.check_choice();
                    Node::Choose
                }
                TokenKind::LeftBrace => {
                    self.read_braces()?;
                    continue;
                }
                TokenKind::Bang | TokenKind::NotWord => {
                    self.operators.push(Pending::Not);
                    self.advance();
                    continue;
                }
                TokenKind::LeftParenthesis => {
                    let outside = std::mem::take(mix);
                    self.operators.push(Pending::Parenthesis { start, outside });
                    self.advance();
                    continue;
                }
                TokenKind::Schoose => {
                    self.advance();
                    self.expect(TokenKind::LeftBracket)?;
                    self.operators.push(Pending::Schoose {
                        start,
                        outside: std::mem::take(mix),
                        comma: false,
                    });
                    continue;
                }
                TokenKind::Tick => {
                    self.advance();
                    let identifier = self.identifier("a variable after `'`")?;
                    self.check_next_value(start);
                    self.tree.nodes.push(Node::ReadNext(identifier));
                    return Ok(());
                }
                _ => return Err(self.no_operand()),
            };
            self.tree.nodes.push(node);
            if !matches!(node, Node::Read(_)) {
                self.advance();
            }
            return Ok(());
        }
    }

    /// Emits what binds at least as tightly as `operator`, then lets it wait.
    fn binary(&mut self, operator: BinaryOperator) {
        let precedence = operator.precedence();
        let right = operator == BinaryOperator::Implies;
        while let Some(pending) = self.operators.last() {
            let node = match *pending {
                Pending::Not => Node::Not,
                Pending::Binary(waiting)
                    if waiting.precedence() > precedence
                        || (waiting.precedence() == precedence && !right) =>
                {
                    Node::Binary(waiting)
                }
                _ => break,
            };
            self.tree.nodes.push(node);
            self.operators.pop();
        }
        self.operators.push(Pending::Binary(operator));
    }

    /// Emits all unary and binary operators down to what is open.
    fn reduce_operators(&mut self) {
        while let Some(pending) = self.operators.last() {
            let node = match *pending {
                Pending::Not => Node::Not,
                Pending::Binary(waiting) => Node::Binary(waiting),
                _ => break,
            };
            self.tree.nodes.push(node);
            self.operators.pop();
        }
    }

    /// Emits all operators, conditionals too, down to what is open.
    fn reduce(&mut self) {
        self.reduce_operators();
        while self.operators.last() == Some(&Pending::Colon) {
            self.operators.pop();
            self.tree.nodes.push(Node::IfThenElse);
            self.reduce_operators();
        }
    }

    fn check_choice(&mut self) {
        if self.in_property {
            self.report(Diagnostic::error(
                self.token.span(),
                "a property cannot choose: `*` and `?` are not allowed here",
            ));
        }
    }

    fn check_next_value(&mut self, start: u32) {
        if !self.next_values {
            let message = "a new value is only known in the `constrain` of an assignment";
            let diagnostic = Diagnostic::error(self.span_from(start), message);
            self.report(diagnostic.with_hint("leave out the `'`"));
        }
    }

    fn previous_is_name(&self) -> bool {
        self.previous_kind == TokenKind::Name
    }

    #[cold]
    fn call_in_expression(&mut self) -> Reported {
        let span = Span::new(self.name_start_before(), self.previous_end);
        self.report_call_in_expression(span);
        Reported
    }

    #[cold]
    pub fn report_call_in_expression(&mut self, span: Span) {
        self.report(
            Diagnostic::error(span, "a call cannot be a part of an expression")
                .with_hint("call it in an assignment of its own, `x := f(…);`, and use `x` here"),
        );
    }

    /// Where the name begins that was just read as an operand.
    fn name_start_before(&self) -> u32 {
        match self.tree.nodes.last() {
            Some(Node::Read(identifier) | Node::ReadNext(identifier)) => identifier.start,
            _ => self.previous_end,
        }
    }

    #[cold]
    fn no_operand(&mut self) -> Reported {
        if self.at(TokenKind::Number) {
            let message = format!("the number `{}` is no value", self.text());
            let diagnostic = Diagnostic::error(self.token.span(), message);
            self.report(diagnostic.with_hint("the values are `0` and `1`"));
            return Reported;
        }
        if self.at(TokenKind::Underscore) {
            let message = "`_` has no value";
            let diagnostic = Diagnostic::error(self.token.span(), message);
            self.report(diagnostic.with_hint("`_` only throws a value away, left of `:=`"));
            return Reported;
        }
        self.unexpected("an expression")
    }

    #[cold]
    fn not_closed(&mut self, open: Pending) -> Reported {
        let (expected, start, length) = match open {
            Pending::Question { start, .. } => ("`:`", start, 1),
            Pending::Schoose { start, comma, .. } => (if comma { "`]`" } else { "`,`" }, start, 7),
            Pending::Parenthesis { start, .. } => ("`)`", start, 1),
            // These close by themselves.
            Pending::Not | Pending::Binary(_) | Pending::Colon => ("an operator", 0, 0),
        };
        if matches!(self.token.kind, TokenKind::Unknown) || self.at_end() && self.cut_short {
            return self.unexpected(expected);
        }
        let message = format!("expected {expected}, found {}", self.found());
        let diagnostic = Diagnostic::error(self.token.span(), message);
        self.report(diagnostic.with_related(Span::new(start, start + length), "opened here"));
        Reported
    }
}
