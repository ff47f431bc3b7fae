//! From a program to its symbolic pushdown system (Moped, section 3).
//!
//! Heads are the control points; for calls that must set targets or check an `enforce` on
//! return also a *returning* head, from which one internal rule leads to the point after
//! the call; one head for failed assertions and one for termination. With an observer the
//! result is the product with its automaton, again a symbolic pushdown system.

mod call;

use super::assembly::{Assembly, Frame, Handing};
use super::copies::{Copies, Copy};
use super::effect::{Assignment, Effect, Outcome, Place, Source, Watched};
use super::frame::FrameVariables;
use super::heads::{HeadMeaning, ProgramHeads};
use super::observer::Observer;
use super::product::{Memory, Product};
use super::proposition;
use super::statement::Transfers;
use super::{Head, Right, Spds, TransferId};
use crate::analysis::{CallGraph, DataVariable, Layout, Liveness, ModRef, Observed};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::program::{
    self, Action, Domain, Expression, Overflow, PointId, ProcedureId, Program, Target, VariableId,
};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Arrays with more elements than this are updated by a rule for each.
const LARGE_ARRAY: u32 = 16;

/// What the encoding is made from.
pub struct Analyses<'a> {
    pub layout: Layout,
    pub calls: &'a CallGraph,
    pub mod_ref: &'a ModRef,
    pub liveness: &'a Liveness,
    pub observed: &'a [Observed],
    /// Whether frames that wait keep even what their call will overwrite, and the end of the
    /// program is a head: for sets of configurations, which speak of whole stacks.
    pub exact: bool,
}

/// The pushdown system of a program, or its product with an observer's automaton, and the
/// meaning of its heads.
pub fn encode(
    program: &Program,
    analyses: &Analyses<'_>,
    copies: &Copies<'_>,
    observer: Option<Observer<'_, '_, Program>>,
) -> Result<(Spds, ProgramHeads), OutOfNodes> {
    let heads = ProgramHeads::new(program, analyses);
    let mut encoder = Encoder {
        program,
        analyses,
        copies,
        variables: FrameVariables::choose(program, analyses, &heads),
        returning_of: heads.returning_heads().collect(),
        heads,
        product: Product::new(copies, &analyses.layout, observer),
        transfers: Transfers::new(program, &analyses.layout, copies),
        assembly: Assembly::new(copies),
    };
    let memory = encoder.product.initial_memory()?;
    for procedure in program.procedure_ids() {
        encoder.add_entry(procedure, &memory)?;
    }
    encoder.encode_procedures()?;
    encoder.encode_stopped()?;
    encoder.finish()
}

/// Whether some call changes its own frame, which then has to wait in another state.
pub fn changes_frames_below(program: &Program) -> bool {
    let changes =
        |action: &Action| matches!(action, Action::Call(call) if !call.assignments.is_empty());
    program.points.iter().any(|point| changes(&point.action))
}

struct Encoder<'a, 'b> {
    program: &'a Program,
    analyses: &'a Analyses<'a>,
    copies: &'a Copies<'b>,
    heads: ProgramHeads,
    /// The returning head of a call, if it has one.
    returning_of: FxHashMap<PointId, Head>,
    variables: FrameVariables,
    product: Product<'a, 'b, Program>,
    transfers: Transfers<'a, 'b>,
    assembly: Assembly<'a, 'b>,
}

/// The data variables that matter after a step.
enum After<'e> {
    At(Head),
    These(&'e [u64]),
}

impl Encoder<'_, '_> {
    fn add_entry(&mut self, procedure: ProcedureId, memory: &Bdd) -> Result<(), OutOfNodes> {
        let row = procedure.0 as usize;
        let (uninitialised, valid) = self.valid_locals(procedure)?;
        let initial = &self.copies.bdds.and(memory, &valid)?;
        let head = self.heads.at(self.program.procedure(procedure).entry());
        let sets = &self.variables;
        let handing = Handing {
            key: sets.keys.row(row),
            rigid: sets.rigid.row(row),
            handed: sets.handed.row(row),
            lost: &[],
        };
        self.assembly
            .add_entry(head, &handing, &uninitialised, initial)
    }

