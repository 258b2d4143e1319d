//! Correlation of two rankings of the same runs.

/// Pearson's correlation; `None` for fewer than two values, or if one side is constant.
#[must_use]
pub fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let number = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / number;
    let (one, other) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|pair| of(pair.0 - one, pair.1 - other)).sum()
    };
    let spread = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    (pairs.len() > 1 && spread > 0.0).then(|| (sum(&|a, b| a * b) / spread).clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's correlation of the ranks, with mean ranks for ties.
#[must_use]
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let one = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let other = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    pearson(&one.into_iter().zip(other).collect::<Vec<_>>())
}

/// The rank of each value, from 1 for the smallest; ties have the mean of their ranks.
#[must_use]
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let smaller = |than: f64| values.iter().filter(|value| **value < than).count() as f64;
    let equal = |to: f64| values.iter().filter(|value| **value == to).count() as f64;
    values.iter().map(|value| smaller(*value) + (equal(*value) + 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let line = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)];
        assert_eq!((pearson(&line), spearman(&line)), (Some(1.0), Some(1.0)));
        // The means are 2 and 3; the products sum to 1, the squares to 2 and 2.
        let found = pearson(&[(1.0, 2.0), (2.0, 4.0), (3.0, 3.0)]);
        assert!(found.is_some_and(|found| (found - 0.5).abs() < 1e-12), "{found:?}");
        assert_eq!(spearman(&[(1.0, 10.0), (2.0, 1_000.0), (3.0, 1e9)]), Some(1.0));
        assert_eq!(ranks(&[0.5, 0.1, 0.5]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn constants_have_no_correlation() {
        assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(pearson(&[(1.0, 2.0)]), None);
        assert_eq!(spearman(&[]), None);
    }
}
