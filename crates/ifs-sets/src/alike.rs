//! Whether two sets are of one distribution, and how much of their wording is shared.
//!
//! Each feature of a dialogue is a number (its turns, the share of its turns on which a constraint is
//! active, …). Means over dialogues are compared by Welch's z test, with Holm's correction over all
//! features. A feature that fewer than [`MIN_DIALOGUES`] dialogues have, or lack, or of a smaller set, is not tested: the normal
//! approximation is bad there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::row::SetRow;
use ifs_base::minhash::{HashSample, Index, Sketch, each_gram};
use ifs_score::compare::holm;
use ifs_value::stable_hash::StreamKey;

/// Dialogues of both sets together that have a feature, and that differ from the rest by it.
pub const MIN_DIALOGUES: usize = 30;

/// Words of the n-grams whose overlap is measured.
pub const NGRAM_WORDS: usize = 8;

/// The share of 4-grams above which two dialogues are nearly the same.
pub const NEAR_DUPLICATE_SHARE: f64 = 0.8;

/// A set as numbers.
#[derive(Clone, Debug, Default)]
pub struct SetFeatures {
    dialogues: usize,
    /// The values of each feature that are not 0.
    values: BTreeMap<String, Vec<f64>>,
    wording: WordingSample,
    sketches: Vec<Sketch>,
}

/// Samples of the messages of a set, and of their n-grams.
#[derive(Clone, Debug, Default)]
pub struct WordingSample {
    messages: HashSample,
    grams: HashSample,
}

impl WordingSample {
    pub fn add(&mut self, message: &str) {
        self.messages.add(StreamKey::new(message).number());
        self.add_text(message);
    }

    fn add_text(&mut self, text: &str) {
        each_gram(text, NGRAM_WORDS, |gram| self.grams.add(gram));
    }

    /// The shares of its messages and of its n-grams that another one has.
    pub fn shares_in(&self, other: &WordingSample) -> [f64; 2] {
        [self.messages.share_in(&other.messages), self.grams.share_in(&other.grams)]
    }
}

impl SetFeatures {
    pub fn add(&mut self, row: &SetRow) {
        self.dialogues += 1;
        let turns = row.turns.len() as f64;
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |name: String, value: f64| *sums.entry(name).or_default() += value;
        add("turns".to_owned(), turns);
        let mut once: BTreeSet<String> = BTreeSet::new();
        let mut sketch = Sketch::default();
        for turn in &row.turns {
            let script = &turn.script;
            add(
                "active constraints per turn".to_owned(),
                script.active_constraints.len() as f64 / turns,
            );
            let words = words_of(&script.ask);
            add("words per user message".to_owned(), words.len() as f64 / turns);
            for active in &script.active_constraints {
                add(format!("constraint {}", active.constraint), 1.0 / turns);
            }
            add(format!("move {}", script.transition.word()), 1.0 / turns);
            for related in &script.relations {
                add(format!("relation {}", related.kind.word()), 1.0 / turns);
            }
            if !script.topic.is_empty() {
                once.insert(format!("topic {}", script.topic));
            }
            once.extend(script.style.iter().map(|style| format!("style {style}")));
            self.wording.add(&script.ask);
            sketch.add(&script.ask);
        }
        self.sketches.push(sketch);
        once.into_iter().for_each(|name| add(name, 1.0));
        for (name, value) in sums {
            self.values.entry(name).or_default().push(value);
        }
    }

    /// The wording of any other text.
    pub fn add_text(&mut self, text: &str) {
        self.wording.add_text(text);
    }

    /// The number of dialogues.
    pub fn dialogues(&self) -> usize {
        self.dialogues
    }

    /// Mean and variance of every feature.
    pub fn moments_of_all(&self) -> Vec<Moments> {
        let moments = |(name, values): (&String, &Vec<f64>)| {
            let (mean, variance) = self.moments(name);
            let having = values.len() as f64 / self.dialogues as f64;
            Moments { feature: name.clone(), mean, variance, having }
        };
        self.values.iter().map(moments).collect()
    }

