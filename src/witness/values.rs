//! Values that fit a rule.
//!
//! A path tells the values that matter; a rule says which values each cell that it sets may
//! get. Of these the smallest is guessed, and where the rule's constraint does not allow that,
//! it is solved: as a BDD over the open values only, all others being known. Linear in the
//! cells that are set, but for what is solved. Replay then checks every step by itself.

use crate::bdd::OutOfNodes;
use crate::bits;
use crate::interpreter::assignment::{Choice, fit};
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::value_of;
use crate::interpreter::values::Possible;
use crate::program::{Domain, Expression, Moment, ProcedureId, VariableId};
use crate::pushdown::holds;
use crate::rules::effect::{Assignment, Effect, Outcome, Place, Source, element};
use crate::rules::{DataVariable, Right, Rule, Rules};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{self, Term};
use crate::trace::Valuation;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// Finds the values after rules.
#[derive(Clone, Copy)]
pub struct Solver<'a> {
    pub rules: &'a Rules<'a>,
    pub copies: &'a Copies<'a>,
}

/// The values that matter somewhere, as a path tells them.
#[derive(Clone, Copy)]
pub struct Told<'t> {
    pub variables: &'t [u64],
    pub values: &'t [bool],
}

/// What a path tells of the frame below a pushed one.
#[derive(Clone, Copy)]
pub struct ToldBelow<'t> {
    pub told: Told<'t>,
    /// What comes out of the frames above. All other globals are as they go in.
    pub handed: &'t [u64],
}

/// Where a rule is taken.
#[derive(Clone, Copy)]
pub struct Before<'b> {
    pub frame: ProcedureId,
    pub valuation: &'b Valuation,
    /// On return: of which kind the frame was that is gone, and the values it has fixed.
    pub returned: Option<(ProcedureId, Option<&'b [u64]>)>,
}

/// What a rule makes of the values.
pub struct After {
    pub valuation: Valuation,
    /// What the rule has fixed to be returned.
    pub returns: Option<Box<[u64]>>,
    /// Of a push: the locals of the frame below.
    pub below: Box<[u64]>,
}

/// A cell that gets a value.
struct Set {
    bits: Range<DataVariable>,
    domain: Domain,
    choice: Choice,
}

/// Cells in the frame on top or, if so, in the one below, in the order in which they are set.
type Sets = IndexMap<(VariableId, Moment), Set, FxBuildHasher>;

/// The values to be found for one step.
struct Problem<'p> {
    /// The kinds of frames that expressions speak of, and those that there are: before the
    /// step, after it, and below. They agree on the bits of whatever is read.
    spoken: [ProcedureId; 3],
    frames: [ProcedureId; 3],
    before: &'p Valuation,
    after: After,
    sets: Sets,
    /// What must be able to be true, and whether all it reads is read after the step.
    constrain: Vec<(Expression, bool)>,
}

impl Told<'_> {
    /// Either all bits of a cell matter or none.
    pub fn value(&self, cell: Range<DataVariable>) -> Option<u64> {
        let matters = cell.start < cell.end && bits::contains(self.variables, cell.start);
        let bits = cell.zip(0..);
        let values = bits.map(|(bit, place)| u64::from(self.values[bit as usize]) << place);
        matters.then(|| values.sum())
    }
}

