//! Expressions, by precedence climbing on the parser's stack.

use super::super::token::Kind;
use super::super::tree::{BinaryOperator, Context, NodeKind, UnaryOperator};
use super::{Parser, State};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::kit::Parsed;

/// How tightly operators bind: with commas, without them, without assignments.
const COMMA: u8 = 1;
const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;

/// A binary operator, and how tightly it binds.
fn operator(kind: Kind) -> Option<(BinaryOperator, u8)> {
    Some(match kind {
        Kind::Comma => (BinaryOperator::Comma, COMMA),
        Kind::Or => (BinaryOperator::Or, 4),
        Kind::And => (BinaryOperator::And, 5),
        Kind::Bar => (BinaryOperator::BitOr, 6),
        Kind::Caret => (BinaryOperator::BitXor, 7),
        Kind::Ampersand => (BinaryOperator::BitAnd, 8),
        Kind::Equal => (BinaryOperator::Equal, 9),
        Kind::NotEqual => (BinaryOperator::NotEqual, 9),
        Kind::Less => (BinaryOperator::Less, 10),
        Kind::LessEqual => (BinaryOperator::LessEqual, 10),
        Kind::Greater => (BinaryOperator::Greater, 10),
        Kind::GreaterEqual => (BinaryOperator::GreaterEqual, 10),
        Kind::ShiftLeft => (BinaryOperator::ShiftLeft, 11),
        Kind::ShiftRight => (BinaryOperator::ShiftRight, 11),
        Kind::Plus => (BinaryOperator::Add, 12),
        Kind::Minus => (BinaryOperator::Subtract, 12),
        Kind::Star => (BinaryOperator::Multiply, 13),
        Kind::Slash => (BinaryOperator::Divide, 13),
        Kind::Percent => (BinaryOperator::Remainder, 13),
        _ => return None,
    })
}

/// The node of an assignment.
fn assignment(kind: Kind) -> Option<NodeKind> {
    let operator = match kind {
        Kind::Assign => return Some(NodeKind::Assign),
        Kind::StarAssign => BinaryOperator::Multiply,
        Kind::SlashAssign => BinaryOperator::Divide,
        Kind::PercentAssign => BinaryOperator::Remainder,
        Kind::PlusAssign => BinaryOperator::Add,
        Kind::MinusAssign => BinaryOperator::Subtract,
        Kind::ShiftLeftAssign => BinaryOperator::ShiftLeft,
        Kind::ShiftRightAssign => BinaryOperator::ShiftRight,
        Kind::AmpersandAssign => BinaryOperator::BitAnd,
        Kind::CaretAssign => BinaryOperator::BitXor,
        Kind::BarAssign => BinaryOperator::BitOr,
        _ => return None,
    };
    Some(NodeKind::CompoundAssign(operator))
}

