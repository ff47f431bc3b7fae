//! Formulas as text: with as few parentheses as our precedences allow (`Display`), or
//! with all of them ([`Formula::parenthesized`]). Both read back as the same formula.
//!
//! An explicit stack of what is still to be written, so depth does not matter. Linear in
//! the written text, which can be longer than the arena where subformulas are shared.

use crate::syntax::formula::{Binary, Formula, Node, NodeId, Unary};
use crate::syntax::precedence::ours;
use std::fmt;

/// How an operator is written.
pub(crate) fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "xor",
        Binary::Implies => "->",
        Binary::Iff => "<->",
        Binary::Until => "U",
        Binary::Release => "R",
        Binary::WeakUntil => "W",
        Binary::StrongRelease => "M",
    }
}

/// What is still to be written.
enum Piece {
    Text(&'static str),
    Node(NodeId),
    /// In parentheses.
    Enclosed(NodeId),
}

impl Formula {
    /// The formula with parentheses around every binary operator's operands.
    pub fn parenthesized(&self) -> String {
        self.write(self.root(), true)
    }

    /// A subformula as text.
    pub fn text_of(&self, id: NodeId) -> String {
        self.write(id, false)
    }

    fn write(&self, root: NodeId, full: bool) -> String {
        let mut out = String::new();
        let mut stack = vec![Piece::Node(root)];
        while let Some(piece) = stack.pop() {
            let node = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Enclosed(id) => {
                    out.push('(');
                    stack.push(Piece::Text(")"));
                    self.node(id)
                }
                Piece::Node(id) => self.node(id),
            };
            match node {
                Node::Constant(value) => out.push_str(if value { "true" } else { "false" }),
                Node::Proposition(index) => {
                    out.push_str(&self.propositions()[index as usize].source());
                }
                Node::Unary(operator, f) => {
                    out.push_str(match operator {
                        Unary::Not => "!",
                        Unary::Next => "X ",
                        Unary::Finally => "F ",
                        Unary::Globally => "G ",
                    });
                    let binary = matches!(self.node(f), Node::Binary(..));
                    stack.push(if binary {
                        Piece::Enclosed(f)
                    } else {
                        Piece::Node(f)
                    });
                }
                Node::Binary(operator, f, g) => {
                    stack.push(self.operand(operator, g, true, full));
                    stack.push(Piece::Text(" "));
                    stack.push(Piece::Text(symbol(operator)));
                    stack.push(Piece::Text(" "));
                    stack.push(self.operand(operator, f, false, full));
                }
            }
        }
        out
    }

    /// An operand of a binary operator, enclosed where it has to be.
    fn operand(&self, parent: Binary, id: NodeId, right_side: bool, full: bool) -> Piece {
        let Node::Binary(child, ..) = self.node(id) else {
            return Piece::Node(id);
        };
        let ((outer, to_right), (inner, _)) = (ours(parent), ours(child));
        let bare = inner > outer || inner == outer && to_right == right_side;
        // `a U (b R c)` reads better with its parentheses.
        let mixed = inner == outer && child != parent;
        if full || !bare || mixed {
            Piece::Enclosed(id)
        } else {
            Piece::Node(id)
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.write(self.root(), false))
    }
}
