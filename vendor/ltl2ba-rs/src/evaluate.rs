//! The truth of a formula on a word, by definition: the oracle for everything else.
//!
//! The word is a lasso, `stem` followed by `cycle` for ever, so each subformula has one
//! truth value a position. Values are worked out for the nodes of the formula as it was
//! written, children first; the temporal operators by walking the cycle backwards twice:
//! after the first round the least (`U`, `M`, `F`) or greatest (`R`, `W`, `G`) solution has
//! settled. Nothing here is shared with the translator. Linear in formula times word.

use crate::syntax::formula::{Binary, Formula, Node, Unary};

/// An ultimately periodic word: a valuation (truth of each proposition) a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The positions before the cycle; may be empty.
    pub stem: Vec<Vec<bool>>,
    /// The positions that repeat; must not be empty.
    pub cycle: Vec<Vec<bool>>,
}

impl Lasso {
    /// The number of different positions.
    pub fn length(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    /// The valuation at a position below [`Lasso::length`].
    pub fn valuation(&self, position: usize) -> &[bool] {
        match self.stem.get(position) {
            Some(valuation) => valuation,
            None => &self.cycle[position - self.stem.len()],
        }
    }

    /// The position that follows.
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 < self.length() {
            position + 1
        } else {
            self.stem.len()
        }
    }
}

/// Whether the formula is true of the word. Propositions that a valuation is too short
/// for are false.
///
/// # Panics
/// If the cycle is empty.
pub fn evaluate(formula: &Formula, word: &Lasso) -> bool {
    truth(formula, word)[formula.root().index()][0]
}

/// The truth of every node of the formula at every position: whether the word from there on
/// satisfies it. By [`NodeId::index`](crate::NodeId::index), then by position.
///
/// # Panics
/// If the cycle is empty.
pub fn truth(formula: &Formula, word: &Lasso) -> Vec<Vec<bool>> {
    assert!(!word.cycle.is_empty(), "an infinite word needs a cycle");
    let length = word.length();
    let mut values: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let value = match *node {
            Node::Constant(value) => vec![value; length],
            Node::Proposition(index) => (0..length)
                .map(|at| {
                    word.valuation(at)
                        .get(index as usize)
                        .copied()
                        .unwrap_or(false)
                })
                .collect(),
            Node::Unary(operator, f) => unary(operator, &values[f.index()], word),
            Node::Binary(operator, f, g) => {
                binary(operator, &values[f.index()], &values[g.index()], word)
            }
        };
        values.push(value);
    }
    values
}

fn unary(operator: Unary, f: &[bool], word: &Lasso) -> Vec<bool> {
    match operator {
        Unary::Not => f.iter().map(|value| !value).collect(),
        Unary::Next => (0..f.len()).map(|at| f[word.successor(at)]).collect(),
        Unary::Finally => settle(word, false, |at, later| f[at] || later),
        Unary::Globally => settle(word, true, |at, later| f[at] && later),
    }
}

fn binary(operator: Binary, f: &[bool], g: &[bool], word: &Lasso) -> Vec<bool> {
    let pointwise = |join: fn(bool, bool) -> bool| {
        f.iter()
            .zip(g)
            .map(|(&f, &g)| join(f, g))
            .collect::<Vec<bool>>()
    };
    match operator {
        Binary::And => pointwise(|f, g| f && g),
        Binary::Or => pointwise(|f, g| f || g),
        Binary::Xor => pointwise(|f, g| f != g),
        Binary::Implies => pointwise(|f, g| !f || g),
        Binary::Iff => pointwise(|f, g| f == g),
        Binary::Until => settle(word, false, |at, later| g[at] || f[at] && later),
        Binary::WeakUntil => settle(word, true, |at, later| g[at] || f[at] && later),
        Binary::Release => settle(word, true, |at, later| g[at] && (f[at] || later)),
        Binary::StrongRelease => settle(word, false, |at, later| g[at] && (f[at] || later)),
    }
}

/// The solution of `value[i] = step(i, value[i + 1])` that is least (`start` false) or
/// greatest.
fn settle(word: &Lasso, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let length = word.length();
    let mut values = vec![start; length];
    for _ in 0..2 {
        for at in (0..length).rev() {
            values[at] = step(at, values[word.successor(at)]);
        }
    }
    values
}
