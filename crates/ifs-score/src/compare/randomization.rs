//! A test of whether two runs differ in a metric (Fisher 1935, *The Design of Experiments*, section
//! 21; Noreen 1989, *Computer-Intensive Methods for Testing Hypotheses*, chapter 2).
//!
//! If both models were alike, the responses to one text could as well have come from the other
//! model, so exchanging the two, text by text, would be as likely as the observed data. The test
//! counts how many exchanges produce a difference of the metric that is at least as large. It
//! assumes no distribution, and is valid for ratios as well as means.

use serde::Serialize;

use crate::{ConfidenceInterval, student};
use ifs_value::random::SplitMix64;
use ifs_value::stable_hash::StreamKey;

/// Up to this many clusters, all exchanges are enumerated.
const MAX_ENUMERATED_CLUSTERS: usize = 12;
/// The number of random exchanges for more clusters.
const RANDOM_EXCHANGES: u32 = 9_999;
/// The test stops after this many exchanges with at least the observed difference (Besag and
/// Clifford 1991, doi:10.1093/biomet/78.2.301): p is then over 0.005, whatever further draws would
/// give.
const MAX_EXCEEDING_EXCHANGES: u32 = 50;

/// The number of resamples for an interval.
const RESAMPLES: usize = 1_999;

/// The contribution of one text to a ratio of sums, in both runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pairing {
    pub one: (f64, f64),
    pub other: (f64, f64),
}

/// A difference of two ratios, with the distinct dialogue as the unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RandomizationTest {
    /// The difference of the first run minus the second.
    pub difference: f64,
    /// The standard error by linearization, for the difference of two ratios over the same
    /// clusters; `None` with fewer than two clusters.
    pub standard_error: Option<f64>,
    /// The 95 % interval of the difference by the paired bootstrap: texts are drawn with
    /// replacement, each with both of its runs; `None` with fewer than two, and where no text differs.
    pub interval: Option<ConfidenceInterval>,
    /// The two-sided p-value under the hypothesis that both models are alike.
    pub p: f64,
}

/// Tests a difference; `None` if either run has no value on these texts.
#[must_use]
pub fn randomization(pairings: &[Pairing]) -> Option<RandomizationTest> {
    let (one, other) = sums(pairings, |_| false);
    let (mine, theirs) = (ratio(one)?, ratio(other)?);
    let difference = mine - theirs;
    Some(RandomizationTest {
        difference,
        standard_error: error(pairings, (one.1, other.1), (mine, theirs)),
        interval: bootstrap(pairings),
        p: p_value(pairings, difference.abs()),
    })
}

fn ratio((above, below): (f64, f64)) -> Option<f64> {
    (below != 0.0).then(|| above / below)
}

type RatioSums = ((f64, f64), (f64, f64));

/// The sums of both runs, with some texts exchanged.
fn sums(pairings: &[Pairing], exchanged: impl Fn(usize) -> bool) -> RatioSums {
    let turned = pairings.iter().enumerate().map(|(at, pairing)| match exchanged(at) {
        false => *pairing,
        true => Pairing { one: pairing.other, other: pairing.one },
    });
    turned.fold(RatioSums::default(), add)
}

fn ratio_sums<'p>(pairings: impl Iterator<Item = &'p Pairing>) -> RatioSums {
    pairings.copied().fold(RatioSums::default(), add)
}

fn add(sums: RatioSums, Pairing { one, other }: Pairing) -> RatioSums {
    let ((a, b), (c, d)) = sums;
    ((a + one.0, b + one.1), (c + other.0, d + other.1))
}

/// SE² = G / (G - 1) · Σ_g ((a₁ - R₁ b₁) / B₁ - (a₂ - R₂ b₂) / B₂)², for G clusters.
fn error(
    pairings: &[Pairing],
    (all_one, all_other): (f64, f64),
    (mine, theirs): (f64, f64),
) -> Option<f64> {
    let square = |pairing: &Pairing| {
        let Pairing { one, other } = pairing;
        let residual = (one.0 - mine * one.1) / all_one - (other.0 - theirs * other.1) / all_other;
        residual * residual
    };
    let number = pairings.len() as f64;
    let squares: f64 = pairings.iter().map(square).sum();
    (pairings.len() > 1).then(|| (squares * number / (number - 1.0)).sqrt())
}

