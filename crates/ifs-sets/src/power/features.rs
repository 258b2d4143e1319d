//! How many dialogues show that a frequency of a set was moved: the sizes for `ifs compare-sets`.

use serde::Serialize;

use super::normal::quantile;
use crate::alike::is_held_or_not;
use crate::{MIN_DIALOGUES, Moments, SetFeatures};

/// A feature, and the dialogues of each of two sets that show that it differs.
#[derive(Clone, Debug, Serialize)]
pub struct FeaturePower {
    pub feature: String,
    pub mean: f64,
    /// Its mean in the other definition.
    pub other: f64,
    /// `None` if it does not differ, or cannot.
    pub dialogues: Option<u64>,
}

/// Each feature of a definition, as if its mean was multiplied by a factor.
pub fn moved_features(one: &SetFeatures, factor: f64, level: f64, power: f64) -> Vec<FeaturePower> {
    let moments = one.moments_of_all();
    let number = moments.len();
    let found = moments.into_iter().map(|one| {
        let other = Moments { mean: one.mean * factor, ..one.clone() };
        match is_share(&one.feature) && other.mean > 1.0 {
            true => FeaturePower { dialogues: None, ..needed(&one, &other, number, level, power) },
            false => needed(&one, &other, number, level, power),
        }
    });
    sorted(found.collect())
}

/// Whether a feature is the share of turns or dialogues that have something.
fn is_share(feature: &str) -> bool {
    ["constraint ", "move ", "relation ", "topic ", "style "]
        .iter()
        .any(|kind| feature.starts_with(kind))
}

/// A difference of means has to be this many standard errors of the drawn dialogues: smaller ones
/// may be chance.
const MIN_STANDARD_ERRORS: f64 = 3.0;

/// Each feature of two definitions.
pub fn separated(
    one: &SetFeatures,
    other: &SetFeatures,
    level: f64,
    power: f64,
) -> Vec<FeaturePower> {
    let (mine, theirs) = (one.moments_of_all(), other.moments_of_all());
    let absent = |like: &Moments| Moments {
        feature: like.feature.clone(),
        mean: 0.0,
        variance: 0.0,
        having: 0.0,
    };
    let mut pairs: Vec<(Moments, Moments)> = Vec::new();
    for one in &mine {
        let other = theirs.iter().find(|other| other.feature == one.feature);
        pairs.push((one.clone(), other.cloned().unwrap_or_else(|| absent(one))));
    }
    let new = theirs.iter().filter(|other| mine.iter().all(|one| one.feature != other.feature));
    pairs.extend(new.map(|other| (absent(other), other.clone())));
    let number = pairs.len();
    let [drawn, of_other] = [one, other].map(|features| features.dialogues() as f64);
    let found = pairs.iter().map(|(one, other)| {
        let error = (one.variance / drawn + other.variance / of_other).sqrt();
        let found = needed(one, other, number, level, power);
        match (one.mean - other.mean).abs() > MIN_STANDARD_ERRORS * error {
            true => found,
            false => FeaturePower { dialogues: None, ..found },
        }
    });
    sorted(found.collect())
}

/// The dialogues of each set that show that any feature differs: those of the feature that needs the
/// fewest. As features vary together, fewer may do.
pub fn needed_for_any(features: &[FeaturePower]) -> Option<u64> {
    features.iter().filter_map(|feature| feature.dialogues).min()
}

fn sorted(mut found: Vec<FeaturePower>) -> Vec<FeaturePower> {
    found.sort_by(|one, other| {
        let key = |it: &FeaturePower| it.dialogues.unwrap_or(u64::MAX);
        key(one).cmp(&key(other)).then_with(|| one.feature.cmp(&other.feature))
    });
    found
}

/// (z + z)² · (σ₁² + σ₂²) / (μ₁ - μ₂)², at the level that Holm's correction gives the first of
/// `number` tests, and as many dialogues as a feature needs to be tested at all.
fn needed(one: &Moments, other: &Moments, number: usize, level: f64, power: f64) -> FeaturePower {
    let difference = (one.mean - other.mean).abs();
    let z = quantile(1.0 - level / (2.0 * number.max(1) as f64)) + quantile(power);
    let size = z * z * (one.variance + other.variance) / (difference * difference);
    // Of two sets of n dialogues, `MIN_DIALOGUES` have the feature, and of a topic or a style as
    // many lack it.
    let having = one.having + other.having;
    let least = |share: f64| if share > 0.0 { MIN_DIALOGUES as f64 / share } else { 0.0 };
    let lacking = if is_held_or_not(&one.feature) { least(2.0 - having) } else { 0.0 };
    let size = size.max(least(having)).max(lacking).max(2.0);
    FeaturePower {
        feature: one.feature.clone(),
        mean: one.mean,
        other: other.mean,
        dialogues: (difference > 1e-12 && size.is_finite()).then(|| libm::ceil(size) as u64),
    }
}
