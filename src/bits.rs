//! Sets of small numbers as machine words.
//!
//! A data-flow analysis keeps one row for each control point; all rows of one [`BitRows`]
//! have the same width, so that a million points cost one allocation. A set by itself is a
//! [`BitSet`]. What can be done with a set, its words can: they are all that functions here ask
//! for.

use crate::index::Index;
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

const WORD: usize = u64::BITS as usize;

/// A set of small numbers. Most are below 128, and then it takes no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitSet(SmallVec<[u64; 2]>);

impl BitSet {
    /// The empty set of numbers below `bits`.
    pub fn new(bits: usize) -> Self {
        BitSet(SmallVec::from_elem(0, words(bits)))
    }
}

impl From<&[u64]> for BitSet {
    fn from(words: &[u64]) -> Self {
        BitSet(SmallVec::from_slice(words))
    }
}

impl Deref for BitSet {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl DerefMut for BitSet {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// A set for each of the first indices.
#[derive(Clone, Debug)]
pub struct BitRows<I = usize> {
    /// Words a row.
    width: usize,
    words: Vec<u64>,
    kind: PhantomData<fn(I)>,
}

/// How many words a set of numbers below `bits` has.
pub fn words(bits: usize) -> usize {
    bits.div_ceil(WORD).max(1)
}

impl<I: Index> BitRows<I> {
    /// `rows` empty sets of numbers below `bits`.
    pub fn new(rows: usize, bits: usize) -> Self {
        let width = words(bits);
        BitRows {
            width,
            words: vec![0; rows * width],
            kind: PhantomData,
        }
    }

    pub fn row(&self, row: I) -> &[u64] {
        &self.words[row.index() * self.width..][..self.width]
    }

    pub fn row_mut(&mut self, row: I) -> &mut [u64] {
        &mut self.words[row.index() * self.width..][..self.width]
    }

    /// All sets, in the order of their indices.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [u64]> {
        self.words.chunks_exact_mut(self.width)
    }

    /// Adds the members of `from` to row `row`; true if the row grew.
    pub fn join(&mut self, row: I, from: &[u64]) -> bool {
        join(self.row_mut(row), from)
    }

    /// Adds the members of row `from` to row `to`; true if that row grew.
    pub fn join_rows(&mut self, to: I, from: I) -> bool {
        let mut grew = false;
        for i in 0..self.width {
            let word = self.words[from.index() * self.width + i];
            let target = &mut self.words[to.index() * self.width + i];
            grew |= word & !*target != 0;
            *target |= word;
        }
        grew
    }
}

/// Adds a range of numbers.
pub fn insert_all(set: &mut [u64], numbers: std::ops::Range<u32>) {
    numbers.for_each(|number| insert(set, number));
}

pub fn remove_all(set: &mut [u64], numbers: std::ops::Range<u32>) {
    numbers.for_each(|number| remove(set, number));
}

/// Adds the members of `from` to `to`; true if `to` grew.
pub fn join(to: &mut [u64], from: &[u64]) -> bool {
    let mut grew = false;
    for (target, word) in to.iter_mut().zip(from) {
        grew |= word & !*target != 0;
        *target |= word;
    }
    grew
}

/// Keeps the members of `other` only.
pub fn meet(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word &= other;
    }
}

/// Takes the members of `other` out.
pub fn without(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word &= !other;
    }
}

/// Adds the members of `from` that are not in `except`.
pub fn join_without(to: &mut [u64], from: &[u64], except: &[u64]) {
    for ((target, word), except) in to.iter_mut().zip(from).zip(except) {
        *target |= word & !except;
    }
}

pub fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|word| *word == 0)
}

pub fn insert(set: &mut [u64], bit: u32) {
    set[bit as usize / WORD] |= 1 << (bit as usize % WORD);
}

pub fn remove(set: &mut [u64], bit: u32) {
    set[bit as usize / WORD] &= !(1 << (bit as usize % WORD));
}

pub fn contains(set: &[u64], bit: u32) -> bool {
    set[bit as usize / WORD] & (1 << (bit as usize % WORD)) != 0
}

/// The members, in rising order.
pub fn members(set: &[u64]) -> impl Iterator<Item = u32> {
    set.iter().enumerate().flat_map(|(i, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            Some((i * WORD) as u32 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_rising_order_across_words() {
        let mut rows: BitRows = BitRows::new(2, 130);
        for bit in [129, 0, 64, 63] {
            insert(rows.row_mut(1), bit);
        }
        assert_eq!(members(rows.row(1)).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(members(rows.row(0)).count(), 0);
        assert!(rows.join_rows(0, 1));
        assert!(!rows.join_rows(0, 1));
        remove(rows.row_mut(0), 64);
        assert!(!contains(rows.row(0), 64));
        assert!(contains(rows.row(0), 129));
    }
}
