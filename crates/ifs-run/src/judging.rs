//! Judges a recorded run again, without calling the model under test.

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::state::system_message;
use super::transcript::{ResponsePlace, Transcript};
use super::turn::{in_round, place};
use super::{ExtractorEntry, Extractors};
use ifs_inference::panel::{JudgedResponse, Judging, Panel};
use ifs_inference::{Client, ModelSpending, Spent};
use ifs_judge::{
    AggregatedVote, EarlierExchange, Exchange, JudgePrompts, TurnHistory, VerdictRecord,
    evaluate_constraints, for_models, items, without_text,
};
use ifs_model::table::DecidedBy;
use ifs_parts::parts::ExtractedPart;
use ifs_plan::Plan;
use ifs_score::{NoText, Outcome};

/// The manifest of a judging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgingManifest {
    /// The format version of this file.
    pub schema: u32,
    pub ifs_version: String,
    /// The identity of the run that was judged.
    pub run: String,
    pub judging: Judging,
    /// The models that extracted parts again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coder: Option<ExtractorEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extractor: Option<ExtractorEntry>,
    pub complete: bool,
    /// The hash of the transcripts that were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcripts: Option<String>,
    /// The hash of `verdicts.jsonl`, once it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<String>,
    /// Responses that were not judged because a request failed.
    pub failed: u64,
    pub spent: Spent,
    /// The same by role and model, with attempts and latencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spending: Vec<ModelSpending>,
}

/// The verdicts on one dialogue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DialogueVerdicts {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    pub turns: Vec<JudgedTurn>,
    /// Responses that were not judged because a request failed.
    #[serde(default)]
    pub failed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedTurn {
    pub turn: u32,
    /// One for each response, in the order of `TranscriptTurn::responses`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<RejudgedResponse>,
}

/// The verdicts on one response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RejudgedResponse {
    pub verdicts: Vec<VerdictRecord>,
    /// The parts, if they were extracted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extracted: Option<Vec<ExtractedPart>>,
}

impl DialogueVerdicts {
    /// Replaces the verdicts of the run.
    pub fn put_into(&self, transcript: &mut Transcript) {
        for (turn, judged) in transcript.turns.iter_mut().zip(&self.turns) {
            for (sample, judged) in turn.responses_mut().zip(&judged.responses) {
                sample.verdicts.clone_from(&judged.verdicts);
                if let Some(extracted) = &judged.extracted {
                    sample.extracted.clone_from(extracted);
                }
            }
        }
    }
}

impl JudgingManifest {
    /// The name of a judging with these settings, short enough for a folder.
    pub fn name(judging: &Judging, [coder, extractor]: [Option<&ExtractorEntry>; 2]) -> String {
        let judges = judging.identity();
        if coder.is_none() && extractor.is_none() {
            return judges;
        }
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a judging of other parts");
        // Texts always serialize.
        let all = serde_json::to_string(&(judges, coder, extractor)).unwrap_or_default();
        hasher.update(all.as_bytes());
        hasher.finalize().to_hex().as_str()[..12].to_owned()
    }
}

/// A recorded response with its history.
pub struct RecordedSample<'a> {
    pub exchange: Exchange<'a>,
    /// Its verdicts in the run.
    pub verdicts: &'a [VerdictRecord],
    /// Why it has no text, if so; it is then not judged.
    pub no_text: Option<NoText>,
    place: ResponsePlace,
    index: u64,
    /// The system message.
    pub system: Option<&'a str>,
    pub earlier: Vec<EarlierExchange<'a>>,
    pub at: String,
}

impl RecordedSample<'_> {
    pub fn case(&self) -> JudgedResponse<'_> {
        JudgedResponse { exchange: &self.exchange, before: self.history(), at: &self.at }
    }

    fn history(&self) -> TurnHistory<'_> {
        TurnHistory { system: self.system, earlier: &self.earlier }
    }
}

/// The system message of a dialogue in the run.
pub fn system_of(of_run: Option<&str>, transcript: &Transcript) -> Option<String> {
    let first = transcript.turns.first();
    system_message(of_run, first.and_then(|turn| turn.script.system.as_deref()))
}

/// The response of each turn from which the dialogue continued.
pub fn replies(transcript: &Transcript) -> Vec<String> {
    transcript.turns.iter().map(|turn| turn.reply().to_owned()).collect()
}

/// Every recorded response; further ones to a turn follow its first. `replies` are those of
/// [`replies`], and `system` is the system message of the dialogue.
pub fn recorded<'a>(
    transcript: &'a Transcript,
    replies: &'a [String],
    system: Option<&'a str>,
) -> Vec<RecordedSample<'a>> {
    let mut all = Vec::new();
    for (at, turn) in transcript.turns.iter().enumerate() {
        let earlier: Vec<EarlierExchange<'a>> = transcript.turns[..at]
            .iter()
            .map(|turn| EarlierExchange {
                turn: turn.script.turn,
                ask: &turn.script.ask,
                show: &turn.script.show,
                answer: turn.reply(),
            })
            .collect();
        for (response, sample) in turn.responses() {
            let exchange = Exchange {
                dialogue: &transcript.dialogue,
                turn: &turn.script,
                answer: &sample.answer,
                note: sample.note.as_ref(),
                replies: &replies[..at],
                extracted: &sample.extracted,
            };
            let Transcript { dialogue, index, .. } = transcript;
            let purpose = in_round("judge", response.round);
            let at = place(dialogue, *index, turn.script.turn, &purpose, response.sample);
            all.push(RecordedSample {
                exchange,
                verdicts: &sample.verdicts,
                no_text: sample.no_text(),
                place: response,
                index: transcript.index,
                system,
                earlier: earlier.clone(),
                at,
            });
        }
    }
    all
}