impl Solver<'_> {
    /// The values that executions begin with.
    pub fn start(&self, told: Told<'_>) -> Option<Valuation> {
        let rules = self.rules;
        let frame = rules.frame_of(rules.start.head)?;
        let zeros = |cells: usize| vec![0; cells];
        let locals = rules.cells(frame).locals;
        let before = Valuation::new(&zeros(rules.globals.len()), &zeros(locals.len()));
        let mut problem = Problem {
            spoken: [frame; 3],
            frames: [frame; 3],
            before: &before,
            after: After {
                valuation: before.clone(),
                returns: None,
                below: Box::default(),
            },
            sets: Sets::default(),
            constrain: Vec::new(),
        };
        let conditions = rules.start.conditions.iter();
        problem.constrain = conditions.map(|condition| (*condition, true)).collect();
        let globals = (0..rules.globals.len() as u32).map(VariableId::Global);
        let locals = (0..locals.len() as u32).map(VariableId::Local);
        for variable in globals.chain(locals) {
            self.leave_open(&mut problem, variable);
        }
        problem.wish(Some(told), None)?;
        Some(self.solve(problem)?.valuation)
    }

    /// The values after a rule, of which some are told where the frame on top is then, and
    /// some where the one below it will go on; `None` if there are none.
    pub fn after(
        &self,
        rule: &Rule,
        before: Before<'_>,
        first: Option<Told<'_>>,
        second: Option<ToldBelow<'_>>,
    ) -> Option<After> {
        let rules = self.rules;
        let effect = rules.effects.get(rule.effect);
        let mut problem = self.problem(rule, effect, before);
        let allows = |(condition, outcome): &(Expression, Outcome)| {
            let condition = self.possible(&problem, *condition);
            match outcome {
                Outcome::True => condition.may_be(true),
                Outcome::False => condition.may_be(false),
                Outcome::NotTrue => {
                    condition.may_be(false) || matches!(condition, Possible::Nothing(_))
                }
            }
        };
        if !effect.conditions.iter().all(allows) {
            return None;
        }
        let mut returns = Vec::new();
        for assignment in &effect.assignments {
            let bits = self.cell(&problem, &assignment.place)?;
            let is_returned = rules.layout.returned_range().contains(&bits.start);
            let is_open = matches!(assignment.source, Source::Any);
            // Values returned by running off the end stay open until somebody takes them.
            if bits.is_empty() || is_returned && is_open {
                continue;
            }
            let choice = self.choice(&problem, assignment, before)?;
            if is_returned {
                let told = first.and_then(|told| told.value(bits));
                returns.push(choice.wished(told)?.first);
                continue;
            }
            let when = match assignment.below {
                true => Moment::Below,
                false => Moment::After,
            };
            let frame = problem.frames[when as usize];
            let variable = rules.layout.variable(frame, bits.start);
            let domain = assignment.domain;
            let set = Set {
                bits,
                domain,
                choice,
            };
            problem.sets.insert((variable, when), set);
        }
        problem.after.returns = rule.is_return.then(|| returns.into());
        problem.wish(first, second)?;
        self.solve(problem)
    }

    /// The values that stay as they are, and the locals of a pushed frame, which are open.
    fn problem<'p>(&self, rule: &Rule, effect: &Effect, before: Before<'p>) -> Problem<'p> {
        let rules = self.rules;
        let frame = |head| rules.frame_of(head);
        let [top, below] = match rule.right {
            Right::Pop => [None, None],
            Right::Step(to) => [frame(to), None],
            Right::Push { first, saved, .. } => [frame(first), frame(saved)],
        };
        let globals = before.valuation.globals();
        let is_push = below.is_some();
        let valuation = match top {
            Some(top) if is_push => {
                Valuation::new(globals, &vec![0; rules.cells(top).locals.len()])
            }
            Some(top) if top == before.frame => before.valuation.clone(),
            Some(top) => Valuation::new(globals, &self.kept(before, top)),
            None => Valuation::new(globals, &[]),
        };
        let constrain = effect.constrain.iter().map(|condition| (*condition, false));
        let afterwards = effect.afterwards.map(|condition| (condition, true));
        let mut problem = Problem {
            spoken: effect.frames,
            frames: [
                before.frame,
                top.unwrap_or(before.frame),
                below.unwrap_or(before.frame),
            ],
            before: before.valuation,
            after: After {
                valuation,
                returns: None,
                below: below.map_or(Box::default(), |below| self.kept(before, below)),
            },
            sets: Sets::default(),
            constrain: constrain.chain(afterwards).collect(),
        };
        if let Some(top) = top.filter(|_| is_push) {
            let locals = 0..rules.cells(top).locals.len() as u32;
            locals.for_each(|i| self.leave_open(&mut problem, VariableId::Local(i)));
        }
        problem
    }

    /// The locals of a frame that takes the place of another: those with the same bits.
    fn kept(&self, before: Before<'_>, frame: ProcedureId) -> Box<[u64]> {
        if frame == before.frame {
            return before.valuation.locals().into();
        }
        let layout = &self.rules.layout;
        let kept = |i| {
            let bits = layout.cell(frame, VariableId::Local(i));
            let old = layout.variable(before.frame, bits.start);
            let value = before.valuation.find(old)?;
            (layout.cell(before.frame, old) == bits).then_some(value)
        };
        let locals = 0..self.rules.cells(frame).locals.len() as u32;
        locals.map(|i| kept(i).unwrap_or(0)).collect()
    }

    /// Lets a cell of the frame on top have any value.
    fn leave_open(&self, problem: &mut Problem<'_>, variable: VariableId) {
        let frame = problem.frames[Moment::After as usize];
        let domain = self.rules.domain(frame, variable);
        let set = Set {
            bits: self.rules.layout.cell(frame, variable),
            domain,
            choice: Choice::any(domain),
        };
        problem.sets.insert((variable, Moment::After), set);
    }

    fn possible(&self, problem: &Problem<'_>, expression: Expression) -> Possible {
        let operations = self.rules.expressions.operations(expression);
        evaluate(operations, |variable, when| {
            self.read(problem, variable, when)
                .unwrap_or(Possible::not_there())
        })
    }

    fn read(&self, problem: &Problem<'_>, variable: VariableId, when: Moment) -> Option<Possible> {
        let domain = self.rules.domain(problem.spoken[when as usize], variable);
        let value = match self.present(problem, variable, when) {
            Some(variable) => problem.value(variable, when)?,
            None => 0,
        };
        Some(value_of(domain, value))
    }

    /// The variable that an expression speaks of, in the frame that there is; `None` if it
    /// has no bits.
    fn present(
        &self,
        problem: &Problem<'_>,
        variable: VariableId,
        when: Moment,
    ) -> Option<VariableId> {
        let (spoken, frame) = (problem.spoken[when as usize], problem.frames[when as usize]);
        if matches!(variable, VariableId::Global(_)) || spoken == frame {
            return Some(variable);
        }
        let layout = &self.rules.layout;
        let bits = layout.cell(spoken, variable);
        (!bits.is_empty()).then(|| layout.variable(frame, bits.start))
    }

    /// The bits of the cell that is set; `None` if there is no such cell.
    fn cell(&self, problem: &Problem<'_>, place: &Place) -> Option<Range<DataVariable>> {
        match place {
            Place::Cell(bits) => Some(bits.clone()),
            Place::Element {
                first,
                count,
                index,
                only,
            } => {
                let index = match self.possible(problem, *index) {
                    Possible::Number(index) => u32::try_from(index).ok()?,
                    Possible::Truth(values) => values.contains(true).into(),
                    Possible::Nothing(_) => return None,
                };
                let is_there = index < *count && only.is_none_or(|only| only == index);
                is_there.then(|| element(first, index))
            }
        }
    }

    /// The values that an assignment may give; `None` if there are none.
    fn choice(
        &self,
        problem: &Problem<'_>,
        assignment: &Assignment,
        before: Before<'_>,
    ) -> Option<Choice> {
        let layout = &self.rules.layout;
        let fit = |number| fit(self.rules.overflow, number, assignment.domain).map(Choice::only);
        match &assignment.source {
            Source::Any => Some(Choice::any(assignment.domain)),
            Source::Of(expression) => match self.possible(problem, *expression) {
                Possible::Truth(values) => Some(Choice::of_truth(values)),
                Possible::Number(number) => fit(number),
                Possible::Nothing(_) => None,
            },
            Source::Bits(bits, domain) => {
                let returned = before.returned.and_then(|(frame, values)| {
                    Some((layout.returned_index(frame, bits.start)?, values))
                });
                match returned {
                    Some((index, Some(values))) => fit(values.get(index as usize).copied()?.into()),
                    // Control ran off the end.
                    Some((_, None)) => {
                        Some(Choice::below(domain.size().min(assignment.domain.size())))
                    }
                    None => {
                        let variable = layout.variable(before.frame, bits.start);
                        before.valuation.find(variable).map(Choice::only)
                    }
                }
            }
        }
    }

    /// The smallest values, if they are allowed, or else some that are.
    fn solve(&self, mut problem: Problem<'_>) -> Option<After> {
        let guess: Vec<u64> = problem.sets.values().map(|set| set.choice.first).collect();
        problem.assign(&guess);
        let is_met = |(condition, is_after): &(Expression, bool)| {
            let operations = self.rules.expressions.operations(*condition);
            holds(operations, |variable, when| {
                self.read(&problem, variable, read_when(when, *is_after))
            })
        };
        if !problem.constrain.iter().all(is_met) {
            // Out of memory is as good as no solution: the trace is then not shown.
            let found = self.solve_by_bdds(&problem).unwrap_or_default()?;
            problem.assign(&found);
        }
        Some(problem.after)
    }

    fn solve_by_bdds(&self, problem: &Problem<'_>) -> Result<Option<Vec<u64>>, OutOfNodes> {
        let bdds = self.copies.bdds;
        // There need not be copies for what is below; those for entries are free here.
        let copy = |when| match when {
            Moment::Before => Copy::Current,
            Moment::After => Copy::Next,
            Moment::Below => Copy::Entry,
        };
        let open = |variable, when| {
            let set = problem.sets.get(&(variable, when));
            set.filter(|set| set.choice.count > 1)
        };
        let read = |variable, when| {
            let domain = self.rules.domain(problem.spoken[when as usize], variable);
            let Some(variable) = self.present(problem, variable, when) else {
                return Some(Term::constant(bdds, domain, 0));
            };
            Some(match open(variable, when) {
                Some(set) => self.copies.term(set.bits.clone(), domain, copy(when)),
                None => Term::constant(bdds, domain, problem.value(variable, when)?),
            })
        };
        let mut solutions = bdds.constant(true);
        for ((_, when), set) in problem.sets.iter().filter(|(_, set)| set.choice.count > 1) {
            let Choice { first, count } = set.choice;
            if count < 1 << set.bits.len() {
                // What is open begins with 0.
                let last = Term::constant(bdds, set.domain, first + (count - 1) as u64);
                let term = self.copies.term(set.bits.clone(), set.domain, copy(*when));
                let inside = term.number(bdds).less_equal(bdds, &last.number(bdds))?;
                solutions = bdds.and(&solutions, &inside)?;
            }
        }
        for (condition, is_after) in &problem.constrain {
            let operations = self.rules.expressions.operations(*condition);
            let read = |variable, when| read(variable, read_when(when, *is_after));
            let holds = spds::evaluate(bdds, operations, read)?.be_one(bdds)?;
            solutions = bdds.and(&solutions, &holds)?;
        }
        let Some(member) = bdds.smallest(&solutions) else {
            return Ok(None);
        };
        let value = |((_, when), set): (&(VariableId, Moment), &Set)| {
            let bit = |bit| {
                let level = self.copies.level(bit, copy(*when));
                member.get(level as usize) == Some(&Some(true))
            };
            match set.choice {
                Choice { first, count: 1 } => first,
                _ => {
                    let bits = set.bits.clone().zip(0..);
                    bits.map(|(b, place)| u64::from(bit(b)) << place).sum()
                }
            }
        };
        Ok(Some(problem.sets.iter().map(value).collect()))
    }
}