/// The interval of the paired bootstrap by percentiles (Efron 1979, doi:10.1214/aos/1176344552). Those
/// of few texts are too short, so the percentiles are further out (Hesterberg 2015,
/// doi:10.1080/00031305.2015.1089789): where a normal variable leaves as much as the ends of
/// Student's interval would with a standard error that is not corrected for the number of texts.
fn bootstrap(pairings: &[Pairing]) -> Option<ConfidenceInterval> {
    if pairings.len() < 2 {
        return None;
    }
    let mut draws = SplitMix64::new(StreamKey::new("resamples of two runs").number());
    let mut differences: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let drawn = (0..pairings.len()).filter_map(|_| {
                pairings.get(usize::try_from(draws.integer_below(pairings.len() as u64)).ok()?)
            });
            let (one, other) = ratio_sums(drawn);
            Some(ratio(one)? - ratio(other)?)
        })
        .collect();
    differences.sort_by(f64::total_cmp);
    // Equal texts do not show how far others may differ.
    if differences.first() == differences.last() {
        return None;
    }
    // Resamples without a value are left out, so that the ends are counted from what is left.
    let end = ((differences.len() + 1) as f64 * outside(pairings.len())) as usize;
    let end = end.max(1);
    let lower = *differences.get(end - 1)?;
    let upper = *differences.get(differences.len().checked_sub(end)?)?;
    Some(ConfidenceInterval::between(lower, upper))
}

/// The share of resamples beyond each end of an interval.
fn outside(texts: usize) -> f64 {
    let texts = texts as f64;
    let quantile = (texts / (texts - 1.0)).sqrt() * student(texts - 1.0);
    libm::erfc(quantile / std::f64::consts::SQRT_2) / 2.0
}

fn p_value(pairings: &[Pairing], observed: f64) -> f64 {
    // Sums in another order differ in their last bits; equal differences must count as equal.
    let least = observed - 1e-12 * observed.max(1.0);
    let as_far = |exchanged: &dyn Fn(usize) -> bool| {
        let (one, other) = sums(pairings, exchanged);
        match (ratio(one), ratio(other)) {
            (Some(one), Some(other)) => (one - other).abs() >= least,
            // An exchange without a value is not evidence against the hypothesis.
            _ => true,
        }
    };
    if pairings.len() <= MAX_ENUMERATED_CLUSTERS {
        let all = 1_u32 << pairings.len();
        let found = (0..all).filter(|signs| as_far(&|at| signs >> at & 1 == 1)).count();
        return found as f64 / f64::from(all);
    }
    let seed = StreamKey::new("exchanges of two runs");
    let mut found = 0;
    for draw in 0..RANDOM_EXCHANGES {
        let seed = seed.and_number(u64::from(draw));
        let signs: Vec<u64> =
            (0..=pairings.len() as u64 / 64).map(|word| seed.and_number(word).number()).collect();
        if as_far(&|at| signs[at / 64] >> (at % 64) & 1 == 1) {
            found += 1;
        }
        if found == MAX_EXCEEDING_EXCHANGES {
            return f64::from(found) / f64::from(draw + 1);
        }
    }
    f64::from(found + 1) / f64::from(RANDOM_EXCHANGES + 1)
}

