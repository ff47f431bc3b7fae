//! `X`, `U` and `R`, simplified as they are built.
//!
//! With `s` a *suspendable* term (its truth does not depend on any finite prefix), `e` an
//! *eventual* one (`F e = e`), `u` a *universal* one (`G u = u`):
//!
//! * `X s = s`, `F X f = X F f`, `X f U X g = X (f U g)`, `X (f & s) = X f & s`;
//! * `f U e = e`, `f U (g | e) = (f U g) | e`, `f U (g & s) = (f U g) & s`,
//!   `s U g = (s | g) & F g`, `F (g U h) = F h`;
//! * `F (g | u) = F g | F u`, `F G (g | u) = F G g | F u`;
//! * by implication: `f U g = g` if `f => g`; `f U g = F g` if `!f => g`;
//!   `f U (g U h) = g U h` if `f => g`.
//!
//! All with their duals for `R` and `G`.
//!
//! Papers: Etessami, Holzmann, *Optimizing Büchi Automata*, CONCUR 2000; Babiak, Křetínský,
//! Řehák, Strejček, *LTL to Büchi Automata Translation: Fast and More Deterministic*,
//! TACAS 2012 (suspendable terms are their "alternating" ones).

use crate::logic::terms::{FALSE, NESTED, TRUE, Term, TermId, Terms};

impl Terms {
    pub(crate) fn finally(&mut self, f: TermId) -> TermId {
        self.until(TRUE, f)
    }

    pub(crate) fn globally(&mut self, f: TermId) -> TermId {
        self.release(FALSE, f)
    }

    pub(crate) fn next(&mut self, f: TermId) -> TermId {
        if self.is_suspendable(f) {
            return f;
        }
        if self.depth >= NESTED {
            return self.intern(Term::Next(f));
        }
        self.depth += 1;
        let result = self.next_of(f);
        self.depth -= 1;
        result
    }

    fn next_of(&mut self, f: TermId) -> TermId {
        // Suspendable operands need not wait.
        for or in [false, true] {
            let operands = self.operands(f, or);
            if operands.len() > 1 && operands.iter().any(|&g| self.is_suspendable(g)) {
                let (mut out, rest): (Vec<_>, Vec<_>) =
                    operands.into_iter().partition(|&g| self.is_suspendable(g));
                let inner = self.junction(rest, or);
                out.push(self.next(inner));
                return self.junction(out, or);
            }
        }
        self.intern(Term::Next(f))
    }

    pub(crate) fn until(&mut self, f: TermId, g: TermId) -> TermId {
        self.fixpoint(f, g, true)
    }

    pub(crate) fn release(&mut self, f: TermId, g: TermId) -> TermId {
        self.fixpoint(f, g, false)
    }

    /// `f U g` where `until`, else its dual `f R g`.
    pub(crate) fn fixpoint(&mut self, f: TermId, g: TermId, until: bool) -> TermId {
        if self.depth >= NESTED {
            return self.intern(if until {
                Term::Until(f, g)
            } else {
                Term::Release(f, g)
            });
        }
        self.depth += 1;
        let result = self.simplified_fixpoint(f, g, until);
        self.depth -= 1;
        result
    }

