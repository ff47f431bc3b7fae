//! From a program to its symbolic pushdown system (Moped, section 3).
//!
//! Heads are the control points; for calls that must set targets or check an `enforce` on
//! return also a *returning* head, from which one internal rule leads to the point after
//! the call; and one head for failed assertions, which has no rules. What a head's edges
//! depend on are the live variables of the point and the rigid ones of its procedure.

use super::copies::{Copies, Copy};
use super::statement::{Effect, Transfers, Value};
use super::{Entry, EntryId, Head, Interface, Right, Rule, Spds, TransferId};
use crate::analysis::{CallGraph, DataVariable, Layout, Liveness, ModRef};
use crate::bdd::{Bdd, OutOfNodes};
use crate::bits::{self, BitRows};
use crate::program::{Action, Call, Expression, PointId, ProcedureId, Program};
use rustc_hash::FxHashMap;

/// Which head stands for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMeaning {
    At(PointId),
    /// A call has popped its frame and has yet to set its targets.
    Returning(PointId),
    /// An assertion has failed.
    Error,
}

/// The heads of a program's pushdown system.
#[derive(Clone, Debug)]
pub struct ProgramHeads {
    points: u32,
    /// The call of each returning head.
    returning: Vec<PointId>,
}

impl ProgramHeads {
    pub fn at(&self, point: PointId) -> Head {
        Head(point.0)
    }

    pub fn error(&self) -> Head {
        Head(self.points + self.returning.len() as u32)
    }

    pub fn meaning(&self, head: Head) -> HeadMeaning {
        if head.0 < self.points {
            HeadMeaning::At(PointId(head.0))
        } else {
            match self.returning.get((head.0 - self.points) as usize) {
                Some(call) => HeadMeaning::Returning(*call),
                None => HeadMeaning::Error,
            }
        }
    }

    fn count(&self) -> usize {
        self.error().0 as usize + 1
    }
}

/// What the encoding is made from.
pub struct Analyses<'a> {
    pub layout: Layout,
    pub calls: &'a CallGraph,
    pub mod_ref: &'a ModRef,
    pub liveness: &'a Liveness,
}

/// The pushdown system of a program and the meaning of its heads.
pub fn encode(
    program: &Program,
    analyses: &Analyses<'_>,
    copies: &Copies<'_>,
) -> Result<(Spds, ProgramHeads), OutOfNodes> {
    let mut encoder = Encoder::new(program, analyses, copies)?;
    encoder.encode_procedures()?;
    encoder.finish()
}

struct Encoder<'a, 'b> {
    program: &'a Program,
    analyses: &'a Analyses<'a>,
    copies: &'a Copies<'b>,
    heads: ProgramHeads,
    /// The returning head of a call, if it has one.
    returning_of: FxHashMap<PointId, Head>,
    /// For each head, the data variables its valuations speak of.
    variables: BitRows,
    /// For each procedure, its rigid variables, and what it hands back.
    rigid: BitRows,
    handed: BitRows,
    transfers: Transfers<'a, 'b>,
    rules: Vec<Rule>,
    interfaces: Vec<Interface>,
    known_interfaces: FxHashMap<Vec<u64>, u32>,
    entries: Vec<Entry>,
    resumes: Vec<Bdd>,
    known_resumes: FxHashMap<Vec<u64>, u32>,
}

impl<'a, 'b> Encoder<'a, 'b> {
    fn new(
        program: &'a Program,
        analyses: &'a Analyses<'a>,
        copies: &'a Copies<'b>,
    ) -> Result<Self, OutOfNodes> {
        let layout = analyses.layout;
        let width = layout.len() as usize;
        let mut heads = ProgramHeads {
            points: program.points.len() as u32,
            returning: Vec::new(),
        };
        let mut returning_of = FxHashMap::default();
        for procedure in program.procedure_ids() {
            for point in &analyses.liveness.orders[procedure.0 as usize] {
                if let Action::Call(call) = &program.point(*point).action
                    && needs_returning_head(program, procedure, call)
                {
                    let head = Head(heads.points + heads.returning.len() as u32);
                    heads.returning.push(*point);
                    returning_of.insert(*point, head);
                }
            }
        }
        let mut encoder = Encoder {
            program,
            analyses,
            copies,
            variables: BitRows::new(heads.count(), width),
            heads,
            returning_of,
            rigid: BitRows::new(program.procedures.len(), width),
            handed: BitRows::new(program.procedures.len(), width),
            transfers: Transfers::new(program, layout, copies),
            rules: Vec::new(),
            interfaces: Vec::new(),
            known_interfaces: FxHashMap::default(),
            entries: Vec::new(),
            resumes: Vec::new(),
            known_resumes: FxHashMap::default(),
        };
        encoder.choose_variables();
        for procedure in program.procedure_ids() {
            encoder.add_entry(procedure)?;
        }
        Ok(encoder)
    }

