//! Interval arithmetic: between which numbers the value of a term lies.
//!
//! Engines compute with exact numbers of at most [`NUMBER_BITS`] bits; a term that might need
//! more is refused when it is read. Intervals also tell which operations cannot fail, and
//! which terms are constants.

use super::{
    Domain, FAR, NUMBER_BITS, Operation, SHIFT_LIMIT, arithmetic_shift_right, shift_left,
    shift_left_modulo, wrap,
};

/// Whole numbers from `low` to `high`, both included and below 2 to [`NUMBER_BITS`] in size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub low: i128,
    pub high: i128,
}

/// The result of an operation on intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub interval: Interval,
    /// For some operands there is no value.
    pub may_fail: bool,
}

const LIMIT: i128 = 1 << NUMBER_BITS;

impl Interval {
    /// Every number that there is.
    pub const ALL: Interval = Interval {
        low: 1 - LIMIT,
        high: LIMIT - 1,
    };

    pub fn only(number: i128) -> Self {
        Interval {
            low: number,
            high: number,
        }
    }

    pub fn of(domain: Domain) -> Self {
        Interval {
            low: 0,
            high: domain.size() as i128 - 1,
        }
    }

    /// The numbers of so many bits, natural ones or those of two's complement.
    pub fn of_bits(bits: u8, signed: bool) -> Self {
        match signed {
            true => Interval {
                low: -1 << (bits - 1),
                high: (1 << (bits - 1)) - 1,
            },
            false => Interval {
                low: 0,
                high: (1 << bits) - 1,
            },
        }
    }

    /// Its number, if there is only one.
    pub fn constant(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub fn within(self, low: i128, high: i128) -> bool {
        low <= self.low && self.high <= high
    }

    /// The numbers in both, if there are any.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        (!self.misses(other)).then(|| Interval {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        })
    }

