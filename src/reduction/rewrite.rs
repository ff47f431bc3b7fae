//! A program with its expressions made simpler by ranges, and its cells made narrower.
//!
//! Parts of expressions that are constants become numbers, conversions that change nothing vanish, arms
//! of branches that cannot be taken are left out, and so are assumptions that always hold. A cell may be given fewer bits: what is put into it is taken modulo its new size, and what is
//! read is extended again, so that every value which a cell really has is read as before.

use super::evaluation::Tree;
use super::narrowing::{Narrowing, Width};
use super::range::Range;
use super::ranges::Ranges;
use crate::program::{
    Action, Call, Domain, Expression, Expressions, Interval, Operation, OperationKind, PointId,
    ProcedureId, Program, Target, Value,
};

/// The action of each point, and the expressions of all.
pub struct Rewritten {
    pub actions: Vec<Action>,
    pub expressions: Expressions,
}

/// What a program does, in simpler terms.
pub fn rewrite(program: &Program, ranges: &Ranges, narrowing: &Narrowing) -> Rewritten {
    let mut writer = Writer {
        program,
        ranges,
        narrowing,
        expressions: Expressions::with_capacity(program.points.len() * 4),
    };
    let points = (0..program.points.len() as u32).map(PointId);
    let actions = points.map(|point| writer.action(point)).collect();
    Rewritten {
        actions,
        expressions: writer.expressions,
    }
}

/// Ends an execution.
pub fn end() -> Action {
    Action::EndThread {
        assignments: Box::default(),
    }
}

/// Goes on, and changes nothing.
pub fn go(to: PointId) -> Action {
    Action::Goto {
        targets: Box::new([to]),
    }
}

struct Writer<'p> {
    program: &'p Program,
    ranges: &'p Ranges<'p>,
    narrowing: &'p Narrowing,
    expressions: Expressions,
}

