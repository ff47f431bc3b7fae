//! `switch` statements and their cases.

use super::Typing;
use super::operand::Operand;
use super::statement::Open;
use super::tree::{Case, ExpressionId, List, StatementKind, TypeId, Types};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Typing<'_> {
    pub(super) fn switch_value(&mut self, operand: Operand) -> ExpressionId {
        let value = self.value(operand);
        let type_id = self.type_of(value);
        if type_id != Types::UNKNOWN && self.program.types.integer(type_id).is_none() {
            let shown = self.show(type_id);
            let message = format!("`switch` needs an integer, and this is `{shown}`");
            self.error(operand.span, message);
            return self.unknown(operand.span);
        }
        self.promote(value)
    }

    pub(super) fn case(&mut self, is_range: bool, span: Span) {
        let high = is_range.then(|| self.pop());
        let low = self.pop();
        let Some(label) = self.new_label(None, span) else {
            return;
        };
        let type_id = self.switch_type();
        let bounds = [Some(low), high].map(|operand| {
            let operand = operand?;
            let value = self.value(operand);
            let constant = self.constant(value);
            if constant.is_none() && self.type_of(value) != Types::UNKNOWN {
                self.error(operand.span, "a case must be an integer constant");
            }
            let integer = self.program.types.integer(type_id?)?;
            Some(integer.wrap(constant?, self.model()))
        });
        match (self.current_switch().is_some(), bounds) {
            (false, _) => self.error(span, "a case must be inside a `switch`"),
            (true, [Some(low), high]) => {
                let high = high.unwrap_or(low);
                if low > high {
                    self.warn(span, "this range is empty");
                } else if let Some(Open::Switch { cases, .. }) = self.current_switch() {
                    cases.push(Case {
                        low,
                        high,
                        label,
                        span,
                    });
                }
            }
            _ => {}
        }
        self.enter_case(span);
        self.begin_label(label, span);
    }

    fn enter_case(&mut self, span: Span) {
        if let Some(Open::Switch { barrier, .. }) = self.current_switch() {
            let barrier = *barrier;
            self.check_case(barrier, span);
        }
    }

    fn current_switch(&mut self) -> Option<&mut Open> {
        let index = *self.switches.last()?;
        self.open.get_mut(index).map(|open| &mut open.kind)
    }

    fn switch_type(&mut self) -> Option<TypeId> {
        match self.current_switch()? {
            Open::Switch { value, .. } => {
                let value = (*value)?;
                Some(self.type_of(value))
            }
            _ => None,
        }
    }

    pub(super) fn default(&mut self, span: Span) {
        let Some(label) = self.new_label(None, span) else {
            return;
        };
        let before = match self.current_switch() {
            Some(Open::Switch { default, .. }) => match *default {
                Some((_, before)) => Some(before),
                None => {
                    *default = Some((label, span));
                    None
                }
            },
            _ => {
                self.error(span, "`default` must be inside a `switch`");
                None
            }
        };
        if let Some(before) = before {
            let diagnostic = Diagnostic::error(span, "a second `default` in one `switch`");
            self.collector
                .report(diagnostic.with_related(before, "the first one"));
        }
        self.enter_case(span);
        self.begin_label(label, span);
    }

    pub(super) fn end_switch(&mut self) {
        self.breakable.pop();
        self.switches.pop();
        let Some(open) = self.open.pop() else {
            return;
        };
        let Open::Switch {
            value,
            mut cases,
            default,
            ..
        } = open.kind
        else {
            return;
        };
        let body = self.single(open.start);
        cases.sort_by_key(|case| (case.low, case.span));
        let mut last: Option<Case> = None;
        for case in &cases {
            if let Some(before) = last
                && case.low <= before.high
            {
                let diagnostic = Diagnostic::error(case.span, "this case is there already");
                let diagnostic = diagnostic.with_related(before.span, "the first one");
                self.collector.report(diagnostic);
            }
            if last.is_none_or(|before| case.high > before.high) {
                last = Some(*case);
            }
        }
        let start = self.program.cases.len();
        self.program.cases.extend(cases);
        let cases = List::since(start, &self.program.cases);
        let default = default.map(|(label, _)| label);
        self.complete(open.id, value, |value| StatementKind::Switch {
            value,
            cases,
            default,
            body,
        });
    }

    pub(super) fn begin_switch(&mut self, span: Span) {
        let kind = Open::Switch {
            value: None,
            cases: Vec::new(),
            default: None,
            barrier: self.barriers.here(),
        };
        self.open(kind, span);
    }
}
