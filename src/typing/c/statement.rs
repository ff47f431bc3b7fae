//! Statements, and the labels that they jump to.
//!
//! What is open waits on a stack; a statement that is complete waits on another until the one
//! around it is complete, too.

use super::Typing;
use super::barrier::BarrierId;
use super::function::OpenLabel;
use super::tree::{
    Case, ExpressionId, ExpressionKind, LabelId, List, ObjectId, PlaceKind, Statement, StatementId,
    StatementKind, Types, Write, Written,
};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;

/// A statement that is being read.
#[derive(Debug)]
pub struct OpenStatement {
    pub id: StatementId,
    /// How many complete statements wait that are not part of it.
    pub start: usize,
    /// How many operands there are that are not part of it.
    pub operands: usize,
    span: Span,
    pub kind: Open,
}

#[derive(Debug)]
pub enum Open {
    Block {
        is_body: bool,
        /// Labels that are its own, and what they meant before.
        labels: Vec<(Name, Option<OpenLabel>)>,
    },
    If {
        condition: Option<ExpressionId>,
        then: Option<StatementId>,
    },
    While {
        condition: Option<ExpressionId>,
    },
    Do {
        body: Option<StatementId>,
        end: Span,
    },
    For {
        initial: Option<StatementId>,
        condition: Option<ExpressionId>,
        step: Option<ExpressionId>,
    },
    Switch {
        value: Option<ExpressionId>,
        cases: Vec<Case>,
        default: Option<(LabelId, Span)>,
        barrier: BarrierId,
    },
    Label(LabelId),
}

