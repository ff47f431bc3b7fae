//! Statements: control, and the initialisers of objects.

use super::assembler::Mark;
use super::body::{Body, Loop, Task};
use super::origin::{Occasion, PointKind};
use super::step::Value;
use super::term::Term;
use crate::program::Expression;
use crate::source::Span;
use crate::typing::c::tree::{
    ExpressionId, LabelId, List, ObjectId, StatementId, StatementKind, Storage, Write, Written,
};

impl Body<'_, '_> {
    fn kind(&self, id: StatementId) -> StatementKind {
        self.unit.typed.statements[id.0 as usize].kind
    }

    fn mark_of(&mut self, label: LabelId) -> Mark {
        let assembler = &mut self.assembler;
        *self
            .label_marks
            .entry(label)
            .or_insert_with(|| assembler.mark())
    }

    /// Notes the blocks around each label of the function.
    pub fn find_labels(&mut self, block: StatementId) {
        enum Visit {
            Enter(StatementId),
            Leave,
        }
        let typed = self.unit.typed;
        let mut blocks: Vec<StatementId> = Vec::new();
        let mut visits = vec![Visit::Enter(block)];
        while let Some(visit) = visits.pop() {
            let Visit::Enter(id) = visit else {
                blocks.pop();
                continue;
            };
            match self.kind(id) {
                StatementKind::Block(list) => {
                    blocks.push(id);
                    visits.push(Visit::Leave);
                    let statements = typed.blocks[list.indices()].iter().rev();
                    visits.extend(statements.map(|id| Visit::Enter(*id)));
                }
                StatementKind::Labelled(label, statement) => {
                    self.label_blocks.insert(label, blocks.clone());
                    visits.push(Visit::Enter(statement));
                }
                StatementKind::If {
                    then, otherwise, ..
                } => {
                    visits.extend(otherwise.map(Visit::Enter));
                    visits.push(Visit::Enter(then));
                }
                StatementKind::While { body, .. }
                | StatementKind::Do { body, .. }
                | StatementKind::Switch { body, .. } => visits.push(Visit::Enter(body)),
                StatementKind::For { initial, body, .. } => {
                    blocks.push(id);
                    visits.push(Visit::Leave);
                    visits.push(Visit::Enter(body));
                    visits.extend(initial.map(Visit::Enter));
                }
                _ => {}
            }
        }
    }

    /// The objects that begin to live where control jumps to a label from here.
    fn entered(&self, label: LabelId) -> Vec<ObjectId> {
        let Some(around) = self.label_blocks.get(&label) else {
            return Vec::new();
        };
        let entered = around.iter().filter(|block| !self.blocks.contains(block));
        let mut objects = Vec::new();
        for block in entered {
            let declared = match self.kind(*block) {
                StatementKind::Block(list) => list,
                StatementKind::For {
                    initial: Some(initial),
                    ..
                } => match self.kind(initial) {
                    StatementKind::Block(list) => list,
                    _ => continue,
                },
                _ => continue,
            };
            objects.extend(self.declared(declared));
        }
        objects
    }

    /// The locals that a block declares.
    fn declared(&self, list: List) -> impl Iterator<Item = ObjectId> {
        let typed = self.unit.typed;
        let statements = typed.blocks[list.indices()].iter();
        let objects = statements.filter_map(|statement| match self.kind(*statement) {
            StatementKind::Declaration(object, _) => Some(object),
            _ => None,
        });
        objects.filter(|object| typed.objects[object.0 as usize].storage == Storage::Automatic)
    }

    /// What control may come to in a block past its declaration begins with the block.
    fn enter_block(&mut self, list: List) {
        if self.unit.skipped.is_empty() {
            return;
        }
        let skipped = self
            .declared(list)
            .filter(|id| self.unit.skipped.contains(id));
        let skipped: Vec<ObjectId> = skipped.collect();
        for object in skipped {
            self.forget(object, Occasion::Block);
        }
    }

