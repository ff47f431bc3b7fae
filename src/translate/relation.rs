//! The conditions of one rule, from its effect.
//!
//! Nothing is kept in `.pds` unless a rule says so, so that each rule speaks of every variable:
//! linear in the variables, whatever the effect. Arithmetic is exact there. A number that does
//! not fit is left to the rule to *error*; under wrapping, a value is related to the number it
//! is congruent to.

use super::Untranslatable;
use super::expression::{Number, Truth, Value, number};
use super::formula::{Formulas, Kind, Node};
use super::variables::Variables;
use crate::program::{Domain, Interval, Moment, Overflow, ProcedureId};
use crate::rules::effect::{Assignment, Effect, Outcome, Place, Source};
use crate::rules::{Right, Rule, Rules};
use crate::syntax::pds::tree::BinaryOperator as Operator;
use std::collections::BTreeMap;
use std::ops::Range;

/// The conditions of rules with one effect, as far as they are made.
pub struct Relation<'r> {
    pub formulas: Formulas,
    pub rules: &'r Rules<'r>,
    pub variables: &'r Variables,
    pub effect: &'r Effect,
    /// The kinds of the frames before the step, after it and below. The effect may have been
    /// found for others, with which these share their bits.
    pub frames: [ProcedureId; 3],
    /// Whose return values can be read.
    pub callee: ProcedureId,
    /// The values that are read where an expression asks for those before the step.
    pub now: Moment,
}

/// Variables, where they are looked at, and whether what is not set there stays as it was
/// rather than become anything.
pub type Frame = (Range<u32>, Moment, bool);

/// A cell that is set.
pub struct Update {
    variable: u32,
    when: Moment,
    /// Which one, in an array.
    index: Option<Node>,
    domain: Domain,
    /// `None` for any value.
    value: Option<Value>,
}

/// Multiples beyond this many are not tried one by one.
const MOST_MULTIPLES: i128 = 16;

