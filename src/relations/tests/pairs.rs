//! Relations as sets of pairs of numbers with few bits, by which symbolic ones are tested.

use super::super::{Relation, Relations};
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, Bdds, Collection};
use crate::bits;
use crate::spds::copies::{COPIES, Copies, Copy, Order};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// How many bits a number has, and how many numbers there are.
pub const BITS: u32 = 3;
pub const NUMBERS: u32 = 1 << BITS;

pub type Pairs = BTreeSet<(u32, u32)>;

/// A relation by the bits that it changes: from a number to what these bits are set to.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub changed: u32,
    pub updates: Vec<(u32, u32)>,
}

impl Drawn {
    /// All pairs: the other bits are kept.
    pub fn pairs(&self) -> Pairs {
        let update = |(from, to): &(u32, u32)| (*from, from & !self.changed | to & self.changed);
        self.updates.iter().map(update).collect()
    }
}

/// Relations that change some of these bits; now and then to anything.
pub fn drawn(allowed: u32) -> impl Strategy<Value = Drawn> {
    let pair = (0..NUMBERS, 0..NUMBERS);
    let all = (0..NUMBERS).flat_map(|from| (0..NUMBERS).map(move |to| (from, to)));
    let updates = prop_oneof![
        5 => prop::collection::vec(pair, 0..10),
        1 => Just(all.collect::<Vec<_>>()),
    ];
    (0..NUMBERS, updates).prop_map(move |(changed, updates)| Drawn {
        changed: changed & allowed,
        updates,
    })
}

/// The bits of a mask as a set of variables.
pub fn variables(mask: u32) -> [u64; 1] {
    let mut variables = [0; 1];
    members(mask).for_each(|v| bits::insert(&mut variables, v));
    variables
}

fn members(mask: u32) -> impl DoubleEndedIterator<Item = DataVariable> {
    (0..BITS).filter(move |v| mask >> v & 1 == 1)
}

/// Runs a test on relations without limits.
pub fn with_relations(test: impl FnOnce(Relations<'_>)) {
    let bdds = Bdds::new(BITS * COPIES, 1 << 20, Collection::Rare).expect("few nodes");
    bdds.session(|| {
        let order: Vec<_> = (0..BITS).collect();
        let copies = Copies::new(&bdds, Order::new(&order), COPIES);
        test(Relations {
            copies: &copies,
            node_limit: None,
        });
    });
}

fn number(relations: &Relations<'_>, mask: u32, number: u32, copy: Copy) -> Bdd {
    let copies = relations.copies;
    let literals = members(mask).map(|v| (copies.level(v, copy), number >> v & 1 == 1));
    copies.bdds.minterm(literals).expect("few nodes")
}

pub fn set(relations: &Relations<'_>, numbers: &BTreeSet<u32>) -> Bdd {
    let bdds = relations.copies.bdds;
    numbers.iter().fold(bdds.constant(false), |set, member| {
        let member = number(relations, NUMBERS - 1, *member, Copy::Current);
        bdds.or(&set, &member).expect("few nodes")
    })
}

pub fn relation(relations: &Relations<'_>, drawn: &Drawn) -> Relation {
    let bdds = relations.copies.bdds;
    let mut bdd = bdds.constant(false);
    for (from, to) in &drawn.updates {
        let from = number(relations, NUMBERS - 1, *from, Copy::Current);
        let to = number(relations, drawn.changed, *to, Copy::Next);
        let pair = bdds.and(&from, &to).expect("few nodes");
        bdd = bdds.or(&bdd, &pair).expect("few nodes");
    }
    Relation {
        bdd,
        changed: members(drawn.changed).collect(),
    }
}

/// The numbers that a set has.
pub fn numbers(relations: &Relations<'_>, set: &Bdd) -> BTreeSet<u32> {
    let has = |member: &u32| contains(relations, set, *member, 0);
    (0..NUMBERS).filter(has).collect()
}

/// The pairs that a relation has.
pub fn pairs(relations: &Relations<'_>, relation: &Relation) -> Pairs {
    let changed = relation.changed.iter().fold(0, |mask, v| mask | 1 << v);
    let all = (0..NUMBERS).flat_map(|from| (0..NUMBERS).map(move |to| (from, to)));
    all.filter(|(from, to)| (from ^ to) & !changed == 0)
        .filter(|(from, to)| contains(relations, &relation.bdd, *from, *to))
        .collect()
}

fn contains(relations: &Relations<'_>, bdd: &Bdd, current: u32, next: u32) -> bool {
    let copies = relations.copies;
    let mut valuation = vec![false; (BITS * COPIES) as usize];
    for v in 0..BITS {
        valuation[copies.level(v, Copy::Current) as usize] = current >> v & 1 == 1;
        valuation[copies.level(v, Copy::Next) as usize] = next >> v & 1 == 1;
    }
    copies.bdds.contains(bdd, &valuation)
}

/// First `a`, then `b`.
pub fn join(a: &Pairs, b: &Pairs) -> Pairs {
    let after = |middle: u32| b.range((middle, 0)..(middle + 1, 0)).map(|pair| pair.1);
    a.iter()
        .flat_map(|(from, middle)| after(*middle).map(|to| (*from, to)))
        .collect()
}

/// One or more times `a`.
pub fn closure(a: &Pairs) -> Pairs {
    let mut closed = a.clone();
    loop {
        let more: Pairs = join(&closed, a).union(&closed).copied().collect();
        if more == closed {
            return closed;
        }
        closed = more;
    }
}