    /// The key of a procedure: what its entry takes over from a caller.
    fn key(&self, procedure: ProcedureId) -> Vec<u64> {
        let definition = self.program.procedure(procedure);
        let layout = self.analyses.layout;
        let mut key = self.analyses.liveness.at(definition.entry()).to_vec();
        for local in definition.parameters..layout.locals {
            bits::remove(&mut key, local);
        }
        for returned in 0..layout.returned {
            bits::remove(&mut key, layout.returned(returned));
        }
        key
    }

    fn choose_variables(&mut self) {
        let (program, layout) = (self.program, self.analyses.layout);
        let liveness = self.analyses.liveness;
        for procedure in program.procedure_ids() {
            let row = procedure.0 as usize;
            let modified = self.analyses.mod_ref.modified(procedure);
            let mut rigid = self.key(procedure);
            let mut handed = liveness.at(program.procedure(procedure).exit()).to_vec();
            for variable in 0..layout.locals + layout.globals {
                if bits::contains(modified, variable) {
                    bits::remove(&mut rigid, variable);
                } else {
                    bits::remove(&mut handed, variable);
                }
            }
            for point in &liveness.orders[row] {
                let action = &program.point(*point).action;
                crate::analysis::for_each_write(action, |variable| {
                    bits::remove(&mut rigid, layout.variable(variable));
                });
            }
            self.rigid.join(row, &rigid);
            self.handed.join(row, &handed);
            for point in &liveness.orders[row] {
                self.variables.join(point.0 as usize, liveness.at(*point));
                self.variables.join(point.0 as usize, &rigid);
            }
        }
        for (call_point, head) in &self.returning_of {
            let Action::Call(call) = &program.point(*call_point).action else {
                unreachable!("only calls have returning heads");
            };
            let after = self.variables.row(call.next.0 as usize).to_vec();
            let mut set = after.clone();
            for (i, target) in call.targets.iter().enumerate() {
                let Some(target) = target.map(|t| layout.variable(t)) else {
                    continue;
                };
                bits::remove(&mut set, target);
                if bits::contains(&after, target) {
                    bits::insert(&mut set, layout.returned(i as u32));
                }
            }
            self.variables.join(head.0 as usize, &set);
        }
    }

    fn add_entry(&mut self, procedure: ProcedureId) -> Result<(), OutOfNodes> {
        let (key, row) = (self.key(procedure), procedure.0 as usize);
        let (rigid, handed) = (self.rigid.row(row), self.handed.row(row));
        let known = [key.as_slice(), rigid, handed].concat();
        let interface = match self.known_interfaces.get(&known) {
            Some(interface) => *interface,
            None => {
                let interface = self.interfaces.len() as u32;
                let made = make_interface(self.copies, self.analyses.layout, &key, rigid, handed)?;
                self.interfaces.push(made);
                self.known_interfaces.insert(known, interface);
                interface
            }
        };
        let head = self.heads.at(self.program.procedure(procedure).entry());
        self.entries.push(Entry { head, interface });
        Ok(())
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
        let mut conditions: Vec<_> = enforce.map(|e| (e, true)).into_iter().collect();
        match &program.point(point).action {
            Action::Goto { targets } => {
                for target in targets {
                    self.add_step(point, self.heads.at(*target), &conditions, Effect::default())?;
                }
            }
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => {
                let layout = self.analyses.layout;
                let pairs = targets.iter().zip(values);
                let assignments: Vec<_> = pairs
                    .filter_map(|(target, value)| {
                        target.map(|target| (layout.variable(target), Value::Of(*value)))
                    })
                    .collect();
                let effect = Effect {
                    assignments: &assignments,
                    constrain: *constrain,
                    ..Effect::default()
                };
                self.add_step(point, self.heads.at(*next), &conditions, effect)?;
            }
            Action::Havoc { variables, next } => {
                let layout = self.analyses.layout;
                let arbitrary: Vec<_> = variables.iter().map(|v| layout.variable(*v)).collect();
                let effect = Effect {
                    arbitrary: &arbitrary,
                    ..Effect::default()
                };
                self.add_step(point, self.heads.at(*next), &conditions, effect)?;
            }
            Action::Branch { arms, otherwise } => {
                for (condition, target) in arms {
                    conditions.push((*condition, true));
                    self.add_step(point, self.heads.at(*target), &conditions, Effect::default())?;
                    conditions.pop();
                    conditions.push((*condition, false));
                }
                let otherwise = self.heads.at(*otherwise);
                self.add_step(point, otherwise, &conditions, Effect::default())?;
            }
            Action::Assert { condition, next } => {
                conditions.push((*condition, true));
                self.add_step(point, self.heads.at(*next), &conditions, Effect::default())?;
                conditions.pop();
                conditions.push((*condition, false));
                self.add_step(point, self.heads.error(), &conditions, Effect::default())?;
            }
            Action::Assume { condition, next } => {
                conditions.push((*condition, true));
                self.add_step(point, self.heads.at(*next), &conditions, Effect::default())?;
            }
            Action::Return { values } => {
                let returned = (0..).map(|i| self.analyses.layout.returned(i));
                let values = values.iter().map(|value| Value::Of(*value));
                let assignments: Vec<_> = returned.zip(values).collect();
                let effect = Effect {
                    assignments: &assignments,
                    ..Effect::default()
                };
                self.add_step(point, self.heads.at(exit), &conditions, effect)?;
            }
            Action::Call(call) => self.encode_call(procedure, point, call, &conditions)?,
            Action::Exit => {
                let mut after = self.handed.row(procedure.0 as usize).to_vec();
                bits::join(&mut after, self.rigid.row(procedure.0 as usize));
                let effect = Effect {
                    conditions: &conditions,
                    ..Effect::default()
                };
                let before = self.variables.row(point.0 as usize);
                let transfer = self.transfers.step(before, &after, &effect)?;
                let interface = self.entries[procedure.0 as usize].interface;
                let right = Right::Pop { interface };
                self.add_rule(self.heads.at(point), transfer, right, false);
            }
        }
        Ok(())
    }