    /// A variable that is not initialised has any value, but one of its domain: which
    /// locals must be told so, and the condition.
    fn valid_locals(&self, procedure: ProcedureId) -> Result<(Vec<u64>, Bdd), OutOfNodes> {
        let definition = self.program.procedure(procedure);
        let head = self.heads.at(definition.entry());
        let locals = definition.locals.iter().zip((0..).map(VariableId::Local));
        let locals = locals.skip(definition.parameters as usize);
        let cells =
            locals.map(|(cell, id)| (cell.domain, self.analyses.layout.cell(procedure, id)));
        self.valid(head, cells)
    }

    /// The condition that these cells, as far as they matter at a head, have values of
    /// their domains; and a list of what it depends on.
    fn valid(
        &self,
        head: Head,
        cells: impl Iterator<Item = (Domain, Range<DataVariable>)>,
    ) -> Result<(Vec<u64>, Bdd), OutOfNodes> {
        let bdds = self.copies.bdds;
        let live = self.variables.heads.row(head.0 as usize);
        let mut list = Vec::new();
        let mut valid = bdds.constant(true);
        for (domain, bits) in cells {
            if !domain.is_full() && bits::contains(live, bits.start) {
                list.push(u64::from(bits.start) << 32 | domain.size() as u64);
                let inside = self.copies.valid(bits, domain, Copy::Current)?;
                valid = bdds.and(&valid, &inside)?;
            }
        }
        Ok((list, valid))
    }

    /// The condition on the state in which executions begin.
    fn valid_start(&self) -> BddResult {
        let (program, layout) = (self.program, &self.analyses.layout);
        let entry = program.entry;
        let globals = program.globals.iter().zip((0..).map(VariableId::Global));
        let locals = program.procedure(entry).locals.iter();
        let cells = globals.chain(locals.zip((0..).map(VariableId::Local)));
        let cells = cells.map(|(cell, id)| (cell.domain, layout.cell(entry, id)));
        Ok(self.valid(self.heads.at(program.entry_point()), cells)?.1)
    }

    fn encode_procedures(&mut self) -> Result<(), OutOfNodes> {
        for procedure in self.program.procedure_ids() {
            // In source order, so that rule order is the order of the program text.
            let mut points = self.analyses.liveness.orders[procedure.0 as usize].clone();
            points.sort_unstable();
            for point in points {
                self.encode_point(procedure, point)?;
            }
        }
        Ok(())
    }

