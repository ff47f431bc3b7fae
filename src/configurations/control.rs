//! Sets of values, one for each control state.
//!
//! To the engine the control state is one more global. People think of it as the place where
//! the automaton begins to read.

use super::model::Model;
use super::range::smallest;
use crate::bdd::{Bdd, OutOfNodes};
use crate::spds::copies::Copy;

/// The parts of a set that have one control state each, which they do not speak of.
pub struct Split {
    parts: Vec<(String, Bdd)>,
    /// Whether there are two states at least, and all have the same part.
    is_same_for_all: bool,
}

impl Split {
    pub fn each(self) -> Vec<(String, Bdd)> {
        self.parts
    }

    /// One part without a state if the state makes no difference, otherwise one for each.
    pub fn together(self) -> Vec<(Option<String>, Bdd)> {
        let parts = self.parts.into_iter();
        match self.is_same_for_all {
            true => parts.take(1).map(|(_, set)| (None, set)).collect(),
            false => parts.map(|(state, set)| (Some(state), set)).collect(),
        }
    }
}

/// Divides a set, over current variables, by the control states that occur in it.
pub fn by_control_state(model: &Model<'_>, set: &Bdd) -> Result<Split, OutOfNodes> {
    let copies = model.copies;
    let bdds = copies.bdds;
    let mut parts: Vec<(String, Bdd)> = Vec::new();
    let Some(state) = model.control_state() else {
        let is_same_for_all = false;
        return Ok(Split {
            parts,
            is_same_for_all,
        });
    };
    let bits = state.bits.clone();
    let bits: Vec<_> = bits.map(|bit| copies.level(bit, Copy::Current)).collect();
    let own = copies.cube(bits.iter().copied())?;
    let mut rest = set.clone();
    while let Some(value) = smallest(bdds, &bits, &rest)? {
        let literals = bits.iter().zip(0..);
        let here = bdds.minterm(literals.map(|(level, i)| (*level, value >> i & 1 == 1)))?;
        let part = bdds.and_exists(&rest, &here, &own)?;
        rest = bdds.difference(&rest, &here)?;
        if let Some(name) = state.values.get(value as usize) {
            parts.push((name.clone(), part));
        }
    }
    let is_complete = parts.len() > 1 && parts.len() == state.values.len();
    Ok(Split {
        is_same_for_all: is_complete && parts.windows(2).all(|pair| pair[0].1 == pair[1].1),
        parts,
    })
}
