//! Agreement of raters: of judges with one another, and with people.
//!
//! Every measure is a function of a matrix that counts how often a pair of values was given to one
//! item. Such matrices add up over dialogues, so an interval needs only one sum per resample of
//! dialogues, and no second pass over the items.

use std::collections::BTreeMap;

use serde::Serialize;

use ifs_value::stable_hash::StreamKey;

/// An item that raters judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedItem {
    /// The number of its dialogue's text: items of one dialogue, and of repeats of one text, are
    /// correlated.
    pub dialogue: usize,
    /// The value of each rater, by index.
    pub values: Vec<Option<i64>>,
}

/// The distance between two values, for Krippendorff's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RaterDifference {
    /// Values are equal or different.
    Nominal,
    /// By the number of items with values between them.
    Ordinal,
    /// By the square of their distance.
    Interval,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgreementMeasure {
    /// The share of items on which two raters agree.
    Agreement,
    /// Cohen 1960, for two raters.
    CohenKappa,
    /// Fleiss 1971, over the items that all raters judged.
    FleissKappa,
    /// Krippendorff 2011, over the items that at least two raters judged.
    KrippendorffAlpha(RaterDifference),
}

/// A measure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgreementEstimate {
    pub measure: AgreementMeasure,
    /// `None` if the measure would divide by zero.
    pub value: Option<f64>,
    /// The 95 % interval over resamples; `None` if there are too few.
    pub interval: Option<(f64, f64)>,
    /// The number of items.
    pub things: u64,
    /// The number of distinct dialogues.
    pub dialogues: u64,
    /// The number of resamples in which it is undefined, which are dropped.
    pub undefined_resamples: u32,
}

const RESAMPLES: u32 = 1000;

/// A measure over some raters, by index.
#[must_use]
pub fn estimate(
    measure: AgreementMeasure,
    things: &[RatedItem],
    raters: &[usize],
    seed: u64,
) -> AgreementEstimate {
    let mut parts: BTreeMap<usize, Matrix> = BTreeMap::new();
    let mut counted = 0;
    for thing in things {
        let values: Vec<Option<i64>> =
            raters.iter().map(|at| thing.values.get(*at).copied().flatten()).collect();
        let part = parts.entry(thing.dialogue).or_default();
        counted += u64::from(part.add(measure, &values));
    }
    let parts: Vec<Matrix> = parts.into_values().filter(|part| !part.0.is_empty()).collect();
    let value = Matrix::sum(parts.iter().map(|part| (part, 1.0))).measured(measure);
    let (interval, undefined_resamples) = resampled(measure, &parts, seed);
    AgreementEstimate {
        measure,
        value,
        interval: interval.filter(|_| value.is_some()),
        things: counted,
        dialogues: parts.len() as u64,
        undefined_resamples,
    }
}

/// How often each pair of values was given to one item. For two raters, the first rater's value
/// comes first. For more, every pair of values of an item counts in both orders, so an item weighs
/// as much as its number of values.
#[derive(Clone, Debug, Default)]
struct Matrix(BTreeMap<(i64, i64), f64>);

impl Matrix {
    /// Adds an item if its values can be compared, and returns whether they can.
    fn add(&mut self, measure: AgreementMeasure, values: &[Option<i64>]) -> bool {
        let given: Vec<i64> = values.iter().copied().flatten().collect();
        let missing = given.len() < values.len();
        let comparable = given.len() >= 2;
        match measure {
            AgreementMeasure::Agreement | AgreementMeasure::CohenKappa => {
                let [Some(one), Some(other)] = values else { return false };
                *self.0.entry((*one, *other)).or_default() += 1.0;
            }
            AgreementMeasure::FleissKappa if missing || !comparable => return false,
            AgreementMeasure::KrippendorffAlpha(_) if !comparable => return false,
            AgreementMeasure::FleissKappa | AgreementMeasure::KrippendorffAlpha(_) => {
                let weight = 1.0 / (given.len() - 1) as f64;
                for (at, one) in given.iter().enumerate() {
                    for (with, other) in given.iter().enumerate() {
                        if at != with {
                            *self.0.entry((*one, *other)).or_default() += weight;
                        }
                    }
                }
            }
        }
        true
    }

