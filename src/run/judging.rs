//! Judges asked about a run that was recorded: the model under test is not.

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::transcript::{Given, Transcript};
use super::turn::{in_round, place};
use crate::calls::{Desk, Spent};
use crate::judge::{Earlier, Exchange, Prompts, Ruling, Verdict, items, read};
use crate::panel::{Case, Judging, Panel};
use crate::plan::Plan;
use crate::score::Outcome;

/// What stands in a judging's folder about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgingManifest {
    /// The version of this file's form.
    pub schema: u32,
    pub ifs_version: String,
    /// The identity of the run that was judged.
    pub run: String,
    pub judging: Judging,
    pub complete: bool,
    /// Answers that were not judged since a call failed: the machine's failure.
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
        }
    }
}

/// One recorded answer with what came before it.
pub struct Recorded<'a> {
    pub exchange: Exchange<'a>,
    pub earlier: Vec<Earlier<'a>>,
    pub at: String,
}

impl Recorded<'_> {
    pub fn case(&self) -> Case<'_> {
        Case { exchange: &self.exchange, earlier: &self.earlier, at: &self.at }
    }
}

/// What the dialogue went on from, turn by turn.
pub fn replies(transcript: &Transcript) -> Vec<String> {
    transcript.turns.iter().map(|turn| turn.reply().to_owned()).collect()
}

/// Every recorded answer, the further ones to a turn after its first. `replies` are
/// those of [`replies`].
pub fn recorded<'a>(transcript: &'a Transcript, replies: &'a [String]) -> Vec<Recorded<'a>> {
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
        for Given { round, sample, answer, note, cuts, .. } in turn.answers() {
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
            all.push(Recorded { exchange, earlier: earlier.clone(), at });
        }
    }
    all
}

/// Asks a panel about every answer of a dialogue. Where a call fails, what it was
/// about stays unjudged, and is asked for again when the judging goes on.
pub async fn judge_again(
    desk: &Desk<'_>,
    panel: &Panel,
    plan: &Plan,
    prompts: &Prompts<'_>,
    transcript: &Transcript,
) -> Judged {
    let replies = replies(transcript);
    let recorded = recorded(transcript, &replies);
    let ruled = recorded.iter().map(async |recorded| {
        let ruled = panel.rule(desk, plan, prompts, &recorded.case()).await;
        let failed = ruled.is_err();
        let rulings = ruled.unwrap_or_else(|failure| {
            let unjudged = |name: String| Ruling {
                name,
                outcome: Outcome::Unjudged,
                votes: Vec::new(),
                why: Some(format!("a call failed: {failure}")),
                simulated: false,
            };
            items(plan, &recorded.exchange).into_iter().map(|item| unjudged(item.name)).collect()
        });
        (read(plan, &recorded.exchange, &rulings), failed)
    });
    let mut ruled = join_all(ruled).await.into_iter();
    let mut judged = Judged {
        dialogue: transcript.dialogue.clone(),
        index: transcript.index,
        seed: transcript.seed,
        ..Judged::default()
    };
    for turn in &transcript.turns {
        let mut next = || {
            let (verdicts, failed) = ruled.next().unwrap_or_default();
            judged.failed += u64::from(failed);
            verdicts
        };
        let verdicts = next();
        let rounds = turn.rounds.iter().map(|_| next()).collect();
        let samples = turn.samples.iter().map(|_| next()).collect();
        judged.turns.push(JudgedTurn { turn: turn.script.turn, verdicts, rounds, samples });
    }
    judged
}
