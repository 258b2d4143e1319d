//! Whether one model is better for every increasing utility of the share: first-order stochastic
//! dominance of its empirical distribution (Hadar and Russell 1969; MMMT-IF, section 5.1).

use std::cmp::Ordering;

use serde::Serialize;

use crate::ExactShare;

/// A value of an empirical distribution, and the share of values up to it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DistributionStep {
    pub value: f64,
    pub up_to: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dominance {
    /// P(first > x) >= P(second > x) for all x, and more for some.
    First,
    Second,
    /// Both have the same distribution.
    Equal,
    /// Each is ahead at some value.
    Neither,
}

/// The empirical distribution of some shares.
#[must_use]
pub fn distribution(shares: &[ExactShare]) -> Vec<DistributionStep> {
    let mut sorted = shares.to_vec();
    sorted.sort_by(by_size);
    let mut steps = Vec::new();
    let mut before = 0;
    for alike in sorted.chunk_by(|one, next| by_size(one, next) == Ordering::Equal) {
        before += alike.len();
        let up_to = before as f64 / sorted.len() as f64;
        steps.push(DistributionStep { value: alike[0].number(), up_to });
    }
    steps
}

/// Compares two samples of the same size, given as pairs.
#[must_use]
pub fn dominates(pairs: &[(ExactShare, ExactShare)]) -> Dominance {
    let sorted = |side: fn(&(ExactShare, ExactShare)) -> ExactShare| {
        let mut shares: Vec<ExactShare> = pairs.iter().map(side).collect();
        shares.sort_by(by_size);
        shares
    };
    // For samples of the same size, one dominates if each of its order statistics is at least as
    // large.
    let (first, second) = (sorted(|pair| pair.0), sorted(|pair| pair.1));
    let (mut above, mut below) = (false, false);
    for (one, other) in first.iter().zip(&second) {
        match by_size(one, other) {
            Ordering::Greater => above = true,
            Ordering::Less => below = true,
            Ordering::Equal => {}
        }
    }
    match (above, below) {
        (true, false) => Dominance::First,
        (false, true) => Dominance::Second,
        (false, false) => Dominance::Equal,
        (true, true) => Dominance::Neither,
    }
}

fn by_size(one: &ExactShare, other: &ExactShare) -> Ordering {
    let wide = u128::from;
    (wide(one.held) * wide(other.of)).cmp(&(wide(other.held) * wide(one.of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(held: u64, of: u64) -> ExactShare {
        ExactShare { held, of }
    }

    #[test]
    fn steps_of_a_distribution() {
        let steps = distribution(&[share(1, 2), share(1, 1), share(0, 3), share(2, 4)]);
        let wanted = [(0.0, 0.25), (0.5, 0.75), (1.0, 1.0)];
        let wanted = wanted.map(|(value, up_to)| DistributionStep { value, up_to });
        assert_eq!(steps, wanted);
        assert!(distribution(&[]).is_empty());
    }

    #[test]
    fn dominance_looks_at_the_distribution_and_not_at_pairs() {
        let (none, half, all) = (share(0, 2), share(1, 2), share(2, 2));
        // The order does not matter.
        assert_eq!(dominates(&[(none, all), (all, none)]), Dominance::Equal);
        assert_eq!(dominates(&[(half, none), (all, all)]), Dominance::First);
        assert_eq!(dominates(&[(none, all), (half, half)]), Dominance::Second);
        // A better mean is not enough.
        assert_eq!(dominates(&[(half, none), (half, none), (half, all)]), Dominance::Neither);
    }
}