    fn sum<'m>(parts: impl Iterator<Item = (&'m Matrix, f64)>) -> Matrix {
        let mut sum = Matrix::default();
        for (part, times) in parts {
            for (pair, count) in &part.0 {
                *sum.0.entry(*pair).or_default() += count * times;
            }
        }
        sum
    }

    fn total(&self) -> f64 {
        self.0.values().sum()
    }

    fn agreeing(&self) -> f64 {
        // Starts from a positive zero: the sum of an empty iterator is minus zero.
        self.0
            .iter()
            .filter(|((one, other), _)| one == other)
            .fold(0.0, |sum, (_, count)| sum + count)
    }

    /// How often each value was given as the first, and as the second of a pair.
    fn margins(&self) -> [BTreeMap<i64, f64>; 2] {
        let mut margins = [BTreeMap::new(), BTreeMap::new()];
        for ((one, other), count) in &self.0 {
            let [first, second] = &mut margins;
            *first.entry(*one).or_default() += count;
            *second.entry(*other).or_default() += count;
        }
        margins
    }

    fn measured(&self, measure: AgreementMeasure) -> Option<f64> {
        let total = self.total();
        if total == 0.0 {
            return None;
        }
        match measure {
            AgreementMeasure::Agreement => Some(self.agreeing() / total),
            // Fleiss' sum of squared shares is the same product, since every pair
            // is in both orders.
            AgreementMeasure::CohenKappa | AgreementMeasure::FleissKappa => {
                let [first, second] = self.margins();
                let product = |(value, count): (&i64, &f64)| {
                    count * second.get(value).copied().unwrap_or_default()
                };
                let expected: f64 = first.iter().map(product).sum::<f64>();
                let rest = total * total - expected;
                (rest > 0.0).then(|| (total * self.agreeing() - expected) / rest)
            }
            AgreementMeasure::KrippendorffAlpha(difference) => {
                let [counts, _] = self.margins();
                let between = |one: i64, other: i64| distance(difference, &counts, one, other);
                let observed: f64 =
                    self.0.iter().map(|((one, other), count)| count * between(*one, *other)).sum();
                let mut expected = 0.0;
                for (one, of_one) in &counts {
                    for (other, of_other) in &counts {
                        expected += of_one * of_other * between(*one, *other);
                    }
                }
                (expected > 0.0).then(|| 1.0 - (total - 1.0) * observed / expected)
            }
        }
    }
}

fn distance(difference: RaterDifference, counts: &BTreeMap<i64, f64>, one: i64, other: i64) -> f64 {
    if one == other {
        return 0.0;
    }
    match difference {
        RaterDifference::Nominal => 1.0,
        RaterDifference::Interval => {
            let apart = one as f64 - other as f64;
            apart * apart
        }
        RaterDifference::Ordinal => {
            let (low, high) = (one.min(other), one.max(other));
            let between: f64 = counts.range(low..=high).map(|(_, count)| count).sum();
            let ends = [low, high].map(|end| counts.get(&end).copied().unwrap_or_default());
            let apart = between - (ends[0] + ends[1]) / 2.0;
            apart * apart
        }
    }
}

