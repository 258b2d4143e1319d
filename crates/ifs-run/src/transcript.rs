//! Transcripts.

use serde::{Deserialize, Serialize};

use ifs_draw::{ScriptTurn, TurnHash};
use ifs_inference::provider::{Reply, StopReason, Usage};
use ifs_judge::{Note, VerdictRecord};
use ifs_parts::parts::ExtractedPart;
use ifs_score::{Ending, NoText};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Transcript {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    pub turns: Vec<TranscriptTurn>,
    pub ending: Ending,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TranscriptTurn {
    #[serde(flatten)]
    pub script: ScriptTurn,
    /// The responses to the user message; the dialogue continues from the first. A given turn has
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// The rounds of feedback on the first response. The dialogue continues from the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
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

/// A response of the model, with everything that is recorded about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sample {
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
    /// The model that answered, as the endpoint names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// The parts that models extracted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extracted: Vec<ExtractedPart>,
    pub verdicts: Vec<VerdictRecord>,
}

/// A message of feedback, and the response to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Round {
    pub ask: String,
    #[serde(flatten)]
    pub sample: Sample,
}

/// Which of the responses to a turn is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponsePlace {
    /// The round of feedback; 0 for a response to the user message.
    pub round: u32,
    /// The number of the sample; 0 for the first.
    pub sample: u32,
}

/// A turn of a hidden set, in place of its prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HiddenTurn {
    /// The characters of its messages, of its reminder, of its messages of feedback, and of the golden
    /// answer in the history.
    pub said: u64,
    pub reminder: u64,
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub feedback: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<u64>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference; the lint is for 64 bits"
)]
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

impl ResponsePlace {
    pub const FIRST: ResponsePlace = ResponsePlace { round: 0, sample: 0 };
}

impl Sample {
    /// What is recorded of a reply, with its verdicts.
    #[must_use]
    pub fn from_reply(
        reply: Reply,
        extracted: Vec<ExtractedPart>,
        verdicts: Vec<VerdictRecord>,
    ) -> Sample {
        let no_text = reply.no_text();
        let Reply { text: answer, note, usage, stop, served, reasoning, .. } = reply;
        Sample { answer, no_text, reasoning, note, stop, served, usage, extracted, verdicts }
    }

    /// Why the response has no text; `None` if it has one.
    #[must_use]
    pub fn no_text(&self) -> Option<NoText> {
        let blank = NoText::from_text(&self.answer)?;
        Some(self.no_text.clone().unwrap_or(blank))
    }
}

impl TranscriptTurn {
    /// A turn of a given history.
    #[must_use]
    pub fn from_given(script: ScriptTurn) -> TranscriptTurn {
        TranscriptTurn { history: script.given.clone(), script, ..TranscriptTurn::default() }
    }

    /// Whether its response is given, so that it has none of the model's own.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.script.given.is_some()
    }

    /// The response from which the dialogue continues: the last to feedback, or else the first.
    pub fn last_response(&self) -> Option<&Sample> {
        self.rounds.last().map(|round| &round.sample).or_else(|| self.samples.first())
    }

    /// What the dialogue continues with.
    pub fn reply(&self) -> &str {
        let last = || self.last_response().map_or("", |sample| &sample.answer);
        self.history.as_deref().unwrap_or_else(last)
    }

    /// The verdicts on the response from which the dialogue continues.
    pub fn last_verdicts(&self) -> &[VerdictRecord] {
        self.last_response().map_or(&[], |sample| &sample.verdicts)
    }

    /// The first response, and those to feedback on it.
    pub fn conversation(&self) -> impl Iterator<Item = &Sample> {
        self.samples.first().into_iter().chain(self.rounds.iter().map(|round| &round.sample))
    }

    /// All responses of the model: the first, those to feedback, further samples.
    pub fn responses(&self) -> impl Iterator<Item = (ResponsePlace, &Sample)> {
        let round = |(round, sample)| (ResponsePlace { round, sample: 0 }, sample);
        let conversation = (0..).zip(self.conversation()).map(round);
        let further = (0..).zip(&self.samples).skip(1);
        conversation
            .chain(further.map(|(sample, other)| (ResponsePlace { round: 0, sample }, other)))
    }

    /// The same, in the same order, to be changed.
    pub fn responses_mut(&mut self) -> impl Iterator<Item = &mut Sample> {
        let mut samples = self.samples.iter_mut();
        let first = samples.next().into_iter();
        first.chain(self.rounds.iter_mut().map(|round| &mut round.sample)).chain(samples)
    }
}
