//! Instruction satisfaction rate.

use super::{Direction, Measurement, Metric, MetricUnit};

/// Undecided and empty turns are in neither count.
pub(super) const ISR: Metric = Metric {
    name: "ISR",
    doc: "turns on which everything held, of the turns that have constraints or criteria",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, appendix A.1, ISR",
    on_request: false,
    part: |dialogue| {
        let part = dialogue.part(dialogue.successes() as f64, dialogue.decided().len() as f64);
        Some(part).filter(|part| part.below > 0.0)
    },
    whole: |terms, _| Measurement::ratio(terms, "no turn was decided"),
};

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn counts_turns() {
        // S F S succeed twice in three; F not at all; ? and E are in neither count.
        let measured = ISR.compute(&dialogues(&["SFS?E", "F"]));
        assert_eq!(measured.number(), Some(0.5));
        assert_eq!((measured.numerator, measured.denominator), (2.0, 4.0));
        assert_eq!(ISR.compute(&dialogues(&["EE"])).number(), None);
        assert_eq!(ISR.compute(&dialogues(&["FFF"])).number(), Some(0.0));
        assert_eq!(ISR.compute(&dialogues(&["?"])).number(), None);
    }
}
