//! From a program to its symbolic pushdown system (Moped, section 3).
//!
//! Heads are the control points; for calls that must set targets or check an `enforce` on
//! return also a *returning* head, from which one internal rule leads to the point after
//! the call; one head for failed assertions and one for termination. With an observer the
//! result is the product with its automaton, again a symbolic pushdown system.

use super::copies::{Copies, Copy};
use super::frame::{FrameVariables, make_interface};
use super::heads::{HeadMeaning, ProgramHeads};
use super::observer::{Observer, Place};
use super::product::Memory;
use super::statement::{Effect, Transfers, Value, Watched};
use super::{Entry, EntryId, Head, Interface, Right, Rule, Spds, TransferId};
use crate::analysis::{CallGraph, DataVariable, Layout, Liveness, ModRef, Observed};
use crate::bdd::{Bdd, OutOfNodes};
use crate::bits;
use crate::program::{Action, Call, Expression, PointId, ProcedureId, Program};
use rustc_hash::FxHashMap;

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
    observer: Option<Observer<'_, '_>>,
) -> Result<(Spds, ProgramHeads), OutOfNodes> {
    let heads = ProgramHeads::new(program, analyses);
    let mut encoder = Encoder {
        program,
        analyses,
        copies,
        variables: FrameVariables::choose(program, analyses, &heads),
        returning_of: heads.returning_heads().collect(),
        heads,
        observer,
        moves: FxHashMap::default(),
        transfers: Transfers::new(program, analyses.layout, copies),
        rules: Vec::new(),
        interfaces: Vec::new(),
        known_interfaces: FxHashMap::default(),
        entries: Vec::new(),
        resumes: Vec::new(),
        known_resumes: FxHashMap::default(),
    };
    let initial = encoder.initial_memory()?;
    for procedure in program.procedure_ids() {
        encoder.add_entry(procedure, &initial)?;
    }
    encoder.encode_procedures()?;
    encoder.encode_stopped()?;
    encoder.finish()
}

pub(super) struct Encoder<'a, 'b> {
    program: &'a Program,
    pub(super) analyses: &'a Analyses<'a>,
    pub(super) copies: &'a Copies<'b>,
    heads: ProgramHeads,
    /// The returning head of a call, if it has one.
    returning_of: FxHashMap<PointId, Head>,
    variables: FrameVariables,
    pub(super) observer: Option<Observer<'a, 'b>>,
    /// The automaton's moves for each letter and kind of rule.
    pub(super) moves: FxHashMap<u64, Bdd>,
    transfers: Transfers<'a, 'b>,
    rules: Vec<Rule>,
    interfaces: Vec<Interface>,
    known_interfaces: FxHashMap<Vec<u64>, u32>,
    entries: Vec<Entry>,
    resumes: Vec<Bdd>,
    known_resumes: FxHashMap<Vec<u64>, u32>,
}

/// The data variables that matter after a step.
enum After<'e> {
    At(Head),
    These(&'e [u64]),
}

