//! Separate scores for turns with the same name, for dialogues with several kinds of questions.

use serde::{Deserialize, Serialize};

use super::metric::MetricTerms;
use super::{CriterionKind, DialogueSource, MetricScore, ScoredDialogue, ScoredTurn};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct TurnScore {
    /// The name in the scenario.
    pub name: String,
    /// Scored turns with this name.
    pub turns: u64,
    /// One for each of [`super::METRICS`], in that order.
    pub metrics: Vec<MetricScore>,
}

/// In order of first occurrence. Empty if no turn states facts, or if all scored turns have the
/// same name.
pub(super) fn by_turn(dialogues: &impl DialogueSource) -> Vec<TurnScore> {
    let is_fact =
        |turn: ScoredTurn| turn.constraints.iter().any(|one| one.kind == Some(CriterionKind::Fact));
    if !dialogues.turns().any(is_fact) {
        return Vec::new();
    }
    let mut names: Vec<(String, u64, MetricTerms)> = Vec::new();
    for dialogue in dialogues.each() {
        for turn in dialogue.turns.iter().filter(|turn| !turn.constraints.is_empty()) {
            if let Some(name) = &turn.name
                && !names.iter().any(|(known, ..)| known == name)
            {
                names.push((name.clone(), 0, MetricTerms::default()));
            }
        }
        for (name, turns, terms) in &mut names {
            let part = turns_named(name, &dialogue);
            if !part.turns.is_empty() {
                *turns += part.turns.len() as u64;
                terms.add(&part);
            }
        }
    }
    if names.len() < 2 {
        return Vec::new();
    }
    let score = |(name, turns, terms): (String, u64, MetricTerms)| TurnScore {
        name,
        turns,
        metrics: terms.scores(),
    };
    names.into_iter().map(score).collect()
}

/// The scored turns of a dialogue with this name.
fn turns_named(name: &str, dialogue: &ScoredDialogue) -> ScoredDialogue {
    let of =
        |turn: &&ScoredTurn| turn.name.as_deref() == Some(name) && !turn.constraints.is_empty();
    ScoredDialogue {
        dialogue: dialogue.dialogue.clone(),
        turns: dialogue.turns.iter().filter(of).cloned().collect(),
        ending: dialogue.ending.clone(),
        slice: None,
        reacts: false,
        ..*dialogue
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{constraint, dialogue};
    use super::super::{Outcome, ScoredConstraint};
    use super::*;

    fn turn(name: &str, kind: CriterionKind, outcome: Outcome) -> ScoredTurn {
        let points = (kind == CriterionKind::Fact).then_some(1.0);
        let one = ScoredConstraint { kind: Some(kind), points, ..constraint("fact", outcome) };
        ScoredTurn {
            name: Some(name.to_owned()),
            constraints: vec![one.into()],
            ..ScoredTurn::default()
        }
    }

    fn share(score: &TurnScore, metric: &str) -> Option<f64> {
        score.metrics.iter().find(|one| one.name == metric)?.measured.number()
    }

    #[test]
    fn named_turns_are_scored_separately() {
        use CriterionKind::{Fact, Requirement};
        use Outcome::{Held, Missed};
        let mut given = dialogue("S");
        given.turns = vec![
            turn("lead", Fact, Held),
            turn("sum", Requirement, Held),
            turn("lead", Fact, Missed),
            turn("sum", Requirement, Missed),
            turn("sum", Requirement, Held),
            ScoredTurn { name: Some("told".to_owned()), ..ScoredTurn::default() },
        ];
        let found = by_turn(&[given.clone()]);
        let short: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.turns)).collect();
        assert_eq!(short, [("lead", 2), ("sum", 3)]);
        assert_eq!((share(&found[0], "points"), share(&found[1], "points")), (Some(0.5), None));
        assert_eq!(share(&found[1], "CSR"), Some(2.0 / 3.0));
        // A dialogue without facts, or with one kind of question, has nothing to distinguish.
        given.turns.retain(|turn| turn.name.as_deref() == Some("lead"));
        assert!(by_turn(&[given.clone()]).is_empty());
        given.turns = vec![turn("a", Requirement, Held), turn("b", Requirement, Held)];
        assert!(by_turn(&[given]).is_empty());
    }
}