impl Writer<'_> {
    fn action(&mut self, point: PointId) -> Action {
        let action = &self.program.point(point).action;
        if !self.ranges.is_reached(point) {
            return match action {
                Action::Exit => Action::Exit,
                _ => end(),
            };
        }
        match action {
            Action::Goto { targets } => Action::Goto {
                targets: targets.clone(),
            },
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => {
                let pairs: Vec<_> = targets
                    .iter()
                    .copied()
                    .zip(values.iter().copied())
                    .collect();
                let (targets, values) = self.assignments(point, &pairs).into_iter().unzip();
                let targets: Vec<Target> = targets;
                let values: Vec<Value> = values;
                Action::Assign {
                    targets: targets.into(),
                    values: values.into(),
                    constrain: constrain.map(|constrain| self.expression(point, constrain)),
                    next: *next,
                }
            }
            Action::Havoc { variables, next } => Action::Havoc {
                variables: variables.clone(),
                next: *next,
            },
            Action::Branch { arms, otherwise } => self.branch(point, arms, *otherwise),
            Action::Select { arms, otherwise } => Action::Select {
                arms: arms
                    .iter()
                    .map(|(condition, target)| (self.expression(point, *condition), *target))
                    .collect(),
                otherwise: *otherwise,
            },
            // One that never fails stays: that control comes to it is worth knowing.
            Action::Assert { condition, next } => Action::Assert {
                condition: match self.ranges.can_be(point, *condition, false) {
                    false => self.expressions.add([Operation::Constant(true)]),
                    true => self.expression(point, *condition),
                },
                next: *next,
            },
            Action::Assume { condition, next } => {
                match self.ranges.can_be(point, *condition, false) {
                    false => go(*next),
                    true => Action::Assume {
                        condition: self.expression(point, *condition),
                        next: *next,
                    },
                }
            }
            Action::Call(call) => Action::Call(Box::new(self.call(point, call))),
            Action::Return {
                values,
                assignments,
            } => {
                let domains = self.narrowing.returns(self.program.point(point).procedure);
                Action::Return {
                    values: values
                        .iter()
                        .zip(domains)
                        .map(|(value, domain)| self.fitted(point, *value, domain))
                        .collect(),
                    assignments: self.assignments(point, assignments).into(),
                }
            }
            Action::EndThread { assignments } => Action::EndThread {
                assignments: self.assignments(point, assignments).into(),
            },
            Action::StartThread { .. } | Action::Exit => Action::Exit,
        }
    }

    fn branch(
        &mut self,
        point: PointId,
        arms: &[(Expression, PointId)],
        mut otherwise: PointId,
    ) -> Action {
        let mut left = Vec::new();
        for (condition, target) in arms {
            if !self.ranges.can_be(point, *condition, true) {
                continue;
            }
            if !self.ranges.can_be(point, *condition, false) {
                otherwise = *target;
                break;
            }
            left.push((self.expression(point, *condition), *target));
        }
        // A last arm that leads where none leads decides nothing.
        while left.last().is_some_and(|(_, target)| *target == otherwise) {
            left.pop();
        }
        match left.is_empty() {
            true => go(otherwise),
            false => Action::Branch {
                arms: left.into(),
                otherwise,
            },
        }
    }

    fn call(&mut self, point: PointId, call: &Call) -> Call {
        let parameters = self.narrowing.locals(call.callee);
        Call {
            callee: call.callee,
            arguments: call
                .arguments
                .iter()
                .zip(parameters)
                .map(|(argument, domain)| self.fitted(point, *argument, domain))
                .collect(),
            assignments: self.assignments(point, &call.assignments).into(),
            // What is read on the return is not known before the call.
            targets: call
                .targets
                .iter()
                .map(|target| self.target(point, target, false))
                .collect(),
            next: call.next,
        }
    }

    fn assignments(
        &mut self,
        point: PointId,
        assignments: &[(Target, Value)],
    ) -> Vec<(Target, Value)> {
        let procedure = self.program.point(point).procedure;
        let mut all = Vec::with_capacity(assignments.len());
        for (target, value) in assignments {
            let value = match (value, target.cells()) {
                (Value::Of(expression), Some((first, _))) => {
                    let domain = self.narrowing.domain(self.program, procedure, first);
                    Value::Of(self.fitted(point, *expression, domain))
                }
                (Value::Of(expression), None) => Value::Of(self.expression(point, *expression)),
                (Value::Any, _) => Value::Any,
            };
            all.push((self.target(point, target, true), value));
        }
        all
    }

    fn target(&mut self, point: PointId, target: &Target, is_now: bool) -> Target {
        match target {
            Target::Element {
                first,
                count,
                index,
            } => {
                let index = match is_now {
                    true => self.write(point, *index, None),
                    false => self.write_later(point, *index),
                };
                Target::Element {
                    first: *first,
                    count: *count,
                    index,
                }
            }
            Target::Discard | Target::Cell(_) => *target,
        }
    }

    fn expression(&mut self, point: PointId, expression: Expression) -> Expression {
        self.write(point, expression, None)
    }

    /// The value of a cell with this domain: it is taken modulo its size.
    fn fitted(&mut self, point: PointId, expression: Expression, domain: Domain) -> Expression {
        self.write(point, expression, Some(domain))
    }

    fn write(
        &mut self,
        point: PointId,
        expression: Expression,
        domain: Option<Domain>,
    ) -> Expression {
        let tree = self.ranges.tree(point, expression);
        self.add(point, &tree, expression, domain)
    }

    fn write_later(&mut self, point: PointId, expression: Expression) -> Expression {
        let operations = self.program.expressions.operations(expression);
        let procedure = self.program.point(point).procedure;
        let all = |variable| Range::of(self.program.cell(procedure, variable).domain);
        let tree = Tree::new(operations, all);
        self.add(point, &tree, expression, None)
    }

    fn add(
        &mut self,
        point: PointId,
        tree: &Tree<'_>,
        expression: Expression,
        domain: Option<Domain>,
    ) -> Expression {
        let procedure = self.program.point(point).procedure;
        let mut operations = self.simplified(procedure, tree);
        if let Some(Domain::Integer { bits: kept }) = domain {
            while let Some(Operation::Wrap { bits, .. }) = operations.last()
                && *bits >= kept
            {
                operations.pop();
            }
        }
        match self.program.expressions.span_of(expression) {
            Some(span) => self.expressions.add_at(span, operations),
            None => self.expressions.add(operations),
        }
    }

    /// The operations of a tree, with what is known left out.
    fn simplified(&self, procedure: ProcedureId, tree: &Tree<'_>) -> Vec<Operation> {
        let mut parts: Vec<Part> = Vec::with_capacity(tree.operations.len());
        for (node, operation) in tree.operations.iter().enumerate() {
            let part = self.part(procedure, tree, node, *operation, &mut parts);
            parts.push(part);
        }
        parts
            .pop()
            .map_or(Vec::new(), |part| part.plain().operations)
    }

    fn part(
        &self,
        procedure: ProcedureId,
        tree: &Tree<'_>,
        node: usize,
        operation: Operation,
        parts: &mut [Part],
    ) -> Part {
        let is_truth = match operation {
            Operation::Read(variable) | Operation::ReadNext(variable) => {
                self.program.cell(procedure, variable).domain == Domain::Boolean
            }
            Operation::ReadElement { first, .. } => {
                self.program.cell(procedure, first).domain == Domain::Boolean
            }
            Operation::IfThenElse => parts[tree.operand(node, 1)].is_truth,
            _ => gives_truth(operation),
        };
        if let Some(number) = tree.estimates[node].constant() {
            return Part::constant(number, is_truth);
        }
        let mut take = |which: usize| std::mem::take(&mut parts[tree.operand(node, which)]);
        match operation {
            Operation::Read(_) | Operation::ReadNext(_) | Operation::ReadElement { .. } => {
                let mut operations = match operation.operands() {
                    0 => Vec::new(),
                    _ => take(0).plain().operations,
                };
                operations.push(operation);
                let (variable, _, _) = operation
                    .cells_read()
                    .expect("an operation that reads names a cell");
                let held = self.narrowing.width(procedure, variable);
                Part {
                    operations,
                    is_truth,
                    held: held.filter(|_| !is_truth),
                    is_small: held.is_some_and(|width| {
                        let natural = tree.estimates[node].interval;
                        natural.high < 1 << (width.bits - 1)
                    }),
                }
            }
            Operation::Wrap { bits, signed } => {
                let child = tree.operand(node, 0);
                let all = Interval::of_bits(bits, signed);
                let is_same = tree.estimates[child].interval.within(all.low, all.high);
                let part = take(0);
                match part.held {
                    Some(width) if signed && width.signed && bits == width.was => {
                        part.signed(width)
                    }
                    _ if is_same => part,
                    _ => part.plain().then(operation, false),
                }
            }
            // The sign does not matter.
            Operation::ToTruth => Part {
                held: None,
                ..take(0)
            }
            .then(operation, true),
            Operation::NumbersEqual => {
                let (a, b) = (take(0), take(1));
                let (a, b) = match (a.held, b.held) {
                    (Some(x), Some(y)) if x == y => {
                        // Equal bits are equal numbers.
                        (a.bare(), b.bare())
                    }
                    _ => (a.plain(), b.plain()),
                };
                a.and(b).then(operation, true)
            }
            Operation::IfThenElse => {
                let known = tree.estimates[tree.operand(node, 0)].constant();
                let (condition, yes, no) = (take(0), take(1), take(2));
                match known {
                    Some(0) => no,
                    Some(_) => yes,
                    None => {
                        let all = condition.plain().and(yes.plain()).and(no.plain());
                        all.then(operation, is_truth)
                    }
                }
            }
            Operation::And | Operation::Or => {
                let neutral = i128::from(operation == Operation::And);
                let known = |which: usize| tree.estimates[tree.operand(node, which)].constant();
                let (first, second) = (known(0), known(1));
                let (a, b) = (take(0), take(1));
                if first == Some(neutral) {
                    b
                } else if second == Some(neutral) {
                    a
                } else {
                    a.and(b).then(operation, true)
                }
            }
            Operation::Not => {
                let mut part = take(0);
                match part.operations.last() {
                    Some(Operation::Not) => {
                        part.operations.pop();
                        part
                    }
                    _ => part.then(operation, true),
                }
            }
            _ => {
                let mut all = Part::default();
                for which in 0..operation.operands() {
                    let part = take(which).plain();
                    let part = match is_arithmetic(operation) {
                        true => self.lowest_bits(procedure, part, tree.operand(node, which), tree),
                        false => part,
                    };
                    all = match which {
                        0 => part,
                        _ => all.and(part),
                    };
                }
                all.then(operation, is_truth)
            }
        }
    }
}