impl Typing<'_> {
    pub(super) fn reserve(&mut self, span: Span) -> StatementId {
        self.program.statements.push(Statement {
            kind: StatementKind::Empty,
            span: self.preprocessed.whole(span),
        });
        StatementId(self.program.statements.len() as u32 - 1)
    }

    pub(super) fn set(&mut self, id: StatementId, kind: StatementKind) {
        self.program.statements[id.0 as usize].kind = kind;
    }

    /// A statement without parts is complete.
    pub(super) fn emit(&mut self, kind: StatementKind, span: Span) {
        if self.function.is_some() {
            let id = self.reserve(span);
            self.set(id, kind);
            self.pending.push(id);
        }
    }

    pub(super) fn open(&mut self, kind: Open, span: Span) -> StatementId {
        let id = self.reserve(span);
        self.open.push(OpenStatement {
            id,
            start: self.pending.len(),
            operands: self.operands.len(),
            span,
            kind,
        });
        id
    }

    /// The statements that were completed since, as one.
    pub(super) fn single(&mut self, start: usize) -> StatementId {
        match self.pending.len() - start.min(self.pending.len()) {
            1 => self.pending.pop().unwrap_or(StatementId(0)),
            _ => self.block_of(start),
        }
    }

    pub(super) fn block_of(&mut self, start: usize) -> StatementId {
        let statements = self.pending.split_off(start.min(self.pending.len()));
        let first = statements
            .first()
            .map(|id| self.program.statements[id.0 as usize].span);
        let id = self.reserve(first.unwrap_or_default());
        let list = self.list_of(statements);
        self.set(id, StatementKind::Block(list));
        id
    }

    pub(super) fn list_of(&mut self, statements: Vec<StatementId>) -> List {
        let start = self.program.blocks.len();
        self.program.blocks.extend(statements);
        List::since(start, &self.program.blocks)
    }

    pub(super) fn declaration_statement(&mut self, object: ObjectId, writes: List, span: Span) {
        let declaration = self.declarations.last();
        let whole = match declaration {
            Some(declaration) if declaration.declarators <= 1 => declaration.span.to(span),
            _ => span,
        };
        self.emit(StatementKind::Declaration(object, writes), whole);
    }

    /// Sets the hidden objects that hold the lengths of a type.
    pub(super) fn emit_lengths(&mut self, lengths: Vec<(ObjectId, ExpressionId)>) {
        for (object, value) in lengths {
            let type_id = self.type_of(value);
            let span = self.program.expressions[value.0 as usize].span;
            let place = self.add_place(PlaceKind::Object(object), type_id, span);
            let start = self.program.writes.len();
            self.program.writes.push(Write {
                place,
                value: Written::Value(value),
            });
            let writes = List::since(start, &self.program.writes);
            self.emit(StatementKind::Declaration(object, writes), span);
        }
    }

    pub(super) fn begin_block(&mut self, span: Span) {
        let is_body = self
            .function
            .as_ref()
            .is_some_and(|function| !function.begun);
        let labels = Vec::new();
        self.open(Open::Block { is_body, labels }, span);
        match is_body {
            true => self.begin_body(),
            false => self.open_scope(),
        }
    }

    pub(super) fn end_block(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::Block { is_body, labels } = open.kind else {
            return;
        };
        let statements = self.pending.split_off(open.start.min(self.pending.len()));
        let list = self.list_of(statements);
        self.set(open.id, StatementKind::Block(list));
        self.pending.push(open.id);
        if !is_body {
            self.close_scope();
        }
        for (name, before) in labels.into_iter().rev() {
            self.end_local_label(name, before);
        }
    }

    /// `({ … })`, whose block has been read.
    pub(super) fn end_statement_expression(&mut self, span: Span) {
        self.barriers.close();
        let Some(block) = self.pending.pop().filter(|_| self.function.is_some()) else {
            self.error(span, "a block in an expression must be inside a function");
            return self.push(super::operand::OperandKind::Unknown, span);
        };
        let last = match self.program.statements[block.0 as usize].kind {
            StatementKind::Block(list) => self.program.blocks[list.indices()].last().copied(),
            _ => None,
        };
        let value = last.and_then(|last| match self.program.statements[last.0 as usize].kind {
            StatementKind::Expression(value) => Some((last, value)),
            _ => None,
        });
        let type_id = match value {
            Some((last, value)) if self.type_of(value) != Types::VOID => {
                self.set(last, StatementKind::Value(value));
                self.type_of(value)
            }
            _ => Types::VOID,
        };
        let id = self.compute(ExpressionKind::Statement(block), type_id, span);
        self.push_value(id, span);
    }

    pub(super) fn expression_statement(&mut self, span: Span) {
        let operand = self.pop();
        let value = self.value(operand);
        self.emit(StatementKind::Expression(value), span.to(operand.span));
    }

    pub(super) fn begin_if(&mut self, span: Span) {
        let kind = Open::If {
            condition: None,
            then: None,
        };
        self.open(kind, span);
    }

    pub(super) fn then(&mut self, span: Span) {
        let tested = self.pop_condition();
        self.head(span);
        if let Some(OpenStatement {
            kind: Open::If { condition, .. },
            ..
        }) = self.open.last_mut()
        {
            *condition = Some(tested);
        }
    }

    /// The head of a compound statement ends here.
    pub(super) fn head(&mut self, end: Span) {
        if let Some(open) = self.open.last() {
            let whole = self.preprocessed.whole(open.span.to(end));
            self.program.statements[open.id.0 as usize].span = whole;
        }
    }

    pub(super) fn or_else(&mut self) {
        let start = self.open.last().map_or(0, |open| open.start);
        let statement = self.single(start);
        if let Some(OpenStatement {
            kind: Open::If { then, .. },
            ..
        }) = self.open.last_mut()
        {
            *then = Some(statement);
        }
    }

    pub(super) fn end_if(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::If { condition, then } = open.kind else {
            return;
        };
        let last = self.single(open.start);
        let (then, otherwise) = match then {
            Some(then) => (then, Some(last)),
            None => (last, None),
        };
        self.complete(open.id, condition, |condition| StatementKind::If {
            condition,
            then,
            otherwise,
        });
    }

    /// The statement is complete; every head has had its condition.
    pub(super) fn complete(
        &mut self,
        id: StatementId,
        condition: Option<ExpressionId>,
        kind: impl FnOnce(ExpressionId) -> StatementKind,
    ) {
        if let Some(condition) = condition {
            self.set(id, kind(condition));
        }
        self.pending.push(id);
    }

    /// Something could not be read, and was reported.
    pub(super) fn unreadable(&mut self, span: Span) {
        let is_member = self
            .records
            .last_mut()
            .map(|record| record.lost = true)
            .is_some();
        if let Some(function) = self.function.as_mut() {
            function.lost = true;
            if !is_member {
                self.emit(StatementKind::Empty, span);
            }
        }
    }

    pub(super) fn lost(&mut self, name: Name, span: Span) {
        if self.symbols.get(name).is_none() {
            self.declare(name, super::scope::Symbol::Lost, span);
        }
    }

    /// `_Static_assert`
    pub(super) fn static_assert(&mut self, message: Option<u32>) {
        let operand = self.pop();
        let value = self.value(operand);
        match self.constant(value) {
            Some(0) => {
                let text = message.and_then(|token| self.tokens.get(token as usize));
                let spelled = text.map(|token| self.preprocessed.vocabulary.spelling(*token));
                let message = match spelled {
                    Some(text) => format!("the static assertion fails: {}", shorten(text)),
                    None => "the static assertion fails".into(),
                };
                self.error(operand.span, message);
            }
            Some(_) => {}
            None if self.type_of(value) == Types::UNKNOWN => {}
            None => self.error(
                operand.span,
                "a static assertion must be an integer constant",
            ),
        }
    }
}
