//! Means and their standard errors, with the dialogue as the unit of sampling: turns of one dialogue
//! resemble each other, so treating them as independent would promise too much.

/// None for no terms.
pub(super) fn mean(terms: &[f64]) -> Option<f64> {
    (!terms.is_empty()).then(|| terms.iter().sum::<f64>() / terms.len() as f64)
}

/// Of a mean of one term a dialogue: sample standard deviation over the root of the number.
pub(super) fn standard_error(terms: &[f64]) -> Option<f64> {
    let mean = mean(terms)?;
    let residuals: Vec<f64> = terms.iter().map(|term| term - mean).collect();
    root_of_squares(&residuals).map(|root| root / terms.len() as f64)
}

/// Of a ratio of two sums over dialogues, by linearisation: each `(above, below)` is one dialogue.
pub(super) fn ratio_error(parts: &[(f64, f64)]) -> Option<f64> {
    let above: f64 = parts.iter().map(|part| part.0).sum();
    let below: f64 = parts.iter().map(|part| part.1).sum();
    if below == 0.0 {
        return None;
    }
    let ratio = above / below;
    let residuals: Vec<f64> = parts.iter().map(|part| part.0 - ratio * part.1).collect();
    root_of_squares(&residuals).map(|root| root / below)
}

/// sqrt(n / (n - 1) * sum of squares); the one root, exact in IEEE arithmetic.
fn root_of_squares(residuals: &[f64]) -> Option<f64> {
    if residuals.len() < 2 {
        return None;
    }
    let number = residuals.len() as f64;
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    Some((squares * number / (number - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Mean 3; squares 4 + 0 + 4 = 8; sd = sqrt(8 / 2) = 2; 2 / sqrt(3).
        let error = standard_error(&[1.0, 3.0, 5.0]);
        assert!(error.is_some_and(|error| (error - 2.0 / 3.0_f64.sqrt()).abs() < 1e-15));
        // Ratio 3 / 4; residuals 1 - 1.5 and 2 - 1.5; sqrt(2 * 0.5) / 4.
        assert_eq!(ratio_error(&[(1.0, 2.0), (2.0, 2.0)]), Some(0.25));
    }

    #[test]
    fn one_dialogue_has_no_error() {
        assert_eq!(standard_error(&[1.0]), None);
        assert_eq!(ratio_error(&[(1.0, 2.0)]), None);
        assert_eq!(mean(&[]), None);
        assert_eq!(ratio_error(&[(0.0, 0.0), (0.0, 0.0)]), None);
    }

    #[test]
    fn equal_weights_make_the_two_errors_equal() {
        let terms = [0.25, 0.5, 1.0, 0.75];
        let parts: Vec<_> = terms.iter().map(|term| (*term, 1.0)).collect();
        assert_eq!(standard_error(&terms), ratio_error(&parts));
    }
}
