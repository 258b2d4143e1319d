//! The random draws of a simulation, derived from a key: the same on every machine.

use ifs_value::random::{SplitMix64, wait};
use ifs_value::stable_hash::StreamKey;

/// A stream of draws, identified by a key.
pub struct RandomStream {
    random: SplitMix64,
}

impl RandomStream {
    pub fn new(key: StreamKey) -> RandomStream {
        RandomStream { random: SplitMix64::new(key.number()) }
    }

    /// An integer from 0 up to, but not including, `end`.
    pub fn integer_below(&mut self, end: u64) -> u64 {
        self.random.integer_below(end)
    }

    /// An integer from `low` to `high`, inclusive.
    pub fn integer_between(&mut self, low: i64, high: i64) -> i64 {
        low + self.integer_below((high - low).max(0).unsigned_abs() + 1) as i64
    }

    /// True with this probability in thousandths.
    pub fn thousandth(&mut self, share: u64) -> bool {
        self.integer_below(1000) < share
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.integer_below(from.len() as u64) as usize]
    }

    /// An index, by weight.
    pub fn weighed(&mut self, weights: impl Iterator<Item = u64> + Clone) -> usize {
        let mut left = self.integer_below(weights.clone().sum::<u64>().max(1));
        for (at, weight) in weights.enumerate() {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return at,
            }
        }
        0
    }

    /// A waiting time, exponentially distributed.
    pub fn wait(&mut self, mean: i64) -> i64 {
        (wait(self.random.draw()) * mean as f64) as i64
    }

    /// Several different ones, in random order.
    pub fn several<T: Copy>(&mut self, from: &[T], count: usize) -> Vec<T> {
        let mut left = from.to_vec();
        (0..count.min(from.len()))
            .map(|_| left.swap_remove(self.integer_below(left.len() as u64) as usize))
            .collect()
    }
}
