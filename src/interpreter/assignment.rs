//! Values on their way into cells: what fits, and all outcomes of setting cells at once.

use super::evaluation::evaluate;
use super::step::Wish;
use super::values::{Cause, Missing, Possible, Values};
use super::{Valuation, value_of, values_of};
use crate::program::{
    Domain, Expression, Moment, Overflow, ProcedureId, Program, Target, Value, VariableId,
};
use crate::trace::failure::{Failure, Place, Reason};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The values a cell may get: so many from the first one up, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub first: u64,
    pub count: u128,
}

impl Choice {
    pub fn only(value: u64) -> Self {
        Choice {
            first: value,
            count: 1,
        }
    }

    pub fn any(domain: Domain) -> Self {
        Choice::below(domain.size())
    }

    /// The natural numbers below a positive one.
    pub fn below(count: u128) -> Self {
        Choice { first: 0, count }
    }

    pub fn of_truth(values: Values) -> Self {
        match (values.contains(false), values.contains(true)) {
            (true, true) => Choice::any(Domain::Boolean),
            (_, one) => Choice::only(one.into()),
        }
    }

    fn contains(self, value: u64) -> bool {
        value >= self.first && u128::from(value - self.first) < self.count
    }

    /// What is left under a wish; `None` if nothing is.
    pub fn wished(self, wish: Option<u64>) -> Option<Self> {
        match wish {
            None => Some(self),
            Some(value) => self.contains(value).then(|| Choice::only(value)),
        }
    }

    /// The next value after `value`, or the first one.
    fn after(self, value: Option<u64>) -> Option<u64> {
        match value {
            None => Some(self.first),
            Some(value) => {
                let done = u128::from(value - self.first) + 1;
                (done < self.count).then(|| value + 1)
            }
        }
    }
}

/// Visits all ways to choose a value at each place, smallest first, the last place fastest,
/// until `visit` says false.
pub fn for_each_choice(choices: &[Choice], visit: &mut dyn FnMut(&[u64]) -> bool) {
    let mut chosen: Vec<u64> = choices.iter().map(|choice| choice.first).collect();
    while visit(&chosen) {
        let next = |place: &usize| choices[*place].after(Some(chosen[*place]));
        let Some(place) = (0..chosen.len()).rev().find(|place| next(place).is_some()) else {
            return;
        };
        chosen[place] += 1;
        for later in place + 1..chosen.len() {
            chosen[later] = choices[later].first;
        }
    }
}

/// What each cell gets, in the order of the targets.
pub type Updates = IndexMap<VariableId, Choice, FxBuildHasher>;

/// Evaluates what a step of a procedure needs, in the state before it.
#[derive(Clone, Copy)]
pub struct Evaluation<'a> {
    pub program: &'a Program,
    pub procedure: ProcedureId,
    pub valuation: &'a Valuation,
}

impl Evaluation<'_> {
    pub fn fails(&self, reason: Reason) -> Failure {
        Failure {
            procedure: self.procedure,
            reason,
        }
    }

    pub fn possible(&self, expression: Expression) -> Possible {
        values_of(self.program, self.procedure, expression, self.valuation)
    }

    pub fn no_value(&self, expression: Expression, missing: Missing) -> Failure {
        self.fails(Reason::NoValue {
            expression,
            target: None,
            missing,
        })
    }

    /// The values of an expression, made to fit a cell.
    pub fn fitted(
        &self,
        expression: Expression,
        domain: Domain,
        place: Place,
    ) -> Result<Choice, Failure> {
        let number = match self.possible(expression) {
            Possible::Nothing(missing) => return Err(self.no_value(expression, missing)),
            Possible::Truth(values) => return Ok(Choice::of_truth(values)),
            Possible::Number(number) => number,
        };
        match fit(self.program.overflow, number, domain) {
            Some(value) => Ok(Choice::only(value)),
            None => Err(self.fails(Reason::Misfit {
                number,
                expression: Some(expression),
                place,
            })),
        }
    }

    /// What assignments make of each cell; where two meet, the later one wins.
    pub fn updates<'t>(
        &self,
        assignments: impl Iterator<Item = (&'t Target, &'t Value)>,
    ) -> Result<Updates, Failure> {
        let mut updates = Updates::default();
        for (target, value) in assignments {
            let Some(cell) = self.cell(target)? else {
                continue;
            };
            let domain = self.program.cell(self.procedure, cell).domain;
            let choice = match value {
                Value::Any => Choice::any(domain),
                Value::Of(expression) => self.fitted(*expression, domain, Place::Variable(cell))?,
            };
            updates.insert(cell, choice);
        }
        Ok(updates)
    }

    /// The cell that a target names; `None` if the value is thrown away.
    pub fn cell(&self, target: &Target) -> Result<Option<VariableId>, Failure> {
        let (first, count, index) = match target {
            Target::Discard => return Ok(None),
            Target::Cell(variable) => return Ok(Some(*variable)),
            Target::Element {
                first,
                count,
                index,
            } => (*first, *count, *index),
        };
        let fails = |missing| {
            self.fails(Reason::NoValue {
                expression: index,
                target: Some((first, count)),
                missing,
            })
        };
        let index = match self.possible(index) {
            Possible::Number(index) => index,
            Possible::Truth(values) => values.contains(true).into(),
            Possible::Nothing(missing) => return Err(fails(missing)),
        };
        match u32::try_from(index) {
            Ok(k) if k < count => Ok(Some(first.plus(k))),
            _ => Err(fails(Missing {
                at: u32::MAX,
                cause: Cause::Outside { index, count },
            })),
        }
    }
}

