//! Expressions, by operator precedence with an explicit stack.
//!
//! Dijkstra's shunting yard: operands go straight to the output, operators wait on a stack
//! until one that binds less tightly, or the end, comes. Linear time, no recursion. Truth
//! values and numbers are not told apart here: `(a+1)*b < c` and `(a < b) & c` begin alike.
//!
//! From loosest to tightest: `==`, `^`, `|`, `&`, `!`, comparisons, `+ -`, `* /`, `<<`. All
//! group to the left. A quantifier's body reaches as far to the right as it can.

use super::parser::{Parsed, Parser, Reported};
use super::token::TokenKind;
use super::tree::{BinaryOperator, ExpressionId, Identifier, Node, NodeKind, Primes, Quantifier};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What an expression may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Numbers and names, and arithmetic.
    Constant,
    /// Everything.
    Relation,
}

/// What waits for its right end.
#[derive(Clone, Copy, Debug)]
pub enum Pending {
    Not(Span),
    Binary(BinaryOperator, Span),
    Parenthesis,
    /// `a[`.
    Index(Identifier, Primes, Span),
    /// The body of a quantifier.
    Body,
}

pub const NOT_PRECEDENCE: u8 = 5;

impl BinaryOperator {
    /// How tightly it binds.
    /// How tightly it binds; more is tighter.
    pub fn precedence(self) -> u8 {
        use BinaryOperator::*;
        match self {
            Equivalent => 1,
            Xor => 2,
            Or => 3,
            And => 4,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => 6,
            Plus | Minus => 7,
            Times | Divide => 8,
            ShiftLeft => 9,
        }
    }

    fn is_arithmetic(self) -> bool {
        self.precedence() > 6
    }

    fn of(kind: TokenKind) -> Option<Self> {
        use BinaryOperator::*;
        Some(match kind {
            TokenKind::Equivalent => Equivalent,
            TokenKind::Xor => Xor,
            TokenKind::Or => Or,
            TokenKind::And => And,
            TokenKind::Equal => Equal,
            TokenKind::NotEqual => NotEqual,
            TokenKind::Less => Less,
            TokenKind::LessEqual => LessEqual,
            TokenKind::Greater => Greater,
            TokenKind::GreaterEqual => GreaterEqual,
            TokenKind::Plus => Plus,
            TokenKind::Minus => Minus,
            TokenKind::Star => Times,
            TokenKind::Slash => Divide,
            TokenKind::ShiftLeft => ShiftLeft,
            _ => return None,
        })
    }
}

