//! Syntactic implication: a sound, incomplete and cheap test of `f => g`.
//!
//! Both sides carry a sign, and a negated term is looked at through its dual, so that
//! `f => !g` needs no term for `!g`. The rules are those of Somenzi and Bloem (CAV 2000)
//! with the strengthenings that eventual and universal terms allow; each is proved in
//! a comment where it is not plain.
//!
//! Recursion is cut at a fixed depth and answers are remembered, so the cost is
//! bounded by the number of pairs asked for; a cut answers "not known".

use crate::logic::terms::{FALSE, TRUE, Term, TermId, Terms};

/// Deeper questions are answered with "not known".
const DEPTH: u32 = 20;
/// No more answers than this are worked out for one formula.
const ANSWERS: usize = 400_000;

/// A term or its negation.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Signed {
    id: TermId,
    negated: bool,
}

/// A signed term seen from outside: negation pushed to the operands.
enum View {
    True,
    False,
    Literal,
    And(Box<[TermId]>),
    Or(Box<[TermId]>),
    Next(TermId),
    Until(TermId, TermId),
    Release(TermId, TermId),
}

impl Terms {
    /// Whether `f` syntactically implies `g`.
    pub(crate) fn implies(&mut self, f: TermId, g: TermId) -> bool {
        self.implies_signed(f, false, g, false)
    }

    /// Whether `f` syntactically implies `g`, each negated as its flag says.
    pub(crate) fn implies_signed(
        &mut self,
        f: TermId,
        f_negated: bool,
        g: TermId,
        g_negated: bool,
    ) -> bool {
        let a = Signed {
            id: f,
            negated: f_negated,
        };
        let b = Signed {
            id: g,
            negated: g_negated,
        };
        self.check(a, b, DEPTH)
    }

    fn view(&self, a: Signed) -> View {
        match (self.get(a.id), a.negated) {
            (Term::True, false) | (Term::False, true) => View::True,
            (Term::False, false) | (Term::True, true) => View::False,
            (Term::Literal { .. }, _) => View::Literal,
            (Term::And(operands), false) | (Term::Or(operands), true) => {
                View::And(operands.clone())
            }
            (Term::Or(operands), false) | (Term::And(operands), true) => View::Or(operands.clone()),
            (Term::Next(f), _) => View::Next(*f),
            (Term::Until(f, g), false) | (Term::Release(f, g), true) => View::Until(*f, *g),
            (Term::Release(f, g), false) | (Term::Until(f, g), true) => View::Release(*f, *g),
        }
    }

    fn eventual(&self, a: Signed) -> bool {
        if a.negated {
            self.is_universal(a.id)
        } else {
            self.is_eventual(a.id)
        }
    }

    fn universal(&self, a: Signed) -> bool {
        if a.negated {
            self.is_eventual(a.id)
        } else {
            self.is_universal(a.id)
        }
    }

