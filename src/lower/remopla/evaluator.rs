//! Expressions: their types, and their operations.
//!
//! A small machine runs over the nodes of an expression, which are in postfix form, and keeps
//! for each value on its stack what is known of it: a truth value or a number, and between
//! which limits. Terms that can have one value only become that number. A quantifier is a
//! loop: its condition is gone through once for each value of its variable, which is a
//! constant meanwhile, and the results are joined by `and` or `or`, the smallest value first.
//!
//! A mistake is reported once, and gives a value of [`Kind::Unknown`], which fits everywhere.

use super::interval::Interval;
use super::place::Location;
use super::quantifier::Loop;
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::program::{Domain, Operation, Shape, VariableId};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::remopla::Tree;
use crate::syntax::remopla::tree::{ExpressionId, Node, NodeKind, Part};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the names of an expression mean.
pub trait Environment {
    /// What the names at the beginning of a place mean.
    fn find(&mut self, tree: &Tree, parts: &[Part]) -> Option<Meaning>;

    /// They mean nothing.
    fn note_unknown(&mut self, tree: &Tree, parts: &[Part]);

    fn domain(&self, variable: VariableId) -> Domain;

    /// Whether only constants are allowed.
    fn is_constant(&self) -> bool {
        false
    }

    /// Whether a number may not be there at all: of a procedure that is not on top.
    fn may_be_absent(&self, _: VariableId) -> bool {
        false
    }

    /// The text of the name of a field.
    fn text(&self, name: Name) -> &str;

    /// Whether a field has this name.
    fn is_named(&self, name: Name, text: &str) -> bool {
        self.text(name) == text
    }
}

#[derive(Clone, Debug)]
pub enum Meaning {
    Constant(i128),
    Variable {
        first: VariableId,
        shape: Shape,
        /// How many parts of the place it takes: a variable of a procedure may be named with
        /// that before it.
        parts: usize,
    },
    /// Something with a mistake in its declaration, which has been reported.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A truth value, and which one if that is known.
    Truth(Option<bool>),
    Number(Interval),
    /// A whole array or struct: `Evaluator::whole` has it.
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
    /// Where its nodes begin.
    pub node: usize,
}

impl Value {
    /// Its number, if it can have only one.
    pub fn constant(&self) -> Option<i128> {
        match self.kind {
            Kind::Number(interval) if !self.may_fail => interval.constant(),
            _ => None,
        }
    }
}

/// More operations than this are not made of one statement.
pub const MOST_OPERATIONS: usize = 1 << 20;

pub struct Evaluator<'a, E> {
    pub tree: &'a Tree,
    pub environment: E,
    pub collector: Collector,
    /// The operations of the expression.
    pub operations: Vec<Operation>,
    /// If the expression is a whole array or struct.
    pub(super) whole: Option<Location>,
    pub(super) stack: Vec<Value>,
    pub(super) loops: Vec<Loop>,
    /// The variables of the quantifiers around, and their values.
    pub(super) bound: FxHashMap<Name, i128>,
    /// Quantifiers that have ended before: their variables are no longer meant.
    pub(super) ended: FxHashSet<Name>,
    /// The nodes of the last comparison of truth values, and where its right side begins.
    pub(super) truth_comparison: Option<(usize, usize)>,
    /// Where something has been reported, and whether it was an error.
    complained: FxHashSet<(Span, bool)>,
    /// How many nodes have been gone through for the statement.
    pub(super) spent: usize,
    /// How many operations of indices have been moved for the statement.
    pub(super) moved: usize,
    /// Comparisons and truth values that cannot be evaluated are false.
    pub total: bool,
}

/// Something is wrong that leaves nothing to go on with; it has been reported.
pub struct GivenUp;

impl<'a, E: Environment> Evaluator<'a, E> {
    pub fn new(tree: &'a Tree, environment: E, collector: Collector) -> Self {
        Evaluator {
            tree,
            environment,
            collector,
            operations: Vec::new(),
            whole: None,
            stack: Vec::new(),
            loops: Vec::new(),
            bound: FxHashMap::default(),
            ended: FxHashSet::default(),
            truth_comparison: None,
            complained: FxHashSet::default(),
            spent: 0,
            moved: 0,
            total: false,
        }
    }

    /// Reports, but not twice at one place.
    pub(super) fn complain(&mut self, diagnostic: Diagnostic) {
        if self
            .complained
            .insert((diagnostic.span, diagnostic.is_error()))
        {
            self.collector.report(diagnostic);
        }
    }

