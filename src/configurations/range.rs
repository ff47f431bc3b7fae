//! Sets of natural numbers as ranges.

use crate::bdd::{Bdd, BddResult, Bdds, Level, OutOfNodes};

/// From the first to the last number, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub first: u64,
    pub last: u64,
}

/// Sets of more ranges are not listed.
const MOST_RANGES: usize = 8;

/// The numbers up to `largest` in a set, given over the bits of a number, the least
/// significant first; `None` if there are too many ranges. Numbers beyond are ignored.
pub fn ranges(
    bdds: &Bdds,
    bits: &[Level],
    largest: u64,
    set: &Bdd,
) -> Result<Option<Vec<Range>>, OutOfNodes> {
    let mut rest = bdds.difference(set, &above(bdds, bits, largest)?)?;
    let outside = bdds.not(set)?;
    let mut found = Vec::new();
    while let Some(first) = smallest(bdds, bits, &rest)? {
        if found.len() == MOST_RANGES {
            return Ok(None);
        }
        let beyond = above(bdds, bits, first)?;
        let end = smallest(bdds, bits, &bdds.and(&outside, &beyond)?)?;
        let last = end.map_or(largest, |end| (end - 1).min(largest));
        found.push(Range { first, last });
        rest = bdds.and(&rest, &above(bdds, bits, last)?)?;
    }
    Ok(Some(found))
}

/// The numbers greater than this one.
fn above(bdds: &Bdds, bits: &[Level], number: u64) -> BddResult {
    let mut above = bdds.constant(false);
    for (level, i) in bits.iter().zip(0..) {
        let bit = bdds.variable(*level);
        above = match number >> i & 1 {
            1 => bdds.and(&bit, &above)?,
            _ => bdds.or(&bit, &above)?,
        };
    }
    Ok(above)
}

/// The smallest number in a set.
pub fn smallest(bdds: &Bdds, bits: &[Level], set: &Bdd) -> Result<Option<u64>, OutOfNodes> {
    if bdds.is_false(set) {
        return Ok(None);
    }
    let mut left = set.clone();
    let mut number = 0;
    for (i, level) in bits.iter().enumerate().rev() {
        let bit = bdds.variable(*level);
        let small = bdds.difference(&left, &bit)?;
        if bdds.is_false(&small) {
            number |= 1 << i;
        } else {
            left = small;
        }
    }
    Ok(Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Collection;

    /// Every set of numbers of three bits.
    #[test]
    fn all_sets_of_small_numbers() {
        let bdds = Bdds::new(3, 1 << 20, Collection::Rare).unwrap();
        let bits = [2, 0, 1];
        for members in 0..256_u32 {
            let mut set = bdds.constant(false);
            for number in (0..8).filter(|number| members >> number & 1 == 1) {
                let literals = bits
                    .iter()
                    .zip(0..)
                    .map(|(l, i)| (*l, number >> i & 1 == 1));
                set = bdds.or(&set, &bdds.minterm(literals).unwrap()).unwrap();
            }
            for largest in [7, 4] {
                let found = ranges(&bdds, &bits, largest, &set).unwrap().unwrap();
                for number in 0..=largest {
                    let listed = found
                        .iter()
                        .filter(|r| r.first <= number && number <= r.last);
                    assert_eq!(listed.count(), (members >> number & 1) as usize);
                }
                assert!(
                    found
                        .windows(2)
                        .all(|pair| pair[0].last + 1 < pair[1].first)
                );
                assert!(found.iter().all(|range| range.last <= largest));
            }
        }
    }
}
