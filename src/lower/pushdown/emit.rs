//! Expressions to postfix operations, quantifiers written out and constants worked out.
//!
//! The body of a quantifier is walked once for each value of its variable. An index that is
//! known by then names its cell, and a comparison of constants is its truth value: so the
//! conditions that come out say plainly what they keep (`a'[3] = a[3]`).
//!
//! What comes out always has a value: a comparison is false where a term has none.

use super::check::Checked;
use super::constants::calculate;
use super::scope::{Scope, Variable, View, when};
use crate::names::Name;
use crate::program::{Domain, Operation, VariableId, When};
use crate::pushdown::operands;
use crate::syntax::pds::Tree;
use crate::syntax::pds::tree::{BinaryOperator, ExpressionId, Node, NodeKind, Primes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Constant {
    Truth(bool),
    Number(i128),
}

/// A part of the output that leaves one value.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where it begins; it ends where the next one begins.
    start: usize,
    constant: Option<Constant>,
    /// Whether it might have no value.
    partial: bool,
}

/// A quantifier whose body is being written out.
struct Round {
    variable: Name,
    for_all: bool,
    value: i128,
    high: i128,
    is_first: bool,
    /// The body's first node.
    body: usize,
}

/// Longer parts are not moved to take a constant out before them.
const SHORT: usize = 64;

pub struct Emitter<'e> {
    tree: &'e Tree,
    scope: &'e Scope,
    view: View,
    output: Vec<Operation>,
    pieces: Vec<Piece>,
    rounds: Vec<Round>,
}

/// The operations of an expression that was checked.
pub fn emit(
    tree: &Tree,
    scope: &Scope,
    view: View,
    expression: ExpressionId,
    checked: &Checked,
) -> Vec<Operation> {
    let mut emitter = Emitter {
        tree,
        scope,
        view,
        output: Vec::new(),
        pieces: Vec::new(),
        rounds: Vec::new(),
    };
    emitter.run(expression, checked);
    emitter.output
}

