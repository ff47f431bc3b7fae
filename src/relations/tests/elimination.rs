//! Elimination of nodes against searches through nodes and numbers.

use super::pairs::{
    Drawn, NUMBERS, Pairs, drawn, numbers, pairs, relation, variables, with_relations,
};
use crate::relations::{Elimination, Paths, Relation, Relations};
use crate::watch::Watch;
use proptest::prelude::*;
use std::collections::BTreeSet;

const NODES: usize = 3;
const ALL: u32 = NUMBERS - 1;

type State = (usize, u32);

/// An edge, and whether it accepts.
#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    drawn: Drawn,
    accepts: bool,
}

fn edges() -> impl Strategy<Value = Vec<Edge>> {
    let edge = (0..NODES, 0..NODES, drawn(ALL), any::<bool>());
    let edge = edge.prop_map(|(from, to, drawn, accepts)| Edge {
        from,
        to,
        drawn,
        accepts,
    });
    prop::collection::vec(edge, 0..8)
}

fn elimination<'a>(
    relations: Relations<'a>,
    watch: &'a Watch,
    path_limit: usize,
    all_variables: &'a [u64],
    edges: &[Edge],
    with_acceptance: bool,
) -> Elimination<'a> {
    let mut graph = Elimination::new(relations, watch, path_limit, vec![all_variables; NODES]);
    for edge in edges {
        let all = relation(&relations, &edge.drawn);
        let nothing = Relation {
            bdd: relations.copies.bdds.constant(false),
            changed: all.changed.clone(),
        };
        let accepting = with_acceptance.then(|| match edge.accepts {
            true => all.clone(),
            false => nothing,
        });
        let added = graph.add(edge.from, edge.to, Paths { all, accepting });
        added.expect("small");
    }
    graph
}

/// Single steps, by whether they accept.
fn steps(edges: &[Edge]) -> Vec<(State, State, bool)> {
    let states = edges.iter().flat_map(|edge| {
        let pairs = edge.drawn.pairs().into_iter();
        pairs.map(|(from, to)| ((edge.from, from), (edge.to, to), edge.accepts))
    });
    states.collect()
}

/// What steps lead to from a state, one at least, if only some states may be passed.
fn reachable(
    steps: &[(State, State, bool)],
    from: State,
    may_pass: impl Fn(State) -> bool,
) -> BTreeSet<State> {
    let mut reached = BTreeSet::new();
    let mut worklist = vec![from];
    while let Some(state) = worklist.pop() {
        for (_, to, _) in steps.iter().filter(|step| step.0 == state) {
            if reached.insert(*to) && may_pass(*to) {
                worklist.push(*to);
            }
        }
    }
    reached
}

/// The states on a cycle with an accepting step.
fn on_accepting_cycles(steps: &[(State, State, bool)]) -> BTreeSet<State> {
    let mut found = BTreeSet::new();
    for (from, to, _) in steps.iter().filter(|step| step.2) {
        let after = reachable(steps, *to, |_| true);
        if to == from || after.contains(from) {
            let on_the_way = after.iter().chain([from, to]).filter(|state| {
                *state == from || reachable(steps, **state, |_| true).contains(from)
            });
            found.extend(on_the_way.copied());
        }
    }
    found
}

proptest! {
    #[test]
    fn the_ways_round_a_node_are_all_paths_back_to_it(
        edges in edges(),
        path_limit in 1..4_usize,
    ) {
        let expected: Pairs = (0..NUMBERS)
            .flat_map(|from| {
                let reached = reachable(&steps(&edges), (0, from), |state| state.0 != 0);
                let back = reached.into_iter().filter(|(node, _)| *node == 0);
                back.map(move |(_, to)| (from, to)).collect::<Vec<_>>()
            })
            .collect();
        with_relations(|relations| {
            let (watch, all) = (Watch::default(), variables(ALL));
            let graph = elimination(relations, &watch, path_limit, &all, &edges, false);
            let ways = graph.reduce_to(0).expect("small");
            let found = ways.iter().flat_map(|way| pairs(&relations, &way.all));
            assert_eq!(found.collect::<Pairs>(), expected);
        });
    }

    #[test]
    fn on_each_accepting_cycle_a_state_is_found(
        edges in edges(),
        path_limit in 1..4_usize,
        with_acceptance: bool,
    ) {
        let mut steps = steps(&edges);
        if !with_acceptance {
            steps.iter_mut().for_each(|step| step.2 = true);
        }
        let expected = on_accepting_cycles(&steps);
        with_relations(|relations| {
            let (watch, all) = (Watch::default(), variables(ALL));
            let truth = relations.copies.bdds.constant(true);
            let search = |find_all| {
                let graph =
                    elimination(relations, &watch, path_limit, &all, &edges, with_acceptance);
                let found = graph.cycles(find_all, |_| Ok(truth.clone())).expect("small");
                let states = found.into_iter().flat_map(|(node, set)| {
                    let numbers = numbers(&relations, &set).into_iter();
                    numbers.map(move |number| (node, number))
                });
                states.collect::<BTreeSet<State>>()
            };
            let found = search(true);
            assert!(found.is_subset(&expected));
            let others = steps
                .iter()
                .filter(|step| !found.contains(&step.0) && !found.contains(&step.1));
            let others: Vec<_> = others.copied().collect();
            assert_eq!(on_accepting_cycles(&others), BTreeSet::new());
            assert_eq!(search(false).is_empty(), expected.is_empty());
        });
    }
}

#[test]
fn a_way_that_sets_a_bit_to_anything_is_not_the_way_that_keeps_it() {
    let everything = (0..NUMBERS).flat_map(|from| (0..NUMBERS).map(move |to| (from, to)));
    let updates: Vec<_> = everything.collect();
    let way = |changed| Edge {
        from: 0,
        to: 0,
        drawn: Drawn {
            changed,
            updates: updates.clone(),
        },
        accepts: true,
    };
    with_relations(|relations| {
        let (watch, all) = (Watch::default(), variables(ALL));
        let graph = elimination(relations, &watch, 2, &all, &[way(0), way(1)], false);
        assert_eq!(graph.reduce_to(0).expect("small").len(), 2);
    });
}
