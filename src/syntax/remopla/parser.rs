//! What is particular to Remopla in the parser's smallest steps: places with indices and fields,
//! and quantifiers. Indices in brackets and the bounds of quantifiers are expressions inside
//! expressions, kept on the same stack.
//!
//! `!` and quantifiers take in a comparison to their right, as in Moped: for `!` that makes no
//! difference to truth values, and numbers cannot be negated; of a quantifier the tree says
//! where it would make one.

use super::block::Blocks;
use super::lexicon::TokenKind;
use super::tree::{
    BinaryOperator, ExpressionId, Identifier, List, Node, NodeKind, Part, Parts, Place, Quantifier,
};
use crate::source::Span;
use crate::syntax::kit::operators::{Infix, Open, Step, left};
use crate::syntax::kit::{self, Language, Parsed, Reported};

/// The language Remopla.
pub struct Remopla;

pub type Parser<'a> = kit::Parser<'a, Remopla>;

#[derive(Default)]
pub struct State {
    /// The `if`s and `do`s that are open.
    pub blocks: Blocks,
    /// The parts of the places that are read.
    parts: Vec<Part>,
    /// A place to assign to is read: no operator follows it.
    target: bool,
}

#[derive(Clone, Copy)]
pub enum Bracket {
    /// The open `[` of a place whose parts so far are [`State::parts`] from `first` on.
    Index {
        bracket: u32,
        start: u32,
        first: u32,
    },
    /// The bounds of a quantifier, and whether their `,` has come.
    Bounds {
        quantifier: Quantifier,
        start: u32,
        comma: bool,
    },
}

/// `!` and quantifiers bind between `&` and `==`.
const PREFIX: u8 = 8;

impl Language for Remopla {
    type Kind = TokenKind;
    type Parts = Parts;
    type State = State;
    type Node = Node;
    type Operator = BinaryOperator;
    type Bracket = Bracket;

    const OPERATORS: &'static [Infix<Self>] = &[
        left(TokenKind::Or, BinaryOperator::Or, 2),
        left(TokenKind::Xor, BinaryOperator::Xor, 3),
        left(TokenKind::And, BinaryOperator::And, 4),
        left(TokenKind::BitOr, BinaryOperator::BitOr, 5),
        left(TokenKind::BitXor, BinaryOperator::BitXor, 6),
        left(TokenKind::BitAnd, BinaryOperator::BitAnd, 7),
        left(TokenKind::EqualEqual, BinaryOperator::Equal, 9),
        left(TokenKind::NotEqual, BinaryOperator::NotEqual, 9),
        left(TokenKind::Less, BinaryOperator::Less, 10),
        left(TokenKind::LessEqual, BinaryOperator::LessEqual, 10),
        left(TokenKind::Greater, BinaryOperator::Greater, 10),
        left(TokenKind::GreaterEqual, BinaryOperator::GreaterEqual, 10),
        left(TokenKind::ShiftLeft, BinaryOperator::ShiftLeft, 11),
        left(TokenKind::ShiftRight, BinaryOperator::ShiftRight, 11),
        left(TokenKind::Plus, BinaryOperator::Add, 12),
        left(TokenKind::Minus, BinaryOperator::Subtract, 12),
        left(TokenKind::Star, BinaryOperator::Multiply, 13),
        left(TokenKind::Slash, BinaryOperator::Divide, 13),
    ];

    fn binary(operator: BinaryOperator, span: Span) -> Node {
        let kind = NodeKind::Binary(operator);
        Node { kind, span }
    }

    fn operand(parser: &mut Parser<'_>) -> Parsed<bool> {
        let span = parser.token.span();
        let kind = match parser.token.kind {
            TokenKind::Name if parser.at_quantifier() => {
                let quantifier = parser.quantifier()?;
                let bounds = Bracket::Bounds {
                    quantifier,
                    start: span.start,
                    comma: false,
                };
                parser.operators.open(Open::Bracket(bounds));
                return Ok(false);
            }
            TokenKind::Name => {
                let first = parser.state.parts.len() as u32;
                let name = parser.take_name();
                parser.push_part(name);
                return parser.place(span.start, first);
            }
            TokenKind::Bang => {
                let kind = NodeKind::Not;
                parser.operators.push(Node { kind, span }, PREFIX);
                parser.advance();
                return Ok(false);
            }
            TokenKind::Number => NodeKind::Number(parser.number()),
            TokenKind::True => NodeKind::Truth(true),
            TokenKind::False => NodeKind::Truth(false),
            _ => return Err(parser.no_operand()),
        };
        parser.operators.emit(Node { kind, span });
        parser.advance();
        Ok(true)
    }

    fn allows(parser: &Parser<'_>, _operator: BinaryOperator) -> bool {
        !parser.has_target()
    }

    fn end_operand(parser: &mut Parser<'_>) -> Parsed<()> {
        let call = parser.at(TokenKind::LeftParenthesis) && parser.previous_kind == TokenKind::Name;
        if !call || parser.has_target() {
            return Ok(());
        }
        let start = match parser.operators.last() {
            (Some(node), _) => node.span.start,
            _ => parser.previous_end,
        };
        Err(parser.call_in_expression(parser.span_from(start)))
    }

    fn close(parser: &mut Parser<'_>, open: Open<Bracket>) -> Parsed<Step> {
        let (expected, start) = match open {
            Open::Bracket(Bracket::Index { start, first, .. })
                if parser.take(TokenKind::RightBracket) =>
            {
                parser.operators.pop();
                return Ok(match parser.place(start, first)? {
                    true => Step::Operator,
                    false => Step::Operand,
                });
            }
            Open::Bracket(Bracket::Bounds {
                quantifier,
                start,
                comma: false,
            }) if parser.take(TokenKind::Comma) => {
                parser.operators.pop();
                let bounds = Bracket::Bounds {
                    quantifier,
                    start,
                    comma: true,
                };
                parser.operators.open(Open::Bracket(bounds));
                return Ok(Step::Operand);
            }
            Open::Bracket(Bracket::Bounds {
                quantifier,
                start,
                comma: true,
            }) if parser.take(TokenKind::RightParenthesis) => {
                parser.operators.pop();
                let span = parser.span_from(start);
                let kind = NodeKind::Quantify(quantifier);
                parser.operators.emit(Node { kind, span });
                let bare_comparison = false;
                let kind = NodeKind::EndQuantify { bare_comparison };
                parser.operators.push(Node { kind, span }, PREFIX);
                return Ok(Step::Operand);
            }
            Open::Bracket(Bracket::Index { bracket, .. }) => ("`]`", bracket),
            Open::Bracket(Bracket::Bounds { start, comma, .. }) => {
                (if comma { "`)`" } else { "`,`" }, start)
            }
            Open::Parenthesis { start } | Open::Question { start } => ("`)`", start),
        };
        Err(parser.not_closed(expected, Span::new(start, start + 1)))
    }

    fn end_expression(parser: &mut Parser<'_>, _expression: ExpressionId, span: Span) {
        parser.tree.expression_spans.push(span);
    }

    /// A quantifier notes whether its condition is a comparison without parentheses.
    fn finish(parser: &Parser<'_>, mut node: Node) -> Node {
        use BinaryOperator::{Equal, NotEqual};
        if let NodeKind::EndQuantify { bare_comparison } = &mut node.kind {
            let (last, nodes) = parser.operators.last();
            let comparison =
                last.is_some_and(|node| matches!(node.kind, NodeKind::Binary(Equal | NotEqual)));
            *bare_comparison = comparison && nodes > parser.operators.closed.nodes;
        }
        node
    }

    fn hint(kind: TokenKind) -> Option<&'static str> {
        matches!(kind, TokenKind::Assign | TokenKind::EqualEqual).then_some(ASSIGNS_OR_COMPARES)
    }
}

