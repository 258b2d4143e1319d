//! A shorter patience from a longer recording: the turns up to the one that would have spent it.

use serde::{Deserialize, Serialize};

use super::{DialogueSource, Dialogues, Ending, ScoredDialogue, TurnOutcome};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Replay {
    pub patience: u32,
    /// Dialogues that end earlier than recorded.
    pub cut: u64,
}

/// A dialogue whose recorded user lost patience earlier than the replayed one would have gone on.
///
/// EvolIF, equation 3: success restores patience, failure takes one off, and the dialogue ends when
/// none is left. Undecided and empty turns do neither, as in a run.
pub(super) fn replay(dialogues: &impl DialogueSource, patience: u32) -> (Dialogues, Replay) {
    let mut replay = Replay { patience, cut: 0 };
    let mut replayed = Dialogues::default();
    for mut dialogue in dialogues.each() {
        match turns_until_spent(&dialogue, patience) {
            Some(turns) => {
                if turns < dialogue.turns.len() {
                    replay.cut += 1;
                }
                dialogue.turns.truncate(turns);
                dialogue.ending = Ending::Patience;
            }
            None => {
                if dialogue.ending == Ending::Patience {
                    dialogue.ending = Ending::Unrecorded;
                }
            }
        }
        replayed.push(dialogue);
    }
    (replayed, replay)
}

/// The number of turns after which patience is spent.
fn turns_until_spent(dialogue: &ScoredDialogue, patience: u32) -> Option<usize> {
    let mut left = patience;
    for (place, turn) in dialogue.turns.iter().enumerate() {
        match turn.verdict() {
            TurnOutcome::Success => left = patience,
            TurnOutcome::Undecided | TurnOutcome::Empty => {}
            TurnOutcome::Failure => {
                left = left.saturating_sub(1);
                if left == 0 {
                    return Some(place + 1);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::{dialogue, dialogues};
    use super::*;

    fn lengths(letters: &[&str], patience: u32) -> Vec<usize> {
        let (replayed, _) = replay(&dialogues(letters), patience);
        replayed.each().map(|dialogue| dialogue.turns.len()).collect()
    }

    #[test]
    fn cuts_where_patience_runs_out() {
        let recorded = ["SFSFFSFFF", "FFF", "SSS", ""];
        assert_eq!(lengths(&recorded, 1), [2, 1, 3, 0]);
        assert_eq!(lengths(&recorded, 2), [5, 2, 3, 0]);
        assert_eq!(lengths(&recorded, 3), [9, 3, 3, 0]);
        assert_eq!(lengths(&recorded, 0), lengths(&recorded, 1));
    }

    #[test]
    fn undecided_turns_neither_spend_nor_restore() {
        assert_eq!(lengths(&["F?FF"], 2), [3]);
        assert_eq!(lengths(&["FEFF"], 2), [3]);
    }

    #[test]
    fn a_longer_patience_than_recorded_has_a_caveat() {
        let mut recorded = dialogue("SFF");
        recorded.ending = Ending::Patience;
        let (replayed, outcome) = replay(&[recorded.clone()], 3);
        recorded.ending = Ending::Unrecorded;
        assert_eq!(replayed.each().collect::<Vec<_>>(), [recorded]);
        assert_eq!(outcome.cut, 0);
    }

    #[test]
    fn never_spent_keeps_the_ending() {
        let (replayed, outcome) = replay(&dialogues(&["SFS"]), 2);
        assert!(replayed.each().all(|dialogue| dialogue.ending == Ending::Script));
        assert_eq!(outcome.cut, 0);
    }
}