/// The judges and extractors for recorded responses.
pub struct Readers<'a> {
    pub panel: &'a Panel,
    pub plan: &'a Plan,
    pub prompts: &'a JudgePrompts<'a>,
    /// The system message of the run.
    pub system: Option<&'a str>,
    /// The extractors; without them, the parts of the run are used.
    pub extractors: Option<&'a Extractors>,
}

/// Judges every response of a dialogue again. If a request fails, its items stay unjudged until the
/// judging is resumed.
pub async fn judge_again(
    client: &Client<'_>,
    readers: &Readers<'_>,
    transcript: &Transcript,
) -> DialogueVerdicts {
    let replies = replies(transcript);
    let system = system_of(readers.system, transcript);
    let recorded = recorded(transcript, &replies, system.as_deref());
    let read = recorded.iter().map(|recorded| readers.read(client, recorded));
    let mut read = join_all(read).await.into_iter();
    let mut judged = DialogueVerdicts {
        dialogue: transcript.dialogue.clone(),
        index: transcript.index,
        seed: transcript.seed,
        ..DialogueVerdicts::default()
    };
    for turn in &transcript.turns {
        let mut responses = Vec::new();
        for (response, is_judged) in read.by_ref().take(turn.responses().count()) {
            judged.failed += u64::from(!is_judged);
            responses.push(response);
        }
        judged.turns.push(JudgedTurn { turn: turn.script.turn, responses });
    }
    judged
}

impl Readers<'_> {
    /// The result for one response, and whether no request failed.
    async fn read(
        &self,
        client: &Client<'_>,
        recorded: &RecordedSample<'_>,
    ) -> (RejudgedResponse, bool) {
        let Readers { panel, plan, prompts, extractors, .. } = *self;
        let turn = recorded.exchange.turn;
        if let Some(why) = &recorded.no_text {
            let verdicts = without_text(plan, &recorded.exchange, why);
            return (RejudgedResponse { verdicts, extracted: None }, true);
        }
        let mut is_judged = true;
        let extracted = match extractors {
            None => None,
            Some(extractors) => {
                let ResponsePlace { round, sample } = recorded.place;
                let purpose = in_round("cut", round);
                let dialogue = recorded.exchange.dialogue;
                let at = place(dialogue, recorded.index, turn.turn, &purpose, sample);
                let cut = extractors.extract(client, turn, recorded.exchange.answer, &at).await;
                is_judged &= cut.is_ok();
                Some(cut.unwrap_or_default())
            }
        };
        let parts = extracted.as_deref().unwrap_or(recorded.exchange.extracted);
        let exchange = Exchange { extracted: parts, ..recorded.exchange };
        let aggregated = if panel.judges.is_empty() {
            self.kept_votes(recorded)
        } else {
            let case = JudgedResponse {
                exchange: &exchange,
                before: recorded.history(),
                at: &recorded.at,
            };
            let ruled = panel.rule(client, plan, prompts, &case).await;
            is_judged &= ruled.is_ok();
            ruled.unwrap_or_else(|failure| {
                let unjudged = |name: String| AggregatedVote {
                    name,
                    outcome: Outcome::Unjudged,
                    votes: Vec::new(),
                    why: Some(format!("a call failed: {failure}")),
                    simulated: false,
                };
                items(plan, &exchange, &[]).into_iter().map(|item| unjudged(item.name)).collect()
            })
        };
        let verdicts = evaluate_constraints(plan, &exchange, &aggregated);
        (RejudgedResponse { verdicts, extracted }, is_judged)
    }

    /// The votes of the run, except for questions about parts that are extracted again.
    fn kept_votes(&self, recorded: &RecordedSample<'_>) -> Vec<AggregatedVote> {
        let turn = recorded.exchange.turn;
        let all = self.extractors.is_some_and(|extractors| extractors.all_parts);
        let about_parts = |key: &str| {
            let criterion = turn.criteria.iter().find(|criterion| criterion.key() == key);
            criterion.is_some_and(|criterion| match &criterion.by {
                DecidedBy::Judge(question) => {
                    for_models(turn, all).any(|part| question.text.contains(&part.place()))
                }
                DecidedBy::Rule(_) => false,
            })
        };
        let aggregated = recorded.verdicts.iter().filter_map(VerdictRecord::aggregated);
        aggregated.filter(|aggregated| !about_parts(&aggregated.name)).collect()
    }
}
