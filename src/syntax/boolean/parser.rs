//! What is particular to boolean programs in the parser's smallest steps: names in braces, `_`,
//! and the operands of expressions.
//!
//! `?` is a value where an operand is expected and the conditional operator elsewhere, so that
//! `a ? ? : *` is read as one would hope.

use super::block::Blocks;
use super::lexicon::TokenKind;
use super::tree::{BinaryOperator, ExpressionId, Node, Parts};
use crate::source::Span;
use crate::syntax::kit::operators::{Associativity, Infix, Open, Step, TIGHTEST, left};
use crate::syntax::kit::{self, Language, Parsed, Reported};

/// The language of boolean programs.
pub struct Boolean;

pub type Parser<'a> = kit::Parser<'a, Boolean>;

#[derive(Default)]
pub struct State {
    pub blocks: Blocks,
    /// The control points of the procedure that could not be read.
    pub unreadable: u32,
    /// Whether `'x` may stand in the expression that is read.
    pub next_values: bool,
    /// Whether the last expression was one pair of parentheses with all inside.
    pub parenthesised: bool,
    /// Whether `p.x` is a name and `*` is not a value: the expressions of properties.
    pub in_property: bool,
    /// Where a parenthesis stands that may turn out to enclose a list.
    pub list: Option<u32>,
    /// Whether it did: the expression ended at the first `,` inside.
    pub in_list: bool,
    /// Whether the procedure has an atomic block.
    pub atomic: bool,
    /// Whether calls that create threads by their labels have been pointed out.
    pub warned_of_async: bool,
}

/// `schoose[`, and whether its `,` has come.
#[derive(Clone, Copy)]
pub struct Schoose {
    start: u32,
    comma: bool,
}

impl Language for Boolean {
    type Kind = TokenKind;
    type Parts = Parts;
    type State = State;
    type Node = Node;
    type Operator = BinaryOperator;
    type Bracket = Schoose;

    const OPERATORS: &'static [Infix<Self>] = &[
        left(TokenKind::Equivalent, BinaryOperator::Equivalent, 2),
        Infix {
            kind: TokenKind::Implies,
            operator: BinaryOperator::Implies,
            precedence: 3,
            associativity: Associativity::Right,
        },
        left(TokenKind::Or, BinaryOperator::Or, 4),
        left(TokenKind::Xor, BinaryOperator::Xor, 5),
        left(TokenKind::And, BinaryOperator::And, 6),
        left(TokenKind::Equal, BinaryOperator::Equal, 7),
        left(TokenKind::EqualEqual, BinaryOperator::Equal, 7),
        left(TokenKind::NotEqual, BinaryOperator::NotEqual, 7),
    ];
    const CONDITIONAL: Option<(TokenKind, TokenKind, Node)> =
        Some((TokenKind::Question, TokenKind::Colon, Node::IfThenElse));

    #[inline]
    fn binary(operator: BinaryOperator, _span: Span) -> Node {
        Node::Binary(operator)
    }

    #[inline]
    fn operand(parser: &mut Parser<'_>) -> Parsed<bool> {
        let start = parser.token.start;
        let node = match parser.token.kind {
            TokenKind::Name => {
                let node = Node::Read(parser.variable()?);
                parser.operators.emit(node);
                return Ok(true);
            }
            TokenKind::False => Node::Constant(false),
            TokenKind::True => Node::Constant(true),
            TokenKind::Star | TokenKind::Question => {
                if parser.state.in_property {
                    let message = "a property cannot choose: `*` and `?` are not allowed here";
                    parser.error(parser.token.span(), message);
                }
                Node::Choose
            }
            TokenKind::LeftBrace => {
                parser.read_braces()?;
                return Ok(false);
            }
            TokenKind::Bang | TokenKind::NotWord => {
                parser.operators.push(Node::Not, TIGHTEST);
                parser.advance();
                return Ok(false);
            }
            TokenKind::Schoose => {
                parser.advance();
                parser.expect(TokenKind::LeftBracket)?;
                let comma = false;
                parser
                    .operators
                    .open(Open::Bracket(Schoose { start, comma }));
                return Ok(false);
            }
            TokenKind::Tick => {
                parser.advance();
                let identifier = parser.identifier("a variable after `'`")?;
                if !parser.state.next_values {
                    let message = "a new value is only known in a `constrain`";
                    parser.error_with_hint(parser.span_from(start), message, "leave out the `'`");
                }
                parser.operators.emit(Node::ReadNext(identifier));
                return Ok(true);
            }
            _ => return Err(parser.no_operand()),
        };
        parser.operators.emit(node);
        parser.advance();
        Ok(true)
    }

    fn end_operand(parser: &mut Parser<'_>) -> Parsed<()> {
        let call = parser.at(TokenKind::LeftParenthesis) && parser.previous_kind == TokenKind::Name;
        if !call {
            return Ok(());
        }
        let start = match parser.operators.last() {
            (Some(Node::Read(identifier) | Node::ReadNext(identifier)), _) => identifier.start,
            _ => parser.previous_end,
        };
        Err(parser.call_in_expression(parser.span_from(start)))
    }

    fn close(parser: &mut Parser<'_>, open: Open<Schoose>) -> Parsed<Step> {
        let comma = parser.at(TokenKind::Comma);
        match open {
            Open::Bracket(Schoose {
                start,
                comma: false,
            }) if comma => {
                parser.operators.pop();
                let comma = true;
                parser
                    .operators
                    .open(Open::Bracket(Schoose { start, comma }));
                parser.advance();
                Ok(Step::Operand)
            }
            Open::Bracket(Schoose { comma: true, .. }) if parser.take(TokenKind::RightBracket) => {
                parser.operators.pop();
                parser.operators.emit(Node::Schoose);
                Ok(Step::Operator)
            }
            Open::Parenthesis { start }
                if comma && parser.state.list == Some(start) && parser.operators.depth() == 1 =>
            {
                parser.state.in_list = true;
                Ok(Step::End)
            }
            Open::Bracket(Schoose { start, comma }) => {
                let expected = if comma { "`]`" } else { "`,`" };
                Err(parser.not_closed(expected, Span::new(start, start + 7)))
            }
            Open::Question { start } => Err(parser.not_closed("`:`", Span::new(start, start + 1))),
            Open::Parenthesis { start } => {
                Err(parser.not_closed("`)`", Span::new(start, start + 1)))
            }
        }
    }

    #[inline]
    fn end_expression(parser: &mut Parser<'_>, expression: ExpressionId, span: Span) {
        parser.state.parenthesised = parser.operators.closed.span == span;
        parser.check_other_reading(expression, span);
    }

    #[inline]
    fn open_name(parser: &mut Parser<'_>) -> Parsed<()> {
        parser.read_braces()
    }

    #[cold]
    fn no_name(parser: &mut Parser<'_>, expected: &str) -> Reported {
        if !parser.at(TokenKind::Underscore) {
            return parser.unexpected(expected);
        }
        let message = format!("expected {expected}, found `_`, which is not a name");
        let hint = "`_` only stands left of an assignment, where it throws a value away";
        parser.error_with_hint(parser.token.span(), message, hint)
    }
}

