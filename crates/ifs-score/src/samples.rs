//! Scores over all responses to a turn, for runs with several: the mean, and how likely some of k
//! responses succeed, or all of them.
//!
//! With c successes among n decided responses to a turn, pass@k is the chance that at least one of k
//! of them succeeds, 1 - C(n - c, k) / C(n, k) (Chen et al. 2021, arXiv:2107.03374, equation 1), and
//! pass^k the chance that all k succeed, C(c, k) / C(n, k) (Yao et al. 2024, arXiv:2406.12045). Both
//! are unbiased for k responses and are averaged over the turns with at least k of them. Responses are
//! nested in turns and turns in dialogues, so the error is that over distinct dialogues; the number of
//! responses makes a turn's value more exact, and never counts as more dialogues.

use std::sync::Arc;

use ifs_predicate::functions::chance_of_all;
use serde::{Deserialize, Serialize};

use super::interval::{ValueRange, interval};
use super::statistics::{RatioTerm, mean};
use super::{
    DialogueSource, Direction, Measurement, Metric, MetricUnit, OutcomeTally, ScoredConstraint,
    ScoredDialogue, ScoredTurn,
};

pub(super) const CSR_MEAN: Metric = Metric {
    name: "CSR_mean",
    doc: "CSR over all responses to a turn, and not the first alone",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, appendix A.1, CSR, as the mean over the responses of `sample N`",
    on_request: true,
    part: |dialogue| dialogue.turns_part(|turn| mean(&turn.shares_held())),
    whole: |terms, _| Measurement::ratio(terms, "no turn has a constraint that was judged"),
};

pub(super) const ISR_MEAN: Metric = Metric {
    name: "ISR_mean",
    doc: "ISR over all responses to a turn, and not the first alone: pass@1",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "Chen et al. 2021, arXiv:2107.03374, equation 1 with k = 1",
    on_request: true,
    part: |dialogue| dialogue.turns_part(|turn| turn.decided_responses().pass_at(1)),
    whole: |terms, _| Measurement::ratio(terms, "no response was decided"),
};

/// The scores over all responses to each turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct SampleScores {
    /// The largest number of responses to a turn.
    pub most: u64,
    /// All responses to user messages, without those to feedback.
    pub responses: u64,
    /// For numbers of responses, from 1 to `most`.
    pub by_count: Vec<SampleScore>,
}

/// The scores for k responses to a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct SampleScore {
    pub k: u64,
    /// At least one of k responses succeeds.
    pub pass_at_k: Measurement,
    /// All k responses succeed.
    pub pass_all_k: Measurement,
}

/// How many responses to a turn were decided, and how many of them succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DecidedResponses {
    held: u64,
    of: u64,
}

impl DecidedResponses {
    /// The chance that at least one of k responses succeeds; `None` with fewer than k.
    fn pass_at(self, k: u64) -> Option<f64> {
        chance_of_all(k, self.of - self.held, self.of).map(|none| 1.0 - none)
    }

    /// The chance that all of k responses succeed; `None` with fewer than k.
    fn pass_all(self, k: u64) -> Option<f64> {
        chance_of_all(k, self.held, self.of)
    }
}

impl ScoredTurn {
    /// The outcomes for each response to the user message.
    pub(super) fn responses(&self) -> impl Iterator<Item = &Vec<Arc<ScoredConstraint>>> {
        std::iter::once(&self.constraints).chain(&self.samples)
    }

    fn decided_responses(&self) -> DecidedResponses {
        let mut counts = DecidedResponses::default();
        for constraints in self.responses() {
            let tally = OutcomeTally::from_constraints(constraints);
            if tally.is_decided() {
                counts.of += 1;
                counts.held += u64::from(tally.missed == 0);
            }
        }
        counts
    }

    /// The share of constraints and criteria that held in each decided response.
    fn shares_held(&self) -> Vec<f64> {
        let tallies = self.responses().map(|all| OutcomeTally::from_constraints(all));
        tallies.filter(|tally| tally.is_decided()).filter_map(OutcomeTally::rate).collect()
    }
}

/// The numbers of responses that a report has rows for: few enough to read.
fn row_counts(most: u64) -> Vec<u64> {
    let doubled = std::iter::successors(Some(16_u64), |k| Some(k * 2));
    let rows = (1..=10).chain(doubled.take_while(|k| *k < most));
    let mut rows: Vec<u64> = rows.filter(|k| *k < most).collect();
    rows.push(most);
    rows
}

