//! Rough components: the head graph without data, divided by Tarjan's algorithm.
//!
//! Only heads that lie on some cycle of control can be repeating, and a cycle never leaves
//! its component.

use super::graph::HeadGraph;
use crate::components::cyclic_components;
use crate::spds::Head;
use rustc_hash::FxHashMap;

/// The components with a cycle in them; each sorted, those with the smallest head first.
pub fn components(graph: &HeadGraph<'_>, heads: &[Head]) -> Vec<Vec<Head>> {
    let number: FxHashMap<Head, usize> = heads.iter().copied().zip(0..).collect();
    let successors: Vec<Vec<usize>> = heads
        .iter()
        .map(|head| {
            let edges = graph.edges_from(*head);
            let known = edges.iter().filter_map(|edge| number.get(&edge.to));
            known.copied().collect()
        })
        .collect();
    let mut components: Vec<Vec<Head>> = cyclic_components(&successors)
        .into_iter()
        .map(|members| {
            let mut members: Vec<_> = members.into_iter().map(|i| heads[i]).collect();
            members.sort_unstable();
            members
        })
        .collect();
    components.sort_unstable_by_key(|members| members[0]);
    components
}
