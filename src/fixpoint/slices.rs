//! Slices that relations keep.
//!
//! A relation keeps its slice c if one disjunct of its formula is the relation itself, with its own
//! parameters but for one place, where it has the number c: what is in the slice stays. Where that
//! can be told from the equations, the rounds of a cycle that is not monotone as written can be
//! ended early, or made as if it were.

use super::equations::{Argument, Equations, Formula, FormulaId, Scalar};
use super::tree::Comparison;

/// The tuples of a relation that have a value in one place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    pub place: usize,
    pub value: i128,
}

impl Equations {
    /// The parts of nested disjunctions.
    pub fn disjuncts(&self, root: FormulaId) -> Vec<FormulaId> {
        self.flattened(root, |formula| match formula {
            Formula::Or(parts) => Some(parts),
            _ => None,
        })
    }

    /// The arguments with which a formula applies a relation, if it is just that.
    pub fn applied(&self, formula: FormulaId, to: usize) -> Option<&[Argument]> {
        match self.formula(formula) {
            Formula::Apply {
                relation,
                arguments,
            } if relation.0 as usize == to => Some(arguments),
            _ => None,
        }
    }

    /// The slice that a disjunct of a relation's formula keeps.
    pub fn kept_slice(&self, relation: usize, disjunct: FormulaId) -> Option<Slice> {
        let arguments = self.applied(disjunct, relation)?;
        let parameters = self.relations[relation].parameter_leaves();
        let own = parameters.map(|(leaf, _)| Argument::Leaf(leaf));
        let places = (0..).zip(arguments.iter().zip(own));
        let mut changed = places.filter(|(_, (given, own))| *given != own);
        match (changed.next(), changed.next()) {
            (Some((place, (Argument::Number(value), _))), None) => Some(Slice {
                place,
                value: *value,
            }),
            _ => None,
        }
    }

    /// Whether a disjunct of a relation's formula says that its tuples are in a slice.
    pub fn is_in_slice(&self, relation: usize, slice: Slice, disjunct: FormulaId) -> bool {
        let mut parameters = self.relations[relation].parameter_leaves();
        let Some((place, _)) = parameters.nth(slice.place) else {
            return false;
        };
        let conjuncts = self.flattened(disjunct, |formula| match formula {
            Formula::And(parts) => Some(parts),
            _ => None,
        });
        let is_value = |one: &Scalar, other: &Scalar| {
            let is_here = one.leaf == Some(place) && other.leaf.is_none();
            is_here && other.offset - one.offset == slice.value
        };
        conjuncts.iter().any(|part| match self.formula(*part) {
            Formula::Compare(Comparison::Equal, left, right) => {
                is_value(left, right) || is_value(right, left)
            }
            _ => false,
        })
    }
}
