//! What a step does to truth values of which only some are known: a relation between those before
//! and those after it.
//!
//! All pairs that are possible are found one by one, each by a model of the solver; then
//! the relation is exact, as a tree of decisions. Where there are too many, it is what the
//! clauses say that hold of all of them, with at most three values before and one after, or one
//! before and two after. A model that is known refutes most clauses, so that few are asked for.

use super::chance::Chance;
use crate::limits::abstraction::RANDOM_VALUES;
use crate::program::Operation;
use crate::sat::{Answer, Prover};
use crate::terms::{Term, Terms};
use crate::watch::{Abort, Stop, Watch};

/// A relation over truth values that are counted from 0: those before the step come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Exactly these patterns, of so many values: the lowest bit is the first value.
    Patterns(u32, Vec<u64>),
    /// At least one literal of each clause: a value, and whether it is true.
    Clauses(Vec<Vec<(u32, bool)>>),
}

/// What is asked about a step.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// When it is taken.
    pub condition: Term,
    pub before: &'a [Term],
    pub after: &'a [Term],
    /// How many patterns an exact relation may have.
    pub patterns: usize,
    /// Conflicts for each question to the solver.
    pub conflicts: u64,
}

impl Question<'_> {
    /// The relation, and how often the solver was asked. Where the solver gives up, the relation
    /// has everything that is not refuted.
    pub fn answer(&self, terms: &mut Terms, watch: &Watch) -> Result<(Relation, u64), Stop> {
        let values: Vec<Term> = self.before.iter().chain(self.after).copied().collect();
        let mut prover = Prover::new(watch, self.conflicts);
        prover.assert(terms, self.condition);
        let mut patterns = self.some_patterns(terms, &values);
        for pattern in &patterns {
            let cube = cube(terms, &values, *pattern);
            prover.exclude(terms, &cube);
        }
        let is_complete = loop {
            match prover.solve(terms, &[]) {
                Ok(Answer::Unsatisfiable(_)) => break true,
                Ok(Answer::Satisfiable(model)) => {
                    let found = terms.evaluate(&values, &model);
                    let pattern = found.iter().zip(0..);
                    let pattern = pattern.fold(0, |bits, (value, k)| bits | (*value as u64) << k);
                    let cube = cube(terms, &values, pattern);
                    prover.exclude(terms, &cube);
                    patterns.push(pattern);
                }
                Err(Abort::OverBudget) => break false,
                Err(Abort::Stop(stop)) => return Err(stop),
            }
            if patterns.len() > self.patterns {
                break false;
            }
        };
        let mut calls = prover.calls();
        patterns.sort_unstable();
        if is_complete {
            return Ok((Relation::Patterns(values.len() as u32, patterns), calls));
        }
        let mut search = Search {
            question: self,
            values: &values,
            prover: Prover::new(watch, self.conflicts),
            known: patterns,
            clauses: Vec::new(),
        };
        search.prover.assert(terms, self.condition);
        search.run(terms)?;
        calls += search.prover.calls();
        Ok((Relation::Clauses(search.clauses), calls))
    }
}

impl Question<'_> {
    /// Patterns that random values show to be possible: each is a question less.
    fn some_patterns(&self, terms: &Terms, values: &[Term]) -> Vec<u64> {
        let roots: Vec<Term> = values.iter().copied().chain([self.condition]).collect();
        let mut chance = Chance::new(values.len() as u64 + 1);
        let mut patterns = Vec::new();
        for _ in 0..RANDOM_VALUES {
            let assignment = chance.assignment(terms, &roots);
            let mut found = terms.evaluate(&roots, &assignment);
            if found.pop() == Some(0) {
                continue;
            }
            let bits = found.iter().zip(0..);
            let pattern = bits.fold(0, |bits, (value, k)| bits | (*value as u64) << k);
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        patterns.truncate(self.patterns);
        patterns
    }
}

/// The values of a pattern.
fn cube(terms: &mut Terms, values: &[Term], pattern: u64) -> Vec<Term> {
    let values = values.iter().zip(0..);
    values
        .map(|(value, k)| match pattern >> k & 1 {
            0 => terms.not(*value),
            _ => *value,
        })
        .collect()
}

/// The search for clauses.
struct Search<'a> {
    question: &'a Question<'a>,
    values: &'a [Term],
    prover: Prover,
    /// Patterns that are possible.
    known: Vec<u64>,
    clauses: Vec<Vec<(u32, bool)>>,
}

