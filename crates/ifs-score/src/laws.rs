//! Properties that hold for every run.

use proptest::prelude::*;

use super::testing::dialogue;
use super::{
    BreakdownRow, DialogueSource, Ending, METRICS, Measurement, ScoreOptions, ScoreValue,
    ScoredDialogue, replay, score,
};

fn run() -> impl Strategy<Value = Vec<ScoredDialogue>> {
    let one = ("[SFM?E]{0,12}", any::<bool>()).prop_map(|(letters, spent)| {
        let mut dialogue = dialogue(&letters);
        if spent {
            dialogue.ending = Ending::Patience;
        }
        dialogue
    });
    prop::collection::vec(one, 0..8)
}

proptest! {
    #[test]
    fn every_number_is_finite_and_in_its_range(run in run(), patience in prop::option::of(0..5u32)) {
        let card = score(&run, &ScoreOptions { patience, ..ScoreOptions::default() });
        for metric in &card.metrics {
            if let ScoreValue::Number(number) = metric.measured.value {
                prop_assert!(number.is_finite() && number >= 0.0, "{}", metric.name);
            }
            if let Some(error) = metric.measured.standard_error {
                prop_assert!(error.is_finite() && error >= 0.0, "{}", metric.name);
            }
        }
        for name in ["CSR", "ISR", "ROB", "REC"] {
            prop_assert!(card.metric(name).and_then(Measurement::number).is_none_or(|share| share <= 1.0));
        }
    }

    #[test]
    fn every_outcome_is_counted_once_in_every_part(run in run()) {
        let card = score(&run, &ScoreOptions::default());
        let parts = &card.breakdown;
        let all = [&parts.by_group, &parts.by_constraint, &parts.by_topic, &parts.by_age,
            &parts.by_active_constraints, &parts.by_transition];
        let whole = card.totals.constraints;
        for rows in all {
            let sum = |part: fn(&BreakdownRow) -> u64| rows.iter().map(part).sum::<u64>();
            prop_assert_eq!(sum(|row| row.held), whole.held);
            prop_assert_eq!(sum(|row| row.missed), whole.missed);
            prop_assert_eq!(sum(|row| row.unjudged), whole.unjudged);
        }
    }

    #[test]
    fn a_replay_of_a_replay_is_the_shorter_replay(run in run(), long in 1..6u32, short in 1..6u32) {
        prop_assume!(short <= long);
        let (once, _) = replay::replay(&run, short);
        let (longer, _) = replay::replay(&run, long);
        let (twice, _) = replay::replay(&longer, short);
        for (once, twice) in once.each().zip(twice.each()) {
            prop_assert_eq!(&once.turns, &twice.turns);
        }
    }

    #[test]
    fn both_recoveries_agree_when_patience_is_exhausted(
        starts in prop::collection::vec("[SF]{0,9}S", 1..6), patience in 2..4usize,
    ) {
        // Each dialogue ends once its failures have used up the patience; longer recordings are cut
        // there.
        let run: Vec<_> = starts
            .iter()
            .map(|start| dialogue(&format!("{start}{}", "F".repeat(patience))))
            .collect();
        let card = score(&run, &ScoreOptions { patience: u32::try_from(patience).ok(), ..ScoreOptions::default() });
        let [written, released] = ["REC", "REC_as_released"]
            .map(|name| card.metric(name).and_then(Measurement::number));
        prop_assert!(written.is_some());
        prop_assert_eq!(written, released);
    }

    #[test]
    fn an_undecided_turn_changes_no_rate(letters in "[SFME]{1,10}", place in 0..10usize) {
        let place = place.min(letters.len());
        let (before, after) = letters.split_at(place);
        let without = score(&[dialogue(&letters)], &ScoreOptions { patience: Some(2), ..ScoreOptions::default() });
        let with = score(&[dialogue(&format!("{before}?{after}"))], &ScoreOptions { patience: Some(2), ..ScoreOptions::default() });
        for name in ["CSR", "ISR", "ROB", "EDR_acc", "EDR_succ", "EDR_lss", "REC"] {
            let [without, with] =
                [&without, &with].map(|card| card.metric(name).and_then(Measurement::number));
            prop_assert_eq!(without, with, "{}", name);
        }
    }

    #[test]
    fn empty_turns_change_no_rate(
        letters in "[SFM?]{1,10}", place in 0..10usize,
    ) {
        let (before, after) = letters.split_at(place.min(letters.len()));
        let options = ScoreOptions { patience: Some(2), ..ScoreOptions::default() };
        let without = score(&[dialogue(&letters)], &options);
        let with = score(&[dialogue(&format!("{before}E{after}"))], &options);
        for metric in METRICS {
            // Every turn counts towards the length of a dialogue, and so do the released
            // definitions.
            if metric.name == "EDR_len" || metric.name.ends_with("_as_released") {
                continue;
            }
            let [without, with] =
                [&without, &with].map(|card| card.metric(metric.name).and_then(Measurement::number));
            prop_assert_eq!(without, with, "{}", metric.name);
        }
    }

    /// Repeating a run with the same texts adds no certainty.
    #[test]
    fn repeats_of_the_same_texts_change_no_rate_and_no_error(run in run(), times in 2..4usize) {
        let mut once = run;
        for (text, dialogue) in (0..).zip(&mut once) {
            (dialogue.index, dialogue.text) = (text, Some(text));
        }
        let repeated: Vec<_> = std::iter::repeat_n(&once, times).flatten().cloned().collect();
        let [once, repeated] = [once, repeated].map(|run| score(&run, &ScoreOptions::default()));
        let near = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => (one - other).abs() < 1e-9,
            (one, other) => one.is_none() && other.is_none(),
        };
        for (one, many) in once.metrics.iter().zip(&repeated.metrics) {
            let (one, many) = (&one.measured, &many.measured);
            prop_assert!(near(one.number(), many.number()));
            prop_assert!(near(one.standard_error, many.standard_error), "{one:?} {many:?}");
        }
    }
}
