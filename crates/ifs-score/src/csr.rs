//! Constraint satisfaction rate.

use super::{Direction, Measurement, Metric, MetricUnit, ScoredTurn};

/// Undecided turns and turns without constraints have no term; an unjudged constraint next to a
/// miss is left out of its turn's share.
pub(super) const CSR: Metric = Metric {
    name: "CSR",
    doc: "the share of a turn's constraints and criteria that held, averaged over turns that have any",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, appendix A.1, CSR",
    on_request: false,
    part: |dialogue| dialogue.turns_part(ScoredTurn::share_held),
    whole: |terms, _| Measurement::ratio(terms, "no turn has a constraint that was judged"),
};

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn is_a_mean_over_turns_not_over_dialogues() {
        // 1, 1/2, 1 and 1/2: 3 of 4.
        let measured = CSR.compute(&dialogues(&["SFS", "F"]));
        assert_eq!(measured.number(), Some(0.75));
        assert_eq!((measured.numerator, measured.count), (3.0, 4));
    }

    #[test]
    fn leaves_out_what_is_not_known() {
        // M: the missed constraint counts and the unjudged one does not, so 0 of 1. ? and E have no
        // term.
        let measured = CSR.compute(&dialogues(&["S?ME"]));
        assert_eq!(measured.number(), Some(0.5));
        assert_eq!(measured.count, 2);
        assert_eq!(CSR.compute(&dialogues(&["??E", ""])).number(), None);
    }
}