/// A number made to fit a domain; `None` if it does not.
pub fn fit(overflow: Overflow, number: i128, domain: Domain) -> Option<u64> {
    // The size of a domain is at most 2 to the power 64.
    let size = domain.size() as i128;
    let fitted = match overflow {
        Overflow::Wrap => number.rem_euclid(size),
        Overflow::Error | Overflow::Block => number,
    };
    u64::try_from(fitted)
        .ok()
        .filter(|_| domain.contains(fitted))
}

/// Cells set at once, under a constraint.
pub struct Assignment<'a> {
    pub before: Evaluation<'a>,
    pub constrain: Option<Expression>,
}

impl Assignment<'_> {
    /// Sets one variable after the other, smallest value first, and goes back where it
    /// cannot go on. The constraint is asked after each, with what is not yet set unknown,
    /// so that hopeless branches are left early.
    pub fn enumerate(
        &self,
        updates: Updates,
        wish: &impl Wish,
        visit: &mut dyn FnMut(&Valuation) -> bool,
    ) {
        let mut choices: Vec<(VariableId, Choice)> = Vec::with_capacity(updates.len());
        for (variable, choice) in updates {
            match choice.wished(wish.variable(variable)) {
                Some(choice) => choices.push((variable, choice)),
                None => return,
            }
        }
        if let Some(constrain) = self.constrain {
            // What the constraint reads several times is decided first: it then knows
            // exactly whether the rest can be, so that no choice is made in vain.
            let mut reads: FxHashMap<VariableId, u32> = FxHashMap::default();
            for variable in self.before.program.expressions.reads_next(constrain) {
                *reads.entry(variable).or_default() += 1;
            }
            let several = |v: &VariableId| reads.get(v).is_some_and(|times| *times > 1);
            choices.sort_by_key(|(variable, _)| !several(variable));
        }
        let places: FxHashMap<VariableId, usize> = match self.constrain {
            Some(_) => choices.iter().map(|(v, _)| *v).zip(0..).collect(),
            None => FxHashMap::default(),
        };
        // What is not known of a number cannot be told.
        let domain = |variable| {
            self.before
                .program
                .cell(self.before.procedure, variable)
                .domain
        };
        let early = choices.iter().all(|(v, _)| domain(*v) == Domain::Boolean);
        let mut after = self.before.valuation.clone();
        // The value tried last at each place up to the present one.
        let mut tried = vec![None];
        while let Some(place) = tried.len().checked_sub(1) {
            let Some((variable, choice)) = choices.get(place) else {
                if self.may_satisfy(&places, place, &after) && !visit(&after) {
                    return;
                }
                tried.pop();
                continue;
            };
            match choice.after(tried[place]) {
                None => {
                    tried.pop();
                }
                Some(value) => {
                    tried[place] = Some(value);
                    after.set(*variable, value);
                    if !early || self.may_satisfy(&places, place + 1, &after) {
                        tried.push(None);
                    }
                }
            }
        }
    }

    fn may_satisfy(
        &self,
        places: &FxHashMap<VariableId, usize>,
        decided: usize,
        after: &Valuation,
    ) -> bool {
        let Some(constrain) = self.constrain else {
            return true;
        };
        let Evaluation {
            program,
            procedure,
            valuation,
        } = self.before;
        let read = |variable, when| {
            let domain = program.cell(procedure, variable).domain;
            match (when, places.get(&variable)) {
                (Moment::After, Some(place)) if *place >= decided => Possible::Truth(Values::ANY),
                (Moment::After, _) => value_of(domain, after.get(variable)),
                _ => value_of(domain, valuation.get(variable)),
            }
        };
        let operations = program.expressions.operations(constrain);
        evaluate(operations, read).may_be(true)
    }
}
