//! Wilcoxon's signed-rank test for pairs (Wilcoxon 1945, doi:10.2307/3001968).
//!
//! Pairs without a difference are left out, as in the paper of 1945; ties have the mean of their
//! ranks. Up to [`MAX_EXACT_DIFFERENCES`] differences the distribution is exact for the given ranks, including
//! ties: the sum of the positive ranks over all 2^n choices of signs, by the shift algorithm of
//! Streitberg and Röhmel (1986, Statistical Software Newsletter 12). Above that, a normal
//! approximation is used, with the variance corrected for ties and a continuity correction of half
//! a rank.

use std::cmp::Ordering;

use serde::Serialize;

use crate::ExactShare;

/// The most differences for which the distribution is exact.
pub const MAX_EXACT_DIFFERENCES: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Exact,
    Normal,
    /// No pair differs: there is nothing to test.
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Wilcoxon {
    /// Pairs that differ.
    pub differing: usize,
    /// The sums of the ranks of pairs in which the first is larger, and in which the second is.
    pub plus: f64,
    pub minus: f64,
    pub method: Method,
    /// The probability of sums at least as far from the mean, if both were alike.
    pub two_sided: f64,
    /// The probability of a sum of positive ranks at least as large: small if the first is larger.
    pub first_larger: f64,
    /// Small if the second is larger.
    pub second_larger: f64,
}

/// Tests whether the first of each pair tends to be larger or smaller than the second.
#[must_use]
pub fn wilcoxon(pairs: &[(ExactShare, ExactShare)]) -> Wilcoxon {
    let mut differences: Vec<Difference> = pairs
        .iter()
        .map(|(one, other)| Difference::between(*one, *other))
        .filter(|it| it.above != 0)
        .collect();
    differences.sort_by(Difference::by_size);
    // Ranks are doubled, so that the mean rank of ties is an integer.
    let mut ranks: Vec<(u64, bool)> = Vec::with_capacity(differences.len());
    let mut ties: Vec<u64> = Vec::new();
    for tie in differences.chunk_by(|one, next| one.by_size(next) == Ordering::Equal) {
        let first = ranks.len() as u64 + 1;
        let count = tie.len() as u64;
        ties.push(count);
        ranks.extend(tie.iter().map(|it| (2 * first + count - 1, it.above > 0)));
    }
    let sum = |positive: bool| -> u64 {
        ranks.iter().filter(|(_, sign)| *sign == positive).map(|(rank, _)| rank).sum()
    };
    let (plus, minus) = (sum(true), sum(false));
    let (method, first_larger, second_larger) = match ranks.len() {
        0 => (Method::None, 1.0, 1.0),
        1..=MAX_EXACT_DIFFERENCES => {
            let chances = exact(&ranks);
            let at_least = |sum: u64| chances[sum as usize..].iter().sum::<f64>().min(1.0);
            (Method::Exact, at_least(plus), at_least(minus))
        }
        _ => {
            let (mean, deviation) = normal(ranks.len() as f64, &ties);
            let at_least = |sum: u64| upper((sum as f64 / 2.0 - mean - 0.5) / deviation);
            (Method::Normal, at_least(plus), at_least(minus))
        }
    };
    Wilcoxon {
        differing: ranks.len(),
        plus: plus as f64 / 2.0,
        minus: minus as f64 / 2.0,
        method,
        two_sided: (2.0 * first_larger.min(second_larger)).min(1.0),
        first_larger,
        second_larger,
    }
}

/// A difference of two shares as a fraction.
struct Difference {
    above: i128,
    below: i128,
}

impl Difference {
    fn between(one: ExactShare, other: ExactShare) -> Difference {
        let wide = i128::from;
        Difference {
            above: wide(one.held) * wide(other.of) - wide(other.held) * wide(one.of),
            below: wide(one.of) * wide(other.of),
        }
    }

    fn by_size(&self, other: &Difference) -> Ordering {
        (self.above.abs() * other.below).cmp(&(other.above.abs() * self.below))
    }
}

/// The probability of each sum of positive (doubled) ranks, if every sign is a fair coin.
fn exact(ranks: &[(u64, bool)]) -> Vec<f64> {
    let total: u64 = ranks.iter().map(|(rank, _)| rank).sum();
    let mut chances = vec![0.0; total as usize + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for (rank, _) in ranks {
        let rank = *rank as usize;
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = (chances[sum] + with) / 2.0;
        }
    }
    chances
}

