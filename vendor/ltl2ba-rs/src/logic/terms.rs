//! Formulas in negation normal form: the arena the translator works on.
//!
//! Only literals, n-ary `And`/`Or`, `X`, `U` and `R` remain (`F f` is `true U f`, `G f`
//! is `false R f`, `W` and `M` are written with `R` and `U`: the tableau's BDDs come out
//! the same, and every rule is needed only once and once in its dual). Terms are
//! hash-consed and numbered children first.
//!
//! The constructors that simplify are in [`crate::logic::junctions`] (`And`, `Or`) and
//! [`crate::logic::temporal`] (`X`, `U`, `R`). Each rule has its dual, which the code gets by
//! one function with a flag.

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
    pub(crate) depth: u32,
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

    pub(crate) fn intern(&mut self, term: Term) -> TermId {
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
                    safety: a.safety && b.safety,
                    guarantee: a.guarantee && b.guarantee,
                    obligation: a.obligation && b.obligation,
                })
            }
            Term::Next(f) => of(f),
            Term::Until(f, g) => {
                let (a, b) = (of(f), of(g));
                Traits {
                    eventual: *f == TRUE || b.eventual,
                    universal: a.universal && b.universal,
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
}

/// How deeply constructors may call each other.
pub(crate) const NESTED: u32 = 100;
