//! From a formula to a generalised Büchi automaton: the plain tableau.
//!
//! First the formula is brought to negation normal form, with `U` and `R` as its only
//! temporal operators besides `X`. A state of the automaton is a set of formulas, all of
//! which the rest of the word must satisfy. Reading a letter means to keep the promises of
//! the state: each formula is taken apart by
//!
//! ```text
//! f U g  =  g  or  (f and X (f U g))        f R g  =  g and (f or X (f R g))
//! ```
//!
//! until only literals, which the letter must have, and formulas under `X`, which are the
//! next state, are left; each way through the "or"s is an edge. An `f U g` for which the
//! second way was taken is *postponed* by that edge. An edge carries the mark of each until
//! that it does not postpone: a run that sees all marks infinitely often postpones nothing
//! for ever. This is the construction of Gerth, Peled, Vardi and Wolper (*Simple on-the-fly
//! automatic verification of linear temporal logic*, 1995) with the acceptance on edges as
//! in Couvreur's (*On-the-fly verification of linear temporal logic*, 1999).
//!
//! Nothing is simplified. States are exponentially many in the size of the formula.

use super::Budget;
use super::buchi::{Buchi, Edge, Literal, Marks};
use crate::watch::Abort;
use indexmap::IndexSet;
use ltl2ba_rs::{Binary, Formula, Node, Unary};
use std::collections::BTreeSet;

/// The number of a formula in negation normal form.
type Normal = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NormalNode {
    Constant(bool),
    Literal(Literal),
    And(Normal, Normal),
    Or(Normal, Normal),
    Next(Normal),
    Until(Normal, Normal),
    Release(Normal, Normal),
}

/// A Büchi automaton of the words that satisfy a formula, with as many edges as allowed.
pub fn tableau(formula: &Formula, budget: Budget<'_>) -> Result<Buchi, Abort> {
    let mut nodes = IndexSet::new();
    let root = normal_form(formula, &mut nodes);
    let mut states: IndexSet<BTreeSet<Normal>> = IndexSet::from([BTreeSet::from([root])]);
    let mut untils = IndexSet::new();
    let mut edges = Vec::new();
    let mut count = 0;
    while let Some(state) = states.get_index(edges.len()).cloned() {
        let ways = ways(&nodes, state, budget)?;
        count += ways.len();
        budget.allow(count)?;
        let leaving = ways.into_iter().map(|way| Edge {
            literals: way.literals.into_iter().collect(),
            target: states.insert_full(way.next).0,
            // For now the marks that the edge does not have: how many there are in all is
            // known only at the end.
            marks: way
                .postponed
                .into_iter()
                .fold(0, |marks, until| marks | bit(untils.insert_full(until).0)),
        });
        // Different ways may come to the same.
        let leaving: BTreeSet<Edge> = leaving.collect();
        edges.push(leaving.into_iter().collect::<Vec<_>>());
    }
    if untils.len() > Marks::BITS as usize {
        return Err(Abort::OverBudget);
    }
    let all = (0..untils.len()).fold(0, |all, until| all | bit(until));
    for edge in edges.iter_mut().flatten() {
        edge.marks = all & !edge.marks;
    }
    Ok(Buchi {
        initial: vec![0],
        edges,
        all,
    })
}

/// The mark of an until; nothing for one that there is no room for.
fn bit(until: usize) -> Marks {
    Marks::checked_shl(1, until as u32).unwrap_or(0)
}

