//! What the last boolean program knows at the heads of loops: invariants of the program, if it has
//! proved something.
//!
//! Clauses of one or two predicates are tried, each by a branch of its own at the head that is taken
//! where the clause is false: those that cannot be taken are invariants. What follows from predicates
//! alone is left out.

use super::Loop;
use crate::abstraction::build::{Goals, Probe};
use crate::abstraction::predicate::PredicateId;
use crate::abstraction::{Invariant, Literal};
use crate::error::Error;
use crate::limits::abstraction::{INVARIANT_PREDICATES, PROBES};
use crate::program::Operation;

impl Loop<'_> {
    /// Invariants at the heads of loops.
    pub(super) fn invariants(&mut self) -> Result<Vec<Invariant>, Error> {
        let mut probes: Vec<Probe> = Vec::new();
        let heads = self.program.loop_heads();
        self.workshop.lay_blocks(&|point| heads.contains(&point));
        for point in heads {
            let procedure = self.program.point(point).procedure;
            let mut own = self.predicates.of(None);
            own.extend(self.predicates.of(Some(procedure)));
            own.retain(|id| self.predicates.get(*id).operations.iter().all(is_total));
            own.truncate(INVARIANT_PREDICATES);
            for clause in self.clauses(&own)? {
                probes.push(Probe { point, clause });
            }
        }
        probes.truncate(PROBES);
        if probes.is_empty() {
            return Ok(Vec::new());
        }
        let goals = Goals {
            point: &|_| false,
            failure: &|_, _| false,
            divided: false,
            probes: &probes,
        };
        let boolean = self.workshop.build(&self.predicates, &goals)?;
        let reached = self.reached_goals(&boolean)?;
        // They are made in the order of points.
        let held = probes.iter().zip(reached);
        let held = held.filter(|(_, is_reached)| !is_reached);
        let held: Vec<&Probe> = held.map(|(probe, _)| probe).collect();
        let mut invariants: Vec<Invariant> = Vec::new();
        for probe in &held {
            let at_once = |literal: (PredicateId, bool)| {
                let mut same = held.iter().filter(|other| other.point == probe.point);
                same.any(|other| other.clause == [literal])
            };
            // Where everything holds, nobody comes.
            let never =
                |(id, _): &(PredicateId, bool)| at_once((*id, true)) && at_once((*id, false));
            let mut literals = probe.clause.iter();
            let follows = probe.clause.len() > 1
                && literals.any(|(id, _)| at_once((*id, true)) || at_once((*id, false)));
            if follows || probe.clause.iter().any(never) {
                continue;
            }
            let clause = probe.clause.iter().map(|(id, is_true)| {
                let predicate = self.predicates.get(*id);
                let mut cells: Vec<_> = predicate.cells().into_iter().collect();
                cells.sort_unstable();
                Literal {
                    text: predicate.text.clone(),
                    is_true: *is_true,
                    cells,
                }
            });
            let clause = clause.collect();
            match invariants.last_mut() {
                Some(last) if last.point == probe.point => last.clauses.push(clause),
                _ => invariants.push(Invariant {
                    point: probe.point,
                    clauses: vec![clause],
                }),
            }
        }
        Ok(invariants)
    }

    /// Clauses of one and of two predicates that are no matter of course.
    fn clauses(&mut self, own: &[PredicateId]) -> Result<Vec<Vec<(PredicateId, bool)>>, Error> {
        let terms: Vec<_> = own.iter().map(|id| self.predicates.term(*id)).collect();
        let known = self.workshop.impossible(&terms)?;
        let signs = [true, false];
        let mut clauses: Vec<Vec<(PredicateId, bool)>> = Vec::new();
        for id in own {
            clauses.extend(signs.map(|sign| vec![(*id, sign)]));
        }
        for (second, b) in own.iter().enumerate() {
            for (first, a) in own[..second].iter().enumerate() {
                for (x, y) in [(true, true), (true, false), (false, true), (false, false)] {
                    let clause = [(first as u32, x), (second as u32, y)];
                    let is_known = |other: &Vec<(u32, bool)>| {
                        other.iter().all(|literal| clause.contains(literal))
                    };
                    if !known.iter().any(is_known) {
                        clauses.push(vec![(*a, x), (*b, y)]);
                    }
                }
            }
        }
        Ok(clauses)
    }
}

/// Whether an operation always has a value, in C too.
fn is_total(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Constant(_)
            | Operation::Read(_)
            | Operation::Number(_)
            | Operation::Not
            | Operation::And
            | Operation::Or
            | Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::BitAnd
            | Operation::Wrap { .. }
            | Operation::Less
            | Operation::LessEqual
            | Operation::NumbersEqual
            | Operation::ToNumber
            | Operation::ToTruth
            | Operation::FalseIfUndefined
    )
}
