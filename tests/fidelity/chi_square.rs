//! Two tests of whether two samples come from the same source.

use std::collections::BTreeMap;

/// The statistic, its degrees of freedom, and the probability of a larger one by chance.
pub(crate) type Outcome = (f64, usize, f64);

/// Tests counts of independent draws in both samples.
pub(crate) fn homogeneous(ours: &BTreeMap<String, f64>, theirs: &BTreeMap<String, f64>) -> Outcome {
    let (our_sum, their_sum): (f64, f64) = (ours.values().sum(), theirs.values().sum());
    let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let of =
        |counts: &BTreeMap<String, f64>, name: &String| counts.get(name).copied().unwrap_or(0.0);
    let statistic = names
        .iter()
        .map(|name| {
            let (our, their) = (of(ours, name), of(theirs, name));
            let part = |count: f64, sum: f64| {
                let expected = (our + their) * sum / (our_sum + their_sum);
                (count - expected) * (count - expected) / expected
            };
            part(our, our_sum) + part(their, their_sum)
        })
        .sum();
    let degrees = names.len().saturating_sub(1);
    (statistic, degrees, more_than(statistic, degrees))
}

/// Tests whether the means of our vectors are those of another sample of the same size and
/// covariance. Numbers that depend on others (the last of a sum) add no degree of freedom.
pub(crate) fn means_agree(ours: &[Vec<f64>], theirs: &[f64]) -> Outcome {
    let (count, size) = (ours.len() as f64, theirs.len());
    let means: Vec<f64> =
        (0..size).map(|at| ours.iter().map(|one| one[at]).sum::<f64>() / count).collect();
    let mut covariance = vec![vec![0.0; size]; size];
    for one in ours {
        for row in 0..size {
            for column in 0..=row {
                covariance[row][column] += (one[row] - means[row]) * (one[column] - means[column]);
            }
        }
    }
    // Both means are uncertain.
    let scale = 2.0 / (count * (count - 1.0));
    // Cholesky's decomposition, solving at the same time.
    let mut lower = vec![vec![0.0; size]; size];
    let mut solved = vec![0.0; size];
    let (mut statistic, mut degrees) = (0.0, 0);
    for row in 0..size {
        let mut difference = means[row] - theirs[row];
        for column in 0..row {
            if lower[column][column] == 0.0 {
                continue;
            }
            let sum: f64 = (0..column).map(|at| lower[row][at] * lower[column][at]).sum();
            lower[row][column] = (covariance[row][column] * scale - sum) / lower[column][column];
            difference -= lower[row][column] * solved[column];
        }
        let variance = covariance[row][row] * scale;
        let left = variance - lower[row][..row].iter().map(|part| part * part).sum::<f64>();
        if left <= 1e-9 * variance.max(1e-9) {
            // It is constant or depends on the others, so it must agree.
            if difference.abs() > 0.002 {
                return (f64::INFINITY, degrees, 0.0);
            }
            continue;
        }
        lower[row][row] = left.sqrt();
        solved[row] = difference / lower[row][row];
        statistic += solved[row] * solved[row];
        degrees += 1;
    }
    (statistic, degrees, more_than(statistic, degrees))
}

/// The upper tail of a chi-square distribution: the upper regularized incomplete gamma function, by
/// its series below the mean, otherwise by its continued fraction.
fn more_than(statistic: f64, degrees: usize) -> f64 {
    if degrees == 0 {
        return 1.0;
    }
    let (a, x) = (degrees as f64 / 2.0, statistic / 2.0);
    if x <= 0.0 {
        return 1.0;
    }
    if !x.is_finite() {
        return 0.0;
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..1_000 {
            term *= x / (a + f64::from(n));
            sum += term;
        }
        return (1.0 - front * sum).max(0.0);
    }
    // Lentz's method.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut fraction = d;
    for n in 1..1_000 {
        let n = f64::from(n);
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= c * d;
    }
    front * fraction
}

#[test]
fn critical_values() {
    for (value, degrees, p) in [
        (3.841, 1, 0.05),
        (10.828, 1, 0.001),
        (18.307, 10, 0.05),
        (67.505, 50, 0.05),
        (0.711, 4, 0.95),
    ] {
        let ours = more_than(value, degrees);
        assert!((ours - p).abs() < 0.0005, "{value} {degrees}: {ours}");
    }
}