/// `None` where no turn has several responses.
pub(super) fn samples(dialogues: &impl DialogueSource) -> Option<SampleScores> {
    let (mut most, mut responses) = (1, 0);
    for turn in dialogues.turns() {
        let count = 1 + turn.samples.len() as u64;
        most = most.max(count);
        responses += count;
    }
    if most == 1 {
        return None;
    }
    let rows = row_counts(most);
    let mut terms: Vec<[Vec<RatioTerm>; 2]> = vec![[Vec::new(), Vec::new()]; rows.len()];
    for dialogue in dialogues.each() {
        let decided: Vec<DecidedResponses> =
            dialogue.turns.iter().map(ScoredTurn::decided_responses).collect();
        for (k, [any, all]) in rows.iter().zip(&mut terms) {
            any.extend(turn_mean(&dialogue, &decided, |turn| turn.pass_at(*k)));
            all.extend(turn_mean(&dialogue, &decided, |turn| turn.pass_all(*k)));
        }
    }
    let measured = |terms: &Vec<RatioTerm>| {
        let measured = Measurement::ratio(terms, "no turn has as many decided responses");
        Measurement { interval: interval(&measured, ValueRange::Share), ..measured }
    };
    let by_count = rows.iter().zip(&terms).map(|(k, [any, all])| SampleScore {
        k: *k,
        pass_at_k: measured(any),
        pass_all_k: measured(all),
    });
    Some(SampleScores { most, responses, by_count: by_count.collect() })
}

/// The contribution of a dialogue to a mean over turns.
fn turn_mean(
    dialogue: &ScoredDialogue,
    turns: &[DecidedResponses],
    value: impl Fn(DecidedResponses) -> Option<f64>,
) -> Option<RatioTerm> {
    let values: Vec<f64> = turns.iter().filter_map(|turn| value(*turn)).collect();
    let sum = values.iter().fold(0.0, |sum, one| sum + one);
    (!values.is_empty()).then(|| dialogue.part(sum, values.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{dialogue, dialogues};
    use super::*;

    /// A dialogue of one turn; each letter is a response to it.
    fn sampled(letters: &str) -> ScoredDialogue {
        let mut turns = dialogue(letters).turns.into_iter();
        let mut first = turns.next().unwrap();
        first.samples = turns.map(|turn| turn.constraints).collect();
        ScoredDialogue { turns: vec![first], ..dialogue("") }
    }

    #[test]
    fn by_hand() {
        // 2 of 4, 0 of 4, and 3 of 3: one response is undecided.
        let given = vec![sampled("SFSF"), sampled("FFFF"), sampled("S?SS")];
        let found = samples(&given).unwrap();
        assert_eq!((found.most, found.responses), (4, 12));
        let values: Vec<[Option<f64>; 2]> = found
            .by_count
            .iter()
            .map(|row| [row.pass_at_k.number(), row.pass_all_k.number()])
            .collect();
        // pass@2: 1 - C(2,2)/C(4,2) = 5/6, 0, 1; pass^2: 1/6, 0, 1. For k = 4 two turns are left.
        let wanted = [
            [Some(0.5), Some(0.5)],
            [Some((5.0 / 6.0 + 1.0) / 3.0), Some((1.0 / 6.0 + 1.0) / 3.0)],
            [Some(2.0 / 3.0), Some(1.0 / 3.0)],
            [Some(0.5), Some(0.0)],
        ];
        for (found, wanted) in values.iter().zip(wanted) {
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found.unwrap() - wanted.unwrap()).abs() < 1e-12, "{values:?}");
            }
        }
        assert_eq!(ISR_MEAN.compute(&given[..]).number(), Some(0.5));
        // Shares: 1, 1/2, 1, 1/2; 1/2 four times; 1 three times.
        assert_eq!(CSR_MEAN.compute(&given[..]).number(), Some((0.75 + 0.5 + 1.0) / 3.0));
    }

    /// Three dialogues stay three, however often each of their turns is sampled.
    #[test]
    fn the_error_is_over_dialogues() {
        let measured = ISR_MEAN.compute(&[sampled("SF"), sampled("SS"), sampled("FF")][..]);
        let again = ["SFSFSFSF", "SSSSSSSS", "FFFFFFFF"].map(sampled);
        assert_eq!(measured.standard_error, ISR_MEAN.compute(&again[..]).standard_error);
        assert_eq!((measured.distinct, measured.count), (3, 3));
    }

    #[test]
    fn one_response_has_no_table() {
        assert_eq!(samples(&dialogues(&["SF", "S"])), None);
        assert_eq!(ISR_MEAN.compute(&dialogues(&["SF"])).number(), Some(0.5));
        assert_eq!(row_counts(5), [1, 2, 3, 4, 5]);
        assert_eq!(row_counts(40), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 40]);
    }
}