pub const ASSIGNS_OR_COMPARES: &str = "`=` assigns; `==` compares";

impl Parser<'_> {
    /// A place to assign to. The token is a name.
    pub fn target(&mut self) -> Parsed<ExpressionId> {
        self.state.target = true;
        let read = self.expression();
        self.state.target = false;
        read
    }

    /// Whether all of a place to assign to has been read.
    fn has_target(&self) -> bool {
        self.state.target && self.operators.depth() == 0
    }

    /// A condition that stands for one that could not be read.
    pub fn unreadable_condition(&mut self) -> ExpressionId {
        let span = self.behind();
        let kind = NodeKind::Truth(true);
        self.tree.expression_spans.push(span);
        self.tree.expressions.push(&[Node { kind, span }])
    }

    /// `A` or `E` with the name of a variable after it; else these are names like any other.
    pub fn at_quantifier(&self) -> bool {
        matches!(self.bytes(), b"A" | b"E") && self.peek().kind == TokenKind::Name
    }

    /// Takes a quantifier up to the `(` of its bounds.
    pub fn quantifier(&mut self) -> Parsed<Quantifier> {
        let all = self.bytes() == b"A";
        self.advance();
        let variable = self.take_name().name;
        self.expect(TokenKind::LeftParenthesis)?;
        Ok(Quantifier { all, variable })
    }

    /// The value of the token, which is made of digits.
    fn number(&mut self) -> u64 {
        self.digits().unwrap_or_else(|| {
            let message = format!("the number `{}` is too large", self.text());
            let hint = format!("the largest number is {}", u64::MAX);
            self.error_with_hint(self.token.span(), message, hint);
            0
        })
    }

    fn push_part(&mut self, identifier: Identifier) {
        let indices = 0;
        self.state.parts.push(Part {
            identifier,
            indices,
        });
    }

    /// Goes on with a place after a name or an index of it. False at the beginning of
    /// another index.
    fn place(&mut self, start: u32, first: u32) -> Parsed<bool> {
        while self.take(TokenKind::Dot) {
            let name = self.identifier("a name after the `.`")?;
            self.push_part(name);
        }
        if self.at(TokenKind::LeftBracket) {
            if let Some(part) = self.state.parts.last_mut() {
                part.indices += 1;
            }
            let bracket = self.token.start;
            self.operators.open(Open::Bracket(Bracket::Index {
                bracket,
                start,
                first,
            }));
            self.advance();
            return Ok(false);
        }
        let begin = self.tree.parts.len();
        let parts = self.state.parts.drain(first as usize..);
        self.tree.parts.extend(parts);
        let span = self.span_from(start);
        let parts = List::since(begin, &self.tree.parts);
        let kind = NodeKind::Read(self.tree.places.len() as u32);
        self.tree.places.push(Place { parts, span });
        self.operators.emit(Node { kind, span });
        Ok(true)
    }

    #[cold]
    pub fn call_in_expression(&mut self, span: Span) -> Reported {
        let message = "a call cannot be a part of an expression";
        let hint = "call it in a statement of its own, `x = f(…);`, and use `x` here";
        self.error_with_hint(span, message, hint)
    }

    #[cold]
    fn no_operand(&mut self) -> Reported {
        let hint = match self.token.kind {
            TokenKind::Minus => "there are no negative numbers; write `0 - x` for a difference",
            TokenKind::Undef => "`undef` stands alone right of `=`: assign it to a variable first",
            _ => return self.unexpected("an expression"),
        };
        self.unexpected_with_hint("an expression", hint)
    }
}
