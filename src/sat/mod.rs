//! Satisfiability of terms: which values of their variables make truth values true.
//!
//! Terms are written in bits ([`numbers`]), bits as gates ([`gates`]), and gates as clauses for a
//! SAT solver ([`backend`]), the only place that names one. What was written once is not written
//! again, so that one [`Prover`] answers many questions about the same terms: each asks
//! whether some truth values, the *assumptions*, can be true together, and a refusal says which
//! of them are to blame. Every model is evaluated on the terms before it is believed.
//!
//! A question costs at worst exponential time in the bits; a budget of conflicts bounds it.

mod backend;
mod gates;
mod numbers;
#[cfg(test)]
mod tests;

use crate::terms::{Assignment, Node, Sort, Term, Terms};
use crate::watch::{Abort, Watch};
use backend::Outcome;
use gates::{Gates, Literal};
use rustc_hash::FxHashMap;

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With these values.
    Satisfiable(Assignment),
    /// These assumptions, by their places, cannot be true together: not always the fewest.
    Unsatisfiable(Vec<usize>),
}

/// Answers questions about terms.
pub struct Prover {
    gates: Gates,
    /// The bits of each term, from the lowest; of a truth value one.
    bits: FxHashMap<Term, Vec<Literal>>,
    /// What is true in every question.
    asserted: Vec<Term>,
    conflicts: u64,
    calls: u64,
}

impl Prover {
    /// Each question may take so many conflicts.
    pub fn new(watch: &Watch, conflicts: u64) -> Self {
        Prover {
            gates: Gates::new(backend::new(watch)),
            bits: FxHashMap::default(),
            asserted: Vec::new(),
            conflicts,
            calls: 0,
        }
    }

    /// How many questions were asked.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// From now on, a truth value is true.
    pub fn assert(&mut self, terms: &Terms, term: Term) {
        let literal = self.literal(terms, term);
        self.gates.assert(&[literal]);
        self.asserted.push(term);
    }

    /// From now on, not all of these are true.
    pub fn exclude(&mut self, terms: &Terms, together: &[Term]) {
        let clause: Vec<Literal> = together
            .iter()
            .map(|term| !self.literal(terms, *term))
            .collect();
        self.gates.assert(&clause);
    }

    /// Whether all assumptions can be true.
    pub fn solve(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, Abort> {
        self.calls += 1;
        let literals: Vec<Literal> = assumptions
            .iter()
            .map(|term| self.literal(terms, *term))
            .collect();
        match self.gates.solve(&literals, self.conflicts)? {
            Outcome::Satisfiable => {
                let model = self.model(terms);
                let claimed = self.asserted.iter().chain(assumptions).copied();
                let claimed: Vec<Term> = claimed.collect();
                match terms
                    .evaluate(&claimed, &model)
                    .iter()
                    .all(|value| *value == 1)
                {
                    true => Ok(Answer::Satisfiable(model)),
                    // Nothing is concluded from a model that is none.
                    false => Err(Abort::OverBudget),
                }
            }
            Outcome::Unsatisfiable(core) => {
                let places = literals.iter().enumerate();
                let blamed = places.filter(|(_, literal)| core.contains(literal));
                Ok(Answer::Unsatisfiable(
                    blamed.map(|(place, _)| place).collect(),
                ))
            }
        }
    }

    /// A core without one that could be left out; `None` if there is a model after all. Those
    /// that come later are left out first.
    pub fn minimal_core(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
    ) -> Result<Option<Vec<usize>>, Abort> {
        let Answer::Unsatisfiable(mut core) = self.solve(terms, assumptions)? else {
            return Ok(None);
        };
        let mut needed: Vec<usize> = Vec::new();
        while let Some(tried) = core.pop() {
            let rest: Vec<usize> = core.iter().chain(&needed).copied().collect();
            let chosen: Vec<Term> = rest.iter().map(|place| assumptions[*place]).collect();
            match self.solve(terms, &chosen) {
                Ok(Answer::Unsatisfiable(blamed)) => {
                    let blamed: Vec<usize> = blamed.iter().map(|place| rest[*place]).collect();
                    core.retain(|place| blamed.contains(place));
                    needed.retain(|place| blamed.contains(place));
                }
                // Where it takes too long, it is not known to be superfluous.
                Ok(Answer::Satisfiable(_)) | Err(Abort::OverBudget) => needed.push(tried),
                Err(stopped) => return Err(stopped),
            }
        }
        needed.sort_unstable();
        Ok(Some(needed))
    }

    fn literal(&mut self, terms: &Terms, term: Term) -> Literal {
        if !self.bits.contains_key(&term) {
            self.write(terms, term);
        }
        self.bits[&term][0]
    }

    /// Writes a term, and all that it is made of, in bits.
    fn write(&mut self, terms: &Terms, root: Term) {
        for term in self.unwritten(terms, root) {
            let bits = match terms.sort(term) {
                Sort::Truth => vec![self.truth(terms.get(term))],
                Sort::Number(interval) => numbers::write(
                    &mut self.gates,
                    &self.bits,
                    terms,
                    terms.get(term),
                    interval,
                ),
            };
            self.bits.insert(term, bits);
        }
    }

    /// What is not yet written of a term, operands first.
    fn unwritten(&self, terms: &Terms, root: Term) -> Vec<Term> {
        let mut waiting = vec![root];
        let mut seen: rustc_hash::FxHashSet<Term> = [root].into_iter().collect();
        let mut found = vec![root];
        while let Some(term) = waiting.pop() {
            terms.get(term).for_each_operand(|operand| {
                if !self.bits.contains_key(&operand) && seen.insert(operand) {
                    waiting.push(operand);
                    found.push(operand);
                }
            });
        }
        found.sort_unstable();
        found
    }

    fn truth(&mut self, node: Node) -> Literal {
        let bits = &self.bits;
        let of = |term: &Term| bits[term][0];
        match &node {
            Node::Truth(value) => Literal::constant(*value),
            Node::Unknown(_) => self.gates.input(),
            Node::Not(a) => !of(a),
            Node::And(a, b) => self.gates.and(of(a), of(b)),
            Node::Different(a, b) => self.gates.xor(of(a), of(b)),
            Node::If(c, a, b) => self.gates.choose(of(c), of(a), of(b)),
            Node::Less(a, b) => numbers::less(&mut self.gates, &bits[a], &bits[b]),
            Node::Same(a, b) => numbers::same(&mut self.gates, &bits[a], &bits[b]),
            Node::Number(_) | Node::ToNumber(_) | Node::Wrap { .. } | Node::Calculate(..) => {
                unreachable!("these are numbers")
            }
        }
    }

    /// The values of all variables that were written.
    fn model(&self, terms: &Terms) -> Assignment {
        let mut assignment = Assignment::default();
        for (term, bits) in &self.bits {
            let Node::Unknown(unknown) = terms.get(*term) else {
                continue;
            };
            let bit = |literal: &Literal| self.gates.value(*literal);
            let value = match terms.sort(*term) {
                Sort::Truth => bit(&bits[0]).into(),
                Sort::Number(_) => numbers::value(bits, bit),
            };
            assignment.0.insert(unknown, value);
        }
        assignment
    }
}
