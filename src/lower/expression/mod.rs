//! Typed expressions: from postfix nodes to operations, in one pass.
//!
//! A small machine runs over the terms of an expression and keeps for each value on its stack
//! what is known of it: a truth value or a number, and between which limits. Terms that can have
//! one value only become that number. A quantifier is a loop: its condition is gone through once
//! for each value of its variable, which is a constant meanwhile, and the results are joined by
//! `and` or `or`, the smallest value first. The cost is linear in the terms with all quantifiers
//! written out, of which only so many are allowed.
//!
//! What names mean, and how mistakes are put into words, is the business of a [`Language`]. A
//! mistake is reported once, and gives a value of [`Kind::Unknown`], which fits everywhere.

mod operators;
mod quantifier;

use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::program::{Interval, Operation};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::kit::tree::{Node, NodeKind};
use quantifier::Loop;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the sign of an equality may stand between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparands {
    Either,
    Truths,
    Numbers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A truth value, and which one if that is known.
    Truth(Option<bool>),
    Number(Interval),
    /// A whole array or struct, which the language keeps.
    Whole,
    /// A mistake has been reported.
    Unknown,
}

/// What is known of a value on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub kind: Kind,
    pub may_fail: bool,
    pub span: Span,
    /// Where its operations begin.
    pub operations: usize,
    /// Where its terms begin.
    pub term: usize,
}

impl Value {
    /// Its number, if it can have only one.
    pub fn constant(&self) -> Option<i128> {
        match self.kind {
            Kind::Number(interval) if !self.may_fail => interval.constant(),
            _ => None,
        }
    }

    /// What an operation makes of this value and the next one, if nothing is known of it.
    fn and(self, next: Value) -> Self {
        Value {
            kind: Kind::Unknown,
            may_fail: self.may_fail || next.may_fail,
            span: self.span.to(next.span),
            ..self
        }
    }

    fn with(self, kind: Kind, may_fail: bool) -> Self {
        Value {
            kind,
            may_fail,
            ..self
        }
    }
}

/// A node of a language's expressions.
type NodeOf<L> = Node<<L as Language>::Place, <L as Language>::Quantifier>;

/// What can be wrong, or doubtful, with an expression in any language.
#[derive(Clone, Copy, Debug)]
pub enum Mistake {
    /// Something else stands where a truth value must: an operand of `user`, or what a
    /// quantifier ranges over.
    NoCondition {
        value: Value,
        user: Option<Operation>,
    },
    /// Something else stands where a number must, as an operand of this operation.
    NoNumber {
        value: Value,
        operation: Operation,
        negated: bool,
    },
    /// A value that cannot be compared with another.
    Incomparable {
        value: Value,
        other: Value,
        sign: Span,
        negated: bool,
        of: Comparands,
    },
    /// A number may need too many bits.
    TooWide(Span),
    /// There are too many operations.
    TooLong(Span),
    TooNested(Span),
    /// The bound of a quantifier is no constant.
    VariableBound(Span),
    /// A quantifier over no values.
    EmptyRange {
        all: bool,
        low: i128,
        high: i128,
        span: Span,
    },
    /// A quantifier that might end before a comparison, or after it.
    TwoReadings {
        all: bool,
        span: Span,
    },
    /// An operation that has no value for some operands.
    Partial {
        operation: Operation,
        right: Interval,
        span: Span,
    },
}

/// What an expression may speak of, and how its mistakes are put into words.
pub trait Language: Sized {
    /// How a variable is named.
    type Place: Copy;
    /// How a quantifier is.
    type Quantifier: Copy;

    /// What `=` and `!=` may stand between.
    const EQUALITY: Comparands;
    /// What a shift to the left does where the result is too large.
    const SHIFT_LEFT: Operation;
    /// More quantifiers cannot be nested.
    const MOST_NESTED: usize;

    /// Takes the values of a place's indices from the stack, and pushes its value. `term` is the
    /// number of the term that reads it.
    fn read(evaluator: &mut Evaluator<Self>, place: Self::Place, span: Span, term: usize);

    /// What a quantifier, which stands at `span`, ranges over.
    fn range(
        evaluator: &mut Evaluator<Self>,
        quantifier: Self::Quantifier,
        span: Span,
    ) -> Result<Range, GivenUp>;

    /// What is reported, if anything is.
    fn describe(&self, mistake: Mistake) -> Option<Diagnostic>;
}

/// What a quantifier ranges over.
pub struct Range {
    pub all: bool,
    pub variable: Name,
    pub low: i128,
    pub high: i128,
    /// Where the bounds stand.
    pub span: Span,
}

/// More operations than this are not made of one statement.
pub const MOST_OPERATIONS: usize = 1 << 20;

pub struct Evaluator<L> {
    pub language: L,
    pub collector: Collector,
    /// The operations of the expression.
    pub operations: Vec<Operation>,
    pub stack: Vec<Value>,
    loops: Vec<Loop>,
    /// The variables of the quantifiers around, and their values.
    pub bound: FxHashMap<Name, i128>,
    /// Quantifiers that have ended before: their variables are no longer meant.
    ended: FxHashSet<Name>,
    /// The term of the last comparison of truth values, and where its right side begins.
    truth_comparison: Option<(usize, usize)>,
    /// Where something has been reported, and whether it was an error.
    complained: FxHashSet<(Span, bool)>,
    /// How many terms have been gone through for the statement.
    pub spent: usize,
    /// How many terms there may be.
    pub limit: usize,
    /// Comparisons and truth values that cannot be evaluated are false.
    pub total: bool,
}

