//! A set of dialogues that models wrote, as a JSON Lines file. The first line describes how they
//! were made; each other line is a dialogue. A frozen set has a version and a content hash.

use serde::{Deserialize, Serialize};

use crate::release::ReleasedDialogue;
use ifs_inference::provider::Parameters;
use ifs_run::curated_set::{self, CuratedSet, ReviewState};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstructedSetHeader {
    pub benchmark: String,
    pub plan_hash: String,
    pub dialogue: String,
    pub seed: u64,
    pub planner: String,
    pub writer: String,
    pub extractor: String,
    pub checker: String,
    /// The most tries for a stage.
    pub tries: u32,
    /// The sampling parameters of the planner and the writer.
    #[serde(default)]
    pub parameters: Parameters,
    /// Whether one of the models is simulated.
    pub simulated: bool,
}

/// A dialogue and how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetDialogue {
    pub index: u64,
    pub state: ReviewState,
    /// Attempts for the plan, the messages and the questions; for questions, the maximum over
    /// turns.
    pub tries: [u32; 3],
    /// Why the last attempt of a stage was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub talk: ReleasedDialogue,
}

pub type DialogueSet = CuratedSet<SetDialogue>;

impl curated_set::CuratedEntry for SetDialogue {
    const ENTRY_KIND: &str = "dialogues";
    type Made = ConstructedSetHeader;

    fn place(&self) -> (u64, u32) {
        (self.index, 0)
    }

    fn state(&self) -> ReviewState {
        self.state
    }
}

/// The dialogues of a frozen set that were not rejected.
pub fn released_dialogues(set: &DialogueSet) -> Vec<ReleasedDialogue> {
    let kept = set.entries.iter().filter(|entry| entry.state != ReviewState::Rejected);
    kept.map(|entry| entry.talk.clone()).collect()
}
