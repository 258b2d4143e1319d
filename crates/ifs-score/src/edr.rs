//! Endurance, in four degrees of strictness. Each is a mean over the dialogues with at least one
//! turn: an empty dialogue says nothing about the model.
//!
//! An empty turn is part of the length of a dialogue, so it is in `EDR_len`. It
//! can be neither satisfied nor missed: it has no term in `EDR_acc` and `EDR_succ`, and neither
//! lengthens nor breaks a run in `EDR_lss`.

use super::statistics::RatioTerm;
use super::{Direction, Measurement, Metric, MetricUnit, ScoredDialogue, ScoredTurn};

pub(super) const EDR_LEN: Metric = Metric {
    name: "EDR_len",
    doc: "turns in a dialogue",
    unit: MetricUnit::Turns,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, section 3.4, EDR len",
    on_request: false,
    part: |dialogue| endurance(dialogue, dialogue.turns.len() as f64),
    whole: mean_endurance,
};

pub(super) const EDR_ACC: Metric = Metric {
    name: "EDR_acc",
    doc: "turns of a dialogue, each weighted by the share of its constraints and criteria that held",
    unit: MetricUnit::Turns,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, section 3.4, EDR acc",
    on_request: false,
    part: |dialogue| {
        let shares = dialogue.turns.iter().filter_map(ScoredTurn::share_held);
        // Starts from a positive zero: the sum of an empty iterator is minus zero.
        endurance(dialogue, shares.fold(0.0, |sum, one| sum + one))
    },
    whole: mean_endurance,
};

pub(super) const EDR_SUCC: Metric = Metric {
    name: "EDR_succ",
    doc: "successful turns in a dialogue",
    unit: MetricUnit::Turns,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, section 3.4, EDR succ",
    on_request: false,
    part: |dialogue| endurance(dialogue, dialogue.successes() as f64),
    whole: mean_endurance,
};

pub(super) const EDR_LSS: Metric = Metric {
    name: "EDR_lss",
    doc: "longest run of successful turns in a dialogue",
    unit: MetricUnit::Turns,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, section 3.4, EDR lss",
    on_request: false,
    part: |dialogue| endurance(dialogue, longest_run(dialogue) as f64),
    whole: mean_endurance,
};

fn endurance(dialogue: &ScoredDialogue, term: f64) -> Option<RatioTerm> {
    (!dialogue.turns.is_empty()).then(|| dialogue.term(term))
}

fn mean_endurance(terms: &[RatioTerm], _: usize) -> Measurement {
    Measurement::ratio(terms, "no dialogue has a turn")
}

fn longest_run(dialogue: &ScoredDialogue) -> u64 {
    let mut longest = 0;
    let mut current = 0;
    for success in dialogue.decided() {
        current = if success { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    fn all(letters: &[&str]) -> [Option<f64>; 4] {
        let dialogues = dialogues(letters);
        [EDR_LEN, EDR_ACC, EDR_SUCC, EDR_LSS].map(|metric| metric.compute(&dialogues).number())
    }

    #[test]
    fn by_hand() {
        // SSFSFF: 6 turns, 3 + 3/2, 3 successes, run of 2. FF: 2, 1, 0, 0.
        assert_eq!(all(&["SSFSFF", "FF"]), [4.0, 2.75, 1.5, 1.0].map(Some));
    }

    #[test]
    fn undecided_turns_count_only_for_length() {
        // The run of S ? S is 2: the undecided turn is skipped.
        assert_eq!(all(&["S?SF"]), [4.0, 2.5, 2.0, 2.0].map(Some));
    }

    #[test]
    fn empty_turns_count_only_for_length() {
        assert_eq!(all(&["EE"]), [2.0, 0.0, 0.0, 0.0].map(Some));
        // The empty turn is skipped, so the run of S E S is 2.
        assert_eq!(all(&["SESF"]), [4.0, 2.5, 2.0, 2.0].map(Some));
    }

    #[test]
    fn a_dialogue_that_never_began_does_not_shorten_the_mean() {
        assert_eq!(all(&["SS", ""]), [2.0, 2.0, 2.0, 2.0].map(Some));
        assert_eq!(all(&[""]), [None; 4]);
    }
}
