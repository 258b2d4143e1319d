//! Whether two runs had the same messages, turn by turn, on the turns that both have.

use serde::Serialize;

use super::ComparedRun;

/// The first turn of a dialogue on which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TurnDifference {
    pub dialogue: String,
    pub index: u64,
    pub turn: u32,
    pub what: DifferenceKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// The messages differ.
    Messages,
    /// The messages are the same, but the turn is judged on something else.
    Judged,
}

/// The first difference of each common dialogue that differs, and the number of common dialogues.
#[must_use]
pub fn differences(one: &ComparedRun, other: &ComparedRun) -> (Vec<TurnDifference>, usize) {
    let (mut found, mut both) = (Vec::new(), 0);
    for ((dialogue, index), held) in &one.dialogues {
        let Some(theirs) = other.dialogues.get(&(dialogue.clone(), *index)) else { continue };
        both += 1;
        let first = |what: DifferenceKind| {
            held.instructions().find_map(|(turn, mine)| {
                // Where the responses led to other turns, the definition is not the cause.
                if held.had_other_messages(theirs, turn) && turn > 1 {
                    return None;
                }
                let theirs = theirs.asked_on(turn)?;
                let differs = match what {
                    DifferenceKind::Messages => mine.messages != theirs.messages,
                    DifferenceKind::Judged => mine.judged != theirs.judged,
                };
                let (dialogue, index) = (dialogue.clone(), *index);
                differs.then_some(TurnDifference { dialogue, index, turn, what })
            })
        };
        found.extend(first(DifferenceKind::Messages).or_else(|| first(DifferenceKind::Judged)));
    }
    (found, both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ScoreOptions, ScoredDialogue, TurnHash, score, testing};

    fn side(texts: &[&str]) -> ComparedRun {
        let of = |(index, text): (u64, &&str)| {
            let mut one = testing::dialogue(&"S".repeat(text.len() / 2));
            for (turn, pair) in one.turns.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
                let (messages, judged) = (u64::from(pair[0]), u64::from(pair[1]));
                turn.asked = Some(TurnHash { messages, judged });
            }
            ScoredDialogue { dialogue: "talk".to_owned(), index, ..one }
        };
        let dialogues: Vec<ScoredDialogue> = (0..).zip(texts).map(of).collect();
        ComparedRun::new(String::new(), &score(&dialogues, &ScoreOptions::default()))
    }

    #[test]
    fn the_first_of_each_dialogue_and_messages_before_judging() {
        let one = side(&["a1b1c1", "a1b1", "a1b1", "z1"]);
        let other = side(&["a1b2d1", "a1b2", "a1b1c1"]);
        let (found, both) = differences(&one, &other);
        assert_eq!(both, 3);
        let short: Vec<_> = found.iter().map(|it| (it.index, it.turn, it.what)).collect();
        assert_eq!(short, [(0, 3, DifferenceKind::Messages), (1, 2, DifferenceKind::Judged)]);
    }
}
