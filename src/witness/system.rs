//! Paths of pushdown systems: values that fit the rules.
//!
//! A path tells the values that matter; a rule may say something about the others as well.
//! They are guessed (what is kept stays, the rest is 0), and where the rule does not allow
//! that, its conditions are solved: as BDDs over the unknown values only, all others being
//! known. Replay then checks every step by itself.

use super::path::{CallUse, Move, Path};
use super::walk::{Diverged, Walk, Walker};
use crate::analysis::Analyses;
use crate::bdd::OutOfNodes;
use crate::bits;
use crate::interpreter::value_of;
use crate::program::{Domain, Expression, Moment, ProcedureId, VariableId};
use crate::pushdown::step::{Frame, View};
use crate::pushdown::{GroupId, Right, RuleId, SymbolId, System, holds};
use crate::rules::{self, DataVariable, Layout, Meaning, Rules};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{Head, Spds, Term, evaluate};
use crate::trace::{Fold, SegmentId};
use crate::trace::{Location, Step, Trace, Valuation};
use rustc_hash::FxHashMap;
use std::ops::Range;

pub struct SystemWalker<'a> {
    pub system: &'a System,
    pub rules: &'a Rules<'a>,
    pub analyses: &'a Analyses,
    pub copies: &'a Copies<'a>,
    pub spds: &'a Spds,
}

/// A value that is looked for.
struct Unknown {
    bits: Range<DataVariable>,
    when: Moment,
    /// What it must be, if that is known.
    wanted: Option<u64>,
    guess: u64,
}

/// The values to be found for one step: of the globals, then of the locals of the first
/// symbol, then of those of the second.
struct Problem<'p> {
    conditions: &'p [Expression],
    /// Whose locals are read before, after and below.
    groups: [GroupId; 3],
    /// `None` at the start: there the values before are the unknown ones.
    before: Option<&'p View>,
    unknown: Vec<Unknown>,
    /// How many of them are globals, and how many locals of the first symbol.
    globals: usize,
    firsts: usize,
}

/// The values that matter at a head, as a path tells them.
#[derive(Clone, Copy)]
struct PathValues<'t> {
    live: &'t [u64],
    values: &'t [bool],
}

/// The view of the first symbol, if there is one, the globals, and the locals of the second.
type Successor = (Option<View>, Box<[u64]>, Box<[u64]>);

impl PathValues<'_> {
    /// Either all bits of a cell matter or none.
    fn value(&self, cell: Range<DataVariable>) -> Option<u64> {
        let matters = cell.start < cell.end && bits::contains(self.live, cell.start);
        let bits = cell.zip(0..);
        let values = bits.map(|(bit, place)| u64::from(self.values[bit as usize]) << place);
        matters.then(|| values.sum())
    }
}

