//! The effects of all rules, each kept once, and what they do to each bit.
//!
//! Two rules have the same effect if they do the same to the same bits. Programs made by
//! tools repeat themselves a great deal, and frames share the bits of their locals, so a
//! hundred thousand rules have a few dozen effects, and whatever is known of an effect is
//! found out once.

use super::effect::{Assignment, Effect, Outcome, Place, Source};
use super::{DataVariable, EffectId, Layout};
use crate::bits::{self, BitSet};
use crate::index::IndexVec;
use crate::program::{Domain, Expression, Expressions, Moment, Operation, Overflow, VariableId};
use rustc_hash::FxHashMap;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Effects {
    list: IndexVec<EffectId, Effect>,
    footprints: IndexVec<EffectId, Footprint>,
}

/// What an effect does to each bit.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Read before the step, whatever matters afterwards.
    pub reads: BitSet,
    /// What happens in the frame on top after the step, and in the one below a pushed one.
    pub after: Changes,
    pub below: Changes,
    /// Copied from one cell to another.
    pub copies: Box<[Transfer]>,
}

#[derive(Clone, Debug)]
pub struct Changes {
    /// What gets a value that the rule says something about.
    pub set: BitSet,
    /// What gets any value whatever.
    pub arbitrary: BitSet,
    /// What has lost its old value for certain.
    pub overwritten: BitSet,
    /// What is set to the value it had; part of `set`.
    pub identical: BitSet,
}

/// A value that is copied.
#[derive(Clone, Debug)]
pub struct Transfer {
    pub from: Range<DataVariable>,
    pub to: Range<DataVariable>,
    pub below: bool,
    /// Whether the value matters even if it goes where nothing matters.
    pub may_not_fit: bool,
}

impl Changes {
    fn none(bits: usize) -> Self {
        Changes {
            set: BitSet::new(bits),
            arbitrary: BitSet::new(bits),
            overwritten: BitSet::new(bits),
            identical: BitSet::new(bits),
        }
    }

    /// Whether a bit may have another value after the step.
    pub fn touches(&self, bit: DataVariable) -> bool {
        bits::contains(&self.set, bit) || bits::contains(&self.arbitrary, bit)
    }

    pub fn is_empty(&self) -> bool {
        bits::is_empty(&self.set) && bits::is_empty(&self.arbitrary)
    }
}

impl Footprint {
    pub fn changes(&self, when: Moment) -> &Changes {
        match when {
            Moment::Before | Moment::After => &self.after,
            Moment::Below => &self.below,
        }
    }

    /// That of an effect which does nothing.
    pub fn none(bits: usize) -> Self {
        Footprint {
            reads: BitSet::new(bits),
            after: Changes::none(bits),
            below: Changes::none(bits),
            copies: Box::default(),
        }
    }

    fn of(effect: &Effect, makers: &Makers<'_>) -> Self {
        let Makers {
            expressions,
            layout,
            overflow,
            ..
        } = *makers;
        let mut footprint = Footprint::none(layout.len() as usize);
        let mut copies = Vec::new();
        for assignment in &effect.assignments {
            let changes = match assignment.below {
                true => &mut footprint.below,
                false => &mut footprint.after,
            };
            bits::insert_all(&mut changes.set, assignment.place.bits());
            if let Place::Cell(cell) = &assignment.place {
                bits::insert_all(&mut changes.overwritten, cell.clone());
            }
            if let Source::Bits(from, _) = &assignment.source {
                copies.push(Transfer {
                    from: from.clone(),
                    to: assignment.place.bits(),
                    below: assignment.below,
                    may_not_fit: assignment.may_not_fit(overflow),
                });
            }
        }
        footprint.copies = copies.into();
        for expression in effect.early_reads() {
            for (cell, _) in effect.bits_read(expressions, layout, expression) {
                bits::insert_all(&mut footprint.reads, cell);
            }
        }
        footprint.find_arbitrary(effect, makers);
        footprint
    }

    /// Tells what is set from what gets any value, and adds what is read of new values that
    /// are the old ones.
    fn find_arbitrary(&mut self, effect: &Effect, makers: &Makers<'_>) {
        let nothing = BitSet::new(makers.layout.len() as usize);
        let mut mentioned = [nothing.clone(), nothing];
        let constrain = effect.constrain.iter().map(|e| (*e, false));
        let afterwards = effect.afterwards.into_iter().map(|e| (e, true));
        for (expression, is_after) in constrain.chain(afterwards) {
            let reads = effect.bits_read(makers.expressions, makers.layout, expression);
            for (cell, when) in reads {
                let when = if is_after { Moment::After } else { when };
                let new = when != Moment::Before
                    && cell.clone().any(|bit| self.changes(when).touches(bit));
                match new {
                    true => {
                        bits::insert_all(&mut mentioned[usize::from(when == Moment::Below)], cell);
                    }
                    false => bits::insert_all(&mut self.reads, cell),
                }
            }
        }
        for (i, assignment) in effect.assignments.iter().enumerate() {
            let Place::Cell(cell) = &assignment.place else {
                continue;
            };
            let mentioned = &mentioned[usize::from(assignment.below)];
            let is_any = matches!(assignment.source, Source::Any) && assignment.domain.is_full();
            let meets = |(j, other): (usize, &Assignment)| {
                let others = other.place.bits();
                let overlap = others.start < cell.end && cell.start < others.end;
                j != i && other.below == assignment.below && overlap
            };
            let is_alone = !effect.assignments.iter().enumerate().any(meets);
            let changes = match assignment.below {
                true => &mut self.below,
                false => &mut self.after,
            };
            if is_alone && assignment.is_identity() {
                bits::insert_all(&mut changes.identical, cell.clone());
            }
            let is_mentioned = cell.clone().any(|bit| bits::contains(mentioned, bit));
            if is_any && is_alone && !is_mentioned {
                bits::remove_all(&mut changes.set, cell.clone());
                bits::insert_all(&mut changes.arbitrary, cell.clone());
            }
        }
    }
}

