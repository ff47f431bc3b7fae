//! Formulas in negation normal form: the arena the translator works on.
//!
//! Only literals, n-ary `And`/`Or`, `X`, `U` and `R` remain (`F f` is `true U f`, `G f`
//! is `false R f`, `W` and `M` are written with `R` and `U`: the tableau's BDDs come out
//! the same, and every rule below is needed only once and once in its dual). Terms are
//! hash-consed and numbered children first.
//!
//! The constructors simplify as they build. Rules, with `s` a *suspendable* term
//! (one whose truth does not depend on any finite prefix), `e` an *eventual* one
//! (`F e = e`), `u` a *universal* one (`G u = u`):
//! * Boolean units, zeros, flattening, `f & !f`, and implied operands dropped by
//!   syntactic implication ([`crate::logic::implication`]);
//! * `X s = s`, `F X f = X F f`, `X f U X g = X (f U g)`, `X (f & s) = X f & s`;
//! * `f U e = e`, `f U (g | e) = (f U g) | e`, `f U (g & s) = (f U g) & s`,
//!   `s U g = (s | g) & F g`, `F f | F g = F (f | g)`, `f U (f U g) = f U g`;
//! * by implication: `f U g = g` if `f => g`; `f U g = F g` if `!f => g`;
//!   `f U (g U h) = g U h` if `f => g`.
//!
//! Every rule has its dual, which the code gets by one function with a flag.
//!
//! Papers: Somenzi, Bloem, *Efficient Büchi Automata from LTL Formulae*, CAV 2000;
//! Etessami, Holzmann, *Optimizing Büchi Automata*, CONCUR 2000; Babiak, Křetínský,
//! Řehák, Strejček, *LTL to Büchi Automata Translation: Fast and More Deterministic*,
//! TACAS 2012 (suspendable terms are their "alternating" ones).

use rustc_hash::FxHashMap;

/// Number of a term.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TermId(pub(crate) u32);

impl TermId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The constant true.
pub(crate) const TRUE: TermId = TermId(0);
/// The constant false.
pub(crate) const FALSE: TermId = TermId(1);

/// One term. Operands of `And` and `Or` are at least two, sorted and distinct.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    True,
    False,
    Literal { proposition: u32, positive: bool },
    And(Box<[TermId]>),
    Or(Box<[TermId]>),
    Next(TermId),
    Until(TermId, TermId),
    Release(TermId, TermId),
}

/// What syntax alone tells of a term, each a sufficient condition.
#[derive(Copy, Clone)]
struct Traits {
    /// `F f = f`.
    eventual: bool,
    /// `G f = f`.
    universal: bool,
    /// No temporal operator.
    boolean: bool,
    /// In the safety, guarantee and obligation classes of Chang, Manna, Pnueli 1992.
    safety: bool,
    guarantee: bool,
    obligation: bool,
}

/// The arena.
pub(crate) struct Terms {
    terms: Vec<Term>,
    traits: Vec<Traits>,
    numbers: FxHashMap<Term, TermId>,
    /// How many constructors are under way: rules that call constructors again stop
    /// at [`NESTED`], so that towers such as `F X X X …` cannot exhaust the stack.
    depth: u32,
    /// Memory of [`crate::logic::implication`].
    pub(crate) implications: FxHashMap<(u32, u32), bool>,
}

impl Terms {
    pub(crate) fn new() -> Self {
        let mut terms = Terms {
            terms: Vec::new(),
            traits: Vec::new(),
            numbers: FxHashMap::default(),
            depth: 0,
            implications: FxHashMap::default(),
        };
        terms.intern(Term::True);
        terms.intern(Term::False);
        terms
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn is_eventual(&self, id: TermId) -> bool {
        self.traits[id.index()].eventual
    }

    pub(crate) fn is_universal(&self, id: TermId) -> bool {
        self.traits[id.index()].universal
    }

    /// Whether the truth of the term is the same at all positions of a word.
    pub(crate) fn is_suspendable(&self, id: TermId) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    pub(crate) fn is_obligation(&self, id: TermId) -> bool {
        self.traits[id.index()].obligation
    }

    fn intern(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.numbers.get(&term) {
            return id;
        }
        let traits = self.derive(&term);
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term.clone());
        self.traits.push(traits);
        self.numbers.insert(term, id);
        id
    }

