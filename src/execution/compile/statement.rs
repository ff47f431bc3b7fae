//! Statements: each is a few steps, and leaves nothing on the stack.

use super::{Compiler, Target, Task};
use crate::execution::code::{Block, Home, Instruction, StepKind, Switch};
use crate::source::Span;
use crate::typing::c::tree::{
    ExpressionId, LabelId, List, ObjectId, Statement, StatementId, StatementKind,
};

impl Compiler<'_> {
    pub(super) fn statement(&mut self, id: StatementId) {
        let Statement { kind, span } = self.program.statements[id.0 as usize];
        let emit = |instruction| Task::Emit(instruction, span);
        match kind {
            StatementKind::Empty => self.step(StepKind::Empty, span),
            StatementKind::Expression(value) => self.full(value, span),
            StatementKind::Value(value) => {
                let result = self.heights.last().map_or(0, |(_, result)| *result);
                self.plan([
                    Task::Begin(StepKind::Expression, span),
                    Task::Value(value),
                    emit(Instruction::Set(result)),
                    Task::End,
                ]);
            }
            StatementKind::Declaration(object, writes) => self.declaration(object, writes, span),
            StatementKind::Block(list) => {
                let block = self.enter(span);
                self.plan([Task::Leave(block)]);
                self.statements(list);
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let [no, end] = [self.target(), self.target()];
                if let Some(otherwise) = otherwise {
                    self.plan([
                        emit(Instruction::Jump(end.0)),
                        Task::Bind(no),
                        Task::Statement(otherwise),
                        Task::Bind(end),
                    ]);
                } else {
                    self.plan([Task::Bind(no)]);
                }
                self.plan([Task::Statement(then)]);
                self.branch(condition, span, Instruction::JumpIfFalse(no.0));
            }
            StatementKind::While { condition, body } => {
                let [head, end] = [self.target(), self.target()];
                self.exits.insert(id, (end, Some(head)));
                self.bind(head);
                self.plan([
                    Task::Statement(body),
                    emit(Instruction::Jump(head.0)),
                    Task::Bind(end),
                ]);
                self.branch(condition, span, Instruction::JumpIfFalse(end.0));
            }
            StatementKind::Do {
                body,
                condition,
                end: place,
            } => {
                let [head, next, end] = [self.target(), self.target(), self.target()];
                self.exits.insert(id, (end, Some(next)));
                self.bind(head);
                self.plan([
                    Task::Statement(body),
                    Task::Bind(next),
                    Task::Begin(StepKind::Branch, place),
                    Task::Value(condition),
                    emit(Instruction::JumpIfTrue(head.0)),
                    Task::End,
                    Task::Bind(end),
                ]);
            }
            StatementKind::For {
                initial,
                condition,
                step,
                body,
            } => self.for_loop(id, span, initial, (condition, step), body),
            StatementKind::Switch {
                value,
                cases,
                default,
                body,
            } => self.switch(id, span, (value, cases, default), body),
            StatementKind::Labelled(label, statement) => {
                let target = self.label(label);
                self.bind(target);
                let entry = &self.program.labels[label.0 as usize];
                if entry.name.is_some() {
                    self.step(StepKind::Label(label), entry.span);
                }
                self.plan([Task::Statement(statement)]);
            }
            StatementKind::Goto(label) => {
                self.step(StepKind::Goto, span);
                let target = self.label(label);
                self.leap_to(target, span);
            }
            StatementKind::Break(from) => {
                if let Some((end, _)) = self.exits.get(&from).copied() {
                    self.leap_to(end, span);
                }
            }
            StatementKind::Continue(from) => {
                if let Some((_, Some(next))) = self.exits.get(&from).copied() {
                    self.leap_to(next, span);
                }
            }
            StatementKind::Return(value) => {
                let last = match value {
                    Some(value) => {
                        self.plan([emit(Instruction::Return), Task::End]);
                        Task::Value(value)
                    }
                    None => {
                        self.plan([Task::End]);
                        emit(Instruction::ReturnNothing)
                    }
                };
                self.plan([Task::Begin(StepKind::Return, span), last]);
            }
            StatementKind::Abort(text) => {
                self.step(StepKind::Empty, span);
                self.emit(Instruction::Abort(text), span);
            }
            StatementKind::Halt => {
                self.step(StepKind::Empty, span);
                self.emit(Instruction::Halt, span);
            }
            StatementKind::Outside(outside) => {
                self.step(StepKind::Expression, span);
                self.emit(Instruction::Outside(outside), span);
            }
        }
    }

    fn leap_to(&mut self, target: Target, span: Span) {
        let leap = self.jump_to(target, None);
        self.emit(Instruction::Leap(leap), span);
    }

    fn statements(&mut self, list: List) {
        let statements = &self.program.blocks[list.start as usize..list.end as usize];
        let tasks = statements.iter().rev().map(|id| Task::Statement(*id));
        self.tasks.extend(tasks);
    }

    /// An expression that is evaluated for what it does.
    fn full(&mut self, value: ExpressionId, span: Span) {
        self.plan([
            Task::Begin(StepKind::Expression, span),
            Task::Value(value),
            Task::End,
            Task::Emit(Instruction::Pop, span),
        ]);
    }

    /// A condition, and what follows from it.
    fn branch(&mut self, condition: ExpressionId, span: Span, jump: Instruction) {
        self.plan([
            Task::Begin(StepKind::Branch, span),
            Task::Value(condition),
            Task::Emit(jump, span),
            Task::End,
        ]);
    }

    fn enter(&mut self, span: Span) -> u32 {
        self.code.blocks.push(Block {
            parent: Some(self.block),
            ..Block::default()
        });
        self.block = self.code.blocks.len() as u32 - 1;
        self.emit(Instruction::Enter(self.block), span);
        self.block
    }

    pub(super) fn leave(&mut self, block: u32) {
        let entry = &self.code.blocks[block as usize];
        let parent = entry.parent.unwrap_or(0);
        if !entry.slots.is_empty() {
            self.emit(Instruction::Leave(block), Span::default());
        }
        self.block = parent;
    }

    fn declaration(&mut self, id: ObjectId, writes: List, span: Span) {
        let home = self.declare(id);
        let object = &self.program.objects[id.0 as usize];
        let type_id = object.qualified.id;
        let declare = match home {
            Home::Static => return,
            Home::Slot(slot) if self.program.types.has_variable_size(type_id) => {
                let length = crate::typing::c::tree::Length::Incomplete;
                Instruction::DeclareVariable(slot, self.extent(type_id, length))
            }
            Home::Slot(_) | Home::Register(_) if writes.is_empty() => Instruction::Declare(id),
            Home::Slot(_) | Home::Register(_) => Instruction::Prepare(id),
        };
        if writes.is_empty() {
            return self.emit(declare, span);
        }
        self.declaring = object.name.is_some();
        self.plan([
            Task::Begin(StepKind::Expression, span),
            Task::Emit(declare, span),
            Task::Writes(writes, span),
            Task::End,
        ]);
    }

    fn for_loop(
        &mut self,
        id: StatementId,
        span: Span,
        initial: Option<StatementId>,
        (condition, step): (Option<ExpressionId>, Option<ExpressionId>),
        body: StatementId,
    ) {
        let block = self.enter(span);
        let [head, next, end] = [self.target(), self.target(), self.target()];
        self.exits.insert(id, (end, Some(next)));
        self.plan([
            Task::Emit(Instruction::Jump(head.0), span),
            Task::Bind(end),
            Task::Leave(block),
        ]);
        if let Some(step) = step {
            self.full(step, self.expression(step).span);
        }
        self.plan([Task::Statement(body), Task::Bind(next)]);
        match condition {
            Some(condition) => {
                let span = self.expression(condition).span;
                self.branch(condition, span, Instruction::JumpIfFalse(end.0));
            }
            // Each round is a step, even if nothing is asked.
            None => self.plan([Task::Begin(StepKind::Branch, span), Task::End]),
        }
        self.plan([Task::Bind(head)]);
        let Some(initial) = initial else {
            return;
        };
        match self.program.statements[initial.0 as usize].kind {
            // What it declares lives as long as the loop.
            StatementKind::Block(list) => self.statements(list),
            _ => self.plan([Task::Statement(initial)]),
        }
    }

    fn switch(
        &mut self,
        id: StatementId,
        span: Span,
        (value, cases, default): (ExpressionId, List, Option<LabelId>),
        body: StatementId,
    ) {
        let end = self.target();
        self.exits.insert(id, (end, None));
        let cases = &self.program.cases[cases.start as usize..cases.end as usize];
        let mut jumps = Vec::with_capacity(cases.len());
        for case in cases {
            let target = self.label(case.label);
            let label = self.program.labels[case.label.0 as usize].span;
            jumps.push((case.low, case.high, self.jump_to(target, Some(label))));
        }
        jumps.sort_unstable();
        let otherwise = default.map_or(end, |label| self.label(label));
        let label = default.map(|label| self.program.labels[label.0 as usize].span);
        let switch = Switch {
            scalar: self.scalar_of(value),
            cases: jumps,
            otherwise: self.jump_to(otherwise, label),
        };
        self.code.switches.push(switch);
        let index = self.code.switches.len() as u32 - 1;
        self.plan([Task::Statement(body), Task::Bind(end)]);
        self.branch(value, span, Instruction::Switch(index));
    }

    pub(super) fn end_statement_expression(&mut self, span: Span) {
        if let Some((kind, span)) = self.full.last().copied() {
            self.fresh_step(kind, span);
        }
        if let Some((_, result)) = self.heights.pop() {
            self.emit(Instruction::Load(result), span);
        }
    }
}
