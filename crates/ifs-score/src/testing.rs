//! Dialogues written as one letter per turn, for the tests of this crate and of reports.

use super::{DecisionMethod, Ending, Outcome, ScoredConstraint, ScoredDialogue, ScoredTurn};
use ifs_model::table::Speaker;

pub fn constraint(group: &str, outcome: Outcome) -> ScoredConstraint {
    ScoredConstraint {
        speaker: Speaker::User,
        loose: false,
        constraint: format!("{group}.rule"),
        group: group.to_owned(),
        outcome,
        age: 0,
        by: DecisionMethod::Rule,
        why: (outcome == Outcome::Missed).then(|| format!("{group} was missed")),
        mark: None,
        weight: None,
        kind: None,
        tags: Vec::new(),
        points: None,
    }
}

/// `S` two held; `F` one held, one missed; `?` one held, one unjudged; `M` one missed, one
/// unjudged; `E` no constraints. The ending is `Script`.
pub fn dialogue(letters: &str) -> ScoredDialogue {
    use Outcome::{Held, Missed, Unjudged};
    let turn = |(place, letter): (usize, char)| {
        let outcomes = match letter {
            'S' => vec![Held, Held],
            'F' => vec![Held, Missed],
            '?' => vec![Held, Unjudged],
            'M' => vec![Missed, Unjudged],
            _ => Vec::new(),
        };
        let groups = ["length", "format"];
        ScoredTurn {
            turn: place as u32 + 1,
            topic: None,
            transition: None,
            asked: None,
            constraints: outcomes
                .into_iter()
                .zip(groups)
                .map(|(outcome, group)| constraint(group, outcome))
                .map(Into::into)
                .collect(),
            ..ScoredTurn::default()
        }
    };
    ScoredDialogue {
        dialogue: letters.to_owned(),
        index: 0,
        seed: 0,
        turns: letters.chars().enumerate().map(turn).collect(),
        ending: Ending::Script,
        slice: None,
        reacts: false,
        text: None,
    }
}

pub fn dialogues(letters: &[&str]) -> Vec<ScoredDialogue> {
    letters.iter().map(|letters| dialogue(letters)).collect()
}