impl Parser<'_> {
    pub fn expression(&mut self, sort: Sort) -> Parsed<ExpressionId> {
        // A quantifier's bounds are read while an expression is: their nodes come first.
        let outer_output = std::mem::take(&mut self.output);
        let outer_operators = std::mem::take(&mut self.operators);
        let read = self.operands_and_operators(sort);
        self.operators = outer_operators;
        let nodes = std::mem::replace(&mut self.output, outer_output);
        read?;
        let first = self.tree.nodes.len();
        self.tree.nodes.extend(nodes);
        let id = ExpressionId(self.tree.expressions.len() as u32);
        self.tree.expressions.push(first..self.tree.nodes.len());
        Ok(id)
    }

    fn operands_and_operators(&mut self, sort: Sort) -> Parsed<()> {
        loop {
            self.operand(sort)?;
            // Closes what can be closed, until an operator asks for the next operand.
            loop {
                let operator = BinaryOperator::of(self.token.kind)
                    .filter(|operator| sort == Sort::Relation || operator.is_arithmetic());
                if let Some(operator) = operator {
                    self.reduce(operator.precedence());
                    let span = self.token.span();
                    self.operators.push(Pending::Binary(operator, span));
                    self.advance();
                    break;
                }
                self.reduce_all();
                match (self.operators.last().copied(), self.token.kind) {
                    (Some(Pending::Parenthesis), TokenKind::RightParenthesis) => {
                        self.operators.pop();
                        self.advance();
                    }
                    (Some(Pending::Index(array, primes, start)), TokenKind::RightBracket) => {
                        self.operators.pop();
                        let span = start.to(self.token.span());
                        self.advance();
                        self.emit(NodeKind::Element(array.name, primes), span);
                    }
                    (Some(Pending::Index(..)), _) => return Err(self.unexpected("`]`")),
                    (Some(_), _) => return Err(self.unexpected("an operator or `)`")),
                    (None, _) => return Ok(()),
                }
            }
        }
    }

    fn emit(&mut self, kind: NodeKind, span: Span) {
        self.output.push(Node { kind, span });
    }

    /// What stands before an operand, and the operand itself; `a[` asks for another one.
    fn operand(&mut self, sort: Sort) -> Parsed<()> {
        loop {
            let span = self.token.span();
            match self.token.kind {
                TokenKind::LeftParenthesis => {
                    self.operators.push(Pending::Parenthesis);
                    self.advance();
                }
                TokenKind::Bang if sort == Sort::Relation => {
                    self.operators.push(Pending::Not(span));
                    self.advance();
                }
                TokenKind::ForAll | TokenKind::Exists if sort == Sort::Relation => {
                    self.quantifier()?;
                }
                TokenKind::Number => {
                    let value = self.number();
                    self.emit(NodeKind::Number(value), span);
                    return Ok(());
                }
                TokenKind::Name => {
                    let identifier = self.identifier("a name")?;
                    let primes = match sort {
                        Sort::Constant => Primes::None,
                        Sort::Relation => self.primes()?,
                    };
                    let span = Span::new(span.start, self.previous_end);
                    if sort == Sort::Relation && self.take(TokenKind::LeftBracket) {
                        self.operators
                            .push(Pending::Index(identifier, primes, span));
                        continue;
                    }
                    self.emit(NodeKind::Name(identifier.name, primes), span);
                    return Ok(());
                }
                _ => return Err(self.no_operand(sort)),
            }
        }
    }

    fn primes(&mut self) -> Parsed<Primes> {
        if !self.take(TokenKind::Prime) {
            return Ok(Primes::None);
        }
        if !self.take(TokenKind::Prime) {
            return Ok(Primes::One);
        }
        if self.at(TokenKind::Prime) {
            let message = "a name has at most two primes";
            let hint =
                "`x'` is the value after the step, `x''` that of the second symbol on the right";
            self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
            return Err(Reported);
        }
        Ok(Primes::Two)
    }

    fn number(&mut self) -> u64 {
        let value = self.whole_text().parse();
        if value.is_err() {
            let message = format!(
                "`{}` is too large: the largest number is {}",
                self.text(),
                u64::MAX
            );
            self.report(Diagnostic::error(self.token.span(), message));
        }
        self.advance();
        value.unwrap_or(0)
    }

    /// `A i (low, high)`.
    fn quantifier(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let for_all = self.at(TokenKind::ForAll);
        self.advance();
        let variable = self.identifier("the variable of the quantifier")?;
        self.expect(TokenKind::LeftParenthesis)?;
        let low = self.expression(Sort::Constant)?;
        self.expect(TokenKind::Comma)?;
        let high = self.expression(Sort::Constant)?;
        self.expect(TokenKind::RightParenthesis)?;
        let number = self.tree.quantifiers.len() as u32;
        self.tree.quantifiers.push(Quantifier {
            for_all,
            variable,
            low,
            high,
        });
        let span = Span::new(start, self.previous_end);
        self.emit(NodeKind::Open(number), span);
        self.operators.push(Pending::Body);
        Ok(())
    }

    /// Puts out the operators that bind at least this tightly.
    fn reduce(&mut self, precedence: u8) {
        while let Some(pending) = self.operators.last().copied() {
            let (kind, span) = match pending {
                Pending::Not(span) if NOT_PRECEDENCE >= precedence => (NodeKind::Not, span),
                Pending::Binary(operator, span) if operator.precedence() >= precedence => {
                    (NodeKind::Binary(operator), span)
                }
                _ => return,
            };
            self.operators.pop();
            self.emit(kind, span);
        }
    }

    /// Puts out everything up to the innermost open bracket: bodies end there, too.
    fn reduce_all(&mut self) {
        loop {
            self.reduce(0);
            match self.operators.last() {
                Some(Pending::Body) => {
                    self.operators.pop();
                    let end = self.previous_end;
                    self.emit(NodeKind::Close, Span::new(end, end));
                }
                _ => return,
            }
        }
    }

    fn no_operand(&mut self, sort: Sort) -> Reported {
        let expected = match sort {
            Sort::Constant => "a number or a defined name",
            Sort::Relation => "an expression",
        };
        let twice = self.previous_kind == self.token.kind;
        let hint = match self.token.kind {
            TokenKind::And if twice => "\"and\" is written `&`, once",
            TokenKind::Or if twice => "\"or\" is written `|`, once",
            TokenKind::Minus => "a negative number is written `0 - n`",
            TokenKind::Greater if self.previous_kind == TokenKind::Minus => {
                "`a` implies `b` is written `!a | b`"
            }
            TokenKind::Bang | TokenKind::ForAll | TokenKind::Exists => {
                "a constant is made of numbers, defined names and `+ - * / <<`"
            }
            _ => return self.unexpected(expected),
        };
        let message = format!("expected {expected}, found {}", self.found());
        self.report(Diagnostic::error(self.token.span(), message).with_hint(hint));
        Reported
    }
}