impl Writer<'_> {
    /// An operand that is what a cell holds, where fewer of its bits tell the number: the others are not
    /// looked at.
    fn lowest_bits(
        &self,
        procedure: ProcedureId,
        mut part: Part,
        node: usize,
        tree: &Tree<'_>,
    ) -> Part {
        let Some((Operation::Read(cell), wraps)) = part.operations.split_first() else {
            return part;
        };
        let Domain::Integer { bits } = self.narrowing.domain(self.program, procedure, *cell) else {
            return part;
        };
        let interval = tree.estimates[node].interval;
        let signed = interval.low < 0;
        let mut widths = 1..bits;
        let fits = |kept: &u8| {
            let all = Interval::of_bits(*kept, signed);
            interval.within(all.low, all.high)
        };
        let Some(kept) = widths.find(fits) else {
            return part;
        };
        let is_covered = |operation: &Operation| matches!(operation, Operation::Wrap { bits, .. } if *bits >= kept);
        if !wraps.iter().all(is_covered) {
            return part;
        }
        part.operations.truncate(1);
        part.then(Operation::Wrap { bits: kept, signed }, false)
    }
}

/// Whether the cost of an operation grows with the bits of its operands.
fn is_arithmetic(operation: Operation) -> bool {
    let is_bitwise = matches!(
        operation,
        Operation::BitAnd | Operation::BitOr | Operation::BitXor
    );
    operation.kind() == OperationKind::Arithmetic && !is_bitwise
}