    pub fn statement(&mut self, id: StatementId) {
        let typed = self.unit.typed;
        let statement = typed.statements[id.0 as usize];
        self.span = statement.span;
        match statement.kind {
            StatementKind::Empty => self.assembler.skip(statement.span),
            StatementKind::Expression(expression) => self.full(expression),
            StatementKind::Value(expression) => {
                if self.unit.options.keeps_steps && !self.is_inline() {
                    self.flush();
                    self.assembler.skip(statement.span);
                }
                self.tasks.push(Task::Expression(expression));
            }
            StatementKind::Declaration(object, list) => {
                if typed.objects[object.0 as usize].storage != Storage::Automatic {
                    return;
                }
                if self.home(object).is_none() {
                    self.outside(statement.span, self.why_outside(object));
                    self.flush();
                    return;
                }
                self.begin_variable(object, statement.span);
                let by_itself = self.unit.initialised_by_themselves.contains(&object);
                if by_itself || !self.is_covered(object, list) {
                    self.forget(object, Occasion::Declaration);
                }
                self.tasks.push(Task::EndFull(self.in_use()));
                self.tasks.push(Task::Writes(list, list.start));
            }
            StatementKind::Block(list) => {
                self.blocks.push(id);
                self.enter_block(list);
                self.tasks.push(Task::LeaveBlock);
                let statements = typed.blocks[list.indices()].iter().rev();
                self.tasks.extend(statements.map(|id| Task::Statement(*id)));
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let [yes, no, after] = self.marks();
                self.tasks.push(Task::SetMark(after));
                self.tasks.extend(otherwise.map(Task::Statement));
                self.tasks.push(Task::SetMark(no));
                self.tasks.push(Task::Jump(after));
                self.tasks.push(Task::Statement(then));
                self.tasks.push(Task::SetMark(yes));
                self.test(condition, yes, no);
            }
            StatementKind::While { condition, body } => {
                let Loop { after, again, .. } = self.begin_loop(id);
                self.assembler.set(again);
                self.assembler.note_loop(id, again);
                let [inside] = self.marks();
                self.tasks.push(Task::SetMark(after));
                self.tasks.push(Task::Jump(again));
                self.tasks.push(Task::Statement(body));
                self.tasks.push(Task::SetMark(inside));
                self.test(condition, inside, after);
            }
            StatementKind::Do {
                body,
                condition,
                end,
            } => {
                let Loop { after, again, .. } = self.begin_loop(id);
                let [inside] = self.marks();
                self.assembler.note_loop(id, again);
                self.assembler.set(inside);
                self.tasks.push(Task::SetMark(after));
                self.test(condition, inside, after);
                self.tasks.push(Task::Span(end));
                self.tasks.push(Task::SetMark(again));
                self.tasks.push(Task::Statement(body));
            }
            StatementKind::For {
                initial,
                condition,
                step,
                body,
            } => {
                self.blocks.push(id);
                let Loop { after, again, .. } = self.begin_loop(id);
                let [head, inside] = self.marks();
                self.assembler.note_loop(id, head);
                self.tasks.push(Task::LeaveBlock);
                self.tasks.push(Task::SetMark(after));
                self.tasks.push(Task::Jump(head));
                if let Some(step) = step {
                    self.full(step);
                    let span = typed.expressions[step.0 as usize].span;
                    self.tasks.push(Task::Span(span));
                }
                self.tasks.push(Task::SetMark(again));
                self.tasks.push(Task::Statement(body));
                self.tasks.push(Task::SetMark(inside));
                match condition {
                    Some(condition) => self.test(condition, inside, after),
                    None => self.tasks.push(Task::Skip),
                }
                let span = condition.map(|id| typed.expressions[id.0 as usize].span);
                self.tasks.push(Task::Span(span.unwrap_or(statement.span)));
                self.tasks.push(Task::SetMark(head));
                self.tasks.extend(initial.map(Task::Statement));
            }
            StatementKind::Switch { value, .. } => {
                self.begin_loop(id);
                self.tasks.push(Task::EndFull(self.in_use()));
                self.tasks.push(Task::Resume(id));
                self.tasks.push(Task::Expression(value));
            }
            StatementKind::Labelled(label, inner) => {
                let mark = self.mark_of(label);
                self.assembler.set(mark);
                let written = typed.labels[label.0 as usize];
                if let Some(name) = written.name {
                    let point = self.assembler.count();
                    self.assembler.skip(written.span);
                    self.assembler.note_label(label);
                    self.named.push((point, name));
                }
                self.tasks.push(Task::Statement(inner));
            }
            StatementKind::Goto(label) => {
                self.assembler.skip(statement.span);
                let around = self.label_blocks.get(&label).cloned().unwrap_or_default();
                let left = self.blocks.iter().copied();
                let left: Vec<_> = left.filter(|block| !around.contains(block)).collect();
                self.leave_blocks(&left);
                for object in self.entered(label) {
                    self.forget(object, Occasion::Jump);
                }
                let mark = self.mark_of(label);
                self.assembler.jump(mark);
            }
            StatementKind::Break(of) => {
                if let Some(marks) = self.loop_of(of) {
                    let left = self.blocks[marks.depth..].to_vec();
                    self.leave_blocks(&left);
                    self.assembler.jump(marks.after);
                }
            }
            StatementKind::Continue(of) => {
                if let Some(marks) = self.loop_of(of) {
                    let left = self.blocks[marks.depth..].to_vec();
                    self.leave_blocks(&left);
                    self.assembler.jump(marks.again);
                }
            }
            StatementKind::Return(value) => match value {
                Some(value) => {
                    self.tasks.push(Task::EndFull(self.in_use()));
                    self.tasks.push(Task::Resume(id));
                    self.tasks.push(Task::Expression(value));
                }
                None => self.give_back(None, statement.span),
            },
            StatementKind::Abort(text) => {
                let what = text.map_or("the rule is violated", |text| typed.names.text(text));
                let what = what.to_owned();
                self.stop(statement.span, PointKind::Rule { what });
            }
            StatementKind::Halt => self.stop(statement.span, PointKind::Step),
            StatementKind::Outside(what) => {
                let what = what.describe(&typed.names);
                self.outside(statement.span, what);
                self.flush();
            }
        }
    }

