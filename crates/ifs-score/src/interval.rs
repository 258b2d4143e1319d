//! 95 % intervals of metrics, with the distinct dialogue as the unit of sampling.
//!
//! A share has the interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404) for the number
//! of independent observations that would have its standard error, n = p (1 - p) / SE², as Korn and
//! Graubard propose for clustered samples (1998, *Survey Methodology* 24, section 2; their adjustment
//! for few clusters is the ratio of Student's quantile to the normal one). Such an interval stays
//! between 0 and 1, and has a width where every dialogue scored the same: there n is the number of
//! distinct dialogues.
//!
//! Another mean m that cannot be negative has the log-normal interval from m / C to m C with
//! C = exp(t √ln(1 + SE² / m²)) and Student's quantile t (Burnham et al. 1987, *American Fisheries
//! Society Monograph* 5; Buckland et al. 2001, *Introduction to Distance Sampling*, section 3.6.1):
//! Student's interval of the logarithm, whose lower end is above 0. Any other mean has Student's
//! interval. If every dialogue has the same value, such an interval has no width, which says nothing
//! about other dialogues: it is marked as [`ConfidenceInterval::single`].
//!
//! `libm` computes logarithms and exponentials, so that the numbers are the same on every machine.

use super::measurement::{ConfidenceInterval, Measurement, MetricUnit};

/// The standard normal quantile of 0.975.
pub(crate) const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;
const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// The values that a metric can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueRange {
    /// From 0 to 1.
    Share,
    /// From 0 up.
    NotNegative,
    Any,
}

impl From<MetricUnit> for ValueRange {
    fn from(unit: MetricUnit) -> ValueRange {
        match unit {
            MetricUnit::Share => ValueRange::Share,
            MetricUnit::Turns => ValueRange::NotNegative,
            // A judge's scale may begin below 0.
            MetricUnit::Marks | MetricUnit::Number => ValueRange::Any,
        }
    }
}

/// `None` without a value, or with fewer than two distinct dialogues.
pub(super) fn interval(measured: &Measurement, range: ValueRange) -> Option<ConfidenceInterval> {
    let (value, error) = (measured.number()?, measured.standard_error?);
    if measured.distinct < 2 {
        return None;
    }
    let dialogues = measured.distinct as f64;
    let quantile = student(dialogues - 1.0);
    // Metrics of released programs may leave the range of a share.
    if range == ValueRange::Share && (0.0..=1.0).contains(&value) {
        let widened = error * quantile / NORMAL_QUANTILE;
        let observations = match value * (1.0 - value) / (widened * widened) {
            number if number.is_finite() && number > 0.0 => number,
            _ => dialogues,
        };
        return Some(clopper_pearson(value, observations));
    }
    if error == 0.0 {
        return Some(ConfidenceInterval { lower: value, upper: value, single: true });
    }
    let (lower, upper) = match range {
        ValueRange::Share | ValueRange::NotNegative if value > 0.0 => {
            let relative = error / value;
            let factor = libm::exp(quantile * libm::log1p(relative * relative).sqrt());
            (value / factor, value * factor)
        }
        // The value of a run is 0, and those of resampled runs are not.
        ValueRange::NotNegative => (0.0, value + quantile * error),
        ValueRange::Share | ValueRange::Any => (value - quantile * error, value + quantile * error),
    };
    Some(ConfidenceInterval::between(lower, upper))
}

/// The exact interval of a share of `of` observations, which need not be a whole number.
fn clopper_pearson(share: f64, of: f64) -> ConfidenceInterval {
    let held = share * of;
    let lower = match held > 0.0 {
        true => beta_quantile(SIGNIFICANCE_LEVEL / 2.0, held, of - held + 1.0),
        false => 0.0,
    };
    let upper = match held < of {
        true => beta_quantile(1.0 - SIGNIFICANCE_LEVEL / 2.0, held + 1.0, of - held),
        false => 1.0,
    };
    ConfidenceInterval::between(lower, upper)
}