    fn check(&mut self, a: Signed, b: Signed, depth: u32) -> bool {
        if a == b || a.id == FALSE && !a.negated || a.id == TRUE && a.negated {
            return true;
        }
        if b.id == TRUE && !b.negated || b.id == FALSE && b.negated {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let key = (a.id.0 * 2 + a.negated as u32, b.id.0 * 2 + b.negated as u32);
        if let Some(&known) = self.implications.get(&key) {
            return known;
        }
        if self.implications.len() >= ANSWERS {
            return false;
        }
        let answer = self.decide(a, b, depth - 1);
        self.implications.insert(key, answer);
        answer
    }

    fn decide(&mut self, a: Signed, b: Signed, depth: u32) -> bool {
        let left = |id| Signed {
            id,
            negated: a.negated,
        };
        let right = |id| Signed {
            id,
            negated: b.negated,
        };
        let (view_a, view_b) = (self.view(a), self.view(b));

        if let (View::Literal, View::Literal) = (&view_a, &view_b) {
            return self.same_literal(a, b);
        }
        // Both directions below are exact, so nothing else need be tried.
        if let View::And(operands) = &view_b {
            return operands.iter().all(|&g| self.check(a, right(g), depth));
        }
        if let View::Or(operands) = &view_a {
            return operands.iter().all(|&f| self.check(left(f), b, depth));
        }
        if let View::And(operands) = &view_a
            && operands.iter().any(|&f| self.check(left(f), b, depth))
        {
            return true;
        }
        if let View::Or(operands) = &view_b
            && operands.iter().any(|&g| self.check(a, right(g), depth))
        {
            return true;
        }
        match view_a {
            // `f U g` implies `f | g`; and `F e = e` for an eventual right side.
            View::Until(f1, f2) => {
                if self.check(left(f2), b, depth)
                    && (self.eventual(b) || self.check(left(f1), b, depth))
                {
                    return true;
                }
                // `f1 => g1` and `f2 => b` give `f1 U f2 => g1 U b = b`.
                if let View::Until(g1, _) = view_b
                    && self.check(left(f1), right(g1), depth)
                    && self.check(left(f2), b, depth)
                {
                    return true;
                }
            }
            View::Release(f1, f2) => {
                if self.check(left(f2), b, depth) {
                    return true;
                }
                // `a` holds up to and including its release, where `f1` gives `g1`.
                if let View::Release(g1, g2) = view_b
                    && self.check(left(f1), right(g1), depth)
                    && self.check(a, right(g2), depth)
                {
                    return true;
                }
            }
            View::Next(f) => {
                if let View::Next(g) = view_b
                    && self.check(left(f), right(g), depth)
                {
                    return true;
                }
                if self.eventual(b) && self.check(left(f), b, depth) {
                    return true;
                }
            }
            _ => {}
        }
        match view_b {
            View::Until(_, g2) => self.check(a, right(g2), depth),
            View::Release(g1, g2) => {
                self.check(a, right(g2), depth)
                    && (self.universal(a) || self.check(a, right(g1), depth))
            }
            View::Next(g) => self.universal(a) && self.check(a, right(g), depth),
            _ => false,
        }
    }

    fn same_literal(&self, a: Signed, b: Signed) -> bool {
        match (self.get(a.id), self.get(b.id)) {
            (
                Term::Literal {
                    proposition: p,
                    positive: s,
                },
                Term::Literal {
                    proposition: q,
                    positive: t,
                },
            ) => p == q && (s ^ a.negated) == (t ^ b.negated),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::evaluate::{Lasso, evaluate};
    use crate::logic::normal_form::normal_form;
    use crate::logic::terms::Terms;
    use crate::syntax::formula::Node;
    use crate::syntax::parser::parse;

    /// All formulas of up to three nodes over two propositions.
    fn small() -> Vec<String> {
        let mut sizes: Vec<Vec<String>> = vec![vec!["a".into(), "b".into()]];
        for size in 1..3 {
            let mut made = Vec::new();
            for operator in ["!", "X ", "F ", "G "] {
                made.extend(sizes[size - 1].iter().map(|f| format!("{operator}({f})")));
            }
            if size == 2 {
                for operator in ["&", "|", "U", "R", "W", "M"] {
                    for (f, g) in [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")] {
                        made.push(format!("{f} {operator} {g}"));
                    }
                }
            }
            sizes.push(made);
        }
        sizes.concat()
    }

    /// Every word with a stem of one and a cycle of two letters.
    fn words() -> Vec<Lasso> {
        let letter = |code: usize| vec![code & 1 == 1, code & 2 == 2];
        let mut words = Vec::new();
        for code in 0..64 {
            let (x, y, z) = (letter(code), letter(code >> 2), letter(code >> 4));
            words.push(Lasso {
                stem: vec![x],
                cycle: vec![y, z],
            });
        }
        words
    }

    #[test]
    fn what_is_said_to_imply_does_imply() {
        let (formulas, words) = (small(), words());
        let mut found = 0;
        for f in &formulas {
            for g in &formulas {
                let text = format!("(a & b) & (({f}) -> ({g}))");
                let mut formula = parse(&text).expect("a formula").formula;
                let Node::Binary(_, _, implication) = formula.node(formula.root()) else {
                    panic!("{text} is a conjunction");
                };
                let Node::Binary(_, left, right) = formula.node(implication) else {
                    panic!("{text} has an implication");
                };
                let mut terms = Terms::new();
                formula.set_root(left);
                let left = normal_form(&formula, &mut terms);
                formula.set_root(right);
                let right = normal_form(&formula, &mut terms);
                if !terms.implies(left, right) {
                    continue;
                }
                found += 1;
                formula.set_root(implication);
                for word in &words {
                    assert!(evaluate(&formula, word), "{text} on {word:?}");
                }
            }
        }
        assert!(found > 500, "only {found} implications were seen");
    }
}
