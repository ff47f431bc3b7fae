//! Expressions, by operator precedence with an explicit stack.
//!
//! Dijkstra's shunting yard, as for boolean programs; indices in brackets and the bounds of
//! quantifiers are expressions inside expressions, kept on the same stack.
//!
//! From loosest to tightest: `||`, `^^`, `&&`, `|`, `^`, `&`, `!` and quantifiers, `==` and
//! `!=`, the other comparisons, shifts, `+` and `-`, `*` and `/`. All group to the left.
//! `!` and quantifiers take in a comparison to their right, as in Moped: for `!` that makes no
//! difference to truth values, and numbers cannot be negated; of a quantifier the tree says
//! where it would make one.

use super::parser::{Parser, since};
use super::token::TokenKind;
use super::tree::{
    BinaryOperator, Expression, ExpressionId, Identifier, List, Node, NodeKind, Part, Place,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::boolean::parser::{Parsed, Reported};

/// What waits for its right end.
#[derive(Clone, Copy, Debug)]
pub enum Pending {
    Not(Span),
    Binary(BinaryOperator, Span),
    /// A quantifier whose condition is read.
    Quantifier(Span),
    Parenthesis {
        start: u32,
    },
    /// The open `[` of a place whose parts so far are [`Parser::open_parts`] from `first` on.
    Index {
        bracket: u32,
        start: u32,
        first: u32,
    },
    /// The bounds of a quantifier, and whether their `,` has come.
    Bounds {
        start: u32,
        all: bool,
        variable: Identifier,
        comma: bool,
    },
}

/// `!` and quantifiers bind between `&` and `==`.
const PREFIX: u8 = 7;

impl BinaryOperator {
    /// How tightly it binds.
    fn precedence(self) -> u8 {
        use BinaryOperator::*;
        match self {
            Or => 1,
            Xor => 2,
            And => 3,
            BitOr => 4,
            BitXor => 5,
            BitAnd => 6,
            Equal | NotEqual => 8,
            Less | LessEqual | Greater | GreaterEqual => 9,
            ShiftLeft | ShiftRight => 10,
            Add | Subtract => 11,
            Multiply | Divide => 12,
        }
    }

    pub fn of(kind: TokenKind) -> Option<Self> {
        use BinaryOperator::*;
        Some(match kind {
            TokenKind::Or => Or,
            TokenKind::Xor => Xor,
            TokenKind::And => And,
            TokenKind::BitOr => BitOr,
            TokenKind::BitXor => BitXor,
            TokenKind::BitAnd => BitAnd,
            TokenKind::EqualEqual => Equal,
            TokenKind::NotEqual => NotEqual,
            TokenKind::Less => Less,
            TokenKind::LessEqual => LessEqual,
            TokenKind::Greater => Greater,
            TokenKind::GreaterEqual => GreaterEqual,
            TokenKind::ShiftLeft => ShiftLeft,
            TokenKind::ShiftRight => ShiftRight,
            TokenKind::Plus => Add,
            TokenKind::Minus => Subtract,
            TokenKind::Star => Multiply,
            TokenKind::Slash => Divide,
            _ => return None,
        })
    }
}

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Expression,
    /// A place to assign to: no operator follows it.
    Target,
}

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<ExpressionId> {
        self.read(Wanted::Expression)
    }

    /// A place to assign to. The token is a name.
    pub fn target(&mut self) -> Parsed<ExpressionId> {
        self.read(Wanted::Target)
    }

    fn read(&mut self, wanted: Wanted) -> Parsed<ExpressionId> {
        let start = self.token.start;
        let saved = (
            self.tree.nodes.len(),
            self.tree.places.len(),
            self.tree.parts.len(),
        );
        self.operators.clear();
        self.open_parts.clear();
        match self.operands_and_operators(wanted) {
            Ok(()) => Ok(self.push_expression(self.span_from(start))),
            Err(reported) => {
                self.tree.nodes.truncate(saved.0);
                self.tree.places.truncate(saved.1);
                self.tree.parts.truncate(saved.2);
                Err(reported)
            }
        }
    }

    fn push_expression(&mut self, span: Span) -> ExpressionId {
        let end = self.tree.nodes.len() as u32;
        self.tree.expressions.push(Expression { end, span });
        ExpressionId(self.tree.expressions.len() as u32 - 1)
    }

    /// A condition that stands for one that could not be read.
    pub fn unreadable_condition(&mut self) -> ExpressionId {
        let span = self.behind();
        let kind = NodeKind::Truth(true);
        self.tree.nodes.push(Node { kind, span });
        self.push_expression(span)
    }

    /// `e1, …, en`, at least one.
    pub fn expression_list(&mut self) -> Parsed<List> {
        let start = self.tree.expressions.len();
        loop {
            self.expression()?;
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        Ok(since(start, &self.tree.expressions))
    }

    /// Alternates between an operand with what stands before it and an operator with what
    /// stands before that.
    fn operands_and_operators(&mut self, wanted: Wanted) -> Parsed<()> {
        // How many nodes there were when the last parenthesis was closed.
        let mut closed = 0;
        loop {
            let mut complete = self.operand()?;
            // Closes what can be closed, until an operand must follow.
            while complete {
                let kind = self.token.kind;
                if wanted == Wanted::Target && self.operators.is_empty() {
                    return Ok(());
                }
                if let Some(operator) = BinaryOperator::of(kind) {
                    self.binary(operator, closed);
                    self.advance();
                    break;
                }
                if kind == TokenKind::LeftParenthesis && self.previous_kind == TokenKind::Name {
                    return Err(self.call_in_expression());
                }
                self.reduce(0, closed);
                match (self.operators.last().copied(), kind) {
                    (Some(Pending::Parenthesis { .. }), TokenKind::RightParenthesis) => {
                        self.operators.pop();
                        self.advance();
                        closed = self.tree.nodes.len();
                    }
                    (Some(Pending::Index { start, first, .. }), TokenKind::RightBracket) => {
                        self.operators.pop();
                        self.advance();
                        complete = self.place(start, first)?;
                    }
                    (
                        Some(Pending::Bounds {
                            start,
                            all,
                            variable,
                            comma: false,
                        }),
                        TokenKind::Comma,
                    ) => {
                        self.operators.pop();
                        self.operators.push(Pending::Bounds {
                            start,
                            all,
                            variable,
                            comma: true,
                        });
                        self.advance();
                        complete = false;
                    }
                    (
                        Some(Pending::Bounds {
                            start,
                            all,
                            variable,
                            comma: true,
                        }),
                        TokenKind::RightParenthesis,
                    ) => {
                        self.operators.pop();
                        self.advance();
                        let span = self.span_from(start);
                        self.push_node(NodeKind::Quantify { all, variable }, span);
                        self.operators.push(Pending::Quantifier(span));
                        complete = false;
                    }
                    (None, _) => return Ok(()),
                    (Some(open), _) => return Err(self.not_closed(open)),
                }
            }
        }
    }

    fn push_node(&mut self, kind: NodeKind, span: Span) {
        self.tree.nodes.push(Node { kind, span });
    }

    /// An operand, and what opens before it. False if an operand must follow, inside it.
    fn operand(&mut self) -> Parsed<bool> {
        loop {
            let span = self.token.span();
            match self.token.kind {
                TokenKind::Name if self.at_quantifier() => {
                    let all = self.text() == "A";
                    self.advance();
                    let variable = self.take_name();
                    self.expect(TokenKind::LeftParenthesis)?;
                    self.operators.push(Pending::Bounds {
                        start: span.start,
                        all,
                        variable,
                        comma: false,
                    });
                }
                TokenKind::Name => {
                    let first = self.open_parts.len() as u32;
                    let identifier = self.take_name();
                    let indices = 0;
                    self.open_parts.push(Part {
                        identifier,
                        indices,
                    });
                    return self.place(span.start, first);
                }
                TokenKind::Number => {
                    let number = self.number();
                    self.push_node(NodeKind::Number(number), span);
                    self.advance();
                    return Ok(true);
                }
                TokenKind::True | TokenKind::False => {
                    let value = self.at(TokenKind::True);
                    self.push_node(NodeKind::Truth(value), span);
                    self.advance();
                    return Ok(true);
                }
                TokenKind::Bang => {
                    self.operators.push(Pending::Not(span));
                    self.advance();
                }
                TokenKind::LeftParenthesis => {
                    let start = span.start;
                    self.operators.push(Pending::Parenthesis { start });
                    self.advance();
                }
                _ => return Err(self.no_operand()),
            }
        }
    }

    /// `A` or `E` with the name of a variable after it; else these are names like any other.
    pub fn at_quantifier(&self) -> bool {
        let bytes = &self.lexer.bytes()[self.token.start as usize..self.token.end as usize];
        matches!(bytes, b"A" | b"E") && self.peek().kind == TokenKind::Name
    }

    /// The value of the token, which is made of digits.
    fn number(&mut self) -> u64 {
        let bytes = &self.lexer.bytes()[self.token.start as usize..self.token.end as usize];
        let digits = bytes.iter().map(|byte| u64::from(byte - b'0'));
        let value = digits.into_iter().try_fold(0_u64, |value, digit| {
            value.checked_mul(10)?.checked_add(digit)
        });
        value.unwrap_or_else(|| {
            let message = format!("the number `{}` is too large", self.text());
            let hint = format!("the largest number is {}", u64::MAX);
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            0
        })
    }

    /// Goes on with a place after a name or an index of it. False at the beginning of
    /// another index.
    fn place(&mut self, start: u32, first: u32) -> Parsed<bool> {
        loop {
            match self.token.kind {
                TokenKind::LeftBracket => {
                    if let Some(part) = self.open_parts.last_mut() {
                        part.indices += 1;
                    }
                    self.operators.push(Pending::Index {
                        bracket: self.token.start,
                        start,
                        first,
                    });
                    self.advance();
                    return Ok(false);
                }
                TokenKind::Dot => {
                    self.advance();
                    let identifier = self.identifier("a name after the `.`")?;
                    let indices = 0;
                    self.open_parts.push(Part {
                        identifier,
                        indices,
                    });
                }
                _ => break,
            }
        }
        let begin = self.tree.parts.len();
        let parts = self.open_parts.drain(first as usize..);
        self.tree.parts.extend(parts);
        let span = self.span_from(start);
        let parts = since(begin, &self.tree.parts);
        self.tree.places.push(Place { parts, span });
        let place = self.tree.places.len() as u32 - 1;
        self.push_node(NodeKind::Read(place), span);
        Ok(true)
    }

    /// Emits what binds at least as tightly as `operator`, then lets it wait.
    fn binary(&mut self, operator: BinaryOperator, closed: usize) {
        self.reduce(operator.precedence(), closed);
        let span = self.token.span();
        self.operators.push(Pending::Binary(operator, span));
    }

    /// Emits the operators down to what is open, as far as they bind at least so tightly.
    /// Whatever there were before `closed` nodes stands in parentheses.
    fn reduce(&mut self, precedence: u8, closed: usize) {
        while let Some(pending) = self.operators.last().copied() {
            let (kind, span) = match pending {
                Pending::Binary(waiting, span) if waiting.precedence() >= precedence => {
                    (NodeKind::Binary(waiting), span)
                }
                Pending::Not(span) if PREFIX >= precedence => (NodeKind::Not, span),
                Pending::Quantifier(span) if PREFIX >= precedence => {
                    let last = self.tree.nodes.last().map(|node| node.kind);
                    let comparison = matches!(
                        last,
                        Some(NodeKind::Binary(
                            BinaryOperator::Equal | BinaryOperator::NotEqual
                        ))
                    );
                    let bare_comparison = comparison && self.tree.nodes.len() > closed;
                    (NodeKind::EndQuantify { bare_comparison }, span)
                }
                _ => break,
            };
            self.push_node(kind, span);
            self.operators.pop();
        }
    }

    #[cold]
    fn call_in_expression(&mut self) -> Reported {
        let start = match self.tree.nodes.last() {
            Some(node) => node.span.start,
            None => self.previous_end,
        };
        let span = self.span_from(start);
        self.report_call_in_expression(span);
        Reported
    }

    #[cold]
    pub fn report_call_in_expression(&mut self, span: Span) {
        self.report(
            Diagnostic::error(span, "a call cannot be a part of an expression")
                .with_hint("call it in a statement of its own, `x = f(…);`, and use `x` here"),
        );
    }

    #[cold]
    fn no_operand(&mut self) -> Reported {
        match self.token.kind {
            TokenKind::Minus => self.unexpected_with_hint(
                "an expression",
                "there are no negative numbers; write `0 - x` for a difference",
            ),
            TokenKind::Undef => self.unexpected_with_hint(
                "an expression",
                "`undef` stands alone right of `=`: assign it to a variable first",
            ),
            _ => self.unexpected("an expression"),
        }
    }

    #[cold]
    fn not_closed(&mut self, open: Pending) -> Reported {
        let (expected, start) = match open {
            Pending::Parenthesis { start } => ("`)`", start),
            Pending::Index { bracket, .. } => ("`]`", bracket),
            Pending::Bounds {
                start,
                comma: false,
                ..
            } => ("`,`", start),
            Pending::Bounds { start, .. } => ("`)`", start),
            // These close by themselves.
            Pending::Not(span) | Pending::Binary(_, span) | Pending::Quantifier(span) => {
                ("an operator", span.start)
            }
        };
        if self.at(TokenKind::Unknown) || self.at_end() && self.cut_short {
            return self.unexpected(expected);
        }
        let message = format!("expected {expected}, found {}", self.found());
        let mut diagnostic = Diagnostic::error(self.token.span(), message)
            .with_related(Span::new(start, start + 1), "opened here");
        if self.at(TokenKind::Assign) {
            diagnostic = diagnostic.with_hint("`=` assigns; `==` compares");
        }
        self.report(diagnostic);
        Reported
    }
}
