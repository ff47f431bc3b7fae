//! Where the cells of an object lie in memory, and how they are shown.

use super::layout::{Layout, Layouts, Leaf, NodeKind};
use crate::typing::c::tree::TypeId;
use std::fmt::Write;

impl Layouts<'_> {
    /// Where each cell begins in the object, in bits, as gcc lays it out.
    pub fn bits(&self, layout: &Layout) -> Vec<u64> {
        self.places(layout).map(|(_, _, bit)| bit).collect()
    }

    /// The same, with which leaf it is of, and the how-manieth.
    pub fn places<'l>(&'l self, layout: &'l Layout) -> impl Iterator<Item = (Leaf, u32, u64)> + 'l {
        layout.leaves.iter().flat_map(move |leaf| {
            let places = 0..layout.nodes[leaf.node as usize].count;
            places.map(move |place| (*leaf, place, self.bit(layout, *leaf, place)))
        })
    }

    fn bit(&self, layout: &Layout, leaf: Leaf, place: u32) -> u64 {
        let mut node = &layout.nodes[leaf.node as usize];
        let size = |id: TypeId| self.types.size(id).unwrap_or(0) * 8;
        let (mut bit, mut rest, mut arrays) = (0, place, node.arrays.len());
        while let Some(parent) = node.parent {
            let outer = &layout.nodes[parent as usize];
            match node.field {
                Some(field) => {
                    let record = self.types.record(outer.type_id);
                    let fields = record.and_then(|record| record.layout.as_ref());
                    let field = fields.and_then(|layout| layout.fields.get(field as usize));
                    bit += field.map_or(0, |field| match field.bits {
                        Some(bits) => bits.start,
                        None => field.offset * 8,
                    });
                }
                None => {
                    arrays -= 1;
                    let (length, _) = node.arrays[arrays];
                    bit += u64::from(rest % length) * size(node.type_id);
                    rest /= length;
                }
            }
            node = outer;
        }
        // Objects side by side.
        bit + u64::from(rest) * size(node.type_id)
    }

    /// How a cell is shown: `a[3].f`.
    pub fn cell_name(&self, layout: &Layout, leaf: Leaf, place: u32, object: &str) -> String {
        // From the leaf to the object: what follows its name, in reverse.
        let mut parts: Vec<String> = Vec::new();
        let mut node = &layout.nodes[leaf.node as usize];
        let (mut rest, mut arrays) = (place, node.arrays.len());
        if let NodeKind::Union { .. } = node.kind {
            parts.push("#live".to_owned());
        }
        while let Some(parent) = node.parent {
            let outer = &layout.nodes[parent as usize];
            let mut part = String::new();
            match node.field {
                Some(field) => {
                    let record = self.types.record(outer.type_id);
                    let layout = record.and_then(|record| record.layout.as_ref());
                    let field = layout.and_then(|layout| layout.fields.get(field as usize));
                    if let Some(name) = field.and_then(|field| field.name) {
                        let _ = write!(part, ".{}", self.names.text(name));
                    }
                }
                None => {
                    arrays -= 1;
                    let (length, _) = node.arrays[arrays];
                    let _ = write!(part, "[{}]", rest % length);
                    rest /= length;
                }
            }
            parts.push(part);
            node = outer;
        }
        if arrays == 1 {
            parts.push(format!("[{rest}]"));
        }
        parts.push(object.to_owned());
        parts.into_iter().rev().collect()
    }
}
