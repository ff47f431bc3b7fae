//! The arrays in an object that pointers move in: an element stands in one, and what is no element is
//! an array of one. Linear in the number of nodes around one, and of equal nodes.

use super::layout::{Layout, Layouts, Node};

impl Layout {
    /// The arrays that a node stands in and no struct between them and it, the outermost first: a
    /// pointer moves in these only.
    pub fn own_arrays<'n>(&self, node: &'n Node) -> &'n [(u32, u32)] {
        let (mut inner, mut own) = (node, 0);
        while let (None, Some(parent)) = (inner.field, inner.parent) {
            own += 1;
            inner = &self.nodes[parent as usize];
        }
        match inner.field {
            Some(_) => &node.arrays[node.arrays.len() - own..],
            None => &node.arrays,
        }
    }
}

impl Layouts<'_> {
    /// Whether a node is a bit-field.
    pub fn is_bit_field(&self, layout: &Layout, node: &Node) -> bool {
        let (Some(parent), Some(field)) = (node.parent, node.field) else {
            return false;
        };
        let record = self.types.record(layout.nodes[parent as usize].type_id);
        let fields = record.and_then(|record| record.layout.as_ref());
        let field = fields.and_then(|layout| layout.fields.get(field as usize));
        field.is_some_and(|field| field.bits.is_some())
    }
}

/// How many equal nodes lie side by side as elements of arrays: all those in the innermost of these
/// arrays that do.
pub fn run(node: &Node, arrays: &[(u32, u32)]) -> u32 {
    let mut run = 1;
    for (length, stride) in arrays.iter().rev() {
        if *stride != node.units * run {
            break;
        }
        run *= length;
    }
    run
}

/// Where the arrays of so many of a node begin and end that lie side by side, as addresses.
pub fn runs(node: &Node, run: u32, base: i128) -> Vec<(i128, i128)> {
    let mut starts = vec![base + i128::from(node.start)];
    let mut left = node.count / run.max(1);
    for (length, stride) in &node.arrays {
        if left <= 1 {
            break;
        }
        left /= length;
        starts = starts
            .into_iter()
            .flat_map(|start| {
                (0..*length).map(move |k| start + i128::from(k) * i128::from(*stride))
            })
            .collect();
    }
    let extent = i128::from(run) * i128::from(node.units);
    starts
        .into_iter()
        .map(|start| (start, start + extent))
        .collect()
}