fn prefix(kind: Kind) -> Option<UnaryOperator> {
    Some(match kind {
        Kind::Plus => UnaryOperator::Plus,
        Kind::Minus => UnaryOperator::Minus,
        Kind::Tilde => UnaryOperator::Complement,
        Kind::Exclamation => UnaryOperator::Not,
        Kind::Star => UnaryOperator::Dereference,
        Kind::Ampersand => UnaryOperator::Address,
        Kind::Increment => UnaryOperator::PreIncrement,
        Kind::Decrement => UnaryOperator::PreDecrement,
        Kind::Real => UnaryOperator::Real,
        Kind::Imag => UnaryOperator::Imaginary,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, with commas.
    pub(super) fn push_expression(&mut self) {
        self.push(State::Binary(COMMA));
        self.push(State::Unary);
    }

    /// An expression without commas.
    pub(super) fn push_assignment(&mut self) {
        self.push(State::Binary(ASSIGNMENT));
        self.push(State::Unary);
    }

    /// An expression without commas and assignments, as constants are.
    pub(super) fn push_constant(&mut self) {
        self.push(State::Binary(CONDITIONAL));
        self.push(State::Unary);
    }

    /// `( expression )` after a keyword.
    pub(super) fn push_in_parentheses(&mut self) -> Parsed<()> {
        let open = self.expect(Kind::LeftParenthesis)?;
        self.push(State::Close(Kind::RightParenthesis, open));
        self.push_expression();
        Ok(())
    }

    pub(super) fn unary(&mut self) -> Parsed<()> {
        loop {
            let token = self.token();
            if let Some(operator) = prefix(token.kind) {
                self.advance();
                self.emit_later(NodeKind::Unary(operator), token.span);
                continue;
            }
            match token.kind {
                Kind::Extension => {
                    self.advance();
                    continue;
                }
                Kind::Identifier => {
                    let (name, span) = self.identifier("an expression")?;
                    let kind = match self.at(Kind::LeftParenthesis) {
                        true => NodeKind::Callee(name),
                        false => NodeKind::Identifier(name),
                    };
                    self.emit(kind, span);
                    return self.postfix();
                }
                Kind::Integer | Kind::Floating | Kind::Character | Kind::Text => {
                    self.emit(NodeKind::Constant(self.position as u32), token.span);
                    self.advance();
                    return self.postfix();
                }
                Kind::LeftParenthesis => {
                    self.parenthesis();
                    return Ok(());
                }
                Kind::Sizeof => {
                    self.advance();
                    self.sizeof(NodeKind::SizeofExpression, NodeKind::Sizeof, token.span);
                    return Ok(());
                }
                Kind::Alignof => {
                    self.advance();
                    let of_expression = NodeKind::AlignofExpression;
                    self.sizeof(of_expression, NodeKind::Alignof, token.span);
                    return Ok(());
                }
                Kind::And => {
                    self.advance();
                    let (name, span) = self.identifier("a label")?;
                    self.emit(NodeKind::LabelAddress(name), token.span.to(span));
                    return Ok(());
                }
                Kind::Generic => return self.generic(),
                kind => return self.builtin(kind, token.span),
            }
        }
    }

    /// `(`: a cast, a compound literal, a block, or an expression.
    fn parenthesis(&mut self) {
        let open = self.advance();
        if self.starts_type() {
            self.push(State::Cast(open));
            self.push(State::TypeName);
        } else if self.at(Kind::LeftBrace) {
            let brace = self.advance();
            self.emit(NodeKind::StatementExpression, open);
            self.emit(NodeKind::Block, brace);
            self.typedefs.open();
            self.push(State::StatementExpression(open));
            self.push(State::Block(brace));
        } else {
            self.push(State::Postfix);
            self.emit_through(NodeKind::Parentheses, open);
            self.push(State::Close(Kind::RightParenthesis, open));
            self.push_expression();
        }
    }

    pub(super) fn end_statement_expression(&mut self, open: Span) -> Parsed<()> {
        self.close(Kind::RightParenthesis, open)?;
        let span = open.to(self.previous().span);
        self.emit(NodeKind::EndStatementExpression, span);
        self.postfix()
    }

    pub(super) fn cast(&mut self, open: Span) -> Parsed<()> {
        self.close(Kind::RightParenthesis, open)?;
        if self.at(Kind::LeftBrace) {
            self.compound_literal(open);
        } else {
            self.emit_later(NodeKind::Cast, open);
            self.push(State::Unary);
        }
        Ok(())
    }

    fn compound_literal(&mut self, open: Span) {
        self.emit(NodeKind::CompoundLiteral, open);
        self.push(State::Postfix);
        self.emit_through(NodeKind::EndCompoundLiteral, open);
        self.push(State::Initialiser);
    }

    fn sizeof(&mut self, of_expression: NodeKind, of_type: NodeKind, span: Span) {
        if self.at(Kind::LeftParenthesis) && self.is_type(self.nth(1)) {
            self.advance();
            self.push(State::SizeofType(of_type, span));
            self.push(State::TypeName);
        } else {
            self.emit_later(of_expression, span);
            self.push(State::Unary);
        }
    }

    pub(super) fn sizeof_type(&mut self, kind: NodeKind, start: Span) -> Parsed<()> {
        self.close(Kind::RightParenthesis, start)?;
        if self.at(Kind::LeftBrace) {
            let of_expression = match kind {
                NodeKind::Alignof => NodeKind::AlignofExpression,
                _ => NodeKind::SizeofExpression,
            };
            self.emit_later(of_expression, start);
            self.compound_literal(start);
            return Ok(());
        }
        self.emit(kind, start.to(self.previous().span));
        Ok(())
    }

    pub(super) fn postfix(&mut self) -> Parsed<()> {
        loop {
            let token = self.token();
            match token.kind {
                Kind::LeftBracket => {
                    self.advance();
                    self.push(State::Postfix);
                    self.emit_through(NodeKind::Index, token.span);
                    self.push(State::Close(Kind::RightBracket, token.span));
                    self.push_expression();
                    return Ok(());
                }
                Kind::LeftParenthesis => {
                    self.advance();
                    self.push(State::Postfix);
                    if self.at(Kind::RightParenthesis) {
                        let span = self.advance();
                        self.emit(NodeKind::Call(0), span);
                        continue;
                    }
                    self.push(State::Arguments(1));
                    self.push_assignment();
                    return Ok(());
                }
                Kind::Dot | Kind::Arrow => {
                    self.advance();
                    let (name, span) = self.identifier("the name of a member")?;
                    let kind = match token.kind {
                        Kind::Dot => NodeKind::Member(name),
                        _ => NodeKind::Arrow(name),
                    };
                    self.emit(kind, span);
                }
                Kind::Increment => {
                    self.advance();
                    self.emit(NodeKind::Unary(UnaryOperator::PostIncrement), token.span);
                }
                Kind::Decrement => {
                    self.advance();
                    self.emit(NodeKind::Unary(UnaryOperator::PostDecrement), token.span);
                }
                _ => return Ok(()),
            }
        }
    }

    /// After so many arguments.
    pub(super) fn arguments(&mut self, count: u32) -> Parsed<()> {
        let token = self.token();
        match token.kind {
            Kind::Comma => {
                self.advance();
                self.push(State::Arguments(count + 1));
                self.push_assignment();
                Ok(())
            }
            Kind::RightParenthesis => {
                self.advance();
                self.emit(NodeKind::Call(count), token.span);
                Ok(())
            }
            _ => Err(self.unexpected("`,` or `)` after an argument")),
        }
    }

    pub(super) fn binary(&mut self, least: u8) {
        let token = self.token();
        if let Some((operator, precedence)) = operator(token.kind)
            && precedence >= least
        {
            self.advance();
            self.push(State::Binary(least));
            self.emit_later(NodeKind::Binary(operator), token.span);
            self.push(State::Binary(precedence + 1));
            self.push(State::Unary);
        } else if token.kind == Kind::Question && least <= CONDITIONAL {
            self.advance();
            self.push(State::Binary(least));
            if self.at(Kind::Colon) {
                self.advance();
                self.emit_later(NodeKind::Elvis, token.span);
                self.push_constant();
            } else {
                self.push(State::Conditional(token.span));
                self.push_expression();
            }
        } else if let Some(node) = assignment(token.kind)
            && least <= ASSIGNMENT
        {
            self.advance();
            self.push(State::Binary(least));
            self.emit_later(node, token.span);
            self.push_assignment();
        }
    }

    /// At the `:` of a conditional.
    pub(super) fn conditional(&mut self, question: Span) -> Parsed<()> {
        self.close(Kind::Colon, question)?;
        self.emit_later(NodeKind::Conditional, question);
        self.push_constant();
        Ok(())
    }

    /// What looks like a call, and takes types.
    fn builtin(&mut self, kind: Kind, span: Span) -> Parsed<()> {
        let node = match kind {
            Kind::BuiltinOffsetof => {
                self.advance();
                let open = self.expect(Kind::LeftParenthesis)?;
                self.push(State::Postfix);
                self.emit_through(NodeKind::EndOffsetof, span);
                self.push(State::Close(Kind::RightParenthesis, open));
                self.push(State::Postfix);
                self.push(State::OffsetofMember);
                self.emit_later(NodeKind::Offsetof, span);
                return self.type_name();
            }
            Kind::BuiltinTypesCompatible => {
                self.advance();
                let open = self.expect(Kind::LeftParenthesis)?;
                self.emit_through(NodeKind::TypesCompatible, span);
                self.push(State::Close(Kind::RightParenthesis, open));
                self.push(State::TypeName);
                self.push(State::Close(Kind::Comma, open));
                return self.type_name();
            }
            Kind::BuiltinVaArg => {
                self.advance();
                let open = self.expect(Kind::LeftParenthesis)?;
                self.push(State::Postfix);
                self.emit_through(NodeKind::VaArg, span);
                self.push(State::Close(Kind::RightParenthesis, open));
                self.push(State::TypeName);
                self.push(State::Close(Kind::Comma, open));
                self.push_assignment();
                return Ok(());
            }
            Kind::BuiltinChooseExpr => NodeKind::ChooseExpression,
            _ => return Err(self.no_expression()),
        };
        self.advance();
        let open = self.expect(Kind::LeftParenthesis)?;
        self.push(State::Postfix);
        self.emit_through(node, span);
        self.push(State::Close(Kind::RightParenthesis, open));
        self.push_assignment();
        self.push(State::Close(Kind::Comma, open));
        self.push_assignment();
        self.push(State::Close(Kind::Comma, open));
        self.push_assignment();
        Ok(())
    }

    #[cold]
    fn no_expression(&mut self) -> crate::syntax::kit::Reported {
        let message = format!("expected an expression, found {}", self.found());
        let mut diagnostic = Diagnostic::error(self.token().span, message);
        if self.starts_type() && !self.declarations.is_empty() {
            diagnostic = diagnostic.with_hint("a type stands in parentheses here");
        }
        self.error(diagnostic)
    }

    /// The first member of `__builtin_offsetof`, after the comma.
    pub(super) fn offsetof_member(&mut self) -> Parsed<()> {
        self.expect(Kind::Comma)?;
        let (name, span) = self.identifier("the name of a member")?;
        self.emit(NodeKind::Member(name), span);
        Ok(())
    }

    fn generic(&mut self) -> Parsed<()> {
        let span = self.advance();
        let open = self.expect(Kind::LeftParenthesis)?;
        self.push(State::Postfix);
        self.emit_through(NodeKind::EndGeneric, span);
        self.push(State::GenericArm(open));
        self.emit_later(NodeKind::Generic, span);
        self.push_assignment();
        Ok(())
    }

    pub(super) fn generic_arm(&mut self, open: Span) -> Parsed<()> {
        if self.take(Kind::RightParenthesis) {
            return Ok(());
        }
        self.expect(Kind::Comma)?;
        self.push(State::GenericArm(open));
        let span = self.token().span;
        if self.take(Kind::Default) {
            self.expect(Kind::Colon)?;
            self.emit_later(NodeKind::GenericDefault, span);
            self.push_assignment();
            return Ok(());
        }
        self.emit_later(NodeKind::GenericArm, span);
        self.push_assignment();
        self.push(State::Close(Kind::Colon, span));
        self.type_name()
    }

    /// A type, which must begin here.
    pub(super) fn type_name(&mut self) -> Parsed<()> {
        if !self.starts_type() {
            return Err(self.unexpected("a type"));
        }
        self.declaration(Context::TypeName);
        Ok(())
    }
}
