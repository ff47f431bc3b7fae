//! Calls: the push, and the internal rule that sets targets on return.

use super::{After, Encoder};
use crate::analysis::DataVariable;
use crate::bdd::OutOfNodes;
use crate::bits;
use crate::program::{Call, Domain, Expression, PointId, ProcedureId, VariableId};
use crate::spds::effect::{Assignment, Effect, Outcome, Place, Source, Watched};
use crate::spds::product::Memory;
use crate::spds::proposition;
use crate::spds::{EntryId, Head, Right};
use std::ops::Range;

impl Encoder<'_, '_> {
    pub(super) fn encode_call(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        call: &Call,
        conditions: &[(Expression, Outcome)],
    ) -> Result<(), OutOfNodes> {
        let returning = self.returning_of.get(&point).copied();
        let saved = returning.unwrap_or(self.heads.at(call.next));
        let key = self.variables.keys.row(call.callee.0 as usize).to_vec();
        let kept = self.variables.kept(self.analyses, call.callee, saved);
        let assignments = self.passed(procedure, call, &key, &kept);
        let number = self
            .product
            .watch(proposition::Place::At(point), Memory::Push)?;
        let set = self.product.set_by(Memory::Push);
        let effect = Effect {
            conditions,
            assignments: &assignments,
            watched: number.map(|number| Watched {
                number,
                relation: self.product.moves(number),
                set: &set,
            }),
            ..Effect::of(procedure)
        };
        let before = self.variables.at(point);
        let transfer = self.transfers.push(before, &key, &kept, &effect)?;
        let handed = self.variables.handed.row(call.callee.0 as usize);
        let needed = self.variables.heads.row(saved.0 as usize);
        let resume = self.assembly.resume(&key, handed, needed)?;
        let right = Right::Push {
            entry: EntryId(call.callee.0),
            saved,
            below: self.heads.at(point),
            resume,
        };
        self.assembly
            .add_rule(self.heads.at(point), transfer, right, false);
        let effect = Effect {
            assignments: &assignments,
            ..Effect::of(procedure)
        };
        self.add_failure(point, conditions, effect)?;
        match returning {
            Some(returning) => self.encode_returning(procedure, point, call, returning),
            None => Ok(()),
        }
    }

    /// What a call passes to its callee's key, and what the assignments that come with it
    /// change in the kept part of its own frame. Also a value that goes nowhere that matters
    /// must be there and fit.
    fn passed(
        &self,
        procedure: ProcedureId,
        call: &Call,
        key: &[u64],
        kept: &[u64],
    ) -> Vec<Assignment> {
        let layout = &self.analyses.layout;
        let parameters = &self.program.procedure(call.callee).locals;
        let is_in = |set: &[u64], range: Range<DataVariable>| {
            range.clone().any(|bit| bits::contains(set, bit))
        };
        let mut passed: Vec<_> = call
            .arguments
            .iter()
            .zip(parameters)
            .zip(0..)
            .map(|((argument, cell), i)| Assignment {
                place: Place::Cell(layout.cell(call.callee, VariableId::Local(i))),
                domain: cell.domain,
                source: Source::Of(*argument),
                below: false,
            })
            .filter(|assignment| {
                is_in(key, assignment.place.bits()) || assignment.may_fail(self.program)
            })
            .collect();
        let globals = bits::members(key).filter(|bit| layout.global_range().contains(bit));
        passed.extend(globals.map(|bit| Assignment {
            place: Place::Cell(bit..bit + 1),
            domain: Domain::Boolean,
            source: Source::Bits(bit..bit + 1, Domain::Boolean),
            below: false,
        }));
        for (target, value) in &call.assignments {
            let Some(assignment) = self.assignment(procedure, target, *value) else {
                continue;
            };
            let touched = assignment.place.bits();
            let is_global = layout.global_range().contains(&touched.start);
            let is_passed = is_global && is_in(key, touched.clone());
            if is_passed {
                // The copy of the old value; what another assignment says is weighed later.
                let is_copy = |other: &Assignment| {
                    matches!(other.source, Source::Bits(..))
                        && touched.contains(&other.place.bits().start)
                };
                passed.retain(|other| !is_copy(other));
                passed.push(assignment.clone());
            }
            if is_in(kept, touched) || !is_passed && assignment.may_fail(self.program) {
                passed.push(Assignment {
                    below: true,
                    ..assignment
                });
            }
        }
        passed
    }

    /// The internal rule that sets a call's targets.
    fn encode_returning(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        call: &Call,
        returning: Head,
    ) -> Result<(), OutOfNodes> {
        let layout = &self.analyses.layout;
        let domains = &self.program.procedure(call.callee).returns;
        let targets = call.targets.iter().zip(domains).zip(0..);
        let targets: Vec<_> = targets
            .filter_map(|((target, domain), i)| {
                let value = Source::Bits(layout.returned(call.callee, i), *domain);
                self.assignment_of(procedure, target, value)
            })
            .collect();
        let next = self.heads.at(call.next);
        let mut assignments = self.arbitrary_off_the_end(point, next, false);
        assignments.extend(targets.iter().cloned());
        let effect = Effect {
            assignments: &assignments,
            afterwards: self.program.procedure(procedure).enforce,
            ..Effect::of(procedure)
        };
        let transfer = self.transfer(returning, After::At(next), effect, Memory::Return)?;
        self.assembly
            .add_rule(returning, transfer, Right::Step(next), true);
        let effect = Effect {
            assignments: &targets,
            ..Effect::of(procedure)
        };
        self.add_failing_rule(returning, effect, Memory::Return)
    }
}
