//! How much wording two texts share, by MinHash over n-grams of words: sketches of fixed size.

use std::collections::HashMap;

use ifs_value::stable_hash::{StreamKey, mix};

/// Words of an n-gram.
pub const NGRAM_WORDS: usize = 4;

/// The bins of a sketch; the standard error of a likeness of 0.8 is 0.035.
const SKETCH_BINS: usize = 128;

/// An empty bin.
const EMPTY_BIN: u32 = u32::MAX;

/// The smallest hash of the n-grams in each bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    bins: Box<[u32; SKETCH_BINS]>,
}

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch { bins: Box::new([EMPTY_BIN; SKETCH_BINS]) }
    }
}

impl Sketch {
    /// Adds the n-grams of a text.
    pub fn add(&mut self, text: &str) {
        each_gram(text, NGRAM_WORDS, |gram| {
            let bin = (gram % SKETCH_BINS as u64) as usize;
            // The number of an empty bin is never a hash.
            let hash = ((gram >> 32) as u32).min(EMPTY_BIN - 1);
            self.bins[bin] = self.bins[bin].min(hash);
        });
    }

    /// The estimated share of all n-grams that occur in both texts.
    pub fn likeness(&self, other: &Sketch) -> f64 {
        let (mut same, mut any) = (0u32, 0u32);
        for (one, two) in self.bins.iter().zip(other.bins.iter()) {
            if *one != EMPTY_BIN || *two != EMPTY_BIN {
                any += 1;
                same += u32::from(one == two);
            }
        }
        if any == 0 { 0.0 } else { f64::from(same) / f64::from(any) }
    }
}

/// Calls `give` with the hash of each n-gram of words; a text with fewer words is one.
pub fn each_gram(text: &str, words: usize, mut give: impl FnMut(u64)) {
    let hashes = hashes(text);
    if hashes.is_empty() {
        return;
    }
    for gram in hashes.windows(words.min(hashes.len())) {
        let key = gram.iter().fold(StreamKey::NONE, |key, word| key.and_number(*word));
        give(mix(key.number()));
    }
}

/// The number of words of a text.
pub fn word_count(text: &str) -> usize {
    hashes(text).len()
}

/// The hashes of the words of a text without regard to case. A letter of a script without blanks
/// is a word.
fn hashes(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    let mut word = String::new();
    let end = |word: &mut String, hashes: &mut Vec<u64>| {
        if !word.is_empty() {
            hashes.push(StreamKey::new(word).number());
            word.clear();
        }
    };
    for letter in text.chars() {
        let alone = matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        if alone || !letter.is_alphanumeric() {
            end(&mut word, &mut hashes);
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        if alone {
            end(&mut word, &mut hashes);
        }
    }
    end(&mut word, &mut hashes);
    hashes
}

/// Hashes that a [`HashSample`] keeps.
const SAMPLE_SIZE: usize = 4096;

/// The smallest of many hashes, so that two sets of any size can be compared: a share is exact for
/// small sets, and has a standard error of at most 0.008 for large ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HashSample {
    kept: std::collections::BTreeSet<u64>,
    /// Whether something was left out.
    is_part: bool,
}

impl HashSample {
    pub fn add(&mut self, hash: u64) {
        if self.kept.len() < SAMPLE_SIZE {
            self.kept.insert(hash);
            return;
        }
        if self.kept.last().is_some_and(|last| hash < *last) && self.kept.insert(hash) {
            self.kept.pop_last();
        }
        self.is_part = true;
    }

    /// The largest hash up to which everything is known.
    fn largest_known(&self) -> u64 {
        match self.is_part {
            true => self.kept.last().copied().unwrap_or(u64::MAX),
            false => u64::MAX,
        }
    }

    /// The share of its hashes that another one has; 0 for none.
    pub fn share_in(&self, other: &HashSample) -> f64 {
        let known = self.largest_known().min(other.largest_known());
        let (mut all, mut shared) = (0u32, 0u32);
        for hash in self.kept.range(..=known) {
            all += 1;
            shared += u32::from(other.kept.contains(hash));
        }
        if all == 0 { 0.0 } else { f64::from(shared) / f64::from(all) }
    }
}

