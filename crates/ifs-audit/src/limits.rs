//! Limits, and when a share is above one.

use libm::{exp, lgamma, log};

/// Limits of a command; without one, that of the scenario counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GivenLimits {
    pub changed: Option<f64>,
    pub floor: Option<f64>,
    pub evaded: Option<f64>,
    pub golden: Option<f64>,
}

/// The greatest shares that an audit accepts, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Of the turns, those on which a form that should not matter changes a verdict.
    pub changed: f64,
    /// Of the turns of a kind, those that an answer that knows nothing passes.
    pub floor: f64,
    /// Of the missed verdicts, those that hold in another form.
    pub evaded: f64,
    /// Of the golden answers, those that miss something.
    pub golden: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { changed: 0.0, floor: 0.05, evaded: 0.0, golden: 0.0 }
    }
}

/// How improbable a share has to be under its limit.
const LEVEL: f64 = 0.01;

/// Whether so many of so many are above a share: by an exact binomial test, so that a few more by
/// chance are not; above 0 is a single one.
pub fn exceeds(count: u64, all: u64, limit: f64) -> bool {
    if all == 0 || count == 0 {
        return false;
    }
    if limit <= 0.0 {
        return true;
    }
    if limit >= 1.0 || count as f64 <= limit * all as f64 {
        return false;
    }
    at_least(count, all, limit) < LEVEL
}

/// The probability of at least so many successes.
fn at_least(count: u64, all: u64, share: f64) -> f64 {
    let factorial = |number: u64| lgamma(number as f64 + 1.0);
    let term = |number: u64| {
        let ways = factorial(all) - factorial(number) - factorial(all - number);
        exp(ways + number as f64 * log(share) + (all - number) as f64 * log(1.0 - share))
    };
    (count..=all).map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::{at_least, exceeds};

    #[test]
    fn a_share_is_above_its_limit_if_chance_does_not_explain_it() {
        assert!(exceeds(1, 1000, 0.0) && !exceeds(0, 10, 0.0) && !exceeds(0, 0, 0.0));
        assert!(!exceeds(53, 100, 0.5) && exceeds(65, 100, 0.5));
        assert!(!exceeds(1, 6, 0.05) && exceeds(3, 6, 0.05));
        assert!(!exceeds(100, 100, 1.0));
        assert!((at_least(3, 5, 0.5) - 0.5).abs() < 1e-12);
    }
}
