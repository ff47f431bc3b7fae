//! Strongly connected components, by Tarjan's algorithm without recursion.
//!
//! Components are numbered so that every edge leads to a component of the same or a
//! smaller number: a walk by ascending number sees successors first. Linear time.

use crate::graph::{Edge, Graph, Marks, all_marks};

pub(crate) struct Components {
    /// Component of each state.
    pub(crate) of: Vec<u32>,
    /// States of each component.
    pub(crate) members: Vec<Vec<u32>>,
}

impl Components {
    /// The components of `graph` restricted to the edges `usable` admits.
    pub(crate) fn of(graph: &Graph, usable: impl Fn(u32, &Edge) -> bool) -> Components {
        const NEW: u32 = u32::MAX;
        let count = graph.states();
        let mut index = vec![NEW; count];
        let mut low = vec![0u32; count];
        let mut of = vec![NEW; count];
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        let mut clock = 0;
        for root in 0..count as u32 {
            if index[root as usize] != NEW {
                continue;
            }
            let mut path: Vec<(u32, usize)> = vec![(root, 0)];
            while let Some(&(state, next)) = path.last() {
                let here = state as usize;
                if next == 0 {
                    index[here] = clock;
                    low[here] = clock;
                    clock += 1;
                    open.push(state);
                }
                if let Some(edge) = graph.edges[here].get(next) {
                    if let Some(top) = path.last_mut() {
                        top.1 += 1;
                    }
                    if !usable(state, edge) {
                        continue;
                    }
                    let target = edge.target as usize;
                    if index[target] == NEW {
                        path.push((edge.target, 0));
                    } else if of[target] == NEW {
                        low[here] = low[here].min(index[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[here]);
                }
                if low[here] == index[here] {
                    let number = members.len() as u32;
                    let mut group = Vec::new();
                    while let Some(member) = open.pop() {
                        of[member as usize] = number;
                        group.push(member);
                        if member == state {
                            break;
                        }
                    }
                    group.sort_unstable();
                    members.push(group);
                }
            }
        }
        Components { of, members }
    }

    /// Whether the edge stays in a component.
    pub(crate) fn inside(&self, source: u32, target: u32) -> bool {
        self.of[source as usize] == self.of[target as usize]
    }

    /// For each component whether it has an edge of its own, and the marks on those.
    pub(crate) fn inner_marks(
        &self,
        graph: &Graph,
        usable: impl Fn(u32, &Edge) -> bool,
    ) -> Vec<Option<Marks>> {
        let mut marks = vec![None; self.members.len()];
        for (source, edges) in graph.edges.iter().enumerate() {
            for edge in edges {
                let source = source as u32;
                if self.inside(source, edge.target) && usable(source, edge) {
                    let entry = &mut marks[self.of[source as usize] as usize];
                    *entry = Some(entry.unwrap_or(0) | edge.marks);
                }
            }
        }
        marks
    }

    /// For each component whether a run that stays in it can be accepting.
    pub(crate) fn accepting(&self, graph: &Graph) -> Vec<bool> {
        let all = all_marks(graph.sets);
        let marks = self.inner_marks(graph, |_, _| true);
        marks
            .into_iter()
            .map(|inner| inner.is_some_and(|inner| inner & all == all))
            .collect()
    }
}
