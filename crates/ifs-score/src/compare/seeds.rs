//! Runs of one model on dialogues of different seeds.

use serde::Serialize;

/// How far runs with different seeds differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Seeds {
    pub runs: usize,
    pub mean: f64,
    /// The standard deviation between the runs, with one less than their number.
    pub deviation: f64,
    /// The standard error of their mean.
    pub standard_error: f64,
}

/// `None` with fewer than two runs.
#[must_use]
pub fn seeds(values: &[f64]) -> Option<Seeds> {
    if values.len() < 2 {
        return None;
    }
    let runs = values.len() as f64;
    let mean = values.iter().sum::<f64>() / runs;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (runs - 1.0)).sqrt();
    Some(Seeds { runs: values.len(), mean, deviation, standard_error: deviation / runs.sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of Python's `statistics.stdev`.
    #[test]
    fn numbers_of_python() {
        let found = seeds(&[0.61, 0.58, 0.66, 0.6]).unwrap();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(found.mean, 0.6125), "{found:?}");
        assert!(near(found.deviation, 0.034034296427770), "{found:?}");
        assert!(near(found.standard_error, 0.017017148213885), "{found:?}");
        assert_eq!(seeds(&[0.5]), None);
        assert_eq!(seeds(&[0.5, 0.5]).map(|it| it.deviation), Some(0.0));
    }
}