    fn add_step(
        &mut self,
        from: PointId,
        to: Head,
        conditions: &[(Expression, bool)],
        effect: Effect<'_>,
    ) -> Result<(), OutOfNodes> {
        let effect = Effect {
            conditions,
            ..effect
        };
        let before = self.variables.row(from.0 as usize);
        let after = self.variables.row(to.0 as usize);
        let transfer = self.transfers.step(before, after, &effect)?;
        self.add_rule(self.heads.at(from), transfer, Right::Step(to), false);
        Ok(())
    }

    fn add_rule(&mut self, from: Head, transfer: TransferId, right: Right, internal: bool) {
        self.rules.push(Rule {
            from,
            transfer,
            right,
            internal,
        });
    }

    fn encode_call(
        &mut self,
        procedure: ProcedureId,
        point: PointId,
        call: &Call,
        conditions: &[(Expression, bool)],
    ) -> Result<(), OutOfNodes> {
        let layout = self.analyses.layout;
        let key = self.key(call.callee);
        let assignments: Vec<(DataVariable, Value)> = bits::members(&key)
            .map(|variable| match call.arguments.get(variable as usize) {
                Some(argument) if variable < layout.locals => (variable, Value::Of(*argument)),
                _ => (variable, Value::Variable(variable)),
            })
            .collect();
        let returning = self.returning_of.get(&point).copied();
        let saved = returning.unwrap_or(self.heads.at(call.next));
        let needed = self.variables.row(saved.0 as usize).to_vec();
        let mut kept = needed.clone();
        let modified = self.analyses.mod_ref.modified(call.callee);
        for (word, modified) in kept.iter_mut().zip(modified) {
            *word &= !modified;
        }
        for i in 0..layout.returned {
            bits::remove(&mut kept, layout.returned(i));
        }
        let effect = Effect {
            conditions,
            assignments: &assignments,
            ..Effect::default()
        };
        let before = self.variables.row(point.0 as usize);
        let transfer = self.transfers.push(before, &kept, &effect)?;
        let right = Right::Push {
            entry: EntryId(call.callee.0),
            saved,
            resume: self.resume(&key, call.callee, &needed)?,
        };
        self.add_rule(self.heads.at(point), transfer, right, false);
        if let Some(returning) = returning {
            let targets = call.targets.iter().enumerate();
            let assignments: Vec<_> = targets
                .filter_map(|(i, target)| {
                    let value = Value::Variable(layout.returned(i as u32));
                    target.map(|target| (layout.variable(target), value))
                })
                .collect();
            let effect = Effect {
                assignments: &assignments,
                afterwards: self.program.procedure(procedure).enforce,
                ..Effect::default()
            };
            let after = self.variables.row(call.next.0 as usize);
            let transfer = self.transfers.step(&needed, after, &effect)?;
            let next = Right::Step(self.heads.at(call.next));
            self.add_rule(returning, transfer, next, true);
        }
        Ok(())
    }