    fn derive(&self, term: &Term) -> Traits {
        let of = |id: &TermId| self.traits[id.index()];
        let constant = Traits {
            eventual: true,
            universal: true,
            boolean: true,
            safety: true,
            guarantee: true,
            obligation: true,
        };
        match term {
            Term::True | Term::False => constant,
            Term::Literal { .. } => Traits {
                eventual: false,
                universal: false,
                ..constant
            },
            Term::And(operands) | Term::Or(operands) => {
                operands.iter().map(of).fold(constant, |a, b| Traits {
                    eventual: a.eventual && b.eventual,
                    universal: a.universal && b.universal,
                    boolean: a.boolean && b.boolean,
                    safety: a.safety && b.safety,
                    guarantee: a.guarantee && b.guarantee,
                    obligation: a.obligation && b.obligation,
                })
            }
            Term::Next(f) => Traits {
                boolean: false,
                ..of(f)
            },
            Term::Until(f, g) => {
                let (a, b) = (of(f), of(g));
                Traits {
                    eventual: *f == TRUE || b.eventual,
                    universal: a.universal && b.universal,
                    boolean: false,
                    safety: false,
                    guarantee: a.guarantee && b.guarantee,
                    obligation: a.obligation && b.guarantee,
                }
            }
            Term::Release(f, g) => {
                let (a, b) = (of(f), of(g));
                Traits {
                    eventual: a.eventual && b.eventual,
                    universal: *f == FALSE || b.universal,
                    boolean: false,
                    safety: a.safety && b.safety,
                    guarantee: false,
                    obligation: a.obligation && b.safety,
                }
            }
        }
    }

    pub(crate) fn literal(&mut self, proposition: u32, positive: bool) -> TermId {
        self.intern(Term::Literal {
            proposition,
            positive,
        })
    }

    /// The operands of the term seen as a conjunction (`or` false) or disjunction.
    pub(crate) fn operands(&self, id: TermId, or: bool) -> Vec<TermId> {
        match self.get(id) {
            Term::And(operands) if !or => operands.to_vec(),
            Term::Or(operands) if or => operands.to_vec(),
            _ => vec![id],
        }
    }

    /// A conjunction (`or` false) or disjunction without simplification beyond
    /// flattening, for passes that undo a rule on purpose.
    pub(crate) fn plain_junction(&mut self, operands: Vec<TermId>, or: bool) -> TermId {
        let mut flat = Vec::new();
        for id in operands {
            flat.extend(self.operands(id, or));
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.len() {
            0 if or => FALSE,
            0 => TRUE,
            1 => flat[0],
            _ if or => self.intern(Term::Or(flat.into())),
            _ => self.intern(Term::And(flat.into())),
        }
    }

    /// `F f` without simplification.
    pub(crate) fn plain_finally(&mut self, f: TermId) -> TermId {
        self.intern(Term::Until(TRUE, f))
    }

    pub(crate) fn and(&mut self, operands: Vec<TermId>) -> TermId {
        self.junction(operands, false)
    }

    pub(crate) fn or(&mut self, operands: Vec<TermId>) -> TermId {
        self.junction(operands, true)
    }

    pub(crate) fn finally(&mut self, f: TermId) -> TermId {
        self.until(TRUE, f)
    }

    pub(crate) fn globally(&mut self, f: TermId) -> TermId {
        self.release(FALSE, f)
    }

    /// Conjunction, or disjunction where `or` says so.
    fn junction(&mut self, operands: Vec<TermId>, or: bool) -> TermId {
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
    fn fixpoint(&mut self, f: TermId, g: TermId, until: bool) -> TermId {
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

/// Junctions of more operands than this are not compared pairwise: the comparison is
/// quadratic.
const COMPARED: usize = 64;
/// How deeply constructors may call each other.
const NESTED: u32 = 100;
