//! A set of dialogues that models wrote: a file of lines of JSON. The first line says how they were
//! made; each other one is a dialogue. A set that is frozen has a version and a hash of all it
//! holds.

use serde::{Deserialize, Serialize};

use crate::curated_set::{self, Set, State};
use crate::provider::Parameters;
use crate::release::ReleasedDialogue;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
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
    /// What the planner and the writer were asked with.
    #[serde(default)]
    pub parameters: Parameters,
    /// Whether one of those models is simulated.
    pub simulated: bool,
}

/// A dialogue with how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub index: u64,
    pub state: State,
    /// Tries for the plan, the words and the questions; for these the most of any turn.
    pub tries: [u32; 3],
    /// Why a stage was turned away at its last try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub talk: ReleasedDialogue,
}

pub type DialogueSet = Set<Entry>;

impl curated_set::Entry for Entry {
    const HOLDS: &str = "dialogues";
    type Made = Header;

    fn place(&self) -> (u64, u32) {
        (self.index, 0)
    }

    fn state(&self) -> State {
        self.state
    }
}

impl Set<Entry> {
    /// The dialogues of a frozen set that no one rejected.
    pub fn talks(&self) -> Vec<ReleasedDialogue> {
        let kept = self.entries.iter().filter(|entry| entry.state != State::Rejected);
        kept.map(|entry| entry.talk.clone()).collect()
    }
}