impl Effects {
    pub fn get(&self, id: EffectId) -> &Effect {
        &self.list[id]
    }

    pub fn footprint(&self, id: EffectId) -> &Footprint {
        &self.footprints[id]
    }

    pub fn footprints(&self) -> &IndexVec<EffectId, Footprint> {
        &self.footprints
    }
}

/// Where effects are made: equal ones are found again.
pub struct Makers<'a> {
    pub expressions: &'a Expressions,
    pub layout: &'a Layout,
    pub overflow: Overflow,
    /// The domain of a variable, as a frame of a kind sees it.
    pub domain: &'a dyn Fn(crate::program::ProcedureId, VariableId) -> Domain,
}

/// Effects by what they do.
pub struct Interner<'a> {
    makers: Makers<'a>,
    known: FxHashMap<Box<[u64]>, EffectId>,
    key: Vec<u64>,
    effects: Effects,
}

/// Where a part of a key begins, with a tag that tells what follows; no operation is encoded so.
const PART: u64 = 1 << 63;

impl<'a> Interner<'a> {
    pub fn new(makers: Makers<'a>) -> Self {
        Interner {
            makers,
            known: FxHashMap::default(),
            key: Vec::new(),
            effects: Effects::default(),
        }
    }

    pub fn finish(self) -> Effects {
        self.effects
    }

    /// The number of an effect.
    pub fn intern(&mut self, effect: &Effect) -> EffectId {
        self.make_key(effect);
        if let Some(known) = self.known.get(self.key.as_slice()) {
            return *known;
        }
        let footprint = Footprint::of(effect, &self.makers);
        self.effects.footprints.push(footprint);
        let id = self.effects.list.push(effect.clone());
        self.known.insert(self.key.as_slice().into(), id);
        id
    }

    fn make_key(&mut self, effect: &Effect) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        for (condition, outcome) in &effect.conditions {
            let tag = match outcome {
                Outcome::True => 0,
                Outcome::False => 1,
                Outcome::NotTrue => 2,
            };
            self.add_expression(&mut key, effect, tag, *condition);
        }
        for assignment in &effect.assignments {
            self.add_assignment(&mut key, effect, assignment);
        }
        for constrain in &effect.constrain {
            self.add_expression(&mut key, effect, 5, *constrain);
        }
        if let Some(afterwards) = effect.afterwards {
            self.add_expression(&mut key, effect, 6, afterwards);
        }
        self.key = key;
    }

    fn add_expression(
        &self,
        key: &mut Vec<u64>,
        effect: &Effect,
        tag: u64,
        expression: Expression,
    ) {
        key.push(PART | tag);
        for operation in self.makers.expressions.operations(expression) {
            self.add_operation(key, effect, operation);
        }
    }

    fn add_assignment(&self, key: &mut Vec<u64>, effect: &Effect, assignment: &Assignment) {
        key.push(PART | 8 | u64::from(assignment.below) << 8);
        match &assignment.place {
            Place::Cell(range) => key.push(u64::from(range.start)),
            Place::Element {
                first,
                count,
                index,
                only,
            } => {
                key.push(u64::from(first.start) << 32 | u64::from(*count));
                key.push(only.map_or(0, |k| u64::from(k) + 1));
                self.add_expression(key, effect, 9, *index);
            }
        }
        key.push(domain_code(assignment.domain));
        match &assignment.source {
            Source::Of(expression) => self.add_expression(key, effect, 10, *expression),
            Source::Bits(range, domain) => {
                key.extend([PART | 11, u64::from(range.start), domain_code(*domain)]);
            }
            Source::Any => key.push(PART | 12),
        }
    }

    /// An operation as numbers, different for different operations.
    fn add_operation(&self, key: &mut Vec<u64>, effect: &Effect, operation: &Operation) {
        let Some((first, count, when)) = operation.cells_read() else {
            let (tag, number) = operation.code();
            key.push(tag);
            return key.extend(number);
        };
        // What is read is told by its bits, since frames share them, and its domain.
        let bits = effect.bits(self.makers.layout, first, when);
        let domain = (self.makers.domain)(effect.frames[when as usize], first);
        let is_element = matches!(operation, Operation::ReadElement { .. });
        let tag = (when as u64) << 1 | u64::from(is_element) | u64::from(bits.start) << 8;
        match (domain, is_element) {
            (Domain::Boolean, false) => key.push(64 | tag),
            _ => key.extend([128 | tag, domain_code(domain), u64::from(count)]),
        }
    }
}

fn domain_code(domain: Domain) -> u64 {
    match domain {
        Domain::Boolean => 0,
        Domain::Integer { bits } => 1 | u64::from(bits) << 2,
        Domain::Enumeration { size, .. } => 2 | u64::from(size) << 2,
    }
}
