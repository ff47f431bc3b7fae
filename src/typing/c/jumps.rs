//! Labels and jumps: `goto`, `break`, `continue`, `return`.

use super::Typing;
use super::conversion::Purpose;
use super::function::OpenLabel;
use super::statement::{Open, OpenStatement};
use super::tree::{Label, LabelId, Outside, StatementId, StatementKind, Types};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;

impl Typing<'_> {
    pub(super) fn new_label(&mut self, name: Option<Name>, span: Span) -> Option<LabelId> {
        let function = self.function.as_ref()?.id;
        self.program.labels.push(Label {
            name,
            span,
            function,
            statement: StatementId(0),
        });
        Some(LabelId(self.program.labels.len() as u32 - 1))
    }

    /// The statement that follows has this label.
    pub(super) fn begin_label(&mut self, label: LabelId, span: Span) {
        let statement = self.open(Open::Label(label), span);
        self.program.labels[label.0 as usize].statement = statement;
    }

    pub(super) fn end_label(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::Label(label) = open.kind else {
            return;
        };
        let body = self.single(open.start);
        self.set(open.id, StatementKind::Labelled(label, body));
        self.pending.push(open.id);
    }

    pub(super) fn local_label(&mut self, name: Name, span: Span) {
        let Some(id) = self.new_label(Some(name), span) else {
            return;
        };
        let own = OpenLabel {
            id,
            is_defined: false,
            span,
        };
        let before = self
            .function
            .as_mut()
            .and_then(|function| function.labels.insert(name, own));
        if let Some(OpenStatement {
            kind: Open::Block { labels, .. },
            ..
        }) = self.open.last_mut()
        {
            labels.push((name, before));
        }
    }

    pub(super) fn end_local_label(&mut self, name: Name, before: Option<OpenLabel>) {
        let Some(function) = self.function.as_mut() else {
            return;
        };
        let own = match before {
            Some(before) => function.labels.insert(name, before),
            None => function.labels.remove(&name),
        };
        if let Some(own) = own
            && !own.is_defined
        {
            let shown = shorten(self.program.names.text(name));
            self.error(
                own.span,
                format!("there is no label `{shown}` in this block"),
            );
        }
    }

    fn label_of(&mut self, name: Name, span: Span) -> Option<OpenLabel> {
        let known = self.function.as_ref()?.labels.get(&name).copied();
        if known.is_some() {
            return known;
        }
        let own = OpenLabel {
            id: self.new_label(Some(name), span)?,
            is_defined: false,
            span,
        };
        self.function.as_mut()?.labels.insert(name, own);
        Some(own)
    }

    pub(super) fn label(&mut self, name: Name, span: Span) {
        let Some(label) = self.label_of(name, span) else {
            return;
        };
        if label.is_defined {
            let shown = shorten(self.program.names.text(name));
            let diagnostic = Diagnostic::error(span, format!("a second label `{shown}`"));
            let diagnostic = diagnostic.with_related(label.span, "the first one");
            self.collector.report(diagnostic);
        }
        self.program.labels[label.id.0 as usize].span = span;
        let own = OpenLabel {
            is_defined: true,
            span,
            ..label
        };
        if let Some(function) = self.function.as_mut() {
            function.labels.insert(name, own);
        }
        self.place_label(label.id);
        self.begin_label(label.id, span);
    }

    pub(super) fn goto(&mut self, name: Name, span: Span) {
        if let Some(label) = self.label_of(name, span) {
            self.note_jump(label.id, span);
            self.emit(StatementKind::Goto(label.id), span);
        }
    }

    pub(super) fn label_address(&mut self, name: Name, span: Span) {
        self.label_of(name, span);
        let pointer = self.program.types.pointer_to(Types::VOID);
        self.push_outside(Outside::ComputedGoto, pointer, span);
    }

    pub(super) fn break_or_continue(&mut self, is_break: bool, span: Span) {
        let (target, message) = match is_break {
            true => (
                self.breakable.last(),
                "`break` outside of a loop or `switch`",
            ),
            false => (self.loops.last(), "`continue` outside of a loop"),
        };
        match target.copied() {
            Some(target) if is_break => self.emit(StatementKind::Break(target), span),
            Some(target) => self.emit(StatementKind::Continue(target), span),
            None => {
                self.error(span, message);
                self.emit(StatementKind::Empty, span);
            }
        }
    }

    pub(super) fn return_statement(&mut self, has_value: bool, span: Span) {
        let operand = has_value.then(|| self.pop());
        let result = self
            .function
            .as_ref()
            .map_or(Types::UNKNOWN, |function| function.result);
        let whole = operand.map_or(span, |operand| span.to(operand.span));
        let value = match (operand, result == Types::VOID) {
            (None, is_void) => {
                if !is_void && result != Types::UNKNOWN {
                    self.warn(span, "`return` without a value");
                }
                None
            }
            (Some(operand), false) => Some(self.assignable(operand, result, Purpose::RETURN)),
            (Some(operand), true) => {
                let value = self.value(operand);
                if self.type_of(value) != Types::VOID && self.type_of(value) != Types::UNKNOWN {
                    self.warn(whole, "a value is returned, and the function returns none");
                }
                self.emit(StatementKind::Expression(value), operand.span);
                None
            }
        };
        self.emit(StatementKind::Return(value), whole);
    }
}
