//! What was said in a dialogue, and what came of it.

use serde::{Deserialize, Serialize};

use crate::judge::{Note, Verdict};
use crate::provider::{StopReason, Usage};
use crate::score::Ending;
use crate::script::ScriptTurn;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    pub turns: Vec<TranscriptTurn>,
    pub ending: Ending,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptTurn {
    #[serde(flatten)]
    pub script: ScriptTurn,
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// Why the answer ended, as its endpoint says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    pub verdicts: Vec<Verdict>,
    /// What was said to each miss, and answered. The dialogue goes on from the last answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// Further answers to the same turn. The dialogue goes on from the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// What is left of the user's patience after this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
}

/// A transcript that is being written: turns that are over are kept as text only,
/// so that a thousand long dialogues at a time fit into memory.
#[cfg(feature = "run")]
pub(super) struct Draft {
    head: String,
    turns: Vec<Box<str>>,
}

#[cfg(feature = "run")]
impl Draft {
    pub fn new(dialogue: &str, index: u64, seed: u64) -> Draft {
        let name = text(&dialogue);
        let head = format!(r#"{{"dialogue":{name},"index":{index},"seed":{seed},"turns":["#);
        Draft { head, turns: Vec::new() }
    }

    pub fn turn(&mut self, turn: &TranscriptTurn) {
        self.turns.push(text(turn).into_boxed_str());
    }

    /// The line of a [`Transcript`].
    pub fn end(self, ending: &Ending) -> String {
        format!("{}{}],\"ending\":{}}}", self.head, self.turns.join(","), text(ending))
    }
}

/// Transcripts hold texts and numbers only; such are always written.
#[cfg(feature = "run")]
fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The same turn asked once more, with what was missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    pub ask: String,
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    pub verdicts: Vec<Verdict>,
}

impl TranscriptTurn {
    /// The answer that the dialogue goes on from.
    pub fn last_answer(&self) -> &str {
        self.rounds.last().map_or(&self.answer, |round| &round.answer)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    pub verdicts: Vec<Verdict>,
}