    /// Mean and variance of a feature over the dialogues.
    fn moments(&self, name: &str) -> (f64, f64) {
        let values = self.values.get(name).map_or(&[][..], Vec::as_slice);
        let count = self.dialogues as f64;
        let mean = values.iter().sum::<f64>() / count;
        let absent = (self.dialogues - values.len()) as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        (mean, (squares + absent * mean * mean) / (count - 1.0).max(1.0))
    }
}

/// A feature over the dialogues of a set.
#[derive(Clone, Debug)]
pub struct Moments {
    pub feature: String,
    pub mean: f64,
    pub variance: f64,
    /// The share of the dialogues that have it.
    pub having: f64,
}

/// Whether a dialogue has the feature or lacks it. Other features are means over its turns, which
/// vary among the dialogues that have them.
pub(super) fn is_held_or_not(feature: &str) -> bool {
    feature.starts_with("topic ") || feature.starts_with("style ")
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// A feature of both sets.
#[derive(Clone, Debug, Serialize)]
pub struct SetTest {
    pub feature: String,
    pub mean_one: f64,
    pub mean_other: f64,
    /// The chance of such a difference between sets of one distribution, corrected for all tests.
    pub p: f64,
}

/// Two sets side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Likeness {
    pub dialogues: [usize; 2],
    /// The features that were tested, the most different first.
    pub tested: Vec<SetTest>,
    /// Features that too few dialogues have.
    pub untested: usize,
    /// The share of the distinct messages, and of the distinct 8-grams, of the other set that are in
    /// this one.
    pub shared_messages: f64,
    pub shared_grams: f64,
    /// Dialogues of the other set that share more than `NEAR_DUPLICATE_SHARE` of their 4-grams with one of this
    /// set.
    pub near_duplicates: usize,
}

impl Likeness {
    /// The features that differ at this level.
    pub fn different(&self, level: f64) -> impl Iterator<Item = &SetTest> {
        self.tested.iter().filter(move |tested| tested.p < level)
    }
}

/// The share of the distinct 8-grams of a set that are in a text.
pub fn overlap(set: &SetFeatures, corpus: &SetFeatures) -> f64 {
    set.wording.grams.share_in(&corpus.wording.grams)
}

/// Compares two sets.
pub fn likeness(one: &SetFeatures, other: &SetFeatures) -> Likeness {
    let names: BTreeSet<&String> = one.values.keys().chain(other.values.keys()).collect();
    let all = one.dialogues + other.dialogues;
    let (mut tested, mut untested) = (Vec::new(), 0);
    for name in names {
        let having = [one, other]
            .map(|set| set.values.get(name).map_or(0, Vec::len))
            .into_iter()
            .sum::<usize>();
        let [(mean, variance), (mean_other, variance_other)] =
            [one.moments(name), other.moments(name)];
        let error =
            variance / one.dialogues.max(1) as f64 + variance_other / other.dialogues.max(1) as f64;
        let always = having == all;
        if having < MIN_DIALOGUES
            || (is_held_or_not(name) && !always && all - having < MIN_DIALOGUES)
            || one.dialogues.min(other.dialogues) < MIN_DIALOGUES
        {
            untested += 1;
            continue;
        }
        let difference = (mean - mean_other).abs();
        let p = match error > 0.0 {
            true => libm::erfc(difference / libm::sqrt(2.0 * error)),
            // Both are constants.
            false if difference > 1e-12 => 0.0,
            false => 1.0,
        };
        tested.push(SetTest { feature: name.clone(), mean_one: mean, mean_other, p });
    }
    let corrected = holm(&tested.iter().map(|tested| tested.p).collect::<Vec<f64>>());
    for (tested, p) in tested.iter_mut().zip(corrected) {
        tested.p = p;
    }
    tested.sort_by(|one, other| one.p.total_cmp(&other.p).then(one.feature.cmp(&other.feature)));
    let [shared_messages, shared_grams] = other.wording.shares_in(&one.wording);
    let mut index = Index::new(NEAR_DUPLICATE_SHARE);
    one.sketches.iter().for_each(|sketch| index.insert(sketch.clone()));
    let near_duplicates =
        other.sketches.iter().filter(|sketch| index.nearest(sketch).is_some()).count();
    Likeness {
        dialogues: [one.dialogues, other.dialogues],
        tested,
        untested,
        shared_messages,
        shared_grams,
        near_duplicates,
    }
}
