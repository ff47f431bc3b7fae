//! Conjunctions and disjunctions, simplified as they are built.
//!
//! * Boolean units, zeros, flattening, `f & !f`, and implied operands dropped by syntactic
//!   implication ([`crate::logic::implication`]);
//! * `F f | F g = F (f | g)`, `GF f | GF g = GF (f | g)`, `X f | X g = X (f | g)`;
//! * `G f | (f U g) = f W g`, and more generally two terms that wait for the same first event
//!   become one (see `first_event`).
//!
//! All with their duals. Comparing operands is quadratic, so long junctions are only
//! flattened.
//!
//! Papers: Somenzi, Bloem, *Efficient Büchi Automata from LTL Formulae*, CAV 2000;
//! Etessami, Holzmann, *Optimizing Büchi Automata*, CONCUR 2000.

use crate::logic::terms::{FALSE, NESTED, TRUE, Term, TermId, Terms};

/// Junctions of more operands than this are not compared pairwise.
const COMPARED: usize = 64;

impl Terms {
    pub(crate) fn and(&mut self, operands: Vec<TermId>) -> TermId {
        self.junction(operands, false)
    }

    pub(crate) fn or(&mut self, operands: Vec<TermId>) -> TermId {
        self.junction(operands, true)
    }

    /// Conjunction, or disjunction where `or` says so.
    pub(crate) fn junction(&mut self, operands: Vec<TermId>, or: bool) -> TermId {
        let (unit, zero) = if or { (FALSE, TRUE) } else { (TRUE, FALSE) };
        let mut flat = Vec::with_capacity(operands.len());
        for id in operands {
            flat.extend(self.operands(id, or));
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&id| id != unit);
        if flat.contains(&zero) {
            return zero;
        }
        if self.depth < NESTED {
            self.depth += 1;
            self.fuse(&mut flat, or);
            self.first_event(&mut flat, or);
            self.depth -= 1;
        }
        if flat.contains(&zero) || self.clash(&flat, or) {
            return zero;
        }
        self.drop_implied(&mut flat, or);
        match flat.len() {
            0 => unit,
            1 => flat[0],
            _ if or => self.intern(Term::Or(flat.into())),
            _ => self.intern(Term::And(flat.into())),
        }
    }

    /// The `f` of `G F f` under a disjunction, of `F G f` under a conjunction.
    fn recurring(&self, id: TermId, or: bool) -> Option<TermId> {
        match *self.get(id) {
            Term::Release(FALSE, g) if or => match *self.get(g) {
                Term::Until(TRUE, f) => Some(f),
                _ => None,
            },
            Term::Until(TRUE, g) if !or => match *self.get(g) {
                Term::Release(FALSE, f) => Some(f),
                _ => None,
            },
            _ => None,
        }
    }

