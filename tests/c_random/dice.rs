//! Choices of programs that are written by chance.

/// Numbers that look random, the same each time.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    pub fn pick<'s>(&mut self, all: &[&'s str]) -> &'s str {
        all[self.below(all.len() as u64) as usize]
    }
}