impl SystemWalker<'_> {
    /// The bits of a cell, seen from where a symbol of `group` is on top.
    fn bits_of(&self, group: GroupId, variable: VariableId) -> Range<DataVariable> {
        self.rules.layout.cell(ProcedureId(group.0), variable)
    }

    fn told<'t>(&'t self, symbol: SymbolId, values: &'t [bool]) -> PathValues<'t> {
        PathValues {
            live: self.analyses.liveness.at(Head(symbol.0)),
            values,
        }
    }

    fn start_problem(&self, told: PathValues<'_>) -> Problem<'_> {
        let system = self.system;
        let group = system.symbol(system.start.symbol).group;
        let mut problem = Problem {
            conditions: &system.start.conditions,
            groups: [group; 3],
            before: None,
            unknown: Vec::new(),
            globals: system.globals.len(),
            firsts: system.locals(group).len(),
        };
        self.add_unknown(&mut problem, group, Moment::Before, true, Some(told), |_| 0);
        problem
    }

    /// The values after a rule; those told matter at the first and at the second symbol.
    fn problem<'p>(
        &'p self,
        made: &rules::Rule,
        view: &'p View,
        first: Option<PathValues<'_>>,
        second: Option<PathValues<'_>>,
    ) -> Problem<'p> {
        let system = self.system;
        let rule = system.rule(RuleId(made.origin));
        let groups = system.groups_of(rule);
        let footprint = self.rules.footprint(made);
        let mut problem = Problem {
            conditions: &rule.relation,
            groups,
            before: Some(view),
            unknown: Vec::new(),
            globals: system.globals.len(),
            firsts: system.locals_of(rule.right.first()).len(),
        };
        // What is kept has the bits it had before.
        let before = &self.values_before(view);
        let guess = |when: Moment| {
            move |bits: Range<DataVariable>| {
                let changes = footprint.changes(when);
                let is_kept =
                    |bit| !changes.touches(bit) || bits::contains(&changes.identical, bit);
                match bits.clone().all(is_kept) {
                    true => before.get(&bits.start).copied().unwrap_or(0),
                    false => 0,
                }
            }
        };
        let [_, after, below] = groups;
        self.add_unknown(
            &mut problem,
            after,
            Moment::After,
            true,
            first,
            guess(Moment::After),
        );
        if rule.right.second().is_some() {
            let guess = guess(Moment::Below);
            self.add_unknown(&mut problem, below, Moment::Below, false, second, guess);
        }
        problem
    }

    /// The values before a step, by the first bit of each cell.
    fn values_before(&self, view: &View) -> FxHashMap<DataVariable, u64> {
        let group = self.system.symbol(view.symbol).group;
        let globals = (0..view.globals.len() as u32).map(VariableId::Global);
        let locals = (0..view.locals.len() as u32).map(VariableId::Local);
        let variables = globals.chain(locals);
        let value = |v| Some((self.bits_of(group, v).start, view.get(v)?));
        variables.filter_map(value).collect()
    }

    fn add_unknown(
        &self,
        problem: &mut Problem<'_>,
        group: GroupId,
        when: Moment,
        with_globals: bool,
        told: Option<PathValues<'_>>,
        guess: impl Fn(Range<DataVariable>) -> u64,
    ) {
        let globals = (0..self.system.globals.len() as u32).map(VariableId::Global);
        let locals = (0..self.system.locals(group).len() as u32).map(VariableId::Local);
        for variable in globals.filter(|_| with_globals).chain(locals) {
            let bits = self.bits_of(group, variable);
            problem.unknown.push(Unknown {
                when,
                wanted: told.and_then(|told| told.value(bits.clone())),
                guess: guess(bits.clone()),
                bits,
            });
        }
    }

    /// All values, in the order of the unknown ones.
    fn solve(&self, problem: &Problem<'_>) -> Option<Vec<u64>> {
        let guess = |unknown: &Unknown| unknown.wanted.unwrap_or(unknown.guess);
        let guessed: Vec<u64> = problem.unknown.iter().map(guess).collect();
        let read = |variable, when| {
            let (domain, value) = self.read(problem, variable, when);
            let value = value.map_or_else(|index| guessed.get(index).copied(), Some);
            Some(value_of(domain, value?))
        };
        let mut conditions = problem.conditions.iter();
        let operations = |condition: &Expression| self.system.expressions.operations(*condition);
        if conditions.all(|condition| holds(operations(condition), read)) {
            return Some(guessed);
        }
        // Out of memory is as good as no solution: the trace is then not shown.
        self.solve_by_bdds(problem).unwrap_or_default()
    }

    /// The domain of a cell, and its value or its place among the unknown ones.
    fn read(
        &self,
        problem: &Problem<'_>,
        variable: VariableId,
        when: Moment,
    ) -> (Domain, Result<u64, usize>) {
        let domain = self.system.domain(problem.groups[when as usize], variable);
        let index = match variable {
            VariableId::Global(index) => index as usize,
            VariableId::Local(index) => problem.globals + index as usize,
        };
        let value = match (problem.before, when) {
            (Some(view), Moment::Before) => view.get(variable).ok_or(usize::MAX),
            (_, Moment::Before | Moment::After) => Err(index),
            (_, Moment::Below) => Err(index + problem.firsts),
        };
        (domain, value)
    }

    fn solve_by_bdds(&self, problem: &Problem<'_>) -> Result<Option<Vec<u64>>, OutOfNodes> {
        let bdds = self.copies.bdds;
        // There need not be copies for what is below; those for entries are free here.
        let copy = |when| match when {
            Moment::Before => Copy::Current,
            Moment::After => Copy::Next,
            Moment::Below => Copy::Entry,
        };
        let read = |variable, when| {
            let (domain, value) = self.read(problem, variable, when);
            let known = value.or_else(|index| {
                let unknown = problem.unknown.get(index);
                unknown.and_then(|unknown| unknown.wanted).ok_or(index)
            });
            match known {
                Ok(value) => Some(Term::constant(bdds, domain, value)),
                Err(index) => {
                    let unknown = problem.unknown.get(index)?;
                    let copy = copy(unknown.when);
                    Some(self.copies.term(unknown.bits.clone(), domain, copy))
                }
            }
        };
        let mut set = bdds.constant(true);
        for condition in problem.conditions {
            let operations = self.system.expressions.operations(*condition);
            let holds = evaluate(bdds, operations, read)?.be_one(bdds)?;
            set = bdds.and(&set, &holds)?;
        }
        let Some(member) = bdds.smallest(&set) else {
            return Ok(None);
        };
        let value = |unknown: &Unknown| {
            let bit = |bit| {
                let level = self.copies.level(bit, copy(unknown.when));
                member.get(level as usize) == Some(&Some(true))
            };
            let bits = unknown.bits.clone().zip(0..);
            let found = || bits.map(|(b, place)| u64::from(bit(b)) << place).sum();
            unknown.wanted.unwrap_or_else(found)
        };
        Ok(Some(problem.unknown.iter().map(value).collect()))
    }

    /// Takes a rule from where a walk is: the view of the first symbol, if there is one, the
    /// globals, and the locals of the second symbol.
    fn take(
        &self,
        walk: &mut Walk<'_, Self>,
        made: &rules::Rule,
        first: Option<PathValues<'_>>,
        second: Option<PathValues<'_>>,
    ) -> Result<Successor, Diverged> {
        let view = walk.view.as_ref().ok_or(Diverged)?;
        let id = RuleId(made.origin);
        let rule = self.system.rule(id);
        if rule.from != view.symbol {
            return Err(Diverged);
        }
        let problem = self.problem(made, view, first, second);
        let values = self.solve(&problem).ok_or(Diverged)?;
        let (globals, locals) = values.split_at(problem.globals);
        let (locals, below) = locals.split_at(problem.firsts);
        let view = rule.right.first().map(|symbol| View {
            symbol,
            globals: globals.into(),
            locals: locals.into(),
        });
        if let Some(step) = walk.steps.last_mut() {
            step.rule = Some(id.0);
            step.below = below.into();
        }
        Ok((view, globals.into(), below.into()))
    }

    /// The rule of the pushdown system that a move is made by.
    fn rule_of(&self, step: &Move) -> Result<&rules::Rule, Diverged> {
        let rule = self.spds.rule(step.rule().ok_or(Diverged)?);
        self.rules.rules.get(rule.origin.0 as usize).ok_or(Diverged)
    }

    fn is_returning(&self, head: Head) -> bool {
        matches!(self.rules.meaning(head), Meaning::Returning(_))
    }
}

