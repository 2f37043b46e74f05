//! Random requests: values that fit the types of a contract, and values that break one rule.

mod draw;
mod numbers;
mod requests;
mod slots;
mod spoil;
mod wire;

/// Number of random requests of a test, and the seed of their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Randomness {
    pub(super) runs: u32,
    pub(super) seed: u64,
}

/// Pseudorandom numbers (`SplitMix64`). They are the same on each machine.
struct Random {
    state: u64,
    /// Number of values inside of the value that is drawn.
    values: usize,
    /// Letters of texts without a format.
    letters: &'static str,
}

impl Random {
    /// Creates the numbers of a test. Each test has numbers of its own, so that a test repeats its requests if it runs alone.
    fn new(seed: u64, test: &str) -> Self {
        // FNV-1a.
        let hash = test.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash,
            values: 0,
            letters: draw::LETTERS,
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number that is less than the bound, or 0 if the bound is 0.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    /// Returns a number from the least to the most, both included.
    fn between(&mut self, least: usize, most: usize) -> usize {
        least.saturating_add(self.below(most.saturating_sub(least).saturating_add(1)))
    }

    /// Returns true with a probability of `percent`.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(items.len());
        items.get(index)
    }

    /// Returns a text of letters of the pool.
    fn text(&mut self, pool: &str, length: usize) -> String {
        let letters: Vec<char> = pool.chars().collect();
        (0..length).filter_map(|_| self.pick(&letters)).collect()
    }
}
