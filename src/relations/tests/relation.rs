//! Operations on one or two relations.

use super::pairs::{
    Drawn, NUMBERS, Pairs, closure, drawn, join, numbers, pairs, relation, set, variables,
    with_relations,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const ALL: u32 = NUMBERS - 1;

fn image(relation: &Pairs, set: &BTreeSet<u32>) -> BTreeSet<u32> {
    let from = relation.iter().filter(|(from, _)| set.contains(from));
    from.map(|(_, to)| *to).collect()
}

fn preimage(relation: &Pairs, set: &BTreeSet<u32>) -> BTreeSet<u32> {
    let into = relation.iter().filter(|(_, to)| set.contains(to));
    into.map(|(from, _)| *from).collect()
}

/// What is left to be seen of a relation at a head with these variables.
fn seen(relation: &Pairs, variables: u32) -> Pairs {
    let pairs = relation.iter();
    pairs.map(|(from, to)| (*from, to & variables)).collect()
}

proptest! {
    #[test]
    fn composition_is_one_after_the_other(a in drawn(ALL), b in drawn(ALL)) {
        with_relations(|relations| {
            let (first, second) = (relation(&relations, &a), relation(&relations, &b));
            let both = relations.compose(&first, &second, &variables(ALL)).expect("small");
            assert_eq!(pairs(&relations, &both), join(&a.pairs(), &b.pairs()));
        });
    }

    #[test]
    fn composition_keeps_what_the_last_head_has(
        a in drawn(ALL),
        (there, b) in (0..NUMBERS).prop_flat_map(|there| (Just(there), drawn(there))),
    ) {
        with_relations(|relations| {
            let (first, second) = (relation(&relations, &a), relation(&relations, &b));
            let both = relations.compose(&first, &second, &variables(there)).expect("small");
            assert!(both.changed.iter().all(|v| there >> v & 1 == 1));
            let both = seen(&pairs(&relations, &both), there);
            assert_eq!(both, seen(&join(&a.pairs(), &b.pairs()), there));
        });
    }

    #[test]
    fn a_union_has_the_pairs_of_both(a in drawn(ALL), b in drawn(ALL)) {
        with_relations(|relations| {
            let both = relations.union(&relation(&relations, &a), &relation(&relations, &b));
            let expected = a.pairs().union(&b.pairs()).copied().collect();
            assert_eq!(pairs(&relations, &both.expect("small")), expected);
        });
    }

    #[test]
    fn a_closure_is_one_or_more_times(a in drawn(ALL)) {
        with_relations(|relations| {
            let symbolic = relation(&relations, &a);
            let closed = relations.closure(&symbolic, &variables(ALL), || Ok(()));
            let closed = closed.expect("small");
            assert_eq!(pairs(&relations, &closed), closure(&a.pairs()));
            let loops = numbers(&relations, &relations.loops(&closed).expect("small"));
            let expected = closure(&a.pairs()).into_iter().filter(|(from, to)| from == to);
            assert_eq!(loops, expected.map(|(from, _)| from).collect());
        });
    }

    #[test]
    fn images_lead_there_and_back(a in drawn(ALL), some: BTreeSet<u8>) {
        let some: BTreeSet<u32> = some.into_iter().map(|n| u32::from(n) % NUMBERS).collect();
        with_relations(|relations| {
            let (symbolic, from) = (relation(&relations, &a), set(&relations, &some));
            let after = relations.image(&symbolic, &from).expect("small");
            assert_eq!(numbers(&relations, &after), image(&a.pairs(), &some));
            let before = relations.preimage(&symbolic, &from).expect("small");
            assert_eq!(numbers(&relations, &before), preimage(&a.pairs(), &some));
        });
    }

    #[test]
    fn between_two_sets_are_the_pairs_from_one_to_the_other(
        a in drawn(ALL),
        before in prop::collection::btree_set(0..NUMBERS, 0..6),
        after in prop::collection::btree_set(0..NUMBERS, 0..6),
    ) {
        with_relations(|relations| {
            let [first, last] = [&before, &after].map(|numbers| set(&relations, numbers));
            let part = relations.between(&relation(&relations, &a), &first, &last);
            let is_between = |(from, to): &(u32, u32)| before.contains(from) && after.contains(to);
            let expected = a.pairs().into_iter().filter(is_between).collect();
            assert_eq!(pairs(&relations, &part.expect("small")), expected);
        });
    }

    #[test]
    fn what_is_hidden_may_be_anything(a in drawn(0b011)) {
        with_relations(|relations| {
            let hidden = relations.hide(&relation(&relations, &a), [2].into_iter());
            let hidden = pairs(&relations, &hidden.expect("small"));
            let either = |(from, to): (u32, u32)| {
                [(from & 0b011, to & 0b011), (from | 0b100, to | 0b100)]
            };
            assert_eq!(hidden, a.pairs().into_iter().flat_map(either).collect());
        });
    }

    #[test]
    fn saturation_by_closures_adds_what_is_reachable_and_new(
        a in drawn(ALL),
        b in drawn(ALL),
        total in prop::collection::btree_set(0..NUMBERS, 1..5),
    ) {
        let new: BTreeSet<u32> = total.iter().take(1).copied().collect();
        with_relations(|relations| {
            let close = |drawn: &Drawn| {
                let one = relation(&relations, drawn);
                relations.closure(&one, &variables(ALL), || Ok(())).expect("small")
            };
            let closures = [close(&a), close(&b)];
            let (all, from) = (set(&relations, &total), set(&relations, &new));
            let added = relations.saturate(&closures, &all, &from, || Ok(())).expect("small");
            let added = numbers(&relations, &added);
            let either = closure(&a.pairs().union(&b.pairs()).copied().collect());
            let reachable = image(&either, &new);
            assert!(added.is_subset(&reachable) && added.is_disjoint(&total));
            // One path is closed at once.
            let once = image(&closure(&a.pairs()), &new);
            assert!(once.difference(&total).all(|number| added.contains(number)));
        });
    }
}
