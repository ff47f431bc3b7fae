//! Gates: each different one once, as clauses.

use super::backend::{Backend, Outcome};
use crate::watch::Abort;
use rustc_hash::FxHashMap;
use std::ops::Not;

/// A variable of the SAT solver or its negation. The first variable is always true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    pub const TRUE: Literal = Literal(0);
    pub const FALSE: Literal = Literal(1);

    pub fn constant(value: bool) -> Self {
        match value {
            true => Literal::TRUE,
            false => Literal::FALSE,
        }
    }

    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// A circuit that grows.
pub struct Gates {
    backend: Box<dyn Backend>,
    ands: FxHashMap<(Literal, Literal), Literal>,
    xors: FxHashMap<(Literal, Literal), Literal>,
    choices: FxHashMap<(Literal, Literal, Literal), Literal>,
}

impl Gates {
    pub fn new(mut backend: Box<dyn Backend>) -> Self {
        let first = Literal(backend.variable() << 1);
        backend.clause(&[first]);
        Gates {
            backend,
            ands: FxHashMap::default(),
            xors: FxHashMap::default(),
            choices: FxHashMap::default(),
        }
    }

    pub fn input(&mut self) -> Literal {
        Literal(self.backend.variable() << 1)
    }

    /// At least one of these is true.
    pub fn assert(&mut self, clause: &[Literal]) {
        self.backend.clause(clause);
    }

    pub fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Outcome, Abort> {
        self.backend.solve(assumptions, conflicts)
    }

    /// In the last model.
    pub fn value(&self, literal: Literal) -> bool {
        self.backend.value(literal.variable()) != literal.is_negated()
    }

    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Literal::TRUE => return b,
            Literal::FALSE => return Literal::FALSE,
            _ if a == b => return a,
            _ if a == !b => return Literal::FALSE,
            _ => {}
        }
        if let Some(known) = self.ands.get(&(a, b)) {
            return *known;
        }
        let gate = self.input();
        self.backend.clause(&[!gate, a]);
        self.backend.clause(&[!gate, b]);
        self.backend.clause(&[gate, !a, !b]);
        self.ands.insert((a, b), gate);
        gate
    }

    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        // Negations go outside.
        let is_negated = a.is_negated() != b.is_negated();
        let (a, b) = (Literal(a.0 & !1), Literal(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let gate = match a {
            Literal::TRUE => !b,
            _ if a == b => Literal::FALSE,
            _ => match self.xors.get(&(a, b)) {
                Some(known) => *known,
                None => {
                    let gate = self.input();
                    self.backend.clause(&[!gate, a, b]);
                    self.backend.clause(&[!gate, !a, !b]);
                    self.backend.clause(&[gate, !a, b]);
                    self.backend.clause(&[gate, a, !b]);
                    self.xors.insert((a, b), gate);
                    gate
                }
            },
        };
        match is_negated {
            true => !gate,
            false => gate,
        }
    }

    pub fn choose(&mut self, condition: Literal, yes: Literal, no: Literal) -> Literal {
        match condition {
            Literal::TRUE => return yes,
            Literal::FALSE => return no,
            _ if yes == no => return yes,
            _ if condition.is_negated() => return self.choose(!condition, no, yes),
            _ => {}
        }
        match (yes, no) {
            (Literal::TRUE, _) => return self.or(condition, no),
            (Literal::FALSE, _) => return self.and(!condition, no),
            (_, Literal::TRUE) => return self.or(!condition, yes),
            (_, Literal::FALSE) => return self.and(condition, yes),
            _ if yes == !no => return !self.xor(condition, yes),
            _ => {}
        }
        if let Some(known) = self.choices.get(&(condition, yes, no)) {
            return *known;
        }
        let gate = self.input();
        self.backend.clause(&[!condition, !yes, gate]);
        self.backend.clause(&[!condition, yes, !gate]);
        self.backend.clause(&[condition, !no, gate]);
        self.backend.clause(&[condition, no, !gate]);
        self.choices.insert((condition, yes, no), gate);
        gate
    }

    /// The sum of three bits, and what is carried.
    pub fn sum(&mut self, a: Literal, b: Literal, carried: Literal) -> (Literal, Literal) {
        let half = self.xor(a, b);
        let sum = self.xor(half, carried);
        // Where both are alike, they are carried.
        let carry = self.choose(half, carried, a);
        (sum, carry)
    }
}