impl Search<'_> {
    fn run(&mut self, terms: &mut Terms) -> Result<(), Stop> {
        let before = self.question.before.len() as u32;
        let count = self.values.len() as u32;
        // First what cannot be before the step, then what follows for one value after it.
        for size in 1..=3 {
            self.try_all(terms, before, size, None)?;
        }
        for after in before..count {
            for is_true in [false, true] {
                for size in 0..=3 {
                    self.try_all(terms, before, size, Some(&[(after, is_true)]))?;
                }
            }
        }
        for (first, second) in (before..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            for signs in 0..4 {
                let pair = [(first, signs & 1 == 1), (second, signs & 2 == 2)];
                for size in 0..=1 {
                    self.try_all(terms, before, size, Some(&pair))?;
                }
            }
        }
        Ok(())
    }

    /// Tries every clause with so many values before the step, and these after it.
    fn try_all(
        &mut self,
        terms: &mut Terms,
        before: u32,
        size: u32,
        after: Option<&[(u32, bool)]>,
    ) -> Result<(), Stop> {
        for chosen in subsets(before, size) {
            for signs in 0..1_u32 << size {
                let literals = chosen.iter().zip(0..);
                let mut clause: Vec<(u32, bool)> = literals
                    .map(|(value, k)| (*value, signs >> k & 1 == 1))
                    .collect();
                clause.extend(after.unwrap_or(&[]));
                self.try_clause(terms, clause)?;
            }
        }
        Ok(())
    }

    fn try_clause(&mut self, terms: &mut Terms, clause: Vec<(u32, bool)>) -> Result<(), Stop> {
        let is_true =
            |pattern: u64, (value, sign): &(u32, bool)| (pattern >> value & 1 == 1) == *sign;
        let refuted = |pattern: &u64| !clause.iter().any(|one| is_true(*pattern, one));
        if self.known.iter().any(refuted) {
            return Ok(());
        }
        let follows = |known: &Vec<(u32, bool)>| known.iter().all(|one| clause.contains(one));
        if self.clauses.iter().any(follows) {
            return Ok(());
        }
        let negated: Vec<Term> = clause
            .iter()
            .map(|(value, sign)| {
                let term = self.values[*value as usize];
                match sign {
                    true => terms.not(term),
                    false => term,
                }
            })
            .collect();
        match self.prover.solve(terms, &negated) {
            Ok(Answer::Unsatisfiable(core)) => {
                let kept = core.iter().map(|place| clause[*place]).collect();
                self.clauses.push(kept);
            }
            Ok(Answer::Satisfiable(model)) => {
                let found = terms.evaluate(self.values, &model);
                let pattern = found.iter().zip(0..);
                self.known
                    .push(pattern.fold(0, |bits, (value, k)| bits | (*value as u64) << k));
            }
            Err(Abort::OverBudget) => {}
            Err(Abort::Stop(stop)) => return Err(stop),
        }
        Ok(())
    }
}

/// All sets of so many numbers below a limit, each in order.
fn subsets(below: u32, size: u32) -> Vec<Vec<u32>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<u32>| {
            let from = set.last().map_or(0, |last| last + 1);
            let set = set.clone();
            (from..below).map(move |next| [&set[..], &[next]].concat())
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    sets
}

impl Relation {
    /// Whether nothing is possible.
    pub fn is_empty(&self) -> bool {
        match self {
            Relation::Patterns(_, patterns) => patterns.is_empty(),
            Relation::Clauses(clauses) => clauses.iter().any(Vec::is_empty),
        }
    }

    /// Whether everything is possible.
    pub fn is_full(&self) -> bool {
        match self {
            Relation::Patterns(values, patterns) => {
                *values < 63 && patterns.len() as u64 == 1 << values
            }
            Relation::Clauses(clauses) => clauses.is_empty(),
        }
    }

    /// As an expression in postfix form; `read` says how a value is read.
    pub fn operations(&self, read: &dyn Fn(u32) -> Operation) -> Vec<Operation> {
        let mut out = Vec::new();
        match self {
            Relation::Patterns(values, patterns) => {
                let patterns: Vec<u64> = patterns.clone();
                decide(&patterns, 0, *values, read, &mut out);
            }
            Relation::Clauses(clauses) => {
                out.push(Operation::Constant(true));
                for clause in clauses {
                    clause_operations(clause, read, &mut out);
                    out.push(Operation::And);
                }
            }
        }
        out
    }
}

fn clause_operations(
    clause: &[(u32, bool)],
    read: &dyn Fn(u32) -> Operation,
    out: &mut Vec<Operation>,
) {
    out.push(Operation::Constant(false));
    for (value, sign) in clause {
        out.push(read(*value));
        if !sign {
            out.push(Operation::Not);
        }
        out.push(Operation::Or);
    }
}

/// A tree of decisions, in the order of the values, of which there are at most 64.
fn decide(
    patterns: &[u64],
    value: u32,
    values: u32,
    read: &dyn Fn(u32) -> Operation,
    out: &mut Vec<Operation>,
) {
    let all = values - value;
    if patterns.is_empty() || (all < 63 && patterns.len() as u64 == 1 << all) {
        out.push(Operation::Constant(!patterns.is_empty()));
        return;
    }
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for pattern in patterns {
        match pattern >> value & 1 {
            1 => yes.push(pattern & !(1 << value)),
            _ => no.push(*pattern),
        }
    }
    yes.sort_unstable();
    no.sort_unstable();
    if yes == no {
        return decide(&yes, value + 1, values, read, out);
    }
    out.push(read(value));
    let is_full = |half: &[u64]| all < 64 && half.len() as u64 == 1 << (all - 1);
    if no.is_empty() || yes.is_empty() {
        let half = if no.is_empty() { yes } else { no.clone() };
        if !no.is_empty() {
            out.push(Operation::Not);
        }
        if !is_full(&half) {
            decide(&half, value + 1, values, read, out);
            out.push(Operation::And);
        }
    } else {
        decide(&yes, value + 1, values, read, out);
        decide(&no, value + 1, values, read, out);
        out.push(Operation::IfThenElse);
    }
}
