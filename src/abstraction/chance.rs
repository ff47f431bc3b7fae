//! Random values, always the same ones: mostly small, so that they meet each other, or such as programs ask for.

use crate::terms::{Assignment, Sort, Term, Terms};

/// Random numbers (xorshift).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A value of a sort: mostly small, of either sign.
    pub fn value(&mut self, sort: Sort) -> i128 {
        let chance = self.next() % 16;
        let Sort::Number(interval) = sort else {
            return (chance % 2).into();
        };
        let size = interval.high - interval.low + 1;
        let offset = match chance {
            0..=9 => i128::from(self.next() % 12),
            10..=12 => -1 - i128::from(self.next() % 8),
            13 => i128::from(self.next() % 200),
            _ => i128::from(self.next()),
        };
        interval.low + offset.rem_euclid(size)
    }

    /// A value between two numbers, if they are of that sort; otherwise one with any number of bits.
    pub fn between(&mut self, sort: Sort, window: Option<(i128, i128)>) -> i128 {
        let Sort::Number(interval) = sort else {
            return i128::from(self.next() % 2);
        };
        let window = window.filter(|(low, high)| interval.low <= *low && *high <= interval.high);
        if let Some((low, high)) = window {
            return low + i128::from(self.next()).rem_euclid(high - low + 1);
        }
        let size = interval.high - interval.low + 1;
        let bits = u128::BITS - size.unsigned_abs().leading_zeros();
        let kept = self.next() % u64::from(bits);
        let offset = i128::from(self.next()) & ((1 << kept) - 1);
        interval.low + offset.rem_euclid(size)
    }

    /// Values of all variables in these terms.
    pub fn assignment(&mut self, terms: &Terms, roots: &[Term]) -> Assignment {
        let mut assignment = Assignment::default();
        for unknown in terms.unknowns_in(roots.iter().copied()) {
            let value = self.value(terms.sort(terms.term_of(unknown)));
            assignment.0.insert(unknown, value);
        }
        assignment
    }
}