/// The operations of a node.
#[derive(Default)]
struct Part {
    operations: Vec<Operation>,
    is_truth: bool,
    /// It is what a narrower cell holds; its sign has still to be extended.
    held: Option<Width>,
    /// As a natural number it has no sign in the narrower cell either.
    is_small: bool,
}

impl Part {
    fn constant(number: i128, is_truth: bool) -> Self {
        let magnitude = Operation::Number(number.unsigned_abs() as u64);
        let operations = match (is_truth, number < 0) {
            (true, _) => vec![Operation::Constant(number != 0)],
            (_, true) => vec![Operation::Number(0), magnitude, Operation::Subtract],
            (_, false) => vec![magnitude],
        };
        Part {
            operations,
            is_truth,
            ..Part::default()
        }
    }

    /// The natural number that the cell had when it was wide.
    fn plain(self) -> Self {
        match self.held {
            Some(width) if width.signed && !self.is_small => {
                let part = self.signed(width);
                let wide = Operation::Wrap {
                    bits: width.was,
                    signed: false,
                };
                part.then(wide, false)
            }
            _ => self.bare(),
        }
    }

    /// The number in two's complement.
    fn signed(self, width: Width) -> Self {
        match self.is_small {
            true => self.bare(),
            false => {
                let extend = Operation::Wrap {
                    bits: width.bits,
                    signed: true,
                };
                self.bare().then(extend, false)
            }
        }
    }

    fn bare(self) -> Self {
        Part { held: None, ..self }
    }

    fn then(mut self, operation: Operation, is_truth: bool) -> Self {
        self.operations.push(operation);
        Part { is_truth, ..self }
    }

    fn and(mut self, other: Part) -> Self {
        self.operations.extend(other.operations);
        self
    }
}

/// Whether an operation that reads no cell gives a truth value.
fn gives_truth(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Constant(_)
            | Operation::Choose
            | Operation::Not
            | Operation::And
            | Operation::Or
            | Operation::Xor
            | Operation::Equal
            | Operation::Implies
            | Operation::Schoose
            | Operation::Less
            | Operation::LessEqual
            | Operation::NumbersEqual
            | Operation::ToTruth
            | Operation::FalseIfUndefined
    )
}
