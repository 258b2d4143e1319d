//! Recovery: success on the turn after a failure. Undecided turns and empty turns are skipped. It
//! is computed once as the paper defines it and once as in the released program; the two agree if
//! and only if every dialogue ends with patience exhausted.

use super::statistics::RatioTerm;
use super::{Direction, Measurement, Metric, MetricUnit, ScoredDialogue};

pub(super) const REC: Metric = Metric {
    name: "REC",
    doc: "how often the turn after a failure succeeds, averaged over dialogues",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, equation 4",
    on_request: false,
    part: |dialogue| {
        let counts = counts(dialogue);
        let share = counts.recoveries as f64 / counts.chances as f64;
        (counts.chances > 0).then(|| dialogue.term(share))
    },
    whole: as_written,
};

pub(super) const REC_AS_RELEASED: Metric = Metric {
    name: "REC_as_released",
    doc: "REC with the released program's denominator, failures - 1",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, released score.py",
    on_request: false,
    // The term is infinite or not a number where the released program divides by zero. The count is
    // that of failures.
    part: |dialogue| {
        let it = counts(dialogue);
        let share = it.recoveries as f64 / (it.failures - 1) as f64 + 0.0;
        let part = RatioTerm { count: it.failures.unsigned_abs(), ..dialogue.term(share) };
        (!dialogue.decided().is_empty()).then_some(part)
    },
    whole: as_released,
};

#[derive(Default)]
struct RecoveryCounts {
    failures: i64,
    /// Failures that are followed by a decided turn.
    chances: i64,
    recoveries: i64,
}

fn counts(dialogue: &ScoredDialogue) -> RecoveryCounts {
    let decided = dialogue.decided();
    let mut counts = RecoveryCounts::default();
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
fn as_written(terms: &[RatioTerm], dialogues: usize) -> Measurement {
    let left_out = dialogues - terms.len();
    let note = (left_out > 0 && !terms.is_empty()).then(|| {
        format!("{left_out} of {dialogues} dialogues had no turn after a failure and are left out")
    });
    Measurement::ratio(terms, "no dialogue had a turn after a failure").with_note(note)
}

/// One dialogue can make the mean undefined, as in the released program: `0/0` makes it nan and
/// `1/0` infinite. A dialogue without a failure is `0/-1`, a zero, which the note counts.
fn as_released(terms: &[RatioTerm], _: usize) -> Measurement {
    let number = |test: fn(&RatioTerm) -> bool| terms.iter().filter(|term| test(term)).count();
    let all = terms.len();
    match number(|term| term.above.is_nan()) {
        0 => {}
        spoiled => {
            return Measurement::undefined(format!(
                "nan in the released program: {spoiled} of {all} dialogues give 0/0 (one failure, no \
                 recovery)"
            ));
        }
    }
    match number(|term| term.above.is_infinite()) {
        0 => {}
        spoiled => {
            return Measurement::undefined(format!(
                "inf in the released program: {spoiled} of {all} dialogues give 1/0 (one failure, \
                 recovered)"
            ));
        }
    }
    let faultless = number(|term| term.count == 0);
    let note = (faultless > 0)
        .then(|| format!("{faultless} of {all} dialogues had no failure and count as 0/-1 = 0"));
    Measurement::ratio(terms, "no dialogue has a decided turn").with_note(note)
}

#[cfg(test)]
mod tests {
    use super::super::ScoreValue;
    use super::super::testing::dialogues;
    use super::*;

    fn why(measured: Measurement) -> String {
        match measured.value {
            ScoreValue::Undefined { why } => why,
            ScoreValue::Number(number) => number.to_string(),
        }
    }

    #[test]
    fn both_agree_when_patience_is_exhausted() {
        // SFSFF: failures at 2, 4, 5; after 2 it recovers, after 4 it does not: 1/2. FF: 0/1.
        let dialogues = dialogues(&["SFSFF", "FF"]);
        assert_eq!(REC.compute(&dialogues).number(), Some(0.25));
        assert_eq!(REC_AS_RELEASED.compute(&dialogues).number(), Some(0.25));
    }

    #[test]
    fn recoveries_differ_after_a_final_success() {
        // FSFS: two recoveries of two chances; released 2 / (2 - 1).
        let dialogues = dialogues(&["FSFS"]);
        assert_eq!(REC.compute(&dialogues).number(), Some(1.0));
        assert_eq!(REC_AS_RELEASED.compute(&dialogues).number(), Some(2.0));
    }

    #[test]
    fn division_by_zero_has_a_reason() {
        assert!(why(REC_AS_RELEASED.compute(&dialogues(&["SF", "FS", "FF"]))).starts_with("nan"));
        assert!(why(REC_AS_RELEASED.compute(&dialogues(&["FS", "FF"]))).starts_with("inf"));
        assert!(why(REC.compute(&dialogues(&["SF", "SS"]))).starts_with("no dialogue"));
        assert!(why(REC_AS_RELEASED.compute(&[])).starts_with("no dialogue"));
    }

    #[test]
    fn no_failure_is_zero_as_released_and_undefined_here() {
        let dialogues = dialogues(&["SSS", "FF"]);
        let released = REC_AS_RELEASED.compute(&dialogues);
        assert_eq!(released.number().map(f64::to_bits), Some(0));
        assert!(released.note.is_some());
        let written = REC.compute(&dialogues);
        assert_eq!((written.number(), written.count), (Some(0.0), 1));
    }

    #[test]
    fn undecided_turns_are_skipped() {
        assert_eq!(REC.compute(&dialogues(&["F?S"])).number(), Some(1.0));
        assert_eq!(REC.compute(&dialogues(&["F?"])).number(), None);
    }
}
