//! Expressions of all languages, by operator precedence with an explicit stack.
//!
//! Dijkstra's shunting yard: operands go straight to the postfix form, operators wait on a stack
//! until one that binds less tightly, or the end, comes. Parentheses and `? :` are the same in
//! every language; what else may be opened, and what an operand is, the [`Language`] says.
//! Linear time, no recursion: an index in brackets or the bound of a quantifier goes on the same
//! stack, or is an expression of its own above what the outer one has left there.

use super::language::{Language, Parsed};
use super::lexicon::Lexicon;
use super::parser::Parser;
use super::tree::{ExpressionId, List};
use crate::source::Span;

/// A row of a language's table of binary operators.
pub struct Infix<L: Language> {
    pub kind: L::Kind,
    pub operator: L::Operator,
    /// How tightly it binds; more is tighter. At least [`LOOSEST`].
    pub precedence: u8,
    pub associativity: Associativity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associativity {
    Left,
    Right,
}

/// A row with [`Associativity::Left`].
pub const fn left<L: Language>(kind: L::Kind, operator: L::Operator, precedence: u8) -> Infix<L> {
    Infix {
        kind,
        operator,
        precedence,
        associativity: Associativity::Left,
    }
}

/// The conditional operator binds less tightly than all binary ones.
const CONDITIONAL: u8 = 1;
pub const LOOSEST: u8 = CONDITIONAL + 1;
/// Binds more tightly than any binary operator.
pub const TIGHTEST: u8 = u8::MAX;

impl<L: Language> Infix<L> {
    /// The row of a token.
    pub fn of(kind: L::Kind) -> Option<&'static Self> {
        L::OPERATORS.iter().find(|row| row.kind == kind)
    }

    /// The row of an operator.
    pub fn by(operator: L::Operator) -> Option<&'static Self> {
        L::OPERATORS.iter().find(|row| row.operator == operator)
    }

    /// How an operator is written.
    pub fn sign(operator: L::Operator) -> &'static str {
        let spelling = Self::by(operator).and_then(|row| row.kind.spelling());
        spelling.unwrap_or_default()
    }
}

/// What is open in an expression, and where it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open<B> {
    Parenthesis {
        start: u32,
    },
    /// The `?` of a conditional whose `:` has not come.
    Question {
        start: u32,
    },
    Bracket(B),
}

/// What waits for its right end.
#[derive(Clone, Copy)]
enum Pending<N, B> {
    Operator { node: N, precedence: u8 },
    Open(Open<B>),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Operand,
    Operator,
    /// The expression has ended.
    End,
}

/// The last parenthesis that was closed.
#[derive(Clone, Copy, Default)]
pub struct Parenthesis {
    pub span: Span,
    /// How many nodes had been put out then.
    pub nodes: usize,
}

pub struct OperatorStack<L: Language> {
    stack: Vec<Pending<L::Node, L::Bracket>>,
    output: Vec<L::Node>,
    /// Where the stack of the expression that is read begins.
    base: usize,
    /// For each kind of token, its row in the table of operators, plus one.
    rows: [u8; 256],
    pub closed: Parenthesis,
}

impl<L: Language> Default for OperatorStack<L> {
    fn default() -> Self {
        let mut rows = [0; 256];
        for (row, infix) in L::OPERATORS.iter().enumerate() {
            rows[infix.kind.index()] = row as u8 + 1;
        }
        OperatorStack {
            stack: Vec::new(),
            output: Vec::new(),
            base: 0,
            rows,
            closed: Parenthesis::default(),
        }
    }
}

impl<L: Language> OperatorStack<L> {
    /// Puts out a node.
    #[inline]
    pub fn emit(&mut self, node: L::Node) {
        self.output.push(node);
    }

    /// The last node that was put out, and how many there are.
    pub fn last(&self) -> (Option<&L::Node>, usize) {
        (self.output.last(), self.output.len())
    }

    /// Lets a prefix operator wait for its operand.
    #[inline]
    pub fn push(&mut self, node: L::Node, precedence: u8) {
        self.stack.push(Pending::Operator { node, precedence });
    }

    #[inline]
    pub fn open(&mut self, open: Open<L::Bracket>) {
        self.stack.push(Pending::Open(open));
    }

    /// Takes away what is open innermost; all operators above it have been put out.
    pub fn pop(&mut self) {
        self.stack.pop();
    }

    /// How many operators wait and brackets are open in the expression that is read.
    pub fn depth(&self) -> usize {
        self.stack.len() - self.base
    }

