//! Combinations of truth values that are impossible whatever the step: `x == 1` and `x == 2`.
//!
//! Only values that share a variable are combined, and what a model has shown to be possible is not
//! asked for; answers are kept from round to round.

use super::build::Workshop;
use super::chance::Chance;
use crate::limits::abstraction::{CLAUSE_SIZE, RANDOM_VALUES, RELATION_CONFLICTS};
use crate::sat::{Answer, Prover};
use crate::terms::{Term, Unknown};
use crate::watch::{Abort, Stop};
use rustc_hash::FxHashSet;

impl Workshop<'_> {
    /// Combinations of at most three truth values that are impossible, as clauses over their places.
    pub fn impossible(&mut self, values: &[Term]) -> Result<Vec<Vec<(u32, bool)>>, Stop> {
        let unknowns: Vec<FxHashSet<Unknown>> = values
            .iter()
            .map(|value| self.terms.unknowns_in([*value]).into_iter().collect())
            .collect();
        let meet = |a: usize, b: usize| !unknowns[a].is_disjoint(&unknowns[b]);
        let mut clauses: Vec<Vec<(u32, bool)>> = Vec::new();
        let mut prover = None;
        let mut known: Vec<u64> = Vec::new();
        let mut chance = Chance::new(values.len() as u64 + 1);
        for _ in 0..RANDOM_VALUES {
            let assignment = chance.assignment(&self.terms, values);
            let found = self.terms.evaluate(values, &assignment);
            let bits = found.iter().take(64).zip(0..);
            known.push(bits.fold(0, |all, (value, k)| all | (*value as u64) << k));
        }
        known.sort_unstable();
        known.dedup();
        for size in 2..=CLAUSE_SIZE {
            let mut sets: Vec<Vec<usize>> = (0..values.len()).map(|one| vec![one]).collect();
            for _ in 1..size {
                sets = sets
                    .iter()
                    .flat_map(|set| {
                        let from = set.last().map_or(0, |last| last + 1);
                        let joins = move |next: &usize| set.iter().any(|one| meet(*one, *next));
                        (from..values.len())
                            .filter(joins)
                            .map(move |next| [&set[..], &[next]].concat())
                    })
                    .collect();
            }
            for set in sets {
                for signs in 0..1_u32 << size {
                    let cube: Vec<(u32, bool)> = set
                        .iter()
                        .zip(0..)
                        .map(|(value, k)| (*value as u32, signs >> k & 1 == 1))
                        .collect();
                    let follows = |clause: &Vec<(u32, bool)>| {
                        let mut literals = clause.iter();
                        literals.all(|(value, sign)| cube.contains(&(*value, !sign)))
                    };
                    if clauses.iter().any(follows) {
                        continue;
                    }
                    let is_seen = |pattern: &u64| {
                        let mut literals = cube.iter();
                        literals.all(|(value, sign)| (pattern >> value & 1 == 1) == *sign)
                    };
                    if values.len() <= 64 && known.iter().any(is_seen) {
                        continue;
                    }
                    let chosen: Vec<Term> = cube
                        .iter()
                        .map(|(value, sign)| match sign {
                            true => values[*value as usize],
                            false => self.terms.not(values[*value as usize]),
                        })
                        .collect();
                    let is_impossible = match self.combinations.get(&chosen) {
                        Some(known) => *known,
                        None => {
                            let watch = &self.watch;
                            let prover = prover
                                .get_or_insert_with(|| Prover::new(watch, RELATION_CONFLICTS));
                            self.calls.count();
                            let answer = match prover.solve(&self.terms, &chosen) {
                                Ok(Answer::Unsatisfiable(_)) => true,
                                Ok(Answer::Satisfiable(model)) => {
                                    let found = self.terms.evaluate(values, &model);
                                    let bits = found.iter().take(64).zip(0..);
                                    known.push(
                                        bits.fold(0, |all, (value, k)| all | (*value as u64) << k),
                                    );
                                    false
                                }
                                Err(Abort::OverBudget) => false,
                                Err(Abort::Stop(stop)) => return Err(stop),
                            };
                            self.combinations.insert(chosen, answer);
                            answer
                        }
                    };
                    if is_impossible {
                        clauses.push(cube.iter().map(|(value, sign)| (*value, !sign)).collect());
                    }
                }
            }
        }
        Ok(clauses)
    }
}
