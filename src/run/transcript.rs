//! What was said in a dialogue, and what came of it.

use serde::{Deserialize, Serialize};

use crate::judge::{Note, Verdict};
use crate::parts::ExtractedPart;
use crate::provider::{StopReason, Usage};
use crate::score::{Ending, NoText};
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
    /// Why it has no text, where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// What the model thought aloud. No part of the answer: neither judged nor said to it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// Why the answer ended, as its endpoint says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// What models cut out of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<ExtractedPart>,
    pub verdicts: Vec<Verdict>,
    /// What was said to each miss, and answered. The dialogue goes on from the last answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// Further answers to the same turn. The dialogue goes on from the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// What stands in the history in the place of the answer, where that is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
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
    /// Why it has no text, where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// What the model thought aloud. No part of the answer: neither judged nor said to it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// What models cut out of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<ExtractedPart>,
    pub verdicts: Vec<Verdict>,
}

/// One of the answers to a turn.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// 0 for the first; then one for each answer to feedback.
    pub round: u32,
    pub stop: Option<&'a StopReason>,
    /// What is written down of a response without text.
    told: Option<&'a NoText>,
    pub reasoning: &'a str,
    /// 0 for the first; then one for each further answer to the same words.
    pub sample: u32,
    pub answer: &'a str,
    pub note: Option<&'a Note>,
    pub verdicts: &'a [Verdict],
    pub cuts: &'a [ExtractedPart],
}

impl Given<'_> {
    /// Why the response has no text; nothing where it has some.
    pub fn no_text(&self) -> Option<NoText> {
        let blank = NoText::of(self.answer)?;
        Some(self.told.cloned().unwrap_or(blank))
    }
}

impl TranscriptTurn {
    /// What the dialogue goes on from.
    pub fn reply(&self) -> &str {
        let last = || self.rounds.last().map_or(&*self.answer, |round| &round.answer);
        self.history.as_deref().unwrap_or_else(last)
    }

    /// All answers: the first, those to feedback, further ones to the same words.
    pub fn answers(&self) -> impl Iterator<Item = Given<'_>> {
        let first = Given {
            round: 0,
            sample: 0,
            stop: self.stop.as_ref(),
            told: self.no_text.as_ref(),
            reasoning: &self.reasoning,
            answer: &self.answer,
            note: self.note.as_ref(),
            verdicts: &self.verdicts,
            cuts: &self.cuts,
        };
        let rounds = (1..).zip(&self.rounds).map(move |(round, again)| Given {
            round,
            stop: again.stop.as_ref(),
            told: again.no_text.as_ref(),
            reasoning: &again.reasoning,
            answer: &again.answer,
            note: again.note.as_ref(),
            verdicts: &again.verdicts,
            cuts: &again.cuts,
            ..first
        });
        let samples = (1..).zip(&self.samples).map(move |(sample, other)| Given {
            sample,
            stop: other.stop.as_ref(),
            told: other.no_text.as_ref(),
            reasoning: &other.reasoning,
            answer: &other.answer,
            note: other.note.as_ref(),
            verdicts: &other.verdicts,
            cuts: &other.cuts,
            ..first
        });
        std::iter::once(first).chain(rounds).chain(samples)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub answer: String,
    /// Why it has no text, where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// What the model thought aloud. No part of the answer: neither judged nor said to it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// What models cut out of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<ExtractedPart>,
    pub verdicts: Vec<Verdict>,
}
