//! The threads that steps create: what each gets from its creator.

use super::Builder;
use crate::program::{Moment, NewThread, PointId, ProcedureId, VariableId};
use crate::rules::effect::{Assignment, Effect, Place, Source};
use crate::rules::{Creation, Head};

impl Builder<'_> {
    pub(super) fn add_creation(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        thread: &NewThread,
    ) {
        let mut effect = Effect::of(procedure);
        match thread {
            NewThread::Call { callee, arguments } => {
                effect.frames[Moment::After as usize] = *callee;
                effect
                    .assignments
                    .extend(self.parameters(*callee, arguments));
            }
            NewThread::Copy { .. } => {
                let locals = 0..self.program.procedure(procedure).locals.len() as u32;
                let locals = locals.map(|i| self.copied(procedure, VariableId::Local(i)));
                effect.assignments.extend(locals);
            }
        }
        let own = self.program.threads.iter().flat_map(|threads| &threads.own);
        let own = own.map(|i| self.copied(procedure, VariableId::Global(*i)));
        effect.assignments.extend(own);
        let effect = self.interner.intern(&effect);
        self.creations.push(Creation {
            from: Head(point.0),
            first: self.at(self.program.begin_of(thread)),
            effect,
        });
    }

    fn copied(&self, procedure: ProcedureId, variable: VariableId) -> Assignment {
        let domain = self.program.cell(procedure, variable).domain;
        let bits = self.layout.cell(procedure, variable);
        Assignment {
            place: Place::Cell(bits.clone()),
            domain,
            source: Source::Bits(bits, domain),
            below: false,
        }
    }
}
