//! Transcripts.

use serde::{Deserialize, Serialize};

use crate::judge::{Note, VerdictRecord};
use crate::parts::ExtractedPart;
use crate::provider::{StopReason, Usage};
use crate::score::{Ending, NoText};
use crate::script::{ScriptTurn, TurnHash};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Transcript {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    pub turns: Vec<TranscriptTurn>,
    pub ending: Ending,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct TranscriptTurn {
    #[serde(flatten)]
    pub script: ScriptTurn,
    pub answer: String,
    /// Why it has no text, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// The reasoning of the model, which is neither judged nor part of the history.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// The stop reason of the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// The parts that models extracted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extracted: Vec<ExtractedPart>,
    pub verdicts: Vec<VerdictRecord>,
    /// The rounds of feedback. The dialogue continues from the last response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// Further samples of the turn. The dialogue continues from the first response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<RepeatSample>,
    /// What the history has in place of the response: the golden answer, with `context golden`, or
    /// the `reply` of a given turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// The remaining patience after this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// For a hidden set, keyed hashes of what was asked: equal for the same turn of the same set,
    /// whether prompts are kept or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<TurnHash>,
    /// The data about prompts that scores need, if the prompts are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<HiddenTurn>,
}

/// A turn of a hidden set, in place of its prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HiddenTurn {
    /// The characters of its messages, of its reminder, of its messages of feedback, and of the golden
    /// answer in the history.
    pub said: u64,
    pub reminder: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub feedback: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A transcript that is being written. Finished turns are kept as JSON only, so that
/// a thousand long dialogues fit into memory.
#[cfg(feature = "run")]
pub(super) struct TranscriptDraft {
    head: String,
    turns: Vec<Box<str>>,
}

#[cfg(feature = "run")]
impl TranscriptDraft {
    pub fn new(dialogue: &str, index: u64, seed: u64) -> TranscriptDraft {
        let name = text(&dialogue);
        let head = format!(r#"{{"dialogue":{name},"index":{index},"seed":{seed},"turns":["#);
        TranscriptDraft { head, turns: Vec::new() }
    }

    pub fn turn(&mut self, turn: &TranscriptTurn) {
        self.turns.push(text(turn).into_boxed_str());
    }

    /// The line of a [`Transcript`].
    pub fn end(self, ending: &Ending) -> String {
        format!("{}{}],\"ending\":{}}}", self.head, self.turns.join(","), text(ending))
    }
}

/// Transcripts contain only texts and numbers, which always serialize.
#[cfg(feature = "run")]
fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The response to a round of feedback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Round {
    pub ask: String,
    pub answer: String,
    /// Why it has no text, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// The reasoning of the model, which is neither judged nor part of the history.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// The parts that models extracted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extracted: Vec<ExtractedPart>,
    pub verdicts: Vec<VerdictRecord>,
}

/// One of the responses to a turn.
#[derive(Clone, Copy)]
pub struct RecordedResponse<'a> {
    /// The round of feedback; 0 for the first response.
    pub round: u32,
    pub stop: Option<&'a StopReason>,
    /// The recorded reason for a response without text.
    reported: Option<&'a NoText>,
    pub reasoning: &'a str,
    /// The sample; 0 for the first.
    pub sample: u32,
    pub answer: &'a str,
    pub note: Option<&'a Note>,
    pub verdicts: &'a [VerdictRecord],
    pub extracted: &'a [ExtractedPart],
}

impl RecordedResponse<'_> {
    /// Why the response has no text; `None` if it has one.
    pub fn no_text(&self) -> Option<NoText> {
        let blank = NoText::from_text(self.answer)?;
        Some(self.reported.cloned().unwrap_or(blank))
    }
}

impl TranscriptTurn {
    /// A turn of a given history.
    #[must_use]
    pub fn from_given(script: ScriptTurn, patience: Option<u32>) -> TranscriptTurn {
        TranscriptTurn {
            history: script.given.clone(),
            script,
            patience,
            answer: String::new(),
            no_text: None,
            reasoning: String::new(),
            note: None,
            stop: None,
            usage: Usage::default(),
            extracted: Vec::new(),
            verdicts: Vec::new(),
            rounds: Vec::new(),
            samples: Vec::new(),
            asked: None,
            hidden: None,
        }
    }

    /// Whether its response is given, so that it has none of the model's own.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.script.given.is_some()
    }

    /// The response from which the dialogue continues.
    pub fn reply(&self) -> &str {
        let last = || self.rounds.last().map_or(&*self.answer, |round| &round.answer);
        self.history.as_deref().unwrap_or_else(last)
    }

    /// The verdicts on the response from which the dialogue continues.
    pub fn last_verdicts(&self) -> &[VerdictRecord] {
        self.rounds.last().map_or(&self.verdicts, |round| &round.verdicts)
    }

    /// All responses of the model: the first, those to feedback, further samples. A given turn has
    /// none.
    pub fn answers(&self) -> impl Iterator<Item = RecordedResponse<'_>> {
        let first = RecordedResponse {
            round: 0,
            sample: 0,
            stop: self.stop.as_ref(),
            reported: self.no_text.as_ref(),
            reasoning: &self.reasoning,
            answer: &self.answer,
            note: self.note.as_ref(),
            verdicts: &self.verdicts,
            extracted: &self.extracted,
        };
        let rounds = (1..).zip(&self.rounds).map(move |(round, again)| RecordedResponse {
            round,
            stop: again.stop.as_ref(),
            reported: again.no_text.as_ref(),
            reasoning: &again.reasoning,
            answer: &again.answer,
            note: again.note.as_ref(),
            verdicts: &again.verdicts,
            extracted: &again.extracted,
            ..first
        });
        let samples = (1..).zip(&self.samples).map(move |(sample, other)| RecordedResponse {
            sample,
            stop: other.stop.as_ref(),
            reported: other.no_text.as_ref(),
            reasoning: &other.reasoning,
            answer: &other.answer,
            note: other.note.as_ref(),
            verdicts: &other.verdicts,
            extracted: &other.extracted,
            ..first
        });
        let all = std::iter::once(first).chain(rounds).chain(samples);
        all.filter(|_| !self.is_given())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RepeatSample {
    pub answer: String,
    /// Why it has no text, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// The reasoning of the model, which is neither judged nor part of the history.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// The parts that models extracted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extracted: Vec<ExtractedPart>,
    pub verdicts: Vec<VerdictRecord>,
}
