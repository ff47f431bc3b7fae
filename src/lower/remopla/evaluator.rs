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
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::program::{Domain, Operation, Shape, VariableId};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::remopla::Tree;
use crate::syntax::remopla::tree::{
    BinaryOperator, ExpressionId, Identifier, Node, NodeKind, Part,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the names of an expression mean.
pub trait Environment {
    /// What the names at the beginning of a place mean.
    fn find(&mut self, tree: &Tree, parts: &[Part]) -> Option<Meaning>;

    /// They mean nothing.
    fn note_unknown(&mut self, tree: &Tree, parts: &[Part]);

    fn domain(&self, variable: VariableId) -> Domain;

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
    /// A whole array or struct: [`Evaluator::whole`] has it.
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

/// A quantifier whose condition is gone through.
struct Loop {
    all: bool,
    variable: Name,
    value: i128,
    high: i128,
    /// There is no value: the condition is looked at, and then forgotten.
    empty: bool,
    /// The first node of the condition.
    body: usize,
    /// How many operations there were before it.
    operations: usize,
    /// What `variable` meant before.
    hidden: Option<i128>,
    /// The last node that read the variable.
    last_use: Option<usize>,
}

/// More operations than this are not made of one statement.
pub const MOST_OPERATIONS: usize = 1 << 20;
const MOST_NESTED: usize = 100;
const LONG: usize = 1000;

pub struct Evaluator<'a, E> {
    pub tree: &'a Tree,
    pub environment: E,
    pub collector: Collector,
    /// The operations of the expression.
    pub operations: Vec<Operation>,
    /// If the expression is a whole array or struct.
    pub whole: Option<Location>,
    pub stack: Vec<Value>,
    loops: Vec<Loop>,
    /// The variables of the quantifiers around, and their values.
    pub bound: FxHashMap<Name, i128>,
    /// Quantifiers that have ended before: their variables are no longer meant.
    ended: FxHashSet<Name>,
    /// The nodes of the last comparison of truth values, and where its right side begins.
    truth_comparison: Option<(usize, usize)>,
    /// Where something has been reported, and whether it was an error.
    complained: FxHashSet<(Span, bool)>,
    /// How many nodes have been gone through for the statement.
    pub spent: usize,
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

    /// Forgets what is known of the statement before.
    pub fn begin_statement(&mut self) {
        self.complained.clear();
        self.spent = 0;
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
    pub fn locate(&mut self, expression: ExpressionId) -> Option<Location> {
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
    fn pop(&mut self) -> Result<Value, GivenUp> {
        self.stack.pop().ok_or(GivenUp)
    }

    pub fn push(&mut self, kind: Kind, may_fail: bool, span: Span, operations: usize, node: usize) {
        self.stack.push(Value {
            kind,
            may_fail,
            span,
            operations,
            node,
        });
    }

    /// Pushes a value in place of one with a mistake in it.
    pub fn unknown(&mut self, span: Span, node: usize) -> Value {
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

    fn not(&mut self, word: Span) -> Result<(), GivenUp> {
        let operand = self.pop()?;
        let span = word.to(operand.span);
        let kind = self.truth(operand, "`!` negates");
        let kind = match kind {
            Kind::Truth(Some(value)) if !operand.may_fail => {
                self.operations.truncate(operand.operations);
                self.operations.push(Operation::Constant(!value));
                Kind::Truth(Some(!value))
            }
            other => {
                self.operations.push(Operation::Not);
                match other {
                    Kind::Truth(_) => Kind::Truth(None),
                    _ => Kind::Unknown,
                }
            }
        };
        let (operations, node) = (operand.operations, operand.node);
        self.push(kind, operand.may_fail, span, operations, node);
        Ok(())
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        word: Span,
        left: Value,
        right: Value,
        index: usize,
    ) {
        use BinaryOperator::*;
        match operator {
            Or | And | Xor => self.connect(operator, left, right),
            Equal | NotEqual => self.equal(operator == NotEqual, word, left, right, index),
            Less | LessEqual | Greater | GreaterEqual => self.compare(operator, left, right),
            _ => self.arithmetic(operator, left, right),
        }
    }

    /// `&&`, `||` and `^^`. The second operand of the first two does not count, not even if it
    /// has no value, where the first one decides.
    fn connect(&mut self, operator: BinaryOperator, left: Value, right: Value) {
        let (joins, operation, decides) = match operator {
            BinaryOperator::And => ("`&&` joins", Operation::And, Some(false)),
            BinaryOperator::Or => ("`||` joins", Operation::Or, Some(true)),
            _ => ("`^^` joins", Operation::Xor, None),
        };
        let kinds = (self.truth(left, joins), self.truth(right, joins));
        let span = left.span.to(right.span);
        let (start, node) = (left.operations, left.node);
        let may_fail = left.may_fail || right.may_fail;
        let (Kind::Truth(first), Kind::Truth(second)) = kinds else {
            self.operations.push(operation);
            return self.push(Kind::Unknown, may_fail, span, start, node);
        };
        // A known operand decides, or makes no difference, or (of `^^`) stays.
        let known_left = first.filter(|_| decides.is_some() && !left.may_fail);
        let known_right = second.filter(|_| decides.is_some() && !right.may_fail);
        if let Some(first) = known_left {
            if Some(first) == decides {
                self.operations.truncate(right.operations);
                return self.push(Kind::Truth(Some(first)), false, span, start, node);
            }
            // Moving what is very long would cost more than it saves.
            match self.operations.len() - right.operations > LONG {
                true => self.operations.push(operation),
                false => drop(self.operations.drain(start..right.operations)),
            }
            return self.push(Kind::Truth(second), right.may_fail, span, start, node);
        }
        if let Some(second) = known_right {
            if Some(second) != decides {
                self.operations.truncate(right.operations);
                return self.push(Kind::Truth(first), left.may_fail, span, start, node);
            }
            if !left.may_fail {
                self.operations.drain(start..right.operations);
                return self.push(Kind::Truth(Some(second)), false, span, start, node);
            }
        }
        self.operations.push(operation);
        self.push(Kind::Truth(None), may_fail, span, start, node);
    }

    /// `==` and `!=`, of truth values or of numbers.
    fn equal(&mut self, negated: bool, word: Span, left: Value, right: Value, index: usize) {
        let span = left.span.to(right.span);
        let may_fail = left.may_fail || right.may_fail;
        let (start, node) = (left.operations, left.node);
        let known = match (left.kind, right.kind) {
            (Kind::Truth(first), Kind::Truth(second)) => {
                self.truth_comparison = Some((index, right.node));
                self.operations.push(match negated {
                    true => Operation::Xor,
                    false => Operation::Equal,
                });
                first.zip(second).map(|(a, b)| (a == b) != negated)
            }
            (Kind::Number(a), Kind::Number(b)) => {
                self.operations.push(Operation::NumbersEqual);
                if negated {
                    self.operations.push(Operation::Not);
                }
                let both = a.constant().zip(b.constant());
                both.map(|(a, b)| (a == b) != negated)
            }
            (Kind::Truth(_), Kind::Number(_)) | (Kind::Number(_), Kind::Truth(_)) => {
                let diagnostic = Diagnostic::error(span, "a truth value is compared with a number")
                    .with_hint("truth values are `true` and `false`, and never numbers");
                self.complain(diagnostic);
                self.operations.push(Operation::Equal);
                return self.push(Kind::Unknown, false, span, start, node);
            }
            _ => {
                for whole in [left, right] {
                    self.check_not_whole(whole, "compared");
                }
                self.operations.push(Operation::Equal);
                return self.push(Kind::Unknown, false, span.to(word), start, node);
            }
        };
        self.push_truth(known, may_fail, span, start, node);
    }

    fn compare(&mut self, operator: BinaryOperator, left: Value, right: Value) {
        let span = left.span.to(right.span);
        let may_fail = left.may_fail || right.may_fail;
        let (start, node) = (left.operations, left.node);
        let numbers = (self.number(left, operator), self.number(right, operator));
        let (operation, negated) = match operator {
            BinaryOperator::Less => (Operation::Less, false),
            BinaryOperator::LessEqual => (Operation::LessEqual, false),
            BinaryOperator::Greater => (Operation::LessEqual, true),
            _ => (Operation::Less, true),
        };
        self.operations.push(operation);
        if negated {
            self.operations.push(Operation::Not);
        }
        let (Some(a), Some(b)) = numbers else {
            return self.push(Kind::Unknown, may_fail, span, start, node);
        };
        let both = a.constant().zip(b.constant());
        let known = both.map(|(a, b)| match operation {
            Operation::Less => (a < b) != negated,
            _ => (a <= b) != negated,
        });
        self.push_truth(known, may_fail, span, start, node);
    }

    /// A truth value whose operations begin at `start`, and become a constant if it is known.
    fn push_truth(
        &mut self,
        known: Option<bool>,
        may_fail: bool,
        span: Span,
        start: usize,
        node: usize,
    ) {
        let known = known.filter(|_| !may_fail);
        if let Some(value) = known {
            self.operations.truncate(start);
            self.operations.push(Operation::Constant(value));
        }
        let may_fail = self.settle(may_fail);
        self.push(Kind::Truth(known), may_fail, span, start, node);
    }

    /// Makes the atom whose operations are the last ones false where it has no value, if that
    /// is wanted; whether it may still fail.
    pub fn settle(&mut self, may_fail: bool) -> bool {
        if may_fail && self.total {
            self.operations.push(Operation::FalseIfUndefined);
        }
        may_fail && !self.total
    }

    fn arithmetic(&mut self, operator: BinaryOperator, left: Value, right: Value) {
        let span = left.span.to(right.span);
        let (start, node) = (left.operations, left.node);
        let operation = match operator {
            BinaryOperator::BitOr => Operation::BitOr,
            BinaryOperator::BitXor => Operation::BitXor,
            BinaryOperator::BitAnd => Operation::BitAnd,
            BinaryOperator::ShiftLeft => Operation::ShiftLeft,
            BinaryOperator::ShiftRight => Operation::ShiftRight,
            BinaryOperator::Add => Operation::Add,
            BinaryOperator::Subtract => Operation::Subtract,
            BinaryOperator::Multiply => Operation::Multiply,
            _ => Operation::Divide,
        };
        let numbers = (self.number(left, operator), self.number(right, operator));
        self.operations.push(operation);
        let (Some(a), Some(b)) = numbers else {
            return self.push(Kind::Unknown, false, span, start, node);
        };
        let Some(outcome) = a.apply(operation, b) else {
            self.report_too_wide(span);
            return self.push(Kind::Unknown, false, span, start, node);
        };
        if operation == Operation::Divide && b.constant() == Some(0) {
            self.complain(Diagnostic::warning(span, "this divides by 0"));
        }
        let may_fail = left.may_fail || right.may_fail || outcome.may_fail;
        if let Some(number) = outcome.interval.constant()
            && !may_fail
        {
            self.operations.truncate(start);
            self.emit_number(number);
        }
        self.push(Kind::Number(outcome.interval), may_fail, span, start, node);
    }

    /// The operations of a constant; numbers that are negative or need more than 64 bits are
    /// put together.
    pub fn emit_number(&mut self, number: i128) {
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

    fn begin_loop(
        &mut self,
        all: bool,
        variable: Identifier,
        span: Span,
        low: Value,
        high: Value,
        index: usize,
    ) -> Result<(), GivenUp> {
        self.operations.truncate(low.operations);
        let bounds = (self.bound_of(low), self.bound_of(high));
        let (Some(from), Some(to)) = bounds else {
            return Err(GivenUp);
        };
        if self.loops.len() >= MOST_NESTED {
            let message = format!("more than {MOST_NESTED} quantifiers are nested");
            self.complain(Diagnostic::error(span, message));
            return Err(GivenUp);
        }
        if from > to {
            let always = if all { "true" } else { "false" };
            let message =
                format!("there is no number from {from} to {to}: this is always {always}");
            self.complain(Diagnostic::warning(low.span.to(high.span), message));
        }
        let name = variable.name;
        let hidden = self.bound.insert(name, from);
        self.loops.push(Loop {
            all,
            variable: name,
            value: from,
            high: to,
            empty: from > to,
            body: index + 1,
            operations: self.operations.len(),
            hidden,
            last_use: None,
        });
        Ok(())
    }

    /// The number of a bound; reports if it is none.
    pub fn bound_of(&mut self, value: Value) -> Option<i128> {
        if value.kind == Kind::Unknown {
            return None;
        }
        let number = value.constant();
        if number.is_none() {
            let message = "the bounds of a quantifier must be constants";
            self.complain(Diagnostic::error(value.span, message));
        }
        number
    }

    /// The condition of the innermost quantifier has been gone through.
    fn end_of_body(
        &mut self,
        word: Span,
        bare_comparison: bool,
        index: usize,
    ) -> Result<usize, GivenUp> {
        let condition = self.pop()?;
        let kind = self.truth(condition, "a quantifier ranges over");
        let Some(innermost) = self.loops.last_mut() else {
            return Err(GivenUp);
        };
        let (body, all) = (innermost.body, innermost.all);
        if bare_comparison
            && let Some((comparison, right)) = self.truth_comparison
            && comparison + 1 == index
            && innermost.last_use.is_none_or(|last| last < right)
        {
            self.report_two_readings(word.to(condition.span), all);
            return Err(GivenUp);
        }
        let first = innermost.operations == condition.operations;
        let span = word.to(condition.span);
        if innermost.empty {
            let start = innermost.operations;
            self.operations.truncate(start);
            self.operations.push(Operation::Constant(all));
            self.end_loop();
            self.push(Kind::Truth(Some(all)), false, span, start, body);
            return Ok(index + 1);
        }
        // All that has been joined so far stands before the condition.
        let condition = Value { kind, ..condition };
        if first {
            self.stack.push(condition);
        } else {
            let so_far = self.pop()?;
            let operator = match all {
                true => BinaryOperator::And,
                false => BinaryOperator::Or,
            };
            self.connect(operator, so_far, condition);
        }
        let joined = self.pop()?;
        let Some(innermost) = self.loops.last_mut() else {
            return Err(GivenUp);
        };
        let decided = joined.kind == Kind::Truth(Some(!all)) && !joined.may_fail;
        if decided || joined.kind == Kind::Unknown || innermost.value >= innermost.high {
            self.end_loop();
            self.stack.push(Value {
                span,
                node: body,
                ..joined
            });
            return Ok(index + 1);
        }
        innermost.value += 1;
        let (variable, value) = (innermost.variable, innermost.value);
        self.bound.insert(variable, value);
        self.stack.push(joined);
        Ok(body)
    }

    fn end_loop(&mut self) {
        if let Some(ended) = self.loops.pop() {
            match ended.hidden {
                Some(value) => self.bound.insert(ended.variable, value),
                None => self.bound.remove(&ended.variable),
            };
            self.ended.insert(ended.variable);
        }
    }

    /// The value of a name that a quantifier has bound.
    pub fn bound_value(&mut self, identifier: Identifier, index: usize) -> Option<i128> {
        let value = self.bound.get(&identifier.name).copied()?;
        let mut loops = self.loops.iter_mut().rev();
        if let Some(innermost) = loops.find(|l| l.variable == identifier.name) {
            innermost.last_use = Some(index);
        }
        Some(value)
    }

    /// Whether a quantifier with this variable has ended before in the expression.
    pub fn has_ended(&self, name: Name) -> bool {
        self.ended.contains(&name)
    }
}
