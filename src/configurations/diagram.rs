//! BDDs as lists of nodes, for scripts: exact, whatever their size.

use super::legend::Quantity;
use crate::bdd::{Bdd, Bdds, Level};
use rustc_hash::FxHashMap;

/// A decision diagram. A reference is 0 for false, 1 for true, or the index of a node plus 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// In the order of the decisions: a quantity's name, and the bit of it.
    pub variables: Vec<(String, u32)>,
    /// Index of a variable, the reference where it is 0, and the one where it is 1. Nodes
    /// refer to later ones only.
    pub nodes: Vec<[u32; 3]>,
    pub root: u32,
}

/// The nodes of `f`, the topmost first.
pub fn diagram(bdds: &Bdds, f: &Bdd, quantities: &[Quantity]) -> Diagram {
    let mut nodes: Vec<(Level, Bdd, Bdd, Bdd)> = Vec::new();
    let mut seen = FxHashMap::default();
    let mut todo = vec![f.clone()];
    while let Some(node) = todo.pop() {
        if let Some((level, no, yes)) = bdds.branch(&node)
            && seen.insert(node.clone(), ()).is_none()
        {
            todo.push(yes.clone());
            todo.push(no.clone());
            nodes.push((level, node, no, yes));
        }
    }
    nodes.sort_by_key(|(level, ..)| *level);
    let numbers: FxHashMap<&Bdd, u32> = nodes.iter().map(|(_, node, ..)| node).zip(2..).collect();
    let reference = |f: &Bdd| match numbers.get(f) {
        Some(number) => *number,
        None => u32::from(bdds.is_true(f)),
    };
    let mut levels: Vec<Level> = nodes.iter().map(|(level, ..)| *level).collect();
    levels.dedup();
    let mut names: FxHashMap<Level, (String, u32)> = FxHashMap::default();
    for quantity in quantities {
        for (level, bit) in quantity.levels.iter().zip(0..) {
            names.insert(*level, (quantity.name.clone(), bit));
        }
    }
    let index = |level: &Level| levels.binary_search(level).unwrap_or(0) as u32;
    Diagram {
        nodes: nodes
            .iter()
            .map(|(level, _, no, yes)| [index(level), reference(no), reference(yes)])
            .collect(),
        root: reference(f),
        variables: levels
            .iter()
            .map(|level| names.get(level).cloned().unwrap_or_default())
            .collect(),
    }
}
