//! Conditions as text, with no more parentheses than they need.

use super::formula::{Formulas, Kind, Node};
use super::variables::Variables;
use crate::syntax::kit::operators::Infix;
use crate::syntax::pds::tree::BinaryOperator as Operator;
use crate::syntax::pds::{self, NOT_PRECEDENCE, Pds};

/// How tightly what is no operator binds, as the parser of `.pds` has it.
const QUANTIFIER: u8 = 0;
const LEAF: u8 = 10;

/// What a part of a conjunction must bind as tightly as.
pub fn conjunct() -> u8 {
    pds::precedence(Operator::And)
}

/// What is still to be written.
enum Rest {
    /// A node, in parentheses if it binds less tightly than this.
    Node(Node, u8),
    Text(&'static str),
}

fn precedence(kind: Kind) -> u8 {
    match kind {
        Kind::Quantified { .. } => QUANTIFIER,
        Kind::Not(_) => NOT_PRECEDENCE,
        Kind::Binary(operator, ..) => pds::precedence(operator),
        // There are no truth constants: `0 = 0` is one.
        Kind::Truth(_) => pds::precedence(Operator::Equal),
        Kind::Number(_) | Kind::Cell(..) | Kind::Bound => LEAF,
    }
}

/// Writes a condition so that it can be an operand of something that binds as tightly as
/// `context`. Nothing here recurses: programs nest as deep as they like.
pub fn write(formulas: &Formulas, names: &Variables, node: Node, context: u8, out: &mut String) {
    let mut rest = vec![Rest::Node(node, context)];
    while let Some(next) = rest.pop() {
        let (node, context) = match next {
            Rest::Text(text) => {
                out.push_str(text);
                continue;
            }
            Rest::Node(node, context) => (node, context),
        };
        let kind = formulas.kind(node);
        let own = precedence(kind);
        if own < context {
            out.push('(');
            rest.push(Rest::Text(")"));
        }
        match kind {
            Kind::Truth(true) => out.push_str("0 = 0"),
            Kind::Truth(false) => out.push_str("0 = 1"),
            Kind::Number(number) => out.push_str(&number.to_string()),
            Kind::Bound => out.push_str(&names.bound),
            Kind::Cell(variable, when, index) => {
                out.push_str(&names.get(variable).name);
                out.push_str(when.primes());
                if let Some(index) = index {
                    out.push('[');
                    rest.push(Rest::Text("]"));
                    rest.push(Rest::Node(index, QUANTIFIER));
                }
            }
            Kind::Not(operand) => {
                out.push('!');
                // A comparison would be read as the operand, but people would not see that.
                let tight = match formulas.kind(operand) {
                    Kind::Not(_) => NOT_PRECEDENCE,
                    _ => LEAF,
                };
                rest.push(Rest::Node(operand, tight));
            }
            Kind::Binary(operator, a, b) => {
                let is_junction = matches!(operator, Operator::And | Operator::Or);
                let right = if is_junction { own } else { own + 1 };
                rest.push(Rest::Node(b, right));
                rest.extend([" ", Infix::<Pds>::sign(operator), " "].map(Rest::Text));
                rest.push(Rest::Node(a, own));
            }
            Kind::Quantified {
                for_all,
                low,
                high,
                body,
            } => {
                let quantifier = if for_all { "A" } else { "E" };
                let (low, high) = (constant(low), constant(high));
                out.push_str(&format!("{quantifier} {} ({low}, {high}) ", names.bound));
                rest.push(Rest::Node(body, QUANTIFIER));
            }
        }
    }
}

/// A whole number; negative ones are differences.
pub fn constant(number: i128) -> String {
    match number {
        0.. => number.to_string(),
        _ => format!("0 - {}", -number),
    }
}
