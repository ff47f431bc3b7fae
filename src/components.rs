//! Strongly connected components, by Tarjan's algorithm with an explicit stack.

use crate::index::{self, Index};

/// The components of a graph that have a cycle in them, in the order found: those that an
/// edge leads into come first.
pub fn cyclic_components<I: Index + PartialEq>(successors: &[Vec<I>]) -> Vec<Vec<I>> {
    let mut found = components(successors, index::first(successors.len()));
    found.retain(|members| is_cyclic(successors, members));
    found
}

/// Whether a component has a cycle in it.
pub fn is_cyclic<I: Index + PartialEq>(successors: &[Vec<I>], members: &[I]) -> bool {
    match members {
        [only] => successors[only.index()].contains(only),
        _ => true,
    }
}

/// The components that can be reached from some roots, in the order found: those that an edge
/// leads into come first.
pub fn components<I: Index>(
    successors: &[Vec<I>],
    roots: impl IntoIterator<Item = I>,
) -> Vec<Vec<I>> {
    let mut search = Tarjan {
        successors,
        index: vec![usize::MAX; successors.len()],
        low: vec![0; successors.len()],
        on_stack: vec![false; successors.len()],
        stack: Vec::new(),
        next: 0,
        components: Vec::new(),
    };
    for root in roots {
        if search.index[root.index()] == usize::MAX {
            search.visit(root.index());
        }
    }
    search.components
}

struct Tarjan<'a, I> {
    successors: &'a [Vec<I>],
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    components: Vec<Vec<I>>,
}

impl<I: Index> Tarjan<'_, I> {
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
            if let Some(next) = self.successors[node].get(*looked) {
                let next = next.index();
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
            members.push(I::from_index(member));
            if member == root {
                break;
            }
        }
        self.components.push(members);
    }
}
