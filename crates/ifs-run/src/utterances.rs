//! An utterance set: a JSON Lines file. The first line describes the dialogues; each other line is
//! a turn. A frozen set has a version and a content hash.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::curated_set::{CuratedEntry, CuratedSet, ReviewState};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UtteranceSetHeader {
    pub benchmark: String,
    pub plan_hash: String,
    pub dialogue: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    pub seed: u64,
    /// The maximum number of turns of a dialogue.
    pub turns: u32,
    /// The number of dialogues.
    pub dialogues: u64,
    /// Models that wrote the messages, with their weights.
    pub synthesizers: Vec<(String, u32)>,
    pub checker: String,
    /// The maximum number of attempts for a turn.
    pub tries: u32,
    /// Whether one of the models is simulated.
    pub simulated: bool,
}

/// The user message of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UtteranceLine {
    pub index: u64,
    /// The turn, from 1.
    pub turn: u32,
    /// The model or person that wrote it.
    pub by: String,
    pub tries: u32,
    pub state: ReviewState,
    pub message: String,
    /// Why the last attempt was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The instructions that it must contain.
    pub demands: Vec<String>,
    /// The message from templates.
    pub plain: String,
}

/// User messages. A rejected one is replaced by the message from templates.
pub type UtteranceSet = CuratedSet<UtteranceLine>;

/// The outcomes of the turns of a synthesizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SynthesisCounts {
    pub turns: u64,
    pub at_once: u64,
    pub retried: u64,
    /// No attempt passed, independent of a later review.
    pub flagged: u64,
    pub accepted: u64,
    pub edited: u64,
    pub rejected: u64,
}

impl CuratedEntry for UtteranceLine {
    const ENTRY_KIND: &str = "utterances";
    type Made = UtteranceSetHeader;

    fn place(&self) -> (u64, u32) {
        (self.index, self.turn)
    }

    fn state(&self) -> ReviewState {
        self.state
    }
}

impl CuratedSet<UtteranceLine> {
    /// An entry.
    pub fn line(&self, index: u64, turn: u32) -> Option<&UtteranceLine> {
        let at = self.entries.binary_search_by_key(&(index, turn), UtteranceLine::place).ok()?;
        Some(&self.entries[at])
    }

    /// The user message of a turn.
    pub fn message(&self, index: u64, turn: u32) -> Option<&str> {
        Some(&self.line(index, turn)?.message)
    }

    /// The synthesizer of a dialogue.
    pub fn by(&self, index: u64) -> Option<&str> {
        Some(&self.line(index, 1)?.by)
    }

    /// The number of turns of a dialogue.
    pub fn turns(&self, index: u64) -> usize {
        let from = self.entries.partition_point(|line| line.index < index);
        self.entries[from..].iter().take_while(|line| line.index == index).count()
    }

    /// Whether the set has a dialogue.
    pub fn has_dialogue(&self, index: u64) -> bool {
        self.message(index, 1).is_some()
    }

    /// The outcomes of the turns, by synthesizer.
    pub fn counts(&self) -> BTreeMap<&str, SynthesisCounts> {
        let mut all: BTreeMap<&str, SynthesisCounts> = BTreeMap::new();
        for line in &self.entries {
            all.entry(&line.by).or_default().add(line.state);
        }
        all
    }

    /// The outcomes of all turns.
    pub fn total(&self) -> SynthesisCounts {
        let mut total = SynthesisCounts::default();
        self.entries.iter().for_each(|line| total.add(line.state));
        total
    }
}

impl SynthesisCounts {
    fn add(&mut self, state: ReviewState) {
        self.turns += 1;
        match state {
            ReviewState::Passed => self.at_once += 1,
            ReviewState::Retried => self.retried += 1,
            ReviewState::Flagged => self.flagged += 1,
            ReviewState::Accepted => {
                (self.flagged, self.accepted) = (self.flagged + 1, self.accepted + 1)
            }
            ReviewState::Edited => {
                (self.flagged, self.edited) = (self.flagged + 1, self.edited + 1)
            }
            ReviewState::Rejected => {
                (self.flagged, self.rejected) = (self.flagged + 1, self.rejected + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curated_set::SetError;

    fn line(index: u64, turn: u32, state: ReviewState) -> UtteranceLine {
        UtteranceLine {
            index,
            turn,
            by: "sim/plain".to_owned(),
            tries: 1,
            state,
            message: format!("Words of {index}/{turn}.\n\"Two\" lines."),
            why: (state == ReviewState::Flagged).then(|| "it is empty".to_owned()),
            demands: vec!["Be brief.".to_owned()],
            plain: "Plain.".to_owned(),
        }
    }

    fn set() -> UtteranceSet {
        let header = UtteranceSetHeader {
            benchmark: "b".to_owned(),
            plan_hash: "p".to_owned(),
            dialogue: "talk".to_owned(),
            variant: None,
            seed: 7,
            turns: 2,
            dialogues: 2,
            synthesizers: vec![("sim/plain".to_owned(), 1)],
            checker: "rules".to_owned(),
            tries: 3,
            simulated: true,
        };
        let states = [ReviewState::Passed, ReviewState::Retried, ReviewState::Flagged];
        let places = [(0, 1), (0, 2), (4, 1)];
        let lines =
            places.into_iter().zip(states).map(|((index, turn), state)| line(index, turn, state));
        CuratedSet::new(header, lines.collect())
    }

    #[test]
    fn a_set_is_frozen_when_nothing_is_flagged() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("utterances.jsonl");
        let mut set = set();
        assert!(!set.freeze());
        set.write(&path).unwrap();
        assert_eq!(UtteranceSet::read(&path).unwrap(), set);
        assert!(matches!(UtteranceSet::read_frozen(&path), Err(SetError::Open { flagged: 1, .. })));
        set.entries[2].state = ReviewState::Rejected;
        assert!(set.freeze());
        set.write(&path).unwrap();
        let read = UtteranceSet::read_frozen(&path).unwrap();
        assert_eq!((read.version, read.message(4, 1)), (1, Some("Words of 4/1.\n\"Two\" lines.")));
        assert_eq!(
            (read.message(4, 2), read.has_dialogue(0), read.has_dialogue(1)),
            (None, true, false)
        );
        let total = read.total();
        assert_eq!((total.turns, total.at_once, total.retried), (3, 1, 1));
        assert_eq!((total.flagged, total.rejected), (1, 1));
    }

    #[test]
    fn every_change_is_detected() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("utterances.jsonl");
        let mut set = set();
        set.entries.pop();
        assert!(set.freeze());
        let text = set.to_text();
        for (from, to) in [
            ("Words of 0/2", "Words of 0/9"),
            ("\"seed\":7", "\"seed\":8"),
            ("\"version\":1", "\"version\":2"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            assert!(matches!(UtteranceSet::read(&path), Err(SetError::Changed(_))), "{from}");
        }
        for (text, number) in [("", 1), ("{}\n", 1), ("{\"form\":2}\n", 1)] {
            std::fs::write(&path, text).unwrap();
            assert!(
                matches!(UtteranceSet::read(&path), Err(SetError::Damaged { line, .. }) if line == number),
                "{text}"
            );
        }
        std::fs::write(&path, text.replace("\"form\":2", "\"form\":9")).unwrap();
        assert!(matches!(UtteranceSet::read(&path), Err(SetError::Form { form: 9, .. })));
        set.hash = None;
        set.entries.reverse();
        set.write(&path).unwrap();
        assert!(matches!(UtteranceSet::read(&path), Err(SetError::Damaged { line: 3, .. })));
    }
}