impl Encoder<'_, '_> {
    fn add_entry(&mut self, procedure: ProcedureId, initial: &Bdd) -> Result<(), OutOfNodes> {
        let row = procedure.0 as usize;
        let sets = &self.variables;
        let (key, rigid) = (sets.keys.row(row), sets.rigid.row(row));
        let handed = sets.handed.row(row);
        let known = [key, rigid, handed].concat();
        let interface = match self.known_interfaces.get(&known) {
            Some(interface) => *interface,
            None => {
                let interface = self.interfaces.len() as u32;
                let made = make_interface(self.copies, key, rigid, handed, initial)?;
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
                    self.add_step(
                        point,
                        self.heads.at(*target),
                        &conditions,
                        Effect::default(),
                    )?;
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
                    self.add_step(
                        point,
                        self.heads.at(*target),
                        &conditions,
                        Effect::default(),
                    )?;
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
                let row = procedure.0 as usize;
                let mut after = self.variables.handed.row(row).to_vec();
                bits::join(&mut after, self.variables.rigid.row(row));
                let right = Right::Pop {
                    interface: self.entries[row].interface,
                };
                let effect = Effect {
                    conditions: &conditions,
                    ..Effect::default()
                };
                let from = self.heads.at(point);
                let transfer = self.transfer(from, After::These(&after), effect, Memory::Pop)?;
                self.add_rule(from, transfer, right, false);
            }
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
        let number = self.watch(self.place(from), memory)?;
        let set = self.set_by(memory);
        let watched = number.map(|number| Watched {
            number,
            relation: &self.moves[&number],
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

    fn place(&self, head: Head) -> Place {
        match self.heads.meaning(head) {
            HeadMeaning::At(point) | HeadMeaning::Returning(point) => Place::At(point),
            HeadMeaning::Error => Place::Error,
            HeadMeaning::Terminated => Place::Terminated,
        }
    }

    /// A program that has stopped stays as it is for ever, as far as an observer cares.
    fn encode_stopped(&mut self) -> Result<(), OutOfNodes> {
        if self.observer.is_some() {
            for head in [self.heads.error(), self.heads.terminated()] {
                let (after, effect) = (After::At(head), Effect::default());
                let transfer = self.transfer(head, after, effect, Memory::Step)?;
                self.add_rule(head, transfer, Right::Step(head), false);
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
        let is_return = matches!(self.program.point(from).action, Action::Return { .. });
        let off_the_end = self.arbitrary_off_the_end(from, to, is_return);
        let effect = Effect {
            conditions,
            arbitrary: match off_the_end.is_empty() {
                true => effect.arbitrary,
                false => &[effect.arbitrary, &off_the_end].concat(),
            },
            ..effect
        };
        let from = self.heads.at(from);
        let transfer = self.transfer(from, After::At(to), effect, Memory::Step)?;
        self.add_rule(from, transfer, Right::Step(to), false);
        Ok(())
    }

    /// The returned values, if a step leads to the exit without fixing them.
    fn arbitrary_off_the_end(&self, from: PointId, to: Head, is_return: bool) -> Vec<DataVariable> {
        let procedure = self.program.procedure_of(from);
        if is_return || procedure.returns == 0 || to != self.heads.at(procedure.exit()) {
            return Vec::new();
        }
        let layout = self.analyses.layout;
        (0..procedure.returns).map(|i| layout.returned(i)).collect()
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
        let key = self.variables.keys.row(call.callee.0 as usize).to_vec();
        let assignments: Vec<(DataVariable, Value)> = bits::members(&key)
            .filter(|variable| !layout.state_range().contains(variable))
            .map(|variable| match call.arguments.get(variable as usize) {
                Some(argument) if variable < layout.locals => (variable, Value::Of(*argument)),
                _ => (variable, Value::Variable(variable)),
            })
            .collect();
        let returning = self.returning_of.get(&point).copied();
        let saved = returning.unwrap_or(self.heads.at(call.next));
        let kept = self.variables.kept(self.analyses, call.callee, saved);
        let number = self.watch(Place::At(point), Memory::Push)?;
        let set = self.set_by(Memory::Push);
        let effect = Effect {
            conditions,
            assignments: &assignments,
            watched: number.map(|number| Watched {
                number,
                relation: &self.moves[&number],
                set: &set,
            }),
            ..Effect::default()
        };
        let before = self.variables.at(point);
        let transfer = self.transfers.push(before, &kept, &effect)?;
        let right = Right::Push {
            entry: EntryId(call.callee.0),
            saved,
            below: self.heads.at(point),
            resume: self.resume(&key, call.callee, saved)?,
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
            let off_the_end = self.arbitrary_off_the_end(point, self.heads.at(call.next), false);
            let effect = Effect {
                assignments: &assignments,
                arbitrary: &off_the_end,
                afterwards: self.program.procedure(procedure).enforce,
                ..Effect::default()
            };
            let next = self.heads.at(call.next);
            let transfer = self.transfer(returning, After::At(next), effect, Memory::Return)?;
            self.add_rule(returning, transfer, Right::Step(next), true);
        }
        Ok(())
    }

    /// What is quantified when a frame resumes: see [`Spds::resumes`].
    fn resume(&mut self, key: &[u64], callee: ProcedureId, saved: Head) -> Result<u32, OutOfNodes> {
        let mut unneeded = self.variables.handed.row(callee.0 as usize).to_vec();
        let needed = self.variables.heads.row(saved.0 as usize);
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
        let copies = self.copies;
        let all = 0..self.analyses.layout.len();
        let current = |v| copies.level(v, Copy::Current);
        let entry = |v| copies.level(v, Copy::Entry);
        let layout = self.analyses.layout;
        let memory = layout.seen().zip(layout.seen_returned());
        let stopped = self.variables.heads.row(self.heads.terminated().0 as usize);
        let unneeded = all.clone().filter(|v| !bits::contains(stopped, *v));
        let bottom_forget = copies.cube(unneeded.map(current))?;
        let (start_set, accepting, bottom) = match &self.observer {
            None => {
                let bottom = self.analyses.exact.then(|| self.heads.terminated());
                (copies.bdds.constant(true), None, bottom)
            }
            Some(observer) => {
                let states = observer.initial()?;
                let start = copies.bdds.and(&states, &self.initial_memory()?)?;
                let accepting = observer.accepting(Copy::Current)?;
                (start, Some(accepting), Some(self.heads.terminated()))
            }
        };
        let spds = Spds {
            ranks: self.ranks(false),
            backward_ranks: self.ranks(true),
            rules: self.rules,
            first_rule,
            transfers: self.transfers.list,
            entries: self.entries,
            interfaces: self.interfaces,
            resumes: self.resumes,
            all_current: copies.cube(all.clone().map(current))?,
            all_entry: copies.cube(all.clone().map(entry))?,
            all_current_and_entry: copies.cube(all.clone().map(current).chain(all.map(entry)))?,
            variables: self.variables.heads,
            start: self.heads.at(self.program.entry_point()),
            start_set,
            bottom,
            bottom_forget,
            stopped: vec![self.heads.error(), self.heads.terminated()],
            accepting,
            memory,
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