/// P-values adjusted for the number of tests (Holm 1979, *Scandinavian Journal of Statistics* 6).
#[must_use]
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut least: f64 = 0.0;
    for (rank, at) in order.iter().enumerate() {
        least = least.max(chances[*at] * (chances.len() - rank) as f64).min(1.0);
        adjusted[*at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(one: &[f64], other: &[f64]) -> Vec<Pairing> {
        one.iter().zip(other).map(|(a, b)| Pairing { one: (*a, 1.0), other: (*b, 1.0) }).collect()
    }

    /// Three pairs in one direction: 2 of 8 exchanges have as large a difference.
    #[test]
    fn few_pairs_are_exact() -> Result<(), &'static str> {
        let found = randomization(&means(&[1.0, 0.9, 0.8], &[0.5, 0.5, 0.5])).ok_or("none")?;
        assert!((found.difference - 0.4).abs() < 1e-12);
        assert_eq!(found.p, 0.25);
        // Differences 0.5, 0.4, 0.3: deviation 0.1, over the root of 3.
        let error = found.standard_error.ok_or("no error")?;
        assert!((error - 0.1 / 3.0_f64.sqrt()).abs() < 1e-12);
        Ok(())
    }

    /// SciPy 1.17.1: `norm.sf(sqrt(n / (n - 1)) * t.ppf(0.975, n - 1))`.
    #[test]
    fn intervals_widen_for_few_texts() {
        for (texts, wanted) in [
            (10, 0.008_550_639_024_406_366),
            (15, 0.013_207_173_126_811_439),
            (120, 0.023_383_611_824_298_82),
        ] {
            assert!((outside(texts) - wanted).abs() < 1e-12, "{texts}: {}", outside(texts));
        }
    }

    /// SciPy 1.17.1: `scipy.stats.bootstrap((one - other,), numpy.mean, method="percentile",
    /// n_resamples=400_000, confidence_level=1 - 2 * 0.0132)` gives 0.0400 to 0.2100; 1,999 resamples are
    /// within 0.01 of it.
    #[test]
    fn the_paired_bootstrap_is_near_scipys() -> Result<(), &'static str> {
        let one = [0.9, 0.8, 0.75, 1.0, 0.6, 0.55, 0.7, 0.95, 0.5, 0.85, 0.65, 0.9, 0.4, 1.0, 0.75];
        let other =
            [0.7, 0.85, 0.5, 0.9, 0.6, 0.25, 0.75, 0.6, 0.45, 0.5, 0.7, 0.8, 0.1, 0.95, 0.8];
        let found = bootstrap(&means(&one, &other)).ok_or("none")?;
        let near = |a: f64, b: f64| (a - b).abs() < 0.01;
        assert!(near(found.lower, 0.0400) && near(found.upper, 0.2100), "{found:?}");
        Ok(())
    }

    /// In 1,000 sets of 40 pairs whose differences have the mean 0.1, the interval has the mean in it
    /// 93 to 97 times in 100.
    #[test]
    fn bootstrap_intervals_cover_the_truth() {
        let mut draws = SplitMix64::new(11);
        let mut share = || (draws.draw() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut covered = 0;
        for _ in 0..1_000 {
            let other: Vec<f64> = (0..40).map(|_| share()).collect();
            let one: Vec<f64> = other.iter().map(|it| it + 0.4 * share() - 0.1).collect();
            let found = bootstrap(&means(&one, &other));
            covered += u32::from(found.is_some_and(|it| it.lower <= 0.1 && 0.1 <= it.upper));
        }
        assert!((930..=970).contains(&covered), "{covered} of 1000");
    }

    #[test]
    fn equal_runs_do_not_differ() -> Result<(), &'static str> {
        let same: Vec<f64> = (0..40).map(|at| f64::from(at % 7) / 7.0).collect();
        let found = randomization(&means(&same, &same)).ok_or("none")?;
        assert_eq!((found.difference, found.p), (0.0, 1.0));
        assert_eq!((found.standard_error, found.interval), (Some(0.0), None));
        Ok(())
    }

    #[test]
    fn a_run_without_a_value_is_not_tested() {
        assert_eq!(randomization(&[Pairing { one: (1.0, 1.0), other: (0.0, 0.0) }]), None);
        assert_eq!(randomization(&[]), None);
    }

    /// With equal models, about 5 % of the tests have p <= 0.05: 2,000 sets of 20 pairs.
    #[test]
    fn equal_models_differ_at_the_nominal_rate() {
        let value =
            |set: u64, at: u64| StreamKey::new("value").and_number(set).and_number(at).number();
        let share = |number: u64| (number >> 11) as f64 / (1_u64 << 53) as f64;
        let small = (0..2_000_u64).filter(|set| {
            let values = |from: u64| (from..from + 10).map(|at| share(value(*set, at))).collect();
            let (one, other): (Vec<f64>, Vec<f64>) = (values(0), values(10));
            randomization(&means(&one, &other)).is_some_and(|found| found.p <= 0.05)
        });
        let count = small.count();
        assert!((70..=130).contains(&count), "{count} of 2000");
    }

    #[test]
    fn corrected_as_by_hand() {
        let found = holm(&[0.01, 0.04, 0.03]);
        let wanted = [0.03, 0.06, 0.06];
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
