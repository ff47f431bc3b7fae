//! Intervals of whole numbers, to know how large a term may become.

use crate::program::{FAR, NUMBER_BITS, shift_left};

/// All whole numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    pub fn only(number: i128) -> Self {
        Interval {
            low: number,
            high: number,
        }
    }

    pub fn join(self, other: Interval) -> Self {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// From the smallest to the largest of these, if all are there and not too large.
    fn around(ends: &[Option<i128>]) -> Option<Self> {
        let mut interval: Option<Interval> = None;
        for end in ends {
            let end = end.filter(|end| end.unsigned_abs() >> NUMBER_BITS == 0)?;
            let only = Interval::only(end);
            interval = Some(interval.map_or(only, |interval| interval.join(only)));
        }
        interval
    }

    pub fn plus(self, other: Interval) -> Option<Self> {
        Self::around(&[
            self.low.checked_add(other.low),
            self.high.checked_add(other.high),
        ])
    }

    pub fn minus(self, other: Interval) -> Option<Self> {
        Self::around(&[
            self.low.checked_sub(other.high),
            self.high.checked_sub(other.low),
        ])
    }

    pub fn times(self, other: Interval) -> Option<Self> {
        Self::around(&[
            self.low.checked_mul(other.low),
            self.low.checked_mul(other.high),
            self.high.checked_mul(other.low),
            self.high.checked_mul(other.high),
        ])
    }

    /// The divisor nearest to 0 makes the largest quotients; 0 itself makes none.
    pub fn divided_by(self, other: Interval) -> Self {
        let nearest = other.low.max(-other.high).max(1);
        let most = self.low.abs().max(self.high.abs()) / nearest;
        let low = match self.low >= 0 && other.low >= 0 {
            true => 0,
            false => -most,
        };
        Interval { low, high: most }
    }

    /// Only natural numbers are shifted.
    pub fn shifted_by(self, other: Interval) -> Self {
        let most = shift_left(self.high.max(0), other.high.max(0));
        Interval {
            low: 0,
            high: most.unwrap_or(FAR),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_results() {
        let interval = |low, high| Interval { low, high };
        let (a, b) = (interval(-3, 5), interval(2, 4));
        assert_eq!(a.plus(b), Some(interval(-1, 9)));
        assert_eq!(a.minus(b), Some(interval(-7, 3)));
        assert_eq!(a.times(b), Some(interval(-12, 20)));
        assert_eq!(a.divided_by(b), interval(-2, 2));
        assert_eq!(b.divided_by(b), interval(0, 2));
        assert_eq!(b.divided_by(a), interval(-4, 4));
        assert_eq!(b.divided_by(interval(-9, -2)), interval(-2, 2));
        assert_eq!(a.shifted_by(b), interval(0, 80));
        assert_eq!(a.shifted_by(interval(0, 64)), interval(0, FAR));
        let wide = interval(0, i128::from(u64::MAX));
        assert!(wide.times(wide).is_none());
        assert!(interval(0, 1 << 62).times(wide).is_some());
        assert!(Interval::only(FAR).plus(Interval::only(FAR)).is_none());
    }
}
