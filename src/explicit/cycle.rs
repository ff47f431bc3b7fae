//! Is there a cycle in a finite graph that sees every mark?
//!
//! There is one iff the edges inside some strongly connected component together carry all
//! marks: within a component any edge can be followed by any other sooner or later.
//! Components are found by Kosaraju's algorithm (see Sharir, *A strong-connectivity
//! algorithm and its applications in data flow analysis*, 1981): walk the graph and note
//! the order in which nodes are finished; then walk it against the edges, starting from the
//! node that was finished last. Each of these second walks covers one component.

use super::buchi::Marks;

/// An edge of a graph: source, target, marks.
pub type MarkedEdge = (usize, usize, Marks);

/// Whether some cycle among the nodes `0..nodes` sees all the marks; if `all` is empty,
/// whether there is a cycle at all.
pub fn has_fair_cycle(nodes: usize, edges: &[MarkedEdge], all: Marks) -> bool {
    let component = components(nodes, edges);
    // The marks inside each component, and nothing where there is no edge inside: a node
    // without a loop is a component too, but no cycle.
    let mut inside: Vec<Option<Marks>> = vec![None; nodes];
    for (source, target, marks) in edges {
        if component[*source] == component[*target] {
            *inside[component[*source]].get_or_insert(0) |= marks;
        }
    }
    inside.into_iter().flatten().any(|marks| marks & all == all)
}

/// The component of each node, named by one of its nodes.
fn components(nodes: usize, edges: &[MarkedEdge]) -> Vec<usize> {
    let mut forward = vec![Vec::new(); nodes];
    let mut backward = vec![Vec::new(); nodes];
    for (source, target, _) in edges {
        forward[*source].push(*target);
        backward[*target].push(*source);
    }
    let mut component = vec![usize::MAX; nodes];
    for root in finishing_order(&forward).into_iter().rev() {
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                todo.extend(&backward[node]);
            }
        }
    }
    component
}

/// All nodes in the order in which a depth-first walk leaves them.
fn finishing_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    let mut entered = vec![false; successors.len()];
    for root in 0..successors.len() {
        // The nodes that were entered and not left, and how many successors of each were
        // looked at.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if !entered[root] {
            entered[root] = true;
            path.push((root, 0));
        }
        while let Some((node, looked_at)) = path.last_mut() {
            match successors[*node].get(*looked_at) {
                None => {
                    order.push(*node);
                    path.pop();
                }
                Some(next) => {
                    *looked_at += 1;
                    if !entered[*next] {
                        entered[*next] = true;
                        path.push((*next, 0));
                    }
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_on_the_way_to_a_cycle_do_not_count() {
        let edges = [(0, 1, 1), (1, 2, 0), (2, 1, 2)];
        assert!(has_fair_cycle(3, &edges, 2));
        assert!(!has_fair_cycle(3, &edges, 1));
        assert!(!has_fair_cycle(3, &edges, 3));
    }

    #[test]
    fn one_of_two_parallel_edges_may_have_the_mark() {
        assert!(has_fair_cycle(2, &[(0, 1, 0), (0, 1, 1), (1, 0, 2)], 3));
    }

    #[test]
    fn a_node_alone_is_no_cycle() {
        assert!(!has_fair_cycle(2, &[(0, 1, 0)], 0));
        assert!(has_fair_cycle(1, &[(0, 0, 0)], 0));
    }

    proptest! {
        /// Two nodes share a component iff each reaches the other (Warshall).
        #[test]
        fn components_are_mutual_reachability(
            edges in proptest::collection::vec((0_usize..7, 0_usize..7), 0..16)
        ) {
            let mut reaches = [[false; 7]; 7];
            (0..7).for_each(|node| reaches[node][node] = true);
            edges.iter().for_each(|(a, b)| reaches[*a][*b] = true);
            for via in 0..7 {
                for a in 0..7 {
                    for b in 0..7 {
                        reaches[a][b] |= reaches[a][via] && reaches[via][b];
                    }
                }
            }
            let edges: Vec<MarkedEdge> = edges.into_iter().map(|(a, b)| (a, b, 0)).collect();
            let component = components(7, &edges);
            for a in 0..7 {
                for b in 0..7 {
                    let mutual = reaches[a][b] && reaches[b][a];
                    prop_assert_eq!(component[a] == component[b], mutual);
                }
            }
        }
    }
}
