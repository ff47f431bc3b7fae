//! What a cell may hold: an interval of natural numbers, and one of two's complement.
//!
//! A cell is a row of bits. Where a variable is signed, -1 and 0 are neighbours; as natural numbers
//! they are far apart. So both readings are kept, and each tells of the other what it can.

use crate::program::{Domain, Interval};

/// The values of a cell with so many bits, in both readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    bits: u8,
    natural: Interval,
    signed: Interval,
}

impl Range {
    /// Every value of a domain.
    pub fn of(domain: Domain) -> Self {
        let bits = domain.bits().max(1) as u8;
        let all = Range {
            bits,
            natural: Interval::of(domain),
            signed: Interval::of_bits(bits, true),
        };
        all.settled().unwrap_or(all)
    }

    /// What a cell holds after a number of an interval was put into it, modulo its size.
    pub fn fitted(number: Interval, domain: Domain) -> Self {
        let all = Range::of(domain);
        let range = Range {
            bits: all.bits,
            natural: number.wrapped(all.bits, false),
            signed: number.wrapped(all.bits, true),
        };
        range.settled().unwrap_or(all)
    }

    /// What a cell of another domain holds once the natural number was put into it.
    pub fn moved(self, domain: Domain) -> Self {
        match domain.bits() == u32::from(self.bits) {
            true => self,
            false => Range::fitted(self.natural, domain),
        }
    }

    pub fn bits(self) -> u8 {
        self.bits
    }

    pub fn natural(self) -> Interval {
        self.natural
    }

    pub fn signed(self) -> Interval {
        self.signed
    }

    pub fn join(self, other: Range) -> Range {
        Range {
            bits: self.bits,
            natural: self.natural.join(other.natural),
            signed: self.signed.join(other.signed),
        }
    }

    /// What both have, if anything.
    pub fn meet(self, other: Range) -> Option<Range> {
        Range {
            bits: self.bits,
            natural: self.natural.meet(other.natural)?,
            signed: self.signed.meet(other.signed)?,
        }
        .settled()
    }

    /// What of it is in an interval of natural numbers.
    pub fn meet_natural(self, interval: Interval) -> Option<Range> {
        let natural = self.natural.meet(interval)?;
        Range { natural, ..self }.settled()
    }

    /// What of it is in an interval of two's complement.
    pub fn meet_signed(self, interval: Interval) -> Option<Range> {
        let signed = self.signed.meet(interval)?;
        Range { signed, ..self }.settled()
    }

    /// Each reading tells of the other where the sign is known. `None` if they contradict.
    fn settled(mut self) -> Option<Range> {
        let size = 1_i128 << self.bits;
        let shift = |interval: Interval, by: i128| Interval {
            low: interval.low + by,
            high: interval.high + by,
        };
        for _ in 0..2 {
            if self.signed.low >= 0 {
                self.natural = self.natural.meet(self.signed)?;
            } else if self.signed.high < 0 {
                self.natural = self.natural.meet(shift(self.signed, size))?;
            }
            if self.natural.high < size / 2 {
                self.signed = self.signed.meet(self.natural)?;
            } else if self.natural.low >= size / 2 {
                self.signed = self.signed.meet(shift(self.natural, -size))?;
            }
        }
        Some(self)
    }

    /// A range with both in it, whose ends grow no further than to the next of these numbers.
    pub fn widened(self, new: Range, thresholds: &Thresholds) -> Range {
        let all = Interval::of_bits(self.bits, false);
        let signed = Interval::of_bits(self.bits, true);
        Range {
            bits: self.bits,
            natural: thresholds.widen(self.natural, new.natural, all),
            signed: thresholds.widen(self.signed, new.signed, signed),
        }
    }

    /// Whether every value of the other is one of it.
    pub fn contains(self, other: Range) -> bool {
        let within = |a: Interval, b: Interval| a.within(b.low, b.high);
        within(other.natural, self.natural) && within(other.signed, self.signed)
    }
}

/// Where intervals that grow come to rest, in rising order.
#[derive(Clone, Debug)]
pub struct Thresholds(Vec<i128>);

impl Thresholds {
    pub fn new(mut numbers: Vec<i128>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        Thresholds(numbers)
    }

    fn widen(&self, old: Interval, new: Interval, all: Interval) -> Interval {
        let Thresholds(numbers) = self;
        let low = match new.low < old.low {
            true => match numbers.partition_point(|number| *number <= new.low) {
                0 => all.low,
                below => numbers[below - 1].max(all.low),
            },
            false => old.low,
        };
        let high = match new.high > old.high {
            true => {
                let above = numbers.partition_point(|number| *number < new.high);
                numbers.get(above).map_or(all.high, |n| all.high.min(*n))
            }
            false => old.high,
        };
        Interval { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::wrap;

    const BITS: u8 = 4;
    const DOMAIN: Domain = Domain::Integer { bits: BITS };

    fn holds(range: Range, number: i128) -> bool {
        let (natural, signed) = (wrap(number, BITS, false), wrap(number, BITS, true));
        let within = |i: Interval, n: i128| i.low <= n && n <= i.high;
        within(range.natural(), natural) && within(range.signed(), signed)
    }

    #[test]
    fn what_is_put_into_a_cell_is_in_its_range() {
        for low in -20..20 {
            for high in low..20 {
                let range = Range::fitted(Interval { low, high }, DOMAIN);
                assert!((low..=high).all(|number| holds(range, number)));
                assert!(Range::of(DOMAIN).contains(range));
            }
        }
    }

    #[test]
    fn meeting_an_interval_keeps_what_is_in_it() {
        for low in -8..8 {
            for high in low..8 {
                let interval = Interval { low, high };
                let range = Range::of(DOMAIN).meet_signed(interval).expect("some value");
                for number in -8..8 {
                    assert!((low..=high).contains(&number) <= holds(range, number));
                }
                // The sign is known: so are both readings.
                if low >= 0 || high < 0 {
                    assert_eq!(range.natural().high - range.natural().low, high - low);
                }
            }
        }
    }

    #[test]
    fn what_grows_stops_at_a_threshold_and_then_at_the_end() {
        let thresholds = Thresholds::new(vec![3, -2, 5]);
        let range = |low, high| Range::fitted(Interval { low, high }, DOMAIN);
        let wide = range(0, 1).widened(range(0, 2), &thresholds);
        assert_eq!(wide.signed(), Interval { low: 0, high: 3 });
        let wide = wide.widened(range(0, 6), &thresholds);
        assert_eq!(wide.signed(), Interval { low: 0, high: 7 });
        let wide = range(0, 1).widened(range(-1, 1), &thresholds);
        assert_eq!(wide.signed(), Interval { low: -2, high: 1 });
    }
}
