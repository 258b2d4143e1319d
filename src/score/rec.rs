//! Recovery: success on the turn after a failure. Undecided turns and empty turns are skipped. It
//! is computed once as the paper defines it and once as in the released program; the two agree if
//! and only if every dialogue ends with patience exhausted.

use super::{Direction, Measured, Metric, ScoredDialogue, Unit};

pub(super) const REC: Metric = Metric {
    name: "REC",
    doc: "how often the turn after a failure succeeds, averaged over dialogues",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, equation 4",
    on_request: false,
    compute: as_written,
};

pub(super) const REC_AS_RELEASED: Metric = Metric {
    name: "REC_as_released",
    doc: "REC with the released program's denominator, failures - 1",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, released score.py",
    on_request: false,
    compute: as_released,
};

#[derive(Default)]
struct Counts {
    failures: i64,
    /// Failures that are followed by a decided turn.
    chances: i64,
    recoveries: i64,
}

fn counts(dialogue: &ScoredDialogue) -> Counts {
    let decided = dialogue.decided();
    let mut counts = Counts::default();
    for (place, success) in decided.iter().enumerate() {
        if *success {
            continue;
        }
        counts.failures += 1;
        match decided.get(place + 1) {
            Some(true) => {
                counts.chances += 1;
                counts.recoveries += 1;
            }
            Some(false) => counts.chances += 1,
            None => {}
        }
    }
    counts
}

/// A dialogue without a failure to recover from has no term: the equation would divide by zero.
fn as_written(dialogues: &[ScoredDialogue]) -> Measured {
    let terms: Vec<_> = dialogues
        .iter()
        .map(|dialogue| (dialogue, counts(dialogue)))
        .filter(|(_, counts)| counts.chances > 0)
        .map(|(of, counts)| of.term(counts.recoveries as f64 / counts.chances as f64))
        .collect();
    let left_out = dialogues.len() - terms.len();
    let note = (left_out > 0 && !terms.is_empty()).then(|| {
        format!(
            "{left_out} of {} dialogues had no turn after a failure and are left out",
            dialogues.len()
        )
    });
    Measured::ratio(&terms, "no dialogue had a turn after a failure").with_note(note)
}

/// One dialogue can make the mean undefined, as in the released program: `0/0` makes it nan and
/// `1/0` infinite. A dialogue without a failure is `0/-1`, a zero, which the note counts.
fn as_released(dialogues: &[ScoredDialogue]) -> Measured {
    let begun = dialogues.iter().filter(|dialogue| !dialogue.decided().is_empty());
    let counts: Vec<(&ScoredDialogue, Counts)> =
        begun.map(|dialogue| (dialogue, counts(dialogue))).collect();
    let spoiled = counts.iter().map(|(_, counts)| counts).filter(|counts| counts.failures == 1);
    let (infinite, not_a_number): (Vec<_>, Vec<_>) =
        spoiled.partition(|counts| counts.recoveries > 0);
    if !not_a_number.is_empty() {
        return Measured::undefined(format!(
            "nan in the released program: {} of {} dialogues give 0/0 (one failure, no recovery)",
            not_a_number.len(),
            counts.len()
        ));
    }
    if !infinite.is_empty() {
        return Measured::undefined(format!(
            "inf in the released program: {} of {} dialogues give 1/0 (one failure, recovered)",
            infinite.len(),
            counts.len()
        ));
    }
    let faultless = counts.iter().filter(|(_, counts)| counts.failures == 0).count();
    let terms: Vec<_> = counts
        .iter()
        // Adding zero turns the -0 of 0/-1 into 0.
        .map(|(of, it)| of.term(it.recoveries as f64 / (it.failures - 1) as f64 + 0.0))
        .collect();
    let note = (faultless > 0).then(|| {
        format!("{faultless} of {} dialogues had no failure and count as 0/-1 = 0", counts.len())
    });
    Measured::ratio(&terms, "no dialogue has a decided turn").with_note(note)
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::super::testing::dialogues;
    use super::*;

    fn why(measured: Measured) -> String {
        match measured.value {
            Value::Undefined { why } => why,
            Value::Number(number) => number.to_string(),
        }
    }

    #[test]
    fn both_agree_when_patience_is_exhausted() {
        // SFSFF: failures at 2, 4, 5; after 2 it recovers, after 4 it does not: 1/2. FF: 0/1.
        let dialogues = dialogues(&["SFSFF", "FF"]);
        assert_eq!(as_written(&dialogues).number(), Some(0.25));
        assert_eq!(as_released(&dialogues).number(), Some(0.25));
    }

    #[test]
    fn they_differ_when_a_dialogue_ends_well() {
        // FSFS: two recoveries of two chances; released 2 / (2 - 1).
        let dialogues = dialogues(&["FSFS"]);
        assert_eq!(as_written(&dialogues).number(), Some(1.0));
        assert_eq!(as_released(&dialogues).number(), Some(2.0));
    }

    #[test]
    fn division_by_zero_has_a_reason() {
        assert!(why(as_released(&dialogues(&["SF", "FS", "FF"]))).starts_with("nan"));
        assert!(why(as_released(&dialogues(&["FS", "FF"]))).starts_with("inf"));
        assert!(why(as_written(&dialogues(&["SF", "SS"]))).starts_with("no dialogue"));
        assert!(why(as_released(&[])).starts_with("no dialogue"));
    }

    #[test]
    fn no_failure_is_a_zero_there_and_nothing_here() {
        let dialogues = dialogues(&["SSS", "FF"]);
        let released = as_released(&dialogues);
        assert_eq!(released.number().map(f64::to_bits), Some(0));
        assert!(released.note.is_some());
        let written = as_written(&dialogues);
        assert_eq!((written.number(), written.count), (Some(0.0), 1));
    }

    #[test]
    fn undecided_turns_are_passed_over() {
        assert_eq!(as_written(&dialogues(&["F?S"])).number(), Some(1.0));
        assert_eq!(as_written(&dialogues(&["F?"])).number(), None);
    }
}
