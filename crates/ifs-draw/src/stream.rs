//! Random streams: one key for each dialogue, one stream for each choice. They record whether
//! anything was drawn: a dialogue without draws is the same for every seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use ifs_value::random::{SplitMix64, wait};
use ifs_value::stable_hash::{StreamKey, little_endian, mix, name_number};

/// The index of the first anchor: a dialogue that is the same in every epoch of a set. Below 2^53,
/// so that every reader of JSON reads it.
pub const FIRST_ANCHOR: u64 = 1 << 52;

/// The seed of a set of scripts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// The key of a hidden set. Its dialogues have seeds that follow from it and from nothing public.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretKey {
    key: [u8; 32],
    /// Of the dialogues that all epochs share.
    anchors: [u8; 32],
}

impl SecretKey {
    pub fn new(key: [u8; 32], anchors: [u8; 32]) -> SecretKey {
        SecretKey { key, anchors }
    }

    /// A hasher for something else that follows from the key: without it, the result cannot be
    /// computed or checked.
    pub fn hasher(&self, purpose: &str) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        // The seeds of dialogues begin with a number of eight bytes.
        hasher.update(b"ifs: of a hidden set: ");
        hasher.update(&(purpose.len() as u64).to_le_bytes());
        hasher.update(purpose.as_bytes());
        hasher
    }

    /// A name of the definition, where a dialogue must not follow from it: a hash if it is so long
    /// that it could be a prompt, or a part of one.
    pub fn name(&self, name: &str) -> String {
        if !is_long(name) {
            return name.to_owned();
        }
        let mut hasher = self.hasher("a name");
        hasher.update(name.as_bytes());
        format!("hidden-{}", &hasher.finalize().to_hex()[..12])
    }

    /// The seed of one dialogue.
    pub(super) fn seed(&self, dialogue: &str, index: u64) -> Seed {
        let key = if index >= FIRST_ANCHOR { &self.anchors } else { &self.key };
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(&index.to_le_bytes());
        hasher.update(dialogue.as_bytes());
        Seed(little_endian(&hasher.finalize().as_bytes()[..8]))
    }
}

/// Words in a row that a prompt is recognised by.
const RECOGNISED_WORDS: usize = 5;

/// Characters of a name that is kept; text without spaces has few words.
const MAX_NAME_CHARACTERS: usize = 40;

/// Whether a text could be a prompt, or a part of one.
pub fn is_long(text: &str) -> bool {
    let words =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.count() >= RECOGNISED_WORDS || text.chars().count() > MAX_NAME_CHARACTERS
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey")
    }
}

/// The streams of one dialogue.
#[derive(Clone)]
pub(super) struct Streams {
    key: [u64; 2],
    chosen: Arc<AtomicBool>,
}

impl Streams {
    pub fn new(seed: Seed, dialogue: &str, index: u64) -> Streams {
        let mut hasher = blake3::Hasher::new_derive_key("ifs edition 1: streams of a dialogue");
        hasher.update(&seed.0.to_le_bytes());
        hasher.update(&index.to_le_bytes());
        hasher.update(dialogue.as_bytes());
        let hash = hasher.finalize();
        let mut key = [0; 2];
        for (number, bytes) in key.iter_mut().zip(hash.as_bytes().chunks_exact(8)) {
            *number = little_endian(bytes);
        }
        Streams { key, chosen: Arc::default() }
    }

    /// The stream of a choice, keyed by its place, its kind and its subject.
    pub fn choice_stream(&self, place: u64, purpose: &str, name: StreamKey) -> Stream {
        let [first, second] = self.key;
        let place = StreamKey::NONE.and_number(first).and_number(place).and(purpose);
        let start = mix(place.and_number(name.number()).number() ^ second);
        Stream { random: SplitMix64::new(start), chosen: Arc::clone(&self.chosen) }
    }

    /// A random number for the choice of phrases at a place.
    pub fn words(&self, place: u64) -> u64 {
        self.choice_stream(place, "words", StreamKey::NONE).unnoted()
    }

    /// Whether anything was drawn so far.
    pub fn has_drawn(&self) -> bool {
        self.chosen.load(Ordering::Relaxed)
    }

    /// Records that something was chosen with a number from [`Stream::unnoted`].
    pub fn note_choice(&self) {
        self.chosen.store(true, Ordering::Relaxed);
    }
}

