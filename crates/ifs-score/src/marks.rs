//! Mean marks of judges, and the share of dialogues with a high mean.

use super::statistics::mean;
use super::{Direction, Measurement, Metric, MetricUnit, ScoredDialogue};

pub(super) const MARK: Metric = Metric {
    name: "MARK",
    doc: "the mean of the marks that judges gave to a dialogue, averaged over dialogues",
    unit: MetricUnit::Marks,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, section 4.3.1",
    on_request: true,
    part: |dialogue| Some(dialogue.term(mean_mark(dialogue)?)),
    whole: |terms, _| Measurement::ratio(terms, NO_MARK),
};

pub(super) const CF: Metric = Metric {
    name: "CF",
    doc: "confusion factor: dialogues with a mean mark of 4 or more, as if they were real ones",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, section 4.3.1, CF = dialogues with average score ≥ 4 / all",
    on_request: true,
    part: |dialogue| {
        Some(dialogue.term(f64::from(u8::from(mean_mark(dialogue)? >= MIN_REAL_MARK))))
    },
    whole: |terms, _| Measurement::ratio(terms, NO_MARK),
};

/// A dialogue with at least this mean mark passes for a real one.
const MIN_REAL_MARK: f64 = 4.0;

const NO_MARK: &str = "no judge gave a mark";

/// One term for each dialogue with marks: their mean.
fn mean_mark(dialogue: &ScoredDialogue) -> Option<f64> {
    let all = dialogue.turns.iter().flat_map(|turn| &turn.constraints);
    mean(&all.filter_map(|constraint| constraint.mark).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{constraint, dialogue, dialogues};
    use super::super::{Outcome, ScoredConstraint};
    use super::*;

    fn marked(marks: &[Option<f64>]) -> ScoredDialogue {
        let mut dialogue = dialogue("E");
        dialogue.turns[0].constraints = marks
            .iter()
            .map(|mark| ScoredConstraint { mark: *mark, ..constraint("quality", Outcome::Held) })
            .map(Into::into)
            .collect();
        dialogue
    }

    #[test]
    fn by_hand() {
        // Means of 4, 3 and 5; the last dialogue has no mark.
        let given = [
            marked(&[Some(3.0), Some(5.0), Some(4.0)]),
            marked(&[Some(3.0), None]),
            marked(&[Some(5.0)]),
            marked(&[None]),
        ];
        assert_eq!(MARK.compute(&given).number(), Some(4.0));
        assert_eq!(CF.compute(&given).number(), Some(2.0 / 3.0));
        assert_eq!(CF.compute(&dialogues(&["SF"])).number(), None);
    }
}
