//! McNemar's test of turns that one of two runs succeeds on and the other fails (McNemar 1947,
//! doi:10.1007/BF02295996).
//!
//! Turns of one dialogue resemble each other, so the test for clustered pairs is used (Durkalski,
//! Palesch, Lipsitz and Rust 2003, doi:10.1002/sim.1438): with bₖ turns of dialogue k that only the
//! first run succeeds on, cₖ that only the second does, and nₖ compared,
//!
//! χ² = (Σ (bₖ - cₖ) / nₖ)² / Σ ((bₖ - cₖ) / nₖ)²
//!
//! with one degree of freedom. Where each dialogue has one turn, the exact binomial test is.

use serde::Serialize;

use super::Method;

/// The turns of one distinct dialogue that are decided in both runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedTurns {
    pub both: u64,
    pub first_only: u64,
    pub second_only: u64,
    pub neither: u64,
}

impl PairedTurns {
    pub fn add(&mut self, one: bool, other: bool) {
        *match (one, other) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.first_only,
            (false, true) => &mut self.second_only,
            (false, false) => &mut self.neither,
        } += 1;
    }

    fn count(&self) -> u64 {
        self.both + self.first_only + self.second_only + self.neither
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct McNemar {
    /// Turns on which both runs succeed, only the first, only the second, and neither.
    pub both: u64,
    pub first_only: u64,
    pub second_only: u64,
    pub neither: u64,
    pub method: Method,
    /// The two-sided probability of as large a difference, if both models were alike.
    pub p: f64,
}

#[must_use]
pub fn mcnemar(dialogues: &[PairedTurns]) -> McNemar {
    let sum = |of: fn(&PairedTurns) -> u64| -> u64 { dialogues.iter().map(of).sum() };
    let (first_only, second_only) = (sum(|it| it.first_only), sum(|it| it.second_only));
    let (method, p) = match first_only + second_only {
        0 => (Method::None, 1.0),
        _ if dialogues.iter().all(|it| it.count() <= 1) => {
            (Method::Exact, binomial(first_only, second_only))
        }
        _ => (Method::Normal, clustered(dialogues)),
    };
    let (both, neither) = (sum(|it| it.both), sum(|it| it.neither));
    McNemar { both, first_only, second_only, neither, method, p }
}

/// Twice the smaller tail of a fair coin.
fn binomial(heads: u64, tails: u64) -> f64 {
    let (all, few) = ((heads + tails) as f64, heads.min(tails));
    let choose =
        |k: f64| libm::lgamma(all + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(all - k + 1.0);
    let chance = |k: u64| libm::exp(choose(k as f64) - all * std::f64::consts::LN_2);
    (2.0 * (0..=few).map(chance).sum::<f64>()).min(1.0)
}

fn clustered(dialogues: &[PairedTurns]) -> f64 {
    let excess = |it: &PairedTurns| match it.count() {
        0 => 0.0,
        count => (it.first_only as f64 - it.second_only as f64) / count as f64,
    };
    let sum: f64 = dialogues.iter().map(excess).sum();
    let squares: f64 = dialogues.iter().map(|it| excess(it) * excess(it)).sum();
    match squares > 0.0 {
        true => libm::erfc((sum * sum / squares / 2.0).sqrt()),
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(counts: [u64; 4]) -> PairedTurns {
        let [both, first_only, second_only, neither] = counts;
        PairedTurns { both, first_only, second_only, neither }
    }

    fn near(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < 1e-9
    }

    /// SciPy 1.17.1: `scipy.stats.binomtest(b, b + c, 0.5).pvalue`.
    #[test]
    fn one_turn_a_dialogue_is_exact() {
        for (b, c, wanted) in [
            (1, 0, 1.0),
            (6, 0, 0.03125),
            (9, 3, 0.14599609375),
            (40, 25, 0.08168153394154003),
            (5, 5, 1.0),
        ] {
            let mut dialogues = vec![turns([1, 0, 0, 0]); 7];
            dialogues.extend(vec![turns([0, 1, 0, 0]); b]);
            dialogues.extend(vec![turns([0, 0, 1, 0]); c]);
            let found = mcnemar(&dialogues);
            assert_eq!((found.method, found.both), (Method::Exact, 7));
            assert!(near(found.p, wanted), "{b} {c}: {}", found.p);
        }
    }

    /// With the same number of turns in every dialogue and one that differs in each, the statistic is
    /// McNemar's (b - c)² / (b + c): b = 15, c = 5, 5, and SciPy's `chi2.sf(5, 1)`.
    #[test]
    fn clusters_of_one_difference_are_mcnemars() {
        let mut dialogues = vec![turns([1, 1, 0, 1]); 15];
        dialogues.extend(vec![turns([1, 0, 1, 1]); 5]);
        let found = mcnemar(&dialogues);
        assert_eq!((found.first_only, found.second_only), (15, 5));
        assert!(near(found.p, 0.025347318677468325), "{}", found.p);
    }

    /// Ten differing turns in one dialogue are one observation.
    #[test]
    fn turns_of_a_dialogue_are_not_independent() {
        let found = mcnemar(&[turns([0, 10, 0, 0]), turns([10, 0, 0, 0])]);
        assert!(found.p > 0.3, "{}", found.p);
        assert_eq!(mcnemar(&[turns([5, 0, 0, 5])]).method, Method::None);
        assert_eq!(mcnemar(&[]).p, 1.0);
    }
}
