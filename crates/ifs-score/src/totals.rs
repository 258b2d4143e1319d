//! How much was scored, by what, and why dialogues ended.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    DecisionMethod, DialogueSource, Ending, Outcome, OutcomeTally, ScoredTurn, TurnOutcome,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct ScoreTotals {
    pub dialogues: u64,
    /// The number of distinct texts.
    #[serde(default)]
    pub distinct_dialogues: u64,
    /// Dialogues that are incomplete because a request failed: an infrastructure error.
    #[serde(default)]
    pub broken_dialogues: u64,
    /// Dialogues that were stopped before their end: by Ctrl-C, or because the budget was spent.
    #[serde(default)]
    pub interrupted_dialogues: u64,
    pub turns: u64,
    pub successful_turns: u64,
    pub failed_turns: u64,
    /// Turns with an unjudged constraint and no miss.
    pub undecided_turns: u64,
    /// Turns without any constraint that applies and without criteria.
    pub empty_turns: u64,
    pub constraints: OutcomeTally,
    /// Why outcomes could not be judged, and how many.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unjudged_reasons: BTreeMap<String, u64>,
    /// Responses without text, by cause. If the model is the cause, the turn failed; if its
    /// endpoint is, the turn is undecided.
    #[serde(default)]
    pub without_text: BTreeMap<String, u64>,
    /// Those that the endpoint caused.
    #[serde(default)]
    pub withheld_responses: u64,
    /// Responses for which the endpoint gave no stop reason: whether they are complete is unknown.
    #[serde(default)]
    pub without_stop_reason: u64,
    /// The models that answered, as the endpoint names them, with the number of responses.
    #[serde(default)]
    pub served: BTreeMap<String, u64>,
    /// Responses with reasoning outside of their text.
    #[serde(default)]
    pub with_reasoning: u64,
    /// Responses that begin with a block in markers that no model is known for, by marker: those
    /// whose block was kept apart as reasoning, and those whose block was scored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_reasoning: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_blocks: BTreeMap<String, u64>,
    /// Constraint outcomes by how they were decided.
    pub by_rule: u64,
    pub by_judge: u64,
    pub by_simulated_judge: u64,
}

/// The number of dialogues that ended for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct EndingCount {
    pub ending: Ending,
    pub count: u64,
}

pub(super) fn totals(dialogues: &impl DialogueSource) -> ScoreTotals {
    let mut texts: BTreeSet<u64> = BTreeSet::new();
    let mut totals = ScoreTotals::default();
    for dialogue in dialogues.each() {
        totals.dialogues += 1;
        // One whose text is unknown differs from all others.
        totals.distinct_dialogues += u64::from(dialogue.text.is_none_or(|text| texts.insert(text)));
        match dialogue.ending {
            Ending::Failed(_) | Ending::PermanentFailure(_) => totals.broken_dialogues += 1,
            Ending::Interrupted => totals.interrupted_dialogues += 1,
            Ending::Patience
            | Ending::Condition(_)
            | Ending::Script
            | Ending::MaxTurns
            | Ending::ContextLength
            | Ending::Unrecorded => {}
        }
        dialogue.turns.iter().for_each(|turn| totals.add(turn));
    }
    totals
}

impl ScoreTotals {
    fn add(&mut self, turn: &ScoredTurn) {
        let totals = self;
        totals.turns += 1;
        totals.with_reasoning += turn.reasoned;
        for (counts, texts) in [
            (&mut totals.unknown_reasoning, &turn.unknown_reasoning),
            (&mut totals.unknown_blocks, &turn.unknown_blocks),
            (&mut totals.unjudged_reasons, &turn.unjudged),
        ] {
            for text in texts {
                *counts.entry(text.clone()).or_default() += 1;
            }
        }
        totals.without_stop_reason += turn.without_stop_reason;
        for name in &turn.served {
            *totals.served.entry(name.clone()).or_default() += 1;
        }
        for why in turn.no_text.iter().chain(&turn.more_without_text) {
            *totals.without_text.entry(why.to_string()).or_default() += 1;
            totals.withheld_responses += u64::from(!why.is_caused_by_model());
        }
        match turn.verdict() {
            TurnOutcome::Success => totals.successful_turns += 1,
            TurnOutcome::Failure => totals.failed_turns += 1,
            TurnOutcome::Undecided => totals.undecided_turns += 1,
            TurnOutcome::Empty => totals.empty_turns += 1,
        }
        totals.constraints.add(OutcomeTally::from_constraints(&turn.constraints));
        for constraint in &turn.constraints {
            match constraint.by {
                // An open outcome was decided by no one.
                _ if constraint.outcome == Outcome::Unjudged => {}
                DecisionMethod::Rule => totals.by_rule += 1,
                DecisionMethod::Judge => totals.by_judge += 1,
                DecisionMethod::SimulatedJudge => totals.by_simulated_judge += 1,
            }
        }
    }
}

/// Most frequent first; ties are in order of first occurrence.
pub(super) fn endings(dialogues: &impl DialogueSource) -> Vec<EndingCount> {
    let mut counts: Vec<EndingCount> = Vec::new();
    for dialogue in dialogues.each() {
        match counts.iter_mut().find(|count| count.ending == dialogue.ending) {
            Some(count) => count.count += 1,
            None => counts.push(EndingCount { ending: dialogue.ending, count: 1 }),
        }
    }
    counts.sort_by_key(|count| std::cmp::Reverse(count.count));
    counts
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn by_hand() {
        let given = dialogues(&["SFM", "?E", ""]);
        let totals = totals(&given);
        assert_eq!((totals.dialogues, totals.turns, totals.empty_turns), (3, 5, 1));
        let turns = (totals.successful_turns, totals.failed_turns, totals.undecided_turns);
        assert_eq!(turns, (1, 2, 1));
        assert_eq!(
            totals.constraints,
            OutcomeTally { held: 4, missed: 2, unjudged: 2, ..OutcomeTally::default() }
        );
        assert_eq!((totals.by_rule, totals.by_judge), (6, 0));
    }

    #[test]
    fn endings_are_sorted_by_count() {
        let mut given = dialogues(&["S", "S", "S"]);
        if let Some(first) = given.first_mut() {
            first.ending = Ending::Failed("timed out".to_owned());
        }
        let counts: Vec<_> = endings(&given).into_iter().map(|count| count.count).collect();
        assert_eq!(counts, [2, 1]);
        assert_eq!(totals(&given).broken_dialogues, 1);
    }
}