/// Chooses one of several named things for a complete dialogue, by weight: an additional one takes
/// equally from all others. For choices that are not part of the script.
pub fn for_dialogue<'n>(
    (seed, dialogue, index): (Seed, &str, u64),
    purpose: &str,
    candidates: impl Iterator<Item = (&'n str, u32)>,
) -> Option<usize> {
    let mut stream = Streams::new(seed, dialogue, index).choice_stream(0, purpose, StreamKey::NONE);
    stream.named(candidates.map(|(name, weight)| (name_number(name), weight)))
}

/// A random number for the choice of phrases in a dialogue.
pub fn dice_of_words((seed, dialogue, index): (Seed, &str, u64)) -> u64 {
    Streams::new(seed, dialogue, index).words(0)
}

/// The draws of one choice, from a position in the generator's cycle that is derived from the place
/// of the choice.
pub(super) struct Stream {
    random: SplitMix64,
    chosen: Arc<AtomicBool>,
}

impl Stream {
    /// An integer from `low` to `high`, inclusive.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        self.chosen.store(true, Ordering::Relaxed);
        match high.wrapping_sub(low).wrapping_add(1) as u64 {
            // All 2^64 numbers.
            0 => self.random.draw() as i64,
            count => low.wrapping_add(self.random.integer_below(count) as i64),
        }
    }

    pub fn number(&mut self) -> u64 {
        self.chosen.store(true, Ordering::Relaxed);
        self.unnoted()
    }

    /// A random number that is not recorded as a draw.
    pub fn unnoted(&mut self) -> u64 {
        self.random.draw()
    }

    /// Records a draw if there is more than one possibility.
    fn record(&self, possibilities: usize) {
        if possibilities > 1 {
            self.chosen.store(true, Ordering::Relaxed);
        }
    }

    /// One of several weights, by index. `None` if all are zero.
    pub fn weighted(&mut self, weights: &[u64]) -> Option<usize> {
        let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        self.record(weights.iter().filter(|weight| **weight > 0).count());
        let mut left = self.random.below_wide(total);
        weights.iter().position(|weight| match left.checked_sub(u128::from(*weight)) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        })
    }

    /// One of several named things with weights, such that an additional candidate takes equally
    /// from all others and reorders none of them: each candidate draws its own number by its name,
    /// and the minimum wins (an exponential race).
    pub fn named(&mut self, candidates: impl Iterator<Item = (u64, u32)>) -> Option<usize> {
        let base = self.unnoted();
        let mut best: Option<(usize, u64, u32)> = None;
        let mut possible = 0;
        for (at, (name, weight)) in candidates.enumerate() {
            if weight == 0 {
                continue;
            }
            possible += 1;
            let drawn = mix(base ^ name);
            let wins = match best {
                None => true,
                Some((_, other, its_weight)) if weight == its_weight => drawn > other,
                Some((_, other, its_weight)) => {
                    arrival_time(drawn, weight) < arrival_time(other, its_weight)
                }
            };
            if wins {
                best = Some((at, drawn, weight));
            }
        }
        self.record(possible);
        best.map(|(at, ..)| at)
    }

    /// The same as `named` with equal weights, for long lists: `open` is evaluated only for
    /// candidates that would win.
    pub fn alike(
        &mut self,
        candidates: impl Iterator<Item = u64>,
        is_open: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let base = self.unnoted();
        let mut best: Option<(usize, u64)> = None;
        let mut possible = 0;
        for (at, name) in candidates.enumerate() {
            possible += 1;
            let drawn = mix(base ^ name);
            if best.is_none_or(|(_, other)| drawn > other) && is_open(at) {
                best = Some((at, drawn));
            }
        }
        self.record(possible);
        best.map(|(at, _)| at)
    }

    /// Several different named things, by index, in the order of the candidates.
    pub fn several(&mut self, candidates: &[u64], count: usize) -> Vec<usize> {
        let base = self.unnoted();
        if count > 0 && count < candidates.len() {
            self.record(candidates.len());
        }
        let mut drawn: Vec<(u64, usize)> =
            candidates.iter().enumerate().map(|(at, name)| (mix(base ^ name), at)).collect();
        drawn.sort_unstable_by(|one, other| other.cmp(one));
        let mut chosen: Vec<usize> = drawn.into_iter().take(count).map(|(_, at)| at).collect();
        chosen.sort_unstable();
        chosen
    }
}

