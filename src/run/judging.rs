//! Judges asked about a run that was recorded: the model under test is not.

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::dialogue::system_message;
use super::transcript::{Given, Transcript};
use super::turn::{in_round, place};
use super::{ExtractorEntry, Extractors};
use crate::inference::{Client, Spent};
use crate::judge::{
    AggregatedVote, Before, Earlier, Exchange, Prompts, Verdict, for_models, items, read,
    without_text,
};
use crate::model::table::By;
use crate::panel::{Case, Judging, Panel};
use crate::parts::ExtractedPart;
use crate::plan::Plan;
use crate::score::{NoText, Outcome};

/// What stands in a judging's folder about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgingManifest {
    /// The version of this file's form.
    pub schema: u32,
    pub ifs_version: String,
    /// The identity of the run that was judged.
    pub run: String,
    pub judging: Judging,
    /// Who cut parts out of the answers anew.
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
    /// Answers that were not judged since a request failed: an infrastructure error.
    pub failed: u64,
    pub spent: Spent,
}

/// The verdicts on one dialogue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    pub turns: Vec<JudgedTurn>,
    /// Answers that were not judged since a call failed.
    #[serde(default)]
    pub failed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedTurn {
    pub turn: u32,
    pub verdicts: Vec<Verdict>,
    /// On the answers to feedback.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Vec<Verdict>>,
    /// On the further answers to the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Vec<Verdict>>,
    /// What was cut out of each answer anew: of the first, of those to feedback, of further ones.
    /// Empty where what the run cut out was taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Vec<ExtractedPart>>,
}

impl Judged {
    /// Puts the verdicts in the place of those that the dialogue was held with.
    pub fn put_into(&self, transcript: &mut Transcript) {
        for (turn, judged) in transcript.turns.iter_mut().zip(&self.turns) {
            turn.verdicts.clone_from(&judged.verdicts);
            for (round, verdicts) in turn.rounds.iter_mut().zip(&judged.rounds) {
                round.verdicts.clone_from(verdicts);
            }
            for (sample, verdicts) in turn.samples.iter_mut().zip(&judged.samples) {
                sample.verdicts.clone_from(verdicts);
            }
            let first = std::iter::once(&mut turn.cuts);
            let rounds = turn.rounds.iter_mut().map(|round| &mut round.cuts);
            let samples = turn.samples.iter_mut().map(|sample| &mut sample.cuts);
            for (have, cuts) in first.chain(rounds).chain(samples).zip(&judged.cuts) {
                have.clone_from(cuts);
            }
        }
    }
}

impl JudgingManifest {
    /// The name of a judging by these: the same for the same, short enough for a folder.
    pub fn name(judging: &Judging, [coder, extractor]: [Option<&ExtractorEntry>; 2]) -> String {
        let judges = judging.identity();
        if coder.is_none() && extractor.is_none() {
            return judges;
        }
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a judging of other parts");
        // Texts are always written.
        let all = serde_json::to_string(&(judges, coder, extractor)).unwrap_or_default();
        hasher.update(all.as_bytes());
        hasher.finalize().to_hex().as_str()[..12].to_owned()
    }
}

/// One recorded answer with what came before it.
pub struct Recorded<'a> {
    pub exchange: Exchange<'a>,
    /// What was said of it when the run was held.
    pub verdicts: &'a [Verdict],
    /// Why it has no text: then nothing is asked about it.
    pub no_text: Option<NoText>,
    /// The place of its round and sample among answers.
    round: u32,
    sample: u32,
    index: u64,
    /// The system message.
    pub system: Option<&'a str>,
    pub earlier: Vec<Earlier<'a>>,
    pub at: String,
}

impl Recorded<'_> {
    pub fn case(&self) -> Case<'_> {
        Case { exchange: &self.exchange, before: self.before(), at: &self.at }
    }

    fn before(&self) -> Before<'_> {
        Before { system: self.system, earlier: &self.earlier }
    }
}

/// The system message that a dialogue was run with.
pub fn system_of(of_run: Option<&str>, transcript: &Transcript) -> Option<String> {
    let first = transcript.turns.first();
    system_message(of_run, first.and_then(|turn| turn.script.system.as_deref()))
}

/// What the dialogue went on from, turn by turn.
pub fn replies(transcript: &Transcript) -> Vec<String> {
    transcript.turns.iter().map(|turn| turn.reply().to_owned()).collect()
}

/// Every recorded answer, the further ones to a turn after its first. `replies` are
/// those of [`replies`], `system` the system message that the dialogue was run with.
pub fn recorded<'a>(
    transcript: &'a Transcript,
    replies: &'a [String],
    system: Option<&'a str>,
) -> Vec<Recorded<'a>> {
    let mut all = Vec::new();
    for (at, turn) in transcript.turns.iter().enumerate() {
        let earlier: Vec<Earlier<'a>> = transcript.turns[..at]
            .iter()
            .map(|turn| Earlier {
                turn: turn.script.turn,
                ask: &turn.script.ask,
                show: &turn.script.show,
                answer: turn.reply(),
            })
            .collect();
        for given in turn.answers() {
            let Given { round, sample, answer, note, cuts, verdicts, .. } = given;
            let exchange = Exchange {
                dialogue: &transcript.dialogue,
                turn: &turn.script,
                answer,
                note,
                replies: &replies[..at],
                cuts,
            };
            let Transcript { dialogue, index, .. } = transcript;
            let purpose = in_round("judge", round);
            let at = place(dialogue, *index, turn.script.turn, &purpose, sample);
            all.push(Recorded {
                exchange,
                verdicts,
                no_text: given.no_text(),
                round,
                sample,
                index: transcript.index,
                system,
                earlier: earlier.clone(),
                at,
            });
        }
    }
    all
}

