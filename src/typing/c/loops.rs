//! `while`, `do` and `for`.

use super::Typing;
use super::operand::Operand;
use super::statement::{Open, OpenStatement};
use super::tree::StatementKind;
use crate::source::Span;

impl Typing<'_> {
    pub(super) fn begin_while(&mut self, span: Span) {
        self.open(Open::While { condition: None }, span);
    }

    pub(super) fn begin_do(&mut self, span: Span) {
        let kind = Open::Do {
            body: None,
            end: span,
        };
        let id = self.open(kind, span);
        self.loops.push(id);
        self.breakable.push(id);
    }

    pub(super) fn begin_for(&mut self, span: Span) {
        self.open_scope();
        let kind = Open::For {
            initial: None,
            condition: None,
            step: None,
        };
        self.open(kind, span);
    }

    pub(super) fn for_condition(&mut self) {
        let start = self.open.last().map_or(0, |open| open.start);
        let statement = match self.part() {
            Some(operand) => {
                let value = self.value(operand);
                self.emit(StatementKind::Expression(value), operand.span);
                self.pending.pop()
            }
            None if self.pending.len() > start => Some(self.block_of(start)),
            None => None,
        };
        if let Some(OpenStatement {
            kind: Open::For { initial, .. },
            ..
        }) = self.open.last_mut()
        {
            *initial = statement;
        }
    }

    pub(super) fn for_step(&mut self) {
        let part = self.part().map(|operand| self.condition(operand));
        if let Some(OpenStatement {
            kind: Open::For { condition, .. },
            ..
        }) = self.open.last_mut()
        {
            *condition = part;
        }
    }

    /// The head of a loop or `switch` is complete.
    pub(super) fn body(&mut self, span: Span) {
        self.head(span);
        let part = self.part();
        let Some(open) = self.open.last() else {
            return;
        };
        let id = open.id;
        self.breakable.push(id);
        let part = match (&open.kind, part) {
            (Open::Switch { .. }, Some(operand)) => {
                self.switches.push(self.open.len() - 1);
                Some(self.switch_value(operand))
            }
            (Open::While { .. }, Some(operand)) => Some(self.condition(operand)),
            (_, Some(operand)) => Some(self.value(operand)),
            (_, None) => None,
        };
        match self.open.last_mut().map(|open| &mut open.kind) {
            Some(Open::Switch { value, .. }) => {
                *value = part;
                return;
            }
            Some(Open::While { condition }) => *condition = part,
            Some(Open::For { step, .. }) => *step = part,
            _ => {}
        }
        self.loops.push(id);
    }

    pub(super) fn end_while(&mut self) {
        self.loops.pop();
        self.breakable.pop();
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::While { condition } = open.kind else {
            return;
        };
        let body = self.single(open.start);
        self.complete(open.id, condition, |condition| StatementKind::While {
            condition,
            body,
        });
    }

    pub(super) fn do_while(&mut self, span: Span) {
        let start = self.open.last().map_or(0, |open| open.start);
        let statement = self.single(start);
        self.loops.pop();
        self.breakable.pop();
        if let Some(OpenStatement {
            kind: Open::Do { body, end },
            ..
        }) = self.open.last_mut()
        {
            *body = Some(statement);
            *end = span;
        }
    }

    pub(super) fn end_do(&mut self, span: Span) {
        let condition = self.pop_condition();
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::Do { body, end } = open.kind else {
            return;
        };
        let end = self.preprocessed.whole(end.to(span));
        self.complete(open.id, body.map(|_| condition), |condition| {
            StatementKind::Do {
                body: body.unwrap_or(open.id),
                condition,
                end,
            }
        });
    }

    pub(super) fn end_for(&mut self) {
        self.close_scope();
        self.loops.pop();
        self.breakable.pop();
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::For {
            initial,
            condition,
            step,
        } = open.kind
        else {
            return;
        };
        let body = self.single(open.start);
        let kind = StatementKind::For {
            initial,
            condition,
            step,
            body,
        };
        self.set(open.id, kind);
        self.pending.push(open.id);
    }

    /// The operand that was read since the statement began, if there is one.
    fn part(&mut self) -> Option<Operand> {
        let operands = self.open.last().map_or(0, |open| open.operands);
        (self.operands.len() > operands).then(|| self.pop())
    }
}
