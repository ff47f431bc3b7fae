//! A second opinion in tests: a small solver of its own that shares nothing with the library.
//!
//! It learns clauses at the first point through which all of a conflict came, and jumps back. A core that it
//! can satisfy is a failure of the test.

use super::{Backend, Literal, Outcome};
use crate::watch::Abort;

/// A solver whose cores are tried again.
pub struct Audited<B> {
    solver: B,
    second: Search,
}

impl<B: Backend> Audited<B> {
    pub fn new(solver: B) -> Self {
        Audited {
            solver,
            second: Search::default(),
        }
    }
}

fn code(literal: &Literal) -> usize {
    2 * literal.variable() as usize + usize::from(literal.is_negated())
}

impl<B: Backend> Backend for Audited<B> {
    fn variable(&mut self) -> u32 {
        self.second.variable();
        self.solver.variable()
    }

    fn clause(&mut self, literals: &[Literal]) {
        self.second.clause(literals.iter().map(code).collect());
        self.solver.clause(literals);
    }

    fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Outcome, Abort> {
        let outcome = self.solver.solve(assumptions, conflicts)?;
        if let Outcome::Unsatisfiable(core) = &outcome {
            assert!(core.iter().all(|one| assumptions.contains(one)), "{core:?}");
            let assumed: Vec<usize> = core.iter().map(code).collect();
            let is_refuted = self.second.refutes(&assumed);
            assert!(is_refuted, "{core:?} can be satisfied, of {assumptions:?}");
        }
        Ok(outcome)
    }

    fn value(&self, variable: u32) -> bool {
        self.solver.value(variable)
    }
}

/// Clauses over literals: the variable twice, and one more where it is negated.
#[derive(Default)]
struct Search {
    clauses: Vec<Vec<usize>>,
    /// By literal, the clauses that have it as one of their first two.
    watches: Vec<Vec<usize>>,
    is_true: Vec<bool>,
    /// What is true, in its order; where each decision is in it, and how much of it was looked at.
    trail: Vec<usize>,
    decisions: Vec<usize>,
    done: usize,
    /// By variable, the clause that set it, its level, and how often it was in conflicts of late.
    reasons: Vec<Option<usize>>,
    levels: Vec<usize>,
    activity: Vec<f64>,
    step: f64,
    /// Whether the clauses have no model at all.
    is_lost: bool,
}

impl Search {
    fn variable(&mut self) {
        self.watches.extend([Vec::new(), Vec::new()]);
        self.is_true.extend([false, false]);
        self.reasons.push(None);
        self.levels.push(0);
        self.activity.push(0.0);
    }

    fn clause(&mut self, mut clause: Vec<usize>) {
        self.back_to(0);
        clause.sort_unstable();
        clause.dedup();
        let is_met = clause.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
        if is_met || clause.iter().any(|literal| self.is_true[*literal]) {
            return;
        }
        clause.retain(|literal| !self.is_true[literal ^ 1]);
        match clause[..] {
            [] => self.is_lost = true,
            [only] => self.set(only, None),
            _ => self.add(clause),
        }
    }

    /// Whether the clauses have no model in which these are true.
    fn refutes(&mut self, assumed: &[usize]) -> bool {
        self.step = self.step.max(1.0);
        self.back_to(0);
        while !self.is_lost {
            if let Some(conflict) = self.propagate() {
                match self.decisions.is_empty() {
                    true => self.is_lost = true,
                    false => self.learn(conflict),
                }
                continue;
            }
            // Whatever was decided so far was assumed, until all of that is true.
            let next = assumed.iter().find(|literal| !self.is_true[**literal]);
            let next = match next {
                Some(next) if self.is_true[next ^ 1] => return true,
                Some(next) => *next,
                None => {
                    let free = (0..self.levels.len()).filter(|one| !self.is_set(*one));
                    let active =
                        free.max_by(|a, b| self.activity[*a].total_cmp(&self.activity[*b]));
                    let Some(variable) = active else { return false };
                    2 * variable + 1
                }
            };
            self.decisions.push(self.trail.len());
            self.set(next, None);
        }
        true
    }

    /// Takes back what was decided above a level.
    fn back_to(&mut self, level: usize) {
        let Some(begin) = self.decisions.get(level) else {
            return;
        };
        for literal in self.trail.split_off(*begin) {
            self.is_true[literal] = false;
        }
        self.decisions.truncate(level);
        self.done = self.done.min(self.trail.len());
    }

    fn is_set(&self, variable: usize) -> bool {
        self.is_true[2 * variable] || self.is_true[2 * variable + 1]
    }

