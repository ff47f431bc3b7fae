//! A small reduced ordered BDD package: the one representation of Boolean functions
//! inside the translator.
//!
//! Variables are plain numbers and the order is the numeric one. The first variables
//! are always the atomic propositions; each pass puts its own auxiliary variables
//! (promises, next-state obligations, simulation classes) after them, so that one
//! walk over the proposition levels splits a function into *letters* and *what the
//! letters lead to* ([`Manager::split`]).
//!
//! There is no garbage collection: a pass that may build much works in a manager of
//! its own, with a node limit, and copies the few results back. Past the limit every
//! operation answers `FALSE` and [`Manager::exhausted`] tells that nothing computed
//! since can be trusted; the pass is then given up as a whole.
//!
//! Recursion goes one frame a variable, which is why the translator bounds how many
//! variables there may be.
//!
//! Papers: Bryant, *Graph-Based Algorithms for Boolean Function Manipulation*, 1986;
//! Minato, *Fast Generation of Irredundant Sum-of-Products Forms from BDDs*, 1992.

use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A Boolean function of one [`Manager`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Bdd(u32);

/// The constant false.
pub(crate) const FALSE: Bdd = Bdd(0);
/// The constant true.
pub(crate) const TRUE: Bdd = Bdd(1);

/// A product of literals, each a variable and its polarity, by ascending variable.
pub(crate) type Product = Vec<(u32, bool)>;

#[derive(Copy, Clone)]
struct Node {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

/// Owner of the nodes; see the module's essay.
pub(crate) struct Manager {
    nodes: Vec<Node>,
    unique: FxHashMap<(u32, Bdd, Bdd), Bdd>,
    conjunctions: FxHashMap<(Bdd, Bdd), Bdd>,
    disjunctions: FxHashMap<(Bdd, Bdd), Bdd>,
    differences: FxHashMap<(Bdd, Bdd), Bdd>,
    implications: FxHashMap<(Bdd, Bdd), bool>,
    negations: FxHashMap<Bdd, Bdd>,
    limit: usize,
    exhausted: bool,
}

impl Manager {
    /// A manager that gives up beyond `limit` nodes.
    pub(crate) fn new(limit: usize) -> Self {
        // The terminals sort after every variable.
        let terminal = Node {
            variable: u32::MAX,
            low: FALSE,
            high: FALSE,
        };
        Manager {
            nodes: vec![terminal, terminal],
            unique: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            disjunctions: FxHashMap::default(),
            differences: FxHashMap::default(),
            implications: FxHashMap::default(),
            negations: FxHashMap::default(),
            limit,
            exhausted: false,
        }
    }

    /// Whether the limit was hit: then no result can be trusted.
    pub(crate) fn exhausted(&self) -> bool {
        self.exhausted
    }

    fn node(&self, f: Bdd) -> Node {
        self.nodes[f.0 as usize]
    }

    /// The first variable that `f` depends on; constants come after all variables.
    pub(crate) fn first_variable(&self, f: Bdd) -> u32 {
        self.node(f).variable
    }

    fn make(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        if let Some(&known) = self.unique.get(&(variable, low, high)) {
            return known;
        }
        if self.nodes.len() >= self.limit {
            self.exhausted = true;
            return FALSE;
        }
        let made = Bdd(self.nodes.len() as u32);
        self.nodes.push(Node {
            variable,
            low,
            high,
        });
        self.unique.insert((variable, low, high), made);
        made
    }

    /// The function that is true when `variable` is.
    pub(crate) fn variable(&mut self, variable: u32) -> Bdd {
        self.make(variable, FALSE, TRUE)
    }

    /// A variable or its negation.
    pub(crate) fn literal(&mut self, variable: u32, positive: bool) -> Bdd {
        if positive {
            self.make(variable, FALSE, TRUE)
        } else {
            self.make(variable, TRUE, FALSE)
        }
    }

    pub(crate) fn not(&mut self, f: Bdd) -> Bdd {
        if f == FALSE {
            return TRUE;
        }
        if f == TRUE {
            return FALSE;
        }
        if let Some(&known) = self.negations.get(&f) {
            return known;
        }
        let Node {
            variable,
            low,
            high,
        } = self.node(f);
        let low = self.not(low);
        let high = self.not(high);
        let result = self.make(variable, low, high);
        self.negations.insert(f, result);
        self.negations.insert(result, f);
        result
    }

    pub(crate) fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        if f == FALSE || g == FALSE {
            return FALSE;
        }
        if f == TRUE || f == g {
            return g;
        }
        if g == TRUE {
            return f;
        }
        let key = if f < g { (f, g) } else { (g, f) };
        if let Some(&known) = self.conjunctions.get(&key) {
            return known;
        }
        if self.exhausted {
            return FALSE;
        }
        let (variable, f0, f1, g0, g1) = self.cofactors(f, g);
        let low = self.and(f0, g0);
        let high = self.and(f1, g1);
        let result = self.make(variable, low, high);
        self.conjunctions.insert(key, result);
        result
    }

    pub(crate) fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        if f == TRUE || g == TRUE {
            return TRUE;
        }
        if f == FALSE || f == g {
            return g;
        }
        if g == FALSE {
            return f;
        }
        let key = if f < g { (f, g) } else { (g, f) };
        if let Some(&known) = self.disjunctions.get(&key) {
            return known;
        }
        if self.exhausted {
            return FALSE;
        }
        let (variable, f0, f1, g0, g1) = self.cofactors(f, g);
        let low = self.or(f0, g0);
        let high = self.or(f1, g1);
        let result = self.make(variable, low, high);
        self.disjunctions.insert(key, result);
        result
    }

    /// The first variable of two functions and what they are below it.
    fn cofactors(&self, f: Bdd, g: Bdd) -> (u32, Bdd, Bdd, Bdd, Bdd) {
        let (a, b) = (self.node(f), self.node(g));
        let variable = a.variable.min(b.variable);
        let (f0, f1) = if a.variable == variable {
            (a.low, a.high)
        } else {
            (f, f)
        };
        let (g0, g1) = if b.variable == variable {
            (b.low, b.high)
        } else {
            (g, g)
        };
        (variable, f0, f1, g0, g1)
    }

    /// `f` without `g`.
    pub(crate) fn minus(&mut self, f: Bdd, g: Bdd) -> Bdd {
        if f == FALSE || g == TRUE || f == g {
            return FALSE;
        }
        if g == FALSE {
            return f;
        }
        if f == TRUE {
            return self.not(g);
        }
        if let Some(&known) = self.differences.get(&(f, g)) {
            return known;
        }
        if self.exhausted {
            return FALSE;
        }
        let (variable, f0, f1, g0, g1) = self.cofactors(f, g);
        let low = self.minus(f0, g0);
        let high = self.minus(f1, g1);
        let result = self.make(variable, low, high);
        self.differences.insert((f, g), result);
        result
    }

    /// Whether `f` implies `g`. Builds nothing, and stops at the first letter that
    /// tells otherwise.
    pub(crate) fn implies(&mut self, f: Bdd, g: Bdd) -> bool {
        if f == FALSE || g == TRUE || f == g {
            return true;
        }
        if f == TRUE || g == FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        let (_, f0, f1, g0, g1) = self.cofactors(f, g);
        let answer = self.implies(f0, g0) && self.implies(f1, g1);
        self.implications.insert((f, g), answer);
        answer
    }

    /// The conjunction of literals given by ascending variable: no search, one node a
    /// literal.
    pub(crate) fn product(&mut self, literals: &[(u32, bool)]) -> Bdd {
        let mut result = TRUE;
        for &(variable, positive) in literals.iter().rev() {
            result = if positive {
                self.make(variable, FALSE, result)
            } else {
                self.make(variable, result, FALSE)
            };
        }
        result
    }

    /// Splits `f` at the first `boundary` variables: pairs of a function over those
    /// (non-empty, pairwise disjoint) and the remaining function, distinct in each
    /// pair, `FALSE` left out. Never enumerates valuations: one node for each pair of a
    /// node above the boundary and a remaining function that it leads to.
    pub(crate) fn split(&mut self, f: Bdd, boundary: u32) -> Vec<(Bdd, Bdd)> {
        let mut known = FxHashMap::default();
        let parts = self.parts(f, boundary, &mut known);
        parts.iter().map(|&(rest, label)| (label, rest)).collect()
    }

    /// The remaining functions below `f`, ascending, each with the label that leads there.
    fn parts(
        &mut self,
        f: Bdd,
        boundary: u32,
        known: &mut FxHashMap<Bdd, Rc<Vec<(Bdd, Bdd)>>>,
    ) -> Rc<Vec<(Bdd, Bdd)>> {
        if let Some(parts) = known.get(&f) {
            return Rc::clone(parts);
        }
        let Node {
            variable,
            low,
            high,
        } = self.node(f);
        let parts = if f == FALSE {
            Vec::new()
        } else if variable >= boundary {
            vec![(f, TRUE)]
        } else {
            let low = self.parts(low, boundary, known);
            let high = self.parts(high, boundary, known);
            let (mut i, mut j) = (0, 0);
            let mut merged = Vec::with_capacity(low.len() + high.len());
            while i < low.len() || j < high.len() {
                let left = low.get(i).map(|&(rest, _)| rest);
                let right = high.get(j).map(|&(rest, _)| rest);
                let rest = left.into_iter().chain(right).min().unwrap_or(FALSE);
                let mut labels = [FALSE, FALSE];
                if left == Some(rest) {
                    labels[0] = low[i].1;
                    i += 1;
                }
                if right == Some(rest) {
                    labels[1] = high[j].1;
                    j += 1;
                }
                merged.push((rest, self.make(variable, labels[0], labels[1])));
            }
            merged
        };
        let parts = Rc::new(parts);
        known.insert(f, Rc::clone(&parts));
        parts
    }

    /// An irredundant sum of prime products for `f` (Minato-Morreale). Of a function
    /// monotone in a variable only positive literals of it appear.
    pub(crate) fn products(&mut self, f: Bdd) -> Vec<Product> {
        let (_, mut products) = self.irredundant(f, f);
        for product in &mut products {
            product.reverse();
        }
        products
    }

    /// Products covering at least `lower` and at most `upper`, literals in descending
    /// order, with the function they cover.
    fn irredundant(&mut self, lower: Bdd, upper: Bdd) -> (Bdd, Vec<Product>) {
        if lower == FALSE || self.exhausted {
            return (FALSE, Vec::new());
        }
        if upper == TRUE {
            return (TRUE, vec![Vec::new()]);
        }
        let (variable, l0, l1, u0, u1) = self.cofactors(lower, upper);
        let only_low = self.minus(l0, u1);
        let (cover0, mut with0) = self.irredundant(only_low, u0);
        let only_high = self.minus(l1, u0);
        let (cover1, with1) = self.irredundant(only_high, u1);
        let rest0 = self.minus(l0, cover0);
        let rest1 = self.minus(l1, cover1);
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let (cover, without) = self.irredundant(rest, both);
        for product in &mut with0 {
            product.push((variable, false));
        }
        let mut products = with0;
        products.extend(with1.into_iter().map(|mut product| {
            product.push((variable, true));
            product
        }));
        products.extend(without);
        let low = self.or(cover0, cover);
        let high = self.or(cover1, cover);
        (self.make(variable, low, high), products)
    }

    /// Makes the function in another manager. `copied` remembers what was copied
    /// before between this pair of managers.
    pub(crate) fn copy_to(
        &self,
        f: Bdd,
        target: &mut Manager,
        copied: &mut FxHashMap<Bdd, Bdd>,
    ) -> Bdd {
        if f == FALSE || f == TRUE {
            return f;
        }
        if let Some(&known) = copied.get(&f) {
            return known;
        }
        let Node {
            variable,
            low,
            high,
        } = self.node(f);
        let low = self.copy_to(low, target, copied);
        let high = self.copy_to(high, target, copied);
        let result = target.make(variable, low, high);
        copied.insert(f, result);
        result
    }

    /// Whether `f` is true where exactly the variables in `letter`, ascending, are.
    pub(crate) fn holds(&self, f: Bdd, letter: &[u32]) -> bool {
        let mut at = f;
        while at != FALSE && at != TRUE {
            let node = self.node(at);
            let is_true = letter.binary_search(&node.variable).is_ok();
            at = if is_true { node.high } else { node.low };
        }
        at == TRUE
    }

    /// One letter of `f`, as the variables that must be true; the others may be false.
    /// `None` for the constant false.
    pub(crate) fn some_letter(&self, f: Bdd) -> Option<Vec<u32>> {
        let mut letter = Vec::new();
        let mut at = f;
        while at != TRUE {
            if at == FALSE {
                return None;
            }
            let node = self.node(at);
            // Only the constant false reaches nothing but false.
            if node.low != FALSE {
                at = node.low;
            } else {
                letter.push(node.variable);
                at = node.high;
            }
        }
        Some(letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of three variables, as a truth table of eight bits.
    fn build(manager: &mut Manager, table: u8) -> Bdd {
        let mut f = FALSE;
        for row in 0..8u32 {
            if table >> row & 1 == 1 {
                let literals: Vec<_> = (0..3).map(|v| (v, row >> v & 1 == 1)).collect();
                let product = manager.product(&literals);
                f = manager.or(f, product);
            }
        }
        f
    }

    #[test]
    fn operations_agree_with_truth_tables() {
        let mut manager = Manager::new(usize::MAX);
        let all: Vec<Bdd> = (0..=255u8).map(|t| build(&mut manager, t)).collect();
        for a in 0..=255u8 {
            assert_eq!(manager.not(all[a as usize]), all[!a as usize]);
            for b in 0..=255u8 {
                let (f, g) = (all[a as usize], all[b as usize]);
                assert_eq!(manager.and(f, g), all[(a & b) as usize]);
                assert_eq!(manager.or(f, g), all[(a | b) as usize]);
                assert_eq!(manager.implies(f, g), a & !b == 0);
            }
        }
    }

    #[test]
    fn products_cover_exactly_the_function() {
        let mut manager = Manager::new(usize::MAX);
        for table in 0..=255u8 {
            let f = build(&mut manager, table);
            let mut sum = FALSE;
            for product in manager.products(f) {
                let product = manager.product(&product);
                sum = manager.or(sum, product);
            }
            assert_eq!(sum, f);
        }
    }

    #[test]
    fn split_is_a_partition() {
        let mut manager = Manager::new(usize::MAX);
        for table in 0..=255u8 {
            let f = build(&mut manager, table);
            let mut sum = FALSE;
            let mut seen = FALSE;
            for (label, rest) in manager.split(f, 2) {
                assert_eq!(manager.and(seen, label), FALSE);
                seen = manager.or(seen, label);
                let part = manager.and(label, rest);
                sum = manager.or(sum, part);
            }
            assert_eq!(sum, f);
        }
    }

    #[test]
    fn the_limit_is_noticed() {
        let mut manager = Manager::new(4);
        let literals: Vec<_> = (0..10).map(|v| (v, true)).collect();
        manager.product(&literals);
        assert!(manager.exhausted());
    }
}