/// Adds the negation normal form of the formula to `nodes`.
fn normal_form(formula: &Formula, nodes: &mut IndexSet<NormalNode>) -> Normal {
    use NormalNode::{And, Constant, Literal, Next, Or, Release, Until};
    let mut add = |node| nodes.insert_full(node).0;
    let (no, yes) = (add(Constant(false)), add(Constant(true)));
    // Each subformula as it is, and negated. Operands come before operators.
    let mut table: Vec<(Normal, Normal)> = Vec::new();
    for node in formula.nodes() {
        let both = match *node {
            Node::Constant(true) => (yes, no),
            Node::Constant(false) => (no, yes),
            Node::Proposition(p) => (add(Literal((p, true))), add(Literal((p, false)))),
            Node::Unary(operator, f) => {
                let (f, not_f) = table[f.index()];
                match operator {
                    Unary::Not => (not_f, f),
                    Unary::Next => (add(Next(f)), add(Next(not_f))),
                    Unary::Finally => (add(Until(yes, f)), add(Release(no, not_f))),
                    Unary::Globally => (add(Release(no, f)), add(Until(yes, not_f))),
                }
            }
            Node::Binary(operator, f, g) => {
                let ((f, not_f), (g, not_g)) = (table[f.index()], table[g.index()]);
                match operator {
                    Binary::And => (add(And(f, g)), add(Or(not_f, not_g))),
                    Binary::Or => (add(Or(f, g)), add(And(not_f, not_g))),
                    Binary::Implies => (add(Or(not_f, g)), add(And(f, not_g))),
                    Binary::Xor | Binary::Iff => {
                        let (same, neither) = (add(And(f, g)), add(And(not_f, not_g)));
                        let (first, second) = (add(And(f, not_g)), add(And(not_f, g)));
                        let (equal, unequal) = (add(Or(same, neither)), add(Or(first, second)));
                        match operator {
                            Binary::Iff => (equal, unequal),
                            _ => (unequal, equal),
                        }
                    }
                    Binary::Until => (add(Until(f, g)), add(Release(not_f, not_g))),
                    Binary::Release => (add(Release(f, g)), add(Until(not_f, not_g))),
                    // f W g = g R (f or g), so !(f W g) = !g U (!f and !g).
                    Binary::WeakUntil => {
                        let (either, neither) = (add(Or(f, g)), add(And(not_f, not_g)));
                        (add(Release(g, either)), add(Until(not_g, neither)))
                    }
                    // f M g = g U (f and g), so !(f M g) = !g R (!f or !g).
                    Binary::StrongRelease => {
                        let (both, not_both) = (add(And(f, g)), add(Or(not_f, not_g)));
                        (add(Until(g, both)), add(Release(not_g, not_both)))
                    }
                }
            }
        };
        table.push(both);
    }
    table[formula.root().index()].0
}

/// One way to keep the promises of a state, as far as it has been worked out.
#[derive(Clone, Default)]
struct Way {
    /// Formulas that must hold now and were not looked at.
    todo: Vec<Normal>,
    /// Formulas that were looked at. Each is looked at once: a second choice for the same
    /// formula would be no new way, and could postpone an until that is fulfilled.
    done: BTreeSet<Normal>,
    literals: BTreeSet<Literal>,
    next: BTreeSet<Normal>,
    postponed: BTreeSet<Normal>,
}

/// All ways to keep the promises of a state. Fails if more than allowed were found or are yet
/// to be followed.
fn ways(
    nodes: &IndexSet<NormalNode>,
    state: BTreeSet<Normal>,
    budget: Budget<'_>,
) -> Result<Vec<Way>, Abort> {
    let mut ways = Vec::new();
    let mut open = vec![Way {
        todo: state.into_iter().collect(),
        ..Way::default()
    }];
    'open: while let Some(mut way) = open.pop() {
        budget.allow(ways.len() + open.len())?;
        while let Some(formula) = way.todo.pop() {
            if !way.done.insert(formula) {
                continue;
            }
            match nodes[formula] {
                NormalNode::Constant(true) => {}
                NormalNode::Constant(false) => continue 'open,
                NormalNode::Literal((proposition, value)) => {
                    if way.literals.contains(&(proposition, !value)) {
                        continue 'open;
                    }
                    way.literals.insert((proposition, value));
                }
                NormalNode::And(f, g) => way.todo.extend([f, g]),
                NormalNode::Or(f, g) => {
                    let mut other = way.clone();
                    other.todo.push(g);
                    open.push(other);
                    way.todo.push(f);
                }
                NormalNode::Next(f) => {
                    way.next.insert(f);
                }
                NormalNode::Until(f, g) => {
                    let mut later = way.clone();
                    later.todo.push(f);
                    later.next.insert(formula);
                    later.postponed.insert(formula);
                    open.push(later);
                    way.todo.push(g);
                }
                NormalNode::Release(f, g) => {
                    let mut later = way.clone();
                    later.todo.push(g);
                    later.next.insert(formula);
                    open.push(later);
                    way.todo.extend([f, g]);
                }
            }
        }
        ways.push(way);
    }
    Ok(ways)
}