/// The quantile 0.975 of Student's distribution.
pub(crate) fn student(freedom: f64) -> f64 {
    // P(|T| > t) = I(freedom / (freedom + t²); freedom / 2, 1 / 2).
    let at = beta_quantile(SIGNIFICANCE_LEVEL, freedom / 2.0, 0.5);
    (freedom * (1.0 - at) / at).sqrt()
}

/// The point below which a beta distribution has this probability, by bisection.
fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // 60 halvings leave less than the last bit of a share.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match beta(middle, a, b) < probability {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

/// The regularized incomplete beta function I(x; a, b), by its continued fraction (NIST Handbook of
/// Mathematical Functions, 8.17.22), which converges fast below the mean.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta(1.0 - x, b, a);
    }
    let ends = a * libm::log(x) + b * libm::log1p(-x);
    let front = libm::exp(ends + libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)) / a;
    // Lentz's evaluation from the front.
    let nonzero = |number: f64| if number.abs() < 1e-300 { 1e-300 } else { number };
    let (mut above, mut below) = (1.0, 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = below;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for term in [even, odd] {
            below = 1.0 / nonzero(1.0 + term * below);
            above = nonzero(1.0 + term / above);
            factor = below * above;
            fraction *= factor;
        }
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{RatioTerm, clusters, ratio_error};
    use ifs_value::random::SplitMix64;

    fn is_close(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < 1e-9
    }

    /// SciPy 1.17.1: `scipy.stats.t.ppf(0.975, df)`.
    #[test]
    fn quantiles_of_student() {
        for (freedom, wanted) in [
            (1.0, 12.706_204_736_174_694),
            (4.0, 2.776_445_105_197_793_4),
            (30.0, 2.042_272_456_301_237_8),
            (1_000.0, 1.962_339_080_826_408_3),
        ] {
            assert!(is_close(student(freedom), wanted), "{freedom}: {}", student(freedom));
        }
    }

    /// SciPy 1.17.1: `scipy.stats.binomtest(k, n).proportion_ci(0.95, "exact")`, and
    /// `scipy.stats.beta.ppf` for 7.5 of 12.5.
    #[test]
    fn intervals_of_clopper_and_pearson() {
        for (held, of, lower, upper) in EXPECTED_INTERVALS {
            let found = clopper_pearson(held / of, of);
            assert!(
                is_close(found.lower, lower) && is_close(found.upper, upper),
                "{held}/{of}: {found:?}"
            );
        }
    }
    const EXPECTED_INTERVALS: [(f64, f64, f64, f64); 7] = [
        (0.0, 10.0, 0.0, 0.30849710781876294),
        (10.0, 10.0, 0.6915028921812371, 1.0),
        (3.0, 10.0, 0.06673951117773447, 0.652452850060008),
        (57.0, 473.0, 0.0925619120956324, 0.15329932168231764),
        (1.0, 1000.0, 2.5317487491674634e-05, 0.0055589242798499),
        (7.5, 12.5, 0.29668080177214284, 0.8551817837009881),
        (4000.25, 5000.75, 0.7885684959137882, 0.8109403081261295),
    ];

    fn of_ratio(parts: &[(f64, f64)], range: ValueRange) -> Option<ConfidenceInterval> {
        let part = |(above, below): &(f64, f64)| RatioTerm {
            text: None,
            above: *above,
            below: *below,
            count: 0,
        };
        let measured = Measurement::ratio(&parts.iter().map(part).collect::<Vec<_>>(), "none");
        interval(&measured, range)
    }

    #[test]
    fn an_interval_needs_two_dialogues() {
        assert_eq!(of_ratio(&[(1.0, 2.0)], ValueRange::Share), None);
        assert_eq!(of_ratio(&[], ValueRange::NotNegative), None);
    }

    /// Forty dialogues that all succeed leave room for failures: 0.025^(1/40) is the lower end.
    #[test]
    fn perfect_scores_have_a_lower_bound() {
        let found = of_ratio(&[(3.0, 3.0); 40], ValueRange::Share);
        let lower = 0.025_f64.powf(1.0 / 40.0);
        assert!(found.is_some_and(|it| it.upper == 1.0 && is_close(it.lower, lower)), "{found:?}");
    }

    /// Means of turns: 1, 3, 5 with the error 2/√3, and Student's 4.3026527 of the logarithm.
    #[test]
    fn a_mean_of_turns_stays_above_zero() {
        let found = of_ratio(&[(1.0, 1.0), (3.0, 1.0), (5.0, 1.0)], ValueRange::NotNegative);
        let relative: f64 = 2.0 / 3.0_f64.sqrt() / 3.0;
        let factor = (4.302_652_729_749_462 * relative.mul_add(relative, 1.0).ln().sqrt()).exp();
        let wanted = (3.0 / factor, 3.0 * factor);
        assert!(
            found.is_some_and(|it| is_close(it.lower, wanted.0) && is_close(it.upper, wanted.1)),
            "{found:?}"
        );
        // 17 zeros and 3 ones: 0.15 with the error 0.0819, whose Student's interval begins at -0.02.
        let rare: Vec<(f64, f64)> = (0..20).map(|at| (f64::from(u8::from(at < 3)), 1.0)).collect();
        let found = of_ratio(&rare, ValueRange::NotNegative).unwrap();
        assert!(found.lower > 0.03 && found.upper < 0.5, "{found:?}");
        let any = of_ratio(&rare, ValueRange::Any).unwrap();
        assert!(any.lower < 0.0, "{any:?}");
    }

    #[test]
    fn one_value_in_all_dialogues_is_marked() {
        for range in [ValueRange::NotNegative, ValueRange::Any] {
            for value in [0.0, 3.0] {
                let found = of_ratio(&[(value, 1.0); 20], range).unwrap();
                assert_eq!((found.lower, found.upper, found.single), (value, value, true));
            }
        }
        let share = of_ratio(&[(1.0, 1.0); 20], ValueRange::Share).unwrap();
        assert!(share.lower < 1.0 && !share.single);
    }

    /// 600 runs of 30 dialogues of up to ten turns, whose chance of success differs from dialogue
    /// to dialogue: the interval of the rate over turns has the true rate in it at least 93 times
    /// in 100 and is not so wide that it always has.
    #[test]
    fn intervals_cover_the_truth() {
        for (easy, hard) in [(0.95, 0.55), (0.999, 0.9), (0.3, 0.05)] {
            let mut draws = SplitMix64::new(7);
            let mut chance = || (draws.draw() >> 11) as f64 / (1_u64 << 53) as f64;
            let truth = (easy + hard) / 2.0;
            let mut covered = 0;
            for _ in 0..600 {
                let dialogues: Vec<(f64, f64)> = (0..30)
                    .map(|_| {
                        let ability = if chance() < 0.5 { easy } else { hard };
                        let turns = 1 + (chance() * 10.0) as u32;
                        let held = (0..turns).filter(|_| chance() < ability).count();
                        (held as f64, f64::from(turns))
                    })
                    .collect();
                let found = of_ratio(&dialogues, ValueRange::Share);
                covered +=
                    u32::from(found.is_some_and(|it| it.lower <= truth && truth <= it.upper));
            }
            assert!((558..=597).contains(&covered), "{easy} {hard}: {covered} of 600");
        }
    }

    /// The error of the ratio is the one that reports print.
    #[test]
    fn the_interval_is_about_two_errors_wide() {
        let parts: Vec<(f64, f64)> = (0..200).map(|at| (f64::from(at % 3), 2.0)).collect();
        let part = |(above, below): &(f64, f64)| RatioTerm {
            text: None,
            above: *above,
            below: *below,
            count: 0,
        };
        let error = ratio_error(&clusters(&parts.iter().map(part).collect::<Vec<_>>()));
        let found = of_ratio(&parts, ValueRange::Share);
        let width = found.map(|it| (it.upper - it.lower) / 2.0).zip(error);
        assert!(
            width.is_some_and(|(half, error)| (1.9..2.1).contains(&(half / error))),
            "{width:?}"
        );
    }
}
