//! A comparison as test results: a run fails where it is worse than one before it.

use super::ComparisonOutput;
use ifs_report::junit::{self, CaseResult, JunitCase, Suite};
use ifs_report::number_with_unit;
use ifs_score::Direction;
use ifs_score::compare::{MetricComparison, MetricPair, SIGNIFICANCE_LEVEL};

/// A suite for every two runs, in their order, and a case for each metric: it fails if the second
/// run is worse than the first by a test at the level of the ranks, after Holm's correction.
pub(super) fn junit(found: &ComparisonOutput) -> String {
    let suite = |pair: &ifs_score::compare::RunPair| {
        let class = format!("{} after {}", pair.other, pair.one);
        let cases = found.metrics.iter().map(|standing| JunitCase {
            class: class.clone(),
            name: standing.metric.clone(),
            result: result(standing, &pair.one, &pair.other),
        });
        let missing = found.incomplete.iter().map(|warning| JunitCase {
            class: class.clone(),
            name: "every dialogue".to_owned(),
            result: CaseResult::Error(warning.clone()),
        });
        Suite {
            name: class.clone(),
            properties: vec![
                ("baseline", pair.one.clone()),
                ("model", pair.other.clone()),
                ("common_turns", pair.turns.to_string()),
                ("common_dialogues", pair.dialogues.to_string()),
            ],
            cases: cases.chain(missing).collect(),
            warnings: super::pairs::warnings(found).lines().map(str::to_owned).collect(),
        }
    };
    let suites: Vec<Suite> = found.comparison.pairs.iter().map(suite).collect();
    junit::document(&suites)
}

fn result(standing: &MetricComparison, one: &str, other: &str) -> CaseResult {
    let of = |pair: &&MetricPair| pair.one == one && pair.other == other;
    let Some(pair) = standing.pairs.iter().find(of) else {
        let why = standing.values.iter().find_map(|entry| entry.undefined.clone());
        return CaseResult::Skipped(
            why.unwrap_or_else(|| "the metric is not a sum over dialogues".to_owned()),
        );
    };
    // The difference is the first less the second.
    let is_worse = match standing.direction {
        Direction::HigherIsBetter => pair.tested.difference > 0.0,
        Direction::LowerIsBetter => pair.tested.difference < 0.0,
    };
    if !is_worse || pair.adjusted_p >= SIGNIFICANCE_LEVEL {
        return CaseResult::Passed;
    }
    let value = |run: &str| {
        let entry = standing.values.iter().find(|entry| entry.run == run);
        entry.and_then(|entry| entry.value).map(|value| number_with_unit(value, standing.unit))
    };
    let [before, after] =
        [one, other].map(|run| value(run).unwrap_or_else(|| "undefined".to_owned()));
    let interval = pair.tested.interval.map(|it| {
        // The second minus the first, as a reader of a failure expects it.
        format!("95 % interval of the change {:+.3} to {:+.3}", -it.upper, -it.lower)
    });
    let message = format!(
        "{after}, {before} before; p {:.4} after Holm's correction over {} common dialogues",
        pair.adjusted_p, pair.dialogues
    );
    CaseResult::Failed(message, interval.into_iter().collect())
}
