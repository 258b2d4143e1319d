//! How stable an order of models is: ranks, and correlations between two columns of scores.

/// The rank of each value, 1 for the largest; equal ones share the mean of their ranks.
#[must_use]
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let larger = values.iter().filter(|other| *other > value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        larger as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Pearson's correlation of two columns; none with fewer than two values or a constant column.
#[must_use]
pub fn pearson(one: &[f64], other: &[f64]) -> Option<f64> {
    let count = one.len();
    if count < 2 || count != other.len() {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count as f64;
    let (left, right) = (mean(one), mean(other));
    let apart = |values: &[f64], mean: f64| -> f64 {
        values.iter().map(|value| (value - mean) * (value - mean)).sum()
    };
    let product: f64 =
        one.iter().zip(other).map(|(one, other)| (one - left) * (other - right)).sum();
    let scale = apart(one, left) * apart(other, right);
    (scale > 0.0).then(|| (product / scale.sqrt()).clamp(-1.0, 1.0))
}

/// Spearman's correlation: Pearson's of the ranks.
#[must_use]
pub fn spearman(one: &[f64], other: &[f64]) -> Option<f64> {
    pearson(&ranks(one), &ranks(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_equal_values_are_shared() {
        assert_eq!(ranks(&[0.3, 0.9, 0.3, 0.1]), [2.5, 1.0, 2.5, 4.0]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn correlations() {
        let close = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-12;
        assert!(close(pearson(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]), 1.0));
        assert!(close(pearson(&[1.0, 2.0, 3.0], &[6.0, 4.0, 2.0]), -1.0));
        // By hand: deviations (-1, 0, 1) and (-2, 1, 1), 3 / sqrt(2 * 6).
        assert!(close(pearson(&[1.0, 2.0, 3.0], &[1.0, 4.0, 4.0]), 3.0 / 12.0f64.sqrt()));
        assert!(close(spearman(&[1.0, 2.0, 30.0], &[5.0, 6.0, 7.0]), 1.0));
        assert_eq!(pearson(&[1.0, 1.0], &[1.0, 2.0]), None, "a constant column");
        assert_eq!(pearson(&[1.0], &[1.0]), None);
    }
}
