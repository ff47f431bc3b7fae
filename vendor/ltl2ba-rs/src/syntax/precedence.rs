//! Precedences, ours and Spin's, and how a row of operands becomes a tree.
//!
//! Ours, tightest first: `U R W M` (to the right), `&&`, `xor`, `||` (to the left),
//! `->` (to the right), `<->` (to the left).
//!
//! Spin (`tl_parse.c`) and ltl2ba (`parse.c`) have two levels only: `U V`, and below them
//! `|| && -> <->` all together, both to the left. So `a U b U c` and `a || b && c` mean
//! other things there. Neither knows `M` and `xor`; of Spin's `W` the table says
//! nothing else than of `U`.

use crate::syntax::formula::Binary;

/// How tightly an operator binds (greater is tighter), and whether to the right.
pub(crate) fn ours(operator: Binary) -> (u8, bool) {
    match operator {
        Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease => (5, true),
        Binary::And => (4, false),
        Binary::Xor => (3, false),
        Binary::Or => (2, false),
        Binary::Implies => (1, true),
        Binary::Iff => (0, false),
    }
}

/// How tightly an operator binds for Spin and ltl2ba; `None` for those they do not have.
pub(crate) fn spins(operator: Binary) -> Option<(u8, bool)> {
    match operator {
        Binary::Until | Binary::Release | Binary::WeakUntil => Some((1, false)),
        Binary::And | Binary::Or | Binary::Implies | Binary::Iff => Some((0, false)),
        Binary::Xor | Binary::StrongRelease => None,
    }
}

/// A step of building a tree bottom-up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The operand of that index is next.
    Operand(usize),
    /// The operator of that index joins the last two trees.
    Operator(usize),
}

/// The steps for operators with the given binding, by Dijkstra's shunting yard.
pub(crate) fn arrange(bindings: &[(u8, bool)]) -> Vec<Step> {
    let mut steps = vec![Step::Operand(0)];
    let mut waiting: Vec<usize> = Vec::new();
    for (index, &(level, right)) in bindings.iter().enumerate() {
        while let Some(&top) = waiting.last() {
            let tighter = bindings[top].0 > level || bindings[top].0 == level && !right;
            if !tighter {
                break;
            }
            steps.push(Step::Operator(top));
            waiting.pop();
        }
        waiting.push(index);
        steps.push(Step::Operand(index + 1));
    }
    steps.extend(waiting.into_iter().rev().map(Step::Operator));
    steps
}
