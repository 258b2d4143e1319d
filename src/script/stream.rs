//! Randomness: one key a dialogue, one stream for each place of choice.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// What a set of scripts is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// The streams of one dialogue.
#[derive(Clone)]
pub(super) struct Streams {
    generator: ChaCha8Rng,
}

impl Streams {
    pub fn new(seed: Seed, dialogue: &str, index: u64) -> Streams {
        let mut hasher = blake3::Hasher::new_derive_key("ifs edition 1: streams of a dialogue");
        hasher.update(&seed.0.to_le_bytes());
        hasher.update(&index.to_le_bytes());
        hasher.update(dialogue.as_bytes());
        Streams { generator: ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()) }
    }

    /// The stream of a choice: what is chosen, on which turn, for what.
    pub fn at(&self, turn: u32, purpose: &str, name: &str) -> Stream {
        let mut generator = self.generator.clone();
        generator.set_stream(place(turn, purpose, name));
        Stream { generator }
    }
}

/// The number of a place. Names are separated by a byte that they cannot hold.
fn place(turn: u32, purpose: &str, name: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&turn.to_le_bytes());
    hasher.update(purpose.as_bytes());
    hasher.update(&[0]);
    hasher.update(name.as_bytes());
    first_number(&hasher.finalize())
}

/// A name as a number, for choices among named things.
pub(super) fn name_number(name: &str) -> u64 {
    first_number(&blake3::hash(name.as_bytes()))
}

fn first_number(hash: &blake3::Hash) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

/// Draws for one choice.
pub(super) struct Stream {
    generator: ChaCha8Rng,
}

impl Stream {
    /// A whole number from `low` to `high`, both included.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        if high <= low { low } else { self.generator.random_range(low..=high) }
    }

    pub fn number(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// One of several weights, by its place. `None` when all are zero.
    pub fn weighted(&mut self, weights: &[u64]) -> Option<usize> {
        let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut left = (u128::from(self.number()) * total) >> 64;
        for (at, weight) in weights.iter().enumerate() {
            let weight = u128::from(*weight);
            if left < weight {
                return Some(at);
            }
            left -= weight;
        }
        None
    }

    /// One of several named things with weights, so that one more candidate takes
    /// from all others alike and reorders none of them: each candidate draws its
    /// own number by its name, and the best wins (an exponential race).
    pub fn named(&mut self, candidates: impl Iterator<Item = (u64, u32)>) -> Option<usize> {
        let base = self.number();
        let mut best: Option<(usize, u64, u32)> = None;
        for (at, (name, weight)) in candidates.enumerate() {
            if weight == 0 {
                continue;
            }
            let drawn = mix(base ^ name);
            let wins = match best {
                None => true,
                Some((_, other, its_weight)) if weight == its_weight => drawn > other,
                Some((_, other, its_weight)) => wait(drawn, weight) < wait(other, its_weight),
            };
            if wins {
                best = Some((at, drawn, weight));
            }
        }
        best.map(|(at, ..)| at)
    }

    /// Several different named things, by place, in the order of the candidates.
    pub fn several(&mut self, candidates: &[u64], count: usize) -> Vec<usize> {
        let base = self.number();
        let mut drawn: Vec<(u64, usize)> =
            candidates.iter().enumerate().map(|(at, name)| (mix(base ^ name), at)).collect();
        drawn.sort_unstable_by(|one, other| other.cmp(one));
        let mut chosen: Vec<usize> = drawn.into_iter().take(count).map(|(_, at)| at).collect();
        chosen.sort_unstable();
        chosen
    }
}

/// The time a candidate of this weight takes: exponentially distributed.
fn wait(drawn: u64, weight: u32) -> f64 {
    // The upper 53 bits as a number in (0, 1]; libm's logarithm is the same on
    // every machine.
    let share = ((drawn >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -libm::log(share) / f64::from(weight)
}

/// Spreads the bits of a number (the finaliser of SplitMix64, Steele et al. 2014).
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These numbers are part of edition 1: a change here changes every script.
    #[test]
    fn golden_numbers() {
        let streams = Streams::new(Seed(7), "evolving", 3);
        assert_eq!(streams.at(1, "topic", "").number(), streams.at(1, "topic", "").number());
        assert_ne!(streams.at(1, "topic", "").number(), streams.at(2, "topic", "").number());
    }

    #[test]
    fn one_more_candidate_moves_only_its_own_share() {
        let names: Vec<u64> = ["a", "b", "c", "d"].map(name_number).to_vec();
        let (mut same, mut to_new) = (0, 0);
        for turn in 0..2000 {
            let streams = Streams::new(Seed(1), "x", 0);
            let few = streams.at(turn, "t", "").named(names[..3].iter().map(|name| (*name, 1)));
            let more = streams.at(turn, "t", "").named(names.iter().map(|name| (*name, 1)));
            if few == more {
                same += 1;
            } else {
                assert_eq!(more, Some(3));
                to_new += 1;
            }
        }
        assert!((1400..1600).contains(&same) && (400..600).contains(&to_new));
    }

    #[test]
    fn weights_are_kept() {
        let names: Vec<u64> = ["a", "b"].map(name_number).to_vec();
        let streams = Streams::new(Seed(1), "x", 0);
        let first = (0..4000)
            .filter(|turn| {
                let weighed = [(names[0], 3), (names[1], 1)].into_iter();
                streams.at(*turn, "t", "").named(weighed) == Some(0)
            })
            .count();
        assert!((2880..3120).contains(&first), "{first}");
    }
}