impl Walker for SystemWalker<'_> {
    type View = View;
    type Waiting = Frame;
    /// The globals.
    type Exit = Box<[u64]>;

    fn layout(&self) -> &Layout {
        &self.rules.layout
    }

    fn states(&self, call: &CallUse) -> [u32; 2] {
        let (_, after) = call.handed(self.spds);
        [&call.key[..], &after].map(|values| self.rules.layout.state(values))
    }

    fn start(&self, path: &Path) -> Result<View, Diverged> {
        let symbol = self.system.start.symbol;
        let problem = self.start_problem(self.told(symbol, &path.values));
        let values = self.solve(&problem).ok_or(Diverged)?;
        let (globals, locals) = values.split_at(problem.globals);
        Ok(View {
            symbol,
            globals: globals.into(),
            locals: locals.into(),
        })
    }

    fn step(&self, view: &View, depth: u64) -> Step {
        let valuation = Valuation::new(&view.globals, &view.locals);
        Step::new(Location::At(view.symbol.0), depth, valuation)
    }

    fn jump(&self, view: &View, path: &Path) -> Result<View, Diverged> {
        if self.rules.meaning(path.head) != Meaning::Symbol(view.symbol.0) {
            return Err(Diverged);
        }
        let told = self.told(view.symbol, &path.values);
        let group = self.system.symbol(view.symbol).group;
        let mut view = view.clone();
        for (value, i) in view.globals.iter_mut().zip(0..) {
            let cell = self.bits_of(group, VariableId::Global(i));
            *value = told.value(cell).unwrap_or(*value);
        }
        for (value, i) in view.locals.iter_mut().zip(0..) {
            let cell = self.bits_of(group, VariableId::Local(i));
            *value = told.value(cell).unwrap_or(*value);
        }
        Ok(view)
    }

    fn make_move(&self, walk: &mut Walk<'_, Self>, step: &Move) -> Result<(), Diverged> {
        let made = self.rule_of(step)?;
        let right = self.system.rule(RuleId(made.origin)).right;
        let first = right.first().map(|symbol| self.told(symbol, &step.values));
        let (view, ..) = self.take(walk, made, first, None)?;
        walk.made += 1;
        walk.depth += u64::from(matches!(right, Right::Push(..)));
        walk.arrive(self, view.ok_or(Diverged)?);
        Ok(())
    }

    fn entered(
        &self,
        walk: &mut Walk<'_, Self>,
        segment: &Path,
    ) -> Result<(View, Frame), Diverged> {
        let after = &walk.path.moves[walk.made];
        let made = self.rule_of(after)?;
        let Right::Push(first, second) = self.system.rule(RuleId(made.origin)).right else {
            return Err(Diverged);
        };
        let told_first = self.told(first, &segment.values);
        let told_second = self.told(second, &after.values);
        let (view, _, locals) = self.take(walk, made, Some(told_first), Some(told_second))?;
        let waiting = Frame {
            symbol: second,
            locals,
        };
        Ok((view.ok_or(Diverged)?, waiting))
    }

    fn left(&self, walk: &mut Walk<'_, Self>, call: &CallUse) -> Result<Box<[u64]>, Diverged> {
        let head = Head(walk.view.as_ref().ok_or(Diverged)?.symbol.0);
        let class = self.analyses.frames.class(head).ok_or(Diverged)?;
        let (_, values) = call.handed(self.spds);
        let told = PathValues {
            live: self.analyses.liveness.handed(class),
            values: &values,
        };
        for rule in self.rules.rules_from(head) {
            if rule.right == rules::Right::Pop
                && let Ok((_, globals, _)) = self.take(walk, rule, Some(told), None)
            {
                return Ok(globals);
            }
        }
        Err(Diverged)
    }

    fn left_like(&self, exit: &Box<[u64]>, last: &Step, call: &CallUse) -> (Box<[u64]>, Step) {
        let (handed, values) = call.handed(self.spds);
        let told = PathValues {
            live: &handed,
            values: &values,
        };
        let mut globals = exit.clone();
        for (value, i) in globals.iter_mut().zip(0..) {
            *value = told.value(self.rules.layout.global(i)).unwrap_or(*value);
        }
        let valuation = Valuation::new(&globals, &[]);
        let step = Step::new(Location::Left, last.depth, valuation);
        (globals, step)
    }

    fn returned(
        &self,
        walk: &mut Walk<'_, Self>,
        segment: SegmentId,
        waiting: &Frame,
        globals: &Box<[u64]>,
    ) -> Result<(), Diverged> {
        // A returning head and its internal rule are part of this step.
        let moves = &walk.path.moves;
        let internal = moves
            .get(walk.made)
            .is_some_and(|m| self.is_returning(m.head));
        walk.made += 1 + usize::from(internal);
        if let Some(push) = walk.steps.last_mut() {
            push.folded = Some(Fold::Call(segment));
        }
        let view = View {
            symbol: waiting.symbol,
            globals: globals.clone(),
            locals: waiting.locals.clone(),
        };
        walk.arrive(self, view);
        Ok(())
    }
}

/// The last step of a cycle goes on as its first one did.
pub fn close(trace: &mut Trace) {
    if let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last_mut()) {
        last.rule = first.rule;
        last.below = first.below.clone();
    }
}