#[cfg(test)]
pub mod tests {
    use super::super::cycle::has_fair_cycle;
    use super::*;
    use ltl2ba_rs::{Lasso, evaluate, parse};
    use proptest::prelude::*;

    /// Whether the automaton accepts the word: the product of the two has a reachable
    /// cycle with all marks.
    fn accepts(automaton: &Buchi, word: &Lasso) -> bool {
        let mut pairs: IndexSet<(usize, usize)> = IndexSet::new();
        pairs.extend(automaton.initial.iter().map(|state| (0, *state)));
        let mut edges = Vec::new();
        let mut source = 0;
        while let Some((position, state)) = pairs.get_index(source).copied() {
            for (target, marks) in automaton.read(state, word.valuation(position)) {
                let target = (word.successor(position), target);
                edges.push((source, pairs.insert_full(target).0, marks));
            }
            source += 1;
        }
        has_fair_cycle(pairs.len(), &edges, automaton.all)
    }

    /// Random formulas over `a`, `b`, `c` with every operator.
    pub fn formulas() -> impl Strategy<Value = String> {
        let atoms = ["a", "b", "c", "a", "b", "c", "true", "false"].map(str::to_owned);
        let atom = proptest::sample::select(atoms.to_vec());
        atom.prop_recursive(5, 12, 2, |inner| {
            let unary = proptest::sample::select(vec!["!", "X", "F", "G"]);
            let operators = vec!["&&", "||", "xor", "->", "<->", "U", "R", "W", "M"];
            let binary = proptest::sample::select(operators);
            prop_oneof![
                (unary, inner.clone()).prop_map(|(o, f)| format!("{o} ({f})")),
                (inner.clone(), binary, inner).prop_map(|(f, o, g)| format!("({f}) {o} ({g})")),
            ]
        })
    }

    fn lassos() -> impl Strategy<Value = Lasso> {
        let letters = |length| {
            let letter = proptest::collection::vec(any::<bool>(), 3);
            proptest::collection::vec(letter, length)
        };
        (letters(0..4), letters(1..5)).prop_map(|(stem, cycle)| Lasso { stem, cycle })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn accepts_the_words_that_satisfy_the_formula(
            text in formulas(),
            words in proptest::collection::vec(lassos(), 16)
        ) {
            let formula = parse(&text).unwrap().formula;
            // A few random formulas have very large tableaux.
            let (Ok(of), Ok(of_negation)) =
                (tableau(&formula, Budget::states(5_000)), tableau(&formula.negated(), Budget::states(5_000)))
            else {
                return Ok(());
            };
            for word in &words {
                let truth = evaluate(&formula, word);
                prop_assert_eq!(accepts(&of, word), truth);
                prop_assert_eq!(accepts(&of_negation, word), !truth);
            }
        }
    }

    /// `a` and `b` are each true infinitely often, by the definition of `G F`.
    #[test]
    fn each_until_has_a_mark_of_its_own() {
        let formula = parse("G F a && G F b").unwrap().formula;
        let automaton = tableau(&formula, Budget::states(100)).unwrap();
        assert_eq!(automaton.all.count_ones(), 2);
        let word = |cycle: &[[bool; 2]]| Lasso {
            stem: vec![vec![true, true]],
            cycle: cycle.iter().map(|letter| letter.to_vec()).collect(),
        };
        assert!(accepts(&automaton, &word(&[[true, false], [false, true]])));
        assert!(!accepts(
            &automaton,
            &word(&[[true, false], [false, false]])
        ));
    }

    #[test]
    fn gives_up_where_there_is_too_much() {
        let conjuncts: Vec<_> = (0..30).map(|i| format!("G F p{i}")).collect();
        let formula = parse(&conjuncts.join(" && ")).unwrap().formula;
        assert!(tableau(&formula, Budget::states(1_000)).is_err());
    }
}
