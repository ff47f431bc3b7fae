//! Expressions: what is evaluated first, and what becomes of the operands.

use super::body::{Body, Loop, Task, as_scalar, cells};
use super::layout::{Layout, NodeKind};
use super::points_to::Target;
use super::reach::{LONGEST_TERM, is_ignored};
use super::step::Value;
use super::term::{Scalar, Term};
use crate::program::VariableId;
use crate::typing::c::tree::{
    Callee, Expression, ExpressionId, ExpressionKind, Moment, PlaceId, PlaceKind, StatementKind,
    Type, TypeId,
};
use std::rc::Rc;

impl Body<'_, '_> {
    fn get(&self, id: ExpressionId) -> Expression {
        self.unit.typed.expressions[id.0 as usize]
    }

    pub fn type_of(&self, id: ExpressionId) -> TypeId {
        self.get(id).type_id
    }

    fn push_term(&mut self, term: Term) {
        let term = match term.len() > LONGEST_TERM as usize {
            true => self.short(term),
            false => term,
        };
        self.values.push(Value::Scalar(term));
    }

    /// Whether the value on top is not 0.
    pub fn truth(&mut self) {
        let term = self.pop_term();
        self.push_term(term.into_truth());
    }

    /// Evaluates an expression, or puts it off until its parts are there.
    pub fn expression(&mut self, id: ExpressionId) {
        let Expression {
            kind,
            type_id,
            span,
        } = self.get(id);
        match kind {
            ExpressionKind::Constant(number) => {
                let term = Term::number(number);
                let scalar = self.unit.scalar(type_id);
                self.push_term(scalar.map_or(term.clone(), |scalar| as_scalar(term, scalar)));
            }
            ExpressionKind::Null => self.push_term(Term::number(0)),
            ExpressionKind::Function(function) => {
                let code = self
                    .unit
                    .addresses
                    .class(id)
                    .code(Target::Function(function));
                self.push_term(Term::number(code.unwrap_or(0)));
            }
            ExpressionKind::Load(place) => {
                self.tasks.push(Task::Finish(id));
                self.tasks.push(Task::Place(place));
            }
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                match self.unit.typed.places[place.0 as usize].kind {
                    // The same pointer.
                    PlaceKind::Target(pointer) => self.tasks.push(Task::Expression(pointer)),
                    _ => {
                        self.tasks.push(Task::Finish(id));
                        self.place_of_address(place);
                    }
                }
            }
            ExpressionKind::Convert(_, operand) | ExpressionKind::Unary(_, operand) => {
                self.tasks.push(Task::Finish(id));
                self.tasks.push(Task::Expression(operand));
            }
            ExpressionKind::Binary(_, a, b) | ExpressionKind::PointerDifference(a, b) => {
                self.both(Task::Finish(id), a, b);
            }
            ExpressionKind::PointerAdd { pointer, index, .. } => {
                self.both(Task::Finish(id), pointer, index);
            }
            ExpressionKind::Assign(place, value) => {
                self.tasks.push(Task::Finish(id));
                self.tasks.push(Task::Expression(value));
                self.tasks.push(Task::Place(place));
            }
            ExpressionKind::Update { place, value, .. } => {
                self.tasks.push(Task::Finish(id));
                self.tasks.push(Task::Expression(value));
                self.tasks.push(Task::Old(id));
                self.tasks.push(Task::Place(place));
            }
            ExpressionKind::Old(place) => {
                let open = self.olds.iter().rev().find(|(of, _)| *of == place);
                let old = open.map_or(Value::Void, |(_, old)| old.clone());
                self.values.push(old);
            }
            ExpressionKind::And(a, _) | ExpressionKind::Or(a, _) => {
                self.tasks.push(Task::Second(id));
                self.tasks.push(Task::Expression(a));
            }
            ExpressionKind::Conditional { condition, .. } => {
                self.tasks.push(Task::Second(id));
                self.tasks.push(Task::Expression(condition));
            }
            ExpressionKind::Elvis { value, .. } => {
                self.tasks.push(Task::Second(id));
                self.tasks.push(Task::Expression(value));
            }
            ExpressionKind::Comma(a, b) => {
                self.tasks.push(Task::Expression(b));
                self.tasks.push(Task::Drop);
                self.tasks.push(Task::Expression(a));
            }
            ExpressionKind::Call(callee, list) => {
                self.tasks.push(Task::Finish(id));
                let typed = self.unit.typed;
                let ignores = self.ignores_arguments(callee);
                for argument in typed.arguments[list.indices()].iter().rev() {
                    match ignores && is_ignored(typed, *argument) {
                        true => {}
                        false => self.tasks.push(Task::Expression(*argument)),
                    }
                }
                if let Callee::Pointer(pointer) = callee {
                    self.tasks.push(Task::Expression(pointer));
                }
            }
            ExpressionKind::Builtin(_, list) => {
                self.tasks.push(Task::Finish(id));
                let arguments = &self.unit.typed.arguments[list.indices()];
                let arguments = arguments.iter().rev().copied();
                self.tasks.extend(arguments.map(Task::Expression));
            }
            ExpressionKind::Statement(statement) => {
                self.keep_all();
                self.flush();
                if !self.has_value(statement) {
                    self.values.push(Value::Void);
                }
                self.tasks.push(Task::Span(self.span));
                self.tasks.push(Task::Statement(statement));
            }
            ExpressionKind::Outside(what) => {
                let what = what.describe(&self.unit.typed.names);
                self.outside(span, what);
                let value = self.nothing(type_id);
                self.values.push(value);
            }
        }
    }

    fn has_value(&self, statement: crate::typing::c::tree::StatementId) -> bool {
        let typed = self.unit.typed;
        let StatementKind::Block(list) = typed.statements[statement.0 as usize].kind else {
            return false;
        };
        let last = typed.blocks[list.indices()].last();
        last.is_some_and(|last| {
            matches!(
                typed.statements[last.0 as usize].kind,
                StatementKind::Value(_)
            )
        })
    }

    fn both(&mut self, then: Task, a: ExpressionId, b: ExpressionId) {
        self.tasks.push(then);
        self.tasks.push(Task::Expression(b));
        self.tasks.push(Task::Expression(a));
    }

    /// Any value of a type, where nothing gets to.
    pub fn nothing(&mut self, type_id: TypeId) -> Value {
        match self.unit.scalar(type_id) {
            Some(Scalar::Truth) => Value::Scalar(Term::truth(false)),
            Some(_) => Value::Scalar(Term::number(0)),
            None => match self.unit.layouts.of(type_id) {
                Some(layout) => Value::Record(vec![Term::number(0); layout.cells as usize]),
                None => Value::Void,
            },
        }
    }

    /// The operands of an expression are there.
    pub fn finish(&mut self, id: ExpressionId) {
        let Expression {
            kind,
            type_id,
            span,
        } = self.get(id);
        match kind {
            ExpressionKind::Load(place) => {
                if let Some(spot) = self.spots.pop() {
                    let value = self.load(spot, self.place_type(place));
                    self.values.push(value);
                }
            }
            ExpressionKind::Address(_) | ExpressionKind::Decay(_) => {
                if let Some(spot) = self.spots.pop() {
                    let address = self.address(spot, id, span);
                    self.push_term(address);
                }
            }
            ExpressionKind::Convert(conversion, operand) => {
                let value = self.pop();
                let value = self.convert(conversion, value, operand, type_id, span);
                self.values.push(value);
            }
            ExpressionKind::Unary(operator, operand) => {
                let term = self.pop_term();
                let term = self.unary(operator, term, self.type_of(operand), span);
                self.push_term(term);
            }
            ExpressionKind::Binary(operator, left, _) => {
                let (b, a) = (self.pop_term(), self.pop_term());
                let operand = self.type_of(left);
                let term = match self.unit.typed.types.get(operand) {
                    Type::Pointer(_) => self.compare_pointers(operator, (a, left), b, span),
                    _ => self.binary(operator, a, b, operand, span),
                };
                self.push_term(term);
            }
            ExpressionKind::PointerAdd {
                pointer, subtract, ..
            } => {
                let (index, from) = (self.pop_term(), self.pop_term());
                let term = self.pointer_add((from, pointer), index, subtract, span);
                self.push_term(term);
            }
            ExpressionKind::PointerDifference(pointer, _) => {
                let (b, a) = (self.pop_term(), self.pop_term());
                let term = self.pointer_difference((a, pointer), b, span);
                self.push_term(term);
            }
            ExpressionKind::Assign(place, _) => {
                let value = self.pop();
                if let Some(spot) = self.spots.pop() {
                    let value = self.store(spot, value, self.place_type(place));
                    self.values.push(value);
                }
            }
            ExpressionKind::Update { place, gives, .. } => {
                let value = self.pop();
                let old = self.olds.pop().map_or(Value::Void, |(_, old)| old);
                if let Some(spot) = self.spots.pop() {
                    // What is given must survive the write.
                    self.olds.push((place, old));
                    let new = self.store(spot, value, self.place_type(place));
                    let old = self.olds.pop().map_or(Value::Void, |(_, old)| old);
                    self.values.push(match gives {
                        Moment::Before => old,
                        Moment::After => new,
                    });
                }
            }
            ExpressionKind::And(..) | ExpressionKind::Or(..) => {
                let second = self.pop_term();
                let first = self.pop_term();
                let is_and = matches!(kind, ExpressionKind::And(..));
                self.close_branch();
                self.push_term(match is_and {
                    true => first.and(second),
                    false => first.or(second),
                });
            }
            ExpressionKind::Conditional { .. } | ExpressionKind::Elvis { .. } => {
                let (no, yes, condition) = (self.pop_term(), self.pop_term(), self.pop_term());
                self.close_branch();
                self.push_term(Term::if_then_else(condition, yes, no));
            }
            ExpressionKind::Call(callee, list) => self.call(id, callee, list, span),
            ExpressionKind::Builtin(builtin, list) => {
                self.builtin(builtin, list, type_id, span);
            }
            _ => {}
        }
    }

    /// A branch of a term begins, which is looked at only under a condition.
    fn open_branch(&mut self, condition: Term) {
        self.branches.push((self.step.guards.len(), condition));
    }

    /// What must hold in the branch, must hold under its condition only.
    fn close_branch(&mut self) {
        if let Some((from, condition)) = self.branches.pop() {
            for guard in &mut self.step.guards[from..] {
                let holds = std::mem::replace(&mut guard.holds, Term::truth(true));
                guard.holds = condition.clone().not().or(holds);
            }
        }
    }

    /// The first operand is there: it may decide, choose between terms, or between steps.
    pub fn second(&mut self, id: ExpressionId) {
        let Expression { kind, type_id, .. } = self.get(id);
        let first = self.pop_term();
        let known = first.known_truth();
        match kind {
            ExpressionKind::And(_, b) | ExpressionKind::Or(_, b) => {
                let is_and = matches!(kind, ExpressionKind::And(..));
                let first = first.into_truth();
                if known == Some(!is_and) {
                    return self.push_term(Term::truth(!is_and));
                }
                if known.is_none() && self.is_simple(b) {
                    let first = self.settled(first);
                    let looked_at = match is_and {
                        true => first.clone(),
                        false => first.clone().not(),
                    };
                    self.push_term(first);
                    self.open_branch(looked_at);
                    self.tasks.push(Task::Finish(id));
                    self.tasks.push(Task::Expression(b));
                    return;
                }
                if known.is_some() {
                    self.tasks.push(Task::Truth);
                    self.tasks.push(Task::Expression(b));
                    return;
                }
                self.push_term(first);
                self.keep_all();
                let first = self.pop_term();
                let result = vec![(self.temporary(Scalar::Truth), Scalar::Truth)];
                let (yes, no) = (self.assembler.mark(), self.assembler.mark());
                let join = self.assembler.mark();
                let (decided, open) = if is_and { (no, yes) } else { (yes, no) };
                self.fork(first, yes, no);
                self.assembler.set(decided);
                self.push_term(Term::truth(!is_and));
                self.end_branch(&result, Some(join), open);
                self.tasks.push(Task::Join(result.clone(), id, join));
                self.tasks.push(Task::EndBranch(result, None, join));
                self.tasks.push(Task::Expression(b));
            }
            ExpressionKind::Conditional { yes, no, .. } => {
                if let Some(known) = known {
                    self.tasks
                        .push(Task::Expression(if known { yes } else { no }));
                    return;
                }
                let condition = first.into_truth();
                if self.is_simple(yes) && self.is_simple(no) {
                    let condition = self.settled(condition);
                    self.push_term(condition.clone());
                    self.open_branch(condition);
                    self.tasks.push(Task::Third(id));
                    self.tasks.push(Task::Expression(yes));
                    return;
                }
                self.fork_values(condition, id, Some(yes), no);
            }
            ExpressionKind::Elvis {
                value,
                conversion,
                no,
            } => {
                let span = self.get(value).span;
                let first = match self.is_simple(no) {
                    true => self.settled(first),
                    false => {
                        self.push_term(first);
                        self.keep_all();
                        self.pop_term()
                    }
                };
                let yes = match conversion {
                    Some(conversion) => {
                        let converted = Value::Scalar(first.clone());
                        self.convert(conversion, converted, value, type_id, span)
                            .term()
                    }
                    None => first.clone(),
                };
                let condition = first.into_truth();
                if self.is_simple(no) {
                    self.push_term(condition.clone());
                    self.push_term(yes);
                    self.open_branch(condition.not());
                    self.tasks.push(Task::Finish(id));
                    self.tasks.push(Task::Expression(no));
                    return;
                }
                self.push_term(yes);
                self.fork_values(condition, id, None, no);
            }
            _ => {}
        }
    }

    /// The first branch of a `?:` is a term: the second follows.
    pub fn third(&mut self, id: ExpressionId) {
        if let ExpressionKind::Conditional { no, .. } = self.get(id).kind {
            let condition = self.branches.last().map(|(_, condition)| condition.clone());
            self.close_branch();
            self.open_branch(condition.unwrap_or(Term::truth(true)).not());
            self.tasks.push(Task::Finish(id));
            self.tasks.push(Task::Expression(no));
        }
    }

    /// Whether an expression is a term that may be a branch of another. Inside one, all are.
    fn is_simple(&self, id: ExpressionId) -> bool {
        self.is_inline() || self.unit.reach.is_term(id)
    }

    /// The same term, once nothing is left to be written: branches of terms make no steps.
    fn settled(&mut self, term: Term) -> Term {
        if self.is_inline() || !self.step.writes() {
            return term;
        }
        self.push_term(term);
        self.flush();
        self.pop_term()
    }

    /// Control goes one way or the other.
    pub fn fork(
        &mut self,
        condition: Term,
        yes: super::assembler::Mark,
        no: super::assembler::Mark,
    ) {
        let condition = self.add_truth(condition);
        self.assembler.branch(self.span, vec![(condition, yes)], no);
    }

    /// Two branches that are steps; the first is a value that is there if no expression is given.
    fn fork_values(
        &mut self,
        condition: Term,
        id: ExpressionId,
        first: Option<ExpressionId>,
        second: ExpressionId,
    ) {
        self.push_term(condition);
        self.keep_all();
        let condition = self.pop_term();
        let result = self.result_cells(id);
        let (yes, no, join) = (
            self.assembler.mark(),
            self.assembler.mark(),
            self.assembler.mark(),
        );
        self.fork(condition, yes, no);
        self.assembler.set(yes);
        self.tasks.push(Task::Join(result.clone(), id, join));
        self.tasks.push(Task::EndBranch(result.clone(), None, join));
        self.tasks.push(Task::Expression(second));
        self.tasks.push(Task::EndBranch(result, Some(join), no));
        self.tasks.extend(first.map(Task::Expression));
    }

    /// Hidden cells for the value of an expression.
    pub fn result_cells(&mut self, id: ExpressionId) -> Vec<(VariableId, Scalar)> {
        let value = self.unit.value_scalars(id);
        self.hidden_cells(value)
    }

    /// Hidden cells for a value.
    pub fn hidden_cells(
        &mut self,
        value: Option<(Rc<Layout>, Rc<[Scalar]>)>,
    ) -> Vec<(VariableId, Scalar)> {
        match value {
            Some((layout, scalars)) => match (&layout.nodes[0].kind, &scalars[..]) {
                (NodeKind::Scalar(_), [scalar]) => vec![(self.temporary(*scalar), *scalar)],
                _ => cells(&self.hidden_row(layout, scalars)),
            },
            None => Vec::new(),
        }
    }

    /// A branch ends: its value goes into the cells. Control jumps, and the mark is set.
    pub fn end_branch(
        &mut self,
        result: &[(VariableId, Scalar)],
        jump: Option<super::assembler::Mark>,
        mark: super::assembler::Mark,
    ) {
        let mut value = self.pop();
        for ((cell, scalar), term) in result.iter().zip(value.terms()) {
            self.write_cell(*cell, *scalar, term.clone());
        }
        self.flush();
        if let Some(jump) = jump {
            self.assembler.jump(jump);
            self.assembler.set(mark);
        }
    }

    /// Both branches have ended.
    pub fn join(
        &mut self,
        result: Vec<(VariableId, Scalar)>,
        id: ExpressionId,
        join: super::assembler::Mark,
    ) {
        self.assembler.set(join);
        let terms: Vec<Term> = result
            .into_iter()
            .map(|(cell, scalar)| Term::read(cell, scalar))
            .collect();
        let type_id = self.type_of(id);
        let is_scalar = self.unit.scalar(type_id).is_some();
        self.values.push(match terms.is_empty() {
            true => Value::Void,
            false if is_scalar => terms.into_iter().next().map_or(Value::Void, Value::Scalar),
            false => Value::Record(terms),
        });
    }

    /// The place of an update is there: it is read.
    pub fn read_old(&mut self, id: ExpressionId) {
        if let ExpressionKind::Update { place, .. } = self.get(id).kind
            && let Some(spot) = self.spots.pop()
        {
            self.spots.push(spot.clone());
            let old = self.load(spot, self.place_type(place));
            self.olds.push((place, old));
        }
    }

    pub fn place_type(&self, id: PlaceId) -> TypeId {
        self.unit.typed.places[id.0 as usize].type_id
    }

    pub fn loop_of(&self, id: crate::typing::c::tree::StatementId) -> Option<Loop> {
        self.loops.get(&id).copied()
    }
}
