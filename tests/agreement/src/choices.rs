//! Decisions, from numbers.

/// A stream of decisions. It ends in zeros, and zero is always the plainest choice, so that proptest makes a value
/// simpler by making the stream shorter and its numbers smaller.
#[derive(Debug)]
pub struct Choices<'a> {
    stream: std::slice::Iter<'a, u16>,
}

impl<'a> Choices<'a> {
    /// The decisions that these numbers make.
    pub fn new(stream: &'a [u16]) -> Self {
        Self { stream: stream.iter() }
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.stream.next().copied().unwrap_or_default()) % limit
    }

    /// True about once in `times`; false at the end of the stream.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of several, which are at least one.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// `length` numbers that follow from `seed` (`SplitMix64`).
pub fn stream(seed: u64, length: usize) -> Vec<u16> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 48) as u16
    };
    (0..length).map(|_| next()).collect()
}
