//! BDDs as lists of nodes, for scripts: exact, whatever their size.

use super::legend::Quantity;
use crate::bdd::{Bdd, Bdds, Level, NodeList};
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
    let NodeList { nodes, root } = bdds.nodes(f, usize::MAX).unwrap_or_default();
    let mut levels: Vec<Level> = nodes.iter().map(|(level, ..)| *level).collect();
    levels.dedup();
    let mut names: FxHashMap<Level, (String, u32)> = FxHashMap::default();
    for quantity in quantities {
        for (level, bit) in quantity.levels.iter().zip(0..) {
            names.insert(*level, (quantity.name.clone(), bit));
        }
    }
    let index = |level: &Level| levels.partition_point(|other| other < level) as u32;
    Diagram {
        nodes: nodes
            .iter()
            .map(|(level, no, yes)| [index(level), *no, *yes])
            .collect(),
        root,
        variables: levels
            .iter()
            .map(|level| names.get(level).cloned().unwrap_or_default())
            .collect(),
    }
}
