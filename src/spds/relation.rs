//! The relation of one rule, from its effect.
//!
//! The relation speaks of what the rule reads and sets, nothing else. It contains only steps
//! on which every expression has a value and every value fits its place; the rest is the
//! rule's *failure*, a set of valuations before the step.

use super::copies::{Copies, Copy};
use super::effect::{Assignment, Effect, Outcome, Place, Source, element};
use super::expression::{Evaluated, May, Term, evaluate};
use super::number::Number;
use crate::analysis::{DataVariable, Layout};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::program::{Domain, Expression, Overflow, Program, VariableId, When};
use indexmap::IndexMap;
use std::ops::Range;

pub struct Relations<'r, 'a, 'b> {
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub copies: &'a Copies<'b>,
    pub effect: &'r Effect<'r>,
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
struct Fitted {
    /// `None` for any value.
    value: Option<Term>,
    /// Where there is no value, or it does not fit.
    failure: Bdd,
}

impl Relations<'_, '_, '_> {
    /// The relation of all variables that change, dead ones included.
    pub fn relation(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let mut relation = bdds.constant(true);
        for (condition, outcome) in self.effect.conditions {
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
            // A global that gets any value has the same one in both frames.
            if *below
                && self.layout.global_range().contains(first)
                && let Some(above) = updates.get(&(*first, false))
            {
                let free = bdds.and(&update.free, &above.free)?;
                let same = self.same_in_both(*first, update.domain)?;
                relation = bdds.and(&relation, &bdds.implies(&free, &same)?)?;
            }
        }
        if let Some(constrain) = self.effect.constrain {
            let holds = self.evaluate(constrain)?.be_one(bdds)?;
            relation = bdds.and(&relation, &holds)?;
        }
        if let Some(afterwards) = self.effect.afterwards {
            let operations = self.program.expressions.operations(afterwards);
            let after = |variable, _| Some(self.read(variable, When::After));
            let holds = evaluate(bdds, operations, after)?.be_one(bdds)?;
            relation = bdds.and(&relation, &holds)?;
        }
        if let Some(watched) = self.effect.watched {
            relation = bdds.and(&relation, watched.relation)?;
        }
        Ok(relation)
    }

    /// Where some expression has no value or some value does not fit, and what the watching
    /// automaton does then.
    pub fn failure(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let (_, mut failure) = self.updates()?;
        for (condition, _) in self.effect.conditions {
            failure = bdds.or(&failure, &self.evaluate(*condition)?.undefined)?;
        }
        match self.effect.watched {
            Some(watched) => bdds.and(&failure, watched.relation),
            None => Ok(failure),
        }
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
        let operations = self.program.expressions.operations(expression);
        let read = |variable, when| Some(self.read(variable, when));
        evaluate(self.copies.bdds, operations, read)
    }

    /// The value of a cell at a time.
    fn read(&self, variable: VariableId, when: When) -> Term {
        let bits = self.layout.cell(self.effect.procedure, variable);
        let domain = self.program.cell(self.effect.procedure, variable).domain;
        let is_changed = || {
            let mut changed = self
                .effect
                .assigned(false)
                .chain(self.effect.arbitrary(false));
            changed.any(|bit| bits.contains(&bit))
        };
        let copy = match when {
            When::After if is_changed() => Copy::Next,
            _ => Copy::Current,
        };
        self.copies.term(bits, domain, copy)
    }

    /// What every cell gets, and where something is wrong with that.
    fn updates(&self) -> Result<(Updates, Bdd), OutOfNodes> {
        let bdds = self.copies.bdds;
        let mut updates = Updates::default();
        let mut failure = bdds.constant(false);
        for assignment in self.effect.assignments {
            if self.effect.is_arbitrary(assignment) {
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
                        value: fitted.value.unwrap_or(Term::Truth(May::certain(falsity))),
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
        fitted: &Fitted,
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
    fn fitted(&self, assignment: &Assignment) -> Result<Fitted, OutOfNodes> {
        let bdds = self.copies.bdds;
        let falsity = bdds.constant(false);
        let (term, undefined) = match &assignment.source {
            Source::Any => {
                return Ok(Fitted {
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
            return Ok(Fitted {
                failure: undefined,
                value: Some(term),
            });
        };
        if self.program.overflow == Overflow::Wrap {
            return Ok(Fitted {
                value: Some(Term::Number(number.wrapped(bdds, assignment.domain)?)),
                failure: undefined,
            });
        }
        let misfit = bdds.not(&number.fits(bdds, assignment.domain)?)?;
        Ok(Fitted {
            failure: bdds.or(&undefined, &misfit)?,
            value: Some(term),
        })
    }

    /// "The cell has one value on top and below."
    fn same_in_both(&self, first: DataVariable, domain: Domain) -> BddResult {
        let (bdds, copies) = (self.copies.bdds, self.copies);
        let mut same = bdds.constant(true);
        for bit in (first..first + domain.bits()).rev() {
            let next = copies.variable(bit, Copy::Next);
            let equal = bdds.equivalent(&next, &copies.variable(bit, Copy::Below))?;
            same = bdds.and(&equal, &same)?;
        }
        Ok(same)
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
