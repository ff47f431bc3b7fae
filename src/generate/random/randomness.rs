//! Random numbers that are the same on every machine and for ever: splitmix64.
//!
//! A library's generator may change its numbers with a new version, and then the programs
//! that a seed stands for would change as well. Only integers are used, for the same reason.

/// Sebastiano Vigna's splitmix64: a counter, well stirred.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// The counter's step, 2^64 divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The stream number `stream` of a seed, so that each procedure has its own numbers and
    /// does not depend on how many its predecessors used.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Random(seed);
        let begin = random.next();
        Random(begin ^ stream.wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let high = self.next() >> 32;
        ((high * u64::from(bound)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True this often in a hundred times.
    pub fn percent(&mut self, share: u32) -> bool {
        self.below(100) < share
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u32) as usize]
    }

    /// One of a list, each as often as its weight says. At least one weight is not 0.
    pub fn weighted<T: Copy>(&mut self, list: &[(u32, T)]) -> T {
        let sum = list.iter().map(|(weight, _)| weight).sum();
        let mut rest = self.below(sum);
        for (weight, item) in list {
            if rest < *weight {
                return *item;
            }
            rest -= weight;
        }
        list[0].1
    }

    /// Up to `count` different members of a list, in random order.
    pub fn sample<T: Clone>(&mut self, list: &[T], count: usize) -> Vec<T> {
        let mut rest = list.to_vec();
        let mut chosen = Vec::new();
        while chosen.len() < count && !rest.is_empty() {
            let index = self.below(rest.len() as u32) as usize;
            chosen.push(rest.swap_remove(index));
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference_implementation() {
        // The first outputs of splitmix64 from state 0, as its author publishes them.
        let mut random = Random(0);
        assert_eq!(random.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.next(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(random.next(), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn every_number_below_a_bound_comes() {
        let mut random = Random::new(1, 0);
        let mut seen = [0; 10];
        (0..1000).for_each(|_| seen[random.below(10) as usize] += 1);
        assert!(
            seen.iter().all(|count| (60..150).contains(count)),
            "{seen:?}"
        );
        assert_eq!(random.below(0), 0);
    }
}