impl Emitter<'_> {
    fn run(&mut self, expression: ExpressionId, checked: &Checked) {
        let nodes = self.tree.nodes_of(expression);
        let first = nodes.iter().find_map(|node| match node.kind {
            NodeKind::Open(number) => Some(number),
            _ => None,
        });
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            at += 1;
            match node.kind {
                NodeKind::Number(number) => self.constant(Constant::Number(number.into())),
                NodeKind::Name(name, primes) => self.name(name, primes),
                NodeKind::Element(name, primes) => self.element(name, primes),
                NodeKind::Not => self.not(),
                NodeKind::Binary(operator) => self.binary(operator),
                NodeKind::Open(number) => {
                    let quantifier = &self.tree.quantifiers[number as usize];
                    // Those of one expression are numbered in a row.
                    let index = number - first.unwrap_or(number);
                    let (low, high) = checked.ranges[index as usize];
                    if low > high {
                        self.constant(Constant::Truth(quantifier.for_all));
                        at += length_of_body(&nodes[at..]);
                        continue;
                    }
                    self.rounds.push(Round {
                        variable: quantifier.variable.name,
                        for_all: quantifier.for_all,
                        value: low,
                        high,
                        is_first: true,
                        body: at,
                    });
                }
                NodeKind::Close => at = self.close(at),
            }
        }
    }

    /// After a round: joins it with those before, and goes on to the next one.
    fn close(&mut self, after: usize) -> usize {
        let Some(round) = self.rounds.last_mut() else {
            return after;
        };
        let (for_all, joins) = (round.for_all, !round.is_first);
        let next = match round.value < round.high {
            true => {
                round.value += 1;
                round.is_first = false;
                round.body
            }
            false => {
                self.rounds.pop();
                after
            }
        };
        if joins {
            self.junction(for_all);
        }
        next
    }

    /// The parser leaves every operand there, and the check has walked the same nodes.
    fn pop(&mut self) -> Piece {
        self.pieces.pop().expect("expressions are well-formed")
    }

    fn constant(&mut self, constant: Constant) {
        self.pieces.push(Piece {
            start: self.output.len(),
            constant: Some(constant),
            partial: false,
        });
        match constant {
            Constant::Truth(value) => self.output.push(Operation::Constant(value)),
            Constant::Number(number) => push_number(&mut self.output, number),
        }
    }

    /// Puts a constant in the place of everything from `start` on.
    fn replace(&mut self, start: usize, constant: Constant) {
        self.output.truncate(start);
        self.constant(constant);
    }

    fn emit(&mut self, operation: Operation, start: usize, partial: bool) {
        let partial = partial || operation.may_have_no_value();
        self.output.push(operation);
        self.pieces.push(Piece {
            start,
            constant: None,
            partial,
        });
    }

    fn name(&mut self, name: Name, primes: Primes) {
        let bound = self
            .rounds
            .iter()
            .rev()
            .find(|round| round.variable == name);
        let constant = bound.map(|round| round.value);
        if let Some(value) = constant.or_else(|| self.scope.constants.get(name)) {
            self.constant(Constant::Number(value));
            return;
        }
        let start = self.output.len();
        match self.find(name, primes) {
            Some(variable) => self.emit(read(variable.first, when(primes)), start, false),
            None => self.missing(name, start),
        }
    }

    fn find(&self, name: Name, primes: Primes) -> Option<Variable> {
        self.scope.find(self.view.frame(primes)?, name)
    }

    /// A variable that is not there, in a property: no number, and not true.
    fn missing(&mut self, name: Name, start: usize) {
        let is_truth = |variable: Variable| variable.domain == Domain::Boolean;
        if self.scope.all(name).next().is_some_and(is_truth) {
            self.replace(start, Constant::Truth(false));
            return;
        }
        self.output.truncate(start);
        self.output.push(Operation::Number(0));
        self.emit(Operation::Index { count: 0 }, start, true);
    }

    fn element(&mut self, name: Name, primes: Primes) {
        let index = self.pop();
        let Some(variable) = self.find(name, primes) else {
            return self.missing(name, index.start);
        };
        let (low, count) = variable.array.unwrap_or((0, 1));
        let (first, when) = (variable.first, when(primes));
        let is_truth = variable.domain == Domain::Boolean;
        if let Some(Constant::Number(number)) = index.constant
            && let Ok(place) = u32::try_from(number - i128::from(low))
            && place < count
        {
            self.output.truncate(index.start);
            return self.emit(read(first.plus(place), when), index.start, false);
        }
        if low != 0 {
            self.output.push(Operation::Number(low.unsigned_abs()));
            self.output.push(match low > 0 {
                true => Operation::Subtract,
                false => Operation::Add,
            });
        }
        self.emit(
            Operation::ReadElement { first, count, when },
            index.start,
            true,
        );
        if is_truth {
            self.settle();
        }
    }

    /// What has no value is false from here on.
    fn settle(&mut self) {
        let piece = self.pop();
        if piece.partial {
            self.output.push(Operation::FalseIfUndefined);
        }
        self.pieces.push(Piece {
            partial: false,
            ..piece
        });
    }

    fn not(&mut self) {
        let operand = self.pop();
        match operand.constant {
            Some(Constant::Truth(value)) => self.replace(operand.start, Constant::Truth(!value)),
            _ => self.emit(Operation::Not, operand.start, false),
        }
    }

    fn binary(&mut self, operator: BinaryOperator) {
        use BinaryOperator::*;
        let junction = match operator {
            And => Some(true),
            Or => Some(false),
            _ => None,
        };
        if let Some(all) = junction {
            return self.junction(all);
        }
        let (b, a) = (self.pop(), self.pop());
        let partial = a.partial || b.partial;
        if let (Some(x), Some(y)) = (a.constant, b.constant)
            && let Some(value) = fold(operator, x, y)
        {
            return self.replace(a.start, value);
        }
        let (operation, negated) = match operator {
            Equivalent => (Operation::Equal, false),
            Xor => (Operation::Xor, false),
            Equal => (Operation::NumbersEqual, false),
            NotEqual => (Operation::NumbersEqual, true),
            Less => (Operation::Less, false),
            LessEqual => (Operation::LessEqual, false),
            Greater => (Operation::LessEqual, true),
            GreaterEqual => (Operation::Less, true),
            Plus => (Operation::Add, false),
            Minus => (Operation::Subtract, false),
            Times => (Operation::Multiply, false),
            Divide => (Operation::Divide, false),
            ShiftLeft => (Operation::ShiftLeftOrFar, false),
            And | Or => return,
        };
        self.output.push(operation);
        let partial = partial || operation.may_have_no_value();
        self.pieces.push(Piece {
            start: a.start,
            constant: None,
            partial,
        });
        if negated {
            let piece = self.pop();
            self.emit(Operation::Not, piece.start, piece.partial);
        }
        if !matches!(operator, Plus | Minus | Times | Divide | ShiftLeft) {
            self.settle();
        }
    }

    /// `&` or `|` of the last two parts.
    fn junction(&mut self, all: bool) {
        let (b, a) = (self.pop(), self.pop());
        let truth = |piece: &Piece| match piece.constant {
            Some(Constant::Truth(value)) => Some(value),
            _ => None,
        };
        let length = self.output.len() - b.start;
        match (truth(&a), truth(&b)) {
            (Some(value), _) | (_, Some(value)) if value != all => {
                self.replace(a.start, Constant::Truth(value));
            }
            (_, Some(_)) => {
                self.output.truncate(b.start);
                self.pieces.push(a);
            }
            (Some(_), None) if length <= SHORT => {
                self.output.drain(a.start..b.start);
                self.pieces.push(Piece {
                    start: a.start,
                    ..b
                });
            }
            _ => {
                let operation = match all {
                    true => Operation::And,
                    false => Operation::Or,
                };
                self.emit(operation, a.start, false);
            }
        }
    }
}