/// The mean and the standard deviation of the sum of positive ranks.
fn normal(count: f64, ties: &[u64]) -> (f64, f64) {
    let lost: f64 = ties.iter().map(|tie| *tie as f64).map(|tie| tie * tie * tie - tie).sum();
    let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - lost / 48.0;
    (count * (count + 1.0) / 4.0, variance.sqrt())
}

/// The upper tail of the standard normal distribution, by libm: the same on every machine.
fn upper(number: f64) -> f64 {
    (libm::erfc(number / std::f64::consts::SQRT_2) / 2.0).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(differences: &[i64]) -> Vec<(ExactShare, ExactShare)> {
        let share = |held: i64| ExactShare { held: held.unsigned_abs(), of: 1_000 };
        differences
            .iter()
            .map(|it| if *it > 0 { (share(*it), share(0)) } else { (share(0), share(*it)) })
            .collect()
    }

    /// Enumerates the signs of all ranks, which the shift algorithm avoids.
    fn by_hand(ranks: &[u64], plus: u64) -> f64 {
        let count = (0..1_u32 << ranks.len())
            .filter(|signs| {
                let sum: u64 =
                    (0..).zip(ranks).filter(|(at, _)| signs >> at & 1 == 1).map(|it| it.1).sum();
                sum >= plus
            })
            .count();
        count as f64 / f64::from(1_u32 << ranks.len())
    }

    /// Darwin's maize, a common textbook example (Fisher 1935, The Design of Experiments): fifteen
    /// pairs, in eighths of an inch; the two-sided probability is 0.0413.
    #[test]
    fn darwins_maize() {
        let found = wilcoxon(&pairs(&[49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]));
        assert_eq!((found.plus, found.minus), (96.0, 24.0));
        assert_eq!(found.method, Method::Exact);
        assert!((found.two_sided - 0.041_259_765_625).abs() < 1e-12, "{}", found.two_sided);
    }

    #[test]
    fn ties_and_zeros_against_every_choice_of_signs() {
        // Zeros are left out; 5 occurs three times, on ranks 2, 3 and 4.
        let found = wilcoxon(&pairs(&[0, 1, 5, -5, 5, 0, 9]));
        assert_eq!((found.differing, found.plus, found.minus), (5, 12.0, 3.0));
        let ranks = [2, 6, 6, 6, 10];
        assert_eq!(found.first_larger, by_hand(&ranks, 24));
        assert_eq!(found.second_larger, by_hand(&ranks, 6));
    }

    #[test]
    fn both_methods_agree() {
        let differences: Vec<i64> = (1..=MAX_EXACT_DIFFERENCES as i64)
            .map(|it| if it % 3 == 0 { -it } else { it })
            .collect();
        let found = wilcoxon(&pairs(&differences));
        let (mean, deviation) = normal(MAX_EXACT_DIFFERENCES as f64, &[]);
        let normal = upper((found.plus - mean - 0.5) / deviation);
        assert!((found.first_larger - normal).abs() < 1e-4, "{} {normal}", found.first_larger);
        let more: Vec<i64> = differences.iter().copied().chain([201, -202, 203]).collect();
        assert_eq!(wilcoxon(&pairs(&more)).method, Method::Normal);
    }

    #[test]
    fn empty_and_constant_samples() {
        for none in [pairs(&[]), pairs(&[0, 0])] {
            let found = wilcoxon(&none);
            assert_eq!((found.method, found.two_sided), (Method::None, 1.0));
        }
        let turned = wilcoxon(&pairs(&[-3, -2, -1]));
        assert_eq!((turned.first_larger, turned.second_larger), (1.0, 0.125));
        // Equal thirds and sixths are ties, in spite of rounding.
        let third = (ExactShare { held: 1, of: 1 }, ExactShare { held: 2, of: 3 });
        let sixth = (ExactShare { held: 2, of: 6 }, ExactShare { held: 0, of: 5 });
        assert_eq!(wilcoxon(&[third, sixth]).plus, 3.0);
        assert_eq!(wilcoxon(&[third, (sixth.1, sixth.0)]).plus, 1.5);
    }
}