/// Something is wrong that leaves nothing to go on with; it has been reported.
pub use crate::syntax::kit::Reported as GivenUp;

impl<L: Language> Evaluator<L> {
    pub fn new(language: L, collector: Collector) -> Self {
        Evaluator {
            language,
            collector,
            operations: Vec::new(),
            stack: Vec::new(),
            loops: Vec::new(),
            bound: FxHashMap::default(),
            ended: FxHashSet::default(),
            truth_comparison: None,
            complained: FxHashSet::default(),
            spent: 0,
            limit: MOST_OPERATIONS,
            total: false,
        }
    }

    /// Reports, but not twice at one place.
    pub fn complain(&mut self, diagnostic: Diagnostic) {
        if self
            .complained
            .insert((diagnostic.span, diagnostic.is_error()))
        {
            self.collector.report(diagnostic);
        }
    }

    /// Reports a mistake if the language takes it for one; whether it is an error.
    pub fn mistake(&mut self, mistake: Mistake) -> bool {
        let Some(diagnostic) = self.language.describe(mistake) else {
            return false;
        };
        let is_error = diagnostic.is_error();
        self.complain(diagnostic);
        is_error
    }

    /// Forgets what is known of the statement before.
    pub fn begin_statement(&mut self) {
        self.complained.clear();
        self.spent = 0;
    }

    pub fn begin_expression(&mut self) {
        self.operations.clear();
        self.stack.clear();
        self.loops.clear();
        self.ended.clear();
        self.truth_comparison = None;
    }

    /// The operations of an expression, which stands at `span`, and what is known of its value.
    pub fn evaluate(&mut self, terms: &[NodeOf<L>], span: Span) -> Value {
        self.begin_expression();
        let run = self.run(terms);
        if let (Ok(()), Some(value)) = (run, self.stack.pop()) {
            return value;
        }
        self.operations.clear();
        self.operations.push(Operation::Constant(false));
        Value {
            kind: Kind::Unknown,
            may_fail: false,
            span,
            operations: 0,
            term: 0,
        }
    }

    /// Goes through terms; what they leave is on the stack.
    pub fn run(&mut self, terms: &[NodeOf<L>]) -> Result<(), GivenUp> {
        let result = self.run_terms(terms);
        while !self.loops.is_empty() {
            self.end_loop();
        }
        result
    }

    fn run_terms(&mut self, terms: &[NodeOf<L>]) -> Result<(), GivenUp> {
        let mut next = 0;
        while let Some(term) = terms.get(next) {
            self.spent += 1;
            if self.spent > self.limit || self.operations.len() > self.limit {
                self.mistake(Mistake::TooLong(term.span));
                return Err(GivenUp);
            }
            next = self.step(term, next)?;
        }
        Ok(())
    }

    /// Goes through one term; the next one to go to.
    fn step(&mut self, term: &NodeOf<L>, index: usize) -> Result<usize, GivenUp> {
        let span = term.span;
        match term.kind {
            NodeKind::Number(number) => self.push_number(number.into(), span, index),
            NodeKind::Truth(value) => {
                let start = self.operations.len();
                self.operations.push(Operation::Constant(value));
                self.push(Kind::Truth(Some(value)), false, span, start, index);
            }
            NodeKind::Read(place) => L::read(self, place, span, index),
            NodeKind::Not => self.not(span)?,
            NodeKind::Binary(operator) => {
                let (left, right) = self.pop_two()?;
                self.binary(operator, span, left, right, index);
            }
            NodeKind::Quantify(quantifier) => {
                let range = L::range(self, quantifier, span)?;
                self.begin_loop(range, span, index)?;
            }
            NodeKind::EndQuantify { bare_comparison } => {
                return self.end_of_body(bare_comparison, index);
            }
        }
        Ok(index + 1)
    }

    /// The brackets of the terms match, so there is always a value.
    fn pop(&mut self) -> Result<Value, GivenUp> {
        self.stack.pop().ok_or(GivenUp)
    }

    pub fn pop_two(&mut self) -> Result<(Value, Value), GivenUp> {
        let right = self.pop()?;
        Ok((self.pop()?, right))
    }

    pub fn push(&mut self, kind: Kind, may_fail: bool, span: Span, operations: usize, term: usize) {
        self.stack.push(Value {
            kind,
            may_fail,
            span,
            operations,
            term,
        });
    }

    /// Pushes a value in place of one with a mistake in it.
    pub fn unknown(&mut self, span: Span, term: usize) {
        let operations = self.operations.len();
        self.operations.push(Operation::Constant(false));
        self.push(Kind::Unknown, false, span, operations, term);
    }

    /// Pushes a constant.
    pub fn push_number(&mut self, number: i128, span: Span, term: usize) {
        let start = self.operations.len();
        self.emit_number(number);
        let kind = Kind::Number(Interval::only(number));
        self.push(kind, false, span, start, term);
    }

    /// The operations of a constant; numbers that are negative or need more than 64 bits are
    /// put together.
    fn emit_number(&mut self, number: i128) {
        let size = number.unsigned_abs();
        if number < 0 {
            self.operations.push(Operation::Number(0));
        }
        match u64::try_from(size) {
            Ok(small) => self.operations.push(Operation::Number(small)),
            Err(_) => self.operations.extend([
                Operation::Number((size >> 63) as u64),
                Operation::Number(1 << 63),
                Operation::Multiply,
                Operation::Number((size & ((1 << 63) - 1)) as u64),
                Operation::Add,
            ]),
        }
        if number < 0 {
            self.operations.push(Operation::Subtract);
        }
    }
}
