//! Conditions and terms of `.pds`, as nodes that are shared.
//!
//! The truth and the falsehood of a nondeterministic condition are two formulas over the same
//! parts, so a formula is a graph, and only its text is a tree: nodes know how long that would
//! be. Equal nodes are one node, so that "this is the negation of that" is a comparison, and
//! what is constant is worked out on the way.
//!
//! A comparison in `.pds` is false where a term has no value. Whoever negates one sees to it
//! that a condition under which it has a value stands beside it.

use crate::program::Moment;
use crate::syntax::pds::tree::BinaryOperator as Operator;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A condition or a term, an index into [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(u32);

impl Operator {
    /// The comparison that is true where this one is false; `None` if it is none.
    fn opposite(self) -> Option<Self> {
        Some(match self {
            Operator::Equal => Operator::NotEqual,
            Operator::NotEqual => Operator::Equal,
            Operator::Less => Operator::GreaterEqual,
            Operator::LessEqual => Operator::Greater,
            Operator::Greater => Operator::LessEqual,
            Operator::GreaterEqual => Operator::Less,
            _ => return None,
        })
    }

    fn compare(self, a: u64, b: u64) -> Option<bool> {
        Some(match self {
            Operator::Equal => a == b,
            Operator::NotEqual => a != b,
            Operator::Less => a < b,
            Operator::LessEqual => a <= b,
            Operator::Greater => a > b,
            Operator::GreaterEqual => a >= b,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Truth(bool),
    Number(u64),
    /// A variable, by its place among those of the system, or an element of it.
    Cell(u32, Moment, Option<Node>),
    /// The variable of the quantifier around it. Quantifiers never stand in each other.
    Bound,
    Not(Node),
    Binary(Operator, Node, Node),
    /// For all, or for some, numbers from the first to the last.
    Quantified {
        for_all: bool,
        low: i128,
        high: i128,
        body: Node,
    },
}

#[derive(Debug, Default)]
pub struct Formulas {
    kinds: IndexSet<Kind, FxBuildHasher>,
    /// How many nodes the text of each has.
    sizes: Vec<u64>,
}

impl Formulas {
    pub fn kind(&self, node: Node) -> Kind {
        self.kinds[node.0 as usize]
    }

    /// How many nodes its text has.
    pub fn size(&self, node: Node) -> u64 {
        self.sizes[node.0 as usize]
    }

    fn add(&mut self, kind: Kind) -> Node {
        let (index, is_new) = self.kinds.insert_full(kind);
        if is_new {
            let parts = match kind {
                Kind::Truth(_) | Kind::Number(_) | Kind::Bound | Kind::Cell(_, _, None) => 0,
                Kind::Cell(_, _, Some(part))
                | Kind::Not(part)
                | Kind::Quantified { body: part, .. } => self.size(part),
                Kind::Binary(_, a, b) => self.size(a).saturating_add(self.size(b)),
            };
            self.sizes.push(parts.saturating_add(1));
        }
        Node(index as u32)
    }

    pub fn truth(&mut self, value: bool) -> Node {
        self.add(Kind::Truth(value))
    }

    pub fn is_truth(&self, node: Node, value: bool) -> bool {
        self.kind(node) == Kind::Truth(value)
    }

    pub fn number(&mut self, number: u64) -> Node {
        self.add(Kind::Number(number))
    }

    /// A number of either sign, and of more than 64 bits if it is a power of two.
    pub fn constant(&mut self, number: i128) -> Node {
        if number < 0 {
            let (zero, size) = (self.number(0), self.constant(-number));
            return self.binary(Operator::Subtract, zero, size);
        }
        match u64::try_from(number) {
            Ok(small) => self.number(small),
            Err(_) => {
                let (one, by) = (self.number(1), self.number(number.ilog2().into()));
                self.binary(Operator::ShiftLeft, one, by)
            }
        }
    }

    pub fn cell(&mut self, variable: u32, when: Moment, index: Option<Node>) -> Node {
        self.add(Kind::Cell(variable, when, index))
    }

    pub fn bound(&mut self) -> Node {
        self.add(Kind::Bound)
    }

    pub fn quantified(&mut self, for_all: bool, low: i128, high: i128, body: Node) -> Node {
        match self.kind(body) {
            Kind::Truth(_) => body,
            _ => self.add(Kind::Quantified {
                for_all,
                low,
                high,
                body,
            }),
        }
    }

    pub fn not(&mut self, node: Node) -> Node {
        match self.kind(node) {
            Kind::Truth(value) => self.truth(!value),
            Kind::Not(inner) => inner,
            Kind::Binary(operator, a, b) => match operator.opposite() {
                Some(opposite) => self.add(Kind::Binary(opposite, a, b)),
                None => self.add(Kind::Not(node)),
            },
            _ => self.add(Kind::Not(node)),
        }
    }

    pub fn and(&mut self, a: Node, b: Node) -> Node {
        self.junction(Operator::And, true, a, b)
    }

    pub fn or(&mut self, a: Node, b: Node) -> Node {
        self.junction(Operator::Or, false, a, b)
    }

    /// `neutral` changes nothing, its opposite decides.
    fn junction(&mut self, operator: Operator, neutral: bool, a: Node, b: Node) -> Node {
        if self.is_truth(a, neutral) || a == b {
            b
        } else if self.is_truth(b, neutral) {
            a
        } else if self.is_truth(a, !neutral) || self.is_truth(b, !neutral) || self.not(a) == b {
            self.truth(!neutral)
        } else {
            self.add(Kind::Binary(operator, a, b))
        }
    }

    pub fn equivalent(&mut self, a: Node, b: Node) -> Node {
        match (self.kind(a), self.kind(b)) {
            (_, Kind::Truth(true)) => a,
            (Kind::Truth(true), _) => b,
            (_, Kind::Truth(false)) => self.not(a),
            (Kind::Truth(false), _) => self.not(b),
            _ if a == b => self.truth(true),
            _ => self.add(Kind::Binary(Operator::Equivalent, a, b)),
        }
    }

    pub fn xor(&mut self, a: Node, b: Node) -> Node {
        match (self.kind(a), self.kind(b)) {
            (Kind::Truth(_), _) | (_, Kind::Truth(_)) => {
                let same = self.equivalent(a, b);
                self.not(same)
            }
            _ => self.add(Kind::Binary(Operator::Xor, a, b)),
        }
    }

    /// A comparison or an arithmetic operation.
    pub fn binary(&mut self, operator: Operator, a: Node, b: Node) -> Node {
        match (operator, self.kind(a), self.kind(b)) {
            (_, Kind::Number(x), Kind::Number(y)) => {
                if let Some(value) = operator.compare(x, y) {
                    return self.truth(value);
                }
                let result = match operator {
                    Operator::Add => x.checked_add(y),
                    Operator::Subtract => x.checked_sub(y),
                    Operator::Multiply => x.checked_mul(y),
                    Operator::Divide => x.checked_div(y),
                    _ => None,
                };
                if let Some(number) = result {
                    return self.number(number);
                }
            }
            (Operator::Add | Operator::Subtract, _, Kind::Number(0))
            | (Operator::Multiply | Operator::Divide, _, Kind::Number(1)) => return a,
            (Operator::Add, Kind::Number(0), _) | (Operator::Multiply, Kind::Number(1), _) => {
                return b;
            }
            // Whether the other factor has a value is not said here.
            (Operator::Multiply, _, Kind::Number(0)) | (Operator::Multiply, Kind::Number(0), _) => {
                return self.number(0);
            }
            // Places are counted from 0, and indices from wherever an array begins.
            (Operator::Add, Kind::Binary(Operator::Subtract, x, y), _)
            | (Operator::Subtract, Kind::Binary(Operator::Add, x, y), _)
                if y == b =>
            {
                return x;
            }
            // The same value, if there is one; whether there is, is not said here.
            (Operator::Equal, ..) if a == b => return self.truth(true),
            _ => {}
        }
        self.add(Kind::Binary(operator, a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_worked_out() {
        let mut formulas = Formulas::default();
        let f = &mut formulas;
        let (a, b) = (
            f.cell(0, Moment::Before, None),
            f.cell(1, Moment::After, None),
        );
        let (yes, no) = (f.truth(true), f.truth(false));
        assert_eq!(f.and(a, yes), a);
        assert_eq!(f.and(no, a), no);
        assert_eq!(f.or(a, no), a);
        let not_a = f.not(a);
        assert_eq!(f.or(not_a, a), yes);
        assert_eq!(f.and(a, not_a), no);
        assert_eq!(f.equivalent(b, no), f.not(b));
        assert_eq!(f.xor(yes, a), not_a);
        let (one, two) = (f.number(1), f.number(2));
        assert_eq!(f.binary(Operator::Less, one, two), yes);
        let less = f.binary(Operator::Subtract, a, one);
        assert_eq!(f.binary(Operator::Add, less, one), a);
    }

    #[test]
    fn the_text_of_a_shared_node_counts_each_time() {
        let mut formulas = Formulas::default();
        let f = &mut formulas;
        let mut node = f.cell(0, Moment::Before, None);
        for variable in 1..100 {
            let other = f.cell(variable, Moment::Before, None);
            let (yes, no) = (f.and(node, other), f.not(node));
            node = f.xor(yes, no);
        }
        assert_eq!(f.size(node), u64::MAX);
    }
}
