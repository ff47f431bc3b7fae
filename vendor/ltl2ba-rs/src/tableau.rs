//! From a term to a transition-based generalised Büchi automaton.
//!
//! Couvreur's tableau (*On-the-fly Verification of Linear Temporal Logic*, FM 1999) in
//! the form Duret-Lutz gives it in Spot: a term becomes a Boolean function over the
//! propositions, *next* variables ("from the next position on, `f` holds") and
//! *promises* ("`f U g` was postponed here"):
//!
//! ```text
//! f U g   =  g | (f & promise(g) & next(f U g))
//! f R g   =  g & (f | next(f R g))
//! ```
//!
//! A state is a conjunction of next obligations, identified by its function, so that
//! states which mean the same by that function are one. For each class of letters that
//! lead to the same remaining function, the function's prime products are the
//! successors ([`Style::Letters`]): this keeps the automaton as deterministic as the term allows and never
//! enumerates letters. An edge belongs to the acceptance set of `g` unless it carries
//! the promise of `g`.
//!
//! Exponentially many states in the worst case, hence the limits.

use crate::bdd::{self, Bdd, Manager};
use crate::graph::{Edge, Graph, MARKS, Marks, all_marks, merged};
use crate::logic::terms::{FALSE, TRUE, Term, TermId, Terms};
use crate::options::{Options, TranslateError};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Bound on BDD variables: the BDD operations recurse once a variable.
pub(crate) const VARIABLES: usize = 4096;

/// How successors are read off a state's function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Prime products for each class of letters: more deterministic.
    Letters,
    /// Prime products of the whole function: more choice, which now and then lets a
    /// simulation join more.
    Products,
}

/// What an auxiliary variable stands for.
#[derive(Copy, Clone)]
enum Auxiliary {
    Next(TermId),
    /// The promise of that acceptance set.
    Promise(u32),
}

struct Tableau<'a> {
    terms: &'a Terms,
    bdd: &'a mut Manager,
    propositions: u32,
    auxiliaries: Vec<Auxiliary>,
    next: FxHashMap<TermId, u32>,
    promises: FxHashMap<TermId, u32>,
    /// Variable of each promise, by acceptance set.
    promise_variables: Vec<u32>,
    functions: Vec<Option<Bdd>>,
}

/// The automaton of `root`, over `propositions` propositions.
pub(crate) fn tableau(
    root: TermId,
    terms: &Terms,
    propositions: u32,
    style: Style,
    bdd: &mut Manager,
    options: &Options,
) -> Result<Graph, TranslateError> {
    if propositions as usize >= VARIABLES {
        return Err(TranslateError::TooManyObligations { limit: VARIABLES });
    }
    let mut tableau = Tableau {
        functions: vec![None; terms.len()],
        terms,
        bdd,
        propositions,
        auxiliaries: Vec::new(),
        next: FxHashMap::default(),
        promises: FxHashMap::default(),
        promise_variables: Vec::new(),
    };
    tableau.translate_subterms(root)?;
    tableau.explore(root, style, options)
}

