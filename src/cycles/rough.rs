//! Rough components: the head graph without data, divided by Tarjan's algorithm.
//!
//! Only heads that lie on some cycle of control can be repeating, and a cycle never leaves
//! its component. Linear, with an explicit stack.

use super::graph::HeadGraph;
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
    let mut search = Tarjan {
        successors: &successors,
        index: vec![usize::MAX; heads.len()],
        low: vec![0; heads.len()],
        on_stack: vec![false; heads.len()],
        stack: Vec::new(),
        next: 0,
        components: Vec::new(),
    };
    for root in 0..heads.len() {
        if search.index[root] == usize::MAX {
            search.visit(root);
        }
    }
    let mut components: Vec<Vec<Head>> = search
        .components
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

struct Tarjan<'a> {
    successors: &'a [Vec<usize>],
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    components: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    fn enter(&mut self, node: usize) {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.on_stack[node] = true;
        self.stack.push(node);
    }

    fn visit(&mut self, root: usize) {
        self.enter(root);
        // Each entry: a node and how many of its successors have been looked at.
        let mut path = vec![(root, 0)];
        while let Some((node, looked)) = path.last_mut() {
            let node = *node;
            if let Some(&next) = self.successors[node].get(*looked) {
                *looked += 1;
                if self.index[next] == usize::MAX {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.on_stack[next] {
                    self.low[node] = self.low[node].min(self.index[next]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                self.leave_component(node);
            }
        }
    }

    fn leave_component(&mut self, root: usize) {
        let mut members = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member] = false;
            members.push(member);
            if member == root {
                break;
            }
        }
        if members.len() > 1 || self.successors[root].contains(&root) {
            self.components.push(members);
        }
    }
}
