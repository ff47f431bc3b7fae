//! Negation normal form: from a [`Formula`] as written to a simplified term.
//!
//! A demand-driven walk with an explicit stack over pairs (node, polarity). Chains of
//! one Boolean operator are gathered into one n-ary junction before it is built;
//! building them link by link would take quadratic space.

use crate::logic::terms::{FALSE, TRUE, TermId, Terms};
use crate::syntax::formula::{Binary, Formula, Node, NodeId, Unary};
use rustc_hash::FxHashSet;

/// A node and whether it is meant negated.
type Goal = (NodeId, bool);

/// The term of the whole formula.
pub(crate) fn normal_form(formula: &Formula, terms: &mut Terms) -> TermId {
    let mut done: [Vec<Option<TermId>>; 2] = [
        vec![None; formula.nodes().len()],
        vec![None; formula.nodes().len()],
    ];
    let mut stack: Vec<Goal> = vec![(formula.root(), false)];
    while let Some(&(node, negated)) = stack.last() {
        if done[negated as usize][node.index()].is_some() {
            stack.pop();
            continue;
        }
        let needed = needs(formula, node, negated);
        let before = stack.len();
        for &(child, sign) in &needed {
            if done[sign as usize][child.index()].is_none() {
                stack.push((child, sign));
            }
        }
        if stack.len() > before {
            continue;
        }
        let get = |(child, sign): Goal| {
            // Every need was met before.
            done[sign as usize][child.index()].unwrap_or(FALSE)
        };
        let operands: Vec<TermId> = needed.iter().map(|&goal| get(goal)).collect();
        let term = build(formula, node, negated, operands, terms);
        done[negated as usize][node.index()] = Some(term);
        stack.pop();
    }
    done[0][formula.root().index()].unwrap_or(FALSE)
}

/// Whether the node, in this polarity, is a disjunction (`Some(true)`) or conjunction.
fn junction(formula: &Formula, node: NodeId, negated: bool) -> Option<bool> {
    match formula.node(node) {
        Node::Binary(Binary::And, ..) => Some(negated),
        Node::Binary(Binary::Or | Binary::Implies, ..) => Some(!negated),
        _ => None,
    }
}

/// The signed nodes whose terms the node's term is built from.
fn needs(formula: &Formula, node: NodeId, negated: bool) -> Vec<Goal> {
    if let Some(or) = junction(formula, node, negated) {
        return gather(formula, node, negated, or);
    }
    match formula.node(node) {
        Node::Constant(_) | Node::Proposition(_) => Vec::new(),
        Node::Unary(Unary::Not, f) => vec![(f, !negated)],
        Node::Unary(_, f) => vec![(f, negated)],
        Node::Binary(Binary::Xor | Binary::Iff, f, g) => {
            vec![(f, false), (f, true), (g, false), (g, true)]
        }
        Node::Binary(_, f, g) => vec![(f, negated), (g, negated)],
    }
}

/// The operands of the greatest junction of one kind that starts at the node.
fn gather(formula: &Formula, node: NodeId, negated: bool, or: bool) -> Vec<Goal> {
    let mut operands = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(node, negated)];
    while let Some((node, negated)) = stack.pop() {
        if !seen.insert((node, negated)) {
            continue;
        }
        if let Node::Unary(Unary::Not, f) = formula.node(node) {
            stack.push((f, !negated));
        } else if junction(formula, node, negated) == Some(or) {
            if let Node::Binary(operator, f, g) = formula.node(node) {
                stack.push((g, negated));
                stack.push((f, negated ^ (operator == Binary::Implies)));
            }
        } else {
            operands.push((node, negated));
        }
    }
    operands
}

fn build(
    formula: &Formula,
    node: NodeId,
    negated: bool,
    operands: Vec<TermId>,
    terms: &mut Terms,
) -> TermId {
    if let Some(or) = junction(formula, node, negated) {
        return if or {
            terms.or(operands)
        } else {
            terms.and(operands)
        };
    }
    match formula.node(node) {
        Node::Constant(value) => {
            if value ^ negated {
                TRUE
            } else {
                FALSE
            }
        }
        Node::Proposition(proposition) => terms.literal(proposition, !negated),
        Node::Unary(Unary::Not, _) => operands[0],
        Node::Unary(Unary::Next, _) => terms.next(operands[0]),
        Node::Unary(Unary::Finally, _) if !negated => terms.finally(operands[0]),
        Node::Unary(Unary::Globally, _) if negated => terms.finally(operands[0]),
        Node::Unary(..) => terms.globally(operands[0]),
        Node::Binary(operator, ..) => match operator {
            Binary::Xor | Binary::Iff => {
                let (f, not_f, g, not_g) = (operands[0], operands[1], operands[2], operands[3]);
                let equal = (operator == Binary::Iff) ^ negated;
                let (g, not_g) = if equal { (g, not_g) } else { (not_g, g) };
                let both = terms.and(vec![f, g]);
                let neither = terms.and(vec![not_f, not_g]);
                terms.or(vec![both, neither])
            }
            Binary::Until if !negated => terms.until(operands[0], operands[1]),
            Binary::Release if negated => terms.until(operands[0], operands[1]),
            Binary::Until | Binary::Release => terms.release(operands[0], operands[1]),
            // `f W g = g R (f | g)` and `f M g = g U (f & g)` are each other's duals, so
            // a negation only exchanges the two shapes.
            Binary::WeakUntil | Binary::StrongRelease => {
                let both = vec![operands[0], operands[1]];
                if (operator == Binary::WeakUntil) ^ negated {
                    let either = terms.or(both);
                    terms.release(operands[1], either)
                } else {
                    let both = terms.and(both);
                    terms.until(operands[1], both)
                }
            }
            Binary::And | Binary::Or | Binary::Implies => {
                unreachable!("junctions are handled above")
            }
        },
    }
}