impl Tableau<'_> {
    /// Works out the function of every subterm of `root`, children first.
    fn translate_subterms(&mut self, root: TermId) -> Result<(), TranslateError> {
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for index in (0..=root.index()).rev() {
            if !needed[index] {
                continue;
            }
            match self.terms.get(TermId(index as u32)) {
                Term::And(operands) | Term::Or(operands) => {
                    operands.iter().for_each(|f| needed[f.index()] = true)
                }
                Term::Next(f) => needed[f.index()] = true,
                Term::Until(f, g) | Term::Release(f, g) => {
                    needed[f.index()] = true;
                    needed[g.index()] = true;
                }
                Term::True | Term::False | Term::Literal { .. } => {}
            }
        }
        for (index, _) in needed.iter().enumerate().filter(|&(_, &needed)| needed) {
            self.functions[index] = Some(self.translate(TermId(index as u32))?);
        }
        Ok(())
    }

    /// The function of a subterm that was translated before.
    fn function(&self, id: TermId) -> Bdd {
        self.functions[id.index()].unwrap_or(bdd::FALSE)
    }

    fn translate(&mut self, id: TermId) -> Result<Bdd, TranslateError> {
        Ok(match self.terms.get(id).clone() {
            Term::True => bdd::TRUE,
            Term::False => bdd::FALSE,
            Term::Literal {
                proposition,
                positive,
            } => self.bdd.literal(proposition, positive),
            Term::And(operands) => self.conjunction(&operands),
            Term::Or(operands) => {
                let mut sum = bdd::FALSE;
                for f in self.deepest_first(&operands) {
                    sum = self.bdd.or(sum, f);
                }
                sum
            }
            Term::Next(f) => self.obligation(f)?,
            Term::Until(f, g) => {
                let promise = self.promise(g)?;
                let again = self.obligation(id)?;
                let postponed = self.bdd.and(promise, again);
                let left = self.function(f);
                let postponed = self.bdd.and(left, postponed);
                let right = self.function(g);
                self.bdd.or(right, postponed)
            }
            Term::Release(f, g) => {
                let again = self.obligation(id)?;
                let left = self.function(f);
                let left = self.bdd.or(left, again);
                let right = self.function(g);
                self.bdd.and(right, left)
            }
        })
    }

    fn conjunction(&mut self, operands: &[TermId]) -> Bdd {
        let mut product = bdd::TRUE;
        for f in self.deepest_first(operands) {
            product = self.bdd.and(product, f);
        }
        product
    }

    /// The operands' functions, those that start with late variables first: a literal put
    /// on top of a BDD costs one node, one put below costs the whole BDD anew.
    fn deepest_first(&self, operands: &[TermId]) -> Vec<Bdd> {
        let mut functions: Vec<Bdd> = operands.iter().map(|&f| self.function(f)).collect();
        functions.sort_by_key(|&f| Reverse(self.bdd.first_variable(f)));
        functions
    }

    fn fresh(&mut self, meaning: Auxiliary) -> Result<u32, TranslateError> {
        let variable = self.propositions as usize + self.auxiliaries.len();
        if variable >= VARIABLES {
            return Err(TranslateError::TooManyObligations { limit: VARIABLES });
        }
        self.auxiliaries.push(meaning);
        Ok(variable as u32)
    }

    /// The function "`f` holds from the next position on". A conjunction is several
    /// obligations; a disjunction is one, which puts the choice off.
    fn obligation(&mut self, f: TermId) -> Result<Bdd, TranslateError> {
        match f {
            TRUE => return Ok(bdd::TRUE),
            FALSE => return Ok(bdd::FALSE),
            _ => {}
        }
        let mut product = bdd::TRUE;
        for g in self.terms.operands(f, false) {
            let variable = match self.next.get(&g) {
                Some(&variable) => variable,
                None => {
                    let variable = self.fresh(Auxiliary::Next(g))?;
                    self.next.insert(g, variable);
                    variable
                }
            };
            let variable = self.bdd.variable(variable);
            product = self.bdd.and(product, variable);
        }
        Ok(product)
    }

    fn promise(&mut self, g: TermId) -> Result<Bdd, TranslateError> {
        let set = match self.promises.get(&g) {
            Some(&set) => set,
            None => {
                let set = self.promise_variables.len() as u32;
                if set >= MARKS {
                    let limit = MARKS as usize;
                    return Err(TranslateError::TooManyAcceptanceSets { limit });
                }
                let variable = self.fresh(Auxiliary::Promise(set))?;
                self.promise_variables.push(variable);
                self.promises.insert(g, set);
                set
            }
        };
        Ok(self.bdd.variable(self.promise_variables[set as usize]))
    }

    fn explore(
        &mut self,
        root: TermId,
        style: Style,
        options: &Options,
    ) -> Result<Graph, TranslateError> {
        let sets = self.promise_variables.len() as u32;
        let mut graph = Graph {
            sets,
            initial: vec![0],
            edges: Vec::new(),
        };
        let mut functions = vec![self.function(root)];
        let mut states: FxHashMap<Bdd, u32> = FxHashMap::default();
        states.insert(functions[0], 0);
        let mut destinations: FxHashMap<Vec<TermId>, Bdd> = FxHashMap::default();
        let mut edge_count = 0;
        while graph.edges.len() < functions.len() {
            let function = functions[graph.edges.len()];
            let mut edges: Vec<Edge> = Vec::new();
            let parts = match style {
                Style::Letters => self.bdd.split(function, self.propositions),
                Style::Products => vec![(bdd::TRUE, function)],
            };
            for (letters, rest) in parts {
                for product in self.bdd.products(rest) {
                    let boundary = product.partition_point(|&(v, _)| v < self.propositions);
                    let (literals, auxiliaries) = product.split_at(boundary);
                    let label = self.bdd.product(literals);
                    let label = self.bdd.and(letters, label);
                    let (marks, obligations) = self.read(auxiliaries, sets);
                    let target = match destinations.get(&obligations) {
                        Some(&known) => known,
                        None => {
                            let made = self.conjunction(&obligations);
                            destinations.insert(obligations, made);
                            made
                        }
                    };
                    if target == bdd::FALSE {
                        continue;
                    }
                    let target = *states.entry(target).or_insert_with(|| {
                        functions.push(target);
                        functions.len() as u32 - 1
                    });
                    edges.push(Edge {
                        label,
                        marks,
                        target,
                    });
                }
            }
            let edges = merged(edges.into_iter(), self.bdd);
            edge_count += edges.len();
            graph.edges.push(edges);
            if self.bdd.exhausted() {
                let limit = options.node_limit;
                return Err(TranslateError::TooManyNodes { limit });
            }
            if functions.len() > options.state_limit {
                let limit = options.state_limit;
                return Err(TranslateError::TooManyStates { limit });
            }
            if edge_count > options.edge_limit {
                let limit = options.edge_limit;
                return Err(TranslateError::TooManyEdges { limit });
            }
        }
        Ok(graph)
    }

    /// The marks of a product of auxiliary variables and the obligations it leads to.
    ///
    /// Obligations that others imply must stay: `F f` implied by `F (f & …)` could
    /// otherwise be forgotten again and again, and no promise would tell.
    fn read(&self, product: &[(u32, bool)], sets: u32) -> (Marks, Vec<TermId>) {
        let mut marks = all_marks(sets);
        let mut obligations = Vec::new();
        for &(variable, _) in product {
            match self.auxiliaries[(variable - self.propositions) as usize] {
                Auxiliary::Next(f) => obligations.push(f),
                Auxiliary::Promise(set) => marks &= !(1 << set),
            }
        }
        obligations.sort_unstable();
        (marks, obligations)
    }
}
