//! What the last boolean program knows at the heads of loops: invariants of the program, if it has
//! proved something.
//!
//! Clauses of up to three predicates are tried, small ones first, each by a branch of its own at the head that is
//! taken where the clause is false: those that cannot be taken are invariants. What follows from predicates
//! alone, or from a smaller clause, is left out.

use super::Loop;
use crate::abstraction::build::{Goals, Probe};
use crate::abstraction::predicate::PredicateId;
use crate::abstraction::{Invariant, Literal};
use crate::error::Error;
use crate::limits::abstraction::{CLAUSE_SIZE, INVARIANT_PREDICATES, PROBES};
use crate::program::{Operation, PointId};

/// At least one of these predicates has the value beside it.
type Clause = Vec<(PredicateId, bool)>;

impl Loop<'_> {
    /// Invariants at the heads of loops, which are in their order.
    pub(super) fn invariants(&mut self, heads: &[PointId]) -> Result<Vec<Invariant>, Error> {
        self.workshop.lay_blocks(&|point| heads.contains(&point));
        let mut scopes: Vec<(PointId, Vec<PredicateId>, Vec<Clause>)> = Vec::new();
        for point in heads {
            let procedure = self.program.point(*point).procedure;
            let mut own = self.predicates.of(None);
            own.extend(self.predicates.of(Some(procedure)));
            own.retain(|id| self.predicates.get(*id).operations.iter().all(is_total));
            own.truncate(INVARIANT_PREDICATES);
            let terms: Vec<_> = own.iter().map(|id| self.predicates.term(*id)).collect();
            let known = self.workshop.impossible(&terms)?.into_iter();
            let known = known.map(|clause| {
                let literals = clause.into_iter();
                let named = literals.map(|(place, is_true)| (own[place as usize], is_true));
                named.collect()
            });
            let known = known.collect();
            scopes.push((*point, own, known));
        }
        let mut held: Vec<Probe> = Vec::new();
        for size in 1..=CLAUSE_SIZE {
            let mut probes: Vec<Probe> = Vec::new();
            for (point, own, known) in &scopes {
                let smaller = held.iter().filter(|probe| probe.point == *point);
                let smaller: Vec<&Clause> =
                    smaller.map(|probe| &probe.clause).chain(known).collect();
                let follows = |clause: &Clause| {
                    let is_part = |part: &&Clause| part.iter().all(|one| clause.contains(one));
                    smaller.iter().any(is_part)
                };
                let mut clauses = clauses(own, size);
                clauses.retain(|clause| !follows(clause));
                if probes.len() + clauses.len() <= PROBES {
                    let point = *point;
                    probes.extend(clauses.into_iter().map(|clause| Probe { point, clause }));
                }
            }
            held.extend(self.always(probes)?);
        }
        let mut invariants: Vec<Invariant> = Vec::new();
        for point in heads {
            let own = held.iter().filter(|probe| probe.point == *point);
            let own: Vec<&Clause> = own.map(|probe| &probe.clause).collect();
            // Where everything holds, nobody comes.
            let is_never = own.iter().any(
                |clause| matches!(clause[..], [(id, sign)] if own.contains(&&vec![(id, !sign)])),
            );
            if is_never || own.is_empty() {
                continue;
            }
            let clauses = own.into_iter().map(|clause| self.spelled(clause)).collect();
            invariants.push(Invariant {
                point: *point,
                clauses,
            });
        }
        Ok(invariants)
    }

    /// The clauses, in the order of their points, that are always true.
    fn always(&mut self, probes: Vec<Probe>) -> Result<Vec<Probe>, Error> {
        if probes.is_empty() {
            return Ok(probes);
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
        let held = probes.into_iter().zip(reached);
        let held = held.filter(|(_, is_reached)| !is_reached);
        Ok(held.map(|(probe, _)| probe).collect())
    }

    fn spelled(&self, clause: &Clause) -> Vec<Literal> {
        let literals = clause.iter().map(|(id, is_true)| {
            let predicate = self.predicates.get(*id);
            let mut cells: Vec<_> = predicate.cells().into_iter().collect();
            cells.sort_unstable();
            Literal {
                text: predicate.text.clone(),
                is_true: *is_true,
                cells,
            }
        });
        literals.collect()
    }
}

/// All clauses of so many predicates.
fn clauses(own: &[PredicateId], size: usize) -> Vec<Clause> {
    let mut clauses: Vec<(usize, Clause)> = vec![(0, Vec::new())];
    for _ in 0..size {
        let longer = |(from, clause): &(usize, Clause)| {
            let clause = clause.clone();
            let next = own.iter().enumerate().skip(*from);
            let next = next.flat_map(|(place, id)| [(place, (*id, true)), (place, (*id, false))]);
            next.map(move |(place, literal)| (place + 1, [&clause[..], &[literal]].concat()))
        };
        clauses = clauses.iter().flat_map(longer).collect();
    }
    clauses.into_iter().map(|(_, clause)| clause).collect()
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