impl Relation<'_> {
    /// The conditions of a rule; all must be true.
    pub fn of_rule(&mut self, rule: &Rule) -> Result<Vec<Node>, Untranslatable> {
        let (effect, variables) = (self.effect, self.variables);
        let mut asked = self.formulas.truth(true);
        let mut failure = self.formulas.truth(false);
        for (condition, outcome) in &effect.conditions {
            let truth = self.condition(*condition)?;
            let f = &mut self.formulas;
            let missing = truth.missing(f);
            failure = f.or(failure, missing);
            let holds = match outcome {
                Outcome::True => truth.yes,
                Outcome::NotTrue if truth.is_determined(f) => f.not(truth.yes),
                Outcome::False | Outcome::NotTrue => truth.no,
            };
            asked = f.and(asked, holds);
        }
        let mut conditions = vec![asked];
        let mut updates = Vec::new();
        for assignment in &effect.assignments {
            let (fits, update) = self.update(assignment)?;
            conditions.push(fits);
            let misfit = self.formulas.not(fits);
            failure = self.formulas.or(failure, misfit);
            updates.extend(update);
        }
        let mut frames: Vec<Frame> = vec![(variables.globals.clone(), Moment::After, true)];
        if rule.is_failure {
            conditions = vec![failure];
            conditions.extend(self.frames(&frames, &[]));
            return Ok(conditions);
        }
        for constrain in &effect.constrain {
            conditions.push(self.condition(*constrain)?.yes);
        }
        // The return values that a frame fixes matter only until they are taken over.
        updates.retain(|update| {
            let is_returned = variables.registers.contains(&update.variable);
            if is_returned {
                conditions.push(self.set(update));
            }
            !is_returned
        });
        match rule.right {
            Right::Step(to) => {
                let locals = self.rules.frame_of(to).map(|frame| variables.locals(frame));
                frames.extend(locals.map(|locals| (locals, Moment::After, true)));
            }
            Right::Push { .. } => frames.extend([
                (variables.locals(self.frames[1]), Moment::After, false),
                (variables.locals(self.frames[2]), Moment::Below, true),
            ]),
            Right::Pop => {
                let returned = variables.registers_of(self.frames[0]);
                frames.extend(returned.map(|r| (r..r + 1, Moment::After, true)));
            }
        }
        conditions.extend(self.frames(&frames, &updates));
        if let Some(afterwards) = effect.afterwards {
            self.now = Moment::After;
            conditions.push(self.condition(afterwards)?.yes);
        }
        Ok(conditions)
    }

    /// Under which condition an assignment can be made, and what it then sets: nothing if the
    /// cell has but one value.
    fn update(
        &mut self,
        assignment: &Assignment,
    ) -> Result<(Node, Option<Update>), Untranslatable> {
        let domain = assignment.domain;
        let value = match &assignment.source {
            Source::Any => None,
            Source::Of(expression) => Some(self.value(*expression)?),
            Source::Bits(bits, domain) => {
                Some(self.cell_value(self.callee, bits, *domain, Moment::Before))
            }
        };
        let mut fits = self.fits(value, domain);
        let when = if assignment.below {
            Moment::Below
        } else {
            Moment::After
        };
        let frame = self.frames[when as usize];
        let place = match &assignment.place {
            Place::Cell(bits) => {
                let found = self.variables.at(frame, bits);
                found.map(|(variable, place)| (variable, self.constant_index(variable, place)))
            }
            Place::Element {
                first,
                count,
                index,
                ..
            } => {
                let index = number(self.value(*index)?)?;
                let (variable, index) = self.index(frame, first, *count, index);
                fits = self.formulas.and(fits, index.defined);
                variable.map(|variable| (variable, Some(index.term)))
            }
        };
        let update = place.map(|(variable, index)| Update {
            variable,
            when,
            index,
            domain,
            value,
        });
        Ok((fits, update))
    }

    /// That a value is there, and fits what it goes into.
    fn fits(&mut self, value: Option<Value>, domain: Domain) -> Node {
        match value {
            None => self.formulas.truth(true),
            Some(Value::Truth(truth)) => {
                let missing = truth.missing(&mut self.formulas);
                self.formulas.not(missing)
            }
            Some(Value::Number(number)) if self.rules.overflow == Overflow::Wrap => number.defined,
            Some(Value::Number(number)) => {
                self.within(number, 0, domain.size() as i128 - 1).defined
            }
        }
    }

    /// The conditions that describe frames after these updates. Where two meet, the later one
    /// wins.
    pub fn frames(&mut self, frames: &[Frame], updates: &[Update]) -> Vec<Node> {
        let mut conditions = Vec::new();
        for frame in frames {
            for variable in frame.0.clone() {
                let is_here = |u: &&Update| u.variable == variable && u.when == frame.1;
                let here: Vec<&Update> = updates.iter().filter(is_here).collect();
                match (self.variables.get(variable).array, here.last()) {
                    (None, Some(update)) => conditions.push(self.set(update)),
                    (None, None) => conditions.push(self.untouched(frame, variable, None)),
                    (Some((low, length)), _) => {
                        let low = i128::from(low);
                        let indices = (low, low + i128::from(length) - 1);
                        self.array(frame, variable, indices, &here, &mut conditions);
                    }
                }
            }
        }
        conditions
    }

    fn array(
        &mut self,
        frame: &Frame,
        variable: u32,
        (low, high): (i128, i128),
        updates: &[&Update],
        conditions: &mut Vec<Node>,
    ) {
        let indexed: Vec<_> = updates
            .iter()
            .filter_map(|u| Some((u.index?, *u)))
            .collect();
        let constant = |(index, update): &(Node, _)| match self.formulas.kind(*index) {
            Kind::Number(number) => Some((i128::from(number), *update)),
            _ => None,
        };
        let known: Option<BTreeMap<_, _>> = indexed.iter().map(constant).collect();
        if let Some(known) = known {
            conditions.extend(known.values().map(|update| self.set(update)));
            // What lies between those that are set.
            let mut from = low;
            for next in known.keys().copied().chain([high + 1]) {
                if from + 1 == next {
                    let index = self.formulas.constant(from);
                    conditions.push(self.untouched(frame, variable, Some(index)));
                } else if from < next {
                    let index = self.formulas.bound();
                    let rest = self.untouched(frame, variable, Some(index));
                    conditions.push(self.formulas.quantified(true, from, next - 1, rest));
                }
                from = next + 1;
            }
            return;
        }
        let bound = self.formulas.bound();
        let mut rest = self.untouched(frame, variable, Some(bound));
        for (k, (index, update)) in indexed.iter().enumerate() {
            let mut condition = self.set(update);
            let f = &mut self.formulas;
            for (later, _) in &indexed[k + 1..] {
                let same = f.binary(Operator::Equal, *index, *later);
                condition = f.or(same, condition);
            }
            conditions.push(condition);
            let same = f.binary(Operator::Equal, bound, *index);
            rest = f.or(same, rest);
        }
        conditions.push(self.formulas.quantified(true, low, high, rest));
    }

    /// What is said of a variable, or an element, that is not set.
    fn untouched(&mut self, frame: &Frame, variable: u32, index: Option<Node>) -> Node {
        let domain = self.variables.get(variable).domain;
        let after = self.formulas.cell(variable, frame.1, index);
        let before = self.formulas.cell(variable, Moment::Before, index);
        match (frame.2, domain) {
            (false, _) => self.in_domain(variable, domain, after),
            (true, Domain::Boolean) => self.formulas.equivalent(after, before),
            (true, _) => self.formulas.binary(Operator::Equal, after, before),
        }
    }

    /// That a cell of a variable holds a value of a domain; all bits together may hold more.
    fn in_domain(&mut self, variable: u32, domain: Domain, cell: Node) -> Node {
        let bits = self.variables.get(variable).domain.bits().max(1);
        if domain.size() == 1 << bits {
            return self.formulas.truth(true);
        }
        let last = self.formulas.constant(domain.size() as i128 - 1);
        self.formulas.binary(Operator::LessEqual, cell, last)
    }

    /// That a cell holds its new value, made to fit.
    fn set(&mut self, update: &Update) -> Node {
        let cell = self
            .formulas
            .cell(update.variable, update.when, update.index);
        let domain = update.domain;
        match update.value {
            None => self.in_domain(update.variable, domain, cell),
            Some(Value::Truth(truth)) => self.set_truth(cell, truth),
            Some(Value::Number(number)) => {
                let size = domain.size() as i128;
                if self.rules.overflow != Overflow::Wrap || number.interval.within(0, size - 1) {
                    return self.formulas.binary(Operator::Equal, cell, number.term);
                }
                let congruent = self.congruent(cell, number, size);
                let fits = self.in_domain(update.variable, domain, cell);
                self.formulas.and(fits, congruent)
            }
        }
    }

    fn set_truth(&mut self, cell: Node, value: Truth) -> Node {
        let f = &mut self.formulas;
        if value.is_determined(f) {
            return f.equivalent(cell, value.yes);
        }
        let unset = f.not(cell);
        let (one, zero) = (f.and(cell, value.yes), f.and(unset, value.no));
        f.or(one, zero)
    }

    /// That a natural number below `size` is congruent to another one.
    fn congruent(&mut self, cell: Node, number: Number, size: i128) -> Node {
        let Number {
            term,
            interval: Interval { low, high },
            ..
        } = number;
        let (first, last) = (low.div_euclid(size), high.div_euclid(size));
        let f = &mut self.formulas;
        let modulus = f.constant(size);
        if last - first < MOST_MULTIPLES {
            let multiple = f.bound();
            let multiple = f.binary(Operator::Multiply, multiple, modulus);
            let sum = f.binary(Operator::Add, cell, multiple);
            let equal = f.binary(Operator::Equal, sum, term);
            return f.quantified(false, first, last, equal);
        }
        // Division rounds towards 0, so that the remainder has the sign of the term.
        let quotient = f.binary(Operator::Divide, term, modulus);
        let multiple = f.binary(Operator::Multiply, quotient, modulus);
        let remainder = f.binary(Operator::Subtract, term, multiple);
        let equal = f.binary(Operator::Equal, cell, remainder);
        if low >= 0 {
            return equal;
        }
        let zero = f.number(0);
        let natural = f.binary(Operator::GreaterEqual, remainder, zero);
        let negative = f.not(natural);
        let above = f.binary(Operator::Add, remainder, modulus);
        let shifted = f.binary(Operator::Equal, cell, above);
        let (a, b) = (f.and(natural, equal), f.and(negative, shifted));
        f.or(a, b)
    }
}
