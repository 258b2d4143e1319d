//! Ratios and means with their standard errors. The unit of sampling is the distinct dialogue:
//! turns of one dialogue are correlated, and so are repeats of one text, so treating them as
//! independent would underestimate the error.
//!
//! Every value is a ratio of two sums over dialogues, R = Σ aᵢ / Σ bᵢ; a mean over dialogues is the
//! ratio with bᵢ = 1. Its standard error is that of a ratio of cluster totals by linearization
//! (Cochran 1977, Sampling Techniques, sections 6.3 and 9A.1; Miller 2024, arXiv:2411.00640,
//! section 2.2), where a cluster has all dialogues of one text:
//!
//! SE(R) = √(G / (G - 1) · Σ_g (Σ_{i in g} (aᵢ - R bᵢ))²) / Σ bᵢ, for G clusters.

use std::collections::BTreeMap;

use super::{ScoredDialogue, ScoredTurn};

/// The contribution of a dialogue to the two sums of a ratio.
#[derive(Clone, Copy, Debug)]
pub(super) struct RatioTerm {
    /// Dialogues with the same number are one cluster; one without a number is its own.
    pub text: Option<u64>,
    pub above: f64,
    pub below: f64,
    /// A count that the metric needs of each dialogue, as its file says; 0 for most.
    pub count: u64,
}

impl ScoredDialogue {
    pub(super) fn part(&self, above: f64, below: f64) -> RatioTerm {
        RatioTerm { text: self.text, above, below, count: 0 }
    }

    /// A term of a mean over dialogues.
    pub(super) fn term(&self, term: f64) -> RatioTerm {
        self.part(term, 1.0)
    }

    /// Its contribution to a mean over turns, from the turns with a term. `None` if no turn has
    /// one.
    pub(super) fn turns_part(
        &self,
        term: impl Fn(&ScoredTurn) -> Option<f64>,
    ) -> Option<RatioTerm> {
        let terms: Vec<f64> = self.turns.iter().filter_map(term).collect();
        // Starts from a positive zero: the sum of an empty iterator is minus zero.
        let above = terms.iter().fold(0.0, |sum, one| sum + one);
        (!terms.is_empty()).then(|| self.part(above, terms.len() as f64))
    }
}

/// `None` for no terms.
pub(super) fn mean(terms: &[f64]) -> Option<f64> {
    (!terms.is_empty()).then(|| terms.iter().sum::<f64>() / terms.len() as f64)
}

/// The sums of each cluster, in order of first occurrence.
pub(super) fn clusters(parts: &[RatioTerm]) -> Vec<(f64, f64)> {
    let mut sums: Vec<(f64, f64)> = Vec::new();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    for part in parts {
        let place = match part.text {
            None => sums.len(),
            Some(text) => *places.entry(text).or_insert(sums.len()),
        };
        if place == sums.len() {
            sums.push((0.0, 0.0));
        }
        let sum = &mut sums[place];
        *sum = (sum.0 + part.above, sum.1 + part.below);
    }
    sums
}

/// The standard error of a ratio of sums over clusters, each `(above, below)`. `None` with fewer
/// than two clusters.
pub fn ratio_error(clusters: &[(f64, f64)]) -> Option<f64> {
    let above: f64 = clusters.iter().map(|cluster| cluster.0).sum();
    let below: f64 = clusters.iter().map(|cluster| cluster.1).sum();
    if clusters.len() < 2 || below == 0.0 {
        return None;
    }
    let ratio = above / below;
    let square = |cluster: &(f64, f64)| {
        let residual = cluster.0 - ratio * cluster.1;
        residual * residual
    };
    let squares: f64 = clusters.iter().map(square).sum();
    let number = clusters.len() as f64;
    // The only square root: exact in IEEE arithmetic.
    Some((squares * number / (number - 1.0)).sqrt() / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(parts: &[(Option<u64>, f64, f64)]) -> Option<f64> {
        let part = |(text, above, below): &(Option<u64>, f64, f64)| RatioTerm {
            text: *text,
            above: *above,
            below: *below,
            count: 0,
        };
        ratio_error(&clusters(&parts.iter().map(part).collect::<Vec<_>>()))
    }

    #[test]
    fn by_hand() {
        // Mean 3; squares 4 + 0 + 4 = 8; sd = sqrt(8 / 2) = 2; 2 / sqrt(3).
        let found = error(&[(None, 1.0, 1.0), (None, 3.0, 1.0), (None, 5.0, 1.0)]);
        assert!(found.is_some_and(|error| (error - 2.0 / 3.0_f64.sqrt()).abs() < 1e-15));
        // Ratio 3 / 4; residuals 1 - 1.5 and 2 - 1.5; sqrt(2 * 0.5) / 4.
        assert_eq!(error(&[(None, 1.0, 2.0), (None, 2.0, 2.0)]), Some(0.25));
    }

    #[test]
    fn one_dialogue_has_no_error() {
        assert_eq!(error(&[(None, 1.0, 1.0)]), None);
        assert_eq!(mean(&[]), None);
        assert_eq!(error(&[(None, 0.0, 0.0), (None, 0.0, 0.0)]), None);
    }

    /// Two texts, fifteen times each, are two clusters and not thirty: the error does not depend on
    /// the number of repeats.
    #[test]
    fn repeats_of_a_text_are_one_cluster() {
        let once = error(&[(Some(0), 1.0, 1.0), (Some(7), 0.0, 1.0)]);
        let repeated: Vec<_> =
            (0..30).map(|at| (Some(7 * (at % 2)), (1 - at % 2) as f64, 1.0)).collect();
        assert_eq!(once, Some(0.5));
        assert_eq!(error(&repeated), once);
        let apart: Vec<_> = repeated.iter().map(|part| (None, part.1, part.2)).collect();
        assert!(error(&apart).is_some_and(|error| error < 0.1));
        assert_eq!(error(&[(Some(1), 1.0, 1.0), (Some(1), 0.0, 1.0)]), None);
    }
}