    /// The least interval with both in it.
    pub fn join(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether there is no number in both.
    pub fn misses(self, other: Interval) -> bool {
        self.high < other.low || other.high < self.low
    }

    fn new(low: i128, high: i128) -> Option<Self> {
        (-LIMIT < low && high < LIMIT).then_some(Interval { low, high })
    }

    /// The least interval with all of these numbers in it.
    fn around<const N: usize>(numbers: [Option<i128>; N]) -> Option<Self> {
        let mut low = i128::MAX;
        let mut high = i128::MIN;
        for number in numbers {
            low = low.min(number?);
            high = high.max(number?);
        }
        Interval::new(low, high)
    }

    /// What is left of it if negative numbers are not allowed; nothing is the number 0.
    fn natural(self) -> Self {
        Interval {
            low: self.low.max(0),
            high: self.high.max(0),
        }
    }

    /// What [`Operation::Wrap`] makes of all its numbers.
    pub fn wrapped(self, bits: u8, signed: bool) -> Self {
        let low = wrap(self.low, bits, signed);
        // If the ends move by the same distance, so does all that is between them.
        match self.high - self.low == wrap(self.high, bits, signed) - low {
            true => Interval {
                low,
                high: low + (self.high - self.low),
            },
            false => Interval::of_bits(bits, signed),
        }
    }

    /// The arithmetic operation on all numbers of both. `None` if a result may be too large.
    pub fn apply(self, operation: Operation, other: Interval) -> Option<Outcome> {
        let exact = |interval: Option<Interval>| {
            let may_fail = false;
            interval.map(|interval| Outcome { interval, may_fail })
        };
        let (a, b) = (self, other);
        match operation {
            // The sum of two numbers within the limit is far from an overflow.
            Operation::Add => exact(Interval::new(a.low + b.low, a.high + b.high)),
            Operation::Subtract => exact(Interval::new(a.low - b.high, a.high - b.low)),
            Operation::Multiply => exact(Interval::around([
                a.low.checked_mul(b.low),
                a.low.checked_mul(b.high),
                a.high.checked_mul(b.low),
                a.high.checked_mul(b.high),
            ])),
            Operation::Divide => a.divide(b),
            Operation::Remainder => Some(a.remainder(b)),
            Operation::MultiplyModulo { bits } => exact(Some(match (a.constant(), b.constant()) {
                (Some(a), Some(b)) => Interval::only(wrap(a.wrapping_mul(b), bits, false)),
                _ => match a.apply(Operation::Multiply, b) {
                    Some(product) => product.interval.wrapped(bits, false),
                    None => Interval::of_bits(bits, false),
                },
            })),
            Operation::ShiftLeftModulo { bits } => {
                let shifted = match (a.constant(), b.constant()) {
                    (Some(a), Some(b)) if b >= 0 => Interval::only(shift_left_modulo(a, b, bits)),
                    _ => Interval::of_bits(bits, false),
                };
                Some(Outcome {
                    interval: shifted,
                    may_fail: b.low < 0,
                })
            }
            Operation::ArithmeticShiftRight => {
                let (near, far) = (b.low.max(0), b.high.max(0));
                // Numbers come nearer to 0, or to -1.
                let ends = [a.low, a.high]
                    .map(|end| [near, far].map(|by| arithmetic_shift_right(end, by)));
                Some(Outcome {
                    interval: Interval {
                        low: ends[0][0].min(ends[0][1]),
                        high: ends[1][0].max(ends[1][1]),
                    },
                    may_fail: b.low < 0,
                })
            }
            _ => {
                let may_fail = a.low < 0 || b.low < 0;
                let (a, b) = (a.natural(), b.natural());
                let interval = match operation {
                    Operation::ShiftLeft => return Some(a.shift_left(b, may_fail)),
                    Operation::ShiftLeftOrFar => Interval {
                        low: shift_left(a.low, b.low).unwrap_or(FAR),
                        high: shift_left(a.high, b.high).unwrap_or(FAR),
                    },
                    Operation::ShiftRight => Interval {
                        low: shift_right(a.low, b.high),
                        high: shift_right(a.high, b.low),
                    },
                    Operation::BitAnd => bits(&[a, b], |x, y| x & y, a.high.min(b.high)),
                    Operation::BitOr => bits(&[a, b], |x, y| x | y, all_ones(a.high | b.high)),
                    _ => bits(&[a, b], |x, y| x ^ y, all_ones(a.high | b.high)),
                };
                Some(Outcome { interval, may_fail })
            }
        }
    }

    /// Rounds towards 0. The divisor 0 is left out.
    fn divide(self, by: Interval) -> Option<Outcome> {
        let may_fail = by.low <= 0 && by.high >= 0;
        // The divisors nearest to 0 on both sides, and the ones furthest away.
        let negative = (by.low < 0).then_some((by.low, by.high.min(-1)));
        let positive = (by.high > 0).then_some((by.low.max(1), by.high));
        let mut interval: Option<Interval> = None;
        for (from, to) in negative.into_iter().chain(positive) {
            for divisor in [from, to] {
                for number in [self.low, self.high] {
                    let quotient = number / divisor;
                    let quotient = Interval::only(quotient);
                    interval = Some(interval.map_or(quotient, |all| all.join(quotient)));
                }
            }
        }
        let interval = interval.unwrap_or(Interval::only(0));
        Some(Outcome { interval, may_fail })
    }

    /// The divisor 0 is left out.
    fn remainder(self, by: Interval) -> Outcome {
        let may_fail = by.low <= 0 && by.high >= 0;
        // It is nearer to 0 than the divisor, and no further than the dividend.
        let most = (by.low.abs().max(by.high.abs()) - 1).max(0);
        let interval = match (self.constant(), by.constant()) {
            (Some(a), Some(b)) if b != 0 => Interval::only(a % b),
            _ => Interval {
                low: self.low.min(0).max(-most),
                high: self.high.max(0).min(most),
            },
        };
        Outcome { interval, may_fail }
    }

    /// Both are natural numbers.
    fn shift_left(self, by: Interval, may_fail: bool) -> Outcome {
        let low = shift_left(self.low, by.low);
        let high = shift_left(self.high, by.high);
        Outcome {
            interval: Interval {
                low: low.unwrap_or(SHIFT_LIMIT),
                high: high.unwrap_or(SHIFT_LIMIT),
            },
            may_fail: may_fail || high.is_none(),
        }
    }
}

fn shift_right(number: i128, by: i128) -> i128 {
    match u32::try_from(by) {
        Ok(by) if by < i128::BITS => number >> by,
        _ => 0,
    }
}

/// Exact on constants; otherwise from 0 to `high`.
fn bits(both: &[Interval; 2], operation: impl Fn(i128, i128) -> i128, high: i128) -> Interval {
    match (both[0].constant(), both[1].constant()) {
        (Some(a), Some(b)) => Interval::only(operation(a, b)),
        _ => Interval { low: 0, high },
    }
}

/// The largest number with as many bits.
fn all_ones(number: i128) -> i128 {
    match number {
        0 => 0,
        _ => i128::MAX >> (number.leading_zeros() - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::*;

    fn interval(low: i128, high: i128) -> Interval {
        Interval { low, high }
    }

    /// The value of an operation on numbers by its definition.
    fn concrete(operation: Operation, a: i128, b: i128) -> Option<i128> {
        let natural = a >= 0 && b >= 0;
        match operation {
            Add => Some(a + b),
            Subtract => Some(a - b),
            Multiply => Some(a * b),
            Divide => a.checked_div(b),
            BitAnd => natural.then_some(a & b),
            BitOr => natural.then_some(a | b),
            BitXor => natural.then_some(a ^ b),
            ShiftLeft if natural => Some(a << b).filter(|r| *r <= SHIFT_LIMIT),
            ShiftLeftOrFar if natural => Some(shift_left(a, b).unwrap_or(FAR)),
            ShiftRight if natural => Some(a >> b),
            Remainder => a.checked_rem(b),
            MultiplyModulo { bits } => Some((a * b).rem_euclid(1 << bits)),
            ShiftLeftModulo { bits } if b >= 0 => Some((a << b).rem_euclid(1 << bits)),
            ArithmeticShiftRight if b >= 0 => Some(a.div_euclid(1 << b)),
            _ => None,
        }
    }

    #[test]
    fn every_value_lies_in_its_interval() {
        let operations = [
            Add,
            Subtract,
            Multiply,
            Divide,
            BitAnd,
            BitOr,
            BitXor,
            ShiftLeft,
            ShiftLeftOrFar,
            ShiftRight,
            Remainder,
            MultiplyModulo { bits: 4 },
            ShiftLeftModulo { bits: 3 },
            ArithmeticShiftRight,
        ];
        let ends: Vec<_> = (-4..=5)
            .flat_map(|low| (low..=5).map(move |high| interval(low, high)))
            .collect();
        for operation in operations {
            for a in &ends {
                for b in &ends {
                    let outcome = a.apply(operation, *b).expect("small numbers");
                    let mut fails = false;
                    for x in a.low..=a.high {
                        for y in b.low..=b.high {
                            match concrete(operation, x, y) {
                                Some(value) => {
                                    let fits = Interval::only(value)
                                        .within(outcome.interval.low, outcome.interval.high);
                                    assert!(fits, "{a:?} {operation:?} {b:?}: {value} {outcome:?}");
                                }
                                None => fails = true,
                            }
                        }
                    }
                    assert_eq!(outcome.may_fail, fails, "{a:?} {operation:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn every_number_wraps_into_its_interval() {
        for (low, bits) in (-20..20).flat_map(|low| (1..5).map(move |bits| (low, bits))) {
            for (high, signed) in (low..20).flat_map(|high| [(high, false), (high, true)]) {
                let all = interval(low, high).wrapped(bits, signed);
                let range = Interval::of_bits(bits, signed);
                assert!(all.within(range.low, range.high));
                for number in low..=high {
                    let wrapped = wrap(number, bits, signed);
                    assert_eq!((number - wrapped) % (1 << bits), 0);
                    assert!(all.low <= wrapped && wrapped <= all.high);
                }
            }
        }
        let all = Interval::of_bits(64, false);
        assert_eq!(all.wrapped(64, true), Interval::of_bits(64, true));
        assert_eq!(all.wrapped(64, false), all);
    }

    #[test]
    fn constants_stay_constants() {
        for (operation, a, b, value) in [
            (Divide, -7, 2, -3),
            (Divide, 7, -2, -3),
            (BitXor, 6, 3, 5),
            (BitOr, 6, 3, 7),
            (ShiftLeft, 3, 62, 3 << 62),
            (ShiftLeft, 0, 1 << 100, 0),
            (ShiftRight, 1 << 100, 200, 0),
            (Remainder, -7, 2, -1),
            (Remainder, 7, -2, 1),
            (MultiplyModulo { bits: 64 }, (1 << 64) - 1, (1 << 64) - 1, 1),
            (ShiftLeftModulo { bits: 64 }, -1, 63, 1 << 63),
            (ShiftLeftModulo { bits: 64 }, 1, 1 << 100, 0),
            (ArithmeticShiftRight, -5, 1, -3),
            (ArithmeticShiftRight, -5, 1 << 100, -1),
        ] {
            let outcome = Interval::only(a).apply(operation, Interval::only(b));
            let outcome = outcome.expect("small numbers");
            assert_eq!(
                outcome.interval.constant(),
                Some(value),
                "{a} {operation:?} {b}"
            );
            assert!(!outcome.may_fail);
        }
    }

    #[test]
    fn what_may_be_too_large_is_refused() {
        let word = interval(0, u64::MAX as i128);
        let outcome = word.apply(ShiftLeft, word).expect("bounded");
        assert!(outcome.may_fail && outcome.interval.high == SHIFT_LIMIT);
        let outcome = word.apply(ShiftLeftOrFar, word).expect("bounded");
        assert!(!outcome.may_fail && outcome.interval.high == FAR);
        assert_eq!(Interval::only(FAR).apply(Add, Interval::only(FAR)), None);
        assert_eq!(word.apply(Multiply, word), None);
        assert_eq!(
            Interval::only(LIMIT - 1).apply(Add, Interval::only(1)),
            None
        );
        let large = Interval::only(1 - LIMIT);
        assert_eq!(large.apply(Multiply, large), None);
        assert_eq!(large.apply(Subtract, Interval::only(1)), None);
    }
}
