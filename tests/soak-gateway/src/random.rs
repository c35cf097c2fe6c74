//! Random numbers that a seed determines (splitmix64).

/// A generator.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number less than `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// One of these, in proportion to their weights.
    pub(crate) fn choose<T: Copy>(&mut self, among: &[(T, usize)]) -> Option<T> {
        let mut left = self.below(among.iter().map(|(_, weight)| weight).sum());
        for (one, weight) in among {
            if left < *weight {
                return Some(*one);
            }
            left -= weight;
        }
        None
    }
}

/// A seed that differs with each run.
pub(crate) fn seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(()) % 1_000_000
}