    /// `G F f | G F g` becomes `G F (f | g)`, `F f | F g` becomes `F (f | g)`, and dually. `GF` under a conjunction stays apart:
    /// there `G (F f & F g)` would hide two suspendable terms in one. `X f & X g`
    /// becomes `X (f & g)`, and dually.
    fn fuse(&mut self, flat: &mut Vec<TermId>, or: bool) {
        let (mut temporal, mut next, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut recurring = Vec::new();
        for &id in flat.iter() {
            if let Some(f) = self.recurring(id, or) {
                recurring.push(f);
                continue;
            }
            match *self.get(id) {
                Term::Until(TRUE, f) if or && !self.is_universal(f) => temporal.push(f),
                Term::Release(FALSE, f) if !or && !self.is_eventual(f) => temporal.push(f),
                Term::Next(f) => next.push(f),
                _ => rest.push(id),
            }
        }
        if temporal.len() < 2 && next.len() < 2 && recurring.len() < 2 {
            return;
        }
        if !recurring.is_empty() {
            let inner = self.junction(recurring, or);
            let inner = self.fixpoint(if or { TRUE } else { FALSE }, inner, or);
            rest.push(self.fixpoint(if or { FALSE } else { TRUE }, inner, !or));
        }
        if !temporal.is_empty() {
            let inner = self.junction(temporal, or);
            rest.push(if or {
                self.finally(inner)
            } else {
                self.globally(inner)
            });
        }
        if !next.is_empty() {
            let inner = self.junction(next, or);
            rest.push(self.next(inner));
        }
        let mut again = Vec::new();
        for id in rest {
            again.extend(self.operands(id, or));
        }
        again.sort_unstable();
        again.dedup();
        *flat = again;
    }

    /// Joins `(u R x) | (v U y)`, where `v` is `!u`, into one term that waits for the first
    /// event, so that the tableau need not guess which of the two will be. Either `v` and
    /// `x` are the same (then the disjunction is `x W y`, or `u` is false), or `y` is
    /// `a & e` with `x` the negation of `a` and `e` eventual: where `a` holds, `u R x`
    /// fails and, `e` being eventual, `v U y` is `e`; where only `u` holds, `u R x` holds;
    /// where neither does, the disjunction goes on. That is
    /// `(x & v) W ((a & e) | (u & x))`. And dually.
    fn first_event(&mut self, flat: &mut Vec<TermId>, or: bool) {
        if flat.len() > COMPARED {
            return;
        }
        for i in 0..flat.len() {
            for j in 0..flat.len() {
                if let Some(joined) = self.first_of(flat[i], flat[j], or) {
                    let mut rest: Vec<TermId> = Vec::new();
                    for (place, &id) in flat.iter().enumerate() {
                        if place != i && place != j {
                            rest.push(id);
                        }
                    }
                    rest.extend(self.operands(joined, or));
                    rest.sort_unstable();
                    rest.dedup();
                    *flat = rest;
                    return;
                }
            }
        }
    }

    fn first_of(&mut self, f: TermId, g: TermId, or: bool) -> Option<TermId> {
        let ((u, x), (v, y)) = match (self.get(f), self.get(g)) {
            (&Term::Release(u, x), &Term::Until(v, y)) if or => ((u, x), (v, y)),
            (&Term::Until(u, x), &Term::Release(v, y)) if !or => ((u, x), (v, y)),
            _ => return None,
        };
        let bottom = if or { FALSE } else { TRUE };
        if u == bottom && v == x {
            let either = self.junction(vec![x, y], or);
            return Some(self.fixpoint(y, either, !or));
        }
        if !self.complementary(u, v) {
            return None;
        }
        let (lasting, event): (Vec<_>, Vec<_>) =
            self.operands(y, !or).into_iter().partition(|&id| {
                if or {
                    self.is_eventual(id)
                } else {
                    self.is_universal(id)
                }
            });
        if lasting.is_empty() || event.is_empty() {
            return None;
        }
        let event = self.junction(event, !or);
        if !self.complementary(event, x) {
            return None;
        }
        let released = self.junction(vec![u, x], !or);
        let end = self.junction(vec![y, released], or);
        let wait = self.junction(vec![x, v], !or);
        let either = self.junction(vec![wait, end], or);
        Some(self.fixpoint(end, either, !or))
    }

    /// Whether the terms are seen to be each other's negation.
    fn complementary(&mut self, f: TermId, g: TermId) -> bool {
        self.implies_signed(f, false, g, true) && self.implies_signed(f, true, g, false)
    }

    /// Whether two operands exclude each other (conjunction) or cover everything.
    fn clash(&mut self, flat: &[TermId], or: bool) -> bool {
        if flat.len() > COMPARED {
            return false;
        }
        flat.iter().enumerate().any(|(i, &f)| {
            flat[i + 1..].iter().any(|&g| {
                if or {
                    self.implies_signed(f, true, g, false)
                } else {
                    self.implies_signed(f, false, g, true)
                }
            })
        })
    }

    /// Drops operands that another operand makes superfluous.
    fn drop_implied(&mut self, flat: &mut Vec<TermId>, or: bool) {
        if flat.len() > COMPARED {
            return;
        }
        let mut at = 0;
        while at < flat.len() {
            let f = flat[at];
            let superfluous = (0..flat.len()).any(|other| {
                let g = flat[other];
                other != at
                    && if or {
                        self.implies(f, g)
                    } else {
                        self.implies(g, f)
                    }
            });
            if superfluous {
                flat.remove(at);
            } else {
                at += 1;
            }
        }
    }
}
