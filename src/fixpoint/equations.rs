//! Equations in resolved form: every name is a number, `all` and `some` are unrolled, indices
//! that are variables are cases, whole records are compared leaf by leaf.
//!
//! Formulas stand in one list, each behind its parts, so that whatever goes through them needs
//! no recursion. A `let` is a relation like any other, which is never iterated by itself: it has
//! the value of its text wherever it is used.

use super::domain::{DomainId, Domains, Leaf};
use super::supplied::Supplied;
use super::tree::{Comparison, Fixpoint};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A relation, an index into [`Equations::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaId(pub u32);

/// The equations of a file.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// The domains they speak of.
    pub domains: Domains,
    /// What is supplied, then what is defined.
    pub relations: Vec<Relation>,
    /// In the order of the file.
    pub queries: Vec<Query>,
    /// Each behind its parts.
    pub formulas: Vec<Formula>,
    /// What is doubtful.
    pub warnings: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Supplied(Supplied),
    Defined(Fixpoint),
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    /// Of the name; nothing for what is supplied.
    pub span: Span,
    pub kind: Kind,
    /// The parameters first, then what quantifiers bind.
    pub variables: Vec<Variable>,
    pub parameters: u32,
    /// Pairs of variables: the first is to be above the second.
    pub above: Vec<(u32, u32)>,
    /// `None` for what is supplied.
    pub body: Option<FormulaId>,
}

/// A closed formula, which is the body of a relation without parameters.
#[derive(Clone, Debug)]
pub struct Query {
    pub name: String,
    pub relation: RelationId,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub domain: DomainId,
    pub leaves: Vec<Leaf>,
    /// Where states begin among the leaves.
    pub states: Vec<u32>,
}

/// A leaf of a variable of the relation that a formula belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafRef {
    pub variable: u32,
    pub leaf: u32,
}

/// A number: the value of a leaf, or 0, and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    pub leaf: Option<LeafRef>,
    pub offset: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    Leaf(LeafRef),
    Number(i128),
}

#[derive(Clone, Debug)]
pub enum Formula {
    Constant(bool),
    Not(FormulaId),
    And(Box<[FormulaId]>),
    Or(Box<[FormulaId]>),
    Iff(FormulaId, FormulaId),
    Quantified {
        exists: bool,
        variables: Box<[u32]>,
        body: FormulaId,
    },
    /// One argument for each leaf of the parameters.
    Apply {
        relation: RelationId,
        arguments: Box<[Argument]>,
    },
    Compare(Comparison, Scalar, Scalar),
    /// Two leaves that are no numbers are equal.
    Same(LeafRef, LeafRef),
}

impl Equations {
    /// The relation of a number.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.0 as usize]
    }

    /// The formula of a number.
    pub fn formula(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.0 as usize]
    }

    /// The parts of nested formulas of one kind: those that `inside` looks into.
    pub fn flattened<'f>(
        &'f self,
        root: FormulaId,
        inside: impl Fn(&'f Formula) -> Option<&'f [FormulaId]>,
    ) -> Vec<FormulaId> {
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            match inside(self.formula(id)) {
                Some(parts) => open.extend(parts),
                None => found.push(id),
            }
        }
        found
    }

    /// The relation of a name, among those that are defined or supplied.
    pub fn find(&self, name: &str) -> Option<RelationId> {
        let is_query = |id: u32| self.queries.iter().any(|query| query.relation.0 == id);
        let mut named = (0..).zip(&self.relations);
        let found = named.find(|(id, relation)| relation.name == name && !is_query(*id));
        found.map(|(id, _)| RelationId(id))
    }
}

impl Relation {
    /// The leaves of all parameters, in their order.
    pub fn parameter_leaves(&self) -> impl Iterator<Item = (LeafRef, Leaf)> {
        let parameters = (0..).zip(&self.variables[..self.parameters as usize]);
        parameters.flat_map(|(variable, parameter)| {
            let leaves = (0..).zip(&parameter.leaves);
            leaves.map(move |(leaf, kind)| (LeafRef { variable, leaf }, *kind))
        })
    }

    pub fn fixpoint(&self) -> Option<Fixpoint> {
        match self.kind {
            Kind::Defined(fixpoint) => Some(fixpoint),
            Kind::Supplied(_) => None,
        }
    }
}

impl Formula {
    /// Its parts, each with whether it stands under a negation: `None` for both ways.
    pub fn parts(&self) -> Vec<(FormulaId, Option<bool>)> {
        match self {
            Formula::Constant(_)
            | Formula::Apply { .. }
            | Formula::Compare(..)
            | Formula::Same(..) => Vec::new(),
            Formula::Not(part) => vec![(*part, Some(true))],
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().map(|part| (*part, Some(false))).collect()
            }
            Formula::Iff(left, right) => vec![(*left, None), (*right, None)],
            Formula::Quantified { body, .. } => vec![(*body, Some(false))],
        }
    }
}