    fn encode_point(&mut self, procedure: ProcedureId, point: PointId) -> Result<(), OutOfNodes> {
        let program = self.program;
        let exit = program.procedure(procedure).exit();
        let enforce = program.procedure(procedure).enforce;
        let mut conditions: Vec<_> = enforce.map(|e| (e, Outcome::True)).into_iter().collect();
        let effect = Effect::of(procedure);
        match &program.point(point).action {
            Action::Goto { targets } => {
                for target in targets {
                    self.add_step(point, self.heads.at(*target), &conditions, effect)?;
                }
            }
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => {
                let pairs = targets.iter().zip(values);
                let assignments: Vec<_> = pairs
                    .filter_map(|(target, value)| self.assignment(procedure, target, *value))
                    .collect();
                let effect = Effect {
                    assignments: &assignments,
                    constrain: *constrain,
                    ..effect
                };
                for assignments in by_element(&assignments) {
                    let effect = Effect {
                        assignments: &assignments,
                        ..effect
                    };
                    self.add_step(point, self.heads.at(*next), &conditions, effect)?;
                }
                self.add_failure(point, &conditions, effect)?;
            }
            Action::Havoc { variables, next } => {
                let targets = variables.iter().map(|variable| Target::Cell(*variable));
                let assignments: Vec<_> = targets
                    .filter_map(|target| self.assignment(procedure, &target, program::Value::Any))
                    .collect();
                let effect = Effect {
                    assignments: &assignments,
                    ..effect
                };
                self.add_step(point, self.heads.at(*next), &conditions, effect)?;
            }
            Action::Branch { arms, otherwise } => {
                for (condition, target) in arms {
                    conditions.push((*condition, Outcome::True));
                    self.add_step(point, self.heads.at(*target), &conditions, effect)?;
                    conditions.pop();
                    conditions.push((*condition, Outcome::False));
                }
                let otherwise = self.heads.at(*otherwise);
                self.add_step(point, otherwise, &conditions, effect)?;
            }
            Action::Select { arms, otherwise } => {
                let enforced = conditions.len();
                for (condition, target) in arms {
                    conditions.truncate(enforced);
                    conditions.push((*condition, Outcome::True));
                    self.add_step(point, self.heads.at(*target), &conditions, effect)?;
                    self.add_failure(point, &conditions, effect)?;
                }
                if let Some(otherwise) = otherwise {
                    conditions.truncate(enforced);
                    conditions.extend(arms.iter().map(|(arm, _)| (*arm, Outcome::NotTrue)));
                    self.add_step(point, self.heads.at(*otherwise), &conditions, effect)?;
                }
            }
            Action::Assert { condition, next } => {
                conditions.push((*condition, Outcome::True));
                self.add_step(point, self.heads.at(*next), &conditions, effect)?;
                self.add_failure(point, &conditions, effect)?;
                conditions.pop();
                conditions.push((*condition, Outcome::False));
                self.add_step(point, self.heads.error(), &conditions, effect)?;
            }
            Action::Assume { condition, next } => {
                conditions.push((*condition, Outcome::True));
                self.add_step(point, self.heads.at(*next), &conditions, effect)?;
                self.add_failure(point, &conditions, effect)?;
            }
            Action::Return { values } => {
                let domains = &program.procedure(procedure).returns;
                let returned = (0..).map(|i| self.analyses.layout.returned(procedure, i));
                let assignments: Vec<_> = returned
                    .zip(domains)
                    .zip(values)
                    .map(|((bits, domain), value)| Assignment {
                        place: Place::Cell(bits),
                        domain: *domain,
                        source: Source::Of(*value),
                        below: false,
                    })
                    .collect();
                let effect = Effect {
                    assignments: &assignments,
                    ..effect
                };
                self.add_step(point, self.heads.at(exit), &conditions, effect)?;
                self.add_failure(point, &conditions, effect)?;
            }
            Action::Call(call) => self.encode_call(procedure, point, call, &conditions)?,
            Action::Exit => {
                let row = procedure.0 as usize;
                let mut after = self.variables.handed.row(row).to_vec();
                bits::join(&mut after, self.variables.rigid.row(row));
                let right = Right::Pop {
                    interface: self.assembly.entries[row].interface,
                };
                let effect = Effect {
                    conditions: &conditions,
                    ..effect
                };
                let from = self.heads.at(point);
                let transfer = self.transfer(from, After::These(&after), effect, Memory::Pop)?;
                self.assembly.add_rule(from, transfer, right, false);
            }
        }
        Ok(())
    }

    /// An assignment inside `procedure`; `None` if its value is thrown away. (Its value may
    /// then still be missing: front ends give such a value a place.)
    fn assignment(
        &self,
        procedure: ProcedureId,
        target: &Target,
        value: program::Value,
    ) -> Option<Assignment> {
        let source = match value {
            program::Value::Of(expression) => Source::Of(expression),
            program::Value::Any => Source::Any,
        };
        self.assignment_of(procedure, target, source)
    }

