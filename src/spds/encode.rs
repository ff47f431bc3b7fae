//! From rules to the symbolic pushdown system (Moped, section 3).
//!
//! Each head of the rules is a head here, and each rule a rule with a relation, as long as
//! that is not empty for certain. With an observer the result is the product with its
//! automaton, again a symbolic pushdown system. Linear in the rules, the sizes of BDDs aside.

use super::assembly::{Assembly, Frame, InterfaceVariables};
use super::copies::{Copies, Copy};
use super::expression::evaluate;
use super::observer::Observer;
use super::product::{Memory, Product};
use super::transfers::{AutomatonStep, Transfers};
use super::{EntryId, Head, Right, Spds, TransferId};
use crate::analysis::Analyses;
use crate::analysis::frames::ClassId;
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits::{self, BitSet};
use crate::index::IndexVec;
use crate::program::{Domain, VariableId};
use crate::rules::{self, DataVariable, Ending, RuleId, Rules};
use crate::watch::{Stop, Watch};
use std::ops::Range;

/// The symbolic form of rules, or its product with an observer's automaton.
pub fn encode(
    rules: &Rules<'_>,
    analyses: &Analyses,
    copies: &Copies<'_>,
    observer: Option<Observer<'_, '_>>,
    watch: &Watch,
) -> Result<Spds, Stop> {
    let mut encoder = Encoder {
        rules,
        analyses,
        copies,
        product: Product::new(copies, &rules.layout, observer),
        transfers: Transfers::new(rules, copies),
        assembly: Assembly::new(copies, rules.rules.len(), rules.entries.len()),
    };
    encoder.add_entries()?;
    for id in rules.rule_ids() {
        watch.check()?;
        encoder.add_rule(id)?;
    }
    encoder.add_staying()?;
    Ok(encoder.finish()?)
}

struct Encoder<'a, 'b> {
    rules: &'a Rules<'a>,
    analyses: &'a Analyses,
    copies: &'a Copies<'b>,
    product: Product<'a, 'b>,
    transfers: Transfers<'a, 'b>,
    assembly: Assembly<'a, 'b>,
}

impl Encoder<'_, '_> {
    fn add_entries(&mut self) -> Result<(), OutOfNodes> {
        let memory = self.product.initial_memory()?;
        let carried = &self.analyses.carried;
        for (row, head) in self.rules.entries.enumerate() {
            let rigid = carried.rigid.row(row);
            let nothing = BitSet::new(self.rules.layout.len() as usize);
            let (mut handed, mut lost) = (nothing.clone(), nothing);
            if let Some(class) = self.analyses.frames.class(*head) {
                handed = carried.handed(class).into();
                lost = carried.baggage(class).into();
                bits::without(&mut lost, rigid);
                bits::without(&mut lost, &handed);
            }
            let (uninitialised, valid) = self.valid_locals(*head, carried.keys.row(row))?;
            let initial = &self.copies.bdds.and(&memory, &valid)?;
            let handing = InterfaceVariables {
                key: carried.keys.row(row),
                rigid,
                handed: &handed,
                lost: &lost,
            };
            self.assembly
                .add_entry(*head, &handing, &uninitialised, initial)?;
        }
        Ok(())
    }

