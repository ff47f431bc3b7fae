//! Calls: the push, and the internal rule that sets targets on return.

use super::Builder;
use crate::program::{Call, Expression, PointId, ProcedureId, VariableId};
use crate::rules::effect::{Assignment, Assignments, Effect, Place, Source};
use crate::rules::{Head, Right};

impl Builder<'_> {
    pub(super) fn add_call(&mut self, point: PointId, call: &Call, mut effect: Effect) {
        let index = self.returning.binary_search(&point.0).ok();
        let first_returning = self.program.points.len() as u32;
        let returning = index.map(|index| Head(first_returning + index as u32));
        let procedure = self.program.point(point).procedure;
        effect.frames = [procedure, call.callee, procedure];
        self.pass(procedure, call, &mut effect.assignments);
        let right = Right::Push {
            first: self.at(self.program.procedure(call.callee).entry()),
            saved: returning.unwrap_or(self.at(call.next)),
            below: self.at(point),
        };
        self.add_rule(point, right, &effect, false);
        self.add_failing_rule(self.at(point), point, &effect, false);
        if let Some(returning) = returning {
            self.add_returning(procedure, point, call, returning);
        }
    }

    /// Adds what a call passes to its callee, and what the assignments that come with it change:
    /// globals for the callee, locals in the frame that waits.
    fn pass(&self, procedure: ProcedureId, call: &Call, passed: &mut Assignments) {
        passed.extend(self.parameters(call.callee, &call.arguments));
        let assignments = call.assignments.iter();
        passed.extend(assignments.filter_map(|(target, value)| {
            let is_local = |(first, _)| matches!(first, VariableId::Local(_));
            Some(Assignment {
                below: target.cells().is_some_and(is_local),
                ..self.assignment(procedure, target, *value)?
            })
        }));
    }

    /// What the parameters of a procedure get.
    pub(super) fn parameters(
        &self,
        callee: ProcedureId,
        arguments: &[Expression],
    ) -> impl Iterator<Item = Assignment> {
        let parameters = &self.program.procedure(callee).locals;
        let arguments = arguments.iter().zip(parameters).zip(0..);
        arguments.map(move |((argument, cell), i)| Assignment {
            place: Place::Cell(self.layout.cell(callee, VariableId::Local(i))),
            domain: cell.domain,
            source: Source::Of(*argument),
            below: false,
        })
    }

    /// The internal rule that sets a call's targets.
    fn add_returning(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        call: &Call,
        returning: Head,
    ) {
        let mut effect = Effect::of(procedure);
        effect.afterwards = self.program.procedure(procedure).enforce;
        let arbitrary = self.arbitrary_off_the_end(procedure, call.next);
        effect.assignments.extend(arbitrary);
        let arbitrary = effect.assignments.len();
        let domains = &self.program.procedure(call.callee).returns;
        let targets = call.targets.iter().zip(domains).zip(0..);
        let targets = targets.filter_map(|((target, domain), i)| {
            let bits = self.layout.returned(call.callee, i);
            self.assignment_of(procedure, target, Source::Bits(bits, *domain))
        });
        effect.assignments.extend(targets);
        let id = self.interner.intern(&effect);
        self.add(returning, point, Right::Step(self.at(call.next)), id, true);
        effect.assignments.drain(..arbitrary);
        effect.afterwards = None;
        self.add_failing_rule(returning, point, &effect, true);
    }
}
