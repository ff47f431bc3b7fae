//! Which values of propositions make a formula false on a lasso.
//!
//! With some values unknown, Kleene's three-valued logic tells whether the formula is false
//! all the same; until-like operators are least solutions, release-like ones greatest. A
//! *cause* is a set of values that suffices and of which none can be left out. It is found
//! from all values by leaving out one after the other, the last step first. Knowing less
//! never makes a formula false, so a row of values can be left out at once exactly if each
//! of them can in turn: rows are tried that double in length, and halve again. At most about
//! two evaluations a value are needed, each linear in formula times word.

use ltl2ba_rs::{Binary, Formula, Lasso, Node, Unary};

/// The value of a proposition at a step that is part of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blame {
    /// From 0, through stem and loop.
    pub step: usize,
    /// An index into the propositions of the formula.
    pub proposition: u32,
}

/// The cause of a formula's falsity at the first position, sorted; `None` if it is true.
/// `propositions` is the order in which the values of one step are left out.
pub fn cause(formula: &Formula, word: &Lasso, propositions: &[u32]) -> Option<Vec<Blame>> {
    let mut knowledge = Knowledge::all(formula, word);
    if !knowledge.is_false() {
        return None;
    }
    let candidates: Vec<Blame> = (0..word.length())
        .rev()
        .flat_map(|step| {
            let blame = move |proposition: &u32| Blame {
                step,
                proposition: *proposition,
            };
            propositions.iter().map(blame)
        })
        .collect();
    let mut cause = Vec::new();
    let mut at = 0;
    while at < candidates.len() {
        let dropped = knowledge.drop_most(&candidates[at..]);
        at += dropped;
        // The next one cannot be left out.
        cause.extend(candidates.get(at).copied());
        at += 1;
    }
    cause.sort_unstable_by_key(|blame| {
        let order = propositions.iter().position(|p| *p == blame.proposition);
        (blame.step, order)
    });
    Some(cause)
}

/// What a value may be: bit 0 for false, bit 1 for true.
type Possible = u8;
const FALSE: Possible = 1;
const TRUE: Possible = 2;
const UNKNOWN: Possible = FALSE | TRUE;

/// The known values of propositions, and room for an evaluation.
struct Knowledge<'a> {
    formula: &'a Formula,
    word: &'a Lasso,
    /// By proposition, then by step.
    values: Vec<Vec<Possible>>,
    /// By node, then by step.
    nodes: Vec<Vec<Possible>>,
}

impl<'a> Knowledge<'a> {
    fn all(formula: &'a Formula, word: &'a Lasso) -> Self {
        let length = word.length();
        let value = |proposition: usize, step: usize| {
            let value = word.valuation(step).get(proposition);
            known(value.copied().unwrap_or(false))
        };
        let row = |proposition| (0..length).map(|step| value(proposition, step)).collect();
        Knowledge {
            formula,
            word,
            values: (0..formula.propositions().len()).map(row).collect(),
            nodes: vec![vec![UNKNOWN; length]; formula.nodes().len()],
        }
    }

    /// Forgets as many of the first values as can be, and tells how many these are.
    fn drop_most(&mut self, candidates: &[Blame]) -> usize {
        // So many can be left out; and from there on rows of this length are tried.
        let (mut dropped, mut length) = (0, 1);
        let mut grows = true;
        while dropped < candidates.len() {
            let row = &candidates[dropped..candidates.len().min(dropped + length)];
            let kept: Vec<_> = row.iter().map(|blame| self.forget(*blame)).collect();
            if self.is_false() {
                dropped += row.len();
                length = if grows { length * 2 } else { length };
                continue;
            }
            for (blame, value) in row.iter().zip(kept) {
                self.values[blame.proposition as usize][blame.step] = value;
            }
            grows = false;
            length = row.len() / 2;
            if length == 0 {
                break;
            }
        }
        dropped
    }

    fn forget(&mut self, blame: Blame) -> Possible {
        let row = &mut self.values[blame.proposition as usize];
        std::mem::replace(&mut row[blame.step], UNKNOWN)
    }

    /// Whether the formula is false at the first step, whatever the unknown values are.
    fn is_false(&mut self) -> bool {
        for (i, node) in self.formula.nodes().iter().enumerate() {
            let (below, rest) = self.nodes.split_at_mut(i);
            let result = &mut rest[0];
            match *node {
                Node::Constant(value) => result.fill(known(value)),
                Node::Proposition(index) => result.copy_from_slice(&self.values[index as usize]),
                Node::Unary(operator, f) => unary(operator, &below[f.index()], self.word, result),
                Node::Binary(operator, f, g) => {
                    let (f, g) = (&below[f.index()], &below[g.index()]);
                    binary(operator, f, g, self.word, result);
                }
            }
        }
        self.nodes[self.formula.root().index()][0] == FALSE
    }
}

fn known(value: bool) -> Possible {
    if value { TRUE } else { FALSE }
}

fn not(f: Possible) -> Possible {
    f >> 1 | (f & 1) << 1
}

fn and(f: Possible, g: Possible) -> Possible {
    (f | g) & FALSE | f & g & TRUE
}

fn or(f: Possible, g: Possible) -> Possible {
    f & g & FALSE | (f | g) & TRUE
}

