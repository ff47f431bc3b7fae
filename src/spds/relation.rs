//! The relation of one rule, from its effect.
//!
//! The relation speaks of what the rule reads and sets, nothing else. It contains only steps
//! on which every expression has a value and every value fits its place; the rest is the
//! rule's *failure*, a set of valuations before the step.

use super::copies::{Copies, Copy};
use super::expression::{DualRail, Evaluated, Term, evaluate};
use super::number::Number;
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits::{self, BitSet};
use crate::program::{Domain, Expression, Moment, Overflow, VariableId};
use crate::rules::effect::{Assignment, Effect, Outcome, Place, Source, element};
use crate::rules::{DataVariable, Footprint, Rules};
use indexmap::IndexMap;
use std::ops::Range;

pub struct Relations<'r, 'a, 'b> {
    pub rules: &'a Rules<'a>,
    pub copies: &'a Copies<'b>,
    pub effect: &'r Effect,
    pub footprint: &'r Footprint,
    /// The variables that matter after the step, and below.
    pub needed: [&'r [u64]; 2],
}

/// Some constraints together, and what they speak of after the step and below.
struct Part {
    bdd: Bdd,
    mentions: [BitSet; 2],
}

/// What a cell gets.
struct Update {
    domain: Domain,
    value: Term,
    /// Where it gets any value of its domain instead.
    free: Bdd,
}

/// By the first bit of the cell, and whether it is in the frame below.
type Updates = IndexMap<(DataVariable, bool), Update>;

/// A value on its way into a place.
struct AssignedValue {
    /// `None` for any value.
    value: Option<Term>,
    /// Where there is no value, or it does not fit.
    failure: Bdd,
}

