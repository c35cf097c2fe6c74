//! Pseudo-random numbers that are the same on every machine and in every version.

use std::ops::RangeInclusive;

/// `SplitMix64` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014): a counter
/// whose values are mixed. Small and good enough to invent data, not for secrets.
#[derive(Debug)]
pub(super) struct Random {
    counter: u64,
}

impl Random {
    /// The sequence for `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self { counter: seed }
    }

    /// A number in `range`. The bias of the multiplication is below 2⁻³² for the small ranges here.
    pub(super) fn number(&mut self, range: RangeInclusive<u32>) -> u32 {
        let span = u64::from(range.end() - range.start()) + 1;
        let high = self.next() >> 32;
        let offset = u32::try_from((high * span) >> 32).expect("less than the span of a u32 range");
        range.start() + offset
    }

    /// An index of a list of `length` entries, which must not be empty.
    pub(super) fn index(&mut self, length: usize) -> usize {
        let last = u32::try_from(length - 1).expect("lists of invented data are short");
        self.number(0..=last) as usize
    }

    /// One of `choices`, which must not be empty.
    pub(super) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// Returns true with this probability, in percent.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.number(1..=100) <= percent
    }

    /// Shuffles `entries` (Fisher and Yates).
    pub(super) fn shuffle<T>(&mut self, entries: &mut [T]) {
        for last in (1..entries.len()).rev() {
            entries.swap(last, self.index(last + 1));
        }
    }

    fn next(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.counter;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs for the seed 1234567, as in the test vectors of other implementations.
        let mut random = Random::new(1_234_567);
        let numbers: Vec<u64> = std::iter::repeat_with(|| random.next()).take(3).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_in_their_range_and_reach_both_ends() {
        let mut random = Random::new(7);
        let numbers: Vec<u32> = std::iter::repeat_with(|| random.number(3..=6)).take(1_000).collect();
        assert_eq!(numbers.iter().min(), Some(&3));
        assert_eq!(numbers.iter().max(), Some(&6));
    }

    #[test]
    fn shuffling_keeps_every_entry() {
        let mut entries: Vec<u32> = (0..100).collect();
        Random::new(7).shuffle(&mut entries);
        assert_ne!(entries, (0..100).collect::<Vec<_>>());
        entries.sort_unstable();
        assert_eq!(entries, (0..100).collect::<Vec<_>>());
    }
}