    /// Forgets what is known of the statement before.
    pub(super) fn begin_statement(&mut self) {
        self.complained.clear();
        self.spent = 0;
        self.moved = 0;
    }

    fn begin_expression(&mut self) {
        self.operations.clear();
        self.stack.clear();
        self.loops.clear();
        self.ended.clear();
        self.truth_comparison = None;
        self.whole = None;
    }

    /// The operations of an expression, and what is known of its value.
    pub fn evaluate(&mut self, expression: ExpressionId) -> Value {
        self.begin_expression();
        let span = self.tree.expression_span(expression);
        let run = self.run(self.tree.nodes(expression));
        let mut value = self.result(run, span);
        value.span = span;
        value
    }

    /// The place that an expression names, with the operations of its indices.
    pub(super) fn locate(&mut self, expression: ExpressionId) -> Option<Location> {
        self.begin_expression();
        let (last, indices) = self.tree.nodes(expression).split_last()?;
        let NodeKind::Read(place) = last.kind else {
            return None;
        };
        if self.run(indices).is_err() {
            return None;
        }
        self.target(place, indices.len())
    }

    fn result(&mut self, run: Result<(), GivenUp>, span: Span) -> Value {
        match (run, self.stack.pop()) {
            (Ok(()), Some(value)) => value,
            _ => {
                self.operations.clear();
                let unknown = self.unknown(span, 0);
                self.stack.pop();
                unknown
            }
        }
    }

    fn run(&mut self, nodes: &[Node]) -> Result<(), GivenUp> {
        let result = self.run_nodes(nodes);
        while !self.loops.is_empty() {
            self.end_loop();
        }
        result
    }

    fn run_nodes(&mut self, nodes: &[Node]) -> Result<(), GivenUp> {
        let mut next = 0;
        while let Some(node) = nodes.get(next) {
            self.spent += 1;
            if self.spent > MOST_OPERATIONS || self.operations.len() > MOST_OPERATIONS {
                self.report_too_much(node.span);
                return Err(GivenUp);
            }
            next = self.step(node, next)?;
        }
        Ok(())
    }

    /// Goes through one node; the next one to go to.
    fn step(&mut self, node: &Node, index: usize) -> Result<usize, GivenUp> {
        let start = self.operations.len();
        match node.kind {
            NodeKind::Number(number) => {
                self.operations.push(Operation::Number(number));
                let interval = Interval::only(i128::from(number));
                self.push(Kind::Number(interval), false, node.span, start, index);
            }
            NodeKind::Truth(value) => {
                self.operations.push(Operation::Constant(value));
                self.push(Kind::Truth(Some(value)), false, node.span, start, index);
            }
            NodeKind::Read(place) => self.read(place, index),
            NodeKind::Not => self.not(node.span)?,
            NodeKind::Binary(operator) => {
                let right = self.pop()?;
                let left = self.pop()?;
                self.binary(operator, node.span, left, right, index);
            }
            NodeKind::Quantify { all, variable } => {
                let high = self.pop()?;
                let low = self.pop()?;
                self.begin_loop(all, variable, node.span, low, high, index)?;
            }
            NodeKind::EndQuantify { bare_comparison } => {
                return self.end_of_body(node.span, bare_comparison, index);
            }
        }
        Ok(index + 1)
    }

    /// The brackets of the tree match, so there is always a value.
    pub(super) fn pop(&mut self) -> Result<Value, GivenUp> {
        self.stack.pop().ok_or(GivenUp)
    }

    pub(super) fn push(
        &mut self,
        kind: Kind,
        may_fail: bool,
        span: Span,
        operations: usize,
        node: usize,
    ) {
        self.stack.push(Value {
            kind,
            may_fail,
            span,
            operations,
            node,
        });
    }

    /// Pushes a value in place of one with a mistake in it.
    pub(super) fn unknown(&mut self, span: Span, node: usize) -> Value {
        let operations = self.operations.len();
        self.operations.push(Operation::Constant(false));
        self.push(Kind::Unknown, false, span, operations, node);
        Value {
            kind: Kind::Unknown,
            may_fail: false,
            span,
            operations,
            node,
        }
    }

    /// The operations of a constant; numbers that are negative or need more than 64 bits are
    /// put together.
    pub(super) fn emit_number(&mut self, number: i128) {
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