    #[inline]
    fn infix(&self, kind: L::Kind) -> Option<&'static Infix<L>> {
        let row = usize::from(self.rows[kind.index()]);
        L::OPERATORS.get(row.wrapping_sub(1))
    }
}

impl<L: Language> Parser<'_, L> {
    pub fn expression(&mut self) -> Parsed<ExpressionId> {
        let start = self.token.start;
        let depth = self.operators.stack.len();
        let nodes = self.operators.output.len();
        let outer = std::mem::replace(&mut self.operators.base, depth);
        self.operators.closed = Parenthesis::default();
        let read = self.operands_and_operators();
        self.operators.base = outer;
        self.operators.stack.truncate(depth);
        let expression = read.map(|()| self.tree.expressions.push(&self.operators.output[nodes..]));
        self.operators.output.truncate(nodes);
        let expression = expression?;
        L::end_expression(self, expression, self.span_from(start));
        Ok(expression)
    }

    /// `e1, …, en`, at least one.
    pub fn expression_list(&mut self) -> Parsed<List> {
        let start = self.tree.expressions.ends.len();
        self.list(|parser| parser.expression().map(drop))?;
        Ok(self.expressions_since(start))
    }

    /// `(e1, …, en)`, perhaps empty.
    pub fn arguments(&mut self) -> Parsed<List> {
        self.expect(L::Kind::LEFT_PARENTHESIS)?;
        let arguments = match self.at(L::Kind::RIGHT_PARENTHESIS) {
            true => self.expressions_since(self.tree.expressions.ends.len()),
            false => self.expression_list()?,
        };
        self.expect(L::Kind::RIGHT_PARENTHESIS)?;
        Ok(arguments)
    }

    pub fn expressions_since(&self, start: usize) -> List {
        List::since(start, &self.tree.expressions.ends)
    }

    /// Alternates between an operand with what stands before it and an operator with what
    /// stands before that.
    fn operands_and_operators(&mut self) -> Parsed<()> {
        loop {
            while !self.operand()? {}
            loop {
                if let Some(infix) = self.operators.infix(self.token.kind)
                    && L::allows(self, infix.operator)
                {
                    let right = infix.associativity == Associativity::Right;
                    self.reduce(infix.precedence + u8::from(right));
                    let node = L::binary(infix.operator, self.token.span());
                    self.operators.push(node, infix.precedence);
                    self.advance();
                    break;
                }
                match self.end_operand()? {
                    Step::Operand => break,
                    Step::Operator => {}
                    Step::End => return Ok(()),
                }
            }
        }
    }

    #[inline]
    fn operand(&mut self) -> Parsed<bool> {
        if self.at(L::Kind::LEFT_PARENTHESIS) {
            let start = self.token.start;
            self.operators.open(Open::Parenthesis { start });
            self.advance();
            return Ok(false);
        }
        L::operand(self)
    }

    /// After an operand, where no operator stands: closes what the token closes.
    fn end_operand(&mut self) -> Parsed<Step> {
        let kind = self.token.kind;
        if let Some((question, ..)) = L::CONDITIONAL
            && kind == question
        {
            self.reduce(LOOSEST);
            let start = self.token.start;
            self.operators.open(Open::Question { start });
            self.advance();
            return Ok(Step::Operand);
        }
        L::end_operand(self)?;
        self.reduce(0);
        if self.operators.depth() == 0 {
            return Ok(Step::End);
        }
        let Some(&Pending::Open(open)) = self.operators.stack.last() else {
            return Ok(Step::End);
        };
        match (open, L::CONDITIONAL) {
            (Open::Parenthesis { start }, _) if kind == L::Kind::RIGHT_PARENTHESIS => {
                self.operators.pop();
                self.advance();
                self.operators.closed = Parenthesis {
                    span: self.span_from(start),
                    nodes: self.operators.output.len(),
                };
                Ok(Step::Operator)
            }
            (Open::Question { .. }, Some((_, colon, node))) if kind == colon => {
                self.operators.pop();
                self.operators.push(node, CONDITIONAL);
                self.advance();
                Ok(Step::Operand)
            }
            _ => L::close(self, open),
        }
    }

    /// Puts out the operators down to what is open, as far as they bind at least so tightly.
    #[inline]
    fn reduce(&mut self, least: u8) {
        while self.operators.depth() > 0
            && let Some(&Pending::Operator { node, precedence }) = self.operators.stack.last()
            && precedence >= least
        {
            self.operators.stack.pop();
            let node = L::finish(self, node);
            self.operators.emit(node);
        }
    }
}
