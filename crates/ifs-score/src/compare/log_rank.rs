//! The log-rank test of two survival curves (Mantel 1966, *Cancer Chemotherapy Reports* 50; Peto and
//! Peto 1972, doi:10.2307/2344317): whether users lose patience with one model sooner than with
//! another.
//!
//! On each turn on which a dialogue of either run was lost, the number lost of the first run is
//! compared with the one expected if both had the same hazard there. The test takes the dialogues as
//! independent. Those of two runs have the same messages and resemble each other, so that it calls
//! two equal models different in fewer than 1 of 100 comparisons, and not in 5. The paired test keeps
//! that rate: it has the same excess, as a sum over pairs, with the variance of exchanging the
//! responses of each pair (Jung 1999, *Lifetime Data Analysis* 5: rank tests for matched survival data).

use serde::Serialize;

/// How long a dialogue lasted, and whether the user's patience ended it. Any other end is censored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurvivalTime {
    pub turns: u32,
    pub is_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LogRank {
    /// Dialogues lost in the first run and in the second.
    pub lost: [u64; 2],
    /// How many of the first run's would be lost with the hazard of both together.
    pub expected_one: f64,
    /// (lost - expected)² over the hypergeometric variance; chi-square with one degree of freedom.
    pub statistic: f64,
    /// The probability of a statistic at least as large, if both had the same hazard.
    pub p: f64,
    /// The squared excess over the sum of the squared excesses of pairs, and its probability.
    pub paired_statistic: f64,
    pub paired_p: f64,
}

/// The lives of the same dialogues in both runs, in the same order. `None` if no dialogue was lost
/// while both runs had one in play.
#[must_use]
pub fn log_rank(one: &[SurvivalTime], other: &[SurvivalTime]) -> Option<LogRank> {
    let count = |lives: &[SurvivalTime], of: &dyn Fn(&SurvivalTime) -> bool| -> u64 {
        lives.iter().map(|life| u64::from(of(life))).sum()
    };
    let lost_on = |turn: u32| move |life: &SurvivalTime| life.is_lost && life.turns == turn;
    let mut turns: Vec<u32> =
        one.iter().chain(other).filter(|life| life.is_lost).map(|life| life.turns).collect();
    turns.sort_unstable();
    turns.dedup();
    let (mut expected, mut variance) = (0.0, 0.0);
    // The hazard of both runs together up to each turn.
    let mut hazards: Vec<(u32, f64)> = Vec::new();
    for turn in turns {
        let in_play = |life: &SurvivalTime| life.turns >= turn;
        let at_risk = (count(one, &in_play) as f64, count(other, &in_play) as f64);
        let lost = (count(one, &lost_on(turn)) + count(other, &lost_on(turn))) as f64;
        let all = at_risk.0 + at_risk.1;
        expected += lost * at_risk.0 / all;
        hazards.push((turn, hazards.last().map_or(0.0, |it| it.1) + lost / all));
        if all > 1.0 {
            let share = at_risk.0 / all * (at_risk.1 / all);
            variance += lost * share * (all - lost) / (all - 1.0);
        }
    }
    if variance <= 0.0 {
        return None;
    }
    let lost = [one, other].map(|lives| count(lives, &|life: &SurvivalTime| life.is_lost));
    let excess = lost[0] as f64 - expected;
    let statistic = excess * excess / variance;
    // The loss of a dialogue beyond the expected one; over the first run it sums to the excess.
    let beyond = |life: &SurvivalTime| {
        let before = hazards.iter().take_while(|(turn, _)| *turn <= life.turns).last();
        f64::from(u8::from(life.is_lost)) - before.map_or(0.0, |(_, hazard)| *hazard)
    };
    let pairs = one.iter().zip(other).map(|(one, other)| beyond(one) - beyond(other));
    let (sum, squares) = pairs.fold((0.0, 0.0), |(sum, squares), it| (sum + it, squares + it * it));
    let paired_statistic = if squares > 0.0 { sum * sum / squares } else { 0.0 };
    let chance = |statistic: f64| libm::erfc((statistic / 2.0).sqrt());
    Some(LogRank {
        lost,
        expected_one: expected,
        statistic,
        p: chance(statistic),
        paired_statistic,
        paired_p: chance(paired_statistic),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survival_times(ends: &[(u32, u32)]) -> Vec<SurvivalTime> {
        ends.iter()
            .map(|(turns, lost)| SurvivalTime { turns: *turns, is_lost: *lost == 1 })
            .collect()
    }

    /// lifelines 0.30.3: `logrank_test(T, T2, E, E2)`.
    #[test]
    fn log_rank_matches_lifelines() {
        let one = [3, 3, 4, 5, 5, 6, 8, 8, 10, 10, 12, 12];
        let lost_one = [1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0];
        let other = [4, 6, 7, 9, 9, 12, 12, 12, 12, 12, 11, 5];
        let lost_other = [1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0];
        let one = survival_times(&one.into_iter().zip(lost_one).collect::<Vec<_>>());
        let other = survival_times(&other.into_iter().zip(lost_other).collect::<Vec<_>>());
        let found = log_rank(&one, &other);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(
            found.is_some_and(|it| near(it.statistic, 1.894_699_362_145_733)
                && near(it.p, 0.168_672_831_040_139_83)
                && it.lost == [8, 6]),
            "{found:?}"
        );
        let turned = log_rank(&other, &one);
        assert!(turned.zip(found).is_some_and(|(turned, it)| near(turned.p, it.p)));
        assert!(turned.zip(found).is_some_and(|(turned, it)| near(turned.paired_p, it.paired_p)));
    }

    /// Lost after turns 1 and 3, and after 2 while one stays: the hazards are 1/4, 1/3 and 1/2. Excesses
    /// of 3/4 and -1/12 meet 5/12 and -13/12, so that the pairs differ by 1/3 and 1.
    #[test]
    fn pairs_by_hand() {
        let found =
            log_rank(&survival_times(&[(1, 1), (3, 1)]), &survival_times(&[(2, 1), (3, 0)]));
        let wanted = (16.0 / 9.0) / (10.0 / 9.0);
        assert!(
            found.is_some_and(|it| (it.paired_statistic - wanted).abs() < 1e-12
                && (it.paired_p - 0.205_903_210_732_064_66).abs() < 1e-9),
            "{found:?}"
        );
    }

    /// The same dialogues are lost in both runs, each a turn later in one of them: nothing by the test of
    /// independent dialogues, and no accident where dialogues are compared.
    #[test]
    fn shared_difficulty_is_not_noise() {
        let one: Vec<(u32, u32)> = (1..=20).map(|turn| (2 * turn, 1)).collect();
        let other: Vec<(u32, u32)> = (1..=20).map(|turn| (2 * turn + 1, 1)).collect();
        let found = log_rank(&survival_times(&one), &survival_times(&other));
        assert!(found.is_some_and(|it| it.p > 0.5 && it.paired_p < 0.05), "{found:?}");
    }

    #[test]
    fn equal_runs_do_not_differ() {
        let same = survival_times(&[(3, 1), (4, 1), (9, 0)]);
        assert!(log_rank(&same, &same).is_some_and(|it| it.statistic == 0.0 && it.p == 1.0));
    }

    #[test]
    fn log_rank_needs_a_loss() {
        assert_eq!(log_rank(&survival_times(&[(9, 0)]), &survival_times(&[(9, 0)])), None);
        assert_eq!(log_rank(&[], &[]), None);
        // The only loss is after the other run has left.
        assert_eq!(log_rank(&survival_times(&[(9, 1)]), &survival_times(&[(3, 0)])), None);
    }
}