/// The 2.5th and the 97.5th percentile over resamples of dialogues (Efron 1979), and how many
/// resamples were dropped. A single dialogue has no interval.
fn resampled(measure: AgreementMeasure, parts: &[Matrix], seed: u64) -> (Option<(f64, f64)>, u32) {
    if parts.len() < 2 {
        return (None, 0);
    }
    let mut found: Vec<f64> = Vec::new();
    for resample in 0..RESAMPLES {
        let key = StreamKey::new("resample").and_number(seed).and_number(u64::from(resample));
        let mut times = vec![0.0; parts.len()];
        for draw in 0..parts.len() as u64 {
            let number = ifs_value::stable_hash::mix(key.and_number(draw).number());
            // The upper bits of a product, so that all indices are equally likely.
            let place = (u128::from(number) * parts.len() as u128) >> 64;
            times[place as usize] += 1.0;
        }
        let drawn = parts.iter().zip(times).filter(|(_, times)| *times > 0.0);
        found.extend(Matrix::sum(drawn).measured(measure));
    }
    let undefined = RESAMPLES - found.len() as u32;
    found.sort_by(f64::total_cmp);
    let outside = found.len() / 40;
    let interval = match (found.get(outside), found.len().checked_sub(outside + 1)) {
        (Some(low), Some(high)) => found.get(high).map(|high| (*low, *high)),
        _ => None,
    };
    // Too few resamples do not determine the percentiles.
    (interval.filter(|_| found.len() >= 100), undefined)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One item for each dialogue; `.` is a missing value.
    fn things(raters: &[&str]) -> Vec<RatedItem> {
        let columns: Vec<Vec<Option<i64>>> = raters
            .iter()
            .map(|row| row.chars().map(|value| value.to_digit(10).map(i64::from)).collect())
            .collect();
        let thing = |at: usize| RatedItem {
            dialogue: at,
            values: columns.iter().map(|column| column[at]).collect(),
        };
        (0..columns[0].len()).map(thing).collect()
    }

    fn value(measure: AgreementMeasure, things: &[RatedItem], raters: &[usize]) -> f64 {
        estimate(measure, things, raters, 1).value.unwrap()
    }

    #[track_caller]
    fn is(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 0.0005, "{found}, not {wanted}");
    }

    /// 20 and 15 agreements, 5 and 10 disagreements: kappa is (0.7 - 0.5) / 0.5.
    #[test]
    fn cohen_by_hand() {
        let one = ["1".repeat(25), "0".repeat(25)].concat();
        let other = ["1".repeat(20), "0".repeat(5), "1".repeat(10), "0".repeat(15)].concat();
        let things = things(&[&one, &other]);
        is(value(AgreementMeasure::Agreement, &things, &[0, 1]), 0.7);
        is(value(AgreementMeasure::CohenKappa, &things, &[0, 1]), 0.4);
        is(value(AgreementMeasure::CohenKappa, &things, &[1, 0]), 0.4);
    }

    #[test]
    fn no_agreement_at_all_is_zero() {
        let things = things(&["0101", "1010"]);
        assert_eq!(value(AgreementMeasure::Agreement, &things, &[0, 1]).to_string(), "0");
    }

    /// A common textbook example with ten subjects, fourteen raters and five categories: 0.210.
    #[test]
    fn fleiss_of_fourteen_raters() {
        let counts = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ];
        let things: Vec<RatedItem> = counts
            .iter()
            .enumerate()
            .map(|(dialogue, row)| {
                let given = (1i64..).zip(row);
                let values = given.flat_map(|(value, times)| vec![Some(value); *times]).collect();
                RatedItem { dialogue, values }
            })
            .collect();
        let raters: Vec<usize> = (0..14).collect();
        is(value(AgreementMeasure::FleissKappa, &things, &raters), 0.210);
    }

    /// Krippendorff 2011, section C: four observers, twelve units, missing data;
    /// nominal 0.743, ordinal 0.815, interval 0.849.
    #[test]
    fn krippendorff_of_four_observers() {
        let things = things(&["123321412...", "1233224125..", ".33323422513", "12332441251."]);
        let alpha = |difference| {
            value(AgreementMeasure::KrippendorffAlpha(difference), &things, &[0, 1, 2, 3])
        };
        is(alpha(RaterDifference::Nominal), 0.743);
        is(alpha(RaterDifference::Ordinal), 0.815);
        is(alpha(RaterDifference::Interval), 0.849);
        let counted = estimate(AgreementMeasure::FleissKappa, &things, &[0, 1, 2, 3], 1).things;
        assert_eq!(counted, 8, "the things that all four read");
    }

    /// Krippendorff 2011, section A: two observers of ten units; 0.095.
    #[test]
    fn krippendorff_of_two_observers() {
        let things = things(&["0100000010", "1110010000"]);
        is(
            value(AgreementMeasure::KrippendorffAlpha(RaterDifference::Nominal), &things, &[0, 1]),
            0.095,
        );
    }

    #[test]
    fn division_by_zero_is_undefined() {
        let same = things(&["1111", "1111"]);
        assert_eq!(value(AgreementMeasure::Agreement, &same, &[0, 1]), 1.0);
        for measure in [
            AgreementMeasure::CohenKappa,
            AgreementMeasure::FleissKappa,
            AgreementMeasure::KrippendorffAlpha(RaterDifference::Nominal),
        ] {
            let found = estimate(measure, &same, &[0, 1], 1);
            assert_eq!((found.value, found.interval), (None, None), "{measure:?}");
            assert_eq!(estimate(measure, &[], &[0, 1], 1).things, 0);
        }
        assert_eq!(
            estimate(AgreementMeasure::CohenKappa, &things(&["1.0", ".1."]), &[0, 1], 1).value,
            None
        );
    }

    #[test]
    fn intervals_contain_the_value_and_are_reproducible() {
        let one = "10".repeat(30);
        let other: String = one
            .chars()
            .enumerate()
            .map(|(at, value)| if at % 7 == 0 { '1' } else { value })
            .collect();
        let things = things(&[&one, &other]);
        for measure in [
            AgreementMeasure::Agreement,
            AgreementMeasure::CohenKappa,
            AgreementMeasure::FleissKappa,
        ] {
            let found = estimate(measure, &things, &[0, 1], 7);
            let (low, high) = found.interval.unwrap();
            let value = found.value.unwrap();
            assert!(low < value && value < high && high <= 1.0, "{low} {value} {high}");
            assert_eq!(found, estimate(measure, &things, &[0, 1], 7));
        }
        // All items are of one dialogue, so there is nothing to resample.
        let alone: Vec<RatedItem> =
            things.iter().map(|thing| RatedItem { dialogue: 0, ..thing.clone() }).collect();
        assert_eq!(estimate(AgreementMeasure::CohenKappa, &alone, &[0, 1], 7).interval, None);
    }

    /// For a share of items with one item in each dialogue, the standard error is known to be
    /// sqrt(p (1 - p) / n).
    #[test]
    fn interval_widths() {
        let (one, other) = ("1".repeat(400), ["1".repeat(320), "0".repeat(80)].concat());
        let found = estimate(AgreementMeasure::Agreement, &things(&[&one, &other]), &[0, 1], 3);
        let (low, high) = found.interval.unwrap();
        // 0.8 by 1.96 times 0.02.
        assert!((high - low - 2.0 * 1.96 * 0.02).abs() < 0.01, "{low} {high}");
    }
}
