//! Occurrences of subformulas, and formulas in which one of them is replaced by a constant.
//!
//! An occurrence is a path from the root. Where it counts positively, `false` in its place makes
//! the formula stronger, otherwise `true`; under `<->` and `xor` neither does, so nothing there is
//! listed. Nor is what stands on the left of `->`: a formula that holds without what it assumes is
//! no worse for that. Linear in the occurrences that are listed, of which there are no more than wanted: a
//! formula with shared parts may have exponentially many.

use ltl2ba_rs::{Binary, Formula, Node, NodeId, Unary};

/// One place in a formula.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The subformula.
    node: NodeId,
    /// The nodes above it from the root down, and whether it is in their second operand.
    path: Vec<(NodeId, bool)>,
    is_positive: bool,
}

/// The first occurrences in a formula, the larger subformulas first; not the whole formula, and
/// no constants.
pub fn occurrences(formula: &Formula, most: usize) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut open = vec![Occurrence {
        node: formula.root(),
        path: Vec::new(),
        is_positive: true,
    }];
    while let Some(here) = open.pop() {
        if found.len() > most {
            break;
        }
        let operand = |node: NodeId, second: bool, is_positive: bool| Occurrence {
            node,
            path: [&here.path[..], &[(here.node, second)]].concat(),
            is_positive,
        };
        match formula.node(here.node) {
            Node::Constant(_) => continue,
            Node::Proposition(_) | Node::Binary(Binary::Xor | Binary::Iff, _, _) => {}
            Node::Unary(operator, inner) => {
                let keeps = operator != Unary::Not;
                open.push(operand(inner, false, here.is_positive == keeps));
            }
            Node::Binary(operator, left, right) => {
                open.push(operand(right, true, here.is_positive));
                if operator != Binary::Implies {
                    open.push(operand(left, false, here.is_positive));
                }
            }
        }
        found.push(here);
    }
    found.retain(|occurrence| !occurrence.path.is_empty());
    let sizes = sizes(formula);
    found.sort_by_key(|occurrence| std::cmp::Reverse(sizes[occurrence.node.index()]));
    found
}

/// How many nodes each subformula has as a tree, as far as that can be counted.
fn sizes(formula: &Formula) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::new();
    for node in formula.nodes() {
        let size = |id: &NodeId| sizes[id.index()];
        sizes.push(match node {
            Node::Constant(_) | Node::Proposition(_) => 1,
            Node::Unary(_, inner) => size(inner).saturating_add(1),
            Node::Binary(_, left, right) => size(left).saturating_add(size(right)).max(2),
        });
    }
    sizes
}

impl Occurrence {
    /// The formula with a constant here that makes it stronger, or keeps it as strong.
    pub fn strengthened(&self, formula: &Formula) -> Formula {
        let mut stronger = formula.clone();
        let mut inner = stronger.add(Node::Constant(!self.is_positive));
        for (above, second) in self.path.iter().rev() {
            inner = stronger.add(match formula.node(*above) {
                Node::Unary(operator, _) => Node::Unary(operator, inner),
                Node::Binary(operator, left, _) if *second => Node::Binary(operator, left, inner),
                Node::Binary(operator, _, right) => Node::Binary(operator, inner, right),
                leaf => leaf,
            });
        }
        stronger.set_root(inner);
        stronger
    }

    /// Why a formula that holds when it is strengthened here holds vacuously.
    pub fn reason(&self, formula: &Formula) -> String {
        let text = |node: NodeId| {
            let mut part = formula.clone();
            part.set_root(node);
            part.to_string()
        };
        let replaced = format!(
            "it holds with `{}` in place of `{}`, too",
            !self.is_positive,
            text(self.node)
        );
        let Some(((above, true), further)) = self.path.split_last() else {
            return replaced;
        };
        let Node::Binary(Binary::Implies, condition, _) = formula.node(*above) else {
            return replaced;
        };
        let mut above = further.iter().map(|(node, _)| formula.node(*node));
        let is_claimed = above.all(|node| {
            matches!(
                node,
                Node::Unary(Unary::Globally, _) | Node::Binary(Binary::And, _, _)
            )
        });
        let always = further
            .iter()
            .any(|(node, _)| matches!(formula.node(*node), Node::Unary(Unary::Globally, _)));
        match (is_claimed, always) {
            (false, _) => replaced,
            (true, true) => format!("{replaced}, because `{}` is never true", text(condition)),
            (true, false) => format!(
                "{replaced}, because `{}` is never true at the start",
                text(condition)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stronger(text: &str) -> Vec<String> {
        let formula = ltl2ba_rs::parse(text).expect("a formula").formula;
        let occurrences = occurrences(&formula, 100);
        let shown = occurrences.iter();
        shown
            .map(|one| one.strengthened(&formula).to_string())
            .collect()
    }

    #[test]
    fn each_occurrence_is_replaced_by_its_polarity() {
        let shown = stronger("G (p -> F q)");
        assert_eq!(shown, ["G false", "G (p -> false)", "G (p -> F false)"]);
        assert_eq!(stronger("!p | q"), ["false | q", "!true | q", "!p | false"]);
        assert_eq!(stronger("!p"), ["!true"]);
        assert_eq!(stronger("p <-> q"), Vec::<String>::new());
        assert_eq!(stronger("true"), Vec::<String>::new());
    }

    #[test]
    fn a_deep_formula_and_one_with_shared_parts() {
        let deep = format!("{}p", "X ".repeat(20_000));
        assert!(!stronger(&deep).is_empty());
    }
}
