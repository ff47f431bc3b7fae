//! Calls: the push, and the internal rule that sets targets on return.

use super::Builder;
use crate::program::{Call, Expression, PointId, ProcedureId, VariableId};
use crate::rules::effect::{Assignment, Assignments, Conditions, Effect, Place, Source};
use crate::rules::{Head, Right};

impl Builder<'_> {
    pub(super) fn add_call(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        call: &Call,
        conditions: &Conditions,
    ) {
        let index = self.returning.binary_search(&point.0).ok();
        let first_returning = self.program.points.len() as u32;
        let returning = index.map(|index| Head(first_returning + index as u32));
        let effect = Effect {
            frames: [procedure, call.callee, procedure],
            conditions: conditions.clone(),
            assignments: self.passed(procedure, call),
            ..Effect::of(procedure)
        };
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

    /// What a call passes to its callee, and what the assignments that come with it change:
    /// globals for the callee, locals in the frame that waits.
    fn passed(&self, procedure: ProcedureId, call: &Call) -> Assignments {
        let mut passed = self.parameters(call.callee, &call.arguments);
        let assignments = call.assignments.iter();
        passed.extend(assignments.filter_map(|(target, value)| {
            let is_local = |(first, _)| matches!(first, VariableId::Local(_));
            Some(Assignment {
                below: target.cells().is_some_and(is_local),
                ..self.assignment(procedure, target, *value)?
            })
        }));
        passed
    }

    /// What the parameters of a procedure get.
    pub(super) fn parameters(&self, callee: ProcedureId, arguments: &[Expression]) -> Assignments {
        let parameters = &self.program.procedure(callee).locals;
        let arguments = arguments.iter().zip(parameters).zip(0..);
        arguments
            .map(|((argument, cell), i)| Assignment {
                place: Place::Cell(self.layout.cell(callee, VariableId::Local(i))),
                domain: cell.domain,
                source: Source::Of(*argument),
                below: false,
            })
            .collect()
    }

    /// The internal rule that sets a call's targets.
    fn add_returning(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        call: &Call,
        returning: Head,
    ) {
        let domains = &self.program.procedure(call.callee).returns;
        let targets = call.targets.iter().zip(domains).zip(0..);
        let targets: Assignments = targets
            .filter_map(|((target, domain), i)| {
                let bits = self.layout.returned(call.callee, i);
                self.assignment_of(procedure, target, Source::Bits(bits, *domain))
            })
            .collect();
        let mut assignments = self.arbitrary_off_the_end(procedure, call.next);
        assignments.extend(targets.iter().cloned());
        let effect = Effect {
            assignments,
            afterwards: self.program.procedure(procedure).enforce,
            ..Effect::of(procedure)
        };
        let effect = self.interner.intern(&effect);
        let right = Right::Step(self.at(call.next));
        self.add(returning, point, right, effect, true);
        let effect = self.effect(procedure, &Conditions::new(), targets);
        self.add_failing_rule(returning, point, &effect, true);
    }
}