impl Parser<'_> {
    /// If the token is `{`, reads on the name that it opens.
    #[inline]
    pub fn read_braces(&mut self) -> Parsed<()> {
        match self.token.kind {
            TokenKind::LeftBrace => self.name_in_braces(),
            _ => Ok(()),
        }
    }

    fn name_in_braces(&mut self) -> Parsed<()> {
        match self.lexer.name_in_braces(self.token) {
            Ok(name) => {
                self.token = name;
                if std::str::from_utf8(self.bytes()).is_ok() {
                    return Ok(());
                }
                let message = "a name must be UTF-8: other bytes are allowed in comments only";
                Err(self.error(name.span(), message))
            }
            Err(broken) => {
                self.token = broken;
                self.cut_short = true;
                let message = "this name in braces does not end";
                let hint =
                    "a `}` must follow on the same line; a block begins only after `)` or `else`";
                Err(self.error_with_hint(broken.span(), message, hint))
            }
        }
    }

    /// Reads an expression, or up to the first comma a list in parentheses: `(a, …`. Whether it
    /// is one.
    pub fn expression_or_list(&mut self) -> Parsed<bool> {
        self.state.list = Some(self.token.start);
        self.state.in_list = false;
        let read = self.expression();
        self.state.list = None;
        read.map(|_| self.state.in_list)
    }

    /// An expression that stands for one that could not be read.
    pub fn unreadable_expression(&mut self) -> ExpressionId {
        self.tree.expressions.push(&[Node::Constant(true)])
    }

    #[cold]
    pub fn call_in_expression(&mut self, span: Span) -> Reported {
        let message = "a call cannot be a part of an expression";
        let hint = "call it in an assignment of its own, `x := f(…);`, and use `x` here";
        self.error_with_hint(span, message, hint)
    }

    #[cold]
    fn no_operand(&mut self) -> Reported {
        let span = self.token.span();
        match self.token.kind {
            TokenKind::Number => {
                let message = format!("the number `{}` is no value", self.text());
                self.error_with_hint(span, message, "the values are `0` and `1`")
            }
            TokenKind::Underscore => {
                let hint = "`_` only throws a value away, left of `:=`";
                self.error_with_hint(span, "`_` has no value", hint)
            }
            _ => self.unexpected("an expression"),
        }
    }
}