    fn set(&mut self, literal: usize, reason: Option<usize>) {
        self.is_true[literal] = true;
        self.reasons[literal / 2] = reason;
        self.levels[literal / 2] = self.decisions.len();
        self.trail.push(literal);
    }

    fn add(&mut self, clause: Vec<usize>) {
        for watched in &clause[..2] {
            self.watches[*watched].push(self.clauses.len());
        }
        self.clauses.push(clause);
    }

    /// What follows from what is true; a clause that is false, if there is one.
    fn propagate(&mut self) -> Option<usize> {
        while let Some(literal) = self.trail.get(self.done) {
            let wrong = literal ^ 1;
            self.done += 1;
            let watching = std::mem::take(&mut self.watches[wrong]);
            for (place, id) in watching.iter().enumerate() {
                let clause = &mut self.clauses[*id];
                if clause[0] == wrong {
                    clause.swap(0, 1);
                }
                let other = clause[0];
                let free = (2..clause.len()).find(|k| !self.is_true[clause[*k] ^ 1]);
                match free {
                    _ if self.is_true[other] => self.watches[wrong].push(*id),
                    Some(free) => {
                        clause.swap(1, free);
                        let watched = clause[1];
                        self.watches[watched].push(*id);
                    }
                    None if self.is_true[other ^ 1] => {
                        self.watches[wrong].extend(&watching[place..]);
                        return Some(*id);
                    }
                    None => {
                        self.watches[wrong].push(*id);
                        self.set(other, Some(*id));
                    }
                }
            }
        }
        None
    }

    /// Learns from a clause that is false, and goes back to where what was learnt is of use.
    fn learn(&mut self, conflict: usize) {
        let level = self.decisions.len();
        let mut seen = vec![false; self.levels.len()];
        let mut earlier: Vec<usize> = Vec::new();
        let mut open = 0;
        let mut reason = Some(conflict);
        let mut at = self.trail.len();
        let last = loop {
            for literal in reason.map_or(&[][..], |id| &self.clauses[id]) {
                let variable = literal / 2;
                if self.is_true[*literal] || seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                seen[variable] = true;
                self.activity[variable] += self.step;
                match self.levels[variable] == level {
                    true => open += 1,
                    false => earlier.push(*literal),
                }
            }
            let literal = loop {
                at -= 1;
                if seen[self.trail[at] / 2] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                break literal;
            }
            reason = self.reasons[literal / 2];
        };
        self.step *= 1.05;
        if self.step > 1e100 {
            self.activity.iter_mut().for_each(|one| *one /= self.step);
            self.step = 1.0;
        }
        earlier.sort_unstable_by_key(|literal| std::cmp::Reverse(self.levels[literal / 2]));
        let back = earlier
            .first()
            .map_or(0, |literal| self.levels[literal / 2]);
        self.back_to(back);
        let clause = [&[last ^ 1], &earlier[..]].concat();
        let reason = (clause.len() > 1).then_some(self.clauses.len());
        if reason.is_some() {
            self.add(clause);
        }
        self.set(last ^ 1, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all valuations.
    #[test]
    fn random_clauses_are_refuted_if_no_valuation_satisfies_them() {
        let mut random = crate::generate::random::Random::new(1, 1);
        let mut refuted = 0;
        for _ in 0..500 {
            let count = random.between(15, 35);
            let clauses: Vec<Vec<usize>> = (0..count)
                .map(|_| {
                    let size = random.weighted(&[(1, 1), (6, 2), (9, 3), (6, 4)]);
                    (0..size).map(|_| random.below(20) as usize).collect()
                })
                .collect();
            let holds = |values: u32, literal: usize| {
                (values >> (literal / 2) & 1 == 1) != (literal % 2 == 1)
            };
            let satisfies = |values: &u32| {
                let mut all = clauses.iter();
                all.all(|clause| clause.iter().any(|literal| holds(*values, *literal)))
            };
            let expected = (0..1 << 10).any(|values| satisfies(&values));
            let mut search = Search::default();
            (0..10).for_each(|_| search.variable());
            // Some of them are assumed, and more than once.
            let (assumed, others): (Vec<_>, Vec<_>) =
                clauses.iter().partition(|clause| clause.len() == 1);
            others
                .into_iter()
                .for_each(|clause| search.clause(clause.clone()));
            let assumed: Vec<usize> = assumed.into_iter().flatten().copied().collect();
            for _ in 0..2 {
                assert_eq!(search.refutes(&assumed), !expected, "{clauses:?}");
            }
            refuted += usize::from(!expected);
        }
        assert!((100..400).contains(&refuted), "{refuted}");
    }
}
