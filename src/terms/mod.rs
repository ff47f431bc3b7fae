//! Terms: expressions as nodes of one graph, each different one kept once.
//!
//! A term is a truth value or a whole number, exact and of either sign, like the expressions of
//! [`crate::program`] that terms are made from ([`translate`]). Each number knows an
//! interval that its value lies in, so that who writes it in bits knows how many it needs and
//! loses nothing. Unlike expressions, terms always have a value: where an operation of the program has
//! none, the term is 0, and a second term says where there is one.
//!
//! Operands have smaller numbers than what they are operands of, so that everything here goes over a
//! term in the order of numbers, without recursion; each pass is linear in the nodes.

mod evaluation;
mod linear;
mod simplify;
#[cfg(test)]
mod tests;
pub mod translate;

pub use evaluation::{Assignment, calculate};

use crate::program::{Domain, Interval, Operation};
use rustc_hash::FxHashMap;

/// A term, an index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    pub const FALSE: Term = Term(0);
    pub const TRUE: Term = Term(1);

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn constant(value: bool) -> Self {
        match value {
            false => Term::FALSE,
            true => Term::TRUE,
        }
    }
}

/// A variable of terms, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unknown(pub u32);

/// What a term is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Truth(bool),
    Number(i128),
    Unknown(Unknown),
    Not(Term),
    And(Term, Term),
    /// Of two truth values.
    Different(Term, Term),
    /// The condition, then two truth values or two numbers.
    If(Term, Term, Term),
    Less(Term, Term),
    Same(Term, Term),
    /// 1 or 0.
    ToNumber(Term),
    Wrap {
        bits: u8,
        signed: bool,
        of: Term,
    },
    /// An operation of arithmetic on two numbers; 0 where it has no value.
    Calculate(Operation, Term, Term),
}

impl Node {
    /// Visits what it is made of.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Term)) {
        match *self {
            Node::Truth(_) | Node::Number(_) | Node::Unknown(_) => {}
            Node::Not(a) | Node::ToNumber(a) | Node::Wrap { of: a, .. } => visit(a),
            Node::And(a, b)
            | Node::Different(a, b)
            | Node::Less(a, b)
            | Node::Same(a, b)
            | Node::Calculate(_, a, b) => [a, b].into_iter().for_each(visit),
            Node::If(c, a, b) => [c, a, b].into_iter().for_each(visit),
        }
    }
}

/// What values a term can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Truth,
    Number(Interval),
}

impl Sort {
    /// The values of a cell.
    pub fn of(domain: Domain) -> Self {
        match domain {
            Domain::Boolean => Sort::Truth,
            _ => Sort::Number(Interval::of(domain)),
        }
    }
}

/// All terms of one computation.
#[derive(Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    known: FxHashMap<Node, Term>,
    unknowns: Vec<Term>,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Terms {
            nodes: Vec::new(),
            sorts: Vec::new(),
            known: FxHashMap::default(),
            unknowns: Vec::new(),
        };
        terms.node(Node::Truth(false), Sort::Truth);
        terms.node(Node::Truth(true), Sort::Truth);
        terms
    }
}

impl Terms {
    pub fn get(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// The interval of a number; that of 0 and 1 for a truth value.
    pub fn interval(&self, term: Term) -> Interval {
        match self.sort(term) {
            Sort::Truth => Interval { low: 0, high: 1 },
            Sort::Number(interval) => interval,
        }
    }

    /// A variable that is no other.
    pub fn unknown(&mut self, sort: Sort) -> Term {
        let unknown = Unknown(self.unknowns.len() as u32);
        let term = self.node(Node::Unknown(unknown), sort);
        self.unknowns.push(term);
        term
    }

    /// The term that a variable is.
    pub fn term_of(&self, unknown: Unknown) -> Term {
        self.unknowns[unknown.0 as usize]
    }

    fn node(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(term) = self.known.get(&node) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node);
        self.sorts.push(sort);
        self.known.insert(node, term);
        term
    }

    /// All that the terms are made of, themselves included, operands first.
    pub fn cone(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut waiting: Vec<Term> = roots.into_iter().collect();
        let mut seen: rustc_hash::FxHashSet<Term> = waiting.iter().copied().collect();
        let mut cone: Vec<Term> = seen.iter().copied().collect();
        while let Some(term) = waiting.pop() {
            self.get(term).for_each_operand(|operand| {
                if seen.insert(operand) {
                    waiting.push(operand);
                    cone.push(operand);
                }
            });
        }
        cone.sort_unstable();
        cone
    }

    /// The variables in a term, in the order of their numbers.
    pub fn unknowns_in(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Unknown> {
        let cone = self.cone(roots).into_iter();
        cone.filter_map(|term| match self.get(term) {
            Node::Unknown(unknown) => Some(unknown),
            _ => None,
        })
        .collect()
    }

    /// The terms with other terms in the place of some variables.
    pub fn substitute(
        &mut self,
        roots: &[Term],
        replacement: &FxHashMap<Unknown, Term>,
    ) -> Vec<Term> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for term in self.cone(roots.iter().copied()) {
            let of = |operand: Term| done[&operand];
            let new = match self.get(term) {
                Node::Truth(_) | Node::Number(_) => term,
                Node::Unknown(unknown) => replacement.get(&unknown).copied().unwrap_or(term),
                Node::Not(a) => {
                    let a = of(a);
                    self.not(a)
                }
                Node::ToNumber(a) => {
                    let a = of(a);
                    self.as_number(a)
                }
                Node::Wrap {
                    bits,
                    signed,
                    of: number,
                } => {
                    let number = of(number);
                    self.wrap(number, bits, signed)
                }
                Node::And(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.and(a, b)
                }
                Node::Different(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.different(a, b)
                }
                Node::Less(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.less(a, b)
                }
                Node::Same(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.same(a, b)
                }
                Node::Calculate(operation, a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.calculate(operation, a, b)
                }
                Node::If(c, a, b) => {
                    let (c, a, b) = (of(c), of(a), of(b));
                    self.choose(c, a, b)
                }
            };
            done.insert(term, new);
        }
        roots.iter().map(|root| done[root]).collect()
    }
}