fn read_when(when: Moment, is_after: bool) -> Moment {
    match is_after {
        true => Moment::After,
        false => when,
    }
}

impl Problem<'_> {
    /// The value of a cell, as far as it has one.
    fn value(&self, variable: VariableId, when: Moment) -> Option<u64> {
        match (when, variable) {
            (Moment::Before, _) => self.before.find(variable),
            (Moment::After, _) => self.after.valuation.find(variable),
            (Moment::Below, VariableId::Local(i)) => self.after.below.get(i as usize).copied(),
            (Moment::Below, VariableId::Global(_)) => None,
        }
    }

    /// Lets cells have no values but those that are told; `None` if that cannot be.
    fn wish(&mut self, first: Option<Told<'_>>, second: Option<ToldBelow<'_>>) -> Option<()> {
        for ((variable, when), set) in &mut self.sets {
            let below = second.and_then(|second| second.told.value(set.bits.clone()));
            let is_handed =
                second.is_some_and(|second| bits::contains(second.handed, set.bits.start));
            let wished = match (when, variable) {
                (Moment::Below, _) => below,
                (_, VariableId::Global(_)) if !is_handed => below,
                _ => None,
            };
            match first.and_then(|first| first.value(set.bits.clone())) {
                Some(value) if *when != Moment::Below => {
                    set.choice = set.choice.wished(Some(value))?;
                }
                // Where there is no choice, the frame below finds what it finds.
                _ => set.choice = set.choice.wished(wished).unwrap_or(set.choice),
            }
        }
        Some(())
    }

    /// Gives the cells that are set these values.
    fn assign(&mut self, values: &[u64]) {
        let After {
            valuation, below, ..
        } = &mut self.after;
        for ((variable, when), value) in self.sets.keys().zip(values) {
            match (when, variable) {
                (Moment::Below, VariableId::Local(i)) => below[*i as usize] = *value,
                _ => valuation.set(*variable, *value),
            }
        }
    }
}