    fn assignment_of(
        &self,
        procedure: ProcedureId,
        target: &Target,
        source: Source,
    ) -> Option<Assignment> {
        let (first, _) = target.cells()?;
        let bits = self.analyses.layout.cell(procedure, first);
        Some(Assignment {
            domain: self.program.cell(procedure, first).domain,
            place: match *target {
                Target::Element { count, index, .. } => Place::Element {
                    first: bits,
                    count,
                    index,
                    only: None,
                },
                Target::Cell(_) | Target::Discard => Place::Cell(bits),
            },
            source,
            below: false,
        })
    }

    /// The rule for the case that an expression of the step has no value, or a value does
    /// not fit; none if that cannot be, or such executions are cut off.
    fn add_failure(
        &mut self,
        from: PointId,
        conditions: &[(Expression, Outcome)],
        effect: Effect<'_>,
    ) -> Result<(), OutOfNodes> {
        let effect = Effect {
            conditions,
            ..effect
        };
        let from = self.heads.at(from);
        self.add_failing_rule(from, effect, Memory::Step)
    }

    fn add_failing_rule(
        &mut self,
        from: Head,
        effect: Effect<'_>,
        memory: Memory,
    ) -> Result<(), OutOfNodes> {
        if self.program.overflow == Overflow::Block || !effect.may_fail(self.program) {
            return Ok(());
        }
        let number = self.product.watch(self.place(from), memory)?;
        let set = self.product.set_by(memory);
        let watched = number.map(|number| Watched {
            number,
            relation: self.product.moves(number),
            set: &set,
        });
        let effect = Effect { watched, ..effect };
        let before = self.variables.heads.row(from.0 as usize);
        let error = self.heads.error();
        let after = self.variables.heads.row(error.0 as usize);
        if let Some(transfer) = self.transfers.failure(before, after, &effect)? {
            self.assembly
                .add_rule(from, transfer, Right::Step(error), memory == Memory::Return);
        }
        Ok(())
    }

    /// The transfer of a rule (no push) from a head to one with the variables `after`.
    fn transfer(
        &mut self,
        from: Head,
        after: After<'_>,
        effect: Effect<'_>,
        memory: Memory,
    ) -> Result<TransferId, OutOfNodes> {
        let number = self.product.watch(self.place(from), memory)?;
        let set = self.product.set_by(memory);
        let watched = number.map(|number| Watched {
            number,
            relation: self.product.moves(number),
            set: &set,
        });
        let effect = Effect { watched, ..effect };
        let before = self.variables.heads.row(from.0 as usize);
        let after = match after {
            After::At(head) => self.variables.heads.row(head.0 as usize),
            After::These(variables) => variables,
        };
        self.transfers.step(before, after, &effect)
    }

    fn place(&self, head: Head) -> proposition::Place {
        match self.heads.meaning(head) {
            HeadMeaning::At(point) | HeadMeaning::Returning(point) => proposition::Place::At(point),
            HeadMeaning::Error => proposition::Place::Error,
            HeadMeaning::Terminated => proposition::Place::Terminated,
        }
    }

    /// A program that has stopped stays as it is for ever, as far as an observer cares.
    fn encode_stopped(&mut self) -> Result<(), OutOfNodes> {
        if self.product.observer.is_some() {
            for head in [self.heads.error(), self.heads.terminated()] {
                let (after, effect) = (After::At(head), Effect::of(self.program.entry));
                let transfer = self.transfer(head, after, effect, Memory::Step)?;
                self.assembly
                    .add_rule(head, transfer, Right::Step(head), false);
            }
        }
        Ok(())
    }

    fn add_step(
        &mut self,
        from: PointId,
        to: Head,
        conditions: &[(Expression, Outcome)],
        effect: Effect<'_>,
    ) -> Result<(), OutOfNodes> {
        let is_return = matches!(self.program.point(from).action, Action::Return { .. });
        let mut off_the_end = self.arbitrary_off_the_end(from, to, is_return);
        let effect = Effect {
            conditions,
            assignments: match off_the_end.is_empty() {
                true => effect.assignments,
                false => {
                    off_the_end.extend(effect.assignments.iter().cloned());
                    &off_the_end
                }
            },
            ..effect
        };
        let from = self.heads.at(from);
        let transfer = self.transfer(from, After::At(to), effect, Memory::Step)?;
        self.assembly
            .add_rule(from, transfer, Right::Step(to), false);
        Ok(())
    }

