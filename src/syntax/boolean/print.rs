//! An expression of the tree as text, with all its parentheses.

use super::parser::Boolean;
use super::tree::Node;
use crate::names::{Name, Names};
use crate::syntax::kit::operators::Infix;
use crate::syntax::kit::tree::shorten;

/// Longer expressions are not worth reading, and writing them costs quadratic time.
const MOST_NODES: usize = 60;

/// The expression with parentheses around every operation but the outermost; nothing if
/// it is too long to be of use.
pub fn fully_parenthesised(names: &Names, nodes: &[Node]) -> Option<String> {
    let shown = |name: Name| shorten(names.text(name));
    if nodes.len() > MOST_NODES {
        return None;
    }
    // The text of each value on the stack, and whether it needs parentheses as an operand.
    let mut stack: Vec<(String, bool)> = Vec::new();
    for node in nodes {
        let result = match *node {
            Node::Constant(value) => (String::from(if value { "1" } else { "0" }), false),
            Node::Choose => ("*".into(), false),
            Node::Read(identifier) => (shown(identifier.name), false),
            Node::ReadNext(identifier) => (format!("'{}", shown(identifier.name)), false),
            Node::Not => (format!("!{}", operand(stack.pop()?)), false),
            Node::Binary(operator) => {
                let right = operand(stack.pop()?);
                let left = operand(stack.pop()?);
                (
                    format!("{left} {} {right}", Infix::<Boolean>::sign(operator)),
                    true,
                )
            }
            Node::IfThenElse => {
                let otherwise = operand(stack.pop()?);
                let then = operand(stack.pop()?);
                let condition = operand(stack.pop()?);
                (format!("{condition} ? {then} : {otherwise}"), true)
            }
            Node::Schoose => {
                let (second, _) = stack.pop()?;
                let (first, _) = stack.pop()?;
                (format!("schoose[{first}, {second}]"), false)
            }
        };
        stack.push(result);
    }
    stack.pop().map(|(text, _)| text)
}

fn operand((text, compound): (String, bool)) -> String {
    if compound { format!("({text})") } else { text }
}