/// The time a candidate of this weight takes: exponentially distributed.
fn arrival_time(drawn: u64, weight: u32) -> f64 {
    wait(drawn) / f64::from(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These numbers are part of edition 1: a change here changes every script.
    #[test]
    fn golden_numbers() {
        let streams = Streams::new(Seed(7), "evolving", 3);
        let number = |turn, purpose, name| streams.choice_stream(turn, purpose, name).number();
        let mut ranges = streams.choice_stream(1, "range", StreamKey::NONE);
        let weighted =
            |turn| streams.choice_stream(turn, "weight", StreamKey::NONE).weighted(&[5, 3, 2]);
        let sampled = (
            [ranges.int(1, 100), ranges.int(-5, 5), ranges.int(i64::MIN, i64::MAX)],
            [0, 1, 2, 3, 4, 5].map(weighted),
        );
        let places = [1, 0, 0, 2, 2, 1].map(Some);
        assert_eq!(sampled, ([70, 3, 6_712_270_787_983_086_404], places));
        let numbers = [
            number(1, "topic", StreamKey::NONE),
            number(2, "topic", StreamKey::NONE),
            number(1, "arg", StreamKey::new("length.at_least").and("n")),
            name_number("length"),
        ];
        assert_eq!(
            numbers,
            [
                5_510_603_704_337_692_960,
                13_429_705_360_467_258_246,
                13_199_720_493_081_999_844,
                3_484_433_897_881_273_082
            ]
        );
    }

    #[test]
    fn an_added_candidate_changes_only_its_own_share() {
        let names: Vec<u64> = ["a", "b", "c", "d"].map(name_number).to_vec();
        let (mut same, mut to_new) = (0, 0);
        for turn in 0..2000 {
            let streams = Streams::new(Seed(1), "x", 0);
            let few = streams
                .choice_stream(turn, "t", StreamKey::NONE)
                .named(names[..3].iter().map(|name| (*name, 1)));
            let more = streams
                .choice_stream(turn, "t", StreamKey::NONE)
                .named(names.iter().map(|name| (*name, 1)));
            if few == more {
                same += 1;
            } else {
                assert_eq!(more, Some(3));
                to_new += 1;
            }
        }
        assert!((1400..1600).contains(&same) && (400..600).contains(&to_new));
    }

    /// Mean, variance and the correlation of neighbouring positions.
    #[test]
    fn places_are_independent() {
        let share = |number: u64| number as f64 / u64::MAX as f64 - 0.5;
        let streams = Streams::new(Seed(1), "x", 0);
        let (mut sum, mut squares, mut products, mut before) = (0.0, 0.0, 0.0, 0.0);
        const DRAWS: u64 = 100_000;
        for turn in 0..DRAWS {
            let drawn = share(streams.choice_stream(turn, "t", StreamKey::NONE).number());
            sum += drawn;
            squares += drawn * drawn;
            products += drawn * before;
            before = drawn;
        }
        let mean = |sum: f64| sum / DRAWS as f64;
        assert!(mean(sum).abs() < 0.004);
        assert!((mean(squares) - 1.0 / 12.0).abs() < 0.001);
        assert!(mean(products).abs() < 0.001);
    }

    #[test]
    fn whole_numbers_reach_both_ends() {
        let streams = Streams::new(Seed(1), "x", 0);
        let drawn: Vec<i64> = (0..200)
            .map(|turn| streams.choice_stream(turn, "t", StreamKey::NONE).int(-1, 2))
            .collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-1), Some(&2)));
        streams.choice_stream(0, "t", StreamKey::NONE).int(i64::MIN, i64::MAX);
    }

    #[test]
    fn long_lists_are_sampled_uniformly() {
        let names: Vec<u64> = (0..40).map(mix).collect();
        for turn in 0..200 {
            let stream = || Streams::new(Seed(1), "x", 0).choice_stream(turn, "t", StreamKey::NONE);
            let open = |at: usize| at as u64 % 3 != turn % 3;
            let kept: Vec<usize> = (0..40).filter(|at| open(*at)).collect();
            let slow = stream().named(kept.iter().map(|at| (names[*at], 1)));
            assert_eq!(stream().alike(names.iter().copied(), open), slow.map(|at| kept[at]));
        }
    }

    #[test]
    fn weights_are_kept() {
        let names: Vec<u64> = ["a", "b"].map(name_number).to_vec();
        let streams = Streams::new(Seed(1), "x", 0);
        let first = (0..4000)
            .filter(|turn| {
                let weighed = [(names[0], 3), (names[1], 1)].into_iter();
                streams.choice_stream(*turn, "t", StreamKey::NONE).named(weighed) == Some(0)
            })
            .count();
        assert!((2880..3120).contains(&first), "{first}");
    }
}
