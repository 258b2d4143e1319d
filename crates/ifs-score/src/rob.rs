//! Robustness.

use super::{Direction, Measurement, Metric, MetricUnit};

/// A dialogue without a decided turn is left out.
pub(super) const ROB: Metric = Metric {
    name: "ROB",
    doc: "a dialogue's share of successful turns, averaged over dialogues",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, section 3.4, ROB",
    on_request: false,
    part: |dialogue| {
        let decided = dialogue.decided().len();
        let share = dialogue.successes() as f64 / decided as f64;
        (decided > 0).then(|| dialogue.term(share))
    },
    whole: |terms, _| Measurement::ratio(terms, "no dialogue has a decided turn"),
};

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn is_a_mean_over_dialogues() {
        // 3/4 and 0; the third has no term.
        let measured = ROB.compute(&dialogues(&["SFS?S", "F", "??"]));
        assert_eq!(measured.number(), Some(0.375));
        assert_eq!(measured.count, 2);
        // Residuals of 3/8 each: sd = 3/8 * sqrt 2, over sqrt 2.
        assert_eq!(measured.standard_error, Some(0.375));
        assert_eq!(ROB.compute(&[]).number(), None);
    }
}