fn equivalent(f: Possible, g: Possible) -> Possible {
    and(or(not(f), g), or(not(g), f))
}

fn unary(operator: Unary, f: &[Possible], word: &Lasso, result: &mut [Possible]) {
    match operator {
        Unary::Not => pointwise(result, |at| not(f[at])),
        Unary::Next => pointwise(result, |at| f[word.successor(at)]),
        Unary::Finally => settle(word, FALSE, result, |at, later| or(f[at], later)),
        Unary::Globally => settle(word, TRUE, result, |at, later| and(f[at], later)),
    }
}

fn binary(operator: Binary, f: &[Possible], g: &[Possible], word: &Lasso, result: &mut [Possible]) {
    let until = |at: usize, later| or(g[at], and(f[at], later));
    let release = |at: usize, later| and(g[at], or(f[at], later));
    match operator {
        Binary::And => pointwise(result, |at| and(f[at], g[at])),
        Binary::Or => pointwise(result, |at| or(f[at], g[at])),
        Binary::Xor => pointwise(result, |at| not(equivalent(f[at], g[at]))),
        Binary::Implies => pointwise(result, |at| or(not(f[at]), g[at])),
        Binary::Iff => pointwise(result, |at| equivalent(f[at], g[at])),
        Binary::Until => settle(word, FALSE, result, until),
        Binary::WeakUntil => settle(word, TRUE, result, until),
        Binary::Release => settle(word, TRUE, result, release),
        Binary::StrongRelease => settle(word, FALSE, result, release),
    }
}

fn pointwise(result: &mut [Possible], value: impl Fn(usize) -> Possible) {
    for (at, result) in result.iter_mut().enumerate() {
        *result = value(at);
    }
}

/// The solution of `value[i] = step(i, value[i + 1])` that is least (`start` false) or
/// greatest: two rounds through the loop settle it.
fn settle(
    word: &Lasso,
    start: Possible,
    result: &mut [Possible],
    step: impl Fn(usize, Possible) -> Possible,
) {
    let first = word.stem.len();
    let mut later = start;
    for at in (first..result.len()).rev() {
        later = step(at, later);
    }
    for at in (0..result.len()).rev() {
        later = step(at, later);
        result[at] = later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMULAS: [&str; 12] = [
        "G (a -> F b)",
        "F a",
        "a U b",
        "(a R b) & X b",
        "G F a | F G b",
        "a W (b & X a)",
        "(a M b) xor X X a",
        "G (a <-> X b)",
        "!(a U (b U a))",
        "a | X !a",
        "true",
        "F (a & X b)",
    ];

    fn word(bits: &[(bool, bool)], stem: usize) -> Lasso {
        let letters = |bits: &[(bool, bool)]| bits.iter().map(|(a, b)| vec![*a, *b]).collect();
        Lasso {
            stem: letters(&bits[..stem]),
            cycle: letters(&bits[stem..]),
        }
    }

    /// The value of every proposition at every step, as far as it is in the cause.
    fn fill(word: &Lasso, cause: &[Blame], others: u32) -> Lasso {
        let mut filled = word.clone();
        let mut unknown = 0;
        for step in 0..word.length() {
            for proposition in 0..2 {
                if cause.contains(&Blame { step, proposition }) {
                    continue;
                }
                let letter = match filled.stem.len() {
                    stem if step < stem => &mut filled.stem[step],
                    stem => &mut filled.cycle[step - stem],
                };
                letter[proposition as usize] = others >> unknown & 1 == 1;
                unknown += 1;
            }
        }
        filled
    }

    proptest! {
        /// Every way to fill in the other values makes the formula false. And by leaving out
        /// one value after the other, without any shortcut, the same is found.
        #[test]
        fn a_cause_suffices_and_is_found_by_leaving_out_one_after_the_other(
            which in 0..FORMULAS.len(),
            bits in prop::collection::vec(any::<(bool, bool)>(), 1..6),
            stem in 0..5_usize,
        ) {
            // So that `a` is the first proposition and `b` the second.
            let text = format!("(a | !a | b) -> ({})", FORMULAS[which]);
            let formula = ltl2ba_rs::parse(&text).expect("a formula").formula;
            let word = word(&bits, stem.min(bits.len() - 1));
            let found = cause(&formula, &word, &[0, 1]);
            prop_assert_eq!(found.is_none(), ltl2ba_rs::evaluate(&formula, &word));
            let Some(found) = found else { return Ok(()) };
            let unknown = 2 * word.length() - found.len();
            for others in 0..1_u32 << unknown {
                prop_assert!(!ltl2ba_rs::evaluate(&formula, &fill(&word, &found, others)));
            }
            let mut knowledge = Knowledge::all(&formula, &word);
            let mut kept = Vec::new();
            for step in (0..word.length()).rev() {
                for proposition in 0..2 {
                    let blame = Blame { step, proposition };
                    let value = knowledge.forget(blame);
                    if !knowledge.is_false() {
                        knowledge.values[proposition as usize][step] = value;
                        kept.push(blame);
                    }
                }
            }
            kept.sort_unstable();
            prop_assert_eq!(kept, found);
        }
    }
}