/// Who reads recorded answers again.
pub struct Readers<'a> {
    pub panel: &'a Panel,
    pub plan: &'a Plan,
    pub prompts: &'a Prompts<'a>,
    /// What the run told the model under test before everything else.
    pub system: Option<&'a str>,
    /// Those who cut parts out anew; without them what the run cut out is taken.
    pub extractors: Option<&'a Extractors>,
}

/// What came of one answer.
#[derive(Default)]
struct Reread {
    cuts: Vec<ExtractedPart>,
    verdicts: Vec<Verdict>,
    failed: bool,
}

/// Has every answer of a dialogue read again. Where a call fails, what it was about stays
/// unjudged, and is asked for again when the judging goes on.
pub async fn judge_again(
    client: &Client<'_>,
    readers: &Readers<'_>,
    transcript: &Transcript,
) -> Judged {
    let replies = replies(transcript);
    let system = system_of(readers.system, transcript);
    let recorded = recorded(transcript, &replies, system.as_deref());
    let read = recorded.iter().map(|recorded| readers.read(client, recorded));
    let mut read = join_all(read).await.into_iter();
    let mut judged = Judged {
        dialogue: transcript.dialogue.clone(),
        index: transcript.index,
        seed: transcript.seed,
        ..Judged::default()
    };
    for turn in &transcript.turns {
        let mut cuts = Vec::new();
        let mut next = || {
            let Reread { cuts: cut, verdicts, failed } = read.next().unwrap_or_default();
            judged.failed += u64::from(failed);
            if readers.extractors.is_some() {
                cuts.push(cut);
            }
            verdicts
        };
        let verdicts = next();
        let rounds = turn.rounds.iter().map(|_| next()).collect();
        let samples = turn.samples.iter().map(|_| next()).collect();
        judged.turns.push(JudgedTurn { turn: turn.script.turn, verdicts, rounds, samples, cuts });
    }
    judged
}

impl Readers<'_> {
    async fn read(&self, client: &Client<'_>, recorded: &Recorded<'_>) -> Reread {
        let Readers { panel, plan, prompts, extractors, .. } = *self;
        let turn = recorded.exchange.turn;
        let mut reread = Reread { cuts: recorded.exchange.cuts.to_vec(), ..Reread::default() };
        if let Some(why) = &recorded.no_text {
            reread.verdicts = without_text(plan, &recorded.exchange, why);
            return reread;
        }
        if let Some(extractors) = extractors {
            let purpose = in_round("cut", recorded.round);
            let dialogue = recorded.exchange.dialogue;
            let at = place(dialogue, recorded.index, turn.turn, &purpose, recorded.sample);
            let cut = extractors.cut(client, turn, recorded.exchange.answer, &at).await;
            reread.failed = cut.is_err();
            reread.cuts = cut.unwrap_or_default();
        }
        let exchange = Exchange { cuts: &reread.cuts, ..recorded.exchange };
        let aggregated = if panel.judges.is_empty() {
            self.kept(recorded)
        } else {
            let case = Case { exchange: &exchange, before: recorded.before(), at: &recorded.at };
            let ruled = panel.rule(client, plan, prompts, &case).await;
            reread.failed |= ruled.is_err();
            ruled.unwrap_or_else(|failure| {
                let unjudged = |name: String| AggregatedVote {
                    name,
                    outcome: Outcome::Unjudged,
                    votes: Vec::new(),
                    why: Some(format!("a call failed: {failure}")),
                    simulated: false,
                };
                items(plan, &exchange).into_iter().map(|item| unjudged(item.name)).collect()
            })
        };
        reread.verdicts = read(plan, &exchange, &aggregated);
        reread
    }

    /// What judges said when the run was held, but for questions about parts that are cut out
    /// anew: nobody was asked about those.
    fn kept(&self, recorded: &Recorded<'_>) -> Vec<AggregatedVote> {
        let turn = recorded.exchange.turn;
        let about_parts = |key: &str| {
            let criterion = turn.criteria.iter().find(|criterion| criterion.key() == key);
            criterion.is_some_and(|criterion| match &criterion.by {
                By::Judge(question) => {
                    for_models(turn).any(|part| question.text.contains(&part.place()))
                }
                By::Rule(_) => false,
            })
        };
        let aggregated = recorded.verdicts.iter().filter_map(Verdict::aggregated);
        aggregated.filter(|aggregated| !about_parts(&aggregated.name)).collect()
    }
}