/// Sketches among which those near to another one are found without comparing all.
#[derive(Debug)]
pub struct Index {
    /// Bins that have to agree for two sketches to be compared.
    rows: usize,
    least: f64,
    sketches: Vec<Sketch>,
    /// Sketches by their values in a band of bins. Only looked up, never iterated.
    bands: HashMap<u64, Vec<u32>>,
}

impl Index {
    /// An index for sketches that share more than this.
    pub fn new(least: f64) -> Index {
        // At the threshold, a pair is missed once in 4,000 (four rows) or less often.
        let rows = if least >= 0.7 { 4 } else { 2 };
        Index { rows, least, sketches: Vec::new(), bands: HashMap::new() }
    }

    fn bands(&self, sketch: &Sketch) -> Vec<u64> {
        let bands = sketch.bins.chunks(self.rows).enumerate();
        let some = bands.filter(|(_, band)| band.iter().any(|bin| *bin != EMPTY_BIN));
        some.map(|(at, band)| {
            let key = StreamKey::NONE.and_number(at as u64);
            band.iter().fold(key, |key, bin| key.and_number(u64::from(*bin))).number()
        })
        .collect()
    }

    /// The most similar sketch that shares more than the threshold, by its place; the first of
    /// several.
    pub fn nearest(&self, sketch: &Sketch) -> Option<(usize, f64)> {
        let mut near: Vec<u32> = self
            .bands(sketch)
            .iter()
            .filter_map(|band| self.bands.get(band))
            .flatten()
            .copied()
            .collect();
        near.sort_unstable();
        near.dedup();
        let mut best: Option<(usize, f64)> = None;
        for at in near {
            let likeness = self.sketches[at as usize].likeness(sketch);
            if likeness > self.least && best.is_none_or(|(_, known)| likeness > known) {
                best = Some((at as usize, likeness));
            }
        }
        best
    }

    pub fn insert(&mut self, sketch: Sketch) {
        let at = u32::try_from(self.sketches.len()).unwrap_or(u32::MAX);
        for band in self.bands(&sketch) {
            self.bands.entry(band).or_default().push(at);
        }
        self.sketches.push(sketch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(text: &str) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.add(text);
        sketch
    }

    fn numbers(range: std::ops::Range<u32>) -> String {
        range.map(|number| format!("w{number} ")).collect()
    }

    #[test]
    fn likeness_is_near_the_share_of_common_n_grams() {
        for shared in [0u32, 100, 400, 800, 1000] {
            let one = sketch(&numbers(0..1000));
            let other = sketch(&numbers(1000 - shared..2000 - shared));
            let expected = f64::from(shared) / f64::from(2000 - shared);
            let found = one.likeness(&other);
            assert!((found - expected).abs() < 0.13, "{shared}: {found} {expected}");
        }
        assert_eq!(sketch("Hello.").likeness(&sketch("hello")), 1.0);
        assert_eq!(sketch("").likeness(&sketch("")), 0.0);
        assert!(sketch("今天天气很好").likeness(&sketch("今天天气很坏")) > 0.2);
    }

    #[test]
    fn a_sample_estimates_the_share() {
        let sample = |numbers: std::ops::Range<u64>| {
            let mut sample = HashSample::default();
            numbers.for_each(|number| sample.add(mix(number)));
            sample
        };
        assert_eq!(sample(0..100).share_in(&sample(50..300)), 0.5);
        for (one, other) in [(0..20_000, 5_000..50_000), (0..50_000, 12_500..40_000 + 10_000)] {
            let share = sample(one).share_in(&sample(other));
            assert!((share - 0.75).abs() < 0.03, "{share}");
        }
        assert_eq!(sample(0..0).share_in(&sample(0..9)), 0.0);
    }

    #[test]
    fn an_index_finds_what_comparing_all_finds() {
        let texts: Vec<Sketch> =
            (0..60).map(|at| sketch(&numbers(at * 40..at * 40 + 400 - at % 3))).collect();
        for least in [0.5, 0.8] {
            let mut index = Index::new(least);
            for (count, text) in texts.iter().enumerate() {
                let all = texts[..count].iter().map(|known| known.likeness(text));
                let best = all.fold(0.0, f64::max);
                let found = index.nearest(text).map_or(0.0, |(_, likeness)| likeness);
                assert_eq!(found, if best > least { best } else { 0.0 });
                index.insert(text.clone());
            }
        }
    }
}
