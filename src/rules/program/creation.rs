//! The threads that steps create: what each gets from its creator.

use super::Builder;
use crate::program::{NewThread, PointId, ProcedureId, VariableId};
use crate::rules::effect::{Assignment, Effect, Place, Source};
use crate::rules::{Creation, Head};

impl Builder<'_> {
    pub(super) fn add_creation(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        thread: &NewThread,
    ) {
        let (frame, mut assignments) = match thread {
            NewThread::Call { callee, arguments } => (*callee, self.parameters(*callee, arguments)),
            NewThread::Copy { .. } => {
                let locals = 0..self.program.procedure(procedure).locals.len() as u32;
                let locals = locals.map(|i| self.copied(procedure, VariableId::Local(i)));
                (procedure, locals.collect())
            }
        };
        let own = self.program.threads.iter().flat_map(|threads| &threads.own);
        assignments.extend(own.map(|i| self.copied(procedure, VariableId::Global(*i))));
        let effect = self.interner.intern(&Effect {
            frames: [procedure, frame, procedure],
            assignments,
            ..Effect::of(procedure)
        });
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