    /// Any values for what is returned, if a step leads to the exit without fixing them.
    fn arbitrary_off_the_end(&self, from: PointId, to: Head, is_return: bool) -> Vec<Assignment> {
        let id = self.program.point(from).procedure;
        let procedure = self.program.procedure(id);
        if is_return || procedure.returns.is_empty() || to != self.heads.at(procedure.exit()) {
            return Vec::new();
        }
        let returned = (0..).map(|i| self.analyses.layout.returned(id, i));
        let values = returned.zip(&procedure.returns);
        values
            .map(|(bits, domain)| Assignment {
                place: Place::Cell(bits),
                domain: *domain,
                source: Source::Any,
                below: false,
            })
            .collect()
    }

    fn finish(self) -> Result<(Spds, ProgramHeads), OutOfNodes> {
        let bdds = self.copies.bdds;
        let terminated = self.heads.terminated();
        let (start_set, accepting, bottom) = match &self.product.observer {
            None => {
                let bottom = self.analyses.exact.then_some(terminated);
                (self.valid_start()?, None, bottom)
            }
            Some(observer) => {
                let states = bdds.and(&observer.initial()?, &self.valid_start()?)?;
                let start = bdds.and(&states, &self.product.initial_memory()?)?;
                let accepting = observer.accepting(Copy::Current)?;
                (start, Some(accepting), Some(terminated))
            }
        };
        let frame = Frame {
            layout: self.analyses.layout.clone(),
            ranks: self.ranks(false),
            backward_ranks: self.ranks(true),
            transfers: self.transfers.list,
            bottom_variables: self.variables.heads.row(terminated.0 as usize).to_vec(),
            variables: self.variables.heads,
            start: self.heads.at(self.program.entry_point()),
            start_set,
            bottom,
            stopped: vec![self.heads.error(), terminated],
            accepting,
        };
        Ok((self.assembly.finish(frame)?, self.heads))
    }

    /// Callees before callers, inside a procedure along the control flow (or against it),
    /// loop bodies before what follows.
    fn ranks(&self, backward: bool) -> Vec<u32> {
        let mut ranks = vec![0; self.heads.count()];
        let mut rank = 1;
        let mut place = |point: &PointId| {
            ranks[point.0 as usize] = if backward { rank + 1 } else { rank };
            if let Some(returning) = self.returning_of.get(point) {
                ranks[returning.0 as usize] = if backward { rank } else { rank + 1 };
            }
            rank += 2;
        };
        for procedure in &self.analyses.calls.bottom_up {
            let order = &self.analyses.liveness.orders[procedure.0 as usize];
            match backward {
                false => order.iter().for_each(&mut place),
                true => order.iter().rev().for_each(&mut place),
            }
        }
        ranks
    }
}

/// The same assignments for each element of a large array that one of them may set: a relation
/// for all of them would have to say of each other element that it keeps its value.
fn by_element(assignments: &[Assignment]) -> Vec<Vec<Assignment>> {
    let mut places = assignments
        .iter()
        .map(|assignment| &assignment.place)
        .zip(0..);
    let large = places.find_map(|(place, i)| match place {
        Place::Element { count, .. } if *count > LARGE_ARRAY => Some((i, *count)),
        _ => None,
    });
    let Some((large, count)): Option<(usize, u32)> = large else {
        return vec![assignments.to_vec()];
    };
    let for_element = |k| {
        let mut assignments = assignments.to_vec();
        if let Place::Element { only, .. } = &mut assignments[large].place {
            *only = Some(k);
        }
        assignments
    };
    (0..count).map(for_element).collect()
}