    /// A local that is not part of the key has any value, but one of its domain: which ones
    /// must be told so, and the condition.
    fn valid_locals(&self, head: Head, key: &[u64]) -> Result<(Vec<u64>, Bdd), OutOfNodes> {
        let Some(frame) = self.rules.frame_of(head) else {
            return Ok((Vec::new(), self.copies.bdds.constant(true)));
        };
        let locals = self.rules.cells(frame).locals.iter();
        let cells = locals.zip((0..).map(VariableId::Local));
        let cells = cells.map(|(cell, id)| (cell.domain, self.rules.layout.cell(frame, id)));
        let cells = cells.filter(|(_, bits)| !bits.clone().any(|bit| bits::contains(key, bit)));
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
        let live = self.analyses.carried.at(head);
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

    fn add_rule(&mut self, id: RuleId) -> Result<(), OutOfNodes> {
        let rule = self.rules.rule(id);
        let made = match rule.right {
            rules::Right::Pop => Some(self.pop(rule)?),
            rules::Right::Step(to) => {
                let transfer = match rule.is_failure {
                    true => self.failure(rule, to)?,
                    false => Some(self.step(rule, to)?),
                };
                transfer.map(|transfer| (transfer, Right::Step(to)))
            }
            rules::Right::Push { .. } => self.push(rule)?,
        };
        if let Some((transfer, right)) = made {
            self.assembly
                .add_rule(rule.from, transfer, right, rule.internal, id);
        }
        Ok(())
    }

    /// What the automaton does along a rule.
    fn watched(&mut self, from: Head, memory: Memory) -> Result<Option<AutomatonStep>, OutOfNodes> {
        let number = self.product.watch(self.rules, from, memory)?;
        Ok(number.map(|number| AutomatonStep {
            number,
            relation: self.product.moves(number).clone(),
            set: self.product.set_by(memory),
        }))
    }

    fn step(&mut self, rule: &rules::Rule, to: Head) -> Result<TransferId, OutOfNodes> {
        let memory = match rule.internal {
            true => Memory::Return,
            false => Memory::Step,
        };
        let watched = self.watched(rule.from, memory)?;
        let (carried, liveness) = (&self.analyses.carried, &self.analyses.liveness);
        let rows = [carried.at(rule.from), carried.at(to), liveness.at(to)];
        self.transfers.step(rule.effect, rows, watched)
    }

    fn failure(&mut self, rule: &rules::Rule, to: Head) -> Result<Option<TransferId>, OutOfNodes> {
        let memory = match rule.internal {
            true => Memory::Return,
            false => Memory::Step,
        };
        let watched = self.watched(rule.from, memory)?;
        let carried = &self.analyses.carried;
        let rows = [carried.at(rule.from), carried.at(to)];
        self.transfers.failure(rule.effect, rows, watched)
    }

    fn pop(&mut self, rule: &rules::Rule) -> Result<(TransferId, Right), OutOfNodes> {
        let watched = self.watched(rule.from, Memory::Pop)?;
        let (carried, frames) = (&self.analyses.carried, &self.analyses.frames);
        let class = frames.class(rule.from).unwrap_or(ClassId(0));
        // What is rigid is the value at entry, whatever the pop makes of it.
        let mut after = BitSet::from(carried.handed(class));
        bits::join(&mut after, carried.baggage(class));
        let live = carried.handed(class);
        let rows = [carried.at(rule.from), &after, live];
        let transfer = self.transfers.step(rule.effect, rows, watched)?;
        // All frames of a class hand over the same; one that is never entered is only asked
        // for where all classes do.
        let entry = frames.get(class).entries.first();
        let entry = entry.and_then(|entry| self.rules.entry(*entry));
        let entry = entry.unwrap_or(EntryId(0));
        let interface = self.assembly.entries[entry].interface;
        Ok((transfer, Right::Pop { interface }))
    }

    fn push(&mut self, rule: &rules::Rule) -> Result<Option<(TransferId, Right)>, OutOfNodes> {
        let rules::Right::Push {
            first,
            saved,
            below,
        } = rule.right
        else {
            return Ok(None);
        };
        let (Some(entry), Some(class)) =
            (self.rules.entry(first), self.analyses.frames.class(first))
        else {
            return Ok(None);
        };
        let watched = self.watched(rule.from, Memory::Push)?;
        let analyses = self.analyses;
        let carried = &analyses.carried;
        let key = carried.keys.row(entry);
        let kept = carried.kept(&self.rules.layout, &analyses.modified, class, saved);
        let live = analyses.liveness.at(saved);
        let before = carried.at(rule.from);
        let transfer = self
            .transfers
            .push(rule.effect, [before, key, &kept, live], watched)?;
        let handed = carried.handed(class);
        let resume = self.assembly.resume(key, handed, carried.at(saved))?;
        let right = Right::Push {
            entry,
            saved,
            below,
            resume,
        };
        Ok(Some((transfer, right)))
    }

    /// A program that has stopped stays as it is for ever, as far as an observer cares.
    fn add_staying(&mut self) -> Result<(), OutOfNodes> {
        if self.product.observer.is_none() || self.rules.ending == Ending::Finite {
            return Ok(());
        }
        let none = RuleId(self.rules.rules.len() as u32);
        for head in self.rules.stopped() {
            let watched = self.watched(head, Memory::Step)?;
            let row = self.analyses.carried.at(head);
            let transfer = self.transfers.stay([row, row, row], watched)?;
            self.assembly
                .add_rule(head, transfer, Right::Step(head), false, none);
        }
        Ok(())
    }

    fn finish(self) -> Result<Spds, OutOfNodes> {
        let (rules, bdds) = (self.rules, self.copies.bdds);
        let mut start_set = self.start_set()?;
        let mut accepting = None;
        if let Some(observer) = &self.product.observer {
            start_set = bdds.and(&start_set, &observer.initial()?)?;
            start_set = bdds.and(&start_set, &self.product.initial_memory()?)?;
            accepting = Some(observer.accepting(Copy::Current)?);
        }
        // Where nobody looks at it, what happens below the lowest frame does not matter.
        let is_seen = rules.is_whole || self.product.observer.is_some();
        let bottom = rules.empty.filter(|_| is_seen);
        let carried = &self.analyses.carried;
        let frame = Frame {
            layout: rules.layout.clone(),
            ranks: self.ranks(false),
            backward_ranks: self.ranks(true),
            transfers: self.transfers.finish(),
            bottom_variables: match rules.empty {
                Some(empty) => carried.at(empty).into(),
                None => BitSet::new(rules.layout.len() as usize),
            },
            variables: carried.heads(),
            start: rules.start.head,
            start_set,
            bottom,
            stopped: rules.stopped().collect(),
            accepting,
        };
        self.assembly.finish(frame)
    }

    /// The values that executions begin with, as far as they matter.
    fn start_set(&self) -> BddResult {
        let (bdds, copies, rules) = (self.copies.bdds, self.copies, self.rules);
        let head = rules.start.head;
        let (_, mut set) = self.valid(head, rules.start.cells.iter().cloned())?;
        let Some(frame) = rules
            .frame_of(head)
            .filter(|_| !rules.start.conditions.is_empty())
        else {
            return Ok(set);
        };
        for condition in &rules.start.conditions {
            let operations = rules.expressions.operations(*condition);
            let read = |variable, _| {
                let bits = rules.layout.cell(frame, variable);
                Some(copies.term(bits, rules.domain(frame, variable), Copy::Current))
            };
            let holds = evaluate(bdds, operations, read)?.be_one(bdds)?;
            set = bdds.and(&set, &holds)?;
        }
        let live = self.analyses.liveness.at(head);
        let dead = (0..rules.layout.len()).filter(|bit| !bits::contains(live, *bit));
        let dead = copies.cube(dead.map(|bit| copies.level(bit, Copy::Current)))?;
        bdds.exists(&set, &dead)
    }

    /// Pushed frames before those that push them, inside a frame along the rules (or against
    /// them), loops before what follows.
    fn ranks(&self, backward: bool) -> IndexVec<Head, u32> {
        let mut ranks = IndexVec::filled(0, self.rules.heads());
        let mut rank = 0;
        let mut place = |head: &Head| {
            rank += 1;
            ranks[*head] = rank;
        };
        let frames = &self.analyses.frames;
        for class in &frames.bottom_up {
            let heads = &frames.get(*class).heads;
            match backward {
                false => heads.iter().for_each(&mut place),
                true => heads.iter().rev().for_each(&mut place),
            }
        }
        ranks
    }
}
