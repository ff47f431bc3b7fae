//! What an expression needs: without which of the values it reads it might come out otherwise.
//!
//! Each read is left out in turn, and the expression evaluated with it unknown: quadratic in the
//! reads, of which all matter where they are many.

use super::{Slice, State};
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::value_of;
use crate::interpreter::values::Possible;
use crate::limits::witness::RELEVANT_READS;
use crate::program::{Domain, Expression, Overflow, VariableId};
use crate::witness::known::AbstractValue;
use rustc_hash::FxHashSet;
use std::cell::RefCell;

impl Slice<'_> {
    pub(super) fn possible(&self, state: State<'_>, expression: Expression) -> Possible {
        crate::interpreter::values_of(self.program, state.procedure, expression, state.valuation)
    }

    pub(super) fn read_all(&mut self, expression: Expression) {
        let program = self.program;
        for variable in program.expressions.reads(expression) {
            self.add(variable);
        }
    }

    /// The value of an expression went into a cell: as `needed`, or it had to fit only.
    pub(super) fn need_value(
        &mut self,
        state: State<'_>,
        expression: Expression,
        domain: Domain,
        needed: Option<u64>,
    ) {
        let wraps = self.program.overflow == Overflow::Wrap;
        match (self.possible(state, expression), needed) {
            (Possible::Truth(_), Some(value)) => self.need_truth(state, expression, value != 0),
            (value, Some(_)) => self.need(state, expression, |known| known.is_always(value)),
            (Possible::Number(_), None) if !wraps => {
                self.need(state, expression, |known| known.always_fits(domain));
            }
            (_, None) => self.need(state, expression, AbstractValue::always_has_value),
        }
    }

    pub(super) fn need_truth(&mut self, state: State<'_>, expression: Expression, value: bool) {
        self.need(state, expression, |known| known.always_may_be(value));
    }

    /// Makes those variables matter without which it would not be `certain` how the
    /// expression comes out.
    pub(super) fn need(
        &mut self,
        state: State<'_>,
        expression: Expression,
        certain: impl Fn(AbstractValue) -> bool,
    ) {
        let mut reads = self.cells_read(state, expression);
        reads.sort_unstable();
        reads.dedup();
        // Try to do without one after the other.
        let mut needed: FxHashSet<VariableId> = reads.iter().copied().collect();
        if reads.len() <= RELEVANT_READS {
            for variable in reads.iter().rev() {
                needed.remove(variable);
                if !certain(self.known(state, expression, &needed)) {
                    needed.insert(*variable);
                }
            }
        }
        needed.into_iter().for_each(|variable| self.add(variable));
    }

    /// The cells that an evaluation reads: of an array only the element that is named.
    pub(super) fn cells_read(&self, state: State<'_>, expression: Expression) -> Vec<VariableId> {
        let reads = RefCell::new(Vec::new());
        let operations = self.program.expressions.operations(expression);
        evaluate(operations, |variable, _| {
            reads.borrow_mut().push(variable);
            let domain = self.program.cell(state.procedure, variable).domain;
            value_of(domain, state.valuation.get(variable))
        });
        reads.into_inner()
    }

    /// What is known of an expression if only these variables are known.
    fn known(
        &self,
        state: State<'_>,
        expression: Expression,
        known: &FxHashSet<VariableId>,
    ) -> AbstractValue {
        let operations = self.program.expressions.operations(expression);
        evaluate(operations, |variable, _| {
            let domain = self.program.cell(state.procedure, variable).domain;
            match known.contains(&variable) {
                true => AbstractValue::exactly(value_of(domain, state.valuation.get(variable))),
                false => AbstractValue::unknown(domain),
            }
        })
    }
}
