//! A summary of one dialogue, and the selection of the worst.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{DialogueSource, Ending, OutcomeTally, ScoredConstraint, ScoredDialogue, TurnOutcome};
use ifs_model::table::Speaker;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct DialogueSummary {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    /// Dialogues with the same number have the same text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<u64>,
    pub ending: Ending,
    /// The outcome of each turn.
    pub verdicts: Vec<TurnOutcome>,
    pub successes: u64,
    pub failures: u64,
    pub undecided: u64,
    /// Empty turns.
    #[serde(default)]
    pub empty: u64,
    pub constraints: OutcomeTally,
    /// Every missed constraint, in order.
    pub misses: Vec<Miss>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Miss {
    pub turn: u32,
    pub constraint: String,
    pub why: Option<String>,
}

/// Its name, with who says it if that is not the user.
fn label_with_speaker(one: &ScoredConstraint) -> String {
    match one.speaker {
        Speaker::User => one.constraint.clone(),
        speaker => format!("{} by {}", one.constraint, speaker.word()),
    }
}

impl DialogueSummary {
    #[must_use]
    pub fn from_dialogue(dialogue: &ScoredDialogue) -> Self {
        let mut summary = Self {
            dialogue: dialogue.dialogue.clone(),
            index: dialogue.index,
            seed: dialogue.seed,
            text: dialogue.text,
            ending: dialogue.ending.clone(),
            verdicts: Vec::with_capacity(dialogue.turns.len()),
            successes: 0,
            failures: 0,
            undecided: 0,
            empty: 0,
            constraints: OutcomeTally::default(),
            misses: Vec::new(),
        };
        for turn in &dialogue.turns {
            let verdict = turn.verdict();
            match verdict {
                TurnOutcome::Success => summary.successes += 1,
                TurnOutcome::Failure => summary.failures += 1,
                TurnOutcome::Undecided => summary.undecided += 1,
                TurnOutcome::Empty => summary.empty += 1,
            }
            summary.verdicts.push(verdict);
            summary.constraints.add(OutcomeTally::from_constraints(&turn.constraints));
            for constraint in &turn.constraints {
                if constraint.outcome.is_missed() {
                    summary.misses.push(Miss {
                        turn: turn.turn,
                        constraint: label_with_speaker(constraint),
                        why: constraint.why.clone(),
                    });
                }
            }
        }
        summary
    }
}

pub(super) fn worst(dialogues: &impl DialogueSource, most: usize) -> Vec<DialogueSummary> {
    let mut summaries: Vec<DialogueSummary> = Vec::new();
    for dialogue in dialogues.each() {
        let summary = DialogueSummary::from_dialogue(&dialogue);
        if summary.failures == 0 {
            continue;
        }
        // After those that are as bad, so that the first ones stay.
        let at = summaries.partition_point(|known| compare_by_success(known, &summary).is_le());
        summaries.insert(at, summary);
        summaries.truncate(most);
    }
    summaries
}

/// By share of successful turns, compared as fractions; among ties, more failures are worse.
fn compare_by_success(a: &DialogueSummary, b: &DialogueSummary) -> Ordering {
    let left = u128::from(a.successes) * u128::from(b.successes + b.failures);
    let right = u128::from(b.successes) * u128::from(a.successes + a.failures);
    left.cmp(&right).then(b.failures.cmp(&a.failures))
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn worst_dialogues_come_first() {
        let found = worst(&dialogues(&["SF", "SSSF", "SSS", "FF", "FFF", "SSFF"]), 4);
        let names: Vec<_> = found.iter().map(|summary| summary.dialogue.as_str()).collect();
        assert_eq!(names, ["FFF", "FF", "SSFF", "SF"]);
        let turns: Vec<_> = found.iter().map(|summary| summary.misses.len()).collect();
        assert_eq!(turns, [3, 2, 2, 1]);
    }
}