    /// The rules for `U`, and for `R` their duals. Comments speak of `U`.
    fn simplified_fixpoint(&mut self, f: TermId, g: TermId, until: bool) -> TermId {
        let (top, bottom) = if until { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let ends = |terms: &Self, id| {
            if until {
                terms.is_eventual(id)
            } else {
                terms.is_universal(id)
            }
        };
        // `f U e = e`, `false U g = g`, `f U g = g` if `f => g`.
        if f == bottom || ends(self, g) || self.implies_dual(f, g, until) {
            return g;
        }
        // `X f U X g = X (f U g)`; constants are their own successors.
        if let Term::Next(g1) = *self.get(g) {
            let f1 = match *self.get(f) {
                Term::Next(f1) => Some(f1),
                _ if f == top => Some(top),
                _ => None,
            };
            if let Some(f1) = f1 {
                let inner = self.fixpoint(f1, g1, until);
                return self.next(inner);
            }
        }
        // `f U (g | e) = (f U g) | e`.
        let split = self.operands(g, until);
        if split.len() > 1 && split.iter().any(|&id| ends(self, id)) {
            let (mut out, rest): (Vec<_>, Vec<_>) =
                split.into_iter().partition(|&id| ends(self, id));
            let inner = self.junction(rest, until);
            out.push(self.fixpoint(f, inner, until));
            return self.junction(out, until);
        }
        // `f U (g & s) = (f U g) & s`.
        let split = self.operands(g, !until);
        if split.len() > 1 && split.iter().any(|&id| self.is_suspendable(id)) {
            let (mut out, rest): (Vec<_>, Vec<_>) =
                split.into_iter().partition(|&id| self.is_suspendable(id));
            let inner = self.junction(rest, !until);
            out.push(self.fixpoint(f, inner, until));
            return self.junction(out, !until);
        }
        if f == top
            && let Some(result) = self.recurrence(g, until)
        {
            return result;
        }
        if f != top {
            // `s U g = (s | g) & F g`.
            if self.is_suspendable(f) {
                let left = self.junction(vec![f, g], until);
                let right = self.fixpoint(top, g, until);
                return self.junction(vec![left, right], !until);
            }
            // `f U g = F g` if `!f => g`.
            let eventually = if until {
                self.implies_signed(f, true, g, false)
            } else {
                self.implies_signed(f, false, g, true)
            };
            if eventually {
                return self.fixpoint(top, g, until);
            }
        }
        // `f U (g U h) = g U h` if `f => g`.
        let inner = match *self.get(g) {
            Term::Until(g1, h) if until => Some((g1, h)),
            Term::Release(g1, h) if !until => Some((g1, h)),
            _ => None,
        };
        if let Some((g1, h)) = inner {
            if self.implies_dual(f, g1, until) {
                return g;
            }
            // `F (g U h) = F h`.
            if f == top {
                return self.fixpoint(top, h, until);
            }
        }
        self.intern(if until {
            Term::Until(f, g)
        } else {
            Term::Release(f, g)
        })
    }

    /// Rules for `F g` that make suspendable terms out of others:
    /// `F (g | u) = F g | F u`, and `F G (g | u) = F G g | F u`. The latter is the dual of
    /// `G F (g & e) = G F g & G e`: if `e` holds infinitely often, it holds always, being
    /// eventual.
    fn recurrence(&mut self, g: TermId, until: bool) -> Option<TermId> {
        let (top, bottom) = if until { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let lasting = |terms: &Self, id: TermId| {
            if until {
                terms.is_universal(id)
            } else {
                terms.is_eventual(id)
            }
        };
        let inner = match *self.get(g) {
            Term::Release(FALSE, h) if until => Some(h),
            Term::Until(TRUE, h) if !until => Some(h),
            _ => None,
        };
        let operands = self.operands(inner.unwrap_or(g), until);
        if operands.len() < 2 || !operands.iter().any(|&id| lasting(self, id)) {
            return None;
        }
        let (last, rest): (Vec<_>, Vec<_>) =
            operands.into_iter().partition(|&id| lasting(self, id));
        let mut parts: Vec<TermId> = last
            .into_iter()
            .map(|id| self.fixpoint(top, id, until))
            .collect();
        if !rest.is_empty() {
            let mut rest = self.junction(rest, until);
            if inner.is_some() {
                rest = self.fixpoint(bottom, rest, !until);
            }
            parts.push(self.fixpoint(top, rest, until));
        }
        Some(self.junction(parts, until))
    }

    /// `f => g`, or `g => f` in the dual.
    fn implies_dual(&mut self, f: TermId, g: TermId, until: bool) -> bool {
        if until {
            self.implies(f, g)
        } else {
            self.implies(g, f)
        }
    }
}
