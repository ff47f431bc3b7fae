//! The expressions of pushdown systems. Truth values and numbers are not told apart here:
//! `(a+1)*b < c` and `(a < b) & c` begin alike. A quantifier's body reaches as far to the right
//! as it can; its bounds are expressions of their own.

use super::lexicon::TokenKind;
use super::parser::{Parser, State};
use super::tree::{BinaryOperator, ExpressionId, Node, NodeKind, Parts, Quantifier, Reference};
use crate::program::Moment;
use crate::source::Span;
use crate::syntax::kit::operators::{Infix, Open, Step, left};
use crate::syntax::kit::{Language, Parsed, Reported};

/// The language of symbolic pushdown systems.
pub struct Pds;

/// What an expression may be made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Numbers and names, and arithmetic.
    Constant,
    /// Everything.
    #[default]
    Relation,
}

/// `a[`.
#[derive(Clone, Copy)]
pub struct Index {
    element: Reference,
    start: u32,
}

pub const NOT_PRECEDENCE: u8 = 6;
/// Those that bind more tightly compute numbers.
const COMPARISON: u8 = 7;
/// The body of a quantifier goes on to the innermost bracket that is open.
const BODY: u8 = 0;

/// How tightly an operator binds; more is tighter.
pub fn precedence(operator: BinaryOperator) -> u8 {
    Infix::<Pds>::by(operator).map_or(0, |infix| infix.precedence)
}

impl Language for Pds {
    type Kind = TokenKind;
    type Parts = Parts;
    type State = State;
    type Node = Node;
    type Operator = BinaryOperator;
    type Bracket = Index;

    const OPERATORS: &'static [Infix<Self>] = &[
        left(TokenKind::Equivalent, BinaryOperator::Equivalent, 2),
        left(TokenKind::Xor, BinaryOperator::Xor, 3),
        left(TokenKind::Or, BinaryOperator::Or, 4),
        left(TokenKind::And, BinaryOperator::And, 5),
        left(TokenKind::Equal, BinaryOperator::Equal, COMPARISON),
        left(TokenKind::NotEqual, BinaryOperator::NotEqual, COMPARISON),
        left(TokenKind::Less, BinaryOperator::Less, COMPARISON),
        left(TokenKind::LessEqual, BinaryOperator::LessEqual, COMPARISON),
        left(TokenKind::Greater, BinaryOperator::Greater, COMPARISON),
        left(
            TokenKind::GreaterEqual,
            BinaryOperator::GreaterEqual,
            COMPARISON,
        ),
        left(TokenKind::Plus, BinaryOperator::Add, 8),
        left(TokenKind::Minus, BinaryOperator::Subtract, 8),
        left(TokenKind::Star, BinaryOperator::Multiply, 9),
        left(TokenKind::Slash, BinaryOperator::Divide, 9),
        left(TokenKind::ShiftLeft, BinaryOperator::ShiftLeft, 10),
    ];
    const LONGEST_SHOWN: usize = 40;

    fn binary(operator: BinaryOperator, span: Span) -> Node {
        let kind = NodeKind::Binary(operator);
        Node { kind, span }
    }

    fn allows(parser: &Parser<'_>, operator: BinaryOperator) -> bool {
        parser.state.sort == Sort::Relation || precedence(operator) > COMPARISON
    }

    fn operand(parser: &mut Parser<'_>) -> Parsed<bool> {
        let span = parser.token.span();
        let relation = parser.state.sort == Sort::Relation;
        match parser.token.kind {
            TokenKind::Bang if relation => {
                let kind = NodeKind::Not;
                parser.operators.push(Node { kind, span }, NOT_PRECEDENCE);
                parser.advance();
                Ok(false)
            }
            TokenKind::ForAll | TokenKind::Exists if relation => {
                parser.quantifier()?;
                Ok(false)
            }
            TokenKind::Number => {
                let kind = NodeKind::Number(parser.number());
                parser.operators.emit(Node { kind, span });
                Ok(true)
            }
            TokenKind::Name => {
                let name = parser.take_name().name;
                let when = match relation {
                    true => parser.primes()?,
                    false => Moment::Before,
                };
                let start = span.start;
                let span = parser.span_from(start);
                let is_element = relation && parser.take(TokenKind::LeftBracket);
                let element = Reference {
                    name,
                    when,
                    is_element,
                };
                if is_element {
                    let index = Index { element, start };
                    parser.operators.open(Open::Bracket(index));
                    return Ok(false);
                }
                let kind = NodeKind::Read(element);
                parser.operators.emit(Node { kind, span });
                Ok(true)
            }
            _ => Err(parser.no_operand()),
        }
    }

    fn close(parser: &mut Parser<'_>, open: Open<Index>) -> Parsed<Step> {
        let Open::Bracket(index) = open else {
            return Err(parser.unexpected("an operator or `)`"));
        };
        parser.expect(TokenKind::RightBracket)?;
        parser.operators.pop();
        let kind = NodeKind::Read(index.element);
        let span = parser.span_from(index.start);
        parser.operators.emit(Node { kind, span });
        Ok(Step::Operator)
    }

    /// The end of a body stands where the expression has come to.
    fn finish(parser: &Parser<'_>, mut node: Node) -> Node {
        if let NodeKind::EndQuantify { .. } = node.kind {
            node.span = parser.behind();
        }
        node
    }

    fn no_name(parser: &mut Parser<'_>, expected: &str) -> Reported {
        match parser.token.kind {
            TokenKind::ForAll | TokenKind::Exists => {
                let hint = "`A` and `E` are quantifiers and cannot be names";
                parser.unexpected_with_hint(expected, hint)
            }
            _ => parser.unexpected(expected),
        }
    }
}

impl Parser<'_> {
    /// A number that is known before anything runs.
    pub fn constant(&mut self) -> Parsed<ExpressionId> {
        let outer = std::mem::replace(&mut self.state.sort, Sort::Constant);
        let read = self.expression();
        self.state.sort = outer;
        read
    }

    fn primes(&mut self) -> Parsed<Moment> {
        if !self.take(TokenKind::Prime) {
            return Ok(Moment::Before);
        }
        if !self.take(TokenKind::Prime) {
            return Ok(Moment::After);
        }
        if self.at(TokenKind::Prime) {
            let message = "a name has at most two primes";
            let hint =
                "`x'` is the value after the step, `x''` that of the second symbol on the right";
            return Err(self.error_with_hint(self.token.span(), message, hint));
        }
        Ok(Moment::Below)
    }

    fn number(&mut self) -> u64 {
        let value = self.digits();
        if value.is_none() {
            let (number, largest) = (self.text(), u64::MAX);
            let message = format!("`{number}` is too large: the largest number is {largest}");
            self.error(self.token.span(), message);
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
        let low = self.constant()?;
        self.expect(TokenKind::Comma)?;
        let high = self.constant()?;
        self.expect(TokenKind::RightParenthesis)?;
        let kind = NodeKind::Quantify(self.tree.quantifiers.len() as u32);
        self.tree.quantifiers.push(Quantifier {
            for_all,
            variable,
            low,
            high,
        });
        let span = self.span_from(start);
        self.operators.emit(Node { kind, span });
        let bare_comparison = false;
        let kind = NodeKind::EndQuantify { bare_comparison };
        self.operators.push(Node { kind, span }, BODY);
        Ok(())
    }

    fn no_operand(&mut self) -> Reported {
        let expected = match self.state.sort {
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
        self.unexpected_with_hint(expected, hint)
    }
}