/// How many nodes there are up to the end of a body, the end included.
fn length_of_body(nodes: &[Node]) -> usize {
    let mut open = 1;
    let mut length = 0;
    for node in nodes {
        length += 1;
        match node.kind {
            NodeKind::Open(_) => open += 1,
            NodeKind::Close => open -= 1,
            _ => {}
        }
        if open == 0 {
            break;
        }
    }
    length
}

fn read(variable: VariableId, when: When) -> Operation {
    match when {
        When::Before => Operation::Read(variable),
        When::After => Operation::ReadNext(variable),
        When::Below => Operation::ReadBelow(variable),
    }
}

/// The value of an operation on constants, if it has one.
fn fold(operator: BinaryOperator, a: Constant, b: Constant) -> Option<Constant> {
    use BinaryOperator::*;
    let truth = match (a, b) {
        (Constant::Truth(a), Constant::Truth(b)) => match operator {
            Equivalent => a == b,
            Xor => a != b,
            _ => return None,
        },
        (Constant::Number(a), Constant::Number(b)) => match operator {
            Equal => a == b,
            NotEqual => a != b,
            Less => a < b,
            LessEqual => a <= b,
            Greater => a > b,
            GreaterEqual => a >= b,
            _ => return calculate(operator, a, b).ok().map(Constant::Number),
        },
        _ => return None,
    };
    Some(Constant::Truth(truth))
}

/// A number of up to 126 bits and either sign, made of natural ones of 64 bits.
fn push_number(output: &mut Vec<Operation>, number: i128) {
    if number < 0 {
        output.push(Operation::Number(0));
    }
    let size = number.unsigned_abs();
    match u64::try_from(size) {
        Ok(small) => output.push(Operation::Number(small)),
        Err(_) => {
            let half = Operation::Number(1 << 32);
            output.extend([
                Operation::Number((size >> 64) as u64),
                half,
                Operation::Multiply,
            ]);
            output.extend([half, Operation::Multiply]);
            output.extend([Operation::Number(size as u64), Operation::Add]);
        }
    }
    if number < 0 {
        output.push(Operation::Subtract);
    }
}

/// The parts of a conjunction, each to be an expression of its own.
pub fn conjuncts(operations: &[Operation]) -> Vec<&[Operation]> {
    // Where the expression that ends with each operation begins.
    let mut begins: Vec<usize> = Vec::with_capacity(operations.len());
    let mut stack: Vec<usize> = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let mut begin = at;
        for _ in 0..operands(operation) {
            begin = stack.pop().unwrap_or(begin);
        }
        stack.push(begin);
        begins.push(begin);
    }
    let mut parts = Vec::new();
    let mut todo = vec![operations.len()];
    while let Some(end) = todo.pop() {
        match operations[..end].last() {
            None => {}
            Some(Operation::And) => {
                // The second operand ends before the `And`, the first one before that.
                todo.push(begins[end - 2]);
                todo.push(end - 1);
            }
            Some(Operation::Constant(true)) => {}
            Some(_) => parts.push(&operations[begins[end - 1]..end]),
        }
    }
    parts.reverse();
    parts
}
