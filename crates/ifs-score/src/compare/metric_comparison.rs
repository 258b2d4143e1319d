//! Several runs on one metric: their values, and which of them can be distinguished.

use serde::Serialize;

use super::ComparedRun;
use super::number_texts;
use super::randomization::{Pairing, RandomizationTest, holm, randomization};
use crate::{ComparedMetric, Direction, MetricUnit, ScoreValue};

/// Two runs differ significantly if p is below this level after Holm's correction over all pairs of
/// a metric.
pub const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// A metric of all runs.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MetricComparison {
    pub metric: String,
    pub unit: MetricUnit,
    pub direction: Direction,
    /// In the order of the runs.
    pub values: Vec<MetricValue>,
    /// Every two runs; empty if the metric cannot be computed dialogue by dialogue.
    pub pairs: Vec<MetricPair>,
}

/// The value of one run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MetricValue {
    pub run: String,
    pub value: Option<f64>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
    pub standard_error: Option<f64>,
    /// The number of terms of the value, and of their distinct dialogues.
    pub count: u64,
    pub distinct: u64,
    /// The best and the worst rank that is consistent with the tests, from 1; `None` without a
    /// test.
    pub rank: Option<(usize, usize)>,
    /// Whether no run has a better value, and another has a worse one.
    pub is_best: bool,
}

/// Two runs on the dialogues that both have.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MetricPair {
    pub one: String,
    pub other: String,
    /// Distinct dialogues that both runs have.
    pub dialogues: usize,
    #[serde(flatten)]
    pub tested: RandomizationTest,
    /// The p-value after Holm's correction over all pairs of the metric.
    pub adjusted_p: f64,
}

/// The metric over all runs; `None` if no run has a value.
#[must_use]
pub fn compare_metric(sides: &[ComparedRun], metric: &ComparedMetric) -> Option<MetricComparison> {
    let mut values: Vec<MetricValue> = sides.iter().map(|side| entry(side, &metric.name)).collect();
    let numbers = || values.iter().filter_map(|entry| entry.value);
    let best = numbers().reduce(|one, other| match metric.direction {
        Direction::HigherIsBetter => one.max(other),
        Direction::LowerIsBetter => one.min(other),
    })?;
    // A metric that only one run has, or on which all are equal, has no best run.
    let differs = numbers().any(|number| number != best);
    values.iter_mut().for_each(|entry| entry.is_best = differs && entry.value == Some(best));
    let pairs = pairs(sides, &metric.name);
    rank(&mut values, &pairs, metric.direction);
    let pairs = pairs.into_iter().map(|(.., pair)| pair).collect();
    let ComparedMetric { name, unit, direction } = metric.clone();
    Some(MetricComparison { metric: name, unit, direction, values, pairs })
}

fn entry(side: &ComparedRun, metric: &str) -> MetricValue {
    let measured = side.place(metric).map(|at| &side.metrics[at].measured);
    let undefined = measured.and_then(|measured| match &measured.value {
        ScoreValue::Number(_) => None,
        ScoreValue::Undefined { why } => Some(why.clone()),
    });
    MetricValue {
        run: side.name.clone(),
        value: measured.and_then(|measured| measured.number()),
        undefined,
        standard_error: measured.and_then(|measured| measured.standard_error),
        count: measured.map_or(0, |measured| measured.count),
        distinct: measured.map_or(0, |measured| measured.distinct),
        rank: None,
        is_best: false,
    }
}

/// Every two runs with common dialogues, by index.
fn pairs(sides: &[ComparedRun], metric: &str) -> Vec<(usize, usize, MetricPair)> {
    let mut found = Vec::new();
    for (first, one) in sides.iter().enumerate() {
        for (second, other) in sides.iter().enumerate().skip(first + 1) {
            let places = one.place(metric).zip(other.place(metric));
            let Some((mine, theirs)) = places else { continue };
            if !one.is_summed(mine) || !other.is_summed(theirs) {
                continue;
            }
            let pairings = pairings(one, other, (mine, theirs));
            let Some(tested) = randomization(&pairings) else { continue };
            let (one, other) = (one.name.clone(), other.name.clone());
            let dialogues = pairings.len();
            let pair = MetricPair { one, other, dialogues, tested, adjusted_p: 1.0 };
            found.push((first, second, pair));
        }
    }
    let chances: Vec<f64> = found.iter().map(|(.., pair)| pair.tested.p).collect();
    for ((.., pair), adjusted) in found.iter_mut().zip(holm(&chances)) {
        pair.adjusted_p = adjusted;
    }
    found
}

/// The contribution of each text for which either run has a term, repeats together.
fn pairings(one: &ComparedRun, other: &ComparedRun, metric: (usize, usize)) -> Vec<Pairing> {
    let mut found = std::collections::BTreeMap::<u64, Pairing>::new();
    for (place, text) in number_texts(one, other) {
        let (Some(mine), Some(theirs)) = (one.dialogues.get(place), other.dialogues.get(place))
        else {
            continue;
        };
        let (mine, theirs) = (mine.term(metric.0), theirs.term(metric.1));
        if mine.1 != 0.0 || theirs.1 != 0.0 {
            let pairing = found.entry(text).or_default();
            pairing.one = (pairing.one.0 + mine.0, pairing.one.1 + mine.1);
            pairing.other = (pairing.other.0 + theirs.0, pairing.other.1 + theirs.1);
        }
    }
    found.into_values().collect()
}

/// The best rank of a run is after all runs that are significantly better, the worst before all
/// that are significantly worse.
fn rank(values: &mut [MetricValue], pairs: &[(usize, usize, MetricPair)], direction: Direction) {
    if pairs.is_empty() {
        return;
    }
    let ranked = values.iter().filter(|entry| entry.value.is_some()).count();
    let (mut better, mut worse) = (vec![0; values.len()], vec![0; values.len()]);
    for (first, second, pair) in
        pairs.iter().filter(|(.., pair)| pair.adjusted_p < SIGNIFICANCE_LEVEL)
    {
        let first_is_larger = pair.tested.difference > 0.0;
        let (winner, loser) = match first_is_larger == (direction == Direction::HigherIsBetter) {
            true => (*first, *second),
            false => (*second, *first),
        };
        better[loser] += 1;
        worse[winner] += 1;
    }
    for (at, entry) in values.iter_mut().enumerate() {
        entry.rank = entry.value.map(|_| (1 + better[at], ranked - worse[at]));
    }
}