    /// Nothing gets past this.
    fn stop(&mut self, span: Span, kind: PointKind) {
        self.flush();
        self.gate();
        let action = self.failing(&kind);
        self.assembler.last(span, kind, action);
    }

    fn begin_loop(&mut self, id: StatementId) -> Loop {
        let marks = Loop {
            after: self.assembler.mark(),
            again: self.assembler.mark(),
            depth: self.blocks.len(),
        };
        self.loops.insert(id, marks);
        marks
    }

    fn marks<const N: usize>(&mut self) -> [Mark; N] {
        std::array::from_fn(|_| self.assembler.mark())
    }

    /// Evaluates a condition and goes on at one mark or the other.
    fn test(&mut self, condition: ExpressionId, yes: Mark, no: Mark) {
        self.tasks.push(Task::EndFull(self.in_use()));
        self.tasks.push(Task::Branch(yes, no));
        self.tasks.push(Task::Expression(condition));
    }

    /// A branch on the value on top: a step even if it is known where it goes.
    pub fn branch(&mut self, yes: Mark, no: Mark) {
        self.flush();
        let condition = self.pop_term();
        match condition.known_truth() {
            None => self.fork(condition, yes, no),
            Some(known) => {
                self.assembler.skip(self.span);
                self.assembler.jump(if known { yes } else { no });
            }
        }
    }

    /// Goes on in a statement whose value is there.
    pub fn resume(&mut self, id: StatementId) {
        let typed = self.unit.typed;
        let statement = typed.statements[id.0 as usize];
        match statement.kind {
            StatementKind::Switch {
                cases,
                default,
                body,
                ..
            } => {
                self.flush();
                let value = self.pop_term();
                let value = self.short(value);
                let Some(marks) = self.loop_of(id) else {
                    return;
                };
                let mut arms: Vec<(Expression, _)> = Vec::new();
                let mut targets = Vec::new();
                for case in &typed.cases[cases.indices()] {
                    let is_it = value.clone().within(case.low, case.high);
                    if is_it.constant() == Some(0) {
                        continue;
                    }
                    let mark = self.assembler.mark();
                    arms.push((self.add_truth(is_it), mark));
                    targets.push((mark, case.label));
                }
                let otherwise = match default {
                    Some(label) => {
                        let mark = self.assembler.mark();
                        targets.push((mark, label));
                        mark
                    }
                    None => marks.after,
                };
                self.assembler.branch(statement.span, arms, otherwise);
                for (mark, label) in targets {
                    self.assembler.set(mark);
                    for object in self.entered(label) {
                        self.forget(object, Occasion::Jump);
                    }
                    let to = self.mark_of(label);
                    self.assembler.jump(to);
                }
                self.tasks.push(Task::SetMark(marks.after));
                self.tasks.push(Task::Statement(body));
            }
            StatementKind::Return(returned) => {
                self.flush();
                let value = self.pop();
                self.give_back(Some((value, returned)), statement.span);
            }
            _ => {}
        }
    }

    /// Whether an initialiser writes all of an object, so that nothing is left to chance.
    fn is_covered(&self, object: ObjectId, list: List) -> bool {
        let typed = self.unit.typed;
        let Some(first) = typed.writes[list.indices()].first() else {
            return false;
        };
        let place = typed.places[first.place.0 as usize];
        place.type_id == typed.objects[object.0 as usize].qualified.id
    }

    /// The writes of an initialiser, one after the other.
    pub fn writes(&mut self, list: List, from: u32) {
        if from >= list.end {
            return;
        }
        let write = self.unit.typed.writes[from as usize];
        self.tasks.push(Task::Writes(list, from + 1));
        self.tasks.push(Task::Write(from));
        if let Written::Value(value) = write.value {
            self.tasks.push(Task::Expression(value));
        }
        self.tasks.push(Task::Place(write.place));
    }

    /// Place and value of a write are there.
    pub fn write(&mut self, index: u32) {
        let Write { place, value } = self.unit.typed.writes[index as usize];
        let type_id = self.place_type(place);
        let value = match value {
            Written::Value(_) => self.pop(),
            Written::Again => self.last_written.take().unwrap_or(Value::Void),
            Written::Zero => self.nothing(type_id),
        };
        if let Some(spot) = self.spots.pop() {
            let written = self.store(spot, value, type_id);
            self.last_written = Some(written);
        }
    }

    /// The end of the body: `main` returns 0, others nothing that is known.
    pub fn fall_off(&mut self, close: Span) {
        self.span = close;
        if !self.assembler.is_reachable() {
            return;
        }
        if self.is_main() {
            let value = Value::Scalar(Term::number(0));
            self.give_back(Some((value, None)), close);
        } else if self.ends_something() {
            self.give_back(None, close);
        }
    }
}