impl Relations<'_, '_, '_> {
    /// The relation of all variables that change; what does not matter may be left out.
    pub fn relation(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let mut relation = bdds.constant(true);
        for (condition, outcome) in &self.effect.conditions {
            let holds = self.outcome(*condition, *outcome)?;
            relation = bdds.and(&relation, &holds)?;
        }
        let (updates, failure) = self.updates()?;
        relation = bdds.difference(&relation, &failure)?;
        for ((first, below), update) in &updates {
            let copy = match below {
                true => Copy::Below,
                false => Copy::Next,
            };
            relation = bdds.and(&relation, &self.set(*first, copy, update)?)?;
        }
        if !self.effect.constrain.is_empty() {
            relation = bdds.and(&relation, &self.constraints()?)?;
        }
        if let Some(afterwards) = self.effect.afterwards {
            let operations = self.rules.expressions.operations(afterwards);
            let after = |variable, _| Some(self.read(variable, Moment::After));
            let holds = evaluate(bdds, operations, after)?.be_one(bdds)?;
            relation = bdds.and(&relation, &holds)?;
        }
        Ok(relation)
    }

    /// Where some expression has no value or some value does not fit.
    pub fn failure(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let (_, mut failure) = self.updates()?;
        for (condition, _) in &self.effect.conditions {
            failure = bdds.or(&failure, &self.evaluate(*condition)?.undefined)?;
        }
        Ok(failure)
    }

    /// The conjunction of all constraints. What may have any value and does not matter is
    /// quantified as soon as no other constraint speaks of it, so that relations stay small.
    fn constraints(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let parts = self.effect.constrain.iter().map(|e| self.part(*e));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
        for assignment in self.effect.assignments.iter().filter(|a| self.is_open(a)) {
            let index = usize::from(assignment.below);
            let copy = [Copy::Next, Copy::Below][index];
            let cell = assignment.place.bits();
            for bit in cell.filter(|bit| !bits::contains(self.needed[index], *bit)) {
                let level = self.copies.level(bit, copy);
                self.quantify(&mut parts, index, bit, level)?;
            }
        }
        parts.sort_by_cached_key(|part| bdds.node_count(&part.bdd));
        let mut all = bdds.constant(true);
        for part in &parts {
            all = bdds.and(&all, &part.bdd)?;
        }
        Ok(all)
    }

    /// Whether nothing but the constraints says something about what a cell gets.
    fn is_open(&self, assignment: &Assignment) -> bool {
        let bits = assignment.place.bits();
        let meets = |other: &Assignment| {
            let others = other.place.bits();
            let overlap = others.start < bits.end && bits.start < others.end;
            overlap && other.below == assignment.below && !matches!(other.source, Source::Any)
        };
        matches!(assignment.source, Source::Any)
            && matches!(assignment.place, Place::Cell(_))
            && assignment.domain.is_full()
            && self.effect.afterwards.is_none()
            && !self.effect.assignments.iter().any(meets)
    }

    /// Joins the parts that speak of a bit, and lets it go.
    fn quantify(
        &self,
        parts: &mut Vec<Part>,
        index: usize,
        bit: DataVariable,
        level: u32,
    ) -> Result<(), OutOfNodes> {
        let bdds = self.copies.bdds;
        let speaks = |part: &mut Part| bits::contains(&part.mentions[index], bit);
        let mut joined: Option<Part> = None;
        for part in parts.extract_if(.., speaks) {
            joined = Some(match joined {
                None => part,
                Some(mut joined) => {
                    joined.bdd = bdds.and(&joined.bdd, &part.bdd)?;
                    for (to, from) in joined.mentions.iter_mut().zip(&part.mentions) {
                        bits::join(to, from);
                    }
                    joined
                }
            });
        }
        if let Some(mut joined) = joined {
            joined.bdd = bdds.exists(&joined.bdd, &self.copies.cube([level])?)?;
            bits::remove(&mut joined.mentions[index], bit);
            parts.push(joined);
        }
        Ok(())
    }

    fn part(&self, constrain: Expression) -> Result<Part, OutOfNodes> {
        let nothing = BitSet::new(self.rules.layout.len() as usize);
        let mut mentions = [nothing.clone(), nothing];
        let (expressions, layout) = (self.rules.expressions, &self.rules.layout);
        for (bits, when) in self.effect.bits_read(expressions, layout, constrain) {
            if self.copy(&bits, when) != Copy::Current {
                bits::insert_all(&mut mentions[usize::from(when == Moment::Below)], bits);
            }
        }
        let bdd = self.evaluate(constrain)?.be_one(self.copies.bdds)?;
        Ok(Part { bdd, mentions })
    }

    fn outcome(&self, condition: Expression, outcome: Outcome) -> BddResult {
        let bdds = self.copies.bdds;
        let condition = self.evaluate(condition)?;
        match outcome {
            Outcome::True => condition.be_one(bdds),
            Outcome::False => condition.be_zero(bdds),
            Outcome::NotTrue => {
                let undefined = condition.undefined.clone();
                bdds.or(&condition.be_zero(bdds)?, &undefined)
            }
        }
    }

    fn evaluate(&self, expression: Expression) -> Result<Evaluated, OutOfNodes> {
        let operations = self.rules.expressions.operations(expression);
        let read = |variable, when| Some(self.read(variable, when));
        evaluate(self.copies.bdds, operations, read)
    }

    /// The value of a cell at a time.
    fn read(&self, variable: VariableId, when: Moment) -> Term {
        let bits = self.effect.bits(&self.rules.layout, variable, when);
        let domain = self
            .rules
            .domain(self.effect.frames[when as usize], variable);
        let copy = self.copy(&bits, when);
        self.copies.term(bits, domain, copy)
    }

    /// The copy in which a cell is read: what is kept, where it was.
    fn copy(&self, bits: &Range<DataVariable>, when: Moment) -> Copy {
        let changes = self.footprint.changes(when);
        let is_new = |bit| changes.touches(bit) && !bits::contains(&changes.identical, bit);
        match when {
            Moment::After if bits.clone().any(is_new) => Copy::Next,
            Moment::Below if bits.clone().any(is_new) => Copy::Below,
            _ => Copy::Current,
        }
    }

    /// Whether an assignment can be left out: nobody looks at what it sets.
    fn is_idle(&self, assignment: &Assignment) -> bool {
        let index = usize::from(assignment.below);
        let changes = [&self.footprint.after, &self.footprint.below][index];
        let mut bits = assignment.place.bits();
        match assignment.source {
            Source::Any => bits.all(|bit| bits::contains(&changes.arbitrary, bit)),
            _ => {
                self.effect.constrain.is_empty()
                    && self.effect.afterwards.is_none()
                    && !assignment.may_fail(self.rules.expressions)
                    && !bits.any(|bit| bits::contains(self.needed[index], bit))
            }
        }
    }

    /// What every cell gets, and where something is wrong with that.
    fn updates(&self) -> Result<(Updates, Bdd), OutOfNodes> {
        let bdds = self.copies.bdds;
        let mut updates = Updates::default();
        let mut failure = bdds.constant(false);
        for assignment in &self.effect.assignments {
            if self.is_idle(assignment) {
                continue;
            }
            let fitted = self.fitted(assignment)?;
            failure = bdds.or(&failure, &fitted.failure)?;
            let falsity = bdds.constant(false);
            match &assignment.place {
                Place::Cell(bits) => {
                    let update = Update {
                        domain: assignment.domain,
                        free: bdds.constant(fitted.value.is_none()),
                        value: fitted
                            .value
                            .unwrap_or(Term::Truth(DualRail::certain(falsity))),
                    };
                    updates.insert((bits.start, assignment.below), update);
                }
                Place::Element {
                    first,
                    count,
                    index,
                    only,
                } => {
                    let index = self.evaluate(*index)?;
                    let at = index.term.number(bdds);
                    let outside = bdds.or(&index.undefined, &at.outside(bdds, *count)?)?;
                    failure = bdds.or(&failure, &outside)?;
                    let elements = match only {
                        None => 0..*count,
                        Some(k) => *k..*k + 1,
                    };
                    for k in elements {
                        let here = at.equals_constant(bdds, u64::from(k))?;
                        if only.is_some() {
                            failure = bdds.or(&failure, &bdds.not(&here)?)?;
                        }
                        let bits = element(first, k);
                        self.update_where(&mut updates, assignment, bits, &here, &fitted)?;
                    }
                }
            }
        }
        Ok((updates, failure))
    }

    /// One cell of an array gets the value where `here` holds, and otherwise what it had.
    fn update_where(
        &self,
        updates: &mut Updates,
        assignment: &Assignment,
        bits: Range<DataVariable>,
        here: &Bdd,
        fitted: &AssignedValue,
    ) -> Result<(), OutOfNodes> {
        let bdds = self.copies.bdds;
        let domain = assignment.domain;
        let place = updates.entry((bits.start, assignment.below));
        let update = place.or_insert_with(|| Update {
            domain,
            value: self.copies.term(bits, domain, Copy::Current),
            free: bdds.constant(false),
        });
        match &fitted.value {
            None => update.free = bdds.or(&update.free, here)?,
            Some(value) => {
                let (value, before) = (value.number(bdds), update.value.number(bdds));
                update.value = Term::Number(value.or_else(bdds, here, &before)?);
                update.free = bdds.difference(&update.free, here)?;
            }
        }
        Ok(())
    }

    /// The value of an assignment, made to fit its place.
    fn fitted(&self, assignment: &Assignment) -> Result<AssignedValue, OutOfNodes> {
        let bdds = self.copies.bdds;
        let falsity = bdds.constant(false);
        let (term, undefined) = match &assignment.source {
            Source::Any => {
                return Ok(AssignedValue {
                    value: None,
                    failure: falsity,
                });
            }
            Source::Of(expression) => {
                let evaluated = self.evaluate(*expression)?;
                (evaluated.term, evaluated.undefined)
            }
            Source::Bits(bits, domain) => (
                self.copies.term(bits.clone(), *domain, Copy::Current),
                falsity,
            ),
        };
        let Term::Number(number) = &term else {
            // A truth value fits everywhere but into an enumeration of one name.
            return Ok(AssignedValue {
                failure: undefined,
                value: Some(term),
            });
        };
        if self.rules.overflow == Overflow::Wrap {
            return Ok(AssignedValue {
                value: Some(Term::Number(number.wrapped(bdds, assignment.domain)?)),
                failure: undefined,
            });
        }
        let misfit = bdds.not(&number.fits(bdds, assignment.domain)?)?;
        Ok(AssignedValue {
            failure: bdds.or(&undefined, &misfit)?,
            value: Some(term),
        })
    }

    /// "The cell has this value in this copy."
    fn set(&self, first: DataVariable, copy: Copy, update: &Update) -> BddResult {
        let (bdds, copies) = (self.copies.bdds, self.copies);
        let width = update.domain.bits();
        let bits = first..first + width;
        if bdds.is_true(&update.free) {
            return copies.valid(bits, update.domain, copy);
        }
        let mut equal = match &update.value {
            Term::Truth(may) if width == 1 => may.equals(bdds, &copies.variable(first, copy))?,
            value => {
                let number: Number = value.number(bdds);
                let mut equal = bdds.constant(true);
                for (i, bit) in bits.clone().enumerate().rev() {
                    let same = bdds.equivalent(&copies.variable(bit, copy), number.bit(i))?;
                    equal = bdds.and(&same, &equal)?;
                }
                equal
            }
        };
        if !bdds.is_false(&update.free) {
            let any = copies.valid(bits, update.domain, copy)?;
            equal = bdds.if_then_else(&update.free, &any, &equal)?;
        }
        Ok(equal)
    }
}