    /// What is quantified when a frame resumes: see [`Spds::resumes`].
    fn resume(
        &mut self,
        key: &[u64],
        callee: ProcedureId,
        needed: &[u64],
    ) -> Result<u32, OutOfNodes> {
        let mut unneeded = self.handed.row(callee.0 as usize).to_vec();
        for (word, needed) in unneeded.iter_mut().zip(needed) {
            *word &= !needed;
        }
        let known = [key, &unneeded].concat();
        if let Some(resume) = self.known_resumes.get(&known) {
            return Ok(*resume);
        }
        let key = bits::members(key).map(|v| self.copies.level(v, Copy::Next));
        let unneeded = bits::members(&unneeded).map(|v| self.copies.level(v, Copy::Current));
        let resume = self.resumes.len() as u32;
        self.resumes.push(self.copies.cube(key.chain(unneeded))?);
        self.known_resumes.insert(known, resume);
        Ok(resume)
    }

    fn finish(mut self) -> Result<(Spds, ProgramHeads), OutOfNodes> {
        // The rules of returning heads were added after those of their calls.
        self.rules.sort_by_key(|rule| rule.from);
        let count = self.heads.count();
        let mut first_rule = vec![0; count + 1];
        for rule in &self.rules {
            first_rule[rule.from.0 as usize + 1] += 1;
        }
        for head in 0..count {
            first_rule[head + 1] += first_rule[head];
        }
        let all = 0..self.analyses.layout.len();
        let current = |v| self.copies.level(v, Copy::Current);
        let entry = |v| self.copies.level(v, Copy::Entry);
        let spds = Spds {
            ranks: self.ranks(false),
            backward_ranks: self.ranks(true),
            rules: self.rules,
            first_rule,
            transfers: self.transfers.list,
            entries: self.entries,
            interfaces: self.interfaces,
            resumes: self.resumes,
            all_current: self.copies.cube(all.clone().map(current))?,
            all_current_and_entry: self
                .copies
                .cube(all.clone().map(current).chain(all.map(entry)))?,
            variables: self.variables,
            start: self.heads.at(self.program.entry_point()),
        };
        Ok((spds, self.heads))
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

fn needs_returning_head(program: &Program, caller: ProcedureId, call: &Call) -> bool {
    program.procedure(caller).enforce.is_some() || call.targets.iter().any(Option::is_some)
}

fn make_interface(
    copies: &Copies<'_>,
    layout: Layout,
    key: &[u64],
    rigid: &[u64],
    handed: &[u64],
) -> Result<Interface, OutOfNodes> {
    let bdds = copies.bdds;
    let key_in = |copy| bits::members(key).map(move |v| copies.level(v, copy));
    let handed_in = |copy| bits::members(handed).map(move |v| copies.level(v, copy));
    let next_to_current = || key_in(Copy::Next).zip(key_in(Copy::Current));
    let not_rigid = bits::members(key).filter(|v| !bits::contains(rigid, *v));
    let next_to_entry = not_rigid.map(|v| (copies.level(v, Copy::Next), copies.level(v, Copy::Entry)));
    let edge_to_next = bits::members(key).map(|v| {
        let copy = if bits::contains(rigid, v) {
            Copy::Current
        } else {
            Copy::Entry
        };
        (copies.level(v, copy), copies.level(v, Copy::Next))
    });
    let mut handed_equal = bdds.constant(true);
    for variable in bits::members(handed) {
        let current = copies.variable(variable, Copy::Current);
        let same = bdds.equivalent(&current, &copies.variable(variable, Copy::Entry))?;
        handed_equal = bdds.and(&handed_equal, &same)?;
    }
    let not_key = (0..layout.len()).filter(|v| !bits::contains(key, *v));
    Ok(Interface {
        key: bits::members(key).collect(),
        handed: bits::members(handed).collect(),
        enter: copies.renaming(next_to_current().chain(next_to_entry))?,
        enter_current: copies.renaming(next_to_current())?,
        key_to_next: copies.renaming(key_in(Copy::Current).zip(key_in(Copy::Next)))?,
        leave: copies.renaming(edge_to_next)?,
        key_next: copies.cube(key_in(Copy::Next))?,
        not_key: copies.cube(not_key.map(|v| copies.level(v, Copy::Current)))?,
        handed_equal,
        handed_to_next: copies.renaming(handed_in(Copy::Current).zip(handed_in(Copy::Next)))?,
        handed_to_entry: copies.renaming(handed_in(Copy::Current).zip(handed_in(Copy::Entry)))?,
        handed_entry_to_next: copies
            .renaming(handed_in(Copy::Entry).zip(handed_in(Copy::Next)))?,
        handed_next: copies.cube(handed_in(Copy::Next))?,
    })
}
